# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON and TOML are parsed within bounds, in one file."""

import re

from package_sources import ROOT, sources

READER = "roller_mlir/support/foreign/bounded.py"
PARSES = re.compile(r"\bjson\.loads?\(|\bimport tomllib\b|\bfrom (json|tomllib) import\b|\bimport (pickle|yaml)\b")


def test_only_the_bounded_reader_parses() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources().values()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if PARSES.search(line.partition("#")[0])
    ]
    assert found and [one for one in found if not one.startswith(READER)] == []
