# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The named ops of linalg, each with small shapes of its inputs and, last, of its result."""

OPS = {
    "matvec": "5x7 7 5",
    "vecmat": "7 7x5 5",
    "dot": "9 9 scalar",
    "batch_matvec": "2x5x7 2x7 2x5",
    "batch_vecmat": "2x7 2x7x5 2x5",
    "batch_matmul": "2x5x7 2x7x3 2x5x3",
    "batch_reduce_matmul": "2x5x7 2x7x3 5x3",
    "mmt4d": "2x3x4x5 6x3x8x5 2x6x4x8",
    "batch_mmt4d": "2x2x3x4x5 2x6x3x8x5 2x2x6x4x8",
    "conv_1d": "20 3 18",
    "conv_2d": "9x8 3x2 7x7",
    "conv_3d": "6x7x8 2x3x2 5x5x7",
    "conv_1d_nwc_wcf": "2x11x3 3x3x5 2x9x5",
    "conv_1d_ncw_fcw": "2x3x11 5x3x3 2x5x9",
    "conv_2d_nhwc_hwcf": "2x9x8x3 3x2x3x5 2x7x7x5",
    "conv_2d_nhwc_fhwc": "2x9x8x3 5x3x2x3 2x7x7x5",
    "conv_2d_nchw_fchw": "2x3x9x8 5x3x3x2 2x5x7x7",
    "conv_2d_ngchw_fgchw": "2x2x3x9x8 5x2x3x3x2 2x2x5x7x7",
    "conv_2d_ngchw_gfchw": "2x2x3x9x8 2x5x3x3x2 2x2x5x7x7",
    "conv_2d_nhwgc_gfhwc": "2x9x8x2x3 2x5x3x2x3 2x7x7x2x5",
    "conv_3d_ndhwc_dhwcf": "1x5x6x7x3 2x2x2x3x4 1x4x5x6x4",
    "conv_3d_ncdhw_fcdhw": "1x3x5x6x7 4x3x2x2x2 1x4x4x5x6",
    "depthwise_conv_1d_nwc_wc": "2x11x3 3x3 2x9x3",
    "depthwise_conv_1d_ncw_cw": "2x3x11 3x3 2x3x9",
    "depthwise_conv_1d_nwc_wcm": "2x11x3 3x3x2 2x9x3x2",
    "depthwise_conv_2d_nchw_chw": "2x3x9x8 3x3x2 2x3x7x7",
    "depthwise_conv_2d_nhwc_hwc": "2x9x8x3 3x2x3 2x7x7x3",
    "depthwise_conv_2d_nhwc_hwcm": "2x9x8x3 3x2x3x2 2x7x7x3x2",
    "depthwise_conv_3d_ndhwc_dhwc": "1x5x6x7x3 2x2x2x3 1x4x5x6x3",
    "depthwise_conv_3d_ncdhw_cdhw": "1x3x5x6x7 3x2x2x2 1x3x4x5x6",
    "depthwise_conv_3d_ndhwc_dhwcm": "1x5x6x7x3 2x2x2x3x2 1x4x5x6x3x2",
    "pooling_nchw_max": "2x3x9x8 3x2 2x3x7x7",
    "pooling_nchw_sum": "2x3x9x8 3x2 2x3x7x7",
    "pooling_nhwc_max": "2x9x8x3 3x2 2x7x7x3",
    "pooling_nhwc_min": "2x9x8x3 3x2 2x7x7x3",
    "pooling_nhwc_sum": "2x9x8x3 3x2 2x7x7x3",
    "pooling_ncw_max": "2x3x11 3 2x3x9",
    "pooling_ncw_sum": "2x3x11 3 2x3x9",
    "pooling_nwc_max": "2x11x3 3 2x9x3",
    "pooling_nwc_min": "2x11x3 3 2x9x3",
    "pooling_nwc_sum": "2x11x3 3 2x9x3",
    "pooling_ndhwc_max": "1x5x6x7x3 2x2x2 1x4x5x6x3",
    "pooling_ndhwc_min": "1x5x6x7x3 2x2x2 1x4x5x6x3",
    "pooling_ndhwc_sum": "1x5x6x7x3 2x2x2 1x4x5x6x3",
    "add": "6x5 6x5 6x5",
    "sub": "6x5 6x5 6x5",
    "mul": "6x5 6x5 6x5",
    "div": "6x5 6x5 6x5",
    "max": "6x5 6x5 6x5",
    "min": "6x5 6x5 6x5",
    "abs": "6x5 6x5",
    "exp": "6x5 6x5",
    "log": "6x5 6x5",
    "ceil": "6x5 6x5",
    "floor": "6x5 6x5",
    "round": "6x5 6x5",
    "negf": "6x5 6x5",
    "reciprocal": "6x5 6x5",
    "sqrt": "6x5 6x5",
    "rsqrt": "6x5 6x5",
    "square": "6x5 6x5",
    "tanh": "6x5 6x5",
    "erf": "6x5 6x5",
    "powf": "6x5 6x5 6x5",
}

FLOATS_ONLY = (
    "abs",
    "exp",
    "log",
    "ceil",
    "floor",
    "round",
    "negf",
    "reciprocal",
    "sqrt",
    "rsqrt",
    "square",
    "tanh",
    "erf",
    "powf",
)

ELEMENTWISE = ("add", "sub", "mul", "div", "max", "min", *FLOATS_ONLY)


def named_op(name: str, element: str = "f32", result: str = "") -> str:
    """Return a function of one named op, whose result starts from zero where the op reads it.

    Args:
        name: One of `OPS`.
        element: Element type of its inputs.
        result: That of its result; empty for the same.
    """
    *shapes, shape = OPS[name].split()
    ins, out = [_tensor(one, element) for one in shapes], _tensor(shape, result or element)
    arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(ins))
    names = ", ".join(f"%a{i}" for i in range(len(ins)))
    zero = "0" if out.endswith(("i8>", "i16>", "i32>", "i64>")) else "0.0"
    start = "%e"
    fill = ""
    if name not in ELEMENTWISE:
        scalar = result or element
        fill = f"%z = arith.constant {zero} : {scalar}\n  "
        fill += f"%o = linalg.fill ins(%z : {scalar}) outs(%e : {out}) -> {out}"
        start = "%o"
    return f"""func.func @f({arguments}) -> {out} {{
  %e = tensor.empty() : {out}
  {fill}
  %r = linalg.{name} ins({names} : {", ".join(ins)}) outs({start} : {out}) -> {out}
  return %r : {out}
}}
"""


def _tensor(shape: str, element: str) -> str:
    return f"tensor<{element}>" if shape == "scalar" else f"tensor<{shape}x{element}>"
