# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function for each of upstream's named structured ops, with several element types, strides and dilations.

The ops and the extents of their operands come from upstream's own definitions (`linalg.opdsl`), which the bindings
carry; those that upstream defines elsewhere are written out below. What MLIR's parser does not take (an exponential of
integers) is left out.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from functions import Function
from torch_mlir.dialects.linalg.opdsl.lang import affine  # noqa: TID251 - upstream's definitions, not the bindings
from torch_mlir.dialects.linalg.opdsl.lang.dsl import DefinedOpCallable  # noqa: TID251 - likewise
from torch_mlir.dialects.linalg.opdsl.ops import core_named_ops  # noqa: TID251 - likewise

from roller_mlir.support.bindings import ir, make_context

_TYPES = (
    {"T1": "f32", "T2": "f32", "U": "f32"},
    {"T1": "f16", "T2": "f16", "U": "f32"},
    {"T1": "f16", "T2": "f16", "U": "f16"},
    {"T1": "bf16", "T2": "bf16", "U": "f32"},
    {"T1": "f32", "T2": "f16", "U": "f64"},
    {"T1": "f64", "T2": "f64", "U": "f64"},
    {"T1": "i8", "T2": "i8", "U": "i32"},
    {"T1": "i32", "T2": "i32", "U": "i32"},
    {"T1": "i16", "T2": "i8", "U": "i64"},
)
_EXTENTS = {
    "N": 2,
    "B": 2,
    "G": 2,
    "KH": 3,
    "KW": 2,
    "KD": 2,
    "IC": 3,
    "C": 3,
    "CM": 2,
    "F": 5,
    "FG": 5,
    "M": 5,
    "K": 7,
}
_OTHER_EXTENT = 4
_WINDOWS = ((1, 1), (2, 1), (1, 2), (2, 3))
"""Stride and dilation of every axis of a window."""
_VARIABLES = {"T": "T1", "LhsType": "T1", "RhsType": "T2", "AccumType": "U"}
_TENSORS = ("INPUT_TENSOR", "OUTPUT_TENSOR")


def named_op_functions() -> Iterator[Function]:
    """Yield the functions."""
    seen = set[str]()
    with make_context() as context:
        for name, text in _texts():
            try:
                module = ir.Module.parse(text, context)
            except ir.MLIRError:
                continue
            # Operands that an op has no use for leave equal functions.
            if (whole := str(module)) not in seen:
                seen.add(whole)
                yield Function("named ops", 0, name, text, False)


def _texts() -> Iterator[tuple[str, str]]:
    for name, op in sorted(vars(core_named_ops).items()):
        if not isinstance(op, DefinedOpCallable):
            continue
        operands = list(op.op_def.registered_operands.values())
        windowed = any(_kind(one) == "INDEX_ATTR" for one in operands)
        plain = [(types, _WINDOWS[0]) for types in _TYPES]
        further = product((_TYPES[0], _TYPES[1], _TYPES[6]), _WINDOWS[1:]) if windowed else ()
        for types, (stride, dilation) in (*plain, *further):
            suffix = f"{'_'.join(dict.fromkeys(types.values()))}_s{stride}d{dilation}"
            yield f"{name}_{suffix}", _function(name, operands, types, stride, dilation)
    for name, types in product(_OTHERS, _TYPES):
        if name == "elementwise_exp" and types["T1"].startswith("i"):
            continue  # upstream's parser dies of it
        yield f"{name}_{'_'.join(dict.fromkeys(types.values()))}", _written_out(name, types)


def _kind(operand: Any) -> str:
    return operand.kind.name


