// RUN: roller-opt %s --rtile-lower-to-gpu="device=a100 dependent-launch=true" --verify-diagnostics

// expected-error@+1 {{dependent-launch: a100-80 has no programmatic dependent launches; leave it out}}
module {
func.func @main(%a: memref<30xf32>, %r: memref<30xf32>) {
  "rtile.program"(%a, %r) ({
  ^bb0(%x: memref<30xf32>, %y: memref<30xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %init = tensor.empty() : tensor<16xf32>
      %p = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 * 16)>, tile = #rtile.tile<[16], "register", [1]>} : (memref<30xf32>, index) -> tensor<16xf32>
      %s = "rtile.compute"(%p, %init, %i) ({
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }) {operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 16>, bounds = array<i64: 30>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 16)>,
          threads = #rtile.threads<{axes = [[16, 1]], order = [0], lane = -1, unroll = 1}>}
        : (tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
      "rtile.store"(%s, %y, %i) {origin = affine_map<(d0) -> (d0 * 16)>, steps = array<i64: 1>} : (tensor<16xf32>, memref<30xf32>, index) -> ()
    } {rtile.mapping = "unit"}
    "rtile.yield"() : () -> ()
  }) {sym_name = "add"} : (memref<30xf32>, memref<30xf32>) -> ()
  return
}
}
