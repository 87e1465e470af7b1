# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled mbarriers: phases, pending arrivals, transactions, waits.

An mbarrier's word in workgroup memory holds a mark and its number; what it counts is kept beside the memory. A phase is
complete when no arrival and no transaction is missing; then the next one starts at once.
"""

from dataclasses import dataclass

from roller_mlir.sim.engine.layout import Block, LaunchFault, ShadowAccess, State
from roller_mlir.sim.engine.sanitizer.clock_records_ir import tick
from roller_mlir.sim.engine.structured import VOID, Code, Value, function
from roller_mlir.sim.hopper import layout
from roller_mlir.sim.hopper.layout import AsyncUnits, BulkCopy, Mbarrier
from roller_mlir.sim.hopper.runtime.base_ir import (
    ASYNC,
    Base,
    in_arena,
    known_of,
    note_values,
    set_wait,
    shadow_access_if_sanitized,
    stop,
    stop_if,
)

_MARK = layout.MBARRIER_MARK << 32


@dataclass(frozen=True)
class Mbarriers:
    """Functions that copies need.

    Attributes:
        find: find(block, site, address) -> address of the mbarrier's row; faults where there is none.
        complete: complete(block, mbarrier) -> a Fault or 0: start the next phase where this one is complete.
    """

    find: Value
    complete: Value


def collected(mbarrier: Value) -> Value:
    """Return the address of the clock that arrivals collect."""
    return mbarrier + 8 * Mbarrier.SIZE


def finished(mbarrier: Value) -> Value:
    """Return the address of the clock of the last complete phase."""
    return mbarrier + 8 * (Mbarrier.SIZE + layout.CLOCK_WORDS)


def number_of(block: Value, mbarrier: Value) -> Value:
    """Return the number of an mbarrier."""
    return (mbarrier - block[Block.MACHINE][AsyncUnits.MBARRIERS]) // (8 * layout.MBARRIER_WORDS)


def _find(base: Base) -> Value:
    code, block, site, address = function(base.module, ASYNC + "find", 3, internal=True)
    async_units = block[Block.MACHINE]
    with code.when(((address & 7) == 0) & in_arena(code, block, address, 8), likely=True):
        shadow_access_if_sanitized(base, code, block, site, address, 8, ShadowAccess.READ | ShadowAccess.ATOMIC)
        number = address[0] - _MARK
        with code.when(code.unsigned("<", number, async_units[AsyncUnits.MBARRIER_COUNT]), likely=True):
            entry = async_units[AsyncUnits.MBARRIERS].row(number, layout.MBARRIER_WORDS)
            with code.when(entry[Mbarrier.ADDRESS] == address, likely=True):
                thread = block[Block.CURRENT]
                owner, started = entry[Mbarrier.OWNER, Mbarrier.STARTED]
                own = (thread // layout.WARP) == owner
                with code.when(~(own | (known_of(block, thread)[owner] > started)), likely=False):
                    offset = address - block[Block.ARENA]
                    stop(base, code, block, LaunchFault.MBARRIER_START, site, offset)
                code.give(entry)
    stop(base, code, block, LaunchFault.MBARRIER, site, address - block[Block.ARENA])
    return code.function


def _initialise(base: Base) -> None:
    """Emit async_mbarrier_init(block, site, address, count)."""
    code, block, site, address, count = function(base.module, ASYNC + "mbarrier_init", 4, VOID)
    async_units = block[Block.MACHINE]
    offset = address - block[Block.ARENA]
    aligned = (address & 7) == 0
    stop_if(base, code, ~(aligned & in_arena(code, block, address, 8)), block, LaunchFault.MBARRIER, site, offset)
    fits = code.unsigned("<", count - 1, layout.MOST_ARRIVALS)
    stop_if(base, code, ~fits, block, LaunchFault.MBARRIER_COUNT, site, offset, count, 0)
    shadow_access_if_sanitized(base, code, block, site, address, 8, ShadowAccess.WRITE | ShadowAccess.ATOMIC)
    table, used = async_units[AsyncUnits.MBARRIERS, AsyncUnits.MBARRIER_COUNT]
    place = code.variable(used)
    with code.count(0, used) as number:
        at = table.row(number, layout.MBARRIER_WORDS)[Mbarrier.ADDRESS]
        with code.when((at == address) | (at == 0)):
            place.set(number)
    number = place.get()
    stop_if(
        base,
        code,
        number == layout.MOST_MBARRIERS,
        block,
        LaunchFault.MBARRIER_COUNT,
        site,
        offset,
        count,
        layout.MOST_MBARRIERS,
    )
    with code.when(number == used):
        async_units[AsyncUnits.MBARRIER_COUNT] = used + 1
        with code.count(0, layout.MBARRIER_WORDS) as word:
            code.write(table.row(number, layout.MBARRIER_WORDS), word, 0)
    entry = table.row(number, layout.MBARRIER_WORDS)
    # Where one was before, phases go on counting, so that what is known of the old ones stays right.
    phase = (entry[Mbarrier.PHASE] + 1) & -2
    entry[Mbarrier.ADDRESS] = address
    entry[Mbarrier.EXPECTED] = count
    entry[Mbarrier.PENDING] = count
    entry[Mbarrier.TRANSACTIONS] = 0
    entry[Mbarrier.PHASE] = phase
    entry[Mbarrier.TESTED] = 0
    entry[Mbarrier.OWNER] = block[Block.CURRENT] // layout.WARP
    entry[Mbarrier.STARTED] = tick(block[Block.LAUNCH])
    address[0] = number + _MARK
    code.give()


def _invalidate(base: Base, find: Value) -> None:
    """Emit async_mbarrier_inval(block, site, address)."""
    code, block, site, address = function(base.module, ASYNC + "mbarrier_inval", 3, VOID)
    code.call(find, block, site, address)[Mbarrier.ADDRESS] = 0
    address[0] = -1
    code.give()


def _complete(base: Base) -> Value:
    code, block, mbarrier = function(base.module, ASYNC + "complete", 2, internal=True)
    pending, missing, phase, expected = mbarrier[
        Mbarrier.PENDING, Mbarrier.TRANSACTIONS, Mbarrier.PHASE, Mbarrier.EXPECTED
    ]
    with code.when((pending | missing) != 0):
        code.give(0)
    copies, count = block[Block.MACHINE][AsyncUnits.COPIES, AsyncUnits.COPY_COUNT]
    number = number_of(block, mbarrier)
    with code.count(0, count) as place:
        entry = copies.row(place, BulkCopy.SIZE)
        with code.when(entry[BulkCopy.MBARRIER] == number, likely=False):
            note_values(block, entry[BulkCopy.SITE], entry[BulkCopy.BYTES])
            code.give(LaunchFault.TRANSACTIONS)
    after = phase + 1
    mbarrier[Mbarrier.PHASE] = after
    mbarrier[Mbarrier.PENDING] = expected
    source, target = collected(mbarrier), finished(mbarrier)
    code.write(source, number + layout.CLOCK_MBARRIERS, after)
    code.call(base.join, block, target, source)
    with code.when(source[layout.CLOCK_GRID] != 0, likely=False):
        code.call(base.absorb, block[Block.LAUNCH], target + 8 * layout.CLOCK_GRID, source[layout.CLOCK_GRID])
    code.call(base.wake, block, State.MBARRIER, number)
    return code.end(0)


def _check(base: Base, code: Code, block: Value, site: Value, fault: Value) -> None:
    with code.when(fault != 0, likely=False):
        code.call(base.fault, block, fault, site)


def _arrive(base: Base, find: Value, complete: Value) -> None:
    """Emit async_arrive(block, site, address, count, transactions, may complete, orders) -> token of the phase."""
    code, block, site, address, count, bytes_, may_complete, orders = function(base.module, ASYNC + "arrive", 7)
    mbarrier = code.call(find, block, site, address)
    pending, missing, phase = mbarrier[Mbarrier.PENDING, Mbarrier.TRANSACTIONS, Mbarrier.PHASE]
    offset = address - block[Block.ARENA]
    left = pending - count
    positive = count > 0
    least = code.select(may_complete != 0, 0, 1)
    stop_if(base, code, ~(positive & (left >= least)), block, LaunchFault.MBARRIER_COUNT, site, offset, count, pending)
    total = missing + bytes_
    stop_if(base, code, total > layout.MOST_TRANSACTIONS, block, LaunchFault.MBARRIER_COUNT, site, offset, total, -1)
    mbarrier[Mbarrier.TRANSACTIONS] = total
    mbarrier[Mbarrier.PENDING] = left
    with code.when(orders != 0):
        code.call(base.release, block, collected(mbarrier))
    _check(base, code, block, site, code.call(complete, block, mbarrier))
    code.give(phase)


def _transactions(base: Base, find: Value, complete: Value) -> None:
    """Emit async_transactions(block, site, address, bytes): more are expected, or, below 0, fewer."""
    code, block, site, address, bytes_ = function(base.module, ASYNC + "transactions", 4, VOID)
    mbarrier = code.call(find, block, site, address)
    mbarrier[Mbarrier.TRANSACTIONS] += bytes_
    with code.when(bytes_ < 0):
        _check(base, code, block, site, code.call(complete, block, mbarrier))
    code.give()


def _learn(base: Base) -> Value:
    """Emit learn(block, mbarrier): the running warp learns what the last complete phase knows."""
    code, block, mbarrier = function(base.module, ASYNC + "learn", 2, VOID, internal=True)
    known = known_of(block, block[Block.CURRENT])
    place = number_of(block, mbarrier) + layout.CLOCK_MBARRIERS
    newer = known[place] < finished(mbarrier)[place]
    with code.if_else(newer) as (by_warp, by_thread):
        with by_warp:
            code.call(base.acquire, block, finished(mbarrier))
        with by_thread, code.when(finished(mbarrier)[layout.CLOCK_GRID] != 0, likely=False):
            code.call(base.acquire_grid, block, finished(mbarrier) + 8 * layout.CLOCK_GRID)
    return code.end()


def _wait(base: Base, find: Value) -> None:
    """Emit async_wait(block, site, address, parity): until the phase of that parity has completed.

    async_test(block, site, address, parity) -> whether it has, without waiting.
    """
    learn = _learn(base)
    code, block, site, address, parity = function(base.module, ASYNC + "wait", 4, VOID)
    wanted = parity & 1
    mbarrier = code.call(find, block, site, address)
    with code.when((mbarrier[Mbarrier.PHASE] & 1) == wanted):
        set_wait(block, number_of(block, mbarrier), wanted)
        code.call(base.wait, block, State.MBARRIER, site)
    code.call(learn, block, mbarrier)
    code.give()
    code, block, site, address, parity = function(base.module, ASYNC + "test", 4)
    mbarrier = code.call(find, block, site, address)
    done = (mbarrier[Mbarrier.PHASE] ^ parity) & 1
    with code.if_else(done != 0) as (complete, incomplete):
        with complete:
            code.call(learn, block, mbarrier)
        with incomplete:
            mbarrier[Mbarrier.TESTED] = 1
    code.give(done)


def emit_mbarriers(base: Base) -> Mbarriers:
    """Emit what kernels call for mbarriers; return what copies call."""
    find, complete = _find(base), _complete(base)
    _initialise(base)
    _invalidate(base, find)
    _arrive(base, find, complete)
    _transactions(base, find, complete)
    _wait(base, find)
    return Mbarriers(find, complete)
