# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `roller timeline --html`: which block runs which task when, as predicted and as recorded.

The data that it shows stands in it as JSON, in the element with the id "data"; a script of the page draws them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.plan.persistent.task_times import TaskTime
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.rammer.times.replay import PredictedTimes, fill_seconds, path_of_run
from roller_mlir.tools.report.page import render


@dataclass(frozen=True, kw_only=True)
class TimelineRun:
    """Tasks on blocks, as they are predicted or as they ran.

    Attributes:
        name: What the page calls it.
        times: When the tasks ran.
        critical: Those among them that decide when the last one ends, as (block, position).
    """

    name: str
    times: tuple[TaskTime, ...]
    critical: frozenset[tuple[int, int]] = frozenset()

    @property
    def seconds(self) -> float:
        """From the start of the first task to the end of the last one."""
        return 1e-9 * (max(one.end_ns for one in self.times) - min(one.first_ns for one in self.times))

    @property
    def utilisation(self) -> float:
        """The share of that time in which a block with tasks works, on average; 1 where it is no time."""
        busy = 1e-9 * sum(one.busy_ns for one in self.times)
        blocks = len({one.block for one in self.times})
        return busy / (blocks * self.seconds) if self.seconds else 1.0


def predicted_run(name: str, graph: TaskGraph, schedule: Schedule, predicted: PredictedTimes) -> TimelineRun:
    """Return the tasks of a schedule when the model expects them, in whole nanoseconds."""
    unit, position = schedule.place
    operators, first = graph.operator_of.tolist(), graph.first
    places = list(zip(unit.tolist(), position.tolist(), strict=True))
    early = np.rint(1e9 * (graph.early_seconds + fill_seconds(graph, schedule))).astype(np.int64).tolist()
    times = [
        TaskTime(
            operator=graph.operators[operators[task]].name,
            task=task - first[operators[task]],
            block=block,
            position=at,
            start_ns=round(1e9 * float(predicted.start_s[task])),
            end_ns=round(1e9 * float(predicted.end_s[task])),
            begin_ns=round(1e9 * float(predicted.begin_s[task])) if early[task] else None,
            early_ns=early[task],
        )
        for task, (block, at) in enumerate(places)
    ]
    return TimelineRun(
        name=name, times=tuple(times), critical=frozenset(places[task] for task in predicted.critical_path)
    )


def recorded_run(name: str, times: tuple[TaskTime, ...], schedule: Schedule) -> TimelineRun:
    """Return the tasks of a schedule when they ran."""
    ends = [0.0] * sum(map(len, schedule.programs))
    for one in times:
        ends[schedule.programs[one.block][one.position]] = one.end_ns
    unit, position = schedule.place
    critical = ((int(unit[task]), int(position[task])) for task in path_of_run(schedule, ends))
    return TimelineRun(name=name, times=times, critical=frozenset(critical))


def critical_programs(run: TimelineRun) -> list[tuple[str, int, float]]:
    """Return the programs on the critical path of a run, how many of their tasks are there, and their seconds."""
    tasks, spent = Counter[str](), Counter[str]()
    for one in run.times:
        if (one.block, one.position) in run.critical:
            name = one.operator.partition(" (")[0]  # equal operators run one program, by one body
            tasks[name] += 1
            spent[name] += one.busy_ns
    return [(name, tasks[name], 1e-9 * time) for name, time in spent.most_common()]


def page(title: str, facts: Sequence[tuple[str, str]], runs: Sequence[TimelineRun]) -> str:
    """Return the page.

    Args:
        title: What is shown.
        facts: Name and value of what stands above the drawing.
        runs: Each becomes a drawing; all have the same colours.
    """
    operators = list(dict.fromkeys(one.operator for run in runs for one in run.times))
    numbers = {name: number for number, name in enumerate(operators)}
    return render(
        "timeline.html",
        title=title,
        facts=facts,
        runs=runs,
        paths=[(run.name, critical_programs(run)) for run in runs],
        data={"operators": operators, "runs": [_record(run, numbers) for run in runs]},
    )


def _record(run: TimelineRun, numbers: dict[str, int]) -> dict[str, Any]:
    """Return a run as the script reads it: a line a block, of seven numbers for each task.

    They are start, duration, operator, task, whether it is critical, how long before the start it began with what it
    does before its waits are over, and how long that takes. Times are nanoseconds from the first start.
    """
    begin = min(one.first_ns for one in run.times)
    rows: list[list[str]] = [[] for _ in range(max(one.block for one in run.times) + 1)]
    for one in sorted(run.times, key=lambda time: (time.block, time.position)):
        critical = int((one.block, one.position) in run.critical)
        rows[one.block].append(
            f"{one.start_ns - begin} {one.end_ns - one.start_ns} {numbers[one.operator]} {one.task} {critical} "
            f"{one.start_ns - one.first_ns} {one.early_ns}"
        )
    return {"name": run.name, "span_ns": max(one.end_ns for one in run.times) - begin, "rows": [*map(";".join, rows)]}
