# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction timed operator by operator, and what the model says of the first choices."""

import os
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from roller_mlir.evaluation.suites import Operator
from roller_mlir.evaluation.suites.programs.expression import read_operator
from roller_mlir.hal import Device, find_device
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.model.cost.roofline import compulsory_bytes
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.support.bindings import make_context

TOP_K = 10

MATMUL_ROWS = (512, 1024, 2048, 4096, 8192, 16384)
CONV_BATCHES = (128, 256, 512, 1024, 2048, 4096, 8192)
"""Sizes of ROLLER Figures 12 to 14: a matmul of BERT with N 4096 and K 1024, a convolution of ResNet by batch."""

REMEMBERING = ("roller_mlir.model", "roller_mlir.mapping", "roller_mlir.plan")


def one_core() -> None:
    """Keep this process on one core, so that wall and CPU time are of the same."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def forget() -> None:
    """Clear what the construction remembers from one operator to the next."""
    for name, module in list(sys.modules.items()):
        if name.startswith(REMEMBERING):
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if clear is not None:
                    clear()


def read(operators: Iterable[Operator]) -> dict[str, TensorExpression]:
    """Return the tensor expressions of operators by id."""
    with make_context() as context:
        return {one.id: read_operator(one, context) for one in operators}


def timed(expression: TensorExpression, device: Device) -> tuple[list[Plan], float, float]:
    """Return plans, and the seconds of the process and of the clock that they took."""
    wall, cpu = time.perf_counter(), time.process_time()
    plans = construct(expression, device, ConstructOptions(top_k=TOP_K))
    return plans, time.process_time() - cpu, time.perf_counter() - wall


def sweep(
    operators: Sequence[Operator], expressions: dict[str, TensorExpression], target: str, repeat: int
) -> dict[str, Any]:
    """Construct all operators for a device, several times over.

    Args:
        operators: Of a suite.
        expressions: Theirs, by id.
        target: The device's name.
        repeat: Sweeps; what is remembered is forgotten before each, not between the operators of one.

    Returns:
        `operators`: per id its `class`, `programs`, `cpu_s` and `wall_s` (medians over the sweeps), `predicted_s`,
        `saturated`, `share` (of the predicted time that the saturated layer alone would need) and `roof` (the least
        time at the device's rates, for the arithmetic and each tensor moved once, over the predicted one), or `error`.
        `cpu_s` and `wall_s`: of a whole sweep, medians.
    """
    device = find_device(target)
    found: dict[str, dict[str, Any]] = {}
    times: dict[str, list[tuple[float, float]]] = {}
    totals: list[tuple[float, float]] = []
    for number in range(repeat):
        forget()
        wall, cpu = time.perf_counter(), time.process_time()
        for operator in operators:
            try:
                plans, cpu_s, wall_s = timed(expressions[operator.id], device)
            except ConstructionError as error:
                found[operator.id] = {"class": operator.kind, "error": str(error)}
                continue
            times.setdefault(operator.id, []).append((cpu_s, wall_s))
            if number == 0:
                found[operator.id] = {
                    "class": operator.kind,
                    "programs": len(plans),
                    **outcome(expressions[operator.id], plans[0], device),
                }
        totals.append((time.process_time() - cpu, time.perf_counter() - wall))
    for name, pairs in times.items():
        found[name]["cpu_s"], found[name]["wall_s"] = medians(pairs)
    cpu_s, wall_s = medians(totals)
    return {"operators": found, "cpu_s": cpu_s, "wall_s": wall_s}


def outcome(expression: TensorExpression, plan: Plan, device: Device) -> dict[str, Any]:
    """Return what the model says of a plan: `predicted_s`, `saturated`, `share`, `roof`."""
    prediction = plan.prediction
    assert prediction is not None, "construction predicts"
    instructions = [one for one in device.instructions if one.family == plan.instruction]
    types = {access.element_type for access in expression.inputs}
    matching = [one for one in instructions if {one.operand_type} == types] or instructions
    peak = max(device.peak_flops_per_s(one) for one in matching)
    memory = device.layer("global")
    rate = memory.sustained_bandwidth_bytes_per_s or memory.bandwidth_bytes_per_s
    least = max(expression.flops / peak, compulsory_bytes(expression) / rate if rate else 0.0)
    return {
        "predicted_s": prediction.seconds,
        "saturated": prediction.saturated,
        "share": prediction.seconds_by_layer[prediction.saturated] / prediction.seconds,
        "roof": least / prediction.seconds,
    }


def size_operators() -> dict[str, list[tuple[int, Operator]]]:
    """Return the operators whose size grows, by name, with the size."""
    conv = {"C": 1024, "H": 14, "W": 14, "F": 2048, "KH": 1, "KW": 1, "stride": 2, "dilation": 1}
    conv |= {"pad_h": 0, "pad_w": 0, "OH": 7, "OW": 7}
    return {
        "matmul, M by 4096 by 1024": [
            (m, Operator(f"matmul-{m}", "matmul", "f32", {"M": m, "N": 4096, "K": 1024})) for m in MATMUL_ROWS
        ],
        "conv2d 1x1 stride 2, 1024 to 2048 channels of 14x14, by batch": [
            (n, Operator(f"conv-{n}", "conv2d", "f32", {"N": n, **conv})) for n in CONV_BATCHES
        ],
    }


def scaling(targets: Sequence[str], repeat: int) -> list[dict[str, Any]]:
    """Time construction over sizes: repeats are interleaved, and all that is remembered is forgotten before each.

    Returns:
        Objects of `device`, `operator`, and `cpu_s`, the median by size.
    """
    result: list[dict[str, Any]] = []
    for name, sized in size_operators().items():
        expressions = read(operator for _, operator in sized)
        for target in targets:
            device = find_device(target)
            times: dict[int, list[float]] = {}
            for _ in range(repeat):
                for size, operator in sized:
                    forget()
                    times.setdefault(size, []).append(timed(expressions[operator.id], device)[1])
            cpu_s = {str(size): statistics.median(values) for size, values in times.items()}
            result.append({"device": target, "operator": name, "cpu_s": cpu_s})
    return result


def medians(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return statistics.median(one for one, _ in pairs), statistics.median(other for _, other in pairs)
