// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body reads the padding that its result takes the place of.
// gives: numpy on v100

func.func @f(%a8: tensor<15x3xf32>, %v6: tensor<17x3xf16>) -> (tensor<17x3xf32>) {
    %c = arith.constant 0.0 : f32
    %v9 = tensor.pad %a8 low[2, 0] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %c : f32
    } : tensor<15x3xf32> to tensor<17x3xf32>
    %v10 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%v6 : tensor<17x3xf16>) outs(%v9 : tensor<17x3xf32>) {
    ^bb0(%b0: f16, %q0: f32):
      %s3 = arith.mulf %q0, %q0 : f32
      linalg.yield %s3 : f32
    } -> tensor<17x3xf32>
    return %v10 : tensor<17x3xf32>
}
