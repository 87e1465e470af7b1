# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of one body, compiled for a device: bodies in any type, and the binaries of what they become."""

import roller_mlir.passes  # noqa: F401 - makes them known
from roller_mlir.lowering.backend.job import Emit, KernelBinary
from roller_mlir.lowering.targets import compile_kernels
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.pipeline import run_pipeline

# Operations of the math dialect by their number of operands.
UNARY = (
    "absf", "ceil", "floor", "trunc", "roundeven", "round", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p",
    "sqrt", "rsqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "erf", "erfc",
)  # fmt: skip
BINARY = ("atan2", "powf", "copysign")
FUNCTIONS = (*UNARY, *BINARY, "fma")


def function(name: str, kind: str, flags: str = "") -> str:
    """Return the body of one operation on %x, %y and %z."""
    operands = "%x" if name in UNARY else "%x, %y" if name in BINARY else "%x, %y, %z"
    return f"%r = math.{name} {operands} {flags} : {kind}"


def element_wise(body: str, kind: str, extents: tuple[int, int] = (37, 4)) -> str:
    """Return an element-wise function of three tensors; the body gives %r."""
    shape = f"tensor<{extents[0]}x{extents[1]}x{kind}>"
    same = ", ".join(["affine_map<(a, b) -> (a, b)>"] * 4)
    return f"""func.func @f(%a: {shape}, %b: {shape}, %c: {shape}) -> {shape} {{
  %e = tensor.empty() : {shape}
  %g = linalg.generic {{indexing_maps = [{same}], iterator_types = ["parallel", "parallel"]}}
      ins(%a, %b, %c : {shape}, {shape}, {shape}) outs(%e : {shape}) {{
  ^bb0(%x: {kind}, %y: {kind}, %z: {kind}, %o: {kind}):
    {body}
    linalg.yield %r : {kind}
  }} -> {shape}
  return %g : {shape}
}}"""


def build(text: str, device: str, emit: Emit = "llvm") -> KernelBinary:
    """Compile a function that is one kernel, as far as `emit` says."""
    with make_context() as context, ir.Location.unknown():
        module = parse_module(text, context)
        run_pipeline(module, f"builtin.module(roller-to-sim{{device={device}}})")
        (binary,) = compile_kernels(module, device, emit=emit)
        return binary
