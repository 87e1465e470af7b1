# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import simulated_drivers

from roller_mlir.tools.commands.iree import run

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "importers")]


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Driver libraries that `roller iree run` finds, as in a cache."""
    monkeypatch.setattr(run, "driver_libraries", simulated_drivers.libraries)


@pytest.fixture(autouse=True, scope="module")
def forked_servers() -> Iterator[None]:
    """As of `simulated_drivers`."""
    with simulated_drivers.forked_servers():
        yield
