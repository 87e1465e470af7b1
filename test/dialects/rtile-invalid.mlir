// RUN: roller-opt %s --split-input-file --verify-diagnostics
// Every message of the dialect's verifiers.

// rtile.load.

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op requires attribute 'tile' (#rtile.tile<shape, layer, steps>)}}
  %t = "rtile.load"(%s, %i) {origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op attribute 'tile' must be #rtile.tile<shape, layer, steps>, but is 1 : i64}}
  %t = "rtile.load"(%s, %i) {tile = 1, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op tile shape must be an array of integers, but is ["a"]}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<["a"], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op tile shape must hold integers of at least 1, but holds 0}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[0], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op tile steps must hold integers of at least 1, but holds -1}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [-1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op tile has 1 dimensions, but 2 steps}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1, 1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op tile layer must be 'workgroup' or 'register' or 'constant', but is 'l2'}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "l2", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op tile has 2 dimensions, but the source tensor<64xf32> has 1}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32, 1], "workgroup", [1, 1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op needs a source operand}}
  %t = "rtile.load"() {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : () -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op source must be a ranked tensor or memref, but is f32}}
  %t = "rtile.load"(%x, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (f32, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op source must have a static shape, but is tensor<?xf32>}}
  %t = "rtile.load"(%d, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<?xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op source must have dimensions of at least 1, but is tensor<0xf32>}}
  %t = "rtile.load"(%z, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<0xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op tile positions must be of type index, but one is f32}}
  %t = "rtile.load"(%s, %x) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, f32) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op requires attribute 'origin' (an affine map)}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, 
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op origin must not have symbols, but has 1}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0)[s0] -> (s0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op origin needs 1 dimensions, one per index operand, but has 2}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0, d1) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op origin needs 1 results, one per source dimension, but has 2}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32, d0)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op needs 1 result of type tensor<32xf32>, but has 0}}
  "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> ()
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op result must be tensor<32xf32>, as tile says, but is tensor<16xf32>}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<16xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op has unknown attribute 'padding'; known are layout, operandSegmentSizes, origin, pad, tile}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, padding = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op attribute 'layout' must be #rtile.layout<{...}>, but is {order = [0]}}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = {order = [0]}, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op of a workgroup tile requires attribute 'layout'}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index) {
  // expected-error@+1 {{'rtile.load' op of a constant tile has a source of tiles x elements, but it is tensor<64xf32>}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "constant", [1]>, origin = affine_map<(d0) -> (d0)>,
      pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<2x32xf32>, %i: index) {
  // expected-error@+1 {{'rtile.load' op of a constant tile requires attribute 'layout'}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "constant", [1]>, origin = affine_map<(d0) -> (d0)>,
      pad = 0.0 : f32} : (tensor<2x32xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout.width: expected one of the keys ['copy', 'fragment_vector', 'interleave', 'order', 'pad', 'panel', 'store_vector', 'swizzle', 'vector'], but got 'width'}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, width = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout.order: missing}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout.order: expected a list, but got 0}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = 0, pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout.order[0]: expected an integer, but got 'x'}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = ["x"], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout.order[0]: expected an integer of at least 0, but got -1}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [-1], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout 'order' must hold each of 1 dimensions once, but is [0, 0]}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0, 0], pad = 1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout.pad: expected an integer of at least 0, but got -1}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = -1, vector = 4}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout.vector: expected a power of two, but got 3}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 3}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op layout cannot be read: expected a boolean, number, string, array or dictionary attribute, but got i32}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = i32}>, pad = 0.0 : f32} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op attribute 'pad' must be a number, but is "zero"}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = "zero"} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op pad must be of the element type f32, but is f64}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, pad = 0.0 : f64} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op operandSegmentSizes must be array<i32: ...>, but is array<i64: 1, 1>}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, operandSegmentSizes = array<i64: 1, 1>} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op operandSegmentSizes needs 2 sizes (source, indices), but has 1}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, operandSegmentSizes = array<i32: 2>} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op operandSegmentSizes must not be negative, but is array<i32: 3, -1>}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, operandSegmentSizes = array<i32: 3, -1>} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op operandSegmentSizes must sum to the 2 operands, but sums to 3}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, operandSegmentSizes = array<i32: 1, 2>} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

