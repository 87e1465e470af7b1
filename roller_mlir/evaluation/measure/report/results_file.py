# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what a runner brought back, `results.json`: bounded, schema-checked, several files of one machine as one.

A file may be a stranger's: it is only ever data, and every error names the file and the path of the value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TypeVar, cast

from roller_mlir.evaluation.measure.records import (
    KIT_SCHEMA,
    RESULTS_SCHEMA,
    Check,
    Item,
    MeasuredMachine,
    Results,
    Timing,
)
from roller_mlir.plan.records.codec import CodecError, from_json
from roller_mlir.support.foreign.bounded import BoundsError, read_json
from roller_mlir.support.foreign.reasons import reason_of

MAX_RESULTS_BYTES = 128 << 20
"""The largest file that is read. The plans of 10 candidates of 1000 operators are 40 MB."""

RESULTS_NAME = "results.json"

_MOST_WORK = 1 << 62
_LONGEST = 300
_Record = TypeVar("_Record", Check, Timing)


class ResultsError(ValueError):
    """Results cannot be read or do not belong together; the text begins with the file."""


def read_results(path: str | PathLike[str], *, most_bytes: int = MAX_RESULTS_BYTES) -> Results:
    """Read one file.

    Args:
        path: The file, or the folder with a `results.json` in it.
        most_bytes: The largest file that is read.

    Raises:
        ResultsError: It is missing, too large, no JSON, of another schema, or says what cannot be.
    """
    file = Path(path)
    if file.is_dir():
        file /= RESULTS_NAME
    return loads_results(_content(file, most_bytes), str(file))


def loads_results(content: bytes, name: str) -> Results:
    """Read the content of a file.

    Args:
        content: The bytes.
        name: What errors call the file.

    Raises:
        ResultsError: It is no JSON, of another schema, or says what cannot be.
    """
    try:
        data = read_json(content)
    except BoundsError as error:
        raise ResultsError(f"{name}: {error}{_journal(content) if 'not JSON' in str(error) else ''}") from None
    try:
        _check_schema(data)
        results = from_json(Results, data)
        _check(results)
    except CodecError as error:
        raise ResultsError(f"{name}: {_line(str(error))}") from None
    except OverflowError:
        raise ResultsError(f"{name}: a number is too large for a float") from None
    except RecursionError:
        raise ResultsError(f"{name}: nested too deeply") from None
    return results


def read_merged(paths: Sequence[str | PathLike[str]]) -> Results:
    """Read files of one kit and machine as one.

    Raises:
        ResultsError: A file cannot be read, or is of another kit or machine than the first.
    """
    return merge_results([(str(path), read_results(path)) for path in paths])


def merge_results(named: Sequence[tuple[str, Results]]) -> Results:
    """Put results of one kit and machine together; the later start completes and replaces the earlier one.

    A result that was wrong once stays wrong, whatever a later run says.

    Args:
        named: Names for errors, and results; at least one.

    Raises:
        ResultsError: They are of several kits or machines.
    """
    if not named:
        raise ValueError("at least one Results is merged, but got none")
    for place, (name, later) in enumerate(named):
        for other_name, other in named[:place]:
            difference = _difference(other, later)
            if difference:
                raise ResultsError(
                    f"{name}: of {difference} than {other_name}; results of several kits or machines are reported apart"
                )
    ordered = sorted((one for _, one in named), key=lambda one: one.machine.started)
    return Results(
        kit=ordered[0].kit,
        machine=_machine([one.machine for one in ordered]),
        checks=tuple(_latest(check for one in ordered for check in one.checks)),
        timings=tuple(_latest(timing for one in ordered for timing in one.timings)),
        troubles=tuple(dict.fromkeys(trouble for one in ordered for trouble in one.troubles)),
        lost=tuple({lost.family: lost for one in ordered for lost in one.lost}.values()),
        complete=any(one.complete for one in ordered),
    )


def commands_of(machine: MeasuredMachine) -> list[tuple[str, str]]:
    """Return start and command of each run that these results are of; those of merged ones stand line by line."""
    started, commands = machine.started.split("\n"), machine.command.split("\n")
    if len(started) == len(commands):
        return list(zip(started, commands, strict=True))
    return [(" ".join(started), " ".join(commands))]


