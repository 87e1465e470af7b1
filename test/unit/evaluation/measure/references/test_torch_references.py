# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two readings of each operator must agree: torch's, and that of its linalg ops by numpy."""

from typing import Any

import numpy as np
import pytest
from linalg_models import attention, branches, lstm
from reference_cases import EXAMPLES, OPERATORS, case, inputs_of, item_of

from roller_mlir.evaluation.measure.records import Item, ItemCandidate, Reference
from roller_mlir.evaluation.measure.runner.expected import loop_nests, references
from roller_mlir.evaluation.measure.runner.expected.references import reference_for
from roller_mlir.evaluation.suites import function_text
from roller_mlir.evaluation.suites.kinds import KINDS, Given
from roller_mlir.evaluation.suites.operator import Operator

pytest.importorskip("torch")


def both(item: Any, text: str, seed: int = 0) -> tuple[Any, Any, list[Any]]:
    inputs = inputs_of(text, seed)
    by_linalg = reference_for(item, inputs, source=text, device="sim")
    by_torch = reference_for(item, inputs, source=None, device="sim")
    assert by_linalg is not None and by_torch is not None and by_linalg.against == "numpy"
    return by_torch, by_linalg, inputs


@pytest.mark.parametrize("name", [*OPERATORS, *EXAMPLES])
def test_torch_agrees_with_the_linalg_ops(name: str) -> None:
    by_torch, by_linalg, _ = both(*case(name))
    verdict = by_torch.compare(by_linalg.outputs)
    assert verdict.ok, verdict.message
    assert by_torch.against.startswith("torch")
    assert by_torch.element_types == by_linalg.element_types
    (mine,), (theirs,) = by_torch.bounds, by_linalg.bounds
    if mine is not None and theirs is not None and name != "encoder_layer":  # of which torch's is measured
        assert 0.05 < float(mine.mean()) / theirs.mean() < 20


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("branches", branches(8, 12, (4, 8, 16), 8)),
        ("lstm", lstm(3, 2, 2, 8)),
        ("attention", attention(8, 12)),
    ],
)
def test_torch_agrees_on_graphs(name: str, text: str) -> None:
    candidates = (ItemCandidate(rank=0, artifact="a"),)
    item = Item(id=name, suite="", title="", reference=Reference(kind="example", name=name), candidates=candidates)
    by_torch, by_linalg, _ = both(item, text)
    verdict = by_torch.compare(by_linalg.outputs)
    assert verdict.ok, verdict.message
    assert len(by_torch.outputs) == (2 if name == "lstm" else 1)


@pytest.mark.parametrize("name", ["mm-prime", "conv-dilated", "dw-prime", "pool-avg", "bmm-heads", "three", "pool-max"])
def test_parts_make_the_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    item, text = case(name)
    _, by_linalg, inputs = both(item, text)
    monkeypatch.setattr(loop_nests, "CHUNK_ELEMENTS", 100)
    in_parts = reference_for(item, inputs, source=None, device="sim")
    assert in_parts is not None and in_parts.compare(by_linalg.outputs).ok


def test_a_maximum_of_products_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    indices = "ak bk -> ba"
    sizes = KINDS["generic"].sizes(Given({}, (), (), "", indices, "a=5 b=7 k=11", "max"))
    operator = Operator("max", "generic", "f32", sizes, indices=indices, combiner="max")
    text = function_text(operator)
    for chunk in (1 << 20, 20):
        monkeypatch.setattr(loop_nests, "CHUNK_ELEMENTS", chunk)
        by_torch, by_linalg, _ = both(item_of(operator), text)
        assert by_torch.compare(by_linalg.outputs).ok


@pytest.mark.parametrize("kind", ["conv2d", "depthwise_conv2d", "avg_pool2d"])
@pytest.mark.parametrize("extent", [(10, 7, 3, 2), (8, 11, 3, 2), (10, 7, 2, 1), (12, 9, 4, 3)])
def test_the_odd_zero_is_on_the_high_side(kind: str, extent: tuple[int, int, int, int]) -> None:
    high, wide, window, stride = extent
    numbers = {"N": 2, "C": 3, "H": high, "W": wide, "KH": window, "KW": window + 1, "stride": stride}
    numbers |= {"F": 4} if kind == "conv2d" else {}
    operator = Operator("odd", kind, "f32", KINDS[kind].sizes(Given(numbers, (), (), "SAME")))
    assert operator.sizes["pad_h"] % 2 or operator.sizes["pad_w"] % 2
    by_torch, by_linalg, _ = both(item_of(operator), function_text(operator))
    assert by_torch.compare(by_linalg.outputs).ok


