# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions between copies give what they give as they are, and are copied where that is predicted to save time."""

import json
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.lowering.linalg.group.group import members_of
from roller_mlir.lowering.linalg.rewrite.compose import compose_into_readers
from roller_mlir.lowering.linalg.rewrite.layout import channels_last
from roller_mlir.lowering.linalg.rewrite.layout.channels_last import put_channels_last
from roller_mlir.passes.rtile.normalize import RTileNormalize
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.passes.upstream import CLEAN, run_upstream
from roller_mlir.tools.roller import main

ELEMENTS = {"f16": ("f16", "f32"), "bf16": ("bf16", "f32"), "i8": ("i8", "i32"), "f32": ("f32", "f32")}


def convolution(
    *,
    image: tuple[int, int, int, int] = (2, 5, 9, 7),
    filters: int = 6,
    window: tuple[int, int] = (3, 2),
    stride: int = 1,
    dilation: int = 1,
    pad: int = 0,
    elements: str = "f16",
    accumulates: bool = False,
) -> tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return a convolution with channels first, and the shapes of its image, its filters and its result."""
    n, c, h, w = image
    high, wide = (
        (size + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for size, k in zip((h, w), window, strict=True)
    )
    given, sums = ELEMENTS[elements]
    kernel, result = (filters, c, *window), (n, filters, high, wide)
    padded = (n, c, h + 2 * pad, w + 2 * pad)

    def kind(shape: tuple[int, ...], element: str) -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    x, p, k, y = kind(image, given), kind(padded, given), kind(kernel, given), kind(result, sums)
    zero, zero_sum = ("0" if one[0] == "i" else "0.0" for one in (given, sums))
    padding = f"""
      %p = tensor.pad %x low[0, 0, {pad}, {pad}] high[0, 0, {pad}, {pad}] {{
      ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
        tensor.yield %zero : {given}
      }} : {x} to {p}"""
    fill = f"""
      %e = tensor.empty() : {y}
      %f = linalg.fill ins(%none : {sums}) outs(%e : {y}) -> {y}"""
    start = f", %s: {y}" if accumulates else ""
    text = f"""
    func.func @f(%x: {x}, %k: {k}{start}) -> {y} {{
      %zero = arith.constant {zero} : {given}
      %none = arith.constant {zero_sum} : {sums}
      {padding if pad else ""}
      {"" if accumulates else fill}
      %y = linalg.conv_2d_nchw_fchw
        {{strides = dense<{stride}> : tensor<2xi64>, dilations = dense<{dilation}> : tensor<2xi64>}}
        ins({"%p" if pad else "%x"}, %k : {p if pad else x}, {k}) outs({"%s" if accumulates else "%f"} : {y}) -> {y}
      return %y : {y}
    }}"""
    return text, image, kernel, result


def wanted(x: Any, k: Any, *, stride: int = 1, dilation: int = 1, pad: int = 0) -> "np.ndarray[Any, Any]":
    """Return the convolution, window by window."""
    x = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    k = k.astype(np.int64)
    high, wide = (
        (size - dilation * (n - 1) - 1) // stride + 1 for size, n in zip(x.shape[2:], k.shape[2:], strict=True)
    )
    found = np.zeros((x.shape[0], k.shape[0], high, wide), np.int64)
    for i in range(k.shape[2]):
        for j in range(k.shape[3]):
            rows = slice(i * dilation, i * dilation + stride * (high - 1) + 1, stride)
            columns = slice(j * dilation, j * dilation + stride * (wide - 1) + 1, stride)
            found += np.einsum("nchw,fc->nfhw", x[:, :, rows, columns], k[:, :, i, j])
    return found


def compiled(text: str, target: str = "h100", **options: Any) -> Artifact:
    asked = CompileOptions(channels_last=True, explain_fusion=True, binaries=False, cache=False, **options)
    return roller_mlir.compile(text, target=target, options=asked)


def is_copied(artifact: Artifact) -> bool:
    return any("channels last" in note for note in artifact.manifest.notes)


def numbers(shape: tuple[int, ...], seed: int) -> "np.ndarray[Any, Any]":
    return np.random.default_rng(seed).integers(-4, 5, shape)


def bits(values: "np.ndarray[Any, Any]", elements: str) -> "np.ndarray[Any, Any]":
    if elements == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(NUMPY_TYPES["bf16"])
    return values.astype(NUMPY_TYPES[elements])


CASES = {
    "plain": {},
    "pad": {"pad": 1},
    "stride and pad": {"stride": 2, "pad": 2},
    "dilation": {"dilation": 2, "window": (2, 3)},
    "one channel": {"image": (1, 1, 6, 6), "filters": 1},
    "bytes": {"elements": "i8", "pad": 1},
    "bf16": {"elements": "bf16", "stride": 2},
    "goes on": {"accumulates": True},
}


@pytest.mark.full(every=4)
@pytest.mark.parametrize("target", ["h100", "mi300x"])
@pytest.mark.parametrize("name", CASES)
def test_a_copied_convolution_gives_the_same(name: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels_last, "WORTH", inf)
    given: dict[str, Any] = CASES[name]
    text, image, kernel, result = convolution(**given)
    elements = given.get("elements", "f16")
    artifact = compiled(text, target)
    assert is_copied(artifact)
    x, k, start = numbers(image, 1), numbers(kernel, 2), numbers(result, 3)
    inputs = [bits(x, elements), bits(k, elements)]
    right = wanted(x, k, **{key: given[key] for key in ("stride", "dilation", "pad") if key in given})
    if given.get("accumulates"):
        inputs.append(start.astype(np.float32))
        right = right + start
    (found,) = artifact.run(*inputs)
    np.testing.assert_array_equal(found, right)


def test_tensor_copies_bring_what_was_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels_last, "WORTH", inf)
    text, image, kernel, _ = convolution(image=(1, 64, 17, 9), filters=128, window=(3, 3), stride=2, pad=1)
    artifact = compiled(text, instructions=("wgmma", "fma"), fusion=False)
    assert is_copied(artifact) and b"wgmma" in artifact.files["kernels.mlir"]
    x, k = numbers(image, 1), numbers(kernel, 2)
    (found,) = artifact.run(bits(x, "f16"), bits(k, "f16"))
    np.testing.assert_array_equal(found, wanted(x, k, stride=2, pad=1))


@pytest.mark.full
def test_copies_between_convolutions_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first one copies back, and the second one copies again, is a copy of nothing; so is it through an op."""
    monkeypatch.setattr(channels_last, "WORTH", inf)
    text = """
    func.func @f(%x: tensor<1x4x8x8xf32>, %k: tensor<4x4x3x3xf32>, %m: tensor<4x4x3x3xf32>) -> tensor<1x4x4x4xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x4x6x6xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
      %y = linalg.conv_2d_nchw_fchw ins(%x, %k : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>)
        outs(%f : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
      %a = math.absf %y : tensor<1x4x6x6xf32>
      %d = tensor.empty() : tensor<1x4x4x4xf32>
      %g = linalg.fill ins(%zero : f32) outs(%d : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
      %z = linalg.conv_2d_nchw_fchw ins(%a, %m : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32>)
        outs(%g : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
      return %z : tensor<1x4x4x4xf32>
    }"""
    monkeypatch.setattr(channels_last, "ELEMENT_BYTES", 4)
    artifact = compiled(text)
    x, k, m = numbers((1, 4, 8, 8), 1), numbers((4, 4, 3, 3), 2), numbers((4, 4, 3, 3), 3)
    (found,) = artifact.run(*(one.astype(np.float32) for one in (x, k, m)))
    np.testing.assert_array_equal(found, wanted(np.abs(wanted(x, k)), m))
    with make_context():
        module = ir.Module.parse(text)
        RTileNormalize(fuse_axes=False).run(module)
        block = module.body.operations[0].regions[0].blocks[0]
        assert len(put_channels_last(block, lambda _: 1e-6)) == 2
        run_upstream(CLEAN, module)
        before = [one for one in members_of(block) if one.name == "linalg.generic"]
        after = [one for one in compose_into_readers(members_of(block)) if one.name == "linalg.generic"]
        # Both convolutions, what is between them, and copies: of the image, both kernels and the result.
        assert (len(before), len(after)) == (9, 7)


