# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kit's own runner where families of kernels fault, hang or are refused: all others have their results."""

import importlib.util
import re
from pathlib import Path

import pytest
import runner_kits
from runner_kits import make_kit, results, run, start

from roller_mlir.evaluation.measure.records import Probe

pytestmark = [
    pytest.mark.skipif(
        runner_kits.fake_drivers.COMPILER is None, reason="needs a C compiler, which makes the driver library"
    ),
    pytest.mark.skipif(importlib.util.find_spec("cuda") is None, reason="needs cuda-bindings"),
]
FAULTS = {f"w{number}": ["twice_fault", "twice_us5"] for number in range(3)}
HANGS = {f"m{number}": ["twice_hang", "twice_us6"] for number in range(3)}
CRASHES = {f"{family}{number}": ["twice_crash"] for family in "abcd" for number in range(2)}
GOOD = {"p0": ["twice_us20", "twice_us10"], "p1": ["twice_us30"], "p2": ["twice_us40"]}
FAMILIES = {
    **dict.fromkeys(FAULTS, "wgmma"),
    **dict.fromkeys(HANGS, "mma"),
    **dict.fromkeys(GOOD, "plain"),
    **{item: f"family {item[0]}" for item in CRASHES},
}
PROBES = tuple(
    Probe(
        name=f"{kind}{number}",
        quantity=kind,
        subject="",
        artifact=f"twice_{what}{number}" if what == "us7" else f"twice_p{number}_{what}",
        work=1.0,
        fill=("zero",),
        expect=("",),
    )
    for kind, what in (("flops", "crash"), ("launch", "us7"))
    for number in range(2)
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runner_kits.library(tmp_path_factory.mktemp("driver") / "lib")


@pytest.mark.full
def test_a_family_that_faults_or_hangs_is_left_out_and_all_else_is_done(tmp_path: Path, driver: Path) -> None:
    kit = make_kit(tmp_path / "kit", {**FAULTS, **HANGS, **CRASHES, **GOOD}, PROBES, FAMILIES)
    quick = ",".join([*FAULTS, *CRASHES, *GOOD, *(probe.name for probe in PROBES)])
    said, errors = run(kit, driver, tmp_path / "out", "--only", quick, "--repeat", "3", code=1)
    # Nothing is left to do but what hangs: only that has to end in time.
    hung, further = run(kit, driver, tmp_path / "out", "--step-limit", "1", "--repeat", "3", code=1)
    assert errors == further == ""
    found = results(tmp_path / "out")
    assert found["complete"]
    lost = {one["family"]: (one["item"], one["rank"]) for one in found["lost"]}
    crashed = {f"family {family}": (f"{family}0", 0) for family in "abcd"}  # five deaths in a row end nothing
    assert lost == {"wgmma": ("w0", 0), "mma": ("m0", 0), **crashed, "probe flops": ("flops0", 0)}
    checked = {(one["item"], one["rank"]): one["ok"] for one in found["checks"]}
    assert checked == {
        ("w0", 0): False,
        ("m0", 0): False,
        **dict.fromkeys(crashed.values(), False),
        **{(item, rank): True for item, kernels in GOOD.items() for rank in range(len(kernels))},
    }
    timed = {(one["item"], one["rank"], one["note"]) for one in found["timings"]}
    assert {("p0", 0, ""), ("p0", 1, "top-k"), ("p1", 0, ""), ("p2", 0, "")} <= timed
    assert {item for item, _, _ in timed} == {*GOOD, "launch0", "launch1"}
    assert "check w1 0: left out, as a fault of 'wgmma' was" in said
    assert re.search(r"^LOST FAMILY mma: m0 candidate 0: the process was ended: nothing was heard", hung, re.MULTILINE)
    assert "check m1 0: left out" in hung
    first = re.findall(r"^\[\d+/\d+\] (\S+ \w+)", said, re.MULTILINE)
    assert first[:3] == ["check w0", "time w0", "check a0"]  # smoke: one of each family, in the kit's order


@pytest.mark.full
def test_what_was_lost_stays_so_for_the_next_run(tmp_path: Path, driver: Path) -> None:
    kit, out = make_kit(tmp_path / "kit", {**FAULTS, **GOOD}, (), FAMILIES), tmp_path / "out"
    run(kit, driver, out, "--only", "w0", code=1)
    said, _ = run(kit, driver, out, code=1)
    assert "check w0 0" not in said and "check w1 0: left out" in said
    assert [one["family"] for one in results(out)["lost"]] == ["wgmma"]
    run(kit, driver, out, "--fresh", "--only", "p*")
    assert results(out)["lost"] == []


@pytest.mark.full
def test_a_driver_that_refuses_cubins_runs_the_ptx_beside_them(tmp_path: Path, driver: Path) -> None:
    kit = make_kit(tmp_path / "kit", GOOD, (), FAMILIES, cubins=True)
    process = start(kit, driver, tmp_path / "out", more={"FAKE_CUDA_REFUSES": "cubin"})
    said, errors = process.communicate(timeout=600)
    assert (process.returncode, errors) == (0, "")
    found = results(tmp_path / "out")
    assert found["complete"] and len(found["checks"]) == 4
    refused = "CUDA cannot load kernel 'twice_us20' (k.cubin): CUDA_ERROR_INVALID_IMAGE (said the fake driver)"
    assert found["checks"][0]["note"] == f"{refused}; k.ptx runs instead"
    assert f"of 4 the driver refused a better binary, the first: {refused}" in said
    run(kit, driver, tmp_path / "new")
    assert not any(one["note"] for one in results(tmp_path / "new")["checks"])
