# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The back ends that can run an artifact, by name; each is imported only when it is asked for.

A back end implements `sequence.Backend`; a class or a function makes it. The table names modules, so that the runtime
never imports a compiler package or a GPU library by itself.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from roller_mlir.runtime.errors import BackendError

if TYPE_CHECKING:
    from roller_mlir.runtime.sequence import Backend

_PROVIDERS: dict[str, tuple[str, str]] = {
    "cpu": ("roller_mlir.runtime.cpu.backend", "CpuBackend"),
    "cuda": ("roller_mlir.runtime.driver.backend", "cuda_backend"),
    "hip": ("roller_mlir.runtime.driver.backend", "hip_backend"),
    "sim": ("roller_mlir.sim.launcher", "SimulatorBackend"),
}
_BY_VENDOR = {"nvidia": "cuda", "amd": "hip", "cpu": "cpu"}


def register_backend(name: str, module: str, attribute: str, vendor: str = "") -> None:
    """Add a back end.

    Args:
        name: What users write ("--on NAME").
        module: Module that defines it.
        attribute: The class in that module, or a function that makes one.
        vendor: Whose devices it runs; "" where it is no vendor's.

    Raises:
        ValueError: The name is taken.
    """
    if name in _PROVIDERS:
        raise ValueError(f"back ends have unique names, but {name!r} is registered already")
    _PROVIDERS[name] = (module, attribute)
    if vendor:
        _BY_VENDOR[vendor] = name


def backend_of_vendor(vendor: str) -> str | None:
    """Return the name of the back end that runs a vendor's devices; None where there is none."""
    return _BY_VENDOR.get(vendor)


def backend_names() -> tuple[str, ...]:
    """Return the known names, sorted."""
    return tuple(sorted(_PROVIDERS))


def find_backend(name: str, options: Mapping[str, Any] | None = None) -> "Backend[Any]":
    """Make the back end called `name`.

    Args:
        name: One of `backend_names()`.
        options: Keyword arguments of what makes it.

    Raises:
        BackendError: The name or an option is unknown, or the back end cannot be imported here.
    """
    if name not in _PROVIDERS:
        raise BackendError(f"unknown back end {name!r}; known: {', '.join(backend_names())}")
    module, attribute = _PROVIDERS[name]
    try:
        provider = getattr(import_module(module), attribute)
    except ImportError as error:
        raise BackendError(f"back end {name!r} is not available here: {error}") from error
    try:
        return cast("Backend[Any]", provider(**(options or {})))
    except TypeError as error:
        raise BackendError(f"back end {name!r}: {error}") from error
