"""The runs on other machines: what they set, what they choose, and that they say what they leave out."""

import ast
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

HERE = Path(__file__).parent
portable = SimpleNamespace(**runpy.run_path(str(HERE / "portable.py")))
minimums = SimpleNamespace(**runpy.run_path(str(HERE / "minimums.py")))
shuffled = runpy.run_path(str(HERE / "conftest.py"))["shuffled"]
by_name = {c.name: c for c in portable.CONFIGURATIONS}


def test_every_kind_of_machine_is_among_the_configurations():
    assert {c.core for c in portable.CONFIGURATIONS} == {None, "Haswell", "SkylakeX", "Nehalem", "Prescott"}
    environment = by_name["scalar"].environment(["X86_V3", "X86_V4"])
    assert environment["NPY_DISABLE_CPU_FEATURES"] == "X86_V3 X86_V4"
    assert by_name["haswell"].environment([])["OPENBLAS_CORETYPE"] == "Haswell"
    assert by_name["shuffled"].environment([])["PYTHONHASHSEED"] == "1"
    assert "--shuffle" in by_name["shuffled"].arguments()
    assert "OPENBLAS_NUM_THREADS" not in by_name["one-core"].environment([])


def test_all_numerical_tests_and_examples_are_run():
    files = portable.numerical_tests()
    assert {"tests/learn/test_pca.py", "tests/kernels/graphs/test_diffusion.py", "src/gramian/learn"} <= set(files)
    assert all((HERE.parent / name).exists() for name in files)


WITHOUT = """
import runpy, sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
def found(cls, name, *more):
    return None if name.partition(".")[0] in {absent!r} else find(name, *more)
PathFinder.find_spec = classmethod(found)
import pytest
files = runpy.run_path("tests/portable.py")["numerical_tests"]()
places = [name for name in files if "places" in name]
sys.exit(pytest.main(["--collect-only", "--quiet", *{given}]))
"""


@pytest.mark.parametrize("absent", [["torch", "triton"], ["dask", "distributed"], ["distributed"]], ids=" and ".join)
@pytest.mark.parametrize("given", ["places", "['src/gramian/places', 'tests/places']"], ids=["files", "folders"])
def test_places_whose_library_is_not_installed_are_left_out(absent, given):
    """What `make test` and `make portable` are given; neither installs these libraries."""
    code = WITHOUT.format(absent=absent, given=given)
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found = done.stdout.splitlines()
    assert any(name.startswith("tests/places/test_tiles.py") for name in found)
    assert not any(name.startswith(f"tests/places/{place}") for place in absent for name in found)
    assert not any(name.startswith(f"src/gramian/places/{place}") for place in absent for name in found)


def test_a_word_chooses_the_same_share_again_and_words_together_choose_everything():
    files = portable.numerical_tests()
    shares = [portable.share(str(word), portable.CONFIGURATIONS, files) for word in range(100)]
    assert shares[:5] == [portable.share(str(word), portable.CONFIGURATIONS, files) for word in range(5)]
    assert {c.name for c, _ in shares} == set(by_name)
    assert {name for _, chosen in shares for name in chosen} == set(files)
    assert all(3 * len(chosen) <= len(files) + 2 for _, chosen in shares)


def test_what_the_processor_lacks_is_left_out_with_the_reason():
    assert portable.impossible(by_name["skylakex"], {"avx2", "sse2"}) == "the processor has no avx512f"
    assert portable.impossible(by_name["skylakex"], {"avx512f"}) is None
    assert portable.impossible(by_name["scalar"], set()) is None


@pytest.mark.parametrize(
    ("name", "found", "reason"),
    [
        ("haswell", {"openblas": ["Haswell", "Haswell"], "vectors": []}, None),
        ("prescott", {"openblas": ["Katmai"], "vectors": []}, None),
        ("haswell", {"openblas": ["Haswell", "Zen"], "vectors": []}, "BLAS takes the processor for Haswell, Zen"),
        ("haswell", {"openblas": [], "vectors": []}, "BLAS takes the processor for no one (it is not OpenBLAS)"),
        ("scalar", {"openblas": [], "vectors": ["AVX2"]}, "NumPy still uses AVX2"),
        ("scalar", {"openblas": [], "vectors": []}, None),
    ],
)
def test_a_setting_that_the_libraries_do_not_heed_is_said(name, found, reason):
    assert portable.without_effect(by_name[name], found) == reason


