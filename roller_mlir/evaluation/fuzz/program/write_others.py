# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed layouts, tensors of one scalar and loops as MLIR text."""

from collections.abc import Callable, Sequence

from roller_mlir.evaluation.fuzz.program.numbers import Whole
from roller_mlir.evaluation.fuzz.program.program import LoopNode, PackNode, SplatNode
from roller_mlir.evaluation.fuzz.program.scalars import BodyText, spell_constant


def write_other(
    name: str,
    node: PackNode | SplatNode | LoopNode,
    operands: Sequence[tuple[str, str]],
    kind: str,
    value: Callable[[Whole], int],
) -> list[str]:
    """Return the lines of an op.

    Args:
        name: Of its result.
        node: The op.
        operands: Names and types.
        kind: Type of the result.
        value: Gives the value of a formula.
    """
    if isinstance(node, LoopNode):
        return _loop(name, node, operands, kind, value)
    source, source_kind = operands[0]
    element = node.types[0].element
    if isinstance(node, SplatNode):
        if node.how == "splat":
            return [f"{name} = tensor.splat {source} : {kind}"]
        if node.how == "generate":
            indices = ", ".join(f"%i{n}: index" for n in range(len(node.types[0].shape)))
            inner = f"{{\n  ^bb0({indices}):\n    tensor.yield {source} : {element}\n  }}"
            return [f"{name} = tensor.generate {inner} : {kind}"]
        filled = f"linalg.fill ins({source} : {element}) outs({name}e : {kind}) -> {kind}"
        return [f"{name}e = tensor.empty() : {kind}", f"{name} = {filled}"]
    tiles, order = [value(tile) for tile in node.tiles], list(node.order)
    where = f"outer_dims_perm = {order} inner_dims_pos = {list(node.dimensions)} inner_tiles = {tiles}"
    lines = [f"{name}e = tensor.empty() : {kind}"]
    packs = len(node.types[0].shape) > len(order)
    if packs:
        lines.append(f"{name}c = arith.constant {spell_constant(node.value, element)} : {element}")
        where = f"padding_value({name}c : {element}) {where}"
    op = "pack" if packs else "unpack"
    return [*lines, f"{name} = linalg.{op} {source} {where} into {name}e : {source_kind} -> {kind}"]


def _loop(
    name: str, node: LoopNode, operands: Sequence[tuple[str, str]], kind: str, value: Callable[[Whole], int]
) -> list[str]:
    """Return a loop, each step of which reads a row."""
    rows, rows_kind = operands[-1]
    carries = len(operands) == 2
    shape = [value(extent) for extent in node.types[0].shape]
    row = shape if carries else shape[1:]
    rank, element = len(row), node.types[0].element
    row_kind = f"tensor<{''.join(f'{extent}x' for extent in row)}{element}>"
    zeros, ones = [0] * rank, [1] * (rank + 1)
    at = f"[%i{''.join(f', {zero}' for zero in zeros)}] {[1, *row]} {ones}"
    body = BodyText([element] * len(operands), [element])
    last = body.name(node.body)
    loops = ", ".join(f"d{n}" for n in range(rank))
    maps = ", ".join([f"affine_map<({loops}) -> ({loops})>"] * (len(operands) + 1))
    iterators = ", ".join(['"parallel"'] * rank)
    names = ["%acc", "%row"] if carries else ["%row"]
    arguments = ", ".join(f"%x{n}: {element}" for n in range(len(operands)))
    step = [
        f"  %row = tensor.extract_slice {rows}{at} : {rows_kind} to {row_kind}",
        f"  %empty = tensor.empty() : {row_kind}",
        f"  %new = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}",
        f"      ins({', '.join(names)} : {', '.join([row_kind] * len(names))}) outs(%empty : {row_kind}) {{",
        f"  ^bb0({arguments}, %acc0: {element}):",
        *(f"    {line}" for line in body.lines),
        f"    linalg.yield {last} : {element}",
        f"  }} -> {row_kind}",
    ]
    trips = value(node.trips)
    if not carries:
        return [
            f"{name}e = tensor.empty() : {kind}",
            f"{name} = scf.forall (%i) in ({trips}) shared_outs(%all = {name}e) -> ({kind}) {{",
            *step,
            "  scf.forall.in_parallel {",
            f"    tensor.parallel_insert_slice %new into %all{at} : {row_kind} into {kind}",
            "  }",
            "}",
        ]
    return [
        *(f"{name}{letter} = arith.constant {n} : index" for letter, n in (("l", 0), ("h", trips), ("s", 1))),
        f"{name} = scf.for %i = {name}l to {name}h step {name}s iter_args(%acc = {operands[0][0]}) -> ({kind}) {{",
        *step,
        f"  scf.yield %new : {kind}",
        "}",
    ]
