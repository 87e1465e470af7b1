# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the verifiers of the `rtile` dialect share: one located message per fault, and typed access to raw operations.

Hooks run before the checks that MLIR generates from the op definitions, so that nothing may be taken for granted: every
access goes through these helpers, and whatever else escapes from a hook still becomes a diagnostic.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

from roller_mlir.support.bindings import ir


class InvalidOpError(Exception):
    """A rule that an operation breaks.

    Attributes:
        location: Where to report it when that is not the operation itself.
    """

    def __init__(self, message: str, location: Any = None):
        super().__init__(message)
        self.location = location


_checked: list[Any] = []
"""Contexts whose programs are being verified, after equal ones were: see `verify_module`."""


def is_checked(op: Any) -> bool:
    """Return whether an op says what was found right in an equal program, so that it need not be looked at again."""
    return bool(_checked) and any(op.context is context for context in _checked)


@contextmanager
def checked(context: Any) -> Generator[None]:
    """Let hooks take it that what programs hold is right: all of them are equal to some that were checked."""
    _checked.append(context)
    try:
        yield
    finally:
        _checked.remove(context)


def hook(check: Callable[[Any], None]) -> Callable[[Any], bool]:
    """Turn a check that raises `InvalidOpError` into a verifier hook that reports and returns False."""

    @wraps(check)
    def verify(op: Any) -> bool:
        try:
            with op.location:
                check(op)
        except InvalidOpError as error:
            (error.location or op.location).emit_error(f"'{op.operation.name}' op {error}")
            return False
        except Exception as error:  # noqa: BLE001 - what escaped would leave the parser without a location
            op.location.emit_error(f"'{op.operation.name}' op cannot be verified: {type(error).__name__}: {error}")
            return False
        return True

    return verify


def hook_inside(check: Callable[[Any], None]) -> Callable[[Any], bool]:
    """Turn a check of an op inside of a program, by what the program says alone, into a verifier hook."""
    whole = hook(check)

    @wraps(check)
    def verify(op: Any) -> bool:
        return is_checked(op) or whole(op)

    return verify


def require(condition: bool, message: str) -> None:
    """Raise `InvalidOpError(message)` unless the condition holds."""
    if not condition:
        raise InvalidOpError(message)


def required_attribute(op: Any, name: str, kind: Any, shown: str) -> Any:
    """Return attribute `name` of `op`, which must be a `kind`; `shown` is how the message calls the kind."""
    if name not in op.attributes:
        raise InvalidOpError(f"requires attribute '{name}' ({shown})")
    return optional_attribute(op, name, kind, shown)


def optional_attribute(op: Any, name: str, kind: Any, shown: str) -> Any:
    """Return attribute `name` of `op` or None where it is absent."""
    if name not in op.attributes:
        return None
    attribute = op.attributes[name]
    require(isinstance(attribute, kind), f"attribute '{name}' must be {shown}, but is {attribute}")
    return attribute


def known_attributes(op: Any, names: Iterable[str]) -> None:
    """Refuse attributes that the op does not know; those of a dialect ("x.y") are anybody's."""
    known = set(names)
    for name in sorted(op.attributes):
        others = ", ".join(sorted(known)) or "none"
        require("." in name or name in known, f"has unknown attribute '{name}'; known are {others}")


def static_shape(kind: Any, what: str) -> tuple[int, ...]:
    """Return the shape of a ranked tensor or memref type without dynamic or empty dimensions."""
    require(
        isinstance(kind, (ir.RankedTensorType, ir.MemRefType)),
        f"{what} must be a ranked tensor or memref, but is {kind}",
    )
    shaped = ir.ShapedType(kind)
    require(shaped.has_static_shape, f"{what} must have a static shape, but is {kind}")
    shape = tuple(shaped.shape)
    require(all(extent > 0 for extent in shape), f"{what} must have dimensions of at least 1, but is {kind}")
    return shape


def tile_shape(kind: Any, what: str) -> tuple[int, ...]:
    """Return the shape of a tile, which is a ranked tensor."""
    require(isinstance(kind, ir.RankedTensorType), f"{what} must be a ranked tensor, but is {kind}")
    return static_shape(kind, what)


def element_type(kind: Any) -> Any:
    """Return the element type of a ranked tensor or memref."""
    return ir.ShapedType(kind).element_type


