// RUN: roller-opt %s --rtile-normalize --split-input-file --verify-diagnostics

// expected-error@+1 {{module has no function with a body, nothing can be compiled; add a func.func}}
module {
  func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
}

// -----

// expected-error@+1 {{'memref.global' cannot be compiled; a module may hold functions (func.func) only}}
memref.global "private" constant @weights : memref<4xf32> = dense<1.0>

// -----

// expected-error@+1 {{argument 0 of 'f' has type tensor<?x4xf32>; shapes must be static: give every dimension a size}}
func.func @f(%a: tensor<?x4xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 of 'f' has 33 dimensions; tensors have at most 32: collapse some}}
func.func @f(%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// expected-error@+1 {{the name of a 'func.func' is no UTF-8; give it another}}
func.func @"\FF"(%a: tensor<4xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 1 of 'f' has type tensor<0x4xf32>, a dimension of 0; dimensions must be at least 1}}
func.func @f(%a: tensor<4xf32>, %b: tensor<0x4xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 of 'f' has type tensor<*xf32>; ranked tensors can be compiled: give it a rank}}
func.func @f(%a: tensor<*xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 of 'f' has type i4; supported are ranked tensors, and scalars of f32, f16, bf16, f64, i8, i16, i32, i64, i1, index}}
func.func @f(%a: i4) {
  return
}

// -----

// expected-error@+1 {{argument 0 of 'f' is a buffer (memref<4xf32>); linalg on tensors can be compiled, before bufferization}}
func.func @f(%a: memref<4xf32>) {
  return
}

// -----

// expected-error@+1 {{argument 0 of 'f' has element type i4; supported: f32, f16, bf16, f64, i8, i16, i32, i64, i1}}
func.func @f(%a: tensor<4xi4>) -> tensor<4xi4> {
  return %a : tensor<4xi4>
}

// -----

// expected-error@+1 {{result 0 of 'f' has type tensor<?xf32>; shapes must be static: give every dimension a size}}
func.func @f(%a: tensor<4xf32>) -> tensor<?xf32> {
  %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tensor.empty' has tensor<0xf32>, a dimension of 0; dimensions must be at least 1}}
  %e = tensor.empty() : tensor<0xf32>
  %r = tensor.concat dim(0) %e, %a : (tensor<0xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A condition that some points fulfil reads the empty tensor.
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c2 = arith.constant 2 : index
  // expected-error@+1 {{'tensor.empty' has tensor<0xf32>, a dimension of 0; dimensions must be at least 1}}
  %e = tensor.empty() : tensor<0xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c = arith.cmpi ult, %i, %c2 : index
    %s = scf.if %c -> (f32) {
      %t = tensor.extract %e[%i] : tensor<0xf32>
      scf.yield %t : f32
    } else {
      scf.yield %o : f32
    }
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %n: tensor<4xindex>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = linalg.map ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) (%x: f32, %o: f32) {
    %z = arith.constant 0.0 : f32
    %c = arith.cmpf olt, %x, %z : f32
    %s = scf.if %c -> (f32) {
      // expected-error@+1 {{'scf.for' in an 'scf.if' in the body of 'linalg.map' cannot be compiled; a side may hold arith and math operations, 'linalg.index' and 'tensor.extract'}}
      %l = scf.for %i = %c0 to %c1 step %c1 iter_args(%y = %x) -> (f32) {
        scf.yield %y : f32
      }
      scf.yield %l : f32
    } else {
      scf.yield %x : f32
    }
    linalg.yield %s : f32
  }
  return %r : tensor<4xf32>
}

// -----

