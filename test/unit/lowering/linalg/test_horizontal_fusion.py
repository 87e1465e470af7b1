# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that are joined give what they give apart: random graphs, evaluated op by op before and behind."""

import random
from collections.abc import Callable, Sequence
from itertools import cycle

import numpy as np
import pytest

from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.lowering.linalg.moved_constants import fold_moved_constants
from roller_mlir.lowering.linalg.reader import erase_unused
from roller_mlir.lowering.linalg.rewrite.horizontal.fuse import HorizontalFusion, fuse_horizontally
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module


class Weighed:
    """A search whose seconds are drawn."""

    def __init__(self, draw: Callable[[], float]) -> None:
        self._draw = draw

    def seconds(self) -> float:
        return self._draw()


def fused(text: str, draw: Callable[[], float]) -> tuple[list[HorizontalFusion], list[str], str]:
    """Join the ops of a function's module; return what was, differences, and the module then."""
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        function = module.body.operations[0]
        block = function.regions[0].blocks[0]
        fold_moved_constants(block)
        erase_unused(block)
        found = fuse_horizontally(block, lambda _: Weighed(draw))  # type: ignore[arg-type,return-value]
        erase_unused(block)
        assert module.operation.verify()
        numbers = np.random.default_rng(0)
        inputs = [
            numbers.integers(-4, 5, ir.RankedTensorType(one.type).shape).astype(np.float32) for one in block.arguments
        ]
        expected, given = (evaluate_function(each, "f", inputs).outputs for each in (before, module))
        wrong = [
            f"result {number} differs"
            for number, (one, other) in enumerate(zip(expected, given, strict=True))
            if one.shape != other.shape or not np.array_equal(one, other)
        ]
        return found, wrong, str(module)


def always() -> Callable[[], float]:
    """Return what lets each joining pay: what is weighed first takes longer."""
    numbers = cycle([2.0, 1.0])
    return lambda: next(numbers)


