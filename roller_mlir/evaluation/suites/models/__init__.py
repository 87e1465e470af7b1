# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of several papers as linalg, with weights, and what numpy gives for them: `rammer6` and a step of decoding."""

from roller_mlir.evaluation.suites.models.models import MODELS, RAMMER6, Model, make_model, reference

__all__ = ["MODELS", "RAMMER6", "Model", "make_model", "reference"]
