# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One of ONNX's operator tests in a process of its own: imported, compiled, run in the simulator, compared."""

import re
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.onnx import import_model
from roller_mlir.runtime.errors import BackendError
from roller_mlir.support.diagnostics import DiagnosedError

ENTRY = "job:run"
_OPTIONS = CompileOptions(binaries=False, cache=False)
_MOST_CONSTANT = 64
"""Elements of an input that may be a shape, axes or a bound: where the model cannot be compiled, it is a constant."""


@dataclass(frozen=True)
class Job:
    """What to run.

    Attributes:
        model: The model, serialized.
        inputs: Its inputs.
        expected: Its outputs.
        target: The device.
        rtol: Permitted relative error; of floats two units in the last place are, too.
        atol: Permitted absolute error.
    """

    model: bytes
    inputs: tuple[np.ndarray[Any, Any], ...]
    expected: tuple[np.ndarray[Any, Any], ...]
    target: str
    rtol: float
    atol: float


@dataclass(frozen=True)
class Outcome:
    """What became of it.

    Attributes:
        status: "passed", "constants" (passed, with small integer inputs as constants), "refused", "wrong", "fault" (the
            simulator's), "internal" (an exception of ours), "crash", "hang".
        message: Why, where it did not pass.
    """

    status: str
    message: str = ""

    @property
    def signature(self) -> str:
        """The message without names, places and numbers, so that like ones count together."""
        text = re.sub(r"^.*?error: |'[^']*\.onnx'|tensor<[^>]*>", "", self.message.split("\n")[0])
        text = re.sub(r"Inference error.*node name: [^)]*\)", "shape inference", text)
        return re.sub(r"-?\d+(\.\d+)?", "N", text).strip()[:140]


def run(job: Job) -> Outcome:
    """Try a model as it is, and where it is refused with its small integer inputs as constants."""
    warnings.simplefilter("ignore")
    first = _tried(job, onnx.load_model_from_string(job.model), job.inputs)
    if first.status != "refused":
        return first
    model = onnx.load_model_from_string(job.model)
    kept: list[np.ndarray[Any, Any]] = []
    for one, array in zip(list(model.graph.input), job.inputs, strict=False):
        if array.dtype.kind in "iu" and array.size <= _MOST_CONSTANT and array.ndim <= 1:
            model.graph.input.remove(one)
            model.graph.initializer.append(onnx.numpy_helper.from_array(array, one.name))
        else:
            kept.append(array)
    if len(kept) == len(job.inputs):
        return first
    second = _tried(job, model, tuple(kept))
    return Outcome("constants") if second.status == "passed" else second


def _tried(job: Job, model: onnx.ModelProto, inputs: tuple[np.ndarray[Any, Any], ...]) -> Outcome:
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            onnx.save(model, path)
            artifact = roller_mlir.compile(import_model(path), target=job.target, options=_OPTIONS)
        found = artifact.run(*(_as_taken(one) for one in inputs))
    except DiagnosedError as error:
        return Outcome("refused", str(error))
    except BackendError as error:
        return Outcome("fault", str(error))
    except Exception as error:  # noqa: BLE001 - these are what is looked for
        return Outcome("internal", f"{type(error).__name__}: {error}")
    for number, (ours, wanted) in enumerate(zip(found, job.expected, strict=True)):
        wanted = _as_taken(wanted)
        if ours.shape != wanted.shape or ours.dtype != wanted.dtype:
            return Outcome("wrong", f"output is {ours.dtype}{ours.shape}, must be {wanted.dtype}{wanted.shape}")
        rtol = max(job.rtol, 2 * np.finfo(wanted.dtype).eps) if wanted.dtype.kind == "f" else job.rtol
        if not np.allclose(ours, wanted, rtol, job.atol, equal_nan=True):
            return Outcome("wrong", f"output {number} differs in values")
    return Outcome("passed")


def _as_taken(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array as an artifact takes it: signless, dense."""
    array = np.ascontiguousarray(array).reshape(np.shape(array))
    return array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "u" else array
