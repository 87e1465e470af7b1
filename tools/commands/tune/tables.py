# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Winners of a measurement and the content of a tuning data base, as tables or JSON."""

from collections.abc import Mapping, Sequence

from roller_mlir.evaluation.measure.tune.winners import TuningDecision
from roller_mlir.plan.files.tuning import Found, TuningRecord
from roller_mlir.plan.records.codec import to_json
from roller_mlir.tools.console.output import print_json, print_line, print_tables, seconds

_WINNERS = ("operator", "model's choice", "winner", "gain", "rank", "checked against", "data base")
_RECORDS = ("line", "operator", "device", "measured", "model's choice", "rank", "date", "machine", "checked against")


def print_decisions(
    path: str, decisions: Sequence[TuningDecision], before: Mapping[str, TuningRecord], *, json: bool
) -> None:
    """Print what came of a measurement.

    Args:
        path: The data base.
        decisions: One an operator.
        before: What stood in the data base for their keys.
        json: Whether as JSON.
    """
    if json:
        print_json([_decision_record(one, before) for one in decisions])
        return
    rows: list[Sequence[str]] = []
    for one in decisions:
        if one.record is not None:
            rows.append(_winner_row(one, one.record, before.get(one.record.key)))
    if rows:
        machine = next(one.record.machine for one in decisions if one.record is not None)
        print_tables([(f"Measured on {machine}", _WINNERS, rows)])
    for one in decisions:
        if one.record is None:
            print_line(f"{'no winner' if one.tunable else 'left out'}: {one.item.title}: {one.reason}")
    changed = sum(1 for one in decisions if one.record is not None and _fate(one.record, before) != "kept")
    missing = sum(1 for one in decisions if one.record is None and one.tunable)
    left_out = sum(1 for one in decisions if not one.tunable)
    kept = f"{len(rows) - changed} kept, {missing} without a winner, {left_out} left out"
    print_line(f"{path}: {changed} records written, {kept}")


def print_records(path: str, records: Mapping[str, Found], *, json: bool) -> None:
    """Print a data base."""
    if json:
        print_json([{"line": found.line, **_plain(found.record)} for found in records.values()])
        return
    rows = [_record_row(found) for found in records.values()]
    print_tables([(path, _RECORDS, rows)] if rows else [])
    print_line(f"{path}: {len(rows)} operators")


def _winner_row(decision: TuningDecision, record: TuningRecord, before: TuningRecord | None) -> Sequence[str]:
    rank = f"{record.rank} of {record.of}" + (f": {decision.reason}" if decision.reason else "")
    fate = {"new": "new", "kept": "keeps", "faster": "replaces"}[
        _fate(record, {} if before is None else {before.key: before})
    ]
    shown = fate if before is None else f"{fate} {seconds(before.measured_s)}"
    return (
        record.op,
        "-" if record.default_s is None else seconds(record.default_s),
        seconds(record.measured_s),
        "-" if decision.gain is None else f"{decision.gain:.2f}x",
        rank,
        record.checked or "-",
        shown,
    )


def _fate(record: TuningRecord, before: Mapping[str, TuningRecord]) -> str:
    """Say what became of a record: "new", "faster" than the one that stood there, or the old one was "kept"."""
    old = before.get(record.key)
    if old is None:
        return "new"
    return "faster" if record.order < old.order else "kept"


def _decision_record(decision: TuningDecision, before: Mapping[str, TuningRecord]) -> dict[str, object]:
    record = decision.record
    return {
        "id": decision.item.id,
        "op": decision.item.title,
        "reason": decision.reason,
        "tunable": decision.tunable,
        "gain": decision.gain,
        "data_base": None if record is None else _fate(record, before),
        "record": None if record is None else _plain(record),
    }


def _plain(record: TuningRecord) -> dict[str, object]:
    data: object = to_json(record)
    assert isinstance(data, dict)
    return {str(key): value for key, value in data.items()}


def _record_row(found: Found) -> Sequence[str]:
    record = found.record
    return (
        str(found.line),
        record.op,
        record.device,
        seconds(record.measured_s),
        "-" if record.default_s is None else seconds(record.default_s),
        f"{record.rank} of {record.of}",
        record.date[:10],
        record.machine,
        record.checked or "-",
    )
