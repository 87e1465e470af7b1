# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the kept models: `python -m test.semantics.models.write` where torch, onnx and jax are installed.

data/DOOR_MODEL.mlir is what the importer wrote, untouched; data/DOOR_MODEL.npz holds `input` and `expected`, the
framework's own result in float64 (of the float32 weights).
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from . import import_jax, import_onnx, import_torch, jax_models, torch_models

DATA = Path(__file__).parent / "data"


def _torch_arrays(name: str) -> dict[str, Any]:
    model, example = torch_models.make(name)
    return {"input": example.numpy(), "expected": torch_models.results(model, example).numpy()}


def _onnx_arrays(name: str) -> dict[str, Any]:
    """ONNX's own evaluator computes in float32: it only has to confirm what torch gives."""
    arrays = _torch_arrays(name)
    np.testing.assert_allclose(import_onnx.reference_results(name, arrays["input"]), arrays["expected"], 1e-3, 1e-4)
    return arrays


def _jax_arrays(name: str) -> dict[str, Any]:
    return {"input": jax_models.make(name)[2], "expected": jax_models.results(name)}


DOORS = {
    "torch": (import_torch.text_of, _torch_arrays),
    "onnx": (import_onnx.text_of, _onnx_arrays),
    "jax": (import_jax.text_of, _jax_arrays),
}


def main() -> None:
    """Write every model of every door; each file under a temporary name first."""
    DATA.mkdir(exist_ok=True)
    for door, (text_of, arrays_of) in DOORS.items():
        for name in torch_models.NAMES:
            text, arrays = text_of(name), arrays_of(name)
            partial = DATA / f".{door}_{name}.partial.npz"
            np.savez_compressed(partial, **arrays)
            os.replace(partial, DATA / f"{door}_{name}.npz")
            partial.write_text(text)
            os.replace(partial, DATA / f"{door}_{name}.mlir")
            print(f"{door}_{name}: {len(text)} B")


if __name__ == "__main__":
    main()
