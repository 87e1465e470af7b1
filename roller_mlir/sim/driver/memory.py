# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of a simulated device: a file without a name that the program and its simulator map at the same address.

What is allocated is filled with bits that are NaN in each float type, so that what nobody writes shows. Between pieces
there is a gap, and what is given back is gone: whoever goes beyond a piece, or uses one too late, is told so.
"""

import ctypes
import os
from bisect import bisect_right, insort
from typing import Any

import numpy as np

START = 0x2000_0000_0000
"""Where it is mapped; as in device.h."""
_POISON = 0xFF
_ALIGNMENT_BYTES = _GAP_BYTES = 256
_PAGE_BYTES = 4096
_PROTECTION = 1 | 2  # PROT_READ, PROT_WRITE
_SHARED, _NO_RESERVE, _THERE_OR_NOWHERE = 0x01, 0x4000, 0x100000  # MAP_SHARED, MAP_NORESERVE, MAP_FIXED_NOREPLACE
_REMOVE = 9  # MADV_REMOVE


class MappedMemory:
    """Pieces of the memory of one device.

    Attributes:
        file: Descriptor of the file.
        size_bytes: Of all of it.
    """

    def __init__(self, size_bytes: int) -> None:
        """Make and map it.

        Raises:
            MemoryError: Its place in the address space is taken.
        """
        self.size_bytes = size_bytes
        self.file = os.memfd_create("roller-simulated-device")
        os.ftruncate(self.file, size_bytes)
        self._system: Any = ctypes.CDLL(None, use_errno=True)
        self._system.mmap.restype = ctypes.c_void_p
        flags = _SHARED | _NO_RESERVE | _THERE_OR_NOWHERE
        at = self._system.mmap(
            ctypes.c_void_p(START), ctypes.c_size_t(size_bytes), _PROTECTION, flags, self.file, ctypes.c_long(0)
        )
        if at != START:
            raise MemoryError(f"the simulated device's memory must lie at {START:#x}, which is taken")
        self._starts: list[int] = []
        self._sizes: dict[int, int] = {}

    def allocate(self, size_bytes: int) -> int | None:
        """Return the address of a piece, a multiple of 256; None: there is no room."""
        at = START
        for start in self._starts:
            if start - at >= size_bytes + _GAP_BYTES:
                break
            at = _next(start + self._sizes[start])
        if at + size_bytes > START + self.size_bytes:
            return None
        insort(self._starts, at)
        self._sizes[at] = size_bytes
        self.view(at, size_bytes)[...] = _POISON
        return at

    def free(self, address: int) -> bool:
        """Give a piece back; False: there is none at that address."""
        size = self._sizes.pop(address, None)
        if size is None:
            return False
        self._starts.remove(address)
        first, end = -(-address // _PAGE_BYTES) * _PAGE_BYTES, (address + size) // _PAGE_BYTES * _PAGE_BYTES
        if end > first:
            self._system.madvise(ctypes.c_void_p(first), ctypes.c_size_t(end - first), _REMOVE)
        return True

    def fault(self, address: int, size_bytes: int) -> str:
        """Say why a range lies in no piece; "" where it does."""
        number = bisect_right(self._starts, address) - 1
        if number < 0:
            return f"{size_bytes} B at {address:#x} are not in memory that is allocated"
        start = self._starts[number]
        end = start + self._sizes[start]
        if address + size_bytes <= end:
            return ""
        return f"{size_bytes} B at {address:#x} go beyond the {end - start} B that are allocated at {start:#x}"

    def left(self, address: int) -> int:
        """Return the bytes from an address to the end of its piece; 0 where it is in none."""
        number = bisect_right(self._starts, address) - 1
        start = self._starts[number] if number >= 0 else 0
        return max(0, start + self._sizes.get(start, 0) - address)

    def view(self, address: int, size_bytes: int) -> "np.ndarray[Any, np.dtype[np.uint8]]":
        """Return bytes of the memory as an array."""
        return np.frombuffer(memoryview((ctypes.c_uint8 * size_bytes).from_address(address)), np.uint8)


def _next(end: int) -> int:
    """Return where a piece may begin behind another."""
    return -(-(end + _GAP_BYTES) // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES
