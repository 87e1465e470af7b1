# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CNNOpt's S kernel: what a configuration of it does, in the performance model's terms.

A thread keeps TK x TW outputs of one row (TH is 1); a subgroup has WH x WW x WK lanes and a block BH x BW x BK
subgroups, threads along K first. Per input channel the block copies the input tile (two elements a thread) and the
weights of its output channels (32 a subgroup) of the next channel to the other of two buffers, and waits for them
before it computes: the second buffer saves a barrier, not the wait. A thread reads a row of inputs per filter row, and
its weights in pairs. Outputs are stored plainly, through workgroup memory, one channel of each thread at a time. The
kernel is compiled for 128 registers or what its outputs and a row of inputs need.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from roller_mlir.evaluation.suites.published.cnnopt_rs import (
    COPIES_IN_FLIGHT,
    COPY_INSTRUCTIONS,
    LANES,
    MINIMUM_REGISTERS,
    STEP_INSTRUCTIONS,
    STORE_INSTRUCTIONS,
    STORE_WAITS,
    WORD,
    row_bytes,
)
from roller_mlir.mapping.resources import tasks_per_unit
from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.machine import Machine

S_COLUMNS = ("K", "H", "W", "C", "R", "TH", "TW", "TK", "WH", "WW", "WK", "BH", "BW", "BK")
REGISTERS = 128

OTHER_REGISTERS = 40
"""Registers besides outputs and a row of inputs: addresses, copies on their way, the next weights. As ptxas 13.0 gives
six tiles on sm_75: 36 to 41 where the limit is not reached."""


@dataclass(frozen=True)
class SRow:
    """One configuration of the S kernel, with the columns' names in lower case.

    Attributes:
        k: Output channels.
        h: Rows of the output.
        w: Columns of the output.
        c: Input channels.
        r: Height and width of the filter.
        th: Output rows of a thread, always 1.
        tw: Output columns of a thread.
        tk: Output channels of a thread.
        wh: Lanes of a subgroup along H.
        ww: Lanes of a subgroup along W.
        wk: Lanes of a subgroup along K.
        bh: Subgroups of a block along H.
        bw: Subgroups of a block along W.
        bk: Subgroups of a block along K.
    """

    extents: ClassVar[tuple[str, ...]] = ("k", "h", "w", "c", "r")

    k: int
    h: int
    w: int
    c: int
    r: int
    th: int
    tw: int
    tk: int
    wh: int
    ww: int
    wk: int
    bh: int
    bw: int
    bk: int

    def fault(self) -> str:
        """Return the rule that the row breaks, "" for none."""
        if self.wh * self.ww * self.wk != LANES:
            return f"WH * WW * WK must be {LANES}, the lanes of a subgroup, but is {self.wh * self.ww * self.wk}"
        for name, extent, block in (
            ("K", self.k, self.channels),
            ("H", self.h, self.rows),
            ("W", self.w, self.columns),
        ):
            if extent % block:
                return f"T{name} * W{name} * B{name} = {block} must divide {name} = {extent}"
        return ""

    @cached_property
    def channels(self) -> int:
        """Output channels of a block."""
        return self.tk * self.wk * self.bk

    @cached_property
    def rows(self) -> int:
        """Output rows of a block."""
        return self.th * self.wh * self.bh

    @cached_property
    def columns(self) -> int:
        """Output columns of a block."""
        return self.tw * self.ww * self.bw

    @cached_property
    def subgroups(self) -> int:
        """Subgroups of a block."""
        return self.bh * self.bw * self.bk

    @cached_property
    def tile_inputs(self) -> int:
        """Inputs of a block and channel."""
        return (self.rows + self.r - 1) * (self.columns + self.r - 1)

    @cached_property
    def workgroup_bytes(self) -> int:
        """Workgroup memory of a block: inputs and weights twice, and outputs of one channel per thread."""
        weights = self.r * self.r * self.channels
        return WORD * (2 * self.tile_inputs + 2 * weights + self.rows * self.columns * self.wk * self.bk)

    @cached_property
    def kept_registers(self) -> int:
        """Registers for outputs, a row of inputs and a pair of weights, as the kernel's authors count them."""
        return self.th * self.tw * self.tk + self.tw + self.r - 1 + 2

    @cached_property
    def needed_registers(self) -> int:
        """Registers without which something is spilled: of a row of inputs, a load and what the filter still overlaps.

        Where registers are short the compiler loads a row piece by piece; it cannot do without the outputs.
        """
        inputs = min(self.tw + self.r - 1, self.input_vector + self.r - 1)
        return self.th * self.tw * self.tk + inputs + 2

    @cached_property
    def input_vector(self) -> int:
        """Inputs per load of a thread from workgroup memory: 4, 2 or 1, as all rows are aligned."""
        for width in (4, 2):
            if (self.columns + self.r - 1) % width == 0 and (self.tw % width == 0 or self.columns == self.tw):
                return width
        return 1


