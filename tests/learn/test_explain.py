"""Why an object is unusual: what was planted is named first, and mending it brings the object back inside."""

import numpy as np
import pandas as pd
import pytest

import gramian as gm
from gramian.learn import unusual

DRAWS = 60


def cloud(rng, n=150, d=6):
    mix = rng.normal(size=(d, d)) / np.sqrt(d) + np.eye(d)
    return rng.normal(size=(n, d)) @ mix


def planted(kernel, corrupt, d=6, draws=DRAWS):
    """Return how often the corrupted column is named first, and the object brought back inside, among novel ones."""
    named = inside = novel = 0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        X, x = cloud(rng, d=d), None
        X, x = X[:-1], X[-1:].copy()
        column = int(rng.integers(d))
        corrupt(rng, X, x, column)
        detector = gm.NoveltyDetector(kernel, random_state=seed).fit(X)
        (found,) = detector.explain(x)
        if found.novel:
            novel += 1
            named += found.reasons[0].column == f"column {column}"
            inside += found.inside
    assert novel > draws / 2
    return named / novel, inside / novel


def far(size):
    def corrupt(rng, X, x, column):
        x[0, column] = X[:, column].mean() + rng.choice([-1, 1]) * size * X[:, column].std()

    return corrupt


KERNELS = {
    "gaussian": gm.Gaussian("median"),
    "standardized": gm.Gaussian("median").pullback(gm.Standardize()),
    "laplacian": gm.Laplacian("median"),
    "linear": gm.Linear(),
    "polynomial": gm.Polynomial(2, 1.0),
}


@pytest.mark.parametrize("size", [7, 30, 1e4])
@pytest.mark.parametrize("name", KERNELS)
def test_a_corrupted_column_is_named_first(name, size):
    named, inside = planted(KERNELS[name], far(size))
    assert named >= 0.95
    assert inside >= 0.9


def test_a_value_that_is_unusual_only_given_the_others_is_named():
    named = 0
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        a, others = rng.normal(size=200), rng.normal(size=(200, 2))
        X = np.column_stack([a, a + 0.05 * rng.normal(size=200), a + 0.05 * rng.normal(size=200), others])
        x = np.array([[1.5, -1.5, 1.5, 0.0, 0.0]])  # −1.5 is an everyday value, but not beside 1.5 and 1.5
        detector = gm.NoveltyDetector(gm.Gaussian(1.0), random_state=seed).fit(X)
        reason = detector.explain(x)[0].reasons[0]
        named += reason.column == "column 1" and reason.usual[0] > -1 and reason.instead > 0.5
    assert named / DRAWS >= 0.95


def test_three_corrupted_columns_are_all_named_though_the_kernel_is_flat_there():
    found = 0
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        X = cloud(rng)
        x, columns = X[-1:].copy(), rng.permutation(6)[:3]
        x[0, columns] = 1000.0
        explanation = gm.NoveltyDetector(random_state=seed).fit(X[:-1]).explain(x)[0]
        found += {reason.column for reason in explanation.reasons} == {f"column {j}" for j in columns}
        assert explanation.novel
    assert found / DRAWS >= 0.95


def test_the_falls_are_the_distances_that_are_left():
    rng = np.random.default_rng(0)
    X = cloud(rng)
    x = X[-1:].copy()
    x[0, [1, 3]] = 8, -9
    detector = gm.NoveltyDetector(random_state=0).fit(X[:-1])
    (found,) = detector.explain(x)
    distance = -detector.score_samples(x)[0]
    assert found.distance == pytest.approx(distance, rel=1e-12)
    for reason in found.reasons:
        x[0, int(reason.column.removeprefix("column "))] = reason.instead
        assert -detector.score_samples(x)[0] == pytest.approx(distance - reason.fall, rel=1e-9)
        distance -= reason.fall
    assert found.mended == pytest.approx(distance, rel=1e-12)
    assert found.inside == (found.mended <= detector.threshold_)


