# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers of the suite's kernels as the vendors' assemblers count them: no spills, within the plan. No speed."""

from datetime import date

import pytest

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.evaluation.suites.tables.find import find_suite
from roller_mlir.runtime import Artifact

OPERATORS = {operator.id: operator for operator in find_suite("roller119")}

HARDEST = ("C0", "C1", "D0", "D4", "D17", "P9")
"""Operators whose kernels spilled before fragments of windows were counted."""

SAMPLE = 4
"""Further operators of each day."""


def compiled(name: str, target: str, *, disassemble: bool = False) -> Artifact:
    source = Source("-", function_text(OPERATORS[name], None))
    return compile_source(source, target, CompileOptions(disassemble=disassemble))


def of_today(target: str) -> list[str]:
    """Other operators every day, so that all are looked at within a month."""
    names = [name for name in OPERATORS if name not in HARDEST]
    first = (date.today().toordinal() * SAMPLE + len(target)) % len(names)
    return (names * 2)[first : first + SAMPLE]


@pytest.mark.full(every=21)
@pytest.mark.parametrize("target", ["h200", "a100", "mi300x"])
@pytest.mark.parametrize("which", [*HARDEST, "today"])
def test_no_kernel_spills(which: str, target: str) -> None:
    for name in of_today(target) if which == "today" else [which]:
        for kernel in compiled(name, target).kernels:
            assert kernel.statistics.spill_bytes == 0, (name, kernel.name, kernel.statistics.registers)


@pytest.mark.full
def test_m3_on_sm_90a() -> None:
    """The largest matmul of the suite: multiply-adds are all but a tenth of its loop."""
    (kernel,) = compiled("M3", "h200", disassemble=True).kernels
    statistics, plan = kernel.statistics, kernel.plan
    loop = statistics.main_loop
    assert loop["FFMA"] / sum(loop.values()) >= 0.895, loop
    shared_bytes = 16 * loop.get("LDS.128", 0) + 8 * loop.get("LDS.64", 0) + 4 * loop.get("LDS", 0)
    assert loop["FFMA"] / shared_bytes >= 1.0
    assert statistics.registers is not None
    assert statistics.registers <= 128
    assert statistics.spill_bytes == 0
    assert plan is not None
    assert plan.prediction is not None
    # Without conflicts: a phase moves 128 B to or from 32 banks.
    assert plan.prediction.shared_load_phases * 128 <= plan.prediction.shared_load_bytes
