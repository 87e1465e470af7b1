# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search for groups: what it weighs, how often, and that groups can run one after the other."""

import cProfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.lowering.linalg.group.dispatches import ConstantInputs
from roller_mlir.lowering.linalg.group.group import MOST_TENSORS
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.linalg.rewrite.fusion import CROSSED, MOST_MEMBERS, Cost, Cut, Evaluate, Fusion
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

KIND = "tensor<8x8xf32>"


def _op(name: str, inputs: Sequence[str], operations: int = 1) -> str:
    """Return an element-wise op of so many operations."""
    arguments = ", ".join(f"%a{number}: f32" for number in range(len(inputs)))
    body = [f"%s0 = arith.addf %a0, %a{len(inputs) - 1} : f32"]
    body += [f"%s{number} = arith.mulf %s{number - 1}, %s{number - 1} : f32" for number in range(1, operations)]
    maps = ", ".join(["#m"] * (len(inputs) + 1))
    return (
        f'%{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} '
        f"ins({', '.join('%' + one for one in inputs)} : {', '.join([KIND] * len(inputs))}) outs(%e : {KIND}) {{\n"
        f"^bb0({arguments}, %o: f32):\n" + "\n".join(body) + f"\nlinalg.yield %s{operations - 1} : f32 }} -> {KIND}"
    )


def _function(ops: Sequence[str], result: str) -> str:
    return f"""#m = affine_map<(i, j) -> (i, j)>
func.func @f(%in: {KIND}) -> {KIND} {{
  %e = tensor.empty() : {KIND}
  {chr(10).join(ops)}
  return %{result} : {KIND}
}}"""


@contextmanager
def _block(ops: Sequence[str], result: str) -> Generator[list[ir.Operation]]:
    with make_context() as context:
        module = parse_module(_function(ops, result), context)
        block = module.body.operations[0].regions[0].blocks[0]
        yield [op.operation for op in block.operations if is_structured(op.operation)]


def _search(ops: Sequence[str], result: str, weigh: Evaluate) -> tuple[Cut, list[list[int]]]:
    with _block(ops, result) as operations:
        number = {operation: at for at, operation in enumerate(operations)}
        cut = Fusion(operations, weigh).search()
        return cut, [[number[operation] for operation in group] for group in cut.groups]


def test_a_long_chain_is_weighed_in_a_linear_number_of_steps() -> None:
    weighed: list[bool] = []

    def weigh(expression: TensorExpression, alone: bool, constants: ConstantInputs) -> Cost:
        weighed.append(alone)
        return Cost(1.0 if alone else 1.5, 0)

    ops = [_op("v0", ["in"]), *(_op(f"v{n}", [f"v{n - 1}", "in"]) for n in range(1, 60))]
    _, groups = _search(ops, "v59", weigh)
    assert len(weighed) < 4 * 60
    assert sorted(one for group in groups for one in group) == list(range(60))


def _chain(count: int) -> tuple[list[str], str]:
    return [_op(f"v{n}", [f"v{n - 1}" if n else "in", "in"]) for n in range(count)], f"v{count - 1}"