func.func @load(%s: tensor<64xf32>, %i: index, %x: f32, %d: tensor<?xf32>, %z: tensor<0xf32>) {
  // expected-error@+1 {{'rtile.load' op needs exactly 1 operand as source, but operandSegmentSizes gives 2}}
  %t = "rtile.load"(%s, %i) {tile = #rtile.tile<[32], "workgroup", [1]>, origin = affine_map<(d0) -> (d0 * 32)>,
      layout = #rtile.layout<{order = [0], pad = 1, vector = 4}>, operandSegmentSizes = array<i32: 2, 0>} : (tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

// rtile.store.

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op needs a tile and a destination operand, but has 1}}
  "rtile.store"(%t) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}
      : (tensor<32xf32>) -> ()
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op tile must be a ranked tensor, but is memref<64xf32>}}
  %r = "rtile.store"(%m, %d, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}
      : (memref<64xf32>, tensor<64xf32>, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op destination must be a ranked tensor or memref, but is f32}}
  %r = "rtile.store"(%t, %x, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}
      : (tensor<32xf32>, f32, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op tile tensor<4x8xf32> has 2 dimensions, but the destination tensor<64xf32> has 1}}
  %r = "rtile.store"(%w, %d, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}
      : (tensor<4x8xf32>, tensor<64xf32>, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op element types must be equal, but are tensor<32xf64> and tensor<64xf32>}}
  %r = "rtile.store"(%h, %d, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}
      : (tensor<32xf64>, tensor<64xf32>, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op requires attribute 'steps' (array<i64: ...>)}}
  %r = "rtile.store"(%t, %d, %i) {origin = affine_map<(d0) -> (d0 * 32)>}
      : (tensor<32xf32>, tensor<64xf32>, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op steps must hold integers of at least 1, but holds 0}}
  %r = "rtile.store"(%t, %d, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 0>}
      : (tensor<32xf32>, tensor<64xf32>, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op steps needs 1 values, one per destination dimension, but has 2}}
  %r = "rtile.store"(%t, %d, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1, 1>}
      : (tensor<32xf32>, tensor<64xf32>, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op origin needs 1 results, one per destination dimension, but has 2}}
  %r = "rtile.store"(%t, %d, %i) {origin = affine_map<(d0) -> (d0 * 32, d0)>, steps = array<i64: 1>}
      : (tensor<32xf32>, tensor<64xf32>, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op into a memref has no result, but here it has 1}}
  %r = "rtile.store"(%t, %m, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}
      : (tensor<32xf32>, memref<64xf32>, index) -> tensor<64xf32>
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op into a tensor needs 1 result of type tensor<64xf32>, but has 0}}
  "rtile.store"(%t, %d, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}
      : (tensor<32xf32>, tensor<64xf32>, index) -> ()
  return
}

// -----

func.func @store(%t: tensor<32xf32>, %d: tensor<64xf32>, %m: memref<64xf32>, %i: index, %x: f32, %h: tensor<32xf64>, %w: tensor<4x8xf32>) {
  // expected-error@+1 {{'rtile.store' op result must have the destination's type tensor<64xf32>, but is tensor<32xf32>}}
  %r = "rtile.store"(%t, %d, %i) {origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}
      : (tensor<32xf32>, tensor<64xf32>, index) -> tensor<32xf32>
  return
}

// -----

