# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operations of a kernel run, and what is too large: what could end the process is refused before it runs.

Before: any operation of `arith`, `math`, `vector`, ..., private memory of any size, `memref.global` that others define.
After:  the same kernel, or an error with a place: "'cf.assert' is not known to the simulator".
"""

from math import prod
from typing import Any

from roller_mlir.sim.gpu.memory_types import as_memref, size_bytes
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

MOST_LANES = 1024
"""Most elements of a vector."""
WIDEST_INTEGER = 128
"""Widest integer, in bits."""
MOST_PRIVATE_BYTES = 64 << 10
"""Most memory that a kernel allocates for each thread, in bytes."""
MOST_WORKGROUP_BYTES = 1 << 20
"""Most workgroup memory of a block, in bytes; no device has as much."""
MOST_CONSTANT_BYTES = 64 << 20
"""Largest `memref.global`, in bytes."""

_PURE_DIALECTS = ("arith.", "index.", "math.", "vector.")
_OPERATIONS = frozenset({
    "affine.apply", "affine.delinearize_index", "affine.linearize_index", "affine.max", "affine.min",
    "affine.load", "affine.store", "affine.vector_load", "affine.vector_store",
    "cf.br", "cf.cond_br", "cf.switch", "ub.poison",
    "llvm.bitcast", "llvm.extractelement", "llvm.extractvalue", "llvm.fence", "llvm.insertelement",
    "llvm.insertvalue", "llvm.intr.assume", "llvm.mlir.addressof", "llvm.mlir.constant", "llvm.mlir.poison",
    "llvm.mlir.undef", "llvm.mlir.zero",
    "scf.condition", "scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while", "scf.yield",
})  # fmt: skip
_REFUSED = frozenset({"vector.print", "vector.scalable.extract", "vector.scalable.insert", "vector.vscale"})
_OURS = ("roller_", "kernel_")


def is_plain(name: str) -> bool:
    """Return whether an operation runs as it is, where it touches no memory."""
    return name not in _REFUSED and (name.startswith(_PURE_DIALECTS) or name in _OPERATIONS)


class KernelLimits:
    """What one kernel has taken of what it may."""

    def __init__(self, function: Any) -> None:
        """Take the kernel."""
        self._entry = function.regions[0].blocks[0]
        self._private_bytes = 0

    def check(self, operation: Any) -> None:
        """Refuse an operation whose types are too wide, or that allocates too much.

        Raises:
            DiagnosedError: It does.
        """
        for value in (*operation.operands, *operation.results):
            check_type(operation, value.type)
        for region in operation.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    check_type(operation, argument.type)
        if str(operation.name) == "memref.alloca":
            self._allocate(operation)

    def _allocate(self, operation: Any) -> None:
        memref = operation.results[0].type
        if not memref.has_static_shape or list(operation.operands):
            fail(operation, f"'memref.alloca' must have a static shape in the simulator, but got {memref}")
        if operation.block != self._entry:
            fail(operation, "'memref.alloca' must be in the first block of the kernel in the simulator")
        self._private_bytes += prod(memref.shape) * size_bytes(memref.element_type)
        if self._private_bytes > MOST_PRIVATE_BYTES:
            need = f"threads need {self._private_bytes} B of memory of their own"
            fail(operation, f"{need}, which is above the limit of {MOST_PRIVATE_BYTES} B; allocate less")


def check_type(operation: Any, kind: Any) -> None:
    """Refuse integers and vectors that are too wide, and vectors of any length.

    Raises:
        DiagnosedError: The type is.
    """
    memref = as_memref(kind)
    if memref is not None:
        kind = memref.element_type
    if isinstance(kind, ir.VectorType):
        if any(kind.scalable_dims) if kind.scalable else False:
            fail(operation, f"the simulator knows no vectors of any length, but got {kind}")
        if prod(kind.shape) > MOST_LANES:
            fail(operation, f"{kind} has {prod(kind.shape)} elements, which is above the limit of {MOST_LANES}")
        kind = kind.element_type
    if isinstance(kind, ir.IntegerType) and kind.width > WIDEST_INTEGER:
        fail(operation, f"{kind} is above the limit of {WIDEST_INTEGER} bits of an integer")


def check_global(operation: Any) -> None:
    """Refuse a `memref.global` that the module does not define, or with a name of ours.

    Raises:
        DiagnosedError: It is such.
    """
    name = str(ir.StringAttr(operation.attributes["sym_name"]).value)
    memref: Any = ir.TypeAttr(operation.attributes["type"]).value
    if "initial_value" not in operation.attributes:
        fail(operation, f"'{name}' is defined nowhere: a 'memref.global' must have a value in the simulator")
    if name.startswith(_OURS) or not name.replace("_", "").isalnum():
        fail(operation, f"a 'memref.global' cannot be called '{name}' in the simulator; rename it")
    check_type(operation, memref)
    size = prod(memref.shape) * size_bytes(memref.element_type)
    if size > MOST_CONSTANT_BYTES:
        fail(operation, f"'{name}' has {size} B, which is above the limit of {MOST_CONSTANT_BYTES} B")
    operation.attributes["sym_visibility"] = ir.StringAttr.get("private")
