// A basic block of a ResNet: relu(bn(conv(relu(bn(conv(x))))) + x), norms folded to scale and shift: two kernels.
// RUN: roller-opt %s --roller-to-sim=device=h200 | FileCheck %s

// CHECK-LABEL: func.func @resnet_block
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT: gpu.launch_func
#all = affine_map<(n, f, h, w) -> (n, f, h, w)>
#channel = affine_map<(n, f, h, w) -> (f)>
!image = tensor<2x16x14x14xf32>
!filter = tensor<16x16x3x3xf32>
!channel = tensor<16xf32>

func.func @resnet_block(%x: !image, %k0: !filter, %scale0: !channel, %shift0: !channel,
                        %k1: !filter, %scale1: !channel, %shift1: !channel) -> !image {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !image
  %i = linalg.fill ins(%zero : f32) outs(%e : !image) -> !image
  %p0 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%n0: index, %c0: index, %h0: index, %w0: index):
      tensor.yield %zero : f32
  } : !image to tensor<2x16x16x16xf32>
  %conv0 = linalg.conv_2d_nchw_fchw ins(%p0, %k0 : tensor<2x16x16x16xf32>, !filter)
                                   outs(%i : !image) -> !image
  %h = linalg.generic {indexing_maps = [#all, #channel, #channel, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%conv0, %scale0, %shift0 : !image, !channel, !channel) outs(%e : !image) {
    ^bb0(%a: f32, %s: f32, %t: f32, %old: f32):
      %u = arith.mulf %a, %s : f32
      %v = arith.addf %u, %t : f32
      %r = arith.maximumf %v, %zero : f32
      linalg.yield %r : f32
  } -> !image
  %p1 = tensor.pad %h low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%n1: index, %c1: index, %h1: index, %w1: index):
      tensor.yield %zero : f32
  } : !image to tensor<2x16x16x16xf32>
  %conv1 = linalg.conv_2d_nchw_fchw ins(%p1, %k1 : tensor<2x16x16x16xf32>, !filter)
                                   outs(%i : !image) -> !image
  %norm = linalg.generic {indexing_maps = [#all, #channel, #channel, #all],
                          iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%conv1, %scale1, %shift1 : !image, !channel, !channel) outs(%e : !image) {
    ^bb0(%a: f32, %s: f32, %t: f32, %old: f32):
      %u = arith.mulf %a, %s : f32
      %v = arith.addf %u, %t : f32
      linalg.yield %v : f32
  } -> !image
  %sum = linalg.add ins(%norm, %x : !image, !image) outs(%e : !image) -> !image
  %y = linalg.generic {indexing_maps = [#all, #all],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : !image) outs(%e : !image) {
    ^bb0(%a: f32, %old: f32):
      %r = arith.maximumf %a, %zero : f32
      linalg.yield %r : f32
  } -> !image
  return %y : !image
}
