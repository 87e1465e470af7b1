# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of test_runtime_cuda.py: loading, what a device does not run, memory, and tensor maps."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cuda_helpers import FILES, Interface, buffer, device, hexadecimal, manifest, ptx, record, view, with_launch

from roller_mlir.plan.manifest import DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.plan.persistent.task_times import TaskTimes
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.runtime import ArgumentError, BackendError, find_backend
from roller_mlir.runtime.driver.backend import DriverBackend


@pytest.fixture
def backend() -> DriverBackend:
    made = find_backend("cuda")
    assert isinstance(made, DriverBackend)
    return made


EMPTY: dict[str, Any] = {"size_bytes": 0, "sha256": ""}
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
        (
            manifest(device=replace(DEVICE, vendor="amd")),
            {},
            "was compiled for a100-80 of amd; cuda runs devices of nvidia",
        ),
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
    backend: DriverBackend, wrong: Manifest, files: dict[str, bytes], message: str
) -> None:
    record()
    with pytest.raises(BackendError, match=re.escape(message)):
        backend.load(wrong, {**FILES, **files})
    assert not [line for line in record() if line.startswith(("launch", "cooperative"))]


CUBIN = b"\x7fELF" + ptx(twice_a=2, twice_b=3)


def with_cubin(**files: str) -> Manifest:
    kernels = tuple(Kernel(name=name, files={"cubin": "k.cubin", **files}) for name in ("twice_a", "twice_b"))
    return manifest(kernels=kernels, files=(*manifest().files, File(name="k.cubin", role="cubin", **EMPTY)))