// rtile.compute.

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op requires attribute 'operandSegmentSizes' (array<i32: ...>) for its groups inputs, accumulators, indices}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op requires attribute 'box' (array<i64: ...>)}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op box must hold integers of at least 1, but holds 0}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 0>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op bounds needs 3 values, one per loop of the box, but has 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op iterator_types needs 3 entries, one per loop, but has 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op iterator_types must hold #linalg.iterator_type<parallel> or #linalg.iterator_type<reduction>, but holds "reduction"}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, "reduction"],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op origin needs 3 results, one per loop of the box, but has 1}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing_maps needs 3 maps, one per input and accumulator, but has 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing map 0 must be an affine map, but is 1 : i64}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [1, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing map 0 needs 3 dimensions, one per loop of the box, but has 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing map 0 needs 2 results, one per tile dimension, but has 1}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing map 0 reaches 0 to 15 in dimension 1 of tile tensor<16x8xf32>, which has 0 to 7}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing map 0 reaches -1 to 6 in dimension 1 of tile tensor<16x8xf32>, which has 0 to 7}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2 - 1)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing map 2 of an accumulator must not use reduction loop 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d2)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing map 2 of an accumulator must select loops, but is (d0, d1, d2) -> (d0, d1 floordiv 2)}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1 floordiv 2)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op indexing map 2 of an accumulator must select each loop once, but is (d0, d1, d2) -> (d0, d0)}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d0)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op tile operand 0 must be a ranked tensor, but is memref<16x8xf32>}}
  %r = "rtile.compute"(%m, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (memref<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op needs an accumulator operand, which the result updates}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 3, 0, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op skips must hold numbers of its 2 inputs, but holds 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>, skips = array<i64: 0, 2>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op results must have the types of the accumulators: number 0 is tensor<8x8xf32>, not tensor<16x16xf32>}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<8x8xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op needs 1 results, one per accumulator, but has 0}}
  "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> ()
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op attribute 'threads' must be #rtile.threads<{...}>, but is 256 : i64}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = 256}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op threads.count: expected one of the keys ['axes', 'lane', 'lane_order', 'order', 'unroll'], but got 'count'}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, count = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op threads 'axes' needs 3 pairs, one per loop, but has 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op threads 'axes' must hold [threads, chunk] of at least 1, but loop 2 has [1]}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op threads of loop 0: box of 16 must be a multiple of 4 threads x 3 elements = 12}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 3], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op threads 'order' must name the loops with more than 1 thread once each, [0, 1], but is [1]}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op threads 'lane' must be -1 or one of 3 loops, but is 3}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 3, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op threads.unroll: expected an integer of at least 1, but got 0}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 0}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op needs 3 region arguments, one per tile element, but has 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %q, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op region arguments must have the types of the tile elements: number 0 is f64, not f32}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f64, %q: f32, %o: f32):
    %t = arith.mulf %q, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op needs 1 'rtile.yield' operands, one per accumulator element, but has 2}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u, %t) : (f32, f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op region must end in 'rtile.yield', but ends in 'ub.unreachable'}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    ub.unreachable
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op needs a region of 1 block, but it has 0}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

func.func @compute(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>, %m: memref<16x8xf32>, %i: index, %x: f32) {
  // expected-error@+1 {{'rtile.compute' op has unknown attribute 'stages'; known are bounds, box, indexing_maps, instruction, iterator_types, operandSegmentSizes, origin, resultSegmentSizes, skips, threads}}
  %r = "rtile.compute"(%a, %b, %c, %i) ({
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    "rtile.yield"(%u) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 2, 1, 1>,
      indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                       affine_map<(d0, d1, d2) -> (d0, d1)>],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      stages = 2, box = array<i64: 16, 16, 8>, bounds = array<i64: 16, 16, 100>, origin = affine_map<(d0) -> (0, 0, d0 * 8)>,
      threads = #rtile.threads<{axes = [[4, 4], [8, 2], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
      : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<16x16xf32>, index) -> tensor<16x16xf32>
  return
}

// -----

