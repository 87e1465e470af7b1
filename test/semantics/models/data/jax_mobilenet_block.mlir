#map = affine_map<(d0, d1, d2, d3) -> (d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1, d2, d3) -> ()>
module @jit_mobilenet_block attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x8x6xf32>) -> (tensor<2x4x4x6xf32> {jax.result_info = "result"}) {
    %cst = arith.constant dense<"0x2A490EBEA517EFBCD813C13EEEC8533E390AC9BDFB73E2BD56B899BD9E03EA3E417D03BECC94BABD78A1D83D196714BD416C72BDE81EABBE738562BBA64408BE031EB33EF9A0483E6557EDBBA0534D3EDDD0D0BD4C9BA13EC251D4BA0F37333EFD47C6BE0F00D53D72A701BF32501CBF1312BBBD983A8ABE8D96493DB7652C3F5F817FBEECAC3FBE7F667C3D2574173E8EC458BD160C7DBDF0CB573E34B71F3ECAC59EBE9598C2BC22712D3C06F8A1BE28A59F3D39C883BE384F953E9FD86C3DC97ADB3C5C9035BE6DBF11BD4B6D19BFC1C8ADBEC4EDDE3D557923BF010A823EA81906BF5778683E4CDE81BE5B4E6F3EB1E9203DD00EECBE87DEBF3E3C72DD3EDEB8A1BC4E4BA8BDCD7144BD8DC895BE31BEA83EC2C626BE739C7BBC5FB373BE655440BE3342C4BEFB15C13EC3573DBD965D943E73FC823B1E5255BE26B7C8BD5D1A2CBE767B1C3B6090E6BD9C45B8BDC4BFD3BEF2DC77BE3110FE3EEF334EBEA8E8A1BED840CF3D3328D83E9156DFBEA71D80BDA32A42BE0E3F07BFFDC4613E8E76E6BB5393AF3C2F1C67BEAFB50B3E12AC25BE77992FBD963AAABE1BCBBABE4023CD3E56C81BBE5B35B33D361626BC"> : tensor<3x3x12xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<6.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<[[[[3.69046029E-4, 0.0896236672, -0.0822413563, -0.267177582, -0.136401236, -0.297493964, 0.0180430803, 0.402064592, -0.147661954, -0.186142474, 0.146952629, 0.10706611], [0.0316242762, -0.279140413, -0.00877554714, 0.208590969, -0.403264374, -0.137284741, -0.570366859, -0.386861354, -0.552520514, -0.0705273449, -0.380233973, 0.0813793093], [0.0470253266, -0.0560792834, -0.755027949, -0.161607876, -0.0145502836, 0.0339926966, -0.459040731, -0.143325984, -0.293555737, -0.242651179, 0.31826961, -0.242260411], [-0.00975651201, 0.265316963, -0.17508015, -0.0335105881, 0.0331392437, 0.0191345327, -0.367516756, 0.0228420701, 0.407647043, -0.464143425, 0.257814825, 0.0358062088], [-0.192441121, 0.600124955, 0.228677928, -0.359786659, 0.0223548692, 0.173006892, -0.0566346385, 0.204873085, -0.0199551973, 0.200174272, 0.431556791, -0.202698693], [0.0609415844, -0.13899228, 0.0381805263, -0.356158376, -0.173790485, -0.0588587932, 0.26962918, 0.343566597, -0.397058368, -0.238392726, 0.194071025, -5.977260e-01]]]]> : tensor<1x1x6x12xf32>
    %cst_4 = arith.constant dense<[0.400067985, 0.0141359717, -0.351763725, -0.282209963, 3.391840e-01, 0.0472879894, 0.0143997725, -0.016038537, 0.0115200793, 0.241621718, 0.165770203, 0.0647114143]> : tensor<12xf32>
    %cst_5 = arith.constant dense<[0.812870502, 0.653342664, 0.705284119, 0.828163743, 0.881325244, 0.541296303, 0.502217472, 0.897403717, 1.01660156, 0.938132048, 0.639085174, 0.731526375]> : tensor<12xf32>
    %cst_6 = arith.constant dense<[0.613602817, 1.28406787, 0.575119376, 0.518403232, 0.524965227, 0.823062539, 0.58080411, 0.553477645, 0.856428265, 0.600328147, 0.501666486, 9.586910e-01]> : tensor<12xf32>
    %cst_7 = arith.constant dense<[-0.166574374, -0.116829097, -0.545026541, 0.470731765, 0.289299726, 0.275054425, 0.200669542, 0.0330445766, 0.0646466836, -0.0756019801, -0.0610801279, 0.0162910838]> : tensor<12xf32>
    %cst_8 = arith.constant dense<[0.453548878, 0.166706383, -0.017538039, -0.173817635, -0.190499559, 0.480811507, 0.152006194, 0.0202651676, -0.103854559, -0.332716018, -0.020058468, 0.262097418]> : tensor<12xf32>
    %cst_9 = arith.constant dense<[0.617771208, 0.568182826, 0.5663203, 0.532888353, 0.97791326, 0.570629537, 0.756328701, 0.765385508, 0.731189609, 0.673124075, 0.957341253, 0.594088912]> : tensor<12xf32>
    %cst_10 = arith.constant dense<[0.68047285, 0.557429671, 0.500608683, 0.798084914, 0.638275862, 1.10465479, 0.577433586, 0.560862839, 0.813479602, 0.59572655, 0.874092876, 0.832079291]> : tensor<12xf32>
    %cst_11 = arith.constant dense<[0.383900195, -0.27163595, 0.324407279, 0.457307428, 0.0777979418, 0.166017428, 0.585675299, -0.0590185262, -0.177901745, -0.405969352, 0.0125121241, 0.443743289]> : tensor<12xf32>
    %cst_12 = arith.constant dense<[[[[-0.132343575, -0.152388304, 0.189024791, -0.0905602872, -0.0454330966, 0.00666646753], [0.35295251, 0.204153314, 0.114780091, -0.169071421, -0.414590627, 2.848590e-01], [0.289934158, -0.0422125235, 0.162565157, 0.234432921, 0.249355346, 0.27641505], [-0.136685297, 0.454491884, -0.373977959, 0.258516937, 0.148179621, 0.262085766], [0.563702524, 0.44533366, -0.343553066, -0.506601512, 0.245066717, -0.304503739], [-0.00372161693, 0.251918256, -0.493139237, -0.632994115, 0.077789709, 0.013315768], [-0.0737409219, 0.0115604298, -0.25815469, -0.454048336, -0.049996458, -0.291512638], [-0.493044436, 0.151704341, -0.0184195898, 0.121958561, -0.296788484, -0.197417632], [-0.299712926, -0.265992582, 0.0586223751, -0.234892383, 0.10681989, 0.101926781], [0.607548356, -0.417836726, 0.266370714, -0.0268463902, -0.00420891913, -0.434959143], [-0.138058156, 0.222959191, -0.0247435141, 0.0243163109, -0.0872150063, 0.346370935], [-0.00644177059, -0.660124719, -0.207621783, -5.906390e-01, -0.975431561, -0.15903461]]]]> : tensor<1x1x12x6xf32>
    %cst_13 = arith.constant dense<[0.287878633, -0.282627374, -0.256612629, -0.151251376, 0.0876804217, -0.061593432]> : tensor<6xf32>
    %cst_14 = arith.constant dense<[0.564346194, 0.589031816, 0.589642107, 0.512062192, 0.561987758, 0.525200903]> : tensor<6xf32>
    %cst_15 = arith.constant dense<[0.65105629, 1.06126273, 0.677591681, 0.516743183, 1.00583553, 0.616387129]> : tensor<6xf32>
    %cst_16 = arith.constant dense<[-0.584003568, -0.42271027, 0.256391793, 0.211870521, -0.0449817032, -0.513003349]> : tensor<6xf32>
    %0 = tensor.empty() : tensor<2x8x8x12xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x8x8x12xf32>) -> tensor<2x8x8x12xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %cst_3 : tensor<2x8x8x6xf32>, tensor<1x1x6x12xf32>) outs(%1 : tensor<2x8x8x12xf32>) -> tensor<2x8x8x12xf32>
    %3 = tensor.empty() : tensor<1x1x1x12xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<12xf32>) outs(%3 : tensor<1x1x1x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x12xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x1x1x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8x12xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %5 : tensor<2x8x8x12xf32>, tensor<2x8x8x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.subf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x8x8x12xf32>
    %7 = tensor.empty() : tensor<12xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%cst_5 : tensor<12xf32>) outs(%7 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = math.rsqrt %in : f32
      linalg.yield %60 : f32
    } -> tensor<12xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<12xf32>) outs(%3 : tensor<1x1x1x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x12xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<1x1x1x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8x12xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %10 : tensor<2x8x8x12xf32>, tensor<2x8x8x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.mulf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x8x8x12xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_6 : tensor<12xf32>) outs(%3 : tensor<1x1x1x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x12xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<1x1x1x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8x12xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %13 : tensor<2x8x8x12xf32>, tensor<2x8x8x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.mulf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x8x8x12xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_7 : tensor<12xf32>) outs(%3 : tensor<1x1x1x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x12xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<1x1x1x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8x12xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %16 : tensor<2x8x8x12xf32>, tensor<2x8x8x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.addf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x8x8x12xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8x12xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17, %18 : tensor<2x8x8x12xf32>, tensor<2x8x8x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.maximumf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x8x8x12xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8x12xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %20 : tensor<2x8x8x12xf32>, tensor<2x8x8x12xf32>) outs(%0 : tensor<2x8x8x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.minimumf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x8x8x12xf32>
    %padded = tensor.pad %21 low[0, 0, 0, 0] high[0, 1, 1, 0] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst_0 : f32
    } : tensor<2x8x8x12xf32> to tensor<2x9x9x12xf32>
    %22 = tensor.empty() : tensor<2x4x4x12xf32>
    %23 = linalg.fill ins(%cst_0 : f32) outs(%22 : tensor<2x4x4x12xf32>) -> tensor<2x4x4x12xf32>
    %24 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : vector<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %cst : tensor<2x9x9x12xf32>, tensor<3x3x12xf32>) outs(%23 : tensor<2x4x4x12xf32>) -> tensor<2x4x4x12xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_8 : tensor<12xf32>) outs(%3 : tensor<1x1x1x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x12xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25 : tensor<1x1x1x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x12xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %26 : tensor<2x4x4x12xf32>, tensor<2x4x4x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.subf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x12xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%cst_9 : tensor<12xf32>) outs(%7 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = math.rsqrt %in : f32
      linalg.yield %60 : f32
    } -> tensor<12xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<12xf32>) outs(%3 : tensor<1x1x1x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x12xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<1x1x1x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x12xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %30 : tensor<2x4x4x12xf32>, tensor<2x4x4x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.mulf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x12xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_10 : tensor<12xf32>) outs(%3 : tensor<1x1x1x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x12xf32>
    %33 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32 : tensor<1x1x1x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x12xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %33 : tensor<2x4x4x12xf32>, tensor<2x4x4x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.mulf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x12xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_11 : tensor<12xf32>) outs(%3 : tensor<1x1x1x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x12xf32>
    %36 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<1x1x1x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x12xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%34, %36 : tensor<2x4x4x12xf32>, tensor<2x4x4x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.addf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x12xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x12xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %38 : tensor<2x4x4x12xf32>, tensor<2x4x4x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.maximumf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x12xf32>
    %40 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x12xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %40 : tensor<2x4x4x12xf32>, tensor<2x4x4x12xf32>) outs(%22 : tensor<2x4x4x12xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.minimumf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x12xf32>
    %42 = tensor.empty() : tensor<2x4x4x6xf32>
    %43 = linalg.fill ins(%cst_0 : f32) outs(%42 : tensor<2x4x4x6xf32>) -> tensor<2x4x4x6xf32>
    %44 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%41, %cst_12 : tensor<2x4x4x12xf32>, tensor<1x1x12x6xf32>) outs(%43 : tensor<2x4x4x6xf32>) -> tensor<2x4x4x6xf32>
    %45 = tensor.empty() : tensor<1x1x1x6xf32>
    %46 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_13 : tensor<6xf32>) outs(%45 : tensor<1x1x1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x6xf32>
    %47 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<1x1x1x6xf32>) outs(%42 : tensor<2x4x4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x6xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44, %47 : tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>) outs(%42 : tensor<2x4x4x6xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.subf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x6xf32>
    %49 = tensor.empty() : tensor<6xf32>
    %50 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%cst_14 : tensor<6xf32>) outs(%49 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %60 = math.rsqrt %in : f32
      linalg.yield %60 : f32
    } -> tensor<6xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<6xf32>) outs(%45 : tensor<1x1x1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x6xf32>
    %52 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%51 : tensor<1x1x1x6xf32>) outs(%42 : tensor<2x4x4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x6xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%48, %52 : tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>) outs(%42 : tensor<2x4x4x6xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.mulf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x6xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_15 : tensor<6xf32>) outs(%45 : tensor<1x1x1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x6xf32>
    %55 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54 : tensor<1x1x1x6xf32>) outs(%42 : tensor<2x4x4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x6xf32>
    %56 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53, %55 : tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>) outs(%42 : tensor<2x4x4x6xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.mulf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x6xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_16 : tensor<6xf32>) outs(%45 : tensor<1x1x1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x6xf32>
    %58 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%57 : tensor<1x1x1x6xf32>) outs(%42 : tensor<2x4x4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x4x6xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%56, %58 : tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>) outs(%42 : tensor<2x4x4x6xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %60 = arith.addf %in, %in_17 : f32
      linalg.yield %60 : f32
    } -> tensor<2x4x4x6xf32>
    return %59 : tensor<2x4x4x6xf32>
  }
}
