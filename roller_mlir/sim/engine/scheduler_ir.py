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
from roller_mlir.sim.engine.clocks_ir import Order
from roller_mlir.sim.engine.fibers import FIRST_FRAME_BYTES
from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, PassOutcome, State, SubgroupOp
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime, note_fault
from roller_mlir.sim.engine.structured import I8, I32, I64, POINTER, VOID, Code, Value

_STACK_COLOURS = 16
_STACK_COLOUR_BYTES = 192
"""The tops of the stacks are shifted by up to 16 x 192 bytes, so that they do not share one set of the L1 cache."""


def _random(runtime: Runtime) -> Value:
    """random(launch, below): a number of [0, below), by xorshift."""
    code = Code(runtime.module, PREFIX + "random", 2, internal=True)
    launch, below = code.parameters
    builder = code.builder
    state = code.variable(code.read(launch, LaunchRecord.RANDOM))
    for shift, amount in ((builder.shl, 13), (builder.lshr, 7), (builder.shl, 17)):
        state.set(builder.xor(state.get(), shift(state.get(), code.value(amount))))
    code.write(launch, LaunchRecord.RANDOM, state.get())
    return code.end(builder.urem(builder.lshr(state.get(), code.value(11)), below))


def _permute(runtime: Runtime, random: Value) -> Value:
    """permute(launch, address, count): shuffle int64[count] where the launch asks for it."""
    code = Code(runtime.module, PREFIX + "permute", 3, VOID, internal=True)
    launch, address, count = code.parameters
    with code.when(code.compare("!=", code.read(launch, LaunchRecord.RANDOM), 0)), code.count(1, count) as number:
        other = code.call(random, launch, code.builder.add(number, code.value(1)))
        kept = code.read(address, number)
        code.write(address, number, code.read(address, other))
        code.write(address, other, kept)
    return code.end()


def _permute_subgroups(code: Code, permute: Value, launch: Value, block: Value) -> None:
    """Emit a new order of the block's subgroups."""
    code.call(permute, launch, code.read(block, Block.SUBGROUP_ORDER), code.read(launch, LaunchRecord.SUBGROUPS))


def _subgroup_end(code: Code, launch: Value, first: Value) -> Value:
    """Emit the end of the threads of the subgroup that starts with this one."""
    threads, subgroup = code.slots(launch, LaunchRecord.THREADS, LaunchRecord.SUBGROUP)
    return code.least(code.builder.add(first, subgroup), threads)


def _tell_async_units(code: Code, slot: LaunchRecord, launch: Value, block: Value) -> None:
    """Emit the call of a function of what goes on beside the threads, where there is any."""
    function = code.read(launch, slot)
    with code.when(code.compare("!=", function, 0)):
        code.call_at(function, launch, block)


def _start(runtime: Runtime, permute: Value, order_of_accesses: Order) -> Value:
    """start(launch, block): give the record the next block of the grid, or none."""
    code = Code(runtime.module, PREFIX + "start", 2, VOID, internal=True)
    builder = code.builder
    launch, block = code.parameters
    started, blocks = code.slots(launch, LaunchRecord.NEXT, LaunchRecord.BLOCKS)
    code.write(block, Block.NUMBER, -1)
    with code.when(code.compare("<", started, blocks)):
        order, grid_x, grid_y = code.slots(launch, LaunchRecord.BLOCK_ORDER, LaunchRecord.GRID_X, LaunchRecord.GRID_Y)
        number = code.read(order, started)
        code.write(launch, LaunchRecord.NEXT, builder.add(started, code.value(1)))
        code.write(block, Block.NUMBER, number)
        row = builder.sdiv(number, grid_x)
        code.write(block, Block.X, builder.srem(number, grid_x))
        code.write(block, Block.Y, builder.srem(row, grid_y))
        code.write(block, Block.Z, builder.sdiv(row, grid_y))
        code.write(block, Block.TICKS, layout.TICKS_PER_CLOCK)
        for slot in (Block.DONE, Block.ARRIVED, Block.MIXED):
            code.write(block, slot, 0)
        threads, subgroup, arena_bytes = code.slots(
            launch, LaunchRecord.THREADS, LaunchRecord.SUBGROUP, LaunchRecord.ARENA_BYTES
        )
        for slot, value, width, count in (
            (Block.ARENA, 0xFF, 1, arena_bytes),
            (Block.STATE, State.READY, 1, threads),
            (Block.SITE, 0xFF, 4, threads),
            (Block.STACK_POINTER, 0, 8, threads),
            (Block.LOG_LENGTH, 0, 8, threads),
            (Block.COPY_COUNT, 0, 8, threads),
            (Block.POLLS, 0, 1, code.read(launch, LaunchRecord.POLL_BYTES)),
        ):
            address = builder.inttoptr(code.read(block, slot), POINTER)
            builder.call(runtime.fill, [address, ir.Constant(I32, int(value)), builder.mul(count, code.value(width))])
        lanes = code.read(block, Block.ORDER)
        with code.count(0, threads, subgroup) as first:
            address = builder.add(lanes, builder.mul(first, code.value(8)))
            code.call(permute, launch, address, builder.sub(_subgroup_end(code, launch, first), first))
        _permute_subgroups(code, permute, launch, block)
        code.call(order_of_accesses.started, launch, block)
        _tell_async_units(code, LaunchRecord.MACHINE_START, launch, block)
    return code.end()


