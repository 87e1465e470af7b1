# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the math dialect: which library has them, that it is linked, and that no foreign call is left."""

import re

import numpy as np
import pytest
from math_kernels import FUNCTIONS, build, element_wise, function

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import compare_all, evaluate_function, random_inputs
from roller_mlir.evaluation.reference.scalars import SCALARS
from roller_mlir.evaluation.reference.values import to_caller
from roller_mlir.lowering.backend.checks.resources import ptx_foreign_calls
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

# One instruction of the device, or a few that LLVM knows: no function of a library.
INSTRUCTIONS = {
    "h200": {"absf", "ceil", "floor", "trunc", "roundeven", "sqrt", "copysign", "fma"},
    "mi300x": {"absf", "trunc", "roundeven", "round", "sqrt", "copysign", "fma", "exp", "log"},
}
# Where a library calls a function by another name than MLIR.
NAMES = {"absf": "fabs", "powf": "pow"}


def library_function(name: str, kind: str, device: str) -> str:
    """Return how a device's library calls a function."""
    plain = NAMES.get(name, name)
    wide = "f64" if kind == "f64" else "f32"
    if device == "mi300x":
        return f"__ocml_{plain}_{wide}"
    return f"__nv_{plain}{'' if wide == 'f64' else 'f'}"


def all_functions(kind: str) -> str:
    """Return a body that sums what every function gives."""
    lines = ["%s0 = arith.addf %x, %y : " + kind]
    for i, name in enumerate(FUNCTIONS):
        lines += [function(name, kind).replace("%r", f"%f{i}"), f"%s{i + 1} = arith.addf %s{i}, %f{i} : {kind}"]
    return "\n".join(lines) + f"\n%r = arith.addf %s{len(FUNCTIONS)}, %z : {kind}"


def test_every_function_of_the_reference_is_here() -> None:
    integers = {"absi", "ctlz", "ctpop", "cttz", "isfinite", "isinf", "isnan", "fpowi", "clampf"}
    known = {name.removeprefix("math.") for name in SCALARS if name.startswith("math.")} - integers
    assert known == set(FUNCTIONS)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("kind", ["f32", "f64", "f16", "bf16"])
@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_functions_come_from_the_device_s_library(device: str, kind: str) -> None:
    text = build(element_wise(all_functions(kind), kind, (37, 3)), device).text("llvm")
    declared = set(re.findall(r"^declare\b[^\n]*?@(__(?:nv|ocml)_\w+)\(", text, re.MULTILINE))
    for name in FUNCTIONS:
        wanted = library_function(name, kind, device)
        is_instruction = name in INSTRUCTIONS[device] and (kind != "f64" or name not in ("exp", "log"))
        assert (wanted in declared) != is_instruction, (name, wanted)
    assert not re.findall(r"^declare (?:half|bfloat) @(?!llvm\.fma)", text, re.MULTILINE), "halves are computed in f32"


@pytest.mark.full(every=4)
@pytest.mark.parametrize("kind", ["f32", "f64", "bf16"])
@pytest.mark.parametrize("device", ["v100", "h200", "mi300x"])
def test_libraries_are_linked_and_nothing_else_is_called(device: str, kind: str) -> None:
    binary = build(element_wise(all_functions(kind), kind, (37, 3)), device, "ptx" if device == "v100" else "binary")
    if device != "mi300x":
        assert "ptx" in binary.files
        assert ptx_foreign_calls(binary.text("ptx")) == ()
        assert ".ftz" not in binary.text("ptx").replace("approx.ftz", ""), "denormal numbers are kept"
    else:
        assert "hsaco" in binary.files, "the linker found every symbol"


@pytest.mark.full(every=6)
@pytest.mark.parametrize("kind", ["f32", "bf16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_in_the_simulator(name: str, kind: str) -> None:
    """With the processor's own functions: this tests how they are called, not how exact a device's are."""
    artifact = roller_mlir.compile(
        element_wise(function(name, kind), kind), target="h200", options=CompileOptions(binaries=False)
    )
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(n) for n in manifest.inputs], 1, "normal")
    with make_context() as context:
        expected = evaluate_function(parse_module(artifact.text("input"), context), manifest.function, inputs)
    (found,) = compare_all(artifact.run(*inputs), expected)
    assert found.matches, found


INTEGER_POWERS = {
    "a cube": "%n = arith.constant 3 : i32\n%r = math.fpowi %x, %n : f32, i32",
    "a reciprocal": "%n = arith.constant -5 : i32\n%r = math.fpowi %x, %n : f32, i32",
    "the power 0": "%n = arith.constant 0 : i32\n%r = math.fpowi %x, %n : f32, i32",
    "a power that varies": "%n = arith.fptosi %y : f32 to i32\n%r = math.fpowi %x, %n : f32, i32",
    "a clamp": "%l = arith.constant -0.5 : f32\n%h = arith.constant 0.5 : f32\n%r = math.clampf %x to [%l, %h] : f32",
    "an infinity": "%l = math.log %x : f32\n%i = math.isinf %l : f32\n%r = arith.uitofp %i : i1 to f32",
    "a remainder": "%r = arith.remf %x, %y : f32",
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", INTEGER_POWERS)
def test_what_is_rewritten_for_every_vendor(name: str) -> None:
    text = element_wise(INTEGER_POWERS[name], "f32")
    for device in ("h200", "mi300x"):
        binary = build(text, device, "ptx")
        assert binary.text("ptx") or binary.text("assembly")
    artifact = roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False))
    inputs = random_inputs([artifact.manifest.buffer(n) for n in artifact.manifest.inputs], 2)
    with make_context() as context:
        expected = evaluate_function(parse_module(artifact.text("input"), context), "f", inputs)
    (found,) = compare_all(artifact.run(*inputs), expected)
    assert found.matches, found


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", ["bf16", "f16", "f32"])
def test_odd_powers_of_negative_numbers_are_negative(kind: str) -> None:
    """257 is no bf16, 2049 no f16, and 16777217 no f32; their neighbours are even."""
    body = f"""%m = arith.fptosi %y : {kind} to i32
    %p = arith.fptosi %z : {kind} to i32
    %q = arith.muli %m, %p : i32
    %one = arith.constant 1 : i32
    %n = arith.addi %q, %one : i32
    %r = math.fpowi %x, %n : {kind}, i32"""
    text = element_wise(body, kind)
    shape, exponents = (37, 4), {"bf16": (256, 1), "f16": (2048, 1), "f32": (4096, 4096)}
    values = [np.full(shape, value) for value in (-1, *exponents[kind])]
    inputs = [to_caller(value.astype(np.float64), kind) for value in values]
    for device in ("h200", "mi300x"):
        assert build(text, device, "ptx").files
    artifact = roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False))
    assert (artifact.run(*inputs)[0] == to_caller(np.array(-1.0), kind)).all()


def test_extremes_of_flagged_bf16_are_selected_on_amd() -> None:
    body = """%l = arith.constant 0.0 : bf16
    %h = arith.constant 6.0 : bf16
    %m = arith.maximumf %x, %l fastmath<nnan> : bf16
    %r = arith.minimumf %m, %h fastmath<nnan> : bf16"""
    assert build(element_wise(body, "bf16"), "mi300x", "binary").files["hsaco"]
