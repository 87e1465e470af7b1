# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilations with a cache: what it gives is what would have been compiled, and nothing wrong with it stops them."""

import errno
import json
import logging
import os
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.compiler import driver
from roller_mlir.compiler.cache import cache
from roller_mlir.compiler.cache import entries as cache_entries
from roller_mlir.compiler.cache import store as cache_store
from roller_mlir.compiler.cache.settings import CacheSettings
from roller_mlir.compiler.cache.store import CacheStore
from roller_mlir.compiler.cache.versions import Versions
from roller_mlir.hal import device_file, find_device
from roller_mlir.plan.records.codec import to_json

TEXT = """func.func @add(%a: tensor<64x32xf32>, %b: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %r = linalg.add ins(%a, %b : tensor<64x32xf32>, tensor<64x32xf32>)
                  outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}"""
SIMULATED = CompileOptions(binaries=False)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets each test open its cache anew, in a process in which no source has changed."""
    monkeypatch.setattr(Versions, "mixed", property(lambda _: False))
    cache._open.cache_clear()
    yield
    cache._open.cache_clear()


def from_cache(artifact: Artifact) -> str:
    """Return what a compilation took from the cache."""
    phases = [phase for phase in artifact.manifest.phases_s if phase.startswith("cache: ")]
    assert ("cache: writing" in phases) == ("cache: missed" in phases)
    return ", ".join(phase.removeprefix("cache: ") for phase in phases if phase != "cache: writing")


def lasting(artifact: Artifact) -> Artifact:
    """Return an artifact without times."""
    kernels = tuple(replace(kernel, phases_s={}) for kernel in artifact.kernels)
    return Artifact(replace(artifact.manifest, kernels=kernels, phases_s={}), dict(artifact.files))


def entries(folder: Path) -> dict[str, int]:
    return CacheStore(folder, 1 << 30).statistics().entries


@pytest.mark.parametrize("device", ["a100", "mi300x"])
def test_the_second_time_it_comes_from_the_cache(folder: Path, device: str) -> None:
    first = roller_mlir.compile(TEXT, device)
    assert from_cache(first) == "missed" and "binaries" in first.manifest.phases_s
    assert entries(folder) == {"artifact": 1, "binaries": 1}
    second = roller_mlir.compile(TEXT, device)
    assert from_cache(second) == "artifact"
    assert list(second.manifest.phases_s) == ["read", "cache: artifact", "total"]
    without = roller_mlir.compile(TEXT, device, cache=False)
    assert from_cache(without) == ""
    assert lasting(second) == lasting(first) == lasting(without)
    assert second.kernels[0].statistics.registers == first.kernels[0].statistics.registers is not None


def test_kernels_that_other_options_lead_to_come_from_the_cache(folder: Path) -> None:
    first = roller_mlir.compile(TEXT, "a100")
    second = roller_mlir.compile(TEXT, "a100", fusion=False)
    assert from_cache(second) == "missed, binaries" and "binaries" not in second.manifest.phases_s
    assert lasting(second) == lasting(first)
    assert entries(folder) == {"artifact": 2, "binaries": 1}


def test_spelling_does_not_matter(folder: Path) -> None:
    roller_mlir.compile(TEXT, "a100", options=SIMULATED)
    spelled = "// A comment.\nmodule {\n" + TEXT.replace("%a", "%x").replace("  ", " ") + "\n}"
    private = "func.func private @helper(%z: f32) -> f32 {\n return %z : f32\n}\n"
    for text in (spelled, private + TEXT):
        assert from_cache(roller_mlir.compile(text, "a100", options=SIMULATED)) == "artifact"
    again = roller_mlir.compile(TEXT, find_device("a100").name, entry="add", binaries=False)
    assert from_cache(again) == "artifact", "an alias, and an entry that is the only one"


def test_what_decides_the_result_is_in_the_key(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans, toml = tmp_path / "plans.json", tmp_path / "mine.toml"
    device = device_file("a100").read_text()
    toml.write_text(device)

    def compiled(text: str = TEXT, target: str = "a100", **options: Any) -> str:
        return from_cache(roller_mlir.compile(text, target, binaries=False, **options))

    def missed_once(*given: Any, **options: Any) -> None:
        assert compiled(*given, **options) == "missed"
        assert compiled(*given, **options) == "artifact"

    missed_once()
    missed_once(TEXT.replace("64x32", "32x64"))
    missed_once(TEXT.replace("@add", "@sum"))
    missed_once(target="h200")
    missed_once(explain_fusion=True)
    missed_once(llvm=True)
    missed_once(gate=False)
    missed_once(tile_sizes=(64,))
    assert compiled(target=str(toml)) == "artifact", "a description of the same device"
    toml.write_text(device.replace("\nname = ", "\n# A comment.\nname = "))
    assert compiled(target=str(toml)) == "artifact"
    toml.write_text(device.replace("\nunits = 108\n", "\nunits = 54\n"))
    missed_once(target=str(toml))
    found = roller_mlir.compile(TEXT, "a100", binaries=False, cache=False)
    plans.write_text(json.dumps({kernel.program: to_json(kernel.plan) for kernel in found.kernels}))
    missed_once(plan_file=plans)
    plans.write_text(json.dumps({kernel.program: to_json(kernel.plan) for kernel in found.kernels}, indent=2))
    missed_once(plan_file=plans)
    versions = cache._open(CacheSettings.of(os.environ))
    assert versions is not None
    monkeypatch.setattr(versions, "versions", replace(versions.versions, digest="another compiler"))
    missed_once()


def test_options_that_are_files_count_by_content(folder: Path) -> None:
    """An option that names a file has a part of its own in the key, as the plan file has, or goes without the cache."""
    paths = {field.name for field in fields(CompileOptions) if "Path" in str(field.type)}
    assert paths <= set(cache_entries._UNKEYED_OPTIONS)
    assert paths == {"plan_file", "tuning", "residual_file", "dump_stages", "override_stages"}
    assert folder and cache.open_cache(CompileOptions()) is not None
    for without in (CompileOptions(dump_stages="x"), CompileOptions(override_stages=(("loops", "x"),))):
        assert cache.open_cache(without) is None


def test_a_plan_file_that_changes_meanwhile_spoils_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = tmp_path / "plans.json"
    found = roller_mlir.compile(TEXT, "a100", binaries=False, cache=False)
    text = json.dumps({kernel.program: to_json(kernel.plan) for kernel in found.kernels})
    plans.write_text(text)
    run_stages = driver.run_stages

    def change(*arguments: Any, **options: Any) -> Any:
        plans.write_text(text + "\n")
        return run_stages(*arguments, **options)

    monkeypatch.setattr(driver, "run_stages", change)
    roller_mlir.compile(TEXT, "a100", binaries=False, plan_file=plans)
    assert entries(folder) == {}
    with pytest.raises(roller_mlir.DiagnosedError, match="no such file"):
        roller_mlir.compile(TEXT, "a100", binaries=False, plan_file=tmp_path / "missing.json")


def test_a_compiler_that_is_being_changed_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Versions, "mixed", property(lambda _: True))
    roller_mlir.compile(TEXT, "a100", options=SIMULATED)
    assert entries(folder) == {}


def test_errors_are_not_kept(folder: Path) -> None:
    for _ in range(2):
        with pytest.raises(roller_mlir.DiagnosedError, match="tile"):
            roller_mlir.compile(TEXT, "a100", tile_sizes=(8, 8, 8, 8), binaries=False)
    assert entries(folder) == {}


def test_what_is_damaged_is_compiled_again(folder: Path) -> None:
    first = roller_mlir.compile(TEXT, "a100")
    for path in folder.glob("entries/*/*"):
        path.write_bytes(path.read_bytes()[:-1])
    second = roller_mlir.compile(TEXT, "a100")
    assert from_cache(second) == "missed" and "binaries" in second.manifest.phases_s
    assert lasting(second) == lasting(first)
    assert from_cache(roller_mlir.compile(TEXT, "a100")) == "artifact"


def test_an_entry_of_another_make_is_a_miss(folder: Path) -> None:
    roller_mlir.compile(TEXT, "a100", options=SIMULATED)
    (path,) = folder.glob("entries/*/*")
    CacheStore(folder, 1 << 30).put(path.name, b"\x02\0\0\0\0\0\0\0{}")
    assert from_cache(roller_mlir.compile(TEXT, "a100", options=SIMULATED)) == "missed"
    assert from_cache(roller_mlir.compile(TEXT, "a100", options=SIMULATED)) == "artifact"


def fail_with(number: int) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("owner", "step", "number", "said"),
    [
        (Path, "mkdir", errno.EROFS, "written: read-only file system"),
        (Path, "mkdir", errno.EACCES, "written: permission denied"),
        (cache_store.os, "fsync", errno.ENOSPC, "written: no space left on device"),
        (cache_store.os, "replace", errno.EXDEV, "written: invalid cross-device link"),
        (CacheStore, "get", errno.EACCES, "read: permission denied"),
    ],
)
def test_a_cache_that_cannot_be_used_is_one_warning(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    owner: Any,
    step: str,
    number: int,
    said: str,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(owner, step, fail_with(number))
        for _ in range(2):
            artifact = roller_mlir.compile(TEXT, "a100", options=SIMULATED)
            assert from_cache(artifact) == "missed"
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == (
        f"warning: the compile cache {folder} cannot be {said}; compiling goes on without it "
        "(ROLLER_CACHE_DIR names another folder, ROLLER_CACHE=0 switches it off)"
    )
    assert not list(folder.glob("temporary/*"))


def test_what_is_there_is_served_from_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roller_mlir.compile(TEXT, "a100", options=SIMULATED)
    monkeypatch.setattr(cache_store.os, "fsync", fail_with(errno.ENOSPC))
    roller_mlir.compile(TEXT.replace("64", "96"), "a100", options=SIMULATED)
    assert from_cache(roller_mlir.compile(TEXT, "a100", options=SIMULATED)) == "artifact"


def test_an_interrupt_while_an_entry_is_written_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cache_store.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        roller_mlir.compile(TEXT, "a100", options=SIMULATED)
    assert not [path for path in folder.rglob("*") if path.is_file() and path.parent.name in ("temporary", "entries")]


def test_it_can_be_switched_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roller_mlir.compile(TEXT, "a100", binaries=False, cache=False)
    monkeypatch.setenv("ROLLER_CACHE", "0")
    assert from_cache(roller_mlir.compile(TEXT, "a100", options=SIMULATED)) == ""
    assert not folder.exists()
    monkeypatch.setenv("ROLLER_CACHE", "no")
    with pytest.raises(roller_mlir.DiagnosedError, match="ROLLER_CACHE must be 0 .* or 1, but got 'no'"):
        roller_mlir.compile(TEXT, "a100", options=SIMULATED)