def _resume(runtime: Runtime) -> Value:
    """resume(launch, block, thread): run the thread until it waits; its first call builds its stack."""
    code = Code(runtime.module, PREFIX + "resume", 3, VOID, inline=True)
    builder = code.builder
    launch, block, thread = code.parameters
    pointers, stacks = code.slots(block, Block.STACK_POINTER, Block.STACKS)
    (size,) = code.slots(launch, LaunchRecord.STACK_BYTES)
    with code.when(code.compare("==", code.read(pointers, thread), 0)):
        colour = builder.mul(builder.and_(thread, code.value(_STACK_COLOURS - 1)), code.value(_STACK_COLOUR_BYTES))
        above = builder.mul(builder.add(thread, code.value(1)), size)
        top = builder.sub(builder.add(stacks, above), colour)
        frame = builder.sub(top, code.value(FIRST_FRAME_BYTES))
        begin = builder.ptrtoint(runtime.begin, I64)
        for place, value in ((1, code.read(launch, LaunchRecord.ENTRY)), (2, thread), (3, block), (6, begin)):
            code.write(frame, place, value)
        code.write(pointers, thread, frame)
    code.write(block, Block.CURRENT, thread)
    target = builder.inttoptr(code.read(pointers, thread), POINTER)
    builder.call(runtime.switch, [code.element(block, Block.SCHEDULER), target])
    return code.end()


def _blame(runtime: Runtime) -> Value:
    """blame(launch, block, fault, thread, site): note a fault that the scheduler found."""
    code = Code(runtime.module, PREFIX + "blame", 5, VOID, internal=True)
    note_fault(code, *code.parameters)
    return code.end()


def _run_job(runtime: Runtime, blame: Value) -> Value:
    """run_job(launch, block, first, end, leader, site) -> 1: all lanes wait with a job, the leader's is done for all.

    It orders nothing: matrix instructions wait for all lanes, but give no promise about memory.
    """
    code = Code(runtime.module, PREFIX + "run_job", 6, internal=True)
    builder = code.builder
    launch, block, first, end, leader, site = code.parameters
    states, jobs = code.slots(block, Block.STATE, Block.JOBS)
    with code.when(
        builder.icmp_signed("<", builder.sub(end, first), code.read(launch, LaunchRecord.SUBGROUP)), likely=False
    ):
        code.call(blame, launch, block, LaunchFault.INCOMPLETE_SUBGROUP, leader, site)
        code.give(0)

    def entry(thread: Value) -> Value:
        return builder.add(jobs, builder.mul(thread, code.value(8 * len(SubgroupOp))))

    odd = code.call_at(code.read(entry(leader), SubgroupOp.FUNCTION), block, first)
    with code.when(code.compare("!=", odd, 0), likely=False):
        code.call(blame, launch, block, LaunchFault.MIXED_OPERANDS, builder.sub(odd, code.value(1)), site)
        code.give(0)
    with code.count(first, end) as thread:
        code.write(entry(thread), SubgroupOp.FUNCTION, 0)
        code.write(states, thread, State.READY, I8)
    return code.end(1)


