# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR element types as numpy types; bf16, which numpy has not, travels as its 16 bits."""

from typing import Any

import numpy as np

NUMPY_TYPES: dict[str, np.dtype[Any]] = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(np.uint16),
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "i1": np.dtype(np.bool_),
}
