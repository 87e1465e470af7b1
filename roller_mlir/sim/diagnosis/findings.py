# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sanitizer found, for people: which threads, at which operations, on which memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from roller_mlir.plan.manifest import Buffer
from roller_mlir.runtime.findings import SanitizerFinding, Triple, spell_findings
from roller_mlir.sim.diagnosis.errors import SimulationError
from roller_mlir.sim.diagnosis.stuck import element_index, triple
from roller_mlir.sim.engine.layout import Finding
from roller_mlir.sim.engine.sites import Site, SiteTable
from roller_mlir.sim.gpu.kernel_ir import KernelParameter
from roller_mlir.sim.gpu.memory_types import element_bytes
from roller_mlir.sim.memory.shadow import Hazard

_WORDS = {
    Finding.READ_AFTER_WRITE: ("race, read after write", "reads what", "wrote"),
    Finding.WRITE_AFTER_READ: ("race, write after read", "overwrites what", "read"),
    Finding.WRITE_AFTER_WRITE: ("race, write after write", "overwrites what", "wrote"),
    Finding.MISSING_PROXY_FENCE: ("missing fence", "moves beside the threads what", "wrote"),
    Finding.UNFINISHED_COPY: ("unfinished copy", "touches what", "is still copying, without a wait for it"),
}
_TAILS = {Finding.UNFINISHED_COPY: ""}
_KINDS = {
    Finding.READ_AFTER_WRITE: "read-after-write",
    Finding.WRITE_AFTER_READ: "write-after-read",
    Finding.WRITE_AFTER_WRITE: "write-after-write",
    Finding.UNINITIALISED: "uninitialised-read",
    Finding.UNFINISHED_COPY: "unfinished-copy",
    Finding.MISSING_PROXY_FENCE: "missing-fence",
    Finding.BEFORE_WAIT: "before-wait",
}

_ALONE = (Finding.UNINITIALISED, Finding.BEFORE_WAIT)
"""What one thread does, whatever others do."""


class SanitizerError(SimulationError):
    """A sanitized launch found something.

    Attributes:
        findings: All that was found, in the order in which it was.
        more: Whether there was more than is kept.
    """

    def __init__(self, kernel: str, findings: Sequence[SanitizerFinding], more: bool) -> None:
        self.findings, self.more = tuple(findings), more
        first = self.findings[0]
        super().__init__(
            f"kernel '{kernel}': {spell_findings(findings, more)}",
            kind=first.kind,
            kernel=kernel,
            site=first.site,
            block=first.block,
            thread=first.thread,
        )


def describe(
    kernel: str,
    table: SiteTable,
    parameters: Sequence[KernelParameter],
    grid: Triple,
    block: Triple,
    hazards: list[Hazard],
) -> list[SanitizerFinding]:
    """Return findings for what the sanitizer noted.

    Args:
        kernel: The kernel's name.
        table: The module's sites.
        parameters: The kernel's parameters.
        grid: Blocks of the grid.
        block: Threads of a block.
        hazards: What was noted.
    """
    arrays = [(number, one) for number, one in enumerate(parameters) if one.shape is not None]
    found: list[SanitizerFinding] = []
    for hazard in hazards:
        if hazard.argument < 0:
            memory, at = "workgroup memory", f"byte {hazard.offset_bytes} of workgroup memory"
        else:
            number, parameter = arrays[hazard.argument]
            memory = f"argument {number}"
            at = f"element {element_index(hazard.offset_bytes, parameter)} of argument {number}"
        site, other = table[hazard.site], table[hazard.other_site]
        threads = triple(hazard.thread, block), triple(hazard.other_thread, block)
        blocks = triple(hazard.block, grid), triple(hazard.other_block, grid)
        alone = hazard.finding in _ALONE
        found.append(
            SanitizerFinding(
                kind=_KINDS[hazard.finding],
                kernel=kernel,
                message=_message(hazard, site, other, threads, blocks, at),
                site=site.name,
                other_site="" if alone else other.name,
                block=blocks[0],
                thread=threads[0],
                other_block=None if alone else blocks[1],
                other_thread=None if alone else threads[1],
                memory=memory,
                offset_bytes=hazard.offset_bytes,
                count=hazard.count,
            )
        )
    return found


def _message(
    hazard: Hazard, site: Site, other: Site, threads: tuple[Triple, Triple], blocks: tuple[Triple, Triple], at: str
) -> str:
    who = f"thread {threads[0]} of block {blocks[0]}"
    times = "" if hazard.count == 1 else f" ({hazard.count} times)"
    if hazard.finding is Finding.UNINITIALISED:
        return f"uninitialised read: {who} at {site.name} reads {at}, which nobody has written{times}"
    if hazard.finding is Finding.BEFORE_WAIT:
        what = f"accesses {at}, which launches before it use, in front of its 'griddepcontrol.wait'"
        return f"before the wait: {who} at {site.name} {what}{times}"
    title, does, did = _WORDS[hazard.finding]
    whom = f"thread {threads[1]}" if blocks[0] == blocks[1] else f"thread {threads[1]} of block {blocks[1]}"
    tail = _TAILS.get(hazard.finding, ", with nothing to order them")
    if hazard.finding is Finding.MISSING_PROXY_FENCE:
        where = "in between" if blocks[0] == blocks[1] else "behind it in both blocks"
        tail = f", without 'fence.proxy.async' {where}"
    return f"{title}: {who} at {site.name} {does} {whom} {did} at {other.name}{tail}: {at}{times}"


def unwritten(buffer: Buffer, written: "np.ndarray[Any, Any]") -> SanitizerFinding:
    """Return the finding for an output of which no launch has written all.

    Args:
        buffer: The output.
        written: A number for each of its bytes, 0 where nothing was written.
    """
    missing = np.flatnonzero(written == 0)
    size = element_bytes(buffer.element_type)
    first = np.unravel_index(int(missing[0]) // size, buffer.static_shape) if buffer.shape else ()
    where = [int(place) for place in first]
    count = len(np.unique(missing // size))
    noun = "element" if count == 1 else "elements"
    return SanitizerFinding(
        kind="unwritten-output",
        kernel="",
        message=f"unwritten output: no launch writes {count} {noun} of '{buffer.name}', the first at {where}",
        site="",
        memory=buffer.name,
        offset_bytes=int(missing[0]),
        count=count,
    )


def ending(error: SimulationError) -> SanitizerFinding:
    """Return the finding for what ended a launch."""
    return SanitizerFinding(
        kind=error.kind,
        kernel=error.kernel,
        message=str(error).removeprefix(f"kernel '{error.kernel}': "),
        site=error.site,
        block=error.block,
        thread=error.thread,
    )
