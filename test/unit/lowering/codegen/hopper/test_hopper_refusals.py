# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What no kernel of wgmma can be made of is refused at its place, with what would help."""

import pytest
from hopper_cases import Matmul

from roller_mlir import compiler
from roller_mlir.support.diagnostics import DiagnosedError

PLAIN = Matmul()


def refused(case, *edits, **options):
    text = case.text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(DiagnosedError) as error:
        compiler.compile(text, "h200", binaries=False, **options)
    return str(error.value)


def test_copies_that_are_no_tensor_copies():
    message = refused(PLAIN.but(layout="vector = 8 : i64"))
    assert "must be a tensor copy of the reduction in a program of wgmma" in message
    assert 'copy = "tensor"' in message


def test_unaligned_rows():
    message = refused(PLAIN.but(extents=(100, 100, 129)))
    assert "needs strides that are multiples of 16 B, but dimension 0 of memref<100x129xf16> has 258 B" in message
    assert "use instruction mma" in message


def test_layouts():
    assert "without a pad" in refused(PLAIN.but(layout='copy = "tensor"'))
    assert "keep the tensor's innermost dimension innermost" in refused(PLAIN, ("order = [0, 1],", "order = [1, 0],"))
    assert "needs tiles of whole lines of 128 B, 8 at a time, but has 64 x 64 B" in refused(
        PLAIN.but(block=(64, 64, 32))
    )


def test_fill():
    assert "pads by 1.0, but a tensor copy fills with 0" in refused(PLAIN, ("pad = 0.0", "pad = 1.0"))


def test_points_out_of_range_that_are_not_filled():
    edit = ("bounds = array<i64: 128, 128, 128>", "bounds = array<i64: 128, 128, 120>")
    assert "a reduction loop of a wgmma has points out of range" in refused(PLAIN, edit)


def test_factor_types():
    case = PLAIN.but(factor="f32", block=(64, 64, 32))
    assert "must hold the reduction (loop 2) innermost where elements have 4 B" in refused(case)


def test_buffers():
    assert "it needs at least 2; raise rtile.stages" in refused(PLAIN.but(stages=1))
    message = refused(PLAIN.but(stages=20, extents=(64, 64, 2048)))
    assert "needs 328000 B of workgroup memory, h200 has 232448 B" in message


def test_pipelines():
    message = refused(PLAIN, ('sym_name = "', 'pipeline = "direct", sym_name = "'))
    assert "has pipeline 'direct' with an instruction that reads workgroup memory; change it" in message


def test_registers():
    message = refused(PLAIN.but(tasks_per_unit=5))
    assert "starts with 48 registers a thread, wgmma of 64 columns needs 58; lower tasks_per_unit" in message
    message = refused(PLAIN.but(block=(64, 256, 64), tasks_per_unit=3))
    assert "has 120 registers a thread that computes, its accumulators need 154" in message


def test_threads():
    assert "8 lanes of 16 rows and 4 lanes of 64 columns a subgroup" in refused(
        PLAIN, ("[32, 1, 8, 16]", "[32, 1, 4, 8]"), ("[4, 2, 4, 64]", "[8, 2, 8, 64]")
    )
    message = refused(PLAIN.but(block=(48, 64, 64)), ("[32, 1, 8, 16]", "[24, 1, 8, 16]"))
    assert "has 96 threads that compute and 128 that copy" in message


def test_shape():
    message = refused(PLAIN, ("shape = [64, 64, 16]", "shape = [64, 64, 8]"))
    assert "wgmma of f16 is 64 x n x 16 with n a multiple of 8 up to 256, but the compute says 64 x 64 x 8" in message


def test_pieces_of_columns():
    case = PLAIN.but(block=(64, 64, 64), columns=32)
    assert "needs instructions that begin at multiples of 64 of it" in refused(case)


def test_parts_of_warpgroups():
    case = PLAIN.but(block=(64, 64, 64), columns=32, groups=(1, 2))
    message = refused(case)
    assert "parts of its warpgroups at even distances, multiples of 1024 B, but has them at [0, 64]" in message


def test_rows_of_a_warpgroup():
    case = PLAIN.but(block=(32, 128, 64), columns=64, groups=(1, 1))
    edits = (("[32, 1, 8, 16]", "[16, 1, 8, 16]"), ("[4, 2, 4, 64]", "[8, 2, 4, 64]"))
    assert "needs neighbours along loop 0 in neighbouring lines" in refused(case, *edits)


