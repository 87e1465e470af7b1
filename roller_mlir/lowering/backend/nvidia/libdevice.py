# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What convert-gpu-to-nvvm leaves: operations for which LLVM has an intrinsic, and remainders, which libdevice has."""

from typing import Any

from roller_mlir.lowering.backend.math.operations import emit, find
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import replace_op

_REMAINDERS = {32: "__nv_fmodf", 64: "__nv_fmod"}
"""Functions by the bits of their operands."""


def use_intrinsics(root: Any) -> None:
    """Replace operations that convert-gpu-to-nvvm does not know, or computes in f32, by the back end's intrinsics."""
    no = ir.IntegerAttr.get(ir.IntegerType.get_signless(1, root.context), 0)
    table: dict[str, tuple[str, dict[str, ir.Attribute]]] = {
        "math.trunc": ("llvm.intr.trunc", {}),
        "math.fma": ("llvm.intr.fma", {}),
        "math.absi": ("llvm.intr.abs", {"is_int_min_poison": no}),
        "math.ctpop": ("llvm.intr.ctpop", {}),
        "math.ctlz": ("llvm.intr.ctlz", {"is_zero_poison": no}),
        "math.cttz": ("llvm.intr.cttz", {"is_zero_poison": no}),
    }
    for op in find(root, table):
        name, attributes = table[op.name]
        if "fastmath" in op.attributes:
            flags = str(op.attributes["fastmath"]).replace("#arith.fastmath", "#llvm.fastmath")
            attributes = {**attributes, "fastmathFlags": ir.Attribute.parse(flags, root.context)}
        with ir.InsertionPoint(op), op.location:
            replace_op(op, emit(name, list(op.operands), op.results[0].type, attributes))


def call_remainders(gpu_module: Any) -> None:
    """Replace arith.remf by calls of libdevice, one a lane: LLVM has no instruction for it on NVIDIA's devices.

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
            if vector is None:
                replace_op(op, _remainder(list(op.operands), function, element, wide))
                continue
            lanes = [
                _remainder([_lane(value, n, element) for value in op.operands], function, element, wide)
                for n in range(vector.shape[0])
            ]
            replace_op(op, emit("vector.from_elements", lanes, kind))


def _lane(vector: Any, lane: int, element: Any) -> Any:
    return emit("vector.extract", [vector], element, {"static_position": ir.DenseI64ArrayAttr.get([lane])})


def _remainder(operands: list[Any], function: str, element: Any, wide: Any) -> Any:
    given = operands if element == wide else [emit("arith.extf", [value], wide) for value in operands]
    attributes = {
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
        "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        "callee": ir.FlatSymbolRefAttr.get(function),
    }
    found = emit("llvm.call", given, wide, attributes)
    return found if element == wide else emit("arith.truncf", [found], element)


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