def _release_subgroup(runtime: Runtime, blame: Value, order: Order) -> Value:
    """release_subgroup(launch, block, first, end) -> 1 where lanes were released.

    A shuffle of width w goes on when the first w lanes wait at the same operation; lanes that can still arrive are
    waited for.
    """
    run_job = _run_job(runtime, blame)
    code = Code(runtime.module, PREFIX + "release_subgroup", 4, internal=True)
    builder = code.builder
    launch, block, first, end = code.parameters
    states, sites, widths = code.slots(block, Block.STATE, Block.SITE, Block.WIDTH)
    leader, moving, spinning = code.variable(-1), code.variable(0), code.variable(0)
    with code.count(first, end) as thread:
        state = code.read(states, thread, I8)
        waits = builder.and_(code.compare("==", state, State.SUBGROUP), code.compare("<", leader.get(), 0))
        with code.when(waits):
            leader.set(thread)
        # Another subgroup may have woken a lane since its turn.
        with code.when(builder.or_(code.is_stopped(state), code.compare("==", state, State.READY))):
            moving.set(1)
        elsewhere = code.compare("==", state, State.SPIN)
        for one in (State.MBARRIER, State.NAMED_BARRIER, State.WARPGROUP):
            elsewhere = builder.or_(elsewhere, code.compare("==", state, one))
        with code.when(elsewhere):
            spinning.set(1)
    with code.when(builder.or_(code.compare("<", leader.get(), 0), code.compare("!=", moving.get(), 0))):
        code.give(0)
    site, width = code.read(sites, leader.get(), I32), code.read(widths, leader.get(), I32)

    def at_site(thread: Value) -> Value:
        waits = code.compare("==", code.read(states, thread, I8), State.SUBGROUP)
        return builder.and_(waits, code.compare("==", code.read(sites, thread, I32), site))

    last = code.least(builder.add(first, width), end)
    missing = code.variable(-1)
    with code.count(first, last) as thread, code.when(builder.not_(at_site(thread))):
        missing.set(thread)
    with code.when(code.compare(">=", missing.get(), 0)):
        with code.when(code.compare("==", spinning.get(), 0)):
            code.call(blame, launch, block, LaunchFault.DIVERGENT_SUBGROUP, missing.get(), site)
        code.give(0)
    job = builder.add(code.read(block, Block.JOBS), builder.mul(leader.get(), code.value(8 * len(SubgroupOp))))
    with code.when(code.compare("!=", code.read(job, SubgroupOp.FUNCTION), 0)):
        code.give(code.call(run_job, launch, block, first, end, leader.get(), site))
    released, left = code.variable(0), code.variable(0)
    with code.count(first, end) as thread, builder.if_else(at_site(thread)) as (released_here, elsewhere):
        with released_here:
            code.write(states, thread, State.READY, I8)
            lane = builder.shl(code.value(1), builder.sub(thread, first))
            released.set(builder.or_(released.get(), lane))
        with elsewhere:
            left.set(1)
    subgroup_ops = builder.zext(code.compare("==", left.get(), 0), I64)
    code.call(order.subgroup, launch, block, first, end, released.get(), subgroup_ops)
    return code.end(1)


