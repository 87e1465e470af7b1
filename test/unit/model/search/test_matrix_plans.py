# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of matrix instructions: lanes, tiles and subgroups cover the block once, and everything is predicted again."""

import importlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any, cast

import pytest
from model_expressions import conv2d, expression, matmul, typed

from roller_mlir.hal import find_device
from roller_mlir.hal.atoms import atom_family
from roller_mlir.hal.atoms.fragments import COLUMN, ROW, lane_order, result_shares
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.mapping.resources import plan_resources, specialised_tasks_per_unit
from roller_mlir.mapping.tensor_copy import store_bytes
from roller_mlir.mapping.thread_map import ThreadMap, register_offset
from roller_mlir.model import ConstructionError, ConstructOptions, construct, predict
from roller_mlir.model.instructions.choice import atom_of
from roller_mlir.model.search.validate_plan import validate_plan
from roller_mlir.plan import AxisPlan, Plan, TensorExpression
from roller_mlir.plan.plan import ASYNCHRONOUS, SYNCHRONOUS, TENSOR, TMA128, XOR
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.plan.rewrite.split import first_expression, first_plan

DEVICES = {"v100": "wmma", "2080ti": "mma", "a100": "mma", "h200": "wgmma", "mi300x": "mfma", "mi210": "mfma"}


def nhwc(n: int, size: int, channels: int, filters: int, taps: int, *, step: int = 1) -> TensorExpression:
    """Return a convolution of images [n, h, w, c] with filters [kh, kw, c, f]."""
    out = (size - taps) // step + 1
    return expression(
        [n, out, out, filters],
        [taps, taps, channels],
        [
            ("x", (n, size, size, channels), (0, {1: step, 4: 1}, {2: step, 5: 1}, 6)),
            ("w", (taps, taps, channels, filters), (4, 5, 6, 3)),
        ],
        ("y", (n, out, out, filters), (0, 1, 2, 3)),
    )


OPERATORS = {
    "square": typed(matmul(1024, 1024, 1024), "f16", "f32"),
    "half": typed(matmul(512, 768, 256), "bf16", "bf16"),
    "odd": typed(matmul(65, 129, 200), "f16", "f16"),
    "skinny": typed(matmul(16, 2048, 2048), "f16", "f32"),
    "tall": typed(matmul(4096, 24, 512), "f16", "f32"),
    "bytes": typed(matmul(512, 512, 512), "i8", "i32"),
    "nchw": typed(conv2d(8, 28, 64, 128, 3), "f16", "f32"),
    "nhwc": typed(nhwc(8, 30, 64, 128, 3), "f16", "f32"),
    "strided": typed(nhwc(4, 31, 64, 64, 3, step=2), "f16", "f16"),
}


def plan_of(expr: TensorExpression, name: str, **options: object) -> Plan:
    made = ConstructOptions(**{"top_k": 1, "split": False, **options})
    return construct(expr, find_device(name), made)[0]


