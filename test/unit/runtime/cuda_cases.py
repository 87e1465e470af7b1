# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of test_runtime_cuda.py: what the driver is asked to do, call by call, and what never reaches it.

The fake driver's record has a line per call. Addresses differ from run to run; the cases know those that they gave.
"""

import ctypes
import gc
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roller_mlir.plan.manifest import Buffer, DeviceRecord, File, Kernel, Launch, Manifest, View
from roller_mlir.plan.tensor_map import TensorMap
from roller_mlir.runtime import ArgumentError, Artifact, BackendError, Program, find_backend
from roller_mlir.runtime.cuda_backend import CudaBackend
from roller_mlir.runtime.driver_memory import DeviceArray

CAPTURING = 0xCAFE
POINTER, MAP = ".param .u64 .ptr .align 16 p", ".param .align 64 .b8 m[128]"
LOG = Path(os.environ["FAKE_CUDA_LOG"])


def ptx(**kernels: int | tuple[int, int]) -> bytes:
    """Makes PTX whose kernels have so many pointers and then tensor maps."""
    text = ".version 8.0\n"
    for name, counts in kernels.items():
        pointers, maps = counts if isinstance(counts, tuple) else (counts, 0)
        text += f".visible .entry {name}(\n" + ",\n".join([POINTER] * pointers + [MAP] * maps) + "\n)\n{ ret; }\n"
    return text.encode()


def view(buffer: str, count: int = 64, offset_bytes: int = 0, element_type: Any = "f32") -> View:
    return View(buffer=buffer, offset_bytes=offset_bytes, element_type=element_type, shape=(count,))


def buffer(name: str, role: Any, count: int = 64, **more: Any) -> Buffer:
    return Buffer(name=name, role=role, shape=(count,), **{"element_type": "f32", **more})


def manifest(**changes: Any) -> Manifest:
    """y = 4 x: two launches through a workspace, then a copy of half of it beside a constant."""
    launch = {"grid": (2, 1, 1), "block": (32, 1, 1)}
    fields: dict[str, Any] = {
        "function": "main",
        "device": DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
        "inputs": ("x",),
        "outputs": ("y", "z"),
        "buffers": (
            buffer("x", "input"),
            buffer("y", "output"),
            buffer("z", "output"),
            buffer("w", "workspace", offset_bytes=256),
            buffer("c", "constant", 4, offset_bytes=16),
        ),
        "workspace_bytes": 512,
        "launches": (
            Launch(kernel="twice_a", arguments=(view("x"), view("w")), dynamic_workgroup_bytes=65536, **launch),
            Launch(kernel="twice_b", arguments=(view("w"), view("y"), view("c", 4)), cooperative=True, **launch),
            Launch(kernel="", arguments=(view("w", 32, 128), view("z", 32))),
        ),
        "kernels": (Kernel(name="twice_a", files={"ptx": "k.ptx"}), Kernel(name="twice_b", files={"ptx": "k.ptx"})),
        "files": (
            File(name="k.ptx", role="ptx", size_bytes=0, sha256=""),
            File(name="constants.bin", role="constants", size_bytes=32, sha256=""),
        ),
    }
    return Manifest(**{**fields, **changes})


FILES = {"k.ptx": ptx(twice_a=2, twice_b=3), "constants.bin": bytes(32)}


class Interface:
    """An array of another library that has the CUDA array interface; its memory is the host's."""

    def __init__(self, host: np.ndarray[Any, Any], **changes: Any) -> None:
        self.host = host
        self.__cuda_array_interface__ = {
            "shape": host.shape,
            "typestr": host.dtype.str,
            "data": (int(host.ctypes.data), False),
            "version": 3,
            "strides": None,
            **changes,
        }


def device(count: int = 64, dtype: Any = np.float32, past: int = 0, **changes: Any) -> Interface:
    """Makes an array on the device whose address is so many bytes past a multiple of 256."""
    size = count * np.dtype(dtype).itemsize
    raw = np.zeros(size + 512, np.uint8)
    first = -raw.ctypes.data % 256 + past
    return Interface(raw[first : first + size].view(dtype), **changes)


class Dlpack:
    """An array of another library that has DLPack; it notes the streams that it is asked for."""

    def __init__(self, capsule: Any, where: tuple[int, int], fails: Exception | None = None) -> None:
        self.capsule, self.where, self.fails = capsule, where, fails
        self.streams: list[Any] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.where

    def __dlpack__(self, *, stream: Any = None) -> Any:  # as before DLPack 1.0
        if self.fails:
            raise self.fails
        self.streams.append(stream)
        return self.capsule


