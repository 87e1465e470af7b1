# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packing kits: what is in them, in which order, what limits leave out, and that nothing is left of half a kit."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roller_mlir import CompileOptions
from roller_mlir.evaluation.measure.kit import pack, packing
from roller_mlir.evaluation.measure.kit.contents import PackRequest, of_dispatch, of_example, of_gemms, of_suite
from roller_mlir.evaluation.measure.kit.example_sizes import LARGE, at_size
from roller_mlir.evaluation.measure.kit.files import ARCHIVE, KitError, open_kit
from roller_mlir.evaluation.measure.kit.pack import PackOptions, pack_kit
from roller_mlir.evaluation.measure.kit.pack_work import PackJob, Refused, Variants, on_failure, work
from roller_mlir.evaluation.measure.records import Probe, Reference
from roller_mlir.evaluation.measure.tune.dispatches import dispatches_of
from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.operator import Operator

EXAMPLES = Path(__file__).resolve().parents[5] / "examples"
SMALL = Operator("S", "matmul", "f32", {"M": 32, "N": 48, "K": 40})
ROW = Operator("E", "relu", "f32", {"M": 4096}, shape=(64, 64))
SAME = replace(ROW, id="F", shape=(4096,))
QUICK = PackOptions(jobs=1, simulator=True)


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLER_CACHE", "0")


def small(*rows: Operator, top_k: int = 2) -> list[PackRequest]:
    return of_suite("mine", rows or (SMALL,), "h200", top_k=top_k)


def test_a_kit_for_a_device(tmp_path: Path) -> None:
    options = PackOptions(jobs=1, command="the command")
    packed = pack_kit(tmp_path / "kit", "h200", small(SMALL, ROW), options)
    kit = packed.kit
    assert (kit.target, kit.architecture, kit.vendor, kit.command) == ("h200", "sm_90a", "nvidia", "the command")
    assert [item.id for item in kit.items] == ["mine/S/f32", "mine/E/f32"]
    assert packed.size_bytes == sum(file.stat().st_size for file in (tmp_path / "kit").iterdir())
    assert sorted(os.listdir(tmp_path)) == ["kit"]
    product = kit.items[0]
    assert product.flops == 2 * 32 * 48 * 40
    assert product.least_bytes == 4 * (32 * 40 + 40 * 48 + 32 * 48)
    assert product.key and product.title == "matmul 32x40 40x48, f32"
    assert product.reference == Reference(kind="matmul", dtype="f32", sizes=dict(SMALL.sizes))
    with open_kit(tmp_path / "kit") as opened:
        assert opened.kit == kit
        assert opened.source(product.id) is None
        for candidate in product.candidates:
            artifact = opened.artifact(candidate.artifact)
            assert {file.role for file in artifact.manifest.files} == {"cubin", "ptx"}
            plan = next(iter(candidate.plans.values()))
            assert plan.prediction is not None and candidate.predicted_s == pytest.approx(plan.prediction.seconds)
            assert candidate.saturated
    text = (tmp_path / "kit" / "README.txt").read_text()
    assert "python run.py -o results" in text and "h200 (sm_90a)" in text and len(text.splitlines()) < 18


def test_a_kit_for_a_dry_run_holds_kernels_and_sources(tmp_path: Path) -> None:
    kit = pack_kit(tmp_path / "kit", "h200", small(), QUICK).kit
    with open_kit(tmp_path / "kit") as opened:
        artifact = opened.artifact(kit.items[0].candidates[1].artifact)
        assert {file.role for file in artifact.manifest.files} == {"kernels"}
        assert "linalg.matmul" in (opened.source("mine/S/f32") or "")


