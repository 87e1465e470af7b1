# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite vendor-times`: predictions beside published times, figures of them by hand, and what is left out."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.evaluation.suites.published.clblast_gemm import XgemmRow, xgemm_work
from roller_mlir.evaluation.suites.stages.vendor import Predicted, predict_files
from roller_mlir.evaluation.suites.stages.vendor_figures import class_figures, ranking_figures, row_records
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile, Measurement
from roller_mlir.hal import find_device
from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.tools.roller import main

TILE = XgemmRow(64, 128, 32, 16, 8, 16, 32, 2, 4, 4, 0, 0, 1, 1, 32)
GEMM = "type,m,n,k,a_transposed,b_transposed,measured_ms\nf32,64,32,48,N,N,0.005\nf16,128,64,256,T,N,0.2\n"
RS = "K,H,W,C,R,TK,TH,TW,BK,BH,BW,CMult,Time\n"
ROWS = "64,54,54,32,3,2,1,9,32,1,1,1,0.05\n64,54,54,32,3,1,1,1,32,2,1,4,0.2\n64,54,54,32,3,1,1,1,32,2,1,2,0.001\n"
ERROR = "Error: too many resources requested for launch\n64,54,54,32,3,2,1,9,32,1,1,1,0.002\n"


def library(kind: str, seconds: float, predicted: float) -> Predicted:
    return Predicted("cuBLAS", "a.csv", Measurement("v100", kind, "8x8x8", seconds, 2, "text"), predicted)


def no_work(_: Machine) -> CandidateWork | None:
    return None


def tile(problem: str, seconds: float, predicted: float) -> Predicted:
    return Predicted("CLBlast", "b.csv", Measurement("v100", "tiles", problem, seconds, 2, work=no_work), predicted)


def test_figures_of_a_class_by_hand() -> None:
    """Ratios 1.2, 2, 0.5, 0.25; two times from 0.1 ms on."""
    found = [library("a", 1e-5, 1.2e-5), library("a", 2e-5, 4e-5), library("a", 4e-4, 2e-4), library("a", 1e-4, 2.5e-5)]
    tiles, several, lone, every = class_figures([library("b", 1.0, 1.0), *found, tile("c", 1, 9)])
    assert (tiles["source"], tiles["count"], tiles["worst"]) == ("CLBlast", 1, 9)
    assert (several["device"], several["source"], several["class"], several["count"]) == ("v100", "cuBLAS", "a", 4)
    assert several["median_ratio"] == pytest.approx(0.85) and several["median_log2"] == pytest.approx(1)
    assert several["spearman"] == pytest.approx(1 - 6 * (1 + 1) / (4 * 15))
    assert (several["within_1_25"], several["within_2"]) == (0.25, 0.75)
    assert several["large"] == 2 and several["large_median_ratio"] == pytest.approx(0.375)
    assert several["worst"] == pytest.approx(4)
    assert (lone["spearman"], lone["within_1_25"], lone["large_median_ratio"]) == (None, 1, 1)
    assert [every[name] for name in ("device", "source", "class", "count", "large")] == ["all", "cuBLAS", "all", 5, 3]


def test_tiles_are_ranked_within_their_problems() -> None:
    """Ten tiles in the right order, ten in the wrong one, and a problem of too few."""
    right = [tile("first", i, i / 7) for i in range(1, 11)]
    wrong = [tile("second", i, 20 - i) for i in range(1, 11)]
    (one,) = ranking_figures([*right, *wrong, tile("third", 1, 1), library("a", 1, 1)])
    assert (one["device"], one["source"], one["class"]) == ("v100", "CLBlast", "tiles")
    assert (one["problems"], one["tiles"], one["spearman"]) == (2, 20, pytest.approx(0))
    assert (one["loss_1"], one["loss_10"]) == (4.5, 0)


def test_an_operator_that_is_refused_is_its_own_error() -> None:
    text = "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n  return %b : tensor<8xf32>\n}\n"
    file = MeasuredFile(Path("a.csv"), "cuBLAS", (Measurement("v100", "a", "8", 1.0, 7, text),))
    predicted, (summary,) = predict_files([file])
    (record,) = row_records(predicted)
    assert "undeclared" in record["error"] and (record["line"], summary.rows, summary.refused) == (7, 0, 1)
    assert class_figures(predicted) == []


def test_tiles_that_no_device_runs_so_fast_are_launches_that_failed() -> None:
    """A V100 does 15.7 TFLOPS: 2 x 4096^3 operations take 8.8 ms."""

    def one(seconds: float) -> Measurement:
        return Measurement("v100", "a", "b", seconds, 2, work=partial(xgemm_work, TILE), flops=2 * 4096**3)

    large = Measurement("v100", "a", "b", 1.0, 2, work=no_work)
    file = MeasuredFile(Path("a.csv"), "CLBlast", (one(8.7e-3), one(8.9e-3), large), failed=3)
    (predicted,), (summary,) = predict_files([file])
    assert predicted.measurement.seconds == 8.9e-3 and predicted.seconds > 8.9e-3
    assert (summary.rows, summary.failed, summary.impossible, summary.too_large) == (1, 3, 1, 1)


