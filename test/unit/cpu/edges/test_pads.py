# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors that lie on padding whole or not at all are loaded from a place that holds the pad, not under a mask."""

import re

import numpy as np
import pytest
from cpu_programs import compiled, depthwise, differences, targets

from roller_mlir.hal import find_device
from roller_mlir.runtime import Artifact


def pooled(pad: str, combine: str, start: str, channels: int, kind: str = "f32") -> str:
    """Return the text of a pooling of 3 x 3 over an image of 9 x 9, channels last, padded by one."""
    x, p, y = (f"tensor<1x{side}x{side}x{channels}x{kind}>" for side in (9, 11, 9))
    return f"""func.func @main(%x: {x}) -> {y} {{
      %pad = arith.constant {pad} : {kind}
      %start = arith.constant {start} : {kind}
      %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %pad : {kind}
      }} : {x} to {p}
      %w = tensor.empty() : tensor<3x3x{kind}>
      %e = tensor.empty() : {y}
      %f = linalg.fill ins(%start : {kind}) outs(%e : {y}) -> {y}
      %r = linalg.pooling_nhwc_{combine} {{dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}}
          ins(%p, %w : {p}, tensor<3x3x{kind}>) outs(%f : {y}) -> {y}
      return %r : {y}
    }}"""


def _tiles(target: str, kind: str = "f32") -> tuple[int, ...]:
    """Return tiles of two pixels, of which some lie at the end of a row, and of a vector of channels."""
    lanes = (find_device(target).vector_bytes or 0) // {"f64": 8}.get(kind, 4)
    return 1, 1, 2, lanes, 3, 3


def loads(artifact: Artifact) -> tuple[int, int]:
    """Return the masked loads in LLVM's IR, and the choices of an address."""
    code = "".join(data.decode() for name, data in artifact.files.items() if name.endswith(".ll"))
    return len(re.findall(r"call <.*@llvm\.masked\.load", code)), len(re.findall(r"select i1 %\d+, ptr ", code))


@pytest.mark.parametrize(("channels", "cut"), [(32, False), (20, True)])
@pytest.mark.parametrize("target", ["haswell", "spr"])
def test_whole_vectors_choose_an_address_and_cut_ones_have_masks(target: str, channels: int, cut: bool) -> None:
    text, lanes = depthwise(image=13, window=5, stride=2, pad=2, channels=channels), 8 if target == "haswell" else 16
    masked, chosen = loads(compiled(text, target, tile_sizes=(1, 1, 3, lanes, 5, 5), binaries=False, llvm=True))
    assert (masked > 0) == cut and (chosen > 0) == (not cut)
    for one in targets():
        assert differences(text, compiled(text, one)) == []


@pytest.mark.parametrize("kind", ["f32", "f64", "bf16"])
@pytest.mark.parametrize(
    ("pad", "combine", "start"),
    [("0.0", "sum", "0.0"), ("1.5", "sum", "0.0"), ("-3.0e+38", "max", "-3.0e+38"), ("0.25", "max", "-1.0e+30")],
)
def test_each_pad_is_what_lies_outside(pad: str, combine: str, start: str, kind: str) -> None:
    text = pooled(pad, combine, start, 32, kind)
    for target in targets():
        artifact = compiled(text, target, tile_sizes=_tiles(target, kind))
        assert loads(artifact)[0] == 0 < loads(artifact)[1]
        assert differences(text, artifact) == []


def test_the_pad_is_there_in_each_range_of_tasks() -> None:
    """Whoever runs tasks one by one finds it, too: images of ones, of which corners see four and edges six."""
    text = pooled("0.0", "sum", "0.0", 32)
    for target in targets():
        (found,) = compiled(text, target, tile_sizes=_tiles(target)).run(np.ones((1, 9, 9, 32), np.float32), on="cpu")
        assert {*found[0, 0, 0]} == {4.0} and {*found[0, 0, 1:-1].ravel()} == {6.0}
