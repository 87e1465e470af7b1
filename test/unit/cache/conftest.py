# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives each test that wants one a cache of its own; elsewhere tests have none."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a cache, which is not there yet."""
    monkeypatch.setenv("ROLLER_CACHE", "1")
    monkeypatch.setenv("ROLLER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("ROLLER_CACHE_LIMIT", raising=False)
    return tmp_path / "cache"
