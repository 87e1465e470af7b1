# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comments that expect diagnostics."""

import pytest

from roller_mlir.support.diagnostics import Diagnostic, SourcePlace
from roller_mlir.tools.opt.expectations import check_expectations


def _at(line: int, message: str = "no tile fits", severity: str = "error") -> Diagnostic:
    return Diagnostic(severity, message, SourcePlace("-", line, 7))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x // expected-error {{tile fits}}", 1),
        ("// expected-error@+1 {{tile fits}}\nx", 2),
        ("x\n\n// expected-error @-2 {{tile fits}}", 1),
        ("x\n// expected-error@above {{tile fits}}", 1),
        ("// expected-error@below {{tile fits}}\n// expected-note@below {{q}}\nx", 3),
        ("// expected-error-re@+1 {{no {{[a-z]+}} fits}}\nx", 2),
    ],
)
def test_met(text: str, line: int) -> None:
    note = [_at(3, "q", "note")] if "note" in text else []
    assert check_expectations(text, [_at(line), *note]) == []


def test_unknown_place() -> None:
    text = "// expected-error@unknown {{tile}}"
    assert check_expectations(text, [Diagnostic("error", "no tile fits")]) == []
    assert len(check_expectations(text, [_at(1)])) == 2


@pytest.mark.parametrize(
    "found", [_at(2), _at(1, severity="warning"), _at(1, message="another"), Diagnostic("error", "no tile fits")]
)
def test_another_line_severity_or_text_is_not_what_was_expected(found: Diagnostic) -> None:
    complaints = [c.message for c in check_expectations("x // expected-error {{tile fits}}", [found])]
    assert complaints == [
        f"unexpected {found.severity}: {found.message}",
        'expected error "tile fits" was not produced',
    ]


def test_one_expectation_meets_one_diagnostic() -> None:
    (complaint,) = check_expectations("x // expected-error {{tile}}", [_at(1), _at(1)])
    assert complaint.message == "unexpected error: no tile fits"


def test_notes_are_expected_too_but_not_the_view_of_the_op() -> None:
    error = Diagnostic("error", "bad", SourcePlace("-", 1, 1), (_at(1, "see current operation: x", "note"),))
    assert check_expectations("x // expected-error {{bad}}", [error]) == []
    error = Diagnostic("error", "bad", SourcePlace("-", 1, 1), (_at(1, "here", "note"),))
    assert len(check_expectations("x // expected-error {{bad}}", [error])) == 1


def test_braces_of_a_plain_text_are_no_pattern() -> None:
    assert len(check_expectations("x // expected-error {{a.c}}", [_at(1, "abc")])) == 2
