# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one body, evaluated by the reference and run in the simulator."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import Evaluation, evaluate_function
from roller_mlir.evaluation.reference.undefined import looking_for_undefined
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

Array = np.ndarray[Any, Any]


def body_function(body: str, ins: Sequence[str], outs: Sequence[str], extent: int) -> str:
    """Return an element-wise function @f; its body reads %x0, %x1, ... and gives %r0, %r1, ..."""

    def listed(kinds: Sequence[str]) -> str:
        return ", ".join(f"tensor<{extent}x{kind}>" for kind in kinds)

    arguments = ", ".join(f"%a{i}: tensor<{extent}x{kind}>" for i, kind in enumerate(ins))
    empties = "\n".join(f"  %e{i} = tensor.empty() : tensor<{extent}x{kind}>" for i, kind in enumerate(outs))
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(ins) + len(outs)))
    block = [f"%x{i}: {kind}" for i, kind in enumerate(ins)] + [f"%o{i}: {kind}" for i, kind in enumerate(outs)]
    names = ", ".join(f"%g#{i}" for i in range(len(outs)))
    return f"""func.func @f({arguments}) -> ({listed(outs)}) {{
{empties}
  %g:{len(outs)} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({", ".join(f"%a{i}" for i in range(len(ins)))} : {listed(ins)})
      outs({", ".join(f"%e{i}" for i in range(len(outs)))} : {listed(outs)}) {{
  ^bb0({", ".join(block)}):
{body}
    linalg.yield {", ".join(f"%r{i}" for i in range(len(outs)))} : {", ".join(outs)}
  }} -> ({listed(outs)})
  return {names} : {listed(outs)}
}}"""


def evaluate(text: str, *inputs: Array) -> Evaluation:
    """Evaluate @f, which must be defined everywhere."""
    with make_context() as context, looking_for_undefined() as log:
        found = evaluate_function(parse_module(text, context), "f", inputs)
    assert not log.findings()
    return found


def assert_kernels_agree(text: str, *inputs: Array, device: str = "h200") -> Evaluation:
    """Fail unless kernels in the simulator give the very bits of the reference; NaN is NaN."""
    expected = evaluate(text, *inputs)
    outputs = roller_mlir.compile(text, target=device, options=CompileOptions(binaries=False)).run(*inputs)
    for number, (got, want) in enumerate(zip(outputs, expected.outputs, strict=True)):
        np.testing.assert_array_equal(got, want, err_msg=f"result {number}")
        if got.dtype.kind == "f":
            number_there = ~np.isnan(want)
            np.testing.assert_array_equal(np.signbit(got)[number_there], np.signbit(want)[number_there])
    return expected


def corners() -> dict[str, Array]:
    """Return numbers at the ends of each integer type and around 0, and some between."""
    found: dict[str, Array] = {"i1": np.array([False, True])}
    for bits in (8, 16, 32, 64):
        kind = np.dtype(f"int{bits}")
        least, most = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
        found[f"i{bits}"] = np.array([least, least + 1, -100, -7, -2, -1, 0, 1, 2, 3, 64, 100, most - 1, most], kind)
    return found