// expected-error@+1 {{'f' has 2 blocks; control flow cannot be compiled, write straight-line code}}
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %a : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<1xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5000 = arith.constant 5000 : index
  // expected-error@+1 {{'scf.for' has 5000 steps, with which 5000 would be launched, of at most 4096; write the loop as a dimension of linalg ops, or raise launch-limit}}
  %r = scf.for %i = %c0 to %c5000 step %c1 iter_args(%x = %a) -> (tensor<4xf32>) {
    %o = tensor.empty() : tensor<4xf32>
    %n = linalg.negf ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<i32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.extract %b[] : tensor<i32>
  %n = arith.index_cast %s : i32 to index
  // expected-error@+1 {{'scf.for' has bounds that are known at run time only; give constants}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<4xf32>) {
    %o = tensor.empty() : tensor<4xf32>
    %m = linalg.negf ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'scf.while' is control flow, which cannot be compiled; write straight-line code}}
  %r = scf.while (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.extract %x[%c0] : tensor<4xf32>
    %n = arith.cmpf olt, %e, %e : f32
    scf.condition(%n) %x : tensor<4xf32>
  } do {
  ^bb0(%y: tensor<4xf32>):
    %o = tensor.empty() : tensor<4xf32>
    %m = linalg.negf ins(%y : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// expected-note@+1 {{'g' is declared here}}
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'func.call' calls 'g', which has no body in the module; add its definition}}
  %r = func.call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tosa.abs' cannot be compiled; supported are linalg structured ops on tensors and tensor.bitcast, tensor.collapse_shape, tensor.concat, tensor.expand_shape, tensor.extract_slice, tensor.from_elements, tensor.gather, tensor.generate, tensor.insert, tensor.insert_slice, tensor.pad, tensor.reshape, tensor.scatter, tensor.splat}}
  %r = tosa.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<8x8xf32>, %b: tensor<i32>) -> tensor<4x8xf32> {
  %i = tensor.extract %b[] : tensor<i32>
  %o = arith.index_cast %i : i32 to index
  // expected-error@+1 {{'tensor.extract_slice' has strides that are known at run time only; give them as numbers}}
  %r = tensor.extract_slice %a[0, 0] [4, 8] [%o, 1] : tensor<8x8xf32> to tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

func.func @f() -> tensor<4xf32> {
  %m = memref.alloc() : memref<4xf32>
  // expected-error@+1 {{'linalg.negf' works on buffers (memref<4xf32>); linalg on tensors can be compiled}}
  linalg.negf ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  %r = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f() -> tensor<4xf32> {
  // expected-error@+1 {{'memref.alloc' cannot be compiled; lower to linalg on tensors and stop before bufferization and vectorization}}
  %m = memref.alloc() : memref<4xf32>
  %r = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf80>
  // expected-error@+1 {{'linalg.generic' operand or result has element type f80; supported: f32, f16, bf16, f64, i8, i16, i32, i64, i1}}
  %d = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4xf80>) {
  ^bb0(%x: f32, %o: f80):
    %c = arith.constant 1.0 : f80
    linalg.yield %c : f80
  } -> tensor<4xf80>
  %e1 = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%d : tensor<4xf80>) outs(%e1 : tensor<4xf32>) {
  ^bb0(%x: f80, %o: f32):
    %c = arith.truncf %x : f80 to f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    // expected-error@+1 {{'arith.extf' in the body of 'linalg.generic' computes in f80; supported: f32, f16, bf16, f64, i8, i16, i32, i64, i1, index}}
    %w = arith.extf %x : f32 to f80
    %s = math.sqrt %w : f80
    %c = arith.truncf %s : f80 to f32
    linalg.yield %c : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    // expected-error@+1 {{'index.mul' in the body of 'linalg.generic' cannot be compiled; bodies may hold arith and math operations}}
    %j = index.mul %i, %i
    %n = arith.index_cast %j : index to i64
    %y = arith.sitofp %n : i64 to f32
    linalg.yield %y : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error@+1 {{more than 72057594037927936 elements; indices are 64 bits wide}}
func.func @too_many_elements(%a: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  return %a : tensor<4294967296x4294967296xf32>
}

// -----

func.func @padding_to_another_size(%a: tensor<4xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %high = arith.constant 1 : index
  // expected-error@+1 {{'tensor.pad' by low [0] and high [1] cannot give tensor<8xf32> of tensor<4xf32>}}
  %r = tensor.pad %a low[0] high[%high] {
  ^bb0(%j: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @negative_padding(%a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{'tensor.pad' has low [-1] and high [1]; paddings must be at least 0, and what is cut off is extracted elsewhere}}
  %r = tensor.pad %a low[-1] high[1] {
  ^bb0(%j: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @chosen_padding_to_another_size(%a: tensor<4xf32>, %s: f32) -> tensor<8xf32> {
  %high = arith.constant 1 : index
  // expected-error@+1 {{'tensor.pad' by low [0] and high [1] cannot give tensor<8xf32> of tensor<4xf32>}}
  %r = tensor.pad %a low[0] high[%high] {
  ^bb0(%j: index):
    tensor.yield %s : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @integer_power(%a: tensor<8xi32>, %o: tensor<8xi32>) -> tensor<8xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a : tensor<8xi32>) outs(%o : tensor<8xi32>) {
  ^bb0(%x: i32, %acc: i32):
    // expected-error@+1 {{'math.ipowi' in the body of 'linalg.generic' cannot be compiled; multiply with arith.muli, or use math.fpowi on floats}}
    %q = math.ipowi %x, %x : i32
    linalg.yield %q : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// -----

// What is named is the condition and not how it is taken from the scalar.
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error@+1 {{'scf.if' is control flow, which cannot be compiled; write straight-line code}}
  %r = scf.if %c -> (tensor<4xf32>) {
    %s = arith.addf %a, %b : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Sizes that are data are refused in loops, too, where outputs that nobody reads are made anew.
#map = affine_map<(d0) -> (d0)>
// expected-error@+1 {{'tensor.extract' cannot be compiled; supported are linalg structured ops on tensors}}
func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %l = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %m = arith.addi %i, %c1 : index
    %k = arith.minsi %n, %m : index
    %s = tensor.extract_slice %a[0] [%k] [1] : tensor<4xf32> to tensor<?xf32>
    %e = tensor.empty(%k) : tensor<?xf32>
    %t = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %g = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%s : tensor<?xf32>) outs(%t : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %h = math.exp %in : f32
      linalg.yield %h : f32
    } -> tensor<?xf32>
    %r = tensor.insert_slice %g into %a[0] [%k] [1] : tensor<?xf32> into tensor<4xf32>
    scf.yield %r : tensor<4xf32>
  }
  return %l : tensor<4xf32>
}
