# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions by wgmma: boxes of the image with element strides, taps that walk the origin, padding by the fill.

The plans are chosen here: a warpgroup's 64 rows are 16 columns of 4 lines of the image.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from roller_mlir import compiler
from roller_mlir.dialects import rtile
from roller_mlir.lowering.targets.family import passes_to
from roller_mlir.lowering.targets.stage import KERNELS
from roller_mlir.plan import AxisPlan, OperandPlan, Plan
from roller_mlir.plan.plan import AtomPlan
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.pipeline import run_pipeline


@dataclass(frozen=True)
class Convolution:
    """An image of n x h x w x c, filters of kh x kw x c x f, and the blocks of filters and lines."""

    image: tuple[int, int, int, int]
    filters: int
    window: tuple[int, int] = (3, 3)
    stride: int = 1
    dilation: int = 1
    padding: int = 0
    lines: int = 4
    block: int = 64
    persistent: bool = False
    store: str = "synchronous"

    @property
    def out(self) -> list[int]:
        reach = [(k - 1) * self.dilation for k in self.window]
        return [(e + 2 * self.padding - r - 1) // self.stride + 1 for e, r in zip(self.image[1:3], reach, strict=True)]

    @property
    def result(self) -> str:
        return "f16" if self.store == "tensor" else "f32"

    def text(self) -> str:
        n, h, w, c = self.image
        kh, kw = self.window
        oh, ow = self.out
        p, r = self.padding, self.result
        source, pad, wide = "%x", "", f"tensor<{n}x{h + 2 * p}x{w + 2 * p}x{c}xf16>"
        x, k = f"tensor<{n}x{h}x{w}x{c}xf16>", f"tensor<{kh}x{kw}x{c}x{self.filters}xf16>"
        y = f"tensor<{n}x{oh}x{ow}x{self.filters}x{r}>"
        if p:
            source = "%padded"
            pad = f"""%zero = arith.constant 0.0 : f16
  %padded = tensor.pad %x low[0, {p}, {p}, 0] high[0, {p}, {p}, 0] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  }} : {x} to {wide}"""
        return f"""func.func @main(%x: {x}, %w: {k}) -> {y} {{
  {pad}
  %z = arith.constant 0.0 : {r}
  %e = tensor.empty() : {y}
  %f = linalg.fill ins(%z : {r}) outs(%e : {y}) -> {y}
  %y = linalg.conv_2d_nhwc_hwcf {{dilations = dense<{self.dilation}> : tensor<2xi64>,
    strides = dense<{self.stride}> : tensor<2xi64>}} ins({source}, %w : {wide}, {k}) outs(%f : {y}) -> {y}
  return %y : {y}
}}"""

    def plan(self) -> Plan:
        """Loops: image, line, column, filter, and the reduction's three."""
        axes = (
            AxisPlan(block=1),
            AxisPlan(block=self.lines, threads=4 * (1 + self.lines // 8)),
            AxisPlan(block=16, threads=8, lanes=8, tile=16),
            AxisPlan(block=self.block, threads=4, chunk=2, lanes=4, tile=64),
            AxisPlan(block=1),
            AxisPlan(block=1),
            AxisPlan(block=64),
        )
        copied = OperandPlan(
            layer="workgroup", order=(0, 1, 2, 3), pad_value=0.0, swizzle="tma128", copy="tensor", vector=8
        )
        return Plan(
            device="h200",
            instruction="wgmma",
            axes=axes,
            thread_order=(1, 2, 3),
            lane=3,
            unit_order=(0, 1, 2, 3),
            reduction_order=(4, 5, 6),
            operands=(copied, copied),
            stages=3,
            unroll=64,
            atom=AtomPlan(shape=(64, 64, 16), row=2, column=3, depth=6, lane_order=(3, 2)),
            persistent=self.persistent,
            store=self.store,
        )

    def planned(self) -> str:
        """The module with a program of this plan."""
        with make_context() as context, ir.Location.unknown():
            module = parse_module(self.text(), context)
            steps = passes_to(KERNELS, {"device": "h200"})
            until = [getattr(step, "name", "") for step in steps].index("rtile-construct")
            run_pipeline(module, steps[: until + 1])
            (function,) = module.body.operations
            for op in function.operation.regions[0].blocks[0].operations:
                if op.operation.name == "rtile.program":
                    op.operation.attributes["plan"] = rtile.PlanAttr.of(self.plan())
            return str(module)


CASES = {
    "plain": Convolution((2, 10, 18, 64), 64),
    "edges": Convolution((1, 9, 21, 64), 72),
    "stride 2": Convolution((1, 17, 17, 64), 64, stride=2, lines=8),
    "dilation 2": Convolution((1, 12, 20, 64), 64, dilation=2),
    "channels that are no whole lines": Convolution((1, 8, 18, 72), 64),
    "padding": Convolution((1, 7, 7, 64), 64, padding=1, lines=8),
    "stored by copies": Convolution((1, 9, 21, 64), 72, store="tensor", padding=1),
}


@pytest.mark.full(every=7)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_equals_numpy(case):
    artifact = compiler.compile(case.planned(), "h200", compiler.CompileOptions(binaries=False))
    (kernel,) = artifact.kernels
    assert kernel.tensor_maps[0].steps[-3:] == (case.stride, case.stride, 1)
    generator = np.random.default_rng(3)
    x = generator.integers(-2, 3, case.image)
    w = generator.integers(-2, 3, (*case.window, case.image[3], case.filters))
    p, (oh, ow) = case.padding, case.out
    wide = np.pad(x, ((0, 0), (p, p), (p, p), (0, 0)))
    expected = np.zeros((case.image[0], oh, ow, case.filters))
    for i in range(case.window[0]):
        for j in range(case.window[1]):
            a, b, s = i * case.dilation, j * case.dilation, case.stride
            expected += wide[:, a : a + (oh - 1) * s + 1 : s, b : b + (ow - 1) * s + 1 : s] @ w[i, j]
    (found,) = artifact.run(x.astype(np.float16), w.astype(np.float16), sanitize=True)
    np.testing.assert_array_equal(found.astype(np.float64), expected)
