# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled warpgroups: what all 128 threads do together, groups of products, registers.

The last thread that arrives acts for all. A group of products is finished when a wait for it has been passed; until
then its accumulators may not be used and what it reads may not be overwritten.
"""

from dataclasses import dataclass

from roller_mlir.sim.engine.layout import Block, LaunchFault, State
from roller_mlir.sim.engine.structured import I8, VOID, Code, Value
from roller_mlir.sim.hopper.layout import CLOCK_WORDS, REGISTERS, WARP, WARPGROUP, AsyncUnits, WarpgroupRecord
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base, async_units_of, clock_of_group, group_of, row, stop

_WARPS = WARPGROUP // WARP
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


def group_row(code: Code, block: Value) -> Value:
    """Return the address of the row of the running thread's warpgroup."""
    number = group_of(code, code.read(block, Block.CURRENT))
    return row(code, code.read(async_units_of(code, block), AsyncUnits.GROUPS), number, int(WarpgroupRecord.SIZE))


def _arrive(base: Base) -> Value:
    code = Code(base.module, ASYNC + "group_arrive", 2, internal=True)
    builder = code.builder
    block, site = code.parameters
    group = group_row(code, block)
    arrived, expected = code.slots(group, WarpgroupRecord.ARRIVED, WarpgroupRecord.SITE)
    first = code.compare("==", arrived, 0)
    with code.when(first):
        code.write(group, WarpgroupRecord.SITE, site)
    other = builder.and_(builder.not_(first), builder.icmp_signed("!=", expected, site))
    with code.when(other, likely=False):
        code.call(base.fault, block, LaunchFault.WARPGROUP, site)
    now = builder.add(arrived, code.value(1))
    code.write(group, WarpgroupRecord.ARRIVED, now)
    with code.when(code.compare("==", now, WARPGROUP)):
        code.write(group, WarpgroupRecord.ARRIVED, 0)
        code.give(1)
    code.call(base.wait, block, State.WARPGROUP, site)
    return code.end(0)


def _leave(base: Base) -> Value:
    code = Code(base.module, ASYNC + "group_leave", 1, VOID, internal=True)
    (block,) = code.parameters
    thread, states = code.slots(block, Block.CURRENT, Block.STATE)
    first = code.builder.and_(thread, code.value(-WARPGROUP))
    # All of them wait, but for the last one, which runs.
    with code.count(first, code.builder.add(first, code.value(WARPGROUP))) as other:
        code.write(states, other, State.READY, I8)
    code.write(block, Block.PROGRESS, 1)
    return code.end()


def _fence(base: Base, groups: Groups) -> None:
    """async_group_fence(block, site)."""
    code = Code(base.module, ASYNC + "group_fence", 2, VOID)
    block, site = code.parameters
    with code.when(code.compare("!=", code.call(groups.arrive, block, site), 0)):
        code.write(group_row(code, block), WarpgroupRecord.FENCED, 1)
        code.call(groups.leave, block)
    code.builder.ret_void()


def _commit(base: Base, groups: Groups) -> None:
    """async_group_commit(block, site)."""
    code = Code(base.module, ASYNC + "group_commit", 2, VOID)
    block, site = code.parameters
    with code.when(code.compare("!=", code.call(groups.arrive, block, site), 0)):
        group = group_row(code, block)
        code.write(
            group,
            WarpgroupRecord.COMMITTED,
            code.builder.add(code.read(group, WarpgroupRecord.COMMITTED), code.value(1)),
        )
        code.call(groups.leave, block)
    code.builder.ret_void()


def _wait(base: Base, groups: Groups) -> None:
    """async_group_wait(block, site, groups): all but the last so many groups are finished."""
    code = Code(base.module, ASYNC + "group_wait", 3, VOID)
    builder = code.builder
    block, site, left = code.parameters
    with code.when(code.compare("!=", code.call(groups.arrive, block, site), 0)):
        group = group_row(code, block)
        committed, completed = code.slots(group, WarpgroupRecord.COMMITTED, WarpgroupRecord.COMPLETED)
        upto = builder.sub(committed, left)
        with code.when(builder.icmp_signed(">", upto, completed)):
            code.write(group, WarpgroupRecord.COMPLETED, upto)
            number = group_of(code, code.read(block, Block.CURRENT))
            known = code.read(async_units_of(code, block), AsyncUnits.KNOWN)
            for warp in range(_WARPS):
                place = builder.add(builder.mul(number, code.value(_WARPS)), code.value(warp))
                code.write(row(code, known, place, CLOCK_WORDS), clock_of_group(number, code), upto)
        code.call(groups.leave, block)
    builder.ret_void()


def _use(base: Base) -> None:
    """async_use(block, site, web): a use of accumulators outside of products."""
    code = Code(base.module, ASYNC + "use", 3, VOID)
    block, site, web = code.parameters
    group = group_row(code, block)
    last = code.read(group, code.builder.add(web, code.value(int(WarpgroupRecord.WEBS))))
    with code.when(code.builder.icmp_signed(">", last, code.read(group, WarpgroupRecord.COMPLETED)), likely=False):
        stop(base, code, block, LaunchFault.ACCUMULATORS, site, last, code.read(group, WarpgroupRecord.COMMITTED))
    code.write(group, WarpgroupRecord.FENCED, 0)
    code.builder.ret_void()


def _registers(base: Base, groups: Groups) -> None:
    """async_registers(block, site, count, increases): the warpgroup's threads have so many registers each."""
    code = Code(base.module, ASYNC + "registers", 4, VOID)
    builder = code.builder
    block, site, count, increases = code.parameters
    with code.when(code.compare("!=", code.call(groups.arrive, block, site), 0)):
        async_units = async_units_of(code, block)
        table, number = code.slots(async_units, AsyncUnits.GROUPS, AsyncUnits.GROUP_COUNT)
        own = group_row(code, block)
        before = code.read(own, WarpgroupRecord.REGISTERS)
        # What the launch gave is the compiler's choice: only later changes must go the way that they say.
        less, more = builder.icmp_signed("<=", count, before), builder.icmp_signed(">=", count, before)
        fits = builder.select(code.compare("!=", increases, 0), more, less)
        fits = builder.or_(fits, code.compare("==", before, 0))
        fits = builder.and_(fits, code.compare("==", builder.and_(count, code.value(_STEP - 1)), 0))
        fits = builder.and_(fits, code.compare(">=", count, _LEAST_REGISTERS))
        fits = builder.and_(fits, code.compare("<=", count, _MOST_REGISTERS))
        with code.when(builder.not_(fits), likely=False):
            stop(base, code, block, LaunchFault.REGISTERS, site, count, before, -1)
        code.write(own, WarpgroupRecord.REGISTERS, count)
        total = code.variable(0)
        with code.count(0, number) as one:
            given = code.read(row(code, table, one, int(WarpgroupRecord.SIZE)), WarpgroupRecord.REGISTERS)
            counted = builder.select(code.compare("!=", given, 0), given, code.value(_LEAST_REGISTERS))
            total.add(builder.mul(counted, code.value(WARPGROUP)))
        with code.when(code.compare(">", total.get(), REGISTERS), likely=False):
            stop(base, code, block, LaunchFault.REGISTERS, site, count, before, total.get())
        code.call(groups.leave, block)
    builder.ret_void()


def emit_groups(base: Base) -> Groups:
    """Emit what kernels call of warpgroups; return what products call."""
    groups = Groups(_arrive(base), _leave(base))
    _fence(base, groups)
    _commit(base, groups)
    _wait(base, groups)
    _use(base)
    _registers(base, groups)
    return groups
