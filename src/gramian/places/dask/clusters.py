"""Clusters that are asked for by an address, or by a number of workers on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from distributed import Client, LocalCluster

from gramian.places.dask.engine import check_versions


@contextmanager
def at_work(address: str | None, workers: int | None) -> Iterator[Any]:
    """Work on a cluster meanwhile: that of an address, or one of processes of this machine, which ends with the work.

    TLS and the like are those of Dask's own configuration (`distributed.comm`).
    """
    with ExitStack() as stack:
        if address is None:
            cluster = LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
            )
            address = stack.enter_context(cluster).scheduler_address
        try:
            client = stack.enter_context(Client(address))
        except (OSError, ValueError) as error:
            raise ConnectionError(f"no scheduler of Dask answers at {address} ({error})") from None
        check_versions(client)
        yield client
