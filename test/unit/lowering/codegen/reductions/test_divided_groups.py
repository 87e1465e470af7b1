# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divided reductions behind which other ops go on: the second stage joins the parts and computes these, too."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import roller_mlir
from roller_mlir import Artifact
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.fuzz.plans.divided import divided_plans, joined_inside
from roller_mlir.evaluation.fuzz.plans.ranked import dispatches
from roller_mlir.hal import find_device
from roller_mlir.plan import Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.diagnostics import DiagnosedError

Array = np.ndarray
DEVICES = ("h200", "mi300x")


@dataclass(frozen=True)
class Case:
    """A function, its division, and what it computes.

    Attributes:
        text: The function, `main`.
        division: The loop that is divided, the number of parts, and the points of each.
        shapes: Of its arguments.
        reference: What it computes.
    """

    text: str
    division: tuple[int, int, int]
    shapes: tuple[tuple[int, ...], ...]
    reference: Callable[..., Array]


def zeros(shape: str, number: int = 0, value: str = "0.0", kind: str = "f32") -> str:
    """Return the lines that make %s<number>, filled with a value, and %e<number>, which is empty."""
    n = number
    return f"""%z{n} = arith.constant {value} : {kind}
  %e{n} = tensor.empty() : tensor<{shape}x{kind}>
  %s{n} = linalg.fill ins(%z{n} : {kind}) outs(%e{n} : tensor<{shape}x{kind}>) -> tensor<{shape}x{kind}>"""


def walk(maps: str, kinds: str, ins: str, outs: str, body: str) -> str:
    """Return a linalg.generic of f32 inputs, whose arguments are called %0, %1 ..."""
    accesses = ", ".join(f"affine_map<{one}>" for one in maps.split("; "))
    loops = ", ".join('"reduction"' if kind == "r" else '"parallel"' for kind in kinds)
    arguments = ", ".join(f"%i{n}: f32" for n in range(ins.count("%")))
    names, types = zip(*(one.split(": ") for one in ins.split("; ")), strict=True)
    out, kind = outs.split(": ")
    element = kind.removeprefix("tensor<").split("x")[-1].rstrip(">")
    return f"""linalg.generic {{indexing_maps = [{accesses}], iterator_types = [{loops}]}}
    ins({", ".join(names)} : {", ".join(types)}) outs({out} : {kind}) {{
  ^bb0({arguments}, %o: {element}):
    {body}
  }} -> {kind}"""


ADD_RELU = """%t = arith.addf %i0, %i1 : f32
    %f = arith.constant 0.0 : f32
    %u = arith.maximumf %t, %f : f32
    linalg.yield %u : f32"""
PRODUCT = """%c = linalg.matmul ins(%a, %b : tensor<16x1000xf32>, tensor<1000x24xf32>)
    outs(%s0 : tensor<16x24xf32>) -> tensor<16x24xf32>"""
T = "tensor<16x24xf32>"
MN = "(m, n) -> (m, n)"
FACTORS = ((16, 1000), (1000, 24))
ARGUMENTS = "%a: tensor<16x1000xf32>, %b: tensor<1000x24xf32>"


def product(more: str, behind: str, result: str = T, start: str = zeros("16x24")) -> str:
    """Return a product and what goes on with it, %c; its result is %r."""
    return f"""func.func @main({ARGUMENTS}{more}) -> {result} {{
  {start}
  {PRODUCT}
  {behind}
  return %r : {result}
}}"""


def biased(maps: str, kind: str) -> str:
    """Return a product with a tensor that is added, and relu."""
    behind = walk(f"{MN}; {maps}; {MN}", "pp", f"%c: {T}; %x: {kind}", f"%e0: {T}", ADD_RELU)
    return product(f", %x: {kind}", f"%r = {behind}")


def relu(value: Array) -> Array:
    return np.maximum(value, np.float32(0))


CHAIN = f"""%w = {walk(f"{MN}; (m, n) -> (n); {MN}", "pp", f"%c: {T}; %x: tensor<24xf32>", f"%e0: {T}", ADD_RELU)}
  %r = {walk(f"{MN}; {MN}; {MN}", "pp", f"%w: {T}; %y: {T}", f"%e0: {T}", ADD_RELU)}"""
NARROW = walk(f"{MN}; {MN}", "pp", f"%c: {T}", "%e1: tensor<16x24xf16>", """%h = arith.truncf %i0 : f32 to f16
    linalg.yield %h : f16""")  # fmt: skip
