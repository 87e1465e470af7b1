# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses of kernels as one 32-bit offset each, before the kernels are lowered.

Upstream lowers an access of a buffer of several dimensions to 64-bit products of its indices. What of them does not
change in the loop of steps then occupies two registers for every dimension of every vector that a thread copies, and
the products are repeated in each step. So indices are narrowed to 32 bits where their ranges allow it, and an access
becomes one of a flat view, at a sum of what does not change in the loop, of what does, and of a constant, for which
the instruction has room:

    %c = arith.addi %step4, %digit : i32          ->  %fixed = arith.muli %digit, %c3136 : i32
    %j = arith.index_castui %c : i32 to index         %moves = arith.muli %step4, %c3136 : i32
    memref.load %x[%n, %j, %h, %w]                    %o = arith.addi %fixed, %moves : i32 ...
                                                      memref.load %flat[%k]
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from roller_mlir.lowering.backend.kernels.module import kernel_functions, run_upstream
from roller_mlir.lowering.backend.kernels.wide_shifts import keep_wide_shifts
from roller_mlir.support.bindings import ir

FEW_ACCESSES = 4
"""Loads from global memory in loops of a kernel up to which each keeps a pointer, two registers, and saves an addition
a step. Kernels with more keep an offset, one register."""

_NARROW = "builtin.module(gpu.module(gpu.func(arith-int-range-narrowing{int-bitwidths-supported=32},canonicalize,cse)))"

_BUFFER = {
    "memref.load": 0,
    "vector.load": 0,
    "memref.store": 1,
    "vector.store": 1,
    "nvgpu.ldmatrix": 0,
    "nvgpu.device_async_copy": 0,
    "gpu.subgroup_mma_load_matrix": 0,
    "gpu.subgroup_mma_store_matrix": 1,
}
"""Which operand of an access is the buffer; its indices follow. A copy's source and its indices come next."""

_COPY = "nvgpu.device_async_copy"
_SEGMENTS = "operandSegmentSizes"

_CASTS = ("arith.index_cast", "arith.index_castui")

_LIMIT = 1 << 31

_Terms = Mapping[Any, int]


def shorten_addresses(module: ir.Module) -> None:
    """Narrow the indices of every kernel, and makes its accesses flat, in place."""
    for kernel in kernel_functions(module):
        keep_wide_shifts(kernel)
    run_upstream(module, _NARROW)
    for kernel in kernel_functions(module):
        _Flattener(kernel).run()


