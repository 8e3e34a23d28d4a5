"""python process.py NAME n …: run a job in this process; print its seconds, its peak memory, and its quality."""

import json
import resource
import sys
import time
import warnings

import jobs
import ordinary
import peers
from measure import forget_peak, peak_memory, total_memory

SHARE = 0.92  # of the machine's memory that a job may take: beyond, it gets an error, and the machine goes on


def main() -> None:
    name, n, arguments = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    job = next(getattr(module, name) for module in (jobs, peers, ordinary) if hasattr(module, name))
    most = int(SHARE * total_memory())
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))

    def prepared(n: int):
        made = job(n, *arguments)
        return made if isinstance(made, tuple) else (made, lambda answer: {})

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prepared(256)[0]()  # imports and first-call costs are not what is measured
    run, judge = prepared(n)
    forget_peak()
    before = peak_memory()
    seconds: list[float] = []
    peak = 0
    while len(seconds) < 3 and sum(seconds) < 5:
        if seconds:
            run, judge = prepared(n)  # what a run leaves behind must not help the next one
        start = time.perf_counter()
        answer = run()
        seconds.append(time.perf_counter() - start)
        peak = peak or peak_memory()  # of the first run: later ones find its answer in memory
    measured = {"seconds": min(seconds), "megabytes": (peak - before) / 1e6, "peak": peak / 1e6}
    print(json.dumps(measured | judge(answer)))


if __name__ == "__main__":
    main()
