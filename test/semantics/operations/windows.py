# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one windowed linalg op, its input padded or not, and what numpy makes of the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..programs import tensor

Pads = Sequence[tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Window:
    """A named op whose input slides under a window.

    Attributes:
        op: Name of the linalg op.
        image: Shape of the input.
        window: Shape of the second operand; a shape only where `reads` is False.
        spatial: Dimensions of the input that slide.
        kernel: Dimensions of the second operand that say how large the window is.
        einsum: What numpy computes from the windowed input (its spatial dimensions, then the window's) and the second
            operand; "" for a reduction over the window's dimensions.
        reduce: How that reduction is made.
        start: What the output starts from.
    """

    op: str
    image: tuple[int, ...]
    window: tuple[int, ...]
    spatial: tuple[int, ...]
    kernel: tuple[int, ...]
    einsum: str = ""
    reduce: Callable[..., np.ndarray] = np.sum
    start: float = 0.0

    def text(self, strides: Sequence[int], dilations: Sequence[int], pads: Pads, result: Sequence[int]) -> str:
        """Return the function; pads are (before, behind) per sliding dimension."""
        source, second, out = tensor(self.image), tensor(self.window), tensor(result)
        around = dict(zip(self.spatial, pads, strict=True))
        low, high = ([around.get(d, (0, 0))[side] for d in range(len(self.image))] for side in (0, 1))
        padded = tensor([a + n + b for a, n, b in zip(low, self.image, high, strict=True)])
        literal = "0xFF800000" if self.start == -np.inf else "0x7F800000" if self.start == np.inf else f"{self.start}"
        indices = ", ".join(f"%i{d}: index" for d in range(len(self.image)))
        pad = f"""%x = tensor.pad %image low{low} high{high} {{
  ^bb0({indices}):
    tensor.yield %start : f32
  }} : {source} to {padded}"""
        given = f"%window: {second}" if self.einsum else ""
        kind = (
            "{"
            + ", ".join(
                f"{name} = dense<{list(values)}> : tensor<{len(values)}xi64>"
                for name, values in (("strides", strides), ("dilations", dilations))
            )
            + "}"
        )
        return f"""func.func @f(%image: {source}{", " if given else ""}{given}) -> {out} {{
  %start = arith.constant {literal} : f32
  {pad if any(map(any, pads)) else ""}
  {"" if given else f"%window = tensor.empty() : {second}"}
  %e = tensor.empty() : {out}
  %i = linalg.fill ins(%start : f32) outs(%e : {out}) -> {out}
  %r = {self.op} {kind} ins({"%x" if any(map(any, pads)) else "%image"}, %window : {padded}, {second})
      outs(%i : {out}) -> {out}
  return %r : {out}
}}
"""

    def reference(
        self, image: np.ndarray, window: np.ndarray, strides: Sequence[int], dilations: Sequence[int], pads: Pads
    ) -> np.ndarray:
        """Return what the op gives."""
        around = dict(zip(self.spatial, pads, strict=True))
        x = np.pad(image, [around.get(d, (0, 0)) for d in range(image.ndim)], constant_values=self.start)
        for dimension, size, stride, dilation in zip(
            self.spatial, [self.window[d] for d in self.kernel], strides, dilations, strict=True
        ):
            count = (x.shape[dimension] - (size - 1) * dilation - 1) // stride + 1
            at = np.arange(count)[:, None] * stride + np.arange(size)[None, :] * dilation
            x = np.moveaxis(np.take(x, at, axis=dimension), dimension + 1, -1)
        if self.einsum:
            return np.einsum(self.einsum, x, window)
        return self.reduce(x, axis=tuple(range(image.ndim, x.ndim)))


def convolution(layout: str, image: Sequence[int], window: Sequence[int], einsum: str) -> Window:
    """Return a convolution; spatial dimensions are the h and w of the layout "nchw_fchw"."""
    of_image, of_window = layout.split("_")[-2:]
    at = of_window.replace("kh", "h")
    return Window(
        op=f"linalg.{layout}",
        image=tuple(image),
        window=tuple(window),
        spatial=tuple(of_image.index(d) for d in "hw"),
        kernel=tuple(at.index(d) for d in "hw"),
        einsum=einsum,
    )


def pooling(layout: str, kind: str, image: Sequence[int], window: Sequence[int]) -> Window:
    """Return a pooling of kind "max", "min" or "sum"."""
    reduce, start = {"max": (np.max, -np.inf), "min": (np.min, np.inf), "sum": (np.sum, 0.0)}[kind]
    return Window(
        op=f"linalg.pooling_{layout}_{kind}",
        image=tuple(image),
        window=tuple(window),
        spatial=tuple(layout.index(d) for d in "hw"),
        kernel=(0, 1),
        reduce=reduce,
        start=start,
    )


# In the einsums u and v are the window's dimensions, which stand behind those of the image.
WINDOWS = {
    "conv nchw": convolution("conv_2d_nchw_fchw", (2, 5, 9, 11), (6, 5, 3, 3), "nchwuv,fcuv->nfhw"),
    "conv nhwc": convolution("conv_2d_nhwc_hwcf", (2, 9, 11, 5), (3, 3, 5, 6), "nhwcuv,uvcf->nhwf"),
    "conv nhwc fhwc": convolution("conv_2d_nhwc_fhwc", (1, 9, 11, 4), (8, 3, 3, 4), "nhwcuv,fuvc->nhwf"),
    "conv 1x1 nchw": convolution("conv_2d_nchw_fchw", (2, 5, 9, 11), (6, 5, 1, 1), "nchwuv,fcuv->nfhw"),
    "conv 1x1 nhwc": convolution("conv_2d_nhwc_hwcf", (2, 9, 11, 5), (1, 1, 5, 6), "nhwcuv,uvcf->nhwf"),
    "grouped conv nchw": convolution("conv_2d_ngchw_gfchw", (2, 3, 4, 9, 8), (3, 5, 4, 3, 3), "ngchwuv,gfcuv->ngfhw"),
    "grouped conv nhwc": convolution("conv_2d_nhwgc_gfhwc", (2, 9, 8, 3, 4), (3, 5, 3, 3, 4), "nhwgcuv,gfuvc->nhwgf"),
    "depthwise conv nchw": convolution("depthwise_conv_2d_nchw_chw", (2, 6, 9, 11), (6, 3, 3), "nchwuv,cuv->nchw"),
    "depthwise conv nhwc": convolution("depthwise_conv_2d_nhwc_hwc", (2, 9, 11, 6), (3, 3, 6), "nhwcuv,uvc->nhwc"),
    "depthwise conv nhwc with multiplier": convolution(
        "depthwise_conv_2d_nhwc_hwcm", (1, 9, 11, 6), (3, 3, 6, 2), "nhwcuv,uvcm->nhwcm"
    ),
    "pooling of whole images": pooling("nchw", "max", (2, 6, 9, 11), (9, 11)),
    "max pooling nchw": pooling("nchw", "max", (2, 6, 9, 11), (3, 3)),
    "max pooling nhwc": pooling("nhwc", "max", (2, 9, 11, 6), (3, 3)),
    "min pooling nhwc": pooling("nhwc", "min", (2, 9, 11, 6), (3, 3)),
    "sum pooling nchw": pooling("nchw", "sum", (2, 6, 9, 11), (3, 3)),
    "sum pooling nhwc": pooling("nhwc", "sum", (2, 9, 11, 6), (3, 3)),
}
