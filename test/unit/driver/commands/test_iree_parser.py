# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller iree` has a parser for each of its commands."""

import pytest

from roller_mlir.tools.roller import main


def test_each_command_of_iree_has_its_own_manual_and_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["iree", "wrap", "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("usage: roller iree wrap [-h] -o FILE") and "Put an artifact into a program of IREE." in said
    assert main(["iree"]) == 2
    assert "roller iree: error: the following arguments are required: COMMAND" in capsys.readouterr().err
    assert main(["iree", "wrap", "a.roller", "-o", "a.vmfb", "--imag", "ptx"]) == 2
    assert "did you mean '--image'?" in capsys.readouterr().err


def test_what_stands_behind_two_hyphens_is_not_read_and_refused_where_nothing_takes_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["iree", "wrap", "a.roller", "-o", "a.vmfb", "--", "--image", "no"]) == 2
    assert "roller iree wrap passes nothing on, but got '--image' behind --" in capsys.readouterr().err
    assert main(["iree", "--color", "always", "wrap", "none.roller", "-o", "a.vmfb"]) == 1
    assert "\x1b[1;31merror:" in capsys.readouterr().err
    assert main(["iree", "--color", "always", "wrap", "none.roller", "-o", "a.vmfb", "--color", "never"]) == 1
    assert "\x1b" not in capsys.readouterr().err
