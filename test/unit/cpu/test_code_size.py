# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much code kernels have: masked accesses that stay whole, joined ops whose points all stand in the code."""

import re

import pytest
from cpu_programs import compiled, differences

import roller_mlir
from roller_mlir.lowering.backend.child.worker import spilled_vectors
from roller_mlir.model.vectors.construct import MOST_ACCESSES, MOST_WHOLE_OPERATIONS
from roller_mlir.support.diagnostics import DiagnosedError

# A row that is changed before it is multiplied: one program, whose 509 points lie in a task's registers.
ROW = """func.func @row(%a: tensor<1x509xKIND>, %b: tensor<509x100xKIND>) -> tensor<1x100xf32> {
  %e = tensor.empty() : tensor<1x509xKIND>
  %x = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<1x509xKIND>) outs(%e : tensor<1x509xKIND>) {
  ^bb0(%u: KIND, %old: KIND):
    %s = arith.addf %u, %u : KIND
    linalg.yield %s : KIND
  } -> tensor<1x509xKIND>
  %z = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<1x100xf32>
  %i = linalg.fill ins(%z : f32) outs(%c : tensor<1x100xf32>) -> tensor<1x100xf32>
  %r = linalg.matmul ins(%x, %b : tensor<1x509xKIND>, tensor<509x100xKIND>) outs(%i : tensor<1x100xf32>)
    -> tensor<1x100xf32>
  return %r : tensor<1x100xf32>
}"""


def test_masked_accesses_to_bf16_are_of_integers() -> None:
    """LLVM takes those of bf16 apart, with a branch for each lane, where the cores have no bf16."""
    text = ROW.replace("KIND", "bf16").replace("509", "125")
    artifact = compiled(text, llvm=True)
    code = "".join(data.decode() for name, data in artifact.files.items() if name.endswith(".ll"))
    assert "llvm.masked.load.v16i16" in code or "llvm.masked.load.v8i16" in code
    assert "bf16" not in "".join(line for line in code.splitlines() if "llvm.masked" in line)
    assert differences(text, artifact) == []


PADDED = """func.func @window(%x: tensor<1x1x8x6x1xf32>, %start: tensor<1x5x8x5x1xf32>) -> tensor<1x5x8x5x1xf32> {
  %least = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 3, 1, 4, 0] high[0, 3, 1, 4, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index, %m: index):
    tensor.yield %least : f32
  } : tensor<1x1x8x6x1xf32> to tensor<1x7x10x14x1xf32>
  %w = tensor.empty() : tensor<2x3x4xf32>
  %r = linalg.pooling_ndhwc_max {dilations = dense<[2, 1, 3]> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>}
    ins(%p, %w : tensor<1x7x10x14x1xf32>, tensor<2x3x4xf32>) outs(%start : tensor<1x5x8x5x1xf32>)
    -> tensor<1x5x8x5x1xf32>
  return %r : tensor<1x5x8x5x1xf32>
}"""


def test_hundreds_of_tests_of_padding_are_compiled() -> None:
    """A window along three padded axes, whose blocks upstream's patterns merged without an end."""
    artifact = compiled(PADDED)
    assert differences(PADDED, artifact) == []


