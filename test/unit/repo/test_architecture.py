# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the page of the architecture names is there, and every page of documentation can be found from its index."""

import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
ROOT = DOCS.parent
PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([a-z]\w*(?:\.[a-z]\w*)+\.\w+)`", PAGE))))
def test_every_name_of_the_way_is_there(name: str) -> None:
    if name.startswith(("roller_mlir.", "math.")):
        return
    module, _, attribute = f"roller_mlir.{name}".rpartition(".")
    assert hasattr(importlib.import_module(module), attribute)


def test_the_names_are_found() -> None:
    assert len(re.findall(r"^\|.*`[a-z_.]+\.\w+`.* \|$", PAGE, re.MULTILINE)) >= 15


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:roller_mlir|passes|dialects|tools|test)/[\w./]+)`", PAGE)))
)
def test_every_file_that_it_names_is_there(path: str) -> None:
    assert "NAME" in path or (ROOT / path).exists()


def test_the_index_leads_to_every_page() -> None:
    listed = set(re.findall(r"\(([\w-]+\.md)\)", (DOCS / "index.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in DOCS.glob("*.md")} - {"index.md"}
