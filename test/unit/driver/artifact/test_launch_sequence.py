# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch sequence: argument checks before anything runs, and what a back end is asked to do, in order."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.runtime import ArgumentError, BackendError, backend_names, find_backend, register_backend, registry
from roller_mlir.runtime.sequence import LaunchReport, run_sequence


def view(buffer: str, shape: tuple[int, ...] = (4,), offset_bytes: int = 0) -> BufferView:
    return BufferView(buffer=buffer, offset_bytes=offset_bytes, element_type="f32", shape=shape)


def manifest() -> Manifest:
    return Manifest(
        function="main",
        device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
        inputs=("input0",),
        outputs=("output0",),
        buffers=(
            Buffer(name="input0", role="input", element_type="f32", shape=(2, 2)),
            Buffer(name="weights", role="constant", element_type="f32", shape=(4,), offset_bytes=16),
            Buffer(name="workspace0", role="workspace", element_type="f32", shape=(4,), offset_bytes=0),
            Buffer(name="workspace1", role="workspace", element_type="f32", shape=(8,), offset_bytes=256),
            Buffer(name="output0", role="output", element_type="f32", shape=(4,)),
        ),
        workspace_bytes=288,
        launches=(
            Launch(kernel="add", arguments=(view("input0", (2, 2)), view("weights"), view("workspace1", (4,), 16))),
            Launch(kernel="", arguments=(view("workspace1", (4,), 16), view("workspace0"))),
            Launch(kernel="add", arguments=(view("workspace0"), view("weights"), view("output0"))),
        ),
        kernels=(Kernel(name="add"),),
        files=(File(name="constants.bin", role="constants", size_bytes=32, sha256=""),),
    )


FILES = {"constants.bin": bytes(16) + np.arange(4, dtype=np.float32).tobytes()}


class Recorder:
    """A back end on numpy bytes whose only kernel adds; it records what it is asked to do."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def open(self, manifest: Manifest, files: Mapping[str, bytes]) -> None:
        self.calls.append("open")

    def allocate(self, size_bytes: int, alignment_bytes: int) -> Any:
        self.calls.append(f"allocate {size_bytes}")
        return np.full(size_bytes, 255, np.uint8)

    def upload(self, data: Any, alignment_bytes: int) -> Any:
        self.calls.append(f"upload {data.nbytes}")
        return np.frombuffer(data.tobytes(), np.uint8)

    def adopt(self, data: Any, alignment_bytes: int) -> Any:
        return None

    def download(self, memory: Any, buffer: Buffer) -> Any:
        self.calls.append(f"download {buffer.name}")
        return memory.view(np.float32).reshape(buffer.static_shape).copy()

    def slice(self, memory: Any, offset_bytes: int, size_bytes: int) -> Any:
        return memory[offset_bytes : offset_bytes + size_bytes]

    def copy(self, source: Any, target: Any) -> None:
        self.calls.append("copy")
        target[...] = source

    def launch(self, launch: Launch, arguments: Sequence[tuple[BufferView, Any]]) -> LaunchReport:
        self.calls.append(f"launch {launch.kernel}")
        a, b, c = (memory.view(np.float32) for _, memory in arguments)
        c[...] = a + b
        return LaunchReport(kernel=launch.kernel, seconds=0.0)


def test_sequence_in_order_with_views_copies_and_constants() -> None:
    backend = Recorder()
    result = run_sequence(manifest(), FILES, backend, [np.ones((2, 2), np.float32)])
    assert result.outputs[0].tolist() == [1.0, 3.0, 5.0, 7.0]
    assert [report.kernel for report in result.launches] == ["add", "add"]
    assert backend.calls == [
        *("open", "upload 16", "allocate 288", "upload 16", "allocate 16"),  # a constant, once; then what a run takes
        *("launch add", "copy", "launch add", "download output0"),
    ]


def misaligned() -> np.ndarray[Any, Any]:
    start = np.zeros(64, np.uint8)
    first = (-start.ctypes.data) % 16 + 4
    return start[first : first + 16].view(np.float32).reshape(2, 2)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([], "'main' takes 1 inputs, but got 0"),
        ([np.zeros((2, 2), np.float32)] * 2, "'main' takes 1 inputs, but got 2"),
        ([[1.0]], "'main': argument 0 of kernel 'add': input 0 (input0) must be a numpy array, but got list"),
        ([np.zeros((2, 2))], "must have dtype float32 (f32), but has float64"),
        ([np.zeros((2, 3), np.float32)], "must have shape (2, 2), but has (2, 3)"),
        ([np.zeros((2, 4), np.float32)[:, ::2]], "must be dense and row-major, but has strides (16, 8) B"),
        ([misaligned()], "must begin at a multiple of 16 B, but its address is 4 B past one"),
    ],
)
def test_arguments_are_checked_before_anything_runs(arrays: list[Any], message: str) -> None:
    backend = Recorder()
    with pytest.raises(ArgumentError) as caught:
        run_sequence(manifest(), FILES, backend, arrays)
    assert message in str(caught.value)
    assert backend.calls == []


def test_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    assert backend_names() == ("cpu", "cuda", "hip", "sim")
    with pytest.raises(BackendError, match="unknown back end 'metal'; known: cpu, cuda, hip, sim"):
        find_backend("metal")
    with pytest.raises(BackendError, match=r"back end 'sim': .*unexpected keyword argument 'stream'"):
        find_backend("sim", {"stream": 1})
    with pytest.raises(ValueError, match="'sim' is registered already"):
        register_backend("sim", "x", "y")
    monkeypatch.setattr(registry, "_PROVIDERS", dict(registry._PROVIDERS))
    register_backend("gone", "no_such_module", "Backend", vendor="amd")
    assert [registry.backend_of_vendor(name) for name in ("nvidia", "amd", "graphcore")] == ["cuda", "gone", None]
    assert [registry.backend_here(name) for name in ("nvidia", "cpu", "graphcore")] == [None, "cpu", None]
    assert registry.device_backends() == ("cuda", "hip", "gone")
    with pytest.raises(BackendError, match="back end 'gone' is not available here: No module named 'no_such_module'"):
        find_backend("gone")
