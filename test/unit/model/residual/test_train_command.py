# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller train`: samples of kits and of published tiles, what is written, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from roller_mlir.evaluation.measure.records import Check, Item, ItemCandidate, Kit, MeasuredMachine, Results, Timing
from roller_mlir.evaluation.measure.runner.steps import TOP_K
from roller_mlir.evaluation.measure.train.measured_samples import measured_samples
from roller_mlir.evaluation.measure.train.published_samples import published_samples
from roller_mlir.evaluation.measure.train.training_set import TrainError
from roller_mlir.evaluation.suites.published.cnnopt_rows import row_seconds
from roller_mlir.evaluation.suites.published.cnnopt_rs import RsRow
from roller_mlir.evaluation.suites.vendor_times.files import read_folder
from roller_mlir.hal import find_device
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.machine import machine_of
from roller_mlir.model.residual.file import read_residual
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.plan.records.codec import to_text
from roller_mlir.tools.roller import main

HEADER = "K,H,W,C,R,TK,TH,TW,BK,BH,BW,CMult,Time\n"
ROWS = (
    "1,1,1,32,1,1,1,0.9",
    "2,4,7,32,1,2,4,0.1",
    "1,2,14,32,2,2,16,0.08",
    "1,4,4,32,1,7,8,0.07",
    "2,2,7,32,2,1,8,0.2",
)
IMPOSSIBLE = "128,28,28,128,3,1,4,4,32,1,7,8,0.0001\n"


def vector(size: int) -> TensorExpression:
    """Return a sum of two vectors of f32."""
    a, b, c = (Access(name, (size,), "f32", (LinearIndex((1,)),)) for name in "abc")
    return TensorExpression((Loop(size),), (a, b), c, None, 1, (None, None))


def results(*, back_end: str = "cuda", samples: int = 20) -> Results:
    """Return results of a kit of two vectors on a v100: of each, candidate 1 is wrong and candidate 2 was not timed."""
    items: list[Item] = []
    for number, size in enumerate((1 << 20, 1 << 22)):
        found = construct(vector(size), find_device("v100"), ConstructOptions(top_k=8))
        assert len(found) == 8
        candidates = tuple(
            ItemCandidate(rank=rank, artifact=f"{number}-{rank}", plans={"add": plan})
            for rank, plan in enumerate(found)
        )
        items.append(Item(id=f"suite/{number}", suite="suite", title="add", candidates=candidates))
    places = [(one.id, rank) for one in items for rank in range(8)]
    timings = [
        Timing(item=item, rank=rank, median_s=1e-5, least_s=9e-6, p10_s=9e-6, p90_s=2e-5, samples=samples, note=note)
        for item, rank in places
        for note in (TOP_K, "")
        if rank != 2 or not note
    ]
    checks = [Check(item=item, rank=rank, ok=rank != 1, error=0.1) for item, rank in places]
    kit = Kit(
        target="v100", architecture="sm_70", vendor="nvidia", created="2026-01-02", compiler="0", items=tuple(items)
    )
    machine = MeasuredMachine(back_end=back_end)
    return Results(kit=kit, machine=machine, complete=True, checks=tuple(checks), timings=tuple(timings))


def test_samples_of_a_kit_are_right_and_took_turns() -> None:
    found = list(measured_samples([("a", results())]))
    assert len(found) == 12 and {one.problem for one in found} == {"suite/0", "suite/1"}
    first = found[0]
    assert (first.kind, first.family, first.device) == ("plan p, 2 operands, fma", "sm_70", "v100")
    plan = construct(vector(1 << 20), find_device("v100"), ConstructOptions(top_k=1))[0]
    assert plan.prediction is not None and first.predicted_s == plan.prediction.seconds
    assert first.terms["block 0"] == plan.axes[0].block and first.terms["threads"] == plan.threads
    assert sum(first.terms[f"share of {layer}"] for layer in plan.prediction.seconds_by_layer) == pytest.approx(
        sum(plan.prediction.seconds_by_layer.values()) / plan.prediction.seconds
    )
    assert list(measured_samples([("a", results(samples=4))])) == []


def test_a_dry_run_teaches_nothing() -> None:
    with pytest.raises(TrainError, match="residuals order plans of threads alone, not of vectors"):
        list(measured_samples([("a", results(back_end="cpu"))]))
    with pytest.raises(TrainError, match="a: a dry run: its times are those of the simulator"):
        list(measured_samples([("a", results(back_end="sim"))]))


def folder(path: Path) -> Path:
    """Return a folder of measurements of AE-PACT's format: five tiles that ran, one that cannot have."""
    (path / "v100").mkdir()
    text = HEADER + "".join(f"128,28,28,128,3,{row}\n" for row in ROWS) + IMPOSSIBLE
    (path / "v100" / "train_rs.csv").write_text(text)
    (path / "v100" / "rs_128x28x28_128_3.csv").write_text(text)
    return path


def test_samples_of_published_tiles(tmp_path: Path) -> None:
    files, _ = read_folder(folder(tmp_path))
    found = list(published_samples(files[1:]))
    assert len(found) == 5 and {one.source for one in found} == {"CNNOpt, training"}
    row = RsRow(128, 28, 28, 128, 3, 2, 4, 7, 32, 1, 2, 4)
    second = found[1]
    assert (second.kind, second.family, second.measured_s) == ("RS kernel", "sm_70", pytest.approx(1e-4))
    assert second.predicted_s == row_seconds(row, machine_of(find_device("v100")))
    assert (second.terms["tk"], second.terms["cmult"], second.terms["threads"]) == (2, 4, 64)
    assert not {"k", "h", "w", "c", "r", "stride"} & set(second.terms), "extents of a problem are none of a tile"


def test_the_command_writes_what_it_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two operators and one layer are too few: files say so, and nothing counts."""
    file = tmp_path / "results.json"
    file.write_text(to_text(results()))
    data = folder(tmp_path)
    command = ["train", str(file), "--data", str(data), "--only", "train_*", "-o", str(tmp_path / "out")]
    assert main(command) == 1
    shown = capsys.readouterr().out
    assert "'RS kernel' on sm_70 is off: to judge it takes 20 problems, but there are 1" in shown
    assert f"wrote {tmp_path}/out/plan-p-2-operands-fma.sm_70.json" in shown
    found = read_residual(tmp_path / "out" / "rs-kernel.sm_70.json")
    assert (found.devices, found.sources, found.counts) == (("v100",), ("CNNOpt, training",), False)
    assert main([*command[:-2], "--json"]) == 1
    tiles, plan = json.loads(capsys.readouterr().out)
    assert (plan["kind"], plan["file"], plan["counts"]) == ("plan p, 2 operands, fma", None, False)
    assert tiles["verdict"] == {"problems": 1, "candidates": 5, "loss": None, "trials": None}


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["train"], 2, "name results of a kit's runner, or a folder of published times with --data DIR"),
        (["train", "{tmp}/none.json"], 1, "none.json"),
        (["train", "a.json", "--only", "a"], 2, "--only goes with --data"),
        (
            ["train", "--data", "{tmp}", "--only", "other"],
            1,
            "no file is other; there are rs_128x28x28_128_3.csv",
        ),
        (["train", "{tmp}/few.json"], 1, "there is nothing to learn from: no problem has candidates enough"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], code: int, message: str
) -> None:
    folder(tmp_path)
    few = results()
    few = replace(few, timings=few.timings[:4])
    (tmp_path / "few.json").write_text(to_text(few))
    assert main([word.format(tmp=tmp_path) for word in command]) == code
    assert message in capsys.readouterr().err
