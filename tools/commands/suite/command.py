# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run the operators of a suite, all or some, through a stage of the compiler.

  roller suite                                                  the suites that there are
  roller suite roller119 --target v100                          construct every operator: plans, predictions, times
  roller suite roller119 --target h200 --only 'M*,conv2d' --json
  roller suite roller119 --target h200 --only C0 --stage explain      how and why, as `roller explain` shows it
  roller suite roller119 --target h200 --stage compile --jobs 2 -o DIR          two processes, artifacts in DIR/ID
  roller suite roller119 --target h200 --stage compile --top-k 10 --ray auto    ten candidates each, on a Ray cluster
  roller suite roller119 --target v100,h200 --stage verify --jobs 2   full-size plans in the simulator, against numpy
  roller suite roller119 --target h200 --disabled-rule memory-bank     without an alignment rule
  roller suite ./mine --target mi300x --stage run --shrink      a folder of yours with a table, operators.csv
  roller suite polydl-layers --target host --stage run --peers --minibatch 28,1 --threads 1,2 -o DIR    beside libraries
  roller suite roller119 --write-mlir DIR                       write one .mlir file per operator
  roller suite roller119 --target k80 --tiles published         predict the tiles that the table has, beside their times
  roller suite cnnopt-exhaustive --target v100 --data DIR       predict each row of the CSV files of tiles in DIR
  roller suite vendor-times --data DIR                          predictions beside published times, by device and class
  roller suite rammer6 --target h200                            the models of RAMMER, each as one persistent kernel
  roller suite rammer6 --target h200 --only lstm,seq2seq --batch 4 --stage compile -o DIR
  roller suite rammer6 --target h200 --scale 32 --stage run     small versions in the simulator, against numpy

Predictions are of the model, no measurements. bench/README.md documents the tables. A job that crashes or hangs in a
process of --jobs or on a cluster of --ray is an error of its operator. Ctrl-C ends everything, with exit code 130.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.suites import Operator, SuiteError, find_suite, function_text
from roller_mlir.evaluation.suites.element_types import DTYPES
from roller_mlir.evaluation.suites.records import operator_record
from roller_mlir.evaluation.suites.select import select
from roller_mlir.model import ConstructOptions
from roller_mlir.model.options import CandidateOptions, ChoiceOptions, PlanFileOptions, ResidualOptions
from roller_mlir.plan.records.codec import to_json
from roller_mlir.rammer.options import GraphOptions, PlacingOptions
from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.commands.suite.jobs import RUN_POINTS, run_stage
from roller_mlir.tools.commands.suite.models import run_models
from roller_mlir.tools.commands.suite.peers import OPTIONS, add_peer_arguments, check_peers, run_peers
from roller_mlir.tools.commands.suite.verify import sample_numbers
from roller_mlir.tools.console.arguments import add_options, given_flags, named_flags, patterns, positive
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import print_json, print_line, write_whole
from roller_mlir.tools.console.targets import add_target_arguments, device_of, given_target

