# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of test_runtime_cuda.py: what the driver is asked to do by calls, and what never reaches it."""

import ctypes
import gc
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cuda_helpers import FILES, Dlpack, Interface, device, hexadecimal, manifest, record, with_launch

from roller_mlir.runtime import ArgumentError, Artifact, BackendError, LoadedProgram, find_backend
from roller_mlir.runtime.driver.backend import DriverBackend
from roller_mlir.runtime.driver.memory import CachingAllocator, DeviceArray

CAPTURING = 0xCAFE


@pytest.fixture
def backend() -> DriverBackend:
    made = find_backend("cuda")
    assert isinstance(made, DriverBackend)
    return made


@pytest.fixture
def program(backend: DriverBackend) -> LoadedProgram:
    made = backend.load(manifest(), FILES)
    record()
    return made


def test_loading(backend: DriverBackend) -> None:
    record()
    backend.load(manifest(), FILES)
    assert record() == [
        f"load {len(FILES['k.ptx'])} bytes",
        "function twice_a with 2 parameters",
        "attribute 8 of twice_a is 65536",
        "function twice_b with 3 parameters",
        "allocate 512",
        "upload 32 bytes stream 0",
        "synchronize stream 0",
    ]


def test_a_call_asks_for_exactly_its_launches(program: LoadedProgram) -> None:
    x, y, z, w = device(), device(), device(), device(128)
    x.host[:] = np.arange(64)
    assert program(x, outputs=[y, z], stream=0x77, workspace=w) == (y, z)
    assert np.array_equal(y.host, 4 * x.host)
    assert np.array_equal(z.host[:32], 2 * x.host[32:])
    lines = record()
    where = "stream 0x77 context 0xc0:"
    assert lines[0] == (
        f"launch twice_a grid 2,1,1 block 32,1,1 shared 65536 {where} {hexadecimal(x)} {w.host.ctypes.data + 256:016x}"
    )
    assert lines[1].startswith(
        f"cooperative twice_b grid 2,1,1 block 32,1,1 shared 0 {where} "
        f"{w.host.ctypes.data + 256:016x} {hexadecimal(y)} "
    )
    assert lines[2:] == ["copy 128 bytes stream 0x77"]


@pytest.mark.parametrize("cooperative", [False, True])
def test_clusters(backend: DriverBackend, cooperative: bool) -> None:
    program = backend.load(with_launch(1, cluster=(2, 1, 1), cooperative=cooperative), FILES)
    record()
    program(device(), outputs=[device(), device()], stream=0x77, workspace=device(128))
    how = "cluster 2,1,1 " + "cooperative " * cooperative
    assert record()[1].startswith(f"{how} twice_b grid 2,1,1 block 32,1,1 shared 0 stream 0x77 context 0xc0: ")
    with pytest.raises(ValueError, match=r"a grid must be whole clusters of \(2, 1, 1\) blocks, but is \(3, 1, 1\)"):
        with_launch(1, cluster=(2, 1, 1), grid=(3, 1, 1))


def test_a_capturing_stream_sees_launches_only(program: LoadedProgram) -> None:
    x, y, z, w = device(), device(), device(), device(128)
    program(x, outputs=[y, z], stream=CAPTURING, workspace=w)
    assert [line.split()[0] for line in record()] == ["launch", "cooperative", "copy"]
    for arguments, message in (
        ({"outputs": [y, z]}, "'main': the stream records a graph.*pass a workspace of your own"),
        ({"workspace": w}, "'main': the stream records a graph.*pass outputs of your own"),
        ({"outputs": [y, z], "workspace": w, "x": x.host}, "input 0 is a numpy array, which no graph can hold"),
    ):
        with pytest.raises(ArgumentError, match=message):
            program(arguments.pop("x", x), stream=CAPTURING, **arguments)
        assert record() == []


def test_numpy_in_new_arrays_out_and_memory_comes_back(backend: DriverBackend, program: LoadedProgram) -> None:
    x = np.arange(64, dtype=np.float32)
    y, _ = program(x)
    assert record()[:4] == ["allocate 512", "upload 256 bytes stream 0", "allocate 512", "allocate 512"]
    assert isinstance(y, DeviceArray) and repr(y).startswith("DeviceArray(64xf32 on CUDA 0x")
    assert np.array_equal(y.numpy(), 4 * x)
    del y, _
    gc.collect()
    record()
    program(x)
    assert not [line for line in record() if "allocate" in line or "free" in line]
    backend.allocator.trim()
    assert backend.allocator.cached_bytes == 0
    program(x, stream=0x55)
    program(x, stream=0x66)
    assert sum("allocate" in line for line in record()) == 8  # no stream takes what another may still use


