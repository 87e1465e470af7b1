# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled scheduler: runs the threads of the resident blocks and lets them go on when what they wait for has come.

A subgroup's turn runs its ready threads until they wait, releases the shuffles that all their lanes reached, and so
on, until they wait at a barrier of the block, spin, or have ended. A pass over a block gives every subgroup a turn,
then releases a barrier that all threads reached, or threads that spin. Blocks take turns: a block runs until it can
only spin.

This is greedy: what runs first runs ahead as far as it may, which finds missing barriers of the block, also with
shuffles in between, and of the grid. The order of the subgroups changes at every barrier. A launch that sweeps ends a
subgroup's turn at every wait and a block's turn after one pass, which finds memory that several of them use as if it
were their own.
"""

from llvmlite import ir

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.fibers import FIRST_FRAME_BYTES
from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, PassOutcome, State, SubgroupOp
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime, note_fault
from roller_mlir.sim.engine.sanitizer.clocks_ir import Order
from roller_mlir.sim.engine.structured import I8, I32, VOID, Code, Value, function

_STACK_COLOURS = 16
_STACK_COLOUR_BYTES = 192
"""The tops of the stacks are shifted by up to 16 x 192 bytes, so that they do not share one set of the L1 cache."""


def _random(runtime: Runtime) -> Value:
    """Emit random(launch, below): a number of [0, below), by xorshift."""
    code, launch, below = function(runtime.module, PREFIX + "random", 2, internal=True)
    state = code.variable(launch[LaunchRecord.RANDOM])
    state.set(state.get() ^ (state.get() << 13))
    state.set(state.get() ^ (state.get() >> 7))
    state.set(state.get() ^ (state.get() << 17))
    launch[LaunchRecord.RANDOM] = state.get()
    return code.end((state.get() >> 11) % below)


def _permute(runtime: Runtime, random: Value) -> Value:
    """Emit permute(launch, address, count): shuffle int64[count] where the launch asks for it."""
    code, launch, address, count = function(runtime.module, PREFIX + "permute", 3, VOID, internal=True)
    with code.when(launch[LaunchRecord.RANDOM] != 0), code.count(1, count) as number:
        other = code.call(random, launch, number + 1)
        kept = address[number]
        address[number] = address[other]
        address[other] = kept
    return code.end()


def _permute_subgroups(code: Code, permute: Value, launch: Value, block: Value) -> None:
    """Emit a new order of the block's subgroups."""
    code.call(permute, launch, block[Block.SUBGROUP_ORDER], launch[LaunchRecord.SUBGROUPS])


def _subgroup_end(code: Code, launch: Value, first: Value) -> Value:
    """Emit the end of the threads of the subgroup that starts with this one."""
    threads, subgroup = launch[LaunchRecord.THREADS, LaunchRecord.SUBGROUP]
    return code.least(first + subgroup, threads)


def _tell_async_units(code: Code, slot: LaunchRecord, launch: Value, block: Value) -> None:
    """Emit the call of a function of what goes on beside the threads, where there is any."""
    function = launch[slot]
    with code.when(function != 0):
        code.call_at(function, launch, block)


def _start(runtime: Runtime, permute: Value, order_of_accesses: Order) -> Value:
    """Emit start(launch, block): give the record the next block of the grid, or none."""
    code = Code(runtime.module, PREFIX + "start", 2, VOID, internal=True)
    builder = code.builder
    launch, block = code.parameters
    started, blocks = launch[LaunchRecord.NEXT, LaunchRecord.BLOCKS]
    block[Block.NUMBER] = -1
    with code.when(started < blocks):
        order, grid_x, grid_y = launch[LaunchRecord.BLOCK_ORDER, LaunchRecord.GRID_X, LaunchRecord.GRID_Y]
        number = order[started]
        launch[LaunchRecord.NEXT] = started + 1
        block[Block.NUMBER] = number
        row = builder.sdiv(number, grid_x)
        block[Block.X] = builder.srem(number, grid_x)
        block[Block.Y] = builder.srem(row, grid_y)
        block[Block.Z] = builder.sdiv(row, grid_y)
        block[Block.TICKS] = layout.TICKS_PER_CLOCK
        for slot in (Block.DONE, Block.ARRIVED, Block.MIXED):
            block[slot] = 0
        threads, subgroup, arena_bytes = launch[LaunchRecord.THREADS, LaunchRecord.SUBGROUP, LaunchRecord.ARENA_BYTES]
        for slot, value, width, count in (
            (Block.ARENA, 0xFF, 1, arena_bytes),
            (Block.STATE, State.READY, 1, threads),
            (Block.SITE, 0xFF, 4, threads),
            (Block.STACK_POINTER, 0, 8, threads),
            (Block.LOG_LENGTH, 0, 8, threads),
            (Block.COPY_COUNT, 0, 8, threads),
            (Block.POLLS, 0, 1, launch[LaunchRecord.POLL_BYTES]),
        ):
            address = code.pointer(block[slot])
            code.call(runtime.fill, address, ir.Constant(I32, int(value)), count * width)
        lanes = block[Block.ORDER]
        with code.count(0, threads, subgroup) as first:
            address = lanes + first * 8
            code.call(permute, launch, address, _subgroup_end(code, launch, first) - first)
        _permute_subgroups(code, permute, launch, block)
        code.call(order_of_accesses.started, launch, block)
        _tell_async_units(code, LaunchRecord.MACHINE_START, launch, block)
    return code.end()


