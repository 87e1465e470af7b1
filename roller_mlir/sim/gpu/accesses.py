# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts a check before every operation of a kernel that touches memory, which also logs the access for the counter.

Indices are checked against the memref's own shape, so that an index outside a row is found even where the address is
inside the buffer. An operation on memory that has no check here is refused: nothing runs unchecked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

from roller_mlir.sim.engine.layout import ShadowAccess, Space, shadow_access_word
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.engine.sites import Site
from roller_mlir.sim.gpu.emit import KernelEmitter
from roller_mlir.sim.gpu.kernel_ir import INLINE, access_name
from roller_mlir.sim.gpu.memory_types import as_memref, size_bytes, space_of
from roller_mlir.sim.gpu.pointers import atomicity, blindness, space_of_pointer
from roller_mlir.sim.gpu.used_lanes import unused_lanes
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import operations_inside

WIDEST_INSTRUCTION_BYTES = 16
"""Wider vectors are counted as several accesses of this width."""


@dataclass(frozen=True)
class _OperationAccess:
    """How an operation accesses memory: its kind, and which operand is the memref."""

    kind: str
    memref: int


_ACCESSES = {
    "memref.load": _OperationAccess("load", 0),
    "memref.store": _OperationAccess("store", 1),
    "memref.atomic_rmw": _OperationAccess("atomic", 1),
    "memref.generic_atomic_rmw": _OperationAccess("atomic", 0),
    "vector.load": _OperationAccess("load", 0),
    "vector.store": _OperationAccess("store", 1),
}
_POINTERS = {
    "llvm.load": _OperationAccess("load", 0),
    "llvm.store": _OperationAccess("store", 1),
    "llvm.atomicrmw": _OperationAccess("atomic", 0),
    "llvm.cmpxchg": _OperationAccess("atomic", 0),
}
TOUCHES = {
    "load": ("touch_load", ShadowAccess.READ),
    "store": ("touch_store", ShadowAccess.WRITE),
    "atomic": ("touch", ShadowAccess.READ | ShadowAccess.WRITE | ShadowAccess.ATOMIC),
}
"""What accesses do, and the sanitizer's function for it. Atomics on memrefs order nothing: no target promises it."""

_VIEWS = {"memref.view", "memref.subview"}
_HARMLESS = {
    "memref.alloca", "memref.assume_alignment", "memref.collapse_shape", "memref.dim", "memref.expand_shape",
    "memref.extract_aligned_pointer_as_index", "memref.extract_strided_metadata", "memref.get_global",
    "memref.memory_space_cast", "memref.prefetch", "llvm.addrspacecast", "llvm.getelementptr", "llvm.inttoptr",
    "llvm.ptrtoint", "llvm.intr.assume", "llvm.icmp", "memref.atomic_yield", "arith.select", "scf.for", "scf.if",
    "scf.index_switch", "scf.while", "scf.yield", "scf.condition", "cf.br", "cf.cond_br", "gpu.return",
    "gpu.dynamic_shared_memory",
}  # fmt: skip
_BRANCHES = {"scf.for", "scf.if", "scf.index_switch", "scf.while"}
"""Operations inside of which lanes part: of a loop, one lane may do fewer iterations than another."""


def _is_masked_copy(operation: Any) -> bool:
    """Return whether lanes may copy nothing by it."""
    if operation.name != "nvgpu.device_async_copy":
        return False
    return list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))[-1] > 0


