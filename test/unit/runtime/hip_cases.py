# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of test_runtime_hip.py: what the driver is asked to do; most refusals are common to both, see cuda_cases.py."""

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.runtime import ArgumentError, Artifact, BackendError, find_backend
from roller_mlir.runtime.driver.backend import DriverBackend
from roller_mlir.runtime.driver.memory import DeviceArray
from roller_mlir.runtime.timing import time_interleaved

LOG = Path(os.environ["FAKE_CUDA_LOG"])
POINTER = ".param .u64 p"
# The fake driver reads the parameters of its kernels from such text, whoever it imitates.
FILES = {"k.hsaco": f".entry twice(\n{POINTER}, {POINTER})\n".encode()}


def view(buffer: str) -> BufferView:
    return BufferView(buffer=buffer, element_type="f32", shape=(64,))


def manifest(**changes: Any) -> Manifest:
    launch: dict[str, Any] = {"kernel": "twice", "grid": (2, 1, 1), "block": (32, 1, 1)}
    fields: dict[str, Any] = {
        "function": "main",
        "device": DeviceRecord(name="mi300x", vendor="amd", architecture="gfx942", subgroup_size=64),
        "inputs": ("x",),
        "outputs": ("y",),
        "buffers": (
            Buffer(name="x", role="input", element_type="f32", shape=(64,)),
            Buffer(name="y", role="output", element_type="f32", shape=(64,)),
            Buffer(name="w", role="workspace", element_type="f32", shape=(64,)),
        ),
        "workspace_bytes": 256,
        "launches": (
            Launch(arguments=(view("x"), view("w")), dynamic_workgroup_bytes=65536, **launch),
            Launch(arguments=(view("w"), view("y")), cooperative=True, **launch),
        ),
        "kernels": (Kernel(name="twice", files={"hsaco": "k.hsaco"}),),
        "files": (File(name="k.hsaco", role="hsaco", size_bytes=0, sha256=""),),
    }
    return Manifest(**{**fields, **changes})


def record() -> list[str]:
    lines = LOG.read_text().splitlines() if LOG.exists() else []
    LOG.write_text("")
    return lines


@pytest.fixture
def backend() -> DriverBackend:
    made = find_backend("hip")
    assert isinstance(made, DriverBackend)
    record()
    return made


def test_a_call_asks_for_exactly_its_launches(backend: DriverBackend) -> None:
    program = backend.load(manifest(), FILES)
    assert record() == [f"load {len(FILES['k.hsaco'])} bytes", "function twice with 2 parameters"]
    x = np.arange(64, dtype=np.float32)
    (first,) = program(x, stream=0x77)
    assert isinstance(first, DeviceArray) and first.__dlpack_device__() == (10, 0)
    assert np.array_equal(first.numpy(), 4 * x)
    record()
    (second,) = program(first, stream=0x77)
    one, two = record()  # all memory is from the cache
    where = "stream 0x77 context 0"
    pattern = f"launch twice grid 2,1,1 block 32,1,1 shared 65536 {where}: {first.address:016x} ([0-9a-f]{{16}})"
    workspace = re.fullmatch(pattern, one)
    assert workspace is not None, one
    assert two == (f"cooperative twice grid 2,1,1 block 32,1,1 shared 0 {where}: {workspace[1]} {second.address:016x}")
    assert np.array_equal(second.numpy(), 16 * x)


def test_state_is_zeroed_once_and_kept(backend: DriverBackend) -> None:
    state = Buffer(name="w", role="state", element_type="f32", shape=(64,))
    buffers = (*(one for one in manifest().buffers if one.role != "workspace"), state)
    program = backend.load(manifest(buffers=buffers, workspace_bytes=0, state_bytes=256), FILES)
    assert record()[-2:] == ["upload 256 bytes stream 0", "synchronize stream 0"]
    x, y = program(np.ones(64, np.float32), stream=0x77)[0], program(np.ones(64, np.float32), stream=0x77)[0]
    record()
    program(x, outputs=[y], stream=0x77)
    first = record()
    program(x, outputs=[y], stream=0x77)
    assert record() == first  # at the same address, and nothing else happens
    program(x, outputs=[y], stream=0x88)
    assert "wait stream 0x88" in record()


