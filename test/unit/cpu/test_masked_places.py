# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where vectors lie that a mask leaves out whole: in their array, since a core may take long over any other place.

An interval analysis of the emitted indices is the judge: it knows arithmetic, and nothing of tiles and padding.
"""

from collections.abc import Iterator
from math import prod
from pathlib import Path

import pytest
from cpu_programs import compiled

from roller_mlir.support.bindings import ir, make_context

Interval = tuple[int, int]
CORNERS = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divui": lambda a, b: a // b,
    "arith.maxsi": max,
    "arith.minsi": min,
}


def depthwise(image: int, window: int, stride: int, pad: int, channels: int) -> str:
    """Return the text of a depthwise convolution of a padded image, channels last."""
    size = (image + 2 * pad - window) // stride + 1
    x, p, f, y = (
        f"tensor<{shape}x{channels}xf32>"
        for shape in (
            f"1x{image}x{image}",
            f"1x{image + 2 * pad}x{image + 2 * pad}",
            f"{window}x{window}",
            f"1x{size}x{size}",
        )
    )
    return f"""func.func @main(%x: {x}, %f: {f}) -> {y} {{
      %zero = arith.constant 0.0 : f32
      %p = tensor.pad %x low[0, {pad}, {pad}, 0] high[0, {pad}, {pad}, 0] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %zero : f32
      }} : {x} to {p}
      %e = tensor.empty() : {y}
      %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.depthwise_conv_2d_nhwc_hwc {{dilations = dense<1> : tensor<2xi64>,
          strides = dense<{stride}> : tensor<2xi64>}} ins(%p, %f : {p}, {f}) outs(%i : {y}) -> {y}
      return %r : {y}
    }}"""


def interval(value: ir.Value, tasks: int) -> Interval:
    """Return between which numbers an index lies."""
    if isinstance(value.owner, ir.Block):  # of a loop, whose bounds are constants
        low, high, step = (interval(operand, tasks)[0] for operand in list(value.owner.owner.operands)[:3])
        return low, low + (high - 1 - low) // step * step
    op = value.owner
    if op.name == "arith.constant":
        return (ir.IntegerAttr(op.attributes["value"]).value,) * 2
    if op.name == "gpu.block_id":
        return 0, tasks - 1
    operands = [interval(operand, tasks) for operand in op.operands]
    if op.name in ("arith.index_cast", "arith.index_castui"):
        return operands[0]
    if op.name == "arith.remui":
        return 0, min(operands[0][1], operands[1][1] - 1)
    corners = [CORNERS[op.name](a, b) for a in operands[0] for b in operands[1]]
    return min(corners), max(corners)


def masked_accesses(module: ir.Module) -> Iterator[tuple[str, ir.Value, list[ir.Value]]]:
    """Yield the name of each access under a mask, its array and its indices."""
    found: list[ir.Operation] = []

    def keep(op: ir.Operation) -> ir.WalkResult:
        if op.name in ("vector.maskedload", "vector.maskedstore"):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(keep)
    for op in found:
        buffer, *others = op.operands
        yield op.name, buffer, others[: len(ir.MemRefType(buffer.type).shape)]


@pytest.mark.parametrize("target", ["spr", "haswell"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 7), (3, 3), (2, 5)])
def test_vectors_outside_name_places_inside(tmp_path: Path, target: str, rows: int, columns: int) -> None:
    text, lanes = depthwise(image=13, window=5, stride=2, pad=2, channels=32), 16 if target == "spr" else 8
    tiles = (1, rows, columns, lanes, 5, 5)
    compiled(text, target, tile_sizes=tiles, dump_stages=tmp_path, binaries=False)
    tasks = prod(-(-extent // tile) for extent, tile in zip((7, 7, 32), tiles[1:], strict=False))
    with make_context():
        module, names = ir.Module.parse((tmp_path / "gpu.mlir").read_text()), set[str]()
        for name, buffer, indices in masked_accesses(module):
            names.add(name)
            shape = ir.MemRefType(buffer.type).shape
            for index, extent in zip(indices[:-1], shape[:-1], strict=True):
                low, high = interval(index, tasks)
                assert low >= 0 and high < extent, f"{name} of {buffer} at {index}"
    assert "vector.maskedload" in names
    assert bool(7 % rows or 7 % columns) == ("vector.maskedstore" in names)
