# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/accuracy.md says what the code gives, and what makes it: figures by hand, a file's rows, gaps."""

import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from roller_mlir.evaluation.suites.stages.figures import loss, miss, ranks, spearman

ROOT = Path(__file__).parents[4]
SCRIPTS = ROOT / "bench" / "accuracy"
PAGE = ROOT / "docs" / "accuracy.md"
HEADER = "K,H,W,C,R,TK,TH,TW,BK,BH,BW,CMult,Time\n"
ROWS = ("1,1,1,32,1,1,1,0.9", "2,4,7,32,1,2,4,0.1", "1,2,14,32,2,2,16,0.08")


class Scripts(NamedTuple):
    report: ModuleType
    within: ModuleType
    worst: ModuleType
    vendor: ModuleType


@pytest.fixture(scope="module")
def scripts() -> Iterator[Scripts]:
    names = {path.stem for path in SCRIPTS.glob("*.py")}
    before = set(sys.modules)
    assert not names & before
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(SCRIPTS))
        import report
        import vendor_times
        import within_operators
        import worst

        patched.setattr(report, "across_tables", cache(report.across_tables))  # seconds, and the same for every page
        yield Scripts(report, within_operators, worst, vendor_times)
    for name in names:
        sys.modules.pop(name, None)


def folder(path: Path) -> Path:
    """Return a folder of measurements in the format of AE-PACT: one layer of three tiles per device."""
    text = HEADER + "".join(f"128,28,28,128,3,{row}\n" for row in ROWS)
    for device in ("v100", "2080"):
        (path / device / "exhaustive").mkdir(parents=True)
        (path / device / "exhaustive" / "rs_128x28x28_128_3.csv").write_text(text)
    return path


def test_ranks_and_losses_by_hand() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [2.5, 0, 2.5, 1]
    assert spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0])) == pytest.approx(0.5)
    assert miss(np.array([1.0, 4.0, 4.0]), np.array([1.0, 1.0, 2.0])) == 1
    predicted, measured = np.array([1.0, 2.0, 3.0]), np.array([6.0, 5.0, 4.0])
    losses = [loss(predicted, measured, first) for first in (1, 2, 3)]
    assert losses == [0.5, 0.25, 0]


@pytest.mark.full
def test_the_page_is_what_the_code_gives_today(scripts: Scripts, capsys: pytest.CaptureFixture[str]) -> None:
    assert scripts.report.main(["--check"]) == 0, capsys.readouterr().err


@pytest.mark.full
def test_a_stale_page_is_found(scripts: Scripts, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "accuracy.md"
    page.write_text(PAGE.read_text().replace("| k80 | **model** | 0.", "| k80 | **model** | 1."))
    assert scripts.report.main(["--check", "--page", str(page)]) == 1
    assert f"{page}: is stale; run bench/accuracy/report.py" in capsys.readouterr().err
    assert scripts.report.main(["--page", str(page)]) == 0
    assert page.read_text() == PAGE.read_text()


@pytest.mark.full
def test_a_page_without_a_place_is_refused(
    scripts: Scripts, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "accuracy.md"
    page.write_text(PAGE.read_text().replace("<!-- end across-terms -->", ""))
    assert scripts.report.main(["--page", str(page)]) == 1
    assert f"{page}: has 0 places '<!-- begin across-terms -->', not one" in capsys.readouterr().err


def test_the_page_shows_every_plot_and_no_other() -> None:
    shown = {line.split("](")[1].rstrip(")") for line in PAGE.read_text().splitlines() if line.startswith("![")}
    kept = sorted((ROOT / "docs" / "accuracy").glob("*.svg"))
    assert shown == {f"accuracy/{path.name}" for path in kept}
    assert all(path.stat().st_size < 150_000 and b"<text" in path.read_bytes() for path in kept)


def test_layers_are_read_with_their_times(scripts: Scripts, tmp_path: Path) -> None:
    v100, other = scripts.within.read_within(folder(tmp_path))
    assert (v100.device, other.device, v100.name) == ("v100", "2080ti", "rs_128x28x28_128_3")
    assert v100.measured.tolist() == pytest.approx([0.9e-3, 0.1e-3, 0.08e-3])
    correlation, first, ten, median, _ = v100.figures()
    assert correlation in (0.5, 1.0) and first in (pytest.approx(0.25), 0) and ten == 0
    assert median == pytest.approx(0.25)
    # 28 x 28 blocks of 4 groups of channels fetch 3 x 3 inputs and 9 x 32 weights for each of 128 channels.
    assert scripts.within.traffic(v100.rows[0]) == 4 * 28 * 28 * 128 * (9 + 288)
    assert scripts.within.csv_text([v100]).count("\n") == 4


@pytest.mark.full
def test_what_has_no_explanation_is_named(scripts: Scripts, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "accuracy.md"
    shutil.copy(PAGE, page)
    assert scripts.report.main(["--data", str(folder(tmp_path / "data")), "--page", str(page)]) == 1
    assert "explanations.toml: [within.v100] explains no 'rs_128x28x28_128_3 T " in capsys.readouterr().err
    assert page.read_text() == PAGE.read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("2080", "2080/exhaustive: holds no *.csv"),
        ("Time", "rs_128x28x28_128_3.csv: has no column Time"),
    ],
)
def test_missing_measurements(
    scripts: Scripts, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, message: str
) -> None:
    data = folder(tmp_path / "data")
    file = data / "2080" / "exhaustive" / "rs_128x28x28_128_3.csv"
    if change == "Time":
        file.write_text(file.read_text().replace("Time", "Seconds"))
    else:
        file.unlink()
    assert scripts.within.main(["--data", str(data)]) == 1
    assert message in capsys.readouterr().err


def test_every_explanation_says_what_it_is_based_on(scripts: Scripts) -> None:
    for part in scripts.worst.read_explanations().values():
        for device in part.values():
            assert all(text.startswith("established:") for text in device.values())


def test_tables_beside_published_times(scripts: Scripts, tmp_path: Path) -> None:
    data = folder(tmp_path)
    file = data / "v100" / "exhaustive" / "rs_128x28x28_128_3.csv"
    file.write_text(file.read_text() + "Error: too many resources requested for launch\n")
    tables = scripts.vendor.vendor_tables(data, 1)
    assert tables["vendor-classes"].count("| CNNOpt, exhaustive | RS kernel | 3 |") == 2
    assert tables["vendor-failed"].endswith("| v100/exhaustive/rs_128x28x28_128_3.csv | 3 | 1 | 0 |\n")
    assert tables["vendor-rankings"].count("\n") == 2  # no problem of ten tiles
    assert all(f"<!-- begin {name} -->" in PAGE.read_text() for name in tables)


@pytest.mark.full
def test_the_page_beside_published_times(scripts: Scripts, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, data = tmp_path / "accuracy.md", folder(tmp_path / "data")
    shutil.copy(PAGE, page)
    assert scripts.report.main(["--vendor", str(data), "--page", str(page)]) == 0
    assert scripts.report.main(["--vendor", str(data), "--page", str(page), "--check"]) == 0
    (data / "published.csv").write_text("device,problem,measured_us,source\nh100,f32 64^3,0,a\n")
    assert scripts.report.main(["--vendor", str(data), "--page", str(page), "--check"]) == 1
    assert "published.csv:2:15: 'measured_us' must be a time above 0" in capsys.readouterr().err
