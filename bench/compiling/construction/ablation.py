# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Alignment rules switched on one by one, as in ROLLER Table 3: predicted times, and counted transactions."""

from collections.abc import Sequence
from math import exp, log
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.evaluation.suites import Operator, function_text
from roller_mlir.hal import find_device
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.model.search.alignment import RULES
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.runtime.errors import ArgumentError, BackendError
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError

ORDER = ("memory-transaction", "execution-unit", "tensor-shape", "memory-bank")
SETTINGS: dict[str, tuple[str, ...]] = {
    "none" if not count else f"+ {ORDER[count - 1]}": tuple(rule for rule in RULES if rule not in ORDER[:count])
    for count in range(len(ORDER) + 1)
}
"""Names of settings, with the rules that each leaves out."""

COUNTED: tuple[Operator, ...] = (
    Operator("matmul 250x250x130", "matmul", "f32", {"M": 250, "N": 250, "K": 130}),
    Operator(
        "conv2d 3x3, 6 to 20 channels of 15x15",
        "conv2d",
        "f32",
        {"N": 1, "C": 6, "H": 15, "W": 15, "F": 20, "KH": 3, "KW": 3}
        | {"stride": 1, "dilation": 1, "pad_h": 2, "pad_w": 2, "OH": 15, "OW": 15},
    ),
    Operator(
        "depthwise 5x5 stride 2, 10 channels of 29x29",
        "depthwise_conv2d",
        "f32",
        {"N": 2, "C": 10, "H": 29, "W": 29, "F": 10, "KH": 5, "KW": 5}
        | {"stride": 2, "dilation": 1, "pad_h": 4, "pad_w": 4, "OH": 15, "OW": 15},
    ),
    Operator("row sum 250x130", "reduce_sum", "f32", {"M": 250, "K": 130}, shape=(250, 130), axes=(1,)),
    Operator("relu 250x130", "relu", "f32", {"M": 250 * 130}, shape=(250, 130)),
)
"""Operators that the simulator runs in seconds; none of their extents is a whole number of transactions."""

REFUSALS = (ConstructionError, DiagnosedError, ArgumentError, BackendError)


def predicted(
    operators: Sequence[Operator], expressions: dict[str, TensorExpression], target: str
) -> dict[str, dict[str, Any]]:
    """Return per setting and operator the predicted seconds of the first choice, or the text of a refusal."""
    device = find_device(target)
    result: dict[str, dict[str, Any]] = {}
    for name, disabled in SETTINGS.items():
        found: dict[str, Any] = {}
        for operator in operators:
            try:
                plan = construct(expressions[operator.id], device, ConstructOptions(disabled_rules=disabled))[0]
            except ConstructionError as error:
                found[operator.id] = str(error)
                continue
            assert plan.prediction is not None, "construction predicts"
            found[operator.id] = plan.prediction.seconds
        result[name] = found
    return result


def gains(operators: Sequence[Operator], found: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return per class (and "all") and setting: predicted time without rules over that with them, geometric mean.

    An operator that any setting refuses is left out of all, so that the settings are means over the same operators;
    `operators` says how many are in.
    """
    usable = [one for one in operators if all(isinstance(times[one.id], float) for times in found.values())]
    result: dict[str, dict[str, Any]] = {}
    for kind in (*dict.fromkeys(one.kind for one in operators), "all"):
        members = [one.id for one in usable if kind in (one.kind, "all")]
        if members:
            result[kind] = {"operators": len(members)} | {
                name: exp(sum(log(found["none"][one] / times[one]) for one in members) / len(members))
                for name, times in found.items()
            }
    return result


def counted(target: str, operators: Sequence[Operator] = COUNTED) -> list[dict[str, Any]]:
    """Compile and execute small operators with each setting, and count in the simulator.

    Returns:
        Objects of `operator`, `setting`, `tile`, `matches` (whether the result is numpy's), and `sectors` (global loads
        and stores) and `phases` (passes through workgroup memory) of all kernels together, or `error`.
    """
    result: list[dict[str, Any]] = []
    for operator in operators:
        for name, disabled in SETTINGS.items():
            record: dict[str, Any] = {"operator": operator.id, "setting": name}
            try:
                record |= count(function_text(operator), target, disabled)
            except REFUSALS as error:
                record["error"] = str(error)
            result.append(record)
    return result


def count(text: str, target: str, disabled: tuple[str, ...]) -> dict[str, Any]:
    """Return what `counted` says of one compilation."""
    options = CompileOptions(binaries=False, disabled_rules=disabled)
    artifact = compile_source(Source("-", text), target, options)
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 0, "integers")
    result = artifact.run_reported(*inputs, on="sim", count=True)
    with make_context() as context:
        module = parse_source(Source("-", text), context)
        expected = evaluate_function(module, manifest.function, inputs, accumulation_of(manifest))
    compared = compare_all(result.outputs, expected)
    counts = [one for launch in result.launches for one in launch.counts or ()]
    plans = [kernel.plan for kernel in artifact.kernels if kernel.plan is not None]
    return {
        "tile": "; ".join(
            f"{'x'.join(str(axis.block) for axis in plan.axes)}, {plan.threads} threads" for plan in plans
        ),
        "matches": all(one.matches for one in compared),
        "sectors": sum(one.sectors for one in counts if one.space == "global"),
        "phases": sum(one.phases for one in counts if one.space == "workgroup"),
    }