INTO = walk(f"{MN}; (m, n) -> (n); {MN}", "pp", f"%c: {T}; %x: tensor<24xf32>", f"%e0: {T}", ADD_RELU)
SUM = """%t = arith.addf %o, %i0 : f32
    linalg.yield %t : f32"""
HALF = """%h = arith.constant 0.5 : f32
    %t = arith.mulf %i0, %h : f32
    linalg.yield %t : f32"""
IMAGE = "tensor<2x20x6x8xf32>"
OUT = "tensor<2x5x6x8xf32>"
PAD = """%p = tensor.pad %i low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%q0: index, %q1: index, %q2: index, %q3: index):
    tensor.yield %z0 : f32 } : tensor<2x20x6x8xf32> to tensor<2x20x8x10xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%p, %b : tensor<2x20x8x10xf32>, tensor<5x20x3x3xf32>) outs(%s0 : tensor<2x5x6x8xf32>) -> tensor<2x5x6x8xf32>"""
NCHW = "(n, c, h, w) -> (n, c, h, w)"
BEFORE = walk(f"{NCHW}; {NCHW}", "pppp", f"%a: {IMAGE}", f"%e1: {IMAGE}", """%f = arith.constant 0.0 : f32
    %u = arith.maximumf %i0, %f : f32
    linalg.yield %u : f32""")  # fmt: skip
BIASED = walk(f"{NCHW}; (n, c, h, w) -> (c); {NCHW}", "pppp", f"%c: {OUT}; %x: tensor<5xf32>", f"%e0: {OUT}", ADD_RELU)


def convolved(image: Array, filters: Array) -> Array:
    image = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(2, 3))
    return np.einsum("nchwrs,fcrs->nfhw", windows, filters)


def convolution(before: str, behind: str, more: str = "") -> str:
    """Return a convolution of an image with padding, which may be made by an op, and what goes on with it."""
    return f"""func.func @main(%a: {IMAGE}, %b: tensor<5x20x3x3xf32>{more}) -> {OUT} {{
  {zeros("2x5x6x8")}
  {zeros("2x20x6x8", 1)}
  {before}
  {PAD.replace("%i ", "%m " if before else "%a ")}
  {behind}
}}"""


ROWS = f"""func.func @main(%a: tensor<7x1001xf32>) -> tensor<7xf32> {{
  {zeros("7")}
  %c = {walk("(i, k) -> (i, k); (i, k) -> (i)", "pr", "%a: tensor<7x1001xf32>", "%s0: tensor<7xf32>", SUM)}
  %r = {walk("(i) -> (i); (i) -> (i)", "p", "%c: tensor<7xf32>", "%e0: tensor<7xf32>", HALF)}
  return %r : tensor<7xf32>
}}"""
ALL = f"""func.func @main(%a: tensor<100003xf32>) -> tensor<f32> {{
  %z0 = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%z0 : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %c = {walk("(k) -> (k); (k) -> ()", "r", "%a: tensor<100003xf32>", "%s0: tensor<f32>", SUM)}
  %r = {walk("() -> (); () -> ()", "", "%c: tensor<f32>", "%e0: tensor<f32>", HALF)}
  return %r : tensor<f32>
}}"""