def test_layer():
    edit = (
        'swizzle = "tma128", copy = "tensor"}>, origin = affine_map<(d0, d1) -> (d0 * 64, d1 * 64)>, pad = 0.0 : f16, '
        'tile = #rtile.tile<[64, 64], "workgroup"',
        "vector = 8 : i64}>, origin = affine_map<(d0, d1) -> (d0 * 64, d1 * 64)>, pad = 0.0 : f16, "
        'tile = #rtile.tile<[64, 64], "register"',
    )
    assert "factor must go to workgroup memory" in refused(PLAIN, edit)


def test_stores():
    stored = PLAIN.but(store="tensor", result="f16")
    assert "stores f16, bf16, but the tile is f32" in refused(PLAIN.but(store="tensor"))
    message = refused(stored.but(extents=(64, 66, 64), transposed=(False, True)))
    assert "strides that are multiples of 16 B, but dimension 0 of memref<64x66xf16> has 132 B" in message
    assert "with neighbouring columns in the tensor's innermost dimension" in refused(stored, ("lane = 1", "lane = -1"))
    assert "attribute 'copy' must be 'synchronous' or 'staged' or 'tensor'" in refused(
        stored, ('copy = "tensor"} :', 'copy = "asynchronous"} :')
    )


def test_bodies_of_copies():
    case = PLAIN.but(transposed=(False, True))
    text = case.text()
    start = text.index('"rtile.load"(%x0')
    end = text.index("{layout", start)
    region = (
        '({\n^bb0(%v: f16):\n%n = arith.negf %v : f16\n"rtile.yield"(%n) : (f16) -> ()\n}) '  # what a prologue leaves
    )
    old = text[start:end]
    new = old.replace("rtile.load", "rtile.map_load") + region
    assert "computes on the way, which a tensor copy cannot" in refused(case, (old, new))


def test_boxes():
    far = ('tile = #rtile.tile<[64, 64], "workgroup", [1, 1]>', 'tile = #rtile.tile<[64, 64], "workgroup", [9, 1]>')
    assert "has steps [9, 1], a tensor map 8 at most" in refused(PLAIN, far)


def test_more_threads_than_a_block_has():
    case = PLAIN.but(block=(512, 8, 64), columns=8, groups=(8, 1), transposed=(False, True))
    assert "has 1024 threads that compute and 128 that copy, h200 has 1024 in a block" in refused(case)


def test_programs_of_other_instructions():
    lonely = """
    func.func @main(%x: memref<64xf32> {rtile.role = "input"}, %y: memref<64xf32> {rtile.role = "output"}) {
      "rtile.program"(%x, %y) ({
      ^bb0(%a: memref<64xf32>, %b: memref<64xf32>):
        %t = "rtile.load"(%a) {tile = #rtile.tile<[64], "register", [1]>, origin = affine_map<() -> (0)>}
          : (memref<64xf32>) -> tensor<64xf32>
        %e = tensor.empty() : tensor<64xf32>
        %r = "rtile.compute"(%t, %e) ({
        ^bb1(%u: f32, %v: f32):
          "rtile.yield"(%u) : (f32) -> ()
        }) {operandSegmentSizes = array<i32: 1, 1, 0>, box = array<i64: 64>, bounds = array<i64: 64>,
            indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], origin = affine_map<() -> (0)>,
            iterator_types = [#linalg.iterator_type<parallel>],
            threads = #rtile.threads<{axes = [[64, 1]], order = [0]}>}
          : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
        "rtile.store"(%r, %b) {origin = affine_map<() -> (0)>, steps = array<i64: 1>STORE}
          : (tensor<64xf32>, memref<64xf32>) -> ()
        "rtile.yield"() : () -> ()
      }) {sym_name = "copy"} : (memref<64xf32>, memref<64xf32>) -> ()
      return
    }
    """
    text = lonely.replace("STORE", ', copy = "tensor"')
    with pytest.raises(DiagnosedError, match="by tensor copy needs pipeline 'warp-specialised'; leave out its copy"):
        compiler.compile(text, "h200", binaries=False)
