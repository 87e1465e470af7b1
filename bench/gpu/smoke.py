# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small functions that give a kit a kernel of each family of its device, so that what is broken shows at once."""

from dataclasses import replace
from pathlib import Path

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.evaluation.measure.kit.contents import PackRequest, of_example, of_suite
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.hal import Device

SUITE = "smoke"
_STEPS = Operator(
    "strided",
    "generic",
    "f16",
    {"n": 2, "h": 16, "w": 16, "f": 64, "r": 3, "s": 3, "c": 64},
    indices="n(2h+r)(2w+s)c rscf -> nhwf",
)
_TURNED = Operator("turned", "generic", "f16", {"m": 256, "n": 256, "k": 256}, indices="km kn -> mn")
_PRODUCT = Operator("product", "matmul", "f16", {"M": 256, "N": 256, "K": 256})
_DEEP = Operator("deep", "matmul", "f16", {"M": 128, "N": 128, "K": 8192})
_PLAIN = Operator("plain", "matmul", "f32", {"M": 96, "N": 80, "K": 64})
_PLAIN_DEEP = Operator("plain-deep", "matmul", "f32", {"M": 32, "N": 32, "K": 8192})
_ROWS = Operator("rows", "generic", "f16", {"n": 16, "c": 64, "h": 19, "w": 19, "f": 64}, indices="nchw fc -> nfhw")
_POOL = Operator(
    "pool",
    "avg_pool2d",
    "f32",
    {"N": 64, "C": 84, "H": 21, "W": 21, "KH": 3, "KW": 3, "stride": 2, "dilation": 1, "pad_h": 2, "pad_w": 2}
    | {"OH": 11, "OW": 11},
)
_JOINED = Operator("joined", "generic", "f32", {"m": 1, "k": 1 << 20}, indices="mk -> m")


def of_smoke(device: Device, example: Path) -> list[PackRequest]:
    """Return functions of each family: with the best matrix instruction, with the others, and without one.

    Args:
        device: What the kit is for.
        example: The file of `matmul_f16`, whose result is of 16 bits.

    Raises:
        OSError: The example cannot be read.
    """
    fastest = sorted(device.instructions, key=lambda one: -one.flops_per_cycle_per_unit)
    matrix = list(dict.fromkeys(one.family for one in fastest if one.is_matrix and one.operand_type == "f16"))
    found: list[PackRequest] = []
    if matrix:
        best = CompileOptions(instructions=(matrix[0],))
        found += of_suite(SUITE, [_STEPS, _PRODUCT], "", top_k=1, options=best)
        found.append(_renamed(of_example(example), "stored", best))
        found += of_suite(SUITE, [_TURNED], "", top_k=1, options=best)
        found += of_suite(SUITE, [_DEEP], "", top_k=1, options=replace(best, join=False))
    for family in matrix[1:]:
        (one,) = of_suite(SUITE, [_PRODUCT], "", top_k=1)
        found.append(_renamed(one, f"product-{family}", CompileOptions(instructions=(family,))))
    if matrix:
        by_rows = CompileOptions(instructions=(matrix[-1],))
        found += of_suite(SUITE, [_ROWS], "", top_k=1, options=by_rows)
    plain = CompileOptions(instructions=(device.multiply_add.family,))
    found += of_suite(SUITE, [_PLAIN, _JOINED, _POOL], "", top_k=1, options=plain)
    return found + of_suite(SUITE, [_PLAIN_DEEP], "", top_k=1, options=replace(plain, join=False))


def _renamed(one: PackRequest, name: str, options: CompileOptions) -> PackRequest:
    return replace(one, id=f"{SUITE}/{name}", suite=SUITE, options=options, unfused=False)
