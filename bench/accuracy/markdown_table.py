# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Markdown tables of figures."""

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, ["---"] * len(header), *rows)) + "\n"
