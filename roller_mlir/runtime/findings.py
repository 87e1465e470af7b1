# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a sanitized run found: faults of kernels, each with its threads and places."""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.runtime.errors import BackendError

Triple = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class SanitizerFinding:
    """One thing that a kernel does wrong; all occurrences at the same operations are one.

    Attributes:
        kind: "read-after-write", "write-after-read", "write-after-write", "uninitialised-read", "unfinished-copy",
            "unwritten-output", or the kind of the SimulationError that ended the launch.
        kernel: The kernel; "" for an output that no kernel writes.
        message: All of it in words.
        site: The operation, with its label and source place.
        other_site: The operation that it conflicts with; "" without one.
        block: The block of the first occurrence, as (x, y, z); None where the whole launch is meant.
        thread: Its thread, as (x, y, z) in its block; None where no single one is meant.
        other_block: The block that it conflicts with; None without one.
        other_thread: The thread that it conflicts with; None without one.
        memory: "workgroup memory", "argument N", or the name of an output; "" where none is meant.
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


def spell_findings(findings: Sequence[SanitizerFinding], more: bool) -> str:
    """Return findings as lines; `more`: there were more than these."""
    noun = "fault" if len(findings) == 1 else "faults"
    count = f"more than {len(findings)}" if more else f"{len(findings)}"
    return f"the sanitizer found {count} {noun}:" + "".join(f"\n  {finding.message}" for finding in findings)


class SanitizedRunError(BackendError):
    """A sanitized run of an artifact found something.

    Attributes:
        findings: All that was found, in the order in which it was.
        more: Whether there was more than is kept.
    """

    def __init__(self, findings: Sequence[SanitizerFinding], more: bool = False) -> None:
        self.findings, self.more = tuple(findings), more
        kernel = f"kernel '{findings[0].kernel}': " if findings[0].kernel else ""
        super().__init__(f"simulator: {kernel}{spell_findings(findings, more)}")
