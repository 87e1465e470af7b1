# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an item's outputs must be, from somebody who shares no code with the compiler that made the item.

With torch: every class of operators and every example, in float64 where the work is within `MOST_WORK`, else in
float32 with tf32 off. Without torch, on the simulator: the linalg ops themselves, by numpy. Where there is neither:
nobody knows, and candidates can only be compared with each other (`same_as`).
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from math import inf, prod
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.records import Item
from roller_mlir.evaluation.measure.runner.expected.element_arrays import (
    element_type_of,
    import_torch,
    is_float,
    is_torch,
    to_torch,
)
from roller_mlir.evaluation.measure.runner.expected.examples import Example, example_of
from roller_mlir.evaluation.measure.runner.expected.loop_nests import ReferenceNest, evaluate, nest_of
from roller_mlir.evaluation.measure.runner.expected.nest_bounds import bound_of_nest
from roller_mlir.evaluation.measure.runner.expected.tolerance import ExpectedOutputs
from roller_mlir.plan.accuracy.accumulation import SUMS, Accumulation, accumulation_of, accumulation_of_plans
from roller_mlir.plan.accuracy.rounding import Rounding, Terms, half_spacing, sum_error
from roller_mlir.plan.manifest import Manifest
from roller_mlir.runtime.arguments.element_types import bf16_values

MOST_WORK = {"cuda": 5e12, "cpu": 2e11}
"""Products up to which a reference is computed in float64, by torch's kind of device: a few seconds where float64 runs
at 1 / 64 of float32's rate, as it does outside data centres."""
_MEASURED = 64.0
"""Times what torch's f32 is off in functions of several operators, as a root mean square: its sums are of blocks, and
err less than those of one accumulator, whose largest error is several times their root mean square."""
_MEASURED_FACTORS = 8.0
"""Likewise of inputs that are cut to the digits of tf32; what is computed on the way is rounded so too."""
_NARROW = ("f16", "bf16")


def reference_for(
    item: Item, inputs: Sequence[Any], *, source: str | None, device: str, base: Manifest | None = None
) -> ExpectedOutputs | None:
    """Return what an item's outputs must be.

    Args:
        item: The item.
        inputs: What it is run on: tensors of torch, or numpy arrays.
        source: Its linalg ops as text, where the kit has them.
        device: "sim", or in torch's words ("cpu" of this machine) where the work is to be done.
        base: Of the artifact of the item's candidate that the others are compared with, where it has one: results may
            be no further from numpy's than from that one's. Bounds that are carried from operator to operator would
            permit anything behind many of them.

    Returns:
        The outputs and their bounds; None where nobody here knows them.

    Raises:
        ValueError: The kit's words do not fit the inputs.
    """
    if device == "sim" and source is not None and all(isinstance(one, np.ndarray) for one in inputs):
        expected = _by_linalg(item, source, inputs)
        if expected is not None:
            return expected if base is None else _within_same(expected, base)
    torch = import_torch()
    if torch is None or not item.reference.kind:
        return None
    place = next((one.device for one in inputs if is_torch(one)), "cpu" if device == "sim" else device)
    if str(place).startswith("cuda") and not torch.cuda.is_available():
        place = "cpu"
    tensors = [to_torch(torch, one, place) for one in inputs]
    with torch.no_grad():
        return _by_torch(torch, item, tensors, device)


def same_as(outputs: Any, manifest: Manifest, item: Item | None = None) -> ExpectedOutputs:
    """Return what another candidate of an item must give, where only a first one is known: the same within both errors.

    Args:
        outputs: Of the first candidate, an array or a sequence of arrays, not to be written afterwards.
        manifest: Of its artifact.
        item: Whose candidates it is compared with; None where these may be any. Sums of long chains of operators may be
            off by what matrix instructions cut off of each product only where a candidate is known to have such.
    """
    given: Sequence[Any] = outputs if isinstance(outputs, (list, tuple)) else (outputs,)
    kept: list[Any] = []
    for one in given:
        is_array = isinstance(one, np.ndarray)
        kept.append(one.copy() if is_array else one.clone() if is_torch(one) else one.numpy())
    points = _points(manifest)
    plans = [plan for one in item.candidates for plan in one.plans.values()] if item is not None else []
    truncates = not plans or any(plan.atom is not None for plan in plans)
    bounds = [_bound_of_same(one, points, accumulation_of(manifest, truncates=truncates)) for one in kept]
    types = tuple(element_type_of(one) for one in given)
    return ExpectedOutputs(against="candidate 0", outputs=tuple(kept), bounds=tuple(bounds), element_types=types)


