# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of the compiled runtime that a kernel calls: waiting, shuffles, clock, faults, the log of accesses.

Functions take the address of the block's record first. A thread waits by writing what it waits for and switching to
the scheduler (`scheduler_ir`), which switches back when that has come.
"""

from dataclasses import dataclass

from llvmlite import ir

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, Poll, State, SubgroupOp
from roller_mlir.sim.engine.structured import I8, I32, I64, POINTER, VOID, Code, Value, function

PREFIX = "roller_sim_"
TRUNCATIONS = {
    "__truncsfbf2": f"{PREFIX}truncate_f32",
    "__truncdfbf2": f"{PREFIX}truncate_f64",
    "__truncdfhf2": f"{PREFIX}truncate_f64_to_f16",
}
"""What LLVM calls to make a bf16 of an f32 or an f64, and an f16 of an f64; few processes have them."""

TRUNCATE_TEXT = f"""
define bfloat @{PREFIX}truncate_f32(float %value) {{
  %bits = bitcast float %value to i32
  %nan = fcmp uno float %value, %value
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %up = add i32 %bits, 32767
  %rounded = add i32 %up, %odd
  %nearest = lshr i32 %rounded, 16
  %quiet = or i32 %high, 64
  %chosen = select i1 %nan, i32 %quiet, i32 %nearest
  %half = trunc i32 %chosen to i16
  %result = bitcast i16 %half to bfloat
  ret bfloat %result
}}

; To odd first, so that the second rounding sees on which side of a tie the value lies.
define float @{PREFIX}truncate_to_odd(double %value) {{
  %nearest = fptrunc double %value to float
  %back = fpext float %nearest to double
  %size = call double @llvm.fabs.f64(double %value)
  %size.back = call double @llvm.fabs.f64(double %back)
  %above = fcmp ogt double %size.back, %size
  %inexact = fcmp one double %size.back, %size
  %bits = bitcast float %nearest to i32
  %one = zext i1 %above to i32
  %down = sub i32 %bits, %one
  %last = zext i1 %inexact to i32
  %odd = or i32 %down, %last
  %single = bitcast i32 %odd to float
  ret float %single
}}

define bfloat @{PREFIX}truncate_f64(double %value) {{
  %single = call float @{PREFIX}truncate_to_odd(double %value)
  %result = call bfloat @{PREFIX}truncate_f32(float %single)
  ret bfloat %result
}}

