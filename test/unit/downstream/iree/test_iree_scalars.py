# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of tensors that bodies take from outside are read in the bodies, and no operation is IREE's for them."""

from pathlib import Path

import numpy as np
import pytest
from iree_modules import NEEDS_IREE, compile_module, run_module

from roller_mlir.downstream.iree.scalars import sink_scalars
from roller_mlir.support.bindings import ir, make_context

pytestmark = NEEDS_IREE
ROWS = "#rows = affine_map<(i, j) -> (i, j)>\n"
GENERIC = (
    'linalg.generic {{indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}} '
    "ins({0} : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {{\n  ^bb0(%a: f32, %o: f32):\n{1}\n"
    "    linalg.yield %r : f32\n  }} -> tensor<4x8xf32>\n"
)
PROGRAM = (
    f"{ROWS}func.func @chosen(%x: tensor<4x8xf32>, %t: tensor<f32>) -> tensor<4x8xf32> {{\n"
    "  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : tensor<4x8xf32>\n"
    "  %i = tensor.empty() : tensor<i1>\n"
    "  %p = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} "
    "ins(%t : tensor<f32>) outs(%i : tensor<i1>) {\n  ^bb0(%a: f32, %o: i1):\n"
    "    %r = arith.cmpf ogt, %a, %zero : f32\n    linalg.yield %r : i1\n  } -> tensor<i1>\n"
    "  %s = tensor.extract %p[] : tensor<i1>\n  %u = tensor.extract %t[] : tensor<f32>\n  %y = "
    + GENERIC.format("%x", "    %b = arith.select %s, %a, %u : f32\n    %r = arith.select %s, %b, %zero : f32")
    + "  %z = "
    + GENERIC.format("%y", "    %b = arith.mulf %a, %u : f32\n    %r = arith.select %s, %b, %a : f32")
    + "  return %z : tensor<4x8xf32>\n}\n"
)


def test_numbers_are_read_in_the_bodies_that_use_them() -> None:
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(PROGRAM)
        sink_scalars(module)
        assert module.operation.verify()
        (function,) = module.body.operations
        names = [op.operation.name for op in function.body.blocks[0].operations]
        assert "tensor.extract" not in names and str(module).count("tensor.extract") == 4


def test_a_number_that_others_use_too_stays() -> None:
    text = PROGRAM.replace("-> tensor<4x8xf32> {\n  %zero", "-> (tensor<4x8xf32>, i1) {\n  %zero", 1)
    text = text.replace("return %z : tensor<4x8xf32>", "return %z, %s : tensor<4x8xf32>, i1")
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        sink_scalars(module)
        assert module.operation.verify() and str(module).count("tensor.extract") == 5


@pytest.mark.full
@pytest.mark.parametrize("mode", ["graph", pytest.param("dispatch", marks=pytest.mark.full)])
def test_a_choice_by_a_number_of_a_tensor_is_ours(tmp_path: Path, mode: str) -> None:
    (tmp_path / "model.mlir").write_text(PROGRAM)
    report = compile_module(tmp_path, tmp_path / "model.mlir", "h200", "--mode", mode)
    assert report["share"] == 1, report["lines"]
    x = np.random.default_rng(0).integers(1, 9, (4, 8)).astype(np.float32)
    for number in (2.0, -1.0):
        found = run_module(tmp_path, "chosen", "h200", [x, np.asarray(number, np.float32)])
        np.testing.assert_array_equal(found, x * number if number > 0 else np.zeros_like(x))
