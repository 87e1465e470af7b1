# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How explanations and reports write quantities."""

_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def si(value: float, unit: str) -> str:
    """Write a quantity of at least 1 with three digits and an SI prefix.

    >>> si(4.8e12, "B/s"), si(170.7, "flop/B"), si(66908160000000, "flop/s")
    ('4.80 TB/s', '171 flop/B', '66.9 Tflop/s')
    """
    factor, prefix = next(((f, p) for f, p in _PREFIXES if value >= f), (1.0, ""))
    number = value / factor
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f} {prefix}{unit}"


def size(value: float) -> str:
    """Write bytes with a binary prefix.

    >>> size(232448), size(96), size(12582912)
    ('227 KiB', '96 B', '12 MiB')
    """
    for factor, prefix in ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki")):
        if value >= factor:
            return f"{value / factor:.4g} {prefix}B"
    return f"{value:.0f} B"
