# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a residual sees of a candidate: the model's terms as shares, ratios and logarithms, and the tile.

Shares and ratios hold for large and small problems alike; the extents of a problem are not among them.
"""

from collections.abc import Mapping
from dataclasses import Field, fields
from math import ceil, log2
from typing import Any, ClassVar, Protocol

from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.machine import Machine
from roller_mlir.plan import Plan

_LEAST_S = 1e-9


class MeasuredTile(Protocol):
    """A tile of others: a dataclass of numbers, of which some are extents of its problem."""

    extents: ClassVar[tuple[str, ...]]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def plan_kind(plan: Plan) -> str:
    """Return the class of a plan: plans of a class have the same terms.

    Returns:
        Its loops (p for parallel, r for reduction), operands, instruction, and whether the reduction is divided, such
        as "plan ppr, 2 operands, wgmma".
    """
    loops = "".join("r" if loop in plan.reduction_order else "p" for loop in range(len(plan.axes)))
    divided = "" if plan.split is None else ", divided"
    return f"plan {loops}, {len(plan.operands)} operands, {plan.instruction}{divided}"


def plan_terms(plan: Plan) -> dict[str, float]:
    """Return the terms of a plan of ours, which has its prediction."""
    one = plan.prediction
    assert one is not None, "it has its prediction"
    terms = layer_terms(one.seconds_by_layer, one.seconds)
    terms |= _round_terms(one.tasks, one.tasks_per_unit, one.waves)
    terms |= {"threads": one.threads, "occupancy": one.occupancy, "registers": one.registers}
    terms |= {"workgroup bytes": one.shared_bytes, "stages": plan.stages, "unroll": plan.unroll}
    for number, axis in enumerate(plan.axes):
        terms |= {f"block {number}": axis.block, f"thread {number}": axis.registers, f"chunk {number}": axis.chunk}
    return {name: float(value) for name, value in terms.items()}


def work_terms(work: CandidateWork, layers: Mapping[str, float], seconds: float, machine: Machine) -> dict[str, float]:
    """Return the terms of a tile of others.

    Args:
        work: What the tile does.
        layers: From `seconds_by_layer`.
        seconds: Predicted of the whole.
        machine: Where.
    """
    units, resident = machine.units, work.resident
    busiest = ceil(work.tasks / units)
    subgroups = max(1.0, work.threads / machine.device.subgroup_size)
    loads = work.load_rounds + work.copy_rounds
    return {
        **layer_terms(layers, seconds),
        **_round_terms(work.tasks, resident, work.tasks / (units * resident)),
        "threads": work.threads,
        "occupancy": min(resident, busiest) * work.threads / machine.device.max_threads_per_unit,
        "tasks of a unit": work.tasks / units,
        "even tasks": work.tasks / units / busiest,
        "steps": log2(work.steps),
        "issue": log2(work.issue),
        "arithmetic of issue": work.math / work.issue,
        "spills of issue": work.spilled_accesses / work.issue,
        "phases of issue": work.phases / subgroups / work.issue,
        "waits of issue": loads / work.issue,
        "ending": work.tail_issue / (work.tail_issue + work.issue * work.steps),
        "spilled words": work.spilled_words,
        "workgroup bytes": work.workgroup_bytes,
        "atomic share": work.atomic_bytes / (work.atomic_bytes + work.cache_bytes + 1),
        "shared sets": log2(work.shared_sets),
    }


def tile_terms(tile: MeasuredTile) -> dict[str, float]:
    """Return the columns of a tile of others, but for the extents of its problem."""
    names = [field.name for field in fields(tile)]
    return {name: float(getattr(tile, name)) for name in names if name not in tile.extents}


def layer_terms(layers: Mapping[str, float], seconds: float) -> dict[str, float]:
    """Return each layer's share of the predicted time, and the logarithm of that."""
    shares = {f"share of {name}": value / seconds for name, value in layers.items()}
    return {"seconds": log2(max(seconds, _LEAST_S)), **shares}


def _round_terms(tasks: int, resident: int, waves: float) -> dict[str, float]:
    even = waves / max(1, ceil(waves))
    return {"tasks": log2(max(tasks, 1)), "resident": resident, "waves": waves, "even waves": even}
