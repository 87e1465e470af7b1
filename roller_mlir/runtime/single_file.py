# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the runtime as one file, to lie beside an artifact on a machine without this package.

  python -m roller_mlir.runtime.single_file -o roller_runtime.py

There `from roller_runtime import Artifact` gives what `roller_mlir.runtime` gives here, but for the simulator. The file
needs Python 3.11 and numpy, and cuda-bindings or hip-python for a device. It holds the runtime's modules, and the
records that they read, as text, and imports them under a name of its own, so that an installed package is never mixed
in.
"""

import argparse
import ast
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from roller_mlir.runtime.errors import ArtifactError

_PACKAGE, _ROOT = "roller_mlir", "_roller_runtime"
_FOLDER = Path(__file__).resolve().parents[1]
_OWN = Path(__file__).stem

_HEAD = '''# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime of roller-mlir {version} in one file, for machines without the package: `from {stem} import Artifact`.

Written by `python -m roller_mlir.runtime.single_file`; edit the modules there, not here. Needs Python 3.11 and numpy,
and cuda-bindings or hip-python for a device.
"""

import sys
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec

_ROOT = "{root}"
_SOURCES = {{}}
'''

_TAIL = '''

class _Finder(MetaPathFinder, InspectLoader):
    """Finds the modules above."""

    def find_spec(self, fullname, path=None, target=None):
        """Return what is known of a module, None if it is not above."""
        return ModuleSpec(fullname, self, is_package=self.is_package(fullname)) if fullname in _SOURCES else None

    def is_package(self, fullname):
        """Whether modules are below it."""
        return any(name.startswith(fullname + ".") for name in _SOURCES)

    def get_source(self, fullname):
        """Return its text."""
        return _SOURCES[fullname]

    def exec_module(self, module):
        """Run it; by this name of the file tracebacks find its lines."""
        exec(compile(_SOURCES[module.__name__], f"{__file__}:{module.__name__}", "exec"), module.__dict__)


sys.meta_path.insert(0, _Finder())
'''


def sources() -> dict[str, str]:
    """Return the text of the runtime's modules and of all that they import, by name, packages first."""
    waiting = [f"{_PACKAGE}.runtime.{path.stem}" for path in (_FOLDER / "runtime").glob("*.py") if path.stem != _OWN]
    waiting = [name.removesuffix(".__init__") for name in waiting]
    found: dict[str, str] = {_PACKAGE: ""}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = _FOLDER.joinpath(*name.split(".")[1:])
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not path.is_file():
            continue  # a name that is imported from a module, not a module
        text = found[name] = path.read_text(encoding="utf-8")
        waiting.append(name.rpartition(".")[0])
        waiting += _imports(text)
    return dict(sorted(found.items()))


def _imports(text: str) -> list[str]:
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in names if name.startswith(_PACKAGE + ".")]


def single_file(stem: str = "roller_runtime") -> str:
    """Return the text of the file.

    Args:
        stem: Its name, which its own description mentions.
    """
    try:
        release = version("roller-mlir")
    except PackageNotFoundError:
        release = "of unknown version"
    modules = sources()
    parts = [_HEAD.format(version=release, stem=stem, root=_ROOT)]
    for name, text in modules.items():
        text = text.replace(f"{_PACKAGE}.", f"{_ROOT}.")
        if "'''" in text or text.endswith("'"):
            raise ValueError(f"modules of the runtime hold no three single quotes in a row, but {name} does")
        parts.append(f"\n_SOURCES[\"{name.replace(_PACKAGE, _ROOT, 1)}\"] = r'''{text}'''\n")
    public = ast.literal_eval(modules[f"{_PACKAGE}.runtime"].partition("__all__ = ")[2])
    names = "".join(f"    {name},\n" for name in public)
    parts += [_TAIL, f"\nfrom {_ROOT}.runtime import (  # noqa: E402\n{names})\n", f"\n__all__ = {public!r}\n"]
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
