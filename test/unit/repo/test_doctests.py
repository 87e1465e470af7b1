# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas are written out with worked numbers; those numbers are checked, in every module that has some."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def modules() -> list[str]:
    """Return the names of the modules with examples."""
    found: list[str] = []
    for folder, package in (
        ("roller_mlir", ()),
        *((name, ("roller_mlir",)) for name in ("passes", "dialects", "tools")),
    ):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if re.search(r"^ *>>> \w", path.read_text(encoding="utf-8"), re.MULTILINE):
                parts = (*package, *path.relative_to(ROOT).with_suffix("").parts)
                found.append(".".join(parts).removesuffix(".__init__"))
    return found


@pytest.mark.parametrize("name", modules())
def test_worked_numbers(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0 and found.attempted
