# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile.gather`: the element of a tensor at a position that is computed in a body.

The first operand is the argument of the enclosing body that stands for the tensor, which has one dimension; the body's
op reads it at the constant position 0, so that it is an operand like any other. The result is the element at
`position`, read without a sign and cut to the tensor's last element: no position reads outside of it.

    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>, affine_map<(i) -> (i)>], ...}
        ins(%numbers, %table : tensor<4xindex>, tensor<50xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: index, %t: f32, %o: f32):
      %x = "rtile.gather"(%t, %p) : (f32, index) -> f32
      linalg.yield %x : f32
    }

In an `rtile.compute` the argument's tile is the whole tensor, in registers' layer: read where an element is needed.
"""

from typing import Any

from roller_mlir.dialects.rtile.checks import InvalidOpError, hook_inside, known_attributes, require
from roller_mlir.dialects.rtile.dialect import ReadsMemrefs, RTile, Speculatable
from roller_mlir.support.bindings import ext, ir


class GatherOp(RTile.Operation, name="gather", traits=[ReadsMemrefs, Speculatable]):
    """Gives the element at a position. See the module's description."""

    table: ext.Operand[Any]
    position: ext.Operand[ir.IndexType]
    element: ext.Result[Any]  # pyrefly: ignore[bad-specialization] - the stub takes no type

    @hook_inside
    def verify_invariants(self) -> None:
        """Check that the first operand is an argument of the body, and the types."""
        known_attributes(self, ())
        if len(self.operands) != 2:
            raise InvalidOpError(f"needs an argument of its body and a position, but has {len(self.operands)}")
        table, position = self.operands
        require(
            isinstance(table.owner, ir.Block) and table.owner.owner == self.operation.parent,
            "needs an argument of the body that it stands in as its first operand",
        )
        if not isinstance(position.type, ir.IndexType):
            raise InvalidOpError(f"position must be an index, but is {position.type}")
        (result,) = self.results
        if result.type != table.type:
            raise InvalidOpError(f"result must be {table.type}, as the argument, but is {result.type}")


def gather(table: Any, position: Any) -> GatherOp:
    """Build an `rtile.gather`.

    Args:
        table: Argument of the enclosing body that stands for the tensor.
        position: Index value.
    """
    return ir.Operation.create("rtile.gather", results=[table.type], operands=[table, position]).opview
