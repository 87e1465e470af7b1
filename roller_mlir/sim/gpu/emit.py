# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emits MLIR into a kernel that is being lowered: constants, calls, and what is known of a memref."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from roller_mlir.sim.engine.sites import Site, SiteTable
from roller_mlir.sim.gpu.kernel_ir import LaunchNeeds
from roller_mlir.sim.gpu.memory_types import size_bytes
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class Description:
    """A memref at run time, as index values.

    Attributes:
        base: Address of its first element.
        sizes: Extents.
        strides_bytes: Bytes between neighbours, per dimension.
    """

    base: Any
    sizes: tuple[Any, ...]
    strides_bytes: tuple[Any, ...]


@dataclass
class KernelEmitter:
    """Emits into one kernel.

    Attributes:
        entry: The kernel's entry block; constants go to its start.
        block_record: The index value by which the runtime knows the running block.
        table: Numbers the kernel's operations.
        kernel: The kernel's name.
        needs: What launches need, noted here.
        declared: Functions called so far, with their types.
    """

    entry: Any
    block_record: Any
    table: SiteTable
    kernel: str
    needs: LaunchNeeds
    declared: dict[str, Any] = field(default_factory=dict[str, Any])
    _constants: dict[int, Any] = field(default_factory=dict[int, Any])
    _descriptions: dict[Any, Description] = field(default_factory=dict[Any, Description])
    _anchor: Any = None

    def site(self, operation: Any, **details: Any) -> Site:
        """Number an operation of the kernel; `details` are the other attributes of `Site`."""
        return self.table.add(self.kernel, operation, **details)

    def constant(self, value: int) -> Any:
        """Return an index constant, one for each value, at the start of the entry block."""
        if value not in self._constants:
            index = ir.IndexType.get()
            where = ir.InsertionPoint.at_block_begin(self.entry) if self._anchor is None else self._anchor
            found = self.create(where, "arith.constant", [], [index], {"value": ir.IntegerAttr.get(index, value)})[0]
            if self._anchor is None:
                self._anchor = ir.InsertionPoint(found.owner)
            self._constants[value] = found
        return self._constants[value]

    def _values(self, operands: list[Any]) -> list[Any]:
        return [self.constant(int(one)) if isinstance(one, int) else one for one in operands]

    def create(
        self, where: Any, name: str, operands: list[Any], results: list[Any], attributes: dict[str, Any] | None = None
    ) -> Any:
        """Create an operation and return its results; operands that are numbers become index constants."""
        operands = self._values(operands)
        operation = ir.Operation.create(name, results, operands, attributes or {}, loc=ir.Location.unknown(), ip=where)
        return operation.results

    def call(self, where: Any, function: str, operands: list[Any], results: list[Any] | None = None) -> Any:
        """Call a function with the block's record before the operands, and return its results."""
        values = self._values([self.block_record, *operands])
        given = results or []
        if function not in self.declared:
            self.declared[function] = ir.FunctionType.get([value.type for value in values], given)
        return self.create(where, "func.call", values, given, {"callee": ir.FlatSymbolRefAttr.get(function)})

    def binary(self, where: Any, name: str, left: Any, right: Any) -> Any:
        """Create a two-operand arith operation."""
        operands = self._values([left, right])
        return self.create(where, name, operands, [operands[0].type])[0]

    def index(self, where: Any, value: Any, *, signed: bool = False) -> Any:
        """Convert a pointer or an integer to an index."""
        kind = ir.IndexType.get()
        if value.type == kind:
            return value
        if str(value.type).startswith("!llvm.ptr"):
            value = self.create(where, "llvm.ptrtoint", [value], [ir.IntegerType.get_signless(64)])[0]
        return self.create(where, "arith.index_cast" if signed else "arith.index_castui", [value], [kind])[0]

    def allocate(self, kind: Any, alignment: Any) -> tuple[Any, Any]:
        """Create memory of the thread for a value of an LLVM type; return the pointer, and the address as an index."""
        where, i64 = ir.InsertionPoint.at_block_begin(self.entry), ir.IntegerType.get_signless(64)
        one = self.create(where, "arith.constant", [], [i64], {"value": ir.IntegerAttr.get(i64, 1)})[0]
        attributes = {"elem_type": ir.TypeAttr.get(kind), "alignment": alignment}
        pointer = self.create(where, "llvm.alloca", [one], [ir.Type.parse("!llvm.ptr")], attributes)[0]
        return pointer, self.index(where, pointer)

    def compare(self, where: Any, relation: str, left: Any, right: Any) -> Any:
        """Create a comparison of index values: "ne" or "ult"."""
        i64, boolean = ir.IntegerType.get_signless(64), ir.IntegerType.get_signless(1)
        predicate = {"predicate": ir.IntegerAttr.get(i64, {"ne": 1, "ult": 6}[relation])}
        return self.create(where, "arith.cmpi", [left, right], [boolean], predicate)[0]

    def guard(self, where: Any, condition: Any) -> Any:
        """Create an `scf.if` and return the operation before which its body comes."""
        nowhere = ir.Location.unknown()
        created = ir.Operation.create("scf.if", [], [condition], regions=2, loc=nowhere, ip=where)
        body = created.regions[0].blocks.append()
        return ir.Operation.create("scf.yield", [], [], loc=nowhere, ip=ir.InsertionPoint(body))

    def address(self, where: Any, memref: Any, indices: Sequence[Any]) -> Any:
        """Create the address of an element."""
        found = self.describe(memref)
        address = found.base
        for index, stride in zip(indices, found.strides_bytes, strict=True):
            address = self.binary(where, "arith.addi", address, self.binary(where, "arith.muli", index, stride))
        return address

    def describe(self, memref: Any) -> Description:
        """Return where a memref lies; computed once, behind its definition."""
        if memref not in self._descriptions:
            self._descriptions[memref] = self._describe(memref)
        return self._descriptions[memref]

    def behind(self, value: Any) -> Any:
        """Return the place right behind the definition of a value."""
        if not isinstance(value, ir.BlockArgument):
            return ir.InsertionPoint.after(value.owner)
        if value.owner == self.entry:
            return ir.InsertionPoint.after(self._anchor.ref_operation)  # behind the constants
        return ir.InsertionPoint.at_block_begin(value.owner)

    def _describe(self, memref: Any) -> Description:
        kind = memref.type
        index = ir.IndexType.get()
        element = size_bytes(kind.element_type)
        strides, offset = kind.get_strides_and_offset()
        dynamic = ir.ShapedType.get_dynamic_size()
        unknown = ir.ShapedType.get_dynamic_stride_or_offset()
        constant = {n: self.constant(n) for n in (element, *(s * element for s in strides if s != unknown))}
        sizes = [None if extent == dynamic else self.constant(extent) for extent in kind.shape]
        if offset not in (0, unknown):
            constant[offset * element] = self.constant(offset * element)
        where = self.behind(memref)
        if not kind.has_static_shape or unknown in (*strides, offset):
            element_memref = ir.MemRefType.get([], kind.element_type)
            found = self.create(
                where, "memref.extract_strided_metadata", [memref], [element_memref, *[index] * (1 + 2 * kind.rank)]
            )
            base = self.create(where, "memref.extract_aligned_pointer_as_index", [memref], [index])[0]
            shift = self.binary(where, "arith.muli", found[1], constant[element])
            base = self.binary(where, "arith.addi", base, shift)
            wide = [
                self.binary(where, "arith.muli", found[2 + kind.rank + n], constant[element]) for n in range(kind.rank)
            ]
            return Description(base, tuple(found[2 + n] for n in range(kind.rank)), tuple(wide))
        base = self.create(where, "memref.extract_aligned_pointer_as_index", [memref], [index])[0]
        if offset:
            base = self.binary(where, "arith.addi", base, constant[offset * element])
        return Description(base, tuple(sizes), tuple(constant[stride * element] for stride in strides))
