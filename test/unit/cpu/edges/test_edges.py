# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How tiles are read and stored that may end outside of their tensor, and what is asked for before it is loaded."""

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cpu_programs import compiled, differences, product, targets

import roller_mlir
from roller_mlir.lowering.codegen.builder.emitter import Within
from roller_mlir.lowering.codegen.task.padding import known_inside
from roller_mlir.mapping import last_tiles
from roller_mlir.plan import AxisPlan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.values import operations_inside


def _stores(artifact: Artifact) -> Counter[str]:
    """Return how many stores of f32 in LLVM's IR have so many lanes; "masked": how many are under masks."""
    (code,) = [data.decode() for name, data in artifact.files.items() if name.endswith(".ll")]
    found = Counter(lanes or "1" for lanes in re.findall(r"\n +store (?:<(\d+) x )?float", code))
    masked = re.findall(r"call void @llvm.masked.store.v\d+f32", code)
    return found + Counter(masked=len(masked))


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("rows", "columns", "pieces"),
    [
        (8, 48, ""),  # each tile lies inside
        (8, 40, ""),  # the third vector of the last tile lies outside as a whole, and is not stored
        (10, 48, ""),  # likewise a vector of the last two rows
        (8, 44, "4"),  # half of the third vector of the last tile lies outside
        (8, 47, "421"),  # one lane of it
    ],
)
def test_no_store_has_a_mask_where_masks_have_no_registers(rows: int, columns: int, pieces: str) -> None:
    """Such a store takes some cores with AVX2 a dozen cycles; of most tiles none leaves the tensor."""
    text = product(rows, columns, 16)
    stores = _stores(roller_mlir.compile(text, "haswell", tile_sizes=(4, 24, 16)))
    assert stores["8"] >= 12 and {*stores} == {"8", *pieces}
    for target in targets():
        assert differences(text, compiled(text, target, tile_sizes=(4, 24, 16))) == []


@pytest.mark.parametrize(("target", "stores"), [("haswell", {"4": 6, "2": 6, "1": 6}), ("spr", {"masked": 6})])
def test_a_tile_that_always_leaves_its_tensor_is_stored_once(target: str, stores: dict[str, int]) -> None:
    """Seven columns: under a mask where masks have registers, else four, two and one."""
    text = product(6, 7, 16)
    artifact = roller_mlir.compile(text, target, tile_sizes=(6, 8 if target == "haswell" else 16, 16))
    assert _stores(artifact) == stores


def _walked(text: str, inner: tuple[int, ...], columns: int, step: int, folder: Path) -> Artifact:
    """Return a product in tiles of 4 x 24 whose tasks pack both factors, of so many columns of tiles (0: all)."""
    (kernel,) = compiled(text, "haswell").kernels
    assert kernel.plan is not None
    axes = (AxisPlan(block=4), AxisPlan(block=24, chunk=8, walked=columns), AxisPlan(block=step))
    operands = [
        replace(one, layer="workgroup", vector=8, store_vector=8, fragment_vector=8, panel=panel, pad=pad)
        for one, panel, pad in zip(kernel.plan.operands, (0, 24), (8, 0), strict=True)
    ]
    plan = replace(kernel.plan, axes=axes, lane=1, operands=tuple(operands), unit_order=(1, 0), inner_order=inner)
    file = folder / "plan.json"
    file.write_text(json.dumps({kernel.program: to_json(replace(plan, unroll=1, pipeline="", prediction=None))}))
    return compiled(text, "haswell", plan_file=file)


def _loops(artifact: Artifact) -> str:
    return artifact.files["kernels.mlir"].decode()


def test_sums_of_the_next_tile_are_asked_for(tmp_path: Path) -> None:
    """A step of the reduction goes on with sums that lie in the result: each tile asks for those of the next."""
    text = product(24, 96, 256)
    artifact = _walked(text, (1, 0), 0, 128, tmp_path)
    asked = [line for line in _loops(artifact).splitlines() if "memref.prefetch" in line and ", write," in line]
    assert len(asked) == 12
    if "haswell" in targets():
        assert differences(text, artifact) == []


