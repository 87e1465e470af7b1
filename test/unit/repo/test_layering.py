# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports point downwards, MLIR is imported in one file, the lower layers run without it, and folders stay small."""

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from package_sources import ROOT, sources
from statements import parsed, statements

#: The tables of layers, and of files that may import more.
TABLE, FURTHER = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| file | also imports | why |")


def rows_of(text: str) -> list[tuple[str, str]]:
    """Return the rows of the table: folder, and what it may import."""
    return re.findall(r"^\| `([\w/]+)(?:\.py)?` \|.*\| ([^|]*) \|$", text, re.MULTILINE)


def layers_of(text: str) -> dict[str, frozenset[str]]:
    """Return what each layer may import beside itself: what its row names, and what the rows of those name."""
    allowed: dict[str, frozenset[str]] = {}
    for folder, names in rows_of(text):
        named = set(allowed) if names == "all above" else set(re.findall(r"`(\w+)`", names))
        assert named <= set(allowed), f"{folder} may import {named - set(allowed)}, which do not stand above it"
        assert Path(folder).name not in allowed, f"two layers are called {Path(folder).name}"
        allowed[Path(folder).name] = frozenset(named | {"foreign"}).union(*(allowed[one] for one in named))
    return allowed


ALLOWED = layers_of(TABLE)
#: Each layer's module below `roller_mlir`, taken apart.
MODULES = {Path(folder).name: tuple(folder.removeprefix("roller_mlir/").split("/")) for folder, _ in rows_of(TABLE)}
#: A folder of layers holds no code itself.
GROUPS = {parts[:-1] for parts in MODULES.values()} - {(), *MODULES.values()}
ALLOWED["__init__"] = frozenset()
#: The layers and modules that single files import beside those of their layers.
EXCEPTIONS = [
    (file, name)
    for files, names in re.findall(r"^\| ([^|]*\.py`) \| ([^|]*) \|", FURTHER, re.MULTILINE)
    for file in re.findall(r"`([\w/.]+)`", files)
    for name in re.findall(r"`([\w.]+)`", names)
]
WITHOUT_MLIR = ("foreign", "hal", "plan", "mapping", "model")
LARGEST_FOLDER = 16
LARGEST_FOLDER_OF_TESTS = 18
#: Files that tests read, and recorded results, a folder for each measurement, of which there may be any number.
DATA = tuple(
    ROOT / name
    for name in ("test/semantics/models/data", "test/semantics/reported", "test/unit/sim/data", "docs/results")
)
_NAMED = re.compile(r"^(?! *(?:from|import) roller_mlir).*roller_mlir\.", re.MULTILINE)
"""A line that names a module of ours, and is no import."""


def layer_in(parts: Sequence[str]) -> str:
    """Return the layer of a module of ours, without `roller_mlir`: of the innermost folder that has a row, or ""."""
    inside = [layer for layer, folder in MODULES.items() if tuple(parts[: len(folder)]) == folder]
    return max(inside, key=lambda layer: len(MODULES[layer]), default="")


