# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A suite of a project that is not ours, with our tools."""

import os

import lit.formats

from roller_mlir.downstream.lit_tools import use_roller

config.name = "iree-project"  # noqa: F821 - lit defines config
config.test_format = lit.formats.ShTest()  # noqa: F821 - lit defines config
config.suffixes = [".mlir"]  # noqa: F821 - lit defines config
config.test_exec_root = os.path.join(os.getcwd(), "lit")  # noqa: F821 - lit defines config; ctest runs it in the build
use_roller(config, lit_config)  # noqa: F821 - lit defines both
