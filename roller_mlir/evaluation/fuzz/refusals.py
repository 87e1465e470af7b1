# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reasons for which the compiler may refuse a random program, by the text of the message.

A refusal that no line of this table knows is a failure of the run: either a message is new, and belongs here, or it is
a bug that looks like a refusal.
"""

import re

# (class, pattern of the message, whether only a case that forces something may be refused so)
REASONS: tuple[tuple[str, str, bool], ...] = (
    ("forced threads or stages of a device that has none", r"cannot have [\w-]+ on '[\w-]+', which has no", True),
    (
        "forced tile does not fit",
        r"tile [\dx]+ .*(cannot be spread|walks window|needs \d+|does not)|tile-sizes|thread-tile",
        True,
    ),
    ("forced stages without steps", r"no tile of the .* has a staged operand and 2 reduction steps", True),
    ("tensor op without loops", r"'tensor\.\w+' cannot be compiled; supported are", False),
)

_COMPILED = [(name, re.compile(pattern), forced) for name, pattern, forced in REASONS]


def reason_of(message: str, forced: bool) -> str | None:
    """Return the class of a refusal, None where the table has none.

    Args:
        message: Text of the first error.
        forced: Whether the case forces anything of the compiler.

    >>> reason_of("'linalg.generic' tile 3x5 of the 9x9 loop nest cannot be spread over threads: ...", True)
    'forced tile does not fit'
    """
    return next((name for name, pattern, only in _COMPILED if (forced or not only) and pattern.search(message)), None)
