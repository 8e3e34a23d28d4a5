"""`import gramian` is cheap, and nothing optional is loaded by using the core."""

import json
import subprocess
import sys

import pytest

OPTIONAL = ["sklearn", "matplotlib", "torch", "numba", "dask", "pandas", "polars", "pyarrow", "python_calamine"]


def loaded(code):
    """The top-level modules that a fresh interpreter has loaded after running the code."""
    program = f"import sys, json\n{code}\nprint(json.dumps(sorted({{m.partition('.')[0] for m in sys.modules}})))"
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_gramian_loads_neither_numpy_nor_anything_heavier():
    modules = loaded("import gramian")
    assert "gramian" in modules
    assert not modules & {"numpy", "scipy", "threadpoolctl", *OPTIONAL}


def test_asking_for_the_version_and_the_names_loads_nothing():
    assert not loaded("import gramian; gramian.__version__; dir(gramian); gramian.__all__") & {"numpy", "scipy"}


@pytest.mark.parametrize(
    "code",
    [
        "import gramian as gm; gm.Gaussian(1.0)([[0.0], [1.0]])",
        "import gramian as gm; gm.FeatureSpace(gm.Linear())([[1.0], [2.0]]).subspace().basis.norms()",
        "import gramian as gm; gm.testing.check_kernel(gm.Linear(), [[1.0], [2.0]]); gm.load_iris()",
    ],
)
def test_using_the_core_loads_no_optional_library(code):
    modules = loaded(code)
    assert "numpy" in modules
    assert not modules & set(OPTIONAL)


def test_taking_every_public_name_loads_scikit_learn_but_no_optional_library():
    modules = loaded("from gramian import *")
    assert "sklearn" in modules
    assert not modules & {"torch", "numba", "dask", "matplotlib"}


def test_a_failed_lookup_loads_nothing():
    code = "import gramian\ntry:\n    gramian.Gausian\nexcept AttributeError:\n    pass\nelse:\n    raise SystemExit(1)"
    assert "numpy" not in loaded(code)
