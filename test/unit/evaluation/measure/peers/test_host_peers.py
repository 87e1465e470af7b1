# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of the host as peers: right ones are timed; what is wrong, dies, fails or takes more threads is told."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roller_mlir.evaluation.measure.cpu_peers.child import PeerProcess
from roller_mlir.evaluation.measure.cpu_peers.interface import PeerSource, aligned, load_factory
from roller_mlir.evaluation.measure.cpu_peers.libraries import blas
from roller_mlir.evaluation.measure.cpu_peers.libraries.onednn import PRODUCTS, WINDOWS, OneDnnPeer
from roller_mlir.evaluation.measure.cpu_peers.libraries.own import OwnPeer
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem, expected_of, inputs_of
from roller_mlir.evaluation.measure.cpu_peers.results import FLUSHED, HostMachine, HostResults
from roller_mlir.evaluation.measure.cpu_peers.rounds import HostRun, measure
from roller_mlir.evaluation.measure.cpu_peers.sources import PEERS, handed_in
from roller_mlir.evaluation.measure.records import Reference
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError
from roller_mlir.plan.records.codec import from_json

sys.path.append(str(Path(__file__).parents[5] / "bench" / "cpu"))

PLANTED = """
import os, threading, time
import numpy as np
from roller_mlir.evaluation.measure.cpu_peers.interface import HostCall, aligned
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError

class Planted:
    def __init__(self, how):
        self.how = how

    def facts(self):
        return {"version": self.how, "isa": os.environ.get("OPENBLAS_CORETYPE", "unset")}

    def threads(self):
        return 3 if self.how == "many" else None

    def prepare(self, problem, inputs, variant):
        how, runs = variant or self.how, []
        if how == "fails":
            raise PeerError("has no kernel for this")
        output = aligned(problem.output_shape)

        def work():
            end = time.thread_time() + 0.02
            while time.thread_time() < end:
                pass

        def run():
            runs.append(how)
            print("noise on the standard output")
            if how == "dies" and len(runs) > 1:
                os.abort()
            if how == "greedy":
                helper = threading.Thread(target=work)
                helper.start(); work(); helper.join()
            if how != "lazy":
                np.matmul(*inputs, out=output)
            if how == "wrong":
                output[1, 2] -= inputs[0][1, 3] * inputs[1][3, 2]

        return HostCall(run=run, result=lambda: output, written=(output,), note=how)
"""
KINDS = ("right", "wrong", "dies", "many")
VARIANTS = ("right", "wrong", "greedy", "lazy", "fails")


def matmul(m: int = 24, n: int = 20, k: int = 32) -> HostProblem:
    return HostProblem(
        id="p", title="p", reference=Reference(kind="matmul", dtype="f32", sizes={"M": m, "N": n, "K": k})
    )


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    path = tmp_path / "planted.py"
    makers = "".join(f"def {how}(threads):\n    return Planted({how!r})\n" for how in KINDS)
    path.write_text(PLANTED + makers)
    return path