def _bound_of_same(array: Any, points: int, accumulation: Accumulation) -> Any | None:
    """Return how far two right results may be from each other, of which one is known; None where they must be equal."""
    kind = element_type_of(array)
    if not is_float(kind):
        return None
    xp: Any = import_torch() if is_torch(array) else np
    values = (
        array.to(xp.float64) if xp is not np else (bf16_values(array) if kind == "bf16" else array).astype(np.float64)
    )
    return _bound_between(xp, values, kind, points, accumulation)


def _bound_between(xp: Any, values: Any, kind: str, points: int, accumulation: Accumulation) -> Any:
    """Return how far two right results may be from each other, of which neither the terms nor their exact sum is known.

    The terms are taken to be of random signs, so that the sums' own size tells theirs.
    """
    squares = values * values
    squares = xp.maximum(squares, squares.mean() + 0 * squares) if prod(values.shape) else squares
    terms = Terms(
        count=max(2, points),
        total=values,
        magnitude=squares + inf,
        squares=squares,
        extreme=xp.sqrt(squares),
        quantum=0.0,
    )
    wide = kind if kind == "f64" else "f32"
    error = sum_error(xp, terms, Rounding(accumulator=wide, truncates=accumulation.truncates))
    if any(one.tf32 for one in accumulation.kernels or ()):
        error = error + sum_error(xp, terms, Rounding(accumulator=wide, factor="tf32"))
    return 2 * (error + half_spacing(xp, abs(values), kind))


def _within_same(expected: ExpectedOutputs, base: Manifest) -> ExpectedOutputs:
    """Return the same with bounds that are no wider than of two candidates that are compared with each other."""
    points, accumulation = _points(base), accumulation_of(base)
    bounds = tuple(
        None if bound is None else np.minimum(bound, _bound_between(np, output, kind, points, accumulation))
        for output, bound, kind in zip(expected.outputs, expected.bounds, expected.element_types, strict=True)
    )
    return replace(expected, bounds=bounds)


def _points(manifest: Manifest) -> int:
    """Return the terms of a sum, as far as the kernels' plans tell it: operations per element that each one writes."""
    plans = {kernel.name: kernel.plan for kernel in manifest.kernels}
    total = 0
    for launch in manifest.launches:
        plan = plans.get(launch.kernel)
        if launch.arguments and plan is not None and plan.prediction is not None:
            total += plan.prediction.flops // max(1, prod(launch.arguments[-1].static_shape))
    return total or max((prod(manifest.buffer(name).static_shape) for name in manifest.inputs), default=1)


def _accumulation(item: Item, device: str) -> Accumulation:
    """Return how the item's candidates, all together, sum products."""
    plans = [plan for candidate in item.candidates for plan in candidate.plans.values()]
    return accumulation_of_plans(plans or [None], truncates=device not in ("sim", "cpu"))


def _by_linalg(item: Item, source: str, inputs: Sequence[Any]) -> ExpectedOutputs | None:
    """Return what the linalg ops themselves give; None where the compiler's package is not here."""
    try:
        reference: Any = import_module("roller_mlir.evaluation.reference")
        entry: Any = import_module("roller_mlir.compiler.entry")
        reader: Any = import_module("roller_mlir.compiler.source")
        bindings: Any = import_module("roller_mlir.support.bindings")
    except ImportError:
        return None
    with bindings.make_context() as context:
        module = reader.parse_source(reader.Source("-", source), context)
        found = reference.evaluate_function(
            module, entry.isolate_entry(module, None), inputs, _accumulation(item, "sim")
        )
    types: tuple[str, ...] = found.element_types
    outputs = tuple(
        one.data if is_float(kind) else array
        for one, array, kind in zip(found.bounded, found.outputs, types, strict=True)
    )
    bounds = tuple(
        None if one.error is None or not is_float(kind) else one.errors()
        for one, kind in zip(found.bounded, types, strict=True)
    )
    return ExpectedOutputs(against="numpy", outputs=outputs, bounds=bounds, element_types=types)


