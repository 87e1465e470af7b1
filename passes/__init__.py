# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes, one a file; importing this package makes all of them known to the registry."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
