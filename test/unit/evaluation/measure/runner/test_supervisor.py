# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process that uses the device may hang, crash or talk nonsense: who was at work is named, the rest goes on."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.evaluation.measure.runner.processes.supervisor import Supervisor, TimeUp, UnusableDeviceError
from roller_mlir.evaluation.measure.runner.steps import Step

# Answers each step; what it does before is what a test says, in a language of a word and its argument.
WORKER = """
import json, os, sys, time
def say(**record):
    print(json.dumps(record), flush=True)
say(machine={"back_end": "cuda", "device": "scripted"})
for line in sys.stdin:
    step = json.loads(line)
    for who in ["ours", *step["peers"]]:
        say(doing=who, rank=step["ranks"][0])
        for when, act in (word.split("=") for word in sys.argv[1:]):
            if when != who: continue
            if act == "kill": os.kill(os.getpid(), 9)
            if act == "hang": time.sleep(6000)
            if act == "exit": sys.exit(3)
            if act == "nonsense": print("no JSON", flush=True)
            if act == "error": say(error="the device is gone")
    checks = [{"item": step["item"], "ok": True, "message": ",".join(step["peers"]) + f" {os.getpid()}"}]
    say(outcome={"step": step["item"], "checks": checks}, well="ours=unwell" not in sys.argv)
"""
STEP = Step(kind="time", item="x", ranks=(2,), peers=("torch", "triton"))
Make = Callable[..., Supervisor]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)

    def made(*acts: str, limit_s: float = 600.0, deadline: float | None = None) -> Supervisor:
        """Return a supervisor; the limit is for who hangs, and whoever else is at work has time."""
        hangs = {act.removesuffix("=hang") for act in acts if act.endswith("=hang")}

        class Patient(Supervisor):
            def _read(self, until: float, limit: float) -> dict[str, Any]:
                return super()._read(until + (0.0 if self._doing.who in hangs else 600.0), limit)

        return Patient([sys.executable, str(script), *acts], step_limit_s=limit_s, deadline=deadline)

    return made


def test_one_process_does_all(make: Make) -> None:
    with make() as supervisor:
        assert supervisor.start().device == "scripted"
        first, second = supervisor.do(STEP), supervisor.do(STEP)
    assert first == second and first.step == STEP.key and not first.troubles


def test_a_device_that_is_not_well_gets_another_process(make: Make) -> None:
    with make("ours=unwell") as supervisor:
        first, second = (supervisor.do(STEP).checks[0].message for _ in range(2))
    assert first.split()[0] == second.split()[0] and first != second


@pytest.mark.parametrize(
    ("act", "message"),
    [
        ("kill", "the process was ended by SIGKILL"),
        ("exit", "the process ended with exit code 3"),
        ("nonsense", "the process said what is no JSON: "),
        ("hang", "the process was ended: nothing was heard of it for 0.2 s"),
    ],
)
def test_what_of_ours_ends_it_costs_the_step(make: Make, act: str, message: str) -> None:
    with make(f"ours={act}", limit_s=0.2 if act == "hang" else 600.0) as supervisor:
        outcome = supervisor.do(STEP)
        (trouble,) = outcome.troubles
        assert (trouble.item, trouble.who) == ("x", "ours") and trouble.message.startswith(f"candidate 2: {message}")
        assert outcome.step == STEP.key and not outcome.checks
        checked = supervisor.do(Step(kind="check", item="x", ranks=(2,)))
        assert not checked.checks[0].ok and checked.checks[0].rank == 2
        assert checked.checks[0].message.startswith(f"ours: {message}")


@pytest.mark.parametrize("act", ["kill", "exit", "nonsense"])
def test_a_peer_that_ends_it_is_left_out(make: Make, act: str) -> None:
    with make(f"torch={act}") as supervisor:
        outcome = supervisor.do(STEP)
    assert [(one.item, one.who) for one in outcome.troubles] == [("x", "torch")]
    assert outcome.step == STEP.key and outcome.checks[0].message.startswith("triton ")


def test_peers_have_more_time(make: Make) -> None:
    with make("triton=hang", limit_s=0.05) as supervisor:
        outcome = supervisor.do(STEP)
    assert [(one.who, one.message) for one in outcome.troubles] == [
        ("triton", "the process was ended: nothing was heard of it for 0.2 s")
    ]
    assert outcome.checks[0].message.startswith("torch ")


def test_processes_that_all_die_are_an_error(make: Make) -> None:
    with make("ours=kill") as supervisor:
        for _ in range(4):
            supervisor.do(STEP)
        with pytest.raises(
            UnusableDeviceError, match="5 processes in a row did not survive; the last one was ended by SIGKILL"
        ):
            supervisor.do(STEP)


def test_what_the_device_says_is_passed_on(make: Make) -> None:
    with make("ours=error") as supervisor, pytest.raises(UnusableDeviceError, match="the device is gone"):
        supervisor.do(STEP)
    silent = Supervisor([sys.executable, "-c", "0"], step_limit_s=600, deadline=None)
    with (
        silent,
        pytest.raises(UnusableDeviceError, match="does not come up: the runner's process ended with exit code 0"),
    ):
        silent.start()


def test_the_time_limit_ends_a_step(make: Make) -> None:
    with make("ours=hang", deadline=time.monotonic() + 0.5) as supervisor:
        with pytest.raises(TimeUp):
            supervisor.do(STEP)
        with pytest.raises(TimeUp):
            supervisor.do(STEP)
