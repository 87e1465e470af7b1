# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The progress bar: on standard error, on a terminal, and nowhere else."""

import io
import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import preloaded
import pytest

from roller_mlir.support.progress import progress

BAR = """
import time
from roller_mlir.support.progress import progress
with progress(int({total}), "compile") as step:
    for number in range(int({total})):
        time.sleep(0.05)
        step(failed=number == 1)
print("done")
"""


def on_terminal(*command: str, term: str = "xterm") -> tuple[str, str]:
    """Return what a command prints on standard output, a pipe, and on standard error, a terminal."""
    reader, writer = pty.openpty()
    done = subprocess.Popen(
        preloaded.python(*command), stdout=subprocess.PIPE, stderr=writer, env={**os.environ, "TERM": term}
    )
    os.close(writer)
    said = b""
    with suppress(OSError):  # how a terminal says that nobody writes any more
        while part := os.read(reader, 1 << 16):
            said += part
    assert done.stdout is not None
    out = done.stdout.read().decode()
    done.stdout.close()
    assert done.wait(600) == 0
    os.close(reader)
    return out, said.decode()


def test_a_terminal_shows_how_far_it_is() -> None:
    out, said = on_terminal("-c", BAR.format(total=3))
    assert out == "done\n"
    assert "compile" in said and "3/3" in said and "1 failed" in said and "/s" in said
    assert "\x1b[?25h" in said  # the cursor is there again


@pytest.mark.parametrize(("total", "term"), [(1, "xterm"), (0, "xterm"), (3, "dumb")])
def test_a_single_job_and_a_dumb_terminal_have_no_bar(total: int, term: str) -> None:
    assert on_terminal("-c", BAR.format(total=total), term=term) == ("done\n", "")


@pytest.mark.full
def test_a_suite_shows_it_and_its_json_stays_clean(tmp_path: Path) -> None:
    (tmp_path / "operators.csv").write_text("id,class,shape\na,relu,64\nb,relu,128\nc,relu,256\n")
    command = ("-m", "roller_mlir.tools.roller", "suite", str(tmp_path), "--stage", "compile", "--jobs", "2")
    out, said = on_terminal(*command, "--json")
    assert [record["id"] for record in json.loads(out)] == ["a", "b", "c"]
    assert "compile" in said and "3/3" in said


def test_an_interrupt_takes_the_bar_away(tmp_path: Path) -> None:
    code = BAR.format(total=3).replace("step(failed=number == 1)", "step(); raise KeyboardInterrupt")
    code = f"try:\n{''.join(f'  {line}{chr(10)}' for line in code.splitlines())}except KeyboardInterrupt: print('over')"
    out, said = on_terminal("-c", code)
    assert out == "over\n" and said.endswith("\x1b[2K") and "\x1b[?25h" in said and "Traceback" not in said


def test_a_pipe_and_a_closed_stream_get_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, closed = io.StringIO(), io.StringIO()
    closed.close()
    for stream in (pipe, closed, None):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress(2, "compile") as step:
            step()
            step(failed=True)
    assert pipe.getvalue() == ""
