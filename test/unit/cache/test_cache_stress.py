# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/compiling/cache/stress.py: processes that are killed at random serve and lose nothing they must not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "bench" / "compiling" / "cache" / "stress.py"


@pytest.mark.full
def test_killed_processes_do_no_harm() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--seconds", "0", "--least", "16", "--processes", "8", "--period", "0.1"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "ROLLER_CACHE": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["wrong"] == []
    assert report["kills"] >= 16 and report["published"] >= 16 and report["damaged"] > 0