def layer_of(path: Path) -> str:
    """Return the layer of a source file; the package's own is `__init__`, that of a folder of layers is ""."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "roller_mlir" else parts
    return "__init__" if parts == ("__init__",) else layer_in(parts)


@functools.cache
def imports_of(path: Path) -> Sequence[tuple[int, str]]:
    """Return line and module of every import, also inside of functions, and of modules of ours that a string names."""
    return list(_imports_of(path))


def _imports_of(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    module = parsed(text)
    # Strings are looked at where one may name a module of ours; imports are statements.
    for node in ast.walk(module) if _NAMED.search(text) else statements(module):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            assert node.module is not None
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("roller_mlir."):
            named = re.fullmatch(r"(roller_mlir(?:\.\w+)+)(?::\w+)?", node.value)
            # The name of a log is none of a module; a name within a module is.
            if named is not None and {named[1], named[1].rpartition(".")[0]} & (sources().keys() - {"roller_mlir"}):
                yield node.lineno, named[1]


def upwards(path: Path, layer: str) -> list[str]:
    """Return the imports of a file that its layer may not have."""
    wrong: list[str] = []
    for line, module in imports_of(path):
        parts = module.split(".")
        if parts[0] != "roller_mlir" or len(parts) == 1 or tuple(parts[1:]) in GROUPS:
            continue
        known = layer_in(parts[1:]) or "__init__"
        if known == layer:
            continue
        if any(path == ROOT / file and name in (known, module) for file, name in EXCEPTIONS):
            continue
        if known not in ALLOWED[layer]:
            wrong.append(f"{path}:{line}: {layer} imports {module}")
    return wrong


def test_imports_point_downwards() -> None:
    wrong: list[str] = []
    for path in sources().values():
        layer = layer_of(path)
        if not layer and path.parent.relative_to(ROOT / "roller_mlir").parts in GROUPS and path.name == "__init__.py":
            assert not imports_of(path), f"{path}: a folder of layers imports nothing"
            continue
        assert layer in ALLOWED, f"{path}: give its layer a row in CONTRIBUTING.md"
        wrong += upwards(path, layer)
    assert not wrong, "\n".join(wrong)


def test_each_layer_has_its_folder() -> None:
    for layer, parts in MODULES.items():
        places = [ROOT.joinpath("roller_mlir", *parts), ROOT.joinpath(*parts)]
        assert any(place.is_dir() or place.with_suffix(".py").is_file() for place in places), layer


def crowded(folders: Iterable[Path], most: int) -> dict[Path, list[str]]:
    """Return what lies in each folder that holds more than `most` entries; byte code, which is left behind, is none."""
    entries = {
        folder: sorted(
            one.name
            for one in folder.iterdir()
            if any(file.is_file() and file.suffix != ".pyc" for file in (one, *one.rglob("*")))
        )
        for folder in folders
    }
    return {folder: names for folder, names in entries.items() if len(names) > most}


def folders_within(root: Path) -> list[Path]:
    """Return a folder and all within it, but those of data."""
    within = [root, *(path for path in root.rglob("*") if path.is_dir())]
    return [folder for folder in within if not any(folder.is_relative_to(data) for data in DATA)]


def test_each_folder_of_the_package_can_be_overlooked() -> None:
    assert not crowded({path.parent for path in sources().values()}, LARGEST_FOLDER)


def test_folders_of_tests_can_be_overlooked() -> None:
    assert all(data.is_dir() for data in DATA)
    assert not crowded(folders_within(ROOT / "test"), LARGEST_FOLDER_OF_TESTS)


@pytest.mark.parametrize("root", ["docs", "bench"])
def test_folders_of_pages_and_of_measurements_can_be_overlooked(root: str) -> None:
    """docs/results is exempt: it holds recorded results, a folder for each measurement."""
    assert not crowded(folders_within(ROOT / root), LARGEST_FOLDER)


def test_a_crowded_folder_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "model" / "search"
    (inner / "__pycache__").mkdir(parents=True)
    for name in ("test_one.py", "test_two.mlir", "__pycache__/test_one.pyc"):
        (inner / name).touch()
    assert not crowded(folders_within(tmp_path), 2)
    (inner / "test_three.py").touch()
    assert list(crowded(folders_within(tmp_path), 2)) == [inner]


@pytest.mark.parametrize(("file", "name"), EXCEPTIONS)
def test_each_exception_is_needed(file: str, name: str) -> None:
    path = ROOT / file
    imported = [module for _, module in imports_of(path) if module.startswith("roller_mlir.")]
    layers = {module: layer_in(module.split(".")[1:]) or "__init__" for module in imported}
    needed = {layer for module, layer in layers.items() if name in (layer, module)}
    assert needed and not needed & (ALLOWED[layer_of(path)] | {layer_of(path)})


@pytest.mark.parametrize(
    "text",
    [
        "from roller_mlir.lowering.codegen.kernel import emit",
        "import roller_mlir.lowering.codegen",
        "def f():\n    from roller_mlir.lowering import codegen",
        "from importlib import import_module\nimport_module('roller_mlir.lowering.codegen.kernel')",
        "ENTRY = 'roller_mlir.lowering.codegen.kernel:emit'",
    ],
)
def test_imports_upwards_are_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "upwards.py").write_text(text)
    assert upwards(tmp_path / "upwards.py", "plan") and not upwards(tmp_path / "upwards.py", "backend")


def test_bindings_are_imported_in_one_file() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {module}"
        for path in sources().values()
        if path != ROOT / "roller_mlir/support/bindings.py"
        for line, module in imports_of(path)
        if module.split(".")[0] in ("torch_mlir", "mlir") or module.startswith("iree.compiler.ir")
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("layer", WITHOUT_MLIR)
def test_lower_layers_run_without_mlir_and_gpu_libraries(layer: str) -> None:
    code = (
        "import sys, pkgutil, importlib, roller_mlir\n"
        f"package = importlib.import_module('roller_mlir.{'.'.join(MODULES[layer])}')\n"
        "for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "heavy = {'torch_mlir', 'mlir', 'llvmlite', 'iree', 'cuda', 'numpy', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd="/", timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys, roller_mlir; assert not {'torch_mlir', 'numpy', 'llvmlite'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd="/", timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
