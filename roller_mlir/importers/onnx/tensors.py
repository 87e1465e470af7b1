# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initializers of an ONNX graph as arrays: those in files of their own are mapped, not read."""

from pathlib import Path
from typing import Any

import numpy as np


def map_weights(graph: Any, folder: Path, least_bytes: int) -> dict[str, np.ndarray[Any, Any]]:
    """Map large initializers that lie in files of their own; the graph holds them without data then.

    Raises:
        OSError, ValueError, onnx.checker.ValidationError: A file cannot be read, or lies elsewhere.
    """
    from onnx.external_data_helper import ExternalDataInfo, load_external_data_for_tensor, uses_external_data

    mapped: dict[str, np.ndarray[Any, Any]] = {}
    for tensor in graph.initializer:
        size = tensor_bytes(tensor) if uses_external_data(tensor) else 0
        information = ExternalDataInfo(tensor) if size >= least_bytes else None
        if information is None or information.length not in (None, size):  # types of less than a byte are packed
            continue
        _set_length(tensor, 1)
        load_external_data_for_tensor(tensor, str(folder))  # which looks at where the file lies
        tensor.ClearField("raw_data")
        file, start = folder / information.location, information.offset or 0
        if (held := file.stat().st_size - start) < size:
            raise ValueError(f"weight '{tensor.name}' has {size} B, but '{information.location}' holds {held} B of it")
        mapped[tensor.name] = (
            np.memmap(file, np.uint8, "r", start, (size,)).view(element_kind(tensor)).reshape(tensor.dims)
        )
    return mapped


def _set_length(tensor: Any, length: int) -> None:
    kept = [(one.key, one.value) for one in tensor.external_data if one.key not in ("length", "checksum")]
    del tensor.external_data[:]
    for key, value in (*kept, ("length", str(length))):
        tensor.external_data.add(key=key, value=value)


def tensor_bytes(tensor: Any) -> int:
    """Return the bytes of a tensor's elements; 0 for strings, which are no weights.

    Raises:
        ValueError: It has no type of elements that ONNX knows.
    """
    import onnx

    if tensor.data_type == onnx.TensorProto.STRING:
        return 0
    if tensor.data_type not in onnx.TensorProto.DataType.values()[1:]:
        raise ValueError(f"{tensor.data_type} is no type of elements")
    return int(np.prod(tensor.dims, dtype=np.int64)) * onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize


def element_kind(tensor: Any) -> Any:
    """Return the type of elements in numpy; of bf16 that of its 16 bits."""
    import onnx

    if tensor.data_type == onnx.TensorProto.BFLOAT16:
        return np.uint16
    return onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)


def tensor_data(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the elements of a tensor without a copy where they are stored as bytes; bf16 as its 16 bits.

    Raises:
        ValueError: The tensor holds more or fewer than its shape says.
    """
    import onnx

    return onnx.numpy_helper.to_array(tensor).view(element_kind(tensor))


def small_tensor(tensor: Any) -> Any:
    """Return a small tensor as numbers where the importer reads these: as such it is a constant that passes see.

    Raises:
        ValueError: The tensor holds more or fewer than its shape says.
    """
    import onnx

    kinds = onnx.TensorProto
    if tensor.data_type not in (kinds.FLOAT, kinds.INT64, kinds.INT32, kinds.BOOL, kinds.DOUBLE):
        return tensor if tensor.HasField("raw_data") else onnx.numpy_helper.from_array(_array(tensor), tensor.name)
    return onnx.helper.make_tensor(tensor.name, tensor.data_type, tensor.dims, _array(tensor).reshape(-1))


def _array(tensor: Any) -> np.ndarray[Any, Any]:
    import onnx

    return onnx.numpy_helper.to_array(tensor)
