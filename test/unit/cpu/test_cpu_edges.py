# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How tiles are stored that may end outside of their tensor, and what is asked for before it is loaded."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from cpu_programs import compiled, differences, product, targets

import roller_mlir
from roller_mlir.plan import AxisPlan
from roller_mlir.plan.codec import to_json
from roller_mlir.runtime import Artifact


def _stores(artifact: Artifact) -> tuple[int, int]:
    """Return the stores of vectors of eight in LLVM's IR: plain ones, and those under masks."""
    (code,) = [data.decode() for name, data in artifact.files.items() if name.endswith(".ll")]
    return len(re.findall(r"\n +store <8 x float>", code)), len(re.findall(r"call void @llvm.masked.store.v8f32", code))


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("rows", "columns", "masked"),
    [
        (8, 48, False),  # each tile lies inside
        (8, 40, True),  # the third vector of each row may lie outside
        (10, 48, True),  # the last two rows may
        (8, 44, True),  # a part of the second vector of the last tile lies outside, its third as a whole
    ],
)
def test_a_whole_tile_is_stored_without_masks(rows: int, columns: int, masked: bool) -> None:
    """A store under a mask takes some cores with AVX2 a dozen cycles; of most tiles none leaves the tensor."""
    text = product(rows, columns, 16)
    plain, under = _stores(roller_mlir.compile(text, "haswell", tile_sizes=(4, 24, 16)))
    assert plain >= 12 and (under > 0) == masked
    for target in targets():
        assert differences(text, compiled(text, target, tile_sizes=(4, 24, 16))) == []


def test_a_tile_that_always_leaves_its_tensor_is_stored_once() -> None:
    text = product(6, 7, 16)
    artifact = roller_mlir.compile(text, "haswell", tile_sizes=(6, 8, 16))
    assert _stores(artifact) == (0, 6)


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


@pytest.mark.parametrize("columns", [144, 136])
def test_long_rows_are_packed_by_panels(columns: int, tmp_path: Path) -> None:
    """Three panels of three vectors each: no place of a vector is divided by the panel's width."""
    text = product(24, columns, 64)
    artifact = _walked(text, (0, 1), 3, 64, tmp_path)
    assert artifact.kernels[0].plan is not None and artifact.kernels[0].plan.axes[1].walked == 3
    assert "arith.divui" not in _loops(artifact) and "arith.remui" not in _loops(artifact)
    if "haswell" in targets():
        assert differences(text, artifact) == []
