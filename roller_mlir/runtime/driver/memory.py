# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of a device: a caching allocator in the order of streams, and arrays that it holds.

Memory that comes back is given again only to the stream that used it, behind whose work the new use is queued; so
nothing waits. Memory that may be in use on other streams (given to them through DLPack, or through the CUDA array
interface, which does not say to whom) is set aside until there is too much of it; then it goes back to the driver,
which waits for all streams.
"""

from collections import deque
from math import prod
from threading import RLock
from typing import Any

import numpy as np

from roller_mlir.plan.expression import ELEMENT_BYTES
from roller_mlir.runtime.arguments import dlpack
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.driver.interface import Driver
from roller_mlir.runtime.errors import BackendError

ALIGNMENT_BYTES = 256
"""What the address of every piece is a multiple of."""
DEFAULT_CACHE_BYTES = 1 << 30

_SMALL_BYTES, _SMALL_STEP, _LARGE_STEP = 1 << 20, 512, 2 << 20


def rounded(size_bytes: int) -> int:
    """Return how much is taken for so many bytes, so that pieces of about one size serve each other.

    >>> rounded(1), rounded(513), rounded((1 << 20) + 1)
    (512, 1024, 2097152)
    """
    step = _SMALL_STEP if size_bytes <= _SMALL_BYTES else _LARGE_STEP
    return max(1, -(-size_bytes // step)) * step


class DeviceMemory:
    """Memory of the device; it goes back to its allocator when nobody has it any more.

    Attributes:
        address: Where it begins.
        size_bytes: How much it is.
        stream: On which it is used.
        shared: Whether other streams may use it.
    """

    __slots__ = ("_allocator", "address", "shared", "size_bytes", "stream")

    def __init__(self, allocator: "CachingAllocator", address: int, size_bytes: int, stream: int) -> None:
        """Hold memory."""
        self._allocator, self.address, self.size_bytes, self.stream = allocator, address, size_bytes, stream
        self.shared = False

    def __del__(self) -> None:
        """Give it back; only noted here, as this may run at any point of the allocator's own work."""
        self._allocator.returned.append((self.address, self.size_bytes, self.stream, self.shared))


class CachingAllocator:
    """Memory of one device."""

    def __init__(self, driver: Driver, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        """Begin with nothing.

        Args:
            driver: The device.
            cache_bytes: How much unused memory is kept at most.
        """
        if cache_bytes < 0:
            raise ValueError(f"cache_bytes must be at least 0, but got {cache_bytes}")
        self._driver, self._limit_bytes = driver, cache_bytes
        self._lock = RLock()
        self._free: dict[tuple[int, int], list[int]] = {}
        self.returned: deque[tuple[int, int, int, bool]] = deque()
        self._aside: list[tuple[int, int]] = []
        self.cached_bytes = 0

    def allocate(self, size_bytes: int, stream: int) -> DeviceMemory:
        """Return uninitialised memory for use on a stream, which must not be capturing.

        Raises:
            BackendError: There is not so much.
        """
        wanted = rounded(size_bytes)
        with self._lock:
            self._collect()
            pieces = self._free.get((stream, wanted))
            if pieces:
                self.cached_bytes -= wanted
                return DeviceMemory(self, pieces.pop(), wanted, stream)
            address = self._driver.allocate(wanted)
            if address is None and (self.cached_bytes or self._aside):
                self.trim()
                address = self._driver.allocate(wanted)
            if address is None:
                raise BackendError(
                    f"{self._driver.label}: device {self._driver.ordinal} has no {wanted} B left for this run; "
                    "free arrays, or run smaller parts"
                )
            return DeviceMemory(self, address, wanted, stream)

    def trim(self, keep_bytes: int = 0) -> None:
        """Give unused memory back to the driver until at most so much is kept.

        What other streams may have used goes first, then the largest pieces.
        """
        with self._lock:
            self._take_back()
            while self._aside and self.cached_bytes > keep_bytes:
                address, size_bytes = self._aside.pop()
                self._driver.free(address)
                self.cached_bytes -= size_bytes
            for key in sorted(self._free, key=lambda one: -one[1]):
                pieces = self._free[key]
                while pieces and self.cached_bytes > keep_bytes:
                    self._driver.free(pieces.pop())
                    self.cached_bytes -= key[1]

    def _collect(self) -> None:
        """Take what came back into the cache, and keep that within its limit."""
        self._take_back()
        if self.cached_bytes > self._limit_bytes:
            self.trim(self._limit_bytes)

    def _take_back(self) -> None:
        while self.returned:
            address, size_bytes, stream, shared = self.returned.popleft()
            if shared:
                self._aside.append((address, size_bytes))
            else:
                self._free.setdefault((stream, size_bytes), []).append(address)
            self.cached_bytes += size_bytes


class DeviceArray:
    """A dense array on a device, as programs return it.

    Other libraries take it without a copy: `torch.from_dlpack(array)`, `cupy.from_dlpack(array)`,
    `jax.dlpack.from_dlpack(array)`; `numpy()` copies it to the host.
    """

    def __init__(self, driver: Driver, piece: DeviceMemory, shape: tuple[int, ...], element_type: str) -> None:
        """Hold memory whose content the piece's stream writes."""
        self._driver, self._piece = driver, piece
        self.shape, self.element_type = shape, element_type

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"DeviceArray({shape}{'x' * bool(shape)}{self.element_type} on {self._driver.label} {self.address:#x})"

    @property
    def address(self) -> int:
        """Of the first element."""
        return self._piece.address

    def use_on(self, stream: int) -> int:
        """Note that a stream will use it; returns the stream that this one must wait for."""
        if stream != self._piece.stream:
            self._piece.shared = True
        return self._piece.stream

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy on the host, after all that was queued before."""
        host = np.empty(self.shape, NUMPY_TYPES[self.element_type])
        if host.nbytes:
            with self._driver.current():
                self._driver.download(int(host.ctypes.data), self.address, host.nbytes, self._piece.stream)
                self._driver.synchronize(self._piece.stream)
        return host

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's device type and the device's number."""
        return self._driver.memory_kinds[0], self._driver.ordinal

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Give the memory to another library, for use on a stream that waits here for what writes it.

        Raises:
            BufferError: It is wanted as a copy, or on another device.
        """
        if copy:
            raise BufferError("a DeviceArray is given without a copy; copy it where it arrives")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"a DeviceArray is given on its own device {self.__dlpack_device__()}, not {dl_device}")
        if stream != -1:
            consumer = 0 if stream is None or stream == self._driver.legacy_stream else int(stream)
            if consumer != self._piece.stream:
                self._piece.shared = True
                with self._driver.current():
                    self._driver.wait(consumer, self._piece.stream)
        else:
            self._piece.shared = True
        versioned = max_version is not None and max_version[0] >= 1
        return dlpack.make(
            self._piece, self.address, self.shape, self.element_type, self.__dlpack_device__(), versioned=versioned
        )

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """CUDA array interface, version 3; bf16 is given as its 16 bits."""
        self._piece.shared = True
        stream = self._piece.stream or self._driver.legacy_stream or None
        size = prod(self.shape) * ELEMENT_BYTES[self.element_type]
        return {
            "shape": self.shape,
            "typestr": NUMPY_TYPES[self.element_type].str,
            "data": (self.address if size else 0, False),
            "version": 3,
            "strides": None,
            "stream": stream,
        }
