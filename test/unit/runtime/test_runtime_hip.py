# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The HIP back end with the real hip-python over a driver library that is built here."""

import importlib.util
import sys
from pathlib import Path

import fake_drivers
import pytest

from roller_mlir.runtime import BackendError, find_backend


@pytest.mark.skipif(fake_drivers.COMPILER is None, reason="needs a C compiler, which makes the driver library")
@pytest.mark.skipif(importlib.util.find_spec("hip") is None, reason="needs hip-python")
def test_calls_and_refusals_with_a_fake_driver(tmp_path: Path) -> None:
    fake_drivers.build("fake_hip.c", tmp_path / "libamdhip64.so")
    fake_drivers.run_cases(tmp_path, "hip_cases.py")


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hip", None)
    with pytest.raises(BackendError, match=r"back end 'hip' needs hip-python .* pip install hip-python"):
        find_backend("hip")
