# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No class overrides another's private methods: what may be varied is a parameter, or a public method."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from package_sources import sources
from statements import parsed, statements

Classes = Mapping[str, Sequence[ast.ClassDef]]


def classes_of(texts: Iterable[str]) -> Classes:
    found: dict[str, list[ast.ClassDef]] = {}
    for text in texts:
        for node in statements(parsed(text)) if "class " in text else ():
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
    return found


def private(node: ast.ClassDef) -> set[str]:
    names = {one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {name for name in names if name.startswith("_") and not name.endswith("__")}


def bases(node: ast.ClassDef, classes: Classes) -> Iterator[ast.ClassDef]:
    """Yield the classes of ours above a class; where several are called alike, all of them."""
    for base in node.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        name = named.id if isinstance(named, ast.Name) else named.attr if isinstance(named, ast.Attribute) else ""
        for one in classes.get(name, ()):
            if one is not node:
                yield one
                yield from bases(one, classes)


def overridden(classes: Classes) -> list[str]:
    """Return the private methods that a class overrides, as "class.method"."""
    nodes = [node for several in classes.values() for node in several]
    found = {
        f"{node.name}.{name}"
        for node in nodes
        for base in bases(node, classes)
        for name in private(node) & private(base)
    }
    return sorted(found)


def test_no_class_overrides_private_methods_of_another() -> None:
    assert overridden(classes_of(path.read_text() for path in sources().values())) == []


def test_an_override_is_found() -> None:
    planted = (
        "class A:\n    def _step(self): ...\n    def __init__(self): ...\nclass B(A):\n    def __init__(self): ..."
    )
    further = "class C(B):\n    def _step(self): ...\n    def _other(self): ..."
    assert overridden(classes_of([planted, further])) == ["C._step"]
