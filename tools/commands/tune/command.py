# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure the best plans of each operator on a device, and keep the fastest for later compilations.

roller tune matmul.mlir --target h200 --measure              where the device is: pack, measure, write tuning.jsonl
roller tune model.mlir --target host --measure               this machine's processor
roller tune roller119 --target h200 --pack KIT               elsewhere: a folder to take there; python KIT/run.py
roller tune --target h200 --import results.json              and what came back from there
roller tune roller119 --only 'M*,conv2d' --top-k 20 --jobs 8 --pack KIT
roller tune model.mlir --target h200 --bounded --measure     the kernels that a persistent one might have
roller tune --show                                           what the data base holds
roller compile matmul.mlir --target h200 --tuning tuning.jsonl

A model ranks the plans; the first is what `roller compile` takes by itself. Of those that were measured in turns, and
whose results were right, the fastest wins if it beats the first by more than the noise (its median is below the first's
tenth percentile, and its ninetieth percentile below the first's median); else the first stays. The data base is a text
file, one record a line, that git can merge (in .gitattributes: *.jsonl merge=union); of several records of an operator
the fastest counts. Exit code 1 where an operator that has several candidates has no winner.
"""

import argparse
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roller_mlir.compiler import CompileOptions
from roller_mlir.evaluation.measure.records import Results
from roller_mlir.evaluation.measure.report.results_file import merge_results, read_results
from roller_mlir.evaluation.measure.tune.store import add_records, check_file
from roller_mlir.evaluation.suites import SuiteError, find_suite
from roller_mlir.evaluation.suites.element_types import DTYPES
from roller_mlir.evaluation.suites.select import select
from roller_mlir.model.options import CandidateOptions, ChoiceOptions, FusionOptions, PipelineOptions
from roller_mlir.plan.files.tuning import TuningError, read_tuning
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.tools.commands.compile.command import open_source
from roller_mlir.tools.console.arguments import add_options, given_flags, named_flags, patterns, positive
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import print_json, print_line
from roller_mlir.tools.console.targets import add_target_arguments, anywhere, device_of, given_target, target_of

if TYPE_CHECKING:
    from roller_mlir.evaluation.measure.kit.contents import PackRequest
    from roller_mlir.evaluation.measure.kit.pack import PackOptions

_TUNING = "tuning.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "subject", nargs="?", metavar="FILE|SUITE", help="MLIR (- reads the standard input), or a suite"
    )
    add_target_arguments(parser)
    action = parser.add_argument_group("what to do").add_mutually_exclusive_group(required=True)
    action.add_argument("--measure", action="store_true", help="measure on this machine's device")
    action.add_argument("--pack", metavar="KIT", help="write a kit for a machine with the device, a new folder")
    action.add_argument(
        "--import", nargs="+", dest="imported", metavar="RESULTS", help="take what a kit's runner brought back"
    )
    action.add_argument("--show", action="store_true", help="print the data base")
    parser.add_argument("--db", metavar="FILE", help=f"the data base ({_TUNING})")
    add_options(parser, CandidateOptions)
    parser.add_argument("--only", type=patterns, default=(), metavar="ID,...", help="operators: ids, patterns, classes")
    parser.add_argument("--dtype", choices=DTYPES, help="of a suite: element type, instead of the table's")
    of_a_file = parser.add_argument_group("of a file")
    add_options(of_a_file, CompileOptions, "entry", "bounded")
    add_options(of_a_file, FusionOptions, "fusion", "channels_last")
    add_options(parser, ChoiceOptions, "split", "allow_tf32")
    parser.add_argument("--jobs", type=positive, metavar="N", help="compilations at a time (2)")
    parser.add_argument("--ray", metavar="ADDRESS", help="compile on a Ray cluster: auto, local, HOST:PORT")
    parser.add_argument(
        "--keep", metavar="DIR", help="--measure: leave kit and results there, a new folder, for --import DIR/results"
    )
    parser.add_argument("--time-limit", type=positive, metavar="S", help="--measure: seconds for the measurement")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.evaluation.measure.tune.winners import TuneError

    _check_usage(arguments)
    arguments.db = arguments.db or _TUNING
    try:
        if arguments.show:
            return _show(arguments)
        if arguments.imported:
            return _import(arguments)
        return _pack(arguments) if arguments.pack is not None else _measure(arguments)
    except (SuiteError, TuneError, TuningError) as error:
        raise InputError(str(error)) from None


def _check_usage(arguments: argparse.Namespace) -> None:
    packing = named_flags(arguments, "only", "dtype", "entry", "bounded", "jobs", "ray")
    packing |= given_flags(arguments, PipelineOptions, CandidateOptions)
    packing |= {"FILE|SUITE"} if arguments.subject else set()
    measuring = named_flags(arguments, "keep", "time_limit")
    action = "--show" if arguments.show else "--import" if arguments.imported else ""
    if action and packing:
        raise UsageError(f"{action} goes without {', '.join(sorted(packing))}")
    if arguments.show and given_target(arguments):
        raise UsageError("--show prints the whole data base and goes without a device")
    if arguments.db is not None and arguments.pack is not None:
        raise UsageError("--db goes with --measure, --import and --show; --pack writes a kit and no data base")
    if measuring and not arguments.measure:
        raise UsageError(f"{min(measuring)} goes with --measure")
    if not action and arguments.subject is None:
        raise UsageError("name what to tune: a FILE of MLIR, or a suite such as roller119")
    if not action:
        for name in ("--dtype", "--entry", "--bounded", "--no-fusion", "--channels-last"):
            if name in packing and (name == "--dtype") == _is_file(arguments.subject):
                raise UsageError(f"{name} goes with {'a suite' if name == '--dtype' else 'a file of MLIR'}")


def _is_file(subject: str) -> bool:
    """Return whether what is named is MLIR; else it is a suite."""
    return subject == "-" or subject.endswith((".mlir", ".mlirbc")) or Path(subject).is_file()


def _options(arguments: argparse.Namespace) -> CompileOptions:
    return CompileOptions(**CompileOptions.values_of(arguments))


def _requests(arguments: argparse.Namespace) -> "list[PackRequest]":
    """Return the operators of the command line."""
    from roller_mlir.evaluation.measure.kit.contents import of_suite
    from roller_mlir.evaluation.measure.tune.tune import requests_of_source

    device, target, top_k = device_of(arguments), _target(arguments), arguments.top_k
    device.require_compiles()
    if not _is_file(arguments.subject):
        rows, name = select(find_suite(arguments.subject), arguments.only), Path(arguments.subject).resolve().name
        return of_suite(name, rows, device.name, arguments.dtype, top_k=top_k, options=_options(arguments))
    arguments.file = arguments.subject
    source = open_source(arguments)
    return requests_of_source(source, target, _options(arguments), top_k=top_k, only=arguments.only)


def _target(arguments: argparse.Namespace) -> str:
    """Return the target as those who compile find it."""
    target = target_of(arguments)
    return target if arguments.ray is None else anywhere(target)


def _packing(arguments: argparse.Namespace) -> "PackOptions":
    from roller_mlir.evaluation.measure.kit.pack import PackOptions

    jobs: int | None = arguments.jobs or (None if arguments.ray else 2)
    return PackOptions(jobs=jobs, ray=arguments.ray, command=shlex.join(["roller", *arguments.command_line]))


def _pack(arguments: argparse.Namespace) -> int:
    from roller_mlir.evaluation.measure.kit.pack import pack_kit

    options = _packing(arguments)
    packed = pack_kit(Path(arguments.pack), _target(arguments), _requests(arguments), options)
    kit = packed.kit
    count = sum(len(item.candidates) for item in kit.items)
    if arguments.json:
        print_json(
            {"kit": arguments.pack, "items": len(kit.items), "candidates": count, "skipped": to_json(kit.skipped)}
        )
        return 0 if kit.items else 1
    print_line(f"wrote {arguments.pack}: {len(kit.items)} operators, {count} candidates, {packed.size_bytes} B")
    for one in kit.skipped:
        print_line(f"left out: {one.id}: {one.reason}")
    print_line(f"run it where {kit.target} is: python {arguments.pack}/run.py -o results --phases topk")
    print_line(f"and bring back results/results.json: roller tune --target {kit.target} --import results.json")
    return 0 if kit.items else 1


def _measure(arguments: argparse.Namespace) -> int:
    from roller_mlir.evaluation.measure.tune.tune import back_end_of, measure

    device = device_of(arguments)
    on = back_end_of(device)
    check_file(arguments.db)  # what is measured would have nowhere to go
    wanted = _requests(arguments)
    options = _packing(arguments)
    if arguments.keep is not None:
        folder = Path(arguments.keep)
        try:
            folder.mkdir()
        except OSError as error:
            raise InputError(f"{folder} cannot be made: {reason_of(error)}") from None
        _, results = measure(folder, _target(arguments), wanted, on, options, limit_s=arguments.time_limit)
        return _take(arguments, [("the results", results)])
    with tempfile.TemporaryDirectory(prefix="roller-tune-") as name:
        _, results = measure(Path(name), _target(arguments), wanted, on, options, limit_s=arguments.time_limit)
    return _take(arguments, [("the results", results)])


def _import(arguments: argparse.Namespace) -> int:
    read = [(path, read_results(path)) for path in dict.fromkeys(arguments.imported)]
    runs: dict[tuple[str, ...], list[tuple[str, Results]]] = {}
    for path, one in read:
        machine, kit = one.machine, one.kit
        run = (kit.target, kit.created, kit.command, machine.back_end, machine.device, machine.driver)
        runs.setdefault(run, []).append((path, one))
    return _take(arguments, [(", ".join(path for path, _ in same), merge_results(same)) for same in runs.values()])


def _take(arguments: argparse.Namespace, named: Sequence[tuple[str, Results]]) -> int:
    """Write the winners to the data base, and print them."""
    from roller_mlir.evaluation.measure.tune.winners import decide_all
    from roller_mlir.tools.commands.tune.tables import print_decisions

    device = device_of(arguments)
    decisions = [one for name, results in named for one in decide_all(results, device, name)]
    check()
    records = [one.record for one in decisions if one.record is not None]
    before = add_records(arguments.db, records) if records else {}
    print_decisions(arguments.db, decisions, before, json=arguments.json)
    tunable = [one for one in decisions if one.tunable]
    return 0 if tunable and all(one.record is not None for one in tunable) else 1


def _show(arguments: argparse.Namespace) -> int:
    from roller_mlir.tools.commands.tune.tables import print_records

    print_records(arguments.db, read_tuning(arguments.db), json=arguments.json)
    return 0
