# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a caller's array says of itself, whichever library made it; nothing is copied and no library imported.

numpy arrays are in the host's memory. All others are asked through DLPack, which also orders the caller's stream behind
their pending writes, or else through the CUDA array interface, version 2 or 3.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from roller_mlir.plan.expression import ELEMENT_BYTES
from roller_mlir.runtime.arguments import dlpack
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.driver.interface import Driver
from roller_mlir.runtime.driver.memory import DeviceArray
from roller_mlir.runtime.errors import ArgumentError

HOST = 1
"""DLPack's device type of the host."""
_KINDS = {1: "host", 2: "CUDA", 3: "pinned host", 10: "ROCm", 11: "pinned host", 13: "CUDA managed"}
_OF_NUMPY = {dtype.str[1:]: name for name, dtype in NUMPY_TYPES.items() if name != "bf16"} | {"u2": "u16", "V2": "bf16"}


@dataclass(frozen=True, kw_only=True)
class ArrayView:
    """An array as its library describes it.

    Attributes:
        address: Of the first element.
        shape: Extents, outermost first.
        strides: Bytes per dimension; None: dense.
        element_type: MLIR's spelling, or a description of another type.
        device: DLPack's device type and the device's number; None: somewhere on this driver's devices.
        read_only: Whether it must not be written.
        pending: Stream that the caller's must wait for; None: there is none.
        keep: What must live until the launches are queued.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    element_type: str
    device: tuple[int, int] | None
    read_only: bool = False
    pending: int | None = None
    keep: Any = None

    @property
    def size_bytes(self) -> int:
        """Bytes from the first to behind the last element of a dense array."""
        return prod(self.shape) * ELEMENT_BYTES.get(self.element_type, 2)

    @property
    def is_dense(self) -> bool:
        """Whether it is row-major without gaps."""
        if self.strides is None or 0 in self.shape:
            return True
        step = ELEMENT_BYTES.get(self.element_type, 2)
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent != 1 and stride != step:
                return False
            step *= extent
        return True

    @property
    def place(self) -> str:
        """Where it is, in words."""
        if self.device is None:
            return "on a device that the driver does not know"
        kind = _KINDS.get(self.device[0], f"device type {self.device[0]}")
        return f"in {kind} memory" + (f" of device {self.device[1]}" if self.device[0] not in (1, 3, 11) else "")


def describe(subject: str, array: Any, driver: Driver, stream: int) -> ArrayView:
    """Return what an array says.

    Args:
        subject: Of errors.
        array: numpy's, or with `__dlpack__` or `__cuda_array_interface__`.
        driver: Where it will be used.
        stream: The stream of that driver on which it will be.

    Raises:
        ArgumentError: It is no array, or its library does not give it away.
    """
    if isinstance(array, np.ndarray):
        return _of_numpy(array)
    if isinstance(array, DeviceArray):
        return _of_ours(array, stream)
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        return _of_dlpack(subject, array, driver, stream)
    interface = getattr(array, "__cuda_array_interface__", None)
    if isinstance(interface, dict):
        return _of_interface(subject, array, interface, driver)
    kind = type(array).__name__
    raise ArgumentError(
        f"{subject} must be a numpy array or an array with __dlpack__ or __cuda_array_interface__, but got {kind}"
    )


def _of_numpy(array: np.ndarray[Any, Any]) -> ArrayView:
    return ArrayView(
        address=int(array.ctypes.data),
        shape=array.shape,
        strides=array.strides,
        element_type=_OF_NUMPY.get(array.dtype.str[1:], str(array.dtype)) if array.dtype.isnative else array.dtype.str,
        device=(HOST, 0),
        read_only=not array.flags.writeable,
        keep=array,
    )


def _of_ours(array: DeviceArray, stream: int) -> ArrayView:
    return ArrayView(
        address=array.address,
        shape=array.shape,
        strides=None,
        element_type=array.element_type,
        device=array.__dlpack_device__(),
        pending=array.use_on(stream),
        keep=array,
    )


def _of_dlpack(subject: str, array: Any, driver: Driver, stream: int) -> ArrayView:
    kind = int(array.__dlpack_device__()[0])
    try:
        # DLPack numbers CUDA's legacy default stream, 0 of the driver, as 1.
        tensor = dlpack.read(array, stream or driver.legacy_stream if kind in driver.memory_kinds else None)
    except (AssertionError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(f"{subject} does not give its memory away: {error}") from error
    size = ELEMENT_BYTES.get(tensor.element_type, 2)
    return ArrayView(
        address=tensor.address,
        shape=tensor.shape,
        strides=None if tensor.strides is None else tuple(step * size for step in tensor.strides),
        element_type=tensor.element_type,
        device=tensor.device,
        read_only=tensor.read_only,
        keep=tensor.capsule,
    )


def _of_interface(subject: str, array: Any, interface: dict[str, Any], driver: Driver) -> ArrayView:
    try:
        address, read_only = interface["data"]
        address, shape = int(address or 0), tuple(int(extent) for extent in interface["shape"])
        typestr = str(interface["typestr"])
        given: Sequence[int] | None = interface.get("strides")
        strides = None if given is None else tuple(int(stride) for stride in given)
        stream = interface.get("stream")
        pending = None if stream is None else int(stream)
    except (KeyError, TypeError, ValueError) as error:
        raise ArgumentError(f"{subject} has a malformed __cuda_array_interface__: {error}") from error
    if strides is not None and len(strides) != len(shape):
        raise ArgumentError(f"{subject} has a malformed __cuda_array_interface__: {len(strides)} strides")
    place = driver.place_of(address) if address else driver.ordinal
    return ArrayView(
        address=address,
        shape=shape,
        strides=strides,
        element_type=_OF_NUMPY.get(typestr[1:], typestr) if typestr[:1] in "<|" else typestr,
        device=None if place is None else (driver.memory_kinds[0], place),
        read_only=bool(read_only),
        pending=0 if pending == 1 else pending,  # 1 is the legacy default stream, 0 of the driver
        keep=array,
    )


def stream_of(stream: Any, arrays: Sequence[Any], ordinal: int) -> int:
    """Return the caller's stream.

    Args:
        stream: A driver's handle as an integer; an object of torch (`cuda_stream`), cupy (`ptr`) or with
            `__cuda_stream__`; None: the current stream of the library that the first array of torch or cupy is of,
            the default stream where there is none.
        arrays: The arguments of the call.
        ordinal: The device's number.

    Raises:
        ArgumentError: It is no stream.
    """
    if stream is None:
        return _current(arrays, ordinal)
    if isinstance(stream, int) and not isinstance(stream, bool) and stream >= 0:
        return stream
    protocol: Any = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int(protocol()[1])
    for attribute in ("cuda_stream", "ptr"):
        if isinstance(getattr(stream, attribute, None), int):
            return int(getattr(stream, attribute))
    raise ArgumentError(
        f"a stream must be a handle, or an object of torch, cupy or with __cuda_stream__, but got {stream!r}"
    )


def _current(arrays: Sequence[Any], ordinal: int) -> int:
    for array in arrays:
        library = type(array).__module__.split(".")[0]
        module: Any = sys.modules.get(library)
        if library == "torch" and array.is_cuda:
            return int(module.cuda.current_stream(ordinal).cuda_stream)
        if library == "cupy":
            return int(module.cuda.get_current_stream().ptr)
    return 0