_STAGES = ("construct", "explain", "compile", "run", "verify")
_MODEL_STAGES = ("schedule", "compile", "run")
# What goes with another stage only.
_FOREIGN = {"explain": {"--jobs", "--ray", "--sample", "--output"}, "compile": {"--sample"}, "verify": {"--output"}}
# What is told to go with something else, besides the device and what the construction may do.
_GIVEN = (
    *("stage", "top_k", "shrink", "only", "dtype", "tiles", "data", "write_mlir"),
    *("jobs", "ray", "sample", "output", "tuning", "json", "batch", "scale"),
    *OPTIONS,
)
_ROWS = "cnnopt-exhaustive"
_VENDOR = "vendor-times"
_MODELS = "rammer6"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("suite", nargs="?", metavar="NAME|DIR", help="a suite, or a folder with a table operators.csv")
    add_target_arguments(parser, plural=True)
    parser.add_argument(
        "--stage",
        choices=tuple(dict.fromkeys((*_STAGES, *_MODEL_STAGES))),
        help=f"how far to go (construct; of {_MODELS} {', '.join(_MODEL_STAGES)}, the first by default)",
    )
    parser.add_argument("--only", type=patterns, default=(), metavar="ID,...", help="ids, patterns, classes or groups")
    parser.add_argument("--dtype", choices=DTYPES, help="element type of the inputs, instead of the table's")
    parser.add_argument(
        "--top-k",
        type=positive,
        metavar="K",
        help=f"plans at most; construct, explain: {CandidateOptions.top_k}, compile, verify: the best alone",
    )
    parser.add_argument(
        "--shrink",
        type=positive,
        nargs="?",
        const=RUN_POINTS,
        metavar="POINTS",
        help=f"run: halve extents until the loop nest has so few points ({RUN_POINTS}), and plan that",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="compile: write artifacts to DIR/ID, of --top-k DIR/ID.RANK; --peers: results, which a later call adds to",
    )
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="operators at a time (1; with --ray one per processor)"
    )
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="do the jobs on a Ray cluster: auto (the one that runs here), local (one for this command), HOST:PORT, "
        "ray://HOST:PORT; files that are named must be there on every node",
    )
    parser.add_argument("--sample", type=sample_numbers, metavar="I/N", help="verify: one pair in N, of each class")
    parser.add_argument("--tiles", choices=("published",), help="predict these tiles instead of constructing any")
    parser.add_argument(
        "--data", metavar="DIR", help=f"{_ROWS}: folder of CSV files of tiles, one a layer; {_VENDOR}: of measurements"
    )
    parser.add_argument(
        "--batch", type=positive, metavar="N", help=f"{_MODELS}: images, sequences or tokens at a time (1)"
    )
    parser.add_argument(
        "--scale",
        type=positive,
        metavar="K",
        help=f"{_MODELS}: divide steps, layers, channels and widths by it, to where the structure is the same (1)",
    )
    parser.add_argument("--write-mlir", metavar="DIR", help="write DIR/ID.mlir for each operator, and stop")
    add_peer_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, an array of one object per operator")
    construction = parser.add_argument_group("what the construction may do")
    add_options(construction, ChoiceOptions)
    add_options(construction, PlanFileOptions, "tuning")
    add_options(parser.add_argument_group(f"of {_ROWS}"), ResidualOptions)
    add_options(parser.add_argument_group(f"of {_MODELS}, each one persistent kernel"), PlacingOptions)
    add_options(parser.add_argument_group(f"of {_MODELS}, what is compared"), GraphOptions)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    _check_usage(arguments)
    try:
        return _run(arguments)
    except SuiteError as error:
        raise InputError(str(error)) from None


def _check_usage(arguments: argparse.Namespace) -> None:
    check_peers(arguments)
    given = named_flags(arguments, *_GIVEN) | given_flags(arguments, ChoiceOptions)
    given |= {"--target"} if given_target(arguments) else set()
    compared = given_flags(arguments, GraphOptions)
    placing = given_flags(arguments, PlacingOptions)
    learned = given_flags(arguments, ResidualOptions)
    given |= placing | compared | learned

    def only_with(subject: str, allowed: set[str]) -> None:
        beyond = sorted(given - allowed)
        if beyond:
            raise UsageError(f"{subject} goes without {', '.join(beyond)}")

    stage = arguments.stage or _STAGES[0]
    if arguments.suite is None:
        only_with("listing suites (no suite is named)", {"--json"})
    elif arguments.suite == _ROWS:
        only_with(_ROWS, {"--target", "--data", "--json"} | learned)
        if arguments.data is None:
            raise UsageError(f"{_ROWS} predicts measured tiles; name the folder of their CSV files with --data DIR")
    elif arguments.suite == _VENDOR:
        only_with(_VENDOR, {"--target", "--data", "--jobs", "--ray", "--json"})
        if arguments.data is None:
            raise UsageError(f"{_VENDOR} predicts what others measured; name the folder of their files with --data DIR")
    elif arguments.suite == _MODELS:
        _check_models(arguments, only_with, placing | given_flags(arguments, ChoiceOptions), compared)
    elif foreign := sorted(given & {"--batch", "--scale", *placing, *compared}):
        raise UsageError(f"only {_MODELS} takes {', '.join(foreign)}, but got suite '{arguments.suite}'")
    elif learned:
        raise UsageError(f"only {_ROWS} takes {', '.join(sorted(learned))}, but got suite '{arguments.suite}'")
    elif stage == _MODEL_STAGES[0]:
        raise UsageError(f"--stage {stage} goes with {_MODELS}, but got suite '{arguments.suite}'")
    elif arguments.data is not None:
        raise UsageError(f"--data goes with {_ROWS} and {_VENDOR}, but got suite '{arguments.suite}'")
    elif arguments.write_mlir is not None:
        only_with("--write-mlir", {"--write-mlir", "--only", "--dtype"})
    elif arguments.tiles is not None:
        only_with("--tiles published", {"--tiles", "--target", "--only", "--json"})
    elif arguments.top_k is not None and stage not in ("construct", "explain", "compile", "verify"):
        raise UsageError(
            f"--top-k goes with --stage construct, explain, compile or verify; --stage {stage} takes the best program"
        )
    elif arguments.shrink is not None and stage != "run":
        raise UsageError(f"--shrink goes with --stage run, but got --stage {stage}")
    elif arguments.tuning is not None and (stage not in ("compile", "run") or arguments.top_k is not None):
        raise UsageError("--tuning goes with --stage compile or run, and without --top-k")
    else:
        only_with(
            f"--stage {stage}",
            given - (_FOREIGN.get(stage, {"--sample", "--output"}) if arguments.peers is None else {"--sample"}),
        )
    if stage != "verify" and arguments.suite != _VENDOR and "," in (arguments.target or ""):
        raise UsageError(f"several targets go with --stage verify, but got '{arguments.target}' without it")


