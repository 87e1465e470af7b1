# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A dispatch by itself gets the plans and the kernels that it gets in the function it is from."""

import re
from pathlib import Path

import pytest
from tuning_records import EXAMPLES, MATMUL, SIMULATED

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source, lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.fuzz.generate import make_case
from roller_mlir.evaluation.fuzz.program.write import write_program
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch, dispatches_of
from roller_mlir.evaluation.suites import find_suite, function_text
from roller_mlir.lowering.targets.stage import FUSED, PLANNED
from roller_mlir.plan.plan import Plan
from roller_mlir.runtime import Artifact
from roller_mlir.support.diagnostics import DiagnosedError

#: Matrix products, small and large, with a divided reduction; windows with padding, pooling, reductions, element-wise.
OPERATORS = ("M0", "M5", "C0", "C24", "D0", "P0", "R0", "E0")
PADDED = """func.func @f(%x: tensor<1x3x9x9xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x9x9xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x9x9xf32> to tensor<1x3x11x11xf32>
  %e = tensor.empty() : tensor<1x4x9x9xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x9x9xf32>) -> tensor<1x4x9x9xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x3x11x11xf32>, tensor<4x3x3x3xf32>)
    outs(%i : tensor<1x4x9x9xf32>) -> tensor<1x4x9x9xf32>
  return %r : tensor<1x4x9x9xf32>
}
"""
ACCUMULATES = """func.func @f(%a: tensor<40x40xf32>, %c: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %r = linalg.matmul ins(%a, %a : tensor<40x40xf32>, tensor<40x40xf32>) outs(%c : tensor<40x40xf32>)
    -> tensor<40x40xf32>
  %q = linalg.matmul ins(%r, %a : tensor<40x40xf32>, tensor<40x40xf32>) outs(%r : tensor<40x40xf32>)
    -> tensor<40x40xf32>
  return %q : tensor<40x40xf32>
}
"""


def kernels(artifact: Artifact) -> dict[str, str]:
    """Return the text of each kernel, by name, without names and numbers that differ from module to module."""
    text = artifact.files["kernels.mlir"].decode()
    constants = dict(re.findall(r"^(#\w+) = (.*)$", text, re.MULTILINE))
    found: dict[str, str] = {}
    for name, body in re.findall(r"gpu\.func @(\w+)\((.*?)^    }$", text, re.MULTILINE | re.DOTALL):
        unnamed = re.sub(r'rtile.program_name = "\w+", ', "", body)
        found[name] = re.sub(r"#\w+", lambda match: constants.get(match.group(), match.group()), unnamed)
    return found


def assert_alone_as_whole(source: Source, target: str, options: CompileOptions = SIMULATED) -> list[Dispatch]:
    """Compiles a function, and each of its dispatches; plans and kernels are the same."""
    dispatches = dispatches_of(source, target, options)
    whole = compile_source(source, target, options)
    plans = {kernel.program: kernel.plan for kernel in whole.kernels if kernel.plan is not None}
    texts = kernels(whole)
    bodies = {kernel.program: texts[kernel.name] for kernel in whole.kernels}
    seen: set[str] = set()
    for dispatch in dispatches:
        alone = compile_source(Source("-", dispatch.text), target, options)
        own = [kernel.plan for kernel in alone.kernels if kernel.plan is not None]
        assert own
        for name in dispatch.names:
            named = [one for one in plans if one in (name, f"{name}_join")]
            assert [plans[one] for one in named] == own
            assert [bodies[one] for one in named] == [
                kernels(alone)[kernel.name] for kernel in alone.kernels[: len(own)]
            ]
            seen.update(named)
    assert seen == set(plans)
    return dispatches


def plans_alone(source: Source, target: str) -> dict[str, Plan]:
    """Return the plans of all dispatches of a function, by the names that they have in it."""
    found: dict[str, Plan] = {}
    for dispatch in dispatches_of(source, target, SIMULATED):
        alone = lower_until(Source("-", dispatch.text), target, SIMULATED, PLANNED)[1]
        for name in dispatch.names:
            found |= {one.replace(dispatch.name, name): plan for one, plan in alone.items()}
    return found


@pytest.mark.full(every=9)
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.mlir")), ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    source = Source(path.name, path.read_text())
    whole = lower_until(source, "h200", SIMULATED, PLANNED)[1]
    assert plans_alone(source, "h200") == whole != {}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["matmul", "mlp", "softmax", "conv_bn_relu_residual"])
