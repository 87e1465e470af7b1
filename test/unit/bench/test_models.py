# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of whole papers give what numpy gives, evaluated and as one kernel, and have the published sizes."""

import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.compiler.scheduled_program import scheduled_program
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.evaluation.suites.models import MODELS, RAMMER6, make_model, reference
from roller_mlir.importers.weights import attach_weights, read_weights
from roller_mlir.rammer.times.replay import replay
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

sys.path.append(str(Path(__file__).parents[3] / "bench" / "models"))

import write

SCALE = 32
TARGETS = ("h200", "a100", "mi300x")
SMALLEST = "decoder"
TOLERANCE = 1e-5
"""Of results of about 1 that f32 makes in sums of few products."""
KERNELS = sorted(
    ((name, target, batch) for name in MODELS for target in TARGETS for batch in (1, 4)),
    key=lambda case: (case[0] != SMALLEST, case[2]),
)


def _assert_equal(found: Any, expected: Any) -> None:
    for got, right in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, right, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.full(every=4)
@pytest.mark.parametrize(("name", "batch"), [(name, batch) for name in MODELS for batch in (1, 4)])
def test_linalg_says_what_numpy_does(name: str, batch: int) -> None:
    model = make_model(name, batch, SCALE)
    inputs = model.inputs()
    with make_context() as context:
        module = parse_module(model.text("m.irpa"), context)
        attach_weights(module, model.weights)
        found = evaluate_function(module, name, inputs).outputs
    expected = reference(model, inputs)
    assert all(1e-3 < np.abs(one).max() < 1e2 for one in expected), "activations stay in range"
    _assert_equal(found, expected)


@pytest.mark.full
@pytest.mark.parametrize(("name", "target", "batch"), KERNELS)
def test_a_model_is_one_kernel(name: str, target: str, batch: int, tmp_path: Path) -> None:
    model = make_model(name, batch, SCALE)
    write.write_model(model, tmp_path / "m.mlir")
    options = CompileOptions(persistent=True, binaries=False, llvm=False, cache=False)
    artifact = roller_mlir.compile(tmp_path / "m.mlir", target=target, options=options)
    assert len(artifact.manifest.launches) == 1
    loaded = LoadedSequence(artifact.manifest, artifact.files, find_backend("sim", {"level": "gpu", "sanitize": True}))
    inputs = model.inputs()
    _assert_equal(loaded.run(inputs).outputs, reference(model, inputs))


def test_sizes_are_those_that_are_published() -> None:
    made = {name: make_model(name) for name in MODELS}
    texts = {name: model.text("m.irpa") for name, model in made.items()}
    counts = {name: sum(map(text.count, ("linalg.conv_2d", "linalg.matmul"))) for name, text in texts.items()}
    weight = re.compile(r"dense_resource<(\w+)> : tensor<([\dx]+)xf32>")
    shapes = {
        name: {one: tuple(map(int, shape.split("x"))) for one, shape in weight.findall(text)}
        for name, text in texts.items()
    }
    # 27 blocks: 2 * 16 convolutions and one behind them, the first one; the dense layer.
    assert counts["resnext"] == 892 + 1
    assert counts["lstm"] == 8 * 100 * 10
    assert counts["seq2seq"] == 2 * (100 * 8 + 30 * 4)
    assert counts["deepspeech2"] == 2 + 2 * 75 * 7 + 1
    assert shapes["deepspeech2"]["layer0_w"] == (2752, 4 * 256)
    assert shapes["alexnet"]["dense0"] == (256 * 6 * 6, 4096)
    # arXiv 1707.07012, table 1: NASNet-A (6 @ 768) has 3.3 million parameters, 768 of them filters of the last cell.
    assert 3.2e6 < sum(map(math.prod, shapes["nasnet"].values())) < 3.4e6
    assert shapes["nasnet"]["classes"] == (768, 10)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(RAMMER6, key=lambda name: name != "seq2seq"))
def test_weights_as_arguments_change_no_schedule(name: str) -> None:
    model = make_model(name, scale=2 * SCALE)
    options = CompileOptions(persistent=True)
    constant = scheduled_program(Source("-", model.text("m.irpa"), model.weights), "h200", options)
    given = scheduled_program(Source("-", model.text(None)), "h200", options)
    assert len(model.spreads) == model.text(None).split(" -> ")[0].count("tensor<") > len(model.inputs())
    for of in (lambda one: one.bodies, lambda one: one.schedule.wait_count, lambda one: one.virtual.threads):
        assert of(constant) == of(given)
    assert constant.graph.tasks == given.graph.tasks
    times = [replay(one.graph, one.schedule, 1e-6) for one in (constant, given)]
    assert times[0].makespan_s == times[1].makespan_s and constant.bound_s == given.bound_s


def test_a_model_is_written_the_same_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in ("a.mlir", "b.mlir"):
        command = ["write.py", SMALLEST, "--batch", "4", "--scale", str(SCALE), "-o", str(tmp_path / file)]
        monkeypatch.setattr(sys, "argv", command)
        write.main()
    assert (tmp_path / "a.mlir").read_text() == (tmp_path / "b.mlir").read_text().replace("b.irpa", "a.irpa")
    assert (tmp_path / "a.irpa").read_bytes() == (tmp_path / "b.irpa").read_bytes()
    found = read_weights(tmp_path / "a.irpa", "-")
    expected = make_model(SMALLEST, 4, SCALE).weights
    assert {name: one.tobytes() for name, one in found.items()} == {name: w.tobytes() for name, w in expected.items()}


@pytest.mark.parametrize(("text", "message"), [("0", "of at least 1, but got '0'"), ("x", "but got 'x'")])
def test_sizes_that_are_refused(
    text: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["write.py", "lstm", "--batch", text, "-o", "m.mlir"])
    with pytest.raises(SystemExit):
        write.main()
    assert message in capsys.readouterr().err
