# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of many ops, of six kinds, as MLIR text: what a compiler of whole models meets.

A program of `count` ops that compute (fills not counted) is the same text for the same arguments.
"""

from collections.abc import Callable

KIND = "tensor<64x64xf32>"
_ID = "affine_map<(i, j) -> (i, j)>"
_ROW = "affine_map<(i, j) -> (i)>"
LAYERS = 4
"""Of recurrent cells."""


def chain(count: int) -> str:
    """Return element-wise ops, each of which reads the one before and an argument."""
    ops = [_element_wise(f"%v{n}", [f"%v{n - 1}" if n else "%x", "%y"], _body(n)) for n in range(count)]
    return _function(ops, f"%x: {KIND}, %y: {KIND}", [(f"%v{count - 1}", KIND)])


def equal_products(count: int) -> str:
    """Return products of 64x64x64, each of which reads the one before."""
    ops = [_product(f"%v{n}", f"%v{n - 1}" if n else "%x", "%y", 64, 64, 64) for n in range(count)]
    return _function(ops, f"%x: {KIND}, %y: {KIND}", [(f"%v{count - 1}", KIND)])


def distinct_products(count: int) -> str:
    """Return products of 64x64xk, each with a k of its own, each of which starts from the one before."""
    ops: list[str] = []
    arguments: list[str] = []
    start = "%x"
    for n in range(count):
        k = 8 + n
        arguments += [f"%a{n}: tensor<64x{k}xf32>", f"%b{n}: tensor<{k}x64xf32>"]
        ops.append(_product(f"%v{n}", f"%a{n}", f"%b{n}", 64, 64, k, start))
        start = f"%v{n}"
    return _function(ops, ", ".join([f"%x: {KIND}", *arguments]), [(start, KIND)])


def mixed(count: int) -> str:
    """Return blocks of a product, a bias with a clamp, a sum of rows, what is above it and a residual."""
    ops: list[str] = []
    value = last = "%x"
    for n in range(count):
        name, step = f"%v{n}", n % 5
        if step == 0:
            ops.append(_product(name, value, "%y", 64, 64, 64))
        elif step == 1:
            ops.append(
                _element_wise(name, [last, "%y"], "%s = arith.addf %a, %b : f32\n%r = arith.maximumf %s, %a : f32")
            )
        elif step == 2:
            ops.append(_row_sum(name, last))
        elif step == 3:
            ops.append(_element_wise(name, [f"%v{n - 2}", last], "%r = arith.maximumf %a, %b : f32", (_ID, _ROW)))
        else:
            ops.append(_element_wise(name, [last, value], "%r = arith.addf %a, %b : f32"))
            value = name
        last = name
    kind = "tensor<64xf32>" if count % 5 == 3 else KIND
    return _function(ops, f"%x: {KIND}, %y: {KIND}", [(last, kind)])


def independent(count: int) -> str:
    """Return products, sums of rows and element-wise ops, each of which reads an argument of its own, as results."""
    ops: list[str] = []
    results: list[tuple[str, str]] = []
    for n in range(count):
        name, own, step = f"%v{n}", f"%x{n}", n % 4
        if step == 0:
            ops.append(_product(name, own, "%y", 64, 64, 64))
        elif step == 1:
            ops.append(_row_sum(name, own))
        else:
            ops.append(_element_wise(name, [own, "%y"], _body(step)))
        results.append((name, "tensor<64xf32>" if step == 1 else KIND))
    return _function(ops, ", ".join([f"%y: {KIND}", *(f"%x{n}: {KIND}" for n in range(count))]), results)


def recurrent_cells(count: int) -> str:
    """Return LSTM cells of four layers, of 5 ops each: step by step, slices of one input and of one state."""
    cells = max(1, count // 5)
    steps = -(-cells // LAYERS)
    row, cut_row, gates = "tensor<1x64xf32>", "tensor<1x1x64xf32>", "tensor<1x256xf32>"
    one = ["%one = arith.constant 1.0 : f32"]

    def sigmoid(name: str, of: str) -> list[str]:
        return [
            f"%n{name} = arith.negf {of} : f32",
            f"%e{name} = math.exp %n{name} : f32",
            f"%d{name} = arith.addf %e{name}, %one : f32",
            f"%{name} = arith.divf %one, %d{name} : f32",
        ]

    def pointwise(name: str, inputs: list[str], kind: str, body: list[str]) -> str:
        kinds, names = ", ".join([kind] * len(inputs)), ", ".join(f"%in{n}: f32" for n in range(len(inputs)))
        maps = ", ".join([_ID] * (len(inputs) + 1))
        return (
            f"%{name}e = tensor.empty() : {kind}\n"
            f'%{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}} '
            f"ins({', '.join(inputs)} : {kinds}) outs(%{name}e : {kind}) {{\n^bb0({names}, %o: f32):\n"
            + "\n".join(body)
            + f"\nlinalg.yield %y : f32\n}} -> {kind}"
        )

    def cut(name: str, source: str, kind: str, number: int) -> list[str]:
        return [
            f"%{name}s = tensor.extract_slice {source}[{number}, 0, 0] [1, 1, 64] [1, 1, 1] : {kind} to {cut_row}",
            f"%{name} = tensor.collapse_shape %{name}s [[0, 1], [2]] : {cut_row} into {row}",
        ]

    inputs, states = f"tensor<{steps}x1x64xf32>", f"tensor<{LAYERS}x1x64xf32>"
    weights = ", ".join(f"%w{n}: tensor<64x256xf32>, %u{n}: tensor<64x256xf32>" for n in range(LAYERS))
    ops = [f"%ge = tensor.empty() : {gates}", f"%gz = linalg.fill ins(%zero : f32) outs(%ge : {gates}) -> {gates}"]
    for layer in range(LAYERS):
        ops += [*cut(f"h0_{layer}", "%h", states, layer), *cut(f"c0_{layer}", "%c", states, layer)]
    last = {layer: f"0_{layer}" for layer in range(LAYERS)}
    for n in range(cells):
        step, layer = divmod(n, LAYERS)
        if layer == 0:
            ops += cut(f"x{step}", "%x", inputs, step)
        below = f"%x{step}" if layer == 0 else f"%h{n - 1}"
        for name, left, right in ((f"%p{n}", below, f"%w{layer}"), (f"%q{n}", f"%h{last[layer]}", f"%u{layer}")):
            kinds = f"{row}, tensor<64x256xf32>"
            ops.append(f"{name} = linalg.matmul ins({left}, {right} : {kinds}) outs(%gz : {gates}) -> {gates}")
        ops.append(pointwise(f"g{n}", [f"%p{n}", f"%q{n}"], gates, ["%y = arith.addf %in0, %in1 : f32"]))
        for part in range(4):
            ops.append(f"%g{n}_{part} = tensor.extract_slice %g{n}[0, {64 * part}] [1, 64] [1, 1] : {gates} to {row}")
        body = [*one, *sigmoid("i", "%in0"), *sigmoid("f", "%in1"), "%t = math.tanh %in2 : f32"]
        body += ["%k = arith.mulf %f, %in3 : f32", "%a = arith.mulf %i, %t : f32", "%y = arith.addf %k, %a : f32"]
        ops.append(pointwise(f"c{n}", [*(f"%g{n}_{part}" for part in range(3)), f"%c{last[layer]}"], row, body))
        body = [*one, *sigmoid("s", "%in0"), "%t = math.tanh %in1 : f32", "%y = arith.mulf %s, %t : f32"]
        ops.append(pointwise(f"h{n}", [f"%g{n}_3", f"%c{n}"], row, body))
        last[layer] = str(n)
    arguments = f"%x: {inputs}, %h: {states}, %c: {states}, {weights}"
    return _function(ops, arguments, [(f"%h{cells - 1}", row)])


KINDS: dict[str, Callable[[int], str]] = {
    "pointwise chain": chain,
    "equal products": equal_products,
    "recurrent cells": recurrent_cells,
    "distinct products": distinct_products,
    "mixed": mixed,
    "independent": independent,
}


def _body(number: int) -> str:
    return f"%r = arith.{('addf', 'mulf', 'maximumf')[number % 3]} %a, %b : f32"


def _function(ops: list[str], arguments: str, results: list[tuple[str, str]]) -> str:
    kinds = ", ".join(kind for _, kind in results)
    return (
        f"func.func @f({arguments}) -> ({kinds}) {{\n%zero = arith.constant 0.0 : f32\n"
        f"%e = tensor.empty() : {KIND}\n%e1 = tensor.empty() : tensor<64xf32>\n"
        f"%z = linalg.fill ins(%zero : f32) outs(%e : {KIND}) -> {KIND}\n"
        f"%z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>\n"
        + "\n".join(ops)
        + f"\nreturn {', '.join(value for value, _ in results)} : {kinds}\n}}\n"
    )


def _element_wise(name: str, inputs: list[str], body: str, maps: tuple[str, str] = (_ID, _ID)) -> str:
    kinds = ", ".join(KIND if each == _ID else "tensor<64xf32>" for each in maps)
    return (
        f'{name} = linalg.generic {{indexing_maps = [{", ".join(maps)}, {_ID}], iterator_types = ["parallel", '
        f'"parallel"]}} ins({", ".join(inputs)} : {kinds}) outs(%e : {KIND}) {{\n^bb0(%a: f32, %b: f32, %o: f32):\n'
        f"{body}\nlinalg.yield %r : f32\n}} -> {KIND}"
    )


def _row_sum(name: str, source: str) -> str:
    return (
        f'{name} = linalg.generic {{indexing_maps = [{_ID}, {_ROW}], iterator_types = ["parallel", "reduction"]}} '
        f"ins({source} : {KIND}) outs(%z1 : tensor<64xf32>) {{\n^bb0(%a: f32, %o: f32):\n"
        "%r = arith.addf %o, %a : f32\nlinalg.yield %r : f32\n} -> tensor<64xf32>"
    )


def _product(name: str, a: str, b: str, m: int, n: int, k: int, start: str = "%z") -> str:
    out = f"tensor<{m}x{n}xf32>"
    kinds = f"tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>"
    return f"{name} = linalg.matmul ins({a}, {b} : {kinds}) outs({start} : {out}) -> {out}"
