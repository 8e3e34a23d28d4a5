"""The data that ships with the package is what it says."""

import re
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

import gramian as gm
from gramian.intake import datasets


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


@pytest.fixture(scope="module")
def promoters():
    return datasets.load_promoters()


@pytest.fixture(scope="module")
def addresses():
    return datasets.load_addresses()


@pytest.fixture(scope="module")
def football():
    return datasets.load_football()


@pytest.fixture(scope="module")
def cars():
    return datasets.load_cars()


def test_promoters_are_53_and_53_strings_of_57_letters(promoters):
    assert promoters.target_names == ("other", "promoter")
    np.testing.assert_array_equal(np.bincount(promoters.target), [53, 53])
    assert {len(sequence) for sequence in promoters.data} == {57}
    assert set("".join(promoters.data)) == set("acgt")
    assert len(set(promoters.data)) == len(set(promoters.details["name"].tolist())) == 106
    assert repr(promoters) == "Dataset(promoters: 106 strings, classes other, promoter)"


def test_the_others_are_cut_from_one_sequence_at_the_places_of_their_names(promoters):
    other = promoters.target == 0
    letters = {}
    for place, sequence in zip(promoters.details["name"][other], np.array(promoters.data)[other], strict=True):
        for offset, letter in enumerate(sequence):
            assert letters.setdefault(int(place) + offset, letter) == letter


def test_the_lac_promoter_is_a_promoter(promoters):
    lac = promoters.details["name"].tolist().index("LACP1")
    assert promoters.target_names[promoters.target[lac]] == "promoter"
    assert "ggctttacactttatgcttccggctcgtatgttgtgtgg" in promoters.data[lac]


def test_addresses_are_one_passage_a_year_but_for_1933_and_two_changes_of_president(addresses):
    years = Counter(addresses.details["year"].tolist())
    assert [year for year in range(1790, 2022) if year not in years] == [1933]
    assert [year for year, count in years.items() if count > 1] == [1953, 1961]
    assert all(3000 < len(text) <= 4000 for text in addresses.data)
    assert all(text[0].isupper() and text[-1] in ".?!" for text in addresses.data)
    assert len(set(addresses.data)) == len(addresses)


def test_addresses_have_the_period_of_their_year(addresses):
    spans = [tuple(map(int, name.split("-"))) for name in addresses.target_names]
    for year, period in zip(addresses.details["year"], addresses.target, strict=True):
        assert spans[period][0] <= year <= spans[period][1]
    np.testing.assert_array_equal(np.bincount(addresses.target), [71, 53, 31, 78])


def test_addresses_name_43_presidents(addresses):
    presidents = addresses.details["president"]
    assert len(set(presidents.tolist())) == 43
    assert set(addresses.details["year"][presidents == "Abraham Lincoln"]) == {1861, 1862, 1863, 1864}


def test_football_has_115_teams_613_edges_and_12_classes(football):
    assert repr(football) == "Dataset(football: 115 nodes, 12 classes)"
    assert football.graph.names() == football.data
    assert football.graph.matrix.nnz == 2 * 613
    assert len(football.target) == len(set(football.data)) == 115
    assert sorted(np.bincount(football.target).tolist()) == [6, 8, 8, 8, 9, 9, 9, 10, 11, 12, 12, 13]


def test_football_teams_play_mostly_within_their_conference_but_for_the_independents(football):
    A = football.graph.matrix.toarray()
    same = football.target[:, None] == football.target
    inside = (A * same).sum(axis=1) / A.sum(axis=1)
    independent = football.target == football.target_names.index("Independent")
    assert inside[~independent].min() > 0.4
    assert inside[independent].mean() < 0.3


def test_the_corrected_conferences_explain_more_games_than_the_published_ones(football):
    A = football.graph.matrix.toarray()
    published = football.details["published"]
    corrected = np.array(football.target_names)[football.target]
    assert np.count_nonzero(corrected != published) == 11
    assert A[corrected[:, None] == corrected].sum() > A[published[:, None] == published].sum()


def test_cars_are_392_records_of_numbers_an_origin_and_a_name(cars):
    assert repr(cars) == "Dataset(cars: 392 records, 8 features, target mpg)"
    assert len(cars.target) == len(cars) == 392
    for record in cars.data:
        assert tuple(record) == cars.feature_names
        assert record["origin"] in {"USA", "Europe", "Japan"}
        assert all(isinstance(record[name], float) for name in cars.feature_names[:-2])
    assert cars.target.mean() == pytest.approx(23.446, abs=1e-3)
    assert sum(record["origin"] == "Japan" for record in cars.data) == 79


@pytest.mark.parametrize("name", ["promoters", "addresses", "football", "cars"])
def test_every_object_has_a_target_its_details_and_a_source(name, request):
    found = request.getfixturevalue(name)
    assert len(found.data) == len(found.target)
    assert all(len(values) == len(found) for values in found.details.values())
    assert re.search("CC BY 4.0|public domain|no licence stated", found.source)


def test_every_file_of_data_is_described_and_small():
    folder = files("gramian").joinpath("data")
    readme = folder.joinpath("README.md").read_text(encoding="utf-8")
    for file in folder.iterdir():
        if file.is_file() and file.name != "README.md":
            assert f"`{file.name}`" in readme
            assert len(file.read_bytes()) < 400_000
