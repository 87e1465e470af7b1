# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite NAME --stage verify`: every plan executed by the simulator and compared with numpy.

roller suite roller119 --target v100,a100,h200,mi300x --stage verify --jobs 2 --json > verified.json
roller suite roller119 --target v100,a100,h200,mi300x --stage verify --sample 7/40
roller suite roller119 --target h200 --dtype f16 --stage verify --top-k 10
"""

import argparse
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.evaluation.suites import Operator
from roller_mlir.hal import find_device
from roller_mlir.model.options import ChoiceOptions
from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.commands.suite.jobs import crew_of, exit_code
from roller_mlir.tools.console.errors import UsageError
from roller_mlir.tools.console.output import print_json, print_line, print_tables
from roller_mlir.tools.console.targets import targets_of

Record = dict[str, Any]


def sample_numbers(text: str) -> tuple[int, int]:
    """Parse I/N."""
    number, slash, count = text.partition("/")
    if not slash or not all(part.isascii() and part.isdigit() and len(part) < 7 for part in (number, count)):
        raise argparse.ArgumentTypeError(f"must be I/N as in 7/40, but got '{text}'")
    if not int(number) < int(count):
        raise argparse.ArgumentTypeError(f"must be I/N with I from 0 to N - 1, but got '{text}'")
    return int(number), int(count)


def verify(arguments: argparse.Namespace, operators: Sequence[Operator]) -> int:
    """Run the stage; 1 where anything is refused or does not match."""
    from roller_mlir.evaluation.measure.tune.candidate_stage import verify_ranked
    from roller_mlir.evaluation.suites.stages.verify import verify_operator
    from roller_mlir.evaluation.suites.stages.verify_all import Sample, verify_pairs

    targets = targets_of(arguments)
    if not targets:
        raise UsageError(f"--target must name a device, but got '{arguments.target}'")
    for target in targets:
        find_device(target).require_compiles()
    pairs = [(operator, target) for target in targets for operator in operators]
    if arguments.sample is not None:
        number, count = arguments.sample
        pairs = Sample(number=number, of=count).take(operators, targets)
    options = CompileOptions(**ChoiceOptions.values_of(arguments))
    stage = verify_operator if arguments.top_k is None else partial(verify_ranked, top_k=arguments.top_k)
    begun = time.perf_counter()
    with crew_of(arguments, len(pairs), "verify") as crew:
        records = list(verify_pairs(pairs, options, dtype=arguments.dtype, crew=crew, stage=stage))
    if arguments.json:
        print_json(records)
    else:
        _print([each for record in records for each in _each(record)], time.perf_counter() - begun)
    return exit_code(records)


def _each(record: Record) -> list[Record]:
    """Return a record for each candidate, of one alone the record itself."""
    if "candidates" not in record:
        return [record]
    return [{"target": record["target"], **one, "id": f"{record['id']}.{one['rank']}"} for one in record["candidates"]]


def _print(records: Sequence[Record], seconds: float) -> None:
    good = [record for record in records if "error" not in record]
    header = (
        "id",
        "target",
        "extents",
        "points",
        "against numpy",
        "error of permitted",
        "bytes",
        "sectors",
        "phases",
        "run",
    )
    title = "Full-size plans run in the simulator; sectors and phases: counted over planned, the worst"
    if good:
        print_tables([(title, header, [_row(record) for record in good])])
    wrong = [f"{record['id']} on {record['target']}" for record in good if not record["matches"]]
    verdict = f"do not match numpy: {', '.join(wrong)}" if wrong else "all match numpy" if good else "none matches"
    refused = len(records) - len(good)
    print_line(
        f"{len(good)} plans verified in {seconds:.0f} s: {verdict}{f'; {refused} were refused' if refused else ''}"
    )
    for record in records:
        if "error" in record:
            print_error(f"roller: error: {record['id']} on {record['target']}: {record['error']}")


def _row(record: Record) -> Sequence[str]:
    extents = ["x".join(map(str, one["extents"])) + ("*" if one["reduced"] else "") for one in record["programs"]]
    return (
        record["id"],
        record["target"],
        " then ".join(extents) or "whole",
        f"{record['points']:,}",
        "equal" if record["equal"] else "within bounds" if record["matches"] else "differs",
        f"{record['max_error']:.2f}",
        "exact" if record["bytes_exact"] else "differ",
        f"{record['sectors_ratio']:.3f}",
        f"{record['phases_ratio']:.3f}",
        f"{record['compile_s'] + record['run_s']:.2f} s",
    )