define half @{PREFIX}truncate_f64_to_f16(double %value) {{
  %single = call float @{PREFIX}truncate_to_odd(double %value)
  %result = fptrunc float %single to half
  ret half %result
}}
declare double @llvm.fabs.f64(double)
"""
SHUFFLES = ("xor", "up", "down", "idx")


@dataclass(frozen=True)
class Runtime:
    """The functions of the runtime that other parts of it call."""

    module: Value
    switch: Value
    begin: Value
    fill: Value
    move: Value
    clock: Value
    wait: Value
    fault: Value


def _external(module: Value, name: str, result: Value, operands: list[Value]) -> Value:
    return ir.Function(module, ir.FunctionType(result, operands), name)


def _clock(module: Value) -> Value:
    """Return the nanoseconds of the monotonic clock."""
    now = _external(module, "clock_gettime", I32, [I32, POINTER])
    code = Code(module, PREFIX + "clock", 0)
    time = code.builder.alloca(I64, size=2)
    code.call(now, ir.Constant(I32, 1), time)
    address = code.address(time)
    return code.end(address[0] * 1_000_000_000 + address[1])


def _now(module: Value, clock: Value) -> None:
    """Emit now(block): what a kernel reads where it asks for the time."""
    code = Code(module, PREFIX + "now", 1)
    code.give(code.call(clock))


def emit_wait(module: Value, switch: Value) -> Value:
    """Emit wait(block, state, site): stop here until the scheduler switches back.

    Inlined, and switching by a tail call where nothing follows: a `ret` after a switch is never predicted.
    """
    code, block, state, site = function(module, PREFIX + "wait", 3, VOID, inline=True)
    states, sites, pointers, thread, scheduler = block[
        Block.STATE, Block.SITE, Block.STACK_POINTER, Block.CURRENT, Block.SCHEDULER
    ]
    code.write(states, thread, state, I8)
    code.write(sites, thread, site, I32)
    code.builder.call(switch, [code.element(pointers, thread), code.pointer(scheduler)], tail=True)
    return code.end()


def note_fault(launch: Value, block: Value, fault: Value | int, thread: Value | int, site: Value | int) -> None:
    """Emit the note of a fault, by which the launch ends."""
    launch[LaunchRecord.FAULT] = fault
    launch[LaunchRecord.FAULT_THREAD] = thread
    launch[LaunchRecord.FAULT_SITE] = site
    launch[LaunchRecord.FAULT_CONTEXT] = block


def _fault(module: Value, wait: Value) -> Value:
    """Emit fault(block, fault, site): report and never return."""
    code, block, fault, site = function(module, PREFIX + "fault", 3, VOID)
    launch, thread = block[Block.LAUNCH, Block.CURRENT]
    note_fault(launch, block, fault, thread, site)
    code.call(wait, block, State.FAULT, site)
    code.builder.unreachable()
    return code.function


def _fault_value(module: Value) -> None:
    """Emit fault_value(block, number, value): a value that the report of the next fault shows."""
    code, block, number, value = function(module, PREFIX + "fault_value", 3, VOID)
    block[Block.LAUNCH][LaunchRecord.FAULT_VALUES][number] = value
    code.give()


def _waits(module: Value, wait: Value) -> None:
    """Emit barrier, spin, exit (block, site); sync(block, site) of a subgroup; leave(block) after a spin loop."""
    code, block, site = function(module, PREFIX + "barrier", 2, VOID)
    arrived, expected, mixed = block[Block.ARRIVED, Block.ARRIVAL_SITE, Block.MIXED]
    first = arrived == 0
    block[Block.ARRIVED] = arrived + 1
    block[Block.ARRIVAL_SITE] = code.select(first, site, expected)
    block[Block.MIXED] = mixed | code.wide(~first & (expected != site))
    code.call(wait, block, State.BARRIER, site)
    code.give()
    for name, state in (("spin", State.SPIN), ("exit", State.DONE)):
        code = Code(module, PREFIX + name, 2, VOID)
        code.call(wait, code.parameters[0], state, code.parameters[1])
        code.give()
    code, block, site = function(module, PREFIX + "sync", 2, VOID)
    widths, thread = block[Block.WIDTH, Block.CURRENT]
    code.write(widths, thread, layout.MAXIMUM_SUBGROUP, I32)
    code.call(wait, block, State.SUBGROUP, site)
    code.give()
    code = Code(module, PREFIX + "leave", 1, VOID)
    code.write(code.parameters[0], Block.PROGRESS, 1)
    code.give()


def _polls(module: Value) -> None:
    """Emit poll(block, site, address, bytes, value, wanted, relation) and watch_value(block, number, value)."""

    def row(code: Code) -> Value:
        polls, thread = code.parameters[0][Block.POLLS, Block.CURRENT]
        return polls + thread * (8 * layout.POLL_WORDS)

    code, _, site, *values = function(module, PREFIX + "poll", 7, VOID)
    entry = row(code)
    entry[Poll.SITE] = site + 1
    for word, value in zip((Poll.ADDRESS, Poll.WIDTH, Poll.VALUE, Poll.WANTED, Poll.RELATION), values, strict=True):
        entry[word] = value
    code.give()
    code, _, number, value = function(module, PREFIX + "watch_value", 3, VOID)
    entry = row(code)
    entry[Poll.GIVEN] |= 1 << number
    code.write(entry, number + Poll.WATCHED, value)
    code.give()


def _tick(module: Value, clock: Value, wait: Value, fault: Value) -> None:
    """Emit tick(block, site), every TICKS_PER_CLOCK loop iterations: read the clock, let the other threads run."""
    code, block, site = function(module, PREFIX + "tick", 2, VOID)
    block[Block.TICKS] = layout.TICKS_PER_CLOCK
    with code.when(code.call(clock) > block[Block.LAUNCH][LaunchRecord.DEADLINE_NS], likely=False):
        code.call(fault, block, LaunchFault.TIMEOUT, site)
    code.call(wait, block, State.PREEMPTED, site)
    code.give()


def _log(module: Value, wait: Value) -> None:
    """Emit log(block, site, address): note an access; a full log waits until it has been counted."""
    code, block, site, address = function(module, PREFIX + "log", 3, VOID)
    launch, thread, log, lengths = block[Block.LAUNCH, Block.CURRENT, Block.LOG, Block.LOG_LENGTH]
    capacity = launch[LaunchRecord.LOG_CAPACITY]
    length = lengths[thread]
    log[thread * capacity + length] = (site << layout.ADDRESS_BITS) | address
    longer = length + 1
    lengths[thread] = longer
    with code.when(longer == capacity, likely=False):
        code.call(wait, block, State.LOG_FULL, site)
    code.give()


def _watch(module: Value) -> None:
    """Emit watch(block, address, bytes) before an atomic operation, watched(block, bytes) after it.

    One that changes memory is progress: a loop around it is not spinning for ever.
    """

    def content(code: Code, address: Value, width: Value) -> Value:
        found = code.variable(0)
        with code.count(0, width) as number:
            found.set((found.get() << 8) | code.read(address, number, I8))
        return found.get()

    code, block, address, width = function(module, PREFIX + "watch", 3, VOID)
    block[Block.WATCHED] = address
    block[Block.WATCHED_BITS] = content(code, address, width)
    code.give()
    code, block, width = function(module, PREFIX + "watched", 2, VOID)
    address, before = block[Block.WATCHED, Block.WATCHED_BITS]
    with code.when(content(code, address, width) != before):
        block[Block.PROGRESS] = 1
    code.give()


def _pointer(module: Value, fault: Value) -> None:
    """Emit pointer(block, site, address, bytes): fault unless the bytes lie in one buffer or in the arena."""
    code, block, site, address, width = function(module, PREFIX + "pointer", 4, VOID)
    launch, arena = block[Block.LAUNCH, Block.ARENA]
    ranges, count, arena_bytes, values = launch[
        LaunchRecord.RANGES, LaunchRecord.RANGE_COUNT, LaunchRecord.ARENA_BYTES, LaunchRecord.FAULT_VALUES
    ]
    end = address + width
    found = code.variable(0)

    def note(first: Value, last: Value) -> None:
        found.set(found.get() | code.wide((address >= first) & (end <= last)))

    note(arena, arena + arena_bytes)
    with code.count(0, count) as number:
        first = number * 2
        note(ranges[first], ranges[first + 1])
    with code.when(found.get() == 0, likely=False):
        values[0] = address
        values[1] = width
        code.call(fault, block, LaunchFault.POINTER, site)
    code.give()


def _shuffle(module: Value, wait: Value, mode: str) -> None:
    """Emit shuffle_<mode>(block, site, value, offset, width) -> {value, valid}.

    Two halves of the exchange area alternate, so that one wait is enough: nobody writes a half again before everybody
    has read it. Results that the operation leaves unspecified are all ones, a NaN in every float type.
    """
    result = ir.LiteralStructType([I64, I64])
    code = Code(module, PREFIX + "shuffle_" + mode, 5, result)
    builder = code.builder
    block, site, value, offset, width = code.parameters
    launch, thread, widths, exchange, parities = block[
        Block.LAUNCH, Block.CURRENT, Block.WIDTH, Block.EXCHANGE, Block.PARITY
    ]
    threads, subgroup = launch[LaunchRecord.THREADS, LaunchRecord.SUBGROUP]
    half = code.read(parities, thread, I8)
    start = half * threads
    code.write(exchange, start + thread, value)
    code.write(widths, thread, width, I32)
    code.call(wait, block, State.SUBGROUP, site)
    code.write(parities, thread, half ^ 1, I8)
    lane = thread % subgroup
    first = thread - lane
    source = {
        "xor": lambda: lane ^ offset,
        "up": lambda: lane - offset,
        "down": lambda: lane + offset,
        "idx": lambda: offset,
    }[mode]()
    valid = (lane < width) & code.unsigned("<", source, width)
    partner = first + source
    exists = valid & (partner < threads)
    found = code.variable(-1)
    with code.when(exists, likely=True):
        found.set(exchange[start + partner])
    pair = builder.insert_value(ir.Constant(result, ir.Undefined), found.get(), 0)
    builder.ret(builder.insert_value(pair, code.wide(valid), 1))


def _job(module: Value, wait: Value) -> None:
    """Emit job(block, site, function, x, y, z): what the subgroup does together once all its lanes are here."""
    code, block, site, *words = function(module, PREFIX + "job", 6, VOID)
    widths, thread, jobs = block[Block.WIDTH, Block.CURRENT, Block.JOBS]
    entry = jobs + thread * (8 * len(SubgroupOp))
    for word, value in zip(SubgroupOp, words, strict=True):
        entry[word] = value
    code.write(widths, thread, layout.MAXIMUM_SUBGROUP, I32)
    code.call(wait, block, State.SUBGROUP, site)
    code.give()


def emit_runtime() -> Runtime:
    """Emit everything that kernels call, into a new module."""
    module: Value = ir.Module(PREFIX + "runtime")
    switch = _external(module, PREFIX + "switch", VOID, [POINTER, POINTER])
    begin = _external(module, PREFIX + "begin", VOID, [])
    fill = _external(module, "memset", POINTER, [POINTER, I32, I64])
    move = _external(module, "memcpy", POINTER, [POINTER, POINTER, I64])
    clock = _clock(module)
    _now(module, clock)
    wait = emit_wait(module, switch)
    fault = _fault(module, wait)
    _fault_value(module)
    _waits(module, wait)
    _polls(module)
    _tick(module, clock, wait, fault)
    _log(module, wait)
    _watch(module)
    _pointer(module, fault)
    for mode in SHUFFLES:
        _shuffle(module, wait, mode)
    _job(module, wait)
    return Runtime(module, switch, begin, fill, move, clock, wait, fault)