def _function(name: str, operands: list[Any], types: Mapping[str, str], stride: int, dilation: int) -> str:
    """Return a function that is one named op, its result's start an argument too."""
    inputs, results, attributes = list[str](), list[str](), list[str]()
    any_shape = not any(one.size_exprs for one in operands if _kind(one) in _TENSORS)
    for operand in operands:
        kind = _kind(operand)
        if kind == "INDEX_ATTR":
            value = stride if "stride" in operand.name else dilation
            attributes.append(f"{operand.name} = dense<{value}> : tensor<{len(operand.size_exprs)}xi64>")
        elif kind in _TENSORS:
            shape = (6, 5) if any_shape else [_extent(one, stride, dilation) for one in operand.size_exprs]
            element = _element(operand.type_var.name, types, name)
            tensor = f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"
            (results if kind == "OUTPUT_TENSOR" else inputs).append(tensor)
        elif kind == "SCALAR":
            inputs.append(_element(operand.type_var.name, types, name))
    head = f" {{{', '.join(attributes)}}}" if attributes else ""
    names = [f"%a{i}" for i in range(len(inputs))]
    arguments = ", ".join(f"{one}: {kind}" for one, kind in zip([*names, "%o"], [*inputs, *results], strict=True))
    ins = f" ins({', '.join(names)} : {', '.join(inputs)})" if inputs else ""
    op = f"linalg.{name}{head}{ins} outs(%o : {results[0]}) -> {results[0]}"
    return _wrapped(name, arguments, results[0], op)


def _wrapped(name: str, arguments: str, result: str, op: str) -> str:
    return f"func.func @{name}({arguments}) -> {result} {{\n  %r = {op}\n  return %r : {result}\n}}\n"


def _element(variable: str, types: Mapping[str, str], name: str) -> str:
    if variable in ("I32", "I64", "F32", "F64"):
        return variable.lower()
    if name == "select" and variable == "U":
        return "i1"
    return types[_VARIABLES.get(variable, variable)]


def _extent(expression: Any, stride: int, dilation: int) -> int:
    if isinstance(expression, affine.SymbolDef):
        name = expression.symname
        if len(name) == 2 and name[0] in "SD" and name[1] in "DHW":
            return stride if name[0] == "S" else dilation
        return _EXTENTS.get(name, _OTHER_EXTENT)
    if not isinstance(expression, affine.AffineBinaryExprDef):
        raise TypeError(f"an extent of upstream's definitions is {expression!r}")
    left, right = _extent(expression.lhs, stride, dilation), _extent(expression.rhs, stride, dilation)
    return left * right if expression.ir_ctor is ir.AffineMulExpr else left + right


_A, _B, _C = (f"affine_map<(m, n, k) -> ({axes})>" for axes in ("m, k", "k, n", "m, n"))
_AT, _BT, _AB = (f"affine_map<(m, n, k) -> ({axes})>" for axes in ("k, m", "n, k", "k"))