class Graph:
    """A random function of products of one tensor, and what reads them."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.lines: list[str] = []
        self.arguments: list[str] = []
        self.results: list[tuple[str, str]] = []
        self.count = 0

    def add(self, line: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {line}")
        return f"%v{self.count}"

    def argument(self, *shape: int) -> str:
        self.arguments.append(f"%a{len(self.arguments)}: {kind(shape)}")
        return f"%a{len(self.arguments) - 1}"

    def constant(self, *shape: int) -> str:
        numbers = np.random.default_rng(self.draw.randrange(1 << 30)).integers(-3, 4, shape)
        return self.add(f"arith.constant dense<{numbers.astype(float).tolist()}> : {kind(shape)}")

    def started(self, *shape: int) -> str:
        empty = self.add(f"tensor.empty() : {kind(shape)}")
        return self.add(f"linalg.fill ins(%zero : f32) outs({empty} : {kind(shape)}) -> {kind(shape)}")

    def slice(self, value: str, shape: Sequence[int], offsets: Sequence[int], sizes: Sequence[int]) -> str:
        ones = ", ".join("1" for _ in sizes)
        at = f"[{', '.join(map(str, offsets))}] [{', '.join(map(str, sizes))}] [{ones}]"
        return self.add(f"tensor.extract_slice {value}{at} : {kind(shape)} to {kind(sizes)}")

    def transpose(self, value: str, shape: Sequence[int]) -> str:
        empty = self.add(f"tensor.empty() : {kind(shape[::-1])}")
        return self.add(
            f"linalg.transpose ins({value} : {kind(shape)}) outs({empty} : {kind(shape[::-1])}) permutation = [1, 0]"
        )

    def each(self, body: str, values: Sequence[tuple[str, str, Sequence[int]]], shape: Sequence[int]) -> str:
        """Add an element-wise op of values, each with its map and shape."""
        dims = ", ".join(f"d{n}" for n in range(len(shape)))
        maps = ", ".join(f"affine_map<({dims}) -> ({one})>" for one in (*(m for _, m, _ in values), dims))
        kinds, names = ", ".join(kind(s) for _, _, s in values), ", ".join(v for v, _, _ in values)
        arguments = ", ".join(f"%x{n}: f32" for n in range(len(values) + 1))
        parallel = ", ".join('"parallel"' for _ in shape)
        empty = self.add(f"tensor.empty() : {kind(shape)}")
        return self.add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{parallel}]}} ins({names} : {kinds}) "
            f"outs({empty} : {kind(shape)}) {{\n^bb0({arguments}):\n{body}\n}} -> {kind(shape)}"
        )

    def text(self) -> str:
        kinds = ", ".join(one for _, one in self.results)
        names = ", ".join(one for one, _ in self.results)
        body = "\n".join(self.lines)
        return (
            f"func.func @f({', '.join(self.arguments)}) -> ({kinds}) {{\n%zero = arith.constant 0.0 : f32\n{body}\n"
            f"return {names} : {kinds}\n}}"
        )

    # What is drawn ----------------------------------------------------------------------------------------------------

    def products(self) -> None:
        """Add products of one tensor with several, and ops behind them."""
        draw = self.draw
        m, k, several = draw.choice([1, 3, 5]), draw.choice([2, 4]), draw.randint(2, 5)
        rows = draw.random() < 0.4  # the shared factor is the second one
        x = self.argument(k, m) if rows else self.argument(m, k)
        extents = [draw.choice([1, 2, 4, 4, 4]) for _ in range(several)]
        if draw.random() < 0.5:
            extents = [extents[0]] * several
        made = [self.product(x, m, k, extents, factors, rows) for factors in self.factors(k, extents, rows)]
        shapes = [(n, m) if rows else (m, n) for n in extents]
        self.behind(made, shapes, 0 if rows else 1)

    def factors(self, k: int, extents: Sequence[int], rows: bool) -> list[tuple[str, int]]:
        """Return the other factor of each product, and its extent; those of one tensor lie in it in some order."""
        draw, turned = self.draw, self.draw.random() < 0.4
        along = 0 if rows != turned else 1

        def shape(n: int) -> tuple[int, int]:
            return (n, k) if along == 0 else (k, n)

        how = draw.choice(["constants", "slices", "slices of a constant", "arguments", "steps"])
        if how == "steps" and len(set(extents)) == 1 and not turned:
            return [(one, extents[0]) for one in self.steps(len(extents), shape(extents[0]))]
        if how in ("constants", "arguments"):
            make = self.constant if how == "constants" else self.argument
            found = [make(*shape(n)) for n in extents]
        else:
            gaps = [draw.choice([0, 0, 0, 2]) for _ in extents]
            wide = draw.choice([0, 0, 1])  # more than is read along the reduction
            whole = shape(sum(extents) + sum(gaps))
            whole = (whole[0], whole[1] + wide) if along == 0 else (whole[0] + wide, whole[1])
            source = self.argument(*whole) if how == "slices" else self.constant(*whole)
            order = list(range(len(extents)))
            if draw.random() < 0.3:
                draw.shuffle(order)
            at, places = 0, [0] * len(extents)
            for number in order:
                places[number] = at + gaps[number]
                at = places[number] + extents[number]
            found = [
                self.slice(source, whole, (start, more) if along == 0 else (more, start), shape(n))
                for start, n in zip(places, extents, strict=True)
                for more in [draw.randint(0, wide)]
            ]
        if turned:
            found = [self.transpose(one, shape(n)) for one, n in zip(found, extents, strict=True)]
        return list(zip(found, extents, strict=True))

    def steps(self, several: int, shape: Sequence[int]) -> list[str]:
        """Return slices of a sequence, as importers write them: copied, and without the dimension of steps."""
        source, found = self.argument(several, *shape), list[str]()
        for number in range(several):
            cut = self.slice(source, (several, *shape), (number, 0, 0), (1, *shape))
            three = kind((1, *shape))
            empty = self.add(f"tensor.empty() : {three}")
            copied = self.add(f"linalg.copy ins({cut} : {three}) outs({empty} : {three}) -> {three}")
            found.append(self.add(f"tensor.collapse_shape {copied} [[0, 1], [2]] : {three} into {kind(shape)}"))
        return found

    def product(self, x: str, m: int, k: int, extents: Sequence[int], factor: tuple[str, int], rows: bool) -> str:
        del extents
        other, n = factor
        made = (n, m) if rows else (m, n)
        first, second = ((other, (n, k)), (x, (k, m))) if rows else ((x, (m, k)), (other, (k, n)))
        return self.add(
            f"linalg.matmul ins({first[0]}, {second[0]} : {kind(first[1])}, {kind(second[1])}) "
            f"outs({self.started(*made)} : {kind(made)}) -> {kind(made)}"
        )

    def behind(self, values: list[str], shapes: list[tuple[int, int]], axis: int) -> None:
        """Add ops that read products, alike mostly."""
        draw = self.draw
        for _ in range(draw.randint(0, 3)):
            how, once = draw.choice(["bias", "scale", "tanh", "index"]), draw.random() < 0.2
            for number, shape in enumerate(shapes):
                if not (once and number):
                    values[number] = self.step(how, values[number], shape, axis)
        for value, shape in zip(values, shapes, strict=True):
            self.leave(value, shape, axis)

    def step(self, how: str, value: str, shape: tuple[int, int], axis: int) -> str:
        if how == "bias":
            along = (self.constant(shape[axis]), f"d{axis}", (shape[axis],))
            return self.each(
                "%r = arith.addf %x0, %x1 : f32\nlinalg.yield %r : f32", [(value, "d0, d1", shape), along], shape
            )
        if how == "scale":
            across = (self.constant(shape[1 - axis]), f"d{1 - axis}", (shape[1 - axis],))
            return self.each(
                "%r = arith.mulf %x0, %x1 : f32\nlinalg.yield %r : f32", [(value, "d0, d1", shape), across], shape
            )
        body = "%r = math.absf %x0 : f32\nlinalg.yield %r : f32"
        if how == "index":
            body = (
                f"%i = linalg.index {self.draw.choice([0, 1])} : index\n%j = arith.index_cast %i : index to i32\n"
                "%k = arith.sitofp %j : i32 to f32\n%r = arith.addf %x0, %k : f32\nlinalg.yield %r : f32"
            )
        return self.each(body, [(value, "d0, d1", shape)], shape)

    def leave(self, value: str, shape: tuple[int, int], axis: int) -> None:
        """Return a value, maybe reshaped or padded, by an op that reads it, or as it is."""
        how = self.draw.choice(["read", "read", "expand", "expand", "collapse", "pad", "as it is", "turn", "cut"])
        made: tuple[int, ...] = shape
        if how == "expand" and shape[axis] % 2 == 0:
            made = (shape[0] // 2, 2, shape[1]) if axis == 0 else (shape[0], shape[1] // 2, 2)
            groups = "[[0, 1], [2]]" if axis == 0 else "[[0], [1, 2]]"
            value = self.add(
                f"tensor.expand_shape {value} {groups} output_shape {list(made)} : {kind(shape)} into {kind(made)}"
            )
        elif how == "collapse":
            made = (shape[0] * shape[1],)
            value = self.add(f"tensor.collapse_shape {value} [[0, 1]] : {kind(shape)} into {kind(made)}")
        elif how == "pad":
            low = [0, 0]
            low[self.draw.choice([axis, 1 - axis])] = 2
            made = (shape[0] + low[0], shape[1] + low[1])
            value = self.add(
                f"tensor.pad {value} low[{low[0]}, {low[1]}] high[0, 0] {{\n^bb0(%i: index, %j: index):\n"
                f"tensor.yield %zero : f32\n}} : {kind(shape)} to {kind(made)}"
            )
        elif how == "turn":
            value, made = self.transpose(value, shape), shape[::-1]
        elif how == "cut" and shape[axis] > 1:
            sizes = list(shape)
            sizes[axis] -= 1
            offsets = [int(d == axis) for d in range(2)]
            value, made = self.slice(value, shape, offsets, sizes), tuple(sizes)
        if how != "as it is":
            dims = ", ".join(f"d{n}" for n in range(len(made)))
            value = self.each("%r = arith.negf %x0 : f32\nlinalg.yield %r : f32", [(value, dims, made)], made)
        self.results.append((value, kind(made)))

    def windows(self) -> None:
        """Add windows over one image whose sums start from a bias, as importers write them, and what reads them."""
        draw, size = self.draw, self.draw.choice([1, 1, 3])
        c, h, w = draw.choice([1, 2, 3]), draw.choice([3, 4]), draw.choice([3, 5])
        image = self.argument(1, c, h, w)
        for filters in [draw.choice([1, 2, 4]) for _ in range(draw.randint(2, 4))]:
            made = (1, filters, h - size + 1, w - size + 1)
            bias, empty = self.constant(filters), self.add(f"tensor.empty() : {kind(made)}")
            start = self.add(
                f"linalg.broadcast ins({bias} : {kind((filters,))}) outs({empty} : {kind(made)}) dimensions = [0, 2, 3]"
            )
            form = (filters, c, size, size)
            value = self.add(
                f"linalg.conv_2d_nchw_fchw ins({image}, {self.constant(*form)} : {kind((1, c, h, w))}, {kind(form)}) "
                f"outs({start} : {kind(made)}) -> {kind(made)}"
            )
            if draw.random() < 0.8:
                value = self.each(
                    "%r = arith.maximumf %x0, %x1 : f32\nlinalg.yield %r : f32",
                    [(value, "d0, d1, d2, d3", made), (self.add("arith.constant dense<0.0> : tensor<f32>"), "", ())],
                    made,
                )
            around = draw.choice([0, 1, 2])
            padded = (1, filters + around // 2, made[2] + around, made[3] + around)
            if around:
                value = self.add(
                    f"tensor.pad {value} low[0, {around // 2}, {around}, 0] high[0, 0, 0, {around}] {{\n"
                    "^bb0(%i: index, %j: index, %k: index, %l: index):\ntensor.yield %zero : f32\n"
                    f"}} : {kind(made)} to {kind(padded)}"
                )
            body = "%r = arith.negf %x0 : f32\nlinalg.yield %r : f32"
            self.results.append((self.each(body, [(value, "d0, d1, d2, d3", padded)], padded), kind(padded)))


def kind(shape: Sequence[int]) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}f32>"


def _graph(seed: int) -> str:
    graph = Graph(seed)
    for _ in range(graph.draw.randint(1, 3)):
        graph.draw.choice([graph.products, graph.products, graph.windows])()
    return graph.text()


@pytest.mark.full(every=4)
@pytest.mark.parametrize("first", range(0, 240, 40))
def test_random_graphs_give_the_same(first: int) -> None:
    joined = 0
    for seed in range(first, first + 40):
        found, wrong, text = fused(_graph(seed), always())
        assert not wrong, (seed, wrong, text)
        joined += sum(one.count for one in found)
    assert joined > 40


@pytest.mark.parametrize("first", [1000])
def test_what_is_drawn_to_stay_stays_right(first: int) -> None:
    """Some are built, weighed and undone."""
    joined = stayed = 0
    for seed in range(first, first + 40):
        found, wrong, text = fused(_graph(seed), random.Random(seed).random)
        everything, _, _ = fused(_graph(seed), always())
        assert not wrong, (seed, wrong, text)
        joined += len(found)
        stayed += len(found) < len(everything)
    assert joined > 5
    assert stayed > 5


QKV = """
func.func @f(%x: tensor<3x4xf32>, %w: tensor<4x6xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
{products}
  return %r0, %r1, %r2 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}}
