"""--device: a GPU answers what the cores do, and is asked for where there is one and work that is worth it."""

import csv
import json
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from tests.places.torch.device import DEVICE  # noqa: E402

from gramian.cli import devices  # noqa: E402
from gramian.cli.main import main  # noqa: E402
from gramian.places import CORES, moving, place_of, working, working_on  # noqa: E402
from gramian.places.torch.place import on  # noqa: E402

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _gpu(monkeypatch):
    """What "cuda" is here: a place of tensors."""
    named = moving.named_place
    monkeypatch.setattr(moving, "named_place", lambda d: on(torch.device(DEVICE)) if d == "cuda" else named(d))


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "table.csv"
    with file.open("w") as opened:
        rows = csv.writer(opened)
        rows.writerow(["a", "b", "c", "y", "class"])
        for a, b in RNG.normal(size=(120, 2)):
            rows.writerow([a, b, RNG.choice(["u", "v"]), a * b, "pos" if a > 0.1 else "neg"])
    return str(file)


def numbers(text):
    return np.array([[float(cell) for cell in row if cell not in ("yes", "no", "pos", "neg")] for row in text])


@pytest.mark.parametrize("target", ["y", "class"])
def test_models_of_a_gpu_predict_what_those_of_the_cores_do(table, tmp_path, capsys, target):
    said = {}
    for device in ("cpu", "cuda"):
        file = str(tmp_path / f"{device}.gramian")
        assert main(["fit", table, "--target", target, "--columns", "a,b,c", "-o", file, "--device", device]) == 0
        assert ("Worked out on torch" in capsys.readouterr().err) == (device == "cuda" and DEVICE == "cpu")
        for asked in ("cpu", "cuda"):
            for command in ("predict", "novelty"):
                assert main([command, file, table, "--device", asked, "-q"]) == 0
                rows = list(csv.reader(capsys.readouterr().out.splitlines()))[1:]
                said.setdefault(command, []).append(numbers(rows))
        assert working() is CORES
    for tables in said.values():
        for other in tables[1:]:
            assert np.abs(other - tables[0]).max() <= 1e-6 * np.abs(tables[0]).max()


def test_a_report_and_a_matrix_say_where_they_come_from(table, tmp_path, capsys):
    pages = {}
    for device in ("cpu", "cuda"):
        assert main(["report", table, "--target", "y", "--quick", "--json", "--device", device]) == 0
        pages[device] = json.loads(capsys.readouterr().out)
        assert main(["gram", table, "-o", str(tmp_path / f"{device}.npy"), "--device", device]) == 0
    found = {device: json.dumps(page) for device, page in pages.items()}
    assert "Worked out on" in found["cuda"]
    assert "Worked out on" not in found["cpu"]
    K, expected = (np.load(tmp_path / f"{device}.npy") for device in ("cuda", "cpu"))
    assert np.abs(K - expected).max() <= 1e-12 * np.abs(expected).max()


def test_auto_looks_for_a_gpu_where_there_is_much_to_do():
    few, many = devices.WORTH / 2, devices.WORTH
    assert devices.place_for("auto", few) is CORES
    assert devices.place_for("auto", many) is on(torch.device(DEVICE))
    assert devices.place_for("cpu", many) is CORES
    assert devices.place_for("cuda", 0) is on(torch.device(DEVICE))


def test_without_torch_cuda_is_refused_with_what_to_do_and_auto_is_silent(monkeypatch, capsys, table, tmp_path):
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "torch", None)
    assert devices.place_for("auto", 2 * devices.WORTH) is CORES
    assert main(["gram", table, "-o", str(tmp_path / "K.npy"), "--device", "cuda"]) == 2
    said = capsys.readouterr().err
    assert "pip install 'gramian[gpu]'" in said
    assert not (tmp_path / "K.npy").exists()


def test_vectors_of_the_host_are_worked_on_elsewhere_and_answers_come_back():
    import gramian as gm

    X = RNG.normal(size=(50, 3))
    expected = gm.Gaussian(1.0).gram(X) @ X
    with working_on(on(torch.device(DEVICE))):
        K = gm.Gaussian(1.0).gram(X)
        assert place_of(K.rows) is on(torch.device(DEVICE))
        assert isinstance(K @ X, np.ndarray)
        assert np.abs(K @ X - expected).max() <= 1e-13 * np.abs(expected).max()
        assert place_of(gm.Spectrum(2).gram(["ab", "ba"]).rows) is CORES
