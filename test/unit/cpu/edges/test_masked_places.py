# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where vectors lie that a mask leaves out whole: in their array, since a core may take long over any other place.

The emitted loops are walked task by task: what is judged are numbers, and nothing of tiles and padding is known.
"""

import operator
import re
from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path

import pytest
from cpu_programs import compiled, depthwise, differences, targets

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.support.bindings import ir, make_context

ARITHMETIC = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.divui": operator.floordiv,
    "arith.remui": operator.mod,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.andi": operator.and_,
}
COMPARED = {0: operator.eq, 2: operator.lt, 3: operator.le, 4: operator.gt, 5: operator.ge}
UNSIGNED_LESS = 6
ACCESSES = ("vector.maskedload", "vector.maskedstore")


class Walk:
    """The numbers of a kernel's indices and conditions, at one task."""

    def __init__(self, task: int) -> None:
        self.task = task
        self.values: dict[ir.Value, int] = {}
        self.stored: list[tuple[int, ...]] = []
        """Places of the elements that were stored under no mask."""

    def accesses(self, block: ir.Block) -> Iterator[tuple[str, tuple[int, ...], tuple[int, ...]]]:
        """Yield name, shape of the array and indices of each access under a mask, as often as it is made."""
        for op in block.operations:
            known = [self.values.get(operand) for operand in op.operands]
            if op.name == "scf.for":
                first, end, step = known[:3]
                inside = op.regions[0].blocks[0]
                for self.values[inside.arguments[0]] in range(first, end, step):
                    yield from self.accesses(inside)
            elif op.name == "scf.if":
                for inside in op.regions[1 - known[0]].blocks:  # none, where nothing else is done
                    yield from self.accesses(inside)
            elif op.name in ACCESSES:
                shape = tuple(ir.MemRefType(op.operands[0].type).shape)
                yield op.name, shape, tuple(known[1 : 1 + len(shape)])
            elif op.name in ("vector.store", "memref.store"):
                kind = op.operands[0].type
                lanes = ir.VectorType(kind).shape[0] if isinstance(kind, ir.VectorType) else 1
                self.stored += [(*known[2:-1], known[-1] + lane) for lane in range(lanes)]
            elif len(op.results) == 1 and isinstance(op.results[0].type, (ir.IndexType, ir.IntegerType)):
                self.values[op.results[0]] = self.value(op, known)

    def value(self, op: ir.OpView, known: list[int]) -> int:
        """Return the result of an operation on indices."""
        if op.name == "gpu.block_id":
            return self.task
        if op.name == "arith.constant":
            return int(ir.IntegerAttr(op.attributes["value"]).value)
        if op.name in ("arith.index_cast", "arith.index_castui"):
            return known[0]
        if op.name == "arith.cmpi":
            predicate = ir.IntegerAttr(op.attributes["predicate"]).value
            return 0 <= known[0] < known[1] if predicate == UNSIGNED_LESS else COMPARED[predicate](*known)
        return ARITHMETIC[op.name](*known)