def _resume(runtime: Runtime) -> Value:
    """Emit resume(launch, block, thread): run the thread until it waits; its first call builds its stack."""
    code, launch, block, thread = function(runtime.module, PREFIX + "resume", 3, VOID, inline=True)
    pointers, stacks = block[Block.STACK_POINTER, Block.STACKS]
    size = launch[LaunchRecord.STACK_BYTES]
    with code.when(pointers[thread] == 0):
        top = stacks + (thread + 1) * size - (thread & (_STACK_COLOURS - 1)) * _STACK_COLOUR_BYTES
        frame = top - FIRST_FRAME_BYTES
        begin = code.address(runtime.begin)
        for place, value in ((1, launch[LaunchRecord.ENTRY]), (2, thread), (3, block), (6, begin)):
            frame[place] = value
        pointers[thread] = frame
    block[Block.CURRENT] = thread
    code.call(runtime.switch, code.element(block, Block.SCHEDULER), code.pointer(pointers[thread]))
    return code.end()


def _blame(runtime: Runtime) -> Value:
    """Emit blame(launch, block, fault, thread, site): note a fault that the scheduler found."""
    code = Code(runtime.module, PREFIX + "blame", 5, VOID, internal=True)
    note_fault(*code.parameters)
    return code.end()


def _run_job(runtime: Runtime, blame: Value) -> Value:
    """Emit run_job(launch, block, first, end, leader, site) -> 1: all lanes wait with a job, do the leader's for all.

    It orders nothing: matrix instructions wait for all lanes, but give no promise about memory.
    """
    code, launch, block, first, end, leader, site = function(runtime.module, PREFIX + "run_job", 6, internal=True)
    states, jobs = block[Block.STATE, Block.JOBS]
    with code.when((end - first) < launch[LaunchRecord.SUBGROUP], likely=False):
        code.call(blame, launch, block, LaunchFault.INCOMPLETE_SUBGROUP, leader, site)
        code.give(0)

    def entry(thread: Value) -> Value:
        return jobs + thread * (8 * len(SubgroupOp))

    odd = code.call_at(entry(leader)[SubgroupOp.FUNCTION], block, first)
    with code.when(odd != 0, likely=False):
        code.call(blame, launch, block, LaunchFault.MIXED_OPERANDS, odd - 1, site)
        code.give(0)
    with code.count(first, end) as thread:
        code.write(entry(thread), SubgroupOp.FUNCTION, 0)
        code.write(states, thread, State.READY, I8)
    return code.end(1)


def _release_subgroup(runtime: Runtime, blame: Value, order: Order) -> Value:
    """Emit release_subgroup(launch, block, first, end) -> 1 where lanes were released.

    A shuffle of width w goes on when the first w lanes wait at the same operation; lanes that can still arrive are
    waited for.
    """
    run_job = _run_job(runtime, blame)
    code, launch, block, first, end = function(runtime.module, PREFIX + "release_subgroup", 4, internal=True)
    states, sites, widths = block[Block.STATE, Block.SITE, Block.WIDTH]
    leader, moving, spinning = code.variable(-1), code.variable(0), code.variable(0)
    with code.count(first, end) as thread:
        state = code.read(states, thread, I8)
        waits = (state == State.SUBGROUP) & (leader.get() < 0)
        with code.when(waits):
            leader.set(thread)
        # Another subgroup may have woken a lane since its turn.
        with code.when(code.is_stopped(state) | (state == State.READY)):
            moving.set(1)
        elsewhere = state == State.SPIN
        for one in (State.MBARRIER, State.NAMED_BARRIER, State.WARPGROUP):
            elsewhere |= state == one
        with code.when(elsewhere):
            spinning.set(1)
    with code.when((leader.get() < 0) | (moving.get() != 0)):
        code.give(0)
    site, width = code.read(sites, leader.get(), I32), code.read(widths, leader.get(), I32)

    def at_site(thread: Value) -> Value:
        waits = code.read(states, thread, I8) == State.SUBGROUP
        return waits & (code.read(sites, thread, I32) == site)

    last = code.least(first + width, end)
    missing = code.variable(-1)
    with code.count(first, last) as thread, code.when(~at_site(thread)):
        missing.set(thread)
    with code.when(missing.get() >= 0):
        with code.when(spinning.get() == 0):
            code.call(blame, launch, block, LaunchFault.DIVERGENT_SUBGROUP, missing.get(), site)
        code.give(0)
    job = block[Block.JOBS] + leader.get() * (8 * len(SubgroupOp))
    with code.when(job[SubgroupOp.FUNCTION] != 0):
        code.give(code.call(run_job, launch, block, first, end, leader.get(), site))
    released, left = code.variable(0), code.variable(0)
    with code.count(first, end) as thread, code.if_else(at_site(thread)) as (released_here, elsewhere):
        with released_here:
            code.write(states, thread, State.READY, I8)
            released.set(released.get() | (1 << (thread - first)))
        with elsewhere:
            left.set(1)
    subgroup_ops = code.wide(left.get() == 0)
    code.call(order.subgroup, launch, block, first, end, released.get(), subgroup_ops)
    return code.end(1)


