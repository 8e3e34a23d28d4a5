"""What this manual adds to Sphinx: formulas as MathML, links to public names, and links from names to the theory."""

import re
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.roles import XRefRole
from sphinx.util import logging

sys.path.insert(0, str(Path(__file__).parent))

from numbered import by_name

logger = logging.getLogger(__name__)

# Pages that stand at the root of the repository, and what they are called in the manual.
ROOT_PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}


def bring_root_pages(app: Sphinx) -> None:
    """Copy the pages of the root into the manual, with links that fit there."""
    source, root = Path(app.srcdir), Path(app.srcdir) / "project" / "root"
    root.mkdir(exist_ok=True)
    for name, called in ROOT_PAGES.items():
        text = (source.parent / name).read_text(encoding="utf-8").replace("](docs/", "](../../")
        for other, there in {**ROOT_PAGES, "BENCHMARKS.md": "performance.md"}.items():
            text = text.replace(f"]({other})", f"]({there})")
        (root / called).write_text(text, encoding="utf-8")


def make_performance_page(app: Sphinx) -> None:
    """Make the page of the benchmarks, tables and pictures, from the JSON files that they left."""
    source, root = Path(app.srcdir), Path(app.srcdir) / "project" / "root"
    subprocess.run([sys.executable, source.parent / "benchmarks" / "page.py", root], check=True)
    (root / "BENCHMARKS.md").replace(root / "performance.md")


class PublicName(XRefRole):
    """``{gm}`Vectors.mean` ``: a link to a public name of gramian. One that is not there is an error."""

    def process_link(self, env, refnode, has_explicit_title, title, target):
        refnode["refdomain"], refnode["reftype"] = "py", "obj"
        return title, f"gramian.{target}"


UNIT = re.compile(r"(\d) (%|[GMk]B\b|ms\b|s\b)")
# Bars of norms that would grow with what stands beside them; a hat as wide as a letter, not the sign of powers in
# programs; a minus after a bracket, which subtracts nothing.
MENDED = {"<mo>&#x02016;</mo>": '<mo fence="false" stretchy="false">&#x02016;</mo>'}
MENDED |= {"<mo>&#x0005E;</mo>": '<mo stretchy="false">&#x002C6;</mo>'}
MENDED |= {"&#x00028;</mo><mo>&#x02212;</mo>": '&#x00028;</mo><mo form="prefix">&#x02212;</mo>'}


def mathml(node, display: str) -> str:
    """Return a formula as MathML; a command that was not understood, and so is left in it, is a warning."""
    made = convert(node.astext(), display=display)
    for found, better in MENDED.items():
        made = made.replace(found, better)
    if "\\" in made:
        logger.warning("a command in this formula is not understood: %s", node.astext(), location=node)
    return made


def inline_math(translator, node):
    """Write an inline formula as MathML: text that needs no script, no font and no network."""
    translator.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def block_math(translator, node):
    """Write a displayed formula as MathML, in a box that scrolls on narrow screens."""
    translator.body.append(translator.starttag(node, "div", CLASS="formula", tabindex="0"))
    translator.body.append(mathml(node, "block"))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def reach_tables(app: Sphinx, page, template, context, doctree):
    """Let the keyboard reach tables, which scroll by themselves where the screen is narrow."""
    scrolling = '<div class="pst-scrollable-table-container"'
    if context.get("body"):
        context["body"] = context["body"].replace(scrolling, f'{scrolling} tabindex="0"')


def trim_code(app: Sphinx, doctree):
    """Take the empty line off that doctests in Markdown need before the end of a block."""
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():  # what is not highlighted is left as it is
            block.rawsource = block.astext().rstrip()
            block.clear()
            block += nodes.Text(block.rawsource)


def hold_units(app: Sphinx, doctree):
    """Put no end of a line between a number and the sign or unit behind it."""
    for text in list(doctree.findall(nodes.Text)):
        if UNIT.search(text) and not isinstance(text.parent, (nodes.literal, nodes.literal_block, nodes.raw)):
            text.parent.replace(text, nodes.Text(UNIT.sub("\\1\N{NO-BREAK SPACE}\\2", text)))


def theory_links(app: Sphinx, what, name, obj, options, lines):
    """Add to the page of a public name the numbered statements that it computes."""
    found = app.config.numbered_statements.get(name.removeprefix("gramian."), ())
    if found:
        lines += ["", ".. rubric:: In the theory", ""]
        lines += [f"- :ref:`{title} <{label}>`" for label, title in found]
        lines += [""]


def only_ours(app: Sphinx, what, name, obj, skip, options):
    """Leave out what scikit-learn and the standard library bring along, for their documentation has it."""
    module = getattr(obj, "__module__", None) or getattr(getattr(obj, "fget", None), "__module__", None) or "gramian"
    return True if not module.startswith("gramian") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register all of it."""
    app.setup_extension("sphinx.ext.autodoc")
    app.add_config_value("numbered_statements", by_name(Path(app.srcdir) / "theory"), "env")
    app.add_role("gm", PublicName(warn_dangling=True))
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
    app.connect("builder-inited", bring_root_pages)
    app.connect("builder-inited", make_performance_page)
    app.connect("doctree-read", trim_code)
    app.connect("doctree-read", hold_units)
    app.connect("html-page-context", reach_tables)
    # After numpydoc, which would take what is added for a part of the last section.
    app.connect("autodoc-process-docstring", theory_links, priority=900)
    app.connect("autodoc-skip-member", only_ours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
