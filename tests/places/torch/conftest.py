"""On a GPU everything goes through compiled passes, however small it is. Without torch nothing here is run."""

import os
from importlib.util import find_spec

import pytest

collect_ignore = [] if find_spec("torch") else ["device.py"]  # read for doctests, which imports it


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    if os.environ.get("GRAMIAN_TEST_DEVICE", "cpu") != "cpu":
        monkeypatch.setattr("gramian.places.torch.engine.WORTH", 1)
