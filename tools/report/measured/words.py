# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a report writes figures, names and dates."""

import re
from math import isfinite

from roller_mlir.evaluation.measure.report.records import Report

NOTHING = "-"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST = 300


def clean(text: str) -> str:
    r"""Return text in one line, of what can be printed, and not too long.

    >>> clean("two\nlines\x00 of \x1b[31mred")
    'two lines of [31mred'
    """
    shown = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def ratio(value: float | None) -> str:
    """Write a ratio with two decimals, or three digits where it is very large or small.

    >>> ratio(1.234), ratio(0.0012), ratio(123456.0), ratio(None)
    ('1.23', '0.0012', '1.23e+05', '-')
    """
    if value is None or not isfinite(value):
        return NOTHING
    return f"{value:.2f}" if 0.1 <= value < 1000 else f"{value:.3g}"


def share(value: float | None) -> str:
    """Write a share in percent.

    >>> share(0.5193), share(None)
    ('51.9 %', '-')
    """
    return NOTHING if value is None else f"{100 * value:.1f} %"


def correlation(value: float | None) -> str:
    """Write a correlation with three decimals.

    >>> correlation(0.99713), correlation(None)
    ('0.997', '-')
    """
    return NOTHING if value is None else f"{value:.3f}"


def count(n: int, noun: str) -> str:
    """Write how many there are.

    >>> count(1, "kernel"), count(0, "kernel"), count(2, "probe")
    ('1 kernel', '0 kernels', '2 probes')
    """
    return f"{n} {noun}{'' if n == 1 else 's'}"


def named(ids: tuple[str, ...], most: int = 12) -> str:
    """Name some and count the rest.

    >>> named(("a", "b", "c"), 2), named(("a",))
    ('a, b and 1 more', 'a')
    """
    shown = ", ".join(clean(one) for one in ids[:most])
    return f"{shown} and {len(ids) - most} more" if len(ids) > most else shown


def short(name: str, suite: str, dtype: str) -> str:
    """Return an id without the suite and the element type that stand beside it.

    >>> short("roller119/C0/f32", "roller119", "f32"), short("mine", "", "f32")
    ('C0', 'mine')
    """
    return clean(name.removeprefix(f"{suite}/").removesuffix(f"/{dtype}"))


def date_of(report: Report) -> str:
    """Return the date of the first run, or else of the kit, as YYYY-MM-DD; "undated" where neither says one."""
    for text in (*(started for started, _ in report.runs), report.kit.created):
        found = _DATE.match(text)
        if found is not None:
            return found.group()
    return "undated"
