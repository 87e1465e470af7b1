# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schedule of a function that `roller compile --persistent` makes one kernel of: as data, and for a terminal."""

from dataclasses import dataclass
from math import ceil

from rich.console import Console
from rich.text import Text

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.persistent import BlockChoice
from roller_mlir.compiler.scheduled_program import scheduled_program
from roller_mlir.compiler.source import Source
from roller_mlir.hal import find_device
from roller_mlir.rammer.times.replay import replay
from roller_mlir.tools.console.output import seconds
from roller_mlir.tools.report.explain.text import print_table
from roller_mlir.tools.report.quantities import size
from roller_mlir.tools.report.table import grid


@dataclass(frozen=True, kw_only=True)
class ScheduledOperator:
    """An operator of a schedule.

    Attributes:
        name: Its program, and its place among the operators.
        tasks: How many tasks it has.
        body: Number of the body that runs them; equal operators share one.
        units: Units of the device that it shares in its wave, null for all.
        seconds: Its predicted time on these, without a launch, null where its plan has none.
        task_seconds: The predicted time of a task, by which tasks are placed.
        early_seconds: What of that may pass before the task's waits are over.
        early: The operands that it may read by then: its waits protect the others.
    """

    name: str
    tasks: int
    body: int
    units: int | None
    seconds: float | None
    task_seconds: float
    early_seconds: float
    early: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ScheduleExplanation:
    """The schedule of a function that becomes one persistent kernel.

    Attributes:
        file: Where the function stands.
        function: Its name.
        device: The device's name.
        policy: Who placed the tasks.
        hand_over: What tasks wait for.
        blocks: Blocks that walk the schedule, all resident at once.
        blocks_per_unit: How many of them a unit holds.
        threads: Threads of a block, with those that copy.
        workgroup_bytes: Workgroup memory of a block.
        tasks: Tasks of all operators.
        longest: Tasks of the block that has most.
        waits: Waits of all tasks.
        waits_before: As many as there were before `rammer-reduce-waits`.
        bodies: Bodies of the kernel.
        workspace_bytes: Memory for results between operators.
        state_bytes: Counters, and what is kept from launch to launch.
        makespan_s: When the last task ends, by the predicted times of tasks and of a hand-over.
        bound_s: What no schedule of these tasks on so many blocks comes below, with the hand-overs that no placement
            avoids.
        home_bound_s: What none comes below that keeps slices on the blocks on which this one does.
        utilisation: The share of the makespan in which a block works, on average.
        choices: The numbers of threads of a task that were planned for; the least predicted time is taken. Empty where
            one is asked for.
        operators: The operators, in order.
    """

    file: str
    function: str
    device: str
    policy: str
    hand_over: str
    blocks: int
    blocks_per_unit: int
    threads: int
    workgroup_bytes: int
    tasks: int
    longest: int
    waits: int
    waits_before: int
    bodies: int
    workspace_bytes: int
    state_bytes: int
    makespan_s: float
    bound_s: float
    home_bound_s: float
    utilisation: float
    choices: tuple[BlockChoice, ...]
    operators: tuple[ScheduledOperator, ...]


def explain_schedule(source: Source, target: str, options: CompileOptions) -> ScheduleExplanation:
    """Schedule a function, and return what became of it.

    Args:
        source: MLIR text.
        target: A device's name, or the path of its description.
        options: They ask for a persistent kernel.

    Raises:
        DiagnosedError: It cannot become one persistent kernel.
    """
    one = scheduled_program(source, target, options)
    times = replay(one.graph, one.schedule, options.hand_over_s)
    return ScheduleExplanation(
        file=source.name,
        function=one.function,
        device=find_device(target).name,
        policy=options.policy,
        hand_over=options.hand_over,
        blocks=len(one.schedule.programs),
        blocks_per_unit=one.virtual.per_unit,
        threads=one.virtual.threads,
        workgroup_bytes=one.virtual.workgroup_bytes,
        tasks=len(one.schedule.signals),
        longest=max(map(len, one.schedule.programs)),
        waits=one.schedule.wait_count,
        waits_before=one.waits_before,
        bodies=len(set(one.bodies)),
        workspace_bytes=one.workspace_bytes,
        state_bytes=one.state_bytes,
        makespan_s=times.makespan_s,
        bound_s=one.bound_s,
        home_bound_s=one.home_bound_s,
        utilisation=times.utilisation,
        choices=one.choices,
        operators=tuple(
            ScheduledOperator(
                name=operator.name,
                tasks=operator.tasks,
                body=body,
                units=operator.units,
                seconds=operator.together and ceil(operator.tasks / operator.together) * operator.seconds,
                task_seconds=operator.seconds,
                early_seconds=operator.early_s,
                early=early,
            )
            for operator, body, early in zip(one.graph.operators, one.bodies, one.early, strict=True)
        ),
    )


def print_schedule(one: ScheduleExplanation, console: Console, *, plain: bool) -> None:
    """Print the schedule of a function.

    Args:
        one: The schedule.
        console: Where to.
        plain: Whether only ASCII may be used.
    """
    console.print(Text(f"{one.function} on {one.device}: one persistent kernel, {one.file}\n", style="bold"))
    units = (
        f"{one.blocks_per_unit} a unit, of {one.threads} threads and {size(one.workgroup_bytes)} of workgroup memory"
    )
    more = one.home_bound_s > one.bound_s
    at_homes = f" ({seconds(one.home_bound_s)} where its slices are at home)" if more else ""
    said = [
        ("tasks", f"{one.tasks}, up to {one.longest} a block, placed by policy {one.policy}"),
        ("blocks", f"{one.blocks}, {units}"),
        ("waits", f"{one.waits}, of {one.waits_before} before reduction (hand-over by {one.hand_over})"),
        ("bodies", f"{one.bodies} for {len(one.operators)} operators"),
        ("workspace", size(one.workspace_bytes)),
        ("state", size(one.state_bytes)),
        (
            "predicted",
            f"{seconds(one.makespan_s)}, of at least {seconds(one.bound_s)}{at_homes}; blocks work "
            f"{one.utilisation:.0%} of it",
        ),
    ]
    print_table(console, "Schedule", grid(("", ""), "ss", said), plain=plain)
    least = min((each.seconds for each in one.choices if each.seconds is not None), default=None)
    choices = [
        (
            each.threads,
            "" if each.blocks_per_unit is None else each.blocks_per_unit,
            "" if each.seconds is None else seconds(each.seconds),
            each.refused or ("taken" if each.seconds == least else ""),
        )
        for each in one.choices
    ]
    title = "Threads of a task: predicted time of all waves of programs"
    heads = ("threads", "blocks a unit", "predicted", "")
    print_table(console, title, grid(heads, "nnns", choices), plain=plain)
    rows = [
        (
            each.name,
            each.tasks,
            each.body,
            "" if each.units is None else each.units,
            "" if each.seconds is None else seconds(each.seconds),
            seconds(each.task_seconds),
            seconds(each.early_seconds) if each.early else "",
            " ".join(map(str, each.early)),
        )
        for each in one.operators
    ]
    head = ("operator", "tasks", "body", "units", "predicted", "a task", "before waits", "early operands")
    print_table(
        console, "Operators (predictions of the model, no measurements)", grid(head, "snnnnnns", rows), plain=plain
    )
