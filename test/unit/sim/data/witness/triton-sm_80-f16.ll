; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_80, element f16, sum f32, tile [32, 32, 32], threads 64, dynamic_bytes 8192, stages 3
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 5
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = lshr i32 %11, 2
  %13 = and i32 %12, 15
  %14 = or disjoint i32 %13, 16
  %15 = shl nuw nsw i32 %11, 3
  %16 = and i32 %15, 24
  %17 = or disjoint i32 %13, %10
  %18 = or disjoint i32 %14, %10
  %19 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %20 = shl nuw nsw i32 %19, 5
  %21 = or disjoint i32 %16, %20
  %22 = mul i32 %5, %17
  %23 = mul i32 %5, %18
  %24 = sext i32 %22 to i64
  %25 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %24
  %26 = sext i32 %23 to i64
  %27 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %26
  %28 = icmp slt i32 %17, %3
  %29 = icmp slt i32 %18, %3
  %30 = icmp slt i32 %21, %4
  %31 = icmp sgt i32 %5, 0
  %32 = icmp slt i32 %16, %5
  %33 = icmp slt i32 %13, %5
  %34 = icmp slt i32 %14, %5
  %35 = zext nneg i32 %16 to i64
  %36 = getelementptr [2 x i8], ptr addrspace(1) %25, i64 %35
  %37 = getelementptr [2 x i8], ptr addrspace(1) %27, i64 %35
  %38 = and i1 %28, %32
  %39 = and i1 %29, %32
  %40 = shl nuw nsw i32 %11, 4
  %41 = and i32 %40, 1008
  %42 = and i32 %11, 24
  %43 = shl nuw nsw i32 %42, 1
  %44 = xor i32 %41, %43
  %45 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %44
  %46 = select i1 %38, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %45, ptr addrspace(1) %36, i32 %46) #2
  %47 = or disjoint i32 %44, 1024
  %48 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %47
  %49 = select i1 %39, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %48, ptr addrspace(1) %37, i32 %49) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %50 = mul i32 %4, %13
  %51 = mul i32 %4, %14
  %52 = sext i32 %50 to i64
  %53 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %52
  %54 = sext i32 %51 to i64
  %55 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %54
  %56 = zext nneg i32 %21 to i64
  %57 = getelementptr [2 x i8], ptr addrspace(1) %53, i64 %56
  %58 = getelementptr [2 x i8], ptr addrspace(1) %55, i64 %56
  %59 = and i1 %30, %33
  %60 = and i1 %34, %31
  %61 = and i1 %30, %60
  %62 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %44
  %63 = select i1 %59, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %62, ptr addrspace(1) %57, i32 %63) #2
  %64 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %47
  %65 = select i1 %61, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %64, ptr addrspace(1) %58, i32 %65) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %66 = icmp sgt i32 %5, 32
  %67 = or disjoint i32 %16, 32
  %68 = or disjoint i32 %13, 32
  %69 = or disjoint i32 %13, 48
  %70 = icmp slt i32 %67, %5
  %71 = icmp slt i32 %68, %5
  %72 = icmp slt i32 %69, %5
  %73 = zext nneg i32 %67 to i64
  %74 = getelementptr [2 x i8], ptr addrspace(1) %25, i64 %73
  %75 = getelementptr [2 x i8], ptr addrspace(1) %27, i64 %73
  %76 = and i1 %28, %70
  %77 = and i1 %29, %70
  %78 = and i1 %66, %76
  %79 = and i1 %66, %77
  %80 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %44
  %81 = select i1 %78, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %80, ptr addrspace(1) %74, i32 %81) #2
  %82 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %47
  %83 = select i1 %79, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %82, ptr addrspace(1) %75, i32 %83) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %84 = mul i32 %4, %68
  %85 = mul i32 %4, %69
  %86 = sext i32 %84 to i64
  %87 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %86
  %88 = sext i32 %85 to i64
  %89 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %88
  %90 = getelementptr [2 x i8], ptr addrspace(1) %87, i64 %56
  %91 = getelementptr [2 x i8], ptr addrspace(1) %89, i64 %56
  %92 = and i1 %30, %71
  %93 = and i1 %30, %72
  %94 = and i1 %66, %92
  %95 = and i1 %66, %93
  %96 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 6144), i32 %44
  %97 = select i1 %94, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %96, ptr addrspace(1) %90, i32 %97) #2
  %98 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 6144), i32 %47
  %99 = select i1 %95, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %98, ptr addrspace(1) %91, i32 %99) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %100 = shl nuw nsw i32 %11, 6
  %101 = and i32 %100, 960
  %102 = and i32 %15, 48
  %103 = and i32 %11, 16
  %104 = or disjoint i32 %101, %102
  %105 = xor i32 %104, %103
  %106 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %105
  %107 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %106)
  %108 = or disjoint i32 %105, 1024
  %109 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %108
  %110 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %109)
  %111 = shl nuw nsw i32 %103, 1
  %112 = and i32 %11, 32
  %113 = lshr exact i32 %112, 1
  %114 = or disjoint i32 %111, %113
  %115 = xor i32 %104, %114
  %116 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %115
  %117 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %116)
  %invariant.gep = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %56
  br i1 %31, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %8
  %118 = extractvalue { i32, i32, i32, i32 } %117, 3
  %119 = bitcast i32 %118 to <2 x half>
  %120 = extractelement <2 x half> %119, i64 1
  %121 = extractelement <2 x half> %119, i64 0
  %122 = extractvalue { i32, i32, i32, i32 } %117, 2
  %123 = bitcast i32 %122 to <2 x half>
  %124 = extractelement <2 x half> %123, i64 1
  %125 = extractelement <2 x half> %123, i64 0
  %126 = extractvalue { i32, i32, i32, i32 } %117, 1
  %127 = bitcast i32 %126 to <2 x half>
  %128 = extractelement <2 x half> %127, i64 1
  %129 = extractelement <2 x half> %127, i64 0
  %130 = extractvalue { i32, i32, i32, i32 } %117, 0
  %131 = bitcast i32 %130 to <2 x half>
  %132 = extractelement <2 x half> %131, i64 1
  %133 = extractelement <2 x half> %131, i64 0
  %134 = extractvalue { i32, i32, i32, i32 } %110, 3
  %135 = bitcast i32 %134 to <2 x half>
  %136 = extractelement <2 x half> %135, i64 1
  %137 = extractelement <2 x half> %135, i64 0
  %138 = extractvalue { i32, i32, i32, i32 } %110, 2
  %139 = bitcast i32 %138 to <2 x half>
  %140 = extractelement <2 x half> %139, i64 1
  %141 = extractelement <2 x half> %139, i64 0
  %142 = extractvalue { i32, i32, i32, i32 } %110, 1
  %143 = bitcast i32 %142 to <2 x half>
  %144 = extractelement <2 x half> %143, i64 1
  %145 = extractelement <2 x half> %143, i64 0
  %146 = extractvalue { i32, i32, i32, i32 } %110, 0
  %147 = bitcast i32 %146 to <2 x half>
  %148 = extractelement <2 x half> %147, i64 1
  %149 = extractelement <2 x half> %147, i64 0
  %150 = extractvalue { i32, i32, i32, i32 } %107, 3
  %151 = bitcast i32 %150 to <2 x half>
  %152 = extractelement <2 x half> %151, i64 1
  %153 = extractelement <2 x half> %151, i64 0
  %154 = extractvalue { i32, i32, i32, i32 } %107, 2
  %155 = bitcast i32 %154 to <2 x half>
  %156 = extractelement <2 x half> %155, i64 1
  %157 = extractelement <2 x half> %155, i64 0
  %158 = extractvalue { i32, i32, i32, i32 } %107, 1
  %159 = bitcast i32 %158 to <2 x half>
  %160 = extractelement <2 x half> %159, i64 1
  %161 = extractelement <2 x half> %159, i64 0
  %162 = extractvalue { i32, i32, i32, i32 } %107, 0
  %163 = bitcast i32 %162 to <2 x half>
  %164 = extractelement <2 x half> %163, i64 1
  %165 = extractelement <2 x half> %163, i64 0
  %166 = add nsw i32 %5, -64
  %167 = xor i32 %105, 32
  br label %168

168:                                              ; preds = %.lr.ph, %168
  %.pn34104 = phi half [ %120, %.lr.ph ], [ %364, %168 ]
  %.pn36103 = phi half [ %121, %.lr.ph ], [ %363, %168 ]
  %.pn38102 = phi half [ %124, %.lr.ph ], [ %361, %168 ]
  %.pn40101 = phi half [ %125, %.lr.ph ], [ %360, %168 ]
  %.pn42100 = phi half [ %128, %.lr.ph ], [ %358, %168 ]
  %.pn4499 = phi half [ %129, %.lr.ph ], [ %357, %168 ]
  %.pn4698 = phi half [ %132, %.lr.ph ], [ %355, %168 ]
  %.pn4897 = phi half [ %133, %.lr.ph ], [ %354, %168 ]
  %.pn296 = phi half [ %136, %.lr.ph ], [ %346, %168 ]
  %.pn495 = phi half [ %137, %.lr.ph ], [ %345, %168 ]
  %.pn694 = phi half [ %140, %.lr.ph ], [ %343, %168 ]
  %.pn893 = phi half [ %141, %.lr.ph ], [ %342, %168 ]
  %.pn1092 = phi half [ %144, %.lr.ph ], [ %340, %168 ]
  %.pn1291 = phi half [ %145, %.lr.ph ], [ %339, %168 ]
  %.pn1490 = phi half [ %148, %.lr.ph ], [ %337, %168 ]
  %.pn1689 = phi half [ %149, %.lr.ph ], [ %336, %168 ]
  %.pn1888 = phi half [ %152, %.lr.ph ], [ %328, %168 ]
  %.pn2087 = phi half [ %153, %.lr.ph ], [ %327, %168 ]
  %.pn2286 = phi half [ %156, %.lr.ph ], [ %325, %168 ]
  %.pn2485 = phi half [ %157, %.lr.ph ], [ %324, %168 ]
  %.pn2684 = phi half [ %160, %.lr.ph ], [ %322, %168 ]
  %.pn2883 = phi half [ %161, %.lr.ph ], [ %321, %168 ]
  %.pn3082 = phi half [ %164, %.lr.ph ], [ %319, %168 ]
  %.pn3281 = phi half [ %165, %.lr.ph ], [ %318, %168 ]
  %169 = phi ptr addrspace(3) [ getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), %.lr.ph ], [ %310, %168 ]
  %170 = phi ptr addrspace(3) [ @global_smem, %.lr.ph ], [ %309, %168 ]
  %171 = phi i32 [ -1, %.lr.ph ], [ %193, %168 ]
  %172 = phi i32 [ 1, %.lr.ph ], [ %271, %168 ]
  %173 = phi float [ 0.000000e+00, %.lr.ph ], [ %366, %168 ]
  %174 = phi float [ 0.000000e+00, %.lr.ph ], [ %367, %168 ]
  %175 = phi float [ 0.000000e+00, %.lr.ph ], [ %368, %168 ]
  %176 = phi float [ 0.000000e+00, %.lr.ph ], [ %369, %168 ]
  %177 = phi float [ 0.000000e+00, %.lr.ph ], [ %371, %168 ]
  %178 = phi float [ 0.000000e+00, %.lr.ph ], [ %372, %168 ]
  %179 = phi float [ 0.000000e+00, %.lr.ph ], [ %373, %168 ]
  %180 = phi float [ 0.000000e+00, %.lr.ph ], [ %374, %168 ]
  %181 = phi float [ 0.000000e+00, %.lr.ph ], [ %376, %168 ]
  %182 = phi float [ 0.000000e+00, %.lr.ph ], [ %377, %168 ]
  %183 = phi float [ 0.000000e+00, %.lr.ph ], [ %378, %168 ]
  %184 = phi float [ 0.000000e+00, %.lr.ph ], [ %379, %168 ]
  %185 = phi float [ 0.000000e+00, %.lr.ph ], [ %381, %168 ]
  %186 = phi float [ 0.000000e+00, %.lr.ph ], [ %382, %168 ]
  %187 = phi float [ 0.000000e+00, %.lr.ph ], [ %383, %168 ]
  %188 = phi float [ 0.000000e+00, %.lr.ph ], [ %384, %168 ]
  %189 = phi i32 [ 0, %.lr.ph ], [ %385, %168 ]
  %190 = icmp slt i32 %189, %166
  %191 = add i32 %171, 1
  %192 = icmp sgt i32 %191, 1
  %193 = select i1 %192, i32 0, i32 %191
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %194 = getelementptr inbounds nuw i8, ptr addrspace(3) %170, i32 %167
  %195 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %194)
  %196 = extractvalue { i32, i32, i32, i32 } %195, 0
  %197 = extractvalue { i32, i32, i32, i32 } %195, 1
  %198 = extractvalue { i32, i32, i32, i32 } %195, 2
  %199 = extractvalue { i32, i32, i32, i32 } %195, 3
  %200 = getelementptr inbounds nuw i8, ptr addrspace(3) %194, i32 1024
  %201 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %200)
  %202 = extractvalue { i32, i32, i32, i32 } %201, 0
  %203 = extractvalue { i32, i32, i32, i32 } %201, 1
  %204 = extractvalue { i32, i32, i32, i32 } %201, 2
  %205 = extractvalue { i32, i32, i32, i32 } %201, 3
  %206 = getelementptr inbounds nuw i8, ptr addrspace(3) %169, i32 %115
  %207 = getelementptr inbounds nuw i8, ptr addrspace(3) %206, i32 1024
  %208 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) nonnull %207)
  %209 = extractvalue { i32, i32, i32, i32 } %208, 0
  %210 = extractvalue { i32, i32, i32, i32 } %208, 1
  %211 = extractvalue { i32, i32, i32, i32 } %208, 2
  %212 = extractvalue { i32, i32, i32, i32 } %208, 3
  %213 = insertelement <2 x half> poison, half %.pn3281, i64 0
  %214 = insertelement <2 x half> %213, half %.pn3082, i64 1
  %215 = bitcast <2 x half> %214 to i32
  %216 = insertelement <2 x half> poison, half %.pn2883, i64 0
  %217 = insertelement <2 x half> %216, half %.pn2684, i64 1
  %218 = bitcast <2 x half> %217 to i32
  %219 = insertelement <2 x half> poison, half %.pn2485, i64 0
  %220 = insertelement <2 x half> %219, half %.pn2286, i64 1
  %221 = bitcast <2 x half> %220 to i32
  %222 = insertelement <2 x half> poison, half %.pn2087, i64 0
  %223 = insertelement <2 x half> %222, half %.pn1888, i64 1
  %224 = bitcast <2 x half> %223 to i32
  %225 = insertelement <2 x half> poison, half %.pn1689, i64 0
  %226 = insertelement <2 x half> %225, half %.pn1490, i64 1
  %227 = bitcast <2 x half> %226 to i32
  %228 = insertelement <2 x half> poison, half %.pn1291, i64 0
  %229 = insertelement <2 x half> %228, half %.pn1092, i64 1
  %230 = bitcast <2 x half> %229 to i32
  %231 = insertelement <2 x half> poison, half %.pn893, i64 0
  %232 = insertelement <2 x half> %231, half %.pn694, i64 1
  %233 = bitcast <2 x half> %232 to i32
  %234 = insertelement <2 x half> poison, half %.pn495, i64 0
  %235 = insertelement <2 x half> %234, half %.pn296, i64 1
  %236 = bitcast <2 x half> %235 to i32
  %237 = insertelement <2 x half> poison, half %.pn4897, i64 0
  %238 = insertelement <2 x half> %237, half %.pn4698, i64 1
  %239 = bitcast <2 x half> %238 to i32
  %240 = insertelement <2 x half> poison, half %.pn4499, i64 0
  %241 = insertelement <2 x half> %240, half %.pn42100, i64 1
  %242 = bitcast <2 x half> %241 to i32
  %243 = insertelement <2 x half> poison, half %.pn40101, i64 0
  %244 = insertelement <2 x half> %243, half %.pn38102, i64 1
  %245 = bitcast <2 x half> %244 to i32
  %246 = insertelement <2 x half> poison, half %.pn36103, i64 0
  %247 = insertelement <2 x half> %246, half %.pn34104, i64 1
  %248 = bitcast <2 x half> %247 to i32
  %249 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %173, float %174, float %175, float %176, i32 %215, i32 %218, i32 %221, i32 %224, i32 %239, i32 %242) #2
  %250 = extractvalue { float, float, float, float } %249, 0
  %251 = extractvalue { float, float, float, float } %249, 1
  %252 = extractvalue { float, float, float, float } %249, 2
  %253 = extractvalue { float, float, float, float } %249, 3
  %254 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %177, float %178, float %179, float %180, i32 %215, i32 %218, i32 %221, i32 %224, i32 %245, i32 %248) #2
  %255 = extractvalue { float, float, float, float } %254, 0
  %256 = extractvalue { float, float, float, float } %254, 1
  %257 = extractvalue { float, float, float, float } %254, 2
  %258 = extractvalue { float, float, float, float } %254, 3
  %259 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %181, float %182, float %183, float %184, i32 %227, i32 %230, i32 %233, i32 %236, i32 %239, i32 %242) #2
  %260 = extractvalue { float, float, float, float } %259, 0
  %261 = extractvalue { float, float, float, float } %259, 1
  %262 = extractvalue { float, float, float, float } %259, 2
  %263 = extractvalue { float, float, float, float } %259, 3
  %264 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %185, float %186, float %187, float %188, i32 %227, i32 %230, i32 %233, i32 %236, i32 %245, i32 %248) #2
  %265 = extractvalue { float, float, float, float } %264, 0
  %266 = extractvalue { float, float, float, float } %264, 1
  %267 = extractvalue { float, float, float, float } %264, 2
  %268 = extractvalue { float, float, float, float } %264, 3
  %269 = add i32 %172, 1
  %270 = icmp sgt i32 %269, 1
  %271 = select i1 %270, i32 0, i32 %269
  %272 = add i32 %189, 64
  %273 = or disjoint i32 %272, %16
  %274 = or disjoint i32 %272, %13
  %275 = or disjoint i32 %272, %14
  %276 = icmp slt i32 %273, %5
  %277 = icmp slt i32 %274, %5
  %278 = icmp slt i32 %275, %5
  %279 = sext i32 %273 to i64
  %280 = getelementptr [2 x i8], ptr addrspace(1) %25, i64 %279
  %281 = getelementptr [2 x i8], ptr addrspace(1) %27, i64 %279
  %282 = and i1 %28, %276
  %283 = and i1 %29, %276
  %284 = shl i32 %271, 10
  %285 = getelementptr [2 x i8], ptr addrspace(3) @global_smem, i32 %284
  %286 = and i1 %190, %282
  %287 = and i1 %190, %283
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %288 = getelementptr inbounds nuw i8, ptr addrspace(3) %285, i32 %44
  %289 = select i1 %286, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %288, ptr addrspace(1) %280, i32 %289) #2
  %290 = getelementptr inbounds nuw i8, ptr addrspace(3) %285, i32 %47
  %291 = select i1 %287, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %290, ptr addrspace(1) %281, i32 %291) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %292 = mul i32 %274, %4
  %293 = mul i32 %275, %4
  %294 = sext i32 %292 to i64
  %295 = sext i32 %293 to i64
  %gep = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %294
  %gep80 = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %295
  %296 = and i1 %30, %277
  %297 = and i1 %30, %278
  %298 = getelementptr [2 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %284
  %299 = and i1 %190, %296
  %300 = and i1 %190, %297
  %301 = getelementptr inbounds nuw i8, ptr addrspace(3) %298, i32 %44
  %302 = select i1 %299, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %301, ptr addrspace(1) %gep, i32 %302) #2
  %303 = getelementptr inbounds nuw i8, ptr addrspace(3) %298, i32 %47
  %304 = select i1 %300, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %303, ptr addrspace(1) %gep80, i32 %304) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %305 = add i32 %193, 1
  %306 = icmp sgt i32 %305, 1
  %307 = shl i32 %305, 10
  %308 = select i1 %306, i32 0, i32 %307
  %309 = getelementptr [2 x i8], ptr addrspace(3) @global_smem, i32 %308
  %310 = getelementptr [2 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %308
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %311 = getelementptr inbounds nuw i8, ptr addrspace(3) %309, i32 %105
  %312 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %311)
  %313 = extractvalue { i32, i32, i32, i32 } %312, 0
  %314 = extractvalue { i32, i32, i32, i32 } %312, 1
  %315 = extractvalue { i32, i32, i32, i32 } %312, 2
  %316 = extractvalue { i32, i32, i32, i32 } %312, 3
  %317 = bitcast i32 %313 to <2 x half>
  %318 = extractelement <2 x half> %317, i64 0
  %319 = extractelement <2 x half> %317, i64 1
  %320 = bitcast i32 %314 to <2 x half>
  %321 = extractelement <2 x half> %320, i64 0
  %322 = extractelement <2 x half> %320, i64 1
  %323 = bitcast i32 %315 to <2 x half>
  %324 = extractelement <2 x half> %323, i64 0
  %325 = extractelement <2 x half> %323, i64 1
  %326 = bitcast i32 %316 to <2 x half>
  %327 = extractelement <2 x half> %326, i64 0
  %328 = extractelement <2 x half> %326, i64 1
  %329 = getelementptr inbounds nuw i8, ptr addrspace(3) %309, i32 %108
  %330 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %329)
  %331 = extractvalue { i32, i32, i32, i32 } %330, 0
  %332 = extractvalue { i32, i32, i32, i32 } %330, 1
  %333 = extractvalue { i32, i32, i32, i32 } %330, 2
  %334 = extractvalue { i32, i32, i32, i32 } %330, 3
  %335 = bitcast i32 %331 to <2 x half>
  %336 = extractelement <2 x half> %335, i64 0
  %337 = extractelement <2 x half> %335, i64 1
  %338 = bitcast i32 %332 to <2 x half>
  %339 = extractelement <2 x half> %338, i64 0
  %340 = extractelement <2 x half> %338, i64 1
  %341 = bitcast i32 %333 to <2 x half>
  %342 = extractelement <2 x half> %341, i64 0
  %343 = extractelement <2 x half> %341, i64 1
  %344 = bitcast i32 %334 to <2 x half>
  %345 = extractelement <2 x half> %344, i64 0
  %346 = extractelement <2 x half> %344, i64 1
  %347 = getelementptr inbounds nuw i8, ptr addrspace(3) %310, i32 %115
  %348 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %347)
  %349 = extractvalue { i32, i32, i32, i32 } %348, 0
  %350 = extractvalue { i32, i32, i32, i32 } %348, 1
  %351 = extractvalue { i32, i32, i32, i32 } %348, 2
  %352 = extractvalue { i32, i32, i32, i32 } %348, 3
  %353 = bitcast i32 %349 to <2 x half>
  %354 = extractelement <2 x half> %353, i64 0
  %355 = extractelement <2 x half> %353, i64 1
  %356 = bitcast i32 %350 to <2 x half>
  %357 = extractelement <2 x half> %356, i64 0
  %358 = extractelement <2 x half> %356, i64 1
  %359 = bitcast i32 %351 to <2 x half>
  %360 = extractelement <2 x half> %359, i64 0
  %361 = extractelement <2 x half> %359, i64 1
  %362 = bitcast i32 %352 to <2 x half>
  %363 = extractelement <2 x half> %362, i64 0
  %364 = extractelement <2 x half> %362, i64 1
  %365 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %250, float %251, float %252, float %253, i32 %196, i32 %197, i32 %198, i32 %199, i32 %209, i32 %210) #2
  %366 = extractvalue { float, float, float, float } %365, 0
  %367 = extractvalue { float, float, float, float } %365, 1
  %368 = extractvalue { float, float, float, float } %365, 2
  %369 = extractvalue { float, float, float, float } %365, 3
  %370 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %255, float %256, float %257, float %258, i32 %196, i32 %197, i32 %198, i32 %199, i32 %211, i32 %212) #2
  %371 = extractvalue { float, float, float, float } %370, 0
  %372 = extractvalue { float, float, float, float } %370, 1
  %373 = extractvalue { float, float, float, float } %370, 2
  %374 = extractvalue { float, float, float, float } %370, 3
  %375 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %260, float %261, float %262, float %263, i32 %202, i32 %203, i32 %204, i32 %205, i32 %209, i32 %210) #2
  %376 = extractvalue { float, float, float, float } %375, 0
  %377 = extractvalue { float, float, float, float } %375, 1
  %378 = extractvalue { float, float, float, float } %375, 2
  %379 = extractvalue { float, float, float, float } %375, 3
  %380 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %265, float %266, float %267, float %268, i32 %202, i32 %203, i32 %204, i32 %205, i32 %211, i32 %212) #2
  %381 = extractvalue { float, float, float, float } %380, 0
  %382 = extractvalue { float, float, float, float } %380, 1
  %383 = extractvalue { float, float, float, float } %380, 2
  %384 = extractvalue { float, float, float, float } %380, 3
  %385 = add i32 %189, 32
  %386 = icmp slt i32 %385, %5
  br i1 %386, label %168, label %._crit_edge

