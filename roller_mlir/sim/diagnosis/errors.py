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


@dataclass(frozen=True, kw_only=True)
class StuckWait:
    """A thread that polls memory for what never comes.

    Attributes:
        block: The thread's block, as (x, y, z).
        thread: The thread, as (x, y, z) in its block.
        site: The loop.
        memory: What it polls, such as "element [3] of argument 1".
        argument: The array argument; None where it is other memory.
        offset_bytes: Place in it.
        has: What it read last.
        wants: What ends the loop, such as "at least 4".
        wanted: The value that `wants` names.
        watched: What the kernel has marked, by its name: the last value.
    """

    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    site: str
    memory: str
    argument: int | None
    offset_bytes: int
    has: int
    wants: str
    wanted: int
    watched: dict[str, int]

    def __str__(self) -> str:
        marked = ", ".join(f"{name} {value}" for name, value in self.watched.items())
        tail = f" ({marked})" if marked else ""
        return (
            f"thread {self.thread} of block {self.block} waits in {self.site} for {self.memory}: it has {self.has} and "
            f"wants {self.wants}{tail}"
        )


class SimulationError(Exception):
    """A kernel did what no kernel may do, or did not end.

    Attributes:
        kind: "out-of-bounds", "misaligned", "divergent-barrier", "divergent-subgroup", "deadlock",
            "timeout" or "too-many-copies"; of what Hopper does beside the threads, those of `hopper.faults`; of a
            sanitized launch also the kinds of a SanitizerFinding.
        kernel: The kernel.
        site: The operation, with its label and source place; "" where the whole launch is meant.
        block: The block, as (x, y, z); None where the whole launch is meant.
        thread: The thread, as (x, y, z) in its block; None where no single thread is meant.
        positions: Where the threads of the resident blocks stand.
        waits: Of a deadlock or a timeout, the threads that poll memory, where it is known what for.
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
        waits: tuple[StuckWait, ...] = (),
    ) -> None:
        super().__init__(message)
        self.kind, self.kernel, self.site, self.block, self.thread = kind, kernel, site, block, thread
        self.positions, self.waits = positions, waits
