# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the cache is, how large it may be, and whether there is one."""

from pathlib import Path

import pytest

from roller_mlir.compiler.cache.settings import DEFAULT_LIMIT_BYTES, CacheSettingError, CacheSettings


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"ROLLER_CACHE_DIR": "/a/b", "XDG_CACHE_HOME": "/c", "HOME": "/d"}, Path("/a/b")),
        ({"ROLLER_CACHE_DIR": "b", "HOME": "/d"}, Path.cwd() / "b"),
        ({"XDG_CACHE_HOME": "/c", "HOME": "/d"}, Path("/c/roller")),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/d"}, Path("/d/.cache/roller")),
        ({"ROLLER_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": "/d"}, Path("/d/.cache/roller")),
    ],
)
def test_folder(environment: dict[str, str], folder: Path) -> None:
    assert CacheSettings.of(environment).folder == folder


def test_folder_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CacheSettings.of({}).folder.is_absolute()

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr("roller_mlir.compiler.cache.settings.pwd.getpwuid", unknown)
    assert CacheSettings.of({"HOME": "not/absolute"}).folder == Path("/nonexistent/.cache/roller")


def test_limit_and_switch() -> None:
    plain = CacheSettings.of({"HOME": "/d"})
    assert (plain.limit_bytes, plain.enabled) == (DEFAULT_LIMIT_BYTES, True)
    chosen = CacheSettings.of({"HOME": "/d", "ROLLER_CACHE": "0", "ROLLER_CACHE_LIMIT": "3M"})
    assert (chosen.limit_bytes, chosen.enabled) == (3 << 20, False)
    assert CacheSettings.of({"HOME": "/d", "ROLLER_CACHE": "1", "ROLLER_CACHE_LIMIT": "2gib"}).limit_bytes == 2 << 30


@pytest.mark.parametrize("text", ["1x", "-1M", "0", "100K", "M", "1.5G", "9" * 16])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(CacheSettingError, match="ROLLER_CACHE_LIMIT must be a size of at least 1M, .* but got"):
        CacheSettings.of({"HOME": "/d", "ROLLER_CACHE_LIMIT": text})


def test_switch_that_is_none() -> None:
    with pytest.raises(CacheSettingError, match="ROLLER_CACHE must be 0 .* or 1, but got 'off'"):
        CacheSettings.of({"HOME": "/d", "ROLLER_CACHE": "off"})
