# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets lit run the examples as tests, with the configuration of test/."""

import os

_here = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(os.path.dirname(_here), "test", "lit.cfg.py"))  # noqa: F821 - lit's names
config.name = "roller-mlir-examples"  # noqa: F821 - lit defines config
config.test_source_root = _here  # noqa: F821 - lit defines config
config.test_exec_root = os.path.join(os.path.dirname(_here), "build", "lit-examples")  # noqa: F821 - lit defines config
config.excludes = [*config.excludes, "iree_project"]  # noqa: F821 - lit defines config; it is a project with a suite of its own
