# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the runtime as one file, to lie beside an artifact on a machine without this package.

  python -m roller_mlir.runtime.single_file -o roller_runtime.py

There `from roller_runtime import Artifact` gives what `roller_mlir.runtime` gives here, but for the simulator. The file
needs Python 3.11 and numpy, and cuda-bindings or hip-python for a device. It holds the runtime's modules, and the
records that they read, as text, and imports them under a name of its own, so that an installed package is never mixed
in. `inspect.getsource` finds the text of its functions, as Triton's decorator asks it to.

Other code that imports nothing else of the package can be put beside the runtime, with a function that runs when the
file is called as a script:
`single_file("run", modules=["roller_mlir.evaluation.measure.runner"], main="...main:main")`.
"""

import argparse
import ast
import functools
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from roller_mlir.runtime.errors import ArtifactError

_PACKAGE, _ROOT = "roller_mlir", "_roller_runtime"
_FOLDER = Path(__file__).resolve().parents[1]
_OWN = Path(__file__).stem

_HEAD = '''# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""{what} of roller-mlir {version} in one file, for machines without the package: {use}.

Written by roller_mlir/runtime/single_file.py; edit the modules there, not here. Needs Python 3.11 and numpy, and
cuda-bindings or hip-python for a device.
"""

import linecache
import sys
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec

_ROOT = "{root}"
_SOURCES = {{}}
'''

_TAIL = '''

def _file(name):
    """Return what stands for the file of a module."""
    return f"{__file__}:{name}"


class _Finder(MetaPathFinder, InspectLoader):
    """Finds the modules above."""

    def find_spec(self, fullname, path=None, target=None):
        """Return what is known of a module, None if it is not above."""
        if fullname not in _SOURCES:
            return None
        return ModuleSpec(fullname, self, origin=_file(fullname), is_package=self.is_package(fullname))

    def is_package(self, fullname):
        """Whether modules are below it."""
        return any(name.startswith(fullname + ".") for name in _SOURCES)

    def get_source(self, fullname):
        """Return its text."""
        return _SOURCES[fullname]

    def exec_module(self, module):
        """Run it; by its file's name tracebacks and `inspect` find its lines."""
        name, text = module.__name__, _SOURCES[module.__name__]
        module.__file__ = _file(name)
        linecache.cache[_file(name)] = (len(text), None, text.splitlines(True), _file(name))
        exec(compile(text, _file(name), "exec"), module.__dict__)


sys.meta_path.insert(0, _Finder())
'''


def sources(modules: Sequence[str] = ()) -> dict[str, str]:
    """Return the text of the runtime's modules, of others, and of all that they import, by name, packages first.

    Args:
        modules: Modules, and packages with all that is in them; what they import by `import_module` is not taken.

    Raises:
        ValueError: There is no such module.
    """
    waiting = [name for package in (f"{_PACKAGE}.runtime", *modules) for name in _members(package)]
    found: dict[str, str] = {_PACKAGE: ""}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = _path(name)
        if path is None:
            continue  # a name that is imported from a module, not a module
        text = found[name] = path.read_text(encoding="utf-8")
        waiting.append(name.rpartition(".")[0])
        waiting += _imports(text)
    return dict(sorted(found.items()))


def _path(name: str) -> Path | None:
    path = _FOLDER.joinpath(*name.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path if path.is_file() else None


def _members(name: str) -> list[str]:
    """Return a module's name, of a package those of its modules; this file writes others and is in none."""
    path = _path(name)
    if path is None or not name.startswith(f"{_PACKAGE}."):
        raise ValueError(f"modules must be of {_PACKAGE}, but got {name!r}")
    if path.name != "__init__.py":
        return [name]
    files = sorted(one.relative_to(path.parent).with_suffix("") for one in path.parent.rglob("*.py"))
    inner = [".".join((name, *(part for part in one.parts if part != "__init__"))) for one in files]
    return [one for one in inner if one != f"{_PACKAGE}.runtime.{_OWN}"]


@functools.cache
def _imports(text: str) -> tuple[str, ...]:
    """Return what a module's text imports of the package; programs that write several files ask for the same texts."""
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(name for name in names if name.startswith(_PACKAGE + "."))


def single_file(stem: str = "roller_runtime", *, modules: Sequence[str] = (), main: str = "") -> str:
    """Return the text of the file.

    Args:
        stem: Its name, which its own description mentions.
        modules: What is in it beside the runtime: modules, and packages with all that is in them.
        main: "MODULE:FUNCTION", what runs when the file is called as a script, and returns its exit code; "": nothing.

    Raises:
        ValueError: There is no such module, or one cannot be quoted.
    """
    try:
        release = version("roller-mlir")
    except PackageNotFoundError:
        release = "of unknown version"
    module, _, function = main.partition(":")
    named = [*modules, module] if module else modules
    texts = sources(named)
    if module and f"\ndef {function}(" not in texts.get(module, ""):
        raise ValueError(f"main must be MODULE:FUNCTION of such a module, but got {main!r}")
    use = f"`python {stem}.py --help`" if main else f"`from {stem} import Artifact`"
    what = "The runtime and the runner of kits" if main else "The runtime"
    parts = [_HEAD.format(version=release, what=what, use=use, root=_ROOT)]
    for name, text in texts.items():
        text = text.replace(f"{_PACKAGE}.", f"{_ROOT}.")
        if "'''" in text or text.endswith("'"):
            raise ValueError(f"modules of such a file hold no three single quotes in a row, but {name} does")
        parts.append(f"\n_SOURCES[\"{name.replace(_PACKAGE, _ROOT, 1)}\"] = r'''{text}'''\n")
    public = ast.literal_eval(texts[f"{_PACKAGE}.runtime"].partition("__all__ = ")[2])
    names = "".join(f"    {name},\n" for name in public)
    parts += [_TAIL, f"\nfrom {_ROOT}.runtime import (  # noqa: E402\n{names})\n", f"\n__all__ = {public!r}\n"]
    if module:
        where = module.replace(_PACKAGE, _ROOT, 1)
        parts.append(
            f'\nif __name__ == "__main__":\n    from {where} import {function}\n\n    sys.exit({function}())\n'
        )
    return "".join(parts)


def write_single_file(path: Path) -> None:
    """Write the file.

    Raises:
        ArtifactError: It cannot be written.
    """
    try:
        path.write_text(single_file(path.stem), encoding="utf-8")
    except OSError as error:
        raise ArtifactError(f"cannot write '{path}': {error.strerror}") from error


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="single_file", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.py", help="where to write it")
    path: Path = parser.parse_args().output
    if path.suffix != ".py" or not path.stem.isidentifier():
        parser.error(f"the file must be named like a module, such as roller_runtime.py, but got '{path}'")
    try:
        write_single_file(path)
    except ArtifactError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