def test_run_with_numpy(tmp_path: Path) -> None:
    record()
    result = Artifact(manifest(), FILES).run_reported(np.arange(64, dtype=np.float32), on="cuda", device=1)
    assert np.array_equal(result.outputs[0], 4 * np.arange(64))
    assert [(one.kernel, one.seconds) for one in result.launches] == [("twice_a", 5e-4), ("twice_b", 5e-4)]
    assert all("context 0xc1" in line for line in record() if line.startswith(("launch", "cooperative")))
    with pytest.raises(BackendError, match="device 2 is not one of the 2 here"):
        Artifact(manifest(), FILES).open("cuda", device=2)
    with pytest.raises(BackendError, match="back end 'sim' runs whole functions on numpy arrays only"):
        Artifact(manifest(), FILES).open("sim")


def test_streams_wait_for_pending_writes(backend: DriverBackend, program: LoadedProgram) -> None:
    y, z, w = device(), device(), device(128)
    program(device(stream=0x99), outputs=[y, z], stream=0x77, workspace=w)
    assert record()[:2] == ["record stream 0x99", "wait stream 0x77"]
    program(device(stream=1), outputs=[y, z], stream=0, workspace=w)  # 1 is the default stream
    assert not any("wait" in line for line in record())
    ours, _ = program(np.zeros(64, np.float32), stream=0x55)
    record()
    tensor = Dlpack(ours.__dlpack__(stream=0x55), (2, 0))
    assert record() == []
    ours.__dlpack__(stream=0x77)
    assert record() == ["record stream 0x55", "wait stream 0x77"]
    program(tensor, outputs=[y, z], stream=0x77, workspace=w)
    program(tensor, outputs=[y, z], workspace=w)
    assert tensor.streams == [0x77, 1]
    record()
    del tensor, ours, _
    gc.collect()
    backend.allocator.trim()
    assert "free 512" in record()


def test_streams_of_libraries(program: LoadedProgram) -> None:
    class Torch:
        cuda_stream = 0x11

    class Cupy:
        ptr = 0x22

    class Core:
        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, 0x33

    x, outputs, w = device(), [device(), device()], device(128)
    for stream, handle in ((Torch(), "0x11"), (Cupy(), "0x22"), (Core(), "0x33"), (0x44, "0x44")):
        program(x, outputs=outputs, stream=stream, workspace=w)
        assert f"stream {handle} " in record()[0]
    for wrong in ("default", -1, True, 1.5):
        with pytest.raises(ArgumentError, match="a stream must be a handle, or an object of torch, cupy or with"):
            program(x, outputs=outputs, stream=wrong, workspace=w)


SUBJECT = "'main': argument 0 of kernel 'twice_a': input 0 (x) "
WRITTEN = "'main': argument 1 of kernel 'twice_b': output 0 (y) "


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([1.0], "must be a numpy array or an array with __dlpack__ or __cuda_array_interface__, but got list"),
        (device(63), "must have shape (64,), but has (63,)"),
        (device(64, np.int32), "must have type f32, but has i32"),
        (device(64, np.complex64), "must have type f32, but has <c8"),
        (np.zeros(64), "must have type f32, but has f64"),
        (np.zeros(64, ">f4"), "must have type f32, but has >f4"),
        (device(64, strides=(8,)), "must be dense and row-major, but has strides (8,) B; pass a contiguous copy of it"),
        (np.zeros(128, np.float32)[::2], "must be dense and row-major, but has strides (8,) B"),
        (device(64, past=4), "must begin at a multiple of 16 B, but its address is 4 B past one; pass a copy of it"),
        (device(64, data=(512, False)), "must be on CUDA device 0, but is on a device that the driver does not know"),
        (device(64, strides=(4, 4)), "has a malformed __cuda_array_interface__: 2 strides"),
        (device(64, data=None), "has a malformed __cuda_array_interface__: "),
        (Dlpack(None, (2, 0)), "does not give its memory away: its __dlpack__ gives no DLPack capsule"),
        (
            Dlpack(None, (2, 0), BufferError("it needs a gradient")),
            "does not give its memory away: it needs a gradient",
        ),
    ],
)
def test_wrong_inputs_are_refused_before_a_launch(program: LoadedProgram, array: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match="^" + re.escape(SUBJECT + message)):
        program(array, outputs=[device(), device()], workspace=device(128))
    assert record() == []


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ((1, 0), "in host memory"),
        ((2, 1), "in CUDA memory of device 1"),
        ((10, 0), "in ROCm memory of device 0"),
        ((3, 0), "in pinned host memory"),
        ((8, 0), "in device type 8 memory of device 0"),
    ],
)
def test_arrays_elsewhere_are_refused(program: LoadedProgram, where: tuple[int, int], words: str) -> None:
    from roller_mlir.runtime.arguments import dlpack

    memory = ctypes.create_string_buffer(256)
    capsule = dlpack.make(memory, ctypes.addressof(memory), (64,), "f32", where, versioned=True)
    with pytest.raises(ArgumentError, match=re.escape(f"{SUBJECT}must be on CUDA device 0, but is {words}")):
        program(Dlpack(capsule, where), outputs=[device(), device()], workspace=device(128))
    assert record() == []


