# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups on random graphs of ops: nothing leaves a group and comes back, and all compute what numpy does."""

import random
from zlib import crc32

import pytest

from roller_mlir.lowering.linalg.group.dispatches import ConstantInputs
from roller_mlir.lowering.linalg.group.group import starts_others_only
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.linalg.rewrite.fusion import Cost, Fusion
from roller_mlir.lowering.linalg.rewrite.read_through.unit_extents import read_through_unit_extents
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

from ..agreement import assert_agrees, device_of
from .random_graphs import random_graph


def _uses(operation: ir.Operation, home: dict[ir.Operation, set[ir.Operation]]) -> set[ir.Operation]:
    """Return the ops of a block on which one of them depends, itself included, by brute force."""
    if operation not in home:
        found = {operation}
        for value in operation.operands:
            if not isinstance(value.owner, ir.Block):
                found |= _uses(value.owner.operation, home)
        home[operation] = found
    return home[operation]


def _left_and_entered(
    group: tuple[ir.Operation, ...], known: dict[ir.Operation, set[ir.Operation]]
) -> list[ir.Operation]:
    """Return the ops on paths that leave a group and come back, fills and reshapes of no group included."""
    members = set(group)
    above = set().union(*(_uses(member, known) for member in group)) - members
    return [one for one in above if _uses(one, known) & members]


@pytest.mark.full(every=2)
@pytest.mark.parametrize("through", [False, True], ids=["reshapes as they are", "unit extents read through"])
def test_no_path_leaves_a_group_and_comes_back(through: bool) -> None:
    joined = crossed = 0
    for seed in range(60):
        draw = random.Random(seed)

        def weigh(
            expression: TensorExpression, alone: bool, constants: ConstantInputs, draw: random.Random = draw
        ) -> Cost:
            del expression
            return Cost(1.0 if alone else draw.uniform(0.5, 2.5), 0)

        with make_context() as context:
            module = parse_module(random_graph(seed, 24), context)
            block = module.body.operations[0].regions[0].blocks[0]
            if through:
                read_through_unit_extents(block)
            structured = [op.operation for op in block.operations if is_structured(op.operation)]
            operations = [operation for operation in structured if not starts_others_only(operation)]
            cut = Fusion(operations, weigh).search()
            known: dict[ir.Operation, set[ir.Operation]] = {}
            for group in cut.groups:
                assert _left_and_entered(group, known) == [], seed
            placed: set[ir.Operation] = set()
            for group in cut.groups:
                placed.update(group)
                above = set().union(*(_uses(member, known) for member in group))
                assert above & set(operations) <= placed, (seed, "the groups cannot run in this order")
            joined += sum(len(group) > 1 for group in cut.groups)
            crossed += sum(not one.joined and one.apart is None for one in cut.decisions)
    assert joined > 60
    assert crossed > 30


def _cut_as_text(seed: int) -> tuple[list[list[str]], list[str], int]:
    """Return the groups of a random graph, what was decided, and how many expressions were weighed."""
    weighed = 0

    def weigh(expression: TensorExpression, alone: bool, constants: ConstantInputs) -> Cost:
        nonlocal weighed
        weighed += 1
        return Cost(1.0 if alone else 0.5 + crc32(repr(expression).encode()) % 1000 / 500, len(expression.inputs))

    with make_context() as context:
        module = parse_module(random_graph(seed, 24), context)
        block = module.body.operations[0].regions[0].blocks[0]
        read_through_unit_extents(block)
        structured = [op.operation for op in block.operations if is_structured(op.operation)]
        cut = Fusion([operation for operation in structured if not starts_others_only(operation)], weigh).search()
        groups = [[str(operation) for operation in group] for group in cut.groups]
        decisions = [f"{one.joined} {one.reason} {one.apart} {one.together}" for one in cut.decisions]
        return groups, decisions, weighed


@pytest.mark.full
def test_equal_groups_are_weighed_once_and_cut_as_if_each_were(monkeypatch: pytest.MonkeyPatch) -> None:
    once = [_cut_as_text(seed) for seed in range(16)]
    monkeypatch.setattr("roller_mlir.lowering.linalg.rewrite.fusion._Structures.key", lambda *_, **__: object())
    each = [_cut_as_text(seed) for seed in range(16)]
    assert [found[:2] for found in once] == [found[:2] for found in each]
    assert sum(found[2] for found in once) < 0.9 * sum(found[2] for found in each)


@pytest.mark.full(every=6)
@pytest.mark.parametrize("seed", range(16))
def test_random_graphs_compute_what_numpy_does(seed: int) -> None:
    assert_agrees(random_graph(100 + seed, 14), device_of(str(seed)))