def check_map(attribute: Any, what: str, *, dimensions: int, of: str, results: int, to: str) -> Any:
    """Check the arity of an affine map attribute and return the map."""
    require(isinstance(attribute, ir.AffineMapAttr), f"{what} must be an affine map, but is {attribute}")
    affine_map = attribute.value
    require(affine_map.n_symbols == 0, f"{what} must not have symbols, but has {affine_map.n_symbols}")
    require(
        affine_map.n_dims == dimensions,
        f"{what} needs {dimensions} dimensions, one per {of}, but has {affine_map.n_dims}",
    )
    count = len(affine_map.results)
    require(count == results, f"{what} needs {results} results, one per {to}, but has {count}")
    return affine_map


def check_index_operands(operands: Sequence[Any]) -> None:
    """Check that loop positions are index values."""
    for operand in operands:
        require(
            isinstance(operand.type, ir.IndexType), f"tile positions must be of type index, but one is {operand.type}"
        )


def integers(attribute: Any, what: str, *, at_least: int = 1) -> tuple[int, ...]:
    """Return an array of integers (`[1, 2]` or `array<i64: 1, 2>`), each `at_least` so large."""
    if isinstance(attribute, ir.DenseI64ArrayAttr):
        values = tuple(attribute)
    else:
        require(isinstance(attribute, ir.ArrayAttr), f"{what} must be an array of integers, but is {attribute}")
        elements = tuple(attribute)
        require(
            all(isinstance(e, ir.IntegerAttr) for e in elements),
            f"{what} must be an array of integers, but is {attribute}",
        )
        values = tuple(element.value for element in elements)
    for value in values:
        require(value >= at_least, f"{what} must hold integers of at least {at_least}, but holds {value}")
    return values


def check_segments(op: Any, names: Sequence[str], singles: Sequence[bool], *, needed: bool) -> tuple[int, ...] | None:
    """Check operandSegmentSizes against the operand count.

    Args:
        op: The operation.
        names: What each group holds.
        singles: Per group, whether it holds exactly one operand.
        needed: Whether the attribute must be there.

    Returns:
        The group sizes, None where the attribute is absent and not needed.
    """
    groups = ", ".join(names)
    if "operandSegmentSizes" not in op.attributes:
        require(not needed, f"requires attribute 'operandSegmentSizes' (array<i32: ...>) for its groups {groups}")
        return None
    attribute = op.attributes["operandSegmentSizes"]
    require(
        isinstance(attribute, ir.DenseI32ArrayAttr), f"operandSegmentSizes must be array<i32: ...>, but is {attribute}"
    )
    sizes = tuple(attribute)
    require(len(sizes) == len(names), f"operandSegmentSizes needs {len(names)} sizes ({groups}), but has {len(sizes)}")
    require(all(size >= 0 for size in sizes), f"operandSegmentSizes must not be negative, but is {attribute}")
    require(
        sum(sizes) == len(op.operands),
        f"operandSegmentSizes must sum to the {len(op.operands)} operands, but sums to {sum(sizes)}",
    )
    for name, single, size in zip(names, singles, sizes, strict=True):
        require(not single or size == 1, f"needs exactly 1 operand as {name}, but operandSegmentSizes gives {size}")
    return sizes


def single_block(op: Any) -> Any:
    """Return the only block of the region of `op`."""
    blocks = list(op.regions[0].blocks)
    require(len(blocks) == 1, f"needs a region of 1 block, but it has {len(blocks)}")
    return blocks[0]


def check_yield(block: Any, kinds: Sequence[Any], what: str) -> None:
    """Check that `block` ends in an rtile.yield of values of these types."""
    operations = list(block.operations)
    last = operations[-1].operation.name
    require(last == "rtile.yield", f"region must end in 'rtile.yield', but ends in '{last}'")
    yielded = [operand.type for operand in operations[-1].operands]
    check_types(yielded, kinds, "'rtile.yield' operands", what)


def check_types(found: Sequence[Any], expected: Sequence[Any], what: str, reference: str) -> None:
    """Check two lists of types against each other."""
    require(len(found) == len(expected), f"needs {len(expected)} {what}, one per {reference}, but has {len(found)}")
    for number, (kind, wanted) in enumerate(zip(found, expected, strict=True)):
        require(
            kind == wanted, f"{what} must have the types of the {reference}s: number {number} is {kind}, not {wanted}"
        )
