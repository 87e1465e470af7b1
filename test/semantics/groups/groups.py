# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of several linalg ops as text: chains that the compiler joins into one kernel, or leaves apart."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..programs import PRODUCT, SUM, tensor

MAX = "%r = arith.maximumf %x0, %acc : f32"
EXP = "%d = arith.subf %x0, %x1 : f32\n      %r = math.exp %d : f32"
QUOTIENT = "%r = arith.divf %x0, %x1 : f32"
ADD = "%r = arith.addf %x0, %x1 : f32"
MUL = "%r = arith.mulf %x0, %x1 : f32"
SQUARES = "%m = arith.mulf %x0, %x0 : f32\n      %r = arith.addf %m, %acc : f32"
RELU = "%z = arith.constant 0.0 : f32\n      %r = arith.maximumf %x0, %z : f32"


@dataclass(frozen=True)
class Op:
    """A linalg.generic of f32: `maps` are the loops of each input, then of the output; `start` fills the output."""

    name: str
    inputs: tuple[str, ...]
    maps: tuple[str, ...]
    body: str
    start: str | None = None


def function(extents: dict[str, int], arguments: dict[str, str], ops: Sequence[Op], results: Sequence[str]) -> str:
    """Return a function of ops.

    Args:
        extents: Of each loop, by its letter.
        arguments: Loops of each argument's dimensions, by its name.
        ops: In order.
        results: What the function returns.
    """
    kinds = {name: tensor([extents[d] for d in dims]) for name, dims in arguments.items()}
    lines: list[str] = []
    for op in ops:
        *inputs, out = op.maps
        loops = "".join(dict.fromkeys("".join((out, *inputs))))
        kind = kinds[op.name] = tensor([extents[d] for d in out])
        maps = ", ".join(f"affine_map<({','.join(loops)}) -> ({','.join(m)})>" for m in op.maps)
        iterators = ", ".join('"parallel"' if d in out else '"reduction"' for d in loops)
        outs = f"%e_{op.name}"
        lines.append(f"  %e_{op.name} = tensor.empty() : {kind}")
        if op.start is not None and op.start[0] != "%":
            lines.append(f"  %c_{op.name} = arith.constant {op.start} : f32")
            lines.append(f"  %i_{op.name} = linalg.fill ins(%c_{op.name} : f32) outs({outs} : {kind}) -> {kind}")
            outs = f"%i_{op.name}"
        elif op.start is not None:
            outs = op.start
        arguments_ = ", ".join(f"%x{n}: f32" for n in range(len(inputs)))
        lines.append(
            f"  %{op.name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}\n"
            f"      ins({', '.join('%' + name for name in op.inputs)} : {', '.join(kinds[n] for n in op.inputs)}) "
            f"outs({outs} : {kind}) {{\n    ^bb0({arguments_}, %acc: f32):\n      {op.body}\n"
            f"      linalg.yield %r : f32\n  }} -> {kind}"
        )
    given = ", ".join(f"%{name}: {kinds[name]}" for name in arguments)
    made = ", ".join(kinds[name] for name in results)
    body = "\n".join(lines)
    returned = ", ".join("%" + name for name in results)
    return f"func.func @f({given}) -> ({made}) {{\n{body}\n  return {returned} : {made}\n}}\n"


def softmax(rows: str, columns: str, extents: dict[str, int]) -> str:
    """Return a softmax along some loops of a tensor indexed by both, rows first."""
    both = rows + columns
    ops = [
        Op("m", ("x",), (both, rows), MAX, "0xFF800000"),
        Op("p", ("x", "m"), (both, rows, both), EXP),
        Op("s", ("p",), (both, rows), SUM, "0.0"),
        Op("y", ("p", "s"), (both, rows, both), QUOTIENT),
    ]
    return function(extents, {"x": both}, ops, ["y"])


def product(m: int, n: int, k: int, tail: Sequence[Op], arguments: dict[str, str], results: Sequence[str]) -> str:
    """Return a matrix product c(i, j) with what follows it."""
    ops = [Op("c", ("a", "b"), ("ik", "kj", "ij"), PRODUCT, "0.0"), *tail]
    return function({"i": m, "j": n, "k": k}, {"a": "ik", "b": "kj", **arguments}, ops, results)


BIAS = Op("s", ("c", "bias"), ("ij", "j", "ij"), ADD)
CENTRED = "%r = arith.subf %x0, %x1 : f32"

