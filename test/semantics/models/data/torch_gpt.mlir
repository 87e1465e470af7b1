#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0) -> (d0)>
#map9 = affine_map<(d0, d1) -> (0, d1)>
#map10 = affine_map<(d0, d1) -> (d0, 0)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> ()>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @gpt(%arg0: tensor<2x8xi64>) -> tensor<2x8x20xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c20 = arith.constant 20 : index
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %c3_i64 = arith.constant 3 : i64
    %cst_2 = arith.constant 4.471500e-02 : f32
    %cst_3 = arith.constant 7.977240e-01 : f32
    %cst_4 = arith.constant 1.000000e+00 : f32
    %cst_5 = arith.constant 5.000000e-01 : f32
    %cst_6 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_7 = arith.constant dense<true> : tensor<8x8xi1>
    %cst_8 = arith.constant dense_resource<torch_tensor_16_torch.float32_7> : tensor<16xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_16_torch.float32_6> : tensor<16xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_16_torch.float32_5> : tensor<16xf32>
    %cst_11 = arith.constant dense_resource<torch_tensor_16_64_torch.float32> : tensor<16x64xf32>
    %cst_12 = arith.constant dense_resource<torch_tensor_64_torch.float32> : tensor<64xf32>
    %cst_13 = arith.constant dense_resource<torch_tensor_64_16_torch.float32> : tensor<64x16xf32>
    %cst_14 = arith.constant dense_resource<torch_tensor_16_torch.float32_4> : tensor<16xf32>
    %cst_15 = arith.constant dense_resource<torch_tensor_16_torch.float32_3> : tensor<16xf32>
    %cst_16 = arith.constant dense_resource<torch_tensor_16_torch.float32_2> : tensor<16xf32>
    %cst_17 = arith.constant dense_resource<torch_tensor_16_16_torch.float32> : tensor<16x16xf32>
    %cst_18 = arith.constant 2.8284271247461903 : f64
    %cst_19 = arith.constant dense_resource<torch_tensor_48_torch.float32> : tensor<48xf32>
    %cst_20 = arith.constant dense_resource<torch_tensor_48_16_torch.float32> : tensor<48x16xf32>
    %cst_21 = arith.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %cst_22 = arith.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_23 = arith.constant 1.000000e-05 : f64
    %cst_24 = arith.constant dense_resource<torch_tensor_8_16_torch.float32> : tensor<8x16xf32>
    %cst_25 = arith.constant dense_resource<torch_tensor_20_16_torch.float32> : tensor<20x16xf32>
    %cst_26 = arith.constant 1.600000e+01 : f64
    %cst_27 = arith.constant 1.600000e+01 : f32
    %0 = tensor.empty() : tensor<2x8x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x8xi64>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: i64, %out: f32):
      %104 = arith.index_cast %in : i64 to index
      %105 = linalg.index 2 : index
      %106 = arith.cmpi slt, %104, %c20 : index
      cf.assert %106, "index must be smaller than dim size"
      %107 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %107, "index must be larger or equal to 0"
      %extracted = tensor.extract %cst_25[%104, %105] : tensor<20x16xf32>
      linalg.yield %extracted : f32
    } -> tensor<2x8x16xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %cst_24 : tensor<2x8x16xf32>, tensor<8x16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %3 = tensor.empty() : tensor<2x8x16xf64>
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x8x16xf32>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %104 = arith.extf %in : f32 to f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %5 = tensor.empty() : tensor<2x8x1xf64>
    %6 = linalg.fill ins(%cst : f64) outs(%5 : tensor<2x8x1xf64>) -> tensor<2x8x1xf64>
    %7 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<2x8x16xf64>) outs(%6 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.addf %in, %out : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x8x1xf64>) outs(%5 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.divf %in, %cst_26 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %9 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %8 : tensor<2x8x16xf64>, tensor<2x8x1xf64>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_58: f64, %out: f64):
      %104 = arith.subf %in, %in_58 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<2x8x16xf64>, tensor<2x8x16xf64>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_58: f64, %out: f64):
      %104 = arith.mulf %in, %in_58 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %11 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<2x8x16xf64>) outs(%6 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.addf %in, %out : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x8x1xf64>) outs(%5 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.divf %in, %cst_26 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %13 = tensor.empty() : tensor<2x8x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<2x8x1xf64>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %104 = arith.truncf %in : f64 to f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<2x8x16xf32>) outs(%15 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.addf %in, %out : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.divf %in, %cst_27 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.truncf %cst_23 : f64 to f32
      %105 = arith.addf %in, %104 : f32
      linalg.yield %105 : f32
    } -> tensor<2x8x1xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = math.rsqrt %in : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %17 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.subf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %19 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.mulf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %cst_22 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.mulf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %cst_21 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %collapsed = tensor.collapse_shape %23 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
    %24 = tensor.empty() : tensor<16x48xf32>
    %transposed = linalg.transpose ins(%cst_20 : tensor<48x16xf32>) outs(%24 : tensor<16x48xf32>) permutation = [1, 0] 
    %25 = linalg.fill ins(%cst_0 : f32) outs(%24 : tensor<16x48xf32>) -> tensor<16x48xf32>
    %26 = linalg.matmul ins(%collapsed, %transposed : tensor<16x16xf32>, tensor<16x48xf32>) outs(%25 : tensor<16x48xf32>) -> tensor<16x48xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%26, %cst_19 : tensor<16x48xf32>, tensor<48xf32>) outs(%24 : tensor<16x48xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<16x48xf32>
    %expanded = tensor.expand_shape %27 [[0, 1], [2]] output_shape [2, 8, 48] : tensor<16x48xf32> into tensor<2x8x48xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 8, 16] [1, 1, 1] : tensor<2x8x48xf32> to tensor<2x8x16xf32>
    %extracted_slice_28 = tensor.extract_slice %expanded[0, 0, 16] [2, 8, 16] [1, 1, 1] : tensor<2x8x48xf32> to tensor<2x8x16xf32>
    %extracted_slice_29 = tensor.extract_slice %expanded[0, 0, 32] [2, 8, 16] [1, 1, 1] : tensor<2x8x48xf32> to tensor<2x8x16xf32>
    %expanded_30 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 8, 2, 8] : tensor<2x8x16xf32> into tensor<2x8x2x8xf32>
    %28 = tensor.empty() : tensor<2x2x8x8xf32>
    %transposed_31 = linalg.transpose ins(%expanded_30 : tensor<2x8x2x8xf32>) outs(%28 : tensor<2x2x8x8xf32>) permutation = [0, 2, 1, 3] 
    %expanded_32 = tensor.expand_shape %extracted_slice_28 [[0], [1], [2, 3]] output_shape [2, 8, 2, 8] : tensor<2x8x16xf32> into tensor<2x8x2x8xf32>
    %expanded_33 = tensor.expand_shape %extracted_slice_29 [[0], [1], [2, 3]] output_shape [2, 8, 2, 8] : tensor<2x8x16xf32> into tensor<2x8x2x8xf32>
    %transposed_34 = linalg.transpose ins(%expanded_33 : tensor<2x8x2x8xf32>) outs(%28 : tensor<2x2x8x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_35 = linalg.transpose ins(%expanded_32 : tensor<2x8x2x8xf32>) outs(%28 : tensor<2x2x8x8xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_36 = tensor.collapse_shape %transposed_31 [[0, 1], [2], [3]] : tensor<2x2x8x8xf32> into tensor<4x8x8xf32>
    %collapsed_37 = tensor.collapse_shape %transposed_35 [[0, 1], [2], [3]] : tensor<2x2x8x8xf32> into tensor<4x8x8xf32>
    %29 = tensor.empty() : tensor<4x8x8xf32>
    %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %31 = linalg.batch_matmul ins(%collapsed_36, %collapsed_37 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%30 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %expanded_38 = tensor.expand_shape %31 [[0, 1], [2], [3]] output_shape [2, 2, 8, 8] : tensor<4x8x8xf32> into tensor<2x2x8x8xf32>
    %32 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<2x2x8x8xf32>) outs(%28 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.truncf %cst_18 : f64 to f32
      %105 = arith.divf %in, %104 : f32
      linalg.yield %105 : f32
    } -> tensor<2x2x8x8xf32>
    %33 = tensor.empty() : tensor<8xi64>
    %34 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel"]} outs(%33 : tensor<8xi64>) {
    ^bb0(%out: i64):
      %104 = linalg.index 0 : index
      %105 = arith.index_cast %104 : index to i64
      linalg.yield %105 : i64
    } -> tensor<8xi64>
    %expanded_39 = tensor.expand_shape %34 [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
    %expanded_40 = tensor.expand_shape %34 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
    %35 = tensor.empty() : tensor<8x8xi64>
    %36 = linalg.generic {indexing_maps = [#map9, #map10, #map5], iterator_types = ["parallel", "parallel"]} ins(%expanded_39, %expanded_40 : tensor<1x8xi64>, tensor<8x1xi64>) outs(%35 : tensor<8x8xi64>) {
    ^bb0(%in: i64, %in_58: i64, %out: i64):
      %104 = arith.subi %in, %in_58 : i64
      linalg.yield %104 : i64
    } -> tensor<8x8xi64>
    %37 = tensor.empty() : tensor<8x8xi1>
    %38 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<8x8xi64>) outs(%37 : tensor<8x8xi1>) {
    ^bb0(%in: i64, %out: i1):
      %104 = arith.cmpi sge, %in, %c1_i64 : i64
      linalg.yield %104 : i1
    } -> tensor<8x8xi1>
    %39 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel"]} ins(%38, %cst_7 : tensor<8x8xi1>, tensor<8x8xi1>) outs(%37 : tensor<8x8xi1>) {
    ^bb0(%in: i1, %in_58: i1, %out: i1):
      %104 = arith.andi %in, %in_58 : i1
      linalg.yield %104 : i1
    } -> tensor<8x8xi1>
    %40 = linalg.generic {indexing_maps = [#map11, #map12, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %cst_6, %32 : tensor<8x8xi1>, tensor<f32>, tensor<2x2x8x8xf32>) outs(%28 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: i1, %in_58: f32, %in_59: f32, %out: f32):
      %104 = arith.select %in, %in_58, %in_59 : f32
      linalg.yield %104 : f32
    } -> tensor<2x2x8x8xf32>
    %41 = tensor.empty() : tensor<2x2x8xi64>
    %42 = linalg.fill ins(%c0_i64 : i64) outs(%41 : tensor<2x2x8xi64>) -> tensor<2x2x8xi64>
    %43 = tensor.empty() : tensor<2x2x8xf32>
    %44 = linalg.fill ins(%cst_1 : f32) outs(%43 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %45:2 = linalg.generic {indexing_maps = [#map7, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<2x2x8x8xf32>) outs(%44, %42 : tensor<2x2x8xf32>, tensor<2x2x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_58: i64):
      %104 = linalg.index 3 : index
      %105 = arith.index_cast %104 : index to i64
      %106 = arith.maximumf %in, %out : f32
      %107 = arith.cmpf ogt, %in, %out : f32
      %108 = arith.select %107, %105, %out_58 : i64
      linalg.yield %106, %108 : f32, i64
    } -> (tensor<2x2x8xf32>, tensor<2x2x8xi64>)
    %expanded_41 = tensor.expand_shape %45#0 [[0], [1], [2, 3]] output_shape [2, 2, 8, 1] : tensor<2x2x8xf32> into tensor<2x2x8x1xf32>
    %46 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %expanded_41 : tensor<2x2x8x8xf32>, tensor<2x2x8x1xf32>) outs(%28 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.subf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x2x8x8xf32>
    %47 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<2x2x8x8xf32>) outs(%28 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = math.exp %in : f32
      linalg.yield %104 : f32
    } -> tensor<2x2x8x8xf32>
    %48 = tensor.empty() : tensor<2x2x8x1xf32>
    %49 = linalg.fill ins(%cst_0 : f32) outs(%48 : tensor<2x2x8x1xf32>) -> tensor<2x2x8x1xf32>
    %50 = linalg.generic {indexing_maps = [#map7, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<2x2x8x8xf32>) outs(%49 : tensor<2x2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.addf %in, %out : f32
      linalg.yield %104 : f32
    } -> tensor<2x2x8x1xf32>
    %51 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %50 : tensor<2x2x8x8xf32>, tensor<2x2x8x1xf32>) outs(%28 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.divf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x2x8x8xf32>
    %collapsed_42 = tensor.collapse_shape %51 [[0, 1], [2], [3]] : tensor<2x2x8x8xf32> into tensor<4x8x8xf32>
    %collapsed_43 = tensor.collapse_shape %transposed_34 [[0, 1], [2], [3]] : tensor<2x2x8x8xf32> into tensor<4x8x8xf32>
    %52 = linalg.batch_matmul ins(%collapsed_42, %collapsed_43 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%30 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %expanded_44 = tensor.expand_shape %52 [[0, 1], [2], [3]] output_shape [2, 2, 8, 8] : tensor<4x8x8xf32> into tensor<2x2x8x8xf32>
    %53 = tensor.empty() : tensor<2x8x2x8xf32>
    %transposed_45 = linalg.transpose ins(%expanded_44 : tensor<2x2x8x8xf32>) outs(%53 : tensor<2x8x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_46 = tensor.collapse_shape %transposed_45 [[0, 1], [2, 3]] : tensor<2x8x2x8xf32> into tensor<16x16xf32>
    %54 = tensor.empty() : tensor<16x16xf32>
    %transposed_47 = linalg.transpose ins(%cst_17 : tensor<16x16xf32>) outs(%54 : tensor<16x16xf32>) permutation = [1, 0] 
    %55 = linalg.fill ins(%cst_0 : f32) outs(%54 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %56 = linalg.matmul ins(%collapsed_46, %transposed_47 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%55 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %57 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%56, %cst_16 : tensor<16x16xf32>, tensor<16xf32>) outs(%54 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<16x16xf32>
    %expanded_48 = tensor.expand_shape %57 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %expanded_48 : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<2x8x16xf32>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %104 = arith.extf %in : f32 to f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %60 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%59 : tensor<2x8x16xf64>) outs(%6 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.addf %in, %out : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %61 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<2x8x1xf64>) outs(%5 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.divf %in, %cst_26 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %62 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %61 : tensor<2x8x16xf64>, tensor<2x8x1xf64>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_58: f64, %out: f64):
      %104 = arith.subf %in, %in_58 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %63 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %62 : tensor<2x8x16xf64>, tensor<2x8x16xf64>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_58: f64, %out: f64):
      %104 = arith.mulf %in, %in_58 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %64 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%63 : tensor<2x8x16xf64>) outs(%6 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.addf %in, %out : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %65 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x8x1xf64>) outs(%5 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.divf %in, %cst_26 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %66 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<2x8x1xf64>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %104 = arith.truncf %in : f64 to f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%58 : tensor<2x8x16xf32>) outs(%15 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.addf %in, %out : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.divf %in, %cst_27 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %69 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.truncf %cst_23 : f64 to f32
      %105 = arith.addf %in, %104 : f32
      linalg.yield %105 : f32
    } -> tensor<2x8x1xf32>
    %70 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = math.rsqrt %in : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58, %68 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.subf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %72 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %70 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.mulf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %73 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72, %cst_15 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.mulf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %74 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %cst_14 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %collapsed_49 = tensor.collapse_shape %74 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
    %75 = tensor.empty() : tensor<16x64xf32>
    %transposed_50 = linalg.transpose ins(%cst_13 : tensor<64x16xf32>) outs(%75 : tensor<16x64xf32>) permutation = [1, 0] 
    %76 = linalg.fill ins(%cst_0 : f32) outs(%75 : tensor<16x64xf32>) -> tensor<16x64xf32>
    %77 = linalg.matmul ins(%collapsed_49, %transposed_50 : tensor<16x16xf32>, tensor<16x64xf32>) outs(%76 : tensor<16x64xf32>) -> tensor<16x64xf32>
    %78 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%77, %cst_12 : tensor<16x64xf32>, tensor<64xf32>) outs(%75 : tensor<16x64xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<16x64xf32>
    %expanded_51 = tensor.expand_shape %78 [[0, 1], [2]] output_shape [2, 8, 64] : tensor<16x64xf32> into tensor<2x8x64xf32>
    %79 = tensor.empty() : tensor<2x8x64xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_51 : tensor<2x8x64xf32>) outs(%79 : tensor<2x8x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = math.fpowi %in, %c3_i64 : f32, i64
      %105 = arith.mulf %104, %cst_2 : f32
      %106 = arith.addf %in, %105 : f32
      %107 = arith.mulf %106, %cst_3 : f32
      %108 = math.tanh %107 : f32
      %109 = arith.addf %108, %cst_4 : f32
      %110 = arith.mulf %109, %cst_5 : f32
      %111 = arith.mulf %in, %110 : f32
      linalg.yield %111 : f32
    } -> tensor<2x8x64xf32>
    %collapsed_52 = tensor.collapse_shape %80 [[0, 1], [2]] : tensor<2x8x64xf32> into tensor<16x64xf32>
    %81 = tensor.empty() : tensor<64x16xf32>
    %transposed_53 = linalg.transpose ins(%cst_11 : tensor<16x64xf32>) outs(%81 : tensor<64x16xf32>) permutation = [1, 0] 
    %82 = linalg.matmul ins(%collapsed_52, %transposed_53 : tensor<16x64xf32>, tensor<64x16xf32>) outs(%55 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %83 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel"]} ins(%82, %cst_10 : tensor<16x16xf32>, tensor<16xf32>) outs(%54 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<16x16xf32>
    %expanded_54 = tensor.expand_shape %83 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32>
    %84 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58, %expanded_54 : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<2x8x16xf32>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %104 = arith.extf %in : f32 to f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %86 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%85 : tensor<2x8x16xf64>) outs(%6 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.addf %in, %out : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %87 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86 : tensor<2x8x1xf64>) outs(%5 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.divf %in, %cst_26 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %88 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %87 : tensor<2x8x16xf64>, tensor<2x8x1xf64>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_58: f64, %out: f64):
      %104 = arith.subf %in, %in_58 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %89 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %88 : tensor<2x8x16xf64>, tensor<2x8x16xf64>) outs(%3 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_58: f64, %out: f64):
      %104 = arith.mulf %in, %in_58 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x16xf64>
    %90 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%89 : tensor<2x8x16xf64>) outs(%6 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.addf %in, %out : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %91 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<2x8x1xf64>) outs(%5 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %104 = arith.divf %in, %cst_26 : f64
      linalg.yield %104 : f64
    } -> tensor<2x8x1xf64>
    %92 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<2x8x1xf64>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %104 = arith.truncf %in : f64 to f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %93 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%84 : tensor<2x8x16xf32>) outs(%15 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.addf %in, %out : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %94 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.divf %in, %cst_27 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %95 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = arith.truncf %cst_23 : f64 to f32
      %105 = arith.addf %in, %104 : f32
      linalg.yield %105 : f32
    } -> tensor<2x8x1xf32>
    %96 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95 : tensor<2x8x1xf32>) outs(%13 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %104 = math.rsqrt %in : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x1xf32>
    %97 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84, %94 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.subf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %98 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %96 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.mulf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %99 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %cst_9 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.mulf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %100 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99, %cst_8 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%0 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_58: f32, %out: f32):
      %104 = arith.addf %in, %in_58 : f32
      linalg.yield %104 : f32
    } -> tensor<2x8x16xf32>
    %101 = tensor.empty() : tensor<16x20xf32>
    %transposed_55 = linalg.transpose ins(%cst_25 : tensor<20x16xf32>) outs(%101 : tensor<16x20xf32>) permutation = [1, 0] 
    %collapsed_56 = tensor.collapse_shape %100 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
    %102 = linalg.fill ins(%cst_0 : f32) outs(%101 : tensor<16x20xf32>) -> tensor<16x20xf32>
    %103 = linalg.matmul ins(%collapsed_56, %transposed_55 : tensor<16x16xf32>, tensor<16x20xf32>) outs(%102 : tensor<16x20xf32>) -> tensor<16x20xf32>
    %expanded_57 = tensor.expand_shape %103 [[0, 1], [2]] output_shape [2, 8, 20] : tensor<16x20xf32> into tensor<2x8x20xf32>
    return %expanded_57 : tensor<2x8x20xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_torch.float32_7: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_6: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32_5: "0x04000000207AEE3D22798FBD9444423D2890E83DFCE6533D6C99EDBDA0C78EBD284B593D7428A7BD0880EF3CDCE19F3D78E681BC4CEB543DA09866BDACCCF83D5C876C3D",
      torch_tensor_16_64_torch.float32: "0x040000000C65BCBD20D9873D8074EBBCF2D594BDBCFC5B3DC46ECD3DF690C73DEC59CF3D6206D9BD009BB2BCE037973D44F01CBDD2F4E23DB0FE23BD9673D13DC845953C907134BC807C75BC8093013D4411DD3D10D5273C78A4B5BDEA039A3D40A26B3BA466F6BDD24AFD3D1E47AABD1CDDB93D68EDDBBD0090953BEA33B43D604C48BCC01EE6BD34CBD9BD2820123D60AA023C7C25CA3D9496023D6C4B773DC06EBF3BD80F38BD3E7DD8BD4AA790BD661EBDBDB0A1A2BDDC611FBD6C282EBDC848BF3CC4B1F5BD6E2F853DF094563D9873D93C804ACA3A44C99BBDCCD1ECBD8021BEBAC068BB3CB06A253C70B9593C60B8B1BD0A62AB3DA424B6BD1E01BD3D402BCEBD68B7DCBDE0829ABBDC4241BDD833A3BD3439A6BD5ED0EB3D9038E1BD04FC033D7831CD3D56B6983D1475E93D68CAD43C90FAECBD16308CBD80536F3CFC0E2CBDC070793CD8AF7EBDD88F04BD9CE88BBD10AB543C1AD8C4BDD84445BDEC67593D00E558BBCE67A53D5CE544BDD2E0CA3DE8EDC3BC58CBEC3CDC5E79BD6882813DC0CFA93C604C003D4A0C963D90F1C0BCBC45FFBD34A40ABD081FFDBC9493DF3D20265F3CB8A37F3DA03A893DE4080DBDE8249ABCA81ECD3DC657EA3D60709CBBAC0AF43DDC00113D805EE93D00AACDBBACBB9C3DE4FD5E3DDEA49D3DA437803D64C2A63D80DC88BB7847CCBC041E69BD8823E4BCF0954A3CBAF5EEBDE66CBC3DE28FEE3DB686813D10395F3C8AB8A2BD4890833CE0F766BC90F0003C841FE33D80F8B83AC8EDC5BD8C388D3D9C16F1BDD412253DA0CE7F3D440EDD3D8220C4BD82FBE83D20F4ACBD70C92F3D28ABE0BDB08AC63DBEBFD7BDD660DF3DFA7E873DACE5963DA2ACBBBDFE4AADBDC6A2D6BD002A033A0017793CA8F3CF3C907B5D3CE80844BD3CA0B6BD44FD843D4C22B73D881B56BDDC3A323D44CD1BBD5AF0C93DC8ECA53C2EC89E3D508E3B3C9C67323D72D28C3DBCB58CBD4070C33C7A39C73DE0157CBD90F3C13C3A2DF7BD2CB36B3D608A84BCE018B0BBF2AB8A3D56DECB3D10A7383C2034EBBCB8A1E73CB033CABC98F6EFBD2AC0FD3D324BAE3D3050CABD6ED3A43DE0B0733DFA258B3DA6D2EABD00773BBA4071A3BD6A99F7BD8C85ABBDAC22D6BD98A2553D0089D0BCB09482BD0025A83ABEA4C63D24D6013DD86470BD08FDE73DD4DBB8BD5834C6BDD2A7973D5E87F3BD509DD1BDA6C3DD3D3A4EE63D621CC43D602833BDAEEBF1BDF895E83D68A3DFBDA4663BBD58D2903DE03558BCFAFBB63D50A8FD3D0035EE3B2C878E3D0C79ED3D80F3DB3BD65681BD20AF8C3BF86D30BDA4499C3D2048E3BB085FC13DA4CF51BDF05DC2BD086EA7BD9A2B9E3DC68B94BD68E2443D9CBAAB3D503701BD5022243C683673BD3693F33D90AE873C1AC2D2BD7060AFBD4C5F6CBD189DB93D5C8BA0BD988AAABCFA3FBDBD5A6CA3BD6287C5BD6CFFBC3D98428DBDDE83E1BD50F82CBC8077D0BD22E1CABD840E20BDE4BA6EBD5257C5BDA4769ABD4CCABEBD48D7E53C18E5BABC2AD4D7BD9859013D94E4BABDC64EB53DF00CFEBD6CFDBABD6883B8BCFC42BCBD7CC4833D1CE190BDC01D633B5A68EB3D4082873BACEA873D984DEFBD58D99D3DE4A6773D3C883DBD00BDD3BC6802C4BC42D2E8BD90DF7A3DE022EF3BD8B78CBD32D2AB3DE893C5BCD0E81DBD8611973D7293BCBDAAF9E1BD4A08CFBD84FB81BDA052CE3D50D37DBC7C00333DE03399BDC0648C3B082DF13D06489F3D60420BBC28F8F4BCC8F215BD30BF30BD805F0D3CF6A8D73DD0A66BBCC020AB3CFA17ABBD9866EC3D90BDA03C224FEB3D8C18C23DEE67A2BD2637BFBD36ACDE3DCC1B34BDDC2D213DB488CDBD3C53063D62F3A1BD10FF8F3C1A33FF3D784784BDAC046E3DD8A8AC3DF0DCEB3CE0C5E1BB287CD63C4088E6BCE86EFBBD50D1AF3D5809F1BC50EBF13DFE62DD3DB80D99BC3CB1AE3D30AEEABC00C7DDBAFA48D8BD760AF93D4858873D124ED9BD508A393D689603BD4A01A33DF0C1203C88BA00BDA06387BCE063B8BC943E41BDF84BA7BD142923BDA048913C0EDEE3BD5863CE3D80FFAEBB669FBB3D16B48FBDFCEF7C3D9871183D504CFDBCD47352BDACAC223DF06D89BD0CDFFDBD069E873D3C02C53D9824673D7292CEBD8011C5BA70FB553CA2F5E73DB891A9BDA0FE613CC0F5F4BB1258A93D5C62E2BD00567A3D3EAC8F3D7E49E13DC282B13DAEDD83BDC8FF57BD309364BDC89FFF3C009728BA7692C4BDE8D2F9BD10E43FBC6C07F9BD20BFEABC20E002BC0030B1BA76EEEEBDF4A56F3D20C5D23C604BA63C202589BCC2C0C83DBE18CC3D1EA79BBD48D8073DFAE8B6BD164EA1BDC0CC55BD449A2EBD2A38F43D52C7EB3D903638BDB2BF8F3D8644FA3DD0DE803DAAE3A43D0C19B83D7AF8CD3D604AC63B72BEA93D04E1BB3D004E35BD605194BDD882A93CE0E5A2BD2073DA3CBC0447BD5A6CAEBD0CE4D73DE21CF23D1036973D3E8EEB3D10141E3C2C9D143DDA15B6BDF08D50BCD818FEBD5CC35A3D744457BDC43861BD3A00BE3D74DFE33D86A6853DE0222F3C5AE5A03D60E1A63D7462213DB842053DC0A9973CFCC2983DD010CCBD24973F3D4865D63C7091F93DAC0E6FBD287ED5BCCCC7D23D28546E3D28DF5CBD22B4E5BDD40E70BDC43A4D3D14D4F83DE2AAF73D0C4284BDC25AAABD048F9C3DC0EF50BC9A20B23D162CC5BDB8D22F3D30A114BD98B88CBC50818CBDCECDFDBD8AADA6BDA01703BC8A01D1BDF8F2E5BC0C4218BD30F10B3C3A0ED73DF0CA43BC8002213C2A8DFCBD08849E3C3441E6BD30BC013D02B0C6BDDC93ECBDC0036DBD7A30B23DF0AC7A3D147DE23D802181BBFC8E4EBDE0A3DF3CC8EDA0BD24CE9F3D60FBEB3D7ACD90BDC6A7EC3DA4114ABD5274803D509F31BD40DF5EBDC8B8F33C94211F3DC0ACEE3C80B2B5BCDED2DA3DF0EA6ABD0802853C1CAA4F3DDAF9FABD6C76533D94EE9BBDE48A5E3DEE17ADBD509643BC5ADCD2BD40DCD93C1AFEE83D7CDEA43D607C8EBD68A2BF3DA80DD33C001CFF39303F09BD1277F53DE4BAC0BD6EDDC73DB63BC23DD8FCD23C4824223D862E88BDC0FD633D2016A63B6C396FBD5C070D3DACABF03D80F0103D3CC2B2BDC043893D1C002A3D54FF10BD8CEF35BDFE24853D5E0AD13DD8D64ABD1C4AA7BDE625EE3DD0F1C2BD803E593B201162BD18B3B13CB21BA2BDFC419E3D50AFB63DDA0FB9BD2CB2283D90338A3C80E4F33D36A8C3BD44D1A1BD1031E2BC6A4CBDBD88C02EBD4EC08EBD00C25C3C4C49393DF82C98BCD058433D7AE4A13D84C2E0BDF47B80BDFCE2F83DA6D1A93D9E6EF2BD3451953DC423ECBD002EB63D9E048F3D5090D23CD635ECBD78C59CBD02A3FB3D2874B6BDA447E3BD2CACE2BD809D4CBB482B783D9A5B93BD7487B63DBC4EBC3DB05684BDB21F84BDEA70873DAE0FA13DC807AB3CB43B7E3DA020FC3CC057ABBDA452E0BD3E6DCCBD48BEFFBD3AF8A4BD90358FBDA0575DBC80D7B7BDE455E93DEC2993BDD4D91F3DF84AE1BDA0DFC2BC38E7AABDCE07E23DF0DD6ABD7C7A0ABDFEBBC83DA05881BBA478AE3DE4C17CBDE8B59FBD108DBF3DDE4B813D303E533DD842B93DB0C08E3CFEA4803DACA37FBD986CD3BC566FE13D7A43C8BD80F9223BC2EEB5BD8088963D9AAEF83DAC80A73D74EF073D80B3A3BDB8AAAEBC144BE2BD5024F23C6A9BAB3D108A1DBC70363CBCA4B97C3DEC9882BDA2E1E83DC00C703CCC6D38BDB462423D34B7153D78C799BC0810D33DEE59FDBD7C7CF93D3646D2BD2865933CCC1308BD00EE59BC80B633BCAA86B33D4C716DBDD0E19F3DC07F9E3B3038593C88CA9D3CE812FC3CA0905A3C6EE0F5BDC221D0BDCC16AA3D5C60953DE4B0143D709F0D3C9C3234BDCE8CCD3D0E6ADF3DF053933D104D8DBD28DB443D10C9313C44FB253D20C2A33D98A6ED3D080FF23C1A20963DD4A483BDCE2C9D3D0037143DACA7F03DA06DD83B8278E83D40851FBC087C9D3CE049CF3DB4CCB13DF657D73D0AC992BDAE94AABDC2D2ABBD506826BDE019F53D0654D73DD0763D3D406763BC1C93593D38604E3DA232F9BD408824BBF4638C3DC886A8BC72B3F5BDF85190BCB293C73DCCB704BD006FF0BDB832F13D9897AF3C28F6DF3C386BB13C607B263D7096ABBD5487F4BD809081BC503926BC3002EDBDAA68F03DECAF95BD2401F7BDB0011A3CA001FABC6813EDBC7E8DCFBDE2208C3D9269A1BDC08765BC4871B23D3EE2B53D3296E83D702A8EBD064F973DD45D74BD1C8FD9BD00F89FBB48C1FF3C00A3C43D56B1A8BD0070F1BAA00C0E3CA2D092BD9C8DCA3D48E1B7BD9C48F4BD404D37BC60C3CB3CF25CDABDD25FF83DBC21A13D8C0D69BD641386BDC02C1BBCF654DD3D5813BBBC0E7C813D30A585BDC0AC23BB06D0D93DF0F2003D88582D3D58C558BD00C5A6BAE4BAEB3D002FFDBC501914BDA2D4EC3DE06CB5BB04B6E53D98B1D53CA80D513DCCCE1B3D2014FC3DD2CF94BDA414483D862D9BBDE0A0BA3D4CA6EB3D3633983D5CF3333D84DCE43DC05A15BB0C0337BDB82C9F3C60A8F6BC8859823D7864BCBC167CECBDE0129C3C7067C63DB89DA0BD641FD43DF48389BD581FB0BD2410463DC0CFC33C30AEFFBC0A27DF3DE096E7BC208F9C3D0082F0B9F2ADD63DA29195BDA41F0CBD7841343D50E75BBCEC7B27BD2A89AEBD32F2A43D92CC873DE813C9BCDC81CF3D0840AEBCE81D2E3D704C393C54B8B53D38A60E3DF4E47C3D1C882C3D0A88AE3DD81E93BC004864BDE01B643DC0DEA3BD0CE1FFBDEC9D8CBDE615E7BD2AD1AABD6874CCBC4025AA3B442261BD90861ABD60E68C3DC0F87ABCA83A333DFCE5B0BD4059FBBDE823B3BDC0A0B53BD43A473D84301C3DD0658CBCFC0BC53D2232CFBDA24DA6BD30E44CBDCEB8803D348E4DBD70DC883C622CFFBDE026DFBC6C8CDA3D408BE1BC66F5DBBD18DB413DB049ADBD88C0F33C4CBD50BD26D6E93D9C9E6DBD480A99BC60D072BC109FD83CB0B1EEBCBAA5C13D78EE083D4002AE3C50B58BBC800B58BB007016B86227983D2250FEBD68B1BABC003466BBC0C26ABB80D9B23DE06EC9BC70059F3CA8F7453DBEE2C33D80AFFA3BECE747BD5EE8AC3D009CF23CAE51EE3D8E33F2BD1C396CBD8AC4E6BDA0C00B3DEE1AB8BD06E0813D8CFBF2BDE02D883B68A70EBD381CCABDE4732BBD18C025BDF8D4B0BD2CFB0EBD0CD463BD80ABAFBA7A99E3BDB8FF6A3D70FEBCBC2C71A23D1491F1BD18D4F9BC440CB63DF4A79ABD02A5F03DC85023BDE821E8BCA03BA13CD4BCC7BD6A37DFBD6096043DA824D03C74BB643D1C9BAFBDD235C3BD6EACB6BD24D4FCBDE4A9363D7E96B6BDF260CDBD003E04BC9A08ADBD38BDD23C0431DE3DE497E1BD00D4FE39A0FE953BC013C5BC704A8E3D243A2D3D68898BBC80DE83BDD00A52BCB8F155BD1ED18D3DD88E3CBD147B9A3D8893F53D9C6011BD60464B3C187B2C3DF0E9F9BDF2F1AEBD1CFFAB3D6433543DC0FEF73D48C2963D08A4DB3DD0BE49BD865F8DBDDA4EA4BD5685D5BD50AF06BD2096C2BDF02F423D3A5DCEBD56A689BD9A8BCCBDC07648BCD2CBE43DB0A311BC26329DBD7C5868BD50EF41BD8627F8BD0ABBA13D0A35EF3DA204A9BDBC52AE3D00E4973CECA8A5BDAC29C93DF80AB8BD887B20BD142EA1BDC2C9893D5CEA913D800E603BF216F9BD4ED2ABBD9E77AABD8080EFBB807B1EBD802A8D3AEECE883D44A8153D80077BBDFCA2D63D847E823D6CD6CF3D1650B83D6EB7C63D20963A3C620EC2BD789EE7BCECC5F53DBE26DD3D50ED0A3C44DC623D12FFB7BDFAB5BC3D",
      torch_tensor_64_torch.float32: "0x04000000308773BE4409FD3D84060A3E8010793EF66D63BEC8A70E3D48926A3DE0AE42BD68C67FBD3C8EA13D101ADB3CA0BD633CD04A9A3D5CCB2B3E0030A13ACCB4D63D387869BDC0B93F3D58BC273EB03BC03DC4FDDFBD1E8971BE70C342BD8090593E6AF2313E38061D3DD4949B3D62AE02BE8C6202BE8090D73B5203233E02FA7B3E6E52173E94A978BE28A91B3EC0290D3C348E04BE66F379BE7C7E9F3D46BC4DBED03A1D3D5665743E26172FBE0C41B23D72D239BECCF39CBDF842443E48EDE03D58BD913D3C3014BECC3E6A3E765618BEE468353ED84943BEB23A44BE868B0A3E9AA2303EE4203FBE2675063E38C7053DACDEBC3DB447873D6052DC3C7487CE3D",
      torch_tensor_64_16_torch.float32: "0x04000000C62E3EBE4615243EB858D1BDE0BF0DBE5A13243E50C9B73CC07F443D34E29FBDC82A7B3D4409233E98AB30BEB04941BDB0C5943CF228503E6AC54D3E225E2F3EE400B9BD0058D039808698BBA24537BE089C38BE287D47BDE85F0BBD34C3AF3D6E2366BE9C60F5BD1C3C4C3E68722E3DAE7135BE2017F43D6082C7BD34A40FBEB028F0BDC4160DBE32130ABEA048303DA033F93DA00A063EC0CD7F3EB252503E7A6E07BEAAD3573ED87B71BD6E69123E7C7CF0BD10B9583E30F290BC340CB03DDE715E3E40205ABDB897CB3DC0648F3D641FB4BDC03AA73B606A543E30C3683D3A8C3B3E84B3FE3D30E8F03D1CD7DABDC06A61BDF0CC1E3E58BC6E3D8298033EAA04433E6CF3DA3DA4E0CD3D904CD6BD8499A73D007FF6BA1872293E647FC53DF4A61FBE5E0F1F3EE89400BDEC11C93DD859E5BD94B360BEB4DBCF3D3281003EFA76483EA69B1B3E583BF23DA201073EC0A0883D6895E7BDB0655F3D461E45BE0A3519BEC0446A3EF08FC63D1899C93D7088CCBC085778BEC0BC92BD201DBBBDCC2AB9BD70D8473DFEA323BEC42F0CBE78795BBD3C285DBEF8C428BD40F198BBD0D889BC0029C5BDB41E8DBDD434493E381D0F3E28086E3DD86631BE5AE921BEA0A0E93D801F04BBC01853BC4CF7A2BD622533BEE2610DBE6A30133EA2C8433E1226153ECEF920BEC0B7D1BBFC0859BE0E1B1ABEB4AB36BE00049B3D489471BE803E3A3E10094E3E30B8AFBC18A6813D70FBB13DE0AA673E80CB643CC04D6A3E44B3BE3DAC9098BDC239413E1C4A923D1022D43D28B2013D88E503BE5EC4673E28975B3D105610BDF070773D9ED502BE74E79C3D18E978BEFE1B143EC246293E042516BE144ED33D801DB03C0C7FA6BD009C723E00D9B9BAE08823BE60CD77BE00C75A3C68DD01BE54186BBE7A8F3CBEA8983C3EF8760ABEF46322BEB6020BBEE07C883C606878BDF44A4BBEF2A41CBEF43731BE78395B3D0040D93768105B3E84E6C43D70354D3D960E583EC0E8473D0828F9BD60B8543E1841EBBD0C7F2CBEFAC3453E1EED633EDA6C113EA8D872BD9E476F3E9E64053EA8E7153D1054A63C1C2EF73D7CA8F3BD1C68B2BD3AD1103ED09C053DA0DC60BC10859FBCC0A5313C68BD7D3E9CCB5C3EFA3671BECA4E47BEE0EA44BE40E119BCD8C57C3D30310EBE300FE53D60DF79BE6A57323E400EBFBBC01FA03DCA1F333E7094DC3C40D0FABD400C8FBD9A30653EA8E550BDC0E03DBCDC0357BEEE4520BE809A6FBCF8B1843DEE2D1CBE40D0523CC20E693E882C703E40A01A3CBC037E3EB0AF753E14AFF93D84024E3E8879363DE020C5BD84654E3E60C2A03DE867513D8040C8BB80F2E3BC9E7957BE48F5F7BDB4082ABE60EA29BDF4C00A3E6C9202BE90DD8F3CE49CC5BDA489C9BD4C289B3DF841C63D0455633EB8394DBD4A02413EAAB13ABEA8F6063DA016313C5EC9753E100D033EC2DA05BEF46DFC3D808D023B7CC547BE56C313BE509A39BE8650523E6C0C563ED49F41BE740EF93D5202733ED0D5D6BC32A3303E3C57453E1016063EA847DFBDEE9B573E1855843D141DF63D869065BE5C5DB93D406E1A3EAA2631BEA6E633BE8490C5BDF02CF63D58ADCABDE01708BD0C267EBEC06694BDF855BFBD767B79BEBC82D13D70C3B13CD48868BE7471EC3DFE2A233ED04220BEB0F0C2BDB014E3BD403BA4BD90AA5C3D82DE313E9CE24A3E0C1041BE7A3C6D3EC01EB83B508B6EBE8A7C0E3ED2A4433E00A71EBD78076EBE2819353E824210BEC28E3DBE406997BD00A5A5BB7047233D8050B83D74C9A43DB0E906BD0A4019BE3C81A7BDE4731B3EA03D603DEE9C1E3EC0C6F13B7069AC3CEC6876BE40E43BBD12690BBE5E5577BED0F6453EAA600A3E4C11633E107A493E14AC263EFAB40ABE7266513EC4E356BEB8017F3D7C5541BEECFF183E005C5DBD622A4C3E28956D3DCC362D3EE0CC18BD563A50BEBEE675BE52DB6ABEF69104BE26EE613EA029B93D2010D43C3442393E06304BBE28081D3D6C9F093EEA6E79BE865F65BE5EA8713ED0AE51BD3EC769BE5C55573E00F63CBB062B003E802BCE3C1079DB3D7A84393E18ACC43DD29A51BE9EB50F3EA0E64CBE7451FE3DB8C257BEC88B76BD10BDD8BC30EF2E3DDA140E3E2AAC38BEF4A05ABEF8951D3EEAB02EBE041F49BEEC3683BD40D69BBD506244BE608C28BC285D983D7A9C613E7454973DCCD49B3D9027133DAC3611BEC0A1F9BC78D42BBDF8C7C73D68670B3E6CC15E3E4E0B04BE80079F3CA05CF63CD41F03BE20262B3EA00D423E103F193D60741FBE988C453E86D3433E04DCF9BD9C750BBE3404633E482C61BE60C87ABCC070A6BC6CC589BD4ED43BBE7468E2BD54AA18BE40BC083D8211283EC26A14BE52CC643EB868D53D10936FBDB88D2E3E20B864BDF00BB3BD3A6969BE20A1AABD40EDADBD6CA1CD3D38A566BE72676A3EC0D3BBBB38BF513D98FC80BDDCED9ABDCCC72BBEC038C3BBE4752C3EA8B5873DD07EA53DDABC3ABE1001FA3D6CC094BD48AD3ABE5C31FCBD62B83FBE202566BD1E466A3E4826EABDA047AEBD3A62443E1C44B1BD0480D73D74333B3E2614093ED25E003E5CCE353E00A89FBB1E9C50BE5C0714BEC0F0A03B0026D0BCC0625E3DD4D3C73DE8101BBDC46FE53D00D271BEE00006BC900A5ABE3C93C93D302A323E780ABEBD105C42BD28F3E03DA464E4BD8898F03DD8652EBE4032EDBB80391FBC7A5D5CBE40A9DABC30EFC0BC00D301BB400E723E887F1EBDD611153EFC1895BDC02408BEF0E7DBBC541216BE0CB3DFBDFCC584BD504D8B3C2E3C0EBE381E07BEE48A3ABEF0EF18BE480F62BEDAA330BEF40594BDB8DD0CBDB452273E208128BCD2220BBEAA1A50BEFC16BFBDC0CBD13BD29F4ABE2461CABDB0ED9D3CDC61693E00DA1E3A10D573BE2CC938BE8A1F40BEA4D52A3E36871D3E80E2BC3BC2FE19BE20F1D8BD58A712BE06166D3E988649BE401B373D9C10E13D4CA75BBED808D83D80BDFE3DD426833DCEFB6D3E2856ECBD66C06CBEF20418BECC336ABEEC28A63D70097A3D0C31EABDA03CB0BDB649143E0060063A220C563E8C11C4BDE82C0B3DA85C7F3DD48EB5BDC4A93F3E24D792BDBC44993D745A4EBE281A7E3D9204313E10E370BE14AA7F3ED0A4993C6C1A773EFCB1253E82DA0B3EA0AB4BBC147AAE3D1062A73DEAAE2DBEF87CF53D64E85F3E406F9FBDDCFD27BE12ED583E08C96B3ED880043D868E3CBE000A2DBC0067E3BA0479323E32016BBEAE212ABE00DFC6BC28B61BBD10A48F3C5816783EC4D6423EEAEE783EC49173BE8A27643EA4C546BE683B97BDB4AD153EA84577BD1820E3BD60884B3C749D733EF0B5A6BC8CD278BE08DE72BD0C2D55BE00F6FF3B68AF3D3EE26C523E90EF353DE44229BE980411BE626F0A3ED8DFD33D5EA00CBE8024833D34DCB5BD7E863ABE4841773EFC34EF3D4001BBBD3003123ECE4C34BE281A093ED027BA3DAC8F94BD566C02BE5027963CF2CB223E6047923CE4D93DBECCB917BE30C3DBBCD44DD23DB842173E6AD4413E006B483E500FB5BC025410BE9E6A41BEC0EFA2BBCA1E5C3E20EACC3DA466BA3D90E3543D3A5B5DBE9C7681BDD8B6FFBD50D752BEC008373E8AA7253E003682BAF8CD1DBE0077B23D5C4C39BE1CC55EBEC0306E3DE407883DCC91C53DF23B773ECC28403E006A95BD809A1E3E86035FBE3240253E6E9F67BE400EA8BD4AEA233E60CEC2BCA8AC3ABEFCA4B23DECA53B3ECC7CAE3D7EA4213E2C98BFBDF42FA83D3C2822BEC03DE7BB60B24B3C18262FBE2829123DC0ABE6BD14CDEBBDD6B578BE7879B43DD65F2E3E6E547F3E8A845B3ECAFC5CBECC0B3A3E6E17663E0A13043E1A08223E0669343E261D223EC0CEDC3CEE8B37BEA088E63CAAE358BECCAD5E3E32DF693E7010B9BD8EF37D3E202A41BD287446BE04620D3EB880503E4EF9643EE073FB3D76DD2E3E18DC0C3E40E2F93DC4735BBE98EAADBD904D103D10954C3EE06EE9BC8821F33D600875BEA4BCE1BD5C5AA23D0C20953D78BD083D502DDC3C74A5153E78C22CBDB8BE283EE4E67E3E78CB20BD9EEA4BBEA0F85C3DF4D5EE3DE487F73DAE5F61BE30CDFEBC604F0EBCCC44CE3D68A30EBDC019523E782BA1BD5E1E243E0C386DBECE327C3E90B9253D26E403BEC6E2283E9097A5BD64CF15BED8C3D4BD88D2733E8E456F3E48F96E3D80FCECBC069921BE00BAA7BDCE3477BE7CDF78BE209A563CB807403EC025AF3C5E454FBE988D9DBD32261D3ED04C633D9056363D321F69BEF84092BDD626563E0092C2BD2863EBBD2CD154BE64A60B3EF0289C3D008FFDBCFEAF383ED6F5173EFABE0A3E6C6E133E003C03BDA072B2BD5C8302BE8004003D28894BBE0062B9BD84FB24BE18A2AE3DE413C53DA0D720BEF8E6A73DE0D1E43C261A493ECAB0423E0EF6183E6C1C2D3EA002C23CF81F613E48047EBE768C3D3EB66D423E3C3DE83DD48A99BD08756FBD4CB2063E00E7E6BA4689363E5860A43D88602C3DF45986BDCE276CBE745142BEF46658BE744D62BE94EC19BEA0B577BD78AF293E8099313D74C9F63D142643BEFCAF6B3EE01C613EAC074A3EAC82A8BD00B6B73AE8B5393DD87CC9BD288FD63DE88544BD5E5B56BE70308CBDAA3F7E3E7CF4E53DE424EC3DE819373DD03E9B3DC8A5B33D300821BEA03BD83C9CA394BDE6D431BEEEFD44BE801763BD226371BE6E7E7ABEA655673EA0897E3C806F48BB44564DBE8894673D148A4C3E2A4E7A3E1EF857BE00FE9FBD10D3493E46AE5C3E4252763E94E069BE4CD556BE3CE205BEA4D1FD3D0C0255BE40CB1A3DCAA2183E903E573D70D36CBD26D0033E58F1033D48A10D3E508123BEBE8C283E7013CE3C80E74BBE94F18D3DE2F32EBECC395E3E102B623DF68A45BE0040353980FDF8BC4CA6C5BDC66172BEECCA26BE46D356BE203D433DC0EB5E3CD086FD3CC4B27CBE6C6529BEFA2B1DBED0DAEA3C9A8C61BE5AA4293ECC6423BE28AE773DE254683EBC92B4BDFE2F5D3E2A2260BEE083B53CC86A71BEE05104BD3A66763E004E423E60FDC63C4860EABDF283093EB40447BEA2C01F3E7CE23EBE7E0E4ABE5033663EFEF73EBE34E4FABD287B293D40A08CBC40C89E3C3AEE0CBE7484BABD284A783EBE81353E50D342BE8020763B2A224ABE644A313E80F5153B72D803BEB2D3663E0C3D0F3E908E28BD5C26ACBD20F7F43CF8D722BE00A06C3B88579BBD1C9545BE2404123E002519BED4C0D6BD18DF35BEA0824B3D4EA1003E6CC5E03D882676BD08370E3DFCBA4CBEC4936CBE08339CBDBA5F44BE081D76BD88CE703E70B04DBEDA4331BE02AD123E3422F8BD7857C23DE05514BDF48B5ABE7883973DE4A28ABD2ADA18BE36C13F3E60C2D7BC24BD993DC0E3B7BB48ED24BE00C55E3CA894BD3DA035CEBC80A89E3C905BA93D9400203EC04B243CD0E4FCBCD62B20BE84ECB7BD9CA1E1BDECCEE5BD445C31BE802919BB2A061EBEF85C033DD8FC8A3DB8314D3E60EA073C709B353EBC381FBE18C894BD8C87C6BD10DBB4BDD22748BE52F55ABED2EF35BE529B5E3EF8FAEABD4835E53D34EAA53D3064073D40443D3D804D39BDE808A7BDB097F73CCC836DBE7ABA003E80CAB0BCB63035BE9834753E22EF48BEFC3AB5BD4068243D10911F3EA025D7BC701DEABC8AF9393E5AC04F3E001283BCD03C17BED6C33FBE2806B63D400B2ABEB4D1A53D8024903B9821D03DCE223ABE6C0261BE0CF4DCBDB4DED1BD2EDD7A3EA06B88BC80636FBD12B31ABEE06B89BD34B7923D98C30FBE0E754A3E1CA425BE",
      torch_tensor_16_torch.float32_4: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_3: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32_2: "0x04000000D87A5D3E58F6D8BDB8A85ABEF058653D3C46CC3DF0F0F23C162B793E924D013E3062943C20452B3E6292363EC0160DBEE8723EBE404607BCD447A5BD82CA28BE",
      torch_tensor_16_16_torch.float32: "0x04000000C031ABBBCC606CBEEAB4313E20C9F3BCE41054BE3890693D7E820A3E46CE5CBE408C47BC2C7F64BEB4F28E3DC03A103D58D8043EC0A94FBD7097713E108170BE385964BDC23B38BEAE113DBED486553EB0000C3E9C1C533EE428E13D3A480EBE88F54EBDEC535CBE427B623EB09D01BD20303ABCA8A3C53D803604BD4ABC34BE80E5463C6220323E3A48233EC2316CBE10D8653EF813D43D2A1874BE0099EABC0E6225BE805CEA3C52F364BE08986DBD480A423E607226BDF0F1463DE05406BE0ADF323EBE3D463E0095433B80F93C3CD8876B3E5AF97BBE0C2FE33D68F530BE687CDFBD9E4777BEE8F1743DE213583EA0D142BDD416D63DF07213BD206B5BBE767A5EBE00ECD1BB46B5353E884E373E9817C9BD68CD503D2276613E9AD14ABEB02C7EBE56477FBE88E5113E5CC251BE3E765BBE0CB8A93D7E45123E3875E83DFAF964BE625C6D3E0C45323EA83EAEBD46B430BE924414BE14400FBE72125DBE827A033E9A24383ED41EB53D4C6DF83D346F13BE88590C3E7250553EA0D10A3E48284E3ED4CEDEBD4C03D93DE024C3BD08C67EBDC426773E40A097BCE0A9323CC09B8F3C8066E73C98C1DEBD06F13B3EFA235A3ECE9A0EBE486C6FBEF02B4BBD7C75F4BDD2B0283E54FEACBDBC39363EF859693DA862B6BD9CEFFFBDA0C7523DAEF94DBE500505BD2A7678BEF25C61BED0431DBEBEC9083E869F44BE94D0743E623077BE8C1B63BEBCDBE33DC087FD3BFC463E3E384B6ABD5849D83D48DE4C3E546D30BE429B33BEBC0C5F3E88175C3E604726BC6E6D133EC87239BE48044C3EC47B95BDA0D1043E4CCD87BDD6CB4CBEF8E3B2BD58AB32BDA083353C20506E3D24CD5CBED62E08BE10FBCBBD6859653D9EBF25BE8EBA573EB091E0BD280A663E50BB833DB8FFE53DC8128DBD08C5DC3D443FF1BD00416E3C8E04233EA0DED7BCA0B5CEBCD030BC3CE6291EBED00C39BE90271EBD00C5FA3C0C20523E802C12BC70F61DBD3001773DF071763D8088C7BC106ADF3D5EE67E3E48F8BEBD640EF3BD00F940BC54C8783E0CA3C13D5A825CBE96223F3EBCE8503E48535C3EFCD2BC3DE07D6DBEE83B123DC05726BC6C0F10BEF0F12EBE30A1B5BC50015D3E080A903DB08AB13C7C28C23D76CF65BE8CE8073E40C2673D40AC15BEB2625EBE04ED2ABE4C0A9B3D9C239A3DC03C253DA87A4ABD946BE03D88D823BEAA90013EA0C602BE14E103BE988B3CBEECC5923DBE3608BEBAC51C3E1465093E8090DCBB7427133EF015153E4CFAC43D4E6B45BE580B51BD281531BDA8D1093E48C4C5BDB8705D3D0CB8CB3D34BA283ED2BC743E50E761BD341949BE461754BE300F65BDBC7B1B3E58BD44BD6E3C53BE4A492DBE7C5D10BE32C110BEE04A123C207CCDBC14590BBEA8B137BD3A7900BE40C232BC48E4DA3D104E9BBC00297BBD78C25E3DF863253E",
      torch_tensor_48_torch.float32: "0x04000000E0CA623E8073433E2AB3163E749D823D7852C53D2411B03D72656F3E5A4C0E3E0012C6BBC08D923DDCFDBDBD02454C3ED8E800BE20D0693E1E25423E24DC44BE2CC367BE80C9C4BBE469EE3D46284B3E7C685BBE68DF7DBD28A27B3DCC42A8BD7C0352BE80578E3DA05BDD3DA00DF7BC3EA8053E58F0283DAC0D4F3EFCEC863D009E793D58DF40BD0424F6BDACF8D63D0290743E383ABB3D5C3364BE6E7B2D3E4621753E80DDDBBB3C322ABE18B68FBD625D2F3E0C18083E60AFDEBC7065333D",
      torch_tensor_48_16_torch.float32: "0x040000007C37E5BD2AEC013EF822A1BDA8370ABD5E723E3E2C32BC3D48B81C3E90D3653E4C84A8BD5875143D061240BE8E757E3E96992BBE0E56733E2A636A3EF0C35E3DDA555DBE200304BCA802D3BDB4F49C3D64C3103EC6910E3EF86DA43D5E2944BEBE5357BE202C973D60A460BD3C4BEF3D94CF783E489C9A3D4A281ABE14D993BDA2BC1D3EA07DC23CCE902E3E006175BE805BFCBCCCB1F9BD3089423E30F4DF3D784A09BD3C866DBED073F1BCF8884F3E0068DBBBC0A429BC5EBD6CBE96AD4A3E02D1533EB6B14DBEB69935BEC076463C207C12BE6E7851BE6CADA03DB4B484BDAC78B13DC872CB3DA8F6633E8419183E22A770BEF04E4EBEF42D4D3E848359BEA8781C3E8E051CBEFE6A4D3E60C7103E6CB430BEC0A653BE087CE0BD1812EABD264A11BE8466343EB07C7B3D208400BDD0138BBCA40ED53DC0C1D13CB094FDBC9E50633EE8A7303ED09A8F3CCCAC303EB8B55CBD2E4942BE5208133E48020E3E400D263DE8695ABEC4CA383E40AA913C54D106BE76DA61BE8AEF04BE9E0A6E3E0CF2FD3D6CDDE1BDE4DA533EAC485B3EB87AFE3D207FB6BCC8E76F3E68AB67BD389DD5BDB0A5F43D6C9BD5BD72DA3A3E242C08BE5C85BC3D76533CBE50922ABE60A14F3C34CC493E163444BE782B88BD4029EE3DB84637BD5AA165BE006F3CBB04D1B3BD90BF733D28ADD23DF0D299BD7A2603BE085C173E308B5CBE1CE2F93DA8C3CD3DE82CCB3D209B32BE08E4CD3DB2C918BEE0CEE43DD862EEBD4062613D80AE333BF80331BE00E46DBE608A71BDE264183E48416ABDB06784BD08F31EBE465439BE7048A6BC84E785BDC035B73D62AC783E200530BE583C9DBD58F2BD3DC4CA2CBEE0F8E2BC80D101BE44D1223EC0FAE3BCF044A83C283B183EDE5C35BEEC440ABE0070463E006ECB3DE071B7BC463D7F3EEE68603E286EDDBD901D8FBDA4E6DD3DBAA11FBE56797EBE343801BEA6666ABEB0DE213EF096813D546E57BE20752CBCB84B753E1AAE15BEEA2022BEE015DC3DEAD734BE16D16EBE2CD3103E206302BD48AF073EF0E554BDBAC0703E644AD3BDD2BE543E949D11BE58F5B3BDF4BD453E20F6E23DB4C23ABE60FACBBC2221173EE03E46BEE0C8403CECCC1C3E907743BED4C3C23DF88177BE046A6FBE802BB43B7A5767BE400CECBDAE7D173E902243BDC8392BBE58ED503EB82D7ABEF820513DA08527BEB08B0EBEA027A63C2A277C3E14ED87BD024E7EBE00CA5C3D90CFCBBDF2072BBEAC48CA3D6835CA3DEC5DFDBDC0D4853C087A143D504D973C382D1EBD98F213BEE2570D3EB270413EEC074F3EF49A543E607D46BC6026A43C549ECBBD40D472BD9442833D9071A33C048537BE782B37BE7446ED3D2C49433E40506D3E7E661C3EAC4B133E889BD63D14902C3ECC4A83BD18551E3D84AECE3D3031583D90A9B0BC208B06BE602436BE787013BE7079C63C00D46B3EB87EBABD6E9050BEF4F15EBE44BEC73D08B4D43DE4DF08BE48A5C6BD8442463EC2B558BE1057163EA089093C90A8F0BD5259773ECC3E28BECED4663E242E543E50F5AF3D2EC4263EB875783D385F563EE06A643D0AA97FBE1C08D8BD7876153D5AEE333E7C5294BD00DFB93D047CC33D80F1B03C32F352BE7446753E70E3F6BD5091213D442FC7BD58AD823D560B2D3E08DC573DB066DEBD40E6623D529551BE5C35573E664E093EFA72373E6C78813DBAED7EBE64F635BED48E68BEE884153EB214783EEA98263E0C65CEBD92C01BBECE3914BEDCBF703EC41B76BE2C577ABE30A9D43D90DBC13CA4E003BE26100FBE522176BE98DDAD3D1C34FABD20FC8EBD7643063E50CB4EBEACBA7B3E94FDA6BD045B233E70E627BD2463353E2A110EBED8B060BDBCB7FDBD6860283E5EA477BE088C293E00C8723946F622BED4D293BDB0D9F2BC08349ABD847CE1BD18E789BD30A0D53C784EF83D687E293D8A7B393E405828BDCE3D583EF8B0AB3D00E835BED4F32B3E606B593DF020243E62AF73BE40A484BC16C26DBEE03C6CBD50FFB8BDE6121EBE40C320BEE898453EDCE8E73DE8DFAD3D008F383DD8FAA13DB014C43C2A7E77BEF0B3E7BCC0D2223EC86803BD300C333D605A1D3E0653163ED02233BD6E64503E8870BEBD001FE4BBB6594E3E300B0FBE3C9A7D3E9873F6BDA48502BE6E18453E521C373E945934BECC07F23DA0B1933C4A6744BE9C8495BDF07BB13C7CD06CBEB09686BCB003803DA8FF3E3E944D363E3C88D5BD84F5F23D2861593D809A68BC9E1A43BE485B913D5A126B3E5E8957BE902C8EBCDC73153E0044AC39C499373EC0610EBD14A90DBE66B351BE84E719BE880E42BD8A301F3E6019D43C8022AC3C66364E3E483F863DFC96D7BD4CB1ABBD6A97113E805FCDBDD092A53DCCC5DA3DE0D82B3CF8B833BEC6A714BE68DF6BBE9075A63D008872BE366610BE04C8713E4034E6BB5475EB3DA8A3FEBDB8B571BD8870FEBD585DC03D127F23BE2C79E8BDB87A7A3D60753B3C30AFF4BDA0B0A83CC05B35BD6A7176BEEE6C6F3EB20D51BEE0BCA73D8602103E88103BBD34B68DBD8E066C3EE084403E80A732BDE8D6B5BDF2D908BE9A0A523EE0870BBEF04BB93D08308D3DCE8A453E007CE9BA8477033EC6970DBE6CACCABDCC1AC2BD822E76BED00966BE0033FE3D547BE43D746281BD2AF769BEDE812D3EB4C1773EBA6D7F3EC4D4D4BDF86A5DBE2A61253EDCF9013E3655483EB016863DF0AA2D3ED8A8E2BDCACC4FBE00AE1F3DAA705A3ECEB91FBEDA36053EF430D7BDF63F1EBE00528DBD5AED7B3E22825C3E946E513E4EBE753E202D09BC9CE7E03D08CBAF3DB410D5BDACE7273EA06505BD30CFBCBD30BE103E047C753E8E8D453E803B513C36D327BE8E6C6D3EECE3D43D64F3523E102D97BDD215183E60244D3CC0FA333E90D3713D9C0BD8BDA432E03DA8C5733E8CA02CBE662E783E0A2A533E6CBB563EE07B5E3D04D4A1BD7489ABBD886D04BDB0AD29BE1034BE3D6CB6F33DC06F55BD82B0633E50A8AD3D04B27D3E5CD5683EA8703FBD669F51BEF03929BE2ABB763EEA661BBE0004903C1460253E5CB2A5BDF034133E1EE92BBE084D4B3D6CBCEA3DC29F55BED431BBBDC26701BEE0603DBD42D6753E1252623EBA75033EC892F0BDF07D41BD90F4BF3C9611773E141056BE381076BD0E975ABE04B5BE3DF0F005BD0435E5BD5E176ABEECBDA8BD22A35DBEEC66AB3DB41269BE423103BE64807F3EE44677BE14A452BE104744BE5E2224BEAC9B4A3EC069A4BD20D945BE0A56103EE2F65E3E9C36FE3DC087BF3CA0FA3E3DF0E1C53D045F623E2CD0123EF87C47BE248246BE3E4621BE6422DFBD6614633E40257FBE401115BD620D423ED8FCC23DEC5802BE00F841BBAE5450BE40DC22BE129555BE1A0B3BBE56EA773E30D21EBDDACA0CBEB853FABDA8584DBE5C4A0ABE905BCD3C00B81CBEC8DF1F3D3098BA3D5A08363ED6FD10BE806751BD5C017D3E50A2DCBC886064BEB8F8A7BD3C94A43DB05437BDE8B3B43D48D049BE4C96FA3DD824E1BD4410C0BDB0C083BC58CF783ED69B443EB2245C3E00C613BDB054343E00F050BB4E642E3E4025AFBD642800BEB66437BEC03047BC648FDEBD1C8F4A3ECAF304BE6623073E1EFA03BEE0DD0B3E4060113C14CC18BE201A4D3C905A6DBEF0D7BEBC24EC17BE7C8167BEE4C1663EDE7F183EF060763D9202173E52764DBE206A06BEF0D2F2BDA66D1FBEA08653BDC8F43D3EC4F021BE8082443D1411DF3D98F201BE9C4AD23D4C648DBD0497E23DB451673E80A5873DA2F924BE0C8223BEFE8C483ECC0696BD969B733EB27542BEEA080BBEC2F67A3EA0642B3C287BFDBD8065A43C60C699BC584866BE801EA23D4C0B093E803C663B9AE552BE900899BD480DBC3D403EABBD02D54E3E50C99FBDB0A56BBDFEF7113EA08CDE3C6044133E30452EBE04E83B3E8443A2BD80F3193B3E21003EC4E69C3DC467BEBD5AC5143E7050BBBC184EEB3D1C6897BD40658D3CA855A9BD10EF143E22B7433EF850713D8E2B623EA834AB3D6E7158BE4A1114BEB0298FBC06A84DBE7C5EC53D74D2693E70A119BE68399CBD9E7657BEB86B833D0060F63B3EE6333EA473C6BD40A35DBE0E28663E00CA7C3E8A5531BE88ADC1BD948083BD3ABC24BE0CEE71BE60273A3E2863143E00A3EA3D8A6963BEC0C860BDEC1B1D3E049E023ED07977BD0051443BC01DE13D626D603E9A546E3EDAF26D3EEC09643E90AFEDBD08CF713EE0801DBC080D82BD5E02593EC0F6FFBC88740C3D902D9BBC545835BE5C5542BEBECB623EAE10723E205FC5BCE00325BE22297C3E3884673D7A32093E72CD58BEC893D03D3082A23C",
      torch_tensor_16_torch.float32_1: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_8_16_torch.float32: "0x04000000AD82C8BFE3E1873E2551E1BC6E680D3C6C21243F847F1E3F59D24ABFA5673CBFAC36D93D55D5673FDDE9B7BF19EEAFBE6E4B853E842B143E895E223FDD1A61BFFA16A13EA77582BF1676A53E464D8BBC4071973F29E1C63F73272CBE31FB36BFA871C93EABEAD3BED66197BF062F00BF720F1640194B9FBF76D9034002FCDF3E0F5D693F410ED0BF03960A3E570E22BFC91BBCBEEF99C1BFF875793FCE320A3F9DE77CBEA96C45BE4882643EF34935BC7F7481BFF215993FE874943D6241E0BFEA879A3ED9DD0D3FEF59D63FFBB95C3F369EA3BF74654DBE01F5C5BF55A82C3C0E93413F9EBD0BBECF85ADBDD7D78BBF60A8C43F16317D3F04B075BFBCD67ABF1848003FB55A92BB14C8803F1E26DDBF12E9BEBF66DB17BF6A678DBF6E2D653E1FE5973F7C8CC93F8DA407BF054F8D3EE8612B3F6B1FD33FBA1A163EF447BCBE475B96BF5F04153ECA7AA3BFC670EB3D7D5F863F85806240CCB425BE61D09C3F8640AABD3CEDCEBF4D6B9ABF8C8AE93D74F6883F8BF1DFBF4F293C3F0DD8FA3E56D7BCBDC45B343D73C2AD3FC508A03FC777D73ED6A3763F64C68D3F1DBC3A3FC6459FBEE65BBA3EEAB87EBE805186BE9FBC0A3F429E66BEE5EB343FF5D1A93FA56BA63D8DB4F8BE6C6208409369CB3E1742CFBF6F14643FCC2708BF5D13663F43A9ACBFE9D7AD3FFDD48E3F87738E3F82F080BF041806BE9F19BFBD607C203F",
      torch_tensor_20_16_torch.float32: "0x0400000056F451BF2B90CA3EDE1E663F38B7B1BF01012BBE2DFF913E931E24BF9AC664BFEC316D3F541709BFB77194BFB899EBBED162353FF8A1813F28ED6B3E888A8B3FC194CABF992DA6BE3B93F63F4CF7A8BE2E354B3EEA35483F7B01853F897939BF565D56BE7D825CBECC69E8BF8EC3B0BE41EF03C0DD912C3F6563A9BFE90CAEBFD910ABBDCB54C0BC748F323E0C181340A604753F277029BF6F1554BFDD0D1BBF305CB3BF1A0FA63F1A0AD23F6D4187BFB2EE85BE621180BE7F49003F7723853E207836BE09DD84BED45E6DBC5C8DC4BEBAD53DC044C087BFC3349EBE832D6F3F9AE9CF3FE16CCD3A5605E0BE36F206C09B8F923FAAADC3BE6EE5B5BEC312413F0470083E2FED3A3EF2BE03BFCDEE4C3FD7209FBF4BDFDBBF6C1715BF3B871DBF9BC362BFE637993F3057EF3EFF6413BE88DF4FBF86EDC5BEF3BB84BF438F173F817F10C03400CF3EA27B123FB4999D3E11EB00BE383175BFD03BE03FD2C47A3FCC02CCBEDA5231BEF3C2413F53797C3F1D4953BF8B34273E4753003F9DD4B53F326D09BFA731543F104E873F9B668DBF8F80023E3C2E9BBCCD85D0BE431D083F216CC43E0FCFF43FDB749BBFA6B4E23FC3CF013F545E21BE9DAEEB3E539C93BF2DF68FBF40FEA0BE0B3F203FB1F8B93D410116BF1FABFABEC7C9233F76021C3F7BE350BFA406943F50F79ABF52D4013F5FB4DCBE62FE1C3FC5E8903EE5BC973F32A3113F3881083EBF5C0F3F40323CBF5E5D65BEDDA34BBF509208C027D03FBF720DBA3F4F4DC5BF0FB5A9BE2AEB0C3F70CD013E1CF3C1BF65A669BFFAC3A23F28E1853EF60119BE1480933F7BC090BF2899054062DC07BF9EE74D3F6756973DF6858A3D4C850CBFCBF1D2BE5FF65C3DF036393FF7B48ABF43BD07BF36C3073EFCA02E3F606F83BFD2E2A1BD3D46133E6386B33F4459D5BEB86C293EA33737BFAD672CBF0F6436BF58E730BFBCB16C3E7B6D41BFF251F5BD6B58743F83C5183E65C8F0BEBD2459BF4B89513FC106533E8A7B333F84E230BF7E99953EE10ABB3FBC539D3EFE62423F1044C43F1F8446BF7AAA09C07ECBA3BFA9387DBF5AA18FBBCF10B7BE5CDA3E3E7A2B95BF0988623F0965A43F093956BFBDA6B6BFB45289BED29828C0FC4FBDBCFB1E3D3F4E9C293F1DAD403FD466133F84FB8A3DCABEC8BD193B1C3F79E467BF907761BF2E555CBFE4A32CBF715141C0A587CD3E6FB887BFA4ED90BFC4C7EABFE3C606BF56EC923FE7F68FBE9CA930BF1891BD3FC35F43BD9642F13E2FDC253F2172AA3FBE1597BE91FE6ABC3C4913BF2C62CC3E41DEFFBE7CC4A4BF4FB842BEB23FA7BDD01E5ABF5660D6BE3DE1AE3E208977BEC210A53FC17F37BF5CB05C3FDF37DFBE72B4F7BE67BB20BF948900405321413F8ABC823DF839203FE30E86BE6732D3BEF862C73D1ABE493F693D4FBFE6B7BE3D2AD299BEB90DD03B98D3C0BFD7DD1FBF31EDE73E86A74F3F19B431406877433F9A9A37BE2CEAB5BFFA8B85BF259892BE0696483FA731273E0DEF57BFBBA43F3FE497F93DCF4918BE533BBC3FD1334D3E388F31BF2C9E193F943A41BF0208D03F6848E63F0AC181BFCD1E75BF4FC9B33ECFC50D3C42DAD13E171F983B55564C3F3124563E276EDABE1CAD4C3F4FD103BE076DCB3EED96DC3E09AB84BF89E71DBF03A9BB3FDFB0E43FBAAAF4BD032C8D3F08FB57BFC53C39BE6DB6B2BE345E933F6330C8BF9B76253FB7A82ABF4D83A53E9318DF3E3EC2673F53D1BF3EA6758D3F2204BA3D60FD2C3FAF1DF5BEDBAA53BF18C775BD25061D3F35F970BEA7D0C1BFC64F2E3E"
    }
  }
#-}
