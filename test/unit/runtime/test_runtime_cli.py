# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller run --on cuda`: what only the simulator can do is refused by name."""

from typing import Any

import pytest

from roller_mlir.tools.roller import main


@pytest.mark.parametrize("option", [["--count"], ["--sanitize"], ["--level", "gpu"]])
def test_what_only_the_simulator_does(capsys: Any, option: list[str]) -> None:
    assert main(["run", "any.roller", "--on", "cuda", "--random", *option]) == 2
    assert f"{option[0]} is for --on sim; cuda runs the kernels as they are" in capsys.readouterr().err


def test_what_only_a_device_does(capsys: Any) -> None:
    for on in ("sim", "cpu"):
        assert main(["run", "any.roller", "--on", on, "--random", "--time"]) == 2
        said = f"--time is for a device (--on cuda, --on hip), whose events time it; {on} has none"
        assert said in capsys.readouterr().err
    assert main(["run", "any.roller", "--on", "cuda", "--random", "--time", "0"]) == 2
    assert "--time must be at least 1, but got 0" in capsys.readouterr().err
