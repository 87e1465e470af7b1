# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions as linalg text: inputs are computed with in the wide type, and results rounded."""

from dataclasses import dataclass

from roller_mlir.evaluation.suites.element_types import combine, tensor
from roller_mlir.evaluation.suites.vendor_times.linalg_text import (
    WidenedArguments,
    function,
    loops,
    maps,
    zeros,
)
from roller_mlir.plan.accuracy.accumulation import SUMS


def product(m: int, n: int, k: int, dtype: str, result: str, *, turned: tuple[bool, bool] = (False, False)) -> str:
    """Return C (MxN) = A (MxK) B (KxN), all row-major; an operand that is `turned` lies in memory as its transpose."""
    wide = SUMS[dtype]
    first, second = (k, m) if turned[0] else (m, k), (n, k) if turned[1] else (k, n)
    indices = maps(3, ["(d2, d0)" if turned[0] else "(d0, d2)", "(d1, d2)" if turned[1] else "(d2, d1)", "(d0, d1)"])
    body = WidenedArguments()
    x, y = body.wide("%x", dtype), body.wide("%y", dtype)
    lines = [
        *zeros((m, n), wide),
        f"%sums = linalg.generic {{indexing_maps = {indices}, iterator_types = {loops('ppr')}}}",
        f"    ins(%a, %b : {tensor(first, dtype)}, {tensor(second, dtype)}) outs(%init : {tensor((m, n), wide)}) {{",
        f"^bb0(%x: {dtype}, %y: {dtype}, %sum: {wide}):",
        *body.lines,
        f"  %p = {combine('product', wide)} {x}, {y} : {wide}",
        f"  %s = {combine('sum', wide)} %sum, %p : {wide}",
        f"  linalg.yield %s : {wide}",
        f"}} -> {tensor((m, n), wide)}",
    ]
    return function([("%a", first, dtype), ("%b", second, dtype)], lines, "%sums", (m, n), wide, result)


@dataclass(frozen=True)
class Convolution:
    """A convolution of NCHW images with FCHW filters; padding is that of each side of an axis.

    Attributes:
        n: Images.
        c: Channels.
        h: Rows of an image.
        w: Columns.
        f: Filters.
        kh: Rows of a filter.
        kw: Columns.
        pad_h: Rows of zeros above an image, and below.
        pad_w: Columns of zeros left of it, and right.
        stride_h: Stride along the rows.
        stride_w: Along the columns.
    """

    n: int
    c: int
    h: int
    w: int
    f: int
    kh: int
    kw: int
    pad_h: int
    pad_w: int
    stride_h: int
    stride_w: int

    @property
    def outputs(self) -> tuple[int, int]:
        """Rows and columns of the output, below 1 where no window fits."""
        rows = (self.h + 2 * self.pad_h - self.kh) // self.stride_h + 1
        return rows, (self.w + 2 * self.pad_w - self.kw) // self.stride_w + 1

    def text(self, dtype: str, result: str) -> str:
        """Return it as linalg."""
        wide = SUMS[dtype]
        image, filters = (self.n, self.c, self.h, self.w), (self.f, self.c, self.kh, self.kw)
        padded = (self.n, self.c, self.h + 2 * self.pad_h, self.w + 2 * self.pad_w)
        shape = (self.n, self.f, *self.outputs)
        lines, value = list[str](), "%a"
        if padded != image:
            border, value = f"[0, 0, {self.pad_h}, {self.pad_w}]", "%padded"
            lines = [
                f"%nothing = arith.constant 0.0 : {dtype}",
                f"%padded = tensor.pad %a low{border} high{border} {{",
                "^bb0(%i0: index, %i1: index, %i2: index, %i3: index):",
                f"  tensor.yield %nothing : {dtype}",
                f"}} : {tensor(image, dtype)} to {tensor(padded, dtype)}",
            ]
        strides = f"dense<[{self.stride_h}, {self.stride_w}]> : tensor<2xi64>"
        lines += [
            *zeros(shape, wide),
            f"%sums = linalg.conv_2d_nchw_fchw {{strides = {strides}, dilations = dense<1> : tensor<2xi64>}}",
            f"    ins({value}, %b : {tensor(padded, dtype)}, {tensor(filters, dtype)})",
            f"    outs(%init : {tensor(shape, wide)}) -> {tensor(shape, wide)}",
        ]
        return function([("%a", image, dtype), ("%b", filters, dtype)], lines, "%sums", shape, wide, result)