._crit_edge:                                      ; preds = %168, %8
  %387 = phi float [ 0.000000e+00, %8 ], [ %366, %168 ]
  %388 = phi float [ 0.000000e+00, %8 ], [ %367, %168 ]
  %389 = phi float [ 0.000000e+00, %8 ], [ %368, %168 ]
  %390 = phi float [ 0.000000e+00, %8 ], [ %369, %168 ]
  %391 = phi float [ 0.000000e+00, %8 ], [ %371, %168 ]
  %392 = phi float [ 0.000000e+00, %8 ], [ %372, %168 ]
  %393 = phi float [ 0.000000e+00, %8 ], [ %373, %168 ]
  %394 = phi float [ 0.000000e+00, %8 ], [ %374, %168 ]
  %395 = phi float [ 0.000000e+00, %8 ], [ %376, %168 ]
  %396 = phi float [ 0.000000e+00, %8 ], [ %377, %168 ]
  %397 = phi float [ 0.000000e+00, %8 ], [ %378, %168 ]
  %398 = phi float [ 0.000000e+00, %8 ], [ %379, %168 ]
  %399 = phi float [ 0.000000e+00, %8 ], [ %381, %168 ]
  %400 = phi float [ 0.000000e+00, %8 ], [ %382, %168 ]
  %401 = phi float [ 0.000000e+00, %8 ], [ %383, %168 ]
  %402 = phi float [ 0.000000e+00, %8 ], [ %384, %168 ]
  %403 = and i32 %11, 7
  %404 = shl nuw nsw i32 %403, 2
  %405 = or disjoint i32 %404, %20
  %406 = lshr i32 %11, 3
  %407 = and i32 %406, 7
  %408 = or disjoint i32 %407, %10
  %409 = or disjoint i32 %408, 24
  %410 = or disjoint i32 %408, 16
  %411 = or disjoint i32 %408, 8
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %412 = mul i32 %4, %408
  %413 = mul i32 %4, %411
  %414 = mul i32 %4, %410
  %415 = mul i32 %4, %409
  %416 = sext i32 %412 to i64
  %417 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %416
  %418 = sext i32 %413 to i64
  %419 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %418
  %420 = sext i32 %414 to i64
  %421 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %420
  %422 = sext i32 %415 to i64
  %423 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %422
  %424 = zext nneg i32 %405 to i64
  %425 = getelementptr [4 x i8], ptr addrspace(1) %417, i64 %424
  %426 = getelementptr [4 x i8], ptr addrspace(1) %419, i64 %424
  %427 = getelementptr [4 x i8], ptr addrspace(1) %421, i64 %424
  %428 = getelementptr [4 x i8], ptr addrspace(1) %423, i64 %424
  %429 = icmp slt i32 %408, %3
  %430 = icmp slt i32 %410, %3
  %431 = icmp slt i32 %405, %4
  %432 = and i1 %429, %431
  %433 = and i1 %430, %431
  %434 = shl nuw nsw i32 %42, 4
  %435 = and i32 %11, 1
  %436 = icmp eq i32 %435, 0
  %437 = select i1 %436, i32 0, i32 1088
  %438 = and i32 %15, 16
  %439 = and i32 %11, 4
  %440 = icmp eq i32 %439, 0
  %441 = select i1 %440, i32 0, i32 544
  %442 = or disjoint i32 %437, %438
  %443 = or disjoint i32 %441, %434
  %444 = xor i32 %443, %112
  %445 = or disjoint i32 %442, %444
  %446 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %445
  %447 = insertelement <4 x float> poison, float %387, i64 0
  %448 = insertelement <4 x float> %447, float %388, i64 1
  %449 = insertelement <4 x float> %448, float %389, i64 2
  %450 = insertelement <4 x float> %449, float %390, i64 3
  store <4 x float> %450, ptr addrspace(3) %446, align 16
  %451 = xor i32 %445, 64
  %452 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %451
  %453 = insertelement <4 x float> poison, float %391, i64 0
  %454 = insertelement <4 x float> %453, float %392, i64 1
  %455 = insertelement <4 x float> %454, float %393, i64 2
  %456 = insertelement <4 x float> %455, float %394, i64 3
  store <4 x float> %456, ptr addrspace(3) %452, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %457 = shl nuw nsw i32 %403, 4
  %458 = and i32 %15, 384
  %459 = and i32 %11, 8
  %460 = icmp eq i32 %459, 0
  %461 = select i1 %460, i32 0, i32 544
  %462 = or disjoint i32 %457, %458
  %463 = xor i32 %462, %461
  %464 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %463
  %465 = load <4 x i32>, ptr addrspace(3) %464, align 16
  %466 = xor i32 %463, 1088
  %467 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %466
  %468 = load <4 x i32>, ptr addrspace(3) %467, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %469 = insertelement <4 x float> poison, float %395, i64 0
  %470 = insertelement <4 x float> %469, float %396, i64 1
  %471 = insertelement <4 x float> %470, float %397, i64 2
  %472 = insertelement <4 x float> %471, float %398, i64 3
  store <4 x float> %472, ptr addrspace(3) %446, align 16
  %473 = insertelement <4 x float> poison, float %399, i64 0
  %474 = insertelement <4 x float> %473, float %400, i64 1
  %475 = insertelement <4 x float> %474, float %401, i64 2
  %476 = insertelement <4 x float> %475, float %402, i64 3
  store <4 x float> %476, ptr addrspace(3) %452, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %477 = load <4 x i32>, ptr addrspace(3) %464, align 16
  %478 = load <4 x i32>, ptr addrspace(3) %467, align 16
  %.extract = extractelement <4 x i32> %465, i64 0
  %.extract64 = extractelement <4 x i32> %465, i64 1
  %.extract65 = extractelement <4 x i32> %468, i64 0
  %.extract66 = extractelement <4 x i32> %468, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract64, i32 %.extract65, i32 %.extract66, ptr addrspace(1) %425, i1 %432) #2
  %.extract67 = extractelement <4 x i32> %465, i64 2
  %.extract68 = extractelement <4 x i32> %465, i64 3
  %.extract69 = extractelement <4 x i32> %468, i64 2
  %.extract70 = extractelement <4 x i32> %468, i64 3
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract67, i32 %.extract68, i32 %.extract69, i32 %.extract70, ptr addrspace(1) %426, i1 %432) #2
  %.extract71 = extractelement <4 x i32> %477, i64 0
  %.extract72 = extractelement <4 x i32> %477, i64 1
  %.extract73 = extractelement <4 x i32> %478, i64 0
  %.extract74 = extractelement <4 x i32> %478, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract71, i32 %.extract72, i32 %.extract73, i32 %.extract74, ptr addrspace(1) %427, i1 %433) #2
  %.extract75 = extractelement <4 x i32> %477, i64 2
  %.extract76 = extractelement <4 x i32> %477, i64 3
  %.extract77 = extractelement <4 x i32> %478, i64 2
  %.extract78 = extractelement <4 x i32> %478, i64 3
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract75, i32 %.extract76, i32 %.extract77, i32 %.extract78, ptr addrspace(1) %428, i1 %433) #2
  ret void
}

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare void @llvm.nvvm.cp.async.commit.group() #2

declare void @llvm.nvvm.cp.async.wait.group(i32 immarg) #2

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) readonly captures(none)) #4

declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) readonly captures(none)) #4

attributes #0 = { nounwind "nvvm.reqntid"="64" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { convergent nocallback nofree nounwind memory(argmem: read) }
