# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers that are missing, fail, hang or give wrong results are told as such and end nothing; numpy's on dry runs."""

import signal
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from reference_cases import OPERATORS, case, inputs_of, item_of

from roller_mlir.evaluation.measure.records import Trouble
from roller_mlir.evaluation.measure.runner.expected.references import reference_for
from roller_mlir.evaluation.measure.runner.peers import available as peers
from roller_mlir.evaluation.measure.runner.peers import triton_peer
from roller_mlir.evaluation.measure.runner.peers.available import PEERS, peers_for
from roller_mlir.evaluation.measure.runner.peers.peer import Peer, PeerError, limited, one_line

EXAMPLES = ("softmax", "layer_norm")
LIBRARIES = ("torch", "torch.compile", "triton")


def test_a_missing_library_is_one_trouble_for_all_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "import_torch", lambda: None)
    item, text = case("mm-prime")
    found, troubles = peers_for(item, inputs_of(text), PEERS)
    assert list(found) == ["numpy"]
    assert troubles == [Trouble(item="", who=name, message="torch cannot be imported") for name in LIBRARIES]


@pytest.mark.parametrize(
    "name",
    ["mm-prime", "mm-f16", "mm-i8", "mm-f64", "relu-prime", "sum-rows", "sum-middle-f16", "softmax", "layer_norm"],
)
def test_numpy_computes_what_it_is_written_for(name: str) -> None:
    item, text = case(name)
    inputs = inputs_of(text)
    found, troubles = peers_for(item, inputs, ("numpy",))
    expected = reference_for(item, inputs, source=text, device="sim")
    assert expected is not None and not troubles
    verdict = expected.compare(found["numpy"]())
    assert verdict.ok, verdict.message


@pytest.mark.parametrize("name", ["conv-prime", "pool-avg", "mm-bf16", "bmm", "encoder_layer"])
def test_what_numpy_is_not_written_for_is_left_out(name: str) -> None:
    item, text = case(name)
    assert peers_for(item, inputs_of(text), ("numpy",)) == ({}, [])


def test_names_are_checked() -> None:
    item, text = case("mm-prime")
    with pytest.raises(ValueError, match="peers are torch, torch.compile, triton, numpy, but got 'tvm'"):
        peers_for(item, inputs_of(text), ("numpy", "tvm"))


def test_an_item_that_only_its_text_describes_has_no_peers() -> None:
    assert peers_for(item_of(OPERATORS["mm-prime"], kind=""), [], PEERS) == ({}, [])


def test_a_peer_that_fails_is_a_trouble_and_the_next_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(item: Any, inputs: Any) -> Peer:
        raise RuntimeError("\n  no kernel image\nsecond line")

    def unable(item: Any, inputs: Any) -> Peer:
        raise PeerError("has no such operator")

    monkeypatch.setitem(peers._MAKERS, "torch", broken)
    monkeypatch.setitem(peers._MAKERS, "triton", unable)
    item, text = case("mm-prime")
    found, troubles = peers_for(item, inputs_of(text), ("torch", "triton", "numpy"))
    assert list(found) == ["numpy"]
    assert troubles == [
        Trouble(item="mm-prime", who="torch", message="RuntimeError: no kernel image"),
        Trouble(item="mm-prime", who="triton", message="has no such operator"),
    ]


def test_ctrl_c_is_nobodys_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(item: Any, inputs: Any) -> Peer:
        raise KeyboardInterrupt

    monkeypatch.setitem(peers._MAKERS, "torch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        peers_for(case("mm-prime")[0], [], ("torch",))


def swallow(seconds: float) -> None:
    """Works on and takes every Exception for its own, as compilers do."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            time.sleep(0.01)
        except Exception:  # noqa: BLE001 - what is tested
            continue


def test_what_hangs_is_ended_and_the_signal_given_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(PeerError, match="its compilation took more than 0.1 s"), limited(0.1, "its compilation"):
        swallow(6000)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    with limited(600, "nothing"):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_another_thread_runs_to_its_end() -> None:
    done: list[bool] = []

    def work() -> None:
        with limited(0.01, "work"):
            time.sleep(0.05)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def test_errors_are_told_in_one_line() -> None:
    assert one_line(ValueError("\n\n  first\nsecond")) == "ValueError: first"
    assert one_line(ValueError("it raised:\n  no such thing\nmore")) == "ValueError: it raised: no such thing"
    assert one_line(KeyError()) == "KeyError"


class Clock:
    """Stands in for torch.cuda: an event knows how often the fastest and the slowest were run."""

    def __init__(self) -> None:
        self.ms = 0.0

    def torch(self) -> Any:
        return SimpleNamespace(cuda=SimpleNamespace(synchronize=lambda: None, Event=self.event))

    def event(self, enable_timing: bool) -> Any:
        made = SimpleNamespace(at=0.0, synchronize=lambda: None)
        made.record = lambda: setattr(made, "at", self.ms)
        made.elapsed_time = lambda end: end.at - made.at
        return made

    def variant(self, words: str, ms: float | Exception, runs: list[str]) -> Any:
        def launch() -> None:
            if isinstance(ms, Exception):
                raise ms
            runs.append(words)
            self.ms += ms

        return triton_peer._Variant(launch, words)


def test_the_fastest_configuration_is_taken_and_slow_ones_are_not_repeated() -> None:
    clock, runs = Clock(), list[str]()
    refused = clock.variant("too large", RuntimeError("out of resource"), runs)
    variants = [clock.variant(words, ms, runs) for words, ms in (("b", 2.0), ("a", 1.0), ("slow", 50.0))]
    assert triton_peer._fastest(clock.torch(), [refused, *variants]).words == "a"
    assert (runs.count("b"), runs.count("a"), runs.count("slow")) == (6, 6, 2)  # each once before it is timed
    with pytest.raises(PeerError, match="no configuration runs: too large: RuntimeError: out of resource"):
        triton_peer._fastest(clock.torch(), [refused])


def test_tuning_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, runs = Clock(), list[str]()
    monkeypatch.setattr(triton_peer, "TUNING_S", -1.0)
    variants = [clock.variant(words, ms, runs) for words, ms in (("first", 2.0), ("better", 1.0))]
    assert triton_peer._fastest(clock.torch(), variants).words == "first"
