# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that plans hold for elements of any type: floats, but for integers of i64 that no float has."""


def exact_number(value: float) -> float:
    """Return a number as a float of the same value; an integer that is none of them stays as it is.

    >>> exact_number(1 << 53), exact_number((1 << 53) + 1), exact_number((1 << 63) - 1)
    (9007199254740992.0, 9007199254740993, 9223372036854775807)
    """
    number = float(value)
    return value if isinstance(value, int) and number != value else number
