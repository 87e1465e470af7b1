# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an item's outputs must be, from somebody who shares no code with the compiler that made the item.

With torch: every class of operators and every example, in float64 where the work is within `MOST_WORK`, else in
float32 with tf32 off. Without torch, on the simulator: the linalg ops themselves, by numpy. Where there is neither:
nobody knows, and candidates can only be compared with each other (`same_as`).
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from math import isfinite, prod
from typing import Any

import numpy as np

from roller_mlir.measure.records import Item
from roller_mlir.measure.runner.element_arrays import SUMS, element_type_of, import_torch, is_float, is_torch, to_torch
from roller_mlir.measure.runner.examples import Example, example_of
from roller_mlir.measure.runner.loop_nests import Nest, evaluate, nest_of
from roller_mlir.measure.runner.tolerance import Expected, Tolerance
from roller_mlir.plan.manifest import Manifest

MOST_WORK = {"cuda": 5e12, "cpu": 2e11}
"""Products up to which a reference is computed in float64, by torch's kind of device: a few seconds where float64 runs
at 1 / 64 of float32's rate, as it does outside data centres."""
_CONDITION = 8.0
"""Times what torch's f32 is off: its sums are of blocks, and err less than those of one accumulator."""
_NARROW = ("f16", "bf16")


def reference_for(item: Item, inputs: Sequence[Any], *, source: str | None, device: str) -> Expected | None:
    """Return what an item's outputs must be.

    Args:
        item: The item.
        inputs: What it is run on: tensors of torch, or numpy arrays.
        source: Its linalg ops as text, where the kit has them.
        device: "sim", or in torch's words where the work is to be done.

    Returns:
        The outputs and their tolerances; None where nobody here knows them.

    Raises:
        ValueError: The kit's words do not fit the inputs.
    """
    if device == "sim" and source is not None and all(isinstance(one, np.ndarray) for one in inputs):
        expected = _by_linalg(item, source, inputs)
        if expected is not None:
            return expected
    torch = import_torch()
    if torch is None or not item.reference.kind:
        return None
    place = next((one.device for one in inputs if is_torch(one)), "cpu" if device == "sim" else device)
    if str(place).startswith("cuda") and not torch.cuda.is_available():
        place = "cpu"
    tensors = [to_torch(torch, one, place) for one in inputs]
    with torch.no_grad():
        return _by_torch(torch, item, tensors)


def same_as(outputs: Any, manifest: Manifest) -> Expected:
    """Return what another candidate of an item must give, where only a first one is known: the same within both errors.

    Args:
        outputs: Of the first candidate, an array or a sequence of arrays, not to be written afterwards.
        manifest: Of its artifact.
    """
    given: Sequence[Any] = outputs if isinstance(outputs, (list, tuple)) else (outputs,)
    kept: list[Any] = []
    for one in given:
        is_array = isinstance(one, np.ndarray)
        kept.append(one.copy() if is_array else one.clone() if is_torch(one) else one.numpy())
    narrow = any(manifest.buffer(name).element_type in _NARROW for name in manifest.inputs)
    points = _points(manifest)
    tolerances = [_tolerance(element_type_of(one), points, narrow, doubled=True) for one in given]
    return Expected(against="candidate 0", outputs=tuple(kept), tolerances=tuple(tolerances))


def _points(manifest: Manifest) -> int:
    """Return n of `tolerance`, as far as the kernels' plans tell it: operations per element that each one writes."""
    plans = {kernel.name: kernel.plan for kernel in manifest.kernels}
    total = 0
    for launch in manifest.launches:
        plan = plans.get(launch.kernel)
        if launch.arguments and plan is not None and plan.prediction is not None:
            total += plan.prediction.flops // max(1, prod(launch.arguments[-1].shape))
    return total or max((prod(manifest.buffer(name).shape) for name in manifest.inputs), default=1)


def _tolerance(
    element_type: str, points: int, narrow: bool, *, exact: bool = False, doubled: bool = False, tf32: bool = False
) -> Tolerance:
    return Tolerance(
        element_type=element_type,
        points=points,
        exact=exact or not is_float(element_type),
        accumulator="f64" if element_type == "f64" else "f32",
        truncates=narrow,
        doubled=doubled,
        tf32=tf32,
    )


