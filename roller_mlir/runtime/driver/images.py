# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The binaries of an artifact's kernels on a device: the best that the driver takes.

A driver refuses a cubin of a newer toolkit than its own, but compiles the PTX beside it; so after a binary that it does
not load the next one is tried, and a note says what was refused and by which error.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from roller_mlir.plan.manifest import Kernel, Manifest
from roller_mlir.runtime.driver.interface import Driver
from roller_mlir.runtime.errors import BackendError


class Images:
    """Loads the binaries of one artifact, each once."""

    def __init__(self, driver: Driver, manifest: Manifest, files: Mapping[str, bytes]) -> None:
        """Load nothing yet.

        Args:
            driver: The device, whose context is current at each call.
            manifest: The artifact's record.
            files: Its files by name.
        """
        self._driver, self._manifest, self._files = driver, manifest, files
        self._modules: dict[str, Any] = {}
        self._refused: dict[str, str] = {}
        self._functions: dict[str, tuple[Any, str]] = {}

    def function(self, kernel: Kernel) -> tuple[Any, str]:
        """Return a kernel's function, and which better binaries the driver refused; "" where it took the best one.

        Raises:
            BackendError: The artifact has no binary for this device, the driver loads none of them, or the kernel is
                not in the one that it loads.
        """
        if kernel.name not in self._functions:
            name, note = self._load(kernel)
            try:
                function = self._driver.find_function(self._modules[name], kernel.name)
            except BackendError as error:
                raise BackendError(f"{name} holds no kernel {kernel.name!r}: {error}") from error
            launches = self._manifest.launches
            most = max(one.dynamic_workgroup_bytes for one in launches if one.kernel == kernel.name)
            self._driver.allow_shared(function, most)
            self._functions[kernel.name] = function, note
        return self._functions[kernel.name]

    def _load(self, kernel: Kernel) -> tuple[str, str]:
        """Return the name of the best file that the driver loads, and a note about those that it does not."""
        refused: list[str] = []
        for name in self._names(kernel):
            if name not in self._modules and name not in self._refused:
                try:
                    self._modules[name] = self._driver.load_image(f"kernel {kernel.name!r} ({name})", self._files[name])
                except BackendError as error:
                    self._refused[name] = str(error)
            if name in self._modules:
                return name, f"{'; '.join(refused)}; {name} runs instead" if refused else ""
            refused.append(self._refused[name])
        raise BackendError("; ".join(refused))

    def _names(self, kernel: Kernel) -> Sequence[str]:
        driver, architecture = self._driver, self._manifest.device.architecture
        if "\0" in kernel.name:
            raise BackendError(f"a kernel's name must be text without zero bytes, but got {kernel.name!r}")
        kinds = driver.image_kinds(architecture)
        names = [kernel.files[kind] for kind in kinds if kind in kernel.files]
        if not names:
            have = ", ".join(sorted(kernel.files)) or "no file"
            need = " or ".join(kinds) or f"one for {driver.facts.architecture}"
            raise BackendError(
                f"kernel {kernel.name!r} has {have} for {architecture}, but device {driver.ordinal} "
                f"({driver.facts.architecture}) needs {need}; compile for this device, with binaries"
            )
        return names
