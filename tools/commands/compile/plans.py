# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans and predictions as tables, for `roller compile` and `roller run`."""

from collections import Counter
from collections.abc import Mapping, Sequence

from roller_mlir.plan.manifest import Launch
from roller_mlir.plan.plan import Plan
from roller_mlir.tools.console.output import TableData, seconds


def plan_tables(plans: Mapping[str, Plan], launches: Sequence[Launch] = ()) -> list[TableData]:
    """Return a table of plans and one of predictions.

    Args:
        plans: By kernel.
        launches: All launches in order, where they are known; a column counts them where a kernel has several.
    """
    if not plans:
        return []
    known = {launch.kernel: launch for launch in launches}
    times = Counter(launch.kernel for launch in launches)
    header = ("kernel", "task tile", "thread tile", "threads", "tasks", "stages", "operands", "device")
    rows = [_plan_row(name, plan, known.get(name)) for name, plan in plans.items()]
    if any(times[name] > 1 for name in plans):
        header = (header[0], "launches", *header[1:])
        rows = [(row[0], str(times[row[0]]), *row[1:]) for row in rows]
    tables: list[TableData] = [("Plan", header, rows)]
    predicted = [_prediction_row(name, plan) for name, plan in plans.items() if plan.prediction is not None]
    if predicted:
        names = (
            "kernel",
            "time",
            "limit",
            "global load",
            "global store",
            "workgroup memory",
            "registers",
            "occupancy",
            "waves",
        )
        tables.append(("Prediction of the model (not a measurement)", names, predicted))
    return tables


def _plan_row(name: str, plan: Plan, launch: Launch | None) -> Sequence[str]:
    layers = [
        f"{operand.layer}{f' pad {operand.pad}' if operand.pad else ''} x{operand.vector}" for operand in plan.operands
    ]
    tasks = str(launch.grid[0]) if launch else str(plan.prediction.tasks) if plan.prediction else "-"
    return (
        name,
        "x".join(str(axis.block) for axis in plan.axes),
        "x".join(str(axis.registers) for axis in plan.axes),
        str(plan.threads),
        tasks,
        str(plan.stages),
        ", ".join(layers),
        plan.device,
    )


def _prediction_row(name: str, plan: Plan) -> Sequence[str]:
    prediction = plan.prediction
    assert prediction is not None
    return (
        name,
        seconds(prediction.seconds),
        prediction.saturated,
        f"{prediction.global_load_bytes:,} B",
        f"{prediction.global_store_bytes:,} B",
        f"{prediction.shared_bytes:,} B",
        str(prediction.registers),
        f"{prediction.occupancy:.0%}",
        f"{prediction.waves:.3g}",
    )
