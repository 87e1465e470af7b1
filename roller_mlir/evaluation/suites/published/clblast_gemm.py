# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CLBlast's Xgemm kernel (GEMMK = 0): what a configuration of it does, in the performance model's terms.

A block has MDIMC x NDIMC threads and MWG x NWG results; each thread keeps MWG / MDIMC x NWG / NDIMC of them. Both
operands lie with K as the slower dimension. In a step of KWG along K the block copies its part of A to workgroup memory
where SA is 1, in rows of MDIMA threads and vectors of VWM elements, and waits; likewise of B, with SB, NDIMB, VWN. Then
each thread reads, for each k, its vectors of both operands, from there or else straight from global memory, and waits
again before the next step. What a thread reads lies side by side where STRM (STRN) is 0, else MDIMC (NDIMC) vectors
apart. Nothing is prefetched. Read from xgemm_part1 to xgemm_part3 of CLBlast (github.com/CNugteren/CLBlast).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from roller_mlir.mapping.layout.bank_phases import phases
from roller_mlir.mapping.resources import tasks_per_unit
from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.machine import Machine

XGEMM_COLUMNS = (
    *("MWG", "NWG", "KWG", "MDIMC", "NDIMC", "MDIMA", "NDIMB", "KWI", "VWM", "VWN", "STRM", "STRN", "SA", "SB"),
    "PRECISION",
)
EXTENT = 4096
"""Of each of M, N and K in the published measurements, whose files do not say it."""

WORD = 4
WIDEST = 4
"""Elements of the widest access of a thread; a vector of 8 takes two."""

COPY_INSTRUCTIONS = 7
"""Instructions per vector that a thread copies: load, store, and the address, whose parts the kernel computes anew.
Not calibrated."""

STEP_INSTRUCTIONS = 15
"""Instructions per thread and step besides: barriers and the loop. Not calibrated."""

LOOP_INSTRUCTIONS = 4
"""Instructions per thread and pass of the inner loop, of which there are KWG / KWI. Not calibrated."""

ADDRESS_REGISTERS = 24
"""Registers for addresses and counters. Not calibrated; that of the model for kernels of ours."""

MINIMUM_REGISTERS = 24
"""Registers that a compiler takes however few are needed; a block that does not fit with them fits with none."""


