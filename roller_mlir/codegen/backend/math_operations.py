# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar operations before the vendors' lowerings, alike for every vendor and for the simulator.

    %r = math.exp %x : bf16                     %w = arith.extf %x      %e = math.exp %w : f32     %r = arith.truncf %e
    %r = math.fpowi %x, 3 : f32, i32            two multiplications; where the exponent is no constant, math.powf
    %r = math.isinf %x                          %a = math.absf %x       %r = arith.cmpf oeq, %a, inf

f16 and bf16 are computed in f32 and rounded once: no library has functions of bf16, and those of f16 differ. math.fma
stays as it is, because a sum in f32 would be rounded twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from roller_mlir.codegen.backend.kernel_module import walk
from roller_mlir.support.bindings import ir

MATH_PASSES = "math-expand-ops{ops=fpowi,clampf},math-extend-to-supported-types{target-type=f32}"
"""Upstream passes to run on a gpu.module, or on a module of functions, before anything else of a lowering."""

_FLAGS = "fastmath"
_ORDERED_EQUAL = 1
_REMAINDERS = {32: "__nv_fmodf", 64: "__nv_fmod"}
"""libdevice's remainder, by the bits of its operands."""


def find(root: Any, names: Iterable[str]) -> list[Any]:
    """Gives the operations of some names inside an operation."""
    wanted, found = set(names), list[Any]()

    def visit(op: Any) -> None:
        if op.name in wanted:
            found.append(op)

    walk(root, visit)
    return found


def expand_classes(root: Any) -> None:
    """Replaces math.isinf, for which not every lowering has something, by a comparison."""
    for op in find(root, ("math.isinf",)):
        operand = op.operands[0]
        with ir.InsertionPoint(op), op.location:
            size = ir.Operation.create("math.absf", results=[operand.type], operands=[operand])
            limit = ir.Operation.create(
                "arith.constant", results=[operand.type], attributes={"value": _infinity(operand.type)}
            )
            predicate = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _ORDERED_EQUAL)
            _replace(
                op,
                ir.Operation.create(
                    "arith.cmpf",
                    results=[op.results[0].type],
                    operands=[size.results[0], limit.results[0]],
                    attributes={"predicate": predicate},
                ),
            )


def widen_extremes(root: Any) -> None:
    """Computes maxima and minima of bf16 in f32, where they are the same: flagged ones end LLVM 22 on AMD's devices."""
    f32 = ir.F32Type.get(root.context)
    for op in find(root, ("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf")):
        kind: Any = op.results[0].type
        is_vector = isinstance(kind, ir.VectorType)
        if str(ir.VectorType(kind).element_type if is_vector else kind) != "bf16":
            continue
        wide = ir.VectorType.get(ir.VectorType(kind).shape, f32) if is_vector else f32
        attributes = {name: op.attributes[name] for name in op.attributes}
        with ir.InsertionPoint(op), op.location:
            given = [
                ir.Operation.create("arith.extf", results=[wide], operands=[value]).results[0] for value in op.operands
            ]
            found = ir.Operation.create(op.name, results=[wide], operands=given, attributes=attributes)
            _replace(op, ir.Operation.create("arith.truncf", results=[kind], operands=list(found.results)))


def use_intrinsics(root: Any) -> None:
    """Replaces math operations that convert-gpu-to-nvvm does not know by intrinsics that the back end does."""
    i1 = ir.IntegerType.get_signless(1, root.context)
    no = ir.IntegerAttr.get(i1, 0)
    table: dict[str, tuple[str, dict[str, ir.Attribute]]] = {
        "math.trunc": ("llvm.intr.trunc", {}),
        "math.absi": ("llvm.intr.abs", {"is_int_min_poison": no}),
        "math.ctpop": ("llvm.intr.ctpop", {}),
        "math.ctlz": ("llvm.intr.ctlz", {"is_zero_poison": no}),
        "math.cttz": ("llvm.intr.cttz", {"is_zero_poison": no}),
    }
    for op in find(root, table):
        name, attributes = table[op.name]
        if _FLAGS in op.attributes:
            flags = str(op.attributes[_FLAGS]).replace("#arith.fastmath", "#llvm.fastmath")
            attributes = {**attributes, "fastmathFlags": ir.Attribute.parse(flags, root.context)}
        with ir.InsertionPoint(op), op.location:
            kinds = [result.type for result in op.results]
            _replace(op, ir.Operation.create(name, results=kinds, operands=list(op.operands), attributes=attributes))


def call_remainders(gpu_module: Any) -> None:
    """Replaces arith.remf by calls of libdevice, one a lane: LLVM has no instruction for it on NVIDIA's devices.

    Of f16 and bf16 it is computed in f32, where it is exact.
    """
    declared: set[str] = set()
    for op in find(gpu_module, ("arith.remf",)):
        kind: Any = op.results[0].type
        vector = ir.VectorType(kind) if isinstance(kind, ir.VectorType) else None
        element: Any = kind if vector is None else vector.element_type
        wide: Any = element if element.width in _REMAINDERS else ir.F32Type.get(gpu_module.context)
        function = _REMAINDERS[wide.width]
        if function not in declared:
            declared.add(function)
            _declare(gpu_module, function, wide)
        with ir.InsertionPoint(op), op.location:
            lanes = [
                _remainder([_lane(value, n, vector) for value in op.operands], function, element, wide)
                for n in range(1 if vector is None else vector.shape[0])
            ]
            if vector is None:
                op.results[0].replace_all_uses_with(lanes[0])
                op.erase()
            else:
                _replace(op, ir.Operation.create("vector.from_elements", results=[kind], operands=lanes))


def _replace(op: Any, new: Any) -> None:
    op.results[0].replace_all_uses_with(new.results[0])
    op.erase()


def _infinity(kind: Any) -> ir.Attribute:
    if not isinstance(kind, ir.VectorType):
        return ir.FloatAttr.get(kind, float("inf"))
    return ir.DenseElementsAttr.get_splat(kind, ir.FloatAttr.get(ir.VectorType(kind).element_type, float("inf")))


def _lane(value: Any, lane: int, vector: Any) -> Any:
    if vector is None:
        return value
    place: dict[str, ir.Attribute] = {"static_position": ir.DenseI64ArrayAttr.get([lane])}
    return ir.Operation.create(
        "vector.extract", results=[vector.element_type], operands=[value], attributes=place
    ).results[0]


def _remainder(operands: list[Any], function: str, element: Any, wide: Any) -> Any:
    def cast(name: str, value: Any, to: Any) -> Any:
        return value if value.type == to else ir.Operation.create(name, results=[to], operands=[value]).results[0]

    sizes: dict[str, ir.Attribute] = {
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        "callee": ir.FlatSymbolRefAttr.get(function),
    }
    given = [cast("arith.extf", value, wide) for value in operands]
    call = ir.Operation.create("llvm.call", results=[wide], operands=given, attributes=sizes)
    return cast("arith.truncf", call.results[0], element)


def _declare(gpu_module: Any, function: str, kind: Any) -> None:
    with ir.InsertionPoint.at_block_begin(gpu_module.regions[0].blocks[0]), gpu_module.location:
        ir.Operation.create(
            "llvm.func",
            regions=1,
            attributes={
                "sym_name": ir.StringAttr.get(function),
                "function_type": ir.TypeAttr.get(ir.Type.parse(f"!llvm.func<{kind} ({kind}, {kind})>")),
                "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
                "CConv": ir.Attribute.parse("#llvm.cconv<ccc>"),
            },
        )
