# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case: a program, a target and what is forced; and the job that tries it."""

from dataclasses import dataclass

from roller_mlir.evaluation.fuzz.forced import Forced
from roller_mlir.evaluation.fuzz.jobs.job import FuzzJob
from roller_mlir.evaluation.fuzz.program.program import Program
from roller_mlir.evaluation.fuzz.program.write import write_program
from roller_mlir.sim.options import SimulatorOptions


@dataclass(frozen=True)
class Case:
    """One test.

    Attributes:
        seed: Of the run.
        number: In the run.
        kind: What sort of program it is.
        program: The function.
        target: The device.
        values: "integers", "signs" or "normal".
        exact: Per result, whether kernel and reference must agree to the bit.
        forced: What the case forces.
        sanitize: Whether the simulator looks for races and uninitialised reads too.
        level: What the simulator executes: one of `sim.options.LEVELS`.
        only: Patterns of the kinds that were drawn from; () for all.
        oracle: What the reference is compared with instead of kernels: "iree"; "" where kernels are tried.
    """

    seed: int
    number: int
    kind: str
    program: Program
    target: str
    values: str
    exact: tuple[bool, ...]
    forced: Forced
    sanitize: bool = False
    level: str = SimulatorOptions.level
    only: tuple[str, ...] = ()
    oracle: str = ""


def job_of(case: Case) -> FuzzJob:
    """Return the job that tries a case.

    Raises:
        InvalidProgramError: The program has an extent below 1, or reads outside a tensor.
    """
    return FuzzJob(
        text=write_program(case.program),
        target=case.target,
        values=case.values,
        seed=case.number,
        exact=case.exact,
        forced=case.forced,
        sanitize=case.sanitize,
        level=case.level,
    )


def command_of(case: Case) -> str:
    """Return the command that tries a case again."""
    only = f" --only '{','.join(case.only)}'" if case.only else ""
    if case.oracle:
        return f"roller fuzz --seed {case.seed} --case {case.number}{only} --oracle {case.oracle} --no-kernels"
    more = f"{only} --sanitize {100 * case.sanitize} --llvm {100 * (case.level == 'llvm')}"
    return f"roller fuzz --seed {case.seed} --case {case.number} --target {case.target}{more}"
