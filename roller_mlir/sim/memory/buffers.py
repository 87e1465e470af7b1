# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernel arguments: checks arrays against the kernel's signature and gives them GPU-like alignment.

GPU allocations start at multiples of 256 bytes, and kernels rely on it. An array that does not is copied to an aligned
place before the launch and back after it; arrays that are the same memory stay the same memory.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from roller_mlir.sim.gpu.kernel_ir import KernelParameter
from roller_mlir.sim.hopper.tensor_maps import MapSpec

ALIGNMENT_BYTES = 256
UNTYPED = "ptr"
"""Element type of a parameter that takes any array: a pointer of LLVM IR."""

_DTYPES = {
    "f64": ("float64",),
    "f32": ("float32",),
    "f16": ("float16",),
    "bf16": ("uint16", "bfloat16"),
    "i64": ("int64", "uint64"),
    "i32": ("int32", "uint32"),
    "i16": ("int16", "uint16"),
    "i8": ("int8", "uint8"),
    "i1": ("bool",),
    "index": ("int64", "uint64"),
}
_SCALARS = {"f64": "<f8", "f32": "<f4", "f16": "<f2"}


def aligned_empty(size_bytes: int) -> np.ndarray[Any, Any]:
    """Return bytes that start at a multiple of ALIGNMENT_BYTES."""
    memory = np.empty(size_bytes + ALIGNMENT_BYTES, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT_BYTES
    return memory[start : start + size_bytes]


class Arguments:
    """The arguments of one launch.

    Attributes:
        values: One 64-bit slot an argument: an address, or a scalar's bits.
        ranges: First address and end of every array.
        region_address: Where one piece of memory starts that holds all arrays; 0 where they lie anywhere.
        region_bytes: Its size.
        spans: Of each array its start in the region, and its bytes.
        map_addresses: Of the tensor maps made here.
        described_maps: `DescribedMaps` of those that the kernel makes; None where it says nothing of such.
    """

    def __init__(
        self,
        kernel: str,
        parameters: Sequence[KernelParameter],
        given: Sequence[Any],
        *,
        in_region: bool = False,
        in_place: bool = False,
    ) -> None:
        """Check and place the arguments.

        Args:
            kernel: Name of the kernel.
            parameters: Its parameters.
            given: Arrays for memrefs, numbers for scalars.
            in_region: Whether all arrays are placed in one piece of memory, with gaps between them.
            in_place: Whether arrays stay where they are, aligned or not, and may overlap.

        Raises:
            ValueError: Their number, shape, type or memory does not fit the kernel.
        """
        buffers = [parameter for parameter in parameters if parameter.tensor_map is None]
        if len(given) != len(buffers):
            raise ValueError(f"kernel '{kernel}' takes {len(buffers)} arguments, but got {len(given)}")
        self.values = np.zeros(max(1, len(parameters)), np.int64)
        ranges: list[tuple[int, int]] = []
        self._copies: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self._seen: list[tuple[int, int, str]] = []
        self._in_place = in_place
        self.region_address, self.region_bytes = 0, 0
        self.spans: list[tuple[int, int]] = []
        region: np.ndarray[Any, Any] | None = None
        if in_region:
            sizes = [value.nbytes for value in given if isinstance(value, np.ndarray)]
            self.region_bytes = sum(-(-size // ALIGNMENT_BYTES) + 1 for size in sizes) * ALIGNMENT_BYTES
            region = aligned_empty(self.region_bytes)
            self.region_address = int(region.ctypes.data)
        sizes_bytes: dict[int, int] = {}
        places = [number for number, parameter in enumerate(parameters) if parameter.tensor_map is None]
        for number, parameter, value in zip(places, buffers, given, strict=True):
            subject = f"argument {number} of kernel '{kernel}'"
            if parameter.shape is None:
                self.values[number] = _scalar_bits(subject, parameter.element_type, value)
                continue
            _check_array(subject, parameter, value)
            self._check_overlap(subject, value)
            placed = self._place(value, region)
            if region is not None:
                self.spans.append((placed.ctypes.data - self.region_address, placed.nbytes))
            self.values[number] = placed.ctypes.data
            sizes_bytes[number] = placed.nbytes
            ranges.append((placed.ctypes.data, placed.ctypes.data + placed.nbytes))
        self.ranges = np.array(ranges or [(0, 0)], np.int64)
        self._maps: list[np.ndarray[Any, Any]] = []
        self.map_addresses: list[int] = []
        self.described_maps: np.ndarray[Any, Any] | None = None
        for number, parameter in enumerate(parameters):
            if parameter.tensor_map is not None:
                self.values[number] = self._make_map(kernel, number, parameter.tensor_map, sizes_bytes)
            elif parameter.made_maps:
                first, specs = int(self.values[number]), parameter.made_maps
                starts = [int(self.values[one.plain.argument]) + one.plain.offset_bytes for one in specs]
                fields = [one for spec, start in zip(specs, starts, strict=True) for one in spec.fields(start)]
                end = first + sizes_bytes[number]
                self.described_maps = np.array([first, end, len(specs), *fields], np.int64)

    def _make_map(self, kernel: str, number: int, spec: MapSpec, sizes_bytes: dict[int, int]) -> int:
        """Make the tensor map of an argument; return its address."""
        size = sizes_bytes.get(spec.plain.argument)
        if size is None or spec.end_bytes > size:
            raise ValueError(
                f"the tensor map that is argument {number} of kernel '{kernel}' must lie in array argument "
                f"{spec.plain.argument}, but ends at byte {spec.end_bytes} of {size or 0}"
            )
        record = spec.record(int(self.values[spec.plain.argument]) + spec.plain.offset_bytes)
        self._maps.append(record)
        self.map_addresses.append(int(record.ctypes.data))
        return self.map_addresses[-1]

    def _check_overlap(self, subject: str, array: np.ndarray[Any, Any]) -> None:
        start, end = array.ctypes.data, array.ctypes.data + array.nbytes
        for first, last, other in () if self._in_place else self._seen:
            if (first, last) != (start, end) and start < last and first < end:
                raise ValueError(
                    f"{subject} must share all of its memory with another argument or none, "
                    f"but overlaps a part of {other}"
                )
        self._seen.append((start, end, subject))

    def _place(self, array: np.ndarray[Any, Any], region: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any]:
        placed = self._in_place or array.ctypes.data % ALIGNMENT_BYTES == 0 or not array.nbytes
        if region is None and placed:
            return array
        for original, copy in self._copies:
            if original.ctypes.data == array.ctypes.data and original.nbytes == array.nbytes:
                return copy
        if region is None:
            copy = aligned_empty(array.nbytes)
        else:
            start = sum(-(-copy.nbytes // ALIGNMENT_BYTES) + 1 for _, copy in self._copies) * ALIGNMENT_BYTES
            copy = region[start : start + array.nbytes]
        copy[:] = array.reshape(-1).view(np.uint8)
        self._copies.append((array, copy))
        return copy

    def copy_back(self) -> None:
        """Write what the kernel left in copies to the caller's arrays."""
        for array, copy in self._copies:
            array.reshape(-1).view(np.uint8)[:] = copy


def _scalar_bits(subject: str, element_type: str, value: Any) -> int:
    try:
        if element_type in _SCALARS:
            raw = np.array(value, _SCALARS[element_type]).tobytes()
        elif element_type == "bf16":
            raw = np.array(value, "<f4").tobytes()[2:]
        else:
            raw = (int(value) & (2**64 - 1)).to_bytes(8, "little")
    except (TypeError, ValueError):
        raise ValueError(f"{subject} must be a scalar {element_type}, but got {type(value).__name__}") from None
    return int.from_bytes(raw.ljust(8, b"\0"), "little", signed=True)


def _check_array(subject: str, parameter: KernelParameter, array: Any) -> None:
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{subject} must be a numpy array, but got {type(array).__name__}")
    allowed, shape = _DTYPES.get(parameter.element_type), parameter.shape
    if parameter.element_type == UNTYPED:
        allowed, shape = (array.dtype.name,), array.shape
    if allowed is None:
        raise ValueError(
            f"{subject} must have an element type of {', '.join(_DTYPES)}, but has {parameter.element_type}"
        )
    if array.dtype.name not in allowed or not array.dtype.isnative:
        raise ValueError(f"{subject} must have dtype {allowed[0]}, but got {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"{subject} must have shape {shape}, but got {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{subject} must be C-contiguous, but got strides {array.strides}; pass a contiguous copy")
    if not array.flags.writeable:
        raise ValueError(f"{subject} must be writeable, but got a read-only array; pass a copy")