# Ops that upstream defines in TableGen: arguments but the last, result, operation; A, B and O stand for element types.
_OTHERS: dict[str, tuple[str, str, str]] = {
    "matmul": ("5x7xA 7x3xB", "5x3xO", "matmul ins(%0, %1 : $0, $1) outs(%o : $o)"),
    "matmul_transposed_a": (
        "7x5xA 7x3xB", "5x3xO", f"matmul indexing_maps = [{_AT}, {_B}, {_C}] ins(%0, %1 : $0, $1) outs(%o : $o)"
    ),
    "matmul_transposed_b": (
        "5x7xA 3x7xB", "5x3xO", f"matmul indexing_maps = [{_A}, {_BT}, {_C}] ins(%0, %1 : $0, $1) outs(%o : $o)"
    ),
    "matmul_broadcast_a": (
        "7xA 7x3xB", "5x3xO", f"matmul indexing_maps = [{_AB}, {_B}, {_C}] ins(%0, %1 : $0, $1) outs(%o : $o)"
    ),
    "contract": (
        "5x7xA 3x7xB", "5x3xO", f"contract indexing_maps = [{_A}, {_BT}, {_C}] ins(%0, %1 : $0, $1) outs(%o : $o)"
    ),
    "batch_matmul": ("2x5x7xA 2x7x3xB", "2x5x3xO", "batch_matmul ins(%0, %1 : $0, $1) outs(%o : $o)"),
    "batch_reduce_matmul": ("2x5x7xA 2x7x3xB", "5x3xO", "batch_reduce_matmul ins(%0, %1 : $0, $1) outs(%o : $o)"),
    "elementwise_add": (
        "6x5xA 6x5xA", "6x5xA", "elementwise kind=#linalg.elementwise_kind<add> ins(%0, %1 : $0, $1) outs(%o : $o)"
    ),
    "elementwise_exp": (
        "6x5xA", "6x5xA", "elementwise kind=#linalg.elementwise_kind<exp> ins(%0 : $0) outs(%o : $o)"
    ),
    "broadcast": ("5xA", "5x6xA", "broadcast ins(%0 : $0) outs(%o : $o) dimensions = [1]"),
    "transpose": ("5x6x2xA", "2x5x6xA", "transpose ins(%0 : $0) outs(%o : $o) permutation = [2, 0, 1]"),
    "reduce": ("5x6xA", "5xA", "reduce { arith.addf } ins(%0 : $0) outs(%o : $o) dimensions = [1]"),
    "reduce_integers": ("5x6xA", "6xA", "reduce { arith.maxsi } ins(%0 : $0) outs(%o : $o) dimensions = [0]"),
    "map": ("5x6xA 5x6xA", "5x6xA", "map { arith.mulf } ins(%0, %1 : $0, $1) outs(%o : $o)"),
    "softmax": ("5x9xA", "5x9xA", "softmax dimension(1) ins(%0 : $0) outs(%o : $o)"),
    "pack": (
        "9x10xA", "3x5x2x4xA", "pack %0 padding_value(%z : A) inner_dims_pos = [1, 0] inner_tiles = [2, 4] into %o"
    ),
    "unpack": ("3x5x2x4xA", "9x10xA", "unpack %0 inner_dims_pos = [1, 0] inner_tiles = [2, 4] into %o"),
    "winograd_filter_transform": (
        "2x3x3x5xA", "6x6x5x2xA",
        "winograd_filter_transform fmr(F_4_3) ins(%0 : $0) outs(%o : $o)",
    ),
    "winograd_input_transform": (
        "2x10x10x5xA", "6x6x2x2x2x5xA",
        "winograd_input_transform fmr(F_4_3) ins(%0 : $0) outs(%o : $o)",
    ),
    "winograd_output_transform": (
        "6x6x2x2x2x3xA", "2x8x8x3xA",
        "winograd_output_transform fmr(F_4_3) ins(%0 : $0) outs(%o : $o)",
    ),
}  # fmt: skip


def _written_out(name: str, types: Mapping[str, str]) -> str:
    """Return a function that is one of `_OTHERS`."""
    inputs, result, op = _OTHERS[name]
    elements = {"A": types["T1"], "B": types["T2"], "O": types["U"]}

    def tensor(shape: str) -> str:
        return f"tensor<{shape[:-1]}{elements[shape[-1]]}>"

    kinds = [tensor(one) for one in inputs.split()]
    for number, kind in enumerate(kinds):
        op = op.replace(f"${number}", kind)
    op = op.replace("$o", tensor(result)).replace(": A)", f": {types['T1']})")
    arguments = [f"%{i}: {kind}" for i, kind in enumerate(kinds)] + [f"%o: {tensor(result)}"]
    zero = "0" if types["T1"].startswith("i") else "0.0"
    arrow = "" if name in ("broadcast", "transpose", "reduce", "reduce_integers", "map") else f" -> {tensor(result)}"
    if name in ("pack", "unpack"):
        arrow = f" : {kinds[0]} -> {tensor(result)}"
    return (
        f"func.func @{name}({', '.join(arguments)}) -> {tensor(result)} {{\n"
        f"  %z = arith.constant {zero} : {types['T1']}\n"
        f"  %r = linalg.{op}{arrow}\n  return %r : {tensor(result)}\n}}\n"
    )