def test_counts_of_xgemm() -> None:
    """64 x 128 results a block, 4 x 16 a thread, which copies 4 vectors of A and 8 of B, and reads 1 and 4 for each k.

    Accesses of 16 bytes are served 8 lanes at a time: 4 phases, also where lanes read the same. Of A a copy takes two
    rows of 256 bytes, of B one of 512: 4 passes to load and 4 to store, each.
    """
    machine = machine_of(find_device("2080ti"))
    work = xgemm_work(TILE, machine)
    assert work is not None
    assert (work.tasks, work.steps, work.threads, work.stages) == (64 * 32, 128, 128, 1)
    assert work.math == 4 * 16 * 32 and work.workgroup_bytes == 4 * 32 * (64 + 128)
    assert work.issue == work.math + 32 * (1 + 4) + 7 * (4 + 8) + 4 * 16 + 15
    assert work.phases == 4 * (32 * (1 + 4) * 4 + (4 + 8) * (4 + 4))
    assert (work.load_rounds, work.shared_bytes, work.staged, work.spilled_words) == (0, 0, True, 0)
    direct = xgemm_work(XgemmRow(64, 128, 32, 16, 8, 16, 32, 2, 4, 4, 0, 0, 0, 1, 32), machine)
    assert direct is not None
    assert (direct.load_rounds, direct.shared_bytes, direct.shared_sets) == (16, 4 * 32 * 64, 64)
    amd = xgemm_work(TILE, machine_of(find_device("mi250x")))
    assert amd is not None and (amd.threads, amd.workgroup_bytes) == (128, work.workgroup_bytes)
    assert amd.phases == work.phases  # half as many subgroups of twice the lanes
    assert direct.workgroup_bytes == 4 * 32 * 128 and direct.cache_bytes == work.cache_bytes - 2048 * 128 * 4 * 32 * 64


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deepbench_v100_gemm.csv").write_text(GEMM)
    (tmp_path / "published.csv").write_text("device,problem,measured_us,source\nh200,f32 64^3 a,5,b\nh200,fft 64,5,b\n")
    (tmp_path / "v100").mkdir()
    (tmp_path / "v100" / "rs_64x54x54_32_3.csv").write_text(RS + ROWS + ERROR)
    (tmp_path / "notes.csv").write_text("a\n")
    return tmp_path


def test_as_json(folder: Path, capsys: Any) -> None:
    assert main(["suite", "vendor-times", "--data", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["device"], one["source"], one["class"], one["count"]) for one in found["classes"]] == [
        ("h200", "published", "matmul f32 NN", 1),
        ("v100", "CNNOpt, exhaustive", "RS kernel", 2),
        ("v100", "cuBLAS", "matmul f16 TN", 1),
        ("v100", "cuBLAS", "matmul f32 NN", 1),
        ("all", "cuBLAS", "all", 2),
        ("all", "published", "all", 1),
    ]
    assert found["rankings"] == [] and found["other_files"] == [str(folder / "notes.csv")]
    said = {Path(one["file"]).name: one for one in found["files"]}
    rows = said["rs_64x54x54_32_3.csv"]
    assert (rows["devices"], rows["rows"], rows["failed"], rows["impossible"]) == (["v100"], 2, 1, 1)
    assert said["published.csv"]["unread"] == [[3, "fft 64"]]
    products = [one for one in found["rows"] if one["source"] == "cuBLAS"]
    assert [(one["problem"], one["line"], one["measured_s"]) for one in products] == [
        ("64x32x48", 2, pytest.approx(5e-6)),
        ("128x64x256", 3, pytest.approx(2e-4)),
    ]
    assert all(0 < one["predicted_s"] < 1e-4 and one["limit"] for one in products)


def test_as_tables_of_some_devices(folder: Path, capsys: Any) -> None:
    assert main(["suite", "vendor-times", "--data", str(folder), "--target", "v100"]) == 0
    out = capsys.readouterr().out
    assert "matmul f16 TN" in out and "RS kernel" in out
    assert f"{folder}/published.csv:3: not understood, left out: fft 64" in out
    assert f"no files of measurements by their names: {folder}/notes.csv" in out
    published = next(line for line in out.splitlines() if line.startswith(" published.csv"))
    assert published.split()[1:] == ["published", "-", "0", "0", "0", "0", "0", "1"]


def test_a_calibrated_device_has_other_predictions(folder: Path, capsys: Any) -> None:
    def predicted(*more: str) -> float:
        assert main(["suite", "vendor-times", "--data", str(folder), "--target", "v100", *more, "--json"]) == 0
        return json.loads(capsys.readouterr().out)["rows"][0]["predicted_s"]

    slow = folder / "slow.toml"
    slow.write_text('device = "v100"\nlaunch_latency_s = { value = 1e-4, source = "mine" }\n')
    assert predicted("--calibration", str(slow)) > predicted() + 5e-5


@pytest.mark.full
def test_several_processes_predict_the_same(folder: Path, capsys: Any) -> None:
    found: list[Any] = []
    for jobs in ("1", "2"):
        assert main(["suite", "vendor-times", "--data", str(folder), "--jobs", jobs, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


def test_what_is_wrong_is_said(folder: Path, capsys: Any) -> None:
    (folder / "deepbench_v100_gemm.csv").write_text(GEMM + "f32,1,2\n")
    assert main(["suite", "vendor-times", "--data", str(folder)]) == 1
    assert f"{folder}/deepbench_v100_gemm.csv:4: must have 7 cells, but has 3" in capsys.readouterr().err
