"""Where a device has less memory than it seemed, work is done in smaller pieces: what is too large is refused here."""

from importlib import import_module

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

import gramian as gm  # noqa: E402
from gramian.formula.encoded import Encoded  # noqa: E402
from gramian.places.torch import engine  # noqa: E402
from gramian.places.torch.place import on  # noqa: E402

RNG = np.random.default_rng(0)
eigen, solve = (import_module(f"gramian.factor.{name}") for name in ("eigen", "solve"))
N = 400
X = torch.from_numpy(RNG.normal(size=(N, 3)))
Y = torch.from_numpy(RNG.normal(size=N))


class Small(TorchDispatchMode):
    """A device on which no array may take more than so many bytes."""

    def __init__(self, bytes):
        super().__init__()
        self.bytes, self.refused = bytes, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        for t in tree_leaves(found):
            if isinstance(t, torch.Tensor) and t.untyped_storage().nbytes() > self.bytes:
                self.refused += 1
                raise torch.OutOfMemoryError("no room")
        return found


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr("gramian.places.torch.memory.SMALLEST", 2**6)
    monkeypatch.setattr(solve, "DENSE", 50)
    monkeypatch.setattr(eigen, "DENSE", 50)
    monkeypatch.setattr(solve, "FEWEST", 8)


@pytest.mark.parametrize("kilobytes", [10**6, 400, 100, 70])
def test_a_system_is_solved_in_what_there_is(kilobytes):
    K, ridge = gm.Gaussian(1.0).gram(X), 0.5
    with Small(1000 * kilobytes) as small:
        found = gm.solve(K, Y, ridge)
    assert found.converged
    assert bool(small.refused) == (kilobytes < 1000)
    exact = K.dense() @ found.value + ridge * found.value - Y
    assert float(exact.norm() / Y.norm()) <= 1e-6


@pytest.mark.parametrize("kilobytes", [400, 120])
def test_products_and_components_go_by_smaller_tiles(kilobytes):
    K, V = gm.Gaussian(1.0).gram(X), torch.from_numpy(RNG.normal(size=(N, 3)))
    expected = K.dense() @ V
    with Small(1000 * kilobytes) as small:
        found = K @ V
        values = gm.eigen(K, 2).values
    assert small.refused
    assert bool((found - expected).abs().max() <= 1e-12 * expected.abs().max())
    largest = torch.linalg.eigvalsh(K.dense())[-2:].flip(0)
    assert bool((values - largest).abs().max() <= 1e-8 * largest[0])


@pytest.mark.parametrize("which", ["multiply", "fill"])
def test_without_room_for_a_compiled_pass_tiles_do(which):
    class Full:
        def multiply(self, V):
            raise torch.OutOfMemoryError("no room")

        def fill(self, out, symmetric):
            out.fill_(torch.nan)
            raise torch.OutOfMemoryError("no room")

    formula, a = gm.Gaussian(1.0).formula, Encoded((X,))
    between = engine.Between(formula, a, a, torch.float64, Full())
    V = torch.eye(N, 3, dtype=torch.float64)
    K = gm.Gaussian(1.0)(X)
    found = between.multiply(V) if which == "multiply" else between.fill(symmetric=True)
    assert torch.allclose(found, K @ V if which == "multiply" else K, rtol=1e-12, atol=1e-13)


def test_what_has_no_room_at_all_is_said():
    with Small(100), pytest.raises(torch.OutOfMemoryError):
        gm.solve(gm.Gaussian(1.0).gram(X), Y, 0.5)
    assert torch.OutOfMemoryError in on(X.device).full
