# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of the compiler: whatever decides a result has a part in it."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from roller_mlir.compiler.cache import versions as cache_versions
from roller_mlir.compiler.cache.versions import Versions, find_versions, package_versions, versions_of
from roller_mlir.lowering.backend import Toolchain

SCRIPT = "#!/bin/sh\necho tool version %s\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def tree(root: Path) -> None:
    """Writes a compiler with its tools."""
    write(root / "package/a.py", "a = 1\n")
    write(root / "package/layer/b.toml", "b = 2\n")
    write(root / "package/tools/c.py", "c = 3\n")
    write(root / "package/__pycache__/a.pyc", "")
    write(root / "bin/libdevice", "bitcode")
    write(root / "bin/ptxas", SCRIPT % 1)
    write(root / "bin/real", SCRIPT % 1)
    for name in ("ptxas", "real"):
        (root / "bin" / name).chmod(0o755)


def state(root: Path, version: str = "1") -> Versions:
    tools = Toolchain(ptxas=(root / "bin/ptxas",), libdevice=root / "bin/libdevice")
    return versions_of((root / "package",), {"torch-mlir": version}, tools)


def keep_size_and_time(path: Path, text: str) -> None:
    before = path.stat()
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        lambda root: write(root / "package/a.py", "a = 2\n"),
        lambda root: keep_size_and_time(root / "package/a.py", "a = 2\n"),
        lambda root: write(root / "package/layer/b.toml", "b = 3\n"),
        lambda root: write(root / "package/layer/new.py", ""),
        lambda root: (root / "package/a.py").rename(root / "package/z.py"),
        lambda root: (root / "package/a.py").unlink(),
        lambda root: write(root / "bin/libdevice", "other bitcode"),
        lambda root: os.utime(root / "bin/libdevice", (1000, 1000)),
        lambda root: write(root / "bin/ptxas", SCRIPT % 22),
    ],
)
def test_what_changes_the_state(tmp_path: Path, change: Callable[[Path], object]) -> None:
    tree(tmp_path)
    before = state(tmp_path)
    assert state(tmp_path).digest == before.digest
    change(tmp_path)
    assert state(tmp_path).digest != before.digest


def test_a_script_counts_by_what_it_runs(tmp_path: Path) -> None:
    tree(tmp_path)
    write(tmp_path / "bin/ptxas", f'#!/bin/sh\nexec {tmp_path}/bin/real "$@"\n')
    before = state(tmp_path)
    write(tmp_path / "bin/real", SCRIPT % 2)
    assert state(tmp_path).digest != before.digest


def test_packages_and_missing_tools_count(tmp_path: Path) -> None:
    tree(tmp_path)
    found = {state(tmp_path).digest, state(tmp_path, "2").digest}
    found |= {versions_of((tmp_path / "package",), {"torch-mlir": "1"}, Toolchain()).digest}
    assert len(found) == 3
    assert {"roller_mlir", "python", "torch-mlir", "llvmlite"} <= set(package_versions())


def test_what_the_compiler_cannot_import_has_no_part(tmp_path: Path) -> None:
    tree(tmp_path)
    before = state(tmp_path)
    write(tmp_path / "package/tools/c.py", "c = 4\n")
    write(tmp_path / "package/__pycache__/b.pyc", "")
    assert state(tmp_path).digest == before.digest


def test_a_process_that_saw_two_states_is_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path)
    monkeypatch.setattr(cache_versions, "_STARTED_NS", time.time_ns() + 10**9)
    found = state(tmp_path)
    assert not found.mixed
    write(tmp_path / "package/tools/c.py", "c = 4\n")
    assert not found.mixed
    write(tmp_path / "package/layer/new.py", "")
    assert found.mixed, "a source came while we ran"
    monkeypatch.setattr(cache_versions, "_STARTED_NS", 0)
    assert state(tmp_path).mixed, "sources are younger than we are"


def test_our_own_state() -> None:
    found = find_versions()
    names = {Path(path).name for path, _, _ in found.stamp}
    assert {"lower_to_gpu.py", "loads.py", "driver.py", "compile.py", "h200.toml"} <= names
    assert "roller_compile.py" not in names
    assert cache_versions._started_ns() <= time.time_ns()
    assert 0 < cache_versions._STARTED_NS <= time.time_ns()
