# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions about MLIR types that the simulator asks: sizes in memory, memory spaces, LLVM spellings."""

from math import prod
from typing import Any

from roller_mlir.sim.engine.layout import Space
from roller_mlir.support.bindings import ir

_FLOATS = {"f64": "double", "f32": "float", "f16": "half", "bf16": "bfloat"}
_SPACES = {
    "#gpu.address_space<workgroup>": Space.WORKGROUP,
    "#gpu.address_space<private>": Space.OTHER,
    "#gpu.address_space<global>": Space.GLOBAL,
    "1 : i64": Space.GLOBAL,
    "3 : i64": Space.WORKGROUP,
    "5 : i64": Space.OTHER,
}
_ALLOCATES_PRIVATELY = "memref.alloca"
_VIEWS = frozenset({"memref.view", "memref.subview", "memref.cast", "memref.expand_shape", "memref.collapse_shape"})


def as_memref(kind: Any) -> Any:
    """Return the type as a memref type, or None where it is something else."""
    return kind if isinstance(kind, ir.MemRefType) else None


def size_bytes(kind: Any) -> int:
    """Return the bytes that a value of a scalar or vector type takes in memory."""
    if isinstance(kind, ir.VectorType):
        return int(prod(kind.shape)) * size_bytes(kind.element_type)
    if isinstance(kind, ir.IndexType):
        return 8
    return -(-int(kind.width) // 8)


def element_bytes(name: str) -> int:
    """Return the bytes of an element, by MLIR's name of its type.

    >>> element_bytes("bf16"), element_bytes("i1"), element_bytes("index")
    (2, 1, 8)
    """
    digits = "".join(letter for letter in name if letter.isdigit())
    return 8 if name == "index" else -(-int(digits) // 8)


def scalar_llvm_type(kind: Any) -> str | None:
    """Return LLVM's name of a scalar type, or None where the simulator cannot pass it to a kernel."""
    if isinstance(kind, ir.IndexType):
        return "i64"
    if isinstance(kind, ir.IntegerType) and kind.width in (1, 8, 16, 32, 64):
        return f"i{kind.width}"
    return _FLOATS.get(str(kind))


def space_of(memref: Any) -> Space | None:
    """Return the memory of a memref value, or None where its memory space is not known.

    A memref without a memory space is global, unless it is a view of an alloca.
    """
    space = as_memref(memref.type).memory_space
    if space is not None:
        return _SPACES.get(str(space))
    while not isinstance(memref, ir.BlockArgument):
        name = str(memref.owner.operation.name)
        if name == _ALLOCATES_PRIVATELY:
            return Space.OTHER
        if name not in _VIEWS:
            break
        memref = memref.owner.operands[0]
        if as_memref(memref.type).memory_space is not None:
            return space_of(memref)
    return Space.GLOBAL


def without_space(kind: Any) -> Any:
    """Return a memref type without its memory space, any other type as it is."""
    memref = as_memref(kind)
    if memref is None or memref.memory_space is None:
        return kind
    return ir.MemRefType.get(memref.shape, memref.element_type, layout=memref.layout)
