# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expanded programs of wgmma, as text, and their run in the simulator against numpy.

The loops are the program: no plan stands behind them, so that each of their attributes can be changed alone.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from roller_mlir import compiler
from roller_mlir.runtime import Artifact

LENGTHS = {"f16": 16, "bf16": 16, "f32": 8, "i8": 32}
ARRAYS = {"f16": np.float16, "f32": np.float32, "i8": np.int8, "i32": np.int32}
TENSOR_COPY = 'swizzle = "tma128", copy = "tensor"'


@dataclass(frozen=True)
class Matmul:
    """A product of matrices.

    Attributes:
        extents: M, N, K.
        block: Points of a task and a step along each.
        columns: Columns of an instruction.
        groups: Warpgroups along rows and columns.
        stages: Buffers.
        factor: Element type of the factors.
        result: Element type of the sums.
        transposed: Whether each factor lies transposed.
        batch: Matrices; 0 where there is no such dimension.
        epilogue: Whether a bias is added and what is negative becomes 0, in f16.
        persistent: Whether blocks walk over tasks.
        tasks_per_unit: Blocks that are to fit on a unit; 0 for not said.
        start: What the sums start from.
        store: How the result is written: "synchronous", "staged" or "tensor".
        layout: How factors are copied.
    """

    extents: tuple[int, int, int] = (128, 128, 128)
    block: tuple[int, int, int] = (64, 64, 64)
    columns: int = 64
    groups: tuple[int, int] = (1, 1)
    stages: int = 3
    factor: str = "f16"
    result: str = "f32"
    transposed: tuple[bool, bool] = (False, False)
    batch: int = 0
    epilogue: bool = False
    persistent: bool = False
    tasks_per_unit: int = 0
    start: float = 0
    store: str = "synchronous"
    layout: str = TENSOR_COPY

    def but(self, **changes: object) -> "Matmul":
        """The product with some fields changed."""
        return replace(self, **changes)

    # Shapes ---------------------------------------------------------------------------------------------------------

    @property
    def steps(self) -> tuple[int, int, int]:
        """Tasks along M and N, and steps along K."""
        m, n, k = (-(-e // b) for e, b in zip(self.extents, self.block, strict=True))
        return m, n, k

    def _factor_shape(self, number: int, extents: tuple[int, int, int]) -> list[int]:
        own, k = extents[number], extents[2]
        k_first = self.transposed[0] if number == 0 else not self.transposed[1]
        return [k, own] if k_first else [own, k]

    def shapes(self) -> list[list[int]]:
        """Of the factors and of the result."""
        batch = [self.batch] if self.batch else []
        factors = [[*batch, *self._factor_shape(number, self.extents)] for number in (0, 1)]
        return [*factors, [*batch, *self.extents[:2]]]

    def tiles(self) -> list[list[int]]:
        """Likewise, of a task and a step."""
        batch = [1] if self.batch else []
        factors = [[*batch, *self._factor_shape(number, self.block)] for number in (0, 1)]
        return [*factors, [*batch, *self.block[:2]]]

    # Text -----------------------------------------------------------------------------------------------------------

    @cached_property
    def _loops(self) -> list[str]:
        return ["b", "i", "j", "k"] if self.batch else ["i", "j", "k"]

    def _map(self, results: list[str], loops: list[str]) -> str:
        names = {loop: f"d{number}" for number, loop in enumerate(loops)}
        scaled = {"i": f" * {self.block[0]}", "j": f" * {self.block[1]}", "k": f" * {self.block[2]}{self._shift}"}
        origin = [names[r] + scaled.get(r, "") for r in results]
        return f"affine_map<({', '.join(names.values())}) -> ({', '.join(origin)})>"

    def _plain_map(self, results: list[str], loops: list[str]) -> str:
        names = {loop: f"d{number}" for number, loop in enumerate(loops)}
        return f"affine_map<({', '.join(names.values())}) -> ({', '.join(names[r] for r in results)})>"

    @property
    def _shift(self) -> str:
        residue = self.steps[2] * self.block[2] - self.extents[2]
        return f" - {residue}" if residue else ""

    def _threads(self, loops: list[str]) -> str:
        axes = {
            "b": "[1, 1]",
            "i": f"[{32 * self.groups[0]}, 1, 8, 16]",
            "j": f"[{4 * self.groups[1]}, 2, 4, {self.columns}]",
            "k": "[1, 1]",
        }
        i, j = loops.index("i"), loops.index("j")
        return (
            f"#rtile.threads<{{axes = [{', '.join(axes[loop] for loop in loops)}], order = [{i}, {j}], "
            f"lane = {j} : i64, unroll = 1 : i64, lane_order = [{j}, {i}]}}>"
        )

    def _load(self, number: int) -> str:
        shape, tile = self.shapes()[number], self.tiles()[number]
        own = "ij"[number]
        k_first = self._factor_shape(number, (0, 1, 2))[0] == 2
        dims = [*self._loops[:-3], *(["k", own] if k_first else [own, "k"])]
        used = [*self._loops[:-3], own, "k"]
        order = ", ".join(map(str, range(len(shape))))
        zero = "0" if self.factor == "i8" else "0.0"
        return (
            f'%t{number} = "rtile.load"(%x{number}, {values(used)}) {{layout = #rtile.layout<{{order = [{order}], '
            f"{self.layout}}}>, origin = {self._map(dims, used)}, pad = {zero} : {self.factor}, "
            f'tile = #rtile.tile<{tile}, "workgroup", {[1] * len(shape)}>}} : '
            f"({memref(shape, self.factor)}{', index' * len(used)}) -> {tensor(tile, self.factor)}"
        )

    def _body(self) -> str:
        f, r = self.factor, self.result
        if f == "i8":
            cast, multiply, add = "arith.extsi", "arith.muli", "arith.addi"
        else:
            cast, multiply, add = "arith.extf", "arith.mulf", "arith.addf"
        lines = [f"%a = {cast} %x : {f} to {r}", f"%b2 = {cast} %y : {f} to {r}"] if f != r else []
        a, b = ("%a", "%b2") if f != r else ("%x", "%y")
        lines += [f"%p = {multiply} {a}, {b} : {r}", f"%s = {add} %c, %p : {r}", f'"rtile.yield"(%s) : ({r}) -> ()']
        return "\n".join(lines)

    def _compute(self) -> str:
        loops, tiles = self._loops, self.tiles()
        dims = []
        for number, own in enumerate("ij"):
            k_first = self._factor_shape(number, (0, 1, 2))[0] == 2
            dims.append([*loops[:-3], *(["k", own] if k_first else [own, "k"])])
        maps = [self._plain_map(d, loops) for d in dims] + [self._plain_map(loops[:-1], loops)]
        kinds = ["#linalg.iterator_type<parallel>"] * (len(loops) - 1) + ["#linalg.iterator_type<reduction>"]
        batch, i = ([1], 1) if self.batch else ([], 0)
        box, bounds = [*batch, *self.block], [*([self.batch] if self.batch else []), *self.extents]
        shape = [64, self.columns, LENGTHS[self.factor]]
        c = tensor(tiles[2], self.result)
        return (
            f'%t = "rtile.compute"(%t0, %t1, %acc, {values(loops)}) ({{\n'
            f"^bb0(%x: {self.factor}, %y: {self.factor}, %c: {self.result}):\n{self._body()}\n}}) "
            f"{{bounds = {integers(bounds)}, box = {integers(box)}, indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{', '.join(kinds)}], operandSegmentSizes = array<i32: 2, 1, {len(loops)}>, "
            f"origin = {self._map(loops, loops)}, threads = {self._threads(loops)}, "
            f'instruction = #rtile.instruction<{{family = "wgmma", shape = {shape}, row = {i} : i64, '
            f"column = {i + 1} : i64, depth = {i + 2} : i64}}>}} : ({tensor(tiles[0], self.factor)}, "
            f"{tensor(tiles[1], self.factor)}, {c}{', index' * len(loops)}) -> {c}"
        )

    def _epilogue(self) -> str:
        loops, tile, n = self._loops[:-1], self.tiles()[2], self.extents[1]
        same, bias = self._plain_map(loops, loops), self._plain_map(["j"], loops)
        kinds = ", ".join(["#linalg.iterator_type<parallel>"] * len(loops))
        batch = ([1], [self.batch]) if self.batch else ([], [])
        old, new = tensor(tile, self.result), tensor(tile, "f16")
        row = tensor([tile[-1]], "f32")
        return (
            f'%tb = "rtile.load"(%bias, %j) {{layout = #rtile.layout<{{order = [0], vector = 2 : i64}}>, '
            f"origin = affine_map<(d0) -> (d0 * {self.block[1]})>, "
            f'tile = #rtile.tile<[{tile[-1]}], "register", [1]>}} : ({memref([n], "f32")}, index) -> {row}\n'
            f"%e = tensor.empty() : {new}\n"
            f'%o = "rtile.compute"(%r, %tb, %e, {values(loops)}) ({{\n'
            f"^bb0(%x: {self.result}, %y: f32, %c: f16):\n%z = arith.constant 0.0 : f32\n"
            f"%p = arith.addf %x, %y : f32\n%q = arith.maximumf %p, %z : f32\n%h = arith.truncf %q : f32 to f16\n"
            f'"rtile.yield"(%h) : (f16) -> ()\n}}) '
            f"{{bounds = {integers([*batch[1], *self.extents[:2]])}, box = {integers([*batch[0], *self.block[:2]])}, "
            f"indexing_maps = [{same}, {bias}, {same}], iterator_types = [{kinds}], "
            f"operandSegmentSizes = array<i32: 2, 1, {len(loops)}>, origin = {self._map(loops, loops)}, "
            f"threads = {self._threads(loops)}}} : ({old}, {row}, {new}{', index' * len(loops)}) -> {new}"
        )

    def text(self) -> str:
        """The module."""
        shapes, tile = self.shapes(), self.tiles()[2]
        out = "f16" if self.epilogue else self.result
        types = [memref(shapes[0], self.factor), memref(shapes[1], self.factor), memref(shapes[2], out)]
        names = ["x0", "x1", "out"]
        if self.epilogue:
            types.insert(2, memref([self.extents[1]], "f32"))
            names.insert(2, "bias")
        c = tensor(tile, self.result)
        start = str(int(self.start)) if self.result == "i32" else f"{float(self.start)}"
        loops = self._loops[:-1]
        store = (
            f'"rtile.store"({"%o" if self.epilogue else "%r"}, %out, {values(loops)}) '
            f"{{origin = {self._map(loops, loops)}, steps = {integers([1] * len(loops))}, "
            f'copy = "{self.store}"}} : '
            f"({tensor(tile, out)}, {memref(shapes[2], out)}{', index' * len(loops)}) -> ()"
        )
        task = [
            f"%start = arith.constant dense<{start}> : {c}",
            f"%r = scf.for %k = %c0 to %ck step %c1 iter_args(%acc = %start) -> ({c}) {{",
            self._load(0),
            self._load(1),
            self._compute(),
            f"scf.yield %t : {c}",
            f"}} {{rtile.stages = {self.stages} : i64}}",
            *([self._epilogue()] if self.epilogue else []),
            store,
        ]
        trips = dict(zip("ijk", self.steps, strict=True)) | {"b": self.batch}
        for loop in reversed(loops):
            task = [f"scf.for %{loop} = %c0 to %c{loop} step %c1 {{", *task, '} {rtile.mapping = "unit"}']
        roles = ["output" if name == "out" else "input" for name in names]
        host = ", ".join(
            f'%a{i}: {kind} {{rtile.role = "{role}"}}' for i, (kind, role) in enumerate(zip(types, roles, strict=True))
        )
        attributes = ['sym_name = "product"']
        attributes += ["persistent"] if self.persistent else []
        attributes += [f"tasks_per_unit = {self.tasks_per_unit} : i64"] if self.tasks_per_unit else []
        lines = [
            f"func.func @main({host}) {{",
            f'"rtile.program"({", ".join(f"%a{i}" for i in range(len(types)))}) ({{',
            f"^bb0({', '.join(f'%{name}: {kind}' for name, kind in zip(names, types, strict=True))}):",
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            *[f"%c{loop} = arith.constant {trips[loop]} : index" for loop in self._loops],
            *task,
            '"rtile.yield"() : () -> ()',
            f"}}) {{{', '.join(attributes)}}} : ({', '.join(types)}) -> ()",
            "return",
            "}",
        ]
        return "\n".join(lines)

    # Run ------------------------------------------------------------------------------------------------------------

    def compile(self, device: str = "h200", **options: object) -> Artifact:
        """The artifact."""
        return compiler.compile(self.text(), device, compiler.CompileOptions(**{"binaries": False, **options}))

    def check(self, device: str = "h200", **options: object) -> Artifact:
        """Compile, run, and compare with numpy, exactly: all numbers are small integers."""
        maps = options.pop("tensor_maps", "host")
        artifact = self.compile(device, llvm=options.get("level") == "llvm", tensor_maps=maps)
        generator = np.random.default_rng(5)
        m, n, k = self.extents
        batch = [self.batch] if self.batch else []
        a, b = generator.integers(-3, 4, [*batch, m, k]), generator.integers(-3, 4, [*batch, k, n])
        bias = generator.integers(-9, 10, n).astype(np.float32)
        expected = a @ b + int(self.start)
        inputs = [
            _array(np.swapaxes(x, -1, -2) if turned else x, self.factor)
            for x, turned in zip((a, b), self.transposed, strict=True)
        ]
        if self.epilogue:
            inputs.append(bias)
            expected = np.maximum(expected + bias, 0)
        (found,) = artifact.run(*inputs, **options)
        np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))
        return artifact


def _array(values: np.ndarray, element: str) -> np.ndarray:
    if element == "bf16":
        bits = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return np.ascontiguousarray(bits)
    return np.ascontiguousarray(values.astype(ARRAYS[element]))


def values(loops: list[str]) -> str:
    """%i, %j."""
    return ", ".join(f"%{loop}" for loop in loops)


def integers(numbers: list[int]) -> str:
    """array<i64: 1, 2>."""
    return f"array<i64: {', '.join(map(str, numbers))}>"


def memref(shape: list[int], element: str) -> str:
    """memref<2x3xf32>."""
    return f"memref<{'x'.join(map(str, shape))}x{element}>"


def tensor(shape: list[int], element: str) -> str:
    """tensor<2x3xf32>."""
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"
