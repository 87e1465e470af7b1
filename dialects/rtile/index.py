# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile.index`: the position of the point that is computed, on one loop of the enclosing `rtile.compute`.

Its value is origin(indices) + p on loop `dim`, for the point p of the box: what `linalg.index` is in a linalg body.

    %s = "rtile.compute"(%xt, %z, %i) ({
    ^bb0(%x: f32, %o: f32):
      %p = "rtile.index"() {dim = 0 : i64} : () -> index
      ...
    }) {..., origin = affine_map<(d0) -> (d0 * 128)>, ...}
"""

from typing import Any

from roller_mlir.dialects.rtile.checks import InvalidOpError, hook_inside, known_attributes, required_attribute
from roller_mlir.dialects.rtile.dialect import ReadsMemrefs, RTile, Speculatable
from roller_mlir.support.bindings import ext, ir


class IndexOp(RTile.Operation, name="index", traits=[ReadsMemrefs, Speculatable]):
    """Gives the position on a loop. See the module's description."""

    dim: Any
    position: ext.Result[ir.IndexType]  # pyrefly: ignore[bad-specialization] - the stub takes no type

    @property
    def loop(self) -> int:
        """The loop of the enclosing compute."""
        return ir.IntegerAttr(self.attributes["dim"]).value

    @hook_inside
    def verify_invariants(self) -> None:
        """Check the attribute, and that it stands directly in an `rtile.compute` that has the loop."""
        dim = required_attribute(self, "dim", ir.IntegerAttr, "an integer")
        known_attributes(self, ("dim",))
        parent = self.operation.parent
        name = parent.operation.name
        if name != "rtile.compute":
            raise InvalidOpError(f"must stand in the region of an 'rtile.compute', but stands in '{name}'")
        if "iterator_types" not in parent.attributes:
            return  # an error of the compute's
        loops = len(parent.attributes["iterator_types"])
        known = f"dim must be a loop of its 'rtile.compute', 0 to {loops - 1}"
        if not 0 <= dim.value < loops:
            raise InvalidOpError(f"{known}, but is {dim.value}")


def index(dim: int, *, loc: Any = None) -> IndexOp:
    """Build an `rtile.index`.

    Args:
        dim: Number of the loop.
        loc: Location; the current one where None.
    """
    return ir.Operation.create(
        "rtile.index",
        results=[ir.IndexType.get()],
        attributes={"dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dim)},
        loc=loc,
    ).opview
