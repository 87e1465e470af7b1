# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records that were never measured, for the tests of the tuning data base: of "a device of the tests"."""

from functools import cache
from pathlib import Path
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.tune.candidates import candidates_of
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch, dispatches_of
from roller_mlir.plan.files.tuning import TuningRecord, text_of
from roller_mlir.plan.plan import Plan

EXAMPLES = Path(__file__).parents[4] / "examples"
MATMUL = """func.func @f(%a: tensor<64x96xf32>, %b: tensor<96x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x96xf32>, tensor<96x32xf32>) outs(%i : tensor<64x32xf32>)
    -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
"""
DIVIDED = (EXAMPLES / "matmul.mlir").read_text()
"""Its best plans divide the reduction."""
SIMULATED = CompileOptions(binaries=False)


@cache
def dispatch_of(text: str, target: str = "h200", options: CompileOptions = SIMULATED) -> Dispatch:
    """Return the only dispatch of a text."""
    (dispatch,) = dispatches_of(Source("-", text), target, options)
    return dispatch


@cache
def plans_of(text: str, target: str = "h200", options: CompileOptions = SIMULATED) -> list[Plan]:
    """Return the ranked plans of the only dispatch of a text."""
    dispatch = dispatch_of(text, target, options)
    return [plans[dispatch.name] for plans in candidates_of(dispatch, target, options)]


def record_of(
    text: str, rank: int = 3, target: str = "h200", options: CompileOptions = SIMULATED, **changes: Any
) -> TuningRecord:
    """Return a record of the only dispatch of a text, with the plan of a rank."""
    dispatch = dispatch_of(text, target, options)
    given: dict[str, Any] = {"key": dispatch.key, "device": target, "op": dispatch.title, "rank": rank}
    return record(**{**given, "plan": plans_of(text, target, options)[rank], **changes})


def record(**changes: Any) -> TuningRecord:
    """Return a record."""
    given: dict[str, Any] = {
        "key": "0" * 32,
        "device": "h200",
        "op": "an operator",
        "measured_s": 1.2e-5,
        "p10_s": 1.19e-5,
        "p90_s": 1.25e-5,
        "samples": 20,
        "default_s": 1.4e-5,
        "rank": 3,
        "of": 10,
        "date": "2026-11-21T12:00:00+00:00",
        "machine": "a device of the tests",
        "driver": "0.0",
        "checked": "torch f64",
        "plan": plans_of(MATMUL)[0],
    }
    return TuningRecord(**{**given, **changes})


def data_base(path: Path, *records: TuningRecord) -> Path:
    """Writes a data base."""
    path.write_text(text_of(records))
    return path
