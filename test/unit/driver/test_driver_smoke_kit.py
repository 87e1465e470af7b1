# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU smoke kit, without a GPU: its kernels in the simulator, and its launcher against a fake driver."""

import ctypes
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from roller_mlir.compiler.driver import compile_kernel_module
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.runtime import Artifact
from roller_mlir.tools.roller import main as roller

KIT = Path(__file__).resolve().parents[3] / "bench" / "gpu_smoke"
SIMULATED = CompileOptions(binaries=False)


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"gpu_smoke_{name}", KIT / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PACK = load("pack")


def kernel(name: str, change: Callable[[str], str] = str, **values: int) -> Artifact:
    text = PACK.fill((KIT / "kernels" / f"{name}.mlir.in").read_text(), **values)
    return compile_kernel_module(Source("-", change(text)), "h200", SIMULATED)


def persistent(change: Callable[[str], str] = str, blocks: int = 6) -> tuple[Artifact, list[Any], Any]:
    random = np.random.default_rng(0)
    a = random.integers(-4, 5, (64, 32)).astype(np.float32)
    b = random.integers(-4, 5, (32, 48)).astype(np.float32)
    artifact = kernel("persistent", change, m=64, n=48, k=32, blocks=blocks)
    # The counter stands at a multiple of the blocks, as after earlier launches.
    return artifact, [a, b, np.array([2 * blocks], np.int32)], np.maximum(a @ b, 0).sum(1)


def test_copy() -> None:
    x = np.arange(4096, dtype=np.float32)
    (y,) = kernel("copy", n=4096, blocks=4).run(x)
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("blocks", [1, 6, 40])
@pytest.mark.parametrize("seed", [0, 1])
def test_two_operators_in_one_persistent_kernel(blocks: int, seed: int) -> None:
    artifact, inputs, expected = persistent(blocks=blocks)
    assert artifact.manifest.launches[0].cooperative
    (out,) = artifact.run(*inputs, seed=seed)
    np.testing.assert_array_equal(out, expected)


def test_without_the_grid_barrier_the_simulator_finds_it_wrong() -> None:
    def remove_wait(text: str) -> str:
        changed = re.sub(r"scf\.while.*?scf\.yield\n *}\n", "", text, count=1, flags=re.DOTALL)
        assert "%goal = " in changed and "%early" not in changed
        return changed

    artifact, inputs, expected = persistent(remove_wait)
    assert any((artifact.run(*inputs, seed=seed)[0] != expected).any() for seed in range(4))


def test_the_grid_barrier_is_ordered_in_ptx(tmp_path: Path) -> None:
    text = PACK.fill((KIT / "kernels" / "persistent.mlir.in").read_text(), m=64, n=48, k=32, blocks=6)
    ptx = compile_kernel_module(Source("-", text), "h200").text("ptx")
    body = re.findall(r"bar\.sync|fence\.acq_rel\.gpu|atom\.[\w.]+|ld\.acquire\.gpu[\w.]*", ptx)
    at = next(i for i, op in enumerate(body) if op.startswith("atom"))
    assert body[at - 2 : at] == ["bar.sync", "fence.acq_rel.gpu"]
    assert body[at + 1].startswith("ld.acquire.gpu")
    assert body[at + 2 : at + 4] == ["fence.acq_rel.gpu", "bar.sync"]
    assert "ld.global.nc" not in ptx, "what another block writes must not be read through the constant cache"


class FakeDriver:
    """libcuda as the launcher sees it: memory is numpy, kernels are `behave`; everything is recorded."""

    def __init__(self, behave: Callable[[str, list[Any]], None]) -> None:
        self.behave, self.memory, self.launches = behave, {}, []
        self.entries: list[str] = []
        self.ptx: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., int]:
        if not name.startswith("cu"):
            raise AttributeError(name)
        return lambda *arguments: 0

    def cuFuncSetAttribute(self, entry: Any, attribute: int, value: int) -> int:
        assert attribute == 8 and value >= 0
        return 0

    def cuDeviceGetAttribute(self, result: Any, attribute: int, device: Any) -> int:
        assert attribute == 16
        result._obj.value = 2
        return 0

    def cuMemAlloc_v2(self, result: Any, size: Any) -> int:
        assert isinstance(size, ctypes.c_size_t)
        address = 4096 * (len(self.memory) + 1)
        self.memory[address] = np.zeros(size.value, np.uint8)
        result._obj.value = address
        return 0

    def cuMemcpyHtoD_v2(self, address: Any, source: Any, size: Any) -> int:
        ctypes.memmove(self.memory[address.value].ctypes.data, source, size.value)
        return 0

    def cuMemcpyDtoH_v2(self, target: Any, address: Any, size: Any) -> int:
        ctypes.memmove(target, self.memory[address.value].ctypes.data, size.value)
        return 0

    def cuModuleLoadData(self, result: Any, image: bytes) -> int:
        assert image.endswith(b"\0")
        self.ptx.append(image.decode())
        return 0

    def cuModuleGetFunction(self, result: Any, module: Any, name: bytes) -> int:
        assert f".entry {name.decode()}(" in self.ptx[-1]
        self.entries.append(name.decode())
        return 0

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(self, result: Any, entry: Any, threads: int, dynamic: Any) -> int:
        result._obj.value = 3
        return 0

    def cuEventElapsedTime(self, result: Any, start: Any, end: Any) -> int:
        result._obj.value = 0.5
        return 0

    def cuLaunchKernel(self, entry: Any, *arguments: Any) -> int:
        *shape, stream, cells, extra = arguments
        assert stream is None and extra is None
        return self._launch(shape, cells, False)

    def cuLaunchCooperativeKernel(self, entry: Any, *arguments: Any) -> int:
        *shape, stream, cells = arguments
        assert stream is None
        return self._launch(shape, cells, True)

    def _launch(self, shape: list[int], cells: Any, cooperative: bool) -> int:
        addresses = [ctypes.cast(cell, ctypes.POINTER(ctypes.c_uint64))[0] for cell in cells]
        self.launches.append((self.entries[-1], tuple(shape), cooperative))
        self.behave(self.entries[-1], [self.memory[address] for address in addresses])
        return 0


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smoke") / "kit"
    PACK.pack(folder, "h200", matmul=64, copied=4096)
    return folder


