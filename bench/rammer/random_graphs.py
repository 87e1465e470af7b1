# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random functions in the style of NASBench's cells, each run as one persistent kernel and compared with numpy.

    python bench/rammer/random_graphs.py [--count 500] [--seed 1] [--target h200,a100,mi300x] [--level llvm]

A cell has two to nine operators of all classes (products, convolutions, depthwise ones, poolings, sums of rows,
transposes, element-wise ones) on a tensor of 1 x 8 x 8 x 16, of f32, f16 or i32; each reads one or two before it, and
those that nobody reads are added up. All numbers are small integers, so that results are equal or wrong. Each kernel
runs twice without a reset, sanitized at level gpu, its blocks and threads in an order that the seed shuffles. Exits
with 1 if any is wrong or fails; one that no number of threads suits is counted as refused.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.support.diagnostics import DiagnosedError

Array: TypeAlias = "np.ndarray[Any, Any]"
SIDE, CHANNELS, MOST = 8, 16, 3
TYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32}
ONES = "{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}"


class Cell:
    """A function that is written op by op, and what numpy gives for each of its values."""

    def __init__(self, kind: str, rng: random.Random) -> None:
        self.kind, self.rng, self.numbers = kind, rng, np.random.default_rng(rng.randrange(1 << 30))
        self.arguments: list[str] = []
        self.inputs: list[Array] = []
        self.lines: list[str] = []
        self.values: dict[str, Array] = {}
        zero, cut = ("0", MOST) if kind == "i32" else ("0.0", f"{MOST}.0")
        self.lines += [f"%zero = arith.constant {zero} : {kind}", f"%most = arith.constant {cut} : {kind}"]
        self.lines += [f"%least = arith.constant -{cut} : {kind}"]

    def tensor(self, shape: tuple[int, ...]) -> str:
        """Return the type of a tensor."""
        return f"tensor<{'x'.join(map(str, shape))}x{self.kind}>"

    def argument(self, shape: tuple[int, ...], most: int) -> str:
        """Add an argument of small integers."""
        name = f"a{len(self.arguments)}"
        self.values[name] = self.numbers.integers(-most, most + 1, shape).astype(np.int64)
        self.inputs.append(self.values[name].astype(TYPES[self.kind]))
        self.arguments.append(f"%{name}: {self.tensor(shape)}")
        return name

    def add(self, text: str, value: Array) -> str:
        """Add an op, whose text says NEW for its name and E for an empty result, F for one of zeros."""
        name, kind = f"v{len(self.values)}", self.tensor(value.shape)
        if " E" in text or " F" in text:
            self.lines.append(f"%e_{name} = tensor.empty() : {kind}")
        if " F" in text:
            self.lines.append(f"%f_{name} = linalg.fill ins(%zero : {self.kind}) outs(%e_{name} : {kind}) -> {kind}")
        text = text.replace(" E", f" outs(%e_{name} : {kind}) -> {kind}")
        self.lines.append(text.replace(" F", f" outs(%f_{name} : {kind}) -> {kind}").replace("NEW", f"%{name}"))
        self.values[name] = value
        return name

    def typed(self, *names: str) -> str:
        """Return values as operands with their types."""
        kinds = ", ".join(self.tensor(self.values[name].shape) for name in names)
        return f"ins({', '.join(f'%{name}' for name in names)} : {kinds})"

    def generic(self, names: list[str], maps: list[str], loops: str, body: str, value: Array) -> str:
        """Add a linalg.generic, whose body makes %y of %x0, %x1 and so on, and of %o, which starts from zero.

        Args:
            names: What it reads.
            maps: Results of the map of each of them, and of the result, over d0, d1 and so on.
            loops: A letter a loop: p or r.
            body: Ops of the body.
            value: What it gives.
        """
        dims = ", ".join(f"d{i}" for i in range(len(loops)))
        shown = ", ".join(f"affine_map<({dims}) -> ({one})>" for one in maps)
        kinds = ", ".join('"parallel"' if one == "p" else '"reduction"' for one in loops)
        given = ", ".join([*(f"%x{i}: {self.kind}" for i in range(len(names))), f"%o: {self.kind}"])
        name, kind = f"v{len(self.values)}", self.tensor(value.shape)
        self.lines += [
            f"%e_{name} = tensor.empty() : {kind}",
            f"%f_{name} = linalg.fill ins(%zero : {self.kind}) outs(%e_{name} : {kind}) -> {kind}",
            f"%{name} = linalg.generic {{indexing_maps = [{shown}], iterator_types = [{kinds}]}} {self.typed(*names)} "
            f"outs(%{'f' if 'r' in loops else 'e'}_{name} : {kind}) {{\n^bb0({given}):\n{body}\n"
            f"linalg.yield %y : {self.kind}\n}} -> {kind}",
        ]
        self.values[name] = value
        return name

    def pointwise(self, names: list[str], body: str, value: Array) -> str:
        """Add an element-wise op of images."""
        return self.generic(names, ["d0, d1, d2, d3"] * (len(names) + 1), "pppp", body, value)

    def cut(self, name: str) -> str:
        """Cut a value to small integers, so that no sum behind it is inexact."""
        low, high = ("maxsi", "minsi") if self.kind == "i32" else ("maximumf", "minimumf")
        body = f"%l = arith.{low} %x0, %least : {self.kind}\n%y = arith.{high} %l, %most : {self.kind}"
        return self.pointwise([name], body, np.clip(self.values[name], -MOST, MOST))

    def padded(self, name: str) -> str:
        """Add a border of zeros around an image."""
        value = np.pad(self.values[name], ((0, 0), (1, 1), (1, 1), (0, 0)))
        before, after = self.tensor(self.values[name].shape), self.tensor(value.shape)
        return self.add(
            f"NEW = tensor.pad %{name} low[0, 1, 1, 0] high[0, 1, 1, 0] {{\n^bb0(%i: index, %j: index, %k: index, "
            f"%l: index):\ntensor.yield %zero : {self.kind}\n}} : {before} to {after}",
            value,
        )


