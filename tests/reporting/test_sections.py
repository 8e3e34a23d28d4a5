"""The numbers of a report against what the library, scikit-learn and plain formulas say."""

import json

import numpy as np
import pytest
import scipy.sparse

import gramian as gm
from gramian.intake.errors import DataError
from gramian.intake.reading import from_objects, load_example
from gramian.kernels.graphs import diffusion
from gramian.learn.candidates import candidates
from gramian.reporting import blocks, contest, study
from gramian.reporting import candidates as choices
from gramian.reporting.build import build
from gramian.reporting.study import Study

rng = np.random.default_rng(0)


def section(report, name):
    return next(one for one in report.data["sections"] if one["id"] == name)


def every_block(report, kind):
    return [block for one in report.data["sections"] for block in one["blocks"] if block["type"] == kind]


@pytest.fixture(scope="module")
def iris():
    return build(load_example("iris"), gm.Gaussian(1.5))


@pytest.fixture(scope="module")
def cars():
    numbers = "standardize(gaussian(2)) on displacement, horsepower, weight, year"
    return build(load_example("cars"), f"{numbers} + normalize(bag_of_words + 1) on name")


@pytest.fixture(scope="module")
def many():
    """A report of so many objects that none of its parts is computed in the way of few."""
    X = np.random.default_rng(1).standard_normal((600, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "EXACT", 200)
        patch.setattr(study, "DIRECT", 300)
        patch.setattr(study, "DRAWN", 150)
        patch.setattr(study, "RANK", 100)
        patch.setattr(contest, "EXACT", 200)
        patch.setattr(contest, "RANKS", ((600, 100),))
        return build(from_objects(X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")), gm.Gaussian(1.0))


def test_sections_come_in_the_order_in_which_one_asks(iris):
    ids = [one["id"] for one in iris.data["sections"]]
    last = ["columns", "clusters", "novelty", "uncertainty", "kernel", "geometry", "spectrum"]
    assert ids == ["verdict", "also", "input", "prediction", "columns_that_matter", "map", *last]


def test_a_report_is_json_without_nan(iris):
    assert json.loads(iris.to_json()) == json.loads(json.dumps(iris.data))
    assert "NaN" not in iris.to_json()


def test_geometry_is_that_of_the_formulas(iris):
    X = load_example("iris").X
    K = gm.Gaussian(1.5)(X)
    n = len(K)
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    values = np.linalg.eigvalsh(centred)
    found = section(iris, "geometry")["numbers"]
    assert found["total_variance"] == pytest.approx(np.trace(centred) / n)
    assert found["effective_dimension"] == pytest.approx(values.sum() ** 2 / np.square(values).sum())
    assert found["center_norm"] == pytest.approx(np.sqrt(K.mean()))
    assert found["distances"]["largest"] == pytest.approx(np.sqrt(np.diag(centred).max()))
    assert found["smallest_eigenvalue"] == pytest.approx(np.linalg.eigvalsh(K)[0], abs=1e-12)
    assert found["is_psd"] is True


def test_the_map_holds_the_leading_coordinates(iris):
    X = load_example("iris").X
    T = gm.KernelPCA(2, gm.Gaussian(1.5)).fit_transform(X)
    np.testing.assert_allclose(section(iris, "map")["numbers"]["coordinates"], T, atol=1e-9)
    shares = section(iris, "spectrum")["numbers"]["shares"]
    assert sum(shares) == pytest.approx(1.0)


def test_the_promise_of_novelty_is_the_detectors(iris):
    found = section(iris, "novelty")["numbers"]
    detector = gm.NoveltyDetector(gm.Gaussian(1.5), calibration="conformal", alpha=0.05, random_state=0)
    detector.fit(load_example("iris").X)
    assert found["threshold"] == detector.threshold_
    assert found["false_alarm_bound"] == detector.false_alarm_bound_ <= 0.05


def test_predictions_are_made_without_the_object(iris):
    found = section(iris, "prediction")["numbers"]
    best = max(one["accuracy"] for one in found["scores"] if one["kernel"])
    assert 0.9 < best < 1.0
    names = [one["model"] for one in found["scores"]]
    assert names[:3] == ["Fisher discriminant", "kernel ridge regression on indicators", "nearest centre (Parzen)"]
    baselines = [one["model"] for one in found["scores"] if not one["kernel"]]
    assert baselines == [
        "logistic regression",
        "gradient-boosted trees",
        "random forest",
        "nearest neighbours",
        "always the most frequent class",
    ]


def test_random_labels_are_not_predicted_better_than_chance():
    X = rng.standard_normal((120, 4))
    found = build(from_objects(X, rng.choice(["a", "b"], 120)))
    scores = section(found, "prediction")["numbers"]["scores"]
    assert all(one["accuracy"] < 0.68 for one in scores)


def test_a_mixed_table_with_numbers_to_predict_beats_its_mean(cars):
    scores = {one["model"]: one["rmse"] for one in section(cars, "prediction")["numbers"]["scores"]}
    assert scores["kernel ridge regression"] < 0.5 * scores["always the mean"]
    truth = next(block for block in every_block(cars, "figure") if block["id"] == "truth")
    assert len(truth["data"]["x"]) == len(truth["data"]["hover"])


@pytest.mark.parametrize("name", ["iris", "football"])
def test_figures_read_themselves_and_name_formulas_that_are_there(name):
    found = build(load_example(name), "linear" if name == "iris" else None)
    known = {one["id"] for one in found.data["formulas"]}
    for block in every_block(found, "figure"):
        assert block["reading"].endswith(".")
        assert block["formula"] in known
    for block in every_block(found, "facts"):
        assert all(item["formula"] in known | {None} for item in block["items"])


def test_large_data_are_seen_through_landmarks_and_say_so(many):
    badges = [block["estimate"] for block in every_block(many, "figure")]
    assert any(badge and "landmarks leave out" in badge for badge in badges)
    assert any(badge and "drawn at random" in badge for badge in badges)
    assert any("seen through 100 landmarks" in block["text"] for block in every_block(many, "note"))
    assert len(section(many, "map")["numbers"]["coordinates"]) == 150
    scores = {one["model"]: one["accuracy"] for one in section(many, "prediction")["numbers"]["scores"]}
    assert scores["Fisher discriminant"] > 0.9 > 0.6 > scores["logistic regression"]


def test_estimates_are_as_near_as_they_say(many):
    S = gm.FeatureSpace(gm.Gaussian(1.0))(np.random.default_rng(1).standard_normal((600, 3)))
    numbers = section(many, "geometry")["numbers"]
    assert (numbers["looked_at"], numbers["looked_at_in_pairs"]) == (300, 200)
    K = S.center().gram().dense()
    exact = {
        "center_norm": S.mean().norm(),
        "total_variance": S.total_variance(),
        "effective_dimension": np.trace(K) ** 2 / np.square(K).sum(),
    }
    for name, value in exact.items():
        assert 0 < numbers["errors"][name] < 0.2 * value
        assert abs(numbers[name] - value) < 3 * numbers["errors"][name]
    words = [item["estimate"] for block in section(many, "geometry")["blocks"][:1] for item in block["items"]]
    assert all("objects, drawn at random" in one for one in words)
    assert "estimate, ± " in words[1]


def test_without_a_target_candidates_are_shown_as_they_see_the_objects():
    found = section(build(from_objects(np.random.default_rng(0).standard_normal((60, 3)))), "kernel")
    table = found["blocks"][1]
    assert [one["name"] for one in table["columns"]] == ["what makes objects alike", "directions", "in a flat map"]
    assert table["best"] == 0
    assert len(table["rows"]) == 8
    linear = next(one for one in found["numbers"]["candidates"] if one["kernel"] == "standardize(linear)")
    assert linear["effective_dimension"] == pytest.approx(3, abs=0.3)
    assert linear["loo_error"] is None


def test_nodes_without_a_label_are_predicted():
    football = load_example("football")
    y = football.y.astype(object)
    y[::3] = None
    known = from_objects(football.graph, None)
    data = type(football)(**{name: getattr(football, name) for name in football.__dataclass_fields__} | {"y": y})
    found = section(build(data), "prediction")
    table = found["blocks"][-1]
    assert len(table["rows"]) == sum(one is None for one in y)
    right = [row[1] == football.y[k] for row, k in zip(table["rows"], range(0, len(y), 3), strict=True)]
    assert np.mean(right) > 0.85
    assert len(known) == len(football)


def test_a_class_of_one_or_two_is_put_aside_and_named():
    X = np.random.default_rng(2).standard_normal((60, 2))
    y = np.where(X[:, 0] > 0, "right", "left").astype(object)
    y[:3] = ["rare", "scarce", "scarce"]
    found = section(build(from_objects(X, y), gm.Gaussian(1.0)), "prediction")
    remarks = [block["text"] for block in found["blocks"] if block["type"] == "note"]
    assert "Classes of fewer than 3 objects took no part: rare, scarce." in remarks
    assert {"left", "right"} == set(found["numbers"]["predicted"])


def test_noise_shows_no_separate_hills_along_the_fisher_direction():
    X = np.random.default_rng(3).standard_normal((240, 8))
    y = np.array(["a", "b", "c"])[np.arange(240) % 3]
    found = build(from_objects(X, y), "standardize(gaussian(0.6))")
    hills = next(block for block in every_block(found, "figure") if block["id"] == "projection")["data"]
    centres = (np.array(hills["edges"][1:]) + np.array(hills["edges"][:-1])) / 2
    means = [np.average(centres, weights=one["counts"]) for one in hills["series"]]
    spread = np.sqrt(np.average((centres - means[0]) ** 2, weights=hills["series"][0]["counts"]))
    assert np.ptp(means) < spread


def test_the_effective_dimension_of_many_objects_is_near_that_of_all(many):
    X = np.random.default_rng(1).standard_normal((600, 3))
    values = gm.KernelPCA(None, gm.Gaussian(1.0)).fit(X).eigenvalues_
    exact = values.sum() ** 2 / np.square(values).sum()
    assert section(many, "geometry")["numbers"]["effective_dimension"] == pytest.approx(exact, rel=0.1)


def test_sparse_data_are_reported_without_a_kernel():
    X = scipy.sparse.random_array((50, 20), density=0.2, rng=np.random.default_rng(0), format="csr")
    assert section(build(from_objects(X)), "input")["numbers"]["objects"] == 50


def test_the_alignment_is_computed_once_for_each_candidate_that_is_shown_and_in_no_fold(monkeypatch):
    asked, alignment = [], choices.alignment
    monkeypatch.setattr(
        choices, "alignment", lambda gram, *a, **k: (asked.append(len(gram)), alignment(gram, *a, **k))[1]
    )
    X, y = gm.load_iris().data[::2], gm.load_iris().target[::2]
    kernel = next(one for one in gm.report(X, y).data["sections"] if one["id"] == "kernel")
    assert set(asked) == {len(X)}
    assert len(asked) == len(kernel["numbers"]["candidates"]) > 1
    assert all(np.isfinite(one["alignment"]) for one in kernel["numbers"]["candidates"])


def test_without_a_target_nothing_is_predicted_and_the_usual_kernel_taken():
    found = build(from_objects(rng.standard_normal((50, 2))))
    assert "prediction" not in [one["id"] for one in found.data["sections"]]
    assert "no target" in section(found, "kernel")["numbers"]["reason"]


@pytest.mark.parametrize("n", [3, 5, 7])
def test_a_handful_of_objects_is_reported(n):
    X = rng.standard_normal((n, 2))
    found = build(from_objects(X, np.array(["a", "b"] * n)[:n]))
    assert section(found, "input")["numbers"]["objects"] == n


def test_two_objects_without_a_target_are_reported():
    found = build(from_objects(["ACGT", "AAGT"]))
    assert section(found, "spectrum")["numbers"]["shares"] == pytest.approx([1.0])


def test_objects_that_all_look_alike_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="all 12 objects are equal, and there is nothing to see"):
        build(from_objects(["abc"] * 12))


@pytest.mark.parametrize("name", ["iris", "promoters", "addresses", "football", "cars"])
def test_candidates_suit_the_data(name):
    data = load_example(name)
    found = candidates(data)
    assert len(found) >= 2
    under = Study.of(data, found[0])
    few = under.some(10)
    assert under.kernel(under.objects(few)).shape == (len(few), len(few))


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (3.14159, "3.14"), (1234567.0, "1,234,567"), (150.0, "150"), (1e-7, "1×10⁻⁷"), (-2.5, "−2.5")],
)
def test_numbers_are_written_as_people_do(value, words):
    assert blocks.number(value) == words


