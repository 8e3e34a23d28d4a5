"""Private functions of other libraries: in one module, each doing what it is used for, or named with the version."""

import ast
from pathlib import Path

import numpy as np
import pandas
import pytest
import scipy.sparse
import sklearn

import gramian
from gramian.learn import sklearn_private

PACKAGE = Path(gramian.__file__).parent
THEIRS = {"matplotlib", "numba", "numpy", "polars", "pyarrow", "scipy", "sklearn", "threadpoolctl"}
HERE = f"in scikit-learn {sklearn.__version__}"


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def private_names(tree):
    """The private names of other libraries that a module imports, or reaches through a module that it imports."""
    aliases = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for found in node.names:
                if found.name.partition(".")[0] in THEIRS:
                    aliases.add(found.asname or found.name.partition(".")[0])
                    yield from (part for part in found.name.split(".") if is_private(part))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in THEIRS and not node.level:
            yield from (part for part in node.module.split(".") if is_private(part))
            yield from (found.name for found in node.names if is_private(found.name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and root(node) in aliases:
            yield node.attr


def root(node):
    """The name at the left end of a.b.c."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from sklearn.utils import _safe_indexing, resample", ["_safe_indexing"]),
        ("from sklearn.utils._tags import Tags", ["_tags"]),
        ("import scipy.sparse._sputils as s", ["_sputils"]),
        ("import numpy as np\nnp.linalg._umath_linalg.solve", ["_umath_linalg"]),
        ("import scipy.sparse\nscipy.sparse._csr", ["_csr"]),
        ("import numpy as np\nnp.linalg.solve; self._kept; np.__version__", []),
        ("from gramian.learn.base import _missing\nfrom __future__ import annotations", []),
    ],
)
def test_a_private_name_is_seen_however_it_is_reached(code, expected):
    assert list(private_names(ast.parse(code))) == expected


def test_no_module_but_one_uses_private_names_of_other_libraries():
    found = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        for name in private_names(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert not found, "take them from gramian.learn.sklearn_private, which says so when a version lacks one"


@pytest.mark.parametrize("name", sklearn_private.PRIVATE)
def test_every_private_function_is_there(name):
    assert callable(sklearn_private.look_up(name)), f"{name} is no function {HERE}"


@pytest.mark.parametrize("place", ["sklearn.utils", "sklearn.a_module_that_went"])
def test_a_name_that_went_is_named_with_the_version(place, monkeypatch):
    monkeypatch.setitem(sklearn_private.PRIVATE, "_gone", place)
    with pytest.raises(ImportError, match=f"scikit-learn {sklearn.__version__} has no {place}._gone.*newer gramian"):
        sklearn_private.look_up("_gone")


ROWS = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("make", [np.asarray, list, pandas.DataFrame, scipy.sparse.csr_array])
def test_rows_are_taken_and_counted_in_every_container(make):
    objects = make(ROWS)
    taken = sklearn_private.take_rows(objects, np.array([2, 0]))
    assert type(taken) is type(objects), f"_safe_indexing changed the container {HERE}"
    dense = taken.toarray() if scipy.sparse.issparse(taken) else np.asarray(taken)
    np.testing.assert_array_equal(dense, ROWS[[2, 0]], err_msg=f"_safe_indexing took other rows {HERE}")
    assert sklearn_private.count_objects(taken) == 2, f"_num_samples counts otherwise {HERE}"


def test_targets_are_checked_as_they_were():
    def check(y, **how):
        return sklearn_private.check_targets(y, **{"multi_output": False, "numeric": True, "estimator": None} | how)

    assert check([1, 2]).tolist() == [1, 2], f"_check_y changed its answer {HERE}"
    assert check(ROWS, multi_output=True).shape == (4, 3), f"_check_y takes no columns {HERE}"
    for bad in ([1.0, np.nan], ROWS):
        with pytest.raises(ValueError, match="NaN|1d array"):
            check(bad)


def test_weights_are_checked_as_they_were():
    assert sklearn_private.check_weights([0, 2, 1, 1], ROWS).dtype == np.float64, f"_check_sample_weight {HERE}"
    for bad in ([-1.0, 1, 1, 1], [1.0, 2.0]):
        with pytest.raises(ValueError, match="egative|shape"):
            sklearn_private.check_weights(bad, ROWS)
