# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A problem as MLIR text for compilers: in the layout of the suites, or channels last; with its epilogue.

Channels last: input NHWC, weights HWCF (HWC of depthwise ones), output NHWF; poolings likewise. A bias and a relu are
one `linalg.generic` behind the operator. Weights may be a constant of the module, as those of a model are.
"""

from collections.abc import Sequence

import numpy as np

from roller_mlir.evaluation.measure.cpu_peers.interface import Array, aligned
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.write import function_text

LAST = "nhwc"
"""The layout with channels last."""
UNFUSED = "unfused"
"""A variant of ours whose epilogue is a kernel of its own."""
CONSTANT = "constant filter"
"""A variant of ours whose weights are a constant of the module, which a compiler may pack beforehand."""
_ALIGNMENT = 64
_WEIGHTS = {"conv2d": (2, 3, 1, 0), "depthwise_conv2d": (1, 2, 0)}
_POOLING = "avg_pool2d"
_LINALG = {"conv2d": "linalg.conv_2d_nhwc_hwcf", "depthwise_conv2d": "linalg.depthwise_conv_2d_nhwc_hwc"}


def text_of(problem: HostProblem, layout: str = "") -> str | None:
    """Return a problem as a function `main`, None where it is not written in that layout.

    Args:
        problem: The problem.
        layout: "" for that of the suites, or `LAST`.
    """
    kind = problem.reference.kind
    if layout == LAST:
        if kind not in (*_LINALG, _POOLING):
            return None
        text, channel = _channels_last(problem), 3
    else:
        text, channel = function_text(Operator(problem.id, kind, "f32", dict(problem.sizes))), 1
    return _with_epilogue(problem, text, channel) if problem.epilogue else text


def has_filter(problem: HostProblem) -> bool:
    """Return whether a problem is a convolution, whose weights a library may arrange beforehand."""
    return problem.reference.kind in _WEIGHTS


def with_constant_filter(text: str, weights: Array) -> str:
    """Return a function whose second argument, `%kernel`, has become a constant of the module.

    Args:
        text: A function of `text_of`.
        weights: The constant, in the function's layout.
    """
    kind = _tensor(weights.shape)
    head, argument, rest = text.partition(f", %kernel: {kind}")
    assert argument, "convolutions have their weights behind their input"
    signature, brace, body = rest.partition("{\n")
    data = _ALIGNMENT.to_bytes(4, "little").hex() + np.ascontiguousarray(weights).tobytes().hex()
    constant = f"  %kernel = arith.constant dense_resource<kernel> : {kind}\n"
    section = f'{{-# dialect_resources: {{ builtin: {{ kernel: "0x{data}" }} }} #-}}\n'
    return f"{head}{signature}{brace}{constant}{body}{section}"


def arranged(problem: HostProblem, inputs: Sequence[Array], layout: str) -> list[Array]:
    """Return the inputs in a layout."""
    if layout != LAST:
        return list(inputs)
    weights = [_WEIGHTS[problem.reference.kind]] if has_filter(problem) else []
    orders = ((0, 2, 3, 1), *weights, (0,), (0,))
    moved = [one.transpose(order) for one, order in zip(inputs, orders, strict=False)]
    return [aligned(one.shape, one) for one in moved]


def restored(output: Array, layout: str) -> Array:
    """Return an output of a layout in the problem's own."""
    return np.ascontiguousarray(output.transpose(0, 3, 1, 2)) if layout == LAST else output


