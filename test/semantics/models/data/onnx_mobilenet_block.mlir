#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
module {
  func.func @main_graph(%arg0: tensor<2x6x8x8xf32>) -> tensor<2x6x4x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<6.000000e+00> : tensor<f32>
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<[[[[0.0297835656]], [[-0.256874621]], [[0.135783136]], [[0.133803323]], [[-0.227913365]], [[-0.0639111176]]], [[[-0.249146149]], [[0.110350884]], [[-0.114559107]], [[0.298781097]], [[0.301906794]], [[0.0433243625]]], [[[-0.181040823]], [[-0.249427348]], [[-0.0466357395]], [[-0.119510554]], [[0.187172398]], [[-0.36261338]]], [[[0.39515698]], [[-0.329813659]], [[0.321963072]], [[-0.0730133578]], [[0.216275692]], [[0.163847938]]], [[[0.0177691039]], [[0.0791510195]], [[0.322359592]], [[0.109169006]], [[0.22521089]], [[-0.328366309]]], [[[0.301504195]], [[0.145765558]], [[0.107280344]], [[0.058508534]], [[0.206455708]], [[0.388982981]]], [[[-0.0946291238]], [[-0.236920223]], [[-0.106995851]], [[-0.259194344]], [[0.204574659]], [[-0.210184872]]], [[[-0.226199955]], [[0.365695924]], [[0.387840718]], [[0.0487469584]], [[-0.0733922943]], [[-0.0547105744]]], [[[0.197969273]], [[-0.390225589]], [[-0.341525882]], [[0.333821297]], [[4.125670e-01]], [[-0.0248336643]]], [[[-3.368380e-01]], [[0.0116477096]], [[-0.198320702]], [[-8.19546927E-4]], [[0.208655924]], [[0.18870993]]], [[[-0.0500778221]], [[0.0470162556]], [[0.116215378]], [[-0.334730536]], [[-0.144786194]], [[0.01672047]]], [[[-0.243072018]], [[-0.186043069]], [[0.14307946]], [[0.245167464]], [[0.00596881704]], [[-0.165702343]]]]> : tensor<12x6x1x1xf32>
    %cst_3 = arith.constant dense<[3.25943809E-4, 0.00227841665, 0.00696898717, -7.833880e-03, 0.00826004241, -0.00878880639, 0.00250922306, 0.00255472423, 0.00184930814, -0.00366278086, -0.00287420978, 0.00421614293]> : tensor<12xf32>
    %cst_4 = arith.constant dense<[-0.0251392648, -0.00826496165, 0.0165814143, 0.0294334646, 0.00947105698, 0.0152742211, 0.00819259416, -0.00338552753, 0.039909631, -0.00706850365, 0.0030390732, 0.00839809608]> : tensor<12xf32>
    %cst_5 = arith.constant dense<[[[[0.25588873]], [[0.0924310088]], [[-0.0529732928]], [[0.0945660919]], [[-0.0557703413]], [[-0.0703591108]], [[-0.198613256]], [[0.176394582]], [[0.181726292]], [[0.103655785]], [[0.179042011]], [[0.302440107]]], [[[0.28439194]], [[-0.291467696]], [[0.068868488]], [[-0.0258601625]], [[0.102555268]], [[-0.0585747808]], [[0.0842986256]], [[-0.27789405]], [[0.138044283]], [[0.290167481]], [[-0.0543163903]], [[-0.24024044]]], [[[-0.251914263]], [[-0.0581360683]], [[-0.00458406238]], [[0.0337988213]], [[0.0380234309]], [[0.228264064]], [[-0.0549788363]], [[0.0864822492]], [[-0.161058635]], [[0.298059285]], [[0.116291888]], [[-0.0420282483]]], [[[0.199502885]], [[0.107432082]], [[0.0520482399]], [[-0.0895918831]], [[0.0381618738]], [[0.0216979682]], [[-0.177316532]], [[0.00434286427]], [[0.0662736744]], [[-0.179761589]], [[0.0542117096]], [[-0.100738116]]], [[[-0.250989109]], [[-0.180674672]], [[-0.239431858]], [[0.0698187202]], [[0.184539109]], [[0.274268508]], [[0.295801222]], [[0.118825078]], [[0.147553325]], [[-0.0514478795]], [[0.249395207]], [[-0.115339138]]], [[[-0.0821669325]], [[-0.100633502]], [[-0.202697769]], [[-0.233041331]], [[-0.0616396479]], [[0.244381905]], [[-0.150632039]], [[-0.27451244]], [[-0.0690868348]], [[0.273993343]], [[0.0729308352]], [[-0.0191132724]]]]> : tensor<6x12x1x1xf32>
    %cst_6 = arith.constant dense<[-0.0387691371, -8.96675162E-4, -0.00917389151, 3.45630164E-4, -0.0202282108, 0.0241662022]> : tensor<6xf32>
    %cst_7 = arith.constant dense<"0x16CC433E690744BE66E0A7BD59ADA83EDFB8833D2194C93CB41BF13D3368AEBDDEFA983EF73D92BECD49C5BDE6F677BD658E13BEA682B1BD203F5E3EAFC3443E7D849F3CC2349C3EC7837CBE3D4355BEE096213E63C999BC5BF5A2BE088C77BEF4B859BE9C168A3EF0F6213E82748A3E6B3E85BE157EAEBE07BB6ABEA52C193DD3648DBD739161BEA849823E63DDE6BD02744FBE92AE253ED948C1BD08AA643EC0F6AA3D8B950D3C2198963D80C286BE17EA3FBEA27028BEABCA4ABE0B347E3D18338F3D84E814BE63A1693EF26747BEE5B5903D2BACCCBD31B99ABE814A68BE8CB8113EFE2B0D3E93975CBEBC7CDEBDB3BFA6BE79C33F3E333C9A3E0BD1EA3DA9245EBE5D5E3D3E09F9943E7EE692BDBF686BBDE986F83DCEBF383D1052EDBDF92FA5BE998879BE932C9A3C33B898BC61EE923E33DE423C8B42B7BD97DBADBEDD98A3BE549B143E3C529F3EFEB1ADBB28E09FBE9A06FE3DC9AF913EFDC56CBE4C60BCBD39B3F03CF6B54BBE839BA5BE44601C3EA58E92BE6752B3BD5FAB3DBEDC50863E53F0893DF6A6253EB48072BE77E4963E5243FF3C249F46BED169BBBC4B907DBEE13D84BC25F9473EB4FC20BE"> : tensor<12x3x3xf32>
    %0 = tensor.empty() : tensor<2x12x8x8xf32>
    %broadcasted = linalg.broadcast ins(%cst_3 : tensor<12xf32>) outs(%0 : tensor<2x12x8x8xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %cst_2 : tensor<2x6x8x8xf32>, tensor<12x6x1x1xf32>) outs(%broadcasted : tensor<2x12x8x8xf32>) -> tensor<2x12x8x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %cst_1, %cst_0 : tensor<2x12x8x8xf32>, tensor<f32>, tensor<f32>) outs(%0 : tensor<2x12x8x8xf32>) {
    ^bb0(%in: f32, %in_10: f32, %in_11: f32, %out: f32):
      %8 = arith.cmpf ult, %in, %in_10 : f32
      %9 = arith.select %8, %in_10, %in : f32
      %10 = arith.cmpf ugt, %9, %in_11 : f32
      %11 = arith.select %10, %in_11, %9 : f32
      linalg.yield %11 : f32
    } -> tensor<2x12x8x8xf32>
    %padded = tensor.pad %2 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<2x12x8x8xf32> to tensor<2x12x10x10xf32>
    %3 = tensor.empty() : tensor<2x12x4x4xf32>
    %broadcasted_8 = linalg.broadcast ins(%cst_4 : tensor<12xf32>) outs(%3 : tensor<2x12x4x4xf32>) dimensions = [0, 2, 3] 
    %4 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %cst_7 : tensor<2x12x10x10xf32>, tensor<12x3x3xf32>) outs(%broadcasted_8 : tensor<2x12x4x4xf32>) -> tensor<2x12x4x4xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %cst_1, %cst_0 : tensor<2x12x4x4xf32>, tensor<f32>, tensor<f32>) outs(%3 : tensor<2x12x4x4xf32>) {
    ^bb0(%in: f32, %in_10: f32, %in_11: f32, %out: f32):
      %8 = arith.cmpf ult, %in, %in_10 : f32
      %9 = arith.select %8, %in_10, %in : f32
      %10 = arith.cmpf ugt, %9, %in_11 : f32
      %11 = arith.select %10, %in_11, %9 : f32
      linalg.yield %11 : f32
    } -> tensor<2x12x4x4xf32>
    %6 = tensor.empty() : tensor<2x6x4x4xf32>
    %broadcasted_9 = linalg.broadcast ins(%cst_6 : tensor<6xf32>) outs(%6 : tensor<2x6x4x4xf32>) dimensions = [0, 2, 3] 
    %7 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%5, %cst_5 : tensor<2x12x4x4xf32>, tensor<6x12x1x1xf32>) outs(%broadcasted_9 : tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xf32>
    return %7 : tensor<2x6x4x4xf32>
  }
}