def windows(value: Array) -> list[tuple[int, int, Array]]:
    """Return the nine shifted views of a padded image."""
    return [(i, j, value[:, i : i + SIDE, j : j + SIDE]) for i in range(3) for j in range(3)]


def convolution(cell: Cell, x: str) -> str:
    """A 3 x 3 convolution of a padded image."""
    wide, weight = cell.padded(x), cell.argument((3, 3, CHANNELS, CHANNELS), 1)
    w = cell.values[weight]
    value = sum(part @ w[i, j] for i, j, part in windows(cell.values[wide]))
    return cell.add(f"NEW = linalg.conv_2d_nhwc_hwcf {ONES} {cell.typed(wide, weight)} F", value)


def depthwise(cell: Cell, x: str) -> str:
    """A 3 x 3 depthwise convolution of a padded image."""
    wide, weight = cell.padded(x), cell.argument((3, 3, CHANNELS), 1)
    w = cell.values[weight]
    value = sum(part * w[i, j] for i, j, part in windows(cell.values[wide]))
    return cell.add(f"NEW = linalg.depthwise_conv_2d_nhwc_hwc {ONES} {cell.typed(wide, weight)} F", value)


def pooling(cell: Cell, x: str) -> str:
    """Sums of 3 x 3 windows of a padded image."""
    wide = cell.padded(x)
    cell.lines.append(f"%w_{wide} = tensor.empty() : {cell.tensor((3, 3))}")
    value = sum(part for _, _, part in windows(cell.values[wide]))
    given = f"ins(%{wide}, %w_{wide} : {cell.tensor(cell.values[wide].shape)}, {cell.tensor((3, 3))})"
    return cell.add(f"NEW = linalg.pooling_nhwc_sum {ONES} {given} F", value)


def product(cell: Cell, x: str) -> str:
    """A product of the image's points with a matrix: a 1 x 1 convolution."""
    flat = (SIDE * SIDE, CHANNELS)
    image = cell.tensor((1, SIDE, SIDE, CHANNELS))
    rows = cell.add(
        f"NEW = tensor.collapse_shape %{x} [[0, 1, 2], [3]] : {image} into {cell.tensor(flat)}",
        cell.values[x].reshape(flat),
    )
    weight = cell.argument((CHANNELS, CHANNELS), 1)
    made = cell.add(f"NEW = linalg.matmul {cell.typed(rows, weight)} F", cell.values[rows] @ cell.values[weight])
    return cell.add(
        f"NEW = tensor.expand_shape %{made} [[0, 1, 2], [3]] output_shape [1, {SIDE}, {SIDE}, {CHANNELS}] : "
        f"{cell.tensor(flat)} into {image}",
        cell.values[made].reshape(1, SIDE, SIDE, CHANNELS),
    )


def turned(cell: Cell, x: str) -> str:
    """The image with rows and columns exchanged."""
    maps = ["d0, d2, d1, d3", "d0, d1, d2, d3"]
    zero = "%y = arith.{} %x0, %zero : {}".format("addi" if cell.kind == "i32" else "addf", cell.kind)
    return cell.generic([x], maps, "pppp", zero, cell.values[x].transpose(0, 2, 1, 3))


