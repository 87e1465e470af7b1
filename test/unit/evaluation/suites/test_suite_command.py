# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite`: what each stage prints, as tables and as JSON, and its exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.tools.roller import main

MINE = "id,class,M,N,K,shape,group,h200_library_us\nbig,matmul,64,96,32,,one,1.5\nline,relu,,,,1000,two,\n"


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "operators.csv").write_text(MINE)
    return str(tmp_path)


def printed(capsys: Any, *arguments: str, code: int = 0) -> Any:
    assert main(["suite", *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_construct_gives_one_object_per_operator(capsys: Any) -> None:
    records = printed(capsys, "roller119", "--target", "v100", "--only", "M1,E3,R2", "--top-k", "4")
    assert [record["id"] for record in records] == ["M1", "E3", "R2"]
    for record in records:
        assert 1 <= record["programs"] == len(record["candidates"]) <= 4
        assert record["construct_s"] > 0 and record["read_s"] > 0
        predicted = [one["predicted_s"] for one in record["candidates"]]
        assert record["predicted_s"] == predicted[0] > 0 and predicted == sorted(predicted)
        assert record["tiles"] == record["candidates"][0]["tiles"]
        assert isinstance(record["saturated"], str)
        tiles, loops = record["tiles"], record["loops"]
        assert len(tiles["block"]) == len(tiles["thread"]) == len(loops["parallel"])
        assert len(tiles["step"]) == len(loops["reduction"])
    matmul, relu, reduction = records
    assert matmul["loops"] == {"parallel": [128, 1000], "reduction": [4032]} and matmul["flops"] == 1032192000
    assert relu["loops"] == {"parallel": [128 * 512 * 14 * 14], "reduction": []} and relu["duplicate_of"] is None
    assert reduction["loops"] == {"parallel": [128 * 4032], "reduction": [121]}
    assert matmul["published_s"]["roller_top10"] == pytest.approx(0.3248e-3)


def test_the_construction_is_asked_for_less(capsys: Any) -> None:
    only = ("roller119", "--only", "M1")
    (free,) = printed(capsys, *only)
    (asked,) = printed(capsys, *only, "--no-split", "--disabled-rule", "tensor-shape", "--max-units", "4")
    assert free["tiles"]["split"] is not None and asked["tiles"]["split"] is None
    assert asked["predicted_s"] > 4 * free["predicted_s"]
    (refused,) = printed(capsys, *only, "--instruction", "mma", code=1)
    assert "has no instruction for f32" in refused["error"]
    (explained,) = printed(capsys, *only, "--stage", "explain", "--max-units", "4")
    assert explained["limits"]["units"] == 4


def test_tables_name_every_operator(capsys: Any, mine: str) -> None:
    assert main(["suite", mine]) == 0
    out = capsys.readouterr().out
    assert "big" in out and "line" in out and "64x96/32" in out and "1.5 us" in out
    assert "2 operators constructed for h200" in out


def test_filters(capsys: Any, mine: str) -> None:
    assert [one["id"] for one in printed(capsys, mine, "--only", "relu")] == ["line"]
    assert [one["id"] for one in printed(capsys, mine, "--only", "b*")] == ["big"]
    assert main(["suite", mine, "--only", "nothing"]) == 1
    assert "no operator is 'nothing'" in capsys.readouterr().err


def test_a_refused_operator_has_its_error_and_the_others_go_on(capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.mlir").write_text(
        "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}\n"
    )
    (tmp_path / "operators.csv").write_text("id,class,file,shape\nbad,file,bad.mlir,\ngood,relu,,64\n")
    bad, good = printed(capsys, str(tmp_path), code=1)
    assert set(bad) == {"id", "class", "duplicate_of", "error"} and "shapes must be static" in bad["error"]
    assert good["programs"] >= 1
    assert main(["suite", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert "roller: error: bad: " in shown.err and "good" in shown.out


def test_compile(capsys: Any, mine: str) -> None:
    (record,) = printed(capsys, mine, "--stage", "compile", "--only", "line", "--target", "h200")
    assert record["compile_s"] > 0 and record["predicted_s"] > 0 and len(record["kernels"]) == 1
    assert set(record["kernels"][0]) == {"name", "registers", "spill_bytes", "shared_bytes"}
    assert 0 < record["kernel_s"] == record["compile_s"]
    assert main(["suite", mine, "--stage", "compile", "--only", "line", "--target", "h200"]) == 0
    assert "; 1 kernels, source to binary each: median " in capsys.readouterr().out


def test_run_refuses_what_is_large_and_shrinks_on_demand(capsys: Any) -> None:
    (refused,) = printed(capsys, "roller119", "--stage", "run", "--only", "P4", code=1)
    assert "the simulator runs up to 262144; give --shrink" in refused["error"]
    (record,) = printed(capsys, "roller119", "--stage", "run", "--only", "P4", "--shrink", "2000")
    assert record["shrunk"] and record["matches"] and record["points"] <= 2000
    assert main(["suite", "roller119", "--stage", "run", "--only", "P4", "--shrink", "2000"]) == 0
    assert "1 shrunk, so that their plans are those of smaller operators" in capsys.readouterr().out


@pytest.mark.full
def test_verify(capsys: Any, mine: str) -> None:
    arguments = ("--stage", "verify", "--target", "v100,mi300x", "--only", "big")
    for jobs in ("1", "2"):
        records = printed(capsys, mine, *arguments, "--jobs", jobs)
        assert [(one["id"], one["target"], one["shrunk"]) for one in records] == [
            ("big", "v100", False),
            ("big", "mi300x", False),
        ]
        assert all(one["matches"] and one["equal"] and one["bytes_exact"] for one in records)
    assert main(["suite", mine, *arguments]) == 0
    out = capsys.readouterr().out
    assert "whole" in out and "2 plans verified" in out and "all match numpy" in out


def test_a_refusal_does_not_end_a_verification(capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.mlir").write_text(
        "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}\n"
    )
    (tmp_path / "operators.csv").write_text("id,class,file,shape\nbad,file,bad.mlir,\ngood,relu,,64\n")
    bad, good = printed(capsys, str(tmp_path), "--stage", "verify", "--target", "h200", code=1)
    assert bad["id"] == "bad" and "shapes must be static" in bad["error"] and bad["target"] == "h200"
    assert good["matches"]
    assert main(["suite", str(tmp_path), "--stage", "verify", "--target", "h200", "--only", "bad"]) == 1
    shown = capsys.readouterr()
    assert "roller: error: bad on h200: " in shown.err and "none matches; 1 were refused" in shown.out


def test_writing_the_text(capsys: Any, mine: str, tmp_path: Path) -> None:
    assert main(["suite", mine, "--write-mlir", str(tmp_path / "out"), "--dtype", "bf16"]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["big.mlir", "line.mlir"]
    assert "tensor<64x32xbf16>" in (tmp_path / "out/big.mlir").read_text()
    assert "wrote 2 files" in capsys.readouterr().out


def test_the_suites_are_listed_from_any_folder(capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert {one["suite"]: one["operators"] for one in printed(capsys)}["roller119"] == 119
    assert main(["suite"]) == 0
    assert "polydl-layers" in capsys.readouterr().out


USAGE = [
    (["roller119", "--tiles", "published", "--no-split"], "--tiles published goes without --no-split"),
    (["roller119", "--write-mlir", "x", "--max-units", "4"], "--write-mlir goes without --max-units"),
    (["--stage", "run"], "listing suites (no suite is named) goes without --stage"),
    (
        ["roller119", "--stage", "run", "--top-k", "3"],
        "--top-k goes with --stage construct, explain, compile or verify",
    ),
    (["roller119", "--stage", "explain", "--jobs", "2"], "--stage explain goes without --jobs"),
    (["roller119", "--stage", "run", "-o", "x"], "--stage run goes without --output"),
    (["roller119", "--tiles", "published", "--ray", "local"], "--tiles published goes without --ray"),
    (["roller119", "--stage", "compile", "--sample", "1/2"], "--stage compile goes without --sample"),
    (["roller119", "--target", "v100,h200"], "several targets go with --stage verify, but got 'v100,h200' without it"),
    (["rammer6", "--target", "v100,h200"], "several targets go with --stage verify, but got 'v100,h200' without it"),
    (["roller119", "--stage", "verify", "--sample", "2/2"], "must be I/N with I from 0 to N - 1, but got '2/2'"),
    (["roller119", "--stage", "verify", "--sample", "2"], "must be I/N as in 7/40, but got '2'"),
    (["roller119", "--stage", "verify", "--target", "v100,nine"], "unknown device 'nine'"),
    (["roller119", "--stage", "verify", "--target", ","], "--target must name a device, but got ','"),
    (["roller119", "--shrink"], "--shrink goes with --stage run, but got --stage construct"),
    (["roller119", "--write-mlir", "x", "--json"], "--write-mlir goes without --json"),
    (["roller119", "--tiles", "published", "--stage", "run"], "--tiles published goes without --stage"),
    (["roller119", "--data", "x"], "--data goes with cnnopt-exhaustive and vendor-times"),
    (["vendor-times"], "name the folder of their files with --data DIR"),
    (["vendor-times", "--data", "x", "--dtype", "f16"], "vendor-times goes without --dtype"),
    (["cnnopt-exhaustive"], "name the folder of their CSV files with --data DIR"),
    (["cnnopt-exhaustive", "--data", "x", "--only", "a"], "cnnopt-exhaustive goes without --only"),
    (["roller119", "--top-k", "0"], "must be an integer of at least 1, but got '0'"),
    (["roller119", "--only", ","], "must name operators as in C0,M*,relu"),
    (["roller119", "--target", "none"], "unknown device 'none'"),
]


@pytest.mark.parametrize(("arguments", "message"), USAGE, ids=[message for _, message in USAGE])
def test_wrong_usage(arguments: list[str], message: str, capsys: Any) -> None:
    assert main(["suite", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_wrong_table_is_one_line(capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "operators.csv").write_text("id,class,M,N,K\na,matmul,2,3,x\n")
    assert main(["suite", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error == f"roller: error: {tmp_path}/operators.csv:2:14: 'K' must be an integer, but got 'x'\n"
