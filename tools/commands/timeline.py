# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Show when a persistent kernel's blocks run which task: as the model predicts, and beside it as a run recorded.

roller timeline model.mlir --target h200                               makespan, bound and critical path as text
roller timeline model.mlir --target h200 --html model.html             all tasks, as a page for a browser
roller timeline model.mlir --target h200 --trace model.json            the same, for Perfetto or chrome://tracing
roller timeline model.mlir --target h200 --policy wavefront --blocks 64   another schedule
roller run model.mlir --target h200 --persistent --random --times times.json
roller timeline model.mlir --target h200 --times times.json --html model.html   beside what that run recorded

Predicted times are those of the model. Recorded ones are a device's, or those of the simulator, whose clock tells an
order alone.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.model.options import ChoiceOptions, FusionOptions, PlanFileOptions
from roller_mlir.plan.persistent.task_times import TaskTime, chrome_trace, read_chrome_trace
from roller_mlir.rammer.options import PlacingOptions
from roller_mlir.support.foreign.bounded import BoundsError
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.tools.commands.compile.command import open_source
from roller_mlir.tools.console.arguments import add_options
from roller_mlir.tools.console.errors import InputError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import check_place, print_line, seconds, write_whole
from roller_mlir.tools.console.targets import add_target_arguments, device_of, target_of

if TYPE_CHECKING:
    from roller_mlir.tools.report.timeline import TimelineRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="MLIR text or bytecode, or a model; - reads the standard input")
    add_target_arguments(parser)
    add_options(parser, CompileOptions, "entry")
    parser.add_argument("--times", metavar="FILE.json", help="what `roller run --times` recorded, shown beside it")
    parser.add_argument("--html", metavar="OUT.html", help="write one self-contained page")
    parser.add_argument("--trace", metavar="OUT.json", help="write a trace for Perfetto or chrome://tracing")
    add_options(parser, FusionOptions, "fusion", "channels_last")
    group = parser.add_argument_group("the schedule")
    add_options(group, PlacingOptions)
    group = parser.add_argument_group("what the construction may do")
    add_options(group, ChoiceOptions)
    add_options(group, PlanFileOptions, "tuning")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.compiler.scheduled_program import scheduled_program
    from roller_mlir.rammer.times.replay import replay
    from roller_mlir.tools.report.timeline import critical_programs, page, predicted_run, recorded_run

    for name in (arguments.html, arguments.trace):
        if name is not None:
            check_place(Path(name))
    recorded = _recorded(arguments.times) if arguments.times else ()
    device = device_of(arguments)
    asked: dict[str, Any] = {**CompileOptions.values_of(arguments), "persistent": True}
    options = CompileOptions(**asked)
    source = open_source(arguments)
    one = scheduled_program(source, target_of(arguments), options)
    predicted = replay(one.graph, one.schedule, options.hand_over_s)
    runs = [predicted_run("predicted", one.graph, one.schedule, predicted)]
    for number, (kernel, times) in enumerate(recorded):
        _check_recorded(arguments.times, times, runs[0])
        name = f"recorded: {kernel}{f', launch {number}' if number else ''}"
        runs.append(recorded_run(name, times, one.schedule))
    facts = [
        ("predicted", seconds(predicted.makespan_s)),
        ("at least", seconds(one.bound_s)),
        ("above that", f"{predicted.makespan_s / one.bound_s - 1:.0%}" if one.bound_s else "0%"),
        *((("at its homes", f"at least {seconds(one.home_bound_s)}"),) if one.kept_slices else ()),
        ("blocks", str(len(one.schedule.programs))),
        ("busy", f"{predicted.utilisation:.0%}"),
        ("tasks", str(one.graph.tasks)),
        ("operators", str(len(one.graph.operators))),
        ("waits", str(one.schedule.wait_count)),
    ]
    title = f"{one.function} on {device.name}, {source.name}, policy {options.policy}"
    check()
    if arguments.trace:
        write_whole(Path(arguments.trace), chrome_trace([(each.name, each.times) for each in runs]))
    if arguments.html:
        write_whole(Path(arguments.html), page(title, facts, runs))
    lines = [title, *(f"  {name:14}{value}" for name, value in facts)]
    lines += [f"  {each.name}: {seconds(each.seconds)}, blocks work {each.utilisation:.0%} of it" for each in runs[1:]]
    for each in runs:
        of = "" if each is runs[0] else f" of {each.name}"
        lines += [f"critical path{of}: {len(each.critical)} tasks"]
        path = critical_programs(each)
        lines += [f"  {name}: {tasks} task{'s' * (tasks > 1)}, {seconds(spent)}" for name, tasks, spent in path]
    lines += [f"wrote {name}" for name in (arguments.html, arguments.trace) if name]
    print_line("\n".join(lines))
    return 0


def _recorded(name: str) -> tuple[tuple[str, tuple[TaskTime, ...]], ...]:
    try:
        found = read_chrome_trace(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--times {name}: {reason_of(error)}") from None
    except (BoundsError, ValueError) as error:
        raise InputError(f"--times {name}: {error}") from None
    if not found:
        raise InputError(f"--times {name}: holds no task of a persistent kernel")
    return found


def _check_recorded(name: str, times: tuple[TaskTime, ...], predicted: "TimelineRun") -> None:
    """Check that a run had the tasks of this schedule: otherwise what stands side by side is not the same program."""
    ran = {(one.operator, one.task, one.block, one.position) for one in times}
    wanted = {(one.operator, one.task, one.block, one.position) for one in predicted.times}
    if ran != wanted:
        raise InputError(
            f"--times {name}: holds {len(ran - wanted)} tasks that are not of this schedule, and lacks "
            f"{len(wanted - ran)} of it; give the device and the options of the run that it was recorded of"
        )
