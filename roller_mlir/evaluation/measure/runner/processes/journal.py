# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The journal `results.jsonl`: what is known at any moment, from which a later run goes on.

Its first line names the kit by its SHA-256. Then each run has a line for its machine, and each step one for its
outcome, which is on the disk before the next step begins. A last line that was cut off is dropped.
"""

import fcntl
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from roller_mlir.evaluation.measure.records import Check, Kit, MeasuredMachine, Results, Timing
from roller_mlir.evaluation.measure.runner.steps import StepOutcome
from roller_mlir.plan.records.codec import CodecError, from_json, to_json, to_text
from roller_mlir.support.foreign.bounded import read_json
from roller_mlir.support.foreign.reasons import reason_of

JOURNAL_NAME, RESULTS_NAME = "results.jsonl", "results.json"
_SCHEMA = 1
_MOST_BYTES, _PART_BYTES = 1 << 30, 1 << 20
_SAME = ("back_end", "device", "driver")
_Record = TypeVar("_Record", Check, Timing)


class JournalError(Exception):
    """The journal cannot be used; the text names the file."""


class Journal:
    """One journal, which only this process writes.

    Attributes:
        outcomes: By key of the step, in the order in which they were done.
        machines: One for each run.
    """

    def __init__(self, folder: Path, kit_sha256: str, *, fresh: bool = False) -> None:
        """Open or begin the journal of a folder.

        Args:
            folder: It is made if it is not there.
            kit_sha256: Of the kit's index.
            fresh: Whether what is there is given up.

        Raises:
            JournalError: It is of another kit, damaged, in use, or cannot be written.
        """
        self._path = folder / JOURNAL_NAME
        self.outcomes: dict[str, StepOutcome] = {}
        self.machines: list[MeasuredMachine] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise self._wrong(reason_of(error)) from error
        try:
            self._lock()
            if fresh:
                os.ftruncate(self._file, 0)
            self._read(kit_sha256)
        except OSError as error:
            os.close(self._file)
            raise self._wrong(reason_of(error)) from error
        except JournalError:
            os.close(self._file)
            raise

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def add_machine(self, machine: MeasuredMachine) -> None:
        """Note the machine of this run.

        Raises:
            JournalError: An earlier run was on another machine or with other libraries, or it cannot be written.
        """
        for before in self.machines[-1:]:
            known = [(name, getattr(before, name), getattr(machine, name)) for name in _SAME]
            known += [
                (name, before.versions[name], here)
                for name, here in machine.versions.items()
                if name in before.versions
            ]
            for name, theirs, mine in known:
                if mine != theirs:
                    raise self._wrong(
                        f"it is of another machine ({name} {theirs!r}, here {mine!r}); choose another folder with -o, "
                        "or give --fresh"
                    )
        self.machines.append(machine)
        self._write({"machine": to_json(machine)})

    def add(self, outcome: StepOutcome) -> None:
        """Note what came of a step; on return it is on the disk.

        Raises:
            JournalError: It cannot be written.
        """
        self.outcomes[outcome.step] = outcome
        self._write({"outcome": to_json(outcome)})

    def checks(self) -> dict[tuple[str, int], Check]:
        """Return the checks of this package's candidates, by item and rank."""
        found = [check for outcome in self.outcomes.values() for check in outcome.checks if check.who == "ours"]
        return {(check.item, check.rank): check for check in found}

    def results(self, kit: Kit, *, complete: bool) -> Results:
        """Return all that is known; of what was measured twice the later."""
        outcomes = list(self.outcomes.values())
        return Results(
            kit=kit,
            machine=replace(
                self.machines[-1],
                started="\n".join(one.started for one in self.machines),
                command="\n".join(one.command for one in self.machines),
            ),
            checks=_latest(check for outcome in outcomes for check in outcome.checks),
            timings=_latest(timing for outcome in outcomes for timing in outcome.timings),
            troubles=tuple(dict.fromkeys(trouble for outcome in outcomes for trouble in outcome.troubles)),
            complete=complete,
        )

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise self._wrong("another runner is writing it; wait for it, or choose another folder with -o") from error

    def _read(self, kit_sha256: str) -> None:
        size = os.fstat(self._file).st_size
        if size > _MOST_BYTES:
            raise self._wrong(f"it has {size} B, more than {_MOST_BYTES} B; give --fresh to begin anew")
        content = bytearray()
        while part := os.pread(self._file, _PART_BYTES, len(content)):
            content += part
        whole = content.rfind(b"\n") + 1
        if whole != len(content):
            os.ftruncate(self._file, whole)
        lines = content[:whole].splitlines()
        if not lines:
            self._write({"schema": _SCHEMA, "kit": kit_sha256})
            return
        for number, line in enumerate(lines, start=1):
            try:
                self._take(read_json(line), kit_sha256, first=number == 1)
            except (ValueError, RecursionError) as error:
                raise self._wrong(f"line {number} is damaged: {error}; give --fresh to begin anew") from error

    def _take(self, data: Any, kit_sha256: str, *, first: bool) -> None:
        record = cast(dict[str, Any], data) if isinstance(data, dict) else {}
        if first:
            if record.get("schema") != _SCHEMA or "kit" not in record:
                raise CodecError(f"it must name its kit and schema {_SCHEMA}")
            if record["kit"] != kit_sha256:
                raise self._wrong("it is of another kit; choose another folder with -o, or give --fresh")
        elif "machine" in record:
            self.machines.append(from_json(MeasuredMachine, record["machine"], "machine"))
        elif "outcome" in record:
            outcome = from_json(StepOutcome, record["outcome"], "outcome")
            self.outcomes[outcome.step] = outcome
        else:
            raise CodecError("it is neither a machine nor an outcome")

    def _write(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except OSError as error:
            raise self._wrong(reason_of(error)) from error

    def _wrong(self, reason: str) -> JournalError:
        return JournalError(f"cannot use journal {self._path}: {reason}")


def write_results(path: Path, results: Results) -> None:
    """Write results, whole or not at all.

    Raises:
        JournalError: They cannot be written; what was there before is unchanged.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(aside, "wb") as stream:
            stream.write(to_text(results).encode())
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(aside, path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise JournalError(f"cannot write {path}: {reason_of(error)}; the journal beside it has all") from error


def _latest(records: Iterable[_Record]) -> tuple[_Record, ...]:
    notes = ((record, record.note if isinstance(record, Timing) else "") for record in records)
    return tuple({(one.item, one.who, one.rank, note): one for one, note in notes}.values())