def record() -> list[str]:
    """Returns what the driver was asked since the last call."""
    lines = LOG.read_text().splitlines() if LOG.exists() else []
    LOG.write_text("")
    return lines


def hexadecimal(array: Any) -> str:
    address = array.host.ctypes.data if isinstance(array, Interface) else array.address
    return f"{address:016x}"


@pytest.fixture
def backend() -> CudaBackend:
    made = find_backend("cuda")
    assert isinstance(made, CudaBackend)
    return made


@pytest.fixture
def program(backend: CudaBackend) -> Program:
    made = backend.load(manifest(), FILES)
    record()
    return made


def test_loading(backend: CudaBackend) -> None:
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


def test_a_call_asks_for_exactly_its_launches(program: Program) -> None:
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


def test_a_capturing_stream_sees_launches_only(program: Program) -> None:
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


def test_numpy_in_new_arrays_out_and_memory_comes_back(backend: CudaBackend, program: Program) -> None:
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


def test_streams_wait_for_pending_writes(backend: CudaBackend, program: Program) -> None:
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


def test_streams_of_libraries(program: Program) -> None:
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
def test_wrong_inputs_are_refused_before_a_launch(program: Program, array: Any, message: str) -> None:
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
def test_arrays_elsewhere_are_refused(program: Program, where: tuple[int, int], words: str) -> None:
    from roller_mlir.runtime import dlpack

    memory = ctypes.create_string_buffer(256)
    capsule = dlpack.make(memory, ctypes.addressof(memory), (64,), "f32", where, versioned=True)
    with pytest.raises(ArgumentError, match=re.escape(f"{SUBJECT}must be on CUDA device 0, but is {words}")):
        program(Dlpack(capsule, where), outputs=[device(), device()], workspace=device(128))
    assert record() == []


def test_wrong_outputs_and_workspaces_are_refused_before_a_launch(program: Program) -> None:
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


def with_launch(number: int, **changes: Any) -> Manifest:
    launches = list(manifest().launches)
    launches[number] = replace(launches[number], **changes)
    return manifest(launches=tuple(launches))


DEVICE = DeviceRecord(name="a100-80", vendor="nvidia", architecture="sm_80", subgroup_size=32)


@pytest.mark.parametrize(
    ("wrong", "files", "message"),
    [
        (
            with_launch(0, grid=(1, 70000, 1)),
            {},
            "kernel 'twice_a' needs a grid of (1, 70000, 1), but device 0 (sm_90)",
        ),
        (with_launch(0, block=(1024, 2, 1)), {}, "kernel 'twice_a' needs blocks of (1024, 2, 1) threads, but device 0"),
        (
            with_launch(0, dynamic_workgroup_bytes=1 << 20),
            {},
            "kernel 'twice_a' needs 1048576 B of workgroup memory, but device 0 (sm_90) has 232448 B",
        ),
        (
            with_launch(1, grid=(10000, 1, 1)),
            {},
            "kernel 'twice_b' needs 10000 blocks at the same time, but device 0 runs 8448 of them",
        ),
        (manifest(device=replace(DEVICE, vendor="amd")), {}, "was compiled for a100-80 of amd; CUDA runs nvidia's"),
        (
            manifest(device=replace(DEVICE, architecture="sm_100a")),
            {},
            "kernel 'twice_a' has ptx for sm_100a, but device 0 (sm_90) needs one for sm_90; compile for this device",
        ),
        (
            manifest(kernels=(Kernel(name="twice_a"), Kernel(name="twice_b"))),
            {},
            "kernel 'twice_a' has no file for sm_90a",
        ),
        (manifest(), {"k.ptx": ptx(twice_a=2)}, "k.ptx holds no kernel 'twice_b': CUDA: cuModuleGetFunction failed"),
        (
            manifest(),
            {"k.ptx": b"not assembly"},
            "CUDA cannot load kernel 'twice_a' (k.ptx): CUDA_ERROR_INVALID_PTX (said the fake driver): "
            "line 1: unexpected text",
        ),
        (manifest(), {"constants.bin": bytes(16)}, "constant 'c' lies outside of the constants, which have 16 B"),
        (
            manifest(buffers=(*manifest().buffers[:4], buffer("c", "constant", 4, offset_bytes=4))),
            {},
            "constant 'c' must begin at a multiple of 16 B, but begins at 4",
        ),
        (
            manifest(buffers=(*manifest().buffers, buffer("v", "output"))),
            {},
            "output 'v' is not among the function's outputs, so nobody gives it",
        ),
        (
            manifest(buffers=(*manifest().buffers, buffer("v", "constant", 1, alignment_bytes=512))),
            {},
            "constant 'v' needs an alignment of 512 B; memory here is aligned to 256 B",
        ),
    ],
)
def test_what_the_device_does_not_run_is_refused(
    backend: CudaBackend, wrong: Manifest, files: dict[str, bytes], message: str
) -> None:
    record()
    with pytest.raises(BackendError, match=re.escape(message)):
        backend.load(wrong, {**FILES, **files})
    assert not [line for line in record() if line.startswith(("launch", "cooperative"))]


