# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller cache`, and what `roller compile` says of the cache."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.compiler.cache import cache
from roller_mlir.compiler.cache.store import CacheStore
from roller_mlir.compiler.cache.versions import Versions
from roller_mlir.tools.roller import main

TEXT = """func.func @relu(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
"""


@pytest.fixture
def source(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(Versions, "mixed", property(lambda _: False))
    cache._open.cache_clear()
    path = tmp_path / "relu.mlir"
    path.write_text(TEXT)
    yield path
    cache._open.cache_clear()


def printed(arguments: list[str], capsys: Any) -> str:
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert not said.err
    return said.out


def test_compile_says_what_came_from_the_cache(source: Path, folder: Path, capsys: Any) -> None:
    compile_it = ["compile", str(source), "--target", "a100"]
    first = printed(compile_it, capsys)
    assert "cache: missed" in first and "binaries" in first
    second = printed(compile_it, capsys)
    assert "cache: artifact" in second and "rtile-construct" not in second
    assert "cache: binaries" in printed([*compile_it, "--no-fusion"], capsys)
    record = json.loads(printed([*compile_it, "--json"], capsys))
    assert set(record["phases_s"]) == {"read", "cache: artifact", "total"}
    statistics = json.loads(printed(["cache", "--json"], capsys))
    assert statistics == json.loads(printed(["cache", "--stats", "--json"], capsys))
    assert statistics["entries"] == {"artifact": 2, "binaries": 1}
    assert (statistics["hits"], statistics["misses"], statistics["damaged"]) == (3, 3, 0)
    assert (statistics["path"], statistics["limit_bytes"], statistics["enabled"]) == (str(folder), 1 << 30, True)


def test_path_and_statistics(source: Path, folder: Path, capsys: Any) -> None:
    assert printed(["cache", "--path"], capsys) == f"{folder}\n"
    assert json.loads(printed(["cache", "--path", "--json"], capsys)) == {"path": str(folder)}
    assert not folder.exists(), "looking makes nothing"
    assert "0 B of 1 GiB" in printed(["cache"], capsys)
    CacheStore(folder, 1 << 30).put("artifact-" + "0" * 64, bytes(1 << 20))
    table = printed(["cache"], capsys)
    assert "entries: artifact   1" in table and "1 MiB of 1 GiB" in table


def test_clear_and_limit(source: Path, folder: Path, capsys: Any) -> None:
    assert printed(["cache", "--clear"], capsys) == f"removed 0 entries (0 B) from {folder}\n"
    assert printed(["cache", "--limit", "1M"], capsys) == f"removed 0 entries (0 B) from {folder}\n"
    store = CacheStore(folder, 1 << 30)
    for number in range(4):
        store.put(f"artifact-{number:064x}", bytes(500_000))
    assert printed(["cache", "--limit", "1M"], capsys) == f"removed 3 entries (1.43 MiB) from {folder}, 488 KiB left\n"
    found = json.loads(printed(["cache", "--clear", "--json"], capsys))
    assert found["removed_entries"] == 1 and found["removed_bytes"] > 500_000
    assert store.statistics().entries == {}


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["--limit", "12"], {}, "--limit must be a size of at least 1M, such as 500M or 2G, but got '12'"),
        ([], {"ROLLER_CACHE_LIMIT": "x"}, "ROLLER_CACHE_LIMIT must be a size of at least 1M"),
        ([], {"ROLLER_CACHE": "maybe"}, "ROLLER_CACHE must be 0 (no cache) or 1, but got 'maybe'"),
        (["--clear", "--path"], {}, "not allowed with argument"),
    ],
)
def test_wrong_usage(
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
    arguments: list[str],
    variables: dict[str, str],
    said: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert main(["cache", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_clear_removes_built_driver_libraries(folder: Path, capsys: Any) -> None:
    library = folder / "drivers" / "0123" / "libcuda.so.1"
    library.parent.mkdir(parents=True)
    library.write_bytes(bytes(100))
    (library.parent / "libcuda.so").symlink_to("libcuda.so.1")
    printed(["cache", "--limit", "1M"], capsys)
    assert library.is_file()
    found = json.loads(printed(["cache", "--clear", "--json"], capsys))
    assert found["removed_bytes"] == 100 + len("libcuda.so.1") and found["removed_entries"] == 0
    assert not (folder / "drivers").exists()


def test_a_cache_that_cannot_be_cleared(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    CacheStore(folder, 1 << 30).put("artifact-" + "0" * 64, b"content")

    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("roller_mlir.compiler.cache.store.os.unlink", refuse)
    assert main(["cache", "--clear"]) == 1
    assert f"the compile cache {folder} cannot be made smaller: permission denied" in capsys.readouterr().err
