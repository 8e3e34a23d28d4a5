"""On a GPU everything goes through compiled passes, however small it is. Without torch nothing here is run."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore = [] if find_spec("torch") else ["device.py"]  # read for doctests, which imports it
HERE = Path(__file__).parent
UNHEARD = "ignore:Attempting to run cuBLAS, but there was no current CUDA context"  # as `places.torch.place` has it


def pytest_collection_modifyitems(items):
    for item in (item for item in items if item.path.parent == HERE):
        item.add_marker(pytest.mark.filterwarnings(UNHEARD))


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    if os.environ.get("GRAMIAN_TEST_DEVICE", "cpu") != "cpu":
        monkeypatch.setattr("gramian.places.torch.engine.WORTH", 1)