def test_kernels_of_examples(name: str) -> None:
    assert assert_alone_as_whole(Source("-", (EXAMPLES / f"{name}.mlir").read_text()), "h200")


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("target", "dtype"), [("h200", "f16"), ("mi300x", "f16"), ("v100", "f32")])
def test_operators_of_a_suite(target: str, dtype: str) -> None:
    rows = {row.id: row for row in find_suite("roller119")}
    for name in OPERATORS:
        source = Source("-", function_text(rows[name], dtype))
        (dispatch,) = dispatches_of(source, target, SIMULATED)
        whole, alone = (lower_until(one, target, SIMULATED, PLANNED)[1] for one in (source, Source("-", dispatch.text)))
        assert list(whole.values()) == list(alone.values()), name


@pytest.mark.full(every=2)
@pytest.mark.parametrize("first", [0, 5])
def test_random_programs(first: int) -> None:
    for number in range(first, first + 5):
        case = make_case(5, number, ("h200", "mi300x"))
        source = Source("-", write_program(case.program))
        whole = lower_until(source, case.target, SIMULATED, PLANNED)[1]
        assert plans_alone(source, case.target) == whole, (number, case.kind)


def test_paddings_starts_and_operands_given_twice() -> None:
    (dispatch,) = assert_alone_as_whole(Source("-", PADDED), "h200")
    assert "tensor.pad" in dispatch.text
    assert "(%arg0: tensor<1x3x9x9xf32>, %arg1: tensor<4x3x3x3xf32>)" in dispatch.text
    (dispatch,) = dispatches_of(Source("-", ACCUMULATES), "h200", SIMULATED)
    assert dispatch.names == ("matmul_0", "matmul_1")
    assert "@matmul(%arg0: tensor<40x40xf32>, %arg1: tensor<40x40xf32>)" in dispatch.text
    plans = [
        list(lower_until(one, "h200", SIMULATED, PLANNED)[1].values())
        for one in (Source("-", ACCUMULATES), Source("-", dispatch.text))
    ]
    assert plans[0] == 2 * plans[1]


def test_units_that_are_the_same_are_one() -> None:
    source = Source("-", (EXAMPLES / "encoder_layer.mlir").read_text())
    dispatches = dispatches_of(source, "h200", SIMULATED)
    assert dispatches[0].names == ("matmul_0", "matmul_1", "matmul_2")
    assert len({dispatch.key for dispatch in dispatches}) == len(dispatches)
    assert sum(len(dispatch.names) for dispatch in dispatches) == 11


def test_a_dispatch_of_a_dispatch_is_itself() -> None:
    for path in (EXAMPLES / "matmul.mlir", EXAMPLES / "mlp.mlir", EXAMPLES / "softmax.mlir"):
        for dispatch in dispatches_of(Source("-", path.read_text()), "h200", SIMULATED):
            (again,) = dispatches_of(Source("-", dispatch.text), "h200", SIMULATED)
            assert (again.key, again.text, again.divisible) == (dispatch.key, dispatch.text, dispatch.divisible)


def test_fusion_and_what_the_construction_may_do_decide_the_units() -> None:
    source = Source("-", (EXAMPLES / "mlp.mlir").read_text())
    assert len(dispatches_of(source, "h200", SIMULATED)) < len(
        dispatches_of(source, "h200", CompileOptions(fusion=False))
    )
    keys = {
        dispatches_of(Source("-", MATMUL), "h200", CompileOptions(**given))[0].key
        for given in (
            {},
            {"allow_tf32": True},
            {"split": False},
            {"instructions": ("fma",)},
            {"max_units": 8},
            {"disabled_rules": ("memory-bank",)},
        )
    }
    assert len(keys) == 6
    assert dispatches_of(Source("-", MATMUL), "h100")[0].key not in keys


def test_what_is_planned_already_is_refused() -> None:
    planned, _ = lower_until(Source("-", MATMUL), "h200", SIMULATED, PLANNED)
    with pytest.raises(DiagnosedError, match="the module is planned already; begin with linalg ops on tensors"):
        dispatches_of(Source("-", planned), "h200")


def test_joined_ops_without_a_plan_are_a_beginning_too() -> None:
    source = Source("-", (EXAMPLES / "mlp.mlir").read_text())
    joined, _ = lower_until(source, "h200", SIMULATED, FUSED)
    assert [dispatch.key for dispatch in dispatches_of(Source("-", joined), "h200")] == [
        dispatch.key for dispatch in dispatches_of(source, "h200")
    ]
