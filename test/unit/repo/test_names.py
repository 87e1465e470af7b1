# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names: a class name means one thing in the whole package, and docstrings of functions say `Return`."""

import ast
import functools
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from statements import parsed, statements

ROOT = Path(__file__).parents[3]
SOURCES = ("roller_mlir", "passes", "dialects", "tools")


@dataclass(frozen=True)
class Names:
    """What a file names: its classes, and its functions with line and docstring."""

    file: str
    classes: list[str]
    functions: list[tuple[int, str, str]]


@functools.cache
def names(root: Path) -> list[Names]:
    """Return what the files name, each of which is parsed once."""
    return [_names(path, root) for folder in SOURCES for path in sorted((root / folder).rglob("*.py"))]


def _names(path: Path, root: Path) -> Names:
    module = parsed(path.read_text(encoding="utf-8"))
    classes = [one.name for one in module.body if isinstance(one, ast.ClassDef)]
    functions = [one for one in statements(module) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    said = [(one.lineno, one.name, ast.get_docstring(one) or "") for one in functions]
    return Names(str(path.relative_to(root)), classes, said)


def repeated_classes(root: Path) -> dict[str, list[str]]:
    """Return the files of each class name that several files define."""
    homes: dict[str, list[str]] = defaultdict(list)
    for one in names(root):
        for name in one.classes:
            homes[name].append(one.file)
    return {name: files for name, files in homes.items() if len(files) > 1}


def foreign_verbs(root: Path) -> list[str]:
    """Return the functions whose docstring begins with `Gives` or `Returns`."""
    return [
        f"{one.file}:{line}: {name}"
        for one in names(root)
        for line, name, docstring in one.functions
        if docstring.startswith(("Gives ", "Returns "))
    ]


def test_each_class_name_means_one_thing() -> None:
    assert repeated_classes(ROOT) == {}


def test_docstrings_of_functions_say_return() -> None:
    assert foreign_verbs(ROOT) == []


def test_a_second_meaning_and_a_foreign_verb_are_found(tmp_path: Path) -> None:
    for folder in SOURCES:
        (tmp_path / folder).mkdir()
    (tmp_path / "dialects/one.py").write_text("class _Own: ...\n")
    (tmp_path / "passes/one.py").write_text("class Kernel: ...\nclass _Own: ...\n")
    (tmp_path / "tools/one.py").write_text('class Kernel:\n    def size(self):\n        """Gives its size."""\n')
    assert repeated_classes(tmp_path) == {
        "Kernel": ["passes/one.py", "tools/one.py"],
        "_Own": ["passes/one.py", "dialects/one.py"],
    }
    assert foreign_verbs(tmp_path) == ["tools/one.py:2: size"]


def test_statements_are_found_in_every_other() -> None:
    planted = (
        "try:\n  def a(): ...\nexcept E:\n  def b(): ...\nelse:\n  def c(): ...\nfinally:\n  def d(): ...\n"
        "match x:\n  case 1:\n    def e(): ...\nwith x:\n  for y in z:\n    def f(): ...\n  else:\n    def g(): ...\n"
        "class H:\n  async def i(self):\n    while x:\n      if y: def_ = 0\n      else:\n        def j(): ...\n"
    )
    module = ast.parse(planted)
    named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = [one.name for one in statements(module) if isinstance(one, named)]
    assert sorted(found) == sorted(one.name for one in ast.walk(module) if isinstance(one, named)) and len(found) == 10
