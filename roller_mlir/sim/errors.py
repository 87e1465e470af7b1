# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a simulated kernel did wrong, where, and where its threads stood."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Position:
    """Threads of one block that stand at one place.

    Attributes:
        block: The block, as (x, y, z).
        threads: How many threads.
        first_thread: The lowest of them, linear in the block.
        state: What they do there.
        site: The operation, or "" before the first one.
    """

    block: tuple[int, int, int]
    threads: int
    first_thread: int
    state: str
    site: str

    def __str__(self) -> str:
        noun = "thread" if self.threads == 1 else "threads"
        where = f" {self.site}" if self.site else ""
        return f"{self.threads} {noun} (first: {self.first_thread}) of block {self.block} {self.state}{where}"


class SimulationError(Exception):
    """A kernel did what no kernel may do, or did not end.

    Attributes:
        kind: "out-of-bounds", "misaligned", "divergent-barrier", "divergent-subgroup", "deadlock",
            "timeout" or "too-many-copies"; of what Hopper does beside the threads, those of `hopper_faults`; of a
            sanitized launch also the kinds of a SanitizerFinding.
        kernel: The kernel.
        site: The operation, with its label and source place; "" where the whole launch is meant.
        block: The block, as (x, y, z); None where the whole launch is meant.
        thread: The thread, as (x, y, z) in its block; None where no single thread is meant.
        positions: Where the threads of the resident blocks stand.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        kernel: str,
        site: str = "",
        block: tuple[int, int, int] | None = None,
        thread: tuple[int, int, int] | None = None,
        positions: tuple[Position, ...] = (),
    ) -> None:
        super().__init__(message)
        self.kind, self.kernel, self.site, self.block, self.thread = kind, kernel, site, block, thread
        self.positions = positions
