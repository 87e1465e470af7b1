#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @lstm(%arg0: tensor<2x4x6xf32>) -> tensor<2x4x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x8xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<1x2x8xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_32_torch.float32_1> : tensor<32xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_32_8_torch.float32> : tensor<32x8xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_32_torch.float32> : tensor<32xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_32_6_torch.float32> : tensor<32x6xf32>
    %0 = tensor.empty() : tensor<4x2x6xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x4x6xf32>) outs(%0 : tensor<4x2x6xf32>) permutation = [1, 0, 2] 
    %1 = tensor.empty() : tensor<6x32xf32>
    %transposed_7 = linalg.transpose ins(%cst_6 : tensor<32x6xf32>) outs(%1 : tensor<6x32xf32>) permutation = [1, 0] 
    %2 = tensor.empty() : tensor<4x6x32xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_7 : tensor<6x32xf32>) outs(%2 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x6x32xf32>
    %4 = tensor.empty() : tensor<4x2x32xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<4x2x32xf32>) -> tensor<4x2x32xf32>
    %6 = linalg.batch_matmul ins(%transposed, %3 : tensor<4x2x6xf32>, tensor<4x6x32xf32>) outs(%5 : tensor<4x2x32xf32>) -> tensor<4x2x32xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %cst_5 : tensor<4x2x32xf32>, tensor<32xf32>) outs(%4 : tensor<4x2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<4x2x32xf32>
    %extracted_slice = tensor.extract_slice %7[0, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<4x2x32xf32> to tensor<1x2x32xf32>
    %extracted_slice_8 = tensor.extract_slice %7[1, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<4x2x32xf32> to tensor<1x2x32xf32>
    %extracted_slice_9 = tensor.extract_slice %7[2, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<4x2x32xf32> to tensor<1x2x32xf32>
    %extracted_slice_10 = tensor.extract_slice %7[3, 0, 0] [1, 2, 32] [1, 1, 1] : tensor<4x2x32xf32> to tensor<1x2x32xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x2x32xf32> into tensor<2x32xf32>
    %collapsed_11 = tensor.collapse_shape %extracted_slice_8 [[0, 1], [2]] : tensor<1x2x32xf32> into tensor<2x32xf32>
    %collapsed_12 = tensor.collapse_shape %extracted_slice_9 [[0, 1], [2]] : tensor<1x2x32xf32> into tensor<2x32xf32>
    %collapsed_13 = tensor.collapse_shape %extracted_slice_10 [[0, 1], [2]] : tensor<1x2x32xf32> into tensor<2x32xf32>
    %8 = tensor.empty() : tensor<8x32xf32>
    %transposed_14 = linalg.transpose ins(%cst_4 : tensor<32x8xf32>) outs(%8 : tensor<8x32xf32>) permutation = [1, 0] 
    %9 = tensor.empty() : tensor<2x32xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %11 = linalg.matmul ins(%cst_1, %transposed_14 : tensor<2x8xf32>, tensor<8x32xf32>) outs(%10 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%11, %cst_3 : tensor<2x32xf32>, tensor<32xf32>) outs(%9 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<2x32xf32>
    %expanded = tensor.expand_shape %12 [[0, 1], [2]] output_shape [1, 2, 32] : tensor<2x32xf32> into tensor<1x2x32xf32>
    %13 = tensor.empty() : tensor<1x2x32xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %collapsed : tensor<1x2x32xf32>, tensor<2x32xf32>) outs(%13 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x32xf32>
    %extracted_slice_15 = tensor.extract_slice %14[0, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_16 = tensor.extract_slice %14[0, 0, 8] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_17 = tensor.extract_slice %14[0, 0, 16] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_18 = tensor.extract_slice %14[0, 0, 24] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %15 = tensor.empty() : tensor<1x2x8xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_15 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_16 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_17 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.tanh %in : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_18 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %cst_2 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %18 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %21 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.tanh %in : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %23 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %collapsed_19 = tensor.collapse_shape %24 [[0, 1], [2]] : tensor<1x2x8xf32> into tensor<2x8xf32>
    %25 = linalg.matmul ins(%collapsed_19, %transposed_14 : tensor<2x8xf32>, tensor<8x32xf32>) outs(%10 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%25, %cst_3 : tensor<2x32xf32>, tensor<32xf32>) outs(%9 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<2x32xf32>
    %expanded_20 = tensor.expand_shape %26 [[0, 1], [2]] output_shape [1, 2, 32] : tensor<2x32xf32> into tensor<1x2x32xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_20, %collapsed_11 : tensor<1x2x32xf32>, tensor<2x32xf32>) outs(%13 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x32xf32>
    %extracted_slice_21 = tensor.extract_slice %27[0, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_22 = tensor.extract_slice %27[0, 0, 8] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_23 = tensor.extract_slice %27[0, 0, 16] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_24 = tensor.extract_slice %27[0, 0, 24] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_21 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_22 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_23 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.tanh %in : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_24 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %22 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %30 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%32, %33 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.tanh %in : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %35 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %collapsed_25 = tensor.collapse_shape %36 [[0, 1], [2]] : tensor<1x2x8xf32> into tensor<2x8xf32>
    %37 = linalg.matmul ins(%collapsed_25, %transposed_14 : tensor<2x8xf32>, tensor<8x32xf32>) outs(%10 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%37, %cst_3 : tensor<2x32xf32>, tensor<32xf32>) outs(%9 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<2x32xf32>
    %expanded_26 = tensor.expand_shape %38 [[0, 1], [2]] output_shape [1, 2, 32] : tensor<2x32xf32> into tensor<1x2x32xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_26, %collapsed_12 : tensor<1x2x32xf32>, tensor<2x32xf32>) outs(%13 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x32xf32>
    %extracted_slice_27 = tensor.extract_slice %39[0, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_28 = tensor.extract_slice %39[0, 0, 8] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_29 = tensor.extract_slice %39[0, 0, 16] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_30 = tensor.extract_slice %39[0, 0, 24] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_27 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_28 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_29 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.tanh %in : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_30 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %34 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %42 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %45 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.tanh %in : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43, %47 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %collapsed_31 = tensor.collapse_shape %48 [[0, 1], [2]] : tensor<1x2x8xf32> into tensor<2x8xf32>
    %49 = linalg.matmul ins(%collapsed_31, %transposed_14 : tensor<2x8xf32>, tensor<8x32xf32>) outs(%10 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %50 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%49, %cst_3 : tensor<2x32xf32>, tensor<32xf32>) outs(%9 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<2x32xf32>
    %expanded_32 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [1, 2, 32] : tensor<2x32xf32> into tensor<1x2x32xf32>
    %51 = linalg.generic {indexing_maps = [#map1, #map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32, %collapsed_13 : tensor<1x2x32xf32>, tensor<2x32xf32>) outs(%13 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x32xf32>
    %extracted_slice_33 = tensor.extract_slice %51[0, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_34 = tensor.extract_slice %51[0, 0, 8] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_35 = tensor.extract_slice %51[0, 0, 16] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %extracted_slice_36 = tensor.extract_slice %51[0, 0, 24] [1, 2, 8] [1, 1, 1] : tensor<1x2x32xf32> to tensor<1x2x8xf32>
    %52 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_33 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_34 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_35 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.tanh %in : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_36 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = arith.negf %in : f32
      %63 = math.exp %62 : f32
      %64 = arith.addf %63, %cst_0 : f32
      %65 = arith.divf %cst_0, %64 : f32
      linalg.yield %65 : f32
    } -> tensor<1x2x8xf32>
    %56 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%53, %46 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %57 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52, %54 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56, %57 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.addf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %62 = math.tanh %in : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %59 : tensor<1x2x8xf32>, tensor<1x2x8xf32>) outs(%15 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %in_38: f32, %out: f32):
      %62 = arith.mulf %in, %in_38 : f32
      linalg.yield %62 : f32
    } -> tensor<1x2x8xf32>
    %concat = tensor.concat dim(0) %24, %36, %48, %60 : (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) -> tensor<4x2x8xf32>
    %61 = tensor.empty() : tensor<2x4x8xf32>
    %transposed_37 = linalg.transpose ins(%concat : tensor<4x2x8xf32>) outs(%61 : tensor<2x4x8xf32>) permutation = [1, 0, 2] 
    return %transposed_37 : tensor<2x4x8xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_32_torch.float32_1: "0x04000000D6125F3E9586093D83DF763E5382ADBE927132BD898F30BEC28E893EFA5B1E3E9D2842BD80F4A7BE8DBB2ABDDABF923EC6241BBC87E96FBC7766A7BEA6508F3EDFC6953EA07291BE306980BECC558C3C2F294FBE321E94BE713BE33DA8ACBBBD80FBFA3D16DC0F3ECD31A13EF619573ED22AAABECDE191BE7515913E31CE99BE",
      torch_tensor_32_8_torch.float32: "0x040000001C73AA3EC3B0AEBECD1AA53DD7FCF7BC74DDF53D386D8CBDC518CA3D1E8EA6BE1979253E45E9AD3EB53782BDD0FC8FBEEF7996BEEFE78ABDBE3EAFBB4683213D62B3353D6B59883EC35C83BD5FA2CE3D286940BE490AB23EFBED0A3E9ED648BD29FD6D3E2128003EFA5A783D02C0D5BD3C18363DDA11CF3CC98553BED7C7A53BF41D9E3D777056BEDF56813DCA57F0BDF19996BE28D258BEA8AA8FBEDD92A73D61755D3ED991A43E727DB13EF9980E3EBF12313E76F676BD1BA5953E0A6A0ABE93C2C4BD17FBF0BDA3B172BE2E838BBECB9A93BD324D923EC85A34BEE956A4BE1E70A5BD5A07A43E98A4AE3DD513B7BC54FCCEBD25F19E3E4BF1ADBEA0254D3E5299C43DA9F3623E6DD651BE3869EDBDED2518BEB4A5AF3E6CFE3ABD409CACBEBF88353EAC9B8B3DDF29463D026D71BEF092A9BE9406A43E625588BE6B9789BDA7B584BD9FC24E3E549B98BE0A374FBE340342BE1D8C36BE957A5D3EE39C5D3E773B243E6EC3933E03C870BEDE04B8BA907D92BE427335BAEEB69ABE015AAEBEE209643E6D3620BE79C4E6BC856DD5BD5F938FBE2D7910BDABEC553DA5A3903EF4011ABE0679AC3E1EA127BE60BD673E441D9E3ECABC153D0AAEF8BD60E7853ECE35D3BD82FD1ABE036CFCBD92A393BED6B410BD144493BEDD186D3EC957AEBEBE7B86BE2B8B8F3D37F85F3E5622AD3E0CB592BE00B4943E73AD7D3EF9806DBE53F0163ED4AECBBD886CD03D9540A0BEA4DF4FBEFD8565BEFA348DBD97BA52BCFB4CF9BB33DF55BE48D0323ECFE9373E3FCB9EBE57CAA7BEAE979BBDF36BC93DAFDF89BE345B05BD2961A43C5C518ABEE582A93EB21A833E5D438A3E2DA113BE836081BE04D1313D2DC2533E711B313EC3DF6ABE691B8E3EC9A22BBE372C7DBDAC05CBBD015E2C3EA4E5A8BE948866BE133B2FBDD635793E3B57AEBDAC26633E27C6A53ECBAF593C53D873BE42E7003B35DD0C3EB0349ABDADBDB0BEDC76573E4BC61DBE5A377DBE8082383EC149AE3DFAE2833E153992BDA1DE5F3ED7EDABBDE4C860BE601BA73E431BB23EB701813ED618CABDE4F51DBE3F02803D3842363E0CC9383D0870183E1B508ABC46584D3E19C02B3ECC374E3E83DAD8BCF1FA94BE7F1063BE44B134BEC916993EB50992BC147B42BDE23B0DBEC43D73BC1C06743E4094A4385317283E57524F3ED44DB0BEA639FD3DB6DEB43E1C7437BE304D6B3DA145023C7C5D3F3EBD73AE3D74FF87BEEE3687BE94909A3EBB0B1CBE5E199FBEB074A2BE6D7C9DBEF852A53D0969273D8A2A52BEF492A3BDB162623D41E1033EBACF133EA6E442BE9F93AA3E161AA93EF38D80BEA2C9A73E784B94BE1FF36EBE10F58E3D305BD43D6AF6A03E2B43E93A6E84743E9E5DF1BDB1E783BED0CC0CBD02F43B3EC16F0DBE7E3999BE96885CBEC244803D469CAC3E911DA03CB2EC91BE",
      torch_tensor_32_torch.float32: "0x04000000A91422BEF9BC373EAEE1E3BD0C7843BD8BAA863E1D13053EA5A25D3E0683A23E9851EEBDACF3513D75D087BE09EEB33ED1AD72BE8C10AC3EA5BCA53ED7849D3DFB819CBE86B13ABCF53415BE18F8DD3DE4B94C3EA59F493EDC89E83D0AB58ABE5F4298BE3ECAD53D90D89EBDD234293E93EFAF3EF8A6DA3DEF025ABEAE16D1BD",
      torch_tensor_32_6_torch.float32: "0x04000000FF4ACA3CFC165ABE2B90E63D8E33E33D558041BE9C0B59BDA51754BEDAE0BB3D050BC3BD6F587E3ECE80803E2D86133D55581ABEC1A554BE2D091FBD95C6CBBD8D921F3E5C929ABE0B21AA3E17FF8DBED29D8A3E897A7BBD8B3A3A3EAD150D3EC87A723C6103873DB477893E8637BA3D2314403E74078CBE77DD803E8034F93DDD68B73D490E483D3A7B303E1141A63E6C1EA1BDBEB149BEC32CB6BD1CA85CBE71282E3E1EEF32BE3D3841BE3F309C3E81A5A53EF08E263D31C47ABD4FEF3ABDB8812B3E3508A9BEE2EF93BE8599903EA6B5B23EF91CACBC6B088FBEC0451E3C6D6D28BE0B2E32BA6F34313EED43203E5ED129BD936F1F3D390CC53D20E38DBE9E7DF5BD3ECD623C25954EBE5E1D1EBE8F33F33D0D5D503E5054A23BD7D30CBE7C39463E8B7546BE2FF5A9BDADC4AA3EEA5A853DE013CC3CE718F43DB691B0BD61E09A3E71A493BE672DC7BDB9567ABD17F814BEC635B3BDE85F603E01A6463E820BA13CA9B39D3E209E7FBE1BE257BE3293233E28AD9BBCFBF5A4BEBF967ABEDA655CBE00C98B3E6FF4233EC7098C3E6FC486BED67CB0BE1A6A6DBE00ED1A3DB2028FBDB42564BE05C7833E2681E9BD206551BE973B273E0318C3BDF9CD663E6E90AC3DD2E80E3CFE00983D6C0588BEF9B541BEDD272ABE7BDB4CBE7665803D82A8903DD06C16BE9E026C3EED6F49BE402F923DE1C1CEBD6A059DBE9EBD6BBE8AE2133EB0440F3E35DE5FBE93CAE1BDA339A9BE839C423E90869C3E79CAEC3DD00260BEF8F53E3EB139963EB02294BD74636DBDDA9DFA3D784D3A3DE150EFBD5B0DA8BE73DC7DBE0FD99C3C3A5E9BBCB57A953E5A3F463C2970BABD77DFB0BE2F6FA6BE2464163EFB3BA13EECC7AFBB9CCBA1BEBC89003E9F6F933ED29D6FBE5CA3BEBD2197F33CC7774EBE4ED9A7BE137E1E3E6F8A94BEB7BFB5BD883C40BE3B22883E41CE8B3DE9E4273E512975BEF68B983EE007013D99CC48BED077BDBCFA2B80BE07B185BC652A4A3E88C022BEBE02993E5714DD3D0D687DBDAB2FE23DAF6485BD8549A8BD58866DBEFFF3523E5254593E60EDF73D851E563EB3D8B43E"
    }
  }
#-}
