# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Problems for the host's libraries: numpy's results against loops, bounds that catch one lost term, texts."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem, expected_of, inputs_of, with_minibatch
from roller_mlir.evaluation.measure.cpu_peers.texts import LAST, arranged, restored, text_of
from roller_mlir.evaluation.measure.records import Reference
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.plan.accuracy.accumulation import accumulation_of_plans
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

WINDOW = {"N": 2, "C": 3, "H": 7, "W": 6, "KH": 3, "KW": 2, "stride": 2, "dilation": 1}
CASES = {
    "matmul": ("matmul", {"M": 5, "N": 7, "K": 11}),
    "conv": ("conv2d", {**WINDOW, "F": 4, "pad_h": 3, "pad_w": 1, "OH": 4, "OW": 3}),
    "conv-rest": ("conv2d", {**WINDOW, "F": 4, "stride": 3, "pad_h": 0, "pad_w": 0, "OH": 2, "OW": 2}),
    "conv-gaps": ("conv2d", {**WINDOW, "F": 2, "stride": 1, "dilation": 2, "pad_h": 2, "pad_w": 2, "OH": 5, "OW": 6}),
    "depthwise": ("depthwise_conv2d", {**WINDOW, "F": 3, "pad_h": 2, "pad_w": 2, "OH": 4, "OW": 4}),
    "pooling": ("avg_pool2d", {**WINDOW, "pad_h": 1, "pad_w": 0, "OH": 3, "OW": 3}),
}  # fmt: skip


def problem(name: str, epilogue: str = "") -> HostProblem:
    kind, sizes = CASES[name]
    return HostProblem(id=name, reference=Reference(kind=kind, dtype="f32", sizes=sizes), epilogue=epilogue)


def by_loops(one: HostProblem, inputs: list[Any]) -> Any:
    """Computes every output by itself."""
    s, kind = one.sizes, one.reference.kind
    if kind == "matmul":
        return np.einsum("mk,kn->mn", *(each.astype(np.float64) for each in inputs[:2]))
    output = np.zeros(one.output_shape)
    for n, f, h, w in np.ndindex(*one.output_shape):
        for r, q in product(range(s["KH"]), range(s["KW"])):
            y = h * s["stride"] + r * s["dilation"] - s["pad_h"] // 2
            x = w * s["stride"] + q * s["dilation"] - s["pad_w"] // 2
            if not (0 <= y < s["H"] and 0 <= x < s["W"]):
                continue
            given = inputs[0][n, :, y, x].astype(np.float64)
            if kind == "conv2d":
                output[n, f, h, w] += given @ inputs[1][f, :, r, q].astype(np.float64)
            elif kind == "depthwise_conv2d":
                output[n, f, h, w] += given[f] * float(inputs[1][f, r, q])
            else:
                output[n, f, h, w] += given[f] / (s["KH"] * s["KW"])
    return output


@pytest.mark.parametrize("name", CASES)
def test_numpy_gives_what_loops_give(name: str) -> None:
    one = problem(name)
    inputs = inputs_of(one)
    assert [each.shape for each in inputs] == list(one.shapes)
    np.testing.assert_allclose(expected_of(one, inputs).outputs[0], by_loops(one, inputs), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("epilogue", ["bias", "relu", "bias relu"])
def test_epilogues_follow(epilogue: str) -> None:
    one = problem("conv", epilogue)
    inputs = inputs_of(one)
    wanted = by_loops(one, inputs)
    if one.has_bias:
        assert inputs[2].shape == (4,)
        wanted += inputs[2].astype(np.float64)[None, :, None, None]
    wanted = np.maximum(wanted, 0) if one.has_relu else wanted
    np.testing.assert_allclose(expected_of(one, inputs).outputs[0], wanted, rtol=1e-12, atol=1e-12)


def test_a_lost_term_is_found_and_rounding_is_not() -> None:
    one = HostProblem(id="p", reference=Reference(kind="matmul", dtype="f32", sizes={"M": 8, "N": 8, "K": 4096}))
    a, b = inputs_of(one)
    expected = expected_of(one, [a, b])
    assert expected.compare(a @ b).ok
    assert expected.compare(a[:, ::-1].copy() @ b[::-1].copy()).ok
    wrong = a @ b
    wrong[3, 5] -= a[3, 100] * b[100, 5]
    verdict = expected.compare(wrong)
    assert not verdict.ok and "1 of 64 elements are wrong; the worst, at [3, 5]" in verdict.message
    assert not expected.compare(np.full((8, 8), np.nan, np.float32)).ok


@pytest.mark.parametrize("layout", ["", LAST])
@pytest.mark.parametrize("epilogue", ["", "bias relu"])
@pytest.mark.parametrize("name", CASES)
def test_texts_compute_the_problem_in_either_layout(name: str, epilogue: str, layout: str) -> None:
    one = problem(name, epilogue)
    text = text_of(one, layout)
    if text is None:
        assert layout == LAST and name == "matmul"
        return
    inputs = inputs_of(one)
    with make_context() as context:
        found = evaluate_function(
            parse_module(text, context), "main", arranged(one, inputs, layout), accumulation_of_plans([None])
        )
    verdict = expected_of(one, inputs).compare(restored(found.outputs[0], layout))
    assert verdict.ok, verdict.message


@pytest.mark.parametrize("name", CASES)
def test_taps_on_padding_are_told_from_others(name: str) -> None:
    one = problem(name)
    if name == "matmul":
        assert one.inside == 1.0
        return
    s = one.sizes
    taps = [
        (h * s["stride"] + r * s["dilation"] - s["pad_h"] // 2, w * s["stride"] + q * s["dilation"] - s["pad_w"] // 2)
        for h, w, r, q in np.ndindex(s["OH"], s["OW"], s["KH"], s["KW"])
    ]
    on = sum(0 <= y < s["H"] and 0 <= x < s["W"] for y, x in taps)
    assert one.inside == pytest.approx(on / len(taps))


def test_minibatches_and_operations() -> None:
    conv, product_ = problem("conv"), problem("matmul")
    assert with_minibatch(conv, 28).output_shape == (28, 4, 4, 3)
    assert with_minibatch(product_, 28) == product_
    assert product_.flops == 2 * 5 * 7 * 11
    assert conv.flops == 2 * 2 * 4 * 4 * 3 * 3 * 3 * 2
    assert problem("pooling").flops == 2 * 3 * 3 * 3 * 3 * 2


def test_what_peers_do_not_compute_is_refused() -> None:
    with pytest.raises(ValueError, match="peers of the host compute matmul, .* of f32, but 'r' is relu of f32"):
        HostProblem(id="r", reference=Reference(kind="relu", dtype="f32", shape=(3,)))
    with pytest.raises(ValueError, match="but 'm' is matmul of f16"):
        HostProblem(id="m", reference=Reference(kind="matmul", dtype="f16", sizes={"M": 1, "N": 1, "K": 1}))
    with pytest.raises(ValueError, match="epilogue must be one of"):
        problem("conv", "gelu")
