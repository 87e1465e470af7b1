; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_80, element i8, sum i32, tile [32, 32, 32], threads 64, dynamic_bytes 4096, stages 3
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 5
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = lshr i32 %11, 2
  %13 = and i32 %12, 15
  %14 = or disjoint i32 %13, 16
  %15 = lshr i32 %11, 1
  %16 = and i32 %15, 31
  %17 = and i32 %11, 3
  %18 = shl nuw nsw i32 %17, 3
  %19 = and i32 %11, 1
  %20 = shl nuw nsw i32 %19, 4
  %21 = or disjoint i32 %16, %10
  %22 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %23 = shl nuw nsw i32 %22, 5
  %24 = or disjoint i32 %18, %23
  %25 = mul i32 %5, %21
  %26 = sext i32 %25 to i64
  %27 = getelementptr i8, ptr addrspace(1) %0, i64 %26
  %28 = icmp slt i32 %21, %3
  %29 = icmp slt i32 %24, %4
  %30 = icmp sgt i32 %5, 0
  %31 = icmp slt i32 %20, %5
  %32 = icmp slt i32 %13, %5
  %33 = icmp slt i32 %14, %5
  %34 = zext nneg i32 %20 to i64
  %35 = getelementptr i8, ptr addrspace(1) %27, i64 %34
  %36 = and i1 %28, %31
  %37 = and i1 %30, %36
  %38 = shl nuw nsw i32 %11, 4
  %39 = and i32 %38, 880
  %40 = and i32 %11, 8
  %41 = icmp eq i32 %40, 0
  %42 = select i1 %41, i32 0, i32 144
  %43 = xor i32 %42, %39
  %44 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %43
  %45 = select i1 %37, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %44, ptr addrspace(1) %35, i32 %45) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %46 = mul i32 %4, %13
  %47 = mul i32 %4, %14
  %48 = sext i32 %46 to i64
  %49 = getelementptr i8, ptr addrspace(1) %1, i64 %48
  %50 = sext i32 %47 to i64
  %51 = getelementptr i8, ptr addrspace(1) %1, i64 %50
  %52 = zext nneg i32 %24 to i64
  %53 = getelementptr i8, ptr addrspace(1) %49, i64 %52
  %54 = getelementptr i8, ptr addrspace(1) %51, i64 %52
  %55 = and i1 %29, %32
  %56 = and i1 %29, %33
  %57 = and i1 %30, %56
  %58 = shl nuw nsw i32 %11, 3
  %59 = and i32 %58, 504
  %60 = and i32 %11, 48
  %61 = lshr exact i32 %60, 1
  %62 = xor i32 %59, %61
  %63 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %62
  %64 = select i1 %55, i32 8, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, $2;", "r,l,r"(ptr addrspace(3) %63, ptr addrspace(1) %53, i32 %64) #2
  %65 = or disjoint i32 %62, 512
  %66 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %65
  %67 = select i1 %57, i32 8, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, $2;", "r,l,r"(ptr addrspace(3) nonnull %66, ptr addrspace(1) %54, i32 %67) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %68 = icmp sgt i32 %5, 32
  %69 = or disjoint i32 %20, 32
  %70 = or disjoint i32 %13, 32
  %71 = or disjoint i32 %13, 48
  %72 = icmp slt i32 %69, %5
  %73 = icmp slt i32 %70, %5
  %74 = icmp slt i32 %71, %5
  %75 = zext nneg i32 %69 to i64
  %76 = getelementptr i8, ptr addrspace(1) %27, i64 %75
  %77 = and i1 %28, %72
  %78 = and i1 %68, %77
  %79 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %43
  %80 = select i1 %78, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %79, ptr addrspace(1) %76, i32 %80) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %81 = mul i32 %4, %70
  %82 = mul i32 %4, %71
  %83 = sext i32 %81 to i64
  %84 = getelementptr i8, ptr addrspace(1) %1, i64 %83
  %85 = sext i32 %82 to i64
  %86 = getelementptr i8, ptr addrspace(1) %1, i64 %85
  %87 = getelementptr i8, ptr addrspace(1) %84, i64 %52
  %88 = getelementptr i8, ptr addrspace(1) %86, i64 %52
  %89 = and i1 %29, %73
  %90 = and i1 %29, %74
  %91 = and i1 %68, %89
  %92 = and i1 %68, %90
  %93 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 3072), i32 %62
  %94 = select i1 %91, i32 8, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, $2;", "r,l,r"(ptr addrspace(3) %93, ptr addrspace(1) %87, i32 %94) #2
  %95 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 3072), i32 %65
  %96 = select i1 %92, i32 8, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, $2;", "r,l,r"(ptr addrspace(3) nonnull %95, ptr addrspace(1) %88, i32 %96) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %97 = shl nuw nsw i32 %11, 5
  %98 = and i32 %97, 352
  %99 = and i32 %11, 4
  %100 = icmp eq i32 %99, 0
  %101 = select i1 %100, i32 0, i32 144
  %102 = and i32 %11, 16
  %103 = or disjoint i32 %101, %98
  %104 = xor i32 %103, %102
  %105 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %104
  %106 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %105)
  %107 = or disjoint i32 %104, 512
  %108 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %107
  %109 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %108)
  %110 = mul nuw nsw i32 %17, 136
  %111 = xor i32 %110, %13
  %112 = or disjoint i32 %111, 32
  %113 = or disjoint i32 %111, 64
  %114 = or disjoint i32 %111, 96
  %115 = or disjoint i32 %111, 512
  %116 = or disjoint i32 %111, 544
  %117 = or disjoint i32 %111, 576
  %118 = or disjoint i32 %111, 608
  %119 = xor i32 %111, 16
  %120 = or disjoint i32 %119, 32
  %121 = or disjoint i32 %119, 64
  %122 = or disjoint i32 %119, 96
  %123 = or disjoint i32 %119, 512
  %124 = or disjoint i32 %119, 544
  %125 = or disjoint i32 %119, 576
  %126 = or disjoint i32 %119, 608
  %invariant.gep112 = getelementptr i8, ptr addrspace(1) %1, i64 %52
  br i1 %30, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %8
  %127 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %126
  %128 = load i8, ptr addrspace(3) %127, align 1
  %129 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %125
  %130 = load i8, ptr addrspace(3) %129, align 1
  %131 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %124
  %132 = load i8, ptr addrspace(3) %131, align 1
  %133 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %123
  %134 = load i8, ptr addrspace(3) %133, align 1
  %135 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %122
  %136 = load i8, ptr addrspace(3) %135, align 1
  %137 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %121
  %138 = load i8, ptr addrspace(3) %137, align 1
  %139 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %120
  %140 = load i8, ptr addrspace(3) %139, align 1
  %141 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %119
  %142 = load i8, ptr addrspace(3) %141, align 1
  %143 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %118
  %144 = load i8, ptr addrspace(3) %143, align 1
  %145 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %117
  %146 = load i8, ptr addrspace(3) %145, align 1
  %147 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %116
  %148 = load i8, ptr addrspace(3) %147, align 1
  %149 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %115
  %150 = load i8, ptr addrspace(3) %149, align 1
  %151 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %114
  %152 = load i8, ptr addrspace(3) %151, align 1
  %153 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %113
  %154 = load i8, ptr addrspace(3) %153, align 1
  %155 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %112
  %156 = load i8, ptr addrspace(3) %155, align 1
  %157 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %111
  %158 = load i8, ptr addrspace(3) %157, align 1
  %159 = extractvalue { i32, i32, i32, i32 } %109, 3
  %160 = bitcast i32 %159 to <4 x i8>
  %161 = extractelement <4 x i8> %160, i64 3
  %162 = extractelement <4 x i8> %160, i64 2
  %163 = extractelement <4 x i8> %160, i64 1
  %164 = extractelement <4 x i8> %160, i64 0
  %165 = extractvalue { i32, i32, i32, i32 } %109, 2
  %166 = bitcast i32 %165 to <4 x i8>
  %167 = extractelement <4 x i8> %166, i64 3
  %168 = extractelement <4 x i8> %166, i64 2
  %169 = extractelement <4 x i8> %166, i64 1
  %170 = extractelement <4 x i8> %166, i64 0
  %171 = extractvalue { i32, i32, i32, i32 } %109, 1
  %172 = bitcast i32 %171 to <4 x i8>
  %173 = extractelement <4 x i8> %172, i64 3
  %174 = extractelement <4 x i8> %172, i64 2
  %175 = extractelement <4 x i8> %172, i64 1
  %176 = extractelement <4 x i8> %172, i64 0
  %177 = extractvalue { i32, i32, i32, i32 } %109, 0
  %178 = bitcast i32 %177 to <4 x i8>
  %179 = extractelement <4 x i8> %178, i64 3
  %180 = extractelement <4 x i8> %178, i64 2
  %181 = extractelement <4 x i8> %178, i64 1
  %182 = extractelement <4 x i8> %178, i64 0
  %183 = extractvalue { i32, i32, i32, i32 } %106, 3
  %184 = bitcast i32 %183 to <4 x i8>
  %185 = extractelement <4 x i8> %184, i64 3
  %186 = extractelement <4 x i8> %184, i64 2
  %187 = extractelement <4 x i8> %184, i64 1
  %188 = extractelement <4 x i8> %184, i64 0
  %189 = extractvalue { i32, i32, i32, i32 } %106, 2
  %190 = bitcast i32 %189 to <4 x i8>
  %191 = extractelement <4 x i8> %190, i64 3
  %192 = extractelement <4 x i8> %190, i64 2
  %193 = extractelement <4 x i8> %190, i64 1
  %194 = extractelement <4 x i8> %190, i64 0
  %195 = extractvalue { i32, i32, i32, i32 } %106, 1
  %196 = bitcast i32 %195 to <4 x i8>
  %197 = extractelement <4 x i8> %196, i64 3
  %198 = extractelement <4 x i8> %196, i64 2
  %199 = extractelement <4 x i8> %196, i64 1
  %200 = extractelement <4 x i8> %196, i64 0
  %201 = extractvalue { i32, i32, i32, i32 } %106, 0
  %202 = bitcast i32 %201 to <4 x i8>
  %203 = extractelement <4 x i8> %202, i64 3
  %204 = extractelement <4 x i8> %202, i64 2
  %205 = extractelement <4 x i8> %202, i64 1
  %206 = extractelement <4 x i8> %202, i64 0
  %207 = add nsw i32 %5, -64
  br label %208

