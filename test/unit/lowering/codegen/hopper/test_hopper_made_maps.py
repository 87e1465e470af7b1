# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of wgmma that make their tensor maps themselves: what numpy gives; and each mistake is found and named."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hopper_cases import Matmul

from roller_mlir import compiler
from roller_mlir.runtime import Artifact, BackendError

PLAIN = Matmul()
STORED = PLAIN.but(store="tensor", result="f16", extents=(72, 136, 72))
CASES = {
    "edges, results by copies": STORED,
    "tf32": PLAIN.but(factor="f32", block=(64, 64, 32), transposed=(False, True), extents=(72, 76, 100)),
    "batch": STORED.but(batch=2),
    "bf16, one task": PLAIN.but(factor="bf16", extents=(64, 64, 64)),
    "i8": PLAIN.but(factor="i8", result="i32", block=(64, 64, 128), transposed=(False, True), extents=(72, 76, 208)),
    "persistent": STORED.but(persistent=True, extents=(8 * 64, 20 * 64, 72)),
    "half lines": STORED.but(block=(64, 96, 64), columns=96, transposed=(False, True)),
    "two by two": STORED.but(block=(128, 256, 64), columns=128, groups=(2, 2), extents=(200, 264, 200)),
}


@pytest.mark.full(every=8)
@pytest.mark.parametrize("level", ["gpu", "llvm"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_equals_numpy(case, level):
    artifact = case.check(tensor_maps="device", level=level)
    (kernel,) = artifact.kernels
    *_, workspace = artifact.manifest.launches[0].arguments
    blocks = artifact.manifest.launches[0].static_grid[0]
    assert not kernel.tensor_maps
    assert kernel.made_maps == case.compile().kernels[0].tensor_maps
    assert workspace.size_bytes == 128 * blocks * len(kernel.made_maps)
    assert artifact.manifest.buffer(workspace.buffer).role == "workspace"


def test_the_sanitizer_finds_nothing():
    STORED.check(tensor_maps="device", sanitize=True)


CONVOLUTION = """
func.func @main(%x: tensor<1x18x18x64xf16>, %w: tensor<3x3x64x64xf16>) -> tensor<1x8x8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x8x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<1x18x18x64xf16>, tensor<3x3x64x64xf16>) outs(%f : tensor<1x8x8x64xf32>) -> tensor<1x8x8x64xf32>
  return %r : tensor<1x8x8x64xf32>
}
"""


def test_steps_of_convolutions():
    options = compiler.CompileOptions(binaries=False, instructions=("wgmma",), tensor_maps="device")
    made = compiler.compile(CONVOLUTION, "h200", options)
    given = compiler.compile(CONVOLUTION, "h200", replace(options, tensor_maps="host"))
    assert any(step != 1 for one in made.kernels[0].made_maps for step in one.steps)
    random = np.random.default_rng(1)
    inputs = [random.integers(-2, 3, shape).astype(np.float16) for shape in ((1, 18, 18, 64), (3, 3, 64, 64))]
    np.testing.assert_array_equal(made.run(*inputs)[0], given.run(*inputs)[0])


# Mistakes -------------------------------------------------------------------------------------------------------------

_ASM = r'(?:llvm\.inline_asm|(?:tail )?call void asm)[^\n]*"'
_ACQUIRE = r"[^\n]*(?:nvvm\.fence\.proxy\.acquire <|call void @llvm\.nvvm\.fence\.proxy\.tensormap_generic)[^\n]*\n"


def _field(name: str) -> str:
    return rf"[^\n]*{_ASM}tensormap\.replace\.tile\.{name}\.[^\n]*\n"


def _without(pattern: str, count: int = 0):
    return lambda text: re.sub(pattern, "", text, count=count)


def _changed(name: str, old: str, new: str):
    """Writes another value to the first such field whose value is `old`: a constant, in LLVM IR beside its type."""

    def change(text: str) -> str:
        line = next(one for one in re.findall(_field(name), text) if old in one)
        return text.replace(line, line.replace(old, new), 1)

    return change


def run_changed(artifact: Artifact, level: str, change, *, described: bool = True) -> str:
    """Runs a changed kernel, and returns what is found."""
    name = "kernels.mlir" if level == "gpu" else artifact.kernels[0].files["llvm"]
    text = artifact.files[name].decode()
    edited = change(text)
    assert edited != text
    manifest = artifact.manifest
    if not described:
        edited = re.sub(r"rtile\.made_maps = \[.*?\}\]", "rtile.nothing", edited)
        kernel = replace(artifact.kernels[0], made_maps=())
        manifest = replace(manifest, kernels=(kernel,))
    m, n, k = STORED.extents
    inputs = [np.ones((m, k), np.float16), np.ones((k, n), np.float16)]
    wrong = replace(artifact, manifest=manifest, files={**artifact.files, name: edited.encode()})
    with pytest.raises(BackendError) as error:
        wrong.run(*inputs, level=level)
    return str(error.value)


@pytest.fixture(scope="module")
def stored() -> Artifact:
    return STORED.compile(llvm=True, tensor_maps="device")


LLVM_MISTAKES = {
    "no acquire": (_without(_ACQUIRE), "is used without 'fence.proxy.tensormap::generic.acquire' of it before"),
    "no acquire of stores": (
        lambda text: text.replace(re.findall(_ACQUIRE, text)[-1], ""),
        "is used without 'fence.proxy.tensormap::generic.acquire' of it before",
    ),
    "stride in sixteenths": (_changed("global_stride", "i64 144", "i64 9"), "global_stride 0 = 9, but the kernel"),
    "box": (_changed("box_dim", "i32 64", "i32 32"), "has box_dim 0 = 32, but the kernel says that it is 64"),
    "extent": (
        _changed("global_dim", "i32 72", "i32 71"),
        "has global_dim 0 = 71, but the kernel says that it is 72",
    ),
    "element as the driver numbers it": (_changed("elemtype", "i32 6", "i32 9"), "has elemtype = 9"),
    "a field is missing": (_without(_field("elemtype"), 1), "has no elemtype, which a map of its rank needs"),
    "a dimension is missing": (_without(_field("global_dim"), 1), "has no global_dim 0, which a map of its rank needs"),
    "nothing is published": (
        _without(rf"[^\n]*{_ASM}tensormap\.cp_fenceproxy[^\n]*\n"),
        "no tensor map has been copied to address 0x",
    ),
}


@pytest.mark.full(every=9)
@pytest.mark.parametrize(("change", "message"), LLVM_MISTAKES.values(), ids=LLVM_MISTAKES)
def test_mistakes_in_llvm_ir_are_named(stored, change, message):
    assert message in run_changed(stored, "llvm", change)


def _address_of_another(text: str) -> str:
    lines = re.findall(_field("global_address"), text)
    own, other = (re.search(r", (%\w+) : ", line) for line in lines[:2])
    return text.replace(lines[0], lines[0].replace(f", {own[1]} : ", f", {other[1]} : "), 1)


def _moved(bytes_: int):
    """Moves the address of the first array."""

    def change(text: str) -> str:
        line = re.findall(_field("global_address"), text)[0]
        own = re.search(r", (%\w+) : ", line)[1]
        more = f"%moved_by = arith.constant {bytes_} : i64\n%moved = arith.addi {own}, %moved_by : i64\n"
        return text.replace(line, more + line.replace(f", {own} : ", ", %moved : "), 1)

    return change


def _constant(name: str, place: int, value: int, kind: str = "i32"):
    """Writes another value to the first field of that name."""

    def change(text: str) -> str:
        line = re.findall(_field(name), text)[0]
        operands = re.search(r'" (%.*) : \(', line)[1].split(", ")
        operands[place] = "%planted"
        new = re.sub(r'" %.* : \(', f'" {", ".join(operands)} : (', line)
        return text.replace(line, f"%planted = arith.constant {value} : {kind}\n{new}", 1)

    return change


GPU_MISTAKES = {
    "no acquire": (_without(_ACQUIRE), True, "is used without 'fence.proxy.tensormap::generic.acquire'"),
    "address of another": (
        _address_of_another,
        True,
        "has global_address = 0x.*, but the kernel says that it is 0x",
    ),
    "address, not described": (_moved(-(1 << 20)), False, "describes an array from .* which lies in no argument"),
    "address not aligned": (_moved(8), False, "has global_address = .*, which must be .* in multiples of 16"),
    "stride": (
        _constant("global_stride", 2, 9, "i64"),
        True,
        "global_stride 0 = 9, but the kernel says that it is 144",
    ),
    "stride not aligned": (
        _constant("global_stride", 2, 9, "i64"),
        False,
        "global_stride 0 = 9, which must be 16 to",
    ),
    "stride too large": (
        _constant("global_stride", 2, 160, "i64"),
        False,
        "an array from .*, which lies in no argument",
    ),
    "box": (_constant("box_dim", 2, 32), True, "has box_dim 0 = 32, but the kernel says that it is 64"),
    "box, not described": (
        _constant("box_dim", 2, 32),
        False,
        "has box_dim 0 = 32, .* fill the span of its swizzle",
    ),
    "box too high": (_constant("box_dim", 2, 257), False, "has box_dim 0 = 257, which must be 1 to 256"),
    "rank": (_constant("rank", 1, 2), True, "has no global_stride 1, which a map of its rank needs"),
    "element": (_constant("elemtype", 1, 9), False, "has elemtype = 9, which must be one of 0, 6, 7, 10, 11"),
    "interleaved": (_constant("interleave_layout", 1, 1), False, "has interleave_layout = 1, which must be 0"),
    "not zeroed": (
        _without(r"[^\n]*llvm\.store %c0_i32, [^\n]*\n"),
        True,
        "which nobody wrote: its memory must be zeroed",
    ),
    "not published": (
        _without(rf"[^\n]*{_ASM}tensormap\.cp_fenceproxy[^\n]*\n"),
        True,
        "no tensor map has been copied to address 0x",
    ),
}


@pytest.mark.full(every=6)
@pytest.mark.parametrize(("change", "described", "message"), GPU_MISTAKES.values(), ids=GPU_MISTAKES)
def test_mistakes_in_the_kernel_are_named(stored, change, described, message):
    assert re.search(message, run_changed(stored, "gpu", change, described=described))
