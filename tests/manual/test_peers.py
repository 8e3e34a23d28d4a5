"""The tables of docs/migrate/: each row against what the library itself says.

The programs in peers/ print what kernlab, GPyTorch, GraKeL and KeOps say of a few points and words; what they printed
lies beside them. So every row is checked on every machine, and where a library is installed, it is asked again.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import gramian as gm

PEERS = Path(__file__).parent / "peers"
X = np.loadtxt(PEERS / "points.txt")
Y = X[:, 0] ** 2 - X[:, 1]
NEW = X + 0.5
WORDS = ["bar", "bat", "banana", "cart", "crat"]
MARKED = [word + "\n" for word in WORDS]  # kernlab counts an end mark behind each string
CHAINS = [["C", "C", "O"], ["C", "O", "O"], ["C", "C", "C", "N"], ["N", "C", "O", "C", "C"]]
FACTOR = gm.Gaussian((2 * 0.3) ** -0.5)  # kernlab's sigma = 0.3


def column(i):
    return gm.Gaussian((2 * 0.3) ** -0.5).pullback(lambda X: np.asarray(X)[:, [i]])


def deviation(model, points):
    """The standard deviations under the prior that is the kernel itself, with the ridge as variance of the noise."""
    return model.predict(points, return_std=True)[1] * model.ridge**0.5 / model.noise_


def components():
    return gm.KernelPCA(2, FACTOR).fit(X)


def kernlab():
    process = gm.KernelRidge(FACTOR, ridge=0.1).fit(X, Y)
    factor = gm.cholesky(FACTOR.gram(X), residual=0.5)
    phi = gm.FeatureSpace(FACTOR)
    return {
        "rbfdot": FACTOR(X),
        "laplacedot": gm.Matern(1 / 0.3, nu=0.5)(X),
        "polydot": ((0.4 * gm.Linear() + 1.7) ** 3)(X),
        "polydot of scale 1": gm.Polynomial(2, 1.7)(X),
        "vanilladot": gm.Linear()(X),
        "anovadot": ((column(0) + column(1) + column(2)) ** 2)(X),
        "spectrum": gm.Spectrum(2)(MARKED),
        "spectrum, normalized": gm.Spectrum(2).normalize()(MARKED),
        "boundrange": gm.FullSpectrum(1, 2)(MARKED),
        "exponential": gm.FullSpectrum(decay=2**-0.5)(MARKED),
        "constant": gm.FullSpectrum()(MARKED),
        "string, normalized": gm.Spectrum(2).normalize()(WORDS),
        "fullstring": gm.FullSpectrum(1, 2, decay=0.5)(WORDS),
        "kpca, eigenvalues": components().explained_variance_,
        "kpca, rotated": np.abs(components().transform(X)) * len(X) ** 0.5,
        "gausspr": process.predict(X),
        "gausspr, sdeviation": deviation(process, X),
        "inchol, pivots": factor.pivots + 1,
        "inchol": factor.factor,
        "kmmd": gm.mean_distance(phi(X), phi(NEW)),
    }


def gpytorch():
    scaled = 2.0 * gm.Gaussian(0.8)
    process = gm.KernelRidge(scaled, ridge=0.05).fit(X, Y)
    return {
        "RBFKernel": gm.Gaussian(0.7)(X),
        "MaternKernel": gm.Matern(0.7, nu=1.5)(X),
        "PeriodicKernel": gm.Periodic(2.5, 0.7**0.5)(X),
        "PolynomialKernel": gm.Polynomial(3, 1.7)(X),
        "LinearKernel": (1.7 * gm.Linear())(X),
        "ScaleKernel": scaled(X),
        "active_dims": gm.Gaussian(0.7).pullback(lambda X: np.asarray(X)[:, [0, 2]])(X),
        "ard_num_dims": gm.Gaussian(1.0).pullback(gm.Standardize(mean=(0.0,) * 3, scale=(0.5, 1.0, 2.0)))(X),
        "sum and product": (scaled + scaled * gm.Linear())(X),
        "mean": process.predict(NEW),
        "stddev": deviation(process, NEW),
        "InducingPointKernel": gm.Nystrom(gm.Gaussian(0.7), landmarks=X[:3])(X, NEW),
    }


def neighbours(atoms, i):
    return "".join(sorted(atoms[max(i - 1, 0) : i] + atoms[i + 1 : i + 2]))


def grakel():
    labels = gm.Spectrum(1)
    both_ways = [["".join(sorted(pair)) for pair in pairwise(atoms)] * 2 for atoms in CHAINS]
    paths = [
        [(a, b, abs(i - j)) for i, a in enumerate(atoms) for j, b in enumerate(atoms) if i != j] for atoms in CHAINS
    ]
    refined = [atoms + [(atom, neighbours(atoms, i)) for i, atom in enumerate(atoms)] for atoms in CHAINS]
    return {
        "VertexHistogram": labels(CHAINS),
        "VertexHistogram, normalize": labels.normalize()(CHAINS),
        "EdgeHistogram": labels(both_ways),
        "ShortestPath": labels(paths),
        "WeisfeilerLehman": labels(refined),
    }


def pykeops():
    y, v = X[:4] + 0.5, X[:4, :1] + 0.5
    gaussian, linear = gm.Gaussian(1.3), gm.Linear()
    return {
        "K @ v": gaussian.gram(X, y) @ v,
        "sum": gaussian.gram(X, y).row_means() * len(y),
        "absolute differences": gm.Laplacian(1.3).gram(X, y) @ v,
        "product of points": linear.gram(X, y) @ v,
        "sum and product": (gaussian * linear + gaussian).gram(X, y) @ v,
        "solve": gm.solve(gaussian.gram(X), X[:, 0], ridge=0.1).value,
    }


OURS = {make.__name__: make() for make in (kernlab, gpytorch, grakel, pykeops)}


def spoken(text):
    """The lines of a peer: a name, a tab, and numbers; other lines are its remarks."""
    lines = [line.split("\t") for line in text.splitlines() if "\t" in line]
    return {name: said.strip() for name, said in lines}


RECORDED = {peer: spoken((PEERS / f"{peer}.txt").read_text(encoding="utf-8")) for peer in OURS}


def numbers(said):
    return np.array(said.split(), dtype=float)


@pytest.mark.parametrize(("peer", "row"), [(peer, row) for peer in OURS for row in OURS[peer]])
def test_a_row_has_the_values_that_the_peer_printed(peer, row):
    ours, theirs = np.ravel(OURS[peer][row]), numbers(RECORDED[peer][row])
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10 * np.abs(theirs).max())


@pytest.mark.parametrize("peer", OURS)
def test_every_row_that_was_printed_is_compared(peer):
    assert set(RECORDED[peer]) == {"version", *OURS[peer]}


def program(peer):
    """How a peer is asked; nothing where it is not installed, or cannot run."""
    if peer == "kernlab":
        known = shutil.which("Rscript") and not asked(["Rscript", "-e", "library(kernlab)"]).returncode
        return ["Rscript", "kernlab.R", "points.txt"] if known else []
    known = find_spec(peer) is not None and (peer != "pykeops" or shutil.which("g++"))
    return [sys.executable, f"{peer}_values.py", "points.txt"] if known else []


def asked(command):
    environment = os.environ | {"PYTHONWARNINGS": "ignore"}
    return subprocess.run(command, cwd=PEERS, capture_output=True, text=True, env=environment, check=False)


INSTALLED = {peer: command for peer in OURS if (command := program(peer))}
NONE = pytest.param("none", marks=pytest.mark.skip(reason="neither kernlab nor GPyTorch, GraKeL or KeOps is installed"))


@pytest.mark.parametrize("peer", INSTALLED or [NONE])
def test_the_installed_peer_says_what_is_recorded(peer):
    answer = asked(INSTALLED[peer])
    assert answer.returncode == 0, answer.stderr
    said = spoken(answer.stdout)
    assert set(said) == set(RECORDED[peer])
    for row in OURS[peer]:
        theirs = numbers(RECORDED[peer][row])
        np.testing.assert_allclose(numbers(said[row]), theirs, rtol=1e-7, atol=1e-9 * np.abs(theirs).max())
