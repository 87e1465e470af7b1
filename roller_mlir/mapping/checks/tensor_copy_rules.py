# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tensor copies ask of an operator whose factors a matrix instruction takes from workgroup memory.

A box of a tensor lies in lines of 128 bytes as `wgmma` reads them (`tensor_copy`). Sources: CUDA driver API,
cuTensorMapEncodeTiled; PTX ISA, sections "Tensors" and "Asynchronous warpgroup level matrix instructions".
"""

from collections.abc import Sequence

from roller_mlir.mapping.tensor_copy import (
    LINE_BYTES,
    MOST_BOX_ELEMENTS,
    MOST_DIMENSIONS,
    MOST_STEP,
    STORED_TYPES,
    STRIDE_BYTES,
)
from roller_mlir.plan import Access, TensorExpression


def tensor_copy_multiples(
    expression: TensorExpression, loops: tuple[int, int, int]
) -> tuple[tuple[int, int], ...] | None:
    """Return, per loop, what a tile must be a multiple of for its boxes to be whole lines; None where none can be.

    Args:
        expression: The operator, a sum of products of two factors.
        loops: The loops of rows, columns and reduction; boxes have one point of every other loop.
    """
    found: list[tuple[int, int]] = []
    changed = expression.prologue_flops or [0] * len(expression.inputs)
    for access, pad, operations in zip(expression.inputs, expression.pad_values, changed, strict=True):
        inner = _inner_loop(access, loops)
        if inner is None or operations or pad not in (None, 0.0) or not _ends_with(access, expression, loops[2]):
            return None
        found.append((inner, LINE_BYTES // access.element_bytes))
    return tuple(found)


def _ends_with(access: Access, expression: TensorExpression, depth: int) -> bool:
    """Return whether no element of the tensor lies beyond either end of the reduction where its steps reach further.

    Lines are whole steps: a longer reduction ends within one, and the first step begins before it.
    """
    extent = expression.loops[depth].extent
    if extent.divisor % (LINE_BYTES // access.element_bytes) == 0:
        return True
    for index, length in zip(access.indices, access.shape, strict=True):
        if index.coefficients[depth]:
            return (dict(index.terms()), index.constant, length) == ({depth: 1}, 0, extent)
    return True


def tensor_store_fits(expression: TensorExpression, row: int, column: int, beside: int = -1) -> bool:
    """Return whether tensor copies can write the results: of 16 bits, with the columns innermost, in aligned lines.

    Args:
        expression: The operator.
        row: The loop of the rows.
        column: The loop of the columns.
        beside: The loop that the subgroups of one instruction run along, -1 for that of its rows.
    """
    output = expression.output
    if output.element_type not in STORED_TYPES or expression.more_outputs or len(output.shape) > MOST_DIMENSIONS:
        return False
    pitch = output.element_bytes
    for extent in reversed(output.shape[1:]):
        pitch *= extent.divisor
        if pitch % STRIDE_BYTES:
            return False
    terms = [dict(index.terms()) for index in output.indices]
    plain = all(
        list(each.values()) in ([], [1]) and not i.constant for each, i in zip(terms, output.indices, strict=True)
    )
    if not plain or terms[-1] != {column: 1} or {row: 1} not in terms[:-1]:
        return False
    # Rows of one subgroup are neighbouring lines of a box, inside of the loop beside.
    return beside < 0 or {beside: 1} in terms[: terms.index({row: 1})]


def lines_follow(expression: TensorExpression, row: int, beside: int, depth: int) -> bool:
    """Return whether the lines of a factor's box, along two of its loops, lie one loop's points next to each other.

    Args:
        expression: The operator.
        row: The loop whose lines are neighbours.
        beside: The other loop.
        depth: The loop of the reduction, along which lines run.
    """
    if row == beside:
        return False
    access = next(one for one in expression.inputs if row in one.loops())
    places: dict[int, int] = {}
    for d, index in enumerate(access.indices):
        for loop in (row, beside, depth):
            step = index.coefficients[loop]
            if step and (loop in places or d in places.values() or not 1 <= step <= MOST_STEP):
                return False
            if step:
                places[loop] = d
    last = len(access.indices) - 1
    return len(places) == 3 and places[beside] < places[row] and places[depth] == last


def boxes_fit(accesses: Sequence[Access], blocks: Sequence[int]) -> bool:
    """Return whether the tiles of a step are boxes that one copy can bring: as long as it reaches along each dimension.

    Tiles are cut along their rows, line by line; each dimension runs along one loop of a box at most.
    """
    return all(
        abs(k) * blocks[loop] <= MOST_BOX_ELEMENTS
        for access in accesses
        for index in access.indices[:-1]
        for loop, k in index.terms().items()
        if blocks[loop] > 1
    )


def _inner_loop(access: Access, loops: tuple[int, int, int]) -> int | None:
    """Return which of the loops runs along the lines of a tensor's boxes, None where no box can be copied."""
    size = access.element_bytes
    pitch, placed = size, list[int]()
    if len(access.shape) > MOST_DIMENSIONS:
        return None
    inner: int | None = None
    for d in reversed(range(len(access.shape))):
        moved = [loop for loop in loops if access.indices[d].coefficients[loop]]
        if len(moved) > 1:
            return None
        if moved:
            (loop,) = moved
            step = access.indices[d].coefficients[loop]
            if not 1 <= step <= MOST_STEP or (loop in placed):
                return None
            placed.append(loop)
            if d == len(access.shape) - 1 and step == 1:
                inner = loop
        pitch *= access.shape[d].divisor
        if d and pitch % STRIDE_BYTES:
            return None
    # Factors of other types than 16 bits are read along the reduction only.
    return None if inner is None or (size != 2 and inner != loops[2]) else inner
