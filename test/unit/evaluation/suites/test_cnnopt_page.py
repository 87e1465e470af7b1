# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/evaluation/cnnopt.md is made by one command: its tables of a small folder, a stale page, and what is missing."""

import gzip
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from roller_mlir.model.residual.file import read_residual

pytestmark = pytest.mark.skipif(  # found, not imported: each process of the tests would, for these few
    find_spec("sklearn") is None, reason="the forest beside the model needs the extra 'train'"
)

ROOT = Path(__file__).parents[4]
SCRIPTS = ROOT / "bench" / "accuracy"
PAGE = ROOT / "docs" / "evaluation" / "cnnopt.md"
SHIPPED = ROOT / "roller_mlir" / "model" / "residual" / "shipped"
HEADER = "K,H,W,C,R,TK,TH,TW,BK,BH,BW,CMult,Time\n"
TILES = ("1,1,1,32,1,1,1,0.9", "2,4,7,32,1,2,4,0.1", "1,2,14,32,2,2,16,0.08", "1,4,4,32,1,7,8,0.07")


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    names = {path.stem for path in SCRIPTS.glob("*.py")}
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(SCRIPTS))
        import cnnopt

        yield cnnopt
    for name in names:
        sys.modules.pop(name, None)


def folder(path: Path) -> Path:
    """Return a folder as of AE-PACT: one layer, R6, of four tiles per device, and training rows."""
    for device in ("v100", "2080"):
        (path / device / "exhaustive").mkdir(parents=True)
        text = HEADER + "".join(f"128,28,28,128,3,{tile}\n" for tile in TILES)
        (path / device / "exhaustive" / "rs_128x28x28_128_3.csv").write_text(text)
        rows = "".join(f"256,28,28,{16 * times},3,{tile}\n" for times in range(1, 12) for tile in TILES)
        (path / device / "train_rs.csv.gz").write_bytes(gzip.compress((HEADER + rows).encode()))
    return path


@pytest.mark.full
def test_the_page_is_made_and_checked(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, data = tmp_path / "cnnopt.md", folder(tmp_path / "data")
    page.write_text(PAGE.read_text())
    command = ["--data", str(data), "--page", str(page)]
    assert script.main(command) == 0
    text = page.read_text()
    assert text.count("| R6 | 4 | ") == 2 and "| R6 | 4 | 7 | " in text  # the paper's trials on V100
    assert script.main([*command, "--check"]) == 0
    page.write_text(text.replace("| R6 | 4 | 7 | ", "| R6 | 4 | 6 | "))
    assert script.main([*command, "--check"]) == 1
    assert "is stale; run bench/accuracy/cnnopt.py" in capsys.readouterr().err
    (data / "2080" / "exhaustive" / "rs_128x28x28_128_3.csv").unlink()
    assert script.main(command) == 1
    assert "2080/exhaustive: holds no *.csv" in capsys.readouterr().err


def test_trials_are_of_both_kernels_in_one_ranking(script: ModuleType) -> None:
    """The fast tile is the other kernel's second: third in all by the model, first by the hybrid."""
    rs = script.MeasuredTiles(
        "rs_128x28x28_128_3",
        "RS kernel",
        "v100",
        np.array([4.0, 5.0]),
        {way: np.array([1.0, 4.0]) for way in script.WAYS},
    )
    predicted = {"forest": [0.5, 0.6], "model": [2.0, 3.0], "hybrid": [2.0, 0.1]}
    other = script.MeasuredTiles(
        "s_128x28x28_128_3", "S kernel", "v100", np.array([6.0, 2.0]), {k: np.array(v) for k, v in predicted.items()}
    )
    assert "| R6 | 4 | 7 | 2 | 3 | 1 | 29 | 2 | 3 | 1 |" in script.table_8([rs, other], "v100")


def test_the_page_says_what_the_files_of_the_package_say(script: ModuleType) -> None:
    assert script.verdicts() in PAGE.read_text()
    shipped = {(one.kind, one.family): one.counts for one in map(read_residual, SHIPPED.glob("*.json"))}
    kinds = ("RS kernel", "S kernel")
    assert set(shipped) == {(kind, family) for kind in kinds for family in ("sm_70", "sm_75")}
    assert (
        not shipped["S kernel", "sm_70"]
        and shipped["RS kernel", "sm_70"]
        and shipped["S kernel", "sm_75"]
        and shipped["RS kernel", "sm_75"]
    )