// rtile.program.

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op requires attribute 'sym_name' (a string)}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op requires a name, but sym_name is empty}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = ""} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op has unknown attribute 'grid'; known are joined, max_units, operandSegmentSizes, persistent, pipeline, plan, resultSegmentSizes, sym_name, tasks_per_unit}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", grid = 8} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op tasks_per_unit must be at least 1, but is 0 : i64}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", tasks_per_unit = 0} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op max_units is of programs that are persistent}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", max_units = 8} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op pipeline must be one of direct, register-prefetch, deep-asynchronous, warp-specialised, but is "fast"}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", pipeline = "fast"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op attribute 'plan' must be #rtile.plan<{...}>, but is {device = "h200"}}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = {device = "h200"}} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op operand 0 must be a ranked tensor or memref, but is f32}}
  %r = "rtile.program"(%x) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (f32) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op operand 0 must have a static shape, but is tensor<?xf32>}}
  %r = "rtile.program"(%d) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<?xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op operands must be all tensors or all memrefs, but are mixed}}
  %r = "rtile.program"(%a, %m) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>, memref<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op on memrefs has no results, but here it has 1}}
  %r = "rtile.program"(%m) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (memref<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op result 0 must be a tensor, but is f32}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op region arguments must have the types of the operands: number 0 is tensor<4xf32>, not tensor<8xf32>}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<4xf32>):
    "rtile.yield"(%p) : (tensor<4xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op needs 1 region arguments, one per operand, but has 2}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op needs 1 'rtile.yield' operands, one per result, but has 0}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"() : () -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op 'rtile.yield' operands must have the types of the results: number 0 is tensor<8xf32>, not tensor<4xf32>}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @program(%a: tensor<8xf32>, %m: memref<8xf32>, %x: f32, %d: tensor<?xf32>) {
  // expected-error@+1 {{'rtile.program' op unexpected number of regions: expected 1 but got 0}}
  %r = "rtile.program"(%a) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// #rtile.plan.

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.grid: expected one of the keys ['atom', 'axes', 'device', 'edge', 'epilogue_vectors', 'inner_order', 'instruction', 'lane', 'max_units', 'operands', 'part', 'persistent', 'pipeline', 'prediction', 'raster', 'reduction_order', 'skips', 'split', 'spread', 'stages', 'store', 'tasks_per_unit', 'thread_order', 'unit_order', 'unroll'], but got 'grid'}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, grid = 1,
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.device: missing}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.device: expected a string, but got 9}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = 9, instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.edge: expected 'mask', but got 'peel'}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "peel",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.stages: expected an integer of at least 1, but got 0}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 0, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.part.parts: expected an integer of at least 2, but got 1}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], part = {loop = 0, parts = 1, extent = 8}, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.part.extent: missing}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], part = {loop = 0, parts = 2}, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan 'split' is of two programs; rtile-construct gives each stage a plan of its own}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], unroll = 1, edge = "mask",
      split = {loop = 0, parts = 2, extent = 4, join = {device = "h200", axes = [], thread_order = [], unit_order = [], reduction_order = [], operands = []}},
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.max_units: expected an integer of at least 1, but got 0}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], max_units = 0, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.axes[0]: expected an object (AxisPlan), but got 8}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [8],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan axis 0: box of 8 must be a multiple of 4 threads x 3 elements = 12}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 3}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.axes[0].block: expected an integer, but got 1.5}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 1.5, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan 'thread_order' must name the loops with more than 1 thread once each, [0], but is []}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan 'lane' must be one of 1 loops, but is 1}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 1, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan 'unit_order' must hold some of 1 loops, but holds 2}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [2], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan orders must name a loop once, but loop 0 occurs again in 'reduction_order'}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [0], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.operands[0].layer: expected 'workgroup' or 'register' or 'constant', but got 'l1'}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "l1", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @plan(%a: tensor<8xf32>) {
  // expected-error@+1 {{'rtile.program' op plan.operands[0].vector: expected a power of two, but got 3}}
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy", plan = #rtile.plan<{device = "h200", instruction = "fma", axes = [{block = 8, threads = 4, chunk = 2}],
      thread_order = [0], lane = 0, unit_order = [0], reduction_order = [], stages = 1, unroll = 1, edge = "mask",
      operands = [{layer = "register", order = [0], pad = 0, vector = 3, store_vector = 1, fragment_vector = 1}]}>}
      : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Attributes of loops.

