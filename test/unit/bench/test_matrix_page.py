# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/peers/matrix: without TileLang and Triton docs/method/matrix.md is what would be made today."""

import json
import re
import subprocess
from pathlib import Path

import preloaded

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "bench" / "peers" / "matrix"
PAGE = ROOT / "docs" / "method" / "matrix.md"


def test_the_page_is_current(tmp_path: Path) -> None:
    made = tmp_path / "matrix.md"
    command = preloaded.python(str(FOLDER / "table.py"), "-o", str(made))
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert made.read_text() == PAGE.read_text(), "run python bench/peers/matrix/table.py"


def test_every_product_has_a_table_on_every_device() -> None:
    hints = json.loads((FOLDER / "hints.json").read_text())
    sections = re.split(r"^### ", PAGE.read_text(), flags=re.MULTILINE)[1:]
    wanted = {
        f"{given['sizes']['M']}x{given['sizes']['N']}x{given['sizes']['K']} on {facts['compared_on']}"
        for facts in hints["devices"].values()
        for given in hints["operators"].values()
    }
    assert {section.splitlines()[0] for section in sections} == wanted
    for section in sections:
        rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
        names = [row[0] for row in rows]
        assert names[:2] == ["carver 1", "Triton 1"] and names[-1] == "ours"
        assert rows[-1][2] in ("mma", "wgmma", "mfma")
        assert len(rows[-1]) == 12
