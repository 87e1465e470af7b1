// RUN: roller-opt %s --rtile-expand --verify-diagnostics --split-input-file

func.func @no_plan(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'rtile.program' has no plan to expand; run rtile-construct first}}
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8xf32>):
    "rtile.yield"(%x) : (tensor<8xf32>) -> ()
  }) {sym_name = "p"} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @no_op(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'rtile.program' with a plan must hold a linalg structured op, but holds none}}
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8xf32>):
    "rtile.yield"(%x) : (tensor<8xf32>) -> ()
  }) {sym_name = "p", plan = #rtile.plan<{
      device = "h200", instruction = "fma", edge = "mask", stages = 1, unroll = 1,
      axes = [{block = 8, threads = 8, chunk = 1}], thread_order = [0], unit_order = [], reduction_order = [],
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @plan_of_another_op(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{'rtile.program' has a plan for 1 loops and 1 inputs, but its op has 2 and 1}}
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8x8xf32>):
    %e = tensor.empty() : tensor<8x8xf32>
    %r = linalg.copy ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    "rtile.yield"(%r) : (tensor<8x8xf32>) -> ()
  }) {sym_name = "p", plan = #rtile.plan<{
      device = "h200", instruction = "fma", edge = "mask", stages = 1, unroll = 1,
      axes = [{block = 8, threads = 8, chunk = 1}], thread_order = [0], unit_order = [], reduction_order = [],
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @accumulator_from_a_value(%a: tensor<8x4xf32>) -> tensor<8xf32> {
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8x4xf32>):
    %one = arith.constant 1.0 : f32
    %two = arith.addf %one, %one : f32
    %e = tensor.empty() : tensor<8xf32>
    // expected-error@+1 {{'linalg.fill' operand 0 is a scalar that is no constant; pass it as a tensor}}
    %i = linalg.fill ins(%two : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r = linalg.reduce ins(%x : tensor<8x4xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %q = arith.addf %acc, %in : f32
        linalg.yield %q : f32
      }
    "rtile.yield"(%r) : (tensor<8xf32>) -> ()
  }) {sym_name = "p", plan = #rtile.plan<{
      device = "h200", instruction = "fma", edge = "mask", stages = 1, unroll = 1,
      axes = [{block = 8, threads = 8, chunk = 1}, {block = 4, threads = 1, chunk = 1}],
      thread_order = [0], unit_order = [], reduction_order = [1],
      operands = [{layer = "register", order = [0, 1], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>
  } : (tensor<8x4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @not_planned(%a: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'linalg.copy' stands in no program; run rtile-construct first}}
  %r = linalg.copy ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @loop_without_order(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{'rtile.program' has a plan whose unit_order [1] leaves out loop 0, which has several blocks}}
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8x4xf32>):
    %e = tensor.empty() : tensor<8x4xf32>
    %r = linalg.copy ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
    "rtile.yield"(%r) : (tensor<8x4xf32>) -> ()
  }) {sym_name = "p", plan = #rtile.plan<{
      device = "h200", instruction = "fma", edge = "mask", stages = 1, unroll = 1,
      axes = [{block = 4, threads = 4, chunk = 1}, {block = 4, threads = 4, chunk = 1}],
      thread_order = [1, 0], unit_order = [1], reduction_order = [],
      operands = [{layer = "register", order = [0, 1], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @argument_yielded(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'rtile.program' yields value 0, which none of its linalg ops makes; copy it}}
  %0 = "rtile.program"(%a) ({
  ^bb0(%x: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %r = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    "rtile.yield"(%x) : (tensor<8xf32>) -> ()
  }) {sym_name = "p", plan = #rtile.plan<{
      device = "h200", instruction = "fma", edge = "mask", stages = 1, unroll = 1,
      axes = [{block = 8, threads = 8, chunk = 1}], thread_order = [0], unit_order = [], reduction_order = [],
      operands = [{layer = "register", order = [0], pad = 0, vector = 1, store_vector = 1, fragment_vector = 1}]}>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