def test_the_runner_starts_without_the_package(tmp_path: Path) -> None:
    pack_kit(tmp_path / "kit", "h200", small(), QUICK)
    found = subprocess.run(
        [sys.executable, "-I", tmp_path / "kit" / "run.py", "--help"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert "--time-limit" in found.stdout


def test_candidates_come_rank_by_rank(tmp_path: Path) -> None:
    pack_kit(tmp_path / "kit", "h200", small(SMALL, ROW, top_k=3), QUICK)
    with zipfile.ZipFile(tmp_path / "kit" / ARCHIVE) as archive:
        names = [name.split("/")[2:5] for name in archive.namelist() if name.startswith("artifacts/")]
    assert [(row, rank) for row, _, rank in names] == [(row, rank) for rank in "012" for row in "SE"]


def test_the_same_kernel_is_packed_once(tmp_path: Path) -> None:
    kit = pack_kit(tmp_path / "kit", "h200", small(ROW, SMALL, SAME), QUICK).kit
    assert [(item.id, item.same_as) for item in kit.items] == [("mine/E/f32", ("F",)), ("mine/S/f32", ())]


def test_functions_of_one_plan_are_not_one_function(tmp_path: Path) -> None:
    root, sine = (
        PackRequest(
            id=f"mine/{name}",
            suite="mine",
            title=name,
            text=f"""func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {{
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.{name} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}}""",
            top_k=1,
        )
        for name in ("sqrt", "exp")
    )
    kit = pack_kit(tmp_path / "kit", "h200", [root, sine, replace(root, id="mine/again")], QUICK).kit
    assert [(item.id, item.same_as) for item in kit.items] == [("mine/sqrt", ("mine/again",)), ("mine/exp", ())]
    assert kit.items[0].key == kit.items[1].key


@pytest.mark.full
def test_two_processes_pack_the_same_kit_as_one(tmp_path: Path) -> None:
    for name, jobs in (("one", 1), ("two", 2)):
        pack_kit(tmp_path / name, "h200", small(SMALL, ROW), replace(QUICK, jobs=jobs))
    assert (tmp_path / "one" / ARCHIVE).read_bytes() == (tmp_path / "two" / ARCHIVE).read_bytes()
    one, two = (json.loads((tmp_path / name / "index.json").read_text()) for name in ("one", "two"))
    assert {**one, "created": ""} == {**two, "created": ""}


def test_several_programs_have_no_key_and_come_without_fusion_too(tmp_path: Path) -> None:
    kit = pack_kit(tmp_path / "kit", "h200", [of_example(EXAMPLES / "softmax.mlir")], QUICK).kit
    (item,) = kit.items
    assert item.key == "" and item.reference == Reference(kind="example", name="softmax")
    assert [len(candidate.plans) for candidate in item.candidates] == [1, 4]


def test_a_dispatch_of_tuning(tmp_path: Path) -> None:
    (wanted,) = small()
    (unit,) = dispatches_of(wanted.source, "h200")
    kit = pack_kit(tmp_path / "kit", "h200", [of_dispatch(unit, "file", top_k=2)], QUICK).kit
    assert [(item.id, item.key, len(item.candidates)) for item in kit.items] == [("file/matmul_0", unit.key, 2)]


def test_a_refusal_is_in_the_index(tmp_path: Path) -> None:
    (good,) = small()
    bad = replace(good, id="mine/bad", text="func.func @main() { return }")
    worse = replace(good, id="mine/worse", text="not MLIR")
    kit = pack_kit(tmp_path / "kit", "h200", [bad, good, worse], QUICK).kit
    assert [item.id for item in kit.items] == ["mine/S/f32"]
    assert [one.id for one in kit.skipped] == ["mine/worse", "mine/bad"] or len(kit.skipped) == 2
    assert all("\n" not in one.reason and one.reason for one in kit.skipped)


def test_a_candidate_that_is_refused_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(job: PackJob) -> Any:
        return Refused("no code") if job.variant is not None and job.variant.plans == second else work(job)

    found = work(PackJob(request=small(top_k=3)[0], target="h200", simulator=True))
    assert isinstance(found, Variants)
    second = found.variants[1].plans
    monkeypatch.setattr(pack, "ENTRY", f"{__name__}:entry")
    monkeypatch.setattr(sys.modules[__name__], "entry", refuse, raising=False)
    kit = pack_kit(tmp_path / "kit", "h200", small(top_k=3), QUICK).kit
    assert [candidate.rank for candidate in kit.items[0].candidates] == [0, 2]
    assert [(one.id, one.reason) for one in kit.skipped] == [("mine/S/f32/1", "no code")]


KILLED = """
import os, signal
from roller_mlir.evaluation.measure.kit.pack_work import work as real

def work(job):
    if job.variant is not None and job.request.id == "mine/E/f32":
        os.kill(os.getpid(), signal.SIGKILL)
    return real(job)
"""


def test_a_process_that_is_killed_costs_its_candidates_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "killed_while_packing.py").write_text(KILLED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(pack, "ENTRY", "killed_while_packing:work")
    kit = pack_kit(tmp_path / "kit", "h200", small(ROW, SMALL), replace(QUICK, jobs=2)).kit
    assert [(item.id, len(item.candidates)) for item in kit.items] == [("mine/S/f32", 2)]
    (left,) = kit.skipped
    assert left.id == "mine/E/f32" and left.reason.startswith("crash: ") and "SIGKILL" in left.reason


def test_what_a_lost_process_leaves() -> None:
    assert on_failure("hang", "no end after 300 s").reason == "hang: no end after 300 s"


@pytest.mark.full
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_time_limit_leaves_all_first_candidates(tmp_path: Path, jobs: int) -> None:
    options = replace(QUICK, jobs=jobs, time_limit_s=1e-9)
    kit = pack_kit(tmp_path / "kit", "h200", small(SMALL, ROW, top_k=5), options).kit
    assert [[one.rank for one in item.candidates] for item in kit.items] == [[0], [0]]
    (left,) = kit.skipped
    assert left.id == "candidates"
    assert left.reason == "those of rank 1 from mine/S/f32 on, and all of higher rank, for the time limit of 1e-09 s"


@pytest.mark.full
def test_a_size_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "run_py", lambda: "")
    all_of_it = pack_kit(tmp_path / "all", "h200", small(SMALL, ROW, top_k=6), QUICK)
    first = pack_kit(tmp_path / "first", "h200", small(SMALL, ROW, top_k=1), QUICK)
    most = (all_of_it.size_bytes + 3 * first.size_bytes) // 2
    some = pack_kit(tmp_path / "some", "h200", small(SMALL, ROW, top_k=6), replace(QUICK, max_bytes=most))
    assert first.size_bytes <= some.size_bytes <= most
    assert all(item.candidates[0].rank == 0 for item in some.kit.items)
    assert sorted(os.listdir(tmp_path)) == ["all", "first", "some"]


def test_a_first_candidate_without_room_is_left_out_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "run_py", lambda: "")
    long = replace(small(SMALL, top_k=1)[0], id="mine/long", title="long " * 20_000)
    options = replace(QUICK, max_bytes=60_000)
    kit = pack_kit(tmp_path / "kit", "h200", [long, *small(ROW, top_k=1)], options).kit
    assert [item.id for item in kit.items] == ["mine/E/f32"]
    assert [(one.id, one.reason) for one in kit.skipped] == [
        ("mine/long", "the kit may have 60000 B, and has no room for it")
    ]
    with pytest.raises(KitError, match="a kit may have 500 B, but without any candidate this one comes to .* B; allow"):
        pack_kit(tmp_path / "none", "h200", small(ROW), replace(QUICK, max_bytes=500))
    assert os.listdir(tmp_path) == ["kit"]


