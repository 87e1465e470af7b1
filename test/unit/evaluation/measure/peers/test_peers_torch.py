# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Torch's own operators and compiler as peers: right on every class, whatever they leave to others."""

from typing import Any

import pytest
from reference_cases import EXAMPLES, OPERATORS, case, inputs_of

from roller_mlir.evaluation.measure.records import Item
from roller_mlir.evaluation.measure.runner.expected.references import reference_for
from roller_mlir.evaluation.measure.runner.peers import available as peers
from roller_mlir.evaluation.measure.runner.peers import torch_peer
from roller_mlir.evaluation.measure.runner.peers.available import peers_for

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")  # torch's compiler warns of parts of itself
WITHOUT = {"conv-i8": "has no convolution of i8 into i32"}


def checked(name: str, who: str) -> tuple[Any, list[Any]]:
    item, text = case(name)
    inputs = inputs_of(text)
    found, troubles = peers_for(item, inputs, (who,))
    if name in WITHOUT:
        assert not found and troubles[0].message == WITHOUT[name] and troubles[0].item == name
        return None, troubles
    assert not troubles
    expected = reference_for(item, inputs, source=text, device="sim")
    assert expected is not None
    for _ in range(2):
        verdict = expected.compare(found[who]())
        assert verdict.ok, verdict.message
    return found[who], troubles


@pytest.mark.parametrize("name", [*OPERATORS, *EXAMPLES])
def test_torch_is_right(name: str) -> None:
    checked(name, "torch")


@pytest.mark.parametrize("name", ["mm-prime", "relu-prime", "sum-rows", "mm-i8"])
def test_operators_that_take_their_output_are_given_it(name: str) -> None:
    peer, _ = checked(name, "torch")
    assert peer().data_ptr() == peer().data_ptr() and "allocates" not in peer.note


def test_what_differs_is_noted() -> None:
    assert checked("conv-f16", "torch")[0].note == "result in f16, allocates its result"
    assert checked("dw-stride2", "torch")[0].note == "pads by an operator of its own, allocates its result"
    assert checked("mm-f16", "torch")[0].note in ("", "result in f16")  # torch's CPU products store f16


@pytest.mark.parametrize("name", ["mm-prime", "softmax"])
def test_the_compiler_is_right(name: str) -> None:
    peer, _ = checked(name, "torch.compile")
    assert peer.note == "allocates its result"


def test_what_was_compiled_is_not_compiled_again_when_it_is_timed() -> None:
    from torch._dynamo.utils import counters

    item, text = case("mm-prime")
    found, _ = peers_for(item, inputs_of(text), ("torch.compile",))
    made = counters["stats"]["unique_graphs"]
    found["torch.compile"]()
    assert made and counters["stats"]["unique_graphs"] == made


def test_a_compilation_that_takes_too_long_is_a_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    def slow(function: Any, **options: Any) -> Any:
        def call(*given: Any) -> Any:
            time.sleep(6000)

        return call

    monkeypatch.setattr(torch, "compile", slow)

    def hurried(item: Item, inputs: Any) -> Any:
        return torch_peer.compiled(torch, item, peers._tensors(inputs)[1], limit_s=0.2)

    monkeypatch.setitem(peers._MAKERS, "torch.compile", hurried)
    item, text = case("relu-prime")
    found, troubles = peers_for(item, inputs_of(text), ("torch.compile",))
    assert not found and troubles[0].message == "its compilation took more than 0.2 s"


def test_what_torch_has_not_is_a_trouble() -> None:
    item, text = case("pool-avg")
    sizes = item.reference.sizes | {"dilation": 2}
    words = type(item.reference)(**vars(item.reference) | {"sizes": sizes})
    dilated = Item(**vars(item) | {"reference": words})
    _, troubles = peers_for(dilated, inputs_of(text), ("torch",))
    assert [one.message for one in troubles] == ["has no pooling with dilation"]
    other = Item(**vars(item) | {"reference": type(item.reference)(kind="example", name="unheard of")})
    _, troubles = peers_for(other, inputs_of(text), ("torch",))
    assert [one.message for one in troubles] == ["example 'unheard of' is not written for torch"]


def test_wrong_inputs_are_a_trouble() -> None:
    item, _ = case("mm-prime")
    found, troubles = peers_for(item, inputs_of(case("mm-odd")[1])[:1] * 2, ("torch",))
    assert not found and troubles[0].message.startswith("RuntimeError: ")


def test_flags_that_would_round_are_off() -> None:
    torch.set_float32_matmul_precision("high")
    checked("mm-prime", "torch")
    assert torch.get_float32_matmul_precision() == "highest"
    assert torch.backends.cudnn.benchmark and not torch.backends.cudnn.allow_tf32
    assert not torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction


class OnDevice:
    """An array of the runtime, on a device that torch does not see."""

    def __init__(self, array: Any) -> None:
        self._array, self.shape, self.element_type = array, array.shape, "f32"

    def numpy(self) -> Any:
        return self._array


def test_torch_for_another_device_checks_on_the_host_and_is_no_peer() -> None:
    item, text = case("mm-prime")
    inputs = inputs_of(text)
    there = [OnDevice(one) for one in inputs]
    expected = reference_for(item, there, source=None, device="cuda")
    assert expected is not None and expected.compare(OnDevice(inputs[0] @ inputs[1])).ok
    for who in ("torch", "triton"):
        found, troubles = peers_for(item, there, (who,))
        assert not found and [(one.item, one.message) for one in troubles] == [("", "torch does not see the device")]
