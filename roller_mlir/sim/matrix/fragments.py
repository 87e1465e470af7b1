# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a lane's fragments lie while subgroups work on them: memory of the lane, most fragments at home in one place.

A fragment that several instructions read is stored once, behind its definition; what an instruction gives stays where
it left it. An accumulator that only the next instruction of its block reads is added to in place. So a kernel with
hundreds of instructions stays short for the compiler.
"""

from dataclasses import dataclass, field
from typing import Any

from roller_mlir.sim.gpu.emit import KernelEmitter
from roller_mlir.sim.gpu.memory_types import size_bytes
from roller_mlir.support.bindings import ir

_ALIGNMENT = 16
_MOST_BYTES = 16384
"""Bytes that homes may take of a lane's stack; further fragments share one place for each type."""

_SLICE = "vector.extract_strided_slice"


def _stored_type(kind: Any) -> Any:
    """Return the type that a fragment has in LLVM: vectors of two dimensions become arrays."""
    if not isinstance(kind, ir.VectorType) or kind.rank == 1:
        return kind
    rows, columns = kind.shape
    return ir.Type.parse(f"!llvm.array<{rows} x vector<{columns}x{kind.element_type}>>")


@dataclass(frozen=True)
class Home:
    """A place in the lane's memory.

    Attributes:
        pointer: As an LLVM pointer.
        address: As an index.
        shared: Whether other fragments come there, too.
    """

    pointer: Any
    address: Any
    shared: bool = False


@dataclass
class KernelFragments:
    """The fragments of one kernel.

    Attributes:
        emitter: Emits into the kernel.
    """

    emitter: KernelEmitter
    _homes: dict[Any, Home] = field(default_factory=dict[Any, Home])
    _kept: set[Any] = field(default_factory=set[Any])
    _common: dict[str, Home] = field(default_factory=dict[str, Home])
    _bytes: int = 0

    def home(self, kind: Any, role: str = "") -> Home:
        """Return a new home for a fragment of this type, or, where they take too much, the one of its role."""
        key = f"{role} {kind}"
        if self._bytes + size_bytes(kind) > _MOST_BYTES:
            if key not in self._common:
                self._common[key] = self._allocate(kind, True)
            return self._common[key]
        self._bytes += -(-size_bytes(kind) // _ALIGNMENT) * _ALIGNMENT
        return self._allocate(kind, False)

    def _allocate(self, kind: Any, shared: bool) -> Home:
        return Home(*self.emitter.allocate(_stored_type(kind), **self._alignment()), shared)

    @staticmethod
    def _alignment() -> dict[str, Any]:
        return {"alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _ALIGNMENT)}

    def _store(self, where: Any, value: Any, home: Home) -> None:
        kind = _stored_type(value.type)
        if kind != value.type:
            value = self.emitter.create(where, "builtin.unrealized_conversion_cast", [value], [kind])[0]
        self.emitter.create(where, "llvm.store", [value, home.pointer], [], self._alignment())

    def put(self, where: Any, value: Any, role: str) -> Any:
        """Emit what puts a fragment where an instruction at `where` can read it; return its address."""
        if value in self._homes:
            self._kept.add(value)
            return self._homes[value].address
        part = self._part(value)
        if part is not None:
            return part
        home = self.home(value.type, role)
        if home.shared:
            self._store(where, value, home)
        else:
            self._store(self.emitter.behind(value), value, home)
            self._homes[value] = home
        return home.address

    def _part(self, value: Any) -> Any:
        """Return the address of rows of a fragment that has a home; None: the value is something else."""
        if isinstance(value, ir.BlockArgument) or value.owner.name != _SLICE:
            return None
        whole = value.owner.operands[0]
        row, *columns = (int(ir.IntegerAttr(offset).value) for offset in value.owner.attributes["offsets"])
        if whole not in self._homes or any(columns) or list(value.type.shape[1:]) != list(whole.type.shape[1:]):
            return None
        before = row * size_bytes(value.type) // value.type.shape[0]
        start = self._homes[whole].address
        address = self.emitter.binary(self.emitter.behind(value), "arith.addi", start, before)
        self._homes[value] = Home(None, address)
        return address

    def own(self, operation: Any, value: Any) -> Home:
        """Emit what puts a fragment where `operation` can change it; return that home."""
        home = self._homes.get(value)
        if home is not None and home.pointer is not None and self._ends(value, operation):
            return home
        home = self.home(value.type, "sum")
        self._store(ir.InsertionPoint(operation), value, home)
        return home

    def _ends(self, value: Any, operation: Any) -> bool:
        """Return whether nobody but `operation`, in the same block, reads the value."""
        if value in self._kept or len(list(value.uses)) != 1:
            return False
        return not isinstance(value, ir.BlockArgument) and value.owner.operation.block == operation.block

    def take(self, where: Any, home: Home, kind: Any) -> Any:
        """Emit that a home is read as a fragment of this type; return it."""
        stored = _stored_type(kind)
        found = self.emitter.create(where, "llvm.load", [home.pointer], [stored], self._alignment())[0]
        if stored != kind:
            found = self.emitter.create(where, "builtin.unrealized_conversion_cast", [found], [kind])[0]
        if not home.shared:
            self._homes[found] = home
        return found
