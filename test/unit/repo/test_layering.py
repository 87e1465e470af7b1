# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports point downwards only, MLIR is imported in one file, and the lower layers run without it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: What each layer may import, beside itself.
ALLOWED = {
    "hal": set[str](),
    "plan": {"hal"},
    "mapping": {"plan", "hal"},
    "model": {"mapping", "plan", "hal"},
    "rammer": {"model", "mapping", "plan", "hal"},
    "support": set[str](),
    "dialects": {"support"},
    "reference": {"support", "dialects", "plan"},
    "codegen": {"dialects", "support", "mapping", "plan", "hal"},
    "passes": {"codegen", "dialects", "support", "rammer", "model", "mapping", "plan", "hal"},
    "pipelines": {"passes", "support"},
    "runtime": {"plan", "hal"},
    "sim": {"runtime", "codegen", "support", "mapping", "plan", "hal"},
    "compiler": {
        *("pipelines", "passes", "codegen", "sim", "runtime", "reference", "dialects", "support"),
        *("model", "mapping", "plan", "hal"),
    },
}
ALLOWED["suites"] = {*ALLOWED}
ALLOWED["measure"] = {*ALLOWED}
ALLOWED["fuzz"] = {*ALLOWED} - {"suites", "measure"}
ALLOWED["__init__"] = {"compiler", "runtime", "support", "hal"}
ALLOWED["tools"] = {*ALLOWED, "iree"} - {"tools"}
ALLOWED["iree"] = {*ALLOWED} - {"tools", "iree"}
for _layers in ALLOWED.values():  # it imports nothing, and all may read what strangers give
    _layers.add("foreign")
ALLOWED["foreign"] = set[str]()
#: The one factory of contexts loads the dialects, so that no context lacks them; it names them as text.
WITHOUT_MLIR = ("foreign", "hal", "plan", "mapping", "model")


def sources() -> list[Path]:
    """Returns every source file of the package."""
    return [
        p for folder in ("roller_mlir", "passes", "dialects", "tools") for p in sorted((ROOT / folder).rglob("*.py"))
    ]


def layer_of(path: Path) -> str:
    """Returns the layer of a source file: the name below roller_mlir."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "roller_mlir" else parts[0]


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yields line and module of every import, also of those by name in `import_module("...")` and of relative ones."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            assert node.module is not None
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def test_imports_point_downwards() -> None:
    wrong: list[str] = []
    for path in sources():
        layer = layer_of(path)
        assert layer in ALLOWED, f"{path}: give the layer '{layer}' its place in this test"
        for line, module in imports_of(path):
            parts = module.split(".")
            if parts[0] != "roller_mlir" or len(parts) == 1 or parts[1] == layer:
                continue
            known = parts[1] if parts[1] in ALLOWED else "__init__"
            if known not in ALLOWED[layer] and not (known == "__init__" and layer in ("tools", "compiler", "iree")):
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {layer} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_bindings_are_imported_in_one_file() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {module}"
        for path in sources()
        if path != ROOT / "roller_mlir/support/bindings.py"
        for line, module in imports_of(path)
        if module.split(".")[0] in ("torch_mlir", "mlir") or module.startswith("iree.compiler.ir")
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("layer", WITHOUT_MLIR)
def test_lower_layers_run_without_mlir_and_gpu_libraries(layer: str) -> None:
    code = (
        "import sys, pkgutil, importlib, roller_mlir\n"
        f"package = importlib.import_module('roller_mlir.{layer}')\n"
        "for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "heavy = {'torch_mlir', 'mlir', 'llvmlite', 'iree', 'cuda', 'numpy', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd="/", timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys, roller_mlir; assert not {'torch_mlir', 'numpy', 'llvmlite'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd="/", timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
