# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of numpy, of torch and of the runtime, as checks and peers need them; torch is imported only where asked for.

numpy has no bf16: there it travels as its 16 bits (uint16), as in `runtime.arguments.element_types`.
"""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from roller_mlir.plan.accuracy.rounding import EPSILON
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES

_OF_TORCH = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "bool": "i1"} | {
    f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)
}
_TO_TORCH = {element: name for name, element in _OF_TORCH.items()}
_OF_NUMPY = {dtype: element for element, dtype in NUMPY_TYPES.items()}


@cache
def import_torch() -> Any | None:
    """Return torch, None where it cannot be imported."""
    try:
        return import_module("torch")
    except (ImportError, OSError):  # OSError: a library of the vendor's is missing or of another release
        return None


def is_torch(array: Any) -> bool:
    """Return whether an array is a tensor of torch."""
    return type(array).__module__.partition(".")[0] == "torch" and hasattr(array, "is_cuda")


def is_float(element_type: str) -> bool:
    """Return whether an element type is a float."""
    return element_type in EPSILON


def element_type_of(array: Any) -> str:
    """Return an array's element type in MLIR's spelling.

    Raises:
        ValueError: The runtime has no such type.
    """
    if hasattr(array, "element_type"):  # the runtime's own arrays
        return str(array.element_type)
    name = str(array.dtype).removeprefix("torch.") if is_torch(array) else ""
    found = _OF_TORCH.get(name) if name else _OF_NUMPY.get(array.dtype)
    if found is None:
        raise ValueError(f"arrays are of {', '.join(NUMPY_TYPES)}, but got one of {array.dtype}")
    return found


def torch_type(torch: Any, element_type: str) -> Any:
    """Return torch's name of an element type."""
    return getattr(torch, _TO_TORCH[element_type])


def to_torch(torch: Any, array: Any, device: Any = None) -> Any:
    """Return an array as a tensor, without a copy where it is on the device already."""
    if not is_torch(array) and str(device) == "cpu":
        array = to_numpy(array)  # torch without support of the device cannot take it from there
    if isinstance(array, np.ndarray):
        host: np.ndarray[Any, Any] = np.ascontiguousarray(array).reshape(array.shape)
        if host.dtype == np.uint16:
            tensor = torch.from_numpy(host.view(np.int16)).view(torch.bfloat16)
        else:
            tensor = torch.from_numpy(host)
    else:
        tensor = array if is_torch(array) else torch.from_dlpack(array)
    return tensor if device is None else tensor.to(device)


def to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """Return an array on the host."""
    if isinstance(array, np.ndarray):
        return array
    if is_torch(array):
        torch = import_torch()
        assert torch is not None
        host = array.detach().cpu().contiguous()
        if host.dtype == torch.bfloat16:
            return host.view(torch.int16).numpy().view(np.uint16)
        return host.numpy()
    return array.numpy()