@pytest.mark.parametrize("target", ["spr", "haswell"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 7), (3, 3), (2, 5)])
def test_vectors_outside_name_places_inside(tmp_path: Path, target: str, rows: int, columns: int) -> None:
    text, lanes = depthwise(image=13, window=5, stride=2, pad=2, channels=32), 16 if target == "spr" else 8
    tiles = (1, rows, columns, lanes, 5, 5)
    compiled(text, target, tile_sizes=tiles, dump_stages=tmp_path, binaries=False)
    tasks = prod(-(-extent // tile) for extent, tile in zip((7, 7, 32), tiles[1:], strict=False))
    with make_context():
        module, names = ir.Module.parse((tmp_path / "gpu.mlir").read_text()), set[str]()
        (kernels,) = [op for op in module.body.operations if op.name == "gpu.module"]
        (function,) = kernels.regions[0].blocks[0].operations
        for task in range(tasks):
            for name, shape, indices in Walk(task).accesses(function.regions[0].blocks[0]):
                names.add(name)
                assert all(0 <= at < extent for at, extent in zip(indices[:-1], shape[:-1], strict=True)), indices
    assert "vector.maskedload" in names
    assert (target == "spr" and bool(7 % rows or 7 % columns)) == ("vector.maskedstore" in names)


@pytest.mark.parametrize(
    ("channels", "tile"), [(32, (1, 2, 8)), (42, (2, 2, 16)), (42, (3, 3, 48)), (7, (2, 5, 8)), (47, (1, 4, 24))]
)
def test_where_masks_have_no_registers_each_result_is_stored_once(
    channels: int, tile: tuple[int, int, int], tmp_path: Path
) -> None:
    """Vectors and pieces of them, of tiles that the last pixels of a row leave, the last channels, or both."""
    text, tiles = depthwise(image=13, window=5, stride=2, pad=2, channels=channels), (1, *tile, 5, 5)
    compiled(text, "haswell", tile_sizes=tiles, dump_stages=tmp_path, binaries=False)
    tasks = prod(-(-extent // size) for extent, size in zip((7, 7, channels), tile, strict=True))
    with make_context():
        module, stored = ir.Module.parse((tmp_path / "gpu.mlir").read_text()), list[tuple[int, ...]]()
        (kernels,) = [op for op in module.body.operations if op.name == "gpu.module"]
        (function,) = kernels.regions[0].blocks[0].operations
        for task in range(tasks):
            walk = Walk(task)
            assert "vector.maskedstore" not in [name for name, *_ in walk.accesses(function.regions[0].blocks[0])]
            stored += walk.stored
    assert sorted(stored) == list(product((0,), range(7), range(7), range(channels)))
    for target in targets():
        if target != "spr":
            assert differences(text, compiled(text, target, tile_sizes=tiles)) == []


def masked_loads(text: str, target: str, tiles: tuple[int, ...], tasks: int, folder: Path) -> list[int]:
    """Return how many vectors each task loads under masks."""
    compiled(text, target, tile_sizes=tiles, dump_stages=folder, binaries=False)
    with make_context():
        module, counts = ir.Module.parse((folder / "gpu.mlir").read_text()), list[int]()
        (kernels,) = [op for op in module.body.operations if op.name == "gpu.module"]
        (function,) = kernels.regions[0].blocks[0].operations
        for task in range(tasks):
            names = [name for name, *_ in Walk(task).accesses(function.regions[0].blocks[0])]
            counts.append(names.count("vector.maskedload"))
    return counts


@pytest.mark.parametrize(("channels", "ends"), [(16, 0), (20, 25 * (3 + 1))])
def test_tiles_inside_of_an_image_have_no_masks_where_masks_have_no_registers(
    channels: int, ends: int, tmp_path: Path
) -> None:
    """Of 15 rows 11 read no padding, of 5 tiles of a row 3; behind the channels end pixels and the filter."""
    text, tiles = depthwise(image=15, window=5, stride=1, pad=2, channels=channels), (1, 1, 3, 8, 5, 5)
    vectors = -(-channels // 8)
    counts = masked_loads(text, "haswell", tiles, 15 * 5 * vectors, tmp_path)
    assert counts.count(0) == 11 * 3 * (channels // 8)
    assert counts.count(ends) >= 11 * 3
    assert counts.count(0) > masked_loads(text, "spr", (1, 1, 3, 16, 5, 5), 15 * 5, tmp_path).count(0)
    for target in targets():
        assert differences(text, compiled(text, target, tile_sizes=tiles)) == []


@pytest.mark.parametrize(("stride", "image"), [(1, 26), (2, 51)])
def test_tiles_inside_of_an_image_in_front_of_channels_have_no_masks(stride: int, image: int, tmp_path: Path) -> None:
    """Lanes lie along rows of 26: of 4 tiles the first and the last leave them, of 13 pairs of rows likewise two.

    With stride 2 a vector is every other element of two, the second of which ends one element behind what is needed.
    """
    text = depthwise(image=image, window=3, stride=stride, pad=1, channels=2, first=True)
    tiles = (1, 2, 8, 1, 3, 3)
    assert masked_loads(text, "haswell", tiles, 13 * 4 * 2, tmp_path).count(0) == 11 * 2 * 2
    for target in targets():
        artifact = compiled(text, target, tile_sizes=tiles)
        assert artifact.kernels[0].plan is not None and artifact.kernels[0].plan.lane == 2
        assert differences(text, artifact) == []


def test_rows_of_a_window_that_lie_inside_have_no_masks(tmp_path: Path) -> None:
    """Tiles as wide as the image: a row inside has masks at its ends alone, at each tap those of 4 of 13 columns."""
    text = depthwise(image=13, window=5, stride=1, pad=2, channels=16)
    counts = masked_loads(text, "spr", (1, 1, 13, 16, 5, 5), 13, tmp_path)
    assert sorted(counts) == [25 * 4] * 9 + [20 * 4 + 5 * 13] * 2 + [15 * 4 + 10 * 13] * 2
    if "host" in targets():
        assert differences(text, compiled(text, tile_sizes=(1, 1, 13, 16, 5, 5))) == []


def concatenated(rows: int, first: int, second: int) -> str:
    """Return the concatenation of two matrices of so many columns."""
    x, y, z = (f"tensor<{rows}x{n}xf32>" for n in (first, second, first + second))
    return f"""func.func @f(%x: {x}, %y: {y}) -> {z} {{
      %r = tensor.concat dim(1) %x, %y : ({x}, {y}) -> {z}
      return %r : {z}
    }}"""


@pytest.mark.parametrize(("first", "second"), [(64, 64), (96, 32), (48, 16), (40, 24), (33, 31)])
def test_parts_of_whole_vectors_have_no_masks_of_lanes(first: int, second: int) -> None:
    """Of a concatenation, vectors that lie in one part as a whole choose an address; others have masks."""
    text = concatenated(5, first, second)
    for target in targets():
        assert differences(text, compiled(text, target)) == []
    for target, lanes in (("zen4", 16), ("haswell", 8)):
        kernels = roller_mlir.compile(text, target, options=CompileOptions(binaries=False)).text("kernels")
        masks = re.findall(r"arith.cmpi ult, %\d+, %\w+ : vector<\d+xindex>|vector.create_mask", kernels)
        assert bool(masks) == bool(first % lanes or second % lanes), masks


@pytest.mark.parametrize(("first", "second"), [(1500, 1301), (1301, 1500)])
def test_vectors_far_outside_of_a_part_are_loaded_from_it(first: int, second: int) -> None:
    text = concatenated(2, first, second)
    kernels = roller_mlir.compile(text, "haswell", options=CompileOptions(binaries=False)).text("kernels")
    assert "arith.maxsi" in kernels and "arith.minsi" in kernels
    for target in targets():
        assert differences(text, compiled(text, target)) == []