def row_sums(cell: Cell, x: str) -> str:
    """The image with the sum of its row added to each point, both cut to small integers."""
    add = "arith.addi" if cell.kind == "i32" else "arith.addf"
    body = f"%y = {add} %x0, %o : {cell.kind}"
    sums = cell.generic([x], ["d0, d1, d3, d2", "d0, d1, d2"], "pppr", body, cell.values[x].sum(axis=2))
    maps = ["d0, d1, d2, d3", "d0, d1, d3", "d0, d1, d2, d3"]
    value = cell.values[x] + cell.values[sums][:, :, None]
    return cell.generic([x, sums], maps, "pppp", f"%y = {add} %x0, %x1 : {cell.kind}", value)


def relu(cell: Cell, x: str) -> str:
    """What is above zero."""
    name = "maxsi" if cell.kind == "i32" else "maximumf"
    return cell.pointwise([x], f"%y = arith.{name} %x0, %zero : {cell.kind}", np.maximum(cell.values[x], 0))


def joined(cell: Cell, a: str, b: str) -> str:
    """The sum of two images."""
    name = "addi" if cell.kind == "i32" else "addf"
    return cell.pointwise([a, b], f"%y = arith.{name} %x0, %x1 : {cell.kind}", cell.values[a] + cell.values[b])


ONE: tuple[Callable[[Cell, str], str], ...] = (convolution, depthwise, pooling, product, turned, row_sums, relu)


def random_cell(seed: int) -> Cell:
    """Return a cell of two to nine operators; the text is `text_of`, its result the value of the last one."""
    rng = random.Random(seed)
    cell = Cell(rng.choice(sorted(TYPES)), rng)
    nodes = [cell.argument((1, SIDE, SIDE, CHANNELS), MOST)]
    read = set[str]()
    for _ in range(rng.randint(2, 9)):
        a, b = rng.choice(nodes), rng.choice(nodes)
        read |= {a}
        if rng.random() < 0.25:
            read |= {b}
            made = joined(cell, a, b)
        else:
            made = rng.choice(ONE)(cell, a)
        nodes.append(cell.cut(made))
    ends = [node for node in nodes[1:] if node not in read]
    result = ends[0]
    for end in ends[1:]:
        result = joined(cell, result, end)
    if len(ends) == 1:
        result = joined(cell, result, nodes[0])
    return cell


def text_of(cell: Cell) -> str:
    """Return the function of a cell, which returns its last value."""
    last = list(cell.values)[-1]
    kind = cell.tensor(cell.values[last].shape)
    body = "\n".join(cell.lines)
    return f"func.func @cell({', '.join(cell.arguments)}) -> {kind} {{\n{body}\nreturn %{last} : {kind}\n}}\n"


def run(seed: int, target: str, level: str) -> str:
    """Compile and run a cell; return "equal", or how it is not."""
    cell = random_cell(seed)
    expected = list(cell.values.values())[-1]
    options = CompileOptions(persistent=True, binaries=False, llvm=level == "llvm", cache=False)
    try:
        artifact = roller_mlir.compile(text_of(cell), target=target, options=options)
    except DiagnosedError as error:
        return f"refused: {error.diagnostics[0].message.split(';')[0]}"
    asked = {"level": level, "seed": seed, **({"sanitize": True} if level == "gpu" else {})}
    loaded = LoadedSequence(artifact.manifest, artifact.files, find_backend("sim", asked))
    for _ in range(2):
        found = loaded.run(cell.inputs).outputs[0]
        if not np.array_equal(found.astype(np.int64), expected):
            return "wrong"
    return "equal"


def main() -> int:
    """Run so many cells and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500, help="cells (default 500)")
    parser.add_argument("--seed", type=int, default=1, help="of the first one (default 1)")
    parser.add_argument("--target", default="h200,a100,mi300x", help="devices, by turns (default h200,a100,mi300x)")
    parser.add_argument("--level", choices=("gpu", "llvm"), default="gpu", help="of the simulator (default gpu)")
    asked = parser.parse_args()
    targets, answers = asked.target.split(","), Counter[str]()
    for seed in range(asked.seed, asked.seed + asked.count):
        target = targets[seed % len(targets)]
        try:
            answer = run(seed, target, asked.level)
        except Exception as error:  # noqa: BLE001 - one cell's failure is its answer, the others go on
            answer = f"failed: {type(error).__name__}: {error}".splitlines()[0]
        answers[answer.split(":")[0]] += 1
        if answer != "equal":
            print(f"seed {seed} for {target}: {answer}", flush=True)
    each = f"{time.process_time() / asked.count:.2f} s of a processor each"
    print(", ".join([*(f"{count} {answer}" for answer, count in sorted(answers.items())), each]))
    return 1 if answers["wrong"] or answers["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
