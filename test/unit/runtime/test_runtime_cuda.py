# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA back end with the real cuda-bindings over a driver library that is built here."""

import importlib.util
import sys
from pathlib import Path

import fake_drivers
import pytest

from roller_mlir.runtime import BackendError, find_backend

HAS_BINDINGS = importlib.util.find_spec("cuda") is not None and importlib.util.find_spec("cuda.bindings") is not None


@pytest.mark.skipif(fake_drivers.COMPILER is None, reason="needs a C compiler, which makes the driver library")
@pytest.mark.skipif(not HAS_BINDINGS, reason="needs cuda-bindings")
def test_calls_and_refusals_with_a_fake_driver(tmp_path: Path) -> None:
    fake_drivers.build("fake_cuda.c", tmp_path / "libcuda.so.1")
    fake_drivers.run_cases(tmp_path, "cuda_cases.py", "cuda_cases_loading.py", "cuda_cases_timing.py")


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    with pytest.raises(BackendError, match=r"back end 'cuda' needs cuda-bindings .* pip install 'cuda-bindings>=12.8'"):
        find_backend("cuda")
    with pytest.raises(BackendError, match=r"back end 'cuda': .*unexpected keyword argument 'seed'"):
        find_backend("cuda", {"seed": 1})
