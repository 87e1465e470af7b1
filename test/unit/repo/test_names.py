# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names: a class name means one thing in the whole package, and docstrings of functions say `Return`."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from package_sources import ROOT, sources
from statements import parsed, statements

NO_VERB = re.compile(
    r"(A|All|An|As|Each|Either|Every|How|It|Its|Near|No|Nothing|Of|One|Some|That|The|These|They|This|Those"
    r"|What|When|Where|Whether|Which|Who|Whose|Why)\b"
)
"""First words of sentences, or of parts of them, that are not about what the function does."""


@dataclass(frozen=True)
class Names:
    """What a file names.

    Attributes:
        file: Its path.
        classes: Its classes.
        functions: Line, name and docstring of its functions.
        valued: Those of them that return a value; properties are named by what they are.
    """

    file: str
    classes: list[str]
    functions: list[tuple[int, str, str]]
    valued: list[tuple[int, str, str]]


def names(file: str, text: str) -> Names:
    """Return what a file names."""
    module = parsed(text)
    classes = [one.name for one in module.body if isinstance(one, ast.ClassDef)]
    functions = [one for one in statements(module) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    said = [(one.lineno, one.name, ast.get_docstring(one) or "") for one in functions]
    valued = [line for line, one in zip(said, functions, strict=True) if _returns_a_value(one)]
    return Names(file, classes, said, valued)


def _returns_a_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function, but no property, is declared to return a value."""
    if any(ast.unparse(one).split(".")[-1] in ("property", "cached_property") for one in function.decorator_list):
        return False
    return function.returns is not None and ast.unparse(function.returns) not in ("None", "NoReturn", "Never")


def all_names() -> list[Names]:
    """Return what the files of the package name."""
    return [names(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in sources().values()]


def repeated_classes(files: Iterable[Names]) -> dict[str, list[str]]:
    """Return the files of each class name that several files define."""
    homes: dict[str, list[str]] = defaultdict(list)
    for one in files:
        for name in one.classes:
            homes[name].append(one.file)
    return {name: files for name, files in homes.items() if len(files) > 1}


def foreign_verbs(files: Iterable[Names]) -> list[str]:
    """Return the functions whose docstring begins with `Gives` or `Returns`, or with no word of English."""
    return [
        f"{one.file}:{line}: {name}"
        for one in files
        for line, name, docstring in one.functions
        if re.match(r"Gives |Returns |[a-z`]", docstring)
    ]


def without_a_verb(files: Iterable[Names]) -> list[str]:
    """Return the functions whose docstring names the value that they return, in the place of what they do."""
    return [
        f"{one.file}:{line}: {name}"
        for one in files
        for line, name, docstring in one.valued
        if NO_VERB.match(docstring)
    ]


def test_each_class_name_means_one_thing() -> None:
    assert repeated_classes(all_names()) == {}


def test_docstrings_of_functions_say_return() -> None:
    assert foreign_verbs(all_names()) == []
    assert without_a_verb(all_names()) == []


def test_a_second_meaning_and_a_foreign_verb_are_found() -> None:
    planted = [
        names("passes/one.py", "class Kernel: ...\nclass _Own: ...\n"),
        names("dialects/one.py", "class _Own: ...\n"),
        names("tools/one.py", 'class Kernel:\n    def size(self):\n        """Gives its size."""\n'),
        names("tools/two.py", 'def f():\n    """`f(x)`."""\ndef g():\n    """x + y."""\ndef h():\n    """Add x."""\n'),
    ]
    assert repeated_classes(planted) == {
        "Kernel": ["passes/one.py", "tools/one.py"],
        "_Own": ["passes/one.py", "dialects/one.py"],
    }
    assert foreign_verbs(planted) == ["tools/one.py:2: size", "tools/two.py:1: f", "tools/two.py:3: g"]


def test_a_value_that_is_named_without_a_verb_is_found() -> None:
    planted = (
        'def a() -> bool:\n    """Whether it is."""\n'
        'class B:\n    def c(self) -> int | None:\n        """As, in `a`."""\n'
        '    @property\n    def d(self) -> int:\n        """The size."""\n'
        '    @functools.cached_property\n    def e(self) -> int:\n        """The size."""\n'
        '    def f(self) -> None:\n        """It ends."""\n'
        '    async def g(self) -> int:\n        """The size."""\n'
        '    def h(self) -> int:\n        """Return the size."""\n'
        "    def i(self) -> int:\n        pass\n"
    )
    assert without_a_verb([names("tools/one.py", planted)]) == [
        "tools/one.py:1: a",
        "tools/one.py:4: c",
        "tools/one.py:14: g",
    ]


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
