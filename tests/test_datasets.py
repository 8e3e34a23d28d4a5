"""The data that ships with the package is what it says."""

import numpy as np
import pytest

import gramian as gm


@pytest.fixture(scope="module")
def iris():
    return gm.load_iris()


def test_iris_has_150_flowers_of_four_measurements(iris):
    assert iris.data.shape == (150, 4)
    assert iris.data.dtype == np.float64
    assert iris.target.shape == (150,)
    assert len(iris.feature_names) == 4
    assert repr(iris) == "Dataset(iris: 150 objects, 4 features, classes setosa, versicolor, virginica)"


def test_iris_has_fifty_flowers_of_each_species(iris):
    assert iris.target_names == ("setosa", "versicolor", "virginica")
    np.testing.assert_array_equal(np.bincount(iris.target), [50, 50, 50])


def test_iris_is_the_copy_of_scikit_learn():
    theirs = pytest.importorskip("sklearn.datasets").load_iris()
    ours = gm.load_iris()
    np.testing.assert_allclose(ours.data.mean(axis=0), theirs.data.mean(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(ours.data, theirs.data)
    np.testing.assert_array_equal(ours.target, theirs.target)
    assert list(ours.target_names) == theirs.target_names.tolist()


def test_each_call_gives_data_of_its_own(iris):
    other = gm.load_iris()
    other.data[:] = 0
    assert gm.load_iris().data.min() > 0
    assert iris.data.min() > 0


def test_the_five_points_of_seed_003_are_flowers_of_iris(iris):
    lengths = {tuple(row) for row in iris.data[:, :2].tolist()}
    assert {(5.9, 3.0), (6.9, 3.1), (6.6, 2.9), (4.6, 3.2), (6.0, 2.2)} <= lengths


def test_the_source_and_its_licence_are_named(iris):
    assert "Fisher" in iris.source
    assert "CC BY 4.0" in iris.source
