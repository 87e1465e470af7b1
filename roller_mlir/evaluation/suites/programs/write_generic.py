# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The linalg text of an operator of the class "generic": a product of tensors at any affine indices, reduced or not."""

from collections.abc import Sequence

from roller_mlir.evaluation.suites.element_types import combine, neutral, widened
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.plan.accuracy.accumulation import SUMS
from roller_mlir.plan.indices import Dimension, parse_indices


def generic_text(operator: Operator, dtype: str, entry: str) -> str:
    """Return the text of one `linalg.generic` in a function.

    Args:
        operator: Of the class "generic".
        dtype: Element type of the inputs.
        entry: Name of the function.
    """
    indices, extents = parse_indices(operator.indices), operator.sizes
    result = SUMS[dtype]
    names = [f"%in{i}" for i in range(len(indices.inputs))]
    kinds = [_tensor(tensor, operator, dtype) for tensor in indices.inputs]
    out = _tensor(indices.output, operator, result)
    windows = [(f"%window{i}", loop) for i, loop in enumerate(indices.without_extent)]
    loops = ", ".join(indices.loops)
    space = [*indices.inputs, *((Dimension({loop: 1}),) for _, loop in windows), indices.output]
    maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(map(str, tensor))})>" for tensor in space)
    iterators = ", ".join('"parallel"' if loop in indices.parallel else '"reduction"' for loop in indices.loops)
    reduces = len(indices.parallel) < len(indices.loops)
    start = "%init" if reduces else "%empty"
    combiner = operator.combiner or "sum"
    lines = [f"%empty = tensor.empty() : {out}"]
    if reduces:
        lines += [
            f"%start = arith.constant {neutral(combiner, result)} : {result}",
            f"%init = linalg.fill ins(%start : {result}) outs(%empty : {out}) -> {out}",
        ]
    # A window of its own loops says how many points they have; nobody reads it.
    lines += [f"{name} = tensor.empty() : tensor<{extents[loop]}x{dtype}>" for name, loop in windows]
    given = [*names, *(name for name, _ in windows)]
    given_kinds = [*kinds, *(f"tensor<{extents[loop]}x{dtype}>" for _, loop in windows)]
    arguments = [f"%x{i}: {dtype}" for i in range(len(names))] + [f"%unused{i}: {dtype}" for i in range(len(windows))]
    lines += [
        f"%result = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}",
        f"    ins({', '.join(given)} : {', '.join(given_kinds)}) outs({start} : {out}) {{",
        f"^bb0({', '.join([*arguments, f'%acc: {result}'])}):",
        *(f"  {line}" for line in _body(len(names), dtype, combiner if reduces else "")),
        f"}} -> {out}",
        f"return %result : {out}",
    ]
    head = ", ".join(f"{name}: {kind}" for name, kind in zip(names, kinds, strict=True))
    return f"func.func @{entry}({head}) -> {out} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _tensor(dimensions: Sequence[Dimension], operator: Operator, element: str) -> str:
    return f"tensor<{'x'.join([*(str(one.size(operator.sizes)) for one in dimensions), element])}>"


def _body(inputs: int, dtype: str, combiner: str) -> list[str]:
    """Return the body: the product of the inputs in the type of results, combined with the accumulator."""
    result, lines = SUMS[dtype], list[str]()
    value = ""
    for number in range(inputs):
        more, wide = widened(f"%w{number}", f"%x{number}", dtype)
        lines += more
        if not value:
            value = wide
            continue
        lines.append(f"%p{number} = {combine('product', result)} {value}, {wide} : {result}")
        value = f"%p{number}"
    if combiner:
        lines.append(f"%next = {combine(combiner, result)} %acc, {value} : {result}")
        value = "%next"
    return [*lines, f"linalg.yield {value} : {result}"]
