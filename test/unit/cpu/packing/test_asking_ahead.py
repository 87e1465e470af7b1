# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hints that tiles of packed constants are soon read: each line is asked for before it is read, not often twice."""

import json
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np
import pytest
from constant_walks import CASES, convolution, walking
from cpu_programs import compiled
from kernel_walk import KernelWalk

from roller_mlir.passes.rtile import lower_to_gpu
from roller_mlir.plan import AxisPlan, OperandPlan, Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.tools.roller import main

LINE, LANES, DEVICE = 64, 16, "spr"
ROWS, COLUMNS, DEPTH = 20, 128, 64


def _product(rows: int = ROWS, kind: str = "f32", *, columns: int = COLUMNS, depth: int = DEPTH) -> str:
    """Return a product with a constant second factor."""
    weights = np.random.default_rng(0).integers(-3, 4, (depth, columns))
    total = "i32" if kind == "i8" else "f32"
    a, b, c = f"tensor<{rows}x{depth}x{kind}>", f"tensor<{depth}x{columns}x{kind}>", f"tensor<{rows}x{columns}x{total}>"
    return f"""func.func @f(%a: {a}) -> {c} {{
      %w = arith.constant dense<{(weights if kind == "i8" else weights.astype(float)).tolist()}> : {b}
      %zero = arith.constant {0 if kind == "i8" else 0.0} : {total}
      %empty = tensor.empty() : {c}
      %init = linalg.fill ins(%zero : {total}) outs(%empty : {c}) -> {c}
      %c = linalg.matmul ins(%a, %w : {a}, {b}) outs(%init : {c}) -> {c}
      return %c : {c}
    }}"""


def _plan(
    text: str,
    blocks: tuple[int, int, int],
    order: tuple[int, ...],
    inner: tuple[int, ...] = (),
) -> Plan:
    (kernel,) = compiled(text, DEVICE, instructions=("fma",)).kernels
    assert kernel.plan is not None
    axes = tuple(AxisPlan(block=block, chunk=LANES if loop == 1 else 1) for loop, block in enumerate(blocks))
    lane = OperandPlan(
        layer="constant", order=(0, 1), vector=LANES, store_vector=LANES, fragment_vector=LANES, pad_value=0.0
    )
    packed = OperandPlan(layer="workgroup", order=(0, 1), vector=1, store_vector=1, fragment_vector=1, pad_value=0.0)
    first = packed if blocks[2] < DEPTH else OperandPlan(layer="register", order=(0, 1))
    made = replace(kernel.plan, axes=axes, lane=1, operands=(first, lane), unit_order=order, inner_order=inner)
    return replace(made, unroll=4, pipeline="", reduction_order=(2,), prediction=None)


def _events(text: str, folder: Path, *, plan: Plan | None = None, **options: str) -> list[tuple[str, int, int]]:
    """Return what a kernel asks for and reads of its constant, the second argument.

    Args:
        text: The program.
        folder: For what the compiler writes.
        plan: Its plan; the compiler's where left out.
        options: Of the command, `target` and `instruction`.
    """
    source, plans = folder / "f.mlir", folder / "plan.json"
    source.write_text(text)
    asked = [word for name, value in {"target": DEVICE, **options}.items() for word in (f"--{name}", value)]
    if plan is not None:
        (kernel,) = compiled(text, DEVICE, instructions=("fma",)).kernels
        plans.write_text(json.dumps({kernel.program: to_json(plan)}))
        asked += ["--plan-file", str(plans)]
    assert main(["compile", str(source), "--emit", "gpu", "--dump-stages", str(folder), *asked]) == 0
    with make_context():
        return KernelWalk(ir.Module.parse((folder / "gpu.mlir").read_text()), argument=1).walk().events


