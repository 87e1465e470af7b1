# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites `gpu.subgroup_mma_*`: 16x16 matrices that subgroups hold together, of a layout that nobody specifies.

Before: `%a = gpu.subgroup_mma_load_matrix %w[%i, %j] {leadDimension = 24 : index} : ... -> !gpu.mma_matrix<16x16xf16,
        "AOp">`.
After:  `call @roller_sim_wmma_load_b16(block, site, address of %w[%i, %j], address of the lane's part, 48)`, whose
        result is a `vector<8xf16>`.
Rows lie leadDimension elements apart, whatever the memref's dimensions are. Each lane checks half a row in memory,
against the memory between the memref's first element and its last one. It is the last lane that checks the first half
row, so that a lane that wrote what a matrix is loaded from, in order, is hardly ever the one that is seen to read it.
"""

import re
from collections.abc import Callable
from typing import Any, ClassVar

from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.indirect_accesses import check_bytes, check_indices
from roller_mlir.sim.gpu.memory_types import size_bytes
from roller_mlir.sim.matrix.layouts import WMMA_EACH, WMMA_ROWS, find_wmma
from roller_mlir.sim.matrix.ops import SubgroupOps
from roller_mlir.sim.matrix.wmma_ir import LANES, WMMA_ALIGNMENT_BYTES, MatrixMove
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import replace_op

_NAMES = "gpu.subgroup_mma_"
_TYPE = re.compile(r'!gpu\.mma_matrix<(\d+)x(\d+)x(\w+), "[ABC]Op">')
_ELEMENTWISE = {
    "addf": "arith.addf",
    "subf": "arith.subf",
    "mulf": "arith.mulf",
    "divf": "arith.divf",
    "maxf": "arith.maximumf",
    "minf": "arith.minimumf",
    "negatef": "arith.negf",
    "extf": "arith.extf",
}


def host_fragment(kind: Any) -> Any:
    """Return what a lane holds of a matrix, as a vector type; None: the type is no matrix that the simulator knows."""
    found = _TYPE.fullmatch(str(kind))
    if found is None or (int(found[1]), int(found[2])) != (WMMA_ROWS, WMMA_ROWS) or found[3] not in ("f16", "f32"):
        return None
    return ir.VectorType.get([WMMA_EACH], ir.F16Type.get() if found[3] == "f16" else ir.F32Type.get())


class WmmaOps(SubgroupOps):
    """Rewrites the matrix operations of the gpu dialect in one kernel."""

    takes: ClassVar[tuple[str, ...]] = (_NAMES,)

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it is none of these.

        Raises:
            DiagnosedError: The simulator cannot execute the operation.
        """
        name = str(operation.name)
        plans = {
            "load_matrix": self._plan_load,
            "store_matrix": self._plan_store,
            "compute": self._plan_compute,
            "constant_matrix": self._plan_constant,
            "elementwise": self._plan_elementwise,
        }
        plan = plans.get(name.removeprefix(_NAMES)) if name.startswith(_NAMES) else None
        if plan is None:
            return None
        self.require_lanes(operation, LANES)
        for value in (*operation.operands, *operation.results):
            if "mma_matrix" in str(value.type) and host_fragment(value.type) is None:
                fail(operation, f"'{name}' must be of 16x16 matrices of f16 or f32, but got {value.type}")
        return plan(operation)

    def _plan_load(self, operation: Any) -> Callable[[], None]:
        kind = host_fragment(operation.results[0].type)
        move = self._plan_move(operation, operation.operands[0], stores=False)

        def rewrite() -> None:
            home = self.fragments.home(kind, "wmma")
            move(list(operation.operands), home.address)
            replace_op(operation, self.fragments.take(ir.InsertionPoint(operation), home, kind))

        return rewrite

    def _plan_store(self, operation: Any) -> Callable[[], None]:
        move = self._plan_move(operation, operation.operands[1], stores=True)

        def rewrite() -> None:
            fragment = self.fragments.put(ir.InsertionPoint(operation), operation.operands[0], "wmma")
            move(list(operation.operands)[1:], fragment)
            operation.erase()

        return rewrite

    def _plan_move(self, operation: Any, memref: Any, *, stores: bool) -> Callable[[list[Any], Any], None]:
        """Plan what moves a matrix; return what emits it, given the memref with its indices and the fragment."""
        kind: Any = memref.type
        element = size_bytes(kind.element_type)
        held = operation.operands[0] if stores else operation.results[0]
        strides, _ = kind.get_strides_and_offset()
        lead = int(ir.IntegerAttr(operation.attributes["leadDimension"]).value)
        if kind.rank == 0 or strides[-1] != 1 or lead * element % 16 or lead < 1:
            fail(
                operation,
                f"'{operation.name}' must have rows of contiguous elements, and a leadDimension that is a multiple of "
                f"16 bytes, but got {lead} for {kind}",
            )
        if host_fragment(held.type).element_type != kind.element_type:
            fail(operation, f"'{operation.name}' must not convert elements, but got {held.type} and {kind}")
        move = MatrixMove(element, "transpose" in operation.attributes, stores)
        self.use(move)
        what = "store" if stores else "load"
        start = check_indices(
            self.memory, operation, memref, what, 1, element, alignment=WMMA_ALIGNMENT_BYTES, counted=False
        )
        check = check_bytes(self.memory, operation, memref, what, WMMA_EACH * element)

        def emit(operands: list[Any], fragment: Any) -> None:
            emitter, where = self.memory.emitter, ir.InsertionPoint(operation)

            def binary(name: str, left: Any, right: Any) -> Any:
                return emitter.binary(where, f"arith.{name}", left, right)

            start(operands, operation)
            parts = emitter.constant(WMMA_ROWS // WMMA_EACH)
            lane = binary("subi", LANES - 1, self.places.place(operation, "lane_id"))
            part = binary("muli", binary("remui", lane, parts), WMMA_EACH)
            matrix, row = self.memory.address(operation, *operands), binary("divui", lane, parts)
            place = binary("addi", binary("muli", row, lead), part)
            at = binary("addi", matrix, binary("muli", place, element))
            number = check(operands[0], at, operation)
            values = [emitter.constant(number), matrix, fragment, emitter.constant(lead * element)]
            emitter.call(where, PREFIX + move.name, values)

        return emit

    def _plan_compute(self, operation: Any) -> Callable[[], None]:
        a, b, c = operation.operands
        for value, name in ((a, "a_transpose"), (b, "b_transpose")):
            loaded = _loaded_transposed(value)
            if loaded is not None and loaded != (name in operation.attributes):
                fail(operation, f"'{operation.name}' must have {name} just where the matrix was loaded with transpose")
        element, sums = (str(host_fragment(value.type).element_type) for value in (a, c))
        instruction = find_wmma(element, sums)
        if instruction is None:
            fail(operation, f"'{operation.name}' of {a.type} and {c.type} is no instruction that the simulator knows")
        return self.plan_product(operation, instruction, host_fragment(c.type))

    def _plan_constant(self, operation: Any) -> Callable[[], None]:
        kind = host_fragment(operation.results[0].type)
        return lambda: self._replace(operation, "vector.broadcast", kind)

    def _plan_elementwise(self, operation: Any) -> Callable[[], None]:
        word = str(operation.attributes["opType"]).rstrip(">").split()[-1]
        if word not in _ELEMENTWISE:
            fail(operation, f"'{operation.name}' must be one of {', '.join(_ELEMENTWISE)}, but got {word}")
        kind = host_fragment(operation.results[0].type)
        return lambda: self._replace(operation, _ELEMENTWISE[word], kind)

    def _replace(self, operation: Any, name: str, kind: Any) -> None:
        where = ir.InsertionPoint(operation)
        found = self.memory.emitter.create(where, name, list(operation.operands), [kind])
        replace_op(operation, found[0])


def _loaded_transposed(value: Any) -> bool | None:
    """Return whether a matrix was loaded with `transpose`; None: it was not loaded right here."""
    if isinstance(value, ir.BlockArgument) or str(value.owner.name) != _NAMES + "load_matrix":
        return None
    return "transpose" in value.owner.attributes
