# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans stay on the IR down to kernels: every stage, edited or not, gives the kernel's plan and what it expects."""

import re
from dataclasses import replace
from functools import cache

import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.dialects.rtile.fields import from_attribute, read_record, to_attribute
from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.kernels.plans import KernelPlan, kernel_plans
from roller_mlir.lowering.targets.stage import BUFFERS, KERNELS, LOOPS, PLANNED
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

OPTIONS = CompileOptions(binaries=False, cache=False)
WHOLE = replace(OPTIONS, split=False)
TWICE = """func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.matmul ins(%r, %b : tensor<64x64xf32>, tensor<64x64xf32>)
    outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}
"""


@cache
def text_of(stage: str) -> str:
    """Two equal products, which are one kernel, at a stage."""
    stages = {one.name: one for one in (PLANNED, LOOPS, BUFFERS, KERNELS)}
    return lower_until(Source("-", TWICE), "h200", WHOLE, stages[stage])[0]


def plans(text: str) -> dict[str, KernelPlan]:
    with make_context() as context:
        return kernel_plans(parse_module(text, context), find_device("h200"))


def test_equal_programs_are_one_kernel_with_one_plan() -> None:
    text = text_of("gpu")
    assert text.count("gpu.launch_func") == 2 and text.count("#rtile.plan<") == 1
    _, planned = lower_until(Source("-", TWICE), "h200", WHOLE, PLANNED)
    (kernel,) = plans(text).values()
    assert [kernel.plan] * 2 == list(planned.values()) and kernel.plan.prediction == planned["matmul_0"].prediction
    assert kernel.expression is not None and [loop.extent for loop in kernel.expression.loops] == [64, 64, 64]
    assert kernel.expected_code(find_device("h200")) is not None


@pytest.mark.parametrize("stage", ["plan", "loops", "buffers", "gpu"])
def test_a_module_of_any_stage_carries_its_plan(stage: str) -> None:
    artifact = roller_mlir.compile(text_of(stage), "h200", options=OPTIONS)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan == plans(text_of("gpu"))["f_matmul_0"].plan
    assert artifact.text("kernels").count("#rtile.plan<") == 1


def test_edited_kernels_are_compared_with_the_plan_that_they_carry() -> None:
    text = text_of("gpu")
    edited = re.sub(r"shared_bytes = \d+ : i64", "shared_bytes = 1 : i64", text)
    options = replace(OPTIONS, binaries=True)
    for given, warned in ((text, False), (edited, True)):
        (kernel,) = roller_mlir.compile(given, "h200", options=options).kernels
        assert any("workgroup_memory" in note for note in kernel.notes) == warned, kernel.notes
    without = re.sub(r"rtile.plan = #rtile.plan<.*?>, ", "", edited)
    (kernel,) = roller_mlir.compile(without, "h200", options=options).kernels
    assert kernel.plan is None and not any("workgroup_memory" in note for note in kernel.notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            r"rtile.plan = #rtile.plan<",
            "rtile.plan = 3 : i64, rtile.other = #rtile.plan<",
            r"must be #rtile.plan<\{...\}>",
        ),
        ("stages = 2 : i64", "stages = 0 : i64", r"plan.stages: expected an integer of at least 1, but got 0; mend it"),
        ("reduction = true", "reduction = false", r"the kernel has a plan"),
        (r"extent = 64 : i64, reduction", "extent = 0 : i64, reduction", r"loop 2 must have an extent of at least 1"),
        (
            r'combiner = "arith.addf"',
            "combiner = 7 : i64",
            r"rtile.expression.combiner: expected a string, but got 7; mend it",
        ),
        (r"coefficients = \[1, 0, 0\]", "coefficients = [1, 0]", r"an index of 2 coefficients for 3 loops"),
        (r"shape = \[64, 64\]", "shape = [64]", r"has 1 dimensions, but 2 indices"),
        (r"shape = \[64, 64\]", "shape = [64, 0]", r"whose extents must be at least 1"),
        (r'element_type = "f32"', 'element_type = "f33"', r"elements of 'f33', which must be one of f64, f32"),
        (r"pad_values = \[[^]]*\]", "pad_values = []", r"must say something of each of 2 inputs"),
        (r"widens_only", "whole = [3], widens_only", r"'whole' must hold some of 3 loops, but is \[3\]"),
        (r"combiner =", 'accumulator_type = "f1", combiner =', r"'accumulator_type' must be one of f64"),
        (
            r'device = "h200"',
            'device = "a100"',
            r"kernel 'f_matmul_0' is planned for a100, but the target is h200; take",
        ),
    ],
)
def test_what_is_no_plan_of_the_kernel_is_refused(old: str, new: str, message: str) -> None:
    edited = re.sub(old, new, text_of("gpu"), count=1)
    assert edited != text_of("gpu")
    with pytest.raises(DiagnosedError, match=message) as raised:
        roller_mlir.compile(edited, "h200", options=OPTIONS)
    assert raised.value.diagnostics[0].place is not None


def test_loops_planned_for_another_device_are_refused() -> None:
    with pytest.raises(DiagnosedError, match=r"'rtile.program' is planned for h200, but the target is a100"):
        roller_mlir.compile(text_of("loops"), "a100", options=OPTIONS)


def test_expressions_are_attributes_and_back() -> None:
    x = Access("x", (8,), "f32", (LinearIndex((1,)),))
    one = TensorExpression((Loop(8, True),), (x, x), replace(x, shape=(), indices=()), None, 1, (None, float("-inf")))
    with make_context(), ir.Location.unknown():
        attribute = to_attribute(one)
        assert "pad_values = [unit, 0xFFF0" in str(attribute) and "combiner" in str(attribute)
        assert from_attribute(attribute)["combiner"] is None
        assert read_record(TensorExpression, attribute, "expression") == one