def test_probes_that_share_an_artifact(tmp_path: Path) -> None:
    found = work(PackJob(request=small()[0], target="h200", simulator=True))
    assert isinstance(found, Variants)
    compiled: Any = work(PackJob(request=small()[0], target="h200", simulator=True, variant=found.variants[0]))
    probes = [
        Probe(name=name, quantity="bandwidth", subject="global", artifact="probes/read", work=1.0, baseline=base)
        for name, base in (("read/base", ""), ("read/long", "read/base"))
    ]
    kit = pack_kit(tmp_path / "kit", "h200", [], QUICK, [(probe, compiled.artifact) for probe in probes]).kit
    assert kit.probes == tuple(probes)
    with open_kit(tmp_path / "kit") as opened:
        assert opened.artifact("probes/read").manifest.launches


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_there_stays(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "kit"
    if kind == "file":
        place.write_text("mine")
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("nowhere")
    with pytest.raises(KitError, match="it exists; choose another name"):
        pack_kit(place, "h200", small(), QUICK)
    assert os.listdir(tmp_path) == ["kit"]


def test_no_parent(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="its parent is not a directory; make it first"):
        pack_kit(tmp_path / "a" / "kit", "h200", small(), QUICK)


def test_an_id_twice(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="plain and unique, but got 'mine/S/f32'"):
        pack_kit(tmp_path / "kit", "h200", [*small(), *small()], QUICK)


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(packing.KitWriter, "add", full)
    with pytest.raises(KitError, match="cannot write kit: .*: no space left on device"):
        pack_kit(tmp_path / "kit", "h200", small(), QUICK)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"time_limit_s": 0.0}, {"max_bytes": -1}])
