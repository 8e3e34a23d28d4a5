"""The device that tests of tensors run on: the cores, or what GRAMIAN_TEST_DEVICE names."""

import os

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

DEVICE = os.environ.get("GRAMIAN_TEST_DEVICE", "cpu")


def host(values):
    """Return a tensor, or an array, as one of NumPy."""
    return values.cpu().numpy() if isinstance(values, torch.Tensor) else values
