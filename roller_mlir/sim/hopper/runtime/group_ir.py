# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled warpgroups: what all 128 threads do together, groups of products, registers.

The last thread that arrives acts for all. A group of products is finished when a wait for it has been passed; until
then its accumulators may not be used and what it reads may not be overwritten.
"""

from dataclasses import dataclass

from roller_mlir.sim.engine.layout import Block, LaunchFault, State
from roller_mlir.sim.engine.structured import I8, VOID, Value, function
from roller_mlir.sim.hopper import layout
from roller_mlir.sim.hopper.layout import AsyncUnits, WarpgroupRecord
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base, stop, stop_if

_WARPS = layout.WARPGROUP // layout.WARP
_LEAST_REGISTERS, _MOST_REGISTERS, _STEP = 24, 256, 8


@dataclass(frozen=True)
class Groups:
    """Functions that products call.

    Attributes:
        arrive: arrive(block, site) -> 1 for the last thread of the warpgroup, which acts and then calls `leave`.
        leave: leave(block): the others go on.
    """

    arrive: Value
    leave: Value


def group_row(block: Value) -> Value:
    """Return the address of the row of the running thread's warpgroup."""
    number = block[Block.CURRENT] // layout.WARPGROUP
    return block[Block.MACHINE][AsyncUnits.GROUPS].row(number, WarpgroupRecord.SIZE)


def _arrive(base: Base) -> Value:
    code, block, site = function(base.module, ASYNC + "group_arrive", 2, internal=True)
    group = group_row(block)
    arrived, expected = group[WarpgroupRecord.ARRIVED, WarpgroupRecord.SITE]
    first = arrived == 0
    with code.when(first):
        group[WarpgroupRecord.SITE] = site
    with code.when(~first & (expected != site), likely=False):
        code.call(base.fault, block, LaunchFault.WARPGROUP, site)
    now = arrived + 1
    group[WarpgroupRecord.ARRIVED] = now
    with code.when(now == layout.WARPGROUP):
        group[WarpgroupRecord.ARRIVED] = 0
        code.give(1)
    code.call(base.wait, block, State.WARPGROUP, site)
    return code.end(0)


def _leave(base: Base) -> Value:
    code, block = function(base.module, ASYNC + "group_leave", 1, VOID, internal=True)
    thread, states = block[Block.CURRENT, Block.STATE]
    first = thread & -layout.WARPGROUP
    # All of them wait, but for the last one, which runs.
    with code.count(first, first + layout.WARPGROUP) as other:
        code.write(states, other, State.READY, I8)
    block[Block.PROGRESS] = 1
    return code.end()


def _fence(base: Base, groups: Groups) -> None:
    """Emit async_group_fence(block, site)."""
    code, block, site = function(base.module, ASYNC + "group_fence", 2, VOID)
    with code.when(code.call(groups.arrive, block, site) != 0):
        code.write(group_row(block), WarpgroupRecord.FENCED, 1)
        code.call(groups.leave, block)
    code.give()


def _commit(base: Base, groups: Groups) -> None:
    """Emit async_group_commit(block, site)."""
    code, block, site = function(base.module, ASYNC + "group_commit", 2, VOID)
    with code.when(code.call(groups.arrive, block, site) != 0):
        group_row(block)[WarpgroupRecord.COMMITTED] += 1
        code.call(groups.leave, block)
    code.give()


def _wait(base: Base, groups: Groups) -> None:
    """Emit async_group_wait(block, site, groups): all but the last so many groups are finished."""
    code, block, site, left = function(base.module, ASYNC + "group_wait", 3, VOID)
    with code.when(code.call(groups.arrive, block, site) != 0):
        group = group_row(block)
        committed, completed = group[WarpgroupRecord.COMMITTED, WarpgroupRecord.COMPLETED]
        upto = committed - left
        with code.when(upto > completed):
            group[WarpgroupRecord.COMPLETED] = upto
            number = block[Block.CURRENT] // layout.WARPGROUP
            known = block[Block.MACHINE][AsyncUnits.KNOWN]
            for warp in range(_WARPS):
                code.write(known.row(number * _WARPS + warp, layout.CLOCK_WORDS), number + layout.CLOCK_GROUPS, upto)
        code.call(groups.leave, block)
    code.give()


def _use(base: Base) -> None:
    """Emit async_use(block, site, web): a use of accumulators outside of products."""
    code, block, site, web = function(base.module, ASYNC + "use", 3, VOID)
    group = group_row(block)
    last = group[web + WarpgroupRecord.WEBS]
    with code.when(last > group[WarpgroupRecord.COMPLETED], likely=False):
        stop(base, code, block, LaunchFault.ACCUMULATORS, site, last, group[WarpgroupRecord.COMMITTED])
    group[WarpgroupRecord.FENCED] = 0
    code.give()


def _registers(base: Base, groups: Groups) -> None:
    """Emit async_registers(block, site, count, increases): the warpgroup's threads have so many registers each."""
    code, block, site, count, increases = function(base.module, ASYNC + "registers", 4, VOID)
    with code.when(code.call(groups.arrive, block, site) != 0):
        table, number = block[Block.MACHINE][AsyncUnits.GROUPS, AsyncUnits.GROUP_COUNT]
        own = group_row(block)
        before = own[WarpgroupRecord.REGISTERS]
        # What the launch gave is the compiler's choice: only later changes must go the way that they say.
        less, more = count <= before, count >= before
        fits = code.select(increases != 0, more, less)
        fits |= before == 0
        fits &= (count & (_STEP - 1)) == 0
        fits &= count >= _LEAST_REGISTERS
        fits &= count <= _MOST_REGISTERS
        stop_if(base, code, ~fits, block, LaunchFault.REGISTERS, site, count, before, -1)
        own[WarpgroupRecord.REGISTERS] = count
        total = code.variable(0)
        with code.count(0, number) as one:
            given = table.row(one, WarpgroupRecord.SIZE)[WarpgroupRecord.REGISTERS]
            total.add(code.select(given != 0, given, _LEAST_REGISTERS) * layout.WARPGROUP)
        stop_if(
            base, code, total.get() > layout.REGISTERS, block, LaunchFault.REGISTERS, site, count, before, total.get()
        )
        code.call(groups.leave, block)
    code.give()


def emit_groups(base: Base) -> Groups:
    """Emit what kernels call of warpgroups; return what products call."""
    groups = Groups(_arrive(base), _leave(base))
    _fence(base, groups)
    _commit(base, groups)
    _wait(base, groups)
    _use(base)
    _registers(base, groups)
    return groups
