"""The public namespace is exactly what it says, at run time and for type checkers."""

import ast
import inspect
from importlib.resources import files

import pytest

import gramian as gm

NAMES = [
    "__version__",
    "AllSubsequences",
    "AllSubsets",
    "Anova",
    "BagOfWords",
    "Batches",
    "Bilinear",
    "CholeskyMap",
    "Clusters",
    "ColumnEffect",
    "ColumnImportance",
    "Composition",
    "DataError",
    "Eigen",
    "EmpiricalMap",
    "Encoded",
    "Equality",
    "Explanation",
    "ExponentialDiffusion",
    "Fasta",
    "FeatureSpace",
    "FeatureWeights",
    "FisherDiscriminant",
    "FoldErrors",
    "FullSpectrum",
    "Gaussian",
    "Gram",
    "GramRows",
    "GramSchmidt",
    "Graph",
    "Kernel",
    "KernelClassifier",
    "KernelKMeans",
    "KernelPCA",
    "KernelRidge",
    "KernelSearch",
    "KernelSyntaxError",
    "Laplacian",
    "Linear",
    "LowRank",
    "Matern",
    "MeanTest",
    "MercerMap",
    "Mismatch",
    "ModelFileError",
    "NoveltyDetector",
    "Nystrom",
    "ParzenClassifier",
    "Periodic",
    "Polynomial",
    "PowerDiffusion",
    "Precomputed",
    "Profile",
    "PsdCertificate",
    "RandomFourier",
    "Report",
    "RidgePath",
    "Solution",
    "Spectrum",
    "Standardize",
    "Subsequences",
    "Subspace",
    "Texts",
    "Vectors",
    "VonNeumannDiffusion",
    "alignment",
    "cholesky",
    "effects",
    "eigen",
    "find_clusters",
    "format_kernel",
    "importance",
    "is_psd",
    "leave_fold_out",
    "load",
    "load_addresses",
    "load_cars",
    "load_football",
    "load_iris",
    "load_promoters",
    "mean_distance",
    "mean_test",
    "parse_kernel",
    "plot",
    "profiles",
    "progress",
    "read_data",
    "read_edges",
    "read_fasta",
    "read_lines",
    "read_texts",
    "report",
    "save",
    "solve",
    "stability_bound",
    "testing",
    "to_device",
]

# What a function returns, shown in that function's example.
CALLABLES = [name for name in NAMES if name not in ("__version__", "plot", "testing")]


def test_all_is_the_documented_list():
    assert gm.__all__ == NAMES


def test_dir_is_the_documented_list():
    assert dir(gm) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_resolves_and_stays_the_same_object(name):
    found = getattr(gm, name)
    assert found is not None
    assert getattr(gm, name) is found


@pytest.mark.parametrize("name", CALLABLES)
def test_every_name_is_the_name_of_what_it_names(name):
    found = getattr(gm, name)
    assert found.__name__ == name
    assert found.__module__.startswith("gramian.")
    assert inspect.isclass(found) == name[0].isupper()


def test_a_star_import_gives_every_name():
    namespace: dict = {}
    exec("from gramian import *", namespace)
    assert set(NAMES) <= set(namespace)


def test_type_checkers_are_told_the_same_names():
    tree = ast.parse(files("gramian").joinpath("__init__.pyi").read_text(encoding="utf-8"))
    declared = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            # Only ``name as name`` makes a name of a stub public.
            assert all(alias.name == alias.asname for alias in node.names)
            declared += [alias.asname for alias in node.names]
        elif isinstance(node, ast.AnnAssign):
            declared.append(node.target.id)
    assert sorted(declared) == sorted([*NAMES, "__all__"])


def test_the_stub_names_the_module_each_name_lives_in():
    tree = ast.parse(files("gramian").joinpath("__init__.pyi").read_text(encoding="utf-8"))
    homes = {a.name: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names}
    for name in CALLABLES:
        assert getattr(gm, name).__module__ == homes[name]


@pytest.mark.parametrize("name", ["gaussian", "Gausian", "KernelMap", "_nothing", "np"])
def test_an_unknown_name_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=f"module 'gramian' has no attribute '{name}'"):
        getattr(gm, name)


def test_the_package_is_typed():
    assert files("gramian").joinpath("py.typed").is_file()


@pytest.mark.parametrize("name", CALLABLES)
def test_every_name_has_a_docstring(name):
    assert len(inspect.getdoc(getattr(gm, name)) or "") > 20


def test_every_name_has_an_example():
    without = [name for name in CALLABLES if ">>> " not in (getattr(gm, name).__doc__ or "")]
    assert without == []


@pytest.mark.parametrize("name", CALLABLES)
def test_public_methods_have_docstrings_of_their_own_or_inherited(name):
    found = getattr(gm, name)
    if inspect.isclass(found):
        for method, function in inspect.getmembers(found, inspect.isfunction):
            if not method.startswith("_"):
                assert inspect.getdoc(getattr(found, method)), f"{name}.{method}"
            assert function is not None


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert gm.__version__ == version("gramian")
