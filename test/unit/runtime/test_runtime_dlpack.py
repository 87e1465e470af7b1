# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack in both directions, with numpy as the other library: it reads and makes capsules of the host's memory."""

import ctypes
import gc
import weakref
from typing import Any

import numpy as np
import pytest

from roller_mlir.runtime.arguments import dlpack

HOST = (1, 0)


class Memory:
    """Something that owns bytes."""

    def __init__(self, count: int) -> None:
        self.bytes = ctypes.create_string_buffer(count)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.bytes)


class Exporter:
    """Gives a capsule as libraries do."""

    def __init__(self, memory: Memory, shape: tuple[int, ...], element_type: str, versioned: bool) -> None:
        self.arguments: Any = (memory, memory.address, shape, element_type, HOST)
        self.versioned = versioned

    def __dlpack_device__(self) -> tuple[int, int]:
        return HOST

    def __dlpack__(self, **options: Any) -> Any:
        return dlpack.make(*self.arguments, versioned=self.versioned)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, np.int32, np.int16, np.int8, np.bool_])
def test_arrays_of_numpy(dtype: Any) -> None:
    array = np.zeros((3, 4), dtype)
    found = dlpack.read(array, None)
    names = {"float": "f", "int": "i"}
    wanted = "i1" if dtype is np.bool_ else names[array.dtype.name.rstrip("0123456789")] + str(array.dtype.itemsize * 8)
    assert (found.address, found.shape, found.element_type) == (array.ctypes.data, (3, 4), wanted)
    assert found.device == HOST and not found.read_only
    part = dlpack.read(array[1:, ::2], None)
    assert (part.shape, part.strides) == ((2, 2), (4, 2))
    assert part.address == array.ctypes.data + 4 * array.itemsize


def test_what_numpy_says_otherwise() -> None:
    array = np.zeros(4, np.float32)
    array.flags.writeable = False
    assert dlpack.read(array, None).read_only
    assert dlpack.read(np.zeros(4, np.complex64), None).element_type == "complex64"
    assert dlpack.read(np.zeros(4, np.uint8), None).element_type == "u8"
    assert dlpack.read(np.zeros((), np.float32), None).shape == ()


@pytest.mark.parametrize("versioned", [False, True])
def test_numpy_reads_ours_and_gives_it_back(versioned: bool) -> None:
    memory = Memory(24)
    array = np.from_dlpack(Exporter(memory, (2, 3), "f32", versioned))
    assert (array.shape, array.dtype, array.ctypes.data) == ((2, 3), np.float32, memory.address)
    if versioned:  # older capsules cannot say whether they may be written, and numpy takes them as read-only
        array[...] = 1.5
        assert memory.bytes.raw == np.full(6, 1.5, np.float32).tobytes()
    gone = weakref.ref(memory)
    del memory
    gc.collect(1)
    assert gone() is not None  # numpy holds it
    del array
    gc.collect(1)
    assert gone() is None


@pytest.mark.parametrize("versioned", [False, True])
def test_a_capsule_that_nobody_takes_gives_its_memory_back(versioned: bool) -> None:
    memory = Memory(8)
    gone = weakref.ref(memory)
    capsule = dlpack.make(memory, memory.address, (2,), "f32", HOST, versioned=versioned)
    del memory
    assert gone() is not None
    del capsule
    gc.collect(1)
    assert gone() is None


def test_reading_leaves_the_tensor_to_its_capsule() -> None:
    memory = Memory(8)
    gone = weakref.ref(memory)
    found = dlpack.read(Exporter(memory, (2,), "f32", True), None)
    del memory
    gc.collect(1)
    assert gone() is not None and found.shape == (2,)
    del found
    gc.collect(1)
    assert gone() is None


def test_other_versions_are_refused() -> None:
    memory = Memory(8)
    capsule = dlpack.make(memory, memory.address, (2,), "f32", HOST, versioned=True)
    address = next(place for place, kept in dlpack._exports.items() if kept[-1] is memory)
    ctypes.c_uint32.from_address(address).value = 2

    class Newer(Exporter):
        def __dlpack__(self, **options: Any) -> Any:
            return capsule

    with pytest.raises(BufferError, match="it speaks DLPack 2.0; this release reads 1.x"):
        dlpack.read(Newer(memory, (2,), "f32", True), None)
