# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fast-math flags are those that the input gives, operation by operation; none are added but contraction."""

import re

import pytest
from math_kernels import build, element_wise

FLAGS = ("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc")
_OPERATION = re.compile(rf"(f(?:add|sub|mul|div|neg|cmp)|call)((?: (?:{'|'.join(FLAGS)}))*) [^\n]*")


def flags_in(text: str) -> dict[str, set[str]]:
    """Return the flags of each kind of operation of a kernel, as LLVM IR spells them."""
    found: dict[str, set[str]] = {}
    for operation, flags in _OPERATION.findall(text[text.index("define ") :]):
        found.setdefault(operation, set()).update(flags.split())
    return found


@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("extents", [(37, 3), (32, 64)], ids=["scalars", "vectors"])
def test_only_contraction_where_the_input_says_nothing(device: str, extents: tuple[int, int]) -> None:
    body = """%u = math.exp2 %x : f32
    %d = arith.divf %u, %y : f32
    %p = arith.mulf %d, %z : f32
    %q = arith.subf %p, %x : f32
    %r = arith.addf %q, %y : f32"""
    flags = flags_in(build(element_wise(body, "f32", extents), device).text("llvm"))
    assert flags["fmul"] == flags["fadd"] == flags["fsub"] == {"contract"}
    assert flags["fdiv"] == set()
    assert flags["call"] == set()


@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("extents", [(37, 3), (32, 64)], ids=["scalars", "vectors"])
def test_what_the_input_says_and_nothing_else(device: str, extents: tuple[int, int]) -> None:
    body = """%d = arith.divf %x, %y fastmath<arcp,afn> : f32
    %p = arith.mulf %d, %z fastmath<nnan,nsz> : f32
    %q = arith.subf %p, %x fastmath<reassoc> : f32
    %n = arith.negf %q fastmath<ninf> : f32
    %t = math.trunc %n fastmath<nsz> : f32
    %r = arith.addf %t, %y fastmath<fast> : f32"""
    flags = flags_in(build(element_wise(body, "f32", extents), device).text("llvm"))
    assert flags["fdiv"] == {"arcp", "afn"}
    assert flags["fmul"] == {"nnan", "nsz"}
    assert flags["fsub"] == {"reassoc"}
    assert flags["fneg"] == {"ninf"}
    assert flags["fadd"] == {"fast"}
    assert flags["call"] == {"nsz"}


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_a_flagged_sum_of_products_keeps_its_flags(device: str) -> None:
    matrix = "tensor<64x64xf32>"
    text = f"""func.func @f(%a: {matrix}, %b: {matrix}, %c: {matrix}) -> {matrix} {{
  %g = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : {matrix}, {matrix}) outs(%c : {matrix}) {{
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y fastmath<nnan,contract> : f32
    %s = arith.addf %o, %p fastmath<ninf,contract> : f32
    linalg.yield %s : f32
  }} -> {matrix}
  return %g : {matrix}
}}"""
    binary = build(text, device, "ptx")
    flags = flags_in(binary.text("llvm"))
    assert flags["fmul"] == {"nnan", "contract"}
    assert flags["fadd"] == {"ninf", "contract"}
    output = binary.text("ptx") or binary.text("assembly")
    assert output is not None
    assert re.search(r"fma\.rn\.f32|v_(?:pk_)?fma", output), "contraction makes one instruction of the two"


def test_an_approximation_is_asked_for_by_its_flag() -> None:
    """afn on an operation is what permits NVIDIA's exponential of a few instructions."""
    exact, fast = (
        build(element_wise(f"%r = math.exp %x {flags} : f32", "f32"), "h200").text("llvm")
        for flags in ("", "fastmath<afn>")
    )
    assert "__nv_expf" in exact
    assert "__nv_fast_expf" in fast
