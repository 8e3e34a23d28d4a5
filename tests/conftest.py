"""What concerns all tests: their order, the luck of their draws, and what was left out for want of a browser.

The examples that Hypothesis (of one version) draws depend on the test alone: the same commit meets the same ones on all
machines. HYPOTHESIS_PROFILE=explore draws others with every run, which is how new mistakes are found; what fails is
printed in a form that repeats it.
"""

import os
import random
import signal
from itertools import groupby

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

by_no_clock = {"print_blob": True, "suppress_health_check": [HealthCheck.too_slow]}  # machines may be busy
settings.register_profile("same", derandomize=True, **by_no_clock)
settings.register_profile("explore", derandomize=False, **by_no_clock)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

BROWSER = "test_browser.py"
LOADED = {}  # the generators of a module, and their states before its first test


def pytest_addoption(parser):
    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="run modules, and the tests of each, in an order drawn by this seed"
    )


def pytest_configure():
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells have it for what runs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)  # so that what the tests start hears Ctrl-C


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    seed = config.getoption("--shuffle")
    if seed is not None:
        items[:] = shuffled(items, seed, key=lambda item: item.path)


def shuffled(items, seed, key):
    """Shuffle groups and what is in each; groups stay together, since what they share is made once."""
    luck = random.Random(seed)
    groups = [list(group) for _, group in groupby(items, key)]
    luck.shuffle(groups)
    for group in groups:
        luck.shuffle(group)
    return [item for group in groups for item in group]


def pytest_runtest_setup(item):
    module = getattr(item, "module", None)
    for generator, state in generators(module) if module is not None else ():
        generator.bit_generator.state = state  # the draws of a test do not depend on the tests before it


def generators(module):
    """The generators that are global in a module, with the states in which it left them when it was loaded."""
    if module not in LOADED:
        found = [value for value in vars(module).values() if isinstance(value, np.random.Generator)]
        LOADED[module] = [(generator, generator.bit_generator.state) for generator in found]
    return LOADED[module]


def pytest_report_header(config):
    seed = config.getoption("--shuffle")
    return None if seed is None else f"shuffled by --shuffle {seed}"


def pytest_terminal_summary(terminalreporter):
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if BROWSER in report.nodeid]
    if skipped:
        terminalreporter.write_line(
            "The tests in a browser were left out: they need Chromium on the path (apt install chromium, brew install "
            "chromium) and playwright (pip install playwright)",
            yellow=True,
        )
