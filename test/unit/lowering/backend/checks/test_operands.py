# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands that hardware does not take are found in kernels, whoever wrote them: one mistake in each kernel."""

import re
from collections.abc import Callable
from functools import cache

import pytest

from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.lowering.targets import compile_kernels
from roller_mlir.lowering.targets.stage import KERNELS
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

PRODUCT = """
func.func @f(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>)
      outs(%init : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
"""
SUM = """
func.func @f(%a: tensor<64x4096xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<64x4096xf32>) outs(%init : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}
"""


@cache
def kernel(text: str, device: str, families: tuple[str, ...] = ()) -> str:
    wanted = CompileOptions(binaries=False, instructions=families) if families else CompileOptions(binaries=False)
    return lower_until(Source("-", text), device, wanted, KERNELS)[0]


def backend(text: str, device: str) -> None:
    with make_context() as context:
        compile_kernels(parse_module(text, context), device, emit="llvm")


def registers(action: str, count: int) -> Callable[[str], str]:
    return lambda text: re.sub(rf"setmaxregister {action} \d+", f"setmaxregister {action} {count}", text)


def wider_shuffles(text: str) -> str:
    return re.sub(r"arith\.constant 32 : i32", "arith.constant 33 : i32", text)


def backwards(text: str) -> str:
    return re.sub(r"leadDimension = (\d+)", r"leadDimension = -\1", text)


def narrower(text: str) -> str:
    return re.sub(r"leadDimension = \d+", "leadDimension = 20", text)


def odd_rows(text: str) -> str:
    return re.sub(r"x(32|64)xf16, #gpu", r"x\g<1>4xf16, #gpu", text)


WGMMA, WMMA, REDUCTION = (PRODUCT, "h200", ("wgmma",)), (PRODUCT, "v100", ("wmma",)), (SUM, "h200")
MUTANTS = {
    "fewer registers for those who compute": (WGMMA, registers("increase", 24), "increases registers to 24 a thread"),
    "more registers than there are": (WGMMA, registers("increase", 256), "registers a lane of"),
    "more registers for those who copy": (WGMMA, registers("decrease", 248), "decreases registers to 248 a thread"),
    "matrices backwards": (WMMA, backwards, "B apart; the distance is positive"),
    "matrices at odd distances": (WMMA, narrower, "has rows 40 B apart"),
    "rows of matrices at odd distances": ((PRODUCT, "a100"), odd_rows, "reads rows .* B apart, which must begin"),
    "a shuffle of 33 lanes": (REDUCTION, wider_shuffles, "'gpu.shuffle' has width 33"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name: str) -> None:
    origin, mutate, message = MUTANTS[name]
    text = kernel(*origin)
    mutant = mutate(text)
    assert mutant != text
    backend(text, origin[1])
    with pytest.raises(DiagnosedError, match=message):
        backend(mutant, origin[1])
