# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps through `cuTensorMapEncodeTiled`, called with ctypes.

The records that cuda-bindings allocates need not be aligned as the driver demands (its CUtensorMap lay at 48 B past a
multiple of 64), and it cannot be told where to write; so the driver's function is called with an address of ours.
"""

import ctypes
from functools import cache
from typing import Any

from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.runtime.errors import BackendError

# CUtensorMapDataType, CUtensorMapSwizzle and the rest as cuda.h 13 numbers them.
DATA_TYPES = {"i8": 0, "f16": 6, "f32": 7, "bf16": 9, "tf32": 11}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
_NO_INTERLEAVE, PROMOTE_128, _FILL_ZEROS = 0, 2, 0


@cache
def _library() -> Any:
    try:
        library = ctypes.CDLL("libcuda.so.1")
        library.cuTensorMapEncodeTiled.restype = ctypes.c_int
    except (OSError, AttributeError) as error:
        raise BackendError(f"CUDA: this driver encodes no tensor maps, which came with CUDA 12: {error}") from error
    return library


def encode(record: int, described: TensorMap, address: int) -> None:
    """Write a tensor map.

    Args:
        record: Where, 128 bytes at a multiple of 128.
        described: The array, its box and its permutation; outermost dimension first.
        address: Of the array.

    Raises:
        BackendError: The driver refuses it.
    """
    rank = len(described.extents)
    longs, words = ctypes.c_uint64 * rank, ctypes.c_uint32 * rank
    code = _library().cuTensorMapEncodeTiled(
        ctypes.c_void_p(record),
        ctypes.c_int(DATA_TYPES[described.element]),
        ctypes.c_uint32(rank),
        ctypes.c_void_p(address),
        longs(*reversed(described.static_extents)),
        (ctypes.c_uint64 * max(rank - 1, 1))(*reversed(described.strides)),
        words(*reversed(described.box)),
        words(*reversed(described.steps)),
        ctypes.c_int(_NO_INTERLEAVE),
        ctypes.c_int(SWIZZLES[described.swizzle]),
        ctypes.c_int(PROMOTE_128),
        ctypes.c_int(_FILL_ZEROS),
    )
    if code:
        raise BackendError(f"CUDA: cuTensorMapEncodeTiled failed with error {code} for {described}")
