# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites matrix instructions as calls for whole subgroups: mma.sync, mfma, ldmatrix, stmatrix.

A lane's fragments go through memory of its own: it stores A, B and C, calls the instruction's function with their
addresses, and loads D from where C was.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from roller_mlir.sim.engine.layout import Space
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.accesses import Instrumenter
from roller_mlir.sim.gpu.indirect_accesses import check_indices
from roller_mlir.sim.gpu.memory_types import size_bytes, space_of
from roller_mlir.sim.gpu.ops import GpuOps, word
from roller_mlir.sim.matrix.fragments import KernelFragments
from roller_mlir.sim.matrix.layouts import MatrixInstruction, find_mfma, find_mma
from roller_mlir.sim.matrix.tiles_ir import ROW_BYTES, TILE_ROWS, TileMove
from roller_mlir.sim.matrix.units import SubgroupOperation
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import replace_op

_UNSUPPORTED = {"cbsz": 0, "abid": 0, "blocks": 1}
_CHANGES = ("reducePrecision", "negateA", "negateB", "negateC")


def _number(operation: Any, name: str, default: int = 0) -> int:
    return int(operation.attributes[name].value) if name in operation.attributes else default


def _element(kind: Any) -> Any:
    return kind.element_type if isinstance(kind, ir.VectorType) else kind


@dataclass(frozen=True)
class SubgroupOps:
    """Rewrites what the lanes of subgroups do together in one kernel.

    Attributes:
        memory: Checks accesses, emits into the kernel.
        places: Knows the lane.
        fragments: The lane's memory for fragments.
    """

    memory: Instrumenter
    places: GpuOps
    fragments: KernelFragments

    def require_lanes(self, operation: Any, lanes: int) -> None:
        """Refuse subgroups of another size."""
        if self.places.subgroup_size != lanes:
            fail(
                operation,
                f"'{operation.name}' needs subgroups of {lanes} lanes, but they have {self.places.subgroup_size}",
            )

    def use(self, operation: SubgroupOperation) -> None:
        """Note what the kernel calls."""
        self.memory.emitter.needs.subgroup_ops.add(operation)

    def plan_product(self, operation: Any, instruction: MatrixInstruction, sums: Any) -> Callable[[], None]:
        """Return what replaces a product by a call of its instruction; `sums` is the type of C and D in a lane."""
        self.use(instruction)
        site = self.memory.emitter.site(operation)

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), self.memory.emitter
            factors = [self.fragments.put(where, operation.operands[number], "ab"[number]) for number in range(2)]
            home = self.fragments.own(operation, operation.operands[2])
            emitter.call(where, PREFIX + instruction.name, [site.number, *factors, home.address])
            replace_op(operation, self.fragments.take(where, home, sums))

        return rewrite


