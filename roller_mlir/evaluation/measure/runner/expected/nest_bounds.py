# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a right result of a loop nest may be from the exact one, from sums of the magnitudes of its products.

The bound of the compiler's own reference (`plan.accuracy.rounding`), computed in torch: the nest once on the inputs'
magnitudes, once on their squares and once in parts of its longest reduction loop, in f32: a bound needs no more digits.
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.evaluation.measure.runner.expected.element_arrays import is_float
from roller_mlir.evaluation.measure.runner.expected.loop_nests import ReferenceNest, evaluate
from roller_mlir.plan.accuracy.accumulation import Accumulation
from roller_mlir.plan.accuracy.rounding import SEGMENTS, Terms, extreme_of, half_spacing, sum_error, unit


def bound_of_nest(
    torch: Any,
    nest: ReferenceNest,
    inputs: Sequence[Any],
    result: Any,
    kinds: Sequence[str],
    element_type: str,
    accumulation: Accumulation,
) -> Any:
    """Return the permitted error of each element.

    Args:
        torch: The library.
        nest: What was computed.
        inputs: One tensor per input.
        result: The exact output.
        kinds: Element types of the inputs.
        element_type: Of the output.
        accumulation: How kernels sum.
    """
    assert all(map(is_float, kinds))
    size = abs(result.to(torch.float64))
    if nest.combiner != "sum" or not nest.reduced:
        return len(inputs) * half_spacing(torch, size, element_type)
    dtype = torch.float64 if element_type == "f64" else torch.float32
    wide = [one.to(dtype) for one in inputs]

    def computed(arrays: Sequence[Any], window: tuple[str, int, int] | None = None) -> Any:
        return evaluate(torch, nest, arrays, dtype, window).to(torch.float64)

    loop = max(nest.reduced, key=nest.extents.__getitem__)
    extent, parts = nest.extents[loop], min(SEGMENTS, nest.extents[loop])
    cuts = [extent * part // parts for part in range(parts + 1)]
    segments = [computed(wide, (loop, cuts[i], cuts[i + 1] - cuts[i])) for i in range(parts)]
    terms = Terms(
        count=1 + nest.points,
        total=result.to(torch.float64),
        magnitude=computed([abs(one) for one in wide]),
        squares=computed([one * one for one in wide]) * nest.scale,
        extreme=extreme_of(torch, segments),
    )
    points = nest.points * int(result.numel())
    error = sum_error(torch, terms, accumulation.rounding(kinds, element_type, element_type, points))
    if nest.scale != 1.0:
        # The factor is rounded, each product or the sum by it.
        error = error + 3 * unit(element_type) * terms.magnitude
    return error + half_spacing(torch, size + error, element_type)