@pytest.mark.parametrize(("rows", "depth", "asked"), [(4, 1024, 4), (4, 1023, 0), (1, 1024, 0), (3, 2048, 3)])
def test_rows_of_more_than_a_page_are_asked_for(rows: int, depth: int, asked: int, tmp_path: Path) -> None:
    """Where several lie apart: a core fetches ahead up to the end of a page."""
    text = product(12, 16, depth)
    (kernel,) = compiled(text, "haswell", split=False).kernels
    assert kernel.plan is not None
    axes = (AxisPlan(block=rows), AxisPlan(block=16, chunk=8), AxisPlan(block=depth))
    operands = tuple(replace(one, layer="register") for one in kernel.plan.operands)
    plan = replace(kernel.plan, axes=axes, lane=1, operands=operands, unit_order=(1, 0), inner_order=(), pipeline="")
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({kernel.program: to_json(replace(plan, unroll=1, prediction=None))}))
    artifact = compiled(text, "haswell", plan_file=file)
    lines = [line for line in _loops(artifact).splitlines() if "memref.prefetch" in line and ", read," in line]
    assert len(lines) == asked
    if "haswell" in targets():
        assert differences(text, artifact) == []


@pytest.mark.parametrize("columns", [144, 136])
def test_long_rows_are_packed_by_panels(columns: int, tmp_path: Path) -> None:
    """Three panels of three vectors each: no place of a vector is divided by the panel's width."""
    text = product(24, columns, 64)
    artifact = _walked(text, (0, 1), 3, 64, tmp_path)
    assert artifact.kernels[0].plan is not None and artifact.kernels[0].plan.axes[1].walked == 3
    assert "arith.divui" not in _loops(artifact) and "arith.remui" not in _loops(artifact)
    if "haswell" in targets():
        assert differences(text, artifact) == []


def _points(artifact: Artifact) -> list[tuple[int, int]]:
    """Return of each choice between ways to compute a tile how many choices stand inside of its two branches."""

    def inside(region: ir.Region) -> int:
        found = [inner for block in region.blocks for op in block for inner in operations_inside(op.operation)]
        return sum(one.name == "scf.if" for one in found)

    with make_context() as context:
        module = parse_module(_loops(artifact), context)
        choices = [one for one in operations_inside(module.operation) if one.name == "scf.if" and len(one.results) > 3]
        return [(inside(one.regions[0]), inside(one.regions[1])) for one in choices]


@pytest.mark.parametrize(
    ("rows", "depth", "ends"),
    [
        (8, 16, False),  # each tile lies inside
        (10, 16, True),  # the last one has two rows
        (9, 32, True),
    ],
)
def test_rows_are_read_without_tests(rows: int, depth: int, ends: bool) -> None:
    text = product(rows, 48, depth)
    artifact = roller_mlir.compile(text, "haswell", tile_sizes=(4, 24, 8))
    choices = _points(artifact)
    assert bool(choices) == ends and set(choices) <= {(0, 0)}
    for target in targets():
        assert differences(text, compiled(text, target, tile_sizes=(4, 24, 8))) == []


def _of_two_tasks(rows: int, folder: Path) -> Artifact:
    """Return a product of up to 16 rows whose tasks, two for each 24 columns, walk two tiles of four rows each."""
    text = product(rows, 48, 16)
    (kernel,) = compiled(text, "haswell", tile_sizes=(4, 24, 16)).kernels
    assert kernel.plan is not None
    axes = (replace(kernel.plan.axes[0], walked=2), *kernel.plan.axes[1:])
    plan = replace(kernel.plan, axes=axes, unit_order=(0, 1), inner_order=(0, 1), prediction=None)
    file = folder / "plan.json"
    file.write_text(json.dumps({kernel.program: to_json(plan)}))
    return compiled(text, "haswell", plan_file=file)


@pytest.mark.parametrize("rows", [12, 11])
def test_rows_of_a_tile_that_no_tensor_has_are_tested(rows: int, tmp_path: Path) -> None:
    """The last tile of the second task lies outside as a whole, so that each row of a tile may."""
    artifact = _of_two_tasks(rows, tmp_path)
    *ends, (whole, tested) = _points(artifact)
    assert whole == 0 and tested % 4 == 0 and tested > 0
    assert len(ends) == (rows == 11)  # the third tile of 11 rows has three, and code of its own
    if "haswell" in targets():
        assert differences(product(rows, 48, 16), artifact) == []


_AT_THE_END = """
import ctypes, mmap, sys
import numpy as np
import roller_mlir

artifact, page = roller_mlir.Artifact.load(sys.argv[1]), mmap.PAGESIZE
memory = mmap.mmap(-1, 2 * page)
begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
assert not ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(begin + page), page, 0)
rows = np.frombuffer(memory, np.float32, 11 * 16, page - 11 * 16 * 4).reshape(11, 16)
rows[:] = 1
assert (artifact.run(rows, np.ones((16, 48), np.float32), on="cpu")[0] == 16).all()
"""
"""A product of 11 rows behind which no memory can be read."""