def s_work(row: SRow, machine: Machine) -> CandidateWork | None:
    """Return what a configuration does on a machine, None where a unit cannot hold a block of it."""
    device, threads = machine.device, LANES * row.subgroups
    if tasks_per_unit(device, threads, MINIMUM_REGISTERS, row.workgroup_bytes) == 0:
        return None
    limit = min(255, max(REGISTERS, row.kept_registers))
    registers = min(row.kept_registers + OTHER_REGISTERS, limit)
    resident = max(1, tasks_per_unit(device, threads, registers, row.workgroup_bytes))
    filters = row.r * row.r
    fmas, weights = filters * row.th * row.tw * row.tk, filters * -(-row.tk // (2 if row.tk % 4 else 4))
    reads = row.r * -(-(row.tw + row.r - 1) // row.input_vector)
    # Lanes along K read weights TK words apart.
    phases = max(1.0, min(LANES, row.wk * row.bk) * min(row.tk, LANES) / LANES)
    input_copies = -(-(row.tile_inputs // 2) // threads)
    weight_copies = -(-filters // row.subgroups) * -(-row.channels // LANES)
    copies = input_copies + weight_copies
    blocks = (row.k // row.channels) * (row.h // row.rows) * (row.w // row.columns)
    stores = row.tk * row.wk * row.bk * -(-row.rows * row.columns // threads)
    missing = max(0, row.needed_registers + OTHER_REGISTERS - limit)
    step_bytes = row_bytes(row.tile_inputs, machine) + WORD * filters * row.channels
    output = WORD * row.k * row.h * row.w
    return CandidateWork(
        tasks=blocks,
        steps=row.c,
        threads=threads,
        resident=resident,
        math=fmas,
        issue=fmas + weights + reads + COPY_INSTRUCTIONS * copies + STEP_INSTRUCTIONS,
        phases=row.subgroups * (weights * phases + reads + 3 * input_copies + 2 * weight_copies),
        load_rounds=0,
        staged=True,
        stages=1,
        alternates=True,
        tail_issue=row.tk * row.tw + STORE_INSTRUCTIONS * stores,
        tail_phases=row.subgroups * (row.tk * row.tw + 2 * stores),
        tail_waits=STORE_WAITS * stores,
        cache_bytes=blocks * row.c * step_bytes + output,
        global_bytes=_global_bytes(row, machine, min(resident, -(-blocks // machine.units)) * machine.units),
        copy_rounds=copies / COPIES_IN_FLIGHT,
        workgroup_bytes=row.workgroup_bytes,
        spilled_accesses=2.0 * missing * row.r,
        spilled_words=missing,
    )


def _global_bytes(row: SRow, machine: Machine, together: int) -> float:
    """Return the bytes that reach global memory: the output once, inputs and weights as often as rounds of blocks."""
    half = machine.cache_bytes // 2
    inputs = WORD * row.c * (row.h + row.r - 1) * (row.w + row.r - 1)
    weights = WORD * row.k * row.c * row.r * row.r
    sets = row.k // row.channels
    images = max(together / sets, 1.0) * row.rows
    total = float(WORD * row.k * row.h * row.w)
    total += inputs if inputs <= half else inputs * (1 + (row.r - 1) / images) * max(1.0, sets / together)
    rounds = max(1.0, sets * (row.h // row.rows) * (row.w // row.columns) / together)
    return total + weights * (1.0 if weights <= half else rounds * min(1.0, together / sets))
