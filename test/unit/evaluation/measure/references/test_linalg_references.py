# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small operators, compiled and simulated, against their own linalg ops by numpy: what a dry run without torch does."""

import importlib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from reference_cases import case, inputs_of, item_of

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.records import ItemCandidate
from roller_mlir.evaluation.measure.runner.expected import references
from roller_mlir.evaluation.measure.runner.expected.inputs import make_inputs
from roller_mlir.evaluation.measure.runner.expected.references import reference_for, same_as
from roller_mlir.evaluation.suites.operator import Operator


def run(text: str, target: str = "a100") -> tuple[Any, list[Any], tuple[Any, ...]]:
    artifact = compile_source(Source("-", text), target, CompileOptions(binaries=False, cache=False))
    inputs = make_inputs(artifact.manifest, "sim")
    return artifact, inputs, artifact.run(*inputs, on="sim")


def spoilt(array: Any) -> Any:
    """Return other numbers; those of bf16 are bits."""
    return array ^ np.uint16(0x8040) if array.dtype == np.uint16 else array + 1


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["mm-bf16", "mm-prime", "pool-avg", "mm-i8-prime", "sum-rows", "relu-bf16"])
def test_the_simulator_agrees_within_its_bounds(name: str) -> None:
    item, text = case(name)
    artifact, inputs, outputs = run(text)
    expected = reference_for(item, inputs, source=text, device="sim")
    assert expected is not None and expected.against == "numpy"
    verdict = expected.compare(outputs)
    assert verdict.ok and verdict.error is not None and verdict.error <= 1, verdict

    again = same_as(outputs, artifact.manifest)
    assert again.against == "candidate 0" and again.compare(outputs).error == 0
    assert again.compare(expected.outputs).ok
    wrong = outputs[0].copy()
    wrong.reshape(-1)[-1:] = spoilt(wrong.reshape(-1)[-1:])
    for known in (expected, again):
        verdict = known.compare(wrong)
        assert not verdict.ok and f"[{', '.join(str(extent - 1) for extent in wrong.shape)}]" in verdict.message


def test_what_a_candidate_gave_is_kept_when_its_memory_is_written() -> None:
    _, text = case("relu-prime")
    artifact, _, outputs = run(text)
    kept = same_as(outputs[0], artifact.manifest)
    outputs[0][...] = np.nan
    assert not kept.compare(outputs).ok and np.isfinite(kept.outputs[0]).all()


def test_without_the_compiler_and_torch_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    item, text = case("mm-prime")
    inputs = inputs_of(text)
    monkeypatch.setattr(references, "import_torch", lambda: None)
    monkeypatch.setattr(references, "import_module", missing)
    assert reference_for(item, inputs, source=text, device="sim") is None
    monkeypatch.setattr(references, "import_module", importlib.import_module)
    assert reference_for(item, inputs, source=None, device="sim") is None
    assert reference_for(item, inputs, source=text, device="cuda") is None  # linalg ops by numpy are for dry runs
    assert reference_for(item, inputs, source=text, device="sim") is not None


def test_a_deep_function_may_be_no_further_from_numpy_than_from_another_candidate() -> None:
    """Bounds that each operator magnifies would permit anything behind some of them."""
    kind = "tensor<32x32xf32>"
    names = ["x", *(f"y{n}" for n in range(8))]
    products = (
        f"%p{made} = linalg.matmul ins(%{taken}, %w : {kind}, {kind}) outs(%f : {kind}) -> {kind}\n"
        f"%{made} = linalg.max ins(%p{made}, %f : {kind}, {kind}) outs(%e : {kind}) -> {kind}"
        for taken, made in pairwise(names)
    )
    text = (
        f"func.func @f(%x: {kind}, %w: {kind}) -> {kind} {{\n%zero = arith.constant 0.0 : f32\n"
        f"%e = tensor.empty() : {kind}\n%f = linalg.fill ins(%zero : f32) outs(%e : {kind}) -> {kind}\n"
        + "\n".join(products)
        + f"\nreturn %{names[-1]} : {kind}\n}}"
    )
    artifact, inputs, outputs = run(text)
    item = item_of(Operator("x", "matmul", "f32"), sizes={})
    loose = reference_for(item, inputs, source=text, device="sim")
    strict = reference_for(item, inputs, source=text, device="sim", base=artifact.manifest)
    assert loose is not None and strict is not None and strict.compare(outputs).ok
    wrong = np.array(outputs[0])
    wrong[3, 4] += 2e-4 * np.sqrt((wrong.astype(np.float64) ** 2).mean())
    assert loose.compare((wrong,)).ok and not strict.compare((wrong,)).ok


def test_matrix_instructions_on_f32_may_round_to_tf32() -> None:
    item, text = case("mm-odd")
    artifact = compile_source(
        Source("-", text), "a100", CompileOptions(binaries=False, cache=False, allow_tf32=True, instructions=("mma",))
    )
    plans = {kernel.program: kernel.plan for kernel in artifact.kernels if kernel.plan is not None}
    assert any(plan.atom is not None for plan in plans.values())
    candidates = (ItemCandidate(rank=0, artifact="one", plans=plans),)
    inputs = make_inputs(artifact.manifest, "sim")
    outputs = artifact.run(*inputs, on="sim")
    strict = reference_for(item, inputs, source=text, device="sim")
    known = item_of(Operator("x", "matmul", "f32"), sizes=item.reference.sizes)
    loose = reference_for(type(item)(**{**vars(known), "candidates": candidates}), inputs, source=text, device="sim")
    assert strict is not None and loose is not None
    assert not strict.compare(outputs).ok
    assert loose.compare(outputs).ok