def test_work_beyond_the_bound_is_done_in_f32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "MOST_WORK", {"cpu": 10.0})
    item, text = case("mm-prime")
    by_torch, by_linalg, _ = both(item, text)
    assert by_torch.against == "torch f32 (tf32 off)" and by_torch.bounds[0] is not None
    assert by_torch.outputs[0].dtype.is_floating_point and by_torch.compare(by_linalg.outputs).ok
    item, text = case("mm-i8")
    by_torch, by_linalg, _ = both(item, text)
    assert by_torch.against == "torch f64" and by_torch.compare(by_linalg.outputs).ok  # integers stay exact


@pytest.mark.parametrize("name", ["mm-prime", "conv-f16", "mm-i8", "relu-bf16", "matmul_f16", "encoder_layer"])
def test_one_wrong_element_is_found(name: str) -> None:
    by_torch, by_linalg, _ = both(*case(name))
    got = by_linalg.outputs[0].copy()
    last = tuple(extent - 1 for extent in got.shape)
    got[last] = got[last] ^ np.uint16(0x8040) if got.dtype == np.uint16 else got[last] + 1
    verdict = by_torch.compare(got)
    assert not verdict.ok and str(list(last)) in verdict.message and "1 of " in verdict.message


def test_words_that_do_not_fit_the_inputs_are_refused() -> None:
    item, text = case("mm-prime")
    inputs = inputs_of(text)
    operator = OPERATORS["mm-prime"]
    small = item_of(operator, sizes={**operator.sizes, "K": 3})
    with pytest.raises(ValueError, match="'mm-prime' is a matmul of .*x3, 3x.* by its sizes, but its inputs are"):
        reference_for(small, inputs, source=None, device="sim")
    with pytest.raises(ValueError, match="'matmul' needs the size 'K', which the kit does not give"):
        reference_for(item_of(operator, sizes={"M": 1, "N": 1}), inputs, source=None, device="sim")
    words = {"kind": "generic", "indices": "ab -> a", "sizes": {"a": 1, "b": 1}, "combiner": "mean"}
    with pytest.raises(ValueError, match="combiner must be sum, max or min, but got 'mean'"):
        reference_for(item_of(operator, **words), inputs, source=None, device="sim")
    with pytest.raises(ValueError, match="example 'softmax' takes inputs of 2 dimensions, but 'mm-prime' has"):
        reference_for(item_of(operator, kind="example", name="softmax"), inputs, source=None, device="sim")
    with pytest.raises(ValueError, match="relu of 3x3 by its sizes"):
        reference_for(item_of(operator, kind="relu", shape=(3, 3)), inputs, source=None, device="sim")
    assert item.reference.kind == "matmul"


def test_what_nobody_knows_has_no_reference() -> None:
    item, text = case("mm-prime")
    inputs = inputs_of(text)
    for words in (Reference(), Reference(kind="file"), Reference(kind="example", name="unheard of")):
        changed = item_of(OPERATORS["mm-prime"], kind=words.kind, name=words.name)
        assert reference_for(changed, inputs, source=None, device="sim") is None
    assert reference_for(item_of(OPERATORS["mm-prime"], kind=""), inputs, source=text, device="sim") is not None
    assert item.id == "mm-prime"


def test_a_function_that_magnifies_errors_has_a_wider_tolerance() -> None:
    item, text = case("attention_scores")
    inputs = inputs_of(text)
    mild = reference_for(item, inputs, source=None, device="sim")
    inputs = [one * 10 for one in inputs]  # scores that are 100 times as large
    steep = reference_for(item, inputs, source=None, device="sim")
    assert mild is not None and steep is not None
    assert 10 * float(mild.bounds[0].mean()) < float(steep.bounds[0].mean()) < 1e-3
    by_linalg = reference_for(item, inputs, source=text, device="sim")
    assert by_linalg is not None and steep.compare(by_linalg.outputs).ok
    wrong = by_linalg.outputs[0].copy()
    wrong[7, 63, 63] += 0.1
    assert not steep.compare(wrong).ok


def test_a_function_that_overflows_in_f32_is_not_given_any_tolerance() -> None:
    item, text = case("matmul")
    inputs = [one * np.float32(1e30) for one in inputs_of(text)]
    expected = reference_for(item, inputs, source=None, device="sim")
    assert expected is not None
    assert not expected.compare(np.full((256, 256), np.inf, np.float32)).ok
