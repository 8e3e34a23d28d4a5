"""The command line as scripts and people meet it: what it writes, says and returns."""

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import gramian as gm
from gramian.cli import commands
from gramian.cli.main import FORMATS, main
from gramian.intake import formats
from gramian.intake.reading import read_data
from gramian.models import load


@pytest.fixture
def flowers(tmp_path):
    iris = gm.load_iris()
    path = tmp_path / "flowers.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*iris.feature_names, "species"])
        writer.writerows([*row, iris.target_names[k]] for row, k in zip(iris.data.tolist(), iris.target, strict=True))
    return path


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_report_of_a_file_is_a_page(here, flowers, capsys):
    assert main(["report", str(flowers), "--target", "species", "--kernel", "gaussian(1.5)"]) == 0
    page = (here / "report.html").read_text()
    assert page.startswith("<!doctype html>") or page.lower().startswith("<!doctype html>")
    said = capsys.readouterr()
    assert said.out == ""
    assert str(here / "report.html") in said.err


def test_json_goes_to_standard_output_and_nothing_to_the_disk(here, flowers, capsys):
    assert main(["report", str(flowers), "--target", "species", "--kernel", "linear", "--json", "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    found = json.loads(said.out)
    assert found["sections"][0]["numbers"]["objects"] == 150
    assert not (here / "report.html").exists()


def test_json_goes_to_the_file_that_is_asked_for(here, flowers, capsys):
    given = ["report", str(flowers), "--target", "species", "--kernel", "linear", "--json", "-o", "numbers.json", "-q"]
    assert main(given) == 0
    assert json.loads((here / "numbers.json").read_text())["title"] == flowers.name
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("expression", ["spectrum(3) on promoter", "spectrum(3)"])
def test_a_kernel_may_name_the_only_column(here, capsys, expression):
    promoters = gm.load_promoters()
    with open("p.csv", "w") as file:
        file.write(
            "promoter,k\n" + "".join(f"{s},{k}\n" for s, k in zip(promoters.data, promoters.target, strict=True))
        )
    assert main(["fit", "p.csv", "--target", "k", "--kernel", expression, "-o", "m.gramian", "-q"]) == 0
    assert main(["predict", "m.gramian", "p.csv", "-q"]) == 0
    said = [row["k"] for row in rows_of(capsys.readouterr().out)]
    assert np.mean([one == str(k) for one, k in zip(said, promoters.target, strict=True)]) > 0.9


def test_an_existing_page_is_kept_unless_forced(here, flowers, capsys):
    (here / "report.html").write_text("mine")
    given = ["report", str(flowers), "--target", "species", "--kernel", "linear"]
    assert main(given) == 4
    assert "exists already: pass --force to replace it" in capsys.readouterr().err
    assert (here / "report.html").read_text() == "mine"
    assert main([*given, "--force", "-q"]) == 0
    assert (here / "report.html").read_text() != "mine"


@pytest.mark.parametrize("learner", ["fisher", "parzen", "ridge"])
def test_predictions_are_the_librarys_to_the_last_bit(here, flowers, capsys, learner):
    given = ["--target", "species", "--kernel", "standardize(gaussian(2))", "--learner", learner]
    assert main(["fit", str(flowers), *given, "-o", "m.gramian", "-q"]) == 0
    assert main(["predict", "m.gramian", str(flowers), "-q"]) == 0
    data = read_data(flowers, target="species")
    kernel = gm.Gaussian(2.0).pullback(gm.Standardize())
    made = {"fisher": gm.FisherDiscriminant, "parzen": gm.ParzenClassifier, "ridge": gm.KernelClassifier}
    model = made[learner](kernel).fit(data.X, data.y)
    assert [row["species"] for row in rows_of(capsys.readouterr().out)] == model.predict(data.X).tolist()
    assert np.array_equal(load("m.gramian")["model"].decision_function(data.X), model.decision_function(data.X))


def test_numbers_are_predicted_to_the_last_bit(here, capsys):
    X = np.random.default_rng(0).standard_normal((40, 2))
    y = np.sin(X[:, 0])
    np.savetxt("t.csv", np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="", fmt="%.17g")
    assert main(["fit", "t.csv", "--target", "y", "--kernel", "gaussian(1)", "-o", "m.gramian", "-q"]) == 0
    assert main(["predict", "m.gramian", "t.csv", "-q"]) == 0
    found = np.array([float(row["y"]) for row in rows_of(capsys.readouterr().out)])
    model = gm.KernelRidge(gm.Gaussian(1.0), ridge="loo", fit_intercept=True).fit(X, y)
    assert np.array_equal(found, model.predict(X))


@pytest.mark.parametrize("learner", ["fisher", "parzen", "ridge"])
def test_classes_come_with_their_probabilities_and_a_score(here, flowers, capsys, learner):
    given = ["--target", "species", "--kernel", "standardize(gaussian(2))", "--learner", learner]
    assert main(["fit", str(flowers), *given, "-o", "m.gramian", "-q"]) == 0
    assert main(["predict", "m.gramian", str(flowers)]) == 0
    said = capsys.readouterr()
    rows = rows_of(said.out)
    names = [f"probability of {name}" for name in ("setosa", "versicolor", "virginica")]
    assert list(rows[0]) == ["object", "species", *names]
    data = read_data(flowers, target="species")
    expected = load("m.gramian")["model"].predict_proba(data.X)
    assert np.array_equal(np.array([[float(row[name]) for name in names] for row in rows]), expected)
    accuracy = 100 * np.mean([row["species"] for row in rows] == data.y)
    assert f"Of 150 objects 'species' is known: accuracy {accuracy:.1f} %" in said.err


def test_numbers_come_with_intervals_and_a_score(here, capsys):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(90)
    lines = [f"{a!r},{b!r},{c!r}" for (a, b), c in zip(X.tolist(), y.tolist(), strict=True)]
    (here / "old.csv").write_text("\n".join(["a,b,y", *lines[:60]]))
    (here / "new.csv").write_text("\n".join(["a,b,y", *lines[60:], "0,0,", "0,0,?"]))
    (here / "none.csv").write_text("\n".join(["a,b", "0,0"]))
    assert main(["fit", "old.csv", "--target", "y", "--kernel", "gaussian(1)", "-o", "m.gramian", "-q"]) == 0
    assert main(["predict", "m.gramian", "new.csv", "--interval", "0.8"]) == 0
    said = capsys.readouterr()
    rows = rows_of(said.out)
    assert list(rows[0]) == ["object", "y", "low", "high"]
    model = gm.KernelRidge(gm.Gaussian(1.0), ridge="loo", fit_intercept=True).fit(X[:60], y[:60])
    low, high = model.predict_interval(X[60:], 0.2)
    np.testing.assert_allclose([float(row["low"]) for row in rows[:30]], low, rtol=1e-9)
    error = np.sqrt(np.mean((model.predict(X[60:]) - y[60:]) ** 2))
    inside = 100 * np.mean((low <= y[60:]) & (y[60:] <= high))
    expected = f"Of 30 objects 'y' is known: root mean square error {error:.4g}; {inside:.1f} % within the intervals"
    assert expected in said.err
    assert main(["predict", "m.gramian", "none.csv"]) == 0
    assert "is known" not in capsys.readouterr().err


@pytest.mark.parametrize("share", ["0", "1", "90", "-0.5", "most", "nan"])
def test_a_share_that_is_none_is_refused(here, capsys, share):
    assert main(["predict", "m.gramian", "new.csv", "--interval", share]) == 2
    assert "a number between 0 and 1 expected" in capsys.readouterr().err


def test_a_target_that_cannot_be_read_is_not_scored(here, capsys):
    (here / "old.csv").write_text("\n".join(["a,y", *(f"{k},{k % 7}.5" for k in range(40))]))
    (here / "new.csv").write_text("\n".join(["a,y", "1,often", "2,seldom"]))
    assert main(["fit", "old.csv", "--target", "y", "--kernel", "gaussian(3)", "-o", "m.gramian", "-q"]) == 0
    assert main(["predict", "m.gramian", "new.csv"]) == 0
    assert "is known" not in capsys.readouterr().err


def test_ridge_learns_two_classes_of_strings_and_says_so(here, capsys):
    dna = gm.load_promoters()
    kinds = np.array(dna.target_names)[dna.target]
    lines = [f"{x},{kind}" for x, kind in zip(dna.data, kinds, strict=True)]
    (here / "dna.csv").write_text("\n".join(["piece,kind", *lines]))
    given = ["--target", "kind", "--kind", "piece=string", "--kernel", "normalize(spectrum(3)) on piece"]
    assert main(["fit", "dna.csv", *given, "--learner", "ridge", "-o", "m.gramian"]) == 0
    assert "kind by kernel ridge regression on the classes" in capsys.readouterr().err
    assert main(["predict", "m.gramian", "dna.csv", "-q"]) == 0
    found = [row["kind"] for row in rows_of(capsys.readouterr().out)]
    model = gm.KernelClassifier(gm.Spectrum(3).normalize()).fit(dna.data, kinds)
    assert found == model.predict(dna.data).tolist()


@pytest.mark.parametrize("learner", ["fisher", "parzen"])
def test_a_discriminant_of_numbers_is_refused_with_what_fits(here, capsys, learner):
    np.savetxt("t.csv", np.random.default_rng(0).standard_normal((40, 3)), delimiter=",", header="a,b,y", comments="")
    assert main(["fit", "t.csv", "--target", "y", "--learner", learner, "-o", "m.gramian", "-q"]) == 2
    assert "does not fit the target 'y', which holds numbers; ridge does" in capsys.readouterr().err


def test_novelty_is_told_with_its_guarantee(here, flowers, capsys):
    assert (
        main(
            [
                "fit",
                str(flowers),
                "-o",
                "m.gramian",
                "--kernel",
                "gaussian(2)",
                "--columns",
                "sepal length,sepal width",
                "-q",
            ]
        )
        == 0
    )
    (here / "new.csv").write_text("sepal length,sepal width\n5.8,3.0\n50,50\n")
    assert main(["novelty", "m.gramian", "new.csv"]) == 0
    said = capsys.readouterr()
    rows = rows_of(said.out)
    assert [row["novel"] for row in rows] == ["no", "yes"]
    assert float(rows[1]["p_value"]) < float(rows[0]["p_value"])
    assert "On average at most" in said.err


def test_a_model_without_a_target_predicts_none(here, flowers, capsys):
    main(["fit", str(flowers), "-o", "m.gramian", "--kernel", "equality on species", "-q"])
    assert main(["predict", "m.gramian", str(flowers)]) == 5
    assert "fitted without a target" in capsys.readouterr().err


def test_a_gram_matrix_is_streamed_to_the_disk(here, flowers, capsys, monkeypatch):
    given = ["gram", str(flowers), "--columns", "sepal length,sepal width", "--kernel", "gaussian(2)", "-o", "K.npy"]
    assert main(given) == 0
    X = gm.load_iris().data[:, :2]
    np.testing.assert_allclose(np.load("K.npy"), gm.Gaussian(2.0)(X), rtol=1e-14)
    assert main([*given, "--dtype", "float32", "--force", "-q"]) == 0
    assert np.load("K.npy").dtype == np.float32


def test_the_kernels_are_listed_and_told_in_full(capsys):
    assert main(["kernels"]) == 0
    listed = capsys.readouterr().out
    assert "gaussian(" in listed
    assert "spectrum(" in listed
    assert main(["kernels", "Gaussian"]) == 0
    assert "exp" in capsys.readouterr().out
    assert main(["kernels", "gausian"]) == 2
    assert "did you mean" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["report", "nowhere.csv"], 3, "nowhere.csv"),
        (["report", "empty.csv"], 3, "empty"),
        (["report", "ragged.csv"], 3, "line 3"),
        (["report", "good.csv", "--target", "colour"], 3, "colour"),
        (["report", "good.csv", "--kernel", "gausian(2)"], 2, "did you mean 'gaussian'"),
        (["report", "good.csv", "--kernel", "(" * 1000], 2, "kernel expression"),
        (["report", "good.csv", "-o", "nowhere/report.html"], 4, "nowhere"),
        (["report", "good.csv", "--kind", "a=apple"], 2, "COLUMN=KIND"),
        (["fit", "good.csv"], 2, "-o"),
        (["predict", "good.csv", "good.csv"], 5, "good.csv"),
        (["predict", "nowhere.gramian", "good.csv"], 5, "nowhere.gramian"),
        (["predict", ".", "good.csv"], 5, "directory"),
        (["report", "good.csv", "--seed", "-1"], 2, "no whole number"),
        (["report", "good.csv", "--format", "apple"], 2, "there are csv"),
        (["report", "--target", "species"], 2, "need DATA"),
        (["gram", "good.csv", "-o", "K.txt"], 2, ".npy"),
        (["sing"], 2, "invalid choice"),
    ],
)
def test_errors_are_one_sentence_with_an_exit_code(here, capsys, arguments, code, words):
    (here / "good.csv").write_text("a,b\n1,2\n3,4\n5,7\n")
    (here / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (here / "empty.csv").write_text("")
    before = sorted(os.listdir())
    assert main(arguments) == code
    said = capsys.readouterr()
    assert words in said.err
    assert "Traceback" not in said.err
    assert sorted(os.listdir()) == before


def test_a_kernel_for_other_data_is_refused_with_the_reason(here, flowers, capsys):
    assert main(["report", str(flowers), "--kernel", "linear"]) == 3
    said = capsys.readouterr().err
    assert (
        "the kernel linear does not take these data, which are records: name the columns that it compares with `on`"
        in said
    )


def test_a_model_for_other_columns_is_refused_by_name(here, flowers, capsys):
    main(["fit", str(flowers), "--target", "species", "--kernel", "linear", "-o", "m.gramian", "-q"])
    (here / "other.csv").write_text("sepal length,colour\n5.8,3.0\n")
    assert main(["predict", "m.gramian", "other.csv"]) == 3
    assert "sepal width" in capsys.readouterr().err


def test_a_damaged_model_is_refused(here, flowers, capsys):
    main(["fit", str(flowers), "--target", "species", "--kernel", "linear", "-o", "m.gramian", "-q"])
    whole = bytearray((here / "m.gramian").read_bytes())
    whole[len(whole) // 2] ^= 1
    (here / "m.gramian").write_bytes(whole)
    assert main(["predict", "m.gramian", str(flowers)]) == 5
    assert "m.gramian" in capsys.readouterr().err


def test_an_error_of_the_disk_leaves_nothing_behind(here, flowers, capsys, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(os.listdir())
    assert main(["report", str(flowers), "--target", "species", "--kernel", "linear"]) == 4
    assert "No space left on device" in capsys.readouterr().err
    assert sorted(os.listdir()) == before


@pytest.mark.alone
def test_ctrl_c_stops_within_a_second_and_leaves_nothing(here):
    X = np.random.default_rng(0).standard_normal((300_000, 20))
    np.save("large.npy", X)
    process = subprocess.Popen(
        [sys.executable, "-m", "gramian", "report", "large.npy", "-o", "large.html"], stderr=subprocess.PIPE, text=True
    )
    # The first line of progress is proof that it is at work, on machines of any speed.
    told = next((line for line in process.stderr if line.rstrip().endswith(("%", " left"))), None)
    assert told is not None
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    _, said = process.communicate(timeout=20)
    assert time.monotonic() - begun < 10  # a quarter of a second on a machine that does nothing else
    assert process.returncode == 130
    assert "stopped; nothing was written" in said
    assert sorted(os.listdir()) == ["large.npy"]


def test_a_closed_pipe_is_no_error(flowers):
    command = f"{sys.executable} -m gramian kernels | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_a_wrong_kernel_is_refused_before_the_data_are_read(here, capsys):
    assert main(["report", "nowhere.csv", "--kernel", "gausian"]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert main(["report", "nowhere.csv", "--kernel", "exponential_diffusion(1)"]) == 3  # which waits for its graph


def test_a_column_with_a_comma_is_named_in_quotes(here, capsys):
    (here / "t.csv").write_text('"a, b",c,d\n1,2,3\n4,5,9\n7,8,1\n0,1,1\n')
    assert main(["gram", "t.csv", "--columns", '"a, b", c', "--kernel", "linear", "-o", "K.npy", "-q"]) == 0
    X = np.array([[1, 2], [4, 5], [7, 8], [0, 1.0]])
    np.testing.assert_allclose(np.load("K.npy"), X @ X.T)


def test_a_file_that_may_not_grow_is_an_error_of_the_disk(here, flowers):
    pytest.importorskip("resource")
    command = (
        f"ulimit -f 8; exec {sys.executable} -m gramian report {flowers} --kernel 'gaussian(2) on \"sepal length\"'"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    assert "report.html" in done.stderr or "File too large" in done.stderr
    assert sorted(os.listdir()) == ["flowers.csv"]


@pytest.mark.parametrize(
    "words",
    [
        "report flowers.csv -o flowers.csv",
        "fit flowers.csv --target species -o flowers.csv",
        "predict m.gramian flowers.csv -o flowers.csv",
        "predict m.gramian flowers.csv -o m.gramian",
        "novelty m.gramian flowers.csv -o link.csv",
    ],
)
def test_what_is_read_is_never_written_over(here, flowers, capsys, words):
    main(["fit", "flowers.csv", "--target", "species", "--kernel", "gaussian(2)", "-o", "m.gramian", "-q"])
    os.symlink("flowers.csv", "link.csv")
    before = {name: (here / name).read_bytes() for name in ("flowers.csv", "m.gramian")}
    assert main([*words.split(), "--force"]) == 4
    assert "is what the command reads" in capsys.readouterr().err
    assert {name: (here / name).read_bytes() for name in before} == before


def test_every_kernel_of_a_name_is_told(capsys):
    assert main(["kernels", "polynomial"]) == 0
    said = capsys.readouterr().out
    assert "polynomial(degree=2, offset=1.0)" in said
    assert "k.polynomial([c0, c1, ...])" in said


def test_an_end_by_signal_leaves_nothing_half_written(here):
    np.save("large.npy", np.random.default_rng(0).standard_normal((30_000, 5)))
    process = subprocess.Popen(
        [sys.executable, "-m", "gramian", "gram", "large.npy", "--kernel", "gaussian(2)", "-o", "K.npy"],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not any(name.startswith(".gramian") for name in os.listdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.terminate()
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "stopped; nothing was written" in said
    assert os.listdir() == ["large.npy"]


def test_a_library_that_hides_an_interrupt_does_not_make_it_an_error(monkeypatch, capsys):
    def interrupted(_):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            raise ImportError("numpy is broken") from None

    monkeypatch.setattr(commands, "kernels", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have left it ignored
    try:
        assert main(["kernels"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert "stopped; nothing was written" in capsys.readouterr().err


def test_a_closed_output_is_said():
    done = subprocess.run(
        f"{sys.executable} -m gramian kernels >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert "standard output is closed" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["report", "flowers.csv", "--encoding", "bogus"], 2, "'bogus' is no encoding"),
        (["report", "flowers.csv", "-o", ""], 4, "the name of the output is empty"),
        (["report", "flowers.csv", "--kernel", "random_fourier(gaussian, rank=100000000)"], 2, "at most 1,000,000"),
    ],
)
def test_more_wrong_uses(here, flowers, capsys, words, code, said):
    assert main(words) == code
    assert said in capsys.readouterr().err


def test_a_model_of_a_graph_promises_nothing(here, capsys):
    (here / "g.edges").write_text("".join(f"{a} {b}\n" for a in range(12) for b in range(a) if (a + b) % 3))
    assert main(["fit", "g.edges", "-o", "g.gramian"]) == 0
    assert main(["novelty", "g.gramian", "g.edges"]) == 0
    assert "On average" not in capsys.readouterr().err


def test_a_folder_of_texts_may_have_another_encoding(here, capsys):
    (here / "texts").mkdir()
    for k in range(6):
        (here / "texts" / f"{k}.txt").write_bytes("schöne grüße aus köln und ulm".encode("latin-1") + b" %d" % k)
    assert main(["gram", "texts", "-o", "K.npy"]) == 3
    assert "is not UTF-8" in capsys.readouterr().err
    assert main(["gram", "texts", "--encoding", "latin-1", "-o", "K.npy", "-q"]) == 0


def test_a_text_of_a_folder_is_not_written_over(here, capsys):
    (here / "texts").mkdir()
    for k in range(6):
        (here / "texts" / f"{k}.txt").write_text(f"to be or not to be {k}")
    assert main(["report", "texts", "-o", "texts/0.txt", "--force"]) == 4
    assert (here / "texts" / "0.txt").read_text() == "to be or not to be 0"


def test_signals_that_are_ignored_stay_so_and_handlers_come_back(capsys):
    caught = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert main(["kernels", "linear"]) == 0
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, caught)
    assert main(["kernels", "linear"]) == 0
    assert signal.getsignal(signal.SIGINT) is caught


def test_the_help_names_the_formats_there_are():
    assert FORMATS.split(", ") == list(formats.FORMATS)


def marked(path, rows):
    """Write a table with prices, of which "none" is a missing one, and the classes + and -."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "price", "y"])
        for k in range(rows):
            writer.writerow([k % 7 + 0.5, "none" if k % 10 == 3 else f"${1000 + k * k:,}.50", "+-"[k % 2]])


def test_prices_and_classes_are_read_as_they_are_meant_and_that_is_said(here, capsys):
    marked(here / "t.csv", 40)
    assert main(["fit", "t.csv", "--target", "y", "--kernel", "gaussian", "-o", "m.gramian"]) == 0
    said = capsys.readouterr().err
    assert "Column 'price': 4 entries 'none' are taken as missing." in said
    assert "Column 'price' is read as numbers: '$1,000.50' is 1000.5." in said
    assert "Column 'y': 20 entries '-' are values, not missing ones (to change that: --missing=\"-\")." in said
    marked(here / "new.csv", 4)
    assert main(["predict", "m.gramian", "new.csv"]) == 0
    said = capsys.readouterr()
    assert {row["y"] for row in rows_of(said.out)} <= {"+", "-"}
    assert "Column 'price': 1 entry 'none' is taken as missing." in said.err


@pytest.mark.parametrize("command", ["fit", "gram", "report"])
def test_marks_of_missing_values_can_be_set(here, capsys, command):
    (here / "t.csv").write_text("a,b\n" + "".join(f"{k % 7},{-999 if k % 10 == 3 else k * k}\n" for k in range(40)))
    output = {"fit": "m.gramian", "gram": "K.npy", "report": "r.html"}[command]
    assert main([command, "t.csv", "--kernel", "gaussian", "--missing", "?,-999", "-o", output]) == 0
    assert "Column 'b': 4 entries '-999' are taken as missing." in capsys.readouterr().err
    if command == "fit":
        (here / "new.csv").write_text("a,b\n1,-999\n2,?\n")
        assert main(["novelty", output, "new.csv"]) == 0
        said = capsys.readouterr().err
        assert "Column 'b': 1 entry '?' and 1 '-999' are taken as missing." in said


def test_the_marks_that_a_note_names_can_be_set_as_it_says(here, capsys):
    (here / "t.csv").write_text("a,b\n" + "".join(f"{k % 7},{['-', '?', 'u', 'v'][k % 4]}\n" for k in range(40)))
    assert main(["gram", "t.csv", "-o", "K.npy"]) == 0
    said = capsys.readouterr().err
    advice = re.search(r"are values, not missing ones \(to change that: (--missing=.*)\)\.", said)[1]
    assert main(["gram", "t.csv", *shlex.split(advice), "-o", "K.npy", "--force"]) == 0
    assert "Column 'b': 10 entries '-' and 10 '?' are taken as missing." in capsys.readouterr().err


def test_an_empty_list_of_marks_leaves_none_but_blanks(here, capsys):
    (here / "t.csv").write_text("a,b\n" + "".join(f"{k % 7},{'NA' if k % 2 else 'u'}\n" for k in range(40)))
    assert main(["report", "t.csv", "--missing", "", "--kernel", "gaussian on a * equality on b", "-o", "r.html"]) == 0
    said = capsys.readouterr().err
    assert "taken as missing" not in said
    assert main(["report", "--missing", ""]) == 2
    assert "need DATA" in capsys.readouterr().err


@pytest.mark.parametrize("part", ["model", "novelty", "recipe", "target", "kind"])
def test_a_model_file_that_lacks_a_part_is_called_one_of_others(part, here, flowers, capsys):
    table = here / "few.csv"
    table.write_text("".join(flowers.read_text().splitlines(keepends=True)[:12]))
    assert main(["fit", str(table), "--kernel", "linear", "-o", "m.gramian", "--quiet"]) == 0
    parts = load("m.gramian")
    del parts[part]
    gm.save(parts, "m.gramian", overwrite=True)
    capsys.readouterr()
    for command in ("predict", "novelty"):
        assert main([command, "m.gramian", str(table)]) == 5
        assert "m.gramian: not written by `gramian fit`" in capsys.readouterr().err