def _turn(runtime: Runtime, blame: Value, flush: Value, order_of_accesses: Order) -> Value:
    """Emit turn(launch, block, first, end): run a subgroup until all its threads wait for others, or once (sweep)."""
    code, launch, block, first, end = function(runtime.module, PREFIX + "turn", 4, VOID, internal=True)
    capacity, sweep = launch[LaunchRecord.LOG_CAPACITY, LaunchRecord.SWEEP]
    order, states, lengths = block[Block.ORDER, Block.STATE, Block.LOG_LENGTH]
    resume, release_subgroup = _resume(runtime), _release_subgroup(runtime, blame, order_of_accesses)
    block[Block.FIRST] = first
    again, ran = code.variable(1), code.variable(0)
    with code.loop(lambda: again.get() != 0):
        again.set(0)
        ran.set(0)
        arrived_before = block[Block.ARRIVED]
        with code.count(first, end) as place:
            thread = order[place]
            with code.when(code.read(states, thread, I8) == State.READY):
                ran.set(1)
                code.call(resume, launch, block, thread)
                with code.when(launch[LaunchRecord.FAULT] != 0, likely=False):
                    code.give()
        with code.when(ran.get() == 0):
            code.give()
        with code.when(capacity != 0):
            code.call(flush, launch, block, first, end)
            with code.count(first, end) as thread:
                waits = code.read(states, thread, I8) == State.LOG_FULL
                emptied = lengths[thread] < capacity
                with code.when(waits & emptied):
                    code.write(states, thread, State.READY, I8)
                    again.set(1)
        # Where all lanes have just reached a barrier, none is left at a shuffle.
        arrived = block[Block.ARRIVED] - arrived_before
        some_elsewhere = arrived < end - first
        with code.when(some_elsewhere & (again.get() == 0)):
            released = code.call(release_subgroup, launch, block, first, end)
            block[Block.PROGRESS] |= released
            again.set(code.select(sweep == 0, released, 0))
            with code.when(launch[LaunchRecord.FAULT] != 0, likely=False):
                code.give()
    return code.end()


def _release(runtime: Runtime, blame: Value) -> Value:
    """Emit release(launch, block) -> Outcome: wake what may go on after a pass."""
    code, launch, block = function(runtime.module, PREFIX + "release", 2, internal=True)
    threads = launch[LaunchRecord.THREADS]
    states, sites, done_before = block[Block.STATE, Block.SITE, Block.DONE]
    progress = code.variable(block[Block.PROGRESS])
    block[Block.PROGRESS] = 0
    done, odd = code.variable(0), code.variable(-1)
    expected = block[Block.ARRIVAL_SITE]
    with code.count(0, threads) as thread:
        state = code.read(states, thread, I8)
        with code.when(state == State.DONE):
            done.add(1)
        elsewhere = code.read(sites, thread, I32) != expected
        with code.when((state == State.BARRIER) & elsewhere):
            odd.set(thread)
        preempted = state == State.PREEMPTED
        with code.when(preempted):
            progress.set(1)
        with code.when(preempted | (state == State.SPIN)):
            code.write(states, thread, State.READY, I8)
    with code.when(done.get() != done_before):
        progress.set(1)
    block[Block.DONE] = done.get()
    with code.when(done.get() == threads):
        code.give(PassOutcome.FINISHED)
    # A barrier that all threads reached was released before: the others can not come any more.
    arrived = block[Block.ARRIVED]
    nobody_else = (done.get() + arrived) == threads
    with code.when((arrived > 0) & nobody_else):
        code.call(blame, launch, block, LaunchFault.DIVERGENT_BARRIER, odd.get(), expected)
        code.give(PassOutcome.FAULT)
    advance = launch[LaunchRecord.MACHINE_ADVANCE]
    stuck = (progress.get() == 0) & (advance != 0)
    with code.when(stuck, likely=False):
        progress.set(code.call_at(advance, launch, block))
        with code.when(progress.get() == 2):
            code.give(PassOutcome.FAULT)
    moved = progress.get() != 0
    return code.end(code.select(moved, PassOutcome.PROGRESS, PassOutcome.SPINNING))


