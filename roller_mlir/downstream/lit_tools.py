# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools for a suite of lit, whose lit.cfg.py asks for them.

from roller_mlir.downstream.lit_tools import use_roller
use_roller(config, lit_config)
"""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TOOLS = ("roller-opt", "roller")


def add_tools(config: Any, tools: Mapping[str, str]) -> None:
    """Let the RUN lines of a suite call tools by name.

    A name counts where it is a word that is not part of a path or of another word, as "roller" is in "roller-opt".

    Args:
        config: Lit's configuration of the suite.
        tools: What is executed, by name.
    """
    config.substitutions += [(rf"(?<![\w./-]){name}(?![\w./-])", command) for name, command in tools.items()]


def use_roller(config: Any, lit_config: Any) -> None:
    """Give a suite `roller-opt`, `roller` and `FileCheck`, and the feature "roller".

    The tools are those of the environment that lit runs in, or else those in PATH. LLVM's FileCheck is preferred to the
    `filecheck` of PyPI. Compiles are not cached, so that a test is of the compiler that is there.

    Args:
        config: Lit's configuration of the suite.
        lit_config: Lit itself, which is told what is missing and ends then.
    """
    path = f"{Path(sys.executable).parent}:{config.environment.get('PATH', '')}"
    found = {name: shutil.which(name, path=path) for name in TOOLS}
    found["FileCheck"] = shutil.which("FileCheck", path=path) or shutil.which("filecheck", path=path)
    if missing := [name for name, tool in found.items() if tool is None]:
        lit_config.fatal(f"not found: {', '.join(missing)}; pip install 'roller_mlir[dev]' brings them")
    add_tools(config, {name: str(tool) for name, tool in found.items()})
    config.available_features.add("roller")
    config.environment["ROLLER_CACHE"] = "0"
