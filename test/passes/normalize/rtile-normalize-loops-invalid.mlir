// RUN: roller-opt %s "--rtile-normalize=unroll-limit=2" --split-input-file --verify-diagnostics

func.func @f(%a: tensor<9x4xf32>) -> tensor<9x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'scf.for' has steps of 4 different shapes or conditions, each of which becomes kernels of its own, at most 2; let steps have the same shapes, or raise unroll-limit}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> (tensor<9x4xf32>) {
    %n = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %s = tensor.extract_slice %x[%i, 0] [%n, 4] [1, 1] : tensor<9x4xf32> to tensor<?x4xf32>
    %m = linalg.negf ins(%s : tensor<?x4xf32>) outs(%s : tensor<?x4xf32>) -> tensor<?x4xf32>
    %w = tensor.insert_slice %m into %x[%i, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<9x4xf32>
    scf.yield %w : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}

// -----

// A mark of steps that a module was given with says nothing.
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'builtin.unrealized_conversion_cast' cannot be compiled; supported are}}
  %k = builtin.unrealized_conversion_cast %a : tensor<4xf32> to tensor<f32> {rtile.step = "x"}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %b) -> (tensor<4xf32>) {
    %m = linalg.map { arith.mulf } ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>)
    %z = tensor.extract %k[] : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%m : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // expected-error@+1 {{'scf.for' has a step of 0; steps must be at least 1}}
  %r = scf.for %i = %c0 to %c4 step %c0 iter_args(%x = %a) -> (tensor<4xf32>) {
    %m = linalg.negf ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %low = arith.constant 4 : index
  %high = arith.constant 0 : index
  %step = arith.constant -1 : index
  // expected-error@+1 {{'scf.for' has a step of -1; steps must be at least 1}}
  %r = scf.for %i = %low to %high step %step iter_args(%x = %a) -> (tensor<4xf32>) {
    %m = linalg.negf ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %low = arith.constant -9223372036854775808 : index
  %high = arith.constant 9223372036854775807 : index
  %step = arith.constant 1 : index
  // expected-error@+1 {{'scf.for' has 18446744073709551615 steps, with which 18446744073709551615 would be launched, of at most 4096; write the loop as a dimension of linalg ops, or raise launch-limit}}
  %r = scf.for %i = %low to %high step %step iter_args(%x = %a) -> (tensor<4xf32>) {
    %m = linalg.negf ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
