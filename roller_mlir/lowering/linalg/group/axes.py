# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axis fusion of ops that become one program: the same loops of all of them, so that no reshape comes between.

Paper: ROLLER section 3.2 (axis fusion).
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import pairwise

from roller_mlir.lowering.linalg.group.group import GroupError, common_loops
from roller_mlir.lowering.linalg.rewrite.axis_fusion import OpLoops, read_nest, rewrite
from roller_mlir.lowering.linalg.rewrite.axis_groups import Groups
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op


def fuse_axes_of_groups(
    groups: Sequence[Sequence[ir.Operation]], kinds: Sequence[Hashable]
) -> list[list[ir.Operation]]:
    """Fuse loops that every op of a group allows, in all of them alike; return the groups' ops after that.

    Where the ops of a group walk a pair of loops that only some of them could fuse, it stays a pair in all of them.

    Args:
        groups: Linalg ops that are to become one program each, in order.
        kinds: Of each what it is but for its tensors: where nothing fuses in a group, nothing does in its equals.
    """
    unchanged: set[Hashable] = set()
    found: list[list[ir.Operation]] = []
    for group, kind in zip(groups, kinds, strict=True):
        fused = None if kind in unchanged else _fuse_group(group)
        if fused is None:
            unchanged.add(kind)
        found.append(list(group) if fused is None else fused)
    return found


def _fuse_group(group: Sequence[ir.Operation]) -> list[ir.Operation] | None:
    """Return the ops of a group with their loops fused; None where nothing fuses."""
    nests = [read_nest(operation) for operation in group]
    try:
        common = common_loops(group)
    except GroupError:  # an element-wise producer of a window's input, which the loads compute
        return None
    known = [(nest, loops) for nest, loops in zip(nests, common, strict=True) if nest is not None]
    if len(known) < len(group):
        return None
    apart: set[tuple[int, int]] = set()
    pairs = {(loops[a], loops[b]) for nest, loops in known for each in nest.groups for a, b in pairwise(each)}
    for a, b in pairs:
        for nest, loops in known:
            moving = [loop for each in nest.groups for loop in each]
            own = {loops[x]: loops[y] for each in nest.groups for x, y in pairwise(each)}
            present = {loops[loop] for loop in moving} & {a, b}
            if present and own.get(a) != b:
                apart.add((a, b))
    limited: list[OpLoops] = []
    for nest, loops in known:
        names = {loop: number for number, loop in enumerate(loops)}
        kept = frozenset((names[a], names[b]) for a, b in apart if a in names and b in names)
        limited.append(replace(nest, apart=kept))
    if not _agree(limited) or not any(nest.drops_window or any(len(g) > 1 for g in nest.groups) for nest in limited):
        return None
    result = [rewrite(nest) for nest in limited]
    for operation in result:
        _cancel_reshapes(operation)
    return result


def _agree(nests: Sequence[OpLoops]) -> bool:
    """Return whether what one op makes and another reads is collapsed alike by both."""
    made: dict[ir.Value, Groups] = {}
    for nest in nests:
        inputs = len(nest.indices) - len(nest.operation.results)
        for number in range(len(nest.indices)):
            value = nest.operation.operands[number]
            if value in made and (nest.views[number] is not None or nest.dimension_groups(number) != made[value]):
                return False
        for number, result in enumerate(nest.operation.results):
            made[result] = nest.dimension_groups(inputs + number)
    return True


def _cancel_reshapes(operation: ir.Operation) -> None:
    """Let an op read what a reshape of a reshape began with, where both undo each other."""
    for number, value in enumerate(operation.operands):
        outer = defining_op(value, "tensor.collapse_shape")
        inner = None if outer is None else defining_op(outer.operands[0], "tensor.expand_shape")
        if outer is None or inner is None or inner.operands[0].type != value.type:
            continue
        operation.operands[number] = inner.operands[0]
        for reshape in (outer, inner):
            if not any(True for _ in reshape.results[0].uses):
                reshape.erase()
