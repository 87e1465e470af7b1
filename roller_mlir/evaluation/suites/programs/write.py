# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The linalg text of an operator: one function `main`, from the inputs to the result.

Contractions and reductions of f16 and bf16 inputs accumulate in f32, of i8 in i32, which their results are; relu keeps
the type.
Padding is a `tensor.pad` by 0 of the input: total // 2 on the low side of an axis, the rest on the high side.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from roller_mlir.evaluation.suites.element_types import combine, literal, tensor, widened
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.kinds import KINDS
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.write_generic import generic_text
from roller_mlir.plan.accuracy.accumulation import SUMS
from roller_mlir.support.foreign.reasons import reason_of

ENTRY = "main"


def function_text(operator: Operator, dtype: str | None = None) -> str:
    """Return the operator as MLIR text.

    Args:
        operator: An operator of a suite.
        dtype: Element type of the inputs; that of the operator by default.

    Returns:
        A module of one function `main`; of the class "file" the text of the operator's own file.

    Raises:
        SuiteError: The operator's own file cannot be read, or a dtype is asked of it or of a class that has it not.
    """
    if operator.kind == "file":
        return _own_text(operator, dtype)
    known = KINDS[operator.kind].dtypes
    if known and (dtype or operator.dtype) not in known:
        file, line = operator.place
        rule = f"takes {', '.join(known)}, but got {dtype or operator.dtype}"
        raise SuiteError(f"'{operator.id}': {operator.kind} {rule}", file=file, line=line)
    return _WRITERS[operator.kind](operator, dtype or operator.dtype)


def _own_text(operator: Operator, dtype: str | None) -> str:
    file, line = operator.place
    if dtype is not None:
        raise SuiteError(f"'{operator.id}' is a file of its own, whose element type stands in it", file=file, line=line)
    try:
        return Path(operator.file).read_bytes().decode()
    except OSError as error:
        reason = reason_of(error)
        raise SuiteError(f"'{operator.id}': cannot read {operator.file}: {reason}", file=file, line=line) from None
    except UnicodeDecodeError as error:
        reason = f"{operator.file} is not UTF-8 at byte {error.start}"
        raise SuiteError(f"'{operator.id}': {reason}", file=file, line=line) from None


def _function(arguments: str, result: str, lines: Sequence[str], maps: Sequence[str] = ()) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    head = "".join(f"{line}\n" for line in maps)
    return f"{head}func.func @{ENTRY}({arguments}) -> {result} {{\n{body}\n}}\n"


def _zeros(result: str, element: str) -> list[str]:
    return [
        f"%zero = arith.constant {literal(element, 0)} : {element}",
        f"%empty = tensor.empty() : {result}",
        f"%init = linalg.fill ins(%zero : {element}) outs(%empty : {result}) -> {result}",
    ]


def _matmul(operator: Operator, dtype: str) -> str:
    m, n, k = (operator.sizes[name] for name in ("M", "N", "K"))
    a, b, c = tensor((m, k), dtype), tensor((k, n), dtype), tensor((m, n), SUMS[dtype])
    lines = [
        *_zeros(c, SUMS[dtype]),
        f"%result = linalg.matmul ins(%a, %b : {a}, {b}) outs(%init : {c}) -> {c}",
        f"return %result : {c}",
    ]
    return _function(f"%a: {a}, %b: {b}", c, lines)