def _release_barrier(code: Code, runtime: Runtime, launch: Value, block: Value, threads: Value, order: Order) -> Value:
    """Emit the release of a barrier that all threads of the block reached; give whether they did."""
    arrived, mixed, states = block[Block.ARRIVED, Block.MIXED, Block.STATE]
    subgroup_ops = (arrived == threads) & (mixed == 0)
    with code.when(subgroup_ops):
        block[Block.ARRIVED] = 0
        address = code.pointer(states)
        code.call(runtime.fill, address, ir.Constant(I32, int(State.READY)), threads)
        code.call(order.barrier, launch, block)
        _tell_async_units(code, LaunchRecord.MACHINE_BARRIER, launch, block)
    return subgroup_ops


def _pass(runtime: Runtime, permute: Value, blame: Value, flush: Value, order_of_accesses: Order) -> Value:
    """Emit pass(launch, block) -> Outcome: give every subgroup a turn, then release what waits for the whole block."""
    turn = _turn(runtime, blame, flush, order_of_accesses)
    code, launch, block = function(runtime.module, PREFIX + "pass", 2, internal=True)
    threads, subgroups, deadline = launch[LaunchRecord.THREADS, LaunchRecord.SUBGROUPS, LaunchRecord.DEADLINE_NS]
    order = block[Block.SUBGROUP_ORDER]
    with code.count(0, subgroups) as place:
        first = order[place]
        code.call(turn, launch, block, first, _subgroup_end(code, launch, first))
        with code.when(launch[LaunchRecord.FAULT] != 0, likely=False):
            code.give(PassOutcome.FAULT)
    with code.when(code.call(runtime.clock) > deadline, likely=False):
        code.call(blame, launch, block, LaunchFault.TIMEOUT, -1, -1)
        code.give(PassOutcome.FAULT)
    with code.when(_release_barrier(code, runtime, launch, block, threads, order_of_accesses)):
        _permute_subgroups(code, permute, launch, block)
        code.give(PassOutcome.PROGRESS)
    return code.end(code.call(_release(runtime, blame), launch, block))


def emit_scheduler(runtime: Runtime, flush: Value, order_of_accesses: Order) -> None:
    """Emit run(launch): run the whole grid. The launch's record holds the fault, if there is one."""
    random = _random(runtime)
    permute = _permute(runtime, random)
    start = _start(runtime, permute, order_of_accesses)
    blame = _blame(runtime)
    one_pass = _pass(runtime, permute, blame, flush, order_of_accesses)
    code, launch = function(runtime.module, PREFIX + "run", 1, VOID)
    contexts, order, resident, sweep, idle_limit = launch[
        LaunchRecord.CONTEXTS,
        LaunchRecord.CONTEXT_ORDER,
        LaunchRecord.RESIDENT,
        LaunchRecord.SWEEP,
        LaunchRecord.IDLE_LIMIT,
    ]

    def context(number: Value) -> Value:
        return contexts + number * (8 * Block.SIZE)

    with code.count(0, resident) as number:
        code.call(start, launch, context(number))
    alive, idle, outcome = code.variable(1), code.variable(0), code.variable(0)
    with code.loop(lambda: alive.get() > 0):
        alive.set(0)
        idle.add(1)
        code.call(permute, launch, order, resident)
        with code.count(0, resident) as place:
            block = context(order[place])
            with code.when(block[Block.NUMBER] >= 0):
                alive.add(1)
                again = code.variable(1)
                with code.loop(lambda: again.get() != 0):
                    outcome.set(code.call(one_pass, launch, block))
                    moved = outcome.get() == PassOutcome.PROGRESS
                    with code.when(moved):
                        idle.set(0)
                    greedy = moved & (sweep == 0)
                    again.set(code.wide(greedy))
                with code.when(outcome.get() == PassOutcome.FAULT, likely=False):
                    code.give()
                with code.when(outcome.get() == PassOutcome.FINISHED):
                    idle.set(0)
                    code.call(start, launch, block)
        with code.when(idle.get() > idle_limit, likely=False):
            launch[LaunchRecord.FAULT] = LaunchFault.SPINS
            alive.set(0)
    code.give()
