# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reasons for which the compiler may refuse a random program, by the text of the message.

A refusal that no line of this table knows is a failure of the run: either a message is new, and belongs here, or it is
a bug that looks like a refusal.
"""

import re

REASONS: tuple[tuple[str, str], ...] = (
    ("element type not generated yet", r"can be planned and explained, but not compiled yet"),
    ("several results", r"has \d+ results; programs have exactly 1"),
    ("linalg.index", r"reads 'linalg\.index'; bodies that depend on indices"),
    ("index that runs backwards", r"runs through a tensor backwards"),
    ("reduction without a known combiner", r"reduces without a known combiner"),
    ("tensor op without loops", r"'tensor\.\w+' cannot be compiled; supported are"),
    ("padding value", r"'tensor\.pad' .*(pad|read|use)"),
    ("padding read beyond the rule", r"padd?(ed|ing)"),
    ("forced tile does not fit", r"tile-sizes|thread-tile|tile \[?[\dx, ]+\]? "),
    ("device is too small for it", r"(has|holds) (only )?\d+ B|registers"),
    ("forced stages", r"stages"),
)

_COMPILED = [(name, re.compile(pattern)) for name, pattern in REASONS]


def reason_of(message: str) -> str | None:
    """Return the class of a refusal, None where the table has none.

    >>> reason_of("'linalg.generic' has 2 results; programs have exactly 1; split it into ops of one result")
    'several results'
    """
    return next((name for name, pattern in _COMPILED if pattern.search(message)), None)
