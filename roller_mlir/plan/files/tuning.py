# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuning data base: measured plans, one a line, in a text file that people read and git merges.

A line is one JSON object with its keys in a fixed order, what a reader looks for first and the plan last:

    {"schema": 1, "key": "0f3a...", "device": "h200", "op": "matmul 256x256 f32, ...", "measured_s": 1.23e-05, ...}

Lines stand in the order of their keys, and each says for itself which schema it has: there is no head that a merge
could lose or double. So lines that two branches add are merged by git as any text (`*.jsonl merge=union` in
.gitattributes spares even the conflicts of neighbours), and two files joined by `cat` are a data base. Of several lines
with one key the least time wins, of equal times the later date; `merged` leaves that one. A line that cannot be read is
an error that names file, line and column: none is skipped.

Times are measured on the device, by CUDA or HIP events; none is a prediction or the simulator's.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from os import PathLike, fspath
from types import MappingProxyType
from typing import Annotated, Any

from roller_mlir.plan.files.tuning_key import DIGITS, compact
from roller_mlir.plan.plan import Plan
from roller_mlir.plan.records.codec import CodecError, JsonValue, Range, from_json, to_json
from roller_mlir.support.foreign.bounded import BoundsError, read_bytes, read_json
from roller_mlir.support.foreign.reasons import reason_of

SCHEMA = 1
MOST_BYTES = 1 << 28
"""Bytes of a file at most; a line is 1 to 2 KB."""

_MOST_TEXT = 1000
_KEY = re.compile(rf"[0-9a-f]{{{DIGITS}}}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:\d{2})?)?")
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*")
_MARKERS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class TuningError(ValueError):
    """A tuning data base that cannot be read; the message names the file, the line and the column."""


@dataclass(frozen=True, kw_only=True)
class TuningRecord:
    """The fastest plan that was measured for one operator on one device.

    Attributes:
        schema: `SCHEMA`.
        key: From `tuning_key`.
        device: The device's name, for which the plan is.
        op: The operator, for people.
        measured_s: Median time, in seconds.
        p10_s: Tenth percentile of the samples.
        p90_s: Ninetieth percentile.
        samples: How many.
        default_s: Median time of the model's own first choice in the same run; None where it has none.
        rank: Place of the plan in the model's order, 0 for its first choice.
        of: How many candidates were tried.
        predicted_s: What the model expected of the plan; a prediction.
        date: When it was measured, ISO 8601, UTC.
        machine: The device as its driver names it.
        driver: Version of the driver.
        command: How it was measured.
        compiler: Version of this package that made the kernel.
        checked: What the kernel's result was compared with.
        plan: The whole plan, with `split` where a reduction is divided, without predictions.
    """

    schema: int = SCHEMA
    key: str
    device: str
    op: str
    measured_s: float
    p10_s: float
    p90_s: float
    samples: Annotated[int, Range(1)]
    default_s: float | None = None
    rank: Annotated[int, Range(0)] = 0
    of: Annotated[int, Range(1)] = 1
    predicted_s: float | None = None
    date: str
    machine: str
    driver: str = ""
    command: str = ""
    compiler: str = ""
    checked: str = ""
    plan: Plan

    def __post_init__(self) -> None:
        if self.schema != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA}, but got {self.schema}; update roller, or measure again")
        if not _KEY.fullmatch(self.key):
            raise ValueError(f"key must be {DIGITS} hexadecimal digits, but got {self.key[:80]!r}")
        if not _DATE.fullmatch(self.date):
            raise ValueError(f"date must be ISO 8601, such as 2026-11-21, but got {self.date[:80]!r}")
        for name in ("device", "op", "machine", "driver", "command", "compiler", "checked"):
            text: str = getattr(self, name)
            if len(text) > _MOST_TEXT or not (text.isprintable() and text.isascii()):
                raise ValueError(
                    f"{name} must be at most {_MOST_TEXT} printable ASCII characters, but got {text[:80]!r}"
                )
        for name in ("measured_s", "p10_s", "p90_s", "default_s", "predicted_s"):
            seconds: float | None = getattr(self, name)
            if seconds is not None and not (0 < seconds < math.inf):
                raise ValueError(f"{name} must be more than 0 s, and finite, but got {seconds}")
        if not self.p10_s <= self.measured_s <= self.p90_s:
            raise ValueError(
                f"measured_s must lie between p10_s and p90_s, but got {self.p10_s}, {self.measured_s}, {self.p90_s}"
            )
        if self.rank >= self.of:
            raise ValueError(f"rank must be below the number of candidates, {self.of}, but got {self.rank}")
        if self.plan.device != self.device:
            raise ValueError(f"plan must be for '{self.device}', but is for '{self.plan.device}'")
        join = None if self.plan.split is None else self.plan.split.join
        if self.plan.part is not None or (join is not None and (join.part is not None or join.split is not None)):
            raise ValueError("plan must be of a whole operator, but has 'part', or is divided twice")

    @property
    def order(self) -> tuple[float, tuple[int, ...], str]:
        """What decides between records of one key, the least first: the time, then the later date."""
        return self.measured_s, tuple(-ord(letter) for letter in self.date), self.line()

    def line(self) -> str:
        """Return the record as a line of the file, without its end."""
        data: dict[str, JsonValue] = {}
        for field in fields(self):
            value: Any = getattr(self, field.name)
            data[field.name] = compact(_bare(value)) if isinstance(value, Plan) else to_json(value)
        return json.dumps(data)


@dataclass(frozen=True)
class Found:
    """A record, and where it stands: line numbers count from 1."""

    record: TuningRecord
    line: int


def read_tuning(path: str | PathLike[str]) -> dict[str, Found]:
    """Read a tuning data base.

    Whether a plan fits its operator is for `validate_plan` to say.

    Args:
        path: The file.

    Returns:
        The winner of each key, by key, with its line.

    Raises:
        TuningError: The file cannot be read, is too large, or a line is no record.
    """
    try:
        content = read_bytes(path, MOST_BYTES)
    except BoundsError as error:
        raise TuningError(f"{fspath(path)}: {error} of a tuning data base") from None
    except OSError as error:
        raise TuningError(f"{fspath(path)}: {reason_of(error)}") from None
    return dict(parse_tuning(content, fspath(path)))


@lru_cache(maxsize=4)
def parse_tuning(content: bytes, name: str) -> Mapping[str, Found]:
    """Return the winner of each key in the content of a data base, which errors call `name`; see `read_tuning`."""
    winners: dict[str, Found] = {}
    for number, data in enumerate(content.split(b"\n"), 1):
        if not data.strip():
            continue
        record = _parse_line(data, f"{name}:{number}")
        known = winners.get(record.key)
        if known is None or record.order < known.record.order:
            winners[record.key] = Found(record, number)
    return MappingProxyType(winners)


def merged(known: Iterable[TuningRecord], new: Iterable[TuningRecord]) -> list[TuningRecord]:
    """Return the winner of each key among records, in the order of the file."""
    winners: dict[str, TuningRecord] = {}
    for record in (*known, *new):
        rival = winners.get(record.key)
        if rival is None or record.order < rival.order:
            winners[record.key] = record
    return [winners[key] for key in sorted(winners)]


def text_of(records: Iterable[TuningRecord]) -> str:
    """Return records, in order, as the text of a file."""
    return "".join(f"{record.line()}\n" for record in records)


def describe(found: Found, path: str) -> str:
    """Return where a plan is from and what is known of it: a line for people.

    Args:
        found: The record.
        path: What the file is called.
    """
    record = found.record
    rank = "the model's first choice" if record.rank == 0 else f"rank {record.rank} of {record.of}"
    own = "" if record.default_s is None or record.rank == 0 else f", model's own choice {_shown(record.default_s)}"
    time = _shown(record.measured_s) + ("" if record.plan.split is None else " for both stages")
    driver = f" (driver {record.driver})" if record.driver else ""
    return f"plan from {path}:{found.line}: {time} measured {record.date[:10]} on {record.machine}{driver}{own}, {rank}"


def _shown(seconds: float) -> str:
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _bare(plan: Plan) -> Plan:
    """Return a plan without its predictions."""
    split = plan.split
    return replace(plan, prediction=None, split=split and replace(split, join=replace(split.join, prediction=None)))


def _parse_line(data: bytes, where: str) -> TuningRecord:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TuningError(f"{where}:{error.start + 1}: not UTF-8") from None
    if text.startswith(_MARKERS):
        raise TuningError(f"{where}:1: the mark of a merge conflict; delete it and keep the lines of both sides")
    try:
        found: Any = read_json(text)
    except BoundsError as error:
        message = str(error).replace("not JSON:", "no JSON object:")
        column = error.column or _column(text, message)
        raise TuningError(f"{where}:{column}: {message}; correct the line or delete it") from None
    try:
        return from_json(TuningRecord, found)
    except CodecError as error:
        message = str(error).removeprefix("top level: ")
        raise TuningError(f"{where}:{_column(text, message)}: {message}; correct the line or delete it") from None


def _column(text: str, message: str) -> int:
    """Return where in a line the key stands that a message begins with, the last one of its path; else 1."""
    path = _PATH.match(message)
    names = re.findall(r"[A-Za-z_]\w*", path.group()) if path else []
    position = 0
    for name in names:
        found = text.find(f'"{name}"', position)
        position = found if found >= 0 else position
    return position + 1
