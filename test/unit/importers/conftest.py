# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what these tests share importable, and lets imports be forks of one process that has imported the bindings."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import preloaded
import pytest

from roller_mlir.importers import lower

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def preloaded_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules are lowered in a fork, which ends as a process of its own would: what tests of models are not of."""

    def run(command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[bytes]":
        assert command[1:4] == ["-P", "-m", lower.__name__]
        return subprocess.run(preloaded.python(*command[2:]), **options)

    monkeypatch.setattr(lower, "subprocess", SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired))