@dataclass
class Instrumenter:
    """Checks the memory operations of one kernel.

    Attributes:
        emitter: Emits into the kernel.
        check: Whether accesses are checked.
        log: Whether accesses are logged.
        sanitize: Whether the sanitizer sees accesses; they are checked, too.
    """

    takes: ClassVar[tuple[str, ...]] = ("",)  # all: what touches memory and has no check is refused

    emitter: KernelEmitter
    check: bool
    log: bool
    sanitize: bool

    @staticmethod
    def knows(name: str) -> bool:
        """Return whether an operation of this name is handled here, or needs no handling."""
        return name in _HARMLESS or name in _ACCESSES or name in _POINTERS or name in _VIEWS or name == "memref.cast"

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return what `operation` needs, to be done after memory spaces are dropped; None: nothing.

        Raises:
            DiagnosedError: The simulator cannot check the operation.
        """
        name = str(operation.name)
        if name in _ACCESSES:
            return self._plan_access(operation, _ACCESSES[name])
        if name in _POINTERS:
            return self._plan_pointer(operation, _POINTERS[name])
        if name == "scf.yield":
            return self._plan_iteration(operation)
        if name in _VIEWS:
            site = self.emitter.site(operation)
            return (lambda: self._view(operation, site.number)) if self.check else None
        if name == "memref.cast":
            self._require_loosening(operation)
        elif name not in _HARMLESS and any(
            isinstance(value.type, ir.MemRefType) or str(value.type).startswith("!llvm.ptr")
            for value in (*operation.operands, *operation.results)
        ):
            fail(operation, f"'{name}' touches memory in a way that the simulator does not know")
        return None

    @staticmethod
    def _require_loosening(operation: Any) -> None:
        source, result = operation.operands[0].type, as_memref(operation.results[0].type)
        dynamic = ir.ShapedType.get_dynamic_size()
        if result is None or any(to not in (dynamic, of) for to, of in zip(result.shape, source.shape, strict=True)):
            fail(operation, f"'memref.cast' must not claim a static extent, but casts {source} to {result}")

    def _plan_iteration(self, operation: Any) -> Callable[[], None] | None:
        """Plan the record by which lanes that skipped accesses of an iteration wait for the others at its end."""
        loop = operation.parent
        if not self.log or loop.name not in ("scf.for", "scf.while"):
            return None
        if not any(inside.name in _BRANCHES or _is_masked_copy(inside) for inside in operations_inside(loop)[1:]):
            return None  # all lanes do the same
        number = self.emitter.site(operation).number
        return lambda: self.emitter.call(ir.InsertionPoint(operation), f"{PREFIX}log", [number, 0])

    def _plan_access(self, operation: Any, access: _OperationAccess) -> Callable[[], None] | None:
        space = space_of(operation.operands[access.memref])
        memref = operation.operands[access.memref].type
        if space is None:
            fail(operation, f"'{operation.name}' must access global, workgroup or private memory, but got {memref}")
        value = operation.results[0].type if operation.results else operation.operands[0].type
        element = memref.element_type
        moved = value if str(operation.name).startswith("vector.") else element
        width = size_bytes(moved)
        extent = [1] * memref.rank
        if isinstance(moved, ir.VectorType) and moved != element:
            if moved.rank != 1 or memref.rank == 0:
                fail(operation, f"'{operation.name}' must move a vector of rank 1, but got {moved} of {memref}")
            extent[-1] = moved.shape[0]
        alignment = 1
        if "alignment" in operation.attributes:
            alignment = int(operation.attributes["alignment"].value)
        dynamic = ir.ShapedType.get_dynamic_size()
        piece = min(width, WIDEST_INSTRUCTION_BYTES, alignment if 1 < alignment < width else width)
        site = self.emitter.site(
            operation,
            kind=access.kind,
            space=space,
            width_bytes=piece,
            shape=tuple(None if size == dynamic else size for size in memref.shape),
            extent=tuple(extent),
        )
        seen = space is not Space.OTHER
        logged, atomic = self.log and seen, access.kind == "atomic"
        touch = TOUCHES[access.kind] if self.sanitize and seen else None
        if touch is not None and atomic:
            touch = touch[0], touch[1] | blindness(operation)
        if seen:
            needs = self.emitter.needs
            needs.widths.add(size_bytes(element))
            needs.atomic |= atomic
            needs.narrow |= atomic and space is Space.WORKGROUP
        if not (self.check or logged or atomic):
            return None
        pieces = width // piece if logged else 1
        unused = 0
        if touch is not None and access.kind == "load":
            unused = unused_lanes(operation.results[0])

        def instrument() -> None:
            # Operands are read here and not above: other rewrites replace them in between.
            operands = list(operation.operands)[access.memref : access.memref + 1 + memref.rank]
            if self.check or logged:
                seen_as = (*touch, unused) if touch is not None else None
                self.access(operation, operands, site, max(alignment, size_bytes(element)), pieces, logged, seen_as)
            if atomic:
                self._watch(operation, self.address(operation, *operands), width)

        return instrument

    def address(self, operation: Any, memref: Any, *indices: Any) -> Any:
        """Emit the address of an element."""
        return self.emitter.address(ir.InsertionPoint(operation), memref, indices)

    def _watch(self, operation: Any, address: Any, width: int) -> None:
        """Emit what tells the scheduler whether an atomic operation has changed anything."""
        bytes_ = self.emitter.constant(width)
        self.emitter.call(ir.InsertionPoint(operation), PREFIX + "watch", [address, bytes_])
        self.emitter.call(ir.InsertionPoint.after(operation), PREFIX + "watched", [bytes_])

    def access(
        self,
        operation: Any,
        operands: list[Any],
        site: Site,
        alignment: int,
        pieces: int,
        logged: bool,
        access: tuple[str, ShadowAccess, int] | None,
        last: Any = None,
    ) -> None:
        """Emit the check of one access; a wide one that is logged in several pieces moves its base on.

        Args:
            operation: The operation before which it comes.
            operands: The memref and its indices.
            site: The access.
            alignment: That the address must have, in bytes.
            pieces: How many accesses of the site's width are logged.
            logged: Whether any are.
            access: The sanitizer's function, what the access does, and a bit for each element whose content nobody
                uses.
            last: How many elements of the last dimension it covers, where the kernel computes that; above 0.
        """
        emitter = self.emitter
        memref, *indices = operands
        found = emitter.describe(memref)
        where = ir.InsertionPoint(operation)
        dimensions: list[Any] = []
        dynamic = ir.ShapedType.get_dynamic_size()
        for index, size, stride, points, static in zip(
            indices, found.sizes, found.strides_bytes, site.extent, memref.type.shape, strict=True
        ):
            limit = size
            if points != 1 and static != dynamic:
                limit = emitter.constant(max(0, static - points + 1))
            elif points != 1:
                less = emitter.binary(where, "arith.subi", size, points - 1)
                limit = emitter.binary(where, "arith.maxsi", less, 0)
            dimensions += [index, limit, stride]
        if last is not None:
            more = emitter.binary(where, "arith.addi", found.sizes[-1], 1)
            less = emitter.binary(where, "arith.subi", more, last)
            dimensions[-2] = emitter.binary(where, "arith.maxsi", less, 0)
        number, mask = emitter.constant(site.number), emitter.constant(alignment - 1)
        function, does, unused = access or ("", ShadowAccess(0), 0)
        element = size_bytes(operands[0].type.element_type)
        whole = site.width_bytes if pieces != 1 else element * prod(site.extent)
        moved = emitter.constant(whole)
        name = f"{access_name(logged, function)}_{len(indices)}"
        for piece in range(pieces):
            base = found.base
            if piece:
                base = emitter.binary(where, "arith.addi", base, piece * site.width_bytes)
                mask = emitter.constant(0)
            what = emitter.constant(shadow_access_word(does, element, unused >> piece * whole // element))
            emitter.call(where, name, [number, base, mask, moved, what, *dimensions])

    def _plan_pointer(self, operation: Any, access: _OperationAccess) -> Callable[[], None]:
        moved = operation.operands[0].type if access.kind == "store" else operation.results[0].type
        if operation.name == "llvm.cmpxchg":
            moved = operation.operands[1].type
        width = size_bytes(moved)
        space = space_of_pointer(operation.operands[access.memref])
        site = self.emitter.site(operation, kind=access.kind, space=space, width_bytes=width)
        touch = TOUCHES[access.kind][1] & (ShadowAccess.READ | ShadowAccess.WRITE) | atomicity(operation)
        touch |= blindness(operation)
        if space is not Space.OTHER:
            needs = self.emitter.needs
            needs.widths.add(size_bytes(moved.element_type) if isinstance(moved, ir.VectorType) else width)
            needs.atomic |= bool(touch & ShadowAccess.ATOMIC)
            # A generic pointer may point to workgroup memory, too.
            certain = str(operation.operands[access.memref].type) == "!llvm.ptr<1>"
            needs.narrow |= ShadowAccess.ATOMIC in touch and (not certain or ShadowAccess.BLOCK_SCOPE in touch)

        def instrument() -> None:
            if access.kind != "atomic" and not touch & ShadowAccess.ATOMIC:
                # The host's wide instructions fault at addresses that are not aligned; the device's alignment is no
                # promise of the kernel that the host may rely on.
                operation.attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1)
            where = ir.InsertionPoint(operation)
            index = self.emitter.index(where, operation.operands[access.memref])
            number, bytes_ = self.emitter.constant(site.number), self.emitter.constant(width)
            if self.check:
                self.emitter.call(where, f"{PREFIX}pointer", [number, index, bytes_])
            if self.log and space is not Space.OTHER:
                self.emitter.call(where, f"{PREFIX}log", [number, index])
            if self.sanitize:
                does = self.emitter.constant(int(touch))
                self.emitter.call(where, f"{PREFIX}touch", [number, index, bytes_, does])
            if touch & ShadowAccess.ATOMIC and touch & ShadowAccess.WRITE:
                self._watch(operation, index, width)

        return instrument

    def _view(self, operation: Any, site: int) -> None:
        """Check that a view lies inside what it views."""
        emitter = self.emitter
        where = ir.InsertionPoint(operation)
        source = emitter.describe(operation.operands[0])
        number = emitter.constant(site)
        dynamic = ir.ShapedType.get_dynamic_size()
        result = as_memref(operation.results[0].type)
        if operation.name == "memref.view":
            size = emitter.constant(size_bytes(result.element_type))
            for extent in list(operation.operands)[2:]:  # of itself, too: products may wrap
                emitter.call(where, f"{INLINE}view", [number, 0, extent, source.sizes[0]])
            sizes = iter(list(operation.operands)[2:])
            for extent in result.shape:
                size = emitter.binary(where, "arith.muli", size, next(sizes) if extent == dynamic else extent)
            emitter.call(where, f"{INLINE}view", [number, operation.operands[1], size, source.sizes[0]])
            return
        operands = iter(list(operation.operands)[1:])
        groups = [
            [next(operands) if value == dynamic else emitter.constant(value) for value in operation.attributes[name]]
            for name in ("static_offsets", "static_sizes", "static_strides")
        ]
        one = emitter.constant(1)
        steps = operation.attributes["static_strides"]
        for offset, size, stride, available, step in zip(*groups, source.sizes, steps, strict=True):
            for factor in (size, stride) if step != 1 else ():  # products may wrap
                emitter.call(where, f"{INLINE}view", [number, 0, factor, available])
            last = emitter.binary(where, "arith.muli", emitter.binary(where, "arith.subi", size, one), stride)
            covered = emitter.binary(where, "arith.addi", last, one)
            emitter.call(where, f"{INLINE}view", [number, offset, covered, available])