# Text, and how many kernels it becomes on an h200.
GROUPS: dict[str, tuple[str, int]] = {
    "softmax of odd rows": (softmax("i", "j", {"i": 7, "j": 131}), 1),
    "softmax of one element": (softmax("i", "j", {"i": 3, "j": 1}), 1),
    "softmax of one row": (softmax("i", "j", {"i": 1, "j": 4096}), 1),
    "softmax of two axes": (softmax("hi", "jk", {"h": 2, "i": 3, "j": 5, "k": 8}), 1),
    "softmax along the first axis": (
        function(
            {"i": 33, "j": 40},
            {"x": "ij"},
            [
                Op("m", ("x",), ("ij", "j"), MAX, "0xFF800000"),
                Op("p", ("x", "m"), ("ij", "j", "ij"), EXP),
                Op("s", ("p",), ("ij", "j"), SUM, "0.0"),
                Op("y", ("p", "s"), ("ij", "j", "ij"), QUOTIENT),
            ],
            ["y"],
        ),
        1,
    ),
    "mean, variance and what is centred, all returned": (
        function(
            {"i": 9, "j": 260},
            {"x": "ij"},
            [
                Op("s", ("x",), ("ij", "i"), SUM, "0.0"),
                Op("d", ("x", "s"), ("ij", "i", "ij"), CENTRED),
                Op("v", ("d",), ("ij", "i"), SQUARES, "0.0"),
            ],
            ["s", "d", "v"],
        ),
        1,
    ),
    "product, bias, relu": (
        product(33, 65, 17, [BIAS, Op("y", ("s",), ("ij", "ij"), RELU)], {"bias": "j"}, ["y"]),
        1,
    ),
    "product, residual read twice": (
        product(
            31,
            64,
            100,
            [Op("s", ("c", "q"), ("ij", "ij", "ij"), ADD), Op("y", ("s", "q"), ("ij", "ij", "ij"), MUL)],
            {"q": "ij"},
            ["y"],
        ),
        1,
    ),
    "product, its transpose": (product(40, 24, 9, [Op("y", ("c",), ("ij", "ji"), RELU)], {}, ["y"]), 1),
    "product and what follows it, both returned": (
        product(40, 24, 9, [Op("y", ("c",), ("ij", "ij"), RELU)], {}, ["c", "y"]),
        1,
    ),
    "product that starts from a broadcast bias": (
        function(
            {"i": 20, "j": 36, "k": 50},
            {"a": "ik", "b": "kj", "bias": "j"},
            [
                Op("e", ("bias",), ("j", "ij"), RELU),
                Op("c", ("a", "b"), ("ik", "kj", "ij"), PRODUCT, "%e"),
                Op("y", ("c",), ("ij", "ij"), RELU),
            ],
            ["y"],
        ),
        1,
    ),
    "long sum and what follows it": (
        function(
            {"i": 5, "k": 3000},
            {"x": "ik", "b": "i"},
            [Op("s", ("x",), ("ik", "i"), SUM, "2.0"), Op("y", ("s", "b"), ("i", "i", "i"), ADD)],
            ["y"],
        ),
        1,
    ),
    "what a product reads is computed by its loads": (
        function(
            {"i": 33, "j": 20, "k": 50},
            {"a": "ik", "b": "kj"},
            [
                Op("pa", ("a",), ("ik", "ik"), "%o = arith.constant 1.5 : f32\n      %r = arith.addf %x0, %o : f32"),
                Op("qb", ("b",), ("kj", "jk"), RELU),
                Op("c", ("pa", "qb"), ("ik", "jk", "ij"), PRODUCT, "0.0"),
                Op("y", ("c",), ("ij", "ij"), RELU),
            ],
            ["y"],
        ),
        1,
    ),
    "two products": (
        function(
            {"i": 16, "j": 24, "k": 20, "l": 8},
            {"a": "ik", "b": "kj", "w": "jl"},
            [
                Op("c", ("a", "b"), ("ik", "kj", "ij"), PRODUCT, "0.0"),
                Op("h", ("c",), ("ij", "ij"), RELU),
                Op("y", ("h", "w"), ("ij", "jl", "il"), PRODUCT, "0.0"),
            ],
            ["y"],
        ),
        2,
    ),
    "a tree of element-wise ops with two readers": (
        function(
            {"i": 13, "j": 70},
            {"a": "ij", "b": "j"},
            [
                Op("s", ("a", "b"), ("ij", "j", "ij"), ADD),
                Op("t", ("s", "a"), ("ij", "ij", "ij"), MUL),
                Op("u", ("s", "t"), ("ij", "ij", "ij"), ADD),
            ],
            ["u", "t"],
        ),
        1,
    ),
    "read transposed": (
        function(
            {"i": 32, "j": 32},
            {"a": "ij"},
            [Op("s", ("a",), ("ij", "ij"), RELU), Op("t", ("s", "s"), ("ij", "ji", "ij"), ADD)],
            ["t"],
        ),
        2,
    ),
    "column sums beside row sums": (
        function(
            {"i": 30, "j": 44},
            {"a": "ij"},
            [
                Op("s", ("a",), ("ij", "ij"), RELU),
                Op("p", ("s",), ("ij", "i"), SUM, "0.0"),
                Op("c", ("s",), ("ij", "j"), SUM, "0.0"),
            ],
            ["p", "c"],
        ),
        0,
    ),
}
