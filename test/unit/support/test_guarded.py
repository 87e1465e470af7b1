# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work in a child process."""

import faulthandler
import os
import signal

import pytest

from roller_mlir.support import stage
from roller_mlir.tools.opt.guarded import run_guarded


def _unexpected(name: str) -> int:
    raise AssertionError(name)


def test_the_exit_code_comes_back() -> None:
    assert run_guarded(lambda: 7, _unexpected) == 7


def test_output_appears(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        os.write(1, b"hello")
        return 0

    assert run_guarded(work, _unexpected) == 0
    assert capfd.readouterr().out == "hello"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_is_named(number: signal.Signals) -> None:
    names: list[str] = []

    def work() -> int:
        faulthandler.disable()  # pytest's would print every frame
        os.kill(os.getpid(), number)
        return 0

    assert run_guarded(work, lambda name: names.append(name) or 70) == 70
    assert names == [number.name]


def test_a_crash_tells_its_stage_and_its_input() -> None:
    def work() -> int:
        faulthandler.disable()
        stage.keep_input("a longer program")
        stage.keep_input("func.func @\N{GREEK SMALL LETTER ALPHA}()")
        with stage.during("one stage"):
            with stage.during("a stage inside"):
                pass
            os.kill(os.getpid(), signal.SIGSEGV)
        return 0

    assert run_guarded(work, lambda name: 70) == 70
    assert (stage.last(), stage.kept_input()) == ("one stage", "func.func @\N{GREEK SMALL LETTER ALPHA}()")
    assert run_guarded(lambda: 7, _unexpected) == 7
    assert stage.kept_input() == "", "of an earlier child"


def test_an_interrupt_is_no_crash() -> None:
    def work() -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return 0

    assert run_guarded(work, _unexpected) == 130


def test_an_exception_of_the_work_is_a_bug() -> None:
    def work() -> int:
        raise KeyError

    assert run_guarded(work, _unexpected) == 70


def test_a_broken_pipe_ends_like_the_signal() -> None:
    def work() -> int:
        raise BrokenPipeError

    assert run_guarded(work, _unexpected) == 141
