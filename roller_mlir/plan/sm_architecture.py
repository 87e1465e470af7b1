# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What NVIDIA's names of architectures say."""

import re

_NAME = re.compile(r"sm_(\d+)[af]?")


def sm_number(architecture: str) -> int:
    """Return the number of an architecture, major and minor in one; 0 of one that is none of NVIDIA's.

    >>> sm_number("sm_90a"), sm_number("gfx942")
    (90, 0)
    """
    found = _NAME.fullmatch(architecture)
    return int(found[1]) if found else 0