def check_matrix(expr: TensorExpression, plan: Plan, name: str) -> None:
    """Check all that code generation takes from a plan with a matrix instruction."""
    device, atom = find_device(name), plan.atom
    assert atom is not None
    assert plan_problem(expr, plan) == ""
    held = atom_family(plan.instruction).fragments(atom.shape, expr.inputs[0].element_bytes).result
    names, shares = {ROW: atom.row, COLUMN: atom.column}, result_shares(held)
    assert atom.lane_order == tuple(names[one] for one in lane_order(held))
    for dimension, loop in names.items():
        axis, share = plan.axes[loop], shares[dimension]
        assert (axis.lanes, axis.chunk, axis.tile) == (share.lanes, share.chunk, share.tile)
    near = next(loop for dimension, loop in names.items() if shares[dimension].chunk > 1)
    assert plan.lane == near
    threads = ThreadMap(plan.axes, plan.thread_order, plan.lane_order)
    assert plan.threads == threads.threads
    assert plan.threads % device.subgroup_size == 0
    assert plan.axes[atom.depth].block % atom.shape[2] == 0
    staged = [operand.copy for operand in plan.operands]
    steps = 1
    for loop in expr.reductions():
        steps *= -(-expr.bounds[loop] // plan.axes[loop].block)
    most = 2 if SYNCHRONOUS in staged else 6 if TENSOR in staged else 4
    assert 1 <= plan.stages <= min(most, max(1, steps))
    assert (TENSOR in staged) == (plan.instruction == "wgmma")
    for operand in plan.operands:
        assert (operand.swizzle == TMA128) == (operand.copy == TENSOR)
        assert operand.pad == 0 or operand.swizzle is None
    prediction = plan.prediction
    assert prediction is not None
    assert prediction == predict(expr, plan, device)
    assert prediction.shared_bytes == plan_resources(expr, plan, device).workgroup_bytes
    assert prediction.shared_bytes <= device.max_workgroup_bytes_per_block
    assert 1 <= prediction.tasks_per_unit == plan.tasks_per_unit
    assert prediction.registers <= device.max_registers_per_thread
    assert from_json(Plan, to_json(plan)) == plan
    assert validate_plan(expr, replace(plan, prediction=None), device) == plan


@pytest.mark.full(each=["operator"])
@pytest.mark.parametrize("name", list(DEVICES))
@pytest.mark.parametrize("operator", list(OPERATORS))
def test_plans_say_all_that_code_generation_needs(operator: str, name: str) -> None:
    expr, device = OPERATORS[operator], find_device(name)
    plans = construct(expr, device, ConstructOptions(top_k=3, split=False))
    for plan in plans:
        if plan.atom is not None:
            check_matrix(expr, plan, name)
    known = operator != "bytes" or name != "v100"
    known = known and (operator != "half" or name not in ("v100", "2080ti"))
    assert (plans[0].atom is not None) == known, "no bf16 before sm_80, no i8 on sm_70"


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", list(DEVICES))
def test_every_result_is_held_once(name: str) -> None:
    """All threads' registers are the points of the block, each once."""
    expr = OPERATORS["square"]
    for plan in construct(expr, find_device(name), ConstructOptions(top_k=4, split=False)):
        atom = plan.atom
        if atom is None or plan.axes[0].block * plan.axes[1].block > 1 << 14:
            continue
        threads = ThreadMap(plan.axes, plan.thread_order, plan.lane_order)
        rows, columns = (
            [register_offset(plan.axes[loop], r) for r in range(plan.axes[loop].registers)] for loop in (0, 1)
        )
        found = Counter(
            (first[0] + row, first[1] + column)
            for first in (threads.positions(thread) for thread in range(plan.threads))
            for row, column in product(rows, columns)
        )
        assert len(found) == plan.axes[0].block * plan.axes[1].block
        assert set(found.values()) == {1}


def test_whose_neighbours_a_lane_holds() -> None:
    """NVIDIA's lanes hold two columns, AMD's four rows: the output's contiguous loop is the columns or the rows."""
    turned = expression(
        [512, 384], [256], [("A", (512, 256), (0, 2)), ("B", (256, 384), (2, 1))], ("C", (384, 512), (1, 0))
    )
    for name in ("v100", "a100", "mi300x"):
        for expr, near in ((OPERATORS["square"], 1), (typed(turned, "f16", "f32"), 0)):
            plan = plan_of(expr, name)
            assert plan.atom is not None
            loop = plan.atom.row if name == "mi300x" else plan.atom.column
            assert plan.lane == loop == near
            assert plan.axes[near].chunk == (4 if name == "mi300x" else 2)


def test_four_subgroups_of_a_warpgroup_follow_each_other() -> None:
    plan = plan_of(typed(matmul(4096, 4096, 4096), "f16", "f16"), "h200")
    assert plan.atom is not None
    assert plan.atom.shape == (64, 256, 16)
    assert [(axis.block, axis.threads) for axis in plan.axes] == [(128, 64), (256, 4), (64, 1)]
    assert plan.thread_order[0] == plan.atom.row
    assert (plan.stages, plan.persistent, plan.tasks_per_unit) == (4, True, 1)
    threads = ThreadMap(plan.axes, plan.thread_order, plan.lane_order)
    assert [threads.positions(32 * subgroup)[0] for subgroup in range(8)] == [16 * s for s in range(8)]


def test_lines_of_images_on_two_loops() -> None:
    """Where 64 neighbours of one loop leave most of them unused: 16 of a line and 4 lines."""
    expr = typed(nhwc(8, 30, 128, 128, 3), "f16", "f16")
    plan = plan_of(expr, "h200", instructions=("wgmma",))
    check_matrix(expr, plan, "h200")
    assert plan.instruction == "wgmma" and plan.atom is not None
    beside = plan.thread_order[0]
    assert beside != plan.atom.row and plan.thread_order[1] == plan.atom.row
    assert (plan.axes[plan.atom.row].block, plan.axes[beside].threads % 4) == (16, 0)
    assert atom_of(expr, find_device("h200"), plan) is not None
    many = plan_of(typed(nhwc(128, 9, 512, 512, 3), "f16", "f16"), "h200")
    assert many.atom is not None and many.thread_order[0] == many.atom.row == 0, "128 images fill 64 rows"


def test_where_tensor_copies_cannot_be_registers_take_the_factors() -> None:
    for expr in (typed(matmul(512, 500, 512), "f16", "f32"), typed(matmul(512, 512, 512), "i8", "i32")):
        assert plan_of(expr, "h200").instruction == "mma"
    assert plan_of(typed(matmul(1024, 1024, 512), "f16", "f32"), "h200").instruction == "wgmma"


def test_f32_is_rounded_to_tf32_only_where_that_is_allowed() -> None:
    exact = matmul(2048, 2048, 2048)
    for name in ("a100", "h200"):
        assert plan_of(exact, name).instruction == "fma"
        rounded = plan_of(exact, name, allow_tf32=True)
        check_matrix(exact, rounded, name)
        assert rounded.atom is not None and rounded.atom.shape[2] == 8
    assert plan_of(exact, "mi300x").instruction == "mfma", "which multiplies f32 as it is"
    assert plan_of(exact, "v100", allow_tf32=True).instruction == "fma"
    assert plan_of(typed(exact, "f64", "f64"), "a100", allow_tf32=True).instruction == "fma"


def test_widened_otherwise_than_with_the_sign() -> None:
    plain = OPERATORS["bytes"]
    assert plan_of(plain, "a100").instruction == "mma"
    assert plan_of(replace(plain, widens_only=False), "a100").atom is None


def test_sums_are_f32_words() -> None:
    """128x256x64 by eight subgroups of 64x64: 128 accumulators, twice 32 fragments and addresses are 216 registers."""
    for result in ("f16", "f32"):
        plan = plan_of(typed(matmul(4096, 4096, 4096), "f16", result), "a100", tile_sizes=(128, 256, 64))
        assert plan.prediction is not None
        assert [(axis.block, axis.registers) for axis in plan.axes[:2]] == [(128, 8), (256, 16)]
        assert plan.prediction.registers == 216
        assert (plan.stages, plan.tasks_per_unit) == (3, 1), "three buffers of 48 KiB"
        assert plan.prediction.shared_bytes == 3 * 48 * 1024
        assert {operand.copy for operand in plan.operands} == {ASYNCHRONOUS}
        assert {operand.swizzle for operand in plan.operands} == {XOR}


def test_registers_of_a_warpgroup_that_copies_are_lent() -> None:
    """Two warpgroups of 128 accumulators: 168 registers at first, 232 later; with 216 accumulators they do not fit."""
    device = find_device("h200")
    assert specialised_tasks_per_unit(device, 256, 256, 128, 196_672) == 1
    assert specialised_tasks_per_unit(device, 256, 256, 216, 196_672) == 0
    assert specialised_tasks_per_unit(device, 128, 64, 32, 40_000) == 4, "five would start with 48 registers"
    assert store_bytes(256, 256) == 32_768


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_forced_stages(stages: int) -> None:
    expr = typed(matmul(1024, 1024, 1024), "f16", "f32")
    for name in ("a100", "h200"):
        plan = plan_of(expr, name, stages=stages)
        assert plan.stages == stages
        check_matrix(expr, plan, name)
    if stages > 2:
        with pytest.raises(ConstructionError, match="need, or, for more than 2, copies that do not pass through"):
            plan_of(matmul(512, 512, 512), "v100", stages=stages)


def test_a_plan_names_its_pipeline() -> None:
    """What an older plan does not say is derived, and what its tiles cannot do is refused."""
    half, single = typed(matmul(1024, 1024, 512), "f16", "f32"), matmul(512, 512, 512)
    for expr, name, pipeline in (
        (single, "v100", "register-prefetch"),
        (half, "v100", "deep-asynchronous"),
        (half, "a100", "deep-asynchronous"),
        (half, "h200", "warp-specialised"),
    ):
        plan = plan_of(expr, name)
        assert plan.pipeline == pipeline
        data = cast(dict[str, Any], to_json(plan))
        assert from_json(Plan, {key: value for key, value in data.items() if key != "pipeline"}) == plan
        found = plan_problem(expr, replace(plan, pipeline="direct"))
        assert (
            f"has a plan with pipeline 'direct' for {plan.stages} stages of" in found and f"take '{pipeline}'" in found
        )
        ahead = plan_problem(expr, replace(plan, pipeline="deep-asynchronous"))
        assert (ahead == "") == (pipeline != "warp-specialised")


def test_one_stage_is_for_one_step() -> None:
    """Steps of a matrix instruction are copied ahead; whoever wants one buffer gets multiply-adds of threads."""
    expr = typed(matmul(256, 256, 256), "f16", "f32")
    for name in ("v100", "a100", "h200", "mi300x"):
        assert plan_of(expr, name, stages=1).atom is None
        plan = plan_of(expr, name)
        assert "which need at least 2 stages" in plan_problem(expr, replace(plan, stages=1))
    once = typed(matmul(256, 256, 16), "f16", "f32")
    plan = plan_of(once, "a100", stages=1)
    assert plan.atom is not None and plan.stages == 1
    with pytest.raises(ConstructionError, match="steps of a matrix instruction, which need at least 2 stages"):
        plan_of(expr, "a100", stages=1, tile_sizes=(64, 64, 32), instructions=("mma",))


def test_what_reads_otherwise_than_0_around_a_factor_passes_registers() -> None:
    """No copy that passes none fills with anything else, and tensor copies leave out nothing that lies beyond."""
    expr = replace(typed(matmul(512, 512, 512), "f16", "f32"), pad_values=(1.0, 0.0))
    for name, families in (("a100", ("mma",)), ("h200", ("mma", "wgmma"))):
        plan = plan_of(expr, name, instructions=families)
        assert plan.instruction == "mma" and plan.stages <= 2
        assert [operand.copy for operand in plan.operands] == [SYNCHRONOUS, ASYNCHRONOUS]
    slice_ = typed(matmul(512, 512, 72), "f16", "f32")
    longer = replace(slice_.inputs[0], shape=(512, 128))
    assert plan_of(slice_, "h200", instructions=("wgmma",)).instruction == "wgmma"
    assert plan_of(replace(slice_, inputs=(longer, slice_.inputs[1])), "h200").instruction == "mma"


def test_results_of_16_bits_leave_by_tensor_copies() -> None:
    for result, store in (("f16", TENSOR), ("f32", SYNCHRONOUS)):
        expr = typed(matmul(4096, 4096, 4096), "f16", result)
        plan = plan_of(expr, "h200")
        assert plan.store == store
        check_matrix(expr, plan, "h200")
    assert plan.prediction is not None
    narrow = typed(matmul(512, 516, 512), "f16", "f16")
    assert plan_of(narrow, "h200").store == SYNCHRONOUS, "rows of 1032 bytes"


def test_forced_tiles() -> None:
    expr, a100 = typed(matmul(1024, 1024, 1024), "f16", "f32"), find_device("a100")
    plan = plan_of(expr, "a100", tile_sizes=(64, 96, 32), instructions=("mma",))
    check_matrix(expr, plan, "a100")
    assert [axis.block for axis in plan.axes] == [64, 96, 32]
    own = plan_of(expr, "a100", thread_tile=(4, 8, 32), instructions=("mma",))
    assert [axis.registers for axis in own.axes] == [4, 8, 32]
    cases = {
        (64, 64, 24): "24 points on loop 2, 'mma.sync.m16n8k16' needs multiples of 16",
        (72, 64, 32): "cannot be spread over threads",
    }
    for sizes, message in cases.items():
        with pytest.raises(ConstructionError, match=message):
            construct(expr, a100, ConstructOptions(tile_sizes=sizes, instructions=("mma",)))
    with pytest.raises(ConstructionError, match="of 1 points on loop 0, .* multiples of 8 threads and of 2 points"):
        construct(
            expr,
            a100,
            ConstructOptions(tile_sizes=(16, 64, 32), thread_tile=(1, 2, 32), instructions=("mma",)),
        )
    batch = typed(
        expression(
            [4, 256, 256],
            [256],
            [("A", (4, 256, 256), (0, 1, 3)), ("B", (4, 256, 256), (0, 3, 2))],
            ("C", (4, 256, 256), (0, 1, 2)),
        ),
        "f16",
        "f32",
    )
    with pytest.raises(ConstructionError, match="takes tiles of one point on every loop but its own"):
        construct(batch, find_device("h200"), ConstructOptions(tile_sizes=(2, 64, 64, 64), instructions=("wgmma",)))
    with pytest.raises(ConstructionError, match="256 points that one tensor copy reaches"):
        construct(
            typed(matmul(1024, 1024, 1024), "f16", "f32"),
            find_device("h200"),
            ConstructOptions(tile_sizes=(512, 64, 64), instructions=("wgmma",)),
        )


def wrong(plan: Plan, **changes: object) -> Plan:
    return replace(plan, prediction=None, **changes)


def axis_changed(plan: Plan, loop: int, **changes: int) -> tuple[AxisPlan, ...]:
    return tuple(replace(axis, **changes) if i == loop else axis for i, axis in enumerate(plan.axes))


def test_wrong_plans_are_refused() -> None:
    expr = typed(matmul(1024, 1024, 1024), "f16", "f32")
    mma, wgmma = plan_of(expr, "a100"), plan_of(expr, "h200")
    atom = mma.atom
    assert atom is not None and wgmma.atom is not None
    slow = tuple(replace(operand, copy=SYNCHRONOUS) for operand in mma.operands)
    direct = (replace(mma.operands[0], layer="register"), mma.operands[1])
    lanes = dict.fromkeys(("lanes", "tile"), 0)
    plain = tuple(replace(axis, **lanes) for axis in mma.axes)
    cases = (
        (wrong(mma, atom=None, axes=plain), "has an 'atom'"),
        (wrong(mma, instruction="fma"), "has no 'atom'"),
        (wrong(mma, atom=None, instruction="fma"), "has lanes, which only an 'atom'"),
        (wrong(mma, atom=replace(atom, row=2)), "row loop 2 must be one of"),
        (wrong(mma, atom=replace(atom, depth=0)), "depth loop 0 must be one of"),
        (wrong(mma, atom=replace(atom, lane_order=(0, 1))), r"lane_order \[0, 1\] must be \[1, 0\]"),
        (wrong(mma, atom=replace(atom, shape=(32, 8, 16))), "'mma' of shape .* is none of its family"),
        (wrong(mma, atom=replace(atom, shape=(8, 8, 16))), "'mma' of shape .* has 8, 1 and"),
        (wrong(mma, axes=axis_changed(mma, 2, block=24)), "must hold whole instructions"),
        (wrong(mma, operands=direct), "operand 0 is not staged"),
        (wrong(mma, operands=slow, stages=3), "copied through registers; such copies have 1 or 2 stages"),
        (wrong(wgmma, thread_order=tuple(reversed(wgmma.thread_order))), "must have the 4 subgroups of 'wgmma'"),
        (
            wrong(mma, operands=wgmma.operands),
            "read workgroup memory, and no others, take tensor copies",
        ),
    )
    for plan, message in cases:
        problem = plan_problem(expr, plan)
        assert re.search(message, problem), (message, problem)
    changed = replace(expr, prologue_flops=(1, 0))
    assert "passes registers" in plan_problem(changed, mma)


def test_an_instruction_that_the_device_has_not() -> None:
    expr = typed(matmul(512, 512, 512), "f16", "f32")
    plan = plan_of(expr, "a100")
    with pytest.raises(ValueError, match="'v100' has no instruction of family 'mma' and shape 16x8x16"):
        predict(expr, plan, find_device("v100"))


def test_divided_reductions_keep_their_instruction() -> None:
    expr, device = typed(matmul(128, 256, 16384), "f16", "f32"), find_device("a100")
    plan = construct(expr, device, ConstructOptions(top_k=1))[0]
    assert plan.split is not None and plan.atom is not None
    parts = first_plan(plan)
    assert parts.atom is not None
    assert (parts.atom.row, parts.atom.column, parts.atom.depth) == (1, 2, 3)
    first = first_expression(expr, plan.split.loop, plan.split.parts, plan.split.extent)
    assert plan_problem(first, parts) == ""
    assert plan.prediction == predict(expr, plan, device)


def strided_batch() -> TensorExpression:
    """Return products [b, m, k] x [b, n, k] whose results have the batch innermost."""
    return expression(
        [4, 49, 256],
        [7056],
        [("a", (4, 49, 7056), (0, 1, 3)), ("b", (4, 256, 7056), (0, 2, 3))],
        ("c", (49, 256, 4), (1, 2, 0)),
    )


def many_loops() -> TensorExpression:
    """Return a contraction over eight loops, of which two belong to both factors."""
    return expression(
        [64, 8, 100, 2, 65, 2, 4],
        [147],
        [("a", (8, 2, 65, 2, 147, 64), (1, 3, 4, 5, 7, 0)), ("b", (2, 8, 4, 147, 100), (5, 1, 6, 7, 2))],
        ("c", (2, 100, 2, 64, 8, 4, 65), (3, 2, 5, 0, 1, 6, 4)),
    )


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["h200", "mi300x", "v100", "a100"])
@pytest.mark.parametrize("make", [strided_batch, many_loops])
def test_every_plan_is_one_that_kernels_are_made_of(make: Callable[[], TensorExpression], device: str) -> None:
    wanted = typed(make(), "f16", "f16")
    plans = construct(wanted, find_device(device), ConstructOptions(top_k=4, split=False))
    assert [plan_problem(wanted, plan) for plan in plans] == [""] * len(plans)


def test_tensor_copies_bring_one_point_of_other_loops() -> None:
    """Results with the batch innermost are stored in short transactions: a `wgmma` has one point of a batch."""
    wanted = typed(strided_batch(), "f16", "f16")
    (plan,) = construct(wanted, find_device("h200"), ConstructOptions(top_k=1, instructions=("wgmma",)))
    assert plan.axes[0].block == 1


def test_a_plan_that_no_kernel_is_made_of_gives_way_to_another_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the check finds fault with every plan of the fastest instruction, the next one is taken."""
    module = importlib.import_module("roller_mlir.model.search.construct")
    monkeypatch.setattr(module, "plan_problem", lambda _, plan: "no" if plan.instruction == "wmma" else "")
    (plan,) = construct(OPERATORS["square"], find_device("v100"), ConstructOptions(top_k=1))
    assert plan.instruction != "wmma"