func.func @loop(%a: tensor<8xf32>) {
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{'rtile.program' op holds 'scf.for' with attribute 'rtile.mapping' = "thread", which must be "unit", "inner" or "row"}}
    scf.for %i = %c0 to %c1 step %c1 {
    } {rtile.mapping = "thread"}
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @loop(%a: tensor<8xf32>) {
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{'rtile.program' op holds 'scf.for' with attribute 'rtile.stages' = 0 : i64, which must be an integer of at least 1}}
    scf.for %i = %c0 to %c1 step %c1 {
    } {rtile.stages = 0}
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @loop(%a: tensor<8xf32>) {
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{'rtile.program' op holds 'scf.for' with attribute 'rtile.unit', which is unknown; known are rtile.mapping, rtile.stages}}
    scf.for %i = %c0 to %c1 step %c1 {
    } {rtile.unit}
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @loop(%a: tensor<8xf32>) {
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{'rtile.program' op holds 'arith.constant' with attribute 'rtile.stages', which belongs on 'scf.for'}}
    %c1 = arith.constant {rtile.stages = 2} 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
    } {rtile.mapping = "unit"}
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// rtile.yield and the dialect.

func.func @yield(%x: f32) {
  // expected-error@+1 {{'rtile.yield' op must be inside 'rtile.program', 'rtile.compute' or 'rtile.map_load', not func.func}}
  "rtile.yield"(%x) : (f32) -> ()
}

// -----

