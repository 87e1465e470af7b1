# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other repositories take into their builds: `find_package(Roller)` of CMake, and tools for suites of lit.

`roller iree cmake-dir` prints CMAKE_FOLDER, as a build's `-DRoller_DIR=` wants it.
"""

from pathlib import Path

CMAKE_FOLDER = Path(__file__).parent / "cmake"
