# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Print the folder in which CMake finds the package Roller, whose roller_iree_module() makes modules in a build.

cmake -S . -B build -DRoller_DIR="$(roller iree cmake-dir)"
"""

import argparse

from roller_mlir.downstream import CMAKE_FOLDER
from roller_mlir.tools.console.output import print_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: there are no arguments."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    print_line(str(CMAKE_FOLDER))
    return 0