def _check_models(
    arguments: argparse.Namespace,
    only_with: Callable[[str, set[str]], None],
    planned: set[str],
    compared: set[str],
) -> None:
    """Check what is told beside the models: they have no tables, and are compiled one after the other."""
    stage = arguments.stage or _MODEL_STAGES[0]
    if stage not in _MODEL_STAGES:
        raise UsageError(f"{_MODELS} has the stages {', '.join(_MODEL_STAGES)}, but got --stage {stage}")
    known = {"--target", "--stage", "--only", "--batch", "--scale", "--json"} | planned
    more = {"compile": {"--output"}, "schedule": compared}.get(stage, set())
    only_with(f"{_MODELS} --stage {stage}", known | more)


def _run(arguments: argparse.Namespace) -> int:
    from roller_mlir.tools.commands.suite.tables import print_suites

    if arguments.suite is None:
        print_suites(arguments.json)
        return 0
    if arguments.suite == _ROWS:
        return _rows(arguments)
    if arguments.suite == _VENDOR:
        from roller_mlir.tools.commands.suite.vendor import vendor_times

        return vendor_times(arguments)
    if arguments.suite == _MODELS:
        return run_models(arguments)
    operators = select(find_suite(arguments.suite), arguments.only)
    if arguments.write_mlir is not None:
        return _write(operators, Path(arguments.write_mlir), arguments.dtype)
    if arguments.tiles is not None:
        return _published(arguments, operators)
    if arguments.stage == "explain":
        return _explain(arguments, operators)
    if arguments.peers is not None:
        return run_peers(arguments, operators)

    return run_stage(arguments, operators)


def _rows(arguments: argparse.Namespace) -> int:
    from roller_mlir.evaluation.suites.stages.rows import predict_folder
    from roller_mlir.tools.commands.suite.tables import print_rows

    device = device_of(arguments)
    records = list(predict_folder(Path(arguments.data), device, check, _learned(arguments)))
    if arguments.json:
        print_json(records)
    else:
        print_rows(device.name, records)
    return 0


def _learned(arguments: argparse.Namespace) -> ResidualOptions:
    return ResidualOptions(**ResidualOptions.values_of(arguments))


def _published(arguments: argparse.Namespace, operators: Sequence[Operator]) -> int:
    from roller_mlir.evaluation.suites.stages.published import predict_tiles
    from roller_mlir.tools.commands.suite.tables import print_published

    device = device_of(arguments)
    records = predict_tiles(operators, device)
    if arguments.json:
        print_json(records)
    else:
        print_published(device.name, records)
    return 0


def _write(operators: Sequence[Operator], folder: Path, dtype: str | None) -> int:
    texts = {f"{operator.id}.mlir": function_text(operator, dtype) for operator in operators}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(folder / name, text)
    print_line(f"wrote {len(texts)} files to {folder}")
    return 0


def _explain(arguments: argparse.Namespace, operators: Sequence[Operator]) -> int:
    from roller_mlir.evaluation.suites.stages.each import Crew, each_operator
    from roller_mlir.evaluation.suites.stages.explain import explain_operator
    from roller_mlir.support.bindings import make_context
    from roller_mlir.tools.report.explain.text import plain_text

    device = device_of(arguments)
    options = ConstructOptions(top_k=arguments.top_k or CandidateOptions.top_k, **ChoiceOptions.values_of(arguments))
    records: list[dict[str, Any]] = []
    refused = 0

    with make_context() as context:

        def work(one: Operator) -> dict[str, Any]:
            found = explain_operator(one, device, context, options, dtype=arguments.dtype)
            data: Any = to_json(found)
            return {**operator_record(one), **data, "text": "" if arguments.json else plain_text(found)}

        for record in each_operator(operators, work, Crew(check=check)):
            text = record.pop("text", "")
            if arguments.json:
                records.append(record)
            elif "error" in record:
                print_error(f"roller: error: {record['id']}: {record['error']}")
            else:
                print_line(text)
            refused += "error" in record
    if arguments.json:
        print_json(records)
    return 1 if refused else 0
