# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CNNOpt's RS kernel: what a configuration of it does, in the performance model's terms.

The RS kernel: a block has 32 lanes along K and BH x BW subgroups over the image. Each thread keeps TK x TH x TW outputs
(the TK channels 32 apart) and the inputs that they need. Per input channel the block copies its input tile to workgroup
memory, one row per subgroup and pass, and waits; then a thread reads its inputs, the same ones for all lanes, and R x R
x TK weights straight from global memory, neighbours along K. The channels are split over CMult groups of blocks; every
block adds its outputs atomically, through workgroup memory, so that rows of the image are updated together. The kernel
is compiled for as many registers as its outputs and inputs need and one more: addresses and weights make it spill.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from roller_mlir.mapping.resources import tasks_per_unit
from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.machine import Machine

RS_COLUMNS = ("K", "H", "W", "C", "R", "TK", "TH", "TW", "BK", "BH", "BW", "CMult")
LANES = 32
WORD = 4

STEP_INSTRUCTIONS = 80
"""Instructions per thread and channel besides FMAs, loads of inputs and weights, and copies: 77 to 110 in the
disassembly of 320 tiles (ptxas 13.0, sm_75), copies included."""

COPY_INSTRUCTIONS = 20
"""Instructions per thread and row of the copied tile: address, mask, loop. Calibrated on the training rows."""

STORE_INSTRUCTIONS = 6
"""Instructions per thread and updated row of outputs: read, add atomically, address, loop."""

STORE_WAITS = 4
"""Dependent accesses per thread and updated row of outputs. Calibrated on the training rows."""

WEIGHTS_IN_FLIGHT = 3
"""Weights that a thread waits for together: as many as it has registers to spare. Calibrated on the training rows."""

COPIES_IN_FLIGHT = 2
"""Rows of the copied tile that a thread waits for together. Calibrated on the training rows."""

ADDRESS_REGISTERS = 14
"""Registers for addresses, counters and predicates. Not calibrated on times: with PASSES_PER_SPILL it has the smallest
mean error against the spilled accesses that ptxas 11.7 (sm_70, sm_75) and 13.0 (sm_75) give the 660 tiles of the
training rows (0.027 of the FMAs for R = 3, 0.040 for R = 1, where 0.053 and 0.114 are spilled)."""

ROW_REGISTERS = 25
"""Registers besides outputs and two rows of inputs with one channel per thread: addresses, and the 9 weights of a 3x3
filter. As ptxas 13.0 reports, within 20, for the tiles of R = 3."""

MINIMUM_REGISTERS = 24
"""Registers that the compiler takes however low its limit, as ptxas 11.7 and 13.0 report."""

PASSES_PER_SPILL = 0.25
"""Times that a missing register is spilled and reloaded per pass over the tile, of which there are TK x min(TH, R);
once where R = 1. See ADDRESS_REGISTERS."""

MAX_SPILL_COPIES = 4
"""Words of memory per missing register at most: the compiler spills different registers at different places."""