208:                                              ; preds = %.lr.ph, %208
  %.pn66163 = phi i8 [ %128, %.lr.ph ], [ %350, %208 ]
  %.pn68162 = phi i8 [ %130, %.lr.ph ], [ %348, %208 ]
  %.pn70161 = phi i8 [ %132, %.lr.ph ], [ %346, %208 ]
  %.pn72160 = phi i8 [ %134, %.lr.ph ], [ %344, %208 ]
  %.pn74159 = phi i8 [ %136, %.lr.ph ], [ %342, %208 ]
  %.pn76158 = phi i8 [ %138, %.lr.ph ], [ %340, %208 ]
  %.pn78157 = phi i8 [ %140, %.lr.ph ], [ %338, %208 ]
  %.pn80156 = phi i8 [ %142, %.lr.ph ], [ %336, %208 ]
  %.pn82155 = phi i8 [ %144, %.lr.ph ], [ %334, %208 ]
  %.pn84154 = phi i8 [ %146, %.lr.ph ], [ %332, %208 ]
  %.pn86153 = phi i8 [ %148, %.lr.ph ], [ %330, %208 ]
  %.pn88152 = phi i8 [ %150, %.lr.ph ], [ %328, %208 ]
  %.pn90151 = phi i8 [ %152, %.lr.ph ], [ %326, %208 ]
  %.pn92150 = phi i8 [ %154, %.lr.ph ], [ %324, %208 ]
  %.pn94149 = phi i8 [ %156, %.lr.ph ], [ %322, %208 ]
  %.pn96148 = phi i8 [ %158, %.lr.ph ], [ %320, %208 ]
  %.pn2147 = phi i8 [ %161, %.lr.ph ], [ %318, %208 ]
  %.pn4146 = phi i8 [ %162, %.lr.ph ], [ %317, %208 ]
  %.pn6145 = phi i8 [ %163, %.lr.ph ], [ %316, %208 ]
  %.pn8144 = phi i8 [ %164, %.lr.ph ], [ %315, %208 ]
  %.pn10143 = phi i8 [ %167, %.lr.ph ], [ %313, %208 ]
  %.pn12142 = phi i8 [ %168, %.lr.ph ], [ %312, %208 ]
  %.pn14141 = phi i8 [ %169, %.lr.ph ], [ %311, %208 ]
  %.pn16140 = phi i8 [ %170, %.lr.ph ], [ %310, %208 ]
  %.pn18139 = phi i8 [ %173, %.lr.ph ], [ %308, %208 ]
  %.pn20138 = phi i8 [ %174, %.lr.ph ], [ %307, %208 ]
  %.pn22137 = phi i8 [ %175, %.lr.ph ], [ %306, %208 ]
  %.pn24136 = phi i8 [ %176, %.lr.ph ], [ %305, %208 ]
  %.pn26135 = phi i8 [ %179, %.lr.ph ], [ %303, %208 ]
  %.pn28134 = phi i8 [ %180, %.lr.ph ], [ %302, %208 ]
  %.pn30133 = phi i8 [ %181, %.lr.ph ], [ %301, %208 ]
  %.pn32132 = phi i8 [ %182, %.lr.ph ], [ %300, %208 ]
  %.pn34131 = phi i8 [ %185, %.lr.ph ], [ %292, %208 ]
  %.pn36130 = phi i8 [ %186, %.lr.ph ], [ %291, %208 ]
  %.pn38129 = phi i8 [ %187, %.lr.ph ], [ %290, %208 ]
  %.pn40128 = phi i8 [ %188, %.lr.ph ], [ %289, %208 ]
  %.pn42127 = phi i8 [ %191, %.lr.ph ], [ %287, %208 ]
  %.pn44126 = phi i8 [ %192, %.lr.ph ], [ %286, %208 ]
  %.pn46125 = phi i8 [ %193, %.lr.ph ], [ %285, %208 ]
  %.pn48124 = phi i8 [ %194, %.lr.ph ], [ %284, %208 ]
  %.pn50123 = phi i8 [ %197, %.lr.ph ], [ %282, %208 ]
  %.pn52122 = phi i8 [ %198, %.lr.ph ], [ %281, %208 ]
  %.pn54121 = phi i8 [ %199, %.lr.ph ], [ %280, %208 ]
  %.pn56120 = phi i8 [ %200, %.lr.ph ], [ %279, %208 ]
  %.pn58119 = phi i8 [ %203, %.lr.ph ], [ %277, %208 ]
  %.pn60118 = phi i8 [ %204, %.lr.ph ], [ %276, %208 ]
  %.pn62117 = phi i8 [ %205, %.lr.ph ], [ %275, %208 ]
  %.pn64116 = phi i8 [ %206, %.lr.ph ], [ %274, %208 ]
  %209 = phi i32 [ -1, %.lr.ph ], [ %231, %208 ]
  %210 = phi i32 [ 1, %.lr.ph ], [ %234, %208 ]
  %211 = phi i32 [ 0, %.lr.ph ], [ %412, %208 ]
  %212 = phi i32 [ 0, %.lr.ph ], [ %413, %208 ]
  %213 = phi i32 [ 0, %.lr.ph ], [ %414, %208 ]
  %214 = phi i32 [ 0, %.lr.ph ], [ %415, %208 ]
  %215 = phi i32 [ 0, %.lr.ph ], [ %417, %208 ]
  %216 = phi i32 [ 0, %.lr.ph ], [ %418, %208 ]
  %217 = phi i32 [ 0, %.lr.ph ], [ %419, %208 ]
  %218 = phi i32 [ 0, %.lr.ph ], [ %420, %208 ]
  %219 = phi i32 [ 0, %.lr.ph ], [ %422, %208 ]
  %220 = phi i32 [ 0, %.lr.ph ], [ %423, %208 ]
  %221 = phi i32 [ 0, %.lr.ph ], [ %424, %208 ]
  %222 = phi i32 [ 0, %.lr.ph ], [ %425, %208 ]
  %223 = phi i32 [ 0, %.lr.ph ], [ %427, %208 ]
  %224 = phi i32 [ 0, %.lr.ph ], [ %428, %208 ]
  %225 = phi i32 [ 0, %.lr.ph ], [ %429, %208 ]
  %226 = phi i32 [ 0, %.lr.ph ], [ %430, %208 ]
  %227 = phi i32 [ 0, %.lr.ph ], [ %431, %208 ]
  %228 = icmp slt i32 %227, %207
  %229 = add i32 %209, 1
  %230 = icmp sgt i32 %229, 1
  %231 = select i1 %230, i32 0, i32 %229
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %232 = add i32 %210, 1
  %233 = icmp sgt i32 %232, 1
  %234 = select i1 %233, i32 0, i32 %232
  %235 = add i32 %227, 64
  %236 = or disjoint i32 %235, %20
  %237 = or disjoint i32 %235, %13
  %238 = or disjoint i32 %235, %14
  %239 = icmp slt i32 %236, %5
  %240 = icmp slt i32 %237, %5
  %241 = icmp slt i32 %238, %5
  %242 = sext i32 %236 to i64
  %243 = getelementptr i8, ptr addrspace(1) %27, i64 %242
  %244 = and i1 %28, %239
  %245 = shl i32 %234, 10
  %246 = and i1 %228, %244
  %gep = getelementptr i8, ptr addrspace(3) %44, i32 %245
  %247 = select i1 %246, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %gep, ptr addrspace(1) %243, i32 %247) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %248 = mul i32 %237, %4
  %249 = mul i32 %238, %4
  %250 = sext i32 %248 to i64
  %251 = sext i32 %249 to i64
  %gep113 = getelementptr i8, ptr addrspace(1) %invariant.gep112, i64 %250
  %gep115 = getelementptr i8, ptr addrspace(1) %invariant.gep112, i64 %251
  %252 = and i1 %29, %240
  %253 = and i1 %29, %241
  %254 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %245
  %255 = and i1 %228, %252
  %256 = and i1 %228, %253
  %257 = getelementptr inbounds nuw i8, ptr addrspace(3) %254, i32 %62
  %258 = select i1 %255, i32 8, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, $2;", "r,l,r"(ptr addrspace(3) %257, ptr addrspace(1) %gep113, i32 %258) #2
  %259 = getelementptr inbounds nuw i8, ptr addrspace(3) %254, i32 %65
  %260 = select i1 %256, i32 8, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, $2;", "r,l,r"(ptr addrspace(3) nonnull %259, ptr addrspace(1) %gep115, i32 %260) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %261 = add i32 %231, 1
  %262 = icmp sgt i32 %261, 1
  %263 = shl i32 %261, 10
  %264 = select i1 %262, i32 0, i32 %263
  %265 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %264
  %266 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %264
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %267 = getelementptr inbounds nuw i8, ptr addrspace(3) %265, i32 %104
  %268 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %267)
  %269 = extractvalue { i32, i32, i32, i32 } %268, 0
  %270 = extractvalue { i32, i32, i32, i32 } %268, 1
  %271 = extractvalue { i32, i32, i32, i32 } %268, 2
  %272 = extractvalue { i32, i32, i32, i32 } %268, 3
  %273 = bitcast i32 %269 to <4 x i8>
  %274 = extractelement <4 x i8> %273, i64 0
  %275 = extractelement <4 x i8> %273, i64 1
  %276 = extractelement <4 x i8> %273, i64 2
  %277 = extractelement <4 x i8> %273, i64 3
  %278 = bitcast i32 %270 to <4 x i8>
  %279 = extractelement <4 x i8> %278, i64 0
  %280 = extractelement <4 x i8> %278, i64 1
  %281 = extractelement <4 x i8> %278, i64 2
  %282 = extractelement <4 x i8> %278, i64 3
  %283 = bitcast i32 %271 to <4 x i8>
  %284 = extractelement <4 x i8> %283, i64 0
  %285 = extractelement <4 x i8> %283, i64 1
  %286 = extractelement <4 x i8> %283, i64 2
  %287 = extractelement <4 x i8> %283, i64 3
  %288 = bitcast i32 %272 to <4 x i8>
  %289 = extractelement <4 x i8> %288, i64 0
  %290 = extractelement <4 x i8> %288, i64 1
  %291 = extractelement <4 x i8> %288, i64 2
  %292 = extractelement <4 x i8> %288, i64 3
  %293 = getelementptr inbounds nuw i8, ptr addrspace(3) %265, i32 %107
  %294 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %293)
  %295 = extractvalue { i32, i32, i32, i32 } %294, 0
  %296 = extractvalue { i32, i32, i32, i32 } %294, 1
  %297 = extractvalue { i32, i32, i32, i32 } %294, 2
  %298 = extractvalue { i32, i32, i32, i32 } %294, 3
  %299 = bitcast i32 %295 to <4 x i8>
  %300 = extractelement <4 x i8> %299, i64 0
  %301 = extractelement <4 x i8> %299, i64 1
  %302 = extractelement <4 x i8> %299, i64 2
  %303 = extractelement <4 x i8> %299, i64 3
  %304 = bitcast i32 %296 to <4 x i8>
  %305 = extractelement <4 x i8> %304, i64 0
  %306 = extractelement <4 x i8> %304, i64 1
  %307 = extractelement <4 x i8> %304, i64 2
  %308 = extractelement <4 x i8> %304, i64 3
  %309 = bitcast i32 %297 to <4 x i8>
  %310 = extractelement <4 x i8> %309, i64 0
  %311 = extractelement <4 x i8> %309, i64 1
  %312 = extractelement <4 x i8> %309, i64 2
  %313 = extractelement <4 x i8> %309, i64 3
  %314 = bitcast i32 %298 to <4 x i8>
  %315 = extractelement <4 x i8> %314, i64 0
  %316 = extractelement <4 x i8> %314, i64 1
  %317 = extractelement <4 x i8> %314, i64 2
  %318 = extractelement <4 x i8> %314, i64 3
  %319 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %111
  %320 = load i8, ptr addrspace(3) %319, align 1
  %321 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %112
  %322 = load i8, ptr addrspace(3) %321, align 1
  %323 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %113
  %324 = load i8, ptr addrspace(3) %323, align 1
  %325 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %114
  %326 = load i8, ptr addrspace(3) %325, align 1
  %327 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %115
  %328 = load i8, ptr addrspace(3) %327, align 1
  %329 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %116
  %330 = load i8, ptr addrspace(3) %329, align 1
  %331 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %117
  %332 = load i8, ptr addrspace(3) %331, align 1
  %333 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %118
  %334 = load i8, ptr addrspace(3) %333, align 1
  %335 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %119
  %336 = load i8, ptr addrspace(3) %335, align 1
  %337 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %120
  %338 = load i8, ptr addrspace(3) %337, align 1
  %339 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %121
  %340 = load i8, ptr addrspace(3) %339, align 1
  %341 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %122
  %342 = load i8, ptr addrspace(3) %341, align 1
  %343 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %123
  %344 = load i8, ptr addrspace(3) %343, align 1
  %345 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %124
  %346 = load i8, ptr addrspace(3) %345, align 1
  %347 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %125
  %348 = load i8, ptr addrspace(3) %347, align 1
  %349 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 %126
  %350 = load i8, ptr addrspace(3) %349, align 1
  %351 = insertelement <4 x i8> poison, i8 %.pn64116, i64 0
  %352 = insertelement <4 x i8> %351, i8 %.pn62117, i64 1
  %353 = insertelement <4 x i8> %352, i8 %.pn60118, i64 2
  %354 = insertelement <4 x i8> %353, i8 %.pn58119, i64 3
  %355 = bitcast <4 x i8> %354 to i32
  %356 = insertelement <4 x i8> poison, i8 %.pn56120, i64 0
  %357 = insertelement <4 x i8> %356, i8 %.pn54121, i64 1
  %358 = insertelement <4 x i8> %357, i8 %.pn52122, i64 2
  %359 = insertelement <4 x i8> %358, i8 %.pn50123, i64 3
  %360 = bitcast <4 x i8> %359 to i32
  %361 = insertelement <4 x i8> poison, i8 %.pn48124, i64 0
  %362 = insertelement <4 x i8> %361, i8 %.pn46125, i64 1
  %363 = insertelement <4 x i8> %362, i8 %.pn44126, i64 2
  %364 = insertelement <4 x i8> %363, i8 %.pn42127, i64 3
  %365 = bitcast <4 x i8> %364 to i32
  %366 = insertelement <4 x i8> poison, i8 %.pn40128, i64 0
  %367 = insertelement <4 x i8> %366, i8 %.pn38129, i64 1
  %368 = insertelement <4 x i8> %367, i8 %.pn36130, i64 2
  %369 = insertelement <4 x i8> %368, i8 %.pn34131, i64 3
  %370 = bitcast <4 x i8> %369 to i32
  %371 = insertelement <4 x i8> poison, i8 %.pn32132, i64 0
  %372 = insertelement <4 x i8> %371, i8 %.pn30133, i64 1
  %373 = insertelement <4 x i8> %372, i8 %.pn28134, i64 2
  %374 = insertelement <4 x i8> %373, i8 %.pn26135, i64 3
  %375 = bitcast <4 x i8> %374 to i32
  %376 = insertelement <4 x i8> poison, i8 %.pn24136, i64 0
  %377 = insertelement <4 x i8> %376, i8 %.pn22137, i64 1
  %378 = insertelement <4 x i8> %377, i8 %.pn20138, i64 2
  %379 = insertelement <4 x i8> %378, i8 %.pn18139, i64 3
  %380 = bitcast <4 x i8> %379 to i32
  %381 = insertelement <4 x i8> poison, i8 %.pn16140, i64 0
  %382 = insertelement <4 x i8> %381, i8 %.pn14141, i64 1
  %383 = insertelement <4 x i8> %382, i8 %.pn12142, i64 2
  %384 = insertelement <4 x i8> %383, i8 %.pn10143, i64 3
  %385 = bitcast <4 x i8> %384 to i32
  %386 = insertelement <4 x i8> poison, i8 %.pn8144, i64 0
  %387 = insertelement <4 x i8> %386, i8 %.pn6145, i64 1
  %388 = insertelement <4 x i8> %387, i8 %.pn4146, i64 2
  %389 = insertelement <4 x i8> %388, i8 %.pn2147, i64 3
  %390 = bitcast <4 x i8> %389 to i32
  %391 = insertelement <4 x i8> poison, i8 %.pn96148, i64 0
  %392 = insertelement <4 x i8> %391, i8 %.pn94149, i64 1
  %393 = insertelement <4 x i8> %392, i8 %.pn92150, i64 2
  %394 = insertelement <4 x i8> %393, i8 %.pn90151, i64 3
  %395 = bitcast <4 x i8> %394 to i32
  %396 = insertelement <4 x i8> poison, i8 %.pn88152, i64 0
  %397 = insertelement <4 x i8> %396, i8 %.pn86153, i64 1
  %398 = insertelement <4 x i8> %397, i8 %.pn84154, i64 2
  %399 = insertelement <4 x i8> %398, i8 %.pn82155, i64 3
  %400 = bitcast <4 x i8> %399 to i32
  %401 = insertelement <4 x i8> poison, i8 %.pn80156, i64 0
  %402 = insertelement <4 x i8> %401, i8 %.pn78157, i64 1
  %403 = insertelement <4 x i8> %402, i8 %.pn76158, i64 2
  %404 = insertelement <4 x i8> %403, i8 %.pn74159, i64 3
  %405 = bitcast <4 x i8> %404 to i32
  %406 = insertelement <4 x i8> poison, i8 %.pn72160, i64 0
  %407 = insertelement <4 x i8> %406, i8 %.pn70161, i64 1
  %408 = insertelement <4 x i8> %407, i8 %.pn68162, i64 2
  %409 = insertelement <4 x i8> %408, i8 %.pn66163, i64 3
  %410 = bitcast <4 x i8> %409 to i32
  %411 = tail call { i32, i32, i32, i32 } asm sideeffect "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=r,=r,=r,=r,0,1,2,3,r,r,r,r,r,r"(i32 %211, i32 %212, i32 %213, i32 %214, i32 %355, i32 %360, i32 %365, i32 %370, i32 %395, i32 %400) #2
  %412 = extractvalue { i32, i32, i32, i32 } %411, 0
  %413 = extractvalue { i32, i32, i32, i32 } %411, 1
  %414 = extractvalue { i32, i32, i32, i32 } %411, 2
  %415 = extractvalue { i32, i32, i32, i32 } %411, 3
  %416 = tail call { i32, i32, i32, i32 } asm sideeffect "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=r,=r,=r,=r,0,1,2,3,r,r,r,r,r,r"(i32 %215, i32 %216, i32 %217, i32 %218, i32 %355, i32 %360, i32 %365, i32 %370, i32 %405, i32 %410) #2
  %417 = extractvalue { i32, i32, i32, i32 } %416, 0
  %418 = extractvalue { i32, i32, i32, i32 } %416, 1
  %419 = extractvalue { i32, i32, i32, i32 } %416, 2
  %420 = extractvalue { i32, i32, i32, i32 } %416, 3
  %421 = tail call { i32, i32, i32, i32 } asm sideeffect "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=r,=r,=r,=r,0,1,2,3,r,r,r,r,r,r"(i32 %219, i32 %220, i32 %221, i32 %222, i32 %375, i32 %380, i32 %385, i32 %390, i32 %395, i32 %400) #2
  %422 = extractvalue { i32, i32, i32, i32 } %421, 0
  %423 = extractvalue { i32, i32, i32, i32 } %421, 1
  %424 = extractvalue { i32, i32, i32, i32 } %421, 2
  %425 = extractvalue { i32, i32, i32, i32 } %421, 3
  %426 = tail call { i32, i32, i32, i32 } asm sideeffect "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=r,=r,=r,=r,0,1,2,3,r,r,r,r,r,r"(i32 %223, i32 %224, i32 %225, i32 %226, i32 %375, i32 %380, i32 %385, i32 %390, i32 %405, i32 %410) #2
  %427 = extractvalue { i32, i32, i32, i32 } %426, 0
  %428 = extractvalue { i32, i32, i32, i32 } %426, 1
  %429 = extractvalue { i32, i32, i32, i32 } %426, 2
  %430 = extractvalue { i32, i32, i32, i32 } %426, 3
  %431 = add i32 %227, 32
  %432 = icmp slt i32 %431, %5
  br i1 %432, label %208, label %._crit_edge

