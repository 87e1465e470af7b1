# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which elements of a loaded vector anything uses: a wide load may cover elements that nobody has written or needs."""

from typing import Any

from roller_mlir.support.bindings import ir

_LANE_BY_LANE = ("arith.", "math.")
_LANE_BY_LANE_TOO = frozenset({"vector.fma"})
_PASSES_ON = {"scf.yield": 0, "scf.condition": 1}
"""Operations that hand their operands to an operation around them, and how many operands come before those."""


def unused_lanes(value: Any) -> int:
    """Return a bit for each element of a vector of rank 1 that nothing uses; 0 for anything else.

    What an operation that is not known here takes, it uses.
    """
    kind = value.type
    if not isinstance(kind, ir.VectorType) or kind.rank != 1:
        return 0
    every = (1 << kind.shape[0]) - 1
    return every & ~_used(value, set())


def _used(value: Any, seen: set[Any]) -> int:
    every = (1 << value.type.shape[0]) - 1
    if value in seen:
        return 0
    seen.add(value)
    found = 0
    for use in value.uses:
        found |= _used_by(value, use.owner.operation, use.operand_number, every, seen)
    return found


def _used_by(value: Any, operation: Any, operand: int, every: int, seen: set[Any]) -> int:
    """Return the elements of its operand that an operation uses."""
    name = str(operation.name)
    if name == "vector.extract":
        position = list(ir.DenseI64ArrayAttr(operation.attributes["static_position"]))
        static = len(position) == 1 and position[0] != ir.ShapedType.get_dynamic_size()
        return 1 << position[0] if static else every
    if name == "vector.extract_strided_slice":
        offset, size = (_first(operation, which) for which in ("offsets", "sizes"))
        return (_used(operation.results[0], seen) & ((1 << size) - 1)) << offset
    if name == "vector.shuffle":
        return _through_shuffle(operation, operand, seen)
    if name in _PASSES_ON:
        return _through_yield(operation, operand - _PASSES_ON[name], every, seen)
    if name.startswith(_LANE_BY_LANE) or name in _LANE_BY_LANE_TOO:
        result = operation.results[0]
        if isinstance(result.type, ir.VectorType) and list(result.type.shape) == list(value.type.shape):
            return _used(result, seen)
    return every


def _first(operation: Any, name: str) -> int:
    return int(ir.IntegerAttr(ir.ArrayAttr(operation.attributes[name])[0]).value)


def _through_shuffle(operation: Any, operand: int, seen: set[Any]) -> int:
    mask = list(ir.DenseI64ArrayAttr(operation.attributes["mask"]))
    used = _used(operation.results[0], seen)
    lanes: tuple[int, ...] = tuple(value.type.shape[0] for value in operation.operands)
    start = sum(lanes[:operand])
    return sum(
        {1 << lane - start for n, lane in enumerate(mask) if used >> n & 1 and 0 <= lane - start < lanes[operand]}
    )


def _through_yield(operation: Any, number: int, every: int, seen: set[Any]) -> int:
    """Follow a value out of the region of an scf.if, or around an scf.for."""
    around = operation.parent.operation
    if number < 0 or around.name not in ("scf.if", "scf.for"):
        return every
    found = _used(around.results[number], seen)
    if around.name == "scf.for":
        found |= _used(around.regions[0].blocks[0].arguments[1 + number], seen)
    return found
