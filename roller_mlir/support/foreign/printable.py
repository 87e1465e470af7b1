# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of strangers without what a terminal would obey: escape sequences, bells, marks that turn the order of text."""

import re

# C0 but line feed and tab, DEL, C1; marks of direction, line separators, and halves of surrogate pairs.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return text with control characters spelled as Python spells them; line feeds and tabs stay.

    >>> printable("\x1b[2Jmatmul\r\n")
    '\\x1b[2Jmatmul\\r\n'
    """
    return _CONTROLS.sub(lambda one: one[0].encode("unicode_escape").decode(), text)
