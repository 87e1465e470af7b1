# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colour of what `roller` says on standard error: the word "error:" in red where a terminal shows it."""

import argparse
import os
import re
import sys

CHOICES = ("auto", "always", "never")
_SEVERITY = re.compile(r"^(?P<place>(?:.*?: )??)(?P<word>internal error|error|warning|remark|note): ", re.MULTILINE)
_CODES = {"error": "1;31", "internal error": "1;31", "warning": "1;35", "remark": "1;34", "note": "1;36"}


def add_colour_argument(parser: argparse.ArgumentParser, default: str = "auto") -> None:
    """Declare --color; a parser below another one has the default `argparse.SUPPRESS`, so that the other's holds."""
    parser.add_argument(
        "--color",
        choices=CHOICES,
        default=default,
        help="colour of messages (auto: on a terminal, unless NO_COLOR is set)",
    )


def wants_colour(choice: str) -> bool:
    """Return whether standard error gets colour: as chosen, else as NO_COLOR (no-color.org) and a terminal say."""
    if choice != "auto":
        return choice == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stderr.isatty()


def coloured(text: str, choice: str) -> str:
    r"""Return a message with its severity in colour, where that is wanted.

    >>> coloured("a.mlir:1:2: error: no", "always"), coloured("roller: error: no", "never")
    ('a.mlir:1:2: \x1b[1;31merror:\x1b[0m no', 'roller: error: no')
    """
    if not wants_colour(choice):
        return text
    first, newline, rest = text.partition("\n")
    shown = _SEVERITY.sub(lambda m: f"{m['place']}\x1b[{_CODES[m['word']]}m{m['word']}:\x1b[0m ", first, count=1)
    return f"{shown}{newline}{rest}"