@pytest.mark.parametrize(
    ("value", "words"), [(0.5, "50 %"), (1.0, "100 %"), (1e-5, "< 0.05 %"), (0.99999, "> 99.99 %"), (-0.25, "−25 %")]
)
def test_shares_are_written_as_percentages(value, words):
    assert blocks.share(value).replace(blocks.GAP, " ") == words


def test_errors_of_numbers_are_pooled_over_all_objects():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    y[17] = 1000
    found = section(build(from_objects(X, y), gm.Gaussian(1.0)), "prediction")
    constant = next(row for row in found["blocks"][0]["rows"] if row[0] == "always the mean")
    assert -0.05 < constant[2] < 0
    scores = {one["model"]: one["rmse"] for one in found["numbers"]["scores"]}
    assert scores["always the mean"] == pytest.approx(y.std(), rel=0.02)


def test_landmarks_leave_out_a_share_of_the_variance_not_of_the_lengths():
    X = np.random.default_rng(2).standard_normal((300, 20))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"EXACT": 100, "RANK": 30}.items():
            patch.setattr(study, name, value)
        plain, far = (build(from_objects(X), kernel) for kernel in (gm.Gaussian(3.0), gm.Gaussian(3.0) + 100))
    shares = [section(one, "spectrum")["numbers"]["left_out"] for one in (plain, far)]
    assert shares[1] == pytest.approx(shares[0], rel=0.2)
    K = gm.Gaussian(3.0).gram(X).center().dense()
    held = np.cumsum(np.linalg.eigvalsh(K)[::-1]) / np.trace(K)
    numbers = section(plain, "spectrum")["numbers"]
    assert 1 - held[29] < numbers["left_out"] < 1
    assert all(mine <= best + 1e-9 for mine, best in zip(np.cumsum(numbers["shares"]), held, strict=False))
    items = section(plain, "spectrum")["blocks"][0]["items"]
    assert items[-1]["name"] == "seen at all"
    assert not any(item["value"] == "unknown" for item in items)


