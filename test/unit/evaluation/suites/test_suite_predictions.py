# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite` on tiles of others: published best tiles, and CSV files of measured ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.published.cnnopt_rows import read_rows, row_seconds
from roller_mlir.hal import find_device
from roller_mlir.model.machine import machine_of
from roller_mlir.model.residual.residual import Gain, Residual, ResidualVerdict
from roller_mlir.model.residual.trees import Trees
from roller_mlir.plan.records.codec import to_text
from roller_mlir.tools.roller import main

HEADER = "K,H,W,C,R,TK,TH,TW,BK,BH,BW,CMult,Time\n"
ROWS = "64,54,54,32,3,2,1,9,32,1,1,1,0.05427\n64,54,54,32,3,1,1,1,32,2,1,4,0.2007\n"


@pytest.mark.parametrize("device", ["k80", "mi50"])
def test_published_tiles_beside_published_times(device: str, capsys: Any) -> None:
    assert main(["suite", "roller119", "--target", device, "--tiles", "published", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    operators = find_suite("roller119")
    assert [record["id"] for record in records] == [one.id for one in operators]
    for record, one in zip(records, operators, strict=True):
        assert record["predicted_s"] > 0
        assert record["measured_s"] == one.times[f"{device}_roller_top10"]
        assert record["tiles"]["block"] == list(one.tiles[device].block)
        assert record["duplicate_of"] == one.duplicate_of


def test_a_device_without_published_tiles(capsys: Any) -> None:
    assert main(["suite", "roller119", "--target", "v100", "--tiles", "published"]) == 1
    assert "no operator has published tiles for v100; there are tiles for k80, mi50" in capsys.readouterr().err


def test_published_tiles_as_a_table(capsys: Any) -> None:
    assert main(["suite", "roller119", "--target", "k80", "--tiles", "published", "--only", "D0"]) == 0
    out = capsys.readouterr().out
    assert "1x1x16x48/5x5" in out and "1x1x1x2" in out


def test_rows_of_files_in_order(tmp_path: Path, capsys: Any) -> None:
    first, second = ROWS.splitlines(keepends=True)
    (tmp_path / "rs_b.csv").write_text(HEADER + first + second)
    (tmp_path / "rs_a.csv").write_text(HEADER + second + first)
    assert main(["suite", "cnnopt-exhaustive", "--target", "v100", "--data", str(tmp_path), "--json"]) == 0
    a, b = json.loads(capsys.readouterr().out)
    assert (a["file"], b["file"]) == ("rs_a.csv", "rs_b.csv")
    assert a["predicted_s"] == b["predicted_s"][::-1] and len(a["predicted_s"]) == 2
    assert all(seconds > 0 for seconds in a["predicted_s"])
    assert main(["suite", "cnnopt-exhaustive", "--target", "v100", "--data", str(tmp_path)]) == 0
    assert "rs_a.csv" in capsys.readouterr().out


def test_files_of_both_kernels_are_predicted(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "rs_a.csv").write_text(HEADER + ROWS)
    other = "K,H,W,C,R,TH,TW,TK,WH,WW,WK,BH,BW,BK,Time\n128,136,136,64,3,1,34,2,1,2,16,1,2,2,0.39325\n"
    (tmp_path / "s_a.csv").write_text(other)
    assert main(["suite", "cnnopt-exhaustive", "--target", "v100", "--data", str(tmp_path), "--json"]) == 0
    rs, s = json.loads(capsys.readouterr().out)
    assert len(rs["predicted_s"]) == 2
    (row,) = read_rows(tmp_path / "s_a.csv").rows
    predicted = [row_seconds(row, machine_of(find_device("v100")))]
    assert (s["file"], s["predicted_s"], s["failed"]) == ("s_a.csv", predicted, 0)


def test_a_residual_corrects_the_rows_of_its_class(tmp_path: Path, capsys: Any) -> None:
    """One that halves the times of tiles of one channel; the model's alone without it; another class has none."""
    (tmp_path / "rs_a.csv").write_text(HEADER + ROWS)
    (tmp_path / "st2_a.csv").write_text(HEADER + ROWS)
    gain = Gain(before=1.0, after=0.5, low=0.4, high=0.6)
    learned = Residual(
        kind="RS kernel",
        family="sm_70",
        devices=("v100",),
        sources=("nowhere",),
        terms=("tk",),
        verdict=ResidualVerdict(problems=30, candidates=99, loss=gain, trials=gain),
        trees=Trees(
            constant=0.0,
            roots=(0,),
            term=(0, -1, -1),
            threshold=(1.5, 0.0, 0.0),
            left=(1, 0, 0),
            right=(2, 0, 0),
            value=(0.0, -1.0, 0.0),
        ),
    )
    file = tmp_path / "learned.json"
    file.write_text(to_text(learned))
    command = ["suite", "cnnopt-exhaustive", "--target", "v100", "--data", str(tmp_path)]
    assert main([*command, "--json", "--residual-file", str(file)]) == 0
    corrected, strided = json.loads(capsys.readouterr().out)
    assert main([*command, "--json", "--no-residual", "--residual-file", str(file)]) == 0
    plain, same = json.loads(capsys.readouterr().out)
    assert corrected["predicted_s"] == [plain["predicted_s"][0], plain["predicted_s"][1] / 2]
    assert strided["predicted_s"] == same["predicted_s"] and strided["residual"] == ""
    assert corrected["residual"].startswith("the residual of 'RS kernel' on sm_70 is used, trained on 99 measured")
    assert plain["residual"] == "the residual of 'RS kernel' on sm_70 is left out as asked"
    assert main([*command, "--residual-file", str(file)]) == 0
    assert "the residual of 'RS kernel' on sm_70 is used" in " ".join(capsys.readouterr().out.split())
    file.write_text("{}")
    capsys.readouterr()
    assert main([*command, "--residual-file", str(file), "--json"]) == 1
    assert "learned.json: kind: missing" in capsys.readouterr().err


def test_residuals_go_with_the_suite_of_measured_rows(capsys: Any) -> None:
    assert main(["suite", "roller119", "--no-residual"]) == 2
    assert "only cnnopt-exhaustive takes --no-residual, but got suite 'roller119'" in capsys.readouterr().err


def test_folders_without_rows(tmp_path: Path, capsys: Any) -> None:
    assert main(["suite", "cnnopt-exhaustive", "--data", str(tmp_path / "missing")]) == 1
    assert "missing: is no folder" in capsys.readouterr().err
    assert main(["suite", "cnnopt-exhaustive", "--data", str(tmp_path)]) == 1
    assert "holds no .csv files" in capsys.readouterr().err
    (tmp_path / "rs_a.csv").write_text(HEADER + ROWS + "64,54,x,32,3,1,1,1,32,2,1,4,0.2007\n")
    assert main(["suite", "cnnopt-exhaustive", "--data", str(tmp_path)]) == 1
    assert f"{tmp_path}/rs_a.csv:4" in capsys.readouterr().err