def mixed(rng, n=120):
    color = rng.choice(["red", "blue"], n)
    size = np.where(color == "red", 10.0, 20.0) + rng.normal(size=n)
    notes = [f"{c} thing number {k}" for c, k in zip(color, rng.integers(0, 9, n), strict=True)]
    return [
        {"color": c, "size": float(s), "weight": float(w), "note": t}
        for c, s, w, t in zip(color, size, rng.normal(size=n), notes, strict=True)
    ]


MIXED = (
    gm.Equality().on("color")
    + gm.Gaussian(2.0).on("size")
    + gm.Gaussian(2.0).on("weight")
    + gm.Spectrum(2).normalize().on("note")
)
WRONG = {"size": 500.0, "weight": -40.0, "color": "mauve", "note": "zzzzqqqq"}


@pytest.mark.parametrize("column", WRONG)
def test_of_records_a_number_a_category_or_a_text_is_named(column):
    named = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        records = mixed(rng)
        wrong = {**records[-1], column: WRONG[column]}
        detector = gm.NoveltyDetector(MIXED, alpha=0.1, random_state=seed).fit(records[:-1])
        (found,) = detector.explain([wrong], sample=records[:-1])
        named += found.reasons[0].column == column
        assert found.reasons
    assert named >= 19


def test_a_name_of_its_own_as_every_object_has_one_makes_none_unusual():
    columns = [f"x{j}" for j in range(8)]
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 8))
        X[0, 2] = 3.0
        names = ["".join(rng.choice(list("abcdefgh"), 6)) for _ in X]
        rows = [{"name": name, **dict(zip(columns, x, strict=True))} for name, x in zip(names, X.tolist(), strict=True)]
        kernel = gm.Spectrum(2).normalize().on("name") + gm.Gaussian(5.0).on(*columns)
        (found,) = gm.NoveltyDetector(kernel, alpha=0.1, random_state=0).fit(rows).explain(rows[:1], 3, rows)
        assert found.reasons[0].column == "x2"
        assert "name" not in [reason.column for reason in found.reasons]


def test_a_category_that_is_unusual_beside_the_other_columns_is_named_with_the_usual_one():
    records = mixed(np.random.default_rng(0))
    k = gm.Equality().on("color") * gm.Gaussian(2.0).on("size")
    detector = gm.NoveltyDetector(k, random_state=0).fit(records)
    (found,) = detector.explain([{**records[0], "color": "mauve", "size": 10.0}], sample=records)
    assert (found.reasons[0].column, found.reasons[0].instead) == ("color", "red")
    assert "red" in found.reasons[0].usual


def test_a_data_frame_is_explained_by_its_names_and_without_a_warning(recwarn):
    X = cloud(np.random.default_rng(0), d=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    detector = gm.NoveltyDetector(random_state=0).fit(frame)
    odd = frame[:1].assign(b=50.0)
    (found,) = detector.explain(odd)
    assert [reason.column for reason in found.reasons] == ["b"]
    assert not [w for w in recwarn if "feature names" in str(w.message)]


def test_of_documents_the_terms_of_the_squared_distance_are_named():
    texts = ["the cat sat", "the cat ran", "the dog ran", "a dog sat"] * 10
    detector = gm.NoveltyDetector(gm.BagOfWords("tf"), alpha=0.1, random_state=0).fit(texts)
    (found,) = detector.explain(["the zebra zebra zebra ran"], top=50)
    first = found.reasons[0]
    # "zebra" is not a word the kernel knows; what it knows of the text is "the" and "ran"
    assert first.column in {"cat", "dog", "sat", "ran", "the"}
    k = gm.Spectrum(1)
    train = ["abab", "abba", "aabb"] * 10
    detector = gm.NoveltyDetector(k, alpha=0.1, random_state=0).fit(train)
    (found,) = detector.explain(["abbzzz"], top=50)
    assert (found.reasons[0].column, found.reasons[0].value, found.reasons[0].usual) == ("z", 3.0, (0.0, 0.0))
    # counts (1, 2, 3) against the centre (2, 2, 0)
    assert found.distance**2 == pytest.approx(1 + 0 + 9)
    np.testing.assert_allclose(found.reasons[0].fall, np.sqrt(10) - 1)


@pytest.mark.parametrize(
    "kernel",
    [
        gm.Spectrum(2),
        gm.Spectrum(2).normalize(),
        gm.Mismatch(2, 1, "ACGTN"),
        gm.FullSpectrum(max_length=3),
        gm.Spectrum(1) + gm.Spectrum(2),
    ],
    ids=repr,
)
@pytest.mark.parametrize("rank", [None, 5])
def test_all_terms_together_are_the_whole_distance(kernel, rank):
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("ACGT"), 12)) for _ in range(40)]
    detector = gm.NoveltyDetector(kernel, random_state=0, rank=rank).fit(X)
    new = ["ACGTNNACGTNN", "AAAAAAAAAAAA"]
    for found, score in zip(detector.explain(new, top=10_000), detector.score_samples(new), strict=True):
        assert found.distance == pytest.approx(-score)
        small = unusual.LARGE * found.distance
        assert all(reason.fall > small for reason in found.reasons)
        assert found.mended < 0.7 * found.distance
    assert {r.column for r in detector.explain(new)[0].reasons} & {"N", "NN", "TN", "NA", "TNN", "GTN", "NNA"}


