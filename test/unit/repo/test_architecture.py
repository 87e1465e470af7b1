# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the page of the architecture names is there, and every page of documentation can be found from its index."""

import functools
import importlib
import re
import sys
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import roller_mlir
from roller_mlir.lowering.targets import families
from roller_mlir.lowering.targets.family import load_passes

DOCS = Path(__file__).parents[3] / "docs"
ROOT = DOCS.parent
PICTURE = DOCS / "images" / "architecture.svg"
MATMUL = """
func.func @main(%a: tensor<200x96xf32>, %b: tensor<96x136xf32>, %zero: tensor<200x136xf32>) -> tensor<200x136xf32> {
  %c = linalg.matmul ins(%a, %b : tensor<200x96xf32>, tensor<96x136xf32>) outs(%zero : tensor<200x136xf32>)
    -> tensor<200x136xf32>
  return %c : tensor<200x136xf32>
}
"""
# Two operations that one kernel computes, and a product whose reduction is divided over tasks.
FUSED = MATMUL.replace(
    "  return %c",
    """  %d = linalg.add ins(%c, %zero : tensor<200x136xf32>, tensor<200x136xf32>) outs(%zero : tensor<200x136xf32>)
    -> tensor<200x136xf32>
  return %d""",
)
DIVIDED = MATMUL.replace("200x", "16x").replace("x136x", "x16x").replace("96x", "65536x").replace("x96x", "x65536x")
#: Files that the steps of an example name for others than it.
INSTEAD = ("roller_mlir/lowering/backend/math/operations.py", "roller_mlir/lowering/targets/stage.py")
#: Rooms whose functions call others, and transform nothing themselves.
CALLERS = ("compiler", "passes", "support", "lowering.targets")
PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([a-z]\w*(?:\.[a-z]\w*)+\.\w+)`", PAGE))))
def test_every_name_of_the_way_is_there(name: str) -> None:
    if name.startswith(("roller_mlir.", "math.")):
        return
    module, _, attribute = f"roller_mlir.{name}".rpartition(".")
    assert hasattr(importlib.import_module(module), attribute)


def way(page: str) -> list[str]:
    """Return the functions and classes of the table of the way, callers before what they call, in its order."""
    rows = re.findall(r"^\|[^|]*\|[^|]*\|(.*`[a-z_.]+\.\w+`.*) \|$", page, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([\w.]+)`", row)]


def exceptions(page: str) -> set[tuple[str, str]]:
    """Return the passes that go back, each with the room or the function that it enters again."""
    listed = re.findall(r"^- `(passes\.[\w.]+)`[^`]*`([\w.]+)`", page, re.MULTILINE)
    return set(listed)


def calls(names: Sequence[str], text: str, target: str) -> list[str]:
    """Return the calls of the names in a compilation, in order; of a class, those of any method."""
    sought, found = {f"roller_mlir.{name}": name for name in names}, list[str]()
    codes = dict[Any, str | None]()

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code not in codes:
            called = f"{frame.f_globals.get('__name__')}.{code.co_qualname}"
            codes[code] = sought.get(called) or sought.get(called.rpartition(".")[0])
            if called.endswith("__post_init__"):
                codes[code] = None
        if event == "call" and (name := codes[code]) is not None:
            found.append(name)

    sys.setprofile(look)
    threading.setprofile(look)
    try:
        roller_mlir.compile(text, target=target, cache=False)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


@functools.cache
def way_of(text: str) -> Sequence[str]:
    """Return the calls of what the page names; a second compilation would know what the first has found."""
    load_passes()
    return calls([*way(PAGE), *(name for _, name in exceptions(PAGE) if name.count(".") > 1)], text, "h200")


def room_of(name: str) -> str:
    """Return the room of a function: the first folder, or that of `lowering`."""
    return ".".join(name.split(".")[: 1 + name.startswith("lowering.")])


def returns(called: Sequence[str], allowed: Collection[tuple[str, str]]) -> list[str]:
    """Return the calls by which a room of those that call nobody is entered again, but for what a pass may."""
    entered, wrong, step = list[str](), list[str](), ""
    for name in called:
        room = room_of(name)
        if room in CALLERS:
            step = name if room == "passes" else step
        elif not {(step, room), (step, name)} & set(allowed) and entered[-1:] != [room]:
            wrong += [f"{step}: {name}"] * (room in entered)
            entered.append(room)
    return wrong