def _may_be_tf32(item: Item, kinds: Sequence[str]) -> bool:
    """Return whether a candidate computes products of f32 by matrix instructions, which take tf32."""
    plans = [plan for candidate in item.candidates for plan in candidate.plans.values()]
    return "f32" in kinds and any(plan.atom is not None for plan in plans)


def _by_linalg(item: Item, source: str, inputs: Sequence[Any]) -> Expected | None:
    """Return what the linalg ops themselves give; None where the compiler's package is not here."""
    try:
        reference: Any = import_module("roller_mlir.reference")
        entry: Any = import_module("roller_mlir.compiler.entry")
        reader: Any = import_module("roller_mlir.compiler.source")
        bindings: Any = import_module("roller_mlir.support.bindings")
    except ImportError:
        return None
    with bindings.make_context() as context:
        module = reader.parse_source(reader.Source("-", source), context)
        found = reference.evaluate_function(module, entry.isolate_entry(module, None), inputs)
    kinds = [element_type_of(one) for one in inputs]
    narrow, tf32 = any(kind in _NARROW for kind in kinds), _may_be_tf32(item, kinds)
    tolerances = [
        _tolerance(kind, points, narrow, tf32=tf32)
        for kind, points in zip(found.element_types, found.points, strict=True)
    ]
    return Expected(against="numpy", outputs=tuple(found.outputs), tolerances=tuple(tolerances))


def _by_torch(torch: Any, item: Item, inputs: Sequence[Any]) -> Expected | None:
    reference = item.reference
    kinds = [element_type_of(one) for one in inputs]
    if reference.kind == "relu":
        _check_inputs(item, inputs, [reference.shape])
        result = torch.clamp(inputs[0], min=0)
        return Expected(against="torch", outputs=(result,), tolerances=(_tolerance(kinds[0], 1, False, exact=True),))
    narrow = any(kind in _NARROW for kind in kinds)
    if reference.kind == "example":
        example = example_of(reference.name)
        if example is None:
            return None
        return _example(torch, item, example, inputs, narrow)
    nest = nest_of(reference)
    if nest is None:
        return None
    _check_inputs(item, inputs, nest.shapes())
    whole = [kind for kind in kinds if not is_float(kind)]
    exact_type = bool(whole) or "f64" in kinds
    work = prod(nest.extents.values())
    wide = exact_type or work <= _most(inputs[0])
    result = evaluate(torch, nest, inputs, torch.float64) if wide else _in_f32(torch, nest, inputs)
    element_type = SUMS.get(kinds[0], kinds[0])
    tolerance = _tolerance(
        element_type,
        nest.points,
        narrow,
        exact=nest.selects,
        doubled=not wide or element_type == "f64",
        tf32=_may_be_tf32(item, kinds),
    )
    return Expected(against=_against(wide), outputs=(result,), tolerances=(tolerance,))


def _example(torch: Any, item: Item, example: Example, inputs: Sequence[Any], narrow: bool) -> Expected:
    ranks = tuple(len(one.shape) for one in inputs)
    if ranks != example.ranks:
        wanted = f"inputs of {', '.join(map(str, example.ranks))} dimensions"
        raise ValueError(f"example '{item.reference.name}' takes {wanted}, but '{item.id}' has {ranks}")
    sizes = item.reference.sizes
    result = example.function(torch, [one.to(torch.float64) for one in inputs], sizes)
    tf32 = _may_be_tf32(item, [element_type_of(one) for one in inputs])
    tolerance = _tolerance(example.element_type, example.points(inputs, sizes), narrow, tf32=tf32)
    # What torch's own f32 is off tells how far the function magnifies errors.
    without_tf32(torch)
    rounded = example.function(torch, [one.to(torch.float32) for one in inputs], sizes)
    plain = Expected(against="", outputs=(result,), tolerances=(replace(tolerance, element_type="f32", tf32=False),))
    off = plain.compare(rounded).error
    if off is not None and isfinite(off):
        tolerance = replace(tolerance, condition=max(1.0, _CONDITION * off))
    return Expected(against=_against(True), outputs=(result,), tolerances=(tolerance,))


def _in_f32(torch: Any, nest: Nest, inputs: Sequence[Any]) -> Any:
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