def _tensor(shape: Sequence[int]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def _output(problem: HostProblem, channel: int) -> tuple[int, ...]:
    shape = problem.output_shape
    return (shape[0], *shape[2:], shape[1]) if channel == 3 else shape


def _channels_last(problem: HostProblem) -> str:
    s, kind = problem.sizes, problem.reference.kind
    given = (s["N"], s["H"], s["W"], s["C"])
    # As the suites' functions, which pad by the totals and leave what no window reaches.
    low = [s["pad_h"] // 2, s["pad_w"] // 2]
    high = [s["pad_h"] - low[0], s["pad_w"] - low[1]]
    padded = (given[0], given[1] + s["pad_h"], given[2] + s["pad_w"], given[3])
    result = _tensor(_output(problem, 3))
    value, lines = "%input", list[str]()
    if any(low) or any(high):
        value = "%padded"
        lines = [
            f"%padded = tensor.pad %input low[0, {low[0]}, {low[1]}, 0] high[0, {high[0]}, {high[1]}, 0] {{",
            "^bb0(%i0: index, %i1: index, %i2: index, %i3: index):",
            "  tensor.yield %zero : f32",
            f"}} : {_tensor(given)} to {_tensor(padded)}",
        ]
    made = _pooling if kind == _POOLING else _convolution
    operation, weights = made(problem, (value, _tensor(padded)), result)
    lines = [
        "%zero = arith.constant 0.0 : f32",
        *lines,
        f"%empty = tensor.empty() : {result}",
        f"%init = linalg.fill ins(%zero : f32) outs(%empty : {result}) -> {result}",
        *operation,
        f"return %result : {result}",
    ]
    body = "\n".join(f"  {line}" for line in lines)
    kernel = f", %kernel: {weights}" if weights else ""
    return f"func.func @main(%input: {_tensor(given)}{kernel}) -> {result} {{\n{body}\n}}\n"


def _convolution(problem: HostProblem, image: tuple[str, str], result: str) -> tuple[list[str], str]:
    """Return the lines that make a convolution of an image (its value and type), and the type of its weights."""
    kind, shape = problem.reference.kind, problem.shapes[1]
    weights = _tensor([shape[axis] for axis in _WEIGHTS[kind]])
    attributes = ", ".join(
        f"{name} = dense<{problem.sizes[column]}> : tensor<2xi64>"
        for name, column in (("dilations", "dilation"), ("strides", "stride"))
    )
    return [
        f"%result = {_LINALG[kind]} {{{attributes}}}",
        f"    ins({image[0]}, %kernel : {image[1]}, {weights}) outs(%init : {result}) -> {result}",
    ], weights


def _pooling(problem: HostProblem, image: tuple[str, str], result: str) -> tuple[list[str], str]:
    """Return the lines that make the averages of windows, padding included, and no type of weights."""
    s, loops = problem.sizes, "(n, h, w, c, kh, kw)"
    rows, columns = (f"{axis} * {s['stride']} + k{axis} * {s['dilation']}" for axis in "hw")
    maps = [f"{loops} -> {one}" for one in (f"(n, {rows}, {columns}, c)", "(kh, kw)", "(n, h, w, c)")]
    kinds = ['"parallel"'] * 4 + ['"reduction"'] * 2
    window = _tensor((s["KH"], s["KW"]))
    return [
        f"%scale = arith.constant {1.0 / (s['KH'] * s['KW']):.17e} : f32",
        f"%window = tensor.empty() : {window}",
        f"%result = linalg.generic {{indexing_maps = [{', '.join(f'affine_map<{one}>' for one in maps)}], "
        f"iterator_types = [{', '.join(kinds)}]}}",
        f"    ins({image[0]}, %window : {image[1]}, {window}) outs(%init : {result}) {{",
        "^bb0(%x: f32, %unused: f32, %sum: f32):",
        "  %scaled = arith.mulf %x, %scale : f32",
        "  %next = arith.addf %sum, %scaled : f32",
        "  linalg.yield %next : f32",
        f"}} -> {result}",
    ], ""


def _with_epilogue(problem: HostProblem, text: str, channel: int) -> str:
    """Return a function with its epilogue before the return."""
    shape = _output(problem, channel)
    value, bias = _tensor(shape), _tensor([problem.output_shape[1]])
    head, _, _ = text.rpartition("  return ")
    more = ["bias"] * problem.has_bias + ["scale", "shift"] * problem.has_norm
    added = "".join(f", %{name}: {bias}" for name in more)
    head = head.replace(f") -> {value} {{", f"{added}) -> {value} {{", 1)
    loops = [f"d{axis}" for axis in range(len(shape))]
    same, along = f"({', '.join(loops)}) -> ({', '.join(loops)})", f"({', '.join(loops)}) -> ({loops[channel]})"
    maps = [same, *[along] * len(more), same]
    given = [("%result", value), *((f"%{name}", bias) for name in more)]
    names, types = ", ".join(name for name, _ in given), ", ".join(kind for _, kind in given)
    arguments = ", ".join(f"%{name}: f32" for name in ("value", *(f"{name}_of" for name in more), "unused"))
    body, last = list[str](), "%value"
    if problem.has_norm:
        body.append(f"%scaled = arith.mulf {last}, %scale_of : f32")
        last = "%scaled"
    if more:
        body.append(f"%added = arith.addf {last}, %{more[-1]}_of : f32")
        last = "%added"
    if problem.has_relu:
        body.append(f"%positive = arith.maximumf {last}, %none : f32")
        last = "%positive"
    kinds = ", ".join(['"parallel"'] * len(shape))
    lines = [
        "%none = arith.constant 0.0 : f32",
        f"%room = tensor.empty() : {value}",
        f"%last = linalg.generic {{indexing_maps = [{', '.join(f'affine_map<{one}>' for one in maps)}], "
        f"iterator_types = [{kinds}]}}",
        f"    ins({names} : {types}) outs(%room : {value}) {{",
        f"^bb0({arguments}):",
        *(f"  {line}" for line in body),
        f"  linalg.yield {last} : f32",
        f"}} -> {value}",
        f"return %last : {value}",
    ]
    return head + "\n".join(f"  {line}" for line in lines) + "\n}\n"
