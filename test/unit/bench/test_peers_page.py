# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/peers: docs/evaluation/peers.md says what results.json does, ours is as it says, no peer is needed."""

import importlib.util
import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import preloaded
import pytest

from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.programs.expression import read_operator
from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.vendor_tools.toolchain import find_toolchain
from roller_mlir.model.cost.raster.order import global_traffic
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.support.bindings import make_context

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "bench" / "peers"
PAGE = ROOT / "docs" / "evaluation" / "peers.md"
PEERS = ("Triton", "TVM dlight", "IREE")
OPERATORS = ("M3", "C0", "softmax", "R1")

tools = find_toolchain()
needs_tools = pytest.mark.skipif(
    not tools.ptxas or tools.nvdisasm is None, reason="counts in machine code, which takes ptxas and nvdisasm"
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = preloaded.python(str(FOLDER / "compare.py"), *arguments)
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def results() -> dict[str, Any]:
    return json.loads((FOLDER / "results.json").read_text())


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_peers_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def test_the_page_says_what_the_results_say(tmp_path: Path) -> None:
    page = tmp_path / "peers.md"
    done = run("--page-only", "-o", str(page))
    assert done.returncode == 0, done.stderr
    assert page.read_text() == PAGE.read_text(), "run bench/peers/compare.py --page-only"


def test_the_page_compares_every_operator_with_every_peer() -> None:
    found, page = results(), PAGE.read_text()
    assert tuple(found["programs"]) == OPERATORS and tuple(found["versions"]) == PEERS and not found["missing"]
    for rows in found["programs"].values():
        assert rows[0]["who"] == "ours" and {row["who"] for row in rows[1:]} - {"ours"} == set(PEERS)
    assert "no number on this page is a speed" in page
    assert not re.search(r"faster|slower|outperform|\bms\b|TFLOP", page)
    assert page.count("**ours does not lead**") >= 1


def test_ours_leads_where_it_must() -> None:
    found = results()["programs"]
    for name in ("M3", "C0"):
        own, *others = [
            max((one["fma_per_shared_byte"] or 0.0 for one in row["kernels"]), default=0.0) for row in found[name]
        ]
        peers = [value for value, row in zip(others, found[name][1:], strict=True) if row["who"] != "ours"]
        assert own >= 1.0 and own > max(peers)
    for name in OPERATORS:
        own, *others = [row for row in found[name] if row["who"] != "ours" or row is found[name][0]]
        assert len(own["kernels"]) == 1 and not own["kernels"][0]["spill_bytes"]
        assert own["global_bytes"] <= min(row["global_bytes"] for row in others)


def test_what_the_reasons_say_is_so() -> None:
    found = results()["programs"]
    own, forced, *others = found["M3"]
    triton, within = [row for row in others if row["who"] == "Triton"]
    (mine,), (same,), (first,), (second,) = [row["kernels"] for row in (own, forced, triton, within)]
    assert "Triton" in forced["config"] and triton["config"].startswith("128x256x16")
    assert first["main_loop"]["FFMA"] == 2048 and mine["main_loop"]["FFMA"] == 512
    assert first["registers"] == 237 and (first["tasks_per_unit"], mine["tasks_per_unit"]) == (1, 2)
    assert same["fma_share"] > first["fma_share"] > mine["fma_share"] > second["fma_share"]
    assert second["registers"] <= mine["registers"] and within["asked_bytes"] > own["asked_bytes"]
    assert forced["asked_bytes"] == triton["asked_bytes"]
    conv = next(row for row in found["C0"] if row["who"] == "IREE")["kernels"][1]["main_loop"]
    assert conv["LDG.E.CONSTANT"] == 2 * conv["FMUL"] == 2 * conv["FADD"] and "FFMA" not in conv
    exact, approximate = [row["kernels"][0]["registers"] for row in found["softmax"] if row["who"] == "ours"]
    assert exact > approximate
    for name, bytes_per_thread, rows in (("softmax", 128, 1), ("R1", 512, 4)):
        own = found[name][0]["kernels"][0]
        assert own["read_bytes"] == 32 * bytes_per_thread == 4096 * rows and own["threads"] == 32


def test_the_model_expects_the_same_of_global_memory_for_all_tiles() -> None:
    device = find_device("h200")
    with make_context() as context:
        expression = read_operator(next(one for one in find_suite("roller119") if one.id == "M3"), context)
    facts = ProblemContext(expression, machine_of(device))
    tiles = [(128, 128, 8, 2), (128, 256, 16, 1), (64, 128, 32, 2), (32, 64, 16, 8), (32, 128, 32, 4)]
    for row, (*blocks, resident) in zip(
        [r for r in results()["programs"]["M3"] if "(tile" not in r["config"]], tiles, strict=True
    ):
        assert row["config"].startswith("x".join(map(str, blocks))) and row["kernels"][0]["tasks_per_unit"] == resident
        counts = [-(-extent // block) for extent, block in zip(expression.bounds, blocks, strict=True)]
        assert global_traffic(facts, blocks, counts, device.units * resident, 1)[0] == row["global_bytes"]


@pytest.mark.full
@needs_tools
def test_ours_is_still_what_the_results_say(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    given = ("--date", "2026-01-02", "--peers", "", "--only", "M3", "--results", str(path))
    done = run(*given, "-o", str(tmp_path / "page.md"))
    assert done.returncode == 0, done.stderr
    again, before = json.loads(path.read_text()), results()
    assert list(again["programs"]) == ["M3"] and not again["versions"]
    (kernel,), (known,) = again["programs"]["M3"][0]["kernels"], before["programs"]["M3"][0]["kernels"]
    assert kernel["fma_share"] >= 0.895 and kernel["fma_per_shared_byte"] >= 1.0 and kernel["registers"] <= 128
    assert again["programs"]["M3"][0]["asked_bytes"] == before["programs"]["M3"][0]["asked_bytes"]
    keys = ("threads", "tasks", "spill_bytes", "shared_bytes", "loads", "fma_per_shared_byte")
    assert {key: kernel[key] for key in keys} == {key: known[key] for key in keys}, "run compare.py --peers ''"
    if again["ptxas"] == before["ptxas"]:
        assert (kernel["registers"], kernel["main_loop"]) == (known["registers"], known["main_loop"])


@pytest.mark.full
@needs_tools
def test_a_peer_that_is_missing_and_one_that_is_there(tmp_path: Path) -> None:
    ptx = """.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 x, .param .u64 y) {
 .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .f32 %f<5>;
 ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];
 ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
 st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};
 ret;
}
"""
    kernel = {"name": "copy", "ptx": ptx, "threads": 256, "tasks": 65536, "dynamic_shared_bytes": 8}
    program = {"config": "a row", "kernels": [{**kernel, "tile": {"kind": "rows"}}]}
    answer = {"version": "1.2.3", "programs": {"R1": [program]}}
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    there, missing = tmp_path / "there", tmp_path / "missing"
    there.write_text(f'#!/bin/sh\ntest "$1" = -c || cat {tmp_path / "answer.json"}\n')
    missing.write_text("#!/bin/sh\nexit 1\n")
    for script in (there, missing):
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    path, page = tmp_path / "results.json", tmp_path / "page.md"
    peers = ("--peers", "triton,tvm", "--python-triton", str(there), "--python-tvm", str(missing))
    done = run("--date", "2026-01-02", "--only", "R1", *peers, "--results", str(path), "-o", str(page))
    found = json.loads(path.read_text())
    assert "TVM dlight is left out: missing cannot import tvm" in done.stderr
    assert found["missing"] == {"TVM dlight": "missing cannot import tvm"} and found["versions"] == {"Triton": "1.2.3"}
    (row,) = [one for one in found["programs"]["R1"] if one["who"] == "Triton"]
    assert row["asked_bytes"] == 65536 * (256 * 16 + 4)
    assert row["kernels"][0]["loads"] == {"16": 1} and row["kernels"][0]["shared_bytes"] == 8
    assert row["kernels"][0]["tasks_per_unit"] == 8
    assert done.returncode == 0, done.stderr
    assert "TVM dlight is left out: missing cannot import tvm." in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "--date is required to measure"),
        (("--date", "2026-01-02", "--peers", "halide"), "no peer 'halide'; known: triton, tvm, iree"),
        (("--date", "2026-01-02", "--only", "Q1"), "no operator 'Q1'; known: M3, C0, softmax, R1"),
        (("--page-only", "--results", "nowhere.json"), "No such file or directory: 'nowhere.json'"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = run(*arguments, "-o", str(tmp_path / "page.md"))
    assert done.returncode and says in done.stderr and "Traceback" not in done.stderr


def test_a_lead_without_a_reason_is_no_page(tmp_path: Path) -> None:
    found = results()
    triton = next(row for row in found["programs"]["C0"] if row["who"] == "Triton")
    triton["kernels"][0]["fma_per_shared_byte"] = 9.0
    (tmp_path / "results.json").write_text(json.dumps(found))
    done = run("--page-only", "--results", str(tmp_path / "results.json"), "-o", str(tmp_path / "page.md"))
    assert done.returncode == 1 and "Triton is ahead in fma_per_shared_byte of C0" in done.stderr
    assert not (tmp_path / "page.md").exists()


def test_what_is_read_from_machine_code() -> None:
    code = module("machine_code")
    line = "        /*00{:02x}*/                   {} ;\n"
    names = [
        "LDG.E.128 R4, [R2]",
        "@!PT LDS RZ, [RZ]",
        "LDGSTS.E.128 [R1], [R2]",
        "FFMA R0, R1, R2, R3",
        "LDS.64 R4, [R1]",
    ]
    text = line.format(0, "LDG.E R4, [R2]") + ".L_x_0:\n"
    text += "".join(line.format(16 * at, name) for at, name in enumerate(names, 1))
    text += line.format(0x60, "@P0 BRA `(.L_x_0)")
    listing = code.read_sass(code.section(f".text.k:\n{text}\n  .section .nv\n", "k"))
    assert listing.loops == ((1, 6),)
    assert code.reads(listing, [(1, 6)]) == (4, 1)
    assert code.access_widths(listing.instructions) == {16: 1, 4: 1}
    assert code.access_widths(listing.instructions, "LDGSTS") == {16: 1}
    assert code.outermost([(3, 5), (2, 9), (12, 20)]) == [(2, 9), (12, 20)]
    assert code.architecture(".target sm_80", "sm_90a") == "sm_90a"
    for bad in (".target sm_100a\n", "nothing"):
        with pytest.raises(code.ToolError):
            code.architecture(bad, "sm_90a")
    with pytest.raises(code.ToolError, match="must show 'other'"):
        code.section(".text.k:\n", "other")


def test_bytes_that_tiles_ask_for() -> None:
    traffic = module("traffic")
    matmul = {"kind": "matmul", "sizes": {"M": 100, "N": 60, "K": 10}}
    asked = traffic.asked_bytes(matmul, {}, {"kind": "product", "rows": 32, "columns": 32})
    assert asked == 4 * (100 * 10 * 2 + 10 * 60 * 4 + 100 * 60)
    sizes = {
        "N": 2,
        "C": 3,
        "H": 5,
        "W": 4,
        "F": 8,
        "KH": 3,
        "KW": 3,
        "stride": 1,
        "pad_h": 2,
        "pad_w": 2,
        "OH": 5,
        "OW": 4,
    }
    inside = sum(
        0 <= oh + kh - 1 < 5 and 0 <= ow + kw - 1 < 4
        for oh in range(5)
        for ow in range(4)
        for kh in range(3)
        for kw in range(3)
    )
    assert traffic.window_elements(sizes) == 6 * inside
    conv = {"kind": "conv2d", "sizes": sizes}
    asked = traffic.asked_bytes(conv, {}, {"kind": "product", "rows": 16, "columns": 4})
    assert asked == 4 * (6 * inside * 2 + 8 * 27 * 3 + 40 * 8)
    box = traffic.asked_bytes(conv, {}, {"kind": "box", "blocks": [1, 4, 5, 2, 1, 3, 3]})
    assert box == 4 * (2 * 2 * 2 * 3 * (7 * 4 + 4 * 9) + 40 * 8)
    assert traffic.global_bytes(conv, {"kind": "product"}) == 4 * (120 + 216 + 320)
    assert traffic.global_bytes(conv, {"kind": "box"}) == 4 * (2 * 3 * 7 * 6 + 216 + 320)
    assert traffic.global_bytes(conv, {"kind": "pad"}) == 4 * (240 + 2 * 3 * 7 * 6)


def test_the_device_is_the_one_of_the_page() -> None:
    found = results()
    assert find_device(found["device"]).architecture == found["architecture"] == "sm_90a"
