# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that are written at sums of loops, each element once at most, against numpy."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

from ..foreign_programs import assert_gives, counting

CASES = [
    ([3, 4], [12], "d0 * 4 + d1"),
    ([3, 4, 2], [2, 12], "d2, d1 * 3 + d0"),
    ([2, 3, 4], [8, 3], "d0 * 4 + d2, d1"),
    ([3, 1, 4], [12], "d0 * 4 + d1 * 4 + d2"),
    ([5], [10], "d0 * 2 + 1"),  # every second element
    ([5], [9], "d0 * 2"),  # the last step has one element less
    ([3, 4], [30], "d0 * 10 + d1 + 5"),
    ([3, 4], [14], "d0 * 4 + d1 + 2"),  # steps that begin within rows of 4
    ([3, 4], [5, 12], "2, d0 * 4 + d1"),  # one row
]
STARTS = {
    "read": ("%z", "", "%o"),
    "only kept": ("%z", "", "%c"),
    "filled": ("%i", "%e = tensor.empty() : KIND\n  %i = linalg.fill ins(%c : f32) outs(%e : KIND) -> KIND", "%o"),
}


def program(extents: list[int], shape: list[int], sums: str, start: str = "read") -> str:
    """Return a program that adds one tensor to another where a map says."""
    kinds = [f"tensor<{'x'.join(map(str, each))}xf32>" for each in (extents, shape)]
    output, before, other = STARTS[start]
    loops = ", ".join(f"d{loop}" for loop in range(len(extents)))
    iterators = ", ".join('"parallel"' for _ in extents)
    return f"""func.func @f(%a: {kinds[0]}, %z: {kinds[1]}) -> {kinds[1]} {{
  %c = arith.constant 7.0 : f32
  {before.replace("KIND", kinds[1])}
  %r = linalg.generic {{
      indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ({sums})>],
      iterator_types = [{iterators}]}} ins(%a : {kinds[0]}) outs({output} : {kinds[1]}) {{
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, {other} : f32
    linalg.yield %s : f32
  }} -> {kinds[1]}
  return %r : {kinds[1]}
}}"""


@pytest.mark.full(each=["start"])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("extents", "shape", "sums"), CASES)
def test_results_at_sums_of_loops(extents: list[int], shape: list[int], sums: str, start: str) -> None:
    a, z = counting(*extents), -counting(*shape)
    want = np.full_like(z, 7) if start == "filled" else z.copy()
    for index in np.ndindex(*extents):
        at = eval(f"({sums},)", {f"d{loop}": position for loop, position in enumerate(index)})
        want[at] = a[index] + (z[at] if start == "read" else 7)
    device = "mi300x" if start == "read" else "h200"
    assert_gives(program(extents, shape, sums, start), [a, z], want, device=device)


REFUSED = [
    ([3, 4], [6], "d0 + d1", "some element twice"),
    ([3, 2], [20], "d0 * 5 + d1 * 2", ""),
    ([3, 4], [12], "d0 * -4 + d1 + 8", ""),
]


@pytest.mark.parametrize(("extents", "shape", "sums", "reason"), REFUSED)
def test_other_sums_are_refused(extents: list[int], shape: list[int], sums: str, reason: str) -> None:
    text = program(extents, shape, sums)
    with pytest.raises(DiagnosedError, match="outputs are written at loops, or at sums that reach each element once"):
        roller_mlir.compile(text, target="h200", binaries=False)
    if reason:
        with make_context() as context, pytest.raises(DiagnosedError, match=reason):
            evaluate_function(parse_module(text, context), "f", [counting(*extents), counting(*shape)])
