# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX of kernels that make their tensor maps themselves: what assembles it, and that the gate reads what it makes."""

import re

import pytest

from roller_mlir import compiler
from roller_mlir.lowering.backend.checks.hopper.codegen import hopper_mismatches
from roller_mlir.runtime import Artifact

SOURCE = """
func.func @main(%a: tensor<128x128xf16>, %b: tensor<128x192xf16>) -> tensor<128x192xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<128x192xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<128x192xf16>) -> tensor<128x192xf16>
  %r = linalg.matmul ins(%a, %b : tensor<128x128xf16>, tensor<128x192xf16>) outs(%f : tensor<128x192xf16>)
    -> tensor<128x192xf16>
  return %r : tensor<128x192xf16>
}
"""


def built(maps: str) -> Artifact:
    options = compiler.CompileOptions(instructions=("wgmma",), tensor_maps=maps, cache=False)
    return compiler.compile(SOURCE, "h200", options)


@pytest.fixture(scope="module")
def made() -> Artifact:
    return built("device")


def ptx_of(artifact: Artifact) -> str:
    (kernel,) = artifact.kernels
    return artifact.files[kernel.files["ptx"]].decode()


def test_the_kernel_assembles_without_spills_and_the_gate_has_nothing_to_say(made):
    (kernel,) = made.kernels
    (given,) = built("host").kernels
    assert kernel.statistics.spill_bytes == 0
    assert kernel.statistics.registers == given.statistics.registers
    assert not kernel.notes and not given.notes


def test_only_such_kernels_need_a_later_version_of_ptx(made):
    assert re.search(r"^\.version 8\.6$", ptx_of(made), re.MULTILINE)
    assert re.search(r"^\.version 8\.0$", ptx_of(built("host")), re.MULTILINE)


ACQUIRE = r"[^\n]*fence\.proxy\.tensormap::generic\.acquire[^\n]*\n"
MISTAKES = {
    "swizzle": (r"(swizzle_mode[^\n]*), 3;", r"\1, 2;", "is made with swizzle_mode = 2, its description has 3"),
    "element": (r"(elemtype[^\n]*), 6;", r"\1, 9;", "tensor map 0 (argument 0) is made with elemtype = 9"),
    "dimension": (r"(box_dim[^\n]*), 1, ", r"\1, 2, ", "tensor map 0 (argument 0) is made without box_dim 1"),
    "field": (r"[^\n]*fill_mode[^\n]*\n", "", "tensor map 0 (argument 0) is made without fill_mode"),
    "acquire": (ACQUIRE, "", "tensor map 0 is used by a thread that did not acquire it"),
    "copy": (r"[^\n]*tensormap\.cp_fenceproxy[^\n]*\n", "", "tensor map 0 (argument 0) is not made"),
}


@pytest.mark.parametrize(("pattern", "new", "message"), MISTAKES.values(), ids=MISTAKES)
def test_the_gate_names_what_is_made_otherwise(made, pattern, new, message):
    text, maps = ptx_of(made), made.kernels[0].made_maps
    assert not hopper_mismatches(text, (), None, maps)
    edited = re.sub(pattern, new, text, count=1)
    assert edited != text
    found = hopper_mismatches(edited, (), None, maps)
    assert any(message in one.message for one in found), found
    assert {one.kind for one in found} == {"tensor_map"}