def _turn(runtime: Runtime, blame: Value, flush: Value, order_of_accesses: Order) -> Value:
    """turn(launch, block, first, end): run a subgroup until all its threads wait for others, or once (sweep)."""
    code = Code(runtime.module, PREFIX + "turn", 4, VOID, internal=True)
    builder = code.builder
    launch, block, first, end = code.parameters
    capacity, sweep = code.slots(launch, LaunchRecord.LOG_CAPACITY, LaunchRecord.SWEEP)
    order, states, lengths = code.slots(block, Block.ORDER, Block.STATE, Block.LOG_LENGTH)
    resume, release_subgroup = _resume(runtime), _release_subgroup(runtime, blame, order_of_accesses)
    code.write(block, Block.FIRST, first)
    again, ran = code.variable(1), code.variable(0)
    with code.loop(lambda: code.compare("!=", again.get(), 0)):
        again.set(0)
        ran.set(0)
        arrived_before = code.read(block, Block.ARRIVED)
        with code.count(first, end) as place:
            thread = code.read(order, place)
            with code.when(code.compare("==", code.read(states, thread, I8), State.READY)):
                ran.set(1)
                code.call(resume, launch, block, thread)
                with code.when(code.compare("!=", code.read(launch, LaunchRecord.FAULT), 0), likely=False):
                    builder.ret_void()
        with code.when(code.compare("==", ran.get(), 0)):
            builder.ret_void()
        with code.when(code.compare("!=", capacity, 0)):
            code.call(flush, launch, block, first, end)
            with code.count(first, end) as thread:
                waits = code.compare("==", code.read(states, thread, I8), State.LOG_FULL)
                emptied = code.compare("<", code.read(lengths, thread), capacity)
                with code.when(builder.and_(waits, emptied)):
                    code.write(states, thread, State.READY, I8)
                    again.set(1)
        # Where all lanes have just reached a barrier, none is left at a shuffle.
        arrived = builder.sub(code.read(block, Block.ARRIVED), arrived_before)
        some_elsewhere = builder.icmp_signed("<", arrived, builder.sub(end, first))
        with code.when(builder.and_(some_elsewhere, code.compare("==", again.get(), 0))):
            released = code.call(release_subgroup, launch, block, first, end)
            code.write(block, Block.PROGRESS, builder.or_(code.read(block, Block.PROGRESS), released))
            again.set(builder.select(code.compare("==", sweep, 0), released, code.value(0)))
            with code.when(code.compare("!=", code.read(launch, LaunchRecord.FAULT), 0), likely=False):
                builder.ret_void()
    return code.end()


def _release(runtime: Runtime, blame: Value) -> Value:
    """release(launch, block) -> Outcome: wake what may go on after a pass."""
    code = Code(runtime.module, PREFIX + "release", 2, internal=True)
    builder = code.builder
    launch, block = code.parameters
    (threads,) = code.slots(launch, LaunchRecord.THREADS)
    states, sites, done_before = code.slots(block, Block.STATE, Block.SITE, Block.DONE)
    progress = code.variable(code.read(block, Block.PROGRESS))
    code.write(block, Block.PROGRESS, 0)
    done, odd = code.variable(0), code.variable(-1)
    expected = code.read(block, Block.ARRIVAL_SITE)
    with code.count(0, threads) as thread:
        state = code.read(states, thread, I8)
        with code.when(code.compare("==", state, State.DONE)):
            done.add(1)
        elsewhere = code.compare("!=", code.read(sites, thread, I32), expected)
        with code.when(builder.and_(code.compare("==", state, State.BARRIER), elsewhere)):
            odd.set(thread)
        preempted = code.compare("==", state, State.PREEMPTED)
        with code.when(preempted):
            progress.set(1)
        with code.when(builder.or_(preempted, code.compare("==", state, State.SPIN))):
            code.write(states, thread, State.READY, I8)
    with code.when(code.compare("!=", done.get(), done_before)):
        progress.set(1)
    code.write(block, Block.DONE, done.get())
    with code.when(code.compare("==", done.get(), threads)):
        code.give(PassOutcome.FINISHED)
    # A barrier that all threads reached was released before: the others can not come any more.
    arrived = code.read(block, Block.ARRIVED)
    nobody_else = code.compare("==", builder.add(done.get(), arrived), threads)
    with code.when(builder.and_(code.compare(">", arrived, 0), nobody_else)):
        code.call(blame, launch, block, LaunchFault.DIVERGENT_BARRIER, odd.get(), expected)
        code.give(PassOutcome.FAULT)
    advance = code.read(launch, LaunchRecord.MACHINE_ADVANCE)
    stuck = builder.and_(code.compare("==", progress.get(), 0), code.compare("!=", advance, 0))
    with code.when(stuck, likely=False):
        progress.set(code.call_at(advance, launch, block))
        with code.when(code.compare("==", progress.get(), 2)):
            code.give(PassOutcome.FAULT)
    moved = code.compare("!=", progress.get(), 0)
    return code.end(builder.select(moved, code.value(PassOutcome.PROGRESS), code.value(PassOutcome.SPINNING)))


def _release_barrier(code: Code, runtime: Runtime, launch: Value, block: Value, threads: Value, order: Order) -> Value:
    """Emit the release of a barrier that all threads of the block reached; give whether they did."""
    arrived, mixed, states = code.slots(block, Block.ARRIVED, Block.MIXED, Block.STATE)
    subgroup_ops = code.builder.and_(code.builder.icmp_signed("==", arrived, threads), code.compare("==", mixed, 0))
    with code.when(subgroup_ops):
        code.write(block, Block.ARRIVED, 0)
        address = code.builder.inttoptr(states, POINTER)
        code.builder.call(runtime.fill, [address, ir.Constant(I32, int(State.READY)), threads])
        code.call(order.barrier, launch, block)
        _tell_async_units(code, LaunchRecord.MACHINE_BARRIER, launch, block)
    return subgroup_ops