CASES = {
    "bias": Case(biased("(m, n) -> (n)", "tensor<24xf32>"), (2, 4, 256), (*FACTORS, (24,)),
                 lambda a, b, x: relu(a @ b + x)),
    "bias of rows": Case(biased("(m, n) -> (m)", "tensor<16xf32>"), (2, 4, 256), (*FACTORS, (16,)),
                         lambda a, b, x: relu(a @ b + x[:, None])),
    "residual": Case(biased(MN, T), (2, 2, 504), (*FACTORS, (16, 24)), lambda a, b, x: relu(a @ b + x)),
    "turned residual": Case(biased("(m, n) -> (n, m)", "tensor<24x16xf32>"), (2, 4, 250), (*FACTORS, (24, 16)),
                            lambda a, b, x: relu(a @ b + x.T)),
    "two ops": Case(product(f", %x: tensor<24xf32>, %y: {T}", CHAIN), (2, 7, 144), (*FACTORS, (24,), (16, 24)),
                    lambda a, b, x, y: relu(relu(a @ b + x) + y)),
    "from an argument": Case(
        product(f", %x: tensor<24xf32>, %s0: {T}", f"%r = {INTO}", start=f"%e0 = tensor.empty() : {T}"),
        (2, 3, 336), (*FACTORS, (24,), (16, 24)), lambda a, b, x, s: relu(s + a @ b + x)),
    "narrower": Case(
        product("", f"%r = {NARROW}", "tensor<16x24xf16>", zeros("16x24") + "\n  " + zeros("16x24", 1, kind="f16")),
        (2, 4, 256), FACTORS, lambda a, b: (a @ b).astype(np.float16)),
    "rows": Case(ROWS, (1, 4, 256), ((7, 1001),), lambda a: a.sum(1) / 2),
    "all": Case(ALL, (0, 7, 14336), ((100003,),), lambda a: a.sum(dtype=np.float64) / 2),
    "convolution": Case(
        convolution("", f"%r = {BIASED}\n  return %r : {OUT}", ", %x: tensor<5xf32>"), (4, 3, 8),
        ((2, 20, 6, 8), (5, 20, 3, 3), (5,)), lambda a, b, x: relu(convolved(a, b) + x[:, None, None])),
    "made image": Case(
        convolution(f"%m = {BEFORE}", f"%r = {BIASED}\n  return %r : {OUT}", ", %x: tensor<5xf32>"), (4, 3, 8),
        ((2, 20, 6, 8), (5, 20, 3, 3), (5,)), lambda a, b, x: relu(convolved(relu(a), b) + x[:, None, None])),
    "made image alone": Case(
        convolution(f"%m = {BEFORE}", f"return %c : {OUT}"), (4, 3, 8),
        ((2, 20, 6, 8), (5, 20, 3, 3)), lambda a, b: convolved(relu(a), b)),
}  # fmt: skip
ALONE = ("made image alone",)


def plan_of(case: Case, target: str, *, joined: bool) -> tuple[str, Plan]:
    """Return the name of the one program of a case, and a plan that divides it."""
    ((name, (expression, divisible)),) = dispatches(Source("-", case.text), target).items()
    assert divisible
    device = find_device(target)
    found = divided_plans(expression, case.division, device)
    plans = [joined_inside(expression, one, device) if joined else one for one in found]
    return name, next(one for one in plans if one is not None)


def compiled(case: Case, folder: Path, target: str, plans: dict[str, Plan]) -> Artifact:
    (folder / "plan.json").write_text(json.dumps(to_json(plans)))
    return roller_mlir.compile(case.text, target=target, plan_file=folder / "plan.json", binaries=target == "host")


def arguments(case: Case) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.integers(-3, 4, shape).astype(np.float32) for shape in case.shapes]


def check(case: Case, artifact: Artifact, target: str) -> None:
    inputs = arguments(case)
    (found,) = artifact.run(*inputs, on="cpu") if target == "host" else artifact.run(*inputs, on="sim", sanitize=True)
    np.testing.assert_array_equal(found, np.asarray(case.reference(*inputs), found.dtype))


