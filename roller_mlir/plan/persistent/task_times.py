# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When the tasks of a persistent kernel started and ended: what it writes at the end of its state, and a trace of it.

For each block and each position of its schedule the state holds start and end, ticks of a counter that all units share
(i64 each). A task starts when its waits are over, and ends when its results are written, before it signals that.
"""

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Any

from roller_mlir.plan.records.codec import Range
from roller_mlir.support.foreign.bounded import read_json

TIME_CELLS = 4
"""Cells of the state, i32 each, that hold start and end of a task."""

_Count = Annotated[int, Range(0, 2**31)]


@dataclass(frozen=True, kw_only=True)
class TaskTime:
    """When a task ran.

    Attributes:
        operator: The name of its operator.
        task: Its number there.
        block: The block that ran it.
        position: Its place among the tasks of the block.
        start_ns: When its waits were over, in nanoseconds of a clock common to all blocks.
        end_ns: When it was done.
        begin_ns: When it began with what it does before its waits are over; None where that is nothing, or not known.
        early_ns: How long that took.
    """

    operator: str
    task: int
    block: int
    position: int
    start_ns: int
    end_ns: int
    begin_ns: int | None = None
    early_ns: int = 0

    @property
    def first_ns(self) -> int:
        """When the first of it began."""
        return self.start_ns if self.begin_ns is None else self.begin_ns

    @property
    def busy_ns(self) -> int:
        """How long its block worked for it."""
        return self.end_ns - self.start_ns + self.early_ns


@dataclass(frozen=True, kw_only=True)
class TaskTimes:
    """Where a launch writes the times of its tasks, and which tasks these are.

    Attributes:
        offset_bytes: Where in its last argument they begin.
        tick_ns: Nanoseconds of a tick.
        positions: Tasks of a block for which there is room.
        operators: The names of the operators.
        tasks: How many tasks each operator has; those of all operators are numbered one after the other.
        programs: The tasks of each block, in order.
    """

    offset_bytes: Annotated[int, Range(0, 2**62)]
    tick_ns: Annotated[int, Range(1, 2**31)]
    positions: _Count
    operators: tuple[str, ...]
    tasks: tuple[_Count, ...]
    programs: tuple[tuple[_Count, ...], ...]

    def __post_init__(self) -> None:
        """Check that what blocks run are the operators' tasks, and has room."""
        longest = max(map(len, self.programs), default=0)
        last = max((task for program in self.programs for task in program), default=-1)
        if len(self.operators) != len(self.tasks) or longest > self.positions or last >= sum(self.tasks):
            raise ValueError(
                f"times of {len(self.operators)} operators of {sum(self.tasks)} tasks, {self.positions} a block, do "
                f"not fit programs of up to {longest} tasks, the last of them {last}"
            )

    @property
    def cells(self) -> int:
        """Cells of the state that they take."""
        return TIME_CELLS * self.positions * len(self.programs)

    def read(self, cells: Sequence[int]) -> tuple[TaskTime, ...]:
        """Return the times of all tasks, by block and position.

        Args:
            cells: What the kernel has written, of i32.
        """
        first = [0, *accumulate(self.tasks)]
        found: list[TaskTime] = []
        for block, program in enumerate(self.programs):
            for position, number in enumerate(program):
                operator = bisect_right(first, number) - 1
                at = TIME_CELLS * (block * self.positions + position)
                start, end = (self.tick_ns * (cells[low] & 0xFFFFFFFF | cells[low + 1] << 32) for low in (at, at + 2))
                found.append(
                    TaskTime(
                        operator=self.operators[operator],
                        task=number - first[operator],
                        block=block,
                        position=position,
                        start_ns=start,
                        end_ns=end,
                    )
                )
        return tuple(found)


def chrome_trace(launches: Sequence[tuple[str, Sequence[TaskTime]]]) -> str:
    """Return times as a trace that Perfetto and Chrome show: a process for each launch, a thread for each block.

    Args:
        launches: The kernel of each launch, and the times of its tasks; those of the trace begin with the first.
    """
    begin = min((one.first_ns for _, times in launches for one in times), default=0)
    events: list[dict[str, Any]] = []
    for launch, (kernel, times) in enumerate(launches):
        events.append({"ph": "M", "name": "process_name", "pid": launch, "tid": 0, "args": {"name": kernel}})
        events += [
            {
                "ph": "X",
                "name": f"{one.operator}: task {one.task}",
                "cat": one.operator,
                "pid": launch,
                "tid": one.block,
                "ts": (one.start_ns - begin) / 1000,
                "dur": (one.end_ns - one.start_ns) / 1000,
                "args": {"operator": one.operator, "task": one.task, "position": one.position},
            }
            for one in times
        ]
        events += [
            {
                "ph": "X",
                "name": f"{one.operator}: task {one.task}, before its waits",
                "cat": one.operator,
                "pid": launch,
                "tid": one.block,
                "ts": (one.begin_ns - begin) / 1000,
                "dur": one.early_ns / 1000,
                "args": {"before": one.position},
            }
            for one in times
            if one.begin_ns is not None
        ]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


def read_chrome_trace(text: str) -> tuple[tuple[str, tuple[TaskTime, ...]], ...]:
    """Return the launches that a trace of `chrome_trace` holds: the kernel of each, and the times of its tasks.

    Raises:
        ValueError: It is no such trace.
    """
    data = read_json(text)
    events: Any = data.get("traceEvents") if isinstance(data, dict) else None
    if not isinstance(events, list):
        raise ValueError("holds no traceEvents")
    kernels: dict[int, str] = {}
    found: dict[int, list[TaskTime]] = {}
    for number, event in enumerate(events):
        try:
            if event["ph"] == "M":
                kernels[event["pid"]] = str(event["args"]["name"])
                continue
            start, duration, said = event["ts"], event["dur"], event["args"]
            if "before" in said:
                continue
            found.setdefault(event["pid"], []).append(
                TaskTime(
                    operator=str(said["operator"]),
                    task=int(said["task"]),
                    block=int(event["tid"]),
                    position=int(said["position"]),
                    start_ns=round(1000 * start),
                    end_ns=round(1000 * (start + duration)),
                )
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise ValueError(f"traceEvents[{number}] is no task of a persistent kernel") from None
    return tuple((kernels.get(launch, f"launch {launch}"), tuple(found[launch])) for launch in sorted(found))
