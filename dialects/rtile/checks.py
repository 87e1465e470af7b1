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
"""Contexts whose programs are being verified, after equal ones were: see `checked`."""


def is_checked(op: Any) -> bool:
    """Return whether an op says what was found right in an equal program, so that it need not be looked at again."""
    return bool(_checked) and op.context in _checked


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
    """Raise `InvalidOpError(message)` unless the condition holds.

    It is for messages that cost nothing: one that shows a type or an attribute is made where the rule is broken.
    """
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
    if not isinstance(attribute, kind):
        raise InvalidOpError(f"attribute '{name}' must be {shown}, but is {attribute}")
    return attribute


def known_attributes(op: Any, names: Iterable[str]) -> None:
    """Refuse attributes that the op does not know; those of a dialect ("x.y") are anybody's."""
    known = set(names)
    for name in sorted(op.attributes):
        if "." not in name and name not in known:
            others = ", ".join(sorted(known)) or "none"
            raise InvalidOpError(f"has unknown attribute '{name}'; known are {others}")


def static_shape(kind: Any, what: str) -> tuple[int, ...]:
    """Return the shape of a ranked tensor or memref type without dynamic or empty dimensions."""
    if not isinstance(kind, (ir.RankedTensorType, ir.MemRefType)):
        raise InvalidOpError(f"{what} must be a ranked tensor or memref, but is {kind}")
    shaped = ir.ShapedType(kind)
    if not shaped.has_static_shape:
        raise InvalidOpError(f"{what} must have a static shape, but is {kind}")
    shape = tuple(shaped.shape)
    if not all(extent > 0 for extent in shape):
        raise InvalidOpError(f"{what} must have dimensions of at least 1, but is {kind}")
    return shape


def tile_shape(kind: Any, what: str) -> tuple[int, ...]:
    """Return the shape of a tile, which is a ranked tensor."""
    if not isinstance(kind, ir.RankedTensorType):
        raise InvalidOpError(f"{what} must be a ranked tensor, but is {kind}")
    return static_shape(kind, what)


def element_type(kind: Any) -> Any:
    """Return the element type of a ranked tensor or memref."""
    return ir.ShapedType(kind).element_type


def check_map(attribute: Any, what: str, *, dimensions: int, of: str, results: int, to: str) -> Any:
    """Check the arity of an affine map attribute and return the map."""
    if not isinstance(attribute, ir.AffineMapAttr):
        raise InvalidOpError(f"{what} must be an affine map, but is {attribute}")
    affine_map = attribute.value
    if affine_map.n_symbols != 0:
        raise InvalidOpError(f"{what} must not have symbols, but has {affine_map.n_symbols}")
    if affine_map.n_dims != dimensions:
        raise InvalidOpError(f"{what} needs {dimensions} dimensions, one per {of}, but has {affine_map.n_dims}")
    count = len(affine_map.results)
    if count != results:
        raise InvalidOpError(f"{what} needs {results} results, one per {to}, but has {count}")
    return affine_map


def check_index_operands(operands: Sequence[Any]) -> None:
    """Check that loop positions are index values."""
    for operand in operands:
        if not isinstance(operand.type, ir.IndexType):
            raise InvalidOpError(f"tile positions must be of type index, but one is {operand.type}")


def integers(attribute: Any, what: str, *, at_least: int = 1) -> tuple[int, ...]:
    """Return an array of integers (`[1, 2]` or `array<i64: 1, 2>`), each `at_least` so large."""
    if isinstance(attribute, ir.DenseI64ArrayAttr):
        values = tuple(attribute)
    else:
        if not isinstance(attribute, ir.ArrayAttr):
            raise InvalidOpError(f"{what} must be an array of integers, but is {attribute}")
        elements: tuple[Any, ...] = tuple(attribute)
        if not all(isinstance(e, ir.IntegerAttr) for e in elements):
            raise InvalidOpError(f"{what} must be an array of integers, but is {attribute}")
        values = tuple(element.value for element in elements)
    for value in values:
        if value < at_least:
            raise InvalidOpError(f"{what} must hold integers of at least {at_least}, but holds {value}")
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
        if needed:
            raise InvalidOpError(f"requires attribute 'operandSegmentSizes' (array<i32: ...>) for its groups {groups}")
        return None
    attribute = op.attributes["operandSegmentSizes"]
    if not isinstance(attribute, ir.DenseI32ArrayAttr):
        raise InvalidOpError(f"operandSegmentSizes must be array<i32: ...>, but is {attribute}")
    sizes = tuple(attribute)
    if len(sizes) != len(names):
        raise InvalidOpError(f"operandSegmentSizes needs {len(names)} sizes ({groups}), but has {len(sizes)}")
    if not all(size >= 0 for size in sizes):
        raise InvalidOpError(f"operandSegmentSizes must not be negative, but is {attribute}")
    if sum(sizes) != len(op.operands):
        raise InvalidOpError(
            f"operandSegmentSizes must sum to the {len(op.operands)} operands, but sums to {sum(sizes)}"
        )
    for name, single, size in zip(names, singles, sizes, strict=True):
        if single and size != 1:
            raise InvalidOpError(f"needs exactly 1 operand as {name}, but operandSegmentSizes gives {size}")
    return sizes


def single_block(op: Any) -> Any:
    """Return the only block of the region of `op`."""
    blocks = list(op.regions[0].blocks)
    if len(blocks) != 1:
        raise InvalidOpError(f"needs a region of 1 block, but it has {len(blocks)}")
    return blocks[0]


def check_yield(block: Any, kinds: Sequence[Any], what: str) -> None:
    """Check that `block` ends in an rtile.yield of values of these types."""
    operations = list(block.operations)
    last = operations[-1].operation.name
    if last != "rtile.yield":
        raise InvalidOpError(f"region must end in 'rtile.yield', but ends in '{last}'")
    yielded = [operand.type for operand in operations[-1].operands]
    check_types(yielded, kinds, "'rtile.yield' operands", what)


def check_types(found: Sequence[Any], expected: Sequence[Any], what: str, reference: str) -> None:
    """Check two lists of types against each other."""
    if len(found) != len(expected):
        raise InvalidOpError(f"needs {len(expected)} {what}, one per {reference}, but has {len(found)}")
    for number, (kind, wanted) in enumerate(zip(found, expected, strict=True)):
        if kind != wanted:
            raise InvalidOpError(
                f"{what} must have the types of the {reference}s: number {number} is {kind}, not {wanted}"
            )
