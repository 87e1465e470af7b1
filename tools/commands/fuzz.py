# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile random linalg functions, run them in the simulator, compare the results with numpy.

  roller fuzz --count 300 --seed 1
  roller fuzz --count 1000 --seed 1 --target h200,mi300x --jobs 2 --keep failures
  roller fuzz --count 2000 --seed 1 --only 'matrix*'       products and convolutions for matrix units
  roller fuzz --seed 1 --case 17 --target h200             one case again: its text, and what becomes of it
  roller fuzz --count 10000 --seed 4 --limits docs/reference/limits.md
  roller fuzz --count 1000 --seed 1 --oracle iree --no-kernels    numpy itself compared with IREE's llvm-cpu
  roller fuzz --count 300 --seed 1 --only 'whole numbers'   divisions, shifts and bits; drawn where asked for alone

A case is told by the seed and its number alone. It holds where the results equal numpy's (to the bit where whole
numbers allow it, within its bounds elsewhere), and where the program is refused at a place and for a reason
that is known. Everything else fails: a wrong result, a fault that the simulator finds, an exception, a process that
dies or does not end. Failures are shrunk; --keep writes them as .mlir files.

--oracle iree compares the numpy reference with what IREE's compiler for this processor makes of the same program: the
two share no code. What IREE refuses or dies of is counted as unanswered, as are differences that are known and right.
"""

import argparse
from fnmatch import filter as matching
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.evaluation.fuzz.options import CampaignOptions
from roller_mlir.hal import find_device
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.console.arguments import add_options, positive
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import check_place, print_json, print_line, print_tables, seconds, write_whole

if TYPE_CHECKING:
    from roller_mlir.evaluation.fuzz.campaign import Campaign, CampaignTally, FailedCase

_TARGETS = ("h200", "mi300x", "v100", "a100")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--count", type=positive, default=300, metavar="N", help="cases (300)")
    add_options(parser, CampaignOptions, "seed", "jobs", "keep")
    parser.add_argument("--first", type=_natural, default=0, metavar="K", help="number of the first case (0)")
    parser.add_argument("--case", type=_natural, metavar="K", help="only this case, and print its program")
    parser.add_argument(
        "--target", type=_names, default=_TARGETS, metavar="DEVICE,...", help=f"in turn ({','.join(_TARGETS)})"
    )
    parser.add_argument(
        "--only", type=_kinds, default=(), metavar="KIND,...", help="kinds of programs or patterns, such as 'matrix*'"
    )
    parser.add_argument("--limits", metavar="FILE", help="write the page of limits and of reasons of refusals")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--oracle", choices=("numpy", "iree"), default="numpy", help="compare numpy with IREE too (numpy)"
    )
    add_options(parser, CampaignOptions, "kernels")
    add_options(parser.add_argument_group("how"), CampaignOptions, "case_timeout_s", "shrink_s", "sanitize", "llvm")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.evaluation.fuzz.campaign import Campaign, run_campaign

    for name in arguments.target:
        find_device(name).require_compiles()
    if arguments.case is not None and arguments.limits:
        raise UsageError("--limits tells of many cases, but got --case")
    if not arguments.kernels and arguments.oracle == "numpy":
        raise UsageError("--no-kernels leaves nothing to try; give --oracle iree too")
    _check_places(arguments)
    first = arguments.first if arguments.case is None else arguments.case
    campaign = Campaign(
        **CampaignOptions.values_of(arguments),
        numbers=range(first, first + (arguments.count if arguments.case is None else 1)),
        targets=arguments.target,
        only=arguments.only,
        oracle="" if arguments.oracle == "numpy" else arguments.oracle,
    )
    if arguments.case is not None and not arguments.json:
        _show(campaign, arguments.case)
    tally = run_campaign(campaign, check, _say if not arguments.json else lambda _: None)
    if arguments.limits:
        _write_limits(arguments, campaign, tally)
    if arguments.json:
        print_json(_record(campaign, tally))
    else:
        if campaign.kernels:
            _report(tally)
        if tally.oracle is not None:
            _report_oracle(tally.oracle)
    return 0 if tally.holds else 1


def _check_places(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be written to before hours of work, not after them."""
    if arguments.limits:
        check_place(Path(arguments.limits))
    if arguments.keep is not None:
        try:
            arguments.keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = reason_of(error)
            raise InputError(f"failures cannot be kept in {arguments.keep}: {reason}") from None


def _show(campaign: "Campaign", number: int) -> None:
    from roller_mlir.evaluation.fuzz.case import job_of

    case = campaign.case(number)
    print_line(f"// {case.kind}, {case.target}, {case.values}, {case.forced}\n{job_of(case).text}")


