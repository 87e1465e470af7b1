# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What copies of whole tiles ask of an operator whose factors a matrix instruction takes from workgroup memory.

One thread starts the copy of a box of a tensor (NVIDIA's tensor memory accelerator), which lies in lines of 128 bytes,
their 16-byte pieces permuted, as `wgmma` reads them. Sources: CUDA driver API, cuTensorMapEncodeTiled; PTX ISA, sections
"Tensors" and "Asynchronous warpgroup level matrix instructions".
"""

from roller_mlir.plan import Access, TensorExpression

LINE_BYTES = 128
"""Bytes of a box along the tensor's rows."""

PITCH_BYTES = 16
"""What divides the bytes from one row of the tensor to the next."""

LONGEST_STEP = 8
"""Tensor elements between neighbours of a box, at most."""

MOST_DIMENSIONS = 5
"""Dimensions of a tensor, at most."""


def tensor_copy_multiples(
    expression: TensorExpression, loops: tuple[int, int, int]
) -> tuple[tuple[int, int], ...] | None:
    """Return, per loop, what a tile must be a multiple of for its boxes to be whole lines; None where none can be.

    Args:
        expression: The operator, a sum of products of two factors.
        loops: The loops of rows, columns and reduction; boxes have one point of every other loop.
    """
    found: list[tuple[int, int]] = []
    changed = expression.prologue_flops or (0,) * len(expression.inputs)
    for access, pad, operations in zip(expression.inputs, expression.pad_values, changed, strict=True):
        inner = _inner_loop(access, loops)
        if inner is None or operations or pad not in (None, 0.0):
            return None
        found.append((inner, LINE_BYTES // access.element_bytes))
    return tuple(found)


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
            if not 1 <= step <= LONGEST_STEP or (loop in placed):
                return None
            placed.append(loop)
            if d == len(access.shape) - 1 and step == 1:
                inner = loop
        pitch *= access.shape[d]
        if d and pitch % PITCH_BYTES:
            return None
    # Factors of other types than 16 bits are read along the reduction only.
    return None if inner is None or (size != 2 and inner != loops[2]) else inner
