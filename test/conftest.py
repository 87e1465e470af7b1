# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No compile cache and no calibration, as tests are of the compiler alone; and the largest runs where they are wanted.

A test marked `full` runs with `pytest --full` alone: others walk the same code. Of a test that is marked
`full(each=["name", "device"])`, so many cases always run that every value of these parameters is among them; of one
that is marked `full(every=4)`, each fourth case. Where hypothesis draws examples, it draws fewer without `--full`.
"""

import functools
import gc
import os
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

os.environ["ROLLER_CACHE"] = "0"  # here, and in the processes that tests start
_CONFIGURATION = Path(__file__).parents[1] / "build" / "configuration"
os.environ["XDG_CONFIG_HOME"] = str(_CONFIGURATION)  # tests are of no calibration that this machine has
sys.path.append(str(Path(__file__).parent))  # tests import `counted_work`
signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # ignored in a shell's background, and in what is started there

# How long an example takes says how busy the machine is: there are no deadlines.
settings.register_profile("quick", deadline=None, max_examples=12)
settings.register_profile("full", deadline=None, max_examples=100)

_LEFT_OUT = "left_out"
_left_out = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also run the largest tests, which are marked full")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("full" if config.getoption("--full") else "quick")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    gc.disable()  # until all tests are collected: what is made for them stays to the end
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()  # modules and tests stay: to look through them again and again takes a twentieth of the time
        gc.set_threshold(5000, 20, 20)  # most of what is made is in no cycle
        gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # what modules leave behind is collected at the end; nanobind reports what is not


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    cases: defaultdict[str, list[Any]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("full") and not config.getoption("--full"):
            cases[item.nodeid.split("[")[0]].append(item)
    left_out = {item for group in cases.values() for item in set(group) - set(_kept(group))}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
    config.stash[_left_out] = len(left_out)
    if hasattr(config, "workeroutput"):  # each process of pytest-xdist collects all, and its master nothing
        config.workeroutput[_LEFT_OUT] = len(left_out)


def _kept(cases: Sequence[Any]) -> list[Any]:
    """Return the cases of a test that always run, one by one that which adds most values, beside the least used."""
    marks = {case: case.get_closest_marker("full").kwargs for case in cases}
    kept = [case for number, case in enumerate(cases) if (every := marks[case].get("every")) and number % every == 0]
    wanted = {case: [(name, _value(case, name)) for name in marks[case].get("each", ())] for case in cases}
    missing = {value for values in wanted.values() for value in values}
    used = Counter[tuple[str, str]]()
    while missing:
        best = max(wanted, key=lambda case: (sum(one in missing for one in wanted[case]), -_uses(case, used)))
        kept.append(best)
        missing.difference_update(wanted.pop(best))
        used.update((name, _value(best, name)) for name in best.callspec.params)
    return kept


@functools.cache
def _value(case: Any, name: str) -> str:
    return repr(case.callspec.params[name])


def _uses(case: Any, used: Counter[tuple[str, str]]) -> int:
    return sum(used[name, _value(case, name)] for name in case.callspec.params)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    node.config.stash[_left_out] = getattr(node, "workeroutput", {}).get(_LEFT_OUT, 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if number := config.stash.get(_left_out, 0):
        terminalreporter.write_line(f"{number} of the largest tests were left out; --full runs them too")
