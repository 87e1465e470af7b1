# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ONNX Runtime gives for a model. It shares no code with the import, whose mistakes it finds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.importers.imported import refuse
from roller_mlir.support.foreign.reasons import reason_of


def runtime_results(path: Path, inputs: "Sequence[np.ndarray[Any, Any]]") -> "list[np.ndarray[Any, Any]]":
    """Return the results of a model, unsigned integers as signed ones of the same bits.

    Args:
        path: The model.
        inputs: An array for each of its inputs, in order; unsigned integers as signed ones of the same bits.

    Raises:
        DiagnosedError: The package onnxruntime is not installed, or it does not take the model or these inputs.
    """
    try:
        import onnxruntime
    except ImportError:
        refuse(str(path), "is a model to compare with, which needs the package onnxruntime: pip install onnxruntime")
    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - ONNX Runtime's errors have no other class above them
        refuse(str(path), f"is not run by ONNX Runtime: {reason_of(error)}")
    wanted = session.get_inputs()
    if len(wanted) != len(inputs):
        refuse(str(path), f"has {len(wanted)} inputs, but what is compared with it has {len(inputs)}")
    arrays = {
        one.name: array.view(f"u{array.dtype.itemsize}") if one.type.startswith("tensor(uint") else array
        for one, array in zip(wanted, inputs, strict=True)
    }
    try:
        found = [np.asarray(one) for one in session.run(None, arrays)]
    except Exception as error:  # noqa: BLE001 - as above: inputs of other types or shapes
        refuse(str(path), f"is not run by ONNX Runtime: {reason_of(error)}")
    return [one.view(f"i{one.dtype.itemsize}") if one.dtype.kind == "u" else one for one in found]
