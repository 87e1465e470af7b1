# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the packages, which pyproject.toml cannot say: three lie beside `roller_mlir` and are parts of it."""

from setuptools import find_packages, setup

FOLDERS = {
    "roller_mlir": "roller_mlir",
    **{f"roller_mlir.{folder}": folder for folder in ("dialects", "passes", "tools")},
}

setup(
    package_dir=FOLDERS,
    packages=[
        ".".join((package, *below))
        for package, folder in FOLDERS.items()
        for below in [(), *((name,) for name in find_packages(folder))]
    ],
)