def test_memory_that_is_not_there(backend: CudaBackend) -> None:
    many = 1 << 18
    launch = Launch(kernel="twice_a", arguments=(view("x", many), view("y", many)))
    big = manifest(
        buffers=(buffer("x", "input", many), buffer("y", "output", many)),
        outputs=("y",),
        workspace_bytes=0,
        launches=(launch,),
    )
    loaded = backend.load(big, FILES)
    record()
    with pytest.raises(BackendError, match="CUDA: device 0 has no 1048576 B left for this run"):
        loaded(device(many))
    assert not [line for line in record() if "launch" in line]


MAPPED = TensorMap(argument=0, element="f16", extents=(8, 64), strides=(128,), box=(4, 32), steps=(1, 2), swizzle=64)


def mapped(one: TensorMap = MAPPED) -> Manifest:
    return manifest(
        outputs=("y",),
        workspace_bytes=0,
        buffers=(buffer("x", "input", 512, element_type="f16"), buffer("y", "output", 512, element_type="f16")),
        launches=(
            Launch(kernel="map", arguments=(view("x", 512, element_type="f16"), view("y", 512, element_type="f16"))),
        ),
        kernels=(Kernel(name="map", files={"ptx": "k.ptx"}, tensor_maps=(one,)),),
    )


def test_tensor_maps(backend: CudaBackend) -> None:
    loaded = backend.load(mapped(), {**FILES, "k.ptx": ptx(map=(2, 1))})
    record()
    x, y = device(512, np.float16), device(512, np.float16)
    loaded(x, outputs=[y])
    loaded(x, outputs=[y])
    lines = record()
    assert [line.split()[0] for line in lines] == ["encode", "launch", "launch"]  # kept for the same address
    *pointers, last = lines[2].split(": ")[1].split()
    assert pointers == [hexadecimal(x), hexadecimal(y)]
    content, past = last.split("@")
    assert past == "0"  # a multiple of 128
    encoded = bytes.fromhex(content)[::-1]
    assert list(encoded[:4]) == [6, 2, 2, 2]  # f16, two dimensions, 64-byte swizzle, 128-byte promotion
    assert int.from_bytes(encoded[8:16], "little") == x.host.ctypes.data
    assert (list(encoded[16:18]), list(encoded[24:26])) == ([32, 4], [2, 1])  # innermost first
    assert np.frombuffer(encoded[32:48], np.uint64).tolist() == [64, 8]
    assert np.frombuffer(encoded[80:88], np.uint64).tolist() == [128]


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (replace(MAPPED, argument=2), "kernel 'map': tensor map 0 is of argument 2, but there are 2"),
        (replace(MAPPED, strides=(120,)), "tensor map 0 needs strides in multiples of 16 B, but has (120,)"),
        (replace(MAPPED, extents=(9, 64)), "tensor map 0 ends at 1152 B of argument 0, which has 1024 B"),
    ],
)
def test_tensor_maps_that_lie_are_refused(backend: CudaBackend, one: TensorMap, message: str) -> None:
    with pytest.raises(BackendError, match=re.escape(message)):
        backend.load(mapped(one), {**FILES, "k.ptx": ptx(map=(2, 1))})


def test_bf16_as_its_bits(backend: CudaBackend) -> None:
    many = manifest(
        outputs=("y",),
        workspace_bytes=0,
        buffers=(buffer("x", "input", element_type="bf16"), buffer("y", "output", element_type="bf16")),
        launches=(Launch(kernel="b", arguments=(view("x", element_type="bf16"), view("y", element_type="bf16"))),),
        kernels=(Kernel(name="b", files={"ptx": "k.ptx"}),),
    )
    loaded = backend.load(many, {**FILES, "k.ptx": ptx(b=2)})
    (y,) = loaded(np.zeros(64, np.uint16))
    assert y.element_type == "bf16" and y.numpy().dtype == np.uint16
    assert y.__cuda_array_interface__["typestr"] == "<u2"
    loaded(Interface(device(64, np.uint16).host, typestr="<V2"), outputs=[y])
    with pytest.raises(ArgumentError, match="must have type bf16, but has f16"):
        loaded(np.zeros(64, np.float16))
