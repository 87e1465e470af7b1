# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tasks along curves and other rasters, also such as walk several tiles and pack what these share: run natively."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cpu_programs import compiled, differences, product, targets

from roller_mlir.plan import Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.plan.tasks.raster import Level
from roller_mlir.support.diagnostics import DiagnosedError

pytestmark = pytest.mark.skipif("haswell" not in targets(), reason="this machine does not run code for haswell")

LANES = 8
# Of 11 x 13 tiles of 6 x 16 points, of which the last end outside.
RASTERS: dict[str, tuple[tuple[Level, ...], dict[int, int]]] = {
    # a task is a tile
    "a curve of two levels": (((1, 13, 1), (0, 11, 1)), {}),
    # six tasks of two rows of tiles, the last of one: 0 3 / 1 4 / 2 5, with columns between
    "rows that tasks walk": (((0, 3, 1), (1, 13, 1), (0, 2, 3)), {0: 2}),
    "columns that tasks walk": (((1, 2, 1), (0, 11, 1), (1, 2, 2)), {1: 4}),
    "both": (((0, 2, 1), (1, 2, 2), (0, 2, 2), (1, 2, 1)), {0: 3, 1: 4}),
}


def _plan(text: str) -> Plan:
    (kernel,) = compiled(text, "haswell", tile_sizes=(6, 16, 24)).kernels
    assert kernel.plan is not None
    return kernel.plan


@pytest.mark.full(every=2)
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("levels", "walked"), RASTERS.values(), ids=RASTERS)
def test_each_task_is_done_once(
    levels: tuple[Level, ...], walked: dict[int, int], packed: bool, tmp_path: Path
) -> None:
    text = product(61, 200, 24)
    plan = _plan(text)
    operands = list(plan.operands)
    if packed and walked:
        operands[1] = replace(operands[1], layer="workgroup", vector=LANES, store_vector=LANES, fragment_vector=LANES)
    plan = replace(
        plan,
        axes=tuple(replace(axis, walked=walked.get(loop, 0)) for loop, axis in enumerate(plan.axes)),
        operands=tuple(operands),
        unit_order=(0, 1),
        inner_order=tuple(walked),
        raster=levels,
        pipeline="",
        prediction=None,
    )
    artifact = _adopted(text, plan, tmp_path)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.raster == levels and kernel.plan.inner_order == tuple(walked)
    for threads in (1, 2, 5):
        assert not differences(text, artifact, threads=threads)


def test_tasks_of_several_tiles_are_counted_as_one(tmp_path: Path) -> None:
    """A raster of tiles in the place of tasks is refused."""
    text = product(61, 200, 24)
    plan = _plan(text)
    axes = (replace(plan.axes[0], walked=2), *plan.axes[1:])
    wrong = replace(plan, axes=axes, unit_order=(0, 1), inner_order=(0,), raster=((0, 11, 1), (1, 13, 1)))
    with pytest.raises(DiagnosedError, match="reaches 11 of the 6 tasks of loop 0"):
        _adopted(text, replace(wrong, prediction=None), tmp_path)


def _adopted(text: str, plan: Plan, folder: Path) -> object:
    file = folder / "plan.json"
    name = compiled(text, "haswell", tile_sizes=(6, 16, 24)).kernels[0].program
    file.write_text(json.dumps({name: to_json(plan)}))
    return compiled(text, "haswell", plan_file=file)