def _padded(operator: Operator, dtype: str) -> tuple[list[str], str, str, str]:
    """Return the lines that pad the input, the input's type, and the padded value and its type."""
    s = operator.sizes
    given = tensor([s[name] for name in "NCHW"], dtype)
    if not s["pad_h"] and not s["pad_w"]:
        return [], given, "%input", given
    low = [s["pad_h"] // 2, s["pad_w"] // 2]
    high = [s["pad_h"] - low[0], s["pad_w"] - low[1]]
    padded = tensor((s["N"], s["C"], s["H"] + s["pad_h"], s["W"] + s["pad_w"]), dtype)
    lines = [
        f"%pad = arith.constant {literal(dtype, 0)} : {dtype}",
        f"%padded = tensor.pad %input low[0, 0, {low[0]}, {low[1]}] high[0, 0, {high[0]}, {high[1]}] {{",
        "^bb0(%i0: index, %i1: index, %i2: index, %i3: index):",
        f"  tensor.yield %pad : {dtype}",
        f"}} : {given} to {padded}",
    ]
    return lines, given, "%padded", padded


def _convolution(operator: Operator, dtype: str, op: str, channels: Sequence[str], weights: Sequence[str]) -> str:
    s = operator.sizes
    lines, given, value, padded = _padded(operator, dtype)
    kernel = tensor([s[name] for name in weights], dtype)
    result = tensor([s[name] for name in channels], SUMS[dtype])
    attributes = ", ".join(
        f"{name} = dense<{s[column]}> : tensor<2xi64>"
        for name, column in (("dilations", "dilation"), ("strides", "stride"))
    )
    lines = [
        *lines,
        *_zeros(result, SUMS[dtype]),
        f"%result = {op} {{{attributes}}}",
        f"    ins({value}, %kernel : {padded}, {kernel}) outs(%init : {result}) -> {result}",
        f"return %result : {result}",
    ]
    return _function(f"%input: {given}, %kernel: {kernel}", result, lines)


def _conv2d(operator: Operator, dtype: str) -> str:
    return _convolution(operator, dtype, "linalg.conv_2d_nchw_fchw", ("N", "F", "OH", "OW"), ("F", "C", "KH", "KW"))


def _depthwise(operator: Operator, dtype: str) -> str:
    op = "linalg.depthwise_conv_2d_nchw_chw"
    return _convolution(operator, dtype, op, ("N", "C", "OH", "OW"), ("C", "KH", "KW"))


def _avg_pool2d(operator: Operator, dtype: str) -> str:
    """Write sum(x * (1 / window)) as one operator, as ROLLER's artifact does; padding counts as zeros."""
    s = operator.sizes
    lines, given, value, padded = _padded(operator, dtype)
    wide = SUMS[dtype]
    result = tensor([s[name] for name in ("N", "C", "OH", "OW")], wide)
    window = tensor((s["KH"], s["KW"]), wide)
    extended, x = widened("%wide", "%x", dtype)
    rows, columns = (f"{x} * {s['stride']} + k{x} * {s['dilation']}" for x in "hw")
    loops = "(n, c, h, w, kh, kw)"
    maps = [
        f"#input = affine_map<{loops} -> (n, c, {rows}, {columns})>",
        f"#window = affine_map<{loops} -> (kh, kw)>",
        f"#output = affine_map<{loops} -> (n, c, h, w)>",
    ]
    kinds = ", ".join(f'"{kind}"' for kind in (*["parallel"] * 4, *["reduction"] * 2))
    lines = [
        *lines,
        f"%scale = arith.constant {1 / (s['KH'] * s['KW']):.17e} : {wide}",
        f"%window = tensor.empty() : {window}",
        *_zeros(result, wide),
        f"%result = linalg.generic {{indexing_maps = [#input, #window, #output], iterator_types = [{kinds}]}}",
        f"    ins({value}, %window : {padded}, {window}) outs(%init : {result}) {{",
        f"^bb0(%x: {dtype}, %unused: {wide}, %sum: {wide}):",
        *(f"  {line}" for line in extended),
        f"  %scaled = arith.mulf {x}, %scale : {wide}",
        f"  %next = arith.addf %sum, %scaled : {wide}",
        f"  linalg.yield %next : {wide}",
        f"}} -> {result}",
        f"return %result : {result}",
    ]
    return _function(f"%input: {given}", result, lines, maps)


def _relu(operator: Operator, dtype: str) -> str:
    value = tensor(operator.shape, dtype)
    rank = len(operator.shape)
    loops = ", ".join(f"d{i}" for i in range(rank))
    kinds = ", ".join(['"parallel"'] * rank)
    lines = [
        f"%zero = arith.constant {literal(dtype, 0)} : {dtype}",
        f"%empty = tensor.empty() : {value}",
        f"%result = linalg.generic {{indexing_maps = [#same, #same], iterator_types = [{kinds}]}}",
        f"    ins(%input : {value}) outs(%empty : {value}) {{",
        f"^bb0(%x: {dtype}, %unused: {dtype}):",
        f"  %positive = {combine('max', dtype)} %x, %zero : {dtype}",
        f"  linalg.yield %positive : {dtype}",
        f"}} -> {value}",
        f"return %result : {value}",
    ]
    return _function(f"%input: {value}", value, lines, [f"#same = affine_map<({loops}) -> ({loops})>"])


def _reduce_sum(operator: Operator, dtype: str) -> str:
    rank = len(operator.shape)
    kept = [i for i in range(rank) if i not in operator.axes]
    wide = SUMS[dtype]
    extended, x = widened("%wide", "%x", dtype)
    value = tensor(operator.shape, dtype)
    result = tensor([operator.shape[i] for i in kept], wide)
    loops = ", ".join(f"d{i}" for i in range(rank))
    kinds = ", ".join('"reduction"' if i in operator.axes else '"parallel"' for i in range(rank))
    maps = [
        f"#input = affine_map<({loops}) -> ({loops})>",
        f"#output = affine_map<({loops}) -> ({', '.join(f'd{i}' for i in kept)})>",
    ]
    lines = [
        *_zeros(result, wide),
        f"%result = linalg.generic {{indexing_maps = [#input, #output], iterator_types = [{kinds}]}}",
        f"    ins(%input : {value}) outs(%init : {result}) {{",
        f"^bb0(%x: {dtype}, %sum: {wide}):",
        *(f"  {line}" for line in extended),
        f"  %next = {combine('sum', wide)} %sum, {x} : {wide}",
        f"  linalg.yield %next : {wide}",
        f"}} -> {result}",
        f"return %result : {result}",
    ]
    return _function(f"%input: {value}", result, lines, maps)


_WRITERS: dict[str, Callable[[Operator, str], str]] = {
    "matmul": _matmul,
    "conv2d": _conv2d,
    "depthwise_conv2d": _depthwise,
    "avg_pool2d": _avg_pool2d,
    "relu": _relu,
    "reduce_sum": _reduce_sum,
    "generic": partial(generic_text, entry=ENTRY),
}
