# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sources of the package, in the folders that setup.py names: for tests that look at all of them."""

import contextlib
import functools
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parents[1]


@functools.cache
def setup_arguments() -> Mapping[str, Any]:
    """Return what setup.py gives to setuptools."""
    with mock.patch("setuptools.setup") as setup, contextlib.chdir(ROOT):
        runpy.run_path("setup.py")
    return setup.call_args.kwargs


def package_folders() -> Mapping[str, str]:
    """Return the folder of each package whose parts lie together, as "passes" of "roller_mlir.passes"."""
    return setup_arguments()["package_dir"]


@functools.cache
def sources() -> Mapping[str, Path]:
    """Return the file of each module of the package, sorted by file within a folder."""
    return {
        ".".join((package, *path.relative_to(ROOT / folder).with_suffix("").parts)).removesuffix(".__init__"): path
        for package, folder in package_folders().items()
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