def test_corrupted_letters_are_named_first_in_sequences():
    named = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = ["".join(rng.choice(list("ACGT"), 30)) for _ in range(60)]
        x = X[-1][:10] + "W" * 10 + X[-1][20:]
        found = gm.NoveltyDetector(gm.Spectrum(3).normalize(), random_state=seed).fit(X[:-1]).explain([x])[0]
        named += found.reasons[0].column == "WWW"
    assert named >= 38


def test_nodes_are_told_what_they_are_most_like():
    edges = [(i, j) for i in range(6) for j in range(i)] + [(5, 6), (6, 7)]
    k = gm.ExponentialDiffusion(gm.Graph(edges), beta=0.5)
    detector = gm.NoveltyDetector(k.normalize(), alpha=0.3, random_state=0).fit([0, 1, 2, 3, 4, 5])
    (found,) = detector.explain([7], sample=[0, 1, 2, 3, 4, 5])
    assert found.reasons[0].column == "most like 5,"
    assert found.reasons[0].value < found.reasons[0].usual[0]
    with pytest.raises(TypeError, match=r"pass typical objects, detector.explain\(X, sample=X_train\)"):
        detector.explain([7])


def test_records_need_a_sample():
    records = mixed(np.random.default_rng(0))
    detector = gm.NoveltyDetector(MIXED * gm.Equality().on("color"), random_state=0).fit(records)
    with pytest.raises(TypeError, match=r"keeps no columns .* detector.explain\(X, sample=X_train\)"):
        detector.explain(records[:1])
    with pytest.raises(ValueError, match="X has the columns"):
        detector.explain(records[:1], sample=[{"other": 1.0}])


def test_a_detector_from_a_file_explains_as_the_one_that_was_saved(tmp_path):
    X = cloud(np.random.default_rng(0))
    detector = gm.NoveltyDetector(random_state=0).fit(X)
    gm.save(detector, tmp_path / "model")
    assert gm.load(tmp_path / "model").explain(X[:3] * 5) == detector.explain(X[:3] * 5)


def test_typical_objects_have_few_reasons_and_top_bounds_them():
    X = cloud(np.random.default_rng(0))
    detector = gm.NoveltyDetector(random_state=0).fit(X)
    for found in detector.explain(X[:10], top=2):
        assert len(found.reasons) <= 2
        assert found.mended <= found.distance
    assert len(detector.explain(X[:1] + 100.0, top=1)[0].reasons) == 1


def test_the_usual_range_does_not_come_from_the_value_itself_among_objects_equally_alike():
    rng = np.random.default_rng(0)
    n = rng.integers(0, 4, 400).astype(float)
    records = [{"a": float(a), "n": k} for a, k in zip(rng.normal(size=400), n, strict=True)]
    kernel = gm.Gaussian(1.0).on("a") + gm.Linear().on("n")
    detector = gm.NoveltyDetector(kernel, random_state=0).fit(records)
    (found,) = detector.explain([{"a": 40.0, "n": 4.0}], sample=records)
    usual = {reason.column: reason.usual for reason in found.reasons}
    assert usual["n"] == (0.0, 3.0)