@pytest.mark.full
def test_what_lies_whole_in_a_task_is_counted_with_its_vectors() -> None:
    text = ROW.replace("KIND", "f32")
    artifact = compiled(text)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None
    points = [axis.block // axis.chunk for axis in kernel.plan.axes]
    assert 509 in points and 4 * points[0] * points[1] * points[2] <= MOST_WHOLE_OPERATIONS
    assert differences(text, artifact) == []


def test_a_tile_that_cuts_what_lies_whole_is_refused() -> None:
    with pytest.raises(DiagnosedError, match="tile 1x32x150 cuts loop 2 of 509 points, which belong into one task"):
        compiled(ROW.replace("KIND", "f32"), tile_sizes=(1, 32, 150))


SIDEWAYS = """func.func @f(%a: tensor<561xKIND>) -> tensor<561x5xKIND> {
  %e = tensor.empty() : tensor<561x5xKIND>
  %r = linalg.broadcast ins(%a : tensor<561xKIND>) outs(%e : tensor<561x5xKIND>) dimensions = [1]
  return %r : tensor<561x5xKIND>
}"""
WHOLE = """func.func @f(%a: tensor<70xf32>) -> (tensor<70x33xf32>, tensor<f32>) {
  %e = tensor.empty() : tensor<70x33xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<70xf32>) outs(%e : tensor<70x33xf32>) {
  ^bb0(%u: f32, %old: f32):
    %s = arith.addf %u, %u : f32
    linalg.yield %s : f32
  } -> tensor<70x33xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<70x33xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  return %x, %m : tensor<70x33xf32>, tensor<f32>
}"""


@pytest.mark.parametrize("text", [SIDEWAYS.replace("KIND", "i8"), SIDEWAYS.replace("KIND", "i1"), WHOLE])
def test_a_task_has_few_accesses_of_one_element(text: str) -> None:
    """Lanes that are no neighbours, and those of i1, are accessed one by one; LLVM takes long for thousands of them."""
    artifact = compiled(text, llvm=True)
    code = "".join(data.decode() for name, data in artifact.files.items() if name.endswith(".ll"))
    single = re.findall(r"= load (?:i1|i8|float),|store (?:i1|i8|float) ", code)
    assert len(single) <= MOST_ACCESSES * len(artifact.kernels)
    assert differences(text, artifact) == []


def convolution(name: str, image: str, filters: str, result: str, *, constant: bool = False) -> str:
    """Return a convolution of f32; shapes as `1x18x18x8`."""
    x, w, y = (f"tensor<{shape}xf32>" for shape in (image, filters, result))
    given, made = ("", f"%w = arith.constant dense<0.5> : {w}") if constant else (f", %w: {w}", "")
    return f"""func.func @f(%x: {x}{given}) -> {y} {{
  {made}
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {y}
  %i = linalg.fill ins(%z : f32) outs(%e : {y}) -> {y}
  %r = linalg.{name} ins(%x, %w : {x}, {w}) outs(%i : {y}) -> {y}
  return %r : {y}
}}"""


def assembly_of(text: str, target: str, tile: tuple[int, ...]) -> str:
    artifact = roller_mlir.compile(text, target, tile_sizes=tile)
    (assembly,) = [data.decode() for name, data in artifact.files.items() if name.endswith(".s")]
    return assembly


def test_sums_stay_in_registers() -> None:
    """In LLVM's order of this kernel 60 accesses of its inner loop are to sums on the stack."""
    text = convolution("conv_2d_nhwc_hwcf", "1x18x18x8", "5x5x8x32", "1x14x14x32")
    assembly = assembly_of(text, "spr", (1, 14, 1, 32, 5, 5, 8))
    assert spilled_vectors(assembly) <= 4
    multiply = [line for line in assembly.splitlines() if "vfmadd" in line]
    assert len(multiply) >= 28 and not any("(%rsp" in line for line in multiply)


def test_sums_stay_in_registers_whatever_is_done_with_them_behind_their_loop() -> None:
    """They are turned before they are stored: as LLVM rotates their loop, 60 of its accesses are to the stack."""
    text = convolution("conv_2d_nchw_fchw", "1x512x7x7", "112x512x1x1", "1x112x7x7", constant=True)
    assembly = assembly_of(text, "zen4", (48, 7, 512))
    assert spilled_vectors(assembly) <= 4
    assert sum("vfmadd" in line for line in assembly.splitlines()) >= 21


def test_what_turns_a_tile_is_in_no_register_while_sums_are_made() -> None:
    """Rows of six pixels are stored of sums of 16 channels: LLVM held their permutations through all loops.

    Of 1,136 multiply-adds 470 had an access to the stack beside them.
    """
    image, wide, made, turned = (
        f"tensor<1x{shape}xf32>" for shape in ("17x17x128", "17x23x128", "17x17x128", "128x17x17")
    )
    filters = "tensor<128x1x7x128xf32>"
    text = f"""func.func @f(%x: {image}) -> {turned} {{
  %w = arith.constant dense<0.5> : {filters}
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 3, 0] high[0, 0, 3, 0] {{
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  }} : {image} to {wide}
  %e = tensor.empty() : {made}
  %i = linalg.fill ins(%z : f32) outs(%e : {made}) -> {made}
  %r = linalg.conv_2d_nhwc_fhwc ins(%p, %w : {wide}, {filters}) outs(%i : {made}) -> {made}
  %o = tensor.empty() : {turned}
  %t = linalg.transpose ins(%r : {made}) outs(%o : {turned}) permutation = [0, 3, 1, 2]
  return %t : {turned}
}}"""
    assembly = assembly_of(text, "zen4", (1, 6, 64, 7, 128))
    assert assembly.count("vfmadd") > 1000 and spilled_vectors(assembly) <= 4


def test_factors_that_several_vectors_share_are_not_kept() -> None:
    """Two vectors and a factor beside twelve sums fit into 16 registers; a vector and six factors do not."""
    text = convolution("conv_2d_nchw_fchw", "2x256x14x14", "96x256x1x1", "2x96x14x14")
    assert spilled_vectors(assembly_of(text, "haswell", (2, 6, 8, 256))) <= 4
