# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is sent to a worker process and what comes back; no MLIR is needed to make or read either."""

import re
from dataclasses import dataclass, field

from roller_mlir.evaluation.fuzz.forced import Forced
from roller_mlir.sim.options import SimulatorOptions


@dataclass(frozen=True)
class FuzzJob:
    """A program to try.

    Attributes:
        text: The function.
        target: The device.
        values: "integers", "signs" or "normal".
        seed: Of the inputs and of the order of threads.
        exact: Per result, whether kernel and reference must agree to the bit.
        forced: Options of the compilation.
        sanitize: Whether the simulator looks for races and uninitialised reads too.
        level: What the simulator executes: one of `sim.options.LEVELS`.
    """

    text: str
    target: str
    values: str
    seed: int
    exact: tuple[bool, ...]
    forced: Forced = field(default_factory=Forced)
    sanitize: bool = False
    level: str = SimulatorOptions.level


@dataclass(frozen=True)
class FuzzOutcome:
    """What became of a job.

    Attributes:
        status: "equal" or "close" (it holds), "refused" (located, for a known reason), "unanswered" (another oracle
            says nothing of it), or a failure: "wrong", "fault" (the simulator found one), "unlocated" (a refusal
            without a place), "unknown refusal", "internal" (an exception of ours), "crash" (the process died), "hang"
            (it did not end).
        message: What happened; of a refusal, its text.
        reason: Class of a refusal, or why there is no answer.
        compile_s: Time of the compilation.
        run_s: Time of the simulator on this machine.
        kernels: How many kernels there are.
        options: What was forced, as `roller run` takes it.
        families: Families of the instructions of its kernels, each once.
    """

    status: str
    message: str = ""
    reason: str = ""
    compile_s: float = 0.0
    run_s: float = 0.0
    kernels: int = 0
    options: str = ""
    families: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether this is something to mend."""
        return self.status not in ("equal", "close", "refused", "unanswered")

    def same_failure(self, other: "FuzzOutcome") -> bool:
        """Return whether another outcome shows the same mistake, as far as one can tell."""
        return self.status == other.status and self.signature() == other.signature()

    def signature(self) -> str:
        """Return the message without what changes from one program to another: names, places and numbers."""
        if self.status == "wrong":
            return "expects no number" if "expected nan" in self.message else ""
        if self.status == "internal":
            return self.message.split(":")[0]
        return re.sub(r"\d+", "", re.sub(r"\(.*\)|'[^']*'|\S*/\S*", "", self.message.split("\n")[0]))