@pytest.mark.parametrize("target", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_one_kernel(name: str, target: str, tmp_path: Path) -> None:
    """The block of each tile that ends last joins its parts and goes on: nothing else is launched."""
    case = CASES[name]
    program, plan = plan_of(case, target, joined=True)
    artifact = compiled(case, tmp_path, target, {program: plan})
    (kernel,) = artifact.kernels
    assert list(kernel.plans()) == [program, f"{program}_join"] and len(artifact.manifest.launches) == 1
    check(case, artifact, target)


@pytest.mark.parametrize("target", [*DEVICES, "host"])
@pytest.mark.parametrize("name", CASES)
def test_two_kernels(name: str, target: str, tmp_path: Path) -> None:
    """The second one keeps the loops of the result where ops go on with it, and all tensors stay as they are."""
    case = CASES[name]
    program, plan = plan_of(case, target, joined=False)
    artifact = compiled(case, tmp_path, target, {program: plan})
    assert [kernel.program for kernel in artifact.kernels] == [program, f"{program}_join"]
    assert plan.split is not None
    flat = len(plan.split.join.axes) == 2 and len(case.shapes) > 1
    assert flat == (name in ALONE)
    check(case, artifact, target)


ROUNDED = walk(
    "(m, n) -> (m, n); (m, n) -> (n); (m, n) -> (m, n)",
    "pp",
    "%c: tensor<64x64xf32>; %x: tensor<64xf32>",
    "%e1: tensor<64x64xf16>",
    """%t = arith.addf %i0, %i1 : f32
    %h = arith.truncf %t : f32 to f16
    linalg.yield %h : f16""",
)
HALVES = f"""func.func @main(%a: tensor<64x512xf16>, %b: tensor<512x64xf16>, %x: tensor<64xf32>) -> tensor<64x64xf16> {{
  {zeros("64x64")}
  {zeros("64x64", 1, kind="f16")}
  %c = linalg.matmul ins(%a, %b : tensor<64x512xf16>, tensor<512x64xf16>) outs(%s0 : tensor<64x64xf32>)
    -> tensor<64x64xf32>
  %r = {ROUNDED}
  return %r : tensor<64x64xf16>
}}"""


@pytest.mark.parametrize("joined", [True, False], ids=["one kernel", "two kernels"])
@pytest.mark.parametrize(
    ("target", "family"), [("v100", "wmma"), ("a100", "mma"), ("h200", "wgmma"), ("mi300x", "mfma")]
)
def test_products_of_matrix_units_go_on(target: str, family: str, joined: bool, tmp_path: Path) -> None:
    """Sums of f32 are joined, and rounded once, behind what is added to them."""
    ((name, (expression, divisible)),) = dispatches(Source("-", HALVES), target).items()
    assert divisible
    device = find_device(target)
    found = divided_plans(expression, (2, 4, 128), device, (family,))
    plans = [joined_inside(expression, one, device) if joined else one for one in found if one.instruction == family]
    plan = next(one for one in plans if one is not None)
    rng = np.random.default_rng(0)
    a, b, x = (rng.integers(-3, 4, shape) for shape in ((64, 512), (512, 64), (64,)))
    (tmp_path / "plan.json").write_text(json.dumps(to_json({name: plan})))
    artifact = roller_mlir.compile(HALVES, target=target, plan_file=tmp_path / "plan.json", binaries=False)
    assert len(artifact.kernels) == (1 if joined else 2)
    halves = a.astype(np.float16), b.astype(np.float16), x.astype(np.float32)
    (result,) = artifact.run(*halves, on="sim", sanitize=True)
    np.testing.assert_array_equal(result, (a @ b + x).astype(np.float16))


@pytest.mark.parametrize("target", DEVICES)
def test_the_best_plan_of_deep_sums_divides_them(target: str) -> None:
    """Few results of a long sum, and what is added to them, are one kernel; in a persistent one tasks join parts."""
    case = CASES["bias"]
    text = case.text.replace("1000", "8192")
    (kernel,) = roller_mlir.compile(text, target=target, binaries=False).kernels
    assert kernel.plan.part is not None and kernel.plan.part.joined
    whole = roller_mlir.compile(text, target=target, binaries=False, split=False)
    assert kernel.plan.prediction.seconds < whole.kernels[0].plan.prediction.seconds
    one = roller_mlir.compile(text, target=target, binaries=False, persistent=True)
    rng = np.random.default_rng(1)
    inputs = [rng.integers(-3, 4, shape).astype(np.float32) for shape in ((16, 8192), (8192, 24), (24,))]
    (found,) = one.run(*inputs, on="sim", sanitize=True)
    np.testing.assert_array_equal(found, case.reference(*inputs))


TURNED = product(
    "",
    "%r = " + walk(f"{MN}; (m, n) -> (n, m)", "pp", f"%c: {T}", "%e1: tensor<24x16xf32>", HALF),
    "tensor<24x16xf32>",
    zeros("16x24") + "\n  " + zeros("24x16", 1),
)


def test_what_leaves_otherwise_than_it_was_made_is_not_divided(tmp_path: Path) -> None:
    case = Case(TURNED, (2, 4, 256), FACTORS, lambda a, b: (a @ b).T / 2)
    ((name, (_, divisible)),) = dispatches(Source("-", TURNED), "h200").items()
    assert not divisible
    check(case, roller_mlir.compile(TURNED, target="h200", binaries=False), "h200")
    _, plan = plan_of(CASES["bias"], "h200", joined=True)
    with pytest.raises(DiagnosedError, match="has a plan that divides the reduction of ops which cannot be two"):
        compiled(case, tmp_path, "h200", {name: plan})
