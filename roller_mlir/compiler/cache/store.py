# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder of named entries that any number of processes read and write, and that any of them may be killed in.

    entries/7f/   the entries of which the key begins with 7f; a file's time is that of its last use
    temporary/    entries that are being written
    hits, misses, damaged    counters: their sizes

An entry is written under a temporary name, synced, and renamed into its place, so that it is there whole or not at all.
It begins with its own name and the SHA-256 of what follows: what was damaged on the disk is found when it is read,
counts as missing and is removed. A killed process leaves at most a file in `temporary`, which later writers sweep.
Nobody waits for anybody: an entry that one process removes while another puts it into its place is made again.
"""

import hashlib
import os
import re
import secrets
import stat
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_MAGIC = b"roller cache entry 1\n"
_NAME = re.compile(r"([a-z]+)-([0-9a-f]{64})")
_DIGEST_BYTES = 64
_ABANDONED_S = 3600.0
"""Age of a temporary file that nobody writes any more."""
_LEFT_AFTER_EVICTION = 0.9
_UNSEEN_SHARE = 64
"""A process looks at the size of the cache at its first entry, and whenever it has written this part of the limit."""
_COUNTERS = ("hits", "misses", "damaged")
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# The compile cache of roller: `roller cache --help`.\n"


@dataclass(frozen=True, kw_only=True)
class StoreStatistics:
    """What is in a cache.

    Attributes:
        entries: Number of entries of each kind.
        size_bytes: Of all of them.
        hits: How often an entry was found, since the cache was made or cleared.
        misses: How often none was.
        damaged: How often one was found damaged, which also counts as a miss.
        oldest_use_s: Unix time of the use that is longest ago; None where there is no entry.
    """

    entries: dict[str, int] = field(default_factory=dict[str, int])
    size_bytes: int = 0
    hits: int = 0
    misses: int = 0
    damaged: int = 0
    oldest_use_s: float | None = None


class CacheStore:
    """Entries by name: a kind and a key, such as "artifact-7f..." with 64 hexadecimal digits."""

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self._entries = folder / "entries"
        self._temporary = folder / "temporary"
        self._unseen_bytes = limit_bytes

    def get(self, name: str) -> bytes | None:
        """Return the content of an entry, and note its use; None where there is none, or a damaged one, which goes.

        Raises:
            OSError: The cache is there but cannot be read.
        """
        path = self._path(name)
        try:
            with open(path, "rb", opener=_open_no_link) as stream:
                is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
                content = _verified(name, stream.read()) if is_file else None
        except FileNotFoundError:
            self._count("misses")
            return None
        if content is None:
            with suppress(OSError):
                os.unlink(path)
            self._count("damaged")
            self._count("misses")
            return None
        with suppress(OSError):  # a cache that may only be read has no order of use
            os.utime(path)
        self._count("hits")
        return content

    def put(self, name: str, content: bytes) -> bool:
        """Publish an entry, in place of one of that name, and keep the cache within its limit.

        Returns:
            Whether it is there now: not where it is larger than the cache may be.

        Raises:
            OSError: It cannot be written. Nothing of it is left behind.
        """
        data = b"".join((_head(name, content), content))
        if len(data) > self.limit_bytes * _LEFT_AFTER_EVICTION:
            return False
        try:
            self._publish(name, data)
        except FileNotFoundError:  # somebody removed the folders, or swept our file: the clock was put forward
            self._publish(name, data)
        self._unseen_bytes += len(data)
        if self._unseen_bytes * _UNSEEN_SHARE >= self.limit_bytes:
            self._unseen_bytes = 0
            self.evict(self.limit_bytes)
        return True

    def evict(self, limit_bytes: int) -> int:
        """Remove the entries that were not used for the longest time, where the cache is larger than a limit.

        A tenth of the limit is made free at once, so that not every new entry has to look for an old one. Temporary
        files of writers that died go too.

        Returns:
            The number of entries that were removed.

        Raises:
            OSError: They cannot be removed.
        """
        self._sweep()
        entries = sorted(self._scan(), key=lambda entry: entry[1].st_mtime_ns)
        size = sum(status.st_size for _, status in entries)
        if size <= limit_bytes:
            return 0
        removed = 0
        for path, status in entries:
            if size <= limit_bytes * _LEFT_AFTER_EVICTION:
                break
            path.unlink(missing_ok=True)
            size -= status.st_size
            removed += 1
        return removed

    def clear(self) -> StoreStatistics:
        """Remove all entries, and set the counters to 0.

        Returns:
            What there was.

        Raises:
            OSError: They cannot be removed.
        """
        found = self.statistics()
        self._sweep()
        for path in (*(path for path, _ in self._scan()), *(self.folder / name for name in _COUNTERS)):
            path.unlink(missing_ok=True)
        return found

    def statistics(self) -> StoreStatistics:
        """Count what is there."""
        entries = list(self._scan())
        return StoreStatistics(
            entries=dict(sorted(Counter(path.name.partition("-")[0] for path, _ in entries).items())),
            size_bytes=sum(status.st_size for _, status in entries),
            oldest_use_s=min((status.st_mtime for _, status in entries), default=None),
            **{name: self._counted(name) for name in _COUNTERS},
        )

    def _path(self, name: str) -> Path:
        found = _NAME.fullmatch(name)
        if found is None:
            raise ValueError(f"an entry's name must be a kind and 64 hexadecimal digits, but got '{name}'")
        return self._entries / found[2][:2] / name

    def _publish(self, name: str, data: bytes) -> None:
        path = self._path(name)
        self._prepare(path.parent)
        temporary = self._temporary / f"{os.getpid()}-{secrets.token_hex(8)}"
        # What no process was killed in between ends in `finally`, Ctrl-C included; for the rest there is the sweep.
        try:
            with open(temporary, "xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, path)
        finally:
            with suppress(OSError):
                os.unlink(temporary)

    def _prepare(self, shard: Path) -> None:
        if not self._temporary.is_dir():
            self._temporary.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError), open(self.folder / "CACHEDIR.TAG", "x", encoding="ascii") as stream:
                stream.write(_TAG)
        shard.mkdir(parents=True, exist_ok=True)

    def _sweep(self) -> None:
        """Remove the files of writers that died."""
        for path in self._temporary.glob("*"):
            with suppress(OSError):
                if time.time() - path.lstat().st_mtime > _ABANDONED_S:
                    path.unlink()

    def _scan(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self._entries.glob("??/*"):
            if _NAME.fullmatch(path.name):
                with suppress(FileNotFoundError):  # removed meanwhile
                    yield path, path.lstat()

    def _count(self, name: str) -> None:
        """Lengthen a counter by one byte: that is one step of the system, and nothing can be lost on the way."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with open(self.folder / name, "ab", buffering=0) as stream:
                stream.write(b".")

    def _counted(self, name: str) -> int:
        try:
            return os.stat(self.folder / name).st_size
        except FileNotFoundError:
            return 0


def _open_no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _head(name: str, content: bytes) -> bytes:
    return b"".join((_MAGIC, name.encode(), b"\n", hashlib.sha256(content).hexdigest().encode(), b"\n"))


def _verified(name: str, data: bytes) -> bytes | None:
    """Return the content of an entry's file; None where the file is not what was written for that name."""
    length = len(_MAGIC) + len(name) + 1 + _DIGEST_BYTES + 1
    content = data[length:]
    return content if data[:length] == _head(name, content) else None