def test_wrong_outputs_and_workspaces_are_refused_before_a_launch(program: LoadedProgram) -> None:
    x, y, z, w = device(), device(), device(), device(128)
    whole = device(128)
    half = Interface(whole.host[64:])
    cases: list[tuple[dict[str, Any], str]] = [
        ({"outputs": [y]}, "'main' has 2 outputs, but got 1"),
        ({"outputs": [np.zeros(64, np.float32), z]}, f"{WRITTEN}must be on CUDA device 0, but is in host memory"),
        ({"outputs": [device(data=(y.host.ctypes.data, True)), z]}, f"{WRITTEN}is written, but its array is read-only"),
        ({"outputs": [x, z]}, f"{WRITTEN}must have memory of its own, but shares some with input 0"),
        ({"outputs": [y, y]}, "'main': output 1 (z) must have memory of its own, but shares some with output 0"),
        ({"workspace": device(127)}, "'main': workspace must have 512 B, but has 508 B"),
        (
            {"workspace": device(128, past=64)},
            "'main': workspace must begin at a multiple of 256 B, but its address is",
        ),
        ({"workspace": np.zeros(512, np.uint8)}, "'main': workspace must be on CUDA device 0, but is in host memory"),
        ({"workspace": whole, "outputs": [half, z]}, "'main': workspace must have memory of its own, but shares some"),
        ({"workspace": device(256, strides=(8,))}, "'main': workspace must be dense and writable, but is not"),
    ]
    for changes, message in cases:
        with pytest.raises(ArgumentError, match=re.escape(message)):
            program(x, **{"outputs": [y, z], "workspace": w, **changes})
    with pytest.raises(ArgumentError, match="'main' takes 1 inputs, but got 2"):
        program(x, x, outputs=[y, z], workspace=w)
    assert record() == []


def test_a_recording_does_not_wait_for_what_is_not_in_it(program: LoadedProgram) -> None:
    y, z, w = device(), device(), device(128)
    ours, _ = program(np.zeros(64, np.float32))
    record()
    program(ours, outputs=[y, z], stream=CAPTURING, workspace=w)
    program(device(stream=0x99), outputs=[y, z], stream=CAPTURING, workspace=w)
    assert [line.split()[0] for line in record()] == ["launch", "cooperative", "copy"] * 2


def test_memory_of_other_streams_is_set_aside(backend: DriverBackend) -> None:
    allocator = CachingAllocator(backend.driver, cache_bytes=1024)
    with backend.driver.current():
        record()
        same, other = (DeviceArray(backend.driver, allocator.allocate(256, 0x55), (64,), "f32") for _ in range(2))
        capsules = [same.__dlpack__(stream=0x55), other.__dlpack__(stream=0x66)]
        del same, other, capsules
        gc.collect()
        record()
        again = allocator.allocate(256, 0x55)
        assert record() == []  # that of its own stream comes again
        third = allocator.allocate(256, 0x55)
        assert record() == ["allocate 512"]  # the other one does not
        third.shared = True
        del third, again
        allocator.allocate(1000, 0x55)
        assert record() == ["free 512", "allocate 1024"]  # 1536 B are above the limit