func.func @yield_attribute(%a: tensor<8xf32>) {
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    // expected-error@+1 {{'rtile.yield' op has unknown attribute 'last'; known are operandSegmentSizes}}
    "rtile.yield"(%p) {last} : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @not_a_terminator(%a: tensor<8xf32>) {
  %r = "rtile.program"(%a) ({
  ^bb0(%p: tensor<8xf32>):
    // expected-error@+1 {{'rtile.yield' op must be the last operation in the parent block}}
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
    "rtile.yield"(%p) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @not_isolated(%a: tensor<8xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %r = "rtile.program"() ({
    // expected-error@+1 {{'rtile.yield' op using value defined outside the region}}
    "rtile.yield"(%a) : (tensor<8xf32>) -> ()
  }) {sym_name = "copy"} : () -> tensor<8xf32>
  return
}

// -----

func.func @index_outside() {
  // expected-error@+1 {{'rtile.index' op must stand in the region of an 'rtile.compute', but stands in 'func.func'}}
  %p = "rtile.index"() {dim = 0 : i64} : () -> index
  return
}

// -----

func.func @index(%z: tensor<8xf32>, %i: index) {
  %s = "rtile.compute"(%z, %i) ({
  ^bb0(%o: f32):
    // expected-error@+1 {{'rtile.index' op requires attribute 'dim' (an integer)}}
    %p = "rtile.index"() : () -> index
    "rtile.yield"(%o) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 0, 1, 1>, indexing_maps = [affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xf32>, index) -> tensor<8xf32>
  return
}

// -----

func.func @index(%z: tensor<8xf32>, %i: index) {
  %s = "rtile.compute"(%z, %i) ({
  ^bb0(%o: f32):
    // expected-error@+1 {{'rtile.index' op dim must be a loop of its 'rtile.compute', 0 to 0, but is 1}}
    %p = "rtile.index"() {dim = 1 : i64} : () -> index
    "rtile.yield"(%o) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 0, 1, 1>, indexing_maps = [affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xf32>, index) -> tensor<8xf32>
  return
}

// -----

func.func @index(%z: tensor<8xf32>, %i: index) {
  %s = "rtile.compute"(%z, %i) ({
  ^bb0(%o: f32):
    // expected-error@+1 {{'rtile.index' op has unknown attribute 'loop'; known are dim}}
    %p = "rtile.index"() {dim = 0 : i64, loop = 1 : i64} : () -> index
    "rtile.yield"(%o) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 0, 1, 1>, indexing_maps = [affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xf32>, index) -> tensor<8xf32>
  return
}

// -----

func.func @unknown() {
  // expected-error@+1 {{unregistered operation 'rtile.stor' found in dialect ('rtile') that does not allow unknown operations}}
  "rtile.stor"() : () -> ()
  return
}

// -----

// expected-error@+1 {{expected 3 type arguments, but had 1}}
func.func private @attribute() attributes {rtile.x = #rtile.tile<[1]>}

// -----

func.func @gather(%t: tensor<8xf32>, %z: tensor<8xf32>, %i: index) {
  %s = "rtile.compute"(%t, %z, %i) ({
  ^bb0(%e: f32, %o: f32):
    %p = "rtile.index"() {dim = 0 : i64} : () -> index
    %f = arith.addf %e, %e : f32
    // expected-error@+1 {{'rtile.gather' op needs an argument of its body and a position, but has 1}}
    %x = "rtile.gather"(%e) : (f32) -> f32
    "rtile.yield"(%o) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 1, 1, 1>,
      indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xf32>, tensor<8xf32>, index) -> tensor<8xf32>
  return
}

// -----

func.func @gather(%t: tensor<8xf32>, %z: tensor<8xf32>, %i: index) {
  %s = "rtile.compute"(%t, %z, %i) ({
  ^bb0(%e: f32, %o: f32):
    %p = "rtile.index"() {dim = 0 : i64} : () -> index
    %f = arith.addf %e, %e : f32
    // expected-error@+1 {{'rtile.gather' op needs an argument of the body that it stands in as its first operand}}
    %x = "rtile.gather"(%f, %p) : (f32, index) -> f32
    "rtile.yield"(%o) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 1, 1, 1>,
      indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xf32>, tensor<8xf32>, index) -> tensor<8xf32>
  return
}

// -----

func.func @gather(%t: tensor<8xf32>, %z: tensor<8xf32>, %i: index) {
  %s = "rtile.compute"(%t, %z, %i) ({
  ^bb0(%e: f32, %o: f32):
    %p = "rtile.index"() {dim = 0 : i64} : () -> index
    %f = arith.addf %e, %e : f32
    // expected-error@+1 {{'rtile.gather' op position must be an index, but is f32}}
    %x = "rtile.gather"(%e, %o) : (f32, f32) -> f32
    "rtile.yield"(%o) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 1, 1, 1>,
      indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xf32>, tensor<8xf32>, index) -> tensor<8xf32>
  return
}

// -----

func.func @gather(%t: tensor<8xf32>, %z: tensor<8xf32>, %i: index) {
  %s = "rtile.compute"(%t, %z, %i) ({
  ^bb0(%e: f32, %o: f32):
    %p = "rtile.index"() {dim = 0 : i64} : () -> index
    %f = arith.addf %e, %e : f32
    // expected-error@+1 {{'rtile.gather' op result must be f32, as the argument, but is f64}}
    %x = "rtile.gather"(%e, %p) : (f32, index) -> f64
    "rtile.yield"(%o) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 1, 1, 1>,
      indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xf32>, tensor<8xf32>, index) -> tensor<8xf32>
  return
}

// -----

func.func @gather(%t: tensor<8xf32>, %z: tensor<8xf32>, %i: index) {
  %s = "rtile.compute"(%t, %z, %i) ({
  ^bb0(%e: f32, %o: f32):
    %p = "rtile.index"() {dim = 0 : i64} : () -> index
    %f = arith.addf %e, %e : f32
    // expected-error@+1 {{'rtile.gather' op has unknown attribute 'dim'; known are none}}
    %x = "rtile.gather"(%e, %p) {dim = 0 : i64} : (f32, index) -> f32
    "rtile.yield"(%o) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 1, 1, 1>,
      indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>],
      iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
      origin = affine_map<(d0) -> (d0 * 8)>, threads = #rtile.threads<{axes = [[8, 1]], order = [0], unroll = 1}>}
      : (tensor<8xf32>, tensor<8xf32>, index) -> tensor<8xf32>
  return
}