"""


def _qkv(starts: Sequence[int], read: str = "arith.negf") -> str:
    products = "\n".join(
        f"""  %w{n} = tensor.extract_slice %w[0, {at}] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
  %p{n} = linalg.matmul ins(%x, %w{n} : tensor<3x4xf32>, tensor<4x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r{n} = linalg.map {{ {read} }} ins(%p{n} : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>)"""
        for n, at in enumerate(starts)
    )
    return QKV.format(products=products)


def test_neighbouring_slices_are_read_as_the_tensor_that_they_are_of() -> None:
    found, wrong, text = fused(_qkv([0, 2, 4]), always())
    assert not wrong
    assert [one.count for one in found] == [3]
    assert "linalg.matmul ins(%arg0, %arg1" in text
    assert text.count("math") + text.count("arith.negf") == 3  # results of the function are made by ops of their own


def test_parts_lie_in_the_order_of_what_is_read() -> None:
    found, wrong, text = fused(_qkv([4, 0, 2]), always())
    assert not wrong
    assert [one.count for one in found] == [3]
    assert "linalg.matmul ins(%arg0, %arg1" in text


def test_steps_of_several_rows_are_read_as_the_sequence() -> None:
    graph = Graph(0)
    w, steps = graph.argument(2, 3), graph.steps(4, (5, 2))
    for one in steps:
        product = graph.product(w, 3, 2, [5], (one, 5), rows=True)
        graph.results.append((graph.step("tanh", product, (5, 3), 0), kind((5, 3))))
    found, wrong, text = fused(graph.text(), always())
    assert not wrong
    assert [one.count for one in found] == [4]
    assert "tensor.collapse_shape %arg1 [[0, 1], [2]] : tensor<4x5x2xf32> into tensor<20x2xf32>" in text
    assert text.count("linalg.matmul") == 1


def test_slices_with_others_between_them_stay_apart() -> None:
    found, wrong, _ = fused(_qkv([0, 3, 4]), always())
    assert not wrong
    assert found == []


def test_what_reads_ops_that_stay_apart_is_no_part_of_them() -> None:
    """Products of one matrix with products, where these are weighed and stay."""
    graph = Graph(0)
    x, u = graph.argument(3, 4), graph.argument(5, 3)
    for _ in range(3):
        first = graph.product(x, 3, 4, [2], (graph.constant(4, 2), 2), rows=False)
        second = graph.add(
            f"linalg.matmul ins({u}, {first} : {kind((5, 3))}, {kind((3, 2))}) "
            f"outs({graph.started(5, 2)} : {kind((5, 2))}) -> {kind((5, 2))}"
        )
        graph.results.append((graph.step("tanh", second, (5, 2), 1), kind((5, 2))))
    numbers = iter(range(1, 1000))
    found, wrong, _ = fused(graph.text(), lambda: float(next(numbers)))
    assert (found, wrong) == ([], [])
    found, wrong, _ = fused(graph.text(), always())
    assert not wrong
    assert [one.count for one in found] == [3, 3]


def test_what_takes_longer_together_stays_as_it_is() -> None:
    numbers = iter(range(1, 100))
    text = _qkv([0, 2, 4])
    found, wrong, after = fused(text, lambda: float(next(numbers)))
    with make_context() as context:
        module = parse_module(text, context)
        assert (found, wrong, after) == ([], [], str(module))


@pytest.mark.parametrize(
    ("element", "numbers"), [(one, "1.0 2.0 3.0") for one in ("f16", "bf16", "f64")] + [("i8", "1 2 3")]
)
def test_constants_of_any_type_are_put_together(element: str, numbers: str) -> None:
    one, two, three = numbers.split()
    text = """
func.func @f(%x: tensor<3x2xT>) -> (tensor<3x1xT>, tensor<3x2xT>) {
  %zero = arith.constant ZERO : T
  %a = arith.constant dense<ONE> : tensor<2x1xT>
  %b = arith.constant dense<[[TWO, ONE], [THREE, TWO]]> : tensor<2x2xT>
  %e = tensor.empty() : tensor<3x1xT>
  %g = tensor.empty() : tensor<3x2xT>
  %y = linalg.fill ins(%zero : T) outs(%e : tensor<3x1xT>) -> tensor<3x1xT>
  %z = linalg.fill ins(%zero : T) outs(%g : tensor<3x2xT>) -> tensor<3x2xT>
  %p = linalg.matmul ins(%x, %a : tensor<3x2xT>, tensor<2x1xT>) outs(%y : tensor<3x1xT>) -> tensor<3x1xT>
  %q = linalg.matmul ins(%x, %b : tensor<3x2xT>, tensor<2x2xT>) outs(%z : tensor<3x2xT>) -> tensor<3x2xT>
  %c = linalg.copy ins(%p : tensor<3x1xT>) outs(%e : tensor<3x1xT>) -> tensor<3x1xT>
  %d = linalg.copy ins(%q : tensor<3x2xT>) outs(%g : tensor<3x2xT>) -> tensor<3x2xT>
  return %c, %d : tensor<3x1xT>, tensor<3x2xT>
}"""
    for name, value in (
        ("ZERO", one.replace("1", "0")),
        ("ONE", one),
        ("TWO", two),
        ("THREE", three),
        ("xT", f"x{element}"),
    ):
        text = text.replace(name, value)
    found, wrong, after = fused(text.replace(": T", f": {element}"), always())
    assert not wrong
    assert [each.count for each in found] == [2]
    assert f"dense_resource<moved_0> : tensor<2x3x{element}>" in after
