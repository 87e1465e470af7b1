#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> ()>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> (0, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d1, d2)>
module @jit_lstm attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x6xf32>) -> (tensor<2x4x8xf32> {jax.result_info = "result"}) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_1 = arith.constant dense<"0x857CC1399D8CB73D286EA8BD80CB88BEC4AC0BBE215198BE15CF933C69DBCD3EB23417BE229C3EBEC07A163E7A45DB3D7588013D7EEB8EBE50C70FBCDF98553EAB78CEBE5F940CBE900312BFB112C6BEFC710DBFA47090BD07AEC2BE32AAA63DA19D403D64B365BD834941BF897C25BE50646EBCED3B0B3D6307EBBE0CC412BEF04C96BE8D7978BE3CF4A23E1D1378BEC7D91FBCA0D7873E364833BE664209BD04BD073D06C09C3C282BBCBE4B1FBB3C1DB7D03E35A4EDBE4E00843E88A9123D490F45BECAA1193F8C2A6A3EF535B8BE8F21B73CB828313EB9F967BD40CA513E1579A3BC7CFA4C3E03F5DC3E3F904FBEE29D793DFE530EBE2F631C3D645AB6BE22F631BEEB1571BDD60C8A3EF6E7AF3E3C4BCBBE391D74BE8EBA463E920419BF2A490EBEA517EFBCD813C13EEEC8533E390AC9BDFB73E2BD56B899BD9E03EA3E417D03BECC94BABD78A1D83D196714BD416C72BDE81EABBE738562BBA64408BE031EB33EF9A0483E6557EDBBA0534D3EDDD0D0BD4C9BA13EC251D4BA0F37333EFD47C6BE0F00D53D72A701BF32501CBF1312BBBD983A8ABE8D96493DB7652C3F5F817FBEECAC3FBE7F667C3D2574173E8EC458BD160C7DBDF0CB573E34B71F3ECAC59EBE9598C2BC22712D3C06F8A1BE28A59F3D39C883BE384F953E9FD86C3DC97ADB3C5C9035BE6DBF11BD4B6D19BFC1C8ADBEC4EDDE3D557923BF010A823EA81906BF5778683E4CDE81BE5B4E6F3EB1E9203DD00EECBE87DEBF3E3C72DD3EDEB8A1BC4E4BA8BDCD7144BD8DC895BE31BEA83EC2C626BE739C7BBC5FB373BE655440BE3342C4BEFB15C13EC3573DBD965D943E73FC823B1E5255BE26B7C8BD5D1A2CBE767B1C3B6090E6BD9C45B8BDC4BFD3BEF2DC77BE3110FE3EEF334EBEA8E8A1BED840CF3D3328D83E9156DFBEA71D80BDA32A42BE0E3F07BFFDC4613E8E76E6BB5393AF3C2F1C67BEAFB50B3E12AC25BE77992FBD963AAABE1BCBBABE4023CD3E56C81BBE5B35B33D361626BC138507BEAE0B1CBEB78F413EAC77B9BD0E183ABD6272DA3B31B6B43E910D513ED311EB3D0F212DBE3945D4BE0AD9913E"> : tensor<6x32xf32>
    %cst_2 = arith.constant dense<"0x4072943E0AE72CBD7B77263E2F0F703E02577F3E46868D3E3BF70BBE29B3E83E0A7ABFBE555C843E66BC173E1B30863ECF4E103FC602E43E30E6AFBEA3B001BFC5F27A3EEAE79BBE5FE673BB6EFB803EBF7CFCBEE70B22BF36509F3D612A5A3C7B0597BDF5673D3CDA2C84BE0679E8BE16C94CBD254195BE5270FCBE62581B3EAEE496BC69C5F93DA9F497BED9274ABEF97399BE2E3088BE041E703DA18770BE63C4DA3DFDBED03D4A881B3FB2EED5BEBE61883EF6ECDBBCF9EA89BBF7B2DEBE1E5F0DBE6A4F643EE9B2CABC0033C73CC89DB2BD8857B13E7D15D3BBEFFD28BFCE9A54BE1E3417BFE2B579BFF8D922BEB6D5CC3E909A673C601AB4BED37D90BE86A9AD3E0DB1413D06ED6B3C406383BCB7BE3C3CAF6B773EAABF293E6B87843D412FA0BE3B031D3E623352BEC403A83EC13BC3BED11B29BD78AB10BB2F77CBBE573F043F8951E03EB6690EBEA0126D3E99A8E83DACB848BF34D8993D5CC296BCD583CC3C7368A5BEA17CA5BD5C0B5BBDC57DB63ED578CD3DC56EDABA8DD9EA3E79922ABE1844EFBDDC860BBFC103F13E181F943EEFD38C3E517C4D3EC059073D7B65843D36D59ABD282F7ABDE174853C8F37E83E14B52A3EEFAB8FBC40FD31BE511243BEED2CF63E83A71B3E2303A63CB3B1D4BDC159AABEA851A4BCA231863EC52CF1BD2C9E8BBDB3CD87BD69AB063DBDAFF4BEF6A090BD333C83BE4DDF873E59BA6CBECE44313E5227EA3E6DACC0BDE2CD38BE623B6B3DB9911FBA969E98BE2E980D3EA9CA1A3F82959EBD564B79BD6680A0BE470CC43D1A89BFBE4C06AABE918EC43EDE138BBEB618A63E3324EA3E87549F3D79002A3ED1EE153F69BD71BDE02B36BE37DBCFBEA7FF4C3C5232E33ED464933E89B490BEBB6283BEA4E11ABECB91B33D65497CBDB1C2833D1251B63D0691B7BD857645BC59DC7D3D2C5DCEBC7EAE1A3EEAAE0F3F99DA353EF628893C717E01BF615CEE3D428115BF7B6DD8BEC945833E96F4583EBC3E38BD305403BF1328E4BD278250BE33A3433ECA642D3F3848853D86676FBEF6CBB3BE79DB89BC553E59BD94DFB0BE31FA0E3DC3C7B0BED7D1AA3E1F39A33E289EA63ED9A011BE8C0F1E3E794922BDDAE2EEBD015FD0BDE3A2C7BE09C7DDBE7603743E76FD6ABDB0F8843DDCDC993EC61A05BF81E270BE9373573D2EE7F03DAFACE7BDFA149E3E4344813D2160BABE1FF78EBED370773E317D0E3E10D911BF3502CF3EC3B6373E6656CE3EEFBEEBBD91AEB5BD1906ADBE11D6423F219957BD59D8F33E27D946BEFC53493D215C00BFCD3BEBBDD21A973E9244C0BEB5B1A43EEC32CF3DD259A0BE38171ABE65060DBEC06573BC14B424BE92247EBE8123BBBDF2BA9DBE4012C6BE0CCC6CBC089C873E59E9EABE36F2893AA3AA47BEEC1696BE8916833E862E1FBE9F23E63E10916FBE8377ED3D87A48BBD"> : tensor<8x32xf32>
    %cst_3 = arith.constant dense<[-0.226206556, 0.176302522, -0.0464947708, 0.180963174, -0.0141874524, -0.325744897, -0.0306207743, 0.0155865522, 0.287538886, -0.271880716, -0.0117989564, -0.516563654, 0.195447937, -0.32444492, -0.541907907, -0.0177650508, 0.331705511, -0.457334101, -0.326410681, -0.222982466, -3.388490e-01, 0.113828368, -0.242210239, -0.216454431, 0.174991637, -0.226654395, 0.129834026, -0.291415572, -0.36364156, -0.550634801, 0.558360875, -0.0960777178]> : tensor<32xf32>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<2x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8xf32>
    %2 = tensor.empty() : tensor<4x2x6xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x4x6xf32>) outs(%2 : tensor<4x2x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x2x6xf32>
    %4 = tensor.empty() : tensor<0x2x8xf32>
    %5 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%4 : tensor<0x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<0x2x8xf32>
    %extracted_slice = tensor.extract_slice %3[0, 0, 0] [1, 2, 6] [1, 1, 1] : tensor<4x2x6xf32> to tensor<1x2x6xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x2x6xf32> into tensor<2x6xf32>
    %6 = tensor.empty() : tensor<2x32xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %8 = linalg.matmul ins(%collapsed, %cst_1 : tensor<2x6xf32>, tensor<6x32xf32>) outs(%7 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %9 = linalg.matmul ins(%1, %cst_2 : tensor<2x8xf32>, tensor<8x32xf32>) outs(%7 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %9 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x32xf32>
    %11 = tensor.empty() : tensor<1x32xf32>
    %12 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<32xf32>) outs(%11 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x32xf32>
    %13 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<1x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x32xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %13 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x32xf32>
    %extracted_slice_5 = tensor.extract_slice %14[0, 0] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_6 = tensor.extract_slice %14[0, 8] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_7 = tensor.extract_slice %14[0, 16] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_8 = tensor.extract_slice %14[0, 24] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_6 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %16 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %18 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %1 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_5 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %22 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %23 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_7 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%24, %25 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20, %26 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_8 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %29 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %30 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%31, %32 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %extracted_slice_9 = tensor.extract_slice %3[1, 0, 0] [1, 2, 6] [1, 1, 1] : tensor<4x2x6xf32> to tensor<1x2x6xf32>
    %collapsed_10 = tensor.collapse_shape %extracted_slice_9 [[0, 1], [2]] : tensor<1x2x6xf32> into tensor<2x6xf32>
    %34 = linalg.matmul ins(%collapsed_10, %cst_1 : tensor<2x6xf32>, tensor<6x32xf32>) outs(%7 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %35 = linalg.matmul ins(%33, %cst_2 : tensor<2x8xf32>, tensor<8x32xf32>) outs(%7 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%34, %35 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x32xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36, %13 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x32xf32>
    %extracted_slice_11 = tensor.extract_slice %37[0, 0] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_12 = tensor.extract_slice %37[0, 8] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_13 = tensor.extract_slice %37[0, 16] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_14 = tensor.extract_slice %37[0, 24] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_12 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %39 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %40 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%41, %27 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_11 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%43 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %44 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %45 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_13 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%46, %47 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%42, %48 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %50 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_14 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %51 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%50 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %52 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %51 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %52 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%49 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%53, %54 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %extracted_slice_15 = tensor.extract_slice %3[2, 0, 0] [1, 2, 6] [1, 1, 1] : tensor<4x2x6xf32> to tensor<1x2x6xf32>
    %collapsed_16 = tensor.collapse_shape %extracted_slice_15 [[0, 1], [2]] : tensor<1x2x6xf32> into tensor<2x6xf32>
    %56 = linalg.matmul ins(%collapsed_16, %cst_1 : tensor<2x6xf32>, tensor<6x32xf32>) outs(%7 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %57 = linalg.matmul ins(%55, %cst_2 : tensor<2x8xf32>, tensor<8x32xf32>) outs(%7 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%56, %57 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x32xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%58, %13 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x32xf32>
    %extracted_slice_17 = tensor.extract_slice %59[0, 0] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_18 = tensor.extract_slice %59[0, 8] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_19 = tensor.extract_slice %59[0, 16] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_20 = tensor.extract_slice %59[0, 24] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_18 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%60 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %61 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %63 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %62 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%63, %49 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_17 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%65 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %66 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %67 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %69 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_19 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %70 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%68, %69 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%64, %70 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %72 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_20 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %73 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%72 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %74 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %73 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %75 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %74 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %76 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%71 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%75, %76 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %extracted_slice_21 = tensor.extract_slice %3[3, 0, 0] [1, 2, 6] [1, 1, 1] : tensor<4x2x6xf32> to tensor<1x2x6xf32>
    %collapsed_22 = tensor.collapse_shape %extracted_slice_21 [[0, 1], [2]] : tensor<1x2x6xf32> into tensor<2x6xf32>
    %78 = linalg.matmul ins(%collapsed_22, %cst_1 : tensor<2x6xf32>, tensor<6x32xf32>) outs(%7 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %79 = linalg.matmul ins(%77, %cst_2 : tensor<2x8xf32>, tensor<8x32xf32>) outs(%7 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%78, %79 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x32xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%80, %13 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%6 : tensor<2x32xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x32xf32>
    %extracted_slice_23 = tensor.extract_slice %81[0, 0] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_24 = tensor.extract_slice %81[0, 8] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_25 = tensor.extract_slice %81[0, 16] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %extracted_slice_26 = tensor.extract_slice %81[0, 24] [2, 8] [1, 1] : tensor<2x32xf32> to tensor<2x8xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_24 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%82 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %84 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %83 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %84 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %86 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%85, %71 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %87 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_23 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %88 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%87 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %89 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %88 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %90 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %89 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %91 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_25 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %92 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%90, %91 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %93 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%86, %92 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %94 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_26 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = arith.negf %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %95 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%94 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.exp %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %96 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %95 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.addf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %97 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %96 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.divf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %98 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%93 : tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %110 = math.tanh %in : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %99 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%97, %98 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%0 : tensor<2x8xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %110 = arith.mulf %in, %in_27 : f32
      linalg.yield %110 : f32
    } -> tensor<2x8xf32>
    %100 = tensor.empty() : tensor<1x2x8xf32>
    %101 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33 : tensor<2x8xf32>) outs(%100 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x8xf32>
    %102 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55 : tensor<2x8xf32>) outs(%100 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x8xf32>
    %103 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<2x8xf32>) outs(%100 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x8xf32>
    %104 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<2x8xf32>) outs(%100 : tensor<1x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x8xf32>
    %105 = tensor.empty() : tensor<4x2x8xf32>
    %106 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%105 : tensor<4x2x8xf32>) {
    ^bb0(%out: f32):
      %110 = linalg.index 1 : index
      %111 = linalg.index 2 : index
      %112 = linalg.index 0 : index
      %113 = arith.cmpi ult, %112, %c1 : index
      %114 = scf.if %113 -> (f32) {
        %extracted = tensor.extract %101[%112, %110, %111] : tensor<1x2x8xf32>
        scf.yield %extracted : f32
      } else {
        %115 = arith.cmpi ult, %112, %c2 : index
        %116 = scf.if %115 -> (f32) {
          %117 = arith.subi %112, %c1 : index
          %extracted = tensor.extract %102[%117, %110, %111] : tensor<1x2x8xf32>
          scf.yield %extracted : f32
        } else {
          %117 = arith.cmpi ult, %112, %c3 : index
          %118 = scf.if %117 -> (f32) {
            %119 = arith.subi %112, %c2 : index
            %extracted = tensor.extract %103[%119, %110, %111] : tensor<1x2x8xf32>
            scf.yield %extracted : f32
          } else {
            %119 = arith.subi %112, %c3 : index
            %extracted = tensor.extract %104[%119, %110, %111] : tensor<1x2x8xf32>
            scf.yield %extracted : f32
          }
          scf.yield %118 : f32
        }
        scf.yield %116 : f32
      }
      linalg.yield %114 : f32
    } -> tensor<4x2x8xf32>
    %107 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%105 : tensor<4x2x8xf32>) {
    ^bb0(%out: f32):
      %110 = linalg.index 1 : index
      %111 = linalg.index 2 : index
      %112 = linalg.index 0 : index
      %113 = arith.cmpi ult, %112, %c0 : index
      %114 = scf.if %113 -> (f32) {
        %extracted = tensor.extract %5[%112, %110, %111] : tensor<0x2x8xf32>
        scf.yield %extracted : f32
      } else {
        %extracted = tensor.extract %106[%112, %110, %111] : tensor<4x2x8xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %114 : f32
    } -> tensor<4x2x8xf32>
    %108 = tensor.empty() : tensor<2x4x8xf32>
    %109 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%107 : tensor<4x2x8xf32>) outs(%108 : tensor<2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x4x8xf32>
    return %109 : tensor<2x4x8xf32>
  }
}
