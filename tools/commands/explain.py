# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Show how an operator is planned, and why: alignment, enlargement, the first K programs, prediction, roofline.

roller explain matmul.mlir --target h200                       every operator of the function, in the terminal
roller explain matmul.mlir --op matmul_0 --html matmul.html    one of them, as a page for a browser
roller explain matmul.mlir --target v100 --json                all of it as data; docs/reference/explain.md has the keys
roller explain matmul.mlir --disabled-rule memory-bank         without an alignment rule, to see what it is worth
roller explain matmul.mlir --instruction fma --max-units 16    on part of a device, with some of its instructions
roller explain matmul.mlir --tuning tuning.jsonl               and the measured plan that the compiler takes with it
roller explain model.mlir --persistent                         the schedule of one kernel of all programs instead

Times are predictions of the model, no measurements, but for those that a tuning data base tells.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.model import ConstructionError, ConstructOptions
from roller_mlir.model.explain.decision import explain
from roller_mlir.model.explain.explanation import Explanation
from roller_mlir.model.options import CandidateOptions, ChoiceOptions, FusionOptions, PlanFileOptions, ResidualOptions
from roller_mlir.plan.records.codec import to_json
from roller_mlir.rammer.options import PlacingOptions
from roller_mlir.support.standard_output import writing_output
from roller_mlir.tools.commands.compile.command import check_persistent, open_source
from roller_mlir.tools.console.arguments import add_options, given_flags, named_flags
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import print_json, print_line, write_whole
from roller_mlir.tools.console.targets import add_target_arguments, device_of, target_of

if TYPE_CHECKING:
    from roller_mlir.compiler.source import Source
    from roller_mlir.tools.report.explain.operators import SourceOperator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="MLIR text or bytecode; - reads the standard input")
    add_target_arguments(parser)
    add_options(parser, CompileOptions, "entry")
    parser.add_argument("--op", metavar="NAME", help="program to explain, such as matmul_0; by default all")
    add_options(parser, CandidateOptions)
    parser.add_argument("--json", action="store_true", help="print JSON, an array of one object per operator")
    parser.add_argument("--html", metavar="OUT.html", help="write one self-contained page")
    add_options(parser, FusionOptions, "fusion", "channels_last")
    group = parser.add_argument_group("what the construction may do")
    add_options(group, ChoiceOptions)
    add_options(group, PlanFileOptions, "tuning")
    add_options(group, ResidualOptions)
    group = parser.add_argument_group("the schedule of one persistent kernel, instead of operators' plans")
    add_options(group, CompileOptions, "persistent")
    add_options(group, PlacingOptions)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.html is not None and not Path(arguments.html).name:
        raise UsageError(f"--html must name a file to write, but got '{arguments.html}'")
    if arguments.html is not None and Path(arguments.html).is_dir():
        raise InputError(f"{arguments.html} cannot be written: is a directory")
    _check_persistent(arguments)
    device = device_of(arguments)
    source = open_source(arguments)
    if arguments.persistent:
        return _explain_schedule(source, arguments)
    from roller_mlir.tools.report.explain.operators import read_operators
    from roller_mlir.tools.report.explain.tuned import tuned_plans

    joined = {"fusion": arguments.fusion, "channels_last": arguments.channels_last}
    operators = read_operators(source, target_of(arguments), arguments.entry, **joined)
    if arguments.op is not None:
        names = [one.name for one in operators]
        if arguments.op not in names:
            raise InputError(
                f"{source.name}: no program is named '{arguments.op}'; the programs are {', '.join(names)}"
            )
        operators = [one for one in operators if one.name == arguments.op]
    known: dict[object, Explanation] = {}  # equal operators are planned alike
    for one in operators:
        if _what(one) not in known:
            known[_what(one)] = _explained(one, device, arguments)
    explained = [(one, replace(known[_what(one)], name=one.name)) for one in operators]
    tuned = tuned_plans(arguments.tuning, operators, device, ChoiceOptions.values_of(arguments))
    if arguments.html:
        from roller_mlir.tools.report.explain.page import page

        text = page(source.name, [(_heading(one, source.name, tuned), found) for one, found in explained])
        check()
        write_whole(Path(arguments.html), text)
    _print(explained, source.name, arguments, tuned)
    return 0


