# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How large the parameters of a lowered kernel are."""

from collections.abc import Iterable
from typing import Any

from roller_mlir.lowering.backend.kernels.tensor_maps import MAP_ALIGNMENT_BYTES
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES
from roller_mlir.support.bindings import ir

_POINTER_BYTES = 8


def parameter_bytes(kernel: Any) -> int:
    """Return how many bytes the parameters of a lowered kernel fill.

    Args:
        kernel: An llvm.func on pointers, scalars, and tensor maps by value.
    """
    arguments = list(kernel.regions[0].blocks[0].arguments)
    given: list[Any] = list(ir.ArrayAttr(kernel.attributes["arg_attrs"])) if "arg_attrs" in kernel.attributes else []
    by_value = {number for number, one in enumerate(given) if "llvm.byval" in ir.DictAttr(one)}
    return packed_bytes(
        (MAP_BYTES, MAP_ALIGNMENT_BYTES) if number in by_value else (_bytes(one.type),) * 2
        for number, one in enumerate(arguments)
    )


def packed_bytes(fields: Iterable[tuple[int, int]]) -> int:
    """Return where the last of some fields ends that lie behind each other, each given by its size and alignment in B.

    >>> packed_bytes([(8, 8), (4, 4), (8, 8)]), packed_bytes([(8, 8), (128, 64)])
    (24, 192)
    """
    end = 0
    for size, alignment in fields:
        end = -(-end // alignment) * alignment + size
    return end


def _bytes(kind: Any) -> int:
    if isinstance(kind, (ir.IntegerType, ir.FloatType)):
        return -(-kind.width // 8)
    return _POINTER_BYTES