def test_the_libraries_of_this_machine_heed_what_it_can_do():
    configuration = next(c for c in portable.CONFIGURATIONS if c.core == "Prescott")
    if portable.impossible(configuration, portable.processor_flags()) or not portable.ask({})["openblas"]:
        pytest.skip("no x86 processor that tells its flags, or no OpenBLAS")
    assert portable.without_effect(configuration, portable.ask(configuration.environment([]))) is None


def test_numpy_is_without_vector_extensions_where_they_are_disabled():
    configuration, vectors = by_name["scalar"], portable.ask({})["vectors"]
    assert portable.ask(configuration.environment(vectors))["vectors"] == []


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux pins processes to cores")
def test_a_pinned_command_sees_one_core():
    code = "import os; print(len(os.sched_getaffinity(0)))"
    answer = subprocess.run(
        portable.pinned([sys.executable, "-c", code], 1), capture_output=True, text=True, check=True
    )
    assert answer.stdout == "1\n"
    assert portable.pinned(["true"], None) == ["true"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("..\n4 failed, 15217 passed, 8 xfailed in 237.57s (0:03:57)\n", "4 failed, 15217 passed, 8 xfailed"),
        ("==== 2 passed in 0.01s ====", "2 passed"),
        ("INTERNALERROR", "no tests were run to the end"),
    ],
)
def test_counts_are_those_of_the_last_line(output, expected):
    assert portable.counts(output) == expected


def test_an_unknown_configuration_is_refused_by_name():
    answer = subprocess.run([sys.executable, HERE / "portable.py", "pentium"], capture_output=True, text=True)
    assert answer.returncode == 2
    assert "no configuration is called pentium; there are haswell, " in answer.stderr


def test_the_script_needs_the_standard_library_only():
    for name in ("portable.py", "minimums.py"):
        tree = ast.parse((HERE / name).read_text(encoding="utf-8"))
        modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        modules += [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
        assert {name.partition(".")[0] for name in modules} <= sys.stdlib_module_names


# The order


def test_a_seed_gives_one_order_in_which_groups_stay_together():
    items = [(group, k) for group in "abcdef" for k in range(9)]
    found = shuffled(items, 3, key=lambda item: item[0])
    assert found == shuffled(items, 3, key=lambda item: item[0])
    assert found != shuffled(items, 4, key=lambda item: item[0])
    assert sorted(found) == items
    assert [group for k, (group, _) in enumerate(found) if k == 0 or found[k - 1][0] != group] != list("abcdef")
    assert len({k for k in range(1, len(found)) if found[k - 1][0] != found[k][0]}) == 5


RNG = np.random.default_rng(0)


@pytest.mark.parametrize("turn", [0, 1])
def test_a_global_generator_draws_the_same_for_every_test(turn):
    assert RNG.random() == np.random.default_rng(0).random()


# The oldest versions


def test_every_requirement_says_its_oldest_version():
    found = [minimums.constraint(each) for each in minimums.requirements()]
    assert {"numpy", "scipy", "scikit-learn", "numba", "pyarrow", "matplotlib"} <= {e.partition("==")[0] for e in found}
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [("numpy>=2.2", "numpy==2.2"), ("polars[excel]>=1.20.1", "polars==1.20.1"), ("torch==2.13.0", "torch==2.13.0")],
)
def test_a_constraint_is_the_oldest_version(requirement, expected):
    assert minimums.constraint(requirement) == expected


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy~=2.2"])
def test_a_requirement_without_an_oldest_version_is_refused(requirement):
    with pytest.raises(ValueError, match=f"'{requirement}' does not say which version is the oldest"):
        minimums.constraint(requirement)
