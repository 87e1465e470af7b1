# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what these tests share importable, and lets imports be forks of one process that has imported the bindings."""

import sys
from pathlib import Path

import preloaded
import pytest

from roller_mlir.compiler import bytecode
from roller_mlir.importers import lower

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def preloaded_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules are lowered in a fork, which ends as a process of its own would: what tests of models are not of."""
    for module in (lower, bytecode):
        monkeypatch.setattr(module, "subprocess", preloaded.stand_in(module))
