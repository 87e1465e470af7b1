# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the affine dialect that compute a position become operations of arith.

    %p = affine.apply (d0)[s0] -> (d0 * 4 + s0) (%i)[%n]       %m = arith.muli %i, 4   %p = arith.addi %m, %n
    %q = affine.min (d0) -> (8, d0) (%i)                       %q = arith.minsi 8, %i

Bodies compute them like any other numbers; at function level, those of constants fold.
"""

from typing import Any

from roller_mlir.lowering.linalg.front_end.indexed.positions import Positions, loop_extents
from roller_mlir.lowering.linalg.front_end.walk import operations_of, rebuild
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import indexing_maps

_JOINS = {"affine.apply": None, "affine.min": arith.minsi, "affine.max": arith.maxsi}


def compute_affine(module: ir.Module) -> None:
    """Replace the `affine.apply`, `affine.min` and `affine.max` of a module."""
    for operation in operations_of(module):
        if operation.name in _JOINS:
            rebuild(operation, _computed)


def _computed(operation: ir.Operation) -> ir.Value:
    affine_map = ir.AffineMapAttr(operation.attributes["map"]).value
    given: list[ir.Value] = list(operation.operands)
    dims, symbols = given[: affine_map.n_dims], given[affine_map.n_dims :]
    positions = _positions(operation)
    values = [positions.emit(result, dims, symbols) for result in affine_map.results]
    join: Any = _JOINS[operation.name]
    total = values[0]
    for value in values[1:]:
        total = join(total, value)
    return total


def _positions(operation: ir.Operation) -> Positions:
    """Return what reads positions in the linalg op whose body an operation is in, if it is in one."""
    parent: Any = operation.parent
    while parent is not None and parent.name != "func.func":
        if parent.name.startswith("linalg."):
            return Positions(loop_extents(indexing_maps(parent.operation), parent.operation))
        parent = parent.parent
    return Positions({})
