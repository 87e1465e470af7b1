# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the cases over the fake CUDA driver share: an artifact, arrays of other libraries, and the driver's record.

The record has a line per call. Addresses differ from run to run; the cases know those that they gave.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest

POINTER, MAP = ".param .u64 .ptr .align 16 p", ".param .align 64 .b8 m[128]"
LOG = Path(os.environ["FAKE_CUDA_LOG"])


def ptx(**kernels: int | tuple[int, int]) -> bytes:
    """Makes PTX whose kernels have so many pointers and then tensor maps."""
    text = ".version 8.0\n"
    for name, counts in kernels.items():
        pointers, maps = counts if isinstance(counts, tuple) else (counts, 0)
        text += f".visible .entry {name}(\n" + ",\n".join([POINTER] * pointers + [MAP] * maps) + "\n)\n{ ret; }\n"
    return text.encode()


def view(buffer: str, count: int = 64, offset_bytes: int = 0, element_type: Any = "f32") -> BufferView:
    return BufferView(buffer=buffer, offset_bytes=offset_bytes, element_type=element_type, shape=(count,))


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
    """Return what the driver was asked since the last call."""
    lines = LOG.read_text().splitlines() if LOG.exists() else []
    LOG.write_text("")
    return lines


def hexadecimal(array: Any) -> str:
    address = array.host.ctypes.data if isinstance(array, Interface) else array.address
    return f"{address:016x}"


def with_launch(number: int, **changes: Any) -> Manifest:
    launches = list(manifest().launches)
    launches[number] = replace(launches[number], **changes)
    return manifest(launches=tuple(launches))