def _by_torch(torch: Any, item: Item, inputs: Sequence[Any], device: str) -> ExpectedOutputs | None:
    reference = item.reference
    kinds = [element_type_of(one) for one in inputs]
    if reference.kind == "relu":
        _check_inputs(item, inputs, [reference.shape])
        result = torch.clamp(inputs[0], min=0)
        return ExpectedOutputs(against="torch", outputs=(result,), bounds=(None,), element_types=(kinds[0],))
    accumulation = _accumulation(item, device)
    if reference.kind == "example":
        example = example_of(reference.name)
        return None if example is None else _example(torch, item, example, inputs, accumulation)
    nest = nest_of(reference)
    if nest is None:
        return None
    _check_inputs(item, inputs, nest.shapes())
    exact_type = any(not is_float(kind) for kind in kinds) or "f64" in kinds
    wide = exact_type or prod(nest.extents.values()) <= _most(inputs[0])
    result = evaluate(torch, nest, inputs, torch.float64) if wide else _in_f32(torch, nest, inputs)
    kind = SUMS.get(kinds[0], kinds[0])
    bound = None
    if is_float(kind) and not nest.selects:
        bound = bound_of_nest(torch, nest, inputs, result, kinds, kind, accumulation)
        bound = bound if wide else 2 * bound
    return ExpectedOutputs(against=_against(wide), outputs=(result,), bounds=(bound,), element_types=(kind,))


def _example(
    torch: Any, item: Item, example: Example, inputs: Sequence[Any], accumulation: Accumulation
) -> ExpectedOutputs:
    ranks = tuple(len(one.shape) for one in inputs)
    if example.ranks and ranks != example.ranks:
        wanted = f"inputs of {', '.join(map(str, example.ranks))} dimensions"
        raise ValueError(f"example '{item.reference.name}' takes {wanted}, but '{item.id}' has {ranks}")
    sizes = item.reference.sizes
    wide = [one.to(torch.float64) for one in inputs]
    results = _several(example.function(torch, wide, sizes))
    # What torch's own f32 is off tells how far the function magnifies errors.
    without_tf32(torch)
    rounded = _several(example.function(torch, [one.to(torch.float32) for one in inputs], sizes))
    bounds = [
        _MEASURED * _spread(torch, f32.to(torch.float64) - f64) for f32, f64 in zip(rounded, results, strict=True)
    ]
    if any(one.tf32 for one in accumulation.kernels or ()):
        shortened = [one.to(torch.float32).view(torch.int32) & -(1 << 13) for one in inputs]
        again = example.function(torch, [one.view(torch.float32).to(torch.float64) for one in shortened], sizes)
        bounds = [
            bound + _MEASURED_FACTORS * _spread(torch, cut - result)
            for bound, cut, result in zip(bounds, _several(again), results, strict=True)
        ]
    for number, result in enumerate(results):
        bounds[number] = bounds[number] + 4 * half_spacing(torch, abs(result), "f32")
        if example.element_type in _NARROW:
            bounds[number] = bounds[number] + half_spacing(torch, abs(result), example.element_type)
    types = (example.element_type,) * len(results)
    return ExpectedOutputs(against=_against(True), outputs=results, bounds=tuple(bounds), element_types=types)


def _several(results: Any) -> tuple[Any, ...]:
    """Return the outputs of a function that gives one or several."""
    return results if isinstance(results, tuple) else (results,)


def _spread(torch: Any, difference: Any) -> Any:
    """Return what differences are about, each from its row and from all: their root mean squares."""
    squares = torch.where(torch.isfinite(difference), difference, 0.0) ** 2
    rows = squares.mean(-1, keepdim=True) + 0 * squares
    return torch.sqrt(torch.maximum(rows, squares.mean() / 64 + 0 * squares))


def _in_f32(torch: Any, nest: ReferenceNest, inputs: Sequence[Any]) -> Any:
    without_tf32(torch)
    return evaluate(torch, nest, inputs, torch.float32)


def without_tf32(torch: Any) -> None:
    """Let torch compute products of f32 in f32, and sums of 16-bit products in f32."""
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False


def _most(tensor: Any) -> float:
    return MOST_WORK["cuda" if tensor.is_cuda else "cpu"]


def _against(wide: bool) -> str:
    return "torch f64" if wide else "torch f32 (tf32 off)"


def _check_inputs(item: Item, inputs: Sequence[Any], shapes: Sequence[Sequence[int]]) -> None:
    got = [tuple(one.shape) for one in inputs]
    if got != [tuple(shape) for shape in shapes]:
        wanted = ", ".join("x".join(map(str, shape)) for shape in shapes)
        found = ", ".join("x".join(map(str, shape)) for shape in got)
        raise ValueError(f"'{item.id}' is a {item.reference.kind} of {wanted} by its sizes, but its inputs are {found}")
