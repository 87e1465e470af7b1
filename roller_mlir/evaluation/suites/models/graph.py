# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: D102 - `Network` says what its methods do
"""A network as linalg on tensors: text with a line an op, and weights that the text names as resources."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from roller_mlir.evaluation.suites.models.network import Network

Array: TypeAlias = np.ndarray[Any, Any]
_SEED = 20201104


def _sigmoid(x: str, n: str) -> str:
    return (
        f"%n{n} = arith.negf {x} : f32\n%e{n} = math.exp %n{n} : f32\n"
        f"%p{n} = arith.addf %e{n}, %one : f32\n%s{n} = arith.divf %one, %p{n} : f32\n"
    )


def _gate(n: str, first: int) -> str:
    """Return the sum of three operands as %gN."""
    return f"%h{n} = arith.addf %x{first}, %x{first + 1} : f32\n%g{n} = arith.addf %h{n}, %x{first + 2} : f32\n"


_AFFINE = "%m = arith.mulf %x0, %x1 : f32\n%a = arith.addf %m, %x2 : f32\n"
_RELU6 = "%c = arith.maximumf %x0, %zero : f32\n%r = arith.minimumf %c, %six : f32\n"

BODIES = {
    "relu": "%y = arith.maximumf %x0, %zero : f32",
    "add": "%y = arith.addf %x0, %x1 : f32",
    "mul": "%y = arith.mulf %x0, %x1 : f32",
    "times": "%y = arith.mulf %x0, %number : f32",
    "add_relu": "%s = arith.addf %x0, %x1 : f32\n%y = arith.maximumf %s, %zero : f32",
    "bias": "%y = arith.addf %x0, %x1 : f32",
    "bias_relu": "%s = arith.addf %x0, %x1 : f32\n%y = arith.maximumf %s, %zero : f32",
    "affine": _AFFINE.replace("%a =", "%y ="),
    "affine_relu": _AFFINE + "%y = arith.maximumf %a, %zero : f32",
    "relu6_affine": _RELU6 + "%m = arith.mulf %r, %x1 : f32\n%y = arith.addf %m, %x2 : f32",
    "lstm_memory": _gate("i", 0)
    + _gate("j", 3)
    + _gate("f", 6)
    + "%k = arith.addf %gf, %one : f32\n"
    + _sigmoid("%gi", "i")
    + _sigmoid("%k", "f")
    + "%t = math.tanh %gj : f32\n%a = arith.mulf %si, %t : f32\n%b = arith.mulf %x9, %sf : f32\n"
    "%y = arith.addf %a, %b : f32",
    "lstm_output": _gate("o", 0) + _sigmoid("%go", "o") + "%t = math.tanh %x3 : f32\n%y = arith.mulf %t, %so : f32",
    "root_mean_square": "%m = arith.mulf %x1, %number : f32\n%s = arith.addf %m, %small : f32\n"
    "%r = math.rsqrt %s : f32\n%a = arith.mulf %x0, %r : f32\n%y = arith.mulf %a, %x2 : f32",
    "gated": _sigmoid("%x0", "") + "%a = arith.mulf %x0, %s : f32\n%y = arith.mulf %a, %x1 : f32",
}
"""Bodies of element-wise operators, which make %y of %x0, %x1 and so on."""

_SCALARS = {"zero": "0.0", "one": "1.0", "six": "6.0", "small": "1.0e-5", "lowest": "0xFF800000"}


@dataclass(frozen=True)
class Value:
    """A tensor of f32 in the text."""

    name: str
    shape: tuple[int, ...]

    @property
    def kind(self) -> str:
        """Its type."""
        return f"tensor<{''.join(f'{n}x' for n in self.shape)}f32>"

    def __str__(self) -> str:
        return f"%{self.name}"


class LinalgGraph(Network[Value]):
    """A function that is written op by op.

    Attributes:
        arguments: Of the function, in order.
    """

    def __init__(self) -> None:
        self.arguments: list[Value] = []
        self._resources: dict[str, Value] = {}
        self._drawn: dict[str, tuple[float, float] | Array] = {}
        self._starts: dict[tuple[str, tuple[int, ...]], Value] = {}
        self._lines: list[str] = []
        self._made = 0

    def text(self, name: str, file: str | None, results: Sequence[Value]) -> str:
        """Return the module.

        Args:
            name: Of the function.
            file: That holds the weights, beside the text. None: those of random numbers are arguments, behind the
                others and in the order of `spreads`; those that have numbers of their own stand in the text.
            results: What the function returns.
        """
        given = [] if file is not None else [self._resources[resource] for resource in self.spreads()]
        arguments = ", ".join(f"{one}: {one.kind}" for one in (*self.arguments, *given))
        kinds = ", ".join(one.kind for one in results)
        head = [f"%{scalar} = arith.constant {value} : f32" for scalar, value in _SCALARS.items()]
        for resource, one in self._resources.items():
            numbers = self._drawn[resource]
            if file is not None:
                head.append(f"{one} = arith.constant dense_resource<{resource}> : {one.kind}")
            elif isinstance(numbers, np.ndarray):
                head.append(f"{one} = arith.constant dense<{numbers.tolist()}> : {one.kind}")
        lines = "\n".join([*head, *self._lines, f"return {', '.join(map(str, results))} : {kinds}"])
        beside = "" if file is None else f' attributes {{roller.weights = "{file}"}}'
        return f"module{beside} {{\nfunc.func @{name}({arguments}) -> ({kinds}) {{\n{lines}\n}}\n}}\n"

    def weights(self) -> dict[str, Array]:
        """Return numbers for the weights, the same each time."""
        return {
            name: found
            if isinstance(found := self._drawn[name], np.ndarray)
            else np.random.default_rng((_SEED, number)).standard_normal(one.shape, np.float32) * np.float32(found[0])
            + np.float32(found[1])
            for number, (name, one) in enumerate(self._resources.items())
        }

    def spreads(self) -> dict[str, tuple[float, float]]:
        """Return standard deviation and mean of each weight of random numbers."""
        return {name: one for name, one in self._drawn.items() if not isinstance(one, np.ndarray)}

    def shape(self, x: Value) -> tuple[int, ...]:
        return x.shape

    def argument(self, name: str, shape: Sequence[int]) -> Value:
        self.arguments.append(Value(name, tuple(shape)))
        return self.arguments[-1]

    def weight(self, name: str, shape: Sequence[int], spread: float, mean: float = 0) -> Value:
        return self._resource(name, shape, (spread, mean))

    def windows(self, oh: int, ow: int, counts: Sequence[Sequence[int]]) -> Value:
        rows, columns = (np.array(one, np.float32) for one in counts)
        name = f"windows_{'_'.join(map(str, counts[0]))}_by_{'_'.join(map(str, counts[1]))}"
        return self._resource(name, (oh, ow), 1 / (rows[:, None] * columns))

    def pointwise(
        self, kind: str, x: Value, *others: Value | tuple[Value, tuple[int, ...]], number: float = 0
    ) -> Value:
        every = tuple(range(len(x.shape)))
        operands = [(one if isinstance(one, tuple) else (one, every)) for one in (x, *others)]
        body = BODIES[kind]
        if "%number" in body:
            body = f"%number = arith.constant {float(np.float32(number))!r} : f32\n{body}"
        return self._generic([one for one, _ in operands], [axes for _, axes in operands], x.shape, every, body)

    def product(self, x: Value, w: Value) -> Value:
        return self._named("linalg.matmul", (x, w), (x.shape[0], w.shape[1]))

    def rows_times(self, rows: Value, matrices: Value, *, turned: bool) -> Value:
        if turned:
            return self._named("linalg.batch_matvec", (matrices, rows), (rows.shape[0], matrices.shape[1]))
        return self._named("linalg.batch_vecmat", (rows, matrices), (rows.shape[0], matrices.shape[2]))

    def convolution(self, x: Value, w: Value, stride: tuple[int, int]) -> Value:
        size = self._windows_of(x, w.shape[2:], stride)
        return self._named(f"linalg.conv_2d_nchw_fchw {_strides(stride)}", (x, w), (x.shape[0], w.shape[0], *size))

    def depthwise(self, x: Value, w: Value, stride: int) -> Value:
        size = self._windows_of(x, w.shape[1:], (stride, stride))
        name = f"linalg.depthwise_conv_2d_nchw_chw {_strides((stride, stride))}"
        return self._named(name, (x, w), (*x.shape[:2], *size))

    def pool(self, kind: str, x: Value, window: int, stride: int) -> Value:
        size = self._windows_of(x, (window, window), (stride, stride))
        name = f"linalg.pooling_nchw_{kind} {_strides((stride, stride))}"
        start = {"max": "lowest", "sum": "zero"}[kind]
        return self._named(name, (x, self._empty((window, window))), (*x.shape[:2], *size), start)

    def sums(self, x: Value, count: int, *, squared: bool = False) -> Value:
        kept = tuple(range(len(x.shape) - count))
        square = "%q = arith.mulf %x0, %x0 : f32\n" if squared else ""
        body = f"{square}%y = arith.addf %o, {'%q' if squared else '%x0'} : f32"
        return self._generic([x], [tuple(range(len(x.shape)))], x.shape[: len(kept)], kept, body, loops=len(x.shape))

    def softmax(self, x: Value) -> Value:
        made = self._new(x.shape)
        self._lines.append(
            f"{made} = linalg.softmax dimension({len(x.shape) - 1}) ins({x} : {x.kind}) "
            f"outs({self._empty(x.shape)} : {x.kind}) -> {x.kind}"
        )
        return made

    def pad(self, x: Value, low: Sequence[int], high: Sequence[int], value: float = 0) -> Value:
        made = self._new([n + a + b for n, a, b in zip(x.shape, low, high, strict=True)])
        indices = ", ".join(f"%i{n}: index" for n in range(len(low)))
        scalar = {0: "zero", -float("inf"): "lowest"}[value]
        self._lines.append(
            f"{made} = tensor.pad {x} low[{_listed(low)}] high[{_listed(high)}] {{\n^bb0({indices}):\n"
            f"tensor.yield %{scalar} : f32\n}} : {x.kind} to {made.kind}"
        )
        return made

    def part(self, x: Value, offsets: Sequence[int], sizes: Sequence[int], shape: Sequence[int]) -> Value:
        made = self._new(shape)
        self._lines.append(f"{made} = tensor.extract_slice {x}{_place(offsets, sizes)} : {x.kind} to {made.kind}")
        return made

    def inserted(self, x: Value, into: Value, offsets: Sequence[int], sizes: Sequence[int]) -> Value:
        made = self._new(into.shape)
        place = _place(offsets, sizes)
        self._lines.append(f"{made} = tensor.insert_slice {x} into {into}{place} : {x.kind} into {into.kind}")
        return made

    def joined(self, xs: Sequence[Value], axis: int) -> Value:
        shape = list(xs[0].shape)
        shape[axis] = sum(x.shape[axis] for x in xs)
        made = self._new(shape)
        values, kinds = ", ".join(map(str, xs)), ", ".join(x.kind for x in xs)
        self._lines.append(f"{made} = tensor.concat dim({axis}) {values} : ({kinds}) -> {made.kind}")
        return made

    def reshaped(self, x: Value, groups: Sequence[Sequence[int]], shape: Sequence[int]) -> Value:
        made = self._new(shape)
        shown = ", ".join(f"[{_listed(group)}]" for group in groups)
        if len(shape) < len(x.shape):
            self._lines.append(f"{made} = tensor.collapse_shape {x} [{shown}] : {x.kind} into {made.kind}")
        else:
            size = f"output_shape [{_listed(shape)}]"
            self._lines.append(f"{made} = tensor.expand_shape {x} [{shown}] {size} : {x.kind} into {made.kind}")
        return made

    def turned(self, x: Value, permutation: Sequence[int]) -> Value:
        made = self._new([x.shape[axis] for axis in permutation])
        self._lines.append(
            f"{made} = linalg.transpose ins({x} : {x.kind}) outs({self._empty(made.shape)} : {made.kind}) "
            f"permutation = [{_listed(permutation)}]"
        )
        return made

    def _resource(self, name: str, shape: Sequence[int], drawn: tuple[float, float] | Array) -> Value:
        if name not in self._resources:
            self._resources[name] = Value(f"w_{name}", tuple(shape))
            self._drawn[name] = drawn
        if self._resources[name].shape != tuple(shape):
            raise ValueError(f"a weight has one shape, but got '{name}' of {self._resources[name].shape} and {shape}")
        return self._resources[name]

    def _new(self, shape: Sequence[int]) -> Value:
        self._made += 1
        return Value(f"v{self._made}", tuple(shape))

    def _empty(self, shape: tuple[int, ...]) -> Value:
        if ("empty", shape) not in self._starts:
            made = self._starts["empty", shape] = self._new(shape)
            self._lines.append(f"{made} = tensor.empty() : {made.kind}")
        return self._starts["empty", shape]

    def _filled(self, scalar: str, shape: tuple[int, ...]) -> Value:
        if (scalar, shape) not in self._starts:
            empty = self._empty(shape)
            made = self._starts[scalar, shape] = self._new(shape)
            ends = f"outs({empty} : {made.kind}) -> {made.kind}"
            self._lines.append(f"{made} = linalg.fill ins(%{scalar} : f32) {ends}")
        return self._starts[scalar, shape]

    def _named(self, op: str, xs: Sequence[Value], shape: tuple[int, ...], start: str = "zero") -> Value:
        outs, made = self._filled(start, shape), self._new(shape)
        values, kinds = ", ".join(map(str, xs)), ", ".join(x.kind for x in xs)
        self._lines.append(f"{made} = {op} ins({values} : {kinds}) outs({outs} : {made.kind}) -> {made.kind}")
        return made

    def _generic(
        self,
        xs: Sequence[Value],
        axes: Sequence[tuple[int, ...]],
        shape: tuple[int, ...],
        kept: tuple[int, ...],
        body: str,
        loops: int = 0,
    ) -> Value:
        loops = loops or len(shape)
        outs = self._filled("zero", shape) if loops > len(shape) else self._empty(shape)
        made = self._new(shape)
        dims = ", ".join(f"d{n}" for n in range(loops))
        maps = (f"affine_map<({dims}) -> ({', '.join(f'd{n}' for n in one)})>" for one in (*axes, kept))
        kinds = ", ".join('"parallel"' if n in kept else '"reduction"' for n in range(loops))
        elements = ", ".join([*(f"%x{n}: f32" for n in range(len(xs))), "%o: f32"])
        self._lines.append(
            f"{made} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(map(str, xs))} : {', '.join(x.kind for x in xs)}) outs({outs} : {made.kind}) {{\n"
            f"^bb0({elements}):\n{body}\nlinalg.yield %y : f32\n}} -> {made.kind}"
        )
        return made

    def _windows_of(self, x: Value, window: Sequence[int], stride: tuple[int, int]) -> tuple[int, ...]:
        return tuple((n - k) // s + 1 for n, k, s in zip(x.shape[2:], window, stride, strict=True))


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _place(offsets: Sequence[int], sizes: Sequence[int]) -> str:
    return f"[{_listed(offsets)}] [{_listed(sizes)}] [{_listed([1] * len(sizes))}]"


def _strides(stride: tuple[int, int]) -> str:
    return f"{{strides = dense<[{_listed(stride)}]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}}"
