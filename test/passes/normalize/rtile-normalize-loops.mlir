// RUN: roller-opt %s "--rtile-normalize=unroll-limit=2 fuse-axes=false" | FileCheck %s

// Four steps of which two may have kernels of their own: each takes the position of its row from a table of its own.
// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[A:.*]]: tensor<8x8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK-DAG: %[[T0:.*]] = arith.constant dense<[0, 1]> : tensor<2xi64>
// CHECK-DAG: %[[T1:.*]] = arith.constant dense<[1, 3]> : tensor<2xi64>
// CHECK-DAG: %[[T2:.*]] = arith.constant dense<[2, 5]> : tensor<2xi64>
// CHECK-DAG: %[[T3:.*]] = arith.constant dense<[3, 7]> : tensor<2xi64>
// CHECK-NOT: scf.for
// CHECK-NOT: unrealized_conversion_cast
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[A]]
// CHECK: %[[S0:.*]] = linalg.generic {{.*}} ins(%[[ROWS]], %[[T0]] : tensor<64xf32>, tensor<2xi64>)
// CHECK: "rtile.gather"
// CHECK: %[[X0:.*]] = linalg.sub ins(%[[S0]], %[[B]] :
// CHECK: %[[S1:.*]] = linalg.generic {{.*}} ins(%[[ROWS]], %[[T1]] : tensor<64xf32>, tensor<2xi64>)
// CHECK: %[[X1:.*]] = linalg.sub ins(%[[S1]], %[[X0]] :
// CHECK: %[[S2:.*]] = linalg.generic {{.*}} ins(%[[ROWS]], %[[T2]] : tensor<64xf32>, tensor<2xi64>)
// CHECK: %[[X2:.*]] = linalg.sub ins(%[[S2]], %[[X1]] :
// CHECK: %[[S3:.*]] = linalg.generic {{.*}} ins(%[[ROWS]], %[[T3]] : tensor<64xf32>, tensor<2xi64>)
// CHECK: %[[X3:.*]] = linalg.sub ins(%[[S3]], %[[X2]] :
// CHECK: return %[[X3]]
func.func @f(%a: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c1 to %c9 step %c2 iter_args(%x = %b) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %a[%i, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
    %d = linalg.sub ins(%s, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %d : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
