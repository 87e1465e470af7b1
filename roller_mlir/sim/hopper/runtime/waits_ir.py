# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled waits of a Hopper block: named barriers, the cluster's barrier, and what happens when nobody can go on.

Copies land then, those first that somebody waits for: the latest time at which hardware may do it. Where none is left
and every thread waits for something that only its own block can give, the block is dead, and the report says why.
"""

from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, State
from roller_mlir.sim.engine.runtime_ir import note_fault
from roller_mlir.sim.engine.structured import I8, I32, VOID, Code, Value, function
from roller_mlir.sim.hopper import layout
from roller_mlir.sim.hopper.layout import AsyncUnits, BulkCopy, Mbarrier, NamedBarrier
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base, note_values, set_wait, stop_if
from roller_mlir.sim.hopper.runtime.copies_ir import Copies

_CLUSTER = -1
"""What threads wait for at the cluster's barrier, in place of a named barrier's number."""


def _named(base: Base) -> None:
    """Emit async_named(block, site, number, threads, waits): threads below 0: all of the block."""
    code, block, site, number, given, waits = function(base.module, ASYNC + "named", 5, VOID)
    threads = block[Block.LAUNCH][LaunchRecord.THREADS]
    whole_warps = (threads + (layout.WARP - 1)) & -layout.WARP
    count = code.select(given < 0, whole_warps, given)
    fits = code.unsigned("<", number, layout.NAMED_BARRIERS)
    fits &= (count & (layout.WARP - 1)) == 0
    fits &= count > 0
    fits &= count <= whole_warps
    stop_if(base, code, ~fits, block, LaunchFault.NAMED_BARRIER, site, number, count, -1)
    barrier = block[Block.MACHINE][AsyncUnits.NAMED].row(number, layout.NAMED_WORDS)
    arrived, expected = barrier[NamedBarrier.ARRIVED, NamedBarrier.EXPECTED]
    with code.when(arrived == 0):
        barrier[NamedBarrier.EXPECTED] = count
        barrier[NamedBarrier.SITE] = site
    differs = (arrived != 0) & (expected != count)
    stop_if(base, code, differs, block, LaunchFault.NAMED_BARRIER, site, number, count, expected)
    clock = barrier + 8 * NamedBarrier.SIZE
    code.call(base.release, block, clock)
    now = arrived + 1
    barrier[NamedBarrier.ARRIVED] = now
    with code.if_else(now == code.least(count, threads)) as (complete, incomplete):
        with complete:
            barrier[NamedBarrier.ARRIVED] = 0
            code.call(base.wake, block, State.NAMED_BARRIER, number)
        with incomplete, code.when(waits != 0):
            set_wait(block, number, 0)
            code.call(base.wait, block, State.NAMED_BARRIER, site)
    with code.when(waits != 0):
        code.call(base.acquire, block, clock)
    code.give()


def _cluster_clock(async_units: Value) -> Value:
    """Return the address of the clock of the cluster's barrier, whose row is behind those of the named ones."""
    return async_units[AsyncUnits.NAMED].row(layout.NAMED_BARRIERS, layout.NAMED_WORDS) + 8 * NamedBarrier.SIZE


def _cluster(base: Base) -> None:
    """Emit async_cluster_arrive(block, site, orders) and async_cluster_wait(block, site), of a cluster of one block."""
    code, block, site, orders = function(base.module, ASYNC + "cluster_arrive", 3, VOID)
    async_units = block[Block.MACHINE]
    with code.when(orders != 0):
        code.call(base.release, block, _cluster_clock(async_units))
    thread, launch = block[Block.CURRENT, Block.LAUNCH]
    phases, arrived, done = async_units[AsyncUnits.CLUSTER_PHASE, AsyncUnits.CLUSTER_ARRIVED, AsyncUnits.CLUSTER_DONE]
    mine = phases[thread]
    stop_if(base, code, mine > done, block, LaunchFault.CLUSTER, site, 1)
    phases[thread] = mine + 1
    now = arrived + 1
    complete = now == launch[LaunchRecord.THREADS]
    async_units[AsyncUnits.CLUSTER_ARRIVED] = code.select(complete, 0, now)
    with code.when(complete):
        async_units[AsyncUnits.CLUSTER_DONE] = done + 1
        code.call(base.wake, block, State.NAMED_BARRIER, _CLUSTER)
    code.give()
    code, block, site = function(base.module, ASYNC + "cluster_wait", 2, VOID)
    async_units = block[Block.MACHINE]
    phases, done = async_units[AsyncUnits.CLUSTER_PHASE, AsyncUnits.CLUSTER_DONE]
    mine = phases[block[Block.CURRENT]]
    stop_if(base, code, mine == 0, block, LaunchFault.CLUSTER, site, 2)
    with code.when(mine > done):
        set_wait(block, _CLUSTER, 0)
        code.call(base.wait, block, State.NAMED_BARRIER, site)
    code.call(base.acquire, block, _cluster_clock(async_units))
    code.give()


