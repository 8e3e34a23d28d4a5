"""A cluster of two processes on this machine, shared by the tests of a module; all are left out without Dask."""

from importlib.util import find_spec

import pytest

# Not by importorskip, by which pytest ends where it meets it in the conftest.py of a file that it is given by name.
collect_ignore_glob = [] if find_spec("dask") and find_spec("distributed") else ["*"]


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let work wait for long: on a busy machine a worker in the place of a killed one may be minutes under way."""
    monkeypatch.setattr("gramian.places.dask.engine.LONELY", 1800.0)


@pytest.fixture(scope="module")
def cluster():
    import distributed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1GB", silence_logs=50
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    import distributed

    with distributed.Client(cluster) as client:
        yield client