def _unasked(events: Sequence[tuple[str, int, int]]) -> list[int]:
    """Return the lines that were read before anybody asked for them."""
    asked, read, found = set[int](), set[int](), list[int]()
    for event, at, size in events:
        lines = range(at // LINE, (at + size - 1) // LINE + 1)
        if event == "hint":
            asked.add(lines[0])
            continue
        found += [line for line in lines if line not in asked and line not in read]
        read.update(lines)
    return found


def _read(events: Sequence[tuple[str, int, int]]) -> set[int]:
    """Return the lines that were read."""
    return {
        line for event, at, size in events if event == "read" for line in range(at // LINE, (at + size - 1) // LINE + 1)
    }


def _hints(events: Sequence[tuple[str, int, int]]) -> int:
    return sum(event == "hint" for event, _, _ in events)


TILE = 32 * DEPTH * 4 // LINE
"""Lines of 32 columns."""
LINES = COLUMNS * DEPTH * 4 // LINE


@pytest.mark.parametrize(
    ("blocks", "order", "inner", "first"),
    [
        ((5, 32, 64), (1, 0), (), TILE),  # tasks of 4 rows of tiles each pass by a column of them
        ((7, 32, 64), (1, 0), (), TILE),  # 3, of which the last ends outside
        ((20, 32, 64), (1, 0), (), TILE),  # one pass
        ((5, 32, 64), (1, 0), (1, 0), TILE),  # a task walks them
        ((5, 32, 16), (1, 0), (1, 0), TILE // 4),  # in steps of the reduction, each of which walks all columns
        ((5, 32, 16), (1, 0), (0,), TILE // 4),  # in steps, each of which walks one column
        ((5, 128, 64), (1, 0), (), LINES),  # a single tile: nobody asks
    ],
)
def test_each_line_behind_the_first_tile_is_asked_for_before_it_is_read(
    blocks: tuple[int, int, int], order: tuple[int, ...], inner: tuple[int, ...], first: int, tmp_path: Path
) -> None:
    text = _product()
    events = _events(text, tmp_path, plan=_plan(text, blocks, order, inner))
    assert _read(events) == set(range(LINES))
    assert len(_unasked(events)) <= first
    assert _hints(events) <= 2 * LINES


def test_what_caches_keep_from_pass_to_pass_is_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _product()
    plan = _plan(text, (5, 32, 64), (0, 1))
    assert _hints(_events(text, tmp_path, plan=plan)) == 0
    monkeypatch.setattr(lower_to_gpu, "_KEPT_SHARE", 0.0)
    events = _events(text, tmp_path, plan=plan)
    assert len(_unasked(events)) <= TILE
    assert LINES <= _hints(events) / 4 <= 1.1 * LINES  # in each of four passes


def test_parts_of_a_long_tile_that_is_read_once_are_asked_for_by_itself(tmp_path: Path) -> None:
    """A tile of 128 KiB: all but the first 16."""
    text = _product(5, depth=1024)
    events = _events(text, tmp_path, plan=_plan(text, (5, 32, 1024), (1, 0)))
    assert len(_unasked(events)) <= 16384 // LINE
    assert _hints(events) == len(_read(events))


def test_a_single_row_is_read_as_fast_as_it_comes(tmp_path: Path) -> None:
    text = _product(1)
    events = _events(text, tmp_path, plan=_plan(text, (1, 32, 64), (1, 0)))
    assert _read(events) == set(range(LINES)) and _hints(events) == 0


@pytest.mark.parametrize(
    ("kind", "family", "target"),
    [
        ("i8", "dot", "spr"),
        ("bf16", "dot", "zen5"),
        ("i8", "amx", "spr"),
        ("bf16", "amx", "spr"),
        ("f32", "fma", "haswell"),
    ],
)
def test_products_by_all_instructions_ask(
    kind: str, family: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lower_to_gpu, "_KEPT_SHARE", 0.0)
    events = _events(_product(64, kind, columns=256, depth=256), tmp_path, target=target, instruction=family)
    assert _hints(events) >= len(_read(events)) / 2
    assert len(_unasked(events)) <= len(_read(events)) / 4


@pytest.mark.parametrize(("image", "channels", "filters", "window", "blocks", "order", "inner", "walked"), CASES)
def test_loops_over_windows_ask(
    image: tuple[int, int],
    channels: int,
    filters: int,
    window: tuple[int, int],
    blocks: tuple[int, ...],
    order: tuple[int, ...],
    inner: tuple[int, ...],
    walked: dict[int, int],
    tmp_path: Path,
) -> None:
    text = convolution(image, channels, filters, window)
    (kernel,) = compiled(text, DEVICE, instructions=("fma",)).kernels
    assert kernel.plan is not None
    events = _events(text, tmp_path, plan=walking(kernel.plan, blocks, order, inner, walked))
    tile = prod(extent for loop, extent in enumerate(blocks) if loop >= 3) * 4 // LINE
    assert len(_unasked(events)) <= tile


def test_passes_of_several_loops_share_a_tile(tmp_path: Path) -> None:
    """Two images of fourteen rows pass by each tile of filters: 28 parts, each line asked for, in the second cache."""
    text, blocks = convolution((14, 7), 6, 64, (3, 3)), (1, 1, 7, 32, 3, 3, 6)
    (kernel,) = compiled(text, DEVICE, instructions=("fma",)).kernels
    assert kernel.plan is not None
    events = _events(text, tmp_path, plan=walking(kernel.plan, blocks, (3, 0, 1), (0, 1), {}))
    tile = prod(blocks[3:]) * 4 // LINE
    assert len(_read(events)) == 2 * tile and len(_unasked(events)) <= tile
    asked = [line for line in (tmp_path / "gpu.mlir").read_text().splitlines() if "memref.prefetch %arg1" in line]
    assert asked and all("locality<2>" in line for line in asked)


def test_more_passes_than_elements_ask_for_nothing(tmp_path: Path) -> None:
    """Eighty passes of 64 trips over 2048 elements: the first pass is too small a part of all."""
    text = _product(400)
    assert _hints(_events(text, tmp_path, plan=_plan(text, (5, 32, 64), (1, 0)))) == 0