def test_ptx_runs_where_the_driver_refuses_the_cubin(backend: DriverBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    both, files = with_cubin(ptx="k.ptx"), {**FILES, "k.cubin": CUBIN}
    assert backend.load(both, files).notes == ()
    monkeypatch.setenv("FAKE_CUDA_REFUSES", "cubin")
    record()
    loaded = backend.load(both, files)
    assert [line for line in record() if line.startswith("load")] == [f"load {len(FILES['k.ptx'])} bytes"]  # once
    refused = "(k.cubin): CUDA_ERROR_INVALID_IMAGE (said the fake driver)"
    assert loaded.notes == (f"CUDA cannot load kernel 'twice_a' {refused}; k.ptx runs instead",)
    (y, _) = loaded(np.ones(64, np.float32))
    assert y.numpy().tolist() == [4.0] * 64
    backend.open(both, files)  # run by run, each launch says it
    with pytest.raises(BackendError, match=re.escape(f"CUDA cannot load kernel 'twice_a' {refused}")):
        backend.load(with_cubin(), files)
    with pytest.raises(
        BackendError, match=r"\(k.cubin\): .*INVALID_IMAGE.*; CUDA cannot load .* \(k.ptx\): .*INVALID_PTX"
    ):
        backend.load(both, {**files, "k.ptx": b"not assembly"})


def test_memory_that_is_not_there(backend: DriverBackend) -> None:
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


def with_state() -> Manifest:
    """The first kernel writes state, which the second one reads."""
    x, y, s = view("x"), view("y"), view("s")
    launch: dict[str, Any] = {"grid": (2, 1, 1), "block": (32, 1, 1)}
    return manifest(
        outputs=("y",),
        workspace_bytes=0,
        state_bytes=768,
        buffers=(buffer("x", "input"), buffer("y", "output"), buffer("s", "state", offset_bytes=512)),
        launches=(
            Launch(kernel="twice_a", arguments=(x, s), **launch),
            Launch(kernel="twice_a", arguments=(s, y), **launch),
        ),
        kernels=(Kernel(name="twice_a", files={"ptx": "k.ptx"}),),
    )


def test_state_is_zeroed_once_and_kept(backend: DriverBackend) -> None:
    record()
    loaded = backend.load(with_state(), FILES)
    assert record()[-2:] == ["upload 768 bytes stream 0", "synchronize stream 0"]
    x, y = device(), device()
    loaded(x, outputs=[y], stream=0x77)
    first = record()
    loaded(x, outputs=[y], stream=0x77)
    assert record() == first  # at the same address, and nothing else happens
    loaded(x, outputs=[y], stream=0x88)
    assert any("wait" in line for line in record()), "on another stream it waits for the run before"


@pytest.mark.parametrize("graph", [False, True])
def test_a_wait_that_was_given_up(backend: DriverBackend, graph: bool) -> None:
    """The first kernel writes 2 x where a report would be."""
    given = with_state()
    first, second = given.launches
    reporting = replace(given, launches=(replace(first, report_bytes=4), second))
    loaded = backend.load(reporting, FILES)
    x = device()
    again = loaded.prepare(x, outputs=[device()], stream=0, graph=graph)
    again()
    x.host[:] = 1
    record()
    with pytest.raises(BackendError, match="kernel 'twice_a' gave up a wait, and its results are not valid"):
        again()
    assert [line for line in record() if line.startswith(("download", "upload"))][-2:] == [
        "download 32 bytes stream 0",
        "upload 768 bytes stream 0",
    ]
    with pytest.raises(ValueError, match="a report of 32 B must lie in the last argument, of 256 B, but begins at 228"):
        replace(first, report_bytes=228)


def test_when_tasks_ran(backend: DriverBackend) -> None:
    """The first kernel writes 2 x where times would be: of two blocks with a task each, in ticks of 10 ns."""
    given = with_state()
    with pytest.raises(BackendError, match="'main' records no times; compile it with --record-times"):
        backend.load(given, FILES).times()
    first, second = given.launches
    times = TaskTimes(
        offset_bytes=8, tick_ns=10, positions=1, operators=("a", "b"), tasks=(1, 1), programs=((1,), (0,))
    )
    loaded = backend.load(replace(given, launches=(replace(first, times=times), second)), FILES)
    x = np.zeros(64, np.int32)
    x[2:10] = [5, 1, 6, 1, 7, 1, 8, 1]
    loaded(x.view(np.float32))  # so small that twice their value is twice their bits
    ((kernel, found),) = loaded.times()
    second_ns = 10 * (2 << 32)
    assert kernel == "twice_a"
    assert [(one.operator, one.task, one.block, one.start_ns, one.end_ns) for one in found] == [
        ("b", 0, 0, second_ns + 100, second_ns + 120),
        ("a", 0, 1, second_ns + 140, second_ns + 160),
    ]
    lying = replace(first, arguments=first.arguments[:1], times=times)
    with pytest.raises(ValueError, match="reports and times must lie in the state, but lie in 'x'"):
        replace(given, launches=(lying, second))


def test_state_lies_in_its_bytes() -> None:
    with pytest.raises(ValueError, match="state 's' must end within 700 B, but does not"):
        replace(with_state(), state_bytes=700)


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


@pytest.mark.parametrize("offset", [0, 128])
def test_tensor_maps(backend: DriverBackend, offset: int) -> None:
    one = replace(MAPPED, extents=(8 - offset // 128, 64), offset_bytes=offset)
    loaded = backend.load(mapped(one), {**FILES, "k.ptx": ptx(map=(2, 1))})
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
    assert int.from_bytes(encoded[8:16], "little") == x.host.ctypes.data + offset
    assert (list(encoded[16:18]), list(encoded[24:26])) == ([32, 4], [2, 1])  # innermost first
    assert np.frombuffer(encoded[32:48], np.uint64).tolist() == [64, 8 - offset // 128]
    assert np.frombuffer(encoded[80:88], np.uint64).tolist() == [128]


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (replace(MAPPED, argument=2), "kernel 'map': tensor map 0 is of argument 2, but there are 2"),
        (replace(MAPPED, strides=(120,)), "tensor map 0 needs strides in multiples of 16 B, but has (120,)"),
        (replace(MAPPED, extents=(9, 64)), "tensor map 0 ends at 1152 B of argument 0, which has 1024 B"),
        (replace(MAPPED, offset_bytes=16), "tensor map 0 ends at 1040 B of argument 0, which has 1024 B"),
    ],
)
def test_tensor_maps_that_lie_are_refused(backend: DriverBackend, one: TensorMap, message: str) -> None:
    with pytest.raises(BackendError, match=re.escape(message)):
        backend.load(mapped(one), {**FILES, "k.ptx": ptx(map=(2, 1))})


def test_bf16_as_its_bits(backend: DriverBackend) -> None:
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
