# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions about SSA values and operations that the bindings answer only in part, and how one is made or replaced."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, cast

from roller_mlir.support import bindings
from roller_mlir.support.bindings import ir

DYNAMIC = ir.ShapedType.get_dynamic_size()
"""What stands for an extent, an offset, a size or a stride that is known at run time only."""


def free_symbol(module: Any, name: str) -> str:
    """Return a name that no symbol of a module has: `name`, or `name_0`, `name_1` and so on."""
    return next(free_symbols(module, name))


def free_symbols(module: Any, name: str) -> Iterator[str]:
    """Yield names that no symbol of a module has as it is now: `name`, `name_0`, `name_1` and so on."""
    taken = {
        op.operation.attributes["sym_name"].value
        for op in module.body.operations
        if "sym_name" in op.operation.attributes
    }
    candidates = (name if number < 0 else f"{name}_{number}" for number in count(-1))
    return (candidate for candidate in candidates if candidate not in taken)


def defining_op(value: Any, name: str | None = None) -> Any:
    """Return the operation that gives a value.

    Args:
        value: An SSA value.
        name: When given, only an operation of this name counts.

    Returns:
        The operation (an `ir.Operation`), or None for a block argument or an operation of another name.
    """
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    operation = owner.operation  # an op of the bindings may have an attribute `name` of its own
    return operation if name is None or operation.name == name else None


def operations_inside(operation: Any) -> list[Any]:
    """Return an operation and all inside of it, outer ones first; whoever goes through them may erase and insert."""
    found: list[Any] = []

    def visit(inner: Any) -> Any:
        found.append(inner)
        return ir.WalkResult.ADVANCE

    operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def call_intrinsic(name: str, operands: Sequence[Any], result: Any = None) -> Any:
    """Emit a call of an intrinsic of LLVM; return its result, None where it has none.

    Args:
        name: Of the intrinsic, with the types that it is for.
        operands: Values of LLVM's types.
        result: The type of its result.
    """
    attributes: dict[str, ir.Attribute] = {
        "intrin": ir.StringAttr.get(name),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
    }
    results = [] if result is None else [result]
    found = ir.Operation.create("llvm.call_intrinsic", results=results, operands=list(operands), attributes=attributes)
    return found.results[0] if results else None


def indexing_maps(operation: ir.Operation) -> list[ir.AffineMap]:
    """Return the affine maps by which a linalg op reads and writes its operands; none where it has no loop nest."""
    maps: Any = cast(Any, bindings.linalg).get_indexing_maps(operation) or ()
    return [ir.AffineMapAttr(one).value for one in maps]


def replace_op(operation: Any, *values: Any) -> None:
    """Put values in the place of an operation's results, one of each, and erase the operation."""
    for result, value in zip(operation.results, values, strict=True):
        result.replace_all_uses_with(value)
    operation.erase()


def erase_unread(block: Any, may_go: Callable[[Any], bool]) -> None:
    """Erase the operations of a block that may go and whose results nothing reads, those behind others first."""
    for op in reversed(list(block.operations)):
        operation = op.operation
        if may_go(operation) and not any(True for result in operation.results for _ in result.uses):
            operation.erase()


def number_attribute(element: Any, value: float) -> Any:
    """Return a number as an attribute of an element type."""
    is_float = isinstance(element, ir.FloatType)
    return ir.FloatAttr.get(element, value) if is_float else ir.IntegerAttr.get(element, int(value))


def like(kind: Any, element: Any) -> Any:
    """Return an element type, or, in the place of a vector, a vector of as many of it."""
    return ir.VectorType.get(ir.VectorType(kind).shape, element) if isinstance(kind, ir.VectorType) else element


def is_static(value: Any) -> bool:
    """Return whether a value is no tensor of a shape that is known at run time only."""
    return not isinstance(value.type, ir.RankedTensorType) or ir.RankedTensorType(value.type).has_static_shape


def values_used(operation: Any) -> list[Any]:
    """Return the values of its block that an operation uses, those used inside of its regions too."""
    if not len(operation.regions) or operation.has_trait(ir.IsIsolatedFromAboveTrait):
        return list(operation.operands)
    home = operation.block
    found: dict[Any, None] = dict.fromkeys(operation.operands)

    for inner in operations_inside(operation):
        for value in inner.operands:
            owner = value.owner
            if (owner if isinstance(owner, ir.Block) else owner.operation.block) == home:
                found[value] = None
    return list(found)


def constant_of(value: Any) -> int | None:
    """Return the number that a value is; None: it is not known here."""
    operation = defining_op(value)
    if operation is None or operation.name not in ("arith.constant", "llvm.mlir.constant"):
        return None
    return int(ir.IntegerAttr(operation.attributes["value"]).value)
