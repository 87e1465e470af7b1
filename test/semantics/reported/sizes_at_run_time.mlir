// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes are known at run time only.
// gives: error 1:14: argument 0 of 'f' has type tensor<?x?xf32>; shapes must be static: give every dimension a size

func.func @f(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.exp ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
