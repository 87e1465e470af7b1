# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tile of carver as a plan of ours, and what the model says of it and of our own first choice."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.suites import Operator, find_suite
from roller_mlir.evaluation.suites.programs.expression import read_operator
from roller_mlir.hal import Device, find_device
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.model.cost.performance import context_of, l2_resident
from roller_mlir.model.cost.roofline import moved_bytes
from roller_mlir.model.instructions.atom import Atom
from roller_mlir.model.instructions.choice import atoms
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.rewrite.split import first_expression, first_plan, join_expression
from roller_mlir.support.bindings import make_context

HERE = Path(__file__).parent
HINTS = HERE / "hints.json"

NHWC = "conv2d_nhwc"
ORDERS = {"depthwise_conv2d": (0, 2, 3, 1)}
"""Axes of carver's parallel tile in the order of our loops, where that is another one (linalg's: n, h, w, c)."""

WARP = 32


class HintError(ValueError):
    """The file of hints says something else than the suite does."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """What the model says of a tile.

    Attributes:
        whose: "carver 1" for its first choice, or "ours".
        tile: As text: block / step, points of a thread, threads, stages.
        instruction: Family that the plan uses.
        global_bytes: Bytes between global memory and the last cache.
        cache_bytes: Bytes between the last cache and the units.
        workgroup_bytes: Bytes that threads read and write in workgroup memory.
        registers: Per thread.
        task_bytes: Workgroup memory of one task.
        occupancy: Resident threads as a share of the unit's limit.
        waves: Tasks over those that the device holds at a time.
        predicted_s: The model's expectation; no measurement.
        saturated: The layer that limits.
        refused: Why the tile cannot be a plan of ours; the figures are then 0.
    """

    whose: str
    tile: str
    instruction: str = ""
    global_bytes: float = 0.0
    cache_bytes: float = 0.0
    workgroup_bytes: float = 0.0
    registers: int = 0
    task_bytes: int = 0
    occupancy: float = 0.0
    waves: float = 0.0
    predicted_s: float = 0.0
    saturated: str = ""
    refused: str = ""


def read_hints(path: Path = HINTS) -> dict[str, Any]:
    """Return the hints, after a check of their operators against the suite."""
    found: dict[str, Any] = json.loads(path.read_text())
    suite = {one.id: one for one in find_suite("roller119")}
    for name, given in found["operators"].items():
        known = suite.get(name)
        if known is None:
            continue
        differing = [key for key, size in given["sizes"].items() if known.sizes.get(key) != size]
        if differing or known.kind != given["kind"]:
            raise HintError(f"{path.name}: {name} differs from that of the suite in {', '.join(differing) or 'class'}")
    return found


def read_expressions(operators: dict[str, Any]) -> dict[str, TensorExpression]:
    """Return the tensor expressions of the operators of `hints.json`."""
    suite = {one.id: one for one in find_suite("roller119")}
    result: dict[str, TensorExpression] = {}
    with make_context() as context:
        for name, given in operators.items():
            if given["kind"] == NHWC:
                operator = Operator(name, "file", given["dtype"], file=str(HERE / "c0_nhwc.mlir"))
            else:
                operator = suite.get(name) or Operator(name, given["kind"], given["dtype"], given["sizes"])
            result[name] = read_operator(operator, context)
    return result


def hint_text(hint: dict[str, Any]) -> str:
    """Return a hint as the table shows it, in carver's own order of axes."""
    block, step = by(hint["block"]), by(hint["step"])
    if "warp" in hint:
        count = prod(b // w for b, w in zip(hint["block"], hint["warp"], strict=True))
        return f"{block}/{step}, warp {by(hint['warp'])}, {WARP * count} threads, {stages(hint['stages'])}"
    threads = prod(hint["threads"]) * prod(hint.get("step_threads", ()))
    own = by([b // t for b, t in zip(hint["block"], hint["threads"], strict=True)])
    return f"{block}/{step}, thread {own}, {threads} threads, {stages(hint['stages'])}"


def hint_row(hint: dict[str, Any], whose: str, kind: str, expression: TensorExpression, device: Device) -> Row:
    """Return what the model says of a hint: its blocks, thread tile, steps and stages, with layouts of ours."""
    text, refused = hint_text(hint), ""
    matrices = [one for one in atoms(expression, device) if one.is_matrix]
    for atom in matrices if "warp" in hint else [None]:
        try:
            plan = construct(expression, device, forced(hint, kind, expression, device, atom))[0]
        except ConstructionError as error:
            refused = refused or str(error)
            continue
        return row(whose, text, expression, plan, device)
    return Row(whose=whose, tile=text, refused=refused or f"'{device.name}' has no matrix instruction for the operator")


def forced(
    hint: dict[str, Any], kind: str, expression: TensorExpression, device: Device, atom: Atom | None
) -> ConstructOptions:
    """Return the options that force a hint's decisions, with a matrix instruction where its warps share one.

    Raises:
        ConstructionError: They cannot be spelled as points per thread.
    """
    blocks, steps = hint["block"], hint["step"]
    families: tuple[str, ...] = ("fma", "packed_fma")
    if atom is not None:
        own, families = warp_points(hint, atom, device), (atom.instruction.family,)
    else:
        own = points(blocks, hint["threads"], "threads")
    own_steps = points(steps, hint.get("step_threads", [1] * len(steps)), "threads along the reduction")
    order = ORDERS.get(kind, range(len(blocks)))
    parallel, reductions = expression.parallel(), expression.reductions()
    sizes, threads = [0] * len(expression.loops), [0] * len(expression.loops)
    for loop, axis in zip(parallel, order, strict=True):
        sizes[loop], threads[loop] = blocks[axis], own[axis]
    for loop, block, points_ in zip(reductions, steps, own_steps, strict=True):
        sizes[loop], threads[loop] = block, points_
    return ConstructOptions(
        top_k=1,
        tile_sizes=tuple(sizes),
        thread_tile=tuple(threads),
        stages=hint["stages"],
        split=False,
        instructions=families,
    )


def points(blocks: Sequence[int], threads: Sequence[int], what: str) -> list[int]:
    """Return the points of one thread along each axis."""
    for block, count in zip(blocks, threads, strict=True):
        if block % count:
            raise ConstructionError(f"{count} {what} do not divide the {block} points of its tile")
    return [block // count for block, count in zip(blocks, threads, strict=True)]


def warp_points(hint: dict[str, Any], atom: Atom, device: Device) -> list[int]:
    """Return the points of one thread for a hint whose warps share matrix instructions.

    The block and the number of warps are the hint's. A warp's own part is as the device's instruction lays it: where
    four warps share one instruction of 64 rows (wgmma), each has 16 rows of it, and more columns for that.
    """
    points(hint["block"], hint["warp"], "points of a warp")
    own = [hint["warp"][0] // atom.lanes[0], hint["warp"][1] // atom.lanes[1]]
    if atom.reads_memory:
        groups = prod(hint["block"]) // prod(hint["warp"]) * WARP // atom.instruction.threads
        rows = hint["block"][0] // atom.lanes[0]
        if not groups or rows % atom.per_thread[0]:
            raise ConstructionError(
                f"'{device.name}' multiplies matrices in groups of {atom.instruction.threads} threads and "
                f"{atom.lanes[0] * atom.per_thread[0]} rows, the hint has {prod(hint['block']) // prod(hint['warp'])} "
                f"warps and {hint['block'][0]} rows"
            )
        down = min(groups, rows // atom.per_thread[0])
        own = [rows // down, hint["block"][1] // atom.lanes[1] // (groups // down)]
    return own


def own_row(expression: TensorExpression, device: Device) -> Row:
    """Return what the model says of our own first choice."""
    plan = construct(expression, device, ConstructOptions(top_k=10))[0]
    parallel, reductions = expression.parallel(), expression.reductions()
    block, step = by([plan.axes[i].block for i in parallel]), by([plan.axes[i].block for i in reductions])
    own = by([plan.axes[i].registers for i in parallel])
    text = f"{block}/{step}, thread {own}, {plan.threads} threads, {stages(plan.stages)}"
    if plan.split is not None:
        text += f", reduction in {plan.split.parts} parts"
    return row("ours", text, expression, plan, device)


def row(whose: str, text: str, expression: TensorExpression, plan: Plan, device: Device) -> Row:
    """Return the row of a plan."""
    prediction = plan.prediction
    assert prediction is not None, "construction predicts"
    global_bytes, cache_bytes = traffic(expression, plan, device)
    return Row(
        whose=whose,
        tile=text,
        instruction=plan.instruction,
        global_bytes=global_bytes,
        cache_bytes=cache_bytes,
        workgroup_bytes=float(prediction.shared_load_bytes + prediction.shared_store_bytes),
        registers=prediction.registers,
        task_bytes=prediction.shared_bytes,
        occupancy=prediction.occupancy,
        waves=prediction.waves,
        predicted_s=prediction.seconds,
        saturated=prediction.saturated,
    )


def traffic(expression: TensorExpression, plan: Plan, device: Device) -> tuple[float, float]:
    """Return the bytes that reach global memory and the last cache, of both stages where a reduction is divided."""
    machine = machine_of(device)
    prediction = plan.prediction
    assert prediction is not None, "construction predicts"
    if plan.split is None:
        return moved_bytes(context_of(expression, machine, plan), plan, prediction)
    split = plan.split
    first = first_expression(expression, split.loop, split.parts, split.extent)
    moved = moved_bytes(context_of(first, machine, first_plan(plan)), first_plan(plan), prediction)
    join = join_expression(expression, split.parts, joined=split.joined)
    assert split.join.prediction is not None, "construction predicts"
    more = moved_bytes(ProblemContext(join, l2_resident(machine, join)), split.join, split.join.prediction)
    return moved[0] + more[0], moved[1] + more[1]


def compare(found: dict[str, Any], top: int, only: Sequence[str] = ()) -> dict[str, dict[str, list[Row]]]:
    """Return the rows per device and operator: the first hints, the one of all with the least prediction, and ours."""
    chosen = {name: one for name, one in found["operators"].items() if not only or name in only}
    expressions = read_expressions(chosen)
    result: dict[str, dict[str, list[Row]]] = {}
    for arch, facts in found["devices"].items():
        device = find_device(facts["compared_on"])
        for name, given in chosen.items():
            expression = expressions[name]
            rows = [
                hint_row(hint, f"carver {number}", given["kind"], expression, device)
                for number, hint in enumerate(given["hints"][arch], 1)
            ]
            shown = rows[:top]
            usable = [one for one in rows if not one.refused]
            if usable and (least := min(usable, key=lambda one: one.predicted_s)) not in shown:
                shown.append(least)
            result.setdefault(device.name, {})[name] = [*shown, own_row(expression, device)]
    return result


def by(sizes: Sequence[int]) -> str:
    return "x".join(map(str, sizes)) if sizes else "-"


def stages(count: int) -> str:
    return f"{count} stage{'s' if count > 1 else ''}"