def _pass(runtime: Runtime, permute: Value, blame: Value, flush: Value, order_of_accesses: Order) -> Value:
    """pass(launch, block) -> Outcome: give every subgroup a turn, then release what waits for the whole block."""
    turn = _turn(runtime, blame, flush, order_of_accesses)
    code = Code(runtime.module, PREFIX + "pass", 2, internal=True)
    builder = code.builder
    launch, block = code.parameters
    threads, subgroups, deadline = code.slots(
        launch, LaunchRecord.THREADS, LaunchRecord.SUBGROUPS, LaunchRecord.DEADLINE_NS
    )
    (order,) = code.slots(block, Block.SUBGROUP_ORDER)
    with code.count(0, subgroups) as place:
        first = code.read(order, place)
        code.call(turn, launch, block, first, _subgroup_end(code, launch, first))
        with code.when(code.compare("!=", code.read(launch, LaunchRecord.FAULT), 0), likely=False):
            code.give(PassOutcome.FAULT)
    with code.when(code.compare(">", code.call(runtime.clock), deadline), likely=False):
        code.call(blame, launch, block, LaunchFault.TIMEOUT, -1, -1)
        code.give(PassOutcome.FAULT)
    with code.when(_release_barrier(code, runtime, launch, block, threads, order_of_accesses)):
        _permute_subgroups(code, permute, launch, block)
        code.give(PassOutcome.PROGRESS)
    builder.ret(code.call(_release(runtime, blame), launch, block))
    return code.function


def emit_scheduler(runtime: Runtime, flush: Value, order_of_accesses: Order) -> None:
    """Emit run(launch): run the whole grid. The launch's record holds the fault, if there is one."""
    random = _random(runtime)
    permute = _permute(runtime, random)
    start = _start(runtime, permute, order_of_accesses)
    blame = _blame(runtime)
    one_pass = _pass(runtime, permute, blame, flush, order_of_accesses)
    code = Code(runtime.module, PREFIX + "run", 1, VOID)
    builder = code.builder
    (launch,) = code.parameters
    contexts, order, resident, sweep, idle_limit = code.slots(
        launch,
        LaunchRecord.CONTEXTS,
        LaunchRecord.CONTEXT_ORDER,
        LaunchRecord.RESIDENT,
        LaunchRecord.SWEEP,
        LaunchRecord.IDLE_LIMIT,
    )

    def context(number: Value) -> Value:
        return builder.add(contexts, builder.mul(number, code.value(8 * Block.SIZE)))

    with code.count(0, resident) as number:
        code.call(start, launch, context(number))
    alive, idle, outcome = code.variable(1), code.variable(0), code.variable(0)
    with code.loop(lambda: code.compare(">", alive.get(), 0)):
        alive.set(0)
        idle.add(1)
        code.call(permute, launch, order, resident)
        with code.count(0, resident) as place:
            block = context(code.read(order, place))
            with code.when(code.compare(">=", code.read(block, Block.NUMBER), 0)):
                alive.add(1)
                again = code.variable(1)
                with code.loop(lambda: code.compare("!=", again.get(), 0)):
                    outcome.set(code.call(one_pass, launch, block))
                    moved = code.compare("==", outcome.get(), PassOutcome.PROGRESS)
                    with code.when(moved):
                        idle.set(0)
                    greedy = builder.and_(moved, code.compare("==", sweep, 0))
                    again.set(builder.zext(greedy, I64))
                with code.when(code.compare("==", outcome.get(), PassOutcome.FAULT), likely=False):
                    builder.ret_void()
                with code.when(code.compare("==", outcome.get(), PassOutcome.FINISHED)):
                    idle.set(0)
                    code.call(start, launch, block)
        with code.when(code.compare(">", idle.get(), idle_limit), likely=False):
            code.write(launch, LaunchRecord.FAULT, LaunchFault.SPINS)
            alive.set(0)
    builder.ret_void()
