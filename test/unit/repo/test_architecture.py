# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the page of the architecture names is there, and every page of documentation can be found from its index."""

import importlib
import re
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import roller_mlir
from roller_mlir.lowering.targets.family import load_passes

DOCS = Path(__file__).parents[3] / "docs"
ROOT = DOCS.parent
MATMUL = """
func.func @main(%a: tensor<200x96xf32>, %b: tensor<96x136xf32>, %zero: tensor<200x136xf32>) -> tensor<200x136xf32> {
  %c = linalg.matmul ins(%a, %b : tensor<200x96xf32>, tensor<96x136xf32>) outs(%zero : tensor<200x136xf32>)
    -> tensor<200x136xf32>
  return %c : tensor<200x136xf32>
}
"""
PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([a-z]\w*(?:\.[a-z]\w*)+\.\w+)`", PAGE))))
def test_every_name_of_the_way_is_there(name: str) -> None:
    if name.startswith(("roller_mlir.", "math.")):
        return
    module, _, attribute = f"roller_mlir.{name}".rpartition(".")
    assert hasattr(importlib.import_module(module), attribute)


def way(page: str) -> list[str]:
    """Return the functions and classes of the table of the way, in its order."""
    rows = re.findall(r"^\|[^|]*\|[^|]*\|(.*`[a-z_.]+\.\w+`.*) \|$", page, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([\w.]+)`", row)]


def first_calls(names: list[str], text: str, target: str) -> list[str]:
    """Return which of the names a compilation calls, in the order of their first calls; of a class, any method."""
    sought, found = {f"roller_mlir.{name}": name for name in names}, dict[str, None]()
    codes = dict[Any, str | None]()

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code not in codes:
            called = f"{frame.f_globals.get('__name__')}.{code.co_qualname}"
            codes[code] = sought.get(called) or sought.get(called.rpartition(".")[0])
            if codes[code] is not None and not called.endswith("__post_init__"):
                found.setdefault(str(codes[code]))

    sys.setprofile(look)
    threading.setprofile(look)
    try:
        roller_mlir.compile(text, target=target, cache=False)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(found)


def test_a_compilation_takes_the_way_in_this_order() -> None:
    names = way(PAGE)
    assert len(names) >= 25 and len(set(names)) == len(names)
    load_passes()
    assert first_calls(names, MATMUL, "h200") == names


def test_a_function_that_is_not_called_is_missed() -> None:
    page = "| a | b | `compiler.stages.run_stages`, `compiler.source.parse_names` |\n| | c | `hal.no.name` |"
    assert first_calls(way(page), MATMUL, "h200") == ["compiler.source.parse_names", "compiler.stages.run_stages"]


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:roller_mlir|passes|dialects|tools|test)/[\w./]+)`", PAGE)))
)
def test_every_file_that_it_names_is_there(path: str) -> None:
    assert "NAME" in path or (ROOT / path).exists()


def test_the_index_leads_to_every_page() -> None:
    listed = set(re.findall(r"\(([\w-]+\.md)\)", (DOCS / "index.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in DOCS.glob("*.md")} - {"index.md"}
