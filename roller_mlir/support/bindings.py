# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The only module that imports MLIR's Python bindings; everybody else imports them from here.

The bindings come from the `torch_mlir` package, which carries the whole of upstream MLIR, or from a real `mlir`
package where that alone is installed and it can define dialects (`dialects.ext`). Dialect modules are imported at
their first use, because importing all of them takes longer than parsing and printing a module.

    from roller_mlir.support.bindings import ir, linalg, make_context
"""

import importlib
import importlib.util
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch_mlir import ir, passmanager, rewrite
    from torch_mlir.dialects import (
        affine,
        arith,
        bufferization,
        builtin,
        cf,
        ext,
        func,
        gpu,
        index,
        irdl,
        linalg,
        llvm,
        math,
        memref,
        nvvm,
        rocdl,
        scf,
        tensor,
        ub,
        vector,
    )

__all__ = [
    "affine",
    "arith",
    "bufferization",
    "builtin",
    "cf",
    "ext",
    "func",
    "gpu",
    "index",
    "ir",
    "irdl",
    "linalg",
    "llvm",
    "make_context",
    "make_import_context",
    "math",
    "memref",
    "nvvm",
    "onnx_importer",
    "passmanager",
    "read_portable_artifact",
    "rewrite",
    "rocdl",
    "scf",
    "tensor",
    "torch_decompositions",
    "torch_importer",
    "ub",
    "vector",
]

_CORE = frozenset({"ir", "passmanager", "rewrite"})
_LOADED = (
    *("affine", "amdgpu", "arith", "bufferization", "cf", "func", "gpu", "index", "irdl", "linalg", "llvm", "math"),
    *("memref", "nvgpu", "nvvm", "rocdl", "scf", "tensor", "ub", "vector"),
)
_DIALECTS = "roller_mlir.dialects"


def _find_package() -> str:
    """Return the name of the installed package that holds the bindings."""
    for name in ("torch_mlir", "mlir"):
        if importlib.util.find_spec(name) is not None and importlib.util.find_spec(f"{name}.dialects.ext") is not None:
            return name
    raise ImportError("roller_mlir needs the MLIR bindings of the package torch-mlir: pip install torch-mlir==20261001")


_PACKAGE = _find_package()


def _find_own_dialects() -> None:
    """Let the bindings find our dialects' modules: they look for one at every op until they have found it."""
    library = importlib.import_module(f"{_PACKAGE}._mlir_libs._mlir")
    library.globals.append_dialect_search_prefix(_DIALECTS)


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "ir":
        _find_own_dialects()
    module = importlib.import_module(f"{_PACKAGE}.{name}" if name in _CORE else f"{_PACKAGE}.dialects.{name}")
    globals()[name] = module
    return module


def make_context(*, allow_unregistered: bool = False) -> "ir.Context":
    """Make an MLIR context with our dialects loaded, and those of which we build operations.

    The others are loaded where a program that is parsed holds them: to load all takes twice as long.

    Threads are off: hooks written in Python (verifiers, effects) deadlock when MLIR calls them from its workers.
    Parallelism in this compiler is by process.

    Args:
      allow_unregistered: Whether operations of unknown dialects parse.

    Returns:
      The context; enter it with `with`.
    """
    from_core = globals().get("ir") or __getattr__("ir")
    context = from_core.Context(load_on_create_dialects=())
    context.enable_multithreading(False)
    for name in _LOADED:  # without their Python modules, which are imported where one of their operations is met
        context.get_dialect_descriptor(name)
    context.allow_unregistered_dialects = allow_unregistered
    # The dialects stand above this layer; only this one factory reaches up, so that no context lacks them.
    importlib.import_module(_DIALECTS).load(context)
    return context


def make_import_context() -> "ir.Context":
    """Make a context for what front ends write: with the dialects torch, stablehlo and chlo, and their passes.

    It holds none of our dialects: a program leaves it as text, for a context of `make_context`.

    Raises:
      ImportError: The bindings are upstream's, which have none of these dialects.
    """
    if _PACKAGE != "torch_mlir":
        raise ImportError(
            "models are imported with the bindings of the package torch-mlir: pip install torch-mlir==20261001"
        )
    from_core = globals().get("ir") or __getattr__("ir")
    torch = importlib.import_module(f"{_PACKAGE}._mlir_libs._torchMlir")
    stablehlo = importlib.import_module(f"{_PACKAGE}._mlir_libs._stablehlo")
    stablehlo.register_stablehlo_passes()
    context = from_core.Context()
    context.enable_multithreading(False)
    torch.register_dialect(context)
    stablehlo.register_dialect(context)
    passes = importlib.import_module(f"{_PACKAGE}.passmanager")
    with context:  # nothing registers chlo, but what a pass may write is loaded when it runs
        empty = from_core.Module.create(from_core.Location.unknown())
        passes.PassManager.parse("builtin.module(func.func(convert-torch-to-stablehlo))").run(empty.operation)
    return context


def onnx_importer() -> ModuleType:
    """Return torch-mlir's importer of ONNX models.

    Raises:
      ImportError: The package onnx is not installed.
    """
    return importlib.import_module(f"{_PACKAGE}.extras.onnx_importer")


def torch_importer() -> ModuleType:
    """Return torch-mlir's importer of PyTorch's graphs.

    Raises:
      ImportError: The package torch is not installed.
    """
    return importlib.import_module(f"{_PACKAGE}.extras.fx_importer")


def torch_decompositions() -> "dict[Any, Any]":
    """Return PyTorch's decompositions of the operators that torch-mlir's passes do not take.

    Raises:
      ImportError: The package torch is not installed.
    """
    return importlib.import_module(f"{_PACKAGE}.extras.fx_decomp_util").get_decomposition_table()


def read_portable_artifact(data: bytes, context: "ir.Context") -> "ir.Module":
    """Return the module in StableHLO's portable bytecode, which `jax.export` writes.

    Raises:
      ValueError: The bytes are no such artifact.
    """
    return importlib.import_module(f"{_PACKAGE}._mlir_libs._stablehlo").deserialize_portable_artifact(context, data)
