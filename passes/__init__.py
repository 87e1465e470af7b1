# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes, one a file in the folder of its dialect, and what some share; importing this makes all known."""

import importlib
import pkgutil

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