def right(entry: str, memory: list[Any]) -> None:
    """Do what the kernels do."""
    numbers = [array.view(np.float32) for array in memory]
    if entry == "copy":
        numbers[1][...] = numbers[0]
    elif entry == "relu_matmul_row_sums":
        a, b = numbers[0].reshape(512, 128), numbers[1].reshape(128, 256)
        numbers[4][...] = np.maximum(a @ b, 0).sum(1)
    else:
        a, b = numbers[0].reshape(64, 64), numbers[1].reshape(64, 64)
        numbers[2][...] = (a @ b).reshape(-1)


def test_dry_run_of_the_whole_kit(kit: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = load("launch")
    monkeypatch.setattr(launch, "__file__", str(kit / "launch.py"))
    driver = FakeDriver(right)
    assert launch.main(driver) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in said] == ["copy: correct", "matmul: correct", "persistent: correct"]
    assert all(re.search(r"median 500\.0 us, [\d.]+ GB/s", line) for line in said)
    shapes = dict.fromkeys(driver.launches)
    assert ("copy", (4, 1, 1, 256, 1, 1, 0), False) in shapes
    # 2 units of 3 blocks each hold 6 blocks at a time, fewer than the 132 that were asked for.
    assert ("relu_matmul_row_sums", (6, 1, 1, 256, 1, 1, 0), True) in shapes
    assert len(driver.memory) == 2 + 3 + 5


def test_a_wrong_kernel_is_reported(kit: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(entry: str, memory: list[Any]) -> None:
        right(entry, memory)
        if entry == "copy":
            memory[1].view(np.float32)[7] += 1

    launch = load("launch")
    monkeypatch.setattr(launch, "__file__", str(kit / "launch.py"))
    assert launch.main(FakeDriver(wrong)) == 1
    assert capsys.readouterr().out.startswith("copy: WRONG in 1 of 4096 elements")


def test_driver_errors_are_one_line(capsys: Any) -> None:
    driver = FakeDriver(right)
    driver.__dict__["cuInit"] = lambda flags: 100
    assert load("launch").main(driver) == 1
    needs = "this needs a GPU with NVIDIA's driver\n"
    assert capsys.readouterr().err == f"launch.py: error: cuInit failed with CUDA error 100; {needs}"


def test_without_a_driver_there_is_one_line(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = load("launch")

    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(launch.ctypes, "CDLL", missing)
    assert launch.main() == 1
    said = capsys.readouterr().err
    assert said.startswith("launch.py: error: libcuda.so.1: cannot open") and said.count("\n") == 1


def test_packed_kernels_run_as_pack_says(kit: Path, tmp_path: Path, capsys: Any) -> None:
    assert roller(["run", str(kit / "matmul"), "--random", "--check"]) == 0
    assert roller(["run", str(kit / "copy"), "--random"]) == 0
    capsys.readouterr()
    assert roller(["run", str(kit / "copy"), "--random", "--check"]) == 2
    assert "'copy_all' was not compiled from linalg ops" in capsys.readouterr().err


def test_an_interrupt_of_the_packing_is_no_traceback(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    def interrupted(folder: Path, target: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PACK, "pack", interrupted)
    assert PACK.main(["-o", str(tmp_path / "kit")]) == 130
    assert capsys.readouterr().err == "pack.py: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_every_packed_kernel_is_ptx_for_the_device(kit: Path) -> None:
    for name in ("copy", "matmul", "persistent"):
        artifact = Artifact.load(kit / name)
        assert ".target sm_90" in artifact.text("ptx")
    assert (kit / "launch.py").read_text() == (KIT / "launch.py").read_text()


def test_command_line(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken").mkdir()
    assert PACK.main(["-o", str(tmp_path / "taken")]) == 1
    assert "exists; choose another name" in capsys.readouterr().err
    assert PACK.main(["-o", str(tmp_path / "kit"), "--target", "mi300x"]) == 1
    assert "runs on NVIDIA's devices" in capsys.readouterr().err
    assert PACK.main(["-o", str(tmp_path / "missing" / "kit")]) == 1
    monkeypatch.setattr(PACK, "pack", lambda folder, target: folder.mkdir())
    assert PACK.main(["-o", str(tmp_path / "kit")]) == 0
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []
