# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder of named entries that any number of processes read and write, and that any of them may be killed in.

    lock          held shared while an entry is put into its place, and alone while entries are removed
    entries/7f/   the entries of which the key begins with 7f; a file's time is that of its last use
    temporary/    entries that are being written, each locked by its writer
    hits, misses, damaged    counters: their sizes

An entry is written under a temporary name, synced, and renamed into its place, so that it is there whole or not at all.
It begins with its own name and the SHA-256 of what follows: what was damaged on the disk is found when it is read,
counts as missing and is removed. A killed process leaves at most a file in `temporary`, whose lock the system has
released; later writers sweep it. No operation waits for another for more than `_PATIENCE_S`.
"""

import fcntl
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

_MAGIC = b"roller cache entry 1\n"
_NAME = re.compile(r"([a-z]+)-([0-9a-f]{64})")
_DIGEST_BYTES = 64
_PATIENCE_S = 2.0
_ABANDONED_S = 10.0
"""Age of a temporary file whose writer does not hold its lock; younger ones may be on the way to it."""
_LEFT_AFTER_EVICTION = 0.9
_UNSEEN_SHARE = 64
"""A process looks at the size of the cache at its first entry, and whenever it has written this part of the limit."""
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


@dataclass(frozen=True)
class _Entry:
    used_ns: int
    size_bytes: int
    path: str
    kind: str


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
                status = os.fstat(stream.fileno())
                content = _verified(name, stream.read()) if stat.S_ISREG(status.st_mode) else None
        except FileNotFoundError:
            self._count("misses")
            return None
        if content is None:
            self._remove_damaged(path, status)
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
            Whether it is there now: not where it is larger than the cache may be, or others do not let go of the lock.

        Raises:
            OSError: It cannot be written. Nothing of it is left behind.
        """
        data = b"".join((_head(name, content), content))
        if len(data) > self.limit_bytes * _LEFT_AFTER_EVICTION:
            return False
        try:
            published = self._publish(name, data)
        except FileNotFoundError:  # somebody removed the folders, or swept our file: the clock was put forward
            published = self._publish(name, data)
        if published:
            self._unseen_bytes += len(data)
            if self._unseen_bytes * _UNSEEN_SHARE >= self.limit_bytes:
                self._unseen_bytes = 0
                self.evict(self.limit_bytes)
        return published

    def evict(self, limit_bytes: int) -> int:
        """Remove the entries that were not used for the longest time, where the cache is larger than a limit.

        A tenth of the limit is made free at once, so that not every new entry has to look for an old one. Temporary
        files of writers that died go too.

        Returns:
            The number of entries that were removed; 0 where another process is at it.

        Raises:
            OSError: They cannot be removed.
        """
        with self._locked(alone=True) as mine:
            if not mine:
                return 0
            self._sweep()
            entries = sorted(self._scan(), key=lambda entry: entry.used_ns)
            size = sum(entry.size_bytes for entry in entries)
            if size <= limit_bytes:
                return 0
            removed = 0
            for entry in entries:
                if size <= limit_bytes * _LEFT_AFTER_EVICTION:
                    break
                with suppress(FileNotFoundError):
                    os.unlink(entry.path)
                size -= entry.size_bytes
                removed += 1
            return removed

    def clear(self) -> StoreStatistics:
        """Remove all entries, and set the counters to 0.

        Returns:
            What there was.

        Raises:
            OSError: They cannot be removed.
            TimeoutError: Another process does not let go of the lock.
        """
        found = self.statistics()
        if not self.folder.is_dir():
            return found
        with self._locked(alone=True) as mine:
            if not mine:
                raise TimeoutError(f"another process has held {self.folder / 'lock'} for more than {_PATIENCE_S:g} s")
            self._sweep()
            for path in (*(entry.path for entry in self._scan()), *map(self._counter, ("hits", "misses", "damaged"))):
                with suppress(FileNotFoundError):
                    os.unlink(path)
        return found

    def statistics(self) -> StoreStatistics:
        """Count what is there."""
        kinds: dict[str, int] = {}
        size, oldest = 0, None
        for entry in self._scan():
            kinds[entry.kind] = kinds.get(entry.kind, 0) + 1
            size += entry.size_bytes
            oldest = entry.used_ns if oldest is None else min(oldest, entry.used_ns)
        return StoreStatistics(
            entries=dict(sorted(kinds.items())),
            size_bytes=size,
            hits=self._counted("hits"),
            misses=self._counted("misses"),
            damaged=self._counted("damaged"),
            oldest_use_s=None if oldest is None else oldest / 1e9,
        )

    def _path(self, name: str) -> Path:
        found = _NAME.fullmatch(name)
        if found is None:
            raise ValueError(f"an entry's name must be a kind and 64 hexadecimal digits, but got '{name}'")
        return self._entries / found[2][:2] / name

    def _publish(self, name: str, data: bytes) -> bool:
        path = self._path(name)
        self._prepare(path.parent)
        temporary = self._temporary / f"{os.getpid()}-{secrets.token_hex(8)}"
        # What no process was killed in between ends in `finally`, Ctrl-C included; for the rest there is the sweep.
        try:
            with open(temporary, "xb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
                with self._locked(alone=False) as mine:
                    if mine:
                        os.replace(temporary, path)
                    return mine
        finally:
            with suppress(OSError):
                os.unlink(temporary)

    def _prepare(self, shard: Path) -> None:
        if not self._temporary.is_dir():
            self._temporary.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError), open(self.folder / "CACHEDIR.TAG", "x", encoding="ascii") as stream:
                stream.write(_TAG)
        shard.mkdir(parents=True, exist_ok=True)

    def _remove_damaged(self, path: Path, read: os.stat_result) -> None:
        """Remove what was read, unless a writer has put a good entry in its place."""
        with suppress(OSError), self._locked(alone=True) as mine:
            now = os.stat(path, follow_symlinks=False)
            if mine and (now.st_dev, now.st_ino) == (read.st_dev, read.st_ino):
                os.unlink(path)

    @contextmanager
    def _locked(self, *, alone: bool) -> Generator[bool]:
        """Hold the lock, and say whether it was to be had; it goes with the process, however that ends."""
        deadline = time.monotonic() + _PATIENCE_S
        with open(self.folder / "lock", "ab") as stream:
            wanted = (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB
            while True:
                try:
                    fcntl.flock(stream, wanted)
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        yield False
                        return
                    time.sleep(0.002)
                    continue
                yield True
                return

    def _sweep(self) -> None:
        """Remove the files of writers that died."""
        try:
            found = list(os.scandir(self._temporary))
        except FileNotFoundError:
            return
        for file in found:
            with suppress(OSError):
                if time.time() - file.stat(follow_symlinks=False).st_mtime < _ABANDONED_S:
                    continue
                with open(file.path, "rb", opener=_open_no_link) as stream:
                    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(file.path)

    def _scan(self) -> Iterator[_Entry]:
        try:
            shards = [shard.path for shard in os.scandir(self._entries) if shard.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            return
        for shard in shards:
            for file in os.scandir(shard):
                found = _NAME.fullmatch(file.name)
                if found is None:
                    continue
                with suppress(FileNotFoundError):  # removed meanwhile
                    status = file.stat(follow_symlinks=False)
                    yield _Entry(status.st_mtime_ns, status.st_size, file.path, found[1])

    def _counter(self, name: str) -> str:
        return str(self.folder / name)

    def _count(self, name: str) -> None:
        """Lengthen a counter by one byte: that is one step of the system, and nothing can be lost on the way."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with open(self._counter(name), "ab", buffering=0) as stream:
                stream.write(b".")

    def _counted(self, name: str) -> int:
        try:
            return os.stat(self._counter(name)).st_size
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
