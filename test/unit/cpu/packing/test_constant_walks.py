# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants that were packed when the program was compiled, under tasks that walk: steps, images, odd sizes."""

import json
from pathlib import Path

import pytest
from constant_walks import CASES, convolution, walking
from cpu_programs import compiled, differences

from roller_mlir.plan import Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.support.diagnostics import DiagnosedError


def _adopted(text: str, plan: Plan, folder: Path) -> Artifact:
    file = folder / "plan.json"
    file.write_text(json.dumps({compiled(text).kernels[0].program: to_json(plan)}))
    return compiled(text, plan_file=file)


def _plan(text: str) -> Plan:
    (kernel,) = compiled(text).kernels
    assert kernel.plan is not None
    return kernel.plan


@pytest.mark.full(every=4)
@pytest.mark.parametrize(("image", "channels", "filters", "window", "blocks", "order", "inner", "walked"), CASES)
def test_tasks_that_walk_tiles_of_a_constant_equal_numpy(
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
    artifact = _adopted(text, walking(_plan(text), blocks, order, inner, walked), tmp_path)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and [one.layer for one in kernel.plan.operands] == ["workgroup", "constant"]
    for threads in (1, 2):
        assert differences(text, artifact, threads=threads) == []
        assert differences(text, artifact, values="normal", threads=threads) == []


@pytest.mark.parametrize(
    ("blocks", "inner", "walked", "message"),
    [
        ((1, 1, 7, 16, 3, 3, 6), (3, 1), {3: 2}, "of 3 tiles along loop 3, of which a task walks 2: no whole number"),
        ((1, 1, 7, 48, 3, 3, 4), (1,), {}, "steps of 4 do not divide the 6 of loop 6"),
    ],
)
def test_a_walk_that_no_packed_tiles_fit_is_refused(
    blocks: tuple[int, ...], inner: tuple[int, ...], walked: dict[int, int], message: str, tmp_path: Path
) -> None:
    text = convolution((7, 7), 6, 48, (3, 3))
    plan = walking(_plan(text), blocks, (0, 3, 1) if 3 in inner else (0, 1), inner, walked)
    with pytest.raises(DiagnosedError, match=message):
        _adopted(text, plan, tmp_path)
