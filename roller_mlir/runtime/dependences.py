# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which launches of a function must end before which others begin: what a graph of launches needs of their order.

Two launches conflict if they touch common bytes and one of them writes there. Of each pair that does, the first in the
list comes first; what other pairs imply is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from roller_mlir.plan.manifest import Launch, Manifest

_ARENAS = ("workspace", "state")


@dataclass(frozen=True)
class _Access:
    """Bytes of a buffer, or of the memory that all buffers of a role share, and whether they are written."""

    memory: str
    start: int
    end: int
    writes: bool

    def conflicts(self, other: "_Access") -> bool:
        common = self.memory == other.memory and self.start < other.end and other.start < self.end
        return common and (self.writes or other.writes)


def launch_dependences(manifest: Manifest) -> tuple[tuple[int, ...], ...]:
    """Return of each launch those before it that must have ended, by their numbers, without those that others imply."""
    accesses = [tuple(_accesses(manifest, launch)) for launch in manifest.launches]
    behind: list[int] = []  # bit j of number i: launch i comes behind launch j
    found: list[tuple[int, ...]] = []
    for number, mine in enumerate(accesses):
        before, needed = 0, list[int]()
        for other in reversed(range(number)):
            if not before >> other & 1 and any(one.conflicts(its) for one in mine for its in accesses[other]):
                needed.append(other)
                before |= behind[other] | 1 << other
        behind.append(before)
        found.append(tuple(reversed(needed)))
    return tuple(found)


def _accesses(manifest: Manifest, launch: Launch) -> Iterator[_Access]:
    for number, view in enumerate(launch.arguments):
        buffer = manifest.buffer(view.buffer)
        if buffer.role == "constant" or not view.size_bytes:
            continue
        shared = buffer.role in _ARENAS
        start = view.offset_bytes + (buffer.offset_bytes if shared else 0)
        written = launch.written if launch.kernel else (1,)
        writes = buffer.role != "input" if written is None else number in written
        yield _Access(f"{buffer.role}s" if shared else view.buffer, start, start + view.size_bytes, writes)