class _Flattener:
    """Makes the accesses of one kernel flat.

    Sums are modulo 2**32: an offset that is executed lies inside of its buffer, which has fewer elements than 2**31,
    so that it is right whatever the partial sums are.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._known: dict[Any, tuple[_Terms, int]] = {}
        self._views: dict[Any, Any] = {}
        self._emitted: dict[tuple[Any, ...], Any] = {}
        self._numbers: dict[Any, int] = {}
        self._depths: dict[Any, int] = {}
        self._blocks = 0
        self._pointers = False
        self._i32: Any = ir.IntegerType.get_signless(32, kernel.context)
        self._index: Any = ir.IndexType.get(kernel.context)

    def run(self) -> None:
        """Replace the accesses, in the order of the kernel."""
        accesses: list[tuple[Any, list[int], int]] = []
        self._collect(self._kernel.regions[0].blocks[0], [0], 0, accesses)
        looped = [op for op, _, loops in accesses if loops and _is_global_load(op)]
        self._pointers = len(looped) <= FEW_ACCESSES
        for access, blocks, _ in accesses:
            self._replace(access, blocks)

    def _collect(self, block: Any, around: list[int], loops: int, accesses: list[tuple[Any, list[int], int]]) -> None:
        """List the accesses of a block with the numbers of the blocks around them, and how deep each value stands."""
        for argument in block.arguments:
            self._depths[argument] = loops
        for view in block.operations:
            op = view.operation
            for result in op.results:
                self._depths[result] = self._depth(op, loops)
            if op.name in _BUFFER:
                accesses.append((op, around, loops))
            for region in op.regions:
                for inner in region.blocks:
                    self._blocks += 1
                    self._collect(inner, [self._blocks, *around], loops + (op.name == "scf.for"), accesses)

    def _depth(self, op: Any, loops: int) -> int:
        """Return how many loops a value changes in: arithmetic on what does not change is moved out of them."""
        if not op.name.startswith("arith."):
            return loops
        return max((self._depths.get(operand, loops) for operand in op.operands), default=0)

    def _replace(self, access: Any, blocks: list[int]) -> None:
        at = _BUFFER[access.name]
        operands = list(access.operands)
        with ir.InsertionPoint(access), access.location:
            place, end = self._flat(operands, at, blocks)
            changed = [*operands[:at], *place]
            attributes = dict(access.attributes.items())
            if access.name == _COPY:
                source, end = self._flat(operands, end, blocks)
                changed += source
                sizes = [1, len(place) - 1, 1, len(source) - 1, len(operands) - end]
                attributes[_SEGMENTS] = ir.DenseI32ArrayAttr.get(sizes, access.context)
            changed += operands[end:]
            if changed == operands:
                return
            new = ir.Operation.create(
                access.name, results=[result.type for result in access.results], operands=changed, attributes=attributes
            )
        for old, result in zip(access.results, new.results, strict=True):
            self._depths[result] = self._depths[old]  # it may be an index of others, as of a table
            old.replace_all_uses_with(result)
        access.erase()

    def _flat(self, operands: list[Any], at: int, blocks: list[int]) -> tuple[list[Any], int]:
        """Return a buffer and its indices, made flat where that is possible, and the number of the operand behind."""
        kind: Any = ir.MemRefType(operands[at].type)
        end = at + 1 + kind.rank
        same = operands[at:end]
        if kind.rank < 2 or not kind.has_static_shape or not _is_plain(kind):
            return same, end
        terms: dict[Any, int] = {}
        constant, stride = 0, 1
        for index, extent in zip(reversed(operands[at + 1 : end]), reversed(kind.shape), strict=True):
            found, offset = self._linear(index)
            for value, factor in found.items():
                terms[value] = terms.get(value, 0) + factor * stride
            constant += offset * stride
            stride *= extent
        if stride + abs(constant) >= _LIMIT:
            return same, end
        moving = {value: factor for value, factor in terms.items() if factor}
        return self._place(operands[at], kind, moving, constant, blocks), end

    # What an index is -----------------------------------------------------------------------------------------------

    def _linear(self, value: Any) -> tuple[_Terms, int]:
        """Return a value as a sum of factors times values, and a constant, modulo 2**32."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._read(value)
        return known

    def _read(self, value: Any) -> tuple[_Terms, int]:
        op = value.owner
        if isinstance(op, ir.Block):
            return {value: 1}, 0
        if op.name == "arith.constant":
            return {}, ir.IntegerAttr(op.attributes["value"]).value
        operands = list(op.operands)
        if op.name in _CASTS and operands[0].type in (self._i32, self._index):
            return self._linear(operands[0])
        if op.name in ("arith.addi", "arith.subi"):
            sign = 1 if op.name == "arith.addi" else -1
            (left, a), (right, b) = self._linear(operands[0]), self._linear(operands[1])
            total = dict(left)
            for term, factor in right.items():
                total[term] = total.get(term, 0) + sign * factor
            return total, a + sign * b
        if op.name == "arith.muli":
            for one, other in (operands, operands[::-1]):
                terms, factor = self._linear(one)
                if not terms:
                    rest, constant = self._linear(other)
                    return {term: k * factor for term, k in rest.items()}, constant * factor
        return {value: 1}, 0

    # What is emitted instead ----------------------------------------------------------------------------------------

    def _place(self, buffer: Any, kind: Any, terms: _Terms, constant: int, blocks: list[int]) -> list[Any]:
        """Emit the view that an access goes to, and the offset in it.

        In workgroup memory what changes in the innermost loop moves the view: all accesses of a step share that, and
        each adds its own part. Where few accesses go to global memory, the view is where each begins.
        """
        view = self._view(buffer, kind)
        deepest = max((self._depths[value] for value in terms), default=0)
        fixed = {value: factor for value, factor in terms.items() if self._depths[value] < deepest}
        moving = {value: factor for value, factor in terms.items() if value not in fixed}
        local = "workgroup" in str(kind.memory_space)
        if fixed and moving and (local or self._pointers):
            first, then = (moving, fixed) if local else (fixed, moving)
            start = self._sum(first, blocks)
            view = self._once(("view", view, start), blocks, lambda: self._moved(view, kind, start))
            return [view, self._offset(then, constant, blocks)]
        return [view, self._offset(terms, constant, blocks)]

    def _view(self, buffer: Any, kind: Any) -> Any:
        """Return the flat view of a buffer, made where the buffer is."""
        if buffer not in self._views:
            owner = buffer.owner
            is_argument = isinstance(owner, ir.Block)
            flat = ir.MemRefType.get([prod(kind.shape)], kind.element_type, memory_space=kind.memory_space)
            together = ir.Attribute.parse(f"[[{', '.join(map(str, range(kind.rank)))}]]", kind.context)
            with ir.InsertionPoint.at_block_begin(owner) if is_argument else ir.InsertionPoint.after(owner):
                self._views[buffer] = self._op("memref.collapse_shape", [buffer], flat, reassociation=together)
        return self._views[buffer]

    def _moved(self, view: Any, kind: Any, start: Any) -> Any:
        """Emit a view that begins at an offset of another."""
        layout = ir.Attribute.parse("strided<[1], offset: ?>", kind.context)
        size = prod(kind.shape)
        return self._op(
            "memref.reinterpret_cast",
            [view, start],
            ir.MemRefType.get([size], kind.element_type, layout=layout, memory_space=kind.memory_space),
            static_offsets=ir.DenseI64ArrayAttr.get([ir.ShapedType.get_dynamic_stride_or_offset()], kind.context),
            static_sizes=ir.DenseI64ArrayAttr.get([size], kind.context),
            static_strides=ir.DenseI64ArrayAttr.get([1], kind.context),
            operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 1, 0, 0], kind.context),
        )

    def _offset(self, terms: _Terms, constant: int, blocks: list[int]) -> Any:
        """Emit a sum as an index; the constant is added last, and in 64 bits, so that the access takes it in."""
        if not terms:
            return self._constant(constant, self._index, blocks)
        wide = self._sum(terms, blocks)
        if not constant:
            return wide
        return self._op("arith.addi", [wide, self._constant(constant, self._index, blocks)], self._index)

    def _sum(self, terms: _Terms, blocks: list[int]) -> Any:
        """Emit a sum without its constant as an index, what changes least first: LLVM moves that out of loops."""
        total: Any = None
        key: tuple[Any, ...] = ()
        for value, factor in sorted(terms.items(), key=lambda term: (self._depths[term[0]], self._number(term[0]))):
            key = (*key, value, factor)
            part = self._product(value, factor, blocks)
            if total is None:
                total = part
            else:
                both = [total, part]
                total = self._once(key, blocks, lambda both=both: self._op("arith.addi", both, self._i32))
        return self._once(("wide", total), blocks, lambda: self._op("arith.index_cast", [total], self._index))

    def _product(self, value: Any, factor: int, blocks: list[int]) -> Any:
        narrow = value
        if value.type != self._i32:
            narrow = self._once(("narrow", value), blocks, lambda: self._op("arith.index_castui", [value], self._i32))
        if factor == 1:
            return narrow
        both = [narrow, self._constant(factor, self._i32, blocks)]
        return self._once((narrow, factor), blocks, lambda: self._op("arith.muli", both, self._i32))

    def _constant(self, value: int, kind: Any, blocks: list[int]) -> Any:
        if kind == self._i32:
            value = (value + _LIMIT) % (2 * _LIMIT) - _LIMIT
        attribute = ir.IntegerAttr.get(kind, value)
        return self._once((str(kind), value), blocks, lambda: self._op("arith.constant", [], kind, value=attribute))

    def _op(self, name: str, operands: list[Any], kind: Any, **attributes: Any) -> Any:
        return ir.Operation.create(name, results=[kind], operands=operands, attributes=attributes).results[0]

    def _once(self, key: tuple[Any, ...], blocks: list[int], make: Callable[[], Any]) -> Any:
        """Return what was emitted for a key in a block around the access and before it, so that it dominates it."""
        for block in blocks:
            found = self._emitted.get((block, *key))
            if found is not None:
                return found
        made = self._emitted[(blocks[0], *key)] = make()
        return made

    def _number(self, value: Any) -> int:
        return self._numbers.setdefault(value, len(self._numbers))


def _is_plain(kind: Any) -> bool:
    return kind.affine_map == ir.AffineMap.get_identity(kind.rank, kind.context)


def _is_global_load(op: Any) -> bool:
    return op.name == _COPY or (op.name.endswith("load") and "workgroup" not in str(op.operands[0].type))