def _at_the_end_of_memory(artifact: Artifact, file: Path) -> int:
    """Run a product in a process of its own, and return how that ended."""
    artifact.save(file)
    return subprocess.run([sys.executable, "-c", _AT_THE_END, str(file)], timeout=600, check=False).returncode


@pytest.mark.parametrize(
    ("rows", "columns", "tile", "sums"),
    [
        (10, 48, (4, 24), 6),  # two rows of three vectors
        (8, 40, (4, 24), 8),  # four rows of two
        (8, 35, (4, 24), 8),  # the second vector has lanes that lie outside
        (10, 56, (4, 24), 4),  # four rows of one vector: more registers hold nothing than in the last rows
    ],
)
def test_a_last_tile_of_fewer_registers_has_code_of_its_own(
    rows: int, columns: int, tile: tuple[int, int], sums: int
) -> None:
    text, sizes = product(rows, columns, 16), (*tile, 16)
    artifact = roller_mlir.compile(text, "haswell", tile_sizes=sizes)
    with make_context() as context:
        module = parse_module(_loops(artifact), context)
        choice = next(
            one for one in operations_inside(module.operation) if one.name == "scf.if" and len(one.results) == 12
        )
        inside = [
            [one for op in region.blocks[0] for one in operations_inside(op.operation)] for region in choice.regions
        ]
        products = [sum(one.name == "vector.fma" for one in each) for each in inside]
        masked = any(one.name == "vector.maskedload" for one in inside[0])
    assert products[0] * 12 == products[1] * sums
    assert masked == bool(columns % 8)
    for target in targets():
        for values in ("integers", "normal"):
            assert differences(text, compiled(text, target, tile_sizes=sizes), values=values) == []


def test_what_another_compute_holds_is_read_as_it_is_spread() -> None:
    """A last tile of fewer registers would be spread otherwise. The reduction is of one point."""
    same = "affine_map<(i, j, k) -> (i, j, k)>"
    text = f"""func.func @f(%x: tensor<33x1x1xf32>, %y: tensor<33x1xf32>) -> tensor<33x1xf32> {{
      %zero = arith.constant 0.0 : f32
      %ce = tensor.empty() : tensor<33x1x1xf32>
      %c = linalg.generic {{indexing_maps = [{same}, affine_map<(i, j, k) -> (i, j)>, {same}],
          iterator_types = ["parallel", "parallel", "parallel"]}}
          ins(%x, %y : tensor<33x1x1xf32>, tensor<33x1xf32>) outs(%ce : tensor<33x1x1xf32>) {{
      ^bb0(%a: f32, %b: f32, %o: f32):
        linalg.yield %a : f32
      }} -> tensor<33x1x1xf32>
      %e = tensor.empty() : tensor<33x1xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<33x1xf32>) -> tensor<33x1xf32>
      %r = linalg.generic {{indexing_maps = [{same}, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]}}
          ins(%c : tensor<33x1x1xf32>) outs(%z : tensor<33x1xf32>) {{
      ^bb0(%a: f32, %s: f32):
        %t = arith.addf %s, %a : f32
        linalg.yield %t : f32
      }} -> tensor<33x1xf32>
      return %r : tensor<33x1xf32>
    }}"""
    roller_mlir.compile(text, "haswell", max_units=1)
    for target in targets():
        assert differences(text, compiled(text, target, max_units=1)) == []


@pytest.mark.skipif("haswell" not in targets(), reason="needs AVX2")
def test_nothing_is_read_behind_the_last_row(tmp_path: Path) -> None:
    assert _at_the_end_of_memory(_of_two_tasks(11, tmp_path), tmp_path / "a.roller") == 0


@pytest.mark.skipif("haswell" not in targets(), reason="needs AVX2")
def test_a_row_that_is_taken_to_lie_inside_and_does_not_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted mistake: the condition asks for one row less than a tile has."""
    monkeypatch.setattr(last_tiles, "LEAST_SHARE", 1.0)  # no tile has code of its own
    real = known_inside._asked

    def fewer(*asked: Any) -> Iterator[Within]:
        return (replace(one, high=one.high + -1) for one in real(*asked))

    proves = Within.proves
    monkeypatch.setattr(known_inside, "_asked", fewer)
    monkeypatch.setattr(Within, "proves", lambda one, *asked: proves(replace(one, high=one.high + 1), *asked))
    assert _at_the_end_of_memory(_of_two_tasks(11, tmp_path), tmp_path / "a.roller") == -signal.SIGSEGV