def _awaited(code: Code, block: Value, number: Value) -> Value:
    """Return whether some thread waits for an mbarrier, or goes on asking for it."""
    launch, states = block[Block.LAUNCH, Block.STATE]
    threads = launch[LaunchRecord.THREADS]
    waits, mbarriers = block[Block.MACHINE][AsyncUnits.WAITS, AsyncUnits.MBARRIERS]
    found = code.variable(mbarriers.row(number, layout.MBARRIER_WORDS)[Mbarrier.TESTED])
    with code.count(0, threads) as thread:
        stands = code.read(states, thread, I8) == State.MBARRIER
        with code.when(stands & (waits.row(thread, 2)[0] == number)):
            found.set(1)
    return found.get() != 0


def _advance(base: Base, copies: Copies) -> None:
    """Emit async_advance(launch, block) -> 0: nothing; 1: something can go on; 2: a fault."""
    code, launch, block = function(base.module, ASYNC + "advance", 2)
    async_units = block[Block.MACHINE]
    queue, count = async_units[AsyncUnits.COPIES, AsyncUnits.COPY_COUNT]
    with code.count(0, count) as place:
        entry = queue.row(place, BulkCopy.SIZE)
        number, site, thread = entry[BulkCopy.MBARRIER, BulkCopy.SITE, BulkCopy.THREAD]
        with code.when(number >= 0), code.when(_awaited(code, block, number)):
            mbarriers = async_units[AsyncUnits.MBARRIERS]
            code.write(mbarriers.row(number, layout.MBARRIER_WORDS), Mbarrier.TESTED, 0)
            fault = code.call(copies.land, block, place)
            with code.when(fault != 0, likely=False):
                note_fault(launch, block, fault, thread, site)
                code.give(2)
            code.give(1)
    states, sites = block[Block.STATE, Block.SITE]
    threads = launch[LaunchRecord.THREADS]
    places = {one: code.variable(-1) for one in (State.WARPGROUP, State.NAMED_BARRIER, State.MBARRIER)}
    with code.count(0, threads) as thread:
        state = code.read(states, thread, I8)
        free = (state == State.READY) | code.is_stopped(state)
        with code.when(free):
            code.give(0)
        for one, place in places.items():
            with code.when(state == one):
                place.set(thread)
    for one, place in places.items():
        with code.when(place.get() >= 0):
            site = code.read(sites, place.get(), I32)
            fault = {
                State.WARPGROUP: LaunchFault.WARPGROUP,
                State.NAMED_BARRIER: LaunchFault.NAMED_BARRIER,
                State.MBARRIER: LaunchFault.MBARRIER_DEADLOCK,
            }[one]
            wait = async_units[AsyncUnits.WAITS].row(place.get(), 2)
            if one is State.MBARRIER:
                mbarrier = async_units[AsyncUnits.MBARRIERS].row(wait[0], layout.MBARRIER_WORDS)
                columns = (Mbarrier.PENDING, Mbarrier.TRANSACTIONS, Mbarrier.PHASE, Mbarrier.EXPECTED)
                offset = mbarrier[Mbarrier.ADDRESS] - block[Block.ARENA]
                note_values(block, offset, wait[1], *mbarrier[*columns])
            elif one is State.NAMED_BARRIER:
                note_values(block, wait[0], 0, -2)
            note_fault(launch, block, fault, place.get(), site)
            code.give(2)
    code.give(0)


def emit_waits(base: Base, copies: Copies) -> None:
    """Emit named barriers, the cluster's barrier, and what the scheduler calls where nothing can go on."""
    _named(base)
    _cluster(base)
    _advance(base, copies)