def _pairs(count: int) -> tuple[list[str], str]:
    """Return ops that read nothing of each other, and as many behind them that do."""
    ops = [_op("c0", ["in"])]
    for n in range(1, count // 2):
        ops += [_op(f"p{n}", ["in"], 2), _op(f"c{n}", [f"p{n}", f"c{n - 1}"])]
    return ops, f"c{count // 2 - 1}"


def _residuals(count: int) -> tuple[list[str], str]:
    """Return a chain each op of which reads the first one too."""
    return [_op("v0", ["in"]), *(_op(f"v{n}", [f"v{n - 1}", "v0"]) for n in range(1, count))], f"v{count - 1}"


@pytest.mark.full(every=3)
@pytest.mark.parametrize("shape", [_chain, _pairs, _residuals])
@pytest.mark.parametrize("saving", [0.5, 3.0], ids=["all", "none"])
def test_the_search_grows_as_the_number_of_ops(shape: Callable[[int], tuple[list[str], str]], saving: float) -> None:
    def weigh(expression: TensorExpression, alone: bool, constants: ConstantInputs) -> Cost:
        return Cost(1.0 if alone else saving * (1 + expression.flops_per_point // 4), 0)

    found: list[int] = []
    for count in (30, 90, 270):
        with _block(*shape(count)) as operations:
            search = Fusion(operations, weigh)
            profile = cProfile.Profile()
            profile.enable()
            search.search()
            profile.disable()
            entries: list[Any] = profile.getstats()
            found.append(sum(entry.callcount for entry in entries) + search.steps)
    few, more, most = found
    assert most - more < 3.1 * (more - few), found


def test_no_program_joins_more_ops_than_it_may() -> None:
    def weigh(expression: TensorExpression, alone: bool, constants: ConstantInputs) -> Cost:
        return Cost(1.0 if alone else 0.5, 0)

    cut, groups = _search(*_chain(150), weigh)
    assert sorted(len(group) for group in groups)[-1] <= MOST_MEMBERS
    assert len(groups) <= 5
    assert any(f"of at most {MOST_MEMBERS}" in one.reason for one in cut.decisions)


def test_a_union_does_not_come_between_two_groups_that_are_joined_later() -> None:
    # p feeds x and c, y feeds x and c. p and c could be joined until x and y are one, which stands between them.
    ops = [_op("p", ["in"]), _op("y", ["in"], 7), _op("x", ["p", "y"], 7), _op("c", ["p", "y"])]
    ops.append(_op("r", ["x", "c"], 90))
    seconds = {2: 15.0, 14: 1.0}

    def weigh(expression: TensorExpression, alone: bool, constants: ConstantInputs) -> Cost:
        return Cost(10.0 if alone else seconds.get(expression.flops_per_point, 1000.0), 0)

    cut, groups = _search(ops, "r", weigh)
    assert [1, 2] in groups
    assert [0, 3] not in groups
    assert any(one.reason == CROSSED for one in cut.decisions)


def test_ops_alone_and_ops_joined_are_told_apart() -> None:
    asked: dict[int, bool] = {}

    def weigh(expression: TensorExpression, alone: bool, constants: ConstantInputs) -> Cost:
        asked[expression.flops_per_point] = alone
        return Cost(1.0, 0)

    _search([_op("a", ["in"], 3), _op("b", ["a"], 5)], "b", weigh)
    assert asked == {3: True, 5: True, 8: False}


@pytest.mark.parametrize("asked", [True, False])
def test_equal_ops_of_constants_and_of_others_are_told_apart(asked: bool) -> None:
    """The third product has a factor that it reads twice, so that no packed one can take its place."""
    products = "\n".join(
        f"%{name} = linalg.matmul ins(%{a}, %{b} : {KIND}, {KIND}) outs(%i : {KIND}) -> {KIND}"
        for name, a, b in (("p", "in", "k"), ("q", "p", "in"), ("r", "q", "k"), ("s", "k", "k"))
    )
    text = f"""func.func @f(%in: {KIND}) -> ({KIND}, {KIND}) {{
  %k = arith.constant dense<2.0> : {KIND}
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {KIND}
  %i = linalg.fill ins(%z : f32) outs(%e : {KIND}) -> {KIND}
  {products}
  return %r, %s : {KIND}, {KIND}
}}"""
    weighed: list[ConstantInputs] = []

    def weigh(expression: TensorExpression, alone: bool, constants: ConstantInputs) -> Cost:
        weighed.append(constants)
        return Cost(1.0, 0)

    with make_context() as context:
        module = parse_module(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        operations = [op.operation for op in block.operations if op.operation.name == "linalg.matmul"]
        Fusion(operations, weigh, constants=asked).search()
    alone = [one.constants for one in weighed]
    assert sorted(set(alone)) == ([(), (1,)] if asked else [()])
    assert all(not one.finite for one in weighed)  # nothing is read outside of a tensor


def test_what_loads_compute_keeps_the_loops_of_its_reader() -> None:
    """The sum over a whole image is one of two loops; with what is before it in its loads its axes are not fused."""
    image, sums = "tensor<1x8x5x7xf32>", "tensor<1x8x1x1xf32>"
    text = f"""#m = affine_map<(i, j, k, l) -> (i, j, k, l)>
func.func @f(%x: {image}) -> {sums} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {image}
  %p = linalg.generic {{indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
      ins(%x : {image}) outs(%e : {image}) {{
    ^bb0(%a: f32, %o: f32):
      %s = arith.mulf %a, %a : f32
      linalg.yield %s : f32
  }} -> {image}
  %t = tensor.empty() : {sums}
  %i = linalg.fill ins(%z : f32) outs(%t : {sums}) -> {sums}
  %w = tensor.empty() : tensor<5x7xf32>
  %r = linalg.pooling_nchw_sum ins(%p, %w : {image}, tensor<5x7xf32>) outs(%i : {sums}) -> {sums}
  return %r : {sums}
}}"""
    weighed: list[int] = []

    def weigh(expression: TensorExpression, alone: bool, constants: ConstantInputs) -> Cost:
        weighed.append(len(expression.loops))
        return Cost(1.0, 0)

    with make_context() as context:
        module = parse_module(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        names = ("linalg.generic", "linalg.pooling_nchw_sum")
        operations = [op.operation for op in block.operations if op.operation.name in names]
        Fusion(operations, weigh).search()
    assert sorted(weighed) == [1, 2, 6]


def test_more_tensors_than_a_program_takes_are_several_programs() -> None:
    count = 80
    arguments = ", ".join(f"%y{number}: {KIND}" for number in range(count))
    ops = [_op(f"v{n}", [f"v{n - 1}" if n else "in", f"y{n}"]) for n in range(count)]
    text = _function(ops, f"v{count - 1}").replace("%in:", f"{arguments}, %in:")
    artifact = roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False))
    assert 80 / MOST_TENSORS <= len(artifact.manifest.launches) <= 4


def test_what_a_product_starts_with_is_not_computed_by_its_loads() -> None:
    """The loads of a product compute what is before it, of tiles that it reads; it starts with a tensor in memory."""
    text = f"""#m = affine_map<(i, j) -> (i, j)>
func.func @f(%in: {KIND}, %b: {KIND}) -> {KIND} {{
  %e = tensor.empty() : {KIND}
  {_op("a", ["in"])}
  %c = linalg.matmul ins(%a, %b : {KIND}, {KIND}) outs(%a : {KIND}) -> {KIND}
  return %c : {KIND}
}}"""
    first, second = (np.random.default_rng(7).integers(-4, 5, (8, 8)).astype(np.float32) for _ in range(2))
    (found,) = roller_mlir.compile(text, target="h200", binaries=False).run(first, second)
    np.testing.assert_array_equal(found, 2 * first + 2 * first @ second)
