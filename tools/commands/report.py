# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make a report of what a kit's runner brought back: what is wrong, ours beside others, predictions beside times.

roller report results.json                        into docs/results/DATE-TARGET
roller report first.json second.json -o DIR       two runs of one kit on one machine; the later completes the earlier
roller report out --json                          the figures for machines; writes files only with -o

DIR then holds results.md, report.html (nothing else is needed to read it), the pictures predicted-vs-measured.png and
ratio-PEER.png, and results.json, from which the same report can be made again. Results of a dry run are the simulator's
seconds, no speed.
Exit code 1: a result of ours is wrong, or the results cannot be read.
"""

import argparse
from pathlib import Path

from roller_mlir.evaluation.measure.report.records import Report
from roller_mlir.evaluation.measure.report.report import make_report
from roller_mlir.evaluation.measure.report.results_file import read_merged
from roller_mlir.plan.records.codec import to_json
from roller_mlir.tools.console.errors import UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import print_json, print_line
from roller_mlir.tools.report.measured.document import DRY_RUN
from roller_mlir.tools.report.measured.words import clean, count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "results", metavar="RESULTS", nargs="+", help="results.json as the runner wrote it, or the folder with it"
    )
    parser.add_argument("-o", dest="output", metavar="DIR", help="where to (docs/results/DATE-TARGET)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.tools.report.measured.folder import contents_of, default_folder, write_folder

    if arguments.output == "":
        raise UsageError("-o must name a folder, but got ''")
    results = read_merged(arguments.results)
    report = make_report(results)
    folder = None
    if arguments.output is not None or not arguments.json:
        folder = Path(arguments.output) if arguments.output is not None else default_folder(report)
        contents = contents_of(report, results)
        check()
        write_folder(folder, contents)
    if arguments.json:
        print_json(to_json(report))
    else:
        _say(report, f"{folder}")
    return 1 if any(one.who == "ours" for one in report.failures) else 0


def _say(report: Report, folder: str) -> None:
    """Print what a reader must know before reading: what is wrong, the goals, and where the rest is."""
    from roller_mlir.tools.report.measured.sections import goal_value

    if report.dry_run:
        print_line(f"{DRY_RUN}.")
    wrong = [one for one in report.failures if one.who == "ours"]
    for one in wrong[:10]:
        print_line(f"WRONG {clean(one.item)}, candidate {one.rank}: {clean(one.message) or f'error {one.error}'}")
    if len(wrong) > 10:
        print_line(f"WRONG and {len(wrong) - 10} more")
    timed = sum(item.top1_s is not None for item in report.items)
    right = sum(item.state == "right" for item in report.items)
    print_line(
        f"{count(len(report.items), 'kernel')}: {right} right, {timed} timed; {count(len(wrong), 'wrong result')}"
    )
    for goal in report.goals:
        if goal.verdict not in ("not judged", "not measured"):
            print_line(f"{goal.verdict}: {goal.goal}: {goal_value(goal).text} ({goal.n} kernels)")
    print_line(f"wrote {folder}")
