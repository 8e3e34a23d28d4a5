"""A forged file with a right checksum is refused, or answers: it never hangs, and raises nothing that is not clear."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramian as gm
from gramian.cli.main import main
from gramian.kernels.graphs import diffusion
from gramian.kernels.value import MOST_LEVELS, MOST_PARTS
from gramian.models import ModelFileError, load, save

from . import forging

SHORT = range(150)


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> forging.Forge:
    return forging.Forge(tmp_path_factory.mktemp("forge"), per_learner=3)


def test_sound_files_are_found_sound(forge: forging.Forge) -> None:
    assert len(forge.sound) > 40
    for name, kind, tree, arrays in forge.sound:
        forge.path.write_bytes(forging.put_together(tree, arrays))
        load(forge.path)
        assert forging.tried(forge.path, kind) is None, name


def test_forged_files_are_refused_or_answer(forge: forging.Forge) -> None:
    assert [fault for seed in SHORT if (fault := forge.trial(seed)) is not None] == []


def test_many_forged_files_get_as_far_as_answering(forge: forging.Forge) -> None:
    """The forger is a good one: what it makes is not just refused at the door."""
    loaded = 0
    for seed in range(200):
        forge.path.write_bytes(forge.forged(forging.random.Random(seed))[2])
        try:
            load(forge.path)
            loaded += 1
        except ModelFileError:
            pass
    assert loaded > 20


def test_a_command_given_a_forged_model_says_so_in_a_sentence(tmp_path: Path) -> None:
    forge = forging.Forge.of_commands(tmp_path)
    assert len(forge.sound) == 4
    assert [fault for seed in range(25) if (fault := forge.command_trial(seed)) is not None] == []


def test_a_detector_that_tells_no_p_values_is_refused_by_the_command(tmp_path: Path, capsys: Any) -> None:
    data, path = tmp_path / "d.csv", tmp_path / "m.gramian"
    data.write_text("a,b\n" + "".join(f"{k}.5,{k * k % 7}\n" for k in range(30)))
    assert main(["fit", str(data), "-o", str(path), "-q"]) == 0
    changed_attributes(path, load(path), "NoveltyDetector", lambda held, *_: held.update(calibration="bound"))
    assert main(["novelty", str(path), str(data), "-q"]) == 5
    assert "tells no p-values" in capsys.readouterr().err


# Small files that would take for ever


def file_of(path: Path, root: Any, parts: list[Any]) -> Path:
    path.write_bytes(forging.put_together({"root": root, "parts": parts, "arrays": []}, []))
    return path


def doubled(times: int) -> list[Any]:
    sums = [{"class": "Sum", "set": {"left": {"ref": k}, "right": {"ref": k}}} for k in range(times)]
    return [{"class": "Gaussian", "set": {"bandwidth": 1.0}}, *sums]


def refused(path: Path, reason: str) -> None:
    begun = time.process_time()
    with pytest.raises(ModelFileError, match=reason):
        load(path)
    assert time.process_time() - begun < 5


def test_a_kernel_doubled_many_times_is_refused(tmp_path: Path) -> None:
    for times in (14, 40, 150):
        refused(file_of(tmp_path / "m", {"ref": times}, doubled(times)), "levels deep and has")
    refused(file_of(tmp_path / "m", {"dict": [[{"ref": 40}, 1]]}, doubled(40)), "levels deep and has")


def test_only_texts_and_numbers_are_keys(tmp_path: Path) -> None:
    refused(file_of(tmp_path / "m", {"dict": [[{"ref": 3}, 1]]}, doubled(3)), "a key of a dict is a Sum")
    refused(file_of(tmp_path / "m", {"dict": [[{"tuple": [{"ref": 3}]}, 1]]}, doubled(3)), "a key of a dict is a tuple")
    with pytest.raises(TypeError, match="model has a key that is a Gaussian; texts, numbers and tuples"):
        save({gm.Gaussian(): 1}, tmp_path / "n")
    kept = {"a": 1, 2: "b", (1, "x", None): 3, 2.5: 4, b"k": 5, np.float64(7.5): 6, True: 7}
    save(kept, tmp_path / "n")
    assert load(tmp_path / "n") == kept


COLLIDING = [k * (2**61 - 1) for k in range(60_000)]  # all have the hash 0


@pytest.mark.parametrize(
    "root",
    [
        {"dict": [[k, 1] for k in COLLIDING]},
        {"tuple": COLLIDING},
        {"tuple": [{"tuple": ["x", k]} for k in COLLIDING]},
        {
            "tuple": [{"scalar": ["<u8", (k * (2**61 - 1) % 2**64).to_bytes(8, "little").hex()]} for k in range(8)]
            * 9000
        },
    ],
    ids=["keys", "names", "tuples", "few"],
)
def test_numbers_made_to_collide_are_refused_at_once(root: Any, tmp_path: Path) -> None:
    path = file_of(tmp_path / "m", root, [])
    if len(json.dumps(root)) < 6e5 or "scalar" in str(root)[:40]:  # eight numbers alike, however often, are no attack
        load(path)
        return
    refused(path, "made to collide")


def test_a_head_that_says_something_twice_is_refused(tmp_path: Path) -> None:
    sound = forging.put_together({"root": 1, "parts": [], "arrays": []}, [])
    head = b'{"root":1,"root":2,"parts":[],"arrays":[]}'
    path = tmp_path / "m"
    path.write_bytes(sound)
    assert load(path) == 1
    before = forging.struct.pack(
        "<12sI16sQQ", forging.container.MAGIC, 1, b"0.1.0", forging.ENVELOPE.size + len(head), len(head)
    )
    path.write_bytes(before + forging.sha256(before + head).digest() + head)
    refused(path, "its head says something twice")


def test_encodings_doubled_many_times_are_refused(tmp_path: Path) -> None:
    model = gm.KernelRidge(gm.Gaussian() + gm.Gaussian()).fit([[0.0], [1.0], [3.0]], [0.0, 1.0, 2.0])
    save(model, tmp_path / "m")
    tree, arrays = forging.taken_apart((tmp_path / "m").read_bytes())
    places = [k for k, part in enumerate(tree["parts"]) if part.get("class") == "Encoded"]
    inner = places[0]
    for place, part in enumerate(tree["parts"]):
        if part.get("class") == "Encoded" and place != inner:
            part["set"]["parts"] = {"tuple": [{"ref": inner}] * 2}
    extra = len(tree["parts"])
    tree["parts"] += [
        {"class": "Encoded", "set": {"parts": {"tuple": [{"ref": inner if k == 0 else extra + k - 1}] * 2}}}
        for k in range(50)
    ]
    root = {"class": "Vectors", "set": {"space": None, "points": {"ref": extra + 49}, "weights": None, "single": False}}
    spaces = [k for k, part in enumerate(tree["parts"]) if part.get("class") == "FeatureSpace"]
    root["set"] |= {"space": {"ref": spaces[0]}, "_mean_of": None}  # type: ignore[operator]
    tree["parts"].append(root)
    tree["root"] = {"ref": len(tree["parts"]) - 1}
    (tmp_path / "m").write_bytes(forging.put_together(tree, arrays))
    refused(tmp_path / "m", "does not hold a model")


def test_an_empty_array_with_an_enormous_side_is_refused(tmp_path: Path) -> None:
    head = {"root": {"array": 0}, "parts": [], "arrays": [{"type": "<f8", "shape": [0, 2**47]}]}
    (tmp_path / "m").write_bytes(forging.put_together(head, [b""]))
    refused(tmp_path / "m", "a longer side than there are bytes")


def test_a_hostile_model_on_the_command_line_is_exit_code_5_and_one_sentence(tmp_path: Path, capsys: Any) -> None:
    data = tmp_path / "d.csv"
    data.write_text("a,b\n1,2\n3,4\n")
    path = file_of(tmp_path / "m", {"ref": 40}, doubled(40))
    for command in ("predict", "novelty"):
        assert main([command, str(path), str(data)]) == 5
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "cannot be loaded" in said


def changed_attributes(path: Path, model: Any, name: str, change: Any) -> Path:
    """Write a model with the attributes of one class changed."""
    save(model, path, overwrite=True)
    tree, arrays = forging.taken_apart(path.read_bytes())
    for part in tree["parts"]:
        if part.get("class") == name:
            change(part["set"], tree, arrays)
    path.write_bytes(forging.put_together(tree, arrays))
    return path


def test_a_triangle_that_is_none_of_its_landmarks_is_refused(tmp_path: Path) -> None:
    X = forging.objects("vectors")
    model = gm.FisherDiscriminant(gm.Nystrom(gm.Gaussian(1.5), rank=4), ridge=0).fit(X, np.arange(len(X)) % 2)

    def scaled(factor: float) -> Any:
        def change(held: Any, tree: Any, arrays: list[bytes]) -> None:
            if "basis" in held:
                place = held["basis"]["tuple"][1]["array"]
                arrays[place] = (np.frombuffer(arrays[place]) * factor).tobytes()

        return change

    load(changed_attributes(tmp_path / "m", model, "Nystrom", scaled(1.0)))
    refused(changed_attributes(tmp_path / "m", model, "Nystrom", scaled(1e-100)), "a triangle is that of other")
    refused(changed_attributes(tmp_path / "m", model, "Nystrom", scaled(0.0)), "is singular")


def test_a_classifier_that_has_forgotten_its_classes_is_refused(tmp_path: Path) -> None:
    model = gm.ParzenClassifier(gm.Linear()).fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    model.p_values([[2.0]])
    path = changed_attributes(tmp_path / "m", model, "ParzenClassifier", lambda held, *_: held.pop("_numbers"))
    refused(path, "of classes are not known")


def test_counts_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    model = gm.KernelRidge(gm.Subsequences(2, 0.5), ridge=1.0).fit(["ab", "ba", "abb"], [0.0, 1.0, 2.0])

    def change(held: Any, tree: Any, arrays: list[bytes]) -> None:
        place = held["counts"]["array"]
        arrays[place] = np.full(len(arrays[place]) // 8, np.nan).tobytes()

    refused(changed_attributes(tmp_path / "m", model, "Bags", change), "counts are not finite")


@pytest.mark.parametrize("width", [3, 10**6, 2**40, 2**63])
def test_more_columns_than_the_sample_has_are_refused(width: int, tmp_path: Path) -> None:
    """Each of them would get a name: a file of some kilobytes took all memory that there is."""
    X, y = forging.objects("vectors"), np.arange(12) % 2
    for model in (gm.FisherDiscriminant(gm.Linear(), rank=4), gm.KernelRidge(gm.Gaussian(1.5) + gm.Polynomial(2))):
        path = changed_attributes(
            tmp_path / "m", model.fit(X, y), type(model).__name__, lambda held, *_: held.update(n_features_in_=width)
        )
        refused(path, "the sample has another number of columns than is said")
    words = gm.KernelRidge(gm.Spectrum(2)).fit(forging.objects("words"), y)
    path = changed_attributes(tmp_path / "m", words, "KernelRidge", lambda held, *_: held.update(n_features_in_=width))
    refused(path, "the sample has another number of columns than is said")


@pytest.mark.parametrize(
    ("which", "name", "attribute", "reason"),
    [
        ("ridge", "KernelRidge", "_of_moments", "the moments are not known"),
        ("novelty", "NoveltyDetector", "_mean", "the mean of the features is not known"),
    ],
)
def test_what_low_rank_is_asked_with_is_not_forgotten(
    which: str, name: str, attribute: str, reason: str, tmp_path: Path
) -> None:
    learners = {
        "ridge": gm.KernelRidge(gm.Gaussian(1.5), rank=4),
        "novelty": gm.NoveltyDetector(gm.Gaussian(1.5), calibration="bound", rank=4),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # too few objects for any alarm
        model = learners[which].fit(forging.objects("vectors"), np.arange(12.0))
    refused(changed_attributes(tmp_path / "m", model, name, lambda held, *_: held.pop(attribute)), reason)
    refused(changed_attributes(tmp_path / "m", model, "Summary", lambda held, *_: held.update(count=0)), "no objects")


def test_the_limits_of_kernels_are_those_of_files(tmp_path: Path) -> None:
    kernel: gm.Kernel = gm.Linear()
    for _ in range(MOST_LEVELS - 1):
        kernel = kernel + 1
    save(kernel, tmp_path / "m")
    assert load(tmp_path / "m") == kernel
    assert MOST_PARTS > MOST_LEVELS


def of_nodes() -> Any:
    """Return a classifier of the nodes of a graph, that has asked its kernel for the norms of nodes."""
    kernel, y = forging.kernels()["nodes"][1], np.arange(forging.N) % 2
    model = gm.KernelClassifier(kernel).fit(forging.objects("nodes"), y)
    model.kernel_.rough_norms(model.sample_.points)
    return model


def other_number(name: str, place: int, number: float) -> Any:
    def change(held: Any, tree: Any, arrays: list[bytes]) -> None:
        if name in held:
            numbers = np.frombuffer(arrays[held[name]["array"]]).copy()
            numbers[place] = number
            arrays[held[name]["array"]] = numbers.tobytes()

    return change


@pytest.mark.parametrize("name", ["_K", "_rough"])
@pytest.mark.parametrize("number", [1e300, 1e9, 3e3, -1e3, np.nan, np.inf])
def test_numbers_that_a_graph_kernel_cannot_have_are_refused(name: str, number: float, tmp_path: Path) -> None:
    model = of_nodes()
    load(changed_attributes(tmp_path / "m", model, "ExponentialDiffusion", lambda *_: None)).predict([0, 3])
    for place in (0, 1, forging.N - 1):
        path = changed_attributes(tmp_path / "m", model, "ExponentialDiffusion", other_number(name, place, number))
        refused(path, "norms of nodes are not|the matrix of a kernel is n|cannot be loaded")


def test_norms_that_no_column_bears_out_end_the_teaching_of_a_model() -> None:
    """What a check of files may miss: pivots that are drawn for a norm which their columns do not have."""
    model = of_nodes()
    model.kernel_.__dict__["_rough"] = np.where(np.arange(forging.N) == 2, 1e9, model.kernel_._rough)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="K is no kernel matrix"):
            model.partial_fit([0, 1], [0, 1])


def test_a_graph_kernel_whose_norms_are_estimates_is_refused_others(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(diffusion, "SMALL", forging.N - 1)
    model = of_nodes()
    load(changed_attributes(tmp_path / "m", model, "ExponentialDiffusion", lambda *_: None)).predict([0, 3])
    for number in (1e9, -1.0, np.nan, np.inf):
        path = changed_attributes(tmp_path / "m", model, "ExponentialDiffusion", other_number("_rough", 3, number))
        refused(path, "norms of nodes are not|cannot be loaded")


def test_models_of_periodic_kernels_are_kept(tmp_path: Path) -> None:
    """Their points have a cosine and a sine for each column."""
    X = forging.objects("vectors")
    for kernel in (gm.Periodic(3.0), gm.Periodic(3.0) * gm.Gaussian(2.0)):
        model = gm.KernelRidge(kernel, ridge=0.1).fit(X, np.sin(X[:, 0]))
        save(model, tmp_path / "m", overwrite=True)
        assert np.array_equal(load(tmp_path / "m").predict(X), model.predict(X))