def test_labels_too_few_for_a_class_do_not_sink_the_predictions_of_nodes():
    edges = [(10 * c + i, 10 * c + j) for c in range(3) for i in range(10) for j in range(i)] + [(9, 10), (19, 20)]
    graph = gm.Graph.from_edges((u, v, 1.0) for u, v in edges)
    y = {node: "abc"[node // 10] for node in range(30) if node % 2} | {0: "odd"}
    found = section(build(from_objects(graph, y)), "prediction")
    said = dict(found["blocks"][-1]["rows"])
    assert said["2"] == "a"
    assert said["28"] == "c"


def test_the_most_unusual_objects_are_found_among_all():
    X = np.random.default_rng(4).standard_normal((700, 2))
    X[[2, 3, 5]] = 50
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"EXACT": 100, "RANK": 50, "DIRECT": 200}.items():
            patch.setattr(study, name, value)
        found = section(build(from_objects(X), gm.Gaussian(2.0)), "novelty")["numbers"]
    assert {one["row"] for one in found["most_unusual"][:3]} == {2, 3, 5}
    assert found["looked_at"] == 700


def test_the_shape_is_told_by_angles_not_by_dimension():
    rng = np.random.default_rng(5)
    wide = rng.standard_normal((60, 400)) / 20
    assert "right angles" in section(build(from_objects(np.eye(30)), "linear"), "geometry")["lead"]
    assert (
        "close together, seen from the origin" in section(build(from_objects(wide + 1), "linear"), "geometry")["lead"]
    )
    spread = section(build(load_example("promoters"), "normalize(spectrum(3) + 1)"), "geometry")["lead"]
    assert spread.startswith("In feature space the images spread over about")


def test_nothing_is_promised_of_new_nodes():
    found = section(build(load_example("football")), "novelty")
    assert found["numbers"]["false_alarm_bound"] is None
    assert [item["name"] for item in found["blocks"][1]["items"]] == ["threshold", "beyond it here"]
    assert "tomorrow" not in found["blocks"][2]["reading"]


@pytest.mark.parametrize(("rate", "words"), [(3 / 76, "4"), (0.04237, "4.3"), (0.05, "5"), (0.0471, "4.8"), (0.0, "0")])
def test_promises_are_rounded_up(rate, words):
    assert blocks.at_most(rate) == words


def test_the_scale_of_a_kernel_does_not_matter():
    iris = load_example("iris")
    found = [
        {one["model"]: one["accuracy"] for one in section(build(iris, kernel), "prediction")["numbers"]["scores"]}
        for kernel in ("gaussian(2)", "100000000*gaussian(2)")
    ]
    assert found[0] == pytest.approx(found[1], abs=0.01)


def test_missing_values_are_counted_as_they_came_and_shown_as_missing():
    rows = [{"a": float(k % 7), "b": "xy"[k % 2], "t": "uv"[k % 2]} for k in range(40)]
    rows[3]["a"] = rows[5]["t"] = None
    data = from_objects(rows, "t")
    assert {one.name: one.missing for one in data.columns} == {"a": 1, "b": 0, "t": 1}
    assert data.shown(3) == "a: missing; b: y"
    found = section(build(data, "gaussian on a"), "input")
    assert [row[4] for row in found["blocks"][1]["rows"]] == ["yes", "no", "no"]


def test_a_kernel_of_strings_is_refused_on_numbers():
    with pytest.raises(DataError, match="does not take these data, which are vectors: it compares strings"):
        build(from_objects(np.eye(5)), "spectrum(3)")
    with pytest.raises(DataError, match="no column 'nope'"):
        build(load_example("iris"), "gaussian on nope")


@pytest.mark.parametrize("written", [int, str])
def test_nodes_in_a_list_are_seen_as_the_graph_they_are_of(written):
    rng = np.random.default_rng(0)
    n, side = 40, np.arange(40) % 2
    pairs = [
        (i, j) for i in range(n) for j in range(i) if j == i - 1 or rng.random() < 0.4 - 0.38 * (side[i] != side[j])
    ]
    graph = gm.Graph(pairs)
    kernel, y = gm.ExponentialDiffusion(graph, beta=0.5).normalize(), [f"side {side[node]}" for node in graph.names()]
    found = [gm.report(X, y, kernel).data["sections"] for X in (graph, [written(node) for node in graph.names()])]
    assert [one["lead"] for one in found[0][:1]] == [one["lead"] for one in found[1][:1]]
    assert found[0][0]["numbers"]["signal"] == "clear"
    with pytest.raises(DataError, match="compares the nodes of a graph, and '99' is none of them"):
        gm.report([*graph.names()[1:], 99], y, kernel)


def test_a_graph_with_negative_weights_has_a_kernel():
    graph = gm.Graph.from_edges([(0, 1, 1.0), (1, 2, -1.0), (2, 3, 1.0), (3, 0, -1.0), (0, 4, 1.0), (4, 5, 2.0)])
    assert section(build(from_objects(graph)), "kernel")["numbers"]["kernel"].startswith("exponential_diffusion(beta=")


def test_an_enormous_polynomial_has_a_dimension():
    X = 1e6 * np.random.default_rng(0).standard_normal((50, 3))
    assert 1 <= section(build(from_objects(X), "polynomial(20)"), "geometry")["numbers"]["effective_dimension"] < 5


@pytest.mark.parametrize("n", [20, 60, 100])
def test_objects_that_are_like_none_are_reported(n):
    found = build(from_objects(np.random.default_rng(0).standard_normal((n, 2))), "gaussian(0.001)")
    assert "right angles" in section(found, "geometry")["lead"]


def test_sparse_data_with_a_target_are_predicted():
    X = scipy.sparse.random(60, 20, 0.3, format="csr", random_state=0)
    found = section(build(from_objects(X, ["a", "b"] * 30)), "prediction")
    assert {one["model"] for one in found["numbers"]["scores"]} >= {"Fisher discriminant", "logistic regression"}


def test_too_few_objects_are_said_to_be_too_few():
    found = build(from_objects(np.random.default_rng(0).standard_normal((5, 2))), "gaussian(1)")
    assert "too few" in section(found, "novelty")["lead"]
    assert "too few" in section(found, "clusters")["lead"]


@pytest.mark.parametrize(
    ("value", "least", "most"), [(0.15264, "15.2 %", "15.3 %"), (0.5, "50 %", "50 %"), (1.0, "100 %", "100 %")]
)
def test_bounds_are_rounded_to_their_side(value, least, most):
    told = [blocks.bounded(value, above=above).replace(blocks.GAP, " ") for above in (False, True)]
    assert told == [least, most]


def test_kernels_of_strings_meet_strings_only():
    rows = [{"a": float(k), "b": "xyz"[k % 3]} for k in range(12)]
    with pytest.raises(DataError, match="does not take these data, which are records"):
        build(from_objects(rows), "spectrum(2)")
    letters = gm.Spectrum(1).pullback(lambda X: ["ab"[int(x[0] > 0)] * 3 for x in X])
    assert build(from_objects(np.random.default_rng(0).standard_normal((12, 2))), letters).data["sections"]


def test_a_large_graph_is_looked_at_through_samples():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(4), 100)
    edges = {
        (min(i, j), max(i, j)) for i in range(400) for j in rng.choice(np.flatnonzero(group == group[i]), 5) if i != j
    }
    edges |= {(min(i, j), max(i, j)) for i, j in rng.integers(0, 400, (120, 2)).tolist() if i != j}
    graph = gm.Graph.from_edges((u, v, 1.0) for u, v in edges)
    labels = {node: "abcd"[group[node]] for node in graph.names() if node % 2}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "EXACT", 200)
        patch.setattr(diffusion, "SMALL", 200)
        patch.setattr(study, "DIRECT_WALKS", 80)
        patch.setattr(contest, "JUDGED_WALKS", 120)
        patch.setattr(study, "WALKED", 60)
        found = build(from_objects(graph, labels))
    assert section(found, "geometry")["numbers"]["looked_at"] == 80
    prediction = section(found, "prediction")
    assert len(prediction["numbers"]["rows"]) == 120
    assert max(one["accuracy"] for one in prediction["numbers"]["scores"]) > 0.9
    said = {one["name"]: one["predicted"] for one in prediction["numbers"]["unlabelled"]}
    assert len(said) == 200
    assert np.mean(["abcd"[group[int(name)]] == label for name, label in said.items()]) > 0.9
    remarks = " ".join(block["text"] for block in prediction["blocks"] if block["type"] == "note")
    assert "chosen once" in remarks
    assert "120 of 200 objects took part" in remarks
