# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of lit: the tools run in forks of one process that has imported them, so no PATH has to be set up."""

import os
import sys

import lit.formats

config.name = "roller-mlir"  # noqa: F821 - lit defines config
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821 - lit defines config
config.suffixes = [".mlir"]  # noqa: F821 - lit defines config
config.excludes = ["Inputs", "Output", "unit", "semantics"]  # noqa: F821 - lit defines config
_here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(_here)
import preloaded  # noqa: E402 - it stands beside this file

from roller_mlir.downstream.lit_tools import add_tools  # noqa: E402 - after what it needs

config.test_source_root = _here  # noqa: F821 - lit defines config
config.test_exec_root = os.path.join(os.path.dirname(_here), "build", "lit")  # noqa: F821 - lit defines config

_MODULES = {
    "roller-opt": "roller_mlir.tools.roller_opt",
    "roller": "roller_mlir.tools.roller",
    "FileCheck": "filecheck",
}
add_tools(config, {name: " ".join(preloaded.python("-m", module)) for name, module in _MODULES.items()})  # noqa: F821 - lit defines config

config.environment["ROLLER_CACHE"] = "0"  # noqa: F821 - tests are of the compiler, not of what it once did
config.environment["XDG_CONFIG_HOME"] = os.path.join(os.path.dirname(_here), "build", "configuration")  # noqa: F821

for _variable in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "HOME"):
    if _variable in os.environ:
        config.environment[_variable] = os.environ[_variable]  # noqa: F821 - lit defines config