def test_options(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be above 0, but got"):
        PackOptions(**wrong)


def test_rows_of_a_suite() -> None:
    rows = find_suite("roller119")
    found = of_suite("roller119", rows, "v100")
    assert len(found) + sum(len(one.same_as) for one in found) == 119
    c12 = next(one for one in found if one.id == "roller119/C12/f32")
    assert c12.same_as == ("C41",) and c12.published_s["library"] > 0
    half = of_suite("roller119", [row for row in rows if row.kind == "conv2d"], "v100", "f16")
    assert half[0].title.endswith(", f16") and half[0].reference.dtype == "f16" and not half[0].published_s
    assert of_suite("roller119", [row for row in rows if row.kind == "avg_pool2d"], "v100", "i8") == []
    assert [one.id for one in of_gemms((64,))] == ["gemm/64x64x64/f16"]


def test_large_examples_have_the_constants_of_their_extents() -> None:
    scores = at_size((EXAMPLES / "attention_scores.mlir").read_text(), LARGE["attention_scores"])
    assert "tensor<192x512x64xf32>" in scores and f"arith.constant {64**-0.5} :" in scores
    layer = of_example(EXAMPLES / "encoder_layer.mlir", large=True)
    assert "arith.constant 768.0 :" in layer.text and f"arith.constant {(768 // 12) ** -0.5} :" in layer.text
    assert layer.reference.sizes == {"heads": 12} and layer.id == "examples/encoder_layer/large"
    for name, size in LARGE.items():
        text = (EXAMPLES / f"{name}.mlir").read_text()
        for constant in size.constants:
            assert text.count(f"arith.constant {constant} :") == 1


def test_options_reach_the_compiler(tmp_path: Path) -> None:
    (one,) = of_suite("mine", [SMALL], "h200", top_k=1, options=CompileOptions(instructions=("fma",)))
    kit = pack_kit(tmp_path / "kit", "h200", [one], QUICK).kit
    assert next(iter(kit.items[0].candidates[0].plans.values())).instruction.startswith("fma")


SCRIPT = """
import sys
from pathlib import Path
from roller_mlir.evaluation.measure.kit.contents import of_suite
from roller_mlir.evaluation.measure.kit.pack import PackOptions, pack_kit
from roller_mlir.evaluation.suites import find_suite

if __name__ == "__main__":
    pack_kit(Path(sys.argv[1]), "h200", of_suite("roller119", find_suite("roller119"), "h200"), PackOptions(jobs=2))
"""


@pytest.mark.full
def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    place = tmp_path / "place"
    place.mkdir()
    command = [sys.executable, str(script), str(place / "kit")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not os.listdir(place):
            time.sleep(0.005)
        assert process.poll() is None and os.listdir(place)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)
    assert "KeyboardInterrupt" in said
    assert not os.listdir(place)
