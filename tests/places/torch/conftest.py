"""On a GPU everything goes through compiled passes, however small it is."""

import os

import pytest


@pytest.fixture(autouse=True)
def _compiled(monkeypatch):
    if os.environ.get("GRAMIAN_TEST_DEVICE", "cpu") != "cpu":
        monkeypatch.setattr("gramian.places.torch.engine.WORTH", 1)
