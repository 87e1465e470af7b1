# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The back ends that can run an artifact, by name; each is imported only when it is asked for.

A back end implements `sequence.Backend`; a class or a function makes it. The table names modules, so that the runtime
never imports a compiler package or a GPU library by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from roller_mlir.runtime.errors import BackendError

if TYPE_CHECKING:
    from roller_mlir.plan.manifest import Manifest
    from roller_mlir.runtime.sequence import Backend


@dataclass(frozen=True, kw_only=True)
class _Provider:
    """What makes a back end.

    Attributes:
        module: Module that defines it.
        attribute: The class in that module, or a function that makes one.
        vendor: Whose devices it runs; "" where it is no vendor's.
        here: Whether such a device is the machine itself; if not, it is opened by its number and a driver.
    """

    module: str
    attribute: str
    vendor: str = ""
    here: bool = False


_PROVIDERS: dict[str, _Provider] = {}


def register_backend(name: str, module: str, attribute: str, vendor: str = "", *, here: bool = False) -> None:
    """Add a back end.

    Args:
        name: What users write ("--on NAME").
        module: Module that defines it.
        attribute: The class in that module, or a function that makes one.
        vendor: Whose devices it runs; "" where it is no vendor's.
        here: Whether such a device is the machine itself; if not, it is opened by its number and a driver.

    Raises:
        ValueError: The name is taken.
    """
    if name in _PROVIDERS:
        raise ValueError(f"back ends have unique names, but {name!r} is registered already")
    _PROVIDERS[name] = _Provider(module=module, attribute=attribute, vendor=vendor, here=here)


register_backend("cpu", "roller_mlir.runtime.cpu.backend", "CpuBackend", vendor="cpu", here=True)
register_backend("cuda", "roller_mlir.runtime.driver.backend", "cuda_backend", vendor="nvidia")
register_backend("hip", "roller_mlir.runtime.driver.backend", "hip_backend", vendor="amd")
register_backend("sim", "roller_mlir.sim.launcher", "SimulatorBackend")


def backend_of_vendor(vendor: str) -> str | None:
    """Return the name of the back end that runs a vendor's devices, the last registered; None where there is none."""
    return next((name for name, one in reversed(_PROVIDERS.items()) if one.vendor == vendor), None)


def backend_here(vendor: str) -> str | None:
    """Return the name of the back end that runs a vendor's devices where the machine is one; None if none is."""
    name = backend_of_vendor(vendor)
    return name if name is not None and _PROVIDERS[name].here else None


def device_backends() -> tuple[str, ...]:
    """Return the names of the back ends that open devices by drivers."""
    return tuple(name for name, one in _PROVIDERS.items() if one.vendor and not one.here)


def host_backends() -> tuple[str, ...]:
    """Return the names of the back ends whose device is the machine itself."""
    return tuple(name for name, one in _PROVIDERS.items() if one.here)


def check_vendor(name: str, manifest: "Manifest") -> None:
    """Refuse an artifact that is for no device of a back end.

    Raises:
        BackendError: It was compiled for another vendor's.
    """
    device, vendor = manifest.device, _PROVIDERS[name].vendor
    if device.vendor != vendor:
        raise BackendError(
            f"{manifest.function!r} was compiled for {device.name} of {device.vendor}; {name} runs devices of {vendor}"
        )


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
    known = _PROVIDERS[name]
    try:
        provider = getattr(import_module(known.module), known.attribute)
    except ImportError as error:
        raise BackendError(f"back end {name!r} is not available here: {error}") from error
    try:
        return cast("Backend[Any]", provider(**(options or {})))
    except TypeError as error:
        raise BackendError(f"back end {name!r}: {error}") from error
