# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ONNX Runtime gives for a model, which shares no code with ours."""

from typing import Any

import numpy as np
import onnx
import onnxruntime


def onnx_results(model: onnx.ModelProto, inputs: dict[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Return the results of a model, in order; its inputs are given by name."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return [np.asarray(one) for one in session.run(None, inputs)]
