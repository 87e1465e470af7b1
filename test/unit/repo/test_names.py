# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names: a public class name means one thing in the whole package, and docstrings of functions say `Return`."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCES = ("roller_mlir", "passes", "dialects", "tools")


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*.py")):
            yield str(path.relative_to(root)), ast.parse(path.read_text(encoding="utf-8"))


def repeated_classes(root: Path) -> dict[str, list[str]]:
    """Return the files of each public class name that several files define."""
    homes: dict[str, list[str]] = defaultdict(list)
    for name, module in modules(root):
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    return {name: files for name, files in homes.items() if len(files) > 1}


def foreign_verbs(root: Path) -> list[str]:
    """Return the functions whose docstring begins with `Gives` or `Returns`."""
    return [
        f"{name}:{node.lineno}: {node.name}"
        for name, module in modules(root)
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (ast.get_docstring(node) or "").startswith(("Gives ", "Returns "))
    ]


def test_each_public_class_name_means_one_thing() -> None:
    assert repeated_classes(ROOT) == {}


def test_docstrings_of_functions_say_return() -> None:
    assert foreign_verbs(ROOT) == []


def test_a_second_meaning_and_a_foreign_verb_are_found(tmp_path: Path) -> None:
    for folder in SOURCES:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.py").write_text("class _Own: ...\n")
    (tmp_path / "passes/one.py").write_text("class Kernel: ...\n")
    (tmp_path / "tools/one.py").write_text('class Kernel:\n    def size(self):\n        """Gives its size."""\n')
    assert repeated_classes(tmp_path) == {"Kernel": ["passes/one.py", "tools/one.py"]}
    assert foreign_verbs(tmp_path) == ["tools/one.py:2: size"]