def test_no_room_is_entered_again_but_as_the_page_says() -> None:
    allowed = exceptions(PAGE)
    told = {text: way_of(text) for text in (MATMUL, FUSED, DIVIDED)}
    assert not returns(told[MATMUL], ()) and len({room_of(name) for name in told[MATMUL]} - set(CALLERS)) == 5
    assert not [one for called in told.values() for one in returns(called, allowed)]
    for one in allowed:
        assert any(returns(called, allowed - {one}) for called in told.values()), f"{one} is no exception"


def test_a_return_is_found() -> None:
    there = ["passes.a.A", "lowering.linalg.f", "model.g", "model.h", "passes.b.B", "lowering.linalg.f", "model.g"]
    assert returns(there, ()) == ["passes.b.B: lowering.linalg.f", "passes.b.B: model.g"]
    assert returns(there, {("passes.b.B", "lowering.linalg.f")}) == []
    assert returns(there, {("passes.a.A", "model")}) == []


def test_a_compilation_takes_the_way_in_this_order() -> None:
    names = way(PAGE)
    assert len(names) >= 25 and len(set(names)) == len(names)
    assert list(dict.fromkeys(way_of(MATMUL))) == names


def test_a_function_that_is_not_called_is_missed() -> None:
    page = "| a | b | `compiler.stages.run_stages`, `compiler.source.parse_names` |\n| | c | `hal.no.name` |"
    assert calls(way(page), MATMUL, "h200") == ["compiler.source.parse_names", "compiler.stages.run_stages"]


def test_the_picture_shows_each_family_and_names_functions_of_the_way() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    passes = {stage.made_by for family in families() for stage in family.stages if stage.made_by}
    assert set(re.findall(r"rtile-[a-z-]+", picture)) == passes
    functions = re.findall(r"compiler: (\w+)<", picture)
    assert functions and {name.rpartition(".")[2] for name in way(PAGE)} >= set(functions)


def test_the_picture_names_each_layer() -> None:
    shown = set(re.findall(r"\w+", " ".join(re.findall(r">([^<]+)<", PICTURE.read_text("utf-8")))))
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| file | also imports |")[0]
    layers = {Path(folder).stem for folder in re.findall(r"^\| `([\w/.]+)` \|", table, re.MULTILINE)}
    assert len(layers) > 25 and layers <= shown


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:roller_mlir|passes|dialects|tools|test)/[\w./]+)`", PAGE)))
)
def test_every_file_that_it_names_is_there(path: str) -> None:
    assert "NAME" in path or (ROOT / path).exists()


def steps(title: str) -> list[str]:
    """Return the files that the numbered steps of a section name; of those that one may need instead, none."""
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    named = re.findall(r"`((?:roller_mlir|passes|test)/[\w./-]+\.\w+)`", section)
    return [name for name in dict.fromkeys(named) if name not in INSTEAD]


@pytest.mark.parametrize(
    ("title", "word", "count"),
    [
        ("Add an operation to bodies", r"(?<![a-z])erf(?![a-z])", 10),
        ("Add a pass", r"(?i)lower[-_]?to[-_]?cpu", 5),
    ],
)
def test_each_file_of_an_example_names_it(title: str, word: str, count: int) -> None:
    files = steps(title)
    assert len(files) == count
    assert [name for name in files if not re.search(word, (ROOT / name).read_text(encoding="utf-8"))] == []


def test_each_family_is_an_example_of_a_target() -> None:
    section = PAGE.split("## Add a target\n")[1]
    folder = ROOT / "roller_mlir/lowering/targets"
    modules = {path.name for path in folder.glob("*.py") if "= TargetFamily(" in path.read_text(encoding="utf-8")}
    assert len(modules) == len(families()) and set(re.findall(r"`(\w+\.py)`", section)) == modules


def test_the_index_leads_to_every_page() -> None:
    """Also to those in rooms; what was measured on one day is listed by the page of results."""
    listed = set(re.findall(r"\(([\w/-]+\.md)\)", (DOCS / "index.md").read_text(encoding="utf-8")))
    pages = {str(path.relative_to(DOCS)) for path in (*DOCS.glob("*.md"), *DOCS.glob("*/*.md"))}
    assert listed == pages - {"index.md"}
