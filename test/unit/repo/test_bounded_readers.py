# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON and TOML are parsed within bounds, in one file."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
READER = "roller_mlir/support/foreign/bounded.py"
PARSES = re.compile(r"\bjson\.loads?\(|\bimport tomllib\b|\bfrom (json|tomllib) import\b|\bimport (pickle|yaml)\b")
FOLDERS = ("roller_mlir", "passes", "dialects", "tools")


@pytest.mark.parametrize("folder", FOLDERS)
def test_only_the_bounded_reader_parses(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if PARSES.search(line.partition("#")[0])
    ]
    assert [one for one in found if not one.startswith(READER)] == []
    assert folder != "roller_mlir" or any(one.startswith(READER) for one in found)
