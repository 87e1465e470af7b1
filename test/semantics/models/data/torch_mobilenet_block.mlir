#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
module {
  func.func @mobilenet_block(%arg0: tensor<2x6x8x8xf32>) -> tensor<2x6x4x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant dense<6.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense_resource<torch_tensor_6_torch.float32_3> : tensor<6xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_6_torch.float32_2> : tensor<6xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_6_torch.float32_1> : tensor<6xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_7 = arith.constant dense_resource<torch_tensor_6_12_1_1_torch.float32> : tensor<6x12x1x1xf32>
    %cst_8 = arith.constant dense_resource<torch_tensor_12_torch.float32_7> : tensor<12xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_12_torch.float32_6> : tensor<12xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_12_torch.float32_5> : tensor<12xf32>
    %cst_11 = arith.constant dense_resource<torch_tensor_12_torch.float32_4> : tensor<12xf32>
    %cst_12 = arith.constant dense_resource<torch_tensor_12_1_3_3_torch.float32> : tensor<12x1x3x3xf32>
    %cst_13 = arith.constant dense_resource<torch_tensor_12_torch.float32_3> : tensor<12xf32>
    %cst_14 = arith.constant dense_resource<torch_tensor_12_torch.float32_2> : tensor<12xf32>
    %cst_15 = arith.constant 1.000000e-05 : f64
    %cst_16 = arith.constant dense_resource<torch_tensor_12_torch.float32_1> : tensor<12xf32>
    %cst_17 = arith.constant dense_resource<torch_tensor_12_torch.float32> : tensor<12xf32>
    %cst_18 = arith.constant dense_resource<torch_tensor_12_6_1_1_torch.float32> : tensor<12x6x1x1xf32>
    %0 = tensor.empty() : tensor<2x12x8x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x12x8x8xf32>) -> tensor<2x12x8x8xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %cst_18 : tensor<2x6x8x8xf32>, tensor<12x6x1x1xf32>) outs(%1 : tensor<2x12x8x8xf32>) -> tensor<2x12x8x8xf32>
    %3 = tensor.empty() : tensor<12xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_16 : tensor<12xf32>) outs(%3 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.truncf %cst_15 : f64 to f32
      %37 = arith.addf %in, %36 : f32
      linalg.yield %37 : f32
    } -> tensor<12xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<12xf32>) outs(%3 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = math.sqrt %in : f32
      linalg.yield %36 : f32
    } -> tensor<12xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%5 : tensor<12xf32>) outs(%3 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.cmpf one, %in, %cst : f32
      cf.assert %36, "unimplemented: tensor with zero element"
      %37 = arith.divf %cst_0, %in : f32
      linalg.yield %37 : f32
    } -> tensor<12xf32>
    %expanded = tensor.expand_shape %cst_17 [[0, 1, 2]] output_shape [12, 1, 1] : tensor<12xf32> into tensor<12x1x1xf32>
    %expanded_19 = tensor.expand_shape %6 [[0, 1, 2]] output_shape [12, 1, 1] : tensor<12xf32> into tensor<12x1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %expanded : tensor<2x12x8x8xf32>, tensor<12x1x1xf32>) outs(%0 : tensor<2x12x8x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.subf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x12x8x8xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_19 : tensor<2x12x8x8xf32>, tensor<12x1x1xf32>) outs(%0 : tensor<2x12x8x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.mulf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x12x8x8xf32>
    %expanded_20 = tensor.expand_shape %cst_14 [[0, 1, 2]] output_shape [12, 1, 1] : tensor<12xf32> into tensor<12x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_20 : tensor<2x12x8x8xf32>, tensor<12x1x1xf32>) outs(%0 : tensor<2x12x8x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.mulf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x12x8x8xf32>
    %expanded_21 = tensor.expand_shape %cst_13 [[0, 1, 2]] output_shape [12, 1, 1] : tensor<12xf32> into tensor<12x1x1xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %expanded_21 : tensor<2x12x8x8xf32>, tensor<12x1x1xf32>) outs(%0 : tensor<2x12x8x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.addf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x12x8x8xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %cst_2 : tensor<2x12x8x8xf32>, tensor<f32>) outs(%0 : tensor<2x12x8x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.cmpf ogt, %in, %in_30 : f32
      %37 = arith.select %36, %in, %in_30 : f32
      linalg.yield %37 : f32
    } -> tensor<2x12x8x8xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1, %11 : tensor<f32>, tensor<2x12x8x8xf32>) outs(%0 : tensor<2x12x8x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.cmpf olt, %in, %in_30 : f32
      %37 = arith.select %36, %in, %in_30 : f32
      linalg.yield %37 : f32
    } -> tensor<2x12x8x8xf32>
    %padded = tensor.pad %12 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<2x12x8x8xf32> to tensor<2x12x10x10xf32>
    %13 = tensor.empty() : tensor<2x12x4x4xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<2x12x4x4xf32>) -> tensor<2x12x4x4xf32>
    %collapsed = tensor.collapse_shape %cst_12 [[0, 1], [2], [3]] : tensor<12x1x3x3xf32> into tensor<12x3x3xf32>
    %15 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %collapsed : tensor<2x12x10x10xf32>, tensor<12x3x3xf32>) outs(%14 : tensor<2x12x4x4xf32>) -> tensor<2x12x4x4xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_10 : tensor<12xf32>) outs(%3 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.truncf %cst_15 : f64 to f32
      %37 = arith.addf %in, %36 : f32
      linalg.yield %37 : f32
    } -> tensor<12xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%16 : tensor<12xf32>) outs(%3 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = math.sqrt %in : f32
      linalg.yield %36 : f32
    } -> tensor<12xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%17 : tensor<12xf32>) outs(%3 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.cmpf one, %in, %cst : f32
      cf.assert %36, "unimplemented: tensor with zero element"
      %37 = arith.divf %cst_0, %in : f32
      linalg.yield %37 : f32
    } -> tensor<12xf32>
    %expanded_22 = tensor.expand_shape %cst_11 [[0, 1, 2]] output_shape [12, 1, 1] : tensor<12xf32> into tensor<12x1x1xf32>
    %expanded_23 = tensor.expand_shape %18 [[0, 1, 2]] output_shape [12, 1, 1] : tensor<12xf32> into tensor<12x1x1xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %expanded_22 : tensor<2x12x4x4xf32>, tensor<12x1x1xf32>) outs(%13 : tensor<2x12x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.subf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x12x4x4xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %expanded_23 : tensor<2x12x4x4xf32>, tensor<12x1x1xf32>) outs(%13 : tensor<2x12x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.mulf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x12x4x4xf32>
    %expanded_24 = tensor.expand_shape %cst_9 [[0, 1, 2]] output_shape [12, 1, 1] : tensor<12xf32> into tensor<12x1x1xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %expanded_24 : tensor<2x12x4x4xf32>, tensor<12x1x1xf32>) outs(%13 : tensor<2x12x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.mulf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x12x4x4xf32>
    %expanded_25 = tensor.expand_shape %cst_8 [[0, 1, 2]] output_shape [12, 1, 1] : tensor<12xf32> into tensor<12x1x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded_25 : tensor<2x12x4x4xf32>, tensor<12x1x1xf32>) outs(%13 : tensor<2x12x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.addf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x12x4x4xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %cst_2 : tensor<2x12x4x4xf32>, tensor<f32>) outs(%13 : tensor<2x12x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.cmpf ogt, %in, %in_30 : f32
      %37 = arith.select %36, %in, %in_30 : f32
      linalg.yield %37 : f32
    } -> tensor<2x12x4x4xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1, %23 : tensor<f32>, tensor<2x12x4x4xf32>) outs(%13 : tensor<2x12x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.cmpf olt, %in, %in_30 : f32
      %37 = arith.select %36, %in, %in_30 : f32
      linalg.yield %37 : f32
    } -> tensor<2x12x4x4xf32>
    %25 = tensor.empty() : tensor<2x6x4x4xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    %27 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%24, %cst_7 : tensor<2x12x4x4xf32>, tensor<6x12x1x1xf32>) outs(%26 : tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    %28 = tensor.empty() : tensor<6xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_5 : tensor<6xf32>) outs(%28 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.truncf %cst_15 : f64 to f32
      %37 = arith.addf %in, %36 : f32
      linalg.yield %37 : f32
    } -> tensor<6xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%29 : tensor<6xf32>) outs(%28 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = math.sqrt %in : f32
      linalg.yield %36 : f32
    } -> tensor<6xf32>
    %31 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%30 : tensor<6xf32>) outs(%28 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.cmpf one, %in, %cst : f32
      cf.assert %36, "unimplemented: tensor with zero element"
      %37 = arith.divf %cst_0, %in : f32
      linalg.yield %37 : f32
    } -> tensor<6xf32>
    %expanded_26 = tensor.expand_shape %cst_6 [[0, 1, 2]] output_shape [6, 1, 1] : tensor<6xf32> into tensor<6x1x1xf32>
    %expanded_27 = tensor.expand_shape %31 [[0, 1, 2]] output_shape [6, 1, 1] : tensor<6xf32> into tensor<6x1x1xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %expanded_26 : tensor<2x6x4x4xf32>, tensor<6x1x1xf32>) outs(%25 : tensor<2x6x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.subf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x6x4x4xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %expanded_27 : tensor<2x6x4x4xf32>, tensor<6x1x1xf32>) outs(%25 : tensor<2x6x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.mulf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x6x4x4xf32>
    %expanded_28 = tensor.expand_shape %cst_4 [[0, 1, 2]] output_shape [6, 1, 1] : tensor<6xf32> into tensor<6x1x1xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %expanded_28 : tensor<2x6x4x4xf32>, tensor<6x1x1xf32>) outs(%25 : tensor<2x6x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.mulf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x6x4x4xf32>
    %expanded_29 = tensor.expand_shape %cst_3 [[0, 1, 2]] output_shape [6, 1, 1] : tensor<6xf32> into tensor<6x1x1xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34, %expanded_29 : tensor<2x6x4x4xf32>, tensor<6x1x1xf32>) outs(%25 : tensor<2x6x4x4xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %36 = arith.addf %in, %in_30 : f32
      linalg.yield %36 : f32
    } -> tensor<2x6x4x4xf32>
    return %35 : tensor<2x6x4x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_6_torch.float32_3: "0x04000000000000000000000000000000000000000000000000000000",
      torch_tensor_6_torch.float32_2: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_6_torch.float32_1: "0x04000000A6C7683FF5DC693FCF4A683F659C673FA0656A3F8D53693F",
      torch_tensor_6_torch.float32: "0x040000001F6D173D9FAA603A512D0F3CDF5CACB97F909E3C1800BDBC",
      torch_tensor_6_12_1_1_torch.float32: "0x040000008EDD793EB882B43DCFE74EBD26AEB83D91D459BDEA6789BD2CF041BE143E2C3EDE72313E876ECA3DDED32E3E19A9933EEB2B8B3E5AA28EBEB2CE863D287BCABC7BBFC83DD45065BDE502A53DE1FD87BEB11B073E77FF8D3EFCA454BD75216BBE0EBA75BE22D562BD47168FBBE8DF033DA75B143D50A85E3E898356BD57B7A83D4D1A1DBE845E913E00DFE23DDCFB23BD2F51423E7447D13D04C84A3DB386AEBDFFAD143D5C12A93C1DB52CBEFC5B873B1C1A813DC7162FBED335533D3B3DC4BD53EE75BE970831BE4B9B6ABEC7D2883DF3D1343EE05E863E84EB903E5FDCE83D6794103EECA449BD825E743E8A07E2BD67A7A0BD90C2C4BDA32846BEA4D263BE920971BDD1E86E3E494213BEC12E86BE5C1487BDCCED853E6A988E3D6D7B95BC",
      torch_tensor_12_torch.float32_7: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_12_torch.float32_6: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_12_torch.float32_5: "0x04000000E63A693F82EE673F072E693F55C9683F40D5673F6436683FA35C6A3F4965673FA4836B3FF80C693F1AC1693FE591683F",
      torch_tensor_12_torch.float32_4: "0x04000000EB91C43C25E4003CDEA381BCABEDE5BC30AB13BC0F586EBC236E00BC8FF1523B30CB1CBD0DFFDC3BCB513EBBC12503BC",
      torch_tensor_12_1_3_3_torch.float32: "0x040000004EE33A3EEE1B3BBEDB3CA0BD7B00A13EF6747B3D0068C03C1B23E63D9678A6BDDA04923ED4328BBE46C9BBBD8B056CBD0E730CBEFBF5A8BDDE8A533E9E493B3EABD5973CC4AE943EA8FF70BE63894BBE50381A3EEBC592BCCF869BBEE8416CBE08CB4FBE6CCA833EFE931A3E7F07843EA61E7EBEE764A6BE26D65FBEC010123DE6D486BD6E1957BE5E7B783E7026DCBD666B45BE28AB1D3EABEFB7BDCB9A593EF0B1A23D80BC063C864F8F3DF43D80BEE0A136BEA36C20BE302441BE401B723D9662883D76D20DBE38835E3EB6EA3DBEFBD2893DC6EEC2BD7C0A94BE2B425EBE606D0B3E1E13073E961053BECBE0D4BD088C9FBE3B7B373EE492933EA63FDF3D183353BE230A343E43A28D3EDBA98BBDE0CF5FBD9B48EC3DD6A52F3D16A1E1BDEC709EBEB3576FBEABE0933C807B92BC33EE8C3ED6E83A3C8BC6AFBDE4C1A6BE70EA9CBE48CA0D3E5F03983E56BAA5BBC88A98BEA65FF23D07018B3EA0E961BE40BCB3BDC0A8E53CE8A842BEDA3F9EBE9B6D153EAB0B8CBEC05AABBD063E35BE1E59803E60CF833DCB4A1E3EF02367BE8BD28F3E804DF33CB8503DBED6A1B2BCDBAE71BE56177CBC839A3E3EB37119BE",
      torch_tensor_12_torch.float32_3: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_12_torch.float32_2: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_12_torch.float32_1: "0x04000000E0A36A3FB5E46B3F71986C3F415A713FE3C86C3FB0DB6D3F77EA6B3FF6836D3F4E4F743F0BC86A3F23F4693F011F6B3F",
      torch_tensor_12_torch.float32: "0x04000000D89AA3B9DB550FBB2589DBBB0040F93BB92702BCF1CC0A3CE9DC1DBBFE4421BB70CBECBAD0E1653B6212343BD46684BB",
      torch_tensor_12_6_1_1_torch.float32: "0x040000007A96E93C12D47BBE9F1D053EBF2C033EA26F5FBE569F7ABD37E774BE76F1D83D6137E1BDAFD8923EF661943EA0582A3DE93832BE4E8B75BE87A337BDC84CEBBD2842383EEA7BB2BEB972C43EA0F6A3BE800FA03EF83091BDD209573E1AE9223EE5FE8B3C5BE69B3DE2BB9E3E5706D73D19CB5D3E13B1A1BEF4CC943EEDE00F3E7FC8D33D2A01673D7BC84B3E4AF9BF3E450BBABD84E568BE805BD2BDDACA7EBEAE19493E819D4EBE631C5FBED659B43EA945BF3E3453403DB1C790BD8DDA57BDF509463E712EC3BEAFD2AABE27F8A63E255BCE3E3BBDC6BC0029A5BEDEC1363CB87B42BE90BE4DBA579E4C3EF80E393EB91644BDC419383DFA87E33D55D6A3BEF0BB0DBEADF1823C828A6EBE3D9336BE93690C3EF298703E1971BB3B149D22BE"
    }
  }
#-}