@dataclass(frozen=True)
class RsRow:
    """One configuration of the RS kernel, with the columns' names in lower case.

    Attributes:
        k: Output channels.
        h: Rows of the output.
        w: Columns of the output.
        c: Input channels.
        r: Height and width of the filter.
        tk: Output channels of a thread.
        th: Output rows of a thread.
        tw: Output columns of a thread.
        bk: Threads of a block along K, always 32.
        bh: Threads of a block along H.
        bw: Threads of a block along W.
        cmult: Groups of blocks that share the input channels.
        stride: 1 or 2.
    """

    extents: ClassVar[tuple[str, ...]] = ("k", "h", "w", "c", "r", "stride")

    k: int
    h: int
    w: int
    c: int
    r: int
    tk: int
    th: int
    tw: int
    bk: int
    bh: int
    bw: int
    cmult: int
    stride: int = 1

    def fault(self) -> str:
        """Return the rule that the row breaks, "" for none."""
        extents = {"C": (self.c, self.cmult, "CMult"), "K": (self.k, self.bk * self.tk, "BK * TK")}
        extents["H"] = self.h, self.bh * self.th, "BH * TH"
        extents["W"] = self.w, self.bw * self.tw, "BW * TW"
        for name, (extent, tile, tile_name) in extents.items():
            if extent % tile:
                return f"{tile_name} = {tile} must divide {name} = {extent}"
        return "" if self.bk == LANES else f"BK must be {LANES}, the lanes of the kernel's subgroups, but got {self.bk}"

    def inputs(self, outputs: int) -> int:
        """Return how many neighbouring inputs so many neighbouring outputs need."""
        return self.stride * (outputs - 1) + self.r

    @cached_property
    def subgroups(self) -> int:
        """Subgroups of a block."""
        return self.bh * self.bw

    @cached_property
    def outputs(self) -> int:
        """Outputs of a thread."""
        return self.tk * self.th * self.tw

    @cached_property
    def own_inputs(self) -> int:
        """Inputs of a thread and channel."""
        return self.inputs(self.th) * self.inputs(self.tw)

    @cached_property
    def blocks(self) -> int:
        """Blocks of the launch."""
        return self.channel_blocks * (self.h // (self.bh * self.th)) * (self.w // (self.bw * self.tw)) * self.cmult

    @cached_property
    def channel_blocks(self) -> int:
        """Blocks that read the same input tile for different output channels."""
        return self.k // (self.bk * self.tk)

    @cached_property
    def register_limit(self) -> int:
        """Registers that the kernel is compiled for."""
        limit = self.outputs + self.own_inputs + (1 if self.stride == 1 else 3)
        return min(max(limit, MINIMUM_REGISTERS), 255)

    @cached_property
    def registers(self) -> int:
        """Registers that the kernel uses: all that it may, but with one channel per thread two rows of inputs do."""
        if self.tk > 1:
            return self.register_limit
        return min(self.register_limit, self.outputs + 2 * self.stride * self.inputs(self.tw) + ROW_REGISTERS)

    @cached_property
    def missing_registers(self) -> int:
        """Registers short of what the kernel holds at a time: outputs, addresses, and inputs or weights.

        The compiler either keeps all inputs and loads weights one by one, or goes through the inputs row by row (for R
        = 1 one by one) and keeps the weights of the filter rows that use them.
        """
        row = 1 if self.r == 1 else self.inputs(self.tw)
        held = min(self.own_inputs + 1, row + self.r * self.tk * min(self.th, self.r))
        return max(0, self.outputs + held + ADDRESS_REGISTERS - self.register_limit)

    @cached_property
    def spill_passes(self) -> float:
        """How often a missing register is stored and loaded per channel."""
        return 1.0 if self.r == 1 else max(1.0, PASSES_PER_SPILL * self.tk * min(self.th, self.r))

    @cached_property
    def workgroup_bytes(self) -> int:
        """Workgroup memory of a block: the input tile of a channel, and outputs with a column of padding."""
        columns, rows = self.bw * self.tw, self.bh * self.th
        return WORD * (self.inputs(rows) * self.inputs(columns) + rows * columns * (LANES + 1))

    @cached_property
    def input_vector(self) -> int:
        """Inputs per load of a thread from workgroup memory: 4, 2 or 1, as all rows are aligned."""
        columns = self.inputs(self.bw * self.tw)
        for width in (4, 2):
            aligned = columns % width == 0 and (self.bw == 1 or self.stride * self.tw % width == 0)
            if aligned and self.inputs(self.tw) >= width:
                return width
        return 1


def rs_work(row: RsRow, machine: Machine) -> CandidateWork | None:
    """Return what a configuration does on a machine, None where a unit cannot hold a block of it."""
    device = machine.device
    threads = LANES * row.subgroups
    if tasks_per_unit(device, threads, MINIMUM_REGISTERS, row.workgroup_bytes) == 0:
        return None
    # The rows are of kernels that ran: where the registers estimated leave no room for a block, it used fewer.
    resident = max(1, tasks_per_unit(device, threads, row.registers, row.workgroup_bytes))
    rows, columns = row.bh * row.th, row.bw * row.tw
    filters = row.r * row.r
    fmas, weights = filters * row.outputs, filters * row.tk
    reads = row.inputs(row.th) * -(-row.inputs(row.tw) // row.input_vector)
    copies = -(-row.inputs(rows) // row.subgroups)
    updates = row.tk * LANES * -(-rows // row.subgroups)
    together = min(resident, -(-row.blocks // machine.units)) * machine.units
    return CandidateWork(
        tasks=row.blocks,
        steps=row.c // row.cmult,
        threads=threads,
        resident=resident,
        math=fmas,
        issue=fmas + weights + reads + COPY_INSTRUCTIONS * copies + STEP_INSTRUCTIONS,
        phases=row.subgroups * (weights + reads + 2 * copies),
        load_rounds=weights / WEIGHTS_IN_FLIGHT,
        staged=True,
        stages=1,
        alternates=True,
        tail_issue=row.outputs + STORE_INSTRUCTIONS * updates,
        tail_phases=row.subgroups * (row.outputs + 2 * updates),
        tail_waits=STORE_WAITS * updates,
        cache_bytes=row.blocks * (row.c // row.cmult) * row.inputs(rows) * row_bytes(row.inputs(columns), machine),
        global_bytes=_global_bytes(row, machine, together),
        copy_rounds=copies / COPIES_IN_FLIGHT,
        workgroup_bytes=row.workgroup_bytes,
        shared_bytes=weights * LANES * WORD,
        shared_sets=row.channel_blocks * row.cmult,
        spilled_accesses=2 * row.missing_registers * row.spill_passes,
        spilled_words=row.missing_registers * min(row.spill_passes, MAX_SPILL_COPIES),
        atomic_bytes=row.blocks * row.tk * LANES * rows * row_bytes(columns, machine),
    )


def row_bytes(elements: int, machine: Machine) -> float:
    """Return the bytes of the sectors that neighbouring elements touch, as a mean over where they start."""
    return elements * WORD + machine.sector_bytes - WORD


def _global_bytes(row: RsRow, machine: Machine, together: int) -> float:
    """Return the bytes that reach global memory, spills apart.

    Inputs are read once with the halo of the image region that the blocks cover that run together; weights once per
    round of blocks; either once where half of the last cache holds it. Outputs are read and written.
    """
    half = machine.cache_bytes // 2
    inputs = WORD * row.c * row.inputs(row.h) * row.inputs(row.w)
    weights = WORD * row.k * row.c * row.r * row.r
    sets = row.channel_blocks * row.cmult
    across = row.w // (row.bw * row.tw)
    wide = min(max(together / sets, 1.0), across)
    high = max(together / (sets * across), 1.0)
    halo = row.r - row.stride
    columns, lines = wide * row.bw * row.tw * row.stride, high * row.bh * row.th * row.stride
    total = float(2 * WORD * row.k * row.h * row.w)
    if inputs <= half:
        total += inputs
    else:
        total += inputs * (1 + halo / columns) * (1 + halo / lines) * max(1.0, row.channel_blocks / together)
    rounds = max(1.0, row.blocks / together) * min(1.0, together / sets)
    return total + weights * (1.0 if weights <= half else max(1.0, rounds))
