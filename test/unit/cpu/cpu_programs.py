# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that this machine runs, beside numpy."""

import subprocess
import sys
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.reference import compare_all, evaluate_function, random_inputs
from roller_mlir.hal import DeviceError, find_device
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.cpu.features import missing_feature
from roller_mlir.support.bindings import make_context


@cache
def targets() -> tuple[str, ...]:
    """Return the devices whose code this machine runs: itself, and older ones; none where it is no CPU of ours."""
    try:
        find_device("host")
    except DeviceError:
        return ()
    return ("host", *(name for name in ("haswell",) if not missing_feature(find_device(name).architecture)))


def product(rows: int, columns: int, depth: int, element: str = "f32") -> str:
    """Return the text of a product."""
    a, b, c = (f"tensor<{m}x{n}x{element}>" for m, n in ((rows, depth), (depth, columns), (rows, columns)))
    return f"""func.func @product(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant {0 if element[0] == "i" else 0.0} : {element}
  %empty = tensor.empty() : {c}
  %init = linalg.fill ins(%zero : {element}) outs(%empty : {c}) -> {c}
  %c = linalg.matmul ins(%a, %b : {a}, {b}) outs(%init : {c}) -> {c}
  return %c : {c}
}}"""


def depthwise(image: int, window: int, stride: int, pad: int, channels: int, *, first: bool = False) -> str:
    """Return the text of a depthwise convolution of a padded image, channels last, or first."""
    size = (image + 2 * pad - window) // stride + 1

    def tensor(side: int, *batch: str) -> str:
        inside = [channels, side, side] if first else [side, side, channels]
        return f"tensor<{'x'.join([*batch, *map(str, inside)])}xf32>"

    x, p, f, y = tensor(image, "1"), tensor(image + 2 * pad, "1"), tensor(window), tensor(size, "1")
    border, name = (f"0, 0, {pad}, {pad}", "nchw_chw") if first else (f"0, {pad}, {pad}, 0", "nhwc_hwc")
    return f"""func.func @main(%x: {x}, %f: {f}) -> {y} {{
      %zero = arith.constant 0.0 : f32
      %p = tensor.pad %x low[{border}] high[{border}] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %zero : f32
      }} : {x} to {p}
      %e = tensor.empty() : {y}
      %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.depthwise_conv_2d_{name} {{dilations = dense<1> : tensor<2xi64>,
          strides = dense<{stride}> : tensor<2xi64>}} ins(%p, %f : {p}, {f}) outs(%i : {y}) -> {y}
      return %r : {y}
    }}"""


def compiled(text: str, target: str = "host", **options: object) -> Artifact:
    """Return the artifact of a text: the same one as before for the same options, but where a file says more."""
    return (_compiled.__wrapped__ if "plan_file" in options else _compiled)(text, target, **options)


@lru_cache(maxsize=16)
def _compiled(text: str, target: str, **options: object) -> Artifact:
    return roller_mlir.compile(text, target=target, options=CompileOptions(**options))  # pyrefly: ignore


def differences(text: str, artifact: Artifact, seed: int = 0, values: str = "integers", **options: object) -> list[str]:
    """Run an artifact on this machine; return how its results differ from the reference's."""
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], seed, values)
    before = [array.copy() for array in inputs]
    outputs = artifact.run(*inputs, on="cpu", **options)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(before, inputs, strict=True))
    with make_context() as context:
        module = parse_source(Source("-", text), context)
        expected = evaluate_function(module, manifest.function, inputs, accumulation_of(manifest))
        return [str(one) for one in compare_all(outputs, expected) if not one.matches]


def said_by(script: str, folder: Path) -> tuple[int, str, str]:
    """Return how a Python process ends that runs a script in a folder, and what it prints."""
    command = [sys.executable, "-W", "ignore", "-c", script]  # Python 3.12 warns of forks beside threads
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr
