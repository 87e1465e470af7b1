# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of a package that are imported at their first use, so that importing it costs nothing."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def at_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    Args:
        package: Its name.
        homes: By name the module that defines it; "MODULE:NAME" where that calls it by another name.

    >>> at_first_use("shapes", {"area": "math:prod"})("area")([2, 3])
    6
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, other = homes[name].partition(":")
        return getattr(import_module(module), other or name)

    return find