@pytest.mark.full
def test_only_right_results_are_timed_and_nobody_stops_the_others(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    sources = [PeerSource(name="planted", factory=f"{planted}:right", variants=VARIANTS), PEERS["openblas"]]
    sources += [handed_in(f"{name}={planted}:{how}") for name, how in (("dies",) * 2, ("many",) * 2, ("gone", "no"))]
    told: list[str] = []
    run = HostRun(rounds=2, flushed=1, limit_s=600, say=told.append)
    found = measure([matmul()], sources, HostMachine(processor="test", cores=1), run)
    checks = {one.who: one for one in found.checks}
    assert {who for who, one in checks.items() if one.ok} == {"planted right", "openblas"}
    assert "1 of 480 elements are wrong; the worst, at [1, 2]" in checks["planted wrong"].message
    assert checks["planted greedy"].message == "2 threads worked where 1 were asked for"
    assert "480 of 480 elements are wrong" in checks["planted lazy"].message  # what was there before is no result
    troubles = {(one.item, one.who): one.message for one in found.troubles}
    assert set(troubles) == {("", "gone"), ("", "many"), ("p", "planted fails"), ("p", "dies")}
    assert troubles["", "many"] == "it says that it uses 3 threads where 1 were asked for"
    assert troubles["p", "planted fails"] == "has no kernel for this"
    assert troubles["p", "dies"] == "its process died: SIGABRT"
    assert "has no attribute 'no'" in troubles["", "gone"]
    timed = {(one.who, one.note) for one in found.timings}
    assert timed == {(who, note) for who in ("planted right", "openblas") for note in ("", FLUSHED)}
    assert all(one.least_s > 0 for one in found.timings)
    facts = {one.name: one for one in found.libraries}
    assert facts["planted"].facts["isa"] == "unset"  # what was set for a library is no child's
    assert facts["openblas"].threads == 1 and "core type" in facts["openblas"].facts["isa"]
    assert any("planted wrong is wrong and not timed" in line for line in told)


def test_a_peer_that_hangs_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text("import time\ndef make(threads):\n    time.sleep(6000)\n")
    with pytest.raises(PeerError, match=r"its process gave no answer in 0\.5 s"):
        PeerProcess(PeerSource(name="slow", factory=f"{path}:make"), 1, limit_s=0.5).wait()


def test_the_script_writes_what_can_be_read_again(
    planted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import peers  # of bench/cpu

    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "operators.csv").write_text("id,class,dtype,M,N,K\nA,matmul,f32,8,6,4\nB,matmul,f32,1,1,1\n")
    out = tmp_path / "found.json"
    words = ["--suite", str(suite), "--only", "A", "--peers", "", "--rounds", "1", "--flushed", "0", "-o", str(out)]
    assert peers.main([*words, "--peer", f"right={planted}:right", "--peer", f"wrong={planted}:wrong"]) == 1
    printed = capsys.readouterr()
    assert "A: wrong is wrong and not timed" in printed.out
    found = from_json(HostResults, json.loads(out.read_text()))
    assert [one.id for one in found.problems] == ["A"] and found.problems[0].flops == 2 * 8 * 6 * 4
    assert [one.who for one in found.timings] == ["right"] and len(found.machine.load) == 2
    assert "| A | matmul 8x4 4x6 | **" in printed.out and "A: right" in printed.err
    assert peers.main([*words, "--peer", "nameless"]) == 1
    assert "a peer is NAME=MODULE:FUNCTION or NAME=FILE.py:FUNCTION, but got 'nameless'" in capsys.readouterr().err
    assert peers.main([*words[:4], "--peers", "acl"]) == 1
    assert "no peer 'acl'; known: onednn, mkl, openblas, iree" in capsys.readouterr().err


def right(one: HostProblem, peer: Any, variant: str) -> None:
    inputs = [aligned(each.shape, each) for each in inputs_of(one)]
    call = peer.prepare(one, inputs, variant)
    assert call is not None
    for array in call.written:
        array.fill(np.nan)
    call.run()
    verdict = expected_of(one, inputs).compare(call.result())
    assert verdict.ok, f"{variant}: {verdict.message}"


def test_numpys_openblas_multiplies(monkeypatch: pytest.MonkeyPatch) -> None:
    right(matmul(3, 5, 7), blas.openblas(1), "")
    conv = HostProblem(id="c", reference=Reference(kind="conv2d", dtype="f32", sizes=windows(F=4)))
    assert blas.openblas(1).prepare(conv, inputs_of(conv), "") is None
    monkeypatch.setattr(blas, "_openblas_files", lambda: ["libnowhere.so"])
    with pytest.raises(PeerError, match="no OpenBLAS is installed"):
        blas.openblas(1)


def windows(**more: int) -> dict[str, int]:
    sizes = {"N": 2, "C": 6, "H": 9, "W": 8, "KH": 3, "KW": 3, "stride": 2, "dilation": 1}
    return {**sizes, "pad_h": 3, "pad_w": 1, "OH": 5, "OW": 4, **more}


WINDOWED = (
    ("conv2d", {"F": 5}),
    ("depthwise_conv2d", {"F": 6}),
    ("conv2d", {"F": 5, "dilation": 2, "OH": 4, "OW": 3}),
)


def onednn() -> OneDnnPeer:
    try:
        return OneDnnPeer(1)
    except PeerError as error:
        pytest.skip(f"the 39 MB wheel is an extra, cpu-peers: {error}")


@pytest.mark.parametrize("epilogue", ["", "bias", "relu", "bias relu", "bn relu"])
def test_onednn_computes_every_problem_in_every_layout(epilogue: str) -> None:
    peer = onednn()
    assert peer.facts()["version"].startswith("oneDNN 3.") and peer.threads() == 1
    product = HostProblem(id="p", reference=matmul().reference, epilogue=epilogue)
    for variant in PRODUCTS:
        right(product, peer, variant)
    assert peer.prepare(product, inputs_of(product), "nhwc") is None
    for kind, more in WINDOWED:
        reference = Reference(kind=kind, dtype="f32", sizes=windows(**more))
        one = HostProblem(id=kind, reference=reference, epilogue=epilogue)
        for variant in WINDOWS:
            right(one, peer, variant)
    if epilogue in ("", "relu"):
        pooling = Reference(kind="avg_pool2d", dtype="f32", sizes=windows())
        for variant in WINDOWS[1:]:
            right(HostProblem(id="a", reference=pooling, epilogue=epilogue), peer, variant)


def test_mkl_multiplies() -> None:
    try:
        peer = blas.mkl(1)
    except PeerError as error:
        pytest.skip(f"the 221 MB wheel is an extra, cpu-peers: {error}")
    right(matmul(3, 5, 7), peer, "")
    assert peer.threads() == 1 and "libmkl_" in peer.facts()["isa"]


@pytest.mark.parametrize("name", ["onednn", "mkl"])
def test_what_is_missing_is_said_with_what_installs_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/nowhere")
    monkeypatch.setattr("ctypes.util.find_library", lambda _: None)
    with pytest.raises(PeerError, match="is not installed .pip install "):
        load_factory(PEERS[name].factory)(1)


def test_plans_for_one_thread_that_pack_are_compiled_for_it() -> None:
    """They have no grid of their own: whoever runs their tasks says how many threads share them."""
    one = matmul(49, 1024, 512)
    right(one, OwnPeer(1, target="host", on="cpu"), "")


@pytest.mark.full(every=4)
@pytest.mark.parametrize("variant", ["", "nhwc", "unfused", "nhwc unfused"])
def test_ours_has_an_epilogue_in_its_kernel_or_behind_it(variant: str) -> None:
    """What is compiled for this machine computes batch normalisation and relu in one kernel, or in two."""
    peer = OwnPeer(1, target="host", on="cpu")
    reference = Reference(kind="conv2d", dtype="f32", sizes=windows(F=5))
    one = HostProblem(id="c", reference=reference, epilogue="bn relu")
    inputs = [aligned(each.shape, each) for each in inputs_of(one)]
    call = peer.prepare(one, inputs, variant)
    assert call is not None
    call.run()
    verdict = expected_of(one, inputs).compare(call.result())
    assert verdict.ok, verdict.message
    fewer, more = [
        len(found.note.partition(";")[0].split(", "))
        for layout in ["", " unfused"]
        if (found := peer.prepare(one, inputs, variant.removesuffix("unfused").strip() + layout)) is not None
    ]
    assert fewer < more
    plain = HostProblem(id="c", reference=reference)
    assert peer.prepare(plain, inputs_of(plain), "unfused") is None


@pytest.mark.full
@pytest.mark.parametrize("epilogue", ["", "bn relu"])
@pytest.mark.parametrize("variant", ["constant filter", "nhwc constant filter"])
def test_ours_has_its_filter_as_a_constant_of_the_module(variant: str, epilogue: str) -> None:
    peer = OwnPeer(1, target="host", on="cpu")
    for kind, more in WINDOWED:
        reference = Reference(kind=kind, dtype="f32", sizes=windows(**more))
        one = HostProblem(id=kind, reference=reference, epilogue=epilogue)
        right(one, peer, variant)
        inputs = [aligned(each.shape, each) for each in inputs_of(one)]
        call = peer.prepare(one, inputs, variant)
        assert call is not None
        assert len(call.kept) == len(inputs) - 1  # the filter is no argument
    assert peer.prepare(matmul(), inputs_of(matmul()), variant) is None


def test_this_compiler_is_a_peer_too() -> None:
    peer = OwnPeer(1, target="h200", on="sim")
    right(matmul(8, 8, 4), peer, "")
    assert peer.prepare(matmul(), inputs_of(matmul()), "nhwc") is None
    with pytest.raises(PeerError, match="unknown device 'nowhere'"):
        OwnPeer(1, target="nowhere", on="sim")
    with pytest.raises(PeerError, match="unknown back end 'nothing'"):
        OwnPeer(1, target="h200", on="nothing")
