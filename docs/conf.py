"""How the manual is built: ``make docs``."""

import os
import sys
import warnings
from pathlib import Path

import gramian

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

project = "gramian"
copyright = "the gramian authors"
author = "the gramian authors"
version = release = gramian.__version__

extensions = [
    "manual",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["bench/*.md", "_ext", "_templates"]
templates_path = ["_templates"]
root_doc = "index"
language = "en"
default_role = "py:obj"
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "fieldlist", "attrs_inline"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

autosummary_generate = True
# Two names that differ in case only would be one file where case does not count.
autosummary_filename_map = {"gramian.eigen": "gramian.eigen-function", "gramian.report": "gramian.report-function"}
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "inherited-members": True, "member-order": "bysource"}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
numpydoc_validation_checks = set()

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": "/",
    "within_subsection_order": "FileNameSortKey",
    "show_memory": False,
    "write_computation_times": False,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "capture_repr": (),  # what a call returns is not shown; examples print what they mean
    "download_all_examples": False,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("gramian",),
    "remove_config_comments": True,
    "show_signature": False,
    "min_reported_time": 5,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
}
warnings.filterwarnings("ignore", message=".*non-interactive.*")

html_theme = "pydata_sphinx_theme"
html_title = "gramian"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "gramian"},
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "show_toc_level": 2,
    "show_prev_next": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
