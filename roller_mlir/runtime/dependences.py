# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which launches of a function must end before which others begin: what a graph of launches needs of their order.

Two launches conflict if they touch common bytes and one of them writes there. Of each pair that does, the first in the
list comes first; what other pairs imply is left out.

Of a piece of memory that is touched as a whole it is enough to know who wrote it last and who has read it since: all
before them comes before the last one that wrote.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roller_mlir.plan.manifest import Launch, Manifest

_ARENAS = ("workspace", "state")


@dataclass(frozen=True)
class _BufferAccess:
    """Bytes of a buffer, or of the memory that all buffers of a role share, and whether they are written."""

    memory: str
    start: int
    end: int
    writes: bool


class _Piece:
    """Bytes of which each access touches all or none."""

    def __init__(self) -> None:
        self.written: int | None = None
        self.read: list[int] = []


class _MemoryPieces:
    """The pieces of one memory."""

    def __init__(self, accesses: Sequence[_BufferAccess]) -> None:
        self._bounds = sorted({place for one in accesses for place in (one.start, one.end)})
        self._pieces = [_Piece() for _ in self._bounds[1:]]

    def pieces(self, access: _BufferAccess) -> Sequence[_Piece]:
        """Return the pieces that an access touches."""
        return self._pieces[bisect_left(self._bounds, access.start) : bisect_left(self._bounds, access.end)]


def launch_dependences(manifest: Manifest) -> tuple[tuple[int, ...], ...]:
    """Return of each launch those before it that must have ended, by their numbers, without those that others imply."""
    accesses = [tuple(_accesses(manifest, launch)) for launch in manifest.launches]
    by_memory: dict[str, list[_BufferAccess]] = {}
    for one in (one for mine in accesses for one in mine):
        by_memory.setdefault(one.memory, []).append(one)
    memories = {name: _MemoryPieces(those) for name, those in by_memory.items()}
    behind: list[int] = []  # bit j of number i: launch i comes behind launch j
    found: list[tuple[int, ...]] = []
    for number, mine in enumerate(accesses):
        touched = [(one.writes, piece) for one in mine for piece in memories[one.memory].pieces(one)]
        others = {piece.written for _, piece in touched if piece.written is not None}
        others.update(reader for writes, piece in touched if writes for reader in piece.read)
        before, needed = 0, list[int]()
        for other in sorted(others, reverse=True):
            if not before >> other & 1:
                needed.append(other)
                before |= behind[other] | 1 << other
        behind.append(before)
        found.append(tuple(reversed(needed)))
        for writes, piece in touched:
            if writes:
                piece.written, piece.read = number, []
            elif piece.written != number:
                piece.read.append(number)
    return tuple(found)


def _accesses(manifest: Manifest, launch: Launch) -> Iterator[_BufferAccess]:
    for number, view in enumerate(launch.arguments):
        buffer = manifest.buffer(view.buffer)
        if buffer.role == "constant" or not view.size_bytes:
            continue
        shared = buffer.role in _ARENAS
        start = view.offset_bytes + (buffer.offset_bytes if shared else 0)
        written = launch.written if launch.kernel else (1,)
        writes = buffer.role != "input" if written is None else number in written
        yield _BufferAccess(f"{buffer.role}s" if shared else view.buffer, start, start + view.size_bytes, writes)
