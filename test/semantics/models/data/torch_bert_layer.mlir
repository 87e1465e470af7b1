#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map7 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @bert_layer(%arg0: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f64
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant dense_resource<torch_tensor_16_torch.float32_5> : tensor<16xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_16_torch.float32_4> : tensor<16xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_16_torch.float32_3> : tensor<16xf32>
    %cst_7 = arith.constant dense_resource<torch_tensor_16_64_torch.float32> : tensor<16x64xf32>
    %cst_8 = arith.constant dense_resource<torch_tensor_64_torch.float32> : tensor<64xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_64_16_torch.float32> : tensor<64x16xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_16_torch.float32_2> : tensor<16xf32>
    %cst_11 = arith.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %cst_12 = arith.constant 1.000000e-05 : f64
    %cst_13 = arith.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_14 = arith.constant dense_resource<torch_tensor_16_16_torch.float32> : tensor<16x16xf32>
    %cst_15 = arith.constant 2.8284271247461903 : f64
    %cst_16 = arith.constant dense_resource<torch_tensor_48_torch.float32> : tensor<48xf32>
    %cst_17 = arith.constant dense_resource<torch_tensor_48_16_torch.float32> : tensor<48x16xf32>
    %cst_18 = arith.constant 1.600000e+01 : f64
    %cst_19 = arith.constant 1.600000e+01 : f32
    %cst_20 = arith.constant 1.41421354 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
    %0 = tensor.empty() : tensor<16x48xf32>
    %transposed = linalg.transpose ins(%cst_17 : tensor<48x16xf32>) outs(%0 : tensor<16x48xf32>) permutation = [1, 0] 
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16x48xf32>) -> tensor<16x48xf32>
    %2 = linalg.matmul ins(%collapsed, %transposed : tensor<16x16xf32>, tensor<16x48xf32>) outs(%1 : tensor<16x48xf32>) -> tensor<16x48xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %cst_16 : tensor<16x48xf32>, tensor<48xf32>) outs(%0 : tensor<16x48xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.addf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<16x48xf32>
    %expanded = tensor.expand_shape %3 [[0, 1], [2]] output_shape [2, 8, 48] : tensor<16x48xf32> into tensor<2x8x48xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 8, 16] [1, 1, 1] : tensor<2x8x48xf32> to tensor<2x8x16xf32>
    %extracted_slice_21 = tensor.extract_slice %expanded[0, 0, 16] [2, 8, 16] [1, 1, 1] : tensor<2x8x48xf32> to tensor<2x8x16xf32>
    %extracted_slice_22 = tensor.extract_slice %expanded[0, 0, 32] [2, 8, 16] [1, 1, 1] : tensor<2x8x48xf32> to tensor<2x8x16xf32>
    %expanded_23 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 8, 2, 8] : tensor<2x8x16xf32> into tensor<2x8x2x8xf32>
    %4 = tensor.empty() : tensor<2x2x8x8xf32>
    %transposed_24 = linalg.transpose ins(%expanded_23 : tensor<2x8x2x8xf32>) outs(%4 : tensor<2x2x8x8xf32>) permutation = [0, 2, 1, 3] 
    %expanded_25 = tensor.expand_shape %extracted_slice_21 [[0], [1], [2, 3]] output_shape [2, 8, 2, 8] : tensor<2x8x16xf32> into tensor<2x8x2x8xf32>
    %expanded_26 = tensor.expand_shape %extracted_slice_22 [[0], [1], [2, 3]] output_shape [2, 8, 2, 8] : tensor<2x8x16xf32> into tensor<2x8x2x8xf32>
    %transposed_27 = linalg.transpose ins(%expanded_26 : tensor<2x8x2x8xf32>) outs(%4 : tensor<2x2x8x8xf32>) permutation = [0, 2, 1, 3] 
    %transposed_28 = linalg.transpose ins(%expanded_25 : tensor<2x8x2x8xf32>) outs(%4 : tensor<2x2x8x8xf32>) permutation = [0, 2, 3, 1] 
    %collapsed_29 = tensor.collapse_shape %transposed_24 [[0, 1], [2], [3]] : tensor<2x2x8x8xf32> into tensor<4x8x8xf32>
    %collapsed_30 = tensor.collapse_shape %transposed_28 [[0, 1], [2], [3]] : tensor<2x2x8x8xf32> into tensor<4x8x8xf32>
    %5 = tensor.empty() : tensor<4x8x8xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %7 = linalg.batch_matmul ins(%collapsed_29, %collapsed_30 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%6 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %expanded_31 = tensor.expand_shape %7 [[0, 1], [2], [3]] output_shape [2, 2, 8, 8] : tensor<4x8x8xf32> into tensor<2x2x8x8xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_31 : tensor<2x2x8x8xf32>) outs(%4 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_15 : f64 to f32
      %76 = arith.divf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<2x2x8x8xf32>
    %9 = tensor.empty() : tensor<2x2x8xi64>
    %10 = linalg.fill ins(%c0_i64 : i64) outs(%9 : tensor<2x2x8xi64>) -> tensor<2x2x8xi64>
    %11 = tensor.empty() : tensor<2x2x8xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
    %13:2 = linalg.generic {indexing_maps = [#map2, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<2x2x8x8xf32>) outs(%12, %10 : tensor<2x2x8xf32>, tensor<2x2x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_46: i64):
      %75 = linalg.index 3 : index
      %76 = arith.index_cast %75 : index to i64
      %77 = arith.maximumf %in, %out : f32
      %78 = arith.cmpf ogt, %in, %out : f32
      %79 = arith.select %78, %76, %out_46 : i64
      linalg.yield %77, %79 : f32, i64
    } -> (tensor<2x2x8xf32>, tensor<2x2x8xi64>)
    %expanded_32 = tensor.expand_shape %13#0 [[0], [1], [2, 3]] output_shape [2, 2, 8, 1] : tensor<2x2x8xf32> into tensor<2x2x8x1xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_32 : tensor<2x2x8x8xf32>, tensor<2x2x8x1xf32>) outs(%4 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.subf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x2x8x8xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<2x2x8x8xf32>) outs(%4 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.exp %in : f32
      linalg.yield %75 : f32
    } -> tensor<2x2x8x8xf32>
    %16 = tensor.empty() : tensor<2x2x8x1xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<2x2x8x1xf32>) -> tensor<2x2x8x1xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x2x8x8xf32>) outs(%17 : tensor<2x2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.addf %in, %out : f32
      linalg.yield %75 : f32
    } -> tensor<2x2x8x1xf32>
    %19 = linalg.generic {indexing_maps = [#map2, #map4, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %18 : tensor<2x2x8x8xf32>, tensor<2x2x8x1xf32>) outs(%4 : tensor<2x2x8x8xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.divf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x2x8x8xf32>
    %collapsed_33 = tensor.collapse_shape %19 [[0, 1], [2], [3]] : tensor<2x2x8x8xf32> into tensor<4x8x8xf32>
    %collapsed_34 = tensor.collapse_shape %transposed_27 [[0, 1], [2], [3]] : tensor<2x2x8x8xf32> into tensor<4x8x8xf32>
    %20 = linalg.batch_matmul ins(%collapsed_33, %collapsed_34 : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%6 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %expanded_35 = tensor.expand_shape %20 [[0, 1], [2], [3]] output_shape [2, 2, 8, 8] : tensor<4x8x8xf32> into tensor<2x2x8x8xf32>
    %21 = tensor.empty() : tensor<2x8x2x8xf32>
    %transposed_36 = linalg.transpose ins(%expanded_35 : tensor<2x2x8x8xf32>) outs(%21 : tensor<2x8x2x8xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_37 = tensor.collapse_shape %transposed_36 [[0, 1], [2, 3]] : tensor<2x8x2x8xf32> into tensor<16x16xf32>
    %22 = tensor.empty() : tensor<16x16xf32>
    %transposed_38 = linalg.transpose ins(%cst_14 : tensor<16x16xf32>) outs(%22 : tensor<16x16xf32>) permutation = [1, 0] 
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %24 = linalg.matmul ins(%collapsed_37, %transposed_38 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%23 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %cst_13 : tensor<16x16xf32>, tensor<16xf32>) outs(%22 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.addf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<16x16xf32>
    %expanded_39 = tensor.expand_shape %25 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32>
    %26 = tensor.empty() : tensor<2x8x16xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_39 : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.addf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %28 = tensor.empty() : tensor<2x8x16xf64>
    %29 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27 : tensor<2x8x16xf32>) outs(%28 : tensor<2x8x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %75 = arith.extf %in : f32 to f64
      linalg.yield %75 : f64
    } -> tensor<2x8x16xf64>
    %30 = tensor.empty() : tensor<2x8x1xf64>
    %31 = linalg.fill ins(%cst_1 : f64) outs(%30 : tensor<2x8x1xf64>) -> tensor<2x8x1xf64>
    %32 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%29 : tensor<2x8x16xf64>) outs(%31 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %75 = arith.addf %in, %out : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x1xf64>
    %33 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32 : tensor<2x8x1xf64>) outs(%30 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %75 = arith.divf %in, %cst_18 : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x1xf64>
    %34 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %33 : tensor<2x8x16xf64>, tensor<2x8x1xf64>) outs(%28 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_46: f64, %out: f64):
      %75 = arith.subf %in, %in_46 : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x16xf64>
    %35 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %34 : tensor<2x8x16xf64>, tensor<2x8x16xf64>) outs(%28 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_46: f64, %out: f64):
      %75 = arith.mulf %in, %in_46 : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x16xf64>
    %36 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%35 : tensor<2x8x16xf64>) outs(%31 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %75 = arith.addf %in, %out : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x1xf64>
    %37 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<2x8x1xf64>) outs(%30 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %75 = arith.divf %in, %cst_18 : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x1xf64>
    %38 = tensor.empty() : tensor<2x8x1xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%37 : tensor<2x8x1xf64>) outs(%38 : tensor<2x8x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %75 = arith.truncf %in : f64 to f32
      linalg.yield %75 : f32
    } -> tensor<2x8x1xf32>
    %40 = linalg.fill ins(%cst : f32) outs(%38 : tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
    %41 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%27 : tensor<2x8x16xf32>) outs(%40 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.addf %in, %out : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x1xf32>
    %42 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41 : tensor<2x8x1xf32>) outs(%38 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.divf %in, %cst_19 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x1xf32>
    %43 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<2x8x1xf32>) outs(%38 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_12 : f64 to f32
      %76 = arith.addf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<2x8x1xf32>
    %44 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43 : tensor<2x8x1xf32>) outs(%38 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.rsqrt %in : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x1xf32>
    %45 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %42 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.subf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %46 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45, %44 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.mulf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %47 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46, %cst_11 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.mulf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %48 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %cst_10 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.addf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %collapsed_40 = tensor.collapse_shape %48 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32>
    %49 = tensor.empty() : tensor<16x64xf32>
    %transposed_41 = linalg.transpose ins(%cst_9 : tensor<64x16xf32>) outs(%49 : tensor<16x64xf32>) permutation = [1, 0] 
    %50 = linalg.fill ins(%cst : f32) outs(%49 : tensor<16x64xf32>) -> tensor<16x64xf32>
    %51 = linalg.matmul ins(%collapsed_40, %transposed_41 : tensor<16x16xf32>, tensor<16x64xf32>) outs(%50 : tensor<16x64xf32>) -> tensor<16x64xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%51, %cst_8 : tensor<16x64xf32>, tensor<64xf32>) outs(%49 : tensor<16x64xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.addf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<16x64xf32>
    %expanded_42 = tensor.expand_shape %52 [[0, 1], [2]] output_shape [2, 8, 64] : tensor<16x64xf32> into tensor<2x8x64xf32>
    %53 = tensor.empty() : tensor<2x8x64xf32>
    %54 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_42 : tensor<2x8x64xf32>) outs(%53 : tensor<2x8x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.divf %in, %cst_20 : f32
      %76 = math.erf %75 : f32
      %77 = arith.addf %76, %cst_2 : f32
      %78 = arith.mulf %77, %cst_3 : f32
      %79 = arith.mulf %in, %78 : f32
      linalg.yield %79 : f32
    } -> tensor<2x8x64xf32>
    %collapsed_43 = tensor.collapse_shape %54 [[0, 1], [2]] : tensor<2x8x64xf32> into tensor<16x64xf32>
    %55 = tensor.empty() : tensor<64x16xf32>
    %transposed_44 = linalg.transpose ins(%cst_7 : tensor<16x64xf32>) outs(%55 : tensor<64x16xf32>) permutation = [1, 0] 
    %56 = linalg.matmul ins(%collapsed_43, %transposed_44 : tensor<16x64xf32>, tensor<64x16xf32>) outs(%23 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%56, %cst_6 : tensor<16x16xf32>, tensor<16xf32>) outs(%22 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.addf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<16x16xf32>
    %expanded_45 = tensor.expand_shape %57 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32>
    %58 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %expanded_45 : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.addf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %59 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<2x8x16xf32>) outs(%28 : tensor<2x8x16xf64>) {
    ^bb0(%in: f32, %out: f64):
      %75 = arith.extf %in : f32 to f64
      linalg.yield %75 : f64
    } -> tensor<2x8x16xf64>
    %60 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%59 : tensor<2x8x16xf64>) outs(%31 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %75 = arith.addf %in, %out : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x1xf64>
    %61 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<2x8x1xf64>) outs(%30 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %75 = arith.divf %in, %cst_18 : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x1xf64>
    %62 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %61 : tensor<2x8x16xf64>, tensor<2x8x1xf64>) outs(%28 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_46: f64, %out: f64):
      %75 = arith.subf %in, %in_46 : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x16xf64>
    %63 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %62 : tensor<2x8x16xf64>, tensor<2x8x16xf64>) outs(%28 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64, %in_46: f64, %out: f64):
      %75 = arith.mulf %in, %in_46 : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x16xf64>
    %64 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%63 : tensor<2x8x16xf64>) outs(%31 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %75 = arith.addf %in, %out : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x1xf64>
    %65 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x8x1xf64>) outs(%30 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %75 = arith.divf %in, %cst_18 : f64
      linalg.yield %75 : f64
    } -> tensor<2x8x1xf64>
    %66 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<2x8x1xf64>) outs(%38 : tensor<2x8x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %75 = arith.truncf %in : f64 to f32
      linalg.yield %75 : f32
    } -> tensor<2x8x1xf32>
    %67 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%58 : tensor<2x8x16xf32>) outs(%40 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.addf %in, %out : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x1xf32>
    %68 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<2x8x1xf32>) outs(%38 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.divf %in, %cst_19 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x1xf32>
    %69 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<2x8x1xf32>) outs(%38 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = arith.truncf %cst_12 : f64 to f32
      %76 = arith.addf %in, %75 : f32
      linalg.yield %76 : f32
    } -> tensor<2x8x1xf32>
    %70 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<2x8x1xf32>) outs(%38 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %75 = math.rsqrt %in : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x1xf32>
    %71 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58, %68 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.subf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %72 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %70 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.mulf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %73 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72, %cst_5 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.mulf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    %74 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %cst_4 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%26 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32, %in_46: f32, %out: f32):
      %75 = arith.addf %in, %in_46 : f32
      linalg.yield %75 : f32
    } -> tensor<2x8x16xf32>
    return %74 : tensor<2x8x16xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_torch.float32_5: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_4: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32_3: "0x0400000000C25C3C4C49393DF82C98BCD058433D7AE4A13D84C2E0BDF47B80BDFCE2F83DA6D1A93D9E6EF2BD3451953DC423ECBD002EB63D9E048F3D5090D23CD635ECBD",
      torch_tensor_16_64_torch.float32: "0x040000008AA7A53D003602BAF8CD9DBD0077323D5C4CB9BD1CC5DEBDC030EE3CE407083DCC91453DF23BF73DCC28C03D006A15BD809A9E3D8603DFBD3240A53D6E9FE7BD400E28BD4AEAA33D60CE42BCA8ACBABDFCA4323DECA5BB3DCC7C2E3D7EA4A13D2C983FBDF42F283D3C28A2BDC03D67BB60B2CB3B1826AFBD2829923CC0AB66BD14CD6BBDD6B5F8BD7879343DD65FAE3D6E54FF3D8A84DB3DCAFCDCBDCC0BBA3D6E17E63D0A13843D1A08A23D0669B43D261DA23DC0CE5C3CEE8BB7BDA088663CAAE3D8BDCCADDE3D32DFE93D701039BD8EF3FD3D202AC1BC2874C6BD04628D3DB880D03D4EF9E43DE0737B3D76DDAE3D18DC8C3D40E2793DC473DBBD98EA2DBD904D903C1095CC3DE06E69BC8821733D6008F5BDA4BC61BD5C5A223D0C20153D78BD883C502D5C3C74A5953D78C2ACBCB8BEA83DE4E6FE3D78CBA0BC9EEACBBDA0F8DC3CF4D56E3DE487773DAE5FE1BD30CD7EBC604F8EBBCC444E3D68A38EBCC019D23D782B21BD5E1EA43D0C38EDBDCE32FC3D90B9A53C26E483BDC6E2A83D909725BD64CF95BDD8C354BD88D2F33D8E45EF3D48F9EE3C80FC6CBC0699A1BD00BA27BDCE34F7BD7CDFF8BD209AD63BB807C03DC0252F3C5E45CFBD988D1DBD32269D3DD04CE33C9056B63C321FE9BDF84012BDD626D63D009242BD28636BBD2CD1D4BD64A68B3DF0281C3D008F7DBCFEAFB83DD6F5973DFABE8A3D6C6E933D003C83BCA07232BD5C8382BD8004803C2889CBBD006239BD84FBA4BD18A22E3DE413453DA0D7A0BDF8E6273DE0D1643C261AC93DCAB0C23D0EF6983D6C1CAD3DA002423CF81FE13D4804FEBD768CBD3DB66DC23D3C3D683DD48A19BD0875EFBC4CB2863D00E766BA4689B63D5860243D8860AC3CF45906BDCE27ECBD7451C2BDF466D8BD744DE2BD94EC99BDA0B5F7BC78AFA93D8099B13C74C9763D1426C3BDFCAFEB3DE01CE13DAC07CA3DAC8228BD00B6373AE8B5B93CD87C49BD288F563DE885C4BC5E5BD6BD70300CBDAA3FFE3D7CF4653DE4246C3DE819B73CD03E1B3DC8A5333D3008A1BDA03B583C9CA314BDE6D4B1BDEEFDC4BD8017E3BC2263F1BD6E7EFABDA655E73DA089FE3B806FC8BA4456CDBD8894E73C148ACC3D2A4EFA3D1EF8D7BD00FE1FBD10D3C93D46AEDC3D4252F63D94E0E9BD4CD5D6BD3CE285BDA4D17D3D0C02D5BD40CB9A3CCAA2983D903ED73C70D3ECBC26D0833D58F1833C48A18D3D5081A3BDBE8CA83D70134E3C80E7CBBD94F10D3DE2F3AEBDCC39DE3D102BE23CF68AC5BD0040B53880FD78BC4CA645BDC661F2BDECCAA6BD46D3D6BD203DC33CC0EBDE3BD0867D3CC4B2FCBD6C65A9BDFA2B9DBDD0DA6A3C9A8CE1BD5AA4A93DCC64A3BD28AEF73CE254E83DBC9234BDFE2FDD3D2A22E0BDE083353CC86AF1BDE05184BC3A66F63D004EC23D60FD463C48606ABDF283893DB404C7BDA2C09F3D7CE2BEBD7E0ECABD5033E63DFEF7BEBD34E47ABD287BA93C40A00CBC40C81E3C3AEE8CBD74843ABD284AF83DBE81B53D50D3C2BD8020F63A2A22CABD644AB13D80F5953A72D883BDB2D3E63D0C3D8F3D908EA8BC5C262CBD20F7743CF8D7A2BD00A0EC3A88571BBD1C95C5BD2404923D002599BDD4C056BD18DFB5BDA082CB3C4EA1803D6CC5603D8826F6BC08378E3CFCBACCBDC493ECBD08331CBDBA5FC4BD081DF6BC88CEF03D70B0CDBDDA43B1BD02AD923D342278BD7857423DE05594BCF48BDABD7883173DE4A20ABD2ADA98BD36C1BF3D60C257BC24BD193DC0E337BB48EDA4BD00C5DE3BA8943D3DA0354EBC80A81E3C905B293D9400A03DC04BA43BD0E47CBCD62BA0BD84EC37BD9CA161BDECCE65BD445CB1BD802999BA2A069EBDF85C833CD8FC0A3DB831CD3D60EA873B709BB53DBC389FBD18C814BD8C8746BD10DB34BDD227C8BD52F5DABDD2EFB5BD529BDE3DF8FA6ABD4835653D34EA253D3064873C4044BD3C804DB9BCE80827BDB097773CCC83EDBD7ABA803D80CA30BCB630B5BD9834F53D22EFC8BDFC3A35BD4068A43C10919F3DA02557BC701D6ABC8AF9B93D5AC0CF3D001203BCD03C97BDD6C3BFBD2806363D400BAABDB4D1253D8024103B9821503DCE22BABD6C02E1BD0CF45CBDB4DE51BD2EDDFA3DA06B08BC8063EFBC12B39ABDE06B09BD34B7123D98C38FBD0E75CA3D1CA4A5BD3087F3BD44097D3D84068A3D8010F93DF66DE3BDC8A78E3C4892EA3CE0AEC2BC68C6FFBC3C8E213D101A5B3CA0BDE33BD04A1A3D5CCBAB3D0030213ACCB4563D3878E9BCC0B9BF3C58BCA73DB03B403DC4FD5FBD1E89F1BD70C3C2BC8090D93D6AF2B13D38069D3CD4941B3D62AE82BD8C6282BD8090573B5203A33D02FAFB3D6E52973D94A9F8BD28A99B3DC0298D3B348E84BD66F3F9BD7C7E1F3D46BCCDBDD03A9D3C5665F43D2617AFBD0C41323D72D2B9BDCCF31CBDF842C43D48ED603D58BD113D3C3094BDCC3EEA3D765698BDE468B53DD849C3BDB23AC4BD868B8A3D9AA2B03DE420BFBD2675863D38C7853CACDE3C3DB447073D60525C3C74874E3D0C65BCBD20D9873D8074EBBCF2D594BDBCFC5B3DC46ECD3DF690C73DEC59CF3D6206D9BD009BB2BCE037973D44F01CBDD2F4E23DB0FE23BD9673D13DC845953C907134BC807C75BC8093013D4411DD3D10D5273C78A4B5BDEA039A3D40A26B3BA466F6BDD24AFD3D1E47AABD1CDDB93D68EDDBBD0090953BEA33B43D604C48BCC01EE6BD34CBD9BD2820123D60AA023C7C25CA3D9496023D6C4B773DC06EBF3BD80F38BD3E7DD8BD4AA790BD661EBDBDB0A1A2BDDC611FBD6C282EBDC848BF3CC4B1F5BD6E2F853DF094563D9873D93C804ACA3A44C99BBDCCD1ECBD8021BEBAC068BB3CB06A253C70B9593C60B8B1BD0A62AB3DA424B6BD1E01BD3D402BCEBD68B7DCBDE0829ABBDC4241BDD833A3BD3439A6BD5ED0EB3D9038E1BD04FC033D7831CD3D56B6983D1475E93D68CAD43C90FAECBD16308CBD80536F3CFC0E2CBDC070793CD8AF7EBDD88F04BD9CE88BBD10AB543C1AD8C4BDD84445BDEC67593D00E558BBCE67A53D5CE544BDD2E0CA3DE8EDC3BC58CBEC3CDC5E79BD6882813DC0CFA93C604C003D4A0C963D90F1C0BCBC45FFBD34A40ABD081FFDBC9493DF3D20265F3CB8A37F3DA03A893DE4080DBDE8249ABCA81ECD3DC657EA3D60709CBBAC0AF43DDC00113D805EE93D00AACDBBACBB9C3DE4FD5E3DDEA49D3DA437803D64C2A63D80DC88BB7847CCBC041E69BD8823E4BCF0954A3CBAF5EEBDE66CBC3DE28FEE3DB686813D10395F3C8AB8A2BD4890833CE0F766BC90F0003C841FE33D80F8B83AC8EDC5BD8C388D3D9C16F1BDD412253DA0CE7F3D440EDD3D8220C4BD82FBE83D20F4ACBD70C92F3D28ABE0BDB08AC63DBEBFD7BDD660DF3DFA7E873DACE5963DA2ACBBBDFE4AADBDC6A2D6BD002A033A0017793CA8F3CF3C907B5D3CE80844BD3CA0B6BD44FD843D4C22B73D881B56BDDC3A323D44CD1BBD5AF0C93DC8ECA53C2EC89E3D508E3B3C9C67323D72D28C3DBCB58CBD4070C33C7A39C73DE0157CBD90F3C13C3A2DF7BD2CB36B3D608A84BCE018B0BBF2AB8A3D56DECB3D10A7383C2034EBBCB8A1E73CB033CABC98F6EFBD2AC0FD3D324BAE3D3050CABD6ED3A43DE0B0733DFA258B3DA6D2EABD00773BBA4071A3BD6A99F7BD8C85ABBDAC22D6BD98A2553D0089D0BCB09482BD0025A83ABEA4C63D24D6013DD86470BD08FDE73DD4DBB8BD5834C6BDD2A7973D5E87F3BD509DD1BDA6C3DD3D3A4EE63D621CC43D602833BDAEEBF1BDF895E83D68A3DFBDA4663BBD58D2903DE03558BCFAFBB63D50A8FD3D0035EE3B2C878E3D0C79ED3D80F3DB3BD65681BD20AF8C3BF86D30BDA4499C3D2048E3BB085FC13DA4CF51BDF05DC2BD086EA7BD9A2B9E3DC68B94BD68E2443D9CBAAB3D503701BD5022243C683673BD3693F33D90AE873C1AC2D2BD7060AFBD4C5F6CBD189DB93D5C8BA0BD988AAABCFA3FBDBD5A6CA3BD6287C5BD6CFFBC3D98428DBDDE83E1BD50F82CBC8077D0BD22E1CABD840E20BDE4BA6EBD5257C5BDA4769ABD4CCABEBD48D7E53C18E5BABC2AD4D7BD9859013D94E4BABDC64EB53DF00CFEBD6CFDBABD6883B8BCFC42BCBD7CC4833D1CE190BDC01D633B5A68EB3D4082873BACEA873D984DEFBD58D99D3DE4A6773D3C883DBD00BDD3BC6802C4BC42D2E8BD90DF7A3DE022EF3BD8B78CBD32D2AB3DE893C5BCD0E81DBD8611973D7293BCBDAAF9E1BD4A08CFBD84FB81BDA052CE3D50D37DBC7C00333DE03399BDC0648C3B082DF13D06489F3D60420BBC28F8F4BCC8F215BD30BF30BD805F0D3CF6A8D73DD0A66BBCC020AB3CFA17ABBD9866EC3D90BDA03C224FEB3D8C18C23DEE67A2BD2637BFBD36ACDE3DCC1B34BDDC2D213DB488CDBD3C53063D62F3A1BD10FF8F3C1A33FF3D784784BDAC046E3DD8A8AC3DF0DCEB3CE0C5E1BB287CD63C4088E6BCE86EFBBD50D1AF3D5809F1BC50EBF13DFE62DD3DB80D99BC3CB1AE3D30AEEABC00C7DDBAFA48D8BD760AF93D4858873D124ED9BD508A393D689603BD4A01A33DF0C1203C88BA00BDA06387BCE063B8BC943E41BDF84BA7BD142923BDA048913C0EDEE3BD5863CE3D80FFAEBB669FBB3D16B48FBDFCEF7C3D9871183D504CFDBCD47352BDACAC223DF06D89BD0CDFFDBD069E873D3C02C53D9824673D7292CEBD8011C5BA70FB553CA2F5E73DB891A9BDA0FE613CC0F5F4BB1258A93D5C62E2BD00567A3D3EAC8F3D7E49E13DC282B13DAEDD83BDC8FF57BD309364BDC89FFF3C009728BA7692C4BDE8D2F9BD10E43FBC6C07F9BD20BFEABC20E002BC0030B1BA76EEEEBDF4A56F3D20C5D23C604BA63C202589BCC2C0C83DBE18CC3D1EA79BBD48D8073DFAE8B6BD164EA1BDC0CC55BD449A2EBD2A38F43D52C7EB3D903638BDB2BF8F3D8644FA3DD0DE803DAAE3A43D0C19B83D7AF8CD3D604AC63B72BEA93D04E1BB3D004E35BD605194BDD882A93CE0E5A2BD2073DA3CBC0447BD5A6CAEBD0CE4D73DE21CF23D1036973D3E8EEB3D10141E3C2C9D143DDA15B6BDF08D50BCD818FEBD5CC35A3D744457BDC43861BD3A00BE3D74DFE33D86A6853DE0222F3C5AE5A03D60E1A63D7462213DB842053DC0A9973CFCC2983DD010CCBD24973F3D4865D63C7091F93DAC0E6FBD287ED5BCCCC7D23D28546E3D28DF5CBD22B4E5BDD40E70BDC43A4D3D14D4F83DE2AAF73D0C4284BDC25AAABD048F9C3DC0EF50BC9A20B23D162CC5BDB8D22F3D30A114BD98B88CBC50818CBDCECDFDBD8AADA6BDA01703BC8A01D1BDF8F2E5BC0C4218BD30F10B3C3A0ED73DF0CA43BC8002213C2A8DFCBD08849E3C3441E6BD30BC013D02B0C6BDDC93ECBDC0036DBD7A30B23DF0AC7A3D147DE23D802181BBFC8E4EBDE0A3DF3CC8EDA0BD24CE9F3D60FBEB3D7ACD90BDC6A7EC3DA4114ABD5274803D509F31BD40DF5EBDC8B8F33C94211F3DC0ACEE3C80B2B5BCDED2DA3DF0EA6ABD0802853C1CAA4F3DDAF9FABD6C76533D94EE9BBDE48A5E3DEE17ADBD509643BC5ADCD2BD40DCD93C1AFEE83D7CDEA43D607C8EBD68A2BF3DA80DD33C001CFF39303F09BD1277F53DE4BAC0BD6EDDC73DB63BC23DD8FCD23C4824223D862E88BDC0FD633D2016A63B6C396FBD5C070D3DACABF03D80F0103D3CC2B2BDC043893D1C002A3D54FF10BD8CEF35BDFE24853D5E0AD13DD8D64ABD1C4AA7BDE625EE3DD0F1C2BD803E593B201162BD18B3B13CB21BA2BDFC419E3D50AFB63DDA0FB9BD2CB2283D90338A3C80E4F33D36A8C3BD44D1A1BD1031E2BC6A4CBDBD88C02EBD4EC08EBD",
      torch_tensor_64_torch.float32: "0x04000000AE212ABE00DFC6BC28B61BBD10A48F3C5816783EC4D6423EEAEE783EC49173BE8A27643EA4C546BE683B97BDB4AD153EA84577BD1820E3BD60884B3C749D733EF0B5A6BC8CD278BE08DE72BD0C2D55BE00F6FF3B68AF3D3EE26C523E90EF353DE44229BE980411BE626F0A3ED8DFD33D5EA00CBE8024833D34DCB5BD7E863ABE4841773EFC34EF3D4001BBBD3003123ECE4C34BE281A093ED027BA3DAC8F94BD566C02BE5027963CF2CB223E6047923CE4D93DBECCB917BE30C3DBBCD44DD23DB842173E6AD4413E006B483E500FB5BC025410BE9E6A41BEC0EFA2BBCA1E5C3E20EACC3DA466BA3D90E3543D3A5B5DBE9C7681BDD8B6FFBD50D752BEC008373E",
      torch_tensor_64_16_torch.float32: "0x040000006623073E1EFA03BEE0DD0B3E4060113C14CC18BE201A4D3C905A6DBEF0D7BEBC24EC17BE7C8167BEE4C1663EDE7F183EF060763D9202173E52764DBE206A06BEF0D2F2BDA66D1FBEA08653BDC8F43D3EC4F021BE8082443D1411DF3D98F201BE9C4AD23D4C648DBD0497E23DB451673E80A5873DA2F924BE0C8223BEFE8C483ECC0696BD969B733EB27542BEEA080BBEC2F67A3EA0642B3C287BFDBD8065A43C60C699BC584866BE801EA23D4C0B093E803C663B9AE552BE900899BD480DBC3D403EABBD02D54E3E50C99FBDB0A56BBDFEF7113EA08CDE3C6044133E30452EBE04E83B3E8443A2BD80F3193B3E21003EC4E69C3DC467BEBD5AC5143E7050BBBC184EEB3D1C6897BD40658D3CA855A9BD10EF143E22B7433EF850713D8E2B623EA834AB3D6E7158BE4A1114BEB0298FBC06A84DBE7C5EC53D74D2693E70A119BE68399CBD9E7657BEB86B833D0060F63B3EE6333EA473C6BD40A35DBE0E28663E00CA7C3E8A5531BE88ADC1BD948083BD3ABC24BE0CEE71BE60273A3E2863143E00A3EA3D8A6963BEC0C860BDEC1B1D3E049E023ED07977BD0051443BC01DE13D626D603E9A546E3EDAF26D3EEC09643E90AFEDBD08CF713EE0801DBC080D82BD5E02593EC0F6FFBC88740C3D902D9BBC545835BE5C5542BEBECB623EAE10723E205FC5BCE00325BE22297C3E3884673D7A32093E72CD58BEC893D03D3082A23CE0CA623E8073433E2AB3163E749D823D7852C53D2411B03D72656F3E5A4C0E3E0012C6BBC08D923DDCFDBDBD02454C3ED8E800BE20D0693E1E25423E24DC44BE2CC367BE80C9C4BBE469EE3D46284B3E7C685BBE68DF7DBD28A27B3DCC42A8BD7C0352BE80578E3DA05BDD3DA00DF7BC3EA8053E58F0283DAC0D4F3EFCEC863D009E793D58DF40BD0424F6BDACF8D63D0290743E383ABB3D5C3364BE6E7B2D3E4621753E80DDDBBB3C322ABE18B68FBD625D2F3E0C18083E60AFDEBC7065333DC031ABBBCC606CBEEAB4313E20C9F3BCE41054BE3890693D7E820A3E46CE5CBE408C47BC2C7F64BEB4F28E3DC03A103D58D8043EC0A94FBD7097713E108170BE385964BDC23B38BEAE113DBED486553EB0000C3E9C1C533EE428E13D3A480EBE88F54EBDEC535CBE427B623EB09D01BD20303ABCA8A3C53D803604BD4ABC34BE80E5463C6220323E3A48233EC2316CBE10D8653EF813D43D2A1874BE0099EABC0E6225BE805CEA3C52F364BE08986DBD480A423E607226BDF0F1463DE05406BE0ADF323EBE3D463E0095433B80F93C3CD8876B3E5AF97BBE0C2FE33D68F530BE687CDFBD9E4777BEE8F1743DE213583EA0D142BDD416D63DF07213BD206B5BBE767A5EBE00ECD1BB46B5353E884E373E9817C9BD68CD503D2276613E9AD14ABEB02C7EBE56477FBE88E5113E5CC251BE3E765BBE0CB8A93D7E45123E3875E83DFAF964BE625C6D3E0C45323EA83EAEBD46B430BE924414BE14400FBE72125DBE827A033E9A24383ED41EB53D4C6DF83D346F13BE88590C3E7250553EA0D10A3E48284E3ED4CEDEBD4C03D93DE024C3BD08C67EBDC426773E40A097BCE0A9323CC09B8F3C8066E73C98C1DEBD06F13B3EFA235A3ECE9A0EBE486C6FBEF02B4BBD7C75F4BDD2B0283E54FEACBDBC39363EF859693DA862B6BD9CEFFFBDA0C7523DAEF94DBE500505BD2A7678BEF25C61BED0431DBEBEC9083E869F44BE94D0743E623077BE8C1B63BEBCDBE33DC087FD3BFC463E3E384B6ABD5849D83D48DE4C3E546D30BE429B33BEBC0C5F3E88175C3E604726BC6E6D133EC87239BE48044C3EC47B95BDA0D1043E4CCD87BDD6CB4CBEF8E3B2BD58AB32BDA083353C20506E3D24CD5CBED62E08BE10FBCBBD6859653D9EBF25BE8EBA573EB091E0BD280A663E50BB833DB8FFE53DC8128DBD08C5DC3D443FF1BD00416E3C8E04233EA0DED7BCA0B5CEBCD030BC3CE6291EBED00C39BE90271EBD00C5FA3C0C20523E802C12BC70F61DBD3001773DF071763D8088C7BC106ADF3D5EE67E3E48F8BEBD640EF3BD00F940BC54C8783E0CA3C13D5A825CBE96223F3EBCE8503E48535C3EFCD2BC3DE07D6DBEE83B123DC05726BC6C0F10BEF0F12EBE30A1B5BC50015D3E080A903DB08AB13C7C28C23D76CF65BE8CE8073E40C2673D40AC15BEB2625EBE04ED2ABE4C0A9B3D9C239A3DC03C253DA87A4ABD946BE03D88D823BEAA90013EA0C602BE14E103BE988B3CBEECC5923DBE3608BEBAC51C3E1465093E8090DCBB7427133EF015153E4CFAC43D4E6B45BE580B51BD281531BDA8D1093E48C4C5BDB8705D3D0CB8CB3D34BA283ED2BC743E50E761BD341949BE461754BE300F65BDBC7B1B3E58BD44BD6E3C53BE4A492DBE7C5D10BE32C110BEE04A123C207CCDBC14590BBEA8B137BD3A7900BE40C232BC48E4DA3D104E9BBC00297BBD78C25E3DF863253ED87A5D3E58F6D8BDB8A85ABEF058653D3C46CC3DF0F0F23C162B793E924D013E3062943C20452B3E6292363EC0160DBEE8723EBE404607BCD447A5BD82CA28BEC62E3EBE4615243EB858D1BDE0BF0DBE5A13243E50C9B73CC07F443D34E29FBDC82A7B3D4409233E98AB30BEB04941BDB0C5943CF228503E6AC54D3E225E2F3EE400B9BD0058D039808698BBA24537BE089C38BE287D47BDE85F0BBD34C3AF3D6E2366BE9C60F5BD1C3C4C3E68722E3DAE7135BE2017F43D6082C7BD34A40FBEB028F0BDC4160DBE32130ABEA048303DA033F93DA00A063EC0CD7F3EB252503E7A6E07BEAAD3573ED87B71BD6E69123E7C7CF0BD10B9583E30F290BC340CB03DDE715E3E40205ABDB897CB3DC0648F3D641FB4BDC03AA73B606A543E30C3683D3A8C3B3E84B3FE3D30E8F03D1CD7DABDC06A61BDF0CC1E3E58BC6E3D8298033EAA04433E6CF3DA3DA4E0CD3D904CD6BD8499A73D007FF6BA1872293E647FC53DF4A61FBE5E0F1F3EE89400BDEC11C93DD859E5BD94B360BEB4DBCF3D3281003EFA76483EA69B1B3E583BF23DA201073EC0A0883D6895E7BDB0655F3D461E45BE0A3519BEC0446A3EF08FC63D1899C93D7088CCBC085778BEC0BC92BD201DBBBDCC2AB9BD70D8473DFEA323BEC42F0CBE78795BBD3C285DBEF8C428BD40F198BBD0D889BC0029C5BDB41E8DBDD434493E381D0F3E28086E3DD86631BE5AE921BEA0A0E93D801F04BBC01853BC4CF7A2BD622533BEE2610DBE6A30133EA2C8433E1226153ECEF920BEC0B7D1BBFC0859BE0E1B1ABEB4AB36BE00049B3D489471BE803E3A3E10094E3E30B8AFBC18A6813D70FBB13DE0AA673E80CB643CC04D6A3E44B3BE3DAC9098BDC239413E1C4A923D1022D43D28B2013D88E503BE5EC4673E28975B3D105610BDF070773D9ED502BE74E79C3D18E978BEFE1B143EC246293E042516BE144ED33D801DB03C0C7FA6BD009C723E00D9B9BAE08823BE60CD77BE00C75A3C68DD01BE54186BBE7A8F3CBEA8983C3EF8760ABEF46322BEB6020BBEE07C883C606878BDF44A4BBEF2A41CBEF43731BE78395B3D0040D93768105B3E84E6C43D70354D3D960E583EC0E8473D0828F9BD60B8543E1841EBBD0C7F2CBEFAC3453E1EED633EDA6C113EA8D872BD9E476F3E9E64053EA8E7153D1054A63C1C2EF73D7CA8F3BD1C68B2BD3AD1103ED09C053DA0DC60BC10859FBCC0A5313C68BD7D3E9CCB5C3EFA3671BECA4E47BEE0EA44BE40E119BCD8C57C3D30310EBE300FE53D60DF79BE6A57323E400EBFBBC01FA03DCA1F333E7094DC3C40D0FABD400C8FBD9A30653EA8E550BDC0E03DBCDC0357BEEE4520BE809A6FBCF8B1843DEE2D1CBE40D0523CC20E693E882C703E40A01A3CBC037E3EB0AF753E14AFF93D84024E3E8879363DE020C5BD84654E3E60C2A03DE867513D8040C8BB80F2E3BC9E7957BE48F5F7BDB4082ABE60EA29BDF4C00A3E6C9202BE90DD8F3CE49CC5BDA489C9BD4C289B3DF841C63D0455633EB8394DBD4A02413EAAB13ABEA8F6063DA016313C5EC9753E100D033EC2DA05BEF46DFC3D808D023B7CC547BE56C313BE509A39BE8650523E6C0C563ED49F41BE740EF93D5202733ED0D5D6BC32A3303E3C57453E1016063EA847DFBDEE9B573E1855843D141DF63D869065BE5C5DB93D406E1A3EAA2631BEA6E633BE8490C5BDF02CF63D58ADCABDE01708BD0C267EBEC06694BDF855BFBD767B79BEBC82D13D70C3B13CD48868BE7471EC3DFE2A233ED04220BEB0F0C2BDB014E3BD403BA4BD90AA5C3D82DE313E9CE24A3E0C1041BE7A3C6D3EC01EB83B508B6EBE8A7C0E3ED2A4433E00A71EBD78076EBE2819353E824210BEC28E3DBE406997BD00A5A5BB7047233D8050B83D74C9A43DB0E906BD0A4019BE3C81A7BDE4731B3EA03D603DEE9C1E3EC0C6F13B7069AC3CEC6876BE40E43BBD12690BBE5E5577BED0F6453EAA600A3E4C11633E107A493E14AC263EFAB40ABE7266513EC4E356BEB8017F3D7C5541BEECFF183E005C5DBD622A4C3E28956D3DCC362D3EE0CC18BD563A50BEBEE675BE52DB6ABEF69104BE26EE613EA029B93D2010D43C3442393E06304BBE28081D3D6C9F093EEA6E79BE865F65BE5EA8713ED0AE51BD3EC769BE5C55573E00F63CBB062B003E802BCE3C1079DB3D7A84393E18ACC43DD29A51BE9EB50F3EA0E64CBE7451FE3DB8C257BEC88B76BD10BDD8BC30EF2E3DDA140E3E2AAC38BEF4A05ABEF8951D3EEAB02EBE041F49BEEC3683BD40D69BBD506244BE608C28BC285D983D7A9C613E7454973DCCD49B3D9027133DAC3611BEC0A1F9BC78D42BBDF8C7C73D68670B3E6CC15E3E4E0B04BE80079F3CA05CF63CD41F03BE20262B3EA00D423E103F193D60741FBE988C453E86D3433E04DCF9BD9C750BBE3404633E482C61BE60C87ABCC070A6BC6CC589BD4ED43BBE7468E2BD54AA18BE40BC083D8211283EC26A14BE52CC643EB868D53D10936FBDB88D2E3E20B864BDF00BB3BD3A6969BE20A1AABD40EDADBD6CA1CD3D38A566BE72676A3EC0D3BBBB38BF513D98FC80BDDCED9ABDCCC72BBEC038C3BBE4752C3EA8B5873DD07EA53DDABC3ABE1001FA3D6CC094BD48AD3ABE5C31FCBD62B83FBE202566BD1E466A3E4826EABDA047AEBD3A62443E1C44B1BD0480D73D74333B3E2614093ED25E003E5CCE353E00A89FBB1E9C50BE5C0714BEC0F0A03B0026D0BCC0625E3DD4D3C73DE8101BBDC46FE53D00D271BEE00006BC900A5ABE3C93C93D302A323E780ABEBD105C42BD28F3E03DA464E4BD8898F03DD8652EBE4032EDBB80391FBC7A5D5CBE40A9DABC30EFC0BC00D301BB400E723E887F1EBDD611153EFC1895BDC02408BEF0E7DBBC541216BE0CB3DFBDFCC584BD504D8B3C2E3C0EBE381E07BEE48A3ABEF0EF18BE480F62BEDAA330BEF40594BDB8DD0CBDB452273E208128BCD2220BBEAA1A50BEFC16BFBDC0CBD13BD29F4ABE2461CABDB0ED9D3CDC61693E00DA1E3A10D573BE2CC938BE8A1F40BEA4D52A3E36871D3E80E2BC3BC2FE19BE20F1D8BD58A712BE06166D3E988649BE401B373D9C10E13D4CA75BBED808D83D80BDFE3DD426833DCEFB6D3E2856ECBD66C06CBEF20418BECC336ABEEC28A63D70097A3D0C31EABDA03CB0BDB649143E0060063A220C563E8C11C4BDE82C0B3DA85C7F3DD48EB5BDC4A93F3E24D792BDBC44993D745A4EBE281A7E3D9204313E10E370BE14AA7F3ED0A4993C6C1A773EFCB1253E82DA0B3EA0AB4BBC147AAE3D1062A73DEAAE2DBEF87CF53D64E85F3E406F9FBDDCFD27BE12ED583E08C96B3ED880043D868E3CBE000A2DBC0067E3BA0479323E32016BBE",
      torch_tensor_16_torch.float32_2: "0x0400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_16_torch.float32_1: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_16_torch.float32: "0x040000004410C0BDB0C083BC58CF783ED69B443EB2245C3E00C613BDB054343E00F050BB4E642E3E4025AFBD642800BEB66437BEC03047BC648FDEBD1C8F4A3ECAF304BE",
      torch_tensor_16_16_torch.float32: "0x04000000F0B3E7BCC0D2223EC86803BD300C333D605A1D3E0653163ED02233BD6E64503E8870BEBD001FE4BBB6594E3E300B0FBE3C9A7D3E9873F6BDA48502BE6E18453E521C373E945934BECC07F23DA0B1933C4A6744BE9C8495BDF07BB13C7CD06CBEB09686BCB003803DA8FF3E3E944D363E3C88D5BD84F5F23D2861593D809A68BC9E1A43BE485B913D5A126B3E5E8957BE902C8EBCDC73153E0044AC39C499373EC0610EBD14A90DBE66B351BE84E719BE880E42BD8A301F3E6019D43C8022AC3C66364E3E483F863DFC96D7BD4CB1ABBD6A97113E805FCDBDD092A53DCCC5DA3DE0D82B3CF8B833BEC6A714BE68DF6BBE9075A63D008872BE366610BE04C8713E4034E6BB5475EB3DA8A3FEBDB8B571BD8870FEBD585DC03D127F23BE2C79E8BDB87A7A3D60753B3C30AFF4BDA0B0A83CC05B35BD6A7176BEEE6C6F3EB20D51BEE0BCA73D8602103E88103BBD34B68DBD8E066C3EE084403E80A732BDE8D6B5BDF2D908BE9A0A523EE0870BBEF04BB93D08308D3DCE8A453E007CE9BA8477033EC6970DBE6CACCABDCC1AC2BD822E76BED00966BE0033FE3D547BE43D746281BD2AF769BEDE812D3EB4C1773EBA6D7F3EC4D4D4BDF86A5DBE2A61253EDCF9013E3655483EB016863DF0AA2D3ED8A8E2BDCACC4FBE00AE1F3DAA705A3ECEB91FBEDA36053EF430D7BDF63F1EBE00528DBD5AED7B3E22825C3E946E513E4EBE753E202D09BC9CE7E03D08CBAF3DB410D5BDACE7273EA06505BD30CFBCBD30BE103E047C753E8E8D453E803B513C36D327BE8E6C6D3EECE3D43D64F3523E102D97BDD215183E60244D3CC0FA333E90D3713D9C0BD8BDA432E03DA8C5733E8CA02CBE662E783E0A2A533E6CBB563EE07B5E3D04D4A1BD7489ABBD886D04BDB0AD29BE1034BE3D6CB6F33DC06F55BD82B0633E50A8AD3D04B27D3E5CD5683EA8703FBD669F51BEF03929BE2ABB763EEA661BBE0004903C1460253E5CB2A5BDF034133E1EE92BBE084D4B3D6CBCEA3DC29F55BED431BBBDC26701BEE0603DBD42D6753E1252623EBA75033EC892F0BDF07D41BD90F4BF3C9611773E141056BE381076BD0E975ABE04B5BE3DF0F005BD0435E5BD5E176ABEECBDA8BD22A35DBEEC66AB3DB41269BE423103BE64807F3EE44677BE14A452BE104744BE5E2224BEAC9B4A3EC069A4BD20D945BE0A56103EE2F65E3E9C36FE3DC087BF3CA0FA3E3DF0E1C53D045F623E2CD0123EF87C47BE248246BE3E4621BE6422DFBD6614633E40257FBE401115BD620D423ED8FCC23DEC5802BE00F841BBAE5450BE40DC22BE129555BE1A0B3BBE56EA773E30D21EBDDACA0CBEB853FABDA8584DBE5C4A0ABE905BCD3C00B81CBEC8DF1F3D3098BA3D5A08363ED6FD10BE806751BD5C017D3E50A2DCBC886064BEB8F8A7BD3C94A43DB05437BDE8B3B43D48D049BE4C96FA3DD824E1BD",
      torch_tensor_48_torch.float32: "0x0400000098DDAD3D1C34FABD20FC8EBD7643063E50CB4EBEACBA7B3E94FDA6BD045B233E70E627BD2463353E2A110EBED8B060BDBCB7FDBD6860283E5EA477BE088C293E00C8723946F622BED4D293BDB0D9F2BC08349ABD847CE1BD18E789BD30A0D53C784EF83D687E293D8A7B393E405828BDCE3D583EF8B0AB3D00E835BED4F32B3E606B593DF020243E62AF73BE40A484BC16C26DBEE03C6CBD50FFB8BDE6121EBE40C320BEE898453EDCE8E73DE8DFAD3D008F383DD8FAA13DB014C43C2A7E77BE",
      torch_tensor_48_16_torch.float32: "0x04000000F00A8F3C78361ABE6408A33DD8A7A03D7AD308BE687919BDD2F815BE9CD9843D90EA89BD72D9333E1CBB353E70A1D03CE046DABD4E5D16BE20E9E0BC581790BD68ABE13DF0985ABE4E99703E34D048BE8808443E80D231BDFEAE033E1C86C73D80752B3C00F03E3D9668423EDCAC833DF4D1073EF40746BE263E363EF036B03DB0B0813DF8750D3D1495F93D701E6B3E40DB63BD929E0EBE2CD180BD20071CBEEC4BF63D0C0DFDBD80A008BE44E25C3E70426A3E908CEB3C905131BDD02E04BD108CF23D240C6FBEEE3651BEAE7E4C3EC6BB7C3EA06773BC70474ABEC0D4DF3B4031EEBD00FCFBB9009BFA3D40A6E23DA028F0BCF079E13C74558B3DA8A848BE9096ADBD805F203C721312BEA49BDFBD28F8AB3DD255133E8091653B0029C7BD7A2A0C3EF2540CBE485B70BDB880713EB8973C3D004E903C549AAC3DE0B479BD46075B3E3ECC50BEF4D68CBD280431BD94ACD2BDF8707DBD26A81E3E36770C3E80C0633C26065F3EBEBF34BE0AA718BE7854E73DE0285CBC364A69BE6E3131BE46D81BBEA2AF453EFCDDE73D3E0B463EFC963EBE5A9779BE9CE027BE2019DB3C583F4ABD125321BE865C3A3ED41CA5BD8C1014BEBC80EC3DC0F389BD1834233EE80A743DC01ACA3B48F7563DEE5C40BE68F908BEF4A2F0BD24DB10BE7094353DE0934C3DB0BBD4BD6AE2263E08700EBE78BC4E3D143392BDBA0F5EBEA0B126BE1024D13DAC9CCA3D704C1EBE98A89FBD0C526FBE6C9C093E565C5D3EBC6FA73D52661EBE9A07073E6473543EC87E51BDE8DB27BD7436B13D60BC033DD038A9BD62A96DBEC68133BE00D15D3C40B95BBC4C65533EA02E0C3CE8D483BDD6227ABEA85F6BBE6CAFD43D0E05643E809778BB2CD064BEBCC7B53D8A81503E386F29BE30CD86BD903EAC3CAEFE11BEC65F6DBE6824E03D801152BE108480BD84EE07BEAC85403E10B7453D3070ED3DF45A2DBED0BB573E207AB63C8AFC0DBE60F985BC244335BE80113DBCE2F30E3E8C2AE6BDCC63583EA8539C3D782F33BD14F09F3D88A53CBD78FE6DBD94F427BE982A153ED2AC193EA04FAF3DB867173E6CC17F3E5E0D713EB60C77BE487E693D905AAFBC54DAAD3DE09746BD6CE78E3D688B6BBEA403EA3D96F2753ED02738BD10A14BBE3ECE54BE587144BD80D577BBE069E43C587B003DB8D3403E40C639BDCC1C923D120E08BE6EC97B3EE479C43DA0030EBD9848283EB43DB53D209D2F3DE42497BDA8C2003DA06B923CAE9115BE00736A3B789C5F3DAAA117BED8E9363DB8F2A9BD82FB54BEC85019BEE02C4BBE28FC6C3D46981C3E9ABC683E40027B3ED4A9C93D5C6BFA3D08A12EBD42A1533E4CBFC3BD60218BBD3066AABD4A9C2BBEE44C45BE98BE50BDD2E64E3E580FFFBD406968BEF0F669BDBEF8673E80FB763D907481BC685C92BD24C7603EEEFD75BE920F113E34048B3DAA7A203EAA6014BEFCDFA7BD842BD7BD1C67783E803904BDA01B74BE325D003E886F453D701F0C3DBEB62ABE56D06FBEA6F7673E02CE40BE709542BD00AE3BBD9A33123E8CD157BEEC8512BE043009BE981401BEF49B1C3E36B41C3E7042E83D10F8503E12422ABE001F82BA382B4FBE004E00BAA8CC5ABE049276BE663F213E2893E2BD602DA3BC90EA96BDF20B4BBEF050CCBC7844173D008D4C3EB8CCD9BDCEE9733E5010EDBD60DD233E809B5F3EC0C2D33CDCD7AFBD5C5E3D3E205995BD7830DBBD407DB2BD02CB50BE50A5CCBCF64350BE2AA7273EE08E76BE2E303EBE58004B3DD45E1E3E40D9743EB0794FBE484C523E8A60333EC8F027BEAC75D53D8C0690BDC460933D86A162BE24FD12BE2C4C22BE60B247BD000215BC4048B0BBF23A17BE70E1FC3DDE0B023E8C9160BE9C4A6DBE800A5CBD386D8E3DA2FB42BE2098BCBCC077683C669C43BEA6B96F3ED268393E9A88433EA0C7D0BD7AF736BE7078FB3C62BC153EA877FA3DC01426BE42F8483ED4BAF2BD280533BDF08E8FBD98C3F33D42DB6EBE060323BE50D0F7BCE237303E188E76BDBC9E203E9C706A3E80ED193CAA6C2CBE004CB63A4036C73D78145ABD0CF379BE345B183E8020DFBD080D33BED677023E087B763D10843A3E60CA4EBDBC4C1E3EF82473BD62F21EBE2C536C3E70E17B3E6A71363E78E78EBDD063DFBD2008353D58E0003EB8A9023D5094D73DA09A43BC6233113E48E4F23D70D1113EB05699BC9CB052BE0E8F20BEA889FFBD2480583E60874EBCC88409BD24BCC7BD60FF2BBC0A8D2C3E00C068387CB7ED3D3A99123EE05479BEA80EB33DECC97F3EA4B801BE2062263D803BB83BCC50073E68B6763D7C5440BEE8383FBE6C965A3EA0AEDCBD060061BE4ABF65BE0AB85EBEB8CD693D00C1EC3C249C14BE205467BD2814203DA081BA3D7409D13D6ECF09BE583B713E6E256F3EB2CD35BE9C496D3E74B851BE84F628BE102C4A3D9428963DACA2633E00F1A43A5CE62C3EDCABAABDBA8A3ABE101FC7BC28E7043E8005C8BD3AB158BED6F01BBE3066353DA81B743E0070623C585E4EBE7C37E5BD2AEC013EF822A1BDA8370ABD5E723E3E2C32BC3D48B81C3E90D3653E4C84A8BD5875143D061240BE8E757E3E96992BBE0E56733E2A636A3EF0C35E3DDA555DBE200304BCA802D3BDB4F49C3D64C3103EC6910E3EF86DA43D5E2944BEBE5357BE202C973D60A460BD3C4BEF3D94CF783E489C9A3D4A281ABE14D993BDA2BC1D3EA07DC23CCE902E3E006175BE805BFCBCCCB1F9BD3089423E30F4DF3D784A09BD3C866DBED073F1BCF8884F3E0068DBBBC0A429BC5EBD6CBE96AD4A3E02D1533EB6B14DBEB69935BEC076463C207C12BE6E7851BE6CADA03DB4B484BDAC78B13DC872CB3DA8F6633E8419183E22A770BEF04E4EBEF42D4D3E848359BEA8781C3E8E051CBEFE6A4D3E60C7103E6CB430BEC0A653BE087CE0BD1812EABD264A11BE8466343EB07C7B3D208400BDD0138BBCA40ED53DC0C1D13CB094FDBC9E50633EE8A7303ED09A8F3CCCAC303EB8B55CBD2E4942BE5208133E48020E3E400D263DE8695ABEC4CA383E40AA913C54D106BE76DA61BE8AEF04BE9E0A6E3E0CF2FD3D6CDDE1BDE4DA533EAC485B3EB87AFE3D207FB6BCC8E76F3E68AB67BD389DD5BDB0A5F43D6C9BD5BD72DA3A3E242C08BE5C85BC3D76533CBE50922ABE60A14F3C34CC493E163444BE782B88BD4029EE3DB84637BD5AA165BE006F3CBB04D1B3BD90BF733D28ADD23DF0D299BD7A2603BE085C173E308B5CBE1CE2F93DA8C3CD3DE82CCB3D209B32BE08E4CD3DB2C918BEE0CEE43DD862EEBD4062613D80AE333BF80331BE00E46DBE608A71BDE264183E48416ABDB06784BD08F31EBE465439BE7048A6BC84E785BDC035B73D62AC783E200530BE583C9DBD58F2BD3DC4CA2CBEE0F8E2BC80D101BE44D1223EC0FAE3BCF044A83C283B183EDE5C35BEEC440ABE0070463E006ECB3DE071B7BC463D7F3EEE68603E286EDDBD901D8FBDA4E6DD3DBAA11FBE56797EBE343801BEA6666ABEB0DE213EF096813D546E57BE20752CBCB84B753E1AAE15BEEA2022BEE015DC3DEAD734BE16D16EBE2CD3103E206302BD48AF073EF0E554BDBAC0703E644AD3BDD2BE543E949D11BE58F5B3BDF4BD453E20F6E23DB4C23ABE60FACBBC2221173EE03E46BEE0C8403CECCC1C3E907743BED4C3C23DF88177BE046A6FBE802BB43B7A5767BE400CECBDAE7D173E902243BDC8392BBE58ED503EB82D7ABEF820513DA08527BEB08B0EBEA027A63C2A277C3E14ED87BD024E7EBE00CA5C3D90CFCBBDF2072BBEAC48CA3D6835CA3DEC5DFDBDC0D4853C087A143D504D973C382D1EBD98F213BEE2570D3EB270413EEC074F3EF49A543E607D46BC6026A43C549ECBBD40D472BD9442833D9071A33C048537BE782B37BE7446ED3D2C49433E40506D3E7E661C3EAC4B133E889BD63D14902C3ECC4A83BD18551E3D84AECE3D3031583D90A9B0BC208B06BE602436BE787013BE7079C63C00D46B3EB87EBABD6E9050BEF4F15EBE44BEC73D08B4D43DE4DF08BE48A5C6BD8442463EC2B558BE1057163EA089093C90A8F0BD5259773ECC3E28BECED4663E242E543E50F5AF3D2EC4263EB875783D385F563EE06A643D0AA97FBE1C08D8BD7876153D5AEE333E7C5294BD00DFB93D047CC33D80F1B03C32F352BE7446753E70E3F6BD5091213D442FC7BD58AD823D560B2D3E08DC573DB066DEBD40E6623D529551BE5C35573E664E093EFA72373E6C78813DBAED7EBE64F635BED48E68BEE884153EB214783EEA98263E0C65CEBD92C01BBECE3914BEDCBF703EC41B76BE2C577ABE30A9D43D90DBC13CA4E003BE26100FBE522176BE"
    }
  }
#-}