def _line(text: str) -> str:
    """Return a message that quotes a stranger's text as one line of what can be printed."""
    shown = "".join(one if one.isprintable() else "?" for one in text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def _content(file: Path, most_bytes: int) -> bytes:
    try:
        if file.exists() and not file.is_file():
            raise ResultsError(f"{file}: not a file of results: neither a file nor a folder")
        with file.open("rb") as stream:
            content = stream.read(most_bytes + 1)
    except OSError as error:
        raise ResultsError(f"{file}: {reason_of(error)}") from None
    except ValueError as error:
        raise ResultsError(f"{str(file)!r}: {error}") from None
    if len(content) > most_bytes:
        raise ResultsError(f"{file}: more than {most_bytes} bytes, which no results need; is it the runner's?")
    return content


def _journal(content: bytes) -> str:
    """Say what to do with the runner's journal, which has a record in each line."""
    lines = content.split(b"\n", 2)
    if len(lines) > 1 and lines[0].startswith(b"{") and lines[0].endswith(b"}"):
        return "; of a journal (results.jsonl) the runner makes results.json: call it again with its folder"
    return ""


def _check_schema(data: object) -> None:
    kit = cast(dict[str, object], data).get("kit") if isinstance(data, dict) else None
    for where, record, version in (("schema", data, RESULTS_SCHEMA), ("kit.schema", kit, KIT_SCHEMA)):
        if isinstance(record, dict):
            found = cast(dict[str, object], record).get("schema", version)
            if found != version:
                shown = repr(found)
                raise CodecError(f"{where}: this release reads version {version}, but got {shown[:40]}")


def _check(results: Results) -> None:
    """Check what the types do not say: names are unique, and what is measured is in the kit."""
    items: dict[str, Item] = {}
    for number, item in enumerate(results.kit.items):
        where = f"kit.items[{number}]"
        if item.id in items:
            raise CodecError(f"{where}.id: expected an id of its own, but got {item.id!r} twice")
        if not item.candidates:
            raise CodecError(f"{where}.candidates: expected at least one candidate, but got none")
        if len({one.rank for one in item.candidates}) != len(item.candidates):
            raise CodecError(f"{where}.candidates: expected a rank of its own for each, but got one twice")
        for name, work in (("flops", item.flops), ("least_bytes", item.least_bytes)):
            if work > _MOST_WORK:
                raise CodecError(f"{where}.{name}: expected an integer of at most {_MOST_WORK}, but got more")
        items[item.id] = item
    probes = [probe.name for probe in results.kit.probes]
    if len(set(probes)) != len(probes):
        raise CodecError("kit.probes: expected a name of its own for each, but got one twice")
    for name, records in (("checks", results.checks), ("timings", results.timings)):
        for number, record in enumerate(records):
            where = f"{name}[{number}]"
            if record.who == "probe":
                if record.item not in probes:
                    raise CodecError(f"{where}.item: expected a probe of the kit, but got {record.item!r}")
            elif record.item not in items:
                raise CodecError(f"{where}.item: expected an item of the kit, but got {record.item!r}")
            elif record.who == "ours" and all(record.rank != one.rank for one in items[record.item].candidates):
                raise CodecError(f"{where}.rank: expected a candidate of {record.item!r}, but got {record.rank}")


def _difference(one: Results, other: Results) -> str:
    """Say in what two results differ that may not, "" where they belong together."""
    for name in ("target", "created", "compiler", "command"):
        if getattr(one.kit, name) != getattr(other.kit, name):
            return f"another kit ({name} {getattr(other.kit, name)!r}, not {getattr(one.kit, name)!r})"
    if one.kit != other.kit:
        return "another kit of the same date (its items, probes or plans differ)"
    for name in ("back_end", "device", "driver"):
        if getattr(one.machine, name) != getattr(other.machine, name):
            return f"another machine ({name} {getattr(other.machine, name)!r}, not {getattr(one.machine, name)!r})"
    mine, theirs = one.machine.versions, other.machine.versions
    for name in sorted(mine.keys() & theirs.keys()):
        if mine[name] != theirs[name]:
            return f"another machine ({name} {theirs[name]!r}, not {mine[name]!r})"
    return ""


def _machine(machines: Sequence[MeasuredMachine]) -> MeasuredMachine:
    versions: dict[str, str] = {}
    facts: dict[str, int | float | str] = {}
    for machine in machines:
        versions |= machine.versions
        facts |= machine.facts
    runs = sorted(dict.fromkeys(run for machine in machines for run in commands_of(machine)))
    if len(runs) == 1:
        return replace(machines[-1], versions=versions, facts=facts)
    started, command = ("\n".join(column) for column in zip(*runs, strict=True))
    return replace(machines[-1], started=started, command=command, versions=versions, facts=facts)


def _latest(records: Iterable[_Record]) -> list[_Record]:
    """Keep the last record of each measurement, at the place of the first; a wrong result is kept before any other."""
    kept: dict[tuple[str, str, int, str], _Record] = {}
    for record in records:
        note = record.note if isinstance(record, Timing) else ""
        key = record.item, record.who, record.rank, note
        before = kept.get(key)
        if isinstance(before, Check) and not before.ok and before.error is not None:
            continue
        kept[key] = record
    return list(kept.values())