@pytest.mark.parametrize("given", [{"elements": "f32"}, {"window": (1, 1)}])
def test_what_is_no_convolution_of_narrow_elements_stays(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels_last, "WORTH", inf)
    artifact = compiled(convolution(**given)[0])
    assert not is_copied(artifact) and len(artifact.manifest.launches) == 1


def test_an_operand_that_a_convolution_does_not_read_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels_last, "WORTH", inf)
    loops = "(n, f, h, w, c, i, j)"
    artifact = compiled(f"""
    func.func @f(%x: tensor<1x2x4x4xf16>, %k: tensor<3x2x2x2xf16>, %u: tensor<f32>) -> tensor<1x3x3x3xf32> {{
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x3x3x3xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
      %y = linalg.generic {{
        indexing_maps = [affine_map<{loops} -> (n, c, h + i, w + j)>, affine_map<{loops} -> (f, c, i, j)>,
                         affine_map<{loops} -> ()>, affine_map<{loops} -> (n, f, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}}
        ins(%x, %k, %u : tensor<1x2x4x4xf16>, tensor<3x2x2x2xf16>, tensor<f32>) outs(%f : tensor<1x3x3x3xf32>) {{
      ^bb0(%a: f16, %b: f16, %c: f32, %s: f32):
        %p = arith.extf %a : f16 to f32
        %q = arith.extf %b : f16 to f32
        %m = arith.mulf %p, %q : f32
        %t = arith.addf %s, %m : f32
        linalg.yield %t : f32
      }} -> tensor<1x3x3x3xf32>
      return %y : tensor<1x3x3x3xf32>
    }}""")
    x, k = numbers((1, 2, 4, 4), 1), numbers((3, 2, 2, 2), 2)
    (found,) = artifact.run(bits(x, "f16"), bits(k, "f16"), np.zeros((), np.float32))
    np.testing.assert_array_equal(found, wanted(x, k))


def test_copies_are_made_where_they_pay() -> None:
    small = compiled(convolution()[0])
    assert not is_copied(small)
    large = compiled(convolution(image=(128, 256, 30, 30), filters=256, window=(3, 3), stride=2)[0])
    (note,) = (note for note in large.manifest.notes if "channels last" in note)
    after, before = (float(one.split()[-1]) for one in note.split(" us")[:2])
    assert after < channels_last.WORTH * before


def test_explain_explains_what_is_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    monkeypatch.setattr(channels_last, "WORTH", inf)
    (tmp_path / "f.mlir").write_text(convolution()[0])
    for asked, programs in (((), 1), (("--channels-last",), 4)):
        assert main(["explain", str(tmp_path / "f.mlir"), "--target", "h100", "--no-fusion", "--json", *asked]) == 0
        assert len(json.loads(capsys.readouterr().out)) == programs


def test_nobody_copies_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels_last, "WORTH", inf)
    artifact = roller_mlir.compile(
        convolution()[0], target="h100", options=CompileOptions(binaries=False, explain_fusion=True)
    )
    assert not is_copied(artifact)
