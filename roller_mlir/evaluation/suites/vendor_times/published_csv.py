# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single published measurements, a row each: what was timed is said in words, such as "bf16 4096^3 cuBLAS".

A product is `TYPE MxNxK` or `TYPE N^3`, of row-major matrices whose result has the same type; `TYPE N^2 Linear` is one
of N rows. `softmax`, `layernorm` and `relu^2` are followed by `TYPE ROWSxCOLUMNS`. `sum of 2^N` and `read 2^N` add up
f32. `vec add TYPE N M` has N million elements, and `scale [TYPE] A=B*c (N TB/s)` as many as move at this rate in the
measured time; both are rounded to 2^20. What else is said, such as who timed it, comes after.
"""

import re
from collections.abc import Callable
from pathlib import Path

from roller_mlir.evaluation.suites.tables.csv_row import CsvRow
from roller_mlir.evaluation.suites.vendor_times.csv_file import read_csv
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile, Measurement
from roller_mlir.evaluation.suites.vendor_times.programs import product
from roller_mlir.evaluation.suites.vendor_times.row_programs import layer_norm, pointwise, softmax, total
from roller_mlir.hal import device_names, find_device

COLUMNS = ("device", "problem", "measured_us", "source")
MORE = ("predicted_us_2026_11", "ratio")
_TYPE = "(f16|bf16|f32)"
_BYTES = {"f16": 2, "bf16": 2, "f32": 4}
_UNIT = 1 << 20

_Found = tuple[str, str]
"""The class of an operator, and its text."""


def _product(words: tuple[str, ...], _: float) -> _Found:
    dtype, *sizes = words
    m, n, k = (int(size) for size in (sizes if len(sizes) == 3 else [sizes[0]] * 3))
    return f"matmul {dtype} NN", product(m, n, k, dtype, dtype)


def _rows(words: tuple[str, ...], _: float) -> _Found:
    kind, dtype, rows, columns = words[0], words[1], int(words[2]), int(words[3])
    if kind == "relu^2":
        return f"{kind} {dtype}", pointwise("squared relu", (rows, columns), dtype)
    return f"{kind} {dtype}", (softmax if kind == "softmax" else layer_norm)(rows, columns, dtype)


def _sum(words: tuple[str, ...], _: float) -> _Found:
    return "sum f32", total(1 << int(words[0]), "f32")


def _add(words: tuple[str, ...], _: float) -> _Found:
    return f"add {words[0]}", pointwise("add", (_whole(float(words[1]) * 1e6),), words[0])


def _scale(words: tuple[str, ...], seconds: float) -> _Found:
    dtype = words[0] or "f32"
    elements = _whole(seconds * float(words[1]) * 1e12 / (2 * _BYTES[dtype]))
    return f"scale {dtype}", pointwise("scale", (elements,), dtype)


def _whole(elements: float) -> int:
    return _UNIT * max(1, round(elements / _UNIT))


_FORMS: tuple[tuple[str, Callable[[tuple[str, ...], float], _Found]], ...] = (
    (rf"{_TYPE} (\d+)x(\d+)x(\d+)\b", _product),
    (rf"{_TYPE} (\d+)\^3", _product),
    (rf"{_TYPE} (\d+)\^2 Linear\b", _product),
    (rf"(softmax|layernorm|relu\^2) {_TYPE} (\d+)x(\d+)\b", _rows),
    (r"(?:sum of|read) 2\^(\d+)\b", _sum),
    (rf"vec add {_TYPE} (\d+) M\b", _add),
    (rf"scale (?:{_TYPE} )?A=B\*c \((\d+(?:\.\d+)?) TB/s\)", _scale),
)
_LONGEST = 12
"""Digits of a problem's size."""


def read_published(path: Path) -> MeasuredFile:
    """Return the measurements in a file.

    The device is the one that the problem names ("f16 8192x8192x256 TileLang H800"), or else that of the column, which
    may be a relative of it.

    Raises:
        SuiteError: The file is malformed, or a row's device is not known.
    """
    found: list[Measurement] = []
    unread: list[tuple[int, str]] = []
    for row in read_csv(path, COLUMNS, MORE):
        device = _device(row)
        seconds = row.number("measured_us", "a time") / 1e6
        said = _said(row, seconds)
        if said is None:
            unread.append((row.line, row.text("problem")))
        else:
            found.append(Measurement(device, said[0], row.text("problem"), seconds, row.line, said[1]))
    return MeasuredFile(path, "published", tuple(found), unread=tuple(unread))


def _said(row: CsvRow, seconds: float) -> _Found | None:
    text = row.text("problem")
    for form, make in _FORMS:
        if match := re.match(form, text):
            sizes = [int(word) for word in match.groups("") if word.isdigit()]
            if 0 in sizes or any(len(str(size)) > _LONGEST for size in sizes):
                raise row.error("problem", f"has a size that no problem has: '{text}'")
            return make(match.groups(""), seconds)
    return None


def _device(row: CsvRow) -> str:
    names = {alias: name for name in device_names() for alias in (name, *find_device(name).aliases)}
    words = re.sub(r"[^a-z0-9]+", "-", row.text("problem").lower())
    named = [alias for alias in names if not alias.isdigit() and f"-{alias}-" in f"-{words}-"]
    if named:
        return names[max(named, key=len)]
    if row.text("device") not in names:
        raise row.error("device", f"must be a device that 'roller devices' lists, but got '{row.text('device')}'")
    return names[row.text("device")]
