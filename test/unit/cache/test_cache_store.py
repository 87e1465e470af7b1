# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The folder of entries: what is damaged is never served, what is not used goes first, what dies leaves nothing."""

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from roller_mlir.compiler.cache import store as cache_store
from roller_mlir.compiler.cache.store import CacheStore

LIMIT = 1 << 20
KEY = "artifact-" + "7f" * 32


def name_of(number: int) -> str:
    return f"stress-{number:064x}"


@pytest.fixture
def store(tmp_path: Path) -> CacheStore:
    return CacheStore(tmp_path / "cache", LIMIT)


def entry(store: CacheStore, name: str = KEY) -> Path:
    (found,) = store.folder.glob(f"entries/*/{name}")
    return found


def temporary(store: CacheStore) -> list[Path]:
    return list((store.folder / "temporary").iterdir())


def test_an_entry_is_what_was_put(store: CacheStore) -> None:
    assert store.get(KEY) is None
    assert store.put(KEY, b"content")
    assert store.get(KEY) == b"content"
    assert store.put(KEY, b"") and store.get(KEY) == b""
    assert CacheStore(store.folder, LIMIT).get(KEY) == b""
    found = store.statistics()
    assert (found.entries, found.hits, found.misses, found.damaged) == ({"artifact": 1}, 3, 1, 0)
    assert found.size_bytes == entry(store).stat().st_size
    assert found.oldest_use_s == pytest.approx(time.time(), abs=60)
    assert not temporary(store)
    assert (store.folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


@pytest.mark.parametrize("name", ["artifact", "../x-" + "0" * 64, "artifact-" + "g" * 64, KEY + "0"])
def test_names_are_names(store: CacheStore, name: str) -> None:
    with pytest.raises(ValueError, match="a kind and 64 hexadecimal digits, but got"):
        store.get(name)


def flip(place: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data + b"\0",
        lambda data: bytes(len(data)),
        flip(0),
        flip(30),
        flip(100),
        flip(-1 + 200),
    ],
)
def test_what_is_damaged_is_a_miss_and_goes(store: CacheStore, damage: Callable[[bytes], bytes]) -> None:
    store.put(KEY, bytes(range(256)))
    path = entry(store)
    path.write_bytes(damage(path.read_bytes()))
    assert store.get(KEY) is None
    assert not path.exists()
    found = store.statistics()
    assert (found.damaged, found.misses, found.hits) == (1, 1, 0)
    assert store.put(KEY, b"again") and store.get(KEY) == b"again"


def test_the_entry_of_another_name_is_not_served(store: CacheStore) -> None:
    store.put(KEY, b"content")
    other = "artifact-" + "7f" * 31 + "00"
    entry(store).rename(entry(store).with_name(other))
    assert store.get(other) is None and store.get(KEY) is None
    assert store.statistics().entries == {}


def test_links_and_folders_are_not_followed(store: CacheStore, tmp_path: Path) -> None:
    store.put(KEY, b"content")
    path, aside = entry(store), tmp_path / "aside"
    path.rename(aside)
    path.symlink_to(aside)
    with pytest.raises(OSError, match="symbolic links"):
        store.get(KEY)
    path.unlink()
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        store.get(KEY)
    path.rmdir()
    os.mkfifo(path)
    assert store.get(KEY) is None, "which does not wait for a writer"
    assert aside.exists()


def test_the_least_recently_used_goes(store: CacheStore) -> None:
    content = bytes(LIMIT // 10)
    for number in range(9):
        assert store.put(name_of(number), content)
        os.utime(entry(store, name_of(number)), (1000 + number, 1000 + number))
    assert store.get(name_of(0)) == content, "which is a use"
    for number in (9, 10):
        assert store.put(name_of(number), content)
    there = {number for number in range(11) if store.get(name_of(number)) is not None}
    assert {0, 9, 10} <= there and 1 not in there
    assert store.statistics().size_bytes <= LIMIT
    assert store.evict(3 * LIMIT // 10) == len(there) - 2
    assert store.statistics().size_bytes <= 3 * LIMIT // 10


@pytest.mark.full
def test_many_small_entries_stay_within_the_limit(store: CacheStore) -> None:
    for number in range(300):
        store.put(name_of(number), bytes(5000))
        assert store.statistics().size_bytes <= LIMIT * 65 / 64 + 6000
    assert store.get(name_of(299)) is not None and store.get(name_of(0)) is None


def test_what_is_larger_than_the_cache_is_not_kept(store: CacheStore) -> None:
    store.put(KEY, b"content")
    assert not store.put(name_of(1), bytes(LIMIT))
    assert store.get(KEY) == b"content" and store.get(name_of(1)) is None


def test_clear_removes_what_is_ours(store: CacheStore) -> None:
    assert CacheStore(store.folder / "nowhere", LIMIT).clear().entries == {}
    store.put(KEY, b"content")
    own = [store.folder / "mine.txt", entry(store).with_name("mine.txt")]
    for path in own:
        path.write_text("mine")
    assert store.clear().entries == {"artifact": 1}
    assert store.get(KEY) is None
    assert all(path.read_text() == "mine" for path in own)
    found = store.statistics()
    assert (found.hits, found.misses, found.size_bytes, found.oldest_use_s) == (0, 1, 0, None)
    assert store.put(KEY, b"content")


def test_files_of_dead_writers_are_swept(store: CacheStore) -> None:
    store.put(KEY, b"content")
    folder = store.folder / "temporary"
    dead, young = folder / "dead", folder / "young"
    for path in (dead, young):
        path.write_bytes(b"half an ent")
    os.utime(dead, (1000, 1000))
    store.evict(LIMIT)
    assert temporary(store) == [young]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_what_fails_half_way_leaves_nothing(
    store: CacheStore, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    store.put(KEY, b"content")

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(cache_store.os, step, fail)
        with pytest.raises(type(error)):
            store.put(KEY, b"other")
    assert not temporary(store)
    assert store.get(KEY) == b"content"


def test_folders_that_vanish_are_made_again(store: CacheStore) -> None:
    store.put(KEY, b"content")
    for path in (entry(store), store.folder / "CACHEDIR.TAG"):
        path.unlink()
    (store.folder / "temporary").rmdir()
    assert store.put(KEY, b"again") and store.get(KEY) == b"again"
