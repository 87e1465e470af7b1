#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main_graph(%arg0: tensor<2x4x6xf32>) -> tensor<2x4x8xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<4x2x8xf32>
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<2x8xf32>
    %c0_i64 = arith.constant 0 : i64
    %cst_1 = arith.constant 0.000000e+00 : f32
    %c4_i64 = arith.constant 4 : i64
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant dense<[-0.158281937, 0.179431811, -0.111270294, -0.0477219075, 0.26301989, 0.129955724, 0.216440752, 0.317405879, -0.297381371, 0.104389653, -7.756150e-02, 0.165240556, 0.343624681, 0.10676378, -0.212901816, -0.102094039, -0.116366565, 0.0512577742, -0.265262276, 0.351425439, -0.236991182, 0.336063743, 0.323704869, 0.0769135281, -0.305679172, -0.0113948639, -0.145709828, 0.108383358, 0.199927866, 0.196898058, 0.113544196, -0.270912468, 0.217845291, 0.0335756131, 2.410870e-01, -0.33888492, -0.0435653403, -0.172422543, 0.268667281, 0.154647738, 0.122550011, 1.404880e-01, 0.314833075, 0.210059971, -0.332357943, -0.284925848, 0.283366829, -0.300401241, -0.0474020131, -0.328037262, -0.0416827686, 0.286619961, -0.00946921668, -0.0146430796, -0.32695362, 0.279912174, 0.292532891, -0.284077644, -0.250802517, 0.0171307549, -0.20230554, -0.289292872, 0.110953219, -0.0916379094]> : tensor<64xf32>
    %cst_4 = arith.constant dense<"0x1C73AA3EC3B0AEBECD1AA53DD7FCF7BC74DDF53D386D8CBDC518CA3D1E8EA6BE1979253E45E9AD3EB53782BDD0FC8FBEEF7996BEEFE78ABDBE3EAFBB4683213D62B3353D6B59883EC35C83BD5FA2CE3D286940BE490AB23EFBED0A3E9ED648BD29FD6D3E2128003EFA5A783D02C0D5BD3C18363DDA11CF3CC98553BED7C7A53BF41D9E3D777056BEDF56813DCA57F0BDF19996BE28D258BEA8AA8FBEDD92A73D61755D3ED991A43E727DB13EF9980E3EBF12313E76F676BD1BA5953E0A6A0ABE93C2C4BD17FBF0BDA3B172BE2E838BBECB9A93BD324D923EC85A34BEE956A4BE1E70A5BD5A07A43E98A4AE3DD513B7BC54FCCEBD25F19E3E4BF1ADBEA0254D3E0CC9383D0870183E1B508ABC46584D3E19C02B3ECC374E3E83DAD8BCF1FA94BE7F1063BE44B134BEC916993EB50992BC147B42BDE23B0DBEC43D73BC1C06743E4094A4385317283E57524F3ED44DB0BEA639FD3DB6DEB43E1C7437BE304D6B3DA145023C7C5D3F3EBD73AE3D74FF87BEEE3687BE94909A3EBB0B1CBE5E199FBEB074A2BE6D7C9DBEF852A53D0969273D8A2A52BEF492A3BDB162623D41E1033EBACF133EA6E442BE9F93AA3E161AA93EF38D80BEA2C9A73E784B94BE1FF36EBE10F58E3D305BD43D6AF6A03E2B43E93A6E84743E9E5DF1BDB1E783BED0CC0CBD02F43B3EC16F0DBE7E3999BE96885CBEC244803D469CAC3E911DA03CB2EC91BE5299C43DA9F3623E6DD651BE3869EDBDED2518BEB4A5AF3E6CFE3ABD409CACBEBF88353EAC9B8B3DDF29463D026D71BEF092A9BE9406A43E625588BE6B9789BDA7B584BD9FC24E3E549B98BE0A374FBE340342BE1D8C36BE957A5D3EE39C5D3E773B243E6EC3933E03C870BEDE04B8BA907D92BE427335BAEEB69ABE015AAEBEE209643E6D3620BE79C4E6BC856DD5BD5F938FBE2D7910BDABEC553DA5A3903EF4011ABE0679AC3E1EA127BE60BD673E441D9E3ECABC153D0AAEF8BD60E7853ECE35D3BD82FD1ABE036CFCBD92A393BED6B410BD144493BEDD186D3EC957AEBEBE7B86BE2B8B8F3D37F85F3E5622AD3E0CB592BE00B4943E73AD7D3EF9806DBE53F0163ED4AECBBD886CD03D9540A0BEA4DF4FBEFD8565BEFA348DBD97BA52BCFB4CF9BB33DF55BE48D0323ECFE9373E3FCB9EBE57CAA7BEAE979BBDF36BC93DAFDF89BE345B05BD2961A43C5C518ABEE582A93EB21A833E5D438A3E2DA113BE836081BE04D1313D2DC2533E711B313EC3DF6ABE691B8E3EC9A22BBE372C7DBDAC05CBBD015E2C3EA4E5A8BE948866BE133B2FBDD635793E3B57AEBDAC26633E27C6A53ECBAF593C53D873BE42E7003B35DD0C3EB0349ABDADBDB0BEDC76573E4BC61DBE5A377DBE8082383EC149AE3DFAE2833E153992BDA1DE5F3ED7EDABBDE4C860BE601BA73E431BB23EB701813ED618CABDE4F51DBE3F02803D3842363E"> : tensor<32x8xf32>
    %cst_5 = arith.constant dense<"0xFF4ACA3CFC165ABE2B90E63D8E33E33D558041BE9C0B59BDA51754BEDAE0BB3D050BC3BD6F587E3ECE80803E2D86133D55581ABEC1A554BE2D091FBD95C6CBBD8D921F3E5C929ABE0B21AA3E17FF8DBED29D8A3E897A7BBD8B3A3A3EAD150D3EC87A723C6103873DB477893E8637BA3D2314403E74078CBE77DD803E8034F93DDD68B73D490E483D3A7B303E1141A63E6C1EA1BDBEB149BEC32CB6BD1CA85CBE71282E3E1EEF32BE3D3841BE3F309C3E81A5A53EF08E263D31C47ABD4FEF3ABD5B0DA8BE73DC7DBE0FD99C3C3A5E9BBCB57A953E5A3F463C2970BABD77DFB0BE2F6FA6BE2464163EFB3BA13EECC7AFBB9CCBA1BEBC89003E9F6F933ED29D6FBE5CA3BEBD2197F33CC7774EBE4ED9A7BE137E1E3E6F8A94BEB7BFB5BD883C40BE3B22883E41CE8B3DE9E4273E512975BEF68B983EE007013D99CC48BED077BDBCFA2B80BE07B185BC652A4A3E88C022BEBE02993E5714DD3D0D687DBDAB2FE23DAF6485BD8549A8BD58866DBEFFF3523E5254593E60EDF73D851E563EB3D8B43EB8812B3E3508A9BEE2EF93BE8599903EA6B5B23EF91CACBC6B088FBEC0451E3C6D6D28BE0B2E32BA6F34313EED43203E5ED129BD936F1F3D390CC53D20E38DBE9E7DF5BD3ECD623C25954EBE5E1D1EBE8F33F33D0D5D503E5054A23BD7D30CBE7C39463E8B7546BE2FF5A9BDADC4AA3EEA5A853DE013CC3CE718F43DB691B0BD61E09A3E71A493BE672DC7BDB9567ABD17F814BEC635B3BDE85F603E01A6463E820BA13CA9B39D3E209E7FBE1BE257BE3293233E28AD9BBCFBF5A4BEBF967ABEDA655CBE00C98B3E6FF4233EC7098C3E6FC486BED67CB0BE1A6A6DBE00ED1A3DB2028FBDB42564BE05C7833E2681E9BD206551BE973B273E0318C3BDF9CD663E6E90AC3DD2E80E3CFE00983D6C0588BEF9B541BEDD272ABE7BDB4CBE7665803D82A8903DD06C16BE9E026C3EED6F49BE402F923DE1C1CEBD6A059DBE9EBD6BBE8AE2133EB0440F3E35DE5FBE93CAE1BDA339A9BE839C423E90869C3E79CAEC3DD00260BEF8F53E3EB139963EB02294BD74636DBDDA9DFA3D784D3A3DE150EFBD"> : tensor<32x6xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0 = tensor.empty() : tensor<4x2x6xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<2x4x6xf32>) outs(%0 : tensor<4x2x6xf32>) permutation = [1, 0, 2] 
    %extracted_slice = tensor.extract_slice %cst_3[0] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %extracted_slice_6 = tensor.extract_slice %cst_3[32] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %extracted_slice_7 = tensor.extract_slice %extracted_slice[24] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %extracted_slice_8 = tensor.extract_slice %extracted_slice[16] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %extracted_slice_9 = tensor.extract_slice %extracted_slice[8] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %extracted_slice_10 = tensor.extract_slice %extracted_slice[0] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %extracted_slice_11 = tensor.extract_slice %extracted_slice_6[24] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %extracted_slice_12 = tensor.extract_slice %extracted_slice_6[16] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %extracted_slice_13 = tensor.extract_slice %extracted_slice_6[8] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %extracted_slice_14 = tensor.extract_slice %extracted_slice_6[0] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %extracted_slice_15 = tensor.extract_slice %cst_5[24, 0] [8, 6] [1, 1] : tensor<32x6xf32> to tensor<8x6xf32>
    %extracted_slice_16 = tensor.extract_slice %cst_5[16, 0] [8, 6] [1, 1] : tensor<32x6xf32> to tensor<8x6xf32>
    %extracted_slice_17 = tensor.extract_slice %cst_5[8, 0] [8, 6] [1, 1] : tensor<32x6xf32> to tensor<8x6xf32>
    %extracted_slice_18 = tensor.extract_slice %cst_5[0, 0] [8, 6] [1, 1] : tensor<32x6xf32> to tensor<8x6xf32>
    %extracted_slice_19 = tensor.extract_slice %cst_4[24, 0] [8, 8] [1, 1] : tensor<32x8xf32> to tensor<8x8xf32>
    %extracted_slice_20 = tensor.extract_slice %cst_4[16, 0] [8, 8] [1, 1] : tensor<32x8xf32> to tensor<8x8xf32>
    %extracted_slice_21 = tensor.extract_slice %cst_4[8, 0] [8, 8] [1, 1] : tensor<32x8xf32> to tensor<8x8xf32>
    %extracted_slice_22 = tensor.extract_slice %cst_4[0, 0] [8, 8] [1, 1] : tensor<32x8xf32> to tensor<8x8xf32>
    %1:3 = scf.for %arg1 = %c0 to %c4 step %c1 iter_args(%arg2 = %cst, %arg3 = %cst_0, %arg4 = %cst_0) -> (tensor<4x2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
      %3 = arith.index_cast %arg1 : index to i64
      %4 = arith.cmpi slt, %3, %c0_i64 : i64
      %5 = arith.extui %4 : i1 to i64
      %6 = arith.muli %5, %c4_i64 : i64
      %7 = arith.addi %3, %6 : i64
      %8 = arith.addi %7, %c4_i64 : i64
      %9 = arith.cmpi sge, %7, %c0_i64 : i64
      %10 = arith.select %9, %7, %8 : i64
      %11 = arith.maxsi %10, %c0_i64 : i64
      %12 = arith.minsi %11, %c4_i64 : i64
      %13 = arith.index_cast %12 : i64 to index
      %extracted_slice_24 = tensor.extract_slice %transposed[%13, 0, 0] [1, 2, 6] [1, 1, 1] : tensor<4x2x6xf32> to tensor<1x2x6xf32>
      %collapsed = tensor.collapse_shape %extracted_slice_24 [[0, 1], [2]] : tensor<1x2x6xf32> into tensor<2x6xf32>
      %14 = tensor.empty() : tensor<6x8xf32>
      %transposed_25 = linalg.transpose ins(%extracted_slice_18 : tensor<8x6xf32>) outs(%14 : tensor<6x8xf32>) permutation = [1, 0] 
      %15 = tensor.empty() : tensor<2x8xf32>
      %16 = linalg.fill ins(%cst_1 : f32) outs(%15 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %17 = linalg.matmul ins(%collapsed, %transposed_25 : tensor<2x6xf32>, tensor<6x8xf32>) outs(%16 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %extracted_slice_10 : tensor<2x8xf32>, tensor<8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %19 = tensor.empty() : tensor<8x8xf32>
      %transposed_26 = linalg.transpose ins(%extracted_slice_22 : tensor<8x8xf32>) outs(%19 : tensor<8x8xf32>) permutation = [1, 0] 
      %20 = linalg.matmul ins(%arg3, %transposed_26 : tensor<2x8xf32>, tensor<8x8xf32>) outs(%16 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %21 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%20, %extracted_slice_14 : tensor<2x8xf32>, tensor<8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %22 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%18, %21 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %53 = arith.negf %in : f32
        %54 = math.exp %53 : f32
        %55 = arith.addf %54, %cst_2 : f32
        %56 = arith.divf %cst_2, %55 : f32
        linalg.yield %56 : f32
      } -> tensor<2x8xf32>
      %transposed_27 = linalg.transpose ins(%extracted_slice_17 : tensor<8x6xf32>) outs(%14 : tensor<6x8xf32>) permutation = [1, 0] 
      %24 = linalg.matmul ins(%collapsed, %transposed_27 : tensor<2x6xf32>, tensor<6x8xf32>) outs(%16 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %25 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %extracted_slice_9 : tensor<2x8xf32>, tensor<8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %transposed_28 = linalg.transpose ins(%extracted_slice_21 : tensor<8x8xf32>) outs(%19 : tensor<8x8xf32>) permutation = [1, 0] 
      %26 = linalg.matmul ins(%arg3, %transposed_28 : tensor<2x8xf32>, tensor<8x8xf32>) outs(%16 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %27 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%26, %extracted_slice_13 : tensor<2x8xf32>, tensor<8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %28 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%25, %27 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %53 = arith.negf %in : f32
        %54 = math.exp %53 : f32
        %55 = arith.addf %54, %cst_2 : f32
        %56 = arith.divf %cst_2, %55 : f32
        linalg.yield %56 : f32
      } -> tensor<2x8xf32>
      %transposed_29 = linalg.transpose ins(%extracted_slice_16 : tensor<8x6xf32>) outs(%14 : tensor<6x8xf32>) permutation = [1, 0] 
      %30 = linalg.matmul ins(%collapsed, %transposed_29 : tensor<2x6xf32>, tensor<6x8xf32>) outs(%16 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %31 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%30, %extracted_slice_8 : tensor<2x8xf32>, tensor<8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %transposed_30 = linalg.transpose ins(%extracted_slice_20 : tensor<8x8xf32>) outs(%19 : tensor<8x8xf32>) permutation = [1, 0] 
      %32 = linalg.matmul ins(%arg3, %transposed_30 : tensor<2x8xf32>, tensor<8x8xf32>) outs(%16 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %33 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%32, %extracted_slice_12 : tensor<2x8xf32>, tensor<8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %34 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%31, %33 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %53 = arith.negf %in : f32
        %54 = math.exp %53 : f32
        %55 = arith.addf %54, %cst_2 : f32
        %56 = arith.divf %cst_2, %55 : f32
        linalg.yield %56 : f32
      } -> tensor<2x8xf32>
      %transposed_31 = linalg.transpose ins(%extracted_slice_15 : tensor<8x6xf32>) outs(%14 : tensor<6x8xf32>) permutation = [1, 0] 
      %36 = linalg.matmul ins(%collapsed, %transposed_31 : tensor<2x6xf32>, tensor<6x8xf32>) outs(%16 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %37 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%36, %extracted_slice_7 : tensor<2x8xf32>, tensor<8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %transposed_32 = linalg.transpose ins(%extracted_slice_19 : tensor<8x8xf32>) outs(%19 : tensor<8x8xf32>) permutation = [1, 0] 
      %38 = linalg.matmul ins(%arg3, %transposed_32 : tensor<2x8xf32>, tensor<8x8xf32>) outs(%16 : tensor<2x8xf32>) -> tensor<2x8xf32>
      %39 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%38, %extracted_slice_11 : tensor<2x8xf32>, tensor<8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %40 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%37, %39 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%40 : tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %53 = math.tanh %in : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %42 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%35, %arg4 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.mulf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %43 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%23, %41 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.mulf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %44 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%42, %43 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.addf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %45 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%44 : tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %53 = math.tanh %in : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %46 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%29, %45 : tensor<2x8xf32>, tensor<2x8xf32>) outs(%15 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %in_33: f32, %out: f32):
        %53 = arith.mulf %in, %in_33 : f32
        linalg.yield %53 : f32
      } -> tensor<2x8xf32>
      %expanded = tensor.expand_shape %46 [[0, 1], [2]] output_shape [1, 2, 8] : tensor<2x8xf32> into tensor<1x2x8xf32>
      %47 = arith.addi %3, %c4_i64 : i64
      %48 = arith.cmpi sge, %3, %c0_i64 : i64
      %49 = arith.select %48, %3, %47 : i64
      %50 = arith.maxsi %49, %c0_i64 : i64
      %51 = arith.minsi %50, %c4_i64 : i64
      %52 = arith.index_cast %51 : i64 to index
      %inserted_slice = tensor.insert_slice %expanded into %arg2[%52, 0, 0] [1, 2, 8] [1, 1, 1] : tensor<1x2x8xf32> into tensor<4x2x8xf32>
      scf.yield %inserted_slice, %46, %44 : tensor<4x2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    }
    %2 = tensor.empty() : tensor<2x4x8xf32>
    %transposed_23 = linalg.transpose ins(%1#0 : tensor<4x2x8xf32>) outs(%2 : tensor<2x4x8xf32>) permutation = [1, 0, 2] 
    return %transposed_23 : tensor<2x4x8xf32>
  }
}