@dataclass(frozen=True)
class XgemmRow:
    """One configuration, with the columns' names in lower case."""

    extents: ClassVar[tuple[str, ...]] = ("precision",)

    mwg: int
    nwg: int
    kwg: int
    mdimc: int
    ndimc: int
    mdima: int
    ndimb: int
    kwi: int
    vwm: int
    vwn: int
    strm: int
    strn: int
    sa: int
    sb: int
    precision: int

    def fault(self) -> str:
        """Return the rule that the row breaks, "" for none."""
        if self.precision != 8 * WORD:
            return f"PRECISION must be {8 * WORD}, but got {self.precision}"
        for name, switch in (("STRM", self.strm), ("STRN", self.strn), ("SA", self.sa), ("SB", self.sb)):
            if switch not in (0, 1):
                return f"{name} must be 0 or 1, but got {switch}"
        divided = {
            "MDIMC * VWM": (self.mdimc * self.vwm, "MWG", self.mwg),
            "NDIMC * VWN": (self.ndimc * self.vwn, "NWG", self.nwg),
            "MDIMA * VWM": (self.mdima * self.vwm, "MWG", self.mwg),
            "NDIMB * VWN": (self.ndimb * self.vwn, "NWG", self.nwg),
            "MDIMA": (self.mdima, "MDIMC * NDIMC", self.threads),
            "NDIMB": (self.ndimb, "MDIMC * NDIMC", self.threads),
            "KWI": (self.kwi, "KWG", self.kwg),
            "MWG": (self.mwg, "M", EXTENT),
            "NWG": (self.nwg, "N", EXTENT),
            "KWG": (self.kwg, "K", EXTENT),
        }
        for name, (part, of, whole) in divided.items():
            if whole % part:
                return f"{name} = {part} must divide {of} = {whole}"
        for name, side in (("MDIMA", self.mdima), ("NDIMB", self.ndimb)):
            if self.kwg % (self.threads // side):
                return f"MDIMC * NDIMC / {name} = {self.threads // side} must divide KWG = {self.kwg}"
        return ""

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.mdimc * self.ndimc

    @property
    def staged(self) -> str:
        """Which operands go through workgroup memory."""
        return {(True, True): "both", (False, False): "neither"}.get((bool(self.sa), bool(self.sb)), "one")


@dataclass(frozen=True)
class _Side:
    """What one operand costs a block in a step.

    Attributes:
        reads: Accesses of a thread in the inner loop.
        copies: Vectors that a thread copies, in accesses.
        moving: Words of them, which are in registers on their way.
        passes: Passes of a subgroup through workgroup memory and the first cache.
        elements: Elements of the block.
        staged: Whether they go through workgroup memory.
    """

    reads: int
    copies: int
    moving: int
    passes: int
    elements: int
    staged: bool


def xgemm_work(row: XgemmRow, machine: Machine) -> CandidateWork | None:
    """Return what a configuration does on a machine, None where a unit cannot hold a block of it."""
    device, threads = machine.device, row.threads
    most = device.max_registers_per_thread
    first = _side(machine, row.mwg, row.kwg, row.mdima, row.vwm, row.mdimc, threads, row.strm, row.sa, across=True)
    second = _side(machine, row.nwg, row.kwg, row.ndimb, row.vwn, row.ndimc, threads, row.strn, row.sb, across=False)
    sides = first, second
    direct = [side for side in sides if not side.staged]
    copies, moving = sum(side.copies for side in sides), sum(side.moving for side in sides)
    results_m, results_n = row.mwg // row.mdimc, row.nwg // row.ndimc
    results = results_m * results_n
    kept = results + results_m + results_n + ADDRESS_REGISTERS
    size = WORD * sum(side.elements for side in sides if side.staged)
    if tasks_per_unit(device, threads, MINIMUM_REGISTERS, size) == 0:
        return None
    # The rows are of kernels that ran: where the registers estimated leave no room for a block, it used fewer.
    resident = max(1, tasks_per_unit(device, threads, min(kept + moving, most), size))
    subgroups = -(-threads // device.subgroup_size)
    tasks, steps = (EXTENT // row.mwg) * (EXTENT // row.nwg), EXTENT // row.kwg
    math, missing = results * row.kwg, max(0, kept - most)
    passes = row.kwg // row.kwi
    return CandidateWork(
        tasks=tasks,
        steps=steps,
        threads=threads,
        resident=resident,
        math=math,
        issue=math
        + sum(side.reads for side in sides)
        + COPY_INSTRUCTIONS * copies
        + LOOP_INSTRUCTIONS * passes
        + STEP_INSTRUCTIONS,
        phases=subgroups * sum(side.passes for side in sides),
        load_rounds=passes if direct else 0,
        staged=len(direct) < len(sides),
        stages=1,
        alternates=True,
        tail_issue=2 * results,
        tail_phases=results * subgroups,
        tail_waits=0,
        cache_bytes=WORD * (tasks * steps * sum(side.elements for side in sides if side.staged) + 2 * EXTENT * EXTENT),
        global_bytes=_global_bytes(row, machine, resident, tasks),
        workgroup_bytes=size,
        shared_bytes=WORD * sum(side.elements for side in direct),
        shared_sets=tasks if len(direct) == len(sides) else EXTENT // (row.nwg if first.staged else row.mwg),
        spilled_accesses=missing * row.kwg / 4,
        spilled_words=missing,
    )


@lru_cache(maxsize=4096)
def _side(
    machine: Machine,
    tile: int,
    depth: int,
    copying: int,
    vector: int,
    lanes: int,
    threads: int,
    apart: int,
    staged: int,
    *,
    across: bool,
) -> _Side:
    """Return what an operand costs.

    Args:
        machine: The machine.
        tile: Elements of the block's part for each k.
        depth: Values of k in a step.
        copying: Threads that copy neighbouring vectors.
        vector: Elements of a vector.
        lanes: Threads of the block that read different elements.
        threads: Threads of the block.
        apart: Whether the vectors of a thread lie apart.
        staged: Whether the operand goes through workgroup memory.
        across: Whether neighbouring threads are such `lanes`; otherwise all threads of the other side lie between.
    """
    width, pieces = WORD * min(vector, WIDEST), range(0, vector, WIDEST)
    group = range(min(machine.device.subgroup_size, threads))
    between = 1 if across else threads // lanes
    per = tile // lanes // vector
    reads = [
        [WORD * (_vector(one, lane // between % lanes, per, lanes, apart) * vector + piece) for lane in group]
        for one in range(per)
        for piece in pieces
    ]
    if not staged:
        return _Side(
            depth * len(reads), 0, 0, depth * sum(_sectors(at, width, machine) for at in reads), depth * tile, False
        )
    passes = depth * sum(phases(at, width, machine.banks, load=True) for at in reads)
    rows, per = depth * copying // threads, tile // copying // vector
    copies = 0
    for one in range(per):
        starts = [_vector(one, lane % copying, per, copying, apart) * vector for lane in group]
        for row in range(rows):
            lines = [lane // copying * rows + row for lane in group]
            for piece in pieces:
                places = [(line, start + piece) for line, start in zip(lines, starts, strict=True)]
                copies += 1
                passes += _sectors([WORD * (line * EXTENT + at) for line, at in places], width, machine)
                passes += phases([WORD * (line * tile + at) for line, at in places], width, machine.banks, load=False)
    return _Side(depth * len(reads), copies, copies * min(vector, WIDEST), passes, depth * tile, True)


def _vector(one: int, thread: int, per: int, threads: int, apart: int) -> int:
    """Return the number of a thread's vector in the block's part."""
    return one * threads + thread if apart else thread * per + one


def _sectors(addresses: Iterable[int], width: int, machine: Machine) -> int:
    """Return the passes through the first cache of an access of a subgroup: as many sectors as a row of banks holds."""
    sectors = {at // machine.sector_bytes for start in addresses for at in (start, start + width - 1)}
    return -(-len(sectors) * machine.sector_bytes // machine.phase_bytes)


def _global_bytes(row: XgemmRow, machine: Machine, resident: int, tasks: int) -> float:
    """Return the bytes that reach global memory: each operand as often as the tasks that run together share none of it.

    Tasks go along M first. A matrix that half of the last cache holds is read once.
    """
    matrix = WORD * EXTENT * EXTENT
    together = machine.units * resident
    down, across = EXTENT // row.mwg, EXTENT // row.nwg
    waves = tasks / together
    read = [
        max(matrix, WORD * EXTENT * row.mwg * min(down, together) * waves),
        max(matrix, WORD * EXTENT * row.nwg * max(1, min(across, together // down)) * waves),
    ]
    if matrix <= machine.cache_bytes // 2:
        read = [matrix, matrix]
    copied = WORD * tasks * EXTENT * (row.mwg + row.nwg)
    return min(copied, sum(read)) + 2 * matrix
