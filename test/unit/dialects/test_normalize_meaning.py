# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rtile-normalize keeps what functions compute: random linalg ops, evaluated by numpy before and after."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import roller_mlir.passes  # noqa: F401 - makes rtile-normalize known
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.passes.pipeline import run_pipeline

CONTEXT = make_context()
Nest = tuple[list[list[int]], list[int], list[int]]


@st.composite
def nests(draw: st.DrawFn) -> Nest:
    """Loops of each of two inputs and the output, in the order of the operand's dimensions, and the loops' extents."""
    count = draw(st.integers(1, 4))
    loops = st.lists(st.integers(0, count - 1), unique=True, max_size=count)
    first, second, output = [draw(loops) for _ in range(3)]
    if draw(st.booleans()):
        first, second, output = sorted(first), sorted(second), sorted(output)
    missing = [loop for loop in range(count) if loop not in {*first, *second, *output}]
    return [first + missing, second], output, [draw(st.integers(1, 4)) for _ in range(count)]


def tensor(loops: list[int], extents: list[int]) -> str:
    return f"tensor<{''.join(f'{extents[loop]}x' for loop in loops)}f32>"


def text_of(nest: Nest) -> str:
    """A function of one generic op, acc + a * b, whose result is returned twice beside an argument."""
    inputs, output, extents = nest
    space = ", ".join(f"d{loop}" for loop in range(len(extents)))
    maps = ", ".join(f"affine_map<({space}) -> ({', '.join(f'd{x}' for x in each)})>" for each in (*inputs, output))
    kinds = ", ".join('"parallel"' if loop in output else '"reduction"' for loop in range(len(extents)))
    a, b, r = (tensor(each, extents) for each in (*inputs, output))
    return f"""
      func.func @f(%a: {a}, %b: {b}, %c: {r}) -> ({r}, {a}, {r}) {{
        %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
            ins(%a, %b : {a}, {b}) outs(%c : {r}) {{
        ^bb0(%x: f32, %y: f32, %z: f32):
          %t = arith.mulf %x, %y : f32
          %u = arith.addf %z, %t : f32
          linalg.yield %u : f32
        }} -> {r}
        return %r, %a, %r : {r}, {a}, {r}
      }}"""


def producers(module: Any) -> list[Any]:
    """What the function's results are made by, seen through reshapes."""
    values = list(list(module.body.operations[0].entry_block.operations)[-1].operands)
    for number, value in enumerate(values):
        while value.owner.name.startswith("tensor."):
            value = value.owner.operands[0]
        values[number] = value
    return values


@settings(deadline=None, max_examples=settings().max_examples * 3 // 5)
@given(nest=nests(), seed=st.integers(0, 9))
def test_normalized_functions_compute_the_same(nest: Nest, seed: int) -> None:
    inputs, output, extents = nest
    random = np.random.default_rng(seed)
    arrays = [random.integers(-4, 5, [extents[loop] for loop in each]).astype(np.float32) for each in (*inputs, output)]
    with CONTEXT:
        module = ir.Module.parse(text_of(nest))
        before = evaluate_function(module, "f", arrays).outputs
        run_pipeline(module, "rtile-normalize")
        after = evaluate_function(module, "f", arrays).outputs
        made = producers(module)
    for expected, got in zip(before, after, strict=True):
        np.testing.assert_array_equal(got, expected)
    assert len(set(made)) == len(made)
    assert all(value.owner.name.startswith("linalg.") for value in made)
