// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single bits that become numbers of both signs, and conversions of numbers that were clamped before.
// gives: numpy on h200

func.func @f(%a0: tensor<7x2x5x5x1xf64>, %a16: tensor<i1>) -> (tensor<1xi1>, tensor<7x2x5x1x5x1xf64>) {
    %v13 = tensor.empty() : tensor<7x2x5x5x1xi32>
    %v14 = tensor.empty() : tensor<7x2x5x1x5x1xf64>
    %v15:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, 0, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%a0 : tensor<7x2x5x5x1xf64>) outs(%v13, %v14 : tensor<7x2x5x5x1xi32>, tensor<7x2x5x1x5x1xf64>) {
    ^bb0(%b0: f64, %q0: i32, %q1: f64):
      %s3 = arith.mulf %b0, %b0 : f64
      %s4 = arith.cmpf false, %s3, %s3 : f64
      %s5 = arith.constant 7.00000000000000000e+00 : f64
      %s6 = arith.constant -8.00000000000000000e+00 : f64
      %s7 = arith.minimumf %b0, %s5 : f64
      %s8 = arith.maximumf %s7, %s6 : f64
      %s9 = arith.fptosi %s8 : f64 to i32
      %s10 = arith.maxsi %s9, %s9 : i32
      %s11 = arith.constant 7.00000000000000000e+00 : f64
      %s12 = arith.constant -8.00000000000000000e+00 : f64
      %s13 = arith.minimumf %b0, %s11 : f64
      %s14 = arith.maximumf %s13, %s12 : f64
      %s15 = arith.fptosi %s14 : f64 to i32
      %s16 = arith.ori %s10, %s15 : i32
      %s17 = arith.select %s4, %s10, %s16 : i32
      %s18 = arith.cmpi ne, %s10, %s17 : i32
      %s19 = arith.select %s18, %s13, %s12 : f64
      %s20 = arith.minnumf %s19, %s6 : f64
      linalg.yield %s17, %s20 : i32, f64
    } -> (tensor<7x2x5x5x1xi32>, tensor<7x2x5x1x5x1xf64>)
    %v17 = tensor.empty() : tensor<i1>
    %v18 = tensor.empty() : tensor<i1>
    %v19:2 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%a16 : tensor<i1>) outs(%v17, %v18 : tensor<i1>, tensor<i1>) {
    ^bb0(%b0: i1, %q0: i1, %q1: i1):
      %s3 = arith.extui %b0 : i1 to i32
      %s4 = arith.constant 7 : i32
      %s5 = arith.remui %s3, %s4 : i32
      %s6 = arith.cmpi sgt, %s5, %s3 : i32
      %s7 = arith.maxsi %s5, %s4 : i32
      %s8 = arith.minui %s7, %s4 : i32
      %s9 = arith.select %s6, %s7, %s8 : i32
      %s10 = arith.extsi %b0 : i1 to i32
      %s11 = arith.maxsi %s3, %s10 : i32
      %s12 = arith.cmpi uge, %s9, %s11 : i32
      %s13 = arith.ori %s6, %b0 : i1
      %s14 = arith.cmpi sgt, %s5, %s11 : i32
      %s15 = arith.select %s14, %s12, %b0 : i1
      %s16 = arith.muli %s13, %s15 : i1
      %s17 = arith.constant -3 : i32
      %s18 = arith.cmpi ne, %s17, %s4 : i32
      %s19 = arith.cmpi ult, %s5, %s9 : i32
      %s20 = arith.andi %s18, %s19 : i1
      %s21 = arith.subi %s16, %s20 : i1
      linalg.yield %s12, %s21 : i1, i1
    } -> (tensor<i1>, tensor<i1>)
    %v20 = tensor.expand_shape %v19#1 [] output_shape [1] : tensor<i1> into tensor<1xi1>
    return %v20, %v15#1 : tensor<1xi1>, tensor<7x2x5x1x5x1xf64>
}