class MatrixOps(SubgroupOps):
    """Rewrites the matrix instructions of one kernel."""

    takes: ClassVar[tuple[str, ...]] = ("nvgpu.", "nvvm.stmatrix", "amdgpu.mfma")

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it is no matrix instruction.

        Raises:
            DiagnosedError: The instruction is not known.
        """
        name = str(operation.name)
        if name == "nvgpu.ldmatrix":
            return self._plan_load(operation)
        if name == "nvvm.stmatrix":
            return self._plan_store(operation)
        if name == "nvgpu.mma.sync":
            return self._plan_mma(operation)
        if name == "amdgpu.mfma":
            return self._plan_mfma(operation)
        return None

    def _plan_mma(self, operation: Any) -> Callable[[], None]:
        self.require_lanes(operation, 32)
        shape = [int(ir.IntegerAttr(extent).value) for extent in operation.attributes["mmaShape"]]
        element = str(_element(operation.operands[0].type))
        if element == "f32" and "tf32Enabled" in operation.attributes:
            element = "tf32"
        found = find_mma(shape[0], shape[1], shape[2], element, str(_element(operation.operands[2].type)))
        return self._plan_known(operation, found)

    def _plan_mfma(self, operation: Any) -> Callable[[], None]:
        self.require_lanes(operation, 64)
        for name, value in _UNSUPPORTED.items():
            if _number(operation, name, value) != value:
                fail(operation, f"'amdgpu.mfma' must have {name} = {value}, but got {_number(operation, name)}")
        named = [name for name in _CHANGES if name in operation.attributes]
        if named or "none" not in str(operation.attributes["blgp"]):
            fail(operation, f"'amdgpu.mfma' must not permute, negate or round its operands, but got {operation}")
        element, sums = (str(_element(operation.operands[number].type)) for number in (0, 2))
        found = find_mfma(*(_number(operation, name) for name in "mnk"), element, sums)
        return self._plan_known(operation, found)

    def _plan_known(self, operation: Any, instruction: MatrixInstruction | None) -> Callable[[], None]:
        a, b, c = (value.type for value in operation.operands)
        if instruction is None or tuple(map(size_bytes, (a, b, c))) != instruction.fragment_bytes:
            fail(operation, f"'{operation.name}' of {a}, {b} and {c} is no instruction that the simulator knows")
        return self.plan_product(operation, instruction, c)

    def _plan_load(self, operation: Any) -> Callable[[], None]:
        self.require_lanes(operation, 32)
        source = operation.operands[0]
        element = size_bytes(source.type.element_type)
        strides, _ = source.type.get_strides_and_offset()
        if space_of(source) is not Space.WORKGROUP or source.type.rank == 0 or strides[-1] != 1:
            fail(operation, f"'nvgpu.ldmatrix' must load rows of workgroup memory, but got {source.type}")
        transposed = bool(ir.BoolAttr(operation.attributes["transpose"]).value)
        load = TileMove(_number(operation, "numTiles"), transposed, stores=False)
        result = operation.results[0].type
        if load.count not in (1, 2, 4) or (load.transposed and element != 2) or size_bytes(result) != 4 * load.count:
            fail(
                operation,
                f"'nvgpu.ldmatrix' must load 1, 2 or 4 tiles, transposed only of 16 bits, but got {operation}",
            )
        self.use(load)
        check = check_indices(self.memory, operation, source, "load", ROW_BYTES // element, ROW_BYTES)

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), self.memory.emitter
            operands = list(operation.operands)
            number = check(operands, self._giver(operation, load.count))
            row = self.memory.address(operation, *operands)
            site, target = emitter.constant(number), self.fragments.home(result, "rows")
            emitter.call(where, PREFIX + load.name, [site, row, target.address, 0])
            replace_op(operation, self.fragments.take(where, target, result))

        return rewrite

    def _plan_store(self, operation: Any) -> Callable[[], None]:
        self.require_lanes(operation, 32)
        shape, element = (str(operation.attributes[name]) for name in ("shape", "eltType"))
        count = len(operation.operands) - 1
        if "m = 8, n = 8" not in shape or "b16" not in element or count not in (1, 2, 4):
            fail(operation, f"'{operation.name}' must store 1, 2 or 4 matrices of 8 x 8 x 16 bits, but got {operation}")
        store = TileMove(count, word(operation.attributes["layout"]) == "col", stores=True)
        self.use(store)
        site = self.memory.emitter.site(operation).number
        self.memory.emitter.needs.widths.add(2)

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), self.memory.emitter
            pointer, *registers = operation.operands
            row = emitter.index(where, pointer)
            number = emitter.constant(site)
            if self.memory.check:
                before = ir.InsertionPoint(self._giver(operation, count))
                emitter.call(before, PREFIX + "pointer", [number, row, ROW_BYTES])
            kind = ir.VectorType.get([count], ir.IntegerType.get_signless(32))
            whole = emitter.create(where, "vector.from_elements", registers, [kind])[0]
            source = self.fragments.put(where, whole, "rows")
            emitter.call(where, PREFIX + store.name, [number, row, source, 0])
            operation.erase()

        return rewrite

    def _giver(self, operation: Any, tiles: int) -> Any:
        """Return the operation that only those lanes reach which give the address of a row."""
        if tiles * TILE_ROWS == self.places.subgroup_size:
            return operation
        where, emitter = ir.InsertionPoint(operation), self.memory.emitter
        lane = self.places.place(operation, "lane_id")
        return emitter.guard(where, emitter.compare(where, "ult", lane, tiles * TILE_ROWS))
