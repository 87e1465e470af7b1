# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `wmma` asks of a factor's tile: it reads a whole matrix by one address and one distance between rows.

Elements of a row are neighbours; the distance is positive and a multiple of 16 bytes, the address of 32. The planner
asks these functions before it chooses the instruction, the code generator before it emits one. Source: PTX ISA,
wmma.load.
"""

from collections.abc import Mapping, Sequence
from math import prod

from roller_mlir.hal.atoms.wmma import BASE_BYTES, SIDE
from roller_mlir.mapping.layout.data_tile import walked_alone
from roller_mlir.plan import Access

WMMA_PITCH_BYTES = 16
"""What the distance between its rows must be a multiple of."""


def holds_whole_matrices(access: Access, loops: tuple[int, int]) -> bool:
    """Return whether tiles of a factor hold matrices that can be read whole, whatever the size of the tiles.

    Args:
        access: The factor.
        loops: The loop of its rows or columns, and that of the reduction.

    >>> from roller_mlir.plan import LinearIndex
    >>> def tensor(*indices: LinearIndex) -> Access:
    ...     return Access("x", (99,) * len(indices), "f16", indices)
    >>> m, k = LinearIndex((1, 0)), LinearIndex((0, 1))
    >>> holds_whole_matrices(tensor(m, k), (0, 1)), holds_whole_matrices(tensor(LinearIndex((-1, 0), 98), k), (0, 1))
    (True, False)
    >>> holds_whole_matrices(tensor(LinearIndex((1, 1)), k), (0, 1))
    False
    """
    terms = [index.terms() for index in access.indices]
    if any(each.get(loop, 0) < 0 for each in terms for loop in loops):
        return False
    # A tile counts in steps of what its loop moves by: of a loop by itself, they are single ones.
    steps = [{loop: 1 if len(each) == 1 and k > 0 else k for loop, k in each.items()} for each in terms]
    last = len(steps) - 1
    return walked_alone(steps, last) in loops or any(walked_alone(steps, d) == loops[1] for d in range(last))


def matrix_pitch(
    terms: Sequence[Mapping[int, int]], shape: Sequence[int], loops: tuple[int, int], element_bytes: int
) -> int:
    """Return the elements between neighbouring rows of the matrices in a tile.

    Args:
        terms: Per dimension of the buffer, innermost last, {loop: tile elements per point of the loop}.
        shape: Extents of the buffer.
        loops: The loop of the factor's rows or columns, and that of the reduction.
        element_bytes: Of one element.

    Raises:
        ValueError: The tile does not hold whole matrices, or not where they can be read; the message says why.

    >>> matrix_pitch([{0: 1}, {1: 1}], (32, 40), (0, 1), 2)
    40
    """
    along = walked_alone(terms, len(terms) - 1)
    if along not in loops:
        raise ValueError("rows run along no single loop of the instruction")
    (across,) = set(loops) - {along}
    pitches = [prod(shape[number + 1 :]) for number in range(len(shape))]
    moved = {
        loop: sum(each.get(loop, 0) * pitch for each, pitch in zip(terms, pitches, strict=True))
        for loop in {loop for each in terms for loop in each}
    }
    pitch = moved.get(across, 0)
    if pitch < 1 or pitch * element_bytes % WMMA_PITCH_BYTES:
        raise ValueError(
            f"rows lie {pitch * element_bytes} B apart; the distance is positive and a multiple of {WMMA_PITCH_BYTES} B"
        )
    starts = [step * (SIDE if loop in loops else 1) for loop, step in moved.items()]
    loose = next((step for step in (*starts, prod(shape)) if step * element_bytes % BASE_BYTES), None)
    if loose is not None:
        raise ValueError(
            f"matrices begin {loose * element_bytes} B apart; their addresses are multiples of {BASE_BYTES} B"
        )
    return pitch
