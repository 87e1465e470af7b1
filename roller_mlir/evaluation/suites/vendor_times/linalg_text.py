# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces of linalg text."""

from collections.abc import Sequence

from roller_mlir.evaluation.suites.element_types import literal, tensor, widened
from roller_mlir.plan.accuracy.accumulation import SUMS


class WidenedArguments:
    """Lines that bring the arguments of a body to the type of results."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def wide(self, name: str, dtype: str) -> str:
        """Return what an argument is called in that type."""
        lines, value = widened(f"{name}w", name, dtype)
        self.lines += [f"  {line}" for line in lines]
        return value


def maps(rank: int, results: Sequence[str]) -> str:
    """Spell indexing maps of so many loops, by their results."""
    space = ", ".join(f"d{i}" for i in range(rank))
    return f"[{', '.join(f'affine_map<({space}) -> {one}>' for one in results)}]"


def loops(kinds: str) -> str:
    """Spell iterator types: p for a parallel loop, r for a reduction."""
    names = {"p": '"parallel"', "r": '"reduction"'}
    return f"[{', '.join(names[kind] for kind in kinds)}]"


def zeros(shape: Sequence[int], dtype: str) -> list[str]:
    """Return the lines that make %init, a tensor of zeros."""
    value = tensor(shape, dtype)
    return [
        f"%none = arith.constant {literal(dtype, 0)} : {dtype}",
        f"%start = tensor.empty() : {value}",
        f"%init = linalg.fill ins(%none : {dtype}) outs(%start : {value}) -> {value}",
    ]


def summed(name: str, value: str, shape: Sequence[int], axis: int, dtype: str) -> list[str]:
    """Return the lines that add up a value along an axis, onto %init."""
    kept = [extent for i, extent in enumerate(shape) if i != axis]
    kinds = f"{tensor(shape, dtype)}) outs(%init : {tensor(kept, dtype)}"
    return [f"{name} = linalg.reduce {{ arith.addf }} ins({value} : {kinds}) dimensions = [{axis}]"]


def converted(value: str, name: str, shape: Sequence[int], given: str, wanted: str) -> tuple[list[str], str]:
    """Return the lines that bring a tensor from a type to another, none for the same, and what it is then called."""
    if given == wanted:
        return [], value
    operation = "arith.extf" if SUMS[given] == wanted else "arith.truncf"
    space = f"({', '.join(f'd{i}' for i in range(len(shape)))})"
    result = tensor(shape, wanted)
    return [
        f"{name}_empty = tensor.empty() : {result}",
        f"{name} = linalg.generic {{indexing_maps = {maps(len(shape), [space] * 2)},",
        f"    iterator_types = {loops('p' * len(shape))}}}",
        f"    ins({value} : {tensor(shape, given)}) outs({name}_empty : {result}) {{",
        f"^bb0(%x: {given}, %old: {wanted}):",
        f"  %c = {operation} %x : {given} to {wanted}",
        f"  linalg.yield %c : {wanted}",
        f"}} -> {result}",
    ], name


def function(
    arguments: Sequence[tuple[str, Sequence[int], str]],
    lines: Sequence[str],
    value: str,
    shape: Sequence[int],
    dtype: str,
    result: str,
) -> str:
    """Return a function of these lines, which gives a value of theirs in a type."""
    rounding, value = converted(value, "%rounded", shape, dtype, result)
    given = ", ".join(f"{name}: {tensor(extents, kind)}" for name, extents, kind in arguments)
    kind = tensor(shape, result)
    body = "".join(f"  {line}\n" for line in (*lines, *rounding, f"return {value} : {kind}"))
    return f"func.func @main({given}) -> {kind} {{\n{body}}}\n"