._crit_edge:                                      ; preds = %208, %8
  %433 = phi i32 [ 0, %8 ], [ %412, %208 ]
  %434 = phi i32 [ 0, %8 ], [ %413, %208 ]
  %435 = phi i32 [ 0, %8 ], [ %414, %208 ]
  %436 = phi i32 [ 0, %8 ], [ %415, %208 ]
  %437 = phi i32 [ 0, %8 ], [ %417, %208 ]
  %438 = phi i32 [ 0, %8 ], [ %418, %208 ]
  %439 = phi i32 [ 0, %8 ], [ %419, %208 ]
  %440 = phi i32 [ 0, %8 ], [ %420, %208 ]
  %441 = phi i32 [ 0, %8 ], [ %422, %208 ]
  %442 = phi i32 [ 0, %8 ], [ %423, %208 ]
  %443 = phi i32 [ 0, %8 ], [ %424, %208 ]
  %444 = phi i32 [ 0, %8 ], [ %425, %208 ]
  %445 = phi i32 [ 0, %8 ], [ %427, %208 ]
  %446 = phi i32 [ 0, %8 ], [ %428, %208 ]
  %447 = phi i32 [ 0, %8 ], [ %429, %208 ]
  %448 = phi i32 [ 0, %8 ], [ %430, %208 ]
  %449 = and i32 %11, 7
  %450 = shl nuw nsw i32 %449, 2
  %451 = or disjoint i32 %450, %23
  %452 = lshr i32 %11, 3
  %453 = and i32 %452, 7
  %454 = or disjoint i32 %453, %10
  %455 = or disjoint i32 %454, 24
  %456 = or disjoint i32 %454, 16
  %457 = or disjoint i32 %454, 8
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %458 = mul i32 %4, %454
  %459 = mul i32 %4, %457
  %460 = mul i32 %4, %456
  %461 = mul i32 %4, %455
  %462 = sext i32 %458 to i64
  %463 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %462
  %464 = sext i32 %459 to i64
  %465 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %464
  %466 = sext i32 %460 to i64
  %467 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %466
  %468 = sext i32 %461 to i64
  %469 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %468
  %470 = zext nneg i32 %451 to i64
  %471 = getelementptr [4 x i8], ptr addrspace(1) %463, i64 %470
  %472 = getelementptr [4 x i8], ptr addrspace(1) %465, i64 %470
  %473 = getelementptr [4 x i8], ptr addrspace(1) %467, i64 %470
  %474 = getelementptr [4 x i8], ptr addrspace(1) %469, i64 %470
  %475 = icmp slt i32 %454, %3
  %476 = icmp slt i32 %456, %3
  %477 = icmp slt i32 %451, %4
  %478 = and i1 %475, %477
  %479 = and i1 %476, %477
  %480 = and i32 %38, 384
  %481 = icmp eq i32 %19, 0
  %482 = select i1 %481, i32 0, i32 1088
  %483 = and i32 %58, 16
  %484 = select i1 %100, i32 0, i32 544
  %485 = and i32 %11, 32
  %486 = or disjoint i32 %482, %483
  %487 = or disjoint i32 %484, %480
  %488 = xor i32 %487, %485
  %489 = or disjoint i32 %486, %488
  %490 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %489
  %491 = insertelement <4 x i32> poison, i32 %433, i64 0
  %492 = insertelement <4 x i32> %491, i32 %434, i64 1
  %493 = insertelement <4 x i32> %492, i32 %435, i64 2
  %494 = insertelement <4 x i32> %493, i32 %436, i64 3
  store <4 x i32> %494, ptr addrspace(3) %490, align 16
  %495 = xor i32 %489, 64
  %496 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %495
  %497 = insertelement <4 x i32> poison, i32 %437, i64 0
  %498 = insertelement <4 x i32> %497, i32 %438, i64 1
  %499 = insertelement <4 x i32> %498, i32 %439, i64 2
  %500 = insertelement <4 x i32> %499, i32 %440, i64 3
  store <4 x i32> %500, ptr addrspace(3) %496, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %501 = shl nuw nsw i32 %449, 4
  %502 = shl nuw nsw i32 %60, 3
  %503 = select i1 %41, i32 0, i32 544
  %504 = or disjoint i32 %501, %502
  %505 = xor i32 %504, %503
  %506 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %505
  %507 = load <4 x i32>, ptr addrspace(3) %506, align 16
  %508 = xor i32 %505, 1088
  %509 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %508
  %510 = load <4 x i32>, ptr addrspace(3) %509, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %511 = insertelement <4 x i32> poison, i32 %441, i64 0
  %512 = insertelement <4 x i32> %511, i32 %442, i64 1
  %513 = insertelement <4 x i32> %512, i32 %443, i64 2
  %514 = insertelement <4 x i32> %513, i32 %444, i64 3
  store <4 x i32> %514, ptr addrspace(3) %490, align 16
  %515 = insertelement <4 x i32> poison, i32 %445, i64 0
  %516 = insertelement <4 x i32> %515, i32 %446, i64 1
  %517 = insertelement <4 x i32> %516, i32 %447, i64 2
  %518 = insertelement <4 x i32> %517, i32 %448, i64 3
  store <4 x i32> %518, ptr addrspace(3) %496, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %519 = load <4 x i32>, ptr addrspace(3) %506, align 16
  %520 = load <4 x i32>, ptr addrspace(3) %509, align 16
  %.extract = extractelement <4 x i32> %507, i64 0
  %.extract97 = extractelement <4 x i32> %507, i64 1
  %.extract98 = extractelement <4 x i32> %510, i64 0
  %.extract99 = extractelement <4 x i32> %510, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract97, i32 %.extract98, i32 %.extract99, ptr addrspace(1) %471, i1 %478) #2
  %.extract100 = extractelement <4 x i32> %507, i64 2
  %.extract101 = extractelement <4 x i32> %507, i64 3
  %.extract102 = extractelement <4 x i32> %510, i64 2
  %.extract103 = extractelement <4 x i32> %510, i64 3
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract100, i32 %.extract101, i32 %.extract102, i32 %.extract103, ptr addrspace(1) %472, i1 %478) #2
  %.extract104 = extractelement <4 x i32> %519, i64 0
  %.extract105 = extractelement <4 x i32> %519, i64 1
  %.extract106 = extractelement <4 x i32> %520, i64 0
  %.extract107 = extractelement <4 x i32> %520, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract104, i32 %.extract105, i32 %.extract106, i32 %.extract107, ptr addrspace(1) %473, i1 %479) #2
  %.extract108 = extractelement <4 x i32> %519, i64 2
  %.extract109 = extractelement <4 x i32> %519, i64 3
  %.extract110 = extractelement <4 x i32> %520, i64 2
  %.extract111 = extractelement <4 x i32> %520, i64 3
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract108, i32 %.extract109, i32 %.extract110, i32 %.extract111, ptr addrspace(1) %474, i1 %479) #2
  ret void
}

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare void @llvm.nvvm.cp.async.commit.group() #2

declare void @llvm.nvvm.cp.async.wait.group(i32 immarg) #2

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) readonly captures(none)) #4

attributes #0 = { nounwind "nvvm.reqntid"="64" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { convergent nocallback nofree nounwind memory(argmem: read) }
