# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the fault that a launch left in its records into a SimulationError."""

from collections import Counter
from typing import Any

import numpy as np

from roller_mlir.sim.diagnosis.errors import Position, SimulationError, StuckWait
from roller_mlir.sim.engine.layout import MOST_CLOCK_BYTES, LaunchFault, State
from roller_mlir.sim.engine.sites import Site, SiteTable
from roller_mlir.sim.hopper.faults import HOPPER_FAULTS, hopper_fault
from roller_mlir.sim.llvm.faults import LLVM_FAULTS, llvm_fault

_MOST_POSITIONS = 8
_MOST_WAITS = 4
_DOING = {
    State.READY: "past",
    State.BARRIER: "waiting at",
    State.SUBGROUP: "waiting for their subgroup at",
    State.SPIN: "spinning in",
    State.DONE: "at the end",
    State.FAULT: "stopped at",
    State.PREEMPTED: "running in",
    State.LOG_FULL: "past",
    State.MBARRIER: "waiting for the mbarrier at",
    State.NAMED_BARRIER: "waiting at",
    State.WARPGROUP: "waiting for their warpgroup at",
}

_TEXTS = {
    LaunchFault.VIEW: (
        "out-of-bounds",
        "a view of {1} from {0} on is outside the {2} that are there: {who} at {where}",
    ),
    LaunchFault.POINTER: (
        "out-of-bounds",
        "{1} bytes at address {0:#x} are in no argument and no workgroup memory: {who} at {where}",
    ),
    LaunchFault.DIVERGENT_BARRIER: (
        "divergent-barrier",
        "not all threads of block {block} reached the barrier {where}: {stand}",
    ),
    LaunchFault.DIVERGENT_SUBGROUP: (
        "divergent-subgroup",
        "{who} did not take part in {where}, which needs it: {stand}",
    ),
    LaunchFault.INCOMPLETE_SUBGROUP: (
        "divergent-subgroup",
        "{where} needs a whole subgroup, but the last one of the block has fewer lanes: {who}",
    ),
    LaunchFault.MIXED_OPERANDS: (
        "divergent-subgroup",
        "{who} has operands of its own at {where}, which needs the same in all lanes",
    ),
    LaunchFault.COPIES: (
        "too-many-copies",
        "more asynchronous copies are under way than the simulator keeps: {who} at {where}",
    ),
    LaunchFault.CLOCKS: (
        "too-many-clocks",
        f"threads and addresses know more different things of each other than fit the {MOST_CLOCK_BYTES >> 20} MiB "
        f"that the sanitizer has for it; launch fewer blocks, or synchronise through fewer addresses",
    ),
    LaunchFault.SPINS: ("deadlock", "all threads that are left spin for ever: {wait}{stand}"),
    LaunchFault.TIMEOUT: ("timeout", "did not end within {budget}: {wait}{stand}"),
}
"""Kind and message, in which numbers stand for what the check noted, and names for what `make_error` knows."""


def positions(
    table: SiteTable, blocks: list[tuple[tuple[int, int, int], "np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]]
) -> tuple[Position, ...]:
    """Return where threads stand, most threads of a place first.

    Args:
        table: The module's sites.
        blocks: Of each resident block its place in the grid, its threads' states and their last sites.
    """
    found: list[Position] = []
    for block, states, sites in blocks:
        pairs = list(zip(states.tolist(), sites.tolist(), strict=True))
        for (state, site), threads in Counter(pairs).items():
            doing = State(state)
            named = "" if site < 0 or doing is State.DONE else table[site].name
            if doing is State.READY and site >= 0 and table[site].op == "scf.while":
                doing = State.SPIN  # released to look again
            words = _DOING[doing] if named or doing is State.DONE else "at the start"
            found.append(
                Position(block=block, threads=threads, first_thread=pairs.index((state, site)), state=words, site=named)
            )
    return tuple(sorted(found, key=lambda one: -one.threads))


def _stand(found: tuple[Position, ...]) -> str:
    shown = "; ".join(str(position) for position in found[:_MOST_POSITIONS])
    more = len(found) - _MOST_POSITIONS
    return shown + (f"; and {more} more places" if more > 0 else "")


def _wait(waits: tuple[StuckWait, ...]) -> str:
    if not waits:
        return ""
    more = len(waits) - _MOST_WAITS
    return "; ".join(str(one) for one in waits[:_MOST_WAITS]) + (f"; and {more} more waits" if more > 0 else "") + ". "


def access_message(site: Site, address: int, indices: list[int]) -> tuple[str, str]:
    """Return kind and message of a refused access."""
    shape = ", ".join("?" if size is None else str(size) for size in site.shape)
    points = "" if all(extent == 1 for extent in site.extent) else f", {list(site.extent)} elements from there,"
    for index, size, extent in zip(indices, site.shape, site.extent, strict=True):
        if size is not None and not 0 <= index <= size - extent:
            return "out-of-bounds", f"index {indices}{points} is outside the memref's shape [{shape}]"
    if None in site.shape:
        return "out-of-bounds", f"index {indices}{points} is outside the memref's shape [{shape}], or misaligned"
    return (
        "misaligned",
        f"index {indices} of shape [{shape}] gives address {address:#x}, which is not aligned as op or element need",
    )


def make_error(
    kernel: str,
    table: SiteTable,
    fault: LaunchFault,
    site_number: int,
    block: tuple[int, int, int] | None,
    thread: tuple[int, int, int] | None,
    values: list[int],
    found: tuple[Position, ...],
    waits: tuple[StuckWait, ...],
    budget: str,
) -> SimulationError:
    """Make the error of a fault.

    Args:
        kernel: The kernel's name.
        table: The module's sites.
        fault: What happened.
        site_number: Where, or -1.
        block: In which block.
        thread: In which thread.
        values: What the check noted.
        found: Where all threads stand.
        waits: What those that spin wait for, where it is known.
        budget: The time limit, spelled.
    """
    site = table[site_number] if site_number >= 0 else None
    where = site.name if site else ""
    who = f"thread {thread} of block {block}"
    stand = _stand(found)
    if fault is LaunchFault.ACCESS:
        assert site is not None
        kind, what = access_message(site, values[0], values[1 : 1 + len(site.shape)])
        text = f"{what}: {who} at {where}"
    elif fault in HOPPER_FAULTS:
        kind, what = hopper_fault(fault, table, values)
        text = f"{what}: {who} at {where}" + (f": {stand}" if kind in ("deadlock", "divergent-warpgroup") else "")
    elif fault in LLVM_FAULTS:
        assert site is not None
        kind, what = llvm_fault(fault, site, values)
        text = f"{what}: {who} at {where}"
    else:
        kind, text = _TEXTS[fault]
        text = text.format(*values, who=who, where=where, block=block, stand=stand, wait=_wait(waits), budget=budget)
    return SimulationError(
        f"kernel '{kernel}': {text}",
        kind=kind,
        kernel=kernel,
        site=where,
        block=block,
        thread=thread,
        positions=found,
        waits=waits,
    )
