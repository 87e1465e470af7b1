# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks diagnostics against `expected-error@+1 {{text}}` comments, as `mlir-opt --verify-diagnostics` does.

The severity is error, warning, remark or note. The place is the comment's own line, a line at a distance (`@-2`), the
nearest line above or below without such a comment (`@above`, `@below`), or no line (`@unknown`). The text must occur
in the message; with `-re` after the severity, its `{{...}}` parts are regular expressions.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roller_mlir.support.diagnostics import Diagnostic, SourcePlace

_EXPECTED = re.compile(
    r"expected-(error|note|remark|warning)(-re)? *(@([+-][0-9]+|above|below|unknown))? *\{\{(.*)\}\}\s*$"
)


@dataclass(frozen=True)
class Expectation:
    """A diagnostic that must appear.

    Attributes:
      severity: Its severity.
      pattern: Pattern that must be found in its message.
      text: The text as written.
      line: The line that it must be at; None for an unknown place.
      written: The line of the comment.
    """

    severity: str
    pattern: re.Pattern[str]
    text: str
    line: int | None
    written: int


def find_expectations(text: str) -> list[Expectation]:
    """Return the expectations that the comments of a text state."""
    lines = text.split("\n")
    matches = [_EXPECTED.search(line) for line in lines]
    return [
        Expectation(match[1], _pattern(match), match[5], _target(match[4], number, matches), number)
        for number, match in enumerate(matches, start=1)
        if match is not None
    ]


def _pattern(match: re.Match[str]) -> re.Pattern[str]:
    if match[2] is None:
        return re.compile(re.escape(match[5]))
    parts = re.split(r"\{\{(.*?)\}\}", match[5])
    return re.compile("".join(f"({part})" if i % 2 else re.escape(part) for i, part in enumerate(parts)))


def _target(designator: str | None, number: int, matches: Sequence[re.Match[str] | None]) -> int | None:
    if designator is None:
        return number
    if designator == "unknown":
        return None
    if designator in ("above", "below"):
        step = -1 if designator == "above" else 1
        number += step
        while 1 <= number <= len(matches) and matches[number - 1] is not None:
            number += step
        return number
    return number + int(designator)


def check_expectations(text: str, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Compare what was found with what the text expects.

    Notes that show the op as MLIR saw it ("see current operation") need no expectation.

    Returns:
      One error for each diagnostic that was not expected and each expectation that was not met.
    """
    open_expectations = find_expectations(text)
    complaints: list[Diagnostic] = []
    for diagnostic in _flatten(found):
        line = diagnostic.place.line if diagnostic.place is not None and diagnostic.place.line > 0 else None
        met = next(
            (
                e
                for e in open_expectations
                if e.severity == diagnostic.severity and e.line == line and e.pattern.search(diagnostic.message)
            ),
            None,
        )
        if met is not None:
            open_expectations.remove(met)
        elif not diagnostic.message.startswith("see current operation"):
            message = f"unexpected {diagnostic.severity}: {diagnostic.message}"
            complaints.append(Diagnostic("error", message, diagnostic.place))
    for e in open_expectations:
        message = f'expected {e.severity} "{e.text}" was not produced'
        complaints.append(Diagnostic("error", message, SourcePlace("-", e.line or e.written, 1)))
    return complaints


def _flatten(diagnostics: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    for diagnostic in diagnostics:
        yield diagnostic
        yield from _flatten(diagnostic.notes)