def _check_persistent(arguments: argparse.Namespace) -> None:
    check_persistent(arguments)
    if arguments.persistent and (
        given := sorted(named_flags(arguments, "op", "html") | given_flags(arguments, CandidateOptions))
    ):
        raise UsageError(f"{', '.join(given)}: --persistent explains a schedule, not operators; leave out one of them")


def _explain_schedule(source: "Source", arguments: argparse.Namespace) -> int:
    from roller_mlir.tools.report.explain.schedule import explain_schedule, print_schedule
    from roller_mlir.tools.report.explain.text import plain_lines

    options = CompileOptions(**CompileOptions.values_of(arguments))
    found = explain_schedule(source, target_of(arguments), options)
    if arguments.json:
        print_json(to_json(found))
        return 0
    print_line(plain_lines(lambda console: print_schedule(found, console, plain=True)))
    return 0


def _what(operator: "SourceOperator") -> object:
    """Return what an operator is planned by: those that are equal in it have equal plans."""
    return operator.expression, operator.joined, operator.source_extents, operator.constants, operator.finite


def _heading(operator: "SourceOperator", name: str, tuned: dict[str, str]) -> str:
    """Return where an operator stands, and the measured plan that the compiler takes for it, if there is one."""
    note = f"; the compiler takes a {tuned[operator.name]}" if operator.name in tuned else ""
    return place(operator, name) + note


def _explained(operator: "SourceOperator", device: Any, arguments: argparse.Namespace) -> Explanation:
    from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic

    options = ConstructOptions(**ConstructOptions.values_of(arguments))
    if device.vector_bytes is not None:
        options = replace(options, constants=operator.constants, finite=operator.finite)
    try:
        return explain(
            operator.expression,
            device,
            options,
            name=operator.name,
            families=FAMILIES,
            source_extents=operator.source_extents,
        )
    except ConstructionError as error:
        raise DiagnosedError([Diagnostic("error", f"'{operator.name}' {error}", operator.place)]) from None


def place(operator: "SourceOperator", name: str) -> str:
    """Return where an operator stands, for people: file, line and function."""
    at = operator.place
    line = "" if at is None else f", {at.name}" if at.name else f":{at.line}"
    return f"{name}{line}, function {operator.function}"


def _print(
    explained: "list[tuple[SourceOperator, Explanation]]",
    name: str,
    arguments: argparse.Namespace,
    tuned: dict[str, str],
) -> None:
    if arguments.json:
        records = [json_record(one, found, name) for one, found in explained]
        if arguments.tuning is not None:
            records = [{**record, "tuned": tuned.get(record["name"])} for record in records]
        print_json(records)
        return
    if arguments.html:
        count = f"{len(explained)} operator{'s' if len(explained) > 1 else ''}"
        print_line(f"wrote {arguments.html} ({count})")
        return

    from roller_mlir.tools.console.printable import PrintableConsole
    from roller_mlir.tools.report.explain.text import plain_text, print_explanation

    with writing_output():
        terminal = sys.stdout.isatty() and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    first: dict[object, str] = {}
    for operator, found in explained:
        print_line(_heading(operator, name, tuned))
        if first.setdefault(_what(operator), operator.name) != operator.name:
            print_line(f"{operator.name} is planned as {first[_what(operator)]}\n")
            continue
        if not terminal:
            print_line(plain_text(found))
            continue
        with writing_output():
            print_explanation(found, PrintableConsole(highlight=False), plain=False)


def json_record(operator: "SourceOperator", found: Explanation, name: str) -> dict[str, Any]:
    """Return one operator's data: file, line, function, and the fields of `Explanation`."""
    data: Any = to_json(found)
    line = operator.place.line or None if operator.place is not None else None
    return {"file": name, "line": line, "function": operator.function, **data}