def test_streams_and_capture(backend: DriverBackend) -> None:
    program = backend.load(manifest(), FILES)
    (ours,) = program(np.zeros(64, np.float32), stream=0x55)
    record()
    program(ours, stream=0x66)
    assert record()[:2] == ["record stream 0x55", "wait stream 0x66"]
    with pytest.raises(ArgumentError, match="the stream records a graph"):
        program(ours, stream=0xCAFE)
    assert not [line for line in record() if "launch" in line]


def test_run_with_numpy() -> None:
    result = Artifact(manifest(), FILES).run_reported(np.arange(64, dtype=np.float32), on="hip", device=1)
    assert np.array_equal(result.outputs[0], 4 * np.arange(64))
    assert [one.seconds for one in result.launches] == [5e-4, 5e-4]


@pytest.mark.parametrize(
    ("wrong", "files", "message"),
    [
        (
            manifest(device=replace(manifest().device, architecture="gfx90a")),
            FILES,
            "kernel 'twice' has hsaco for gfx90a, but device 0 (gfx942:sramecc+:xnack-) needs one for gfx942",
        ),
        (manifest(device=replace(manifest().device, vendor="nvidia")), FILES, "hip runs devices of amd"),
        (
            manifest(launches=(replace(manifest().launches[0], cluster=(2, 1, 1)),)),
            FILES,
            "kernel 'twice' needs clusters of (2, 1, 1) blocks, which device 0 (gfx942:sramecc+:xnack-) does not offer",
        ),
        (manifest(), {"k.hsaco": b"not assembly"}, "HIP cannot load kernel 'twice' (k.hsaco): HIP: hipModuleLoadData"),
        (
            manifest(),
            {"k.hsaco": b"empty"},
            "HIP: hipModuleGetFunction failed: hipErrorNotFound (500: said the fake driver)",
        ),
    ],
)
def test_what_the_device_does_not_run(
    backend: DriverBackend, wrong: Manifest, files: dict[str, bytes], message: str
) -> None:
    with pytest.raises(BackendError, match=re.escape(message)):
        backend.load(wrong, files)


def test_a_code_object_that_is_too_new_is_named(backend: DriverBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    newest = {"k.hsaco": b"\x7fELF\x02\x01\x01\x40\x04" + FILES["k.hsaco"]}
    assert backend.load(manifest(), newest)  # by a loader that knows it
    monkeypatch.setenv("FAKE_HIP_VERSION", "60100000")
    need = "it is code object version 6, which needs ROCm 6.3 or later, but the driver is of ROCm 6.1"
    with pytest.raises(BackendError, match=f"hipModuleLoadData failed: .*; {need}; compile with --code-object 5"):
        backend.load(manifest(), newest)
    older = {"k.hsaco": b"\x7fELF\x02\x01\x01\x40\x03not assembly"}
    with pytest.raises(BackendError, match="; it is code object version 5, the driver is of ROCm 6.1"):
        backend.load(manifest(), older)


def test_tensor_maps_are_nvidias(backend: DriverBackend) -> None:
    one = TensorMap(argument=0, element="f32", extents=(64,), strides=(), box=(32,), steps=(1,))
    wrong = manifest(kernels=(Kernel(name="twice", files={"hsaco": "k.hsaco"}, tensor_maps=(one,)),))
    program = backend.load(wrong, FILES)
    with pytest.raises(BackendError, match="HIP has no tensor maps"):
        program(np.zeros(64, np.float32))
    with pytest.raises(BackendError, match="device 7 is not one of the 2 here"):
        find_backend("hip", {"device": 7})


def test_timing(backend: DriverBackend) -> None:
    said = backend.driver.describe()
    assert (said.name, said.driver, said.memory_bytes, said.l2_bytes) == ("Fake MI300X", "6.4", 1 << 20, 4 << 20)
    assert said.more == {"clock_khz": 2100000, "units": 304}
    x = np.ones(64, np.float32)
    program = backend.load(manifest(), FILES)
    (ours,) = program(x)
    (result,) = program(x)
    again = program.prepare(ours, outputs=[result])
    found = time_interleaved(backend.driver, 0, {"ours": again}, samples=2, flush_bytes=1 << 16)
    assert [round(one * 1e6) for one in found["ours"].seconds] == [1000, 1000]
    assert np.array_equal(result.numpy(), 16 * x)
    assert any(line.startswith("fill 65536 bytes with 0 stream 0") for line in record())
