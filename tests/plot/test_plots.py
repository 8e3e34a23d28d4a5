"""Every plot draws what it says on the axes it is given, in awkward cases too."""

import matplotlib

matplotlib.use("agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt

import gramian as gm

rng = np.random.default_rng(0)
PLANE = rng.normal(size=(60, 2))
LABELS = np.where(PLANE[:, 0] * PLANE[:, 1] > 0, "a name that is far too long for any legend", "b")


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    figure.canvas.draw()  # what cannot be rendered fails here
    plt.close(figure)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_regions_show_every_class_in_a_colour_of_its_own(ax):
    y = np.arange(60) % 12
    drawn = gm.plot.decision_regions(gm.ParzenClassifier().fit(PLANE, y), PLANE, y, ax=ax)
    assert drawn is ax
    assert legend(ax) == [str(k) for k in range(12)]
    colours = {tuple(points.get_facecolor()[0]) for points in ax.collections if len(points.get_offsets()) == 5}
    assert len(colours) == 12


def test_long_names_are_cut_in_the_legend(ax):
    gm.plot.decision_regions(gm.ParzenClassifier().fit(PLANE, LABELS), PLANE, LABELS, ax=ax)
    assert max(map(len, legend(ax))) == 24


def test_a_data_frame_is_drawn_with_its_names_and_without_a_warning(ax):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(PLANE, columns=["width", "height"])
    gm.plot.decision_regions(gm.ParzenClassifier().fit(frame, LABELS), frame, LABELS, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")


@pytest.mark.parametrize("draw", [gm.plot.decision_regions, gm.plot.novelty_sphere], ids=["regions", "sphere"])
def test_what_is_not_in_the_plane_is_refused(draw):
    X = rng.normal(size=(20, 3))
    if draw is gm.plot.decision_regions:
        arguments = (gm.ParzenClassifier().fit(X, X[:, 0] > 0), X, X[:, 0] > 0)
    else:
        arguments = (gm.NoveltyDetector(calibration="conformal", alpha=0.2, random_state=0).fit(X), X)
    with pytest.raises(ValueError, match="two features, and X has shape"):
        draw(*arguments)


def test_fisher_projection_marks_the_means_and_the_cut_midway(ax):
    fisher = gm.FisherDiscriminant(ridge=0.1).fit(PLANE, LABELS)
    gm.plot.fisher_projection(fisher, PLANE, LABELS, ax=ax)
    lines = sorted(line.get_xdata()[0] for line in ax.lines)
    means = fisher.projected_means_[:, 0]
    np.testing.assert_allclose(lines, sorted([*means, means.mean()]))
    heights = sum(patch.get_height() for patch in ax.patches)
    assert heights == len(PLANE)


def test_fisher_projection_of_something_else_is_refused():
    with pytest.raises(TypeError, match="draws a FisherDiscriminant, and got ParzenClassifier"):
        gm.plot.fisher_projection(gm.ParzenClassifier().fit(PLANE, LABELS), PLANE, LABELS)


@pytest.mark.parametrize(
    ("y", "shown"),
    [
        (None, None),
        (LABELS, "legend"),
        (np.arange(60) % 10, "legend"),
        (np.array([f"word {k % 30}" for k in range(60)]), "legend"),
        (PLANE[:, 0], "scale"),
    ],
    ids=["plain", "classes", "ten classes", "thirty words", "numbers"],
)
def test_components_are_coloured_by_classes_or_by_numbers(ax, y, shown):
    pca = gm.KernelPCA(3).fit(PLANE)
    gm.plot.components(pca, PLANE, y, ax=ax)
    assert (ax.get_legend() is not None) == (shown == "legend")
    assert (len(ax.figure.axes) == 2) == (shown == "scale")
    first = np.concatenate([np.asarray(points.get_offsets()) for points in ax.collections])
    np.testing.assert_allclose(np.sort(first[:, 0]), np.sort(pca.transform(PLANE)[:, 0]))


def test_a_pair_of_components_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="two of the 2 components expected"):
        gm.plot.components(gm.KernelPCA(2).fit(PLANE), PLANE, pair=(0, 2))


@pytest.mark.parametrize(("count", "title"), [(1, "1 component holds"), (40, "40 components hold")])
def test_scree_has_a_bar_for_each_component_up_to_thirty(ax, count, title):
    pca = gm.KernelPCA(count).fit(PLANE)
    gm.plot.scree(pca, ax=ax)
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights, 100 * pca.explained_variance_ratio_[:30])
    assert ax.get_title().startswith(title)
    assert all(tick == int(tick) for tick in ax.get_xticks())


def test_the_promise_of_a_bound_counts_its_confidence():
    with pytest.warns(UserWarning, match="can never fire"):
        detector = gm.NoveltyDetector(delta=0.01, calibration="bound").fit(PLANE)
    ax = gm.plot.novelty_distances(detector, PLANE)
    assert ax.get_title() == "False alarms: at most 2.6 % on average"  # 1/61 + 0.01
    plt.close(ax.figure)


def test_a_detector_without_a_threshold_is_drawn_as_one_that_never_fires(ax):
    with pytest.warns(UserWarning, match="can never fire"):
        detector = gm.NoveltyDetector(calibration="conformal", alpha=0.001, random_state=0).fit(PLANE)
    gm.plot.novelty_sphere(detector, PLANE, ax=ax)
    assert ax.get_title() == "This detector can never fire"


def test_sorted_distances_are_those_of_the_detector(ax):
    detector = gm.NoveltyDetector(calibration="conformal", alpha=0.2, random_state=0).fit(PLANE)
    gm.plot.novelty_distances(detector, PLANE, ax=ax)
    drawn = np.concatenate([np.asarray(points.get_offsets()) for points in ax.collections])[:, 1]
    np.testing.assert_allclose(drawn, np.sort(-detector.score_samples(PLANE)))
    assert ax.lines[0].get_ydata()[0] == detector.threshold_


@pytest.mark.parametrize("ridge", ["loo", [0.5]], ids=str)
def test_a_ridge_path_shows_errors_degrees_of_freedom_and_the_choice(ax, ridge):
    model = gm.KernelRidge(ridge=ridge).fit(PLANE, np.sin(PLANE[:, 0]))
    gm.plot.ridge_path(model, ax=ax)
    loo, gcv, chosen = ax.lines
    np.testing.assert_allclose(loo.get_ydata(), model.path_.loo)
    np.testing.assert_allclose(gcv.get_ydata(), model.path_.gcv)
    assert chosen.get_xdata()[0] == model.ridge_
    np.testing.assert_allclose(ax.figure.axes[1].lines[0].get_ydata(), model.path_.dof)


def test_a_model_with_one_ridge_has_no_path():
    with pytest.raises(ValueError, match='fit it with ridge="loo"'):
        gm.plot.ridge_path(gm.KernelRidge(ridge=1.0).fit(PLANE, PLANE[:, 0]))


@pytest.mark.parametrize("n", [60, 1500])
def test_a_heat_map_is_ordered_by_group_and_has_at_most_600_rows(ax, n):
    X = rng.normal(size=(n, 2))
    groups = (X[:, 0] > 0).astype(int)
    gram = gm.Gaussian().gram(X)
    gm.plot.gram_heatmap(gram, groups, ax=ax)
    picture = ax.images[0].get_array()
    assert picture.shape == (min(n, 600),) * 2
    if n == 60:
        order = np.argsort(groups, kind="stable")
        np.testing.assert_allclose(picture, gram.dense()[np.ix_(order, order)])


def test_labels_of_another_length_are_refused():
    with pytest.raises(ValueError, match="one for each of 60 objects"):
        gm.plot.gram_heatmap(gm.Linear().gram(PLANE), [0, 1])


def test_labels_that_were_not_learnt_are_refused_instead_of_drawing_nothing():
    flowers = gm.load_iris()
    X, y = flowers.data[50:], flowers.target[50:]
    names = np.array(flowers.target_names)[y]
    with pytest.raises(ValueError, match="y holds 'versicolor', which is not one of the classes learnt: 1, 2"):
        gm.plot.fisher_projection(gm.FisherDiscriminant(ridge=0.1).fit(X, y), X, names)
    with pytest.raises(ValueError, match="not one of the classes learnt"):
        gm.plot.decision_regions(gm.ParzenClassifier().fit(X[:, :2], y), X[:, :2], names)


def test_legend_of_many_classes_stands_beside_the_picture():
    teams = gm.load_football()
    pca = gm.KernelPCA(2, gm.ExponentialDiffusion(teams.graph, beta=0.5, of="laplacian")).fit(teams.data)
    ax = gm.plot.components(pca, teams.data, np.array(teams.target_names)[teams.target])
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


# What explains


def test_importance_draws_a_bar_for_each_column_and_each_cluster(ax):
    X = np.column_stack([PLANE, PLANE[:, 0] * 2, rng.normal(size=60)])
    found = gm.importance(gm.KernelClassifier(ridge=1.0), X, LABELS, repeats=2)
    gm.plot.importance(found, ax=ax, top=3)
    shown = [*found.importances[:3], *(cluster.importance for cluster in found.clusters)]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], shown)
    assert [tick.get_text() for tick in ax.get_yticklabels()][-1] == "column 0 + column 2"


@pytest.mark.parametrize("targets", [PLANE[:, 0] ** 2, np.arange(60) % 3], ids=["numbers", "classes"])
def test_effects_draw_a_curve_for_each_output(ax, targets):
    learner = gm.KernelRidge(ridge=1.0) if targets.dtype.kind == "f" else gm.KernelClassifier(ridge=1.0)
    found = gm.effects(learner.fit(PLANE, targets), PLANE, 0)
    gm.plot.effects(found, ax=ax)
    curves = [line for line in ax.lines if line.get_marker() == "o"]
    assert len(curves) == found.effects.shape[1]
    np.testing.assert_allclose(curves[0].get_ydata(), found.effects[:, 0])
    assert (ax.get_legend() is not None) == (targets.dtype.kind != "f")


def test_effects_of_categories_are_points_with_whiskers(ax):
    records = [{"c": "abc"[k % 3], "v": float(v)} for k, v in enumerate(PLANE[:, 0])]
    model = gm.KernelRidge(gm.Equality().on("c") + gm.Linear().on("v"), ridge=1.0).fit(records, PLANE[:, 1])
    gm.plot.effects(gm.effects(model, records, "c"), ax=ax)
    assert sorted(tick.get_text() for tick in ax.get_xticklabels()) == ["a", "b", "c"]


def test_weights_are_drawn_from_what_speaks_for_to_what_speaks_against(ax):
    words = ["aab", "aa", "bcb", "bb"] * 3
    found = gm.KernelClassifier(gm.Spectrum(1), ridge=1.0).fit(words, ["yes", "yes", "no", "no"] * 3).feature_weights()
    gm.plot.feature_weights(found, ax=ax, top=2)
    widths = [bar.get_width() for bar in ax.patches]
    assert len(widths) == 2
    assert widths[0] > 0 > widths[1]
    assert ax.get_title() == "What speaks for yes (right) and for no (left)"


def test_a_profile_is_drawn_by_effect_even_where_nothing_stands_out(ax):
    profiles = gm.profiles(PLANE, np.where(PLANE[:, 0] > 0, "right", "left"))
    gm.plot.profile(profiles[1], ax=ax)
    assert ax.patches[0].get_width() == profiles[1].traits[0].effect > 0
    gm.plot.profile(gm.profiles(rng.normal(size=(20, 1)), [0, 1] * 10)[0])
    plt.close("all")


@pytest.mark.parametrize("name", ["importance", "effects", "feature_weights", "profile"])
def test_what_explains_something_else_is_refused(name):
    with pytest.raises(TypeError, match=f"{name} draws .* and got ndarray"):
        getattr(gm.plot, name)(PLANE)
