# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled asynchronous copies: a copy is queued where it is issued and carried out where it is waited for.

That is the latest time at which hardware may do it, so that a wait for too few groups leaves old values behind. A
thread that ends drops what it did not wait for. The sanitizer sees the target in flight from the issue on.
"""

from llvmlite import ir

from roller_mlir.sim.engine.layout import Block, Copy, LaunchFault, LaunchRecord, ShadowAccess
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.structured import I32, VOID, Code, Value, function

_COPY_BYTES = 8 * len(Copy)


def _queue(block: Value) -> tuple[Value, Value, Value]:
    """Return the addresses of the running thread's queue and of its length, and the length."""
    launch, thread, copies, counts = block[Block.LAUNCH, Block.CURRENT, Block.COPIES, Block.COPY_COUNT]
    start = thread * launch[LaunchRecord.COPY_CAPACITY] * _COPY_BYTES
    length = counts + thread * 8
    return copies + start, length, length[0]


def _entry(queue: Value, number: Value) -> Value:
    return queue + number * _COPY_BYTES


def _issue(runtime: Runtime, access: Value, issued: Value) -> None:
    """Emit copy_issue(block, site, target, source, bytes, source bytes)."""
    code, block, site, target, source, width, given = function(runtime.module, PREFIX + "copy_issue", 6, VOID)
    queue, length, count = _queue(block)
    launch, cells = block[Block.LAUNCH, Block.CELLS]
    with code.when(count == launch[LaunchRecord.COPY_CAPACITY], likely=False):
        code.call(runtime.fault, block, LaunchFault.COPIES, site)
    with code.when(cells != 0):
        code.call(access, block, site, target, width, ShadowAccess.WRITE | ShadowAccess.PENDING)
        with code.when(given > 0):
            code.call(issued, block, site, source, code.least(given, width), ShadowAccess.READ)
    entry = _entry(queue, count)
    entry[Copy.SITE] = site
    entry[Copy.TARGET] = target
    entry[Copy.SOURCE] = source
    entry[Copy.BYTES] = width
    entry[Copy.SOURCE_BYTES] = code.least(given, width)
    entry[Copy.GROUP] = 0
    length[0] = count + 1
    code.give()


def _commit(runtime: Runtime) -> None:
    """Emit copy_commit(block): make a group of the copies that are in none."""
    code = Code(runtime.module, PREFIX + "copy_commit", 1, VOID)
    queue, _, count = _queue(code.parameters[0])
    with code.count(0, count) as number:
        _entry(queue, number)[Copy.GROUP] += 1
    code.give()


def _wait(runtime: Runtime, access: Value) -> None:
    """Emit copy_wait(block, groups): carry out all but the last `groups` groups."""
    code, block, groups = function(runtime.module, PREFIX + "copy_wait", 2, VOID)
    queue, length, count = _queue(block)
    cells = block[Block.CELLS]
    kept = code.variable(0)
    with code.count(0, count) as number:
        site, target, source, width, given, group = _entry(queue, number)[*Copy]
        with code.if_else(group > groups) as (complete, keep):
            with complete:
                with code.when(cells != 0):
                    with code.when(given > 0):
                        code.call(access, block, site, source, given, ShadowAccess.READ)
                    code.call(access, block, site, target, width, ShadowAccess.WRITE | ShadowAccess.COMPLETE)
                code.call(runtime.move, code.pointer(target), code.pointer(source), given)
                rest = code.pointer(target + given)
                code.call(runtime.fill, rest, ir.Constant(I32, 0), width - given)
            with keep:
                place = _entry(queue, kept.get())
                for column, value in zip(Copy, (site, target, source, width, given, group), strict=True):
                    place[column] = value
                kept.add(1)
    length[0] = kept.get()
    code.give()


def emit_copies(runtime: Runtime, access: Value, issued: Value) -> None:
    """Emit what kernels call for asynchronous copies.

    Args:
        runtime: What has been emitted so far.
        access: Judges an access.
        issued: Judges where a read is issued.
    """
    _issue(runtime, access, issued)
    _commit(runtime)
    _wait(runtime, access)
