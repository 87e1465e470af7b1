# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sanitizer found, for people: which threads, at which operations, on which memory."""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.sim.errors import SimulationError
from roller_mlir.sim.layout import Finding
from roller_mlir.sim.memory_types import element_bytes
from roller_mlir.sim.kernel_ir import Parameter
from roller_mlir.sim.shadow import Hazard
from roller_mlir.sim.sites import Site, SiteTable

Triple = tuple[int, int, int]

_WORDS = {
    Finding.READ_AFTER_WRITE: ("race, read after write", "reads what", "wrote"),
    Finding.WRITE_AFTER_READ: ("race, write after read", "overwrites what", "read"),
    Finding.WRITE_AFTER_WRITE: ("race, write after write", "overwrites what", "wrote"),
    Finding.UNFINISHED_COPY: ("unfinished copy", "touches what", "is still copying, without a wait for it"),
}
_KINDS = {
    Finding.READ_AFTER_WRITE: "read-after-write",
    Finding.WRITE_AFTER_READ: "write-after-read",
    Finding.WRITE_AFTER_WRITE: "write-after-write",
    Finding.UNINITIALISED: "uninitialised-read",
    Finding.UNFINISHED_COPY: "unfinished-copy",
}


@dataclass(frozen=True, kw_only=True)
class SanitizerFinding:
    """One thing that a kernel does wrong; all occurrences at the same operations are one.

    Attributes:
        kind: "read-after-write", "write-after-read", "write-after-write", "uninitialised-read", "unfinished-copy", or
            the kind of the SimulationError that ended the launch.
        kernel: The kernel.
        message: All of it in words.
        site: The operation, with its label and source place.
        other_site: The operation that it conflicts with; "" without one.
        block: The block of the first occurrence, as (x, y, z); None where the whole launch is meant.
        thread: Its thread, as (x, y, z) in its block; None where no single one is meant.
        other_block: The block that it conflicts with; None without one.
        other_thread: The thread that it conflicts with; None without one.
        memory: "workgroup memory" or "argument N"; "" where none is meant.
        offset_bytes: Place in that memory.
        count: Occurrences, in granules of memory.
    """

    kind: str
    kernel: str
    message: str
    site: str
    other_site: str = ""
    block: Triple | None = None
    thread: Triple | None = None
    other_block: Triple | None = None
    other_thread: Triple | None = None
    memory: str = ""
    offset_bytes: int = 0
    count: int = 1

    def __str__(self) -> str:
        return self.message


class SanitizerError(SimulationError):
    """A sanitized launch found something.

    Attributes:
        findings: All that was found, in the order in which it was.
    """

    def __init__(self, kernel: str, findings: Sequence[SanitizerFinding], more: bool) -> None:
        self.findings = tuple(findings)
        first = self.findings[0]
        noun = "fault" if len(findings) == 1 else "faults"
        lines = "".join(f"\n  {finding.message}" for finding in findings)
        count = f"more than {len(findings)}" if more else f"{len(findings)}"
        super().__init__(
            f"kernel '{kernel}': the sanitizer found {count} {noun}:{lines}",
            kind=first.kind,
            kernel=kernel,
            site=first.site,
            block=first.block,
            thread=first.thread,
        )


def _triple(number: int, extent: Triple) -> Triple:
    return number % extent[0], number // extent[0] % extent[1], number // extent[0] // extent[1]


def _index(offset: int, parameter: Parameter) -> str:
    """An element of an array, by its place in bytes."""
    number = offset // element_bytes(parameter.element_type)
    found: list[int] = []
    for size in reversed(parameter.shape or ()):
        found.append(number % size)
        number //= size
    return str(list(reversed(found)))


def describe(
    kernel: str, table: SiteTable, parameters: Sequence[Parameter], grid: Triple, block: Triple, hazards: list[Hazard]
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
            at = f"element {_index(hazard.offset_bytes, parameter)} of argument {number}"
        site, other = table[hazard.site], table[hazard.other_site]
        threads = _triple(hazard.thread, block), _triple(hazard.other_thread, block)
        blocks = _triple(hazard.block, grid), _triple(hazard.other_block, grid)
        uninitialised = hazard.finding is Finding.UNINITIALISED
        found.append(
            SanitizerFinding(
                kind=_KINDS[hazard.finding],
                kernel=kernel,
                message=_message(hazard, site, other, threads, blocks, at),
                site=site.name,
                other_site="" if uninitialised else other.name,
                block=blocks[0],
                thread=threads[0],
                other_block=None if uninitialised else blocks[1],
                other_thread=None if uninitialised else threads[1],
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
    title, does, did = _WORDS[hazard.finding]
    whom = f"thread {threads[1]}" if blocks[0] == blocks[1] else f"thread {threads[1]} of block {blocks[1]}"
    tail = "" if hazard.finding is Finding.UNFINISHED_COPY else ", with nothing to order them"
    return f"{title}: {who} at {site.name} {does} {whom} {did} at {other.name}{tail}: {at}{times}"


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
