# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer's look at kernels that may run before the launches that they need have ended.

`griddepcontrol.wait` waits for these (PTX ISA, "Parallel Synchronization and Communication Instructions"). Until a
thread has done so itself it must not read what an earlier launch of the function writes, nor write what one reads or
writes. Launches run one after the other here, so that only this tells whether a read stands in front of the wait.
"""

from roller_mlir.sim.engine.layout import Before, Block, Finding, LaunchRecord, ShadowAccess
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.structured import I8, VOID, Code, Value, function


def _check(runtime: Runtime, report: Value) -> Value:
    """Emit early(block, mine, offset, bytes, access): report an access of the region in front of its thread's wait."""
    code, block, mine, offset, width, access = function(runtime.module, PREFIX + "early", 5, VOID, internal=True)
    launch, thread, number, started = block[Block.LAUNCH, Block.CURRENT, Block.NUMBER, Block.STARTED]
    before, granule = launch[LaunchRecord.BEFORE, LaunchRecord.GRANULE]
    waited = block[Block.WAITED][thread]
    with code.when(waited >= started):
        code.give()
    harmful = code.select(access.has(ShadowAccess.WRITE), Before.WRITTEN | Before.READ, Before.WRITTEN)
    last = (offset + width - 1) >> granule
    with code.count(offset >> granule, last + 1) as cell, code.when((code.read(before, cell, I8) & harmful) != 0):
        code.call(report, block, Finding.BEFORE_WAIT, mine, 0, number, cell << granule, 0)
        code.give()
    return code.end()


def check_early(code: Code, early: Value, mine: Value, elsewhere: Value, offset: Value) -> None:
    """Emit the check of an access as `touch` has it.

    Args:
        code: Of a function (block, site, address, bytes, access).
        early: What `emit_early` gave.
        mine: The access as a word of a cell.
        elsewhere: Whether it is of global memory.
        offset: Where in the region.
    """
    block, site, _, width, access = code.parameters
    launch = block[Block.LAUNCH]
    with code.when(elsewhere & (launch[LaunchRecord.BEFORE] != 0), likely=False):
        # What a copy by the asynchronous proxy does is judged where it is issued, by its thread.
        lands = (launch[LaunchRecord.SITE_PROXIES][site] != 0) & ~access.has(ShadowAccess.PROBE)
        with code.when(~lands):
            code.call(early, block, mine, offset, width, access)


def emit_early(runtime: Runtime, report: Value) -> Value:
    """Emit launches_wait(block), which kernels call; return early(block, mine, offset, bytes, access)."""
    code, block = function(runtime.module, PREFIX + "launches_wait", 1, VOID)
    with code.when(block[Block.CELLS] != 0):
        block[Block.WAITED][block[Block.CURRENT]] = block[Block.LAUNCH][LaunchRecord.TIME]
    code.give()
    return _check(runtime, report)
