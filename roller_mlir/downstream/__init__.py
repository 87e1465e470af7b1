# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other projects take: `find_package(Roller)` of CMake, tools for suites of lit, and programs of IREE (`iree`).

`roller iree cmake-dir` prints CMAKE_FOLDER, as a build's `-DRoller_DIR=` wants it.
"""

from pathlib import Path

CMAKE_FOLDER = Path(__file__).parent / "cmake"
