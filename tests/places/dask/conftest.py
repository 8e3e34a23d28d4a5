"""A cluster of two processes on this machine, shared by the tests of a module; all are skipped without Dask."""

import pytest

pytest.importorskip("dask", reason="dask is not installed: pip install 'gramian[cluster]'")
pytest.importorskip("distributed", reason="distributed is not installed: pip install 'gramian[cluster]'")

import distributed

from gramian.places.dask import engine


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let work wait for long: on a busy machine a worker in the place of a killed one may be minutes under way."""
    monkeypatch.setattr(engine, "LONELY", 1800.0)


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1GB", silence_logs=50
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client
