// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tensor.generate and a padding give depends on conditions of positions and of data.
// gives: numpy on h200, mi300x

func.func @f(%t: tensor<6xi32>, %s: i32) -> (tensor<4x6xi32>, tensor<10xi32>) {
  %g = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c0 = arith.constant 0 : i32
    %x = tensor.extract %t[%j] : tensor<6xi32>
    %c = arith.cmpi ne, %x, %c0 : i32
    %v = scf.if %c -> (i32) {
      %q = arith.divsi %s, %x : i32
      %row = arith.index_cast %i : index to i32
      %sum = arith.addi %q, %row : i32
      scf.yield %sum : i32
    } else {
      scf.yield %s : i32
    }
    tensor.yield %v : i32
  } : tensor<4x6xi32>
  %p = tensor.pad %t low[2] high[2] {
  ^bb0(%i: index):
    %c3 = arith.constant 3 : index
    %c = arith.cmpi ult, %i, %c3 : index
    %v = scf.if %c -> (i32) {
      %k = arith.index_cast %i : index to i32
      scf.yield %k : i32
    } else {
      scf.yield %s : i32
    }
    tensor.yield %v : i32
  } : tensor<6xi32> to tensor<10xi32>
  return %g, %p : tensor<4x6xi32>, tensor<10xi32>
}