@pytest.mark.parametrize("seed", range(10))
def test_an_object_of_the_sample_is_not_asked_what_is_usual(seed):
    X = np.random.default_rng(seed).lognormal(size=(25, 3))
    X[7] *= 40.0
    alike = unusual._Likeness(unusual.fields_of(X, None)).to(dict(enumerate(X[7].tolist())))
    assert {len(rows) for rows in alike.values()} == {20}
    assert 7 not in np.concatenate(list(alike.values()))


# Planted reasons

STANDARD = gm.Gaussian("median").pullback(gm.Standardize())
CROWDS = {
    "independent": lambda rng, d: rng.standard_normal((200, d)),
    "two factors": lambda rng, d: (
        rng.standard_normal((200, 2)) @ rng.standard_normal((2, d)) + 0.4 * rng.standard_normal((200, d))
    ),
    "groups": lambda rng, d: rng.standard_normal((200, d)) + 4 * rng.standard_normal((3, d))[np.arange(200) % 3],
    "skewed": lambda rng, d: rng.lognormal(0, 0.6, (200, d)),
}


def far_off(crowd, d, seed, many):
    """The reasons of an object that is far off in so many columns, and these columns; None where it is not novel."""
    rng = np.random.default_rng(seed)
    X, columns = CROWDS[crowd](rng, d), rng.choice(d, many, replace=False)
    X[0, columns] += 6 * X[:, columns].std(axis=0)
    detector = gm.NoveltyDetector(STANDARD, calibration="conformal", alpha=0.05, random_state=0).fit(X)
    (found,) = detector.explain(X[:1], 3, X)
    return ([one.column for one in found.reasons], [f"column {j}" for j in columns]) if found.novel else None


@pytest.mark.parametrize("d", [3, 8])
@pytest.mark.parametrize("crowd", CROWDS)
def test_the_column_that_was_planted_is_named_first(crowd, d):
    seen = [one for seed in range(40) if (one := far_off(crowd, d, seed, 1)) is not None]
    assert len(seen) >= 15
    assert np.mean([names[:1] == truth for names, truth in seen]) >= 0.9


@pytest.mark.parametrize("size", [6, 9])
@pytest.mark.parametrize("crowd", CROWDS)
def test_of_twenty_columns_the_one_that_brought_an_object_outside_is_named_first(crowd, size):
    named = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, j = CROWDS[crowd](rng, 20), int(rng.integers(20))
        before = X[:1].copy()
        X[0, j] += size * X[:, j].std()
        detector = gm.NoveltyDetector(STANDARD, calibration="conformal", alpha=0.05, random_state=0).fit(X)
        (found,) = detector.explain(X[:1], 3, X)
        far = np.abs(X[0] - X[1:].mean(axis=0)) / X[1:].std(axis=0)
        outermost = far[j] > 1.25 * np.delete(far, j).max()  # in a heavy tail another value may be as far
        if found.novel and outermost and -detector.score_samples(before)[0] <= detector.threshold_:
            named.append(found.reasons[0].column == f"column {j}")
    assert named
    assert sum(named) >= 0.95 * len(named) - 1


@pytest.mark.parametrize("crowd", ["independent", "two factors", "groups"])
def test_of_two_columns_that_were_planted_both_are_named(crowd):
    seen = [one for seed in range(40) if (one := far_off(crowd, 6, seed, 2)) is not None]
    assert len(seen) >= 30
    assert np.mean([set(truth) <= set(names) for names, truth in seen]) >= 0.7
    assert np.mean([names[0] in truth for names, truth in seen]) >= 0.9


def test_an_object_that_is_inside_with_one_column_mended_has_no_reasons_that_are_usual():
    for seed in range(20):
        seen = far_off("independent", 6, seed, 1)
        assert seen is not None
        assert len(seen[0]) <= 2
