# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `full` leaves out, and what it keeps; in processes of their own, as the configuration is of a whole process."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = Path(__file__).parents[2] / "conftest.py"
TESTS = """
import pytest
@pytest.mark.full(each=["name", "device"])
@pytest.mark.parametrize("device", ["x", "y"])
@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_both(name, device): print(name + device)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
def test_seeds(seed): pass
@pytest.mark.full(every=3)
@pytest.mark.parametrize("number", range(4))
def test_numbers(number): pass
@pytest.mark.full
def test_large(): pass
"""


@pytest.mark.full(every=2)
@pytest.mark.parametrize("processes", [(), ("--numprocesses=1",)], ids=["in one process", "in processes"])
def test_every_value_is_kept_and_the_rest_is_counted(pytester: pytest.Pytester, processes: tuple[str, ...]) -> None:
    pytester.makeconftest(CONFTEST.read_text())
    pytester.makeini("[pytest]\nmarkers = full")
    path = pytester.makepyfile(TESTS)
    quick = pytester.runpytest_subprocess("-rA", *processes, path)
    quick.assert_outcomes(passed=7, deselected=0 if processes else 8)
    quick.stdout.fnmatch_lines(["8 of the largest tests were left out; --full runs them too"])
    for one in ("a-x", "b-y", "c-x", "d-y"):
        quick.stdout.fnmatch_lines([f"PASSED *test_both[[]{one}]"])
    full = pytester.runpytest_subprocess("--full", *processes, path)
    full.assert_outcomes(passed=15)
    full.stdout.no_fnmatch_line("*left out*")
