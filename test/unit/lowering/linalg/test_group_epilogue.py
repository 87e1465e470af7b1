# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a group's expression says of the ops behind its reductions: operations, chains, exchanges, what they read."""

from collections.abc import Sequence

import pytest

from roller_mlir.lowering.linalg.group.group import read_group
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

POINT, ROW = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"
R, V = "tensor<8x40xf32>", "tensor<8xf32>"
PARALLEL, REDUCING = '["parallel", "parallel"]', '["parallel", "reduction"]'


def reduced(result: str, source: str, op: str = "arith.addf", start: str = "%z") -> str:
    return (
        f"{result} = linalg.generic {{indexing_maps = [{POINT}, {ROW}], iterator_types = {REDUCING}}} "
        f"ins({source} : {R}) outs({start} : {V}) {{ ^bb0(%ba: f32, %bc: f32):\n %bs = {op} %bc, %ba : f32\n"
        f" linalg.yield %bs : f32 }} -> {V}\n"
    )


def made(result: str, sources: Sequence[str], body: str) -> str:
    """Return an op on vectors whose arguments are %p0, %p1 and so on, and whose result is %by."""
    vector = "affine_map<(i) -> (i)>"
    arguments = ", ".join(f"%p{number}: f32" for number in range(len(sources)))
    return (
        f"{result} = linalg.generic {{indexing_maps = [{', '.join([vector] * (len(sources) + 1))}], iterator_types = "
        f'["parallel"]}} ins({", ".join(sources)} : {", ".join([V] * len(sources))}) outs(%e : {V}) {{ '
        f"^bb0({arguments}, %bo: f32):\n {body}\n linalg.yield %by : f32 }} -> {V}\n"
    )


def shifted(result: str, source: str, by: str) -> str:
    return (
        f"{result} = linalg.generic {{indexing_maps = [{POINT}, {ROW}, {POINT}], iterator_types = {PARALLEL}}} "
        f"ins({source}, {by} : {R}, {V}) outs(%w : {R}) {{ ^bb0(%ba: f32, %bc: f32, %bo: f32):\n"
        f" %bd = arith.subf %ba, %bc : f32\n %bs = math.exp %bd : f32\n linalg.yield %bs : f32 }} -> {R}\n"
    )


def expression_of(ops: str, results: Sequence[int] = (-1,)) -> TensorExpression:
    """Return the expression of ops as one group, of which some results leave it, by their places."""
    text = f"""func.func @f(%x: {R}, %b: {V}, %c0: {V}) {{
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : {V}
  %w = tensor.empty() : {R}
  %z = linalg.fill ins(%zero : f32) outs(%e : {V}) -> {V}
  %m = linalg.fill ins(%least : f32) outs(%e : {V}) -> {V}
  {ops}
  return
}}"""
    with make_context() as context:
        module = parse_module(text, context)
        (function,) = module.body.operations
        found: list[ir.Operation] = [
            op.operation
            for op in function.regions[0].blocks[0].operations
            if is_structured(op.operation) and not op.operation.name.endswith("fill")
        ]
        return read_group(found, [found[number].results[0] for number in results]).expression


ADD, TANH = "%by = arith.addf %p0, %p1 : f32", "%by = math.tanh %p0 : f32"
SUMS = reduced("%s", "%x") + reduced("%t", "%x")


def test_what_follows_several_sums_is_counted_by_point() -> None:
    found = expression_of(
        SUMS
        + made("%u", ["%s", "%t", "%b"], "%bv = arith.mulf %p1, %p2 : f32\n" + "%by = arith.addf %p0, %bv : f32")
        + made("%q", ["%u"], TANH)
    )
    assert (found.epilogue_flops, found.epilogue_cycles, found.flops_per_point) == (3, 15, 2)
    assert found.tail_apart and [found.inputs[number].bounds for number in found.tail_inputs] == [(8,)]


@pytest.mark.parametrize(
    ("late", "chain"), [("%s", 1 + 16 + 1), ("%b", 16 + 1)], ids=["behind each other", "beside each other"]
)
def test_a_chain_is_the_longest_way_through_operations(late: str, chain: int) -> None:
    """An operation waits for its own operands, not for all that are made before it."""
    two = made("%u", ["%s", "%t"], ADD) if late == "%s" else ""
    found = expression_of(SUMS + two + made("%q", ["%u" if two else "%s"], TANH) + made("%r", ["%q", "%t"], ADD))
    assert found.epilogue_chain == chain


def test_a_chain_follows_each_argument_through_a_body() -> None:
    """The product waits for the sum of 1, and not for the 16 of the tangent beside it."""
    body = "%ba = math.tanh %p0 : f32\n %bm = arith.mulf %p1, %p1 : f32\n %by = arith.addf %ba, %bm : f32"
    found = expression_of(SUMS + made("%u", ["%s", "%b"], ADD) + made("%q", ["%t", "%u"], body))
    assert found.epilogue_chain == 16 + 1
    assert found.epilogue_flops == 1 + 3


def test_sums_that_wait_together_are_one_exchange() -> None:
    ends = made("%u", ["%s", "%t"], ADD)
    assert expression_of(SUMS + ends).tail_exchanges == (2,)
    first = reduced("%s", "%x") + made("%a", ["%s", "%b"], ADD)
    second = reduced("%t", "%x") + made("%u", ["%a", "%t"], ADD)
    found = expression_of(first + second)
    assert found.tail_exchanges == (1, 1) and found.joined_results == 0 and found.tail_apart


def test_where_rows_are_walked_again_their_statistics_are_no_tail() -> None:
    """A softmax stores at each point of its rows: nothing follows its sums once a row."""
    ops = reduced("%s", "%x", "arith.maximumf", "%m") + shifted("%d", "%x", "%s") + reduced("%t", "%d")
    found = expression_of(ops, (1, 2))
    assert (found.epilogue_flops, found.epilogue_chain, found.tail_exchanges) == (0, 0, ())


def test_a_sum_of_what_a_sum_shifts_has_a_tail_that_is_counted_and_not_spread() -> None:
    ops = reduced("%s", "%x", "arith.maximumf", "%m") + shifted("%d", "%x", "%s") + reduced("%t", "%d")
    found = expression_of(ops + made("%u", ["%t"], "%by = math.log %p0 : f32") + made("%q", ["%u", "%s"], ADD))
    assert (found.epilogue_flops, found.epilogue_cycles, found.epilogue_chain) == (2, 23, 25)
    assert found.tail_exchanges == (1, 1) and not found.tail_apart and not found.tail_inputs


def test_one_sum_has_the_same_tail_as_several() -> None:
    """A reduction root's epilogue holds what is read for it apart, and counts the same."""
    ends = made("%u", ["%s", "%b"], ADD) + made("%q", ["%u"], TANH)
    one = expression_of(reduced("%s", "%x") + ends)
    several = expression_of(SUMS + ends + made("%r", ["%q", "%t"], ADD))
    assert (one.epilogue_flops, one.epilogue_cycles, one.epilogue_chain) == (2, 15, 17)
    assert (several.epilogue_flops, several.epilogue_cycles, several.epilogue_chain) == (3, 15, 18)
    assert len(one.epilogue) == len(several.tail_inputs) == 1 and not one.tail_inputs