def _say(failure: "FailedCase") -> None:
    from roller_mlir.evaluation.fuzz.case import command_of, job_of

    case = failure.case
    where = f" ({failure.path})" if failure.path else ""
    print_error(f"roller: error: case {case.number}: {failure.outcome.status}: {failure.after.message}")
    print_error(f"  reproduce: {command_of(case)}{where}")
    if failure.path is None:
        print_error("\n".join(f"  | {line}" for line in job_of(failure.shrunk).text.splitlines()))


def _record(campaign: "Campaign", tally: "CampaignTally") -> dict[str, Any]:
    return {
        "seed": campaign.seed,
        "first": campaign.numbers.start,
        "count": len(campaign.numbers),
        "targets": list(campaign.targets),
        "holds": tally.holds,
        "statuses": dict(tally.statuses),
        "refusals": [
            {"reason": reason, "count": count, "example": command, "message": message}
            for reason, (count, command, message) in sorted(tally.refusals.items())
        ],
        "kinds": {name: {"tried": tried, "held": held} for name, (tried, held) in sorted(tally.kinds.items())},
        "types": {name: {"tried": tried, "held": held} for name, (tried, held) in sorted(tally.types.items())},
        "instructions": {name: {"tried": tried, "held": held} for name, (tried, held) in tally.instructions.items()},
        "failures": [failure.record() for failure in tally.failures],
        "wall_s": tally.wall_s,
        "oracle": None if tally.oracle is None else _oracle_record(campaign, tally.oracle),
    }


def _oracle_record(campaign: "Campaign", tally: "CampaignTally") -> dict[str, Any]:
    return {
        "name": campaign.oracle,
        "statuses": dict(tally.statuses),
        "unanswered": [
            {"reason": reason, "count": count, "example": command, "message": message}
            for reason, (count, command, message) in sorted(tally.unanswered.items())
        ],
        "failures": [failure.record() for failure in tally.failures],
        "wall_s": tally.wall_s,
    }


def _report(tally: "CampaignTally") -> None:
    refused = sorted(tally.refusals.items(), key=lambda one: -one[1][0])
    counted = (
        ("Programs", "kind", tally.kinds),
        ("Types", "type", tally.types),
        ("Instructions of their kernels", "device and family", tally.instructions),
    )
    tables: list[Any] = [
        (title, (what, "tried", "held"), [(n, str(t), str(h)) for n, (t, h) in sorted(table.items())])
        for title, what, table in counted
    ]
    if refused:
        rows = [(reason, str(count), message, command) for reason, (count, command, message) in refused]
        tables.append(("Refused", ("reason", "cases", "an example", "reproduce"), rows))
    print_tables(tables)
    median = sorted(a + b for a, b in zip(tally.compile_s, tally.run_s, strict=True))
    time = f"; a case takes {seconds(median[len(median) // 2])} (median)" if median else ""
    print_line(f"{_counted(tally)}{time}")
    print_line(f"{len(tally.failures)} failed" if tally.failures else "all hold")


def _report_oracle(tally: "CampaignTally") -> None:
    rows = [(reason, str(count), message, command) for reason, (count, command, message) in tally.unanswered.items()]
    if rows:
        print_tables([("Unanswered by IREE's llvm-cpu", ("reason", "cases", "an example", "reproduce"), rows)])
    print_line(f"numpy and IREE's llvm-cpu: {_counted(tally)}")
    print_line(f"{len(tally.failures)} contradict each other" if tally.failures else "none contradicts the other")


def _counted(tally: "CampaignTally") -> str:
    total = sum(tally.statuses.values())
    parts = ", ".join(f"{count} {status}" for status, count in sorted(tally.statuses.items()))
    return f"{total} case{'s' * (total != 1)} in {seconds(tally.wall_s)}: {parts}"


def _write_limits(arguments: argparse.Namespace, campaign: "Campaign", tally: "CampaignTally") -> None:
    from roller_mlir.evaluation.fuzz.limits import limits_page

    command = f"roller fuzz --count {arguments.count} --seed {campaign.seed}"
    if campaign.only:
        command += f" --only '{','.join(campaign.only)}'"
    if campaign.targets != _TARGETS:
        command += f" --target {','.join(campaign.targets)}"
    path = Path(arguments.limits)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    write_whole(path, limits_page(tally, f"{command} --limits {arguments.limits}", before))


def _natural(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 0, but got '{text}'")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if not names:
        raise argparse.ArgumentTypeError(f"must name devices as in h200,mi300x, but got '{text}'")
    return names


def _kinds(text: str) -> tuple[str, ...]:
    from roller_mlir.evaluation.fuzz.generate import KINDS

    patterns = tuple(part.strip() for part in text.split(",") if part.strip())
    unknown = [one for one in patterns if not matching(KINDS, one)]
    if unknown or not patterns:
        got = unknown[0] if unknown else text
        raise argparse.ArgumentTypeError(f"must name kinds of programs ({', '.join(KINDS)}), but got '{got}'")
    return patterns
