; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target gfx90a, element f32, sum f32, tile [32, 32, 16], threads 128, dynamic_bytes 4096, stages 2
@global_smem = external addrspace(3) global [0 x i8], align 16

define amdgpu_kernel void @product(ptr addrspace(1) inreg nofree readonly captures(none) %0, ptr addrspace(1) inreg nofree readonly captures(none) %1, ptr addrspace(1) inreg nofree writeonly captures(none) %2, i32 inreg %3, i32 inreg %4, i32 inreg %5, ptr addrspace(1) inreg nofree readnone captures(none) %6, ptr addrspace(1) inreg nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %10 = tail call i32 @llvm.amdgcn.readfirstlane.i32(i32 %9)
  %11 = lshr i32 %10, 6
  %12 = and i32 %11, 1
  %13 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %14 = shl i32 %13, 5
  %15 = and i32 %9, 63
  %16 = shl nuw nsw i32 %12, 6
  %17 = or disjoint i32 %16, %15
  %18 = lshr i32 %17, 2
  %19 = lshr i32 %9, 3
  %20 = and i32 %19, 4
  %21 = shl nuw nsw i32 %9, 2
  %22 = and i32 %21, 28
  %23 = and i32 %9, 31
  %24 = or disjoint i32 %18, %14
  %25 = or disjoint i32 %14, %23
  %26 = tail call i32 @llvm.amdgcn.workgroup.id.y()
  %27 = shl i32 %26, 5
  %28 = or disjoint i32 %20, %27
  %29 = or disjoint i32 %28, 16
  %30 = or disjoint i32 %22, %27
  %31 = and i32 %21, 12
  %32 = lshr i32 %17, 3
  %33 = mul i32 %24, %5
  %34 = sext i32 %33 to i64
  %35 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %34
  %36 = icmp slt i32 %24, %3
  %37 = icmp slt i32 %30, %4
  %38 = icmp slt i32 %31, %5
  %39 = icmp slt i32 %32, %5
  %40 = and i1 %38, %36
  br i1 %40, label %41, label %45

41:                                               ; preds = %8
  %42 = zext nneg i32 %31 to i64
  %43 = getelementptr [4 x i8], ptr addrspace(1) %35, i64 %42
  %44 = load <4 x float>, ptr addrspace(1) %43, align 16
  br label %45

45:                                               ; preds = %41, %8
  %46 = phi <4 x float> [ %44, %41 ], [ zeroinitializer, %8 ]
  %47 = and i1 %37, %39
  br i1 %47, label %48, label %55

48:                                               ; preds = %45
  %49 = mul i32 %32, %4
  %50 = sext i32 %49 to i64
  %51 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %50
  %52 = sext i32 %30 to i64
  %53 = getelementptr [4 x i8], ptr addrspace(1) %51, i64 %52
  %54 = load <4 x float>, ptr addrspace(1) %53, align 16
  br label %55

55:                                               ; preds = %48, %45
  %56 = phi <4 x float> [ %54, %48 ], [ zeroinitializer, %45 ]
  %57 = shl nuw nsw i32 %17, 4
  %58 = lshr i32 %9, 1
  %59 = and i32 %58, 28
  %60 = xor i32 %57, %59
  %61 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %60
  %62 = shufflevector <4 x float> %46, <4 x float> poison, <1 x i32> zeroinitializer
  store <1 x float> %62, ptr addrspace(3) %61, align 4
  %63 = xor i32 %60, 4
  %64 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %63
  %65 = shufflevector <4 x float> %46, <4 x float> poison, <1 x i32> <i32 1>
  store <1 x float> %65, ptr addrspace(3) %64, align 4
  %66 = xor i32 %60, 8
  %67 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %66
  %68 = shufflevector <4 x float> %46, <4 x float> poison, <1 x i32> <i32 2>
  store <1 x float> %68, ptr addrspace(3) %67, align 4
  %69 = xor i32 %60, 12
  %70 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %69
  %71 = shufflevector <4 x float> %46, <4 x float> poison, <1 x i32> <i32 3>
  store <1 x float> %71, ptr addrspace(3) %70, align 4
  %72 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %57
  store <4 x float> %56, ptr addrspace(3) %72, align 16
  %73 = add i32 %5, -16
  %74 = icmp sgt i32 %73, 0
  br i1 %74, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %55
  %75 = shl nuw nsw i32 %23, 6
  %76 = shl nuw nsw i32 %9, 1
  %77 = and i32 %76, 28
  %78 = xor i32 %77, %20
  %79 = or disjoint i32 %78, %75
  %80 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %79
  %81 = getelementptr inbounds nuw i8, ptr addrspace(3) %80, i32 32
  %82 = xor i32 %79, 8
  %83 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %82
  %84 = getelementptr inbounds nuw i8, ptr addrspace(3) %83, i32 32
  %85 = xor i32 %79, 16
  %86 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %85
  %87 = getelementptr inbounds nuw i8, ptr addrspace(3) %86, i32 32
  %88 = xor i32 %79, 24
  %89 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %88
  %90 = getelementptr inbounds nuw i8, ptr addrspace(3) %89, i32 32
  %91 = sext i32 %30 to i64
  %invariant.gep = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %91
  %92 = shl nuw nsw i32 %15, 2
  %93 = or disjoint i32 %31, 16
  %94 = or disjoint i32 %32, 16
  %95 = icmp slt i32 %93, %5
  %96 = icmp slt i32 %94, %5
  %97 = and i1 %36, %95
  br i1 %97, label %98, label %102

98:                                               ; preds = %.lr.ph
  %99 = zext nneg i32 %93 to i64
  %100 = getelementptr [4 x i8], ptr addrspace(1) %35, i64 %99
  %101 = load <4 x float>, ptr addrspace(1) %100, align 16
  br label %102

102:                                              ; preds = %98, %.lr.ph
  %103 = phi <4 x float> [ %101, %98 ], [ zeroinitializer, %.lr.ph ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %104 = load <1 x float>, ptr addrspace(3) %80, align 4
  %105 = extractelement <1 x float> %104, i64 0
  %106 = load <1 x float>, ptr addrspace(3) %81, align 4
  %107 = extractelement <1 x float> %106, i64 0
  %108 = load <1 x float>, ptr addrspace(3) %83, align 4
  %109 = extractelement <1 x float> %108, i64 0
  %110 = load <1 x float>, ptr addrspace(3) %84, align 4
  %111 = extractelement <1 x float> %110, i64 0
  %112 = load <1 x float>, ptr addrspace(3) %86, align 4
  %113 = extractelement <1 x float> %112, i64 0
  %114 = load <1 x float>, ptr addrspace(3) %87, align 4
  %115 = extractelement <1 x float> %114, i64 0
  %116 = load <1 x float>, ptr addrspace(3) %89, align 4
  %117 = extractelement <1 x float> %116, i64 0
  %118 = load <1 x float>, ptr addrspace(3) %90, align 4
  %119 = extractelement <1 x float> %118, i64 0
  %120 = and i1 %37, %96
  br i1 %120, label %121, label %125

121:                                              ; preds = %102
  %122 = mul i32 %94, %4
  %123 = sext i32 %122 to i64
  %gep.peel = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %123
  %124 = load <4 x float>, ptr addrspace(1) %gep.peel, align 16
  br label %125

125:                                              ; preds = %121, %102
  %126 = phi <4 x float> [ %124, %121 ], [ zeroinitializer, %102 ]
  %127 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %92
  %128 = load <1 x float>, ptr addrspace(3) %127, align 4
  %129 = extractelement <1 x float> %128, i64 0
  %130 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 256
  %131 = load <1 x float>, ptr addrspace(3) %130, align 4
  %132 = extractelement <1 x float> %131, i64 0
  %133 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 512
  %134 = load <1 x float>, ptr addrspace(3) %133, align 4
  %135 = extractelement <1 x float> %134, i64 0
  %136 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 768
  %137 = load <1 x float>, ptr addrspace(3) %136, align 4
  %138 = extractelement <1 x float> %137, i64 0
  %139 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 1024
  %140 = load <1 x float>, ptr addrspace(3) %139, align 4
  %141 = extractelement <1 x float> %140, i64 0
  %142 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 1280
  %143 = load <1 x float>, ptr addrspace(3) %142, align 4
  %144 = extractelement <1 x float> %143, i64 0
  %145 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 1536
  %146 = load <1 x float>, ptr addrspace(3) %145, align 4
  %147 = extractelement <1 x float> %146, i64 0
  %148 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 1792
  %149 = load <1 x float>, ptr addrspace(3) %148, align 4
  %150 = extractelement <1 x float> %149, i64 0
  %151 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %129, float %105, <16 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %152 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %132, float %109, <16 x float> %151, i32 0, i32 0, i32 0)
  %153 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %135, float %113, <16 x float> %152, i32 0, i32 0, i32 0)
  %154 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %138, float %117, <16 x float> %153, i32 0, i32 0, i32 0)
  %155 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %141, float %107, <16 x float> %154, i32 0, i32 0, i32 0)
  %156 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %144, float %111, <16 x float> %155, i32 0, i32 0, i32 0)
  %157 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %147, float %115, <16 x float> %156, i32 0, i32 0, i32 0)
  %158 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %150, float %119, <16 x float> %157, i32 0, i32 0, i32 0)
  %159 = extractelement <16 x float> %158, i64 0
  %160 = extractelement <16 x float> %158, i64 1
  %161 = extractelement <16 x float> %158, i64 2
  %162 = extractelement <16 x float> %158, i64 3
  %163 = extractelement <16 x float> %158, i64 4
  %164 = extractelement <16 x float> %158, i64 5
  %165 = extractelement <16 x float> %158, i64 6
  %166 = extractelement <16 x float> %158, i64 7
  %167 = extractelement <16 x float> %158, i64 8
  %168 = extractelement <16 x float> %158, i64 9
  %169 = extractelement <16 x float> %158, i64 10
  %170 = extractelement <16 x float> %158, i64 11
  %171 = extractelement <16 x float> %158, i64 12
  %172 = extractelement <16 x float> %158, i64 13
  %173 = extractelement <16 x float> %158, i64 14
  %174 = extractelement <16 x float> %158, i64 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %175 = shufflevector <4 x float> %103, <4 x float> poison, <1 x i32> zeroinitializer
  store <1 x float> %175, ptr addrspace(3) %61, align 4
  %176 = shufflevector <4 x float> %103, <4 x float> poison, <1 x i32> <i32 1>
  store <1 x float> %176, ptr addrspace(3) %64, align 4
  %177 = shufflevector <4 x float> %103, <4 x float> poison, <1 x i32> <i32 2>
  store <1 x float> %177, ptr addrspace(3) %67, align 4
  %178 = shufflevector <4 x float> %103, <4 x float> poison, <1 x i32> <i32 3>
  store <1 x float> %178, ptr addrspace(3) %70, align 4
  store <4 x float> %126, ptr addrspace(3) %72, align 16
  %179 = icmp samesign ugt i32 %73, 16
  br i1 %179, label %.peel.next, label %._crit_edge

.peel.next:                                       ; preds = %125
  %180 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %92
  %181 = getelementptr inbounds nuw i8, ptr addrspace(3) %180, i32 256
  %182 = getelementptr inbounds nuw i8, ptr addrspace(3) %180, i32 512
  %183 = getelementptr inbounds nuw i8, ptr addrspace(3) %180, i32 768
  %184 = getelementptr inbounds nuw i8, ptr addrspace(3) %180, i32 1024
  %185 = getelementptr inbounds nuw i8, ptr addrspace(3) %180, i32 1280
  %186 = getelementptr inbounds nuw i8, ptr addrspace(3) %180, i32 1536
  %187 = getelementptr inbounds nuw i8, ptr addrspace(3) %180, i32 1792
  br label %188

188:                                              ; preds = %.peel.next, %239
  %189 = phi float [ %159, %.peel.next ], [ %281, %239 ]
  %190 = phi float [ %160, %.peel.next ], [ %282, %239 ]
  %191 = phi float [ %161, %.peel.next ], [ %283, %239 ]
  %192 = phi float [ %162, %.peel.next ], [ %284, %239 ]
  %193 = phi float [ %163, %.peel.next ], [ %285, %239 ]
  %194 = phi float [ %164, %.peel.next ], [ %286, %239 ]
  %195 = phi float [ %165, %.peel.next ], [ %287, %239 ]
  %196 = phi float [ %166, %.peel.next ], [ %288, %239 ]
  %197 = phi float [ %167, %.peel.next ], [ %289, %239 ]
  %198 = phi float [ %168, %.peel.next ], [ %290, %239 ]
  %199 = phi float [ %169, %.peel.next ], [ %291, %239 ]
  %200 = phi float [ %170, %.peel.next ], [ %292, %239 ]
  %201 = phi float [ %171, %.peel.next ], [ %293, %239 ]
  %202 = phi float [ %172, %.peel.next ], [ %294, %239 ]
  %203 = phi float [ %173, %.peel.next ], [ %295, %239 ]
  %204 = phi float [ %174, %.peel.next ], [ %296, %239 ]
  %205 = phi i32 [ 16, %.peel.next ], [ %206, %239 ]
  %206 = add i32 %205, 16
  %207 = or disjoint i32 %206, %31
  %208 = or disjoint i32 %206, %32
  %209 = icmp slt i32 %207, %5
  %210 = icmp slt i32 %208, %5
  %211 = and i1 %36, %209
  br i1 %211, label %212, label %216

212:                                              ; preds = %188
  %213 = sext i32 %207 to i64
  %214 = getelementptr [4 x i8], ptr addrspace(1) %35, i64 %213
  %215 = load <4 x float>, ptr addrspace(1) %214, align 16
  br label %216

216:                                              ; preds = %212, %188
  %217 = phi <4 x float> [ %215, %212 ], [ zeroinitializer, %188 ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %218 = load <1 x float>, ptr addrspace(3) %80, align 4
  %219 = extractelement <1 x float> %218, i64 0
  %220 = load <1 x float>, ptr addrspace(3) %81, align 4
  %221 = extractelement <1 x float> %220, i64 0
  %222 = load <1 x float>, ptr addrspace(3) %83, align 4
  %223 = extractelement <1 x float> %222, i64 0
  %224 = load <1 x float>, ptr addrspace(3) %84, align 4
  %225 = extractelement <1 x float> %224, i64 0
  %226 = load <1 x float>, ptr addrspace(3) %86, align 4
  %227 = extractelement <1 x float> %226, i64 0
  %228 = load <1 x float>, ptr addrspace(3) %87, align 4
  %229 = extractelement <1 x float> %228, i64 0
  %230 = load <1 x float>, ptr addrspace(3) %89, align 4
  %231 = extractelement <1 x float> %230, i64 0
  %232 = load <1 x float>, ptr addrspace(3) %90, align 4
  %233 = extractelement <1 x float> %232, i64 0
  %234 = and i1 %37, %210
  br i1 %234, label %235, label %239

235:                                              ; preds = %216
  %236 = mul i32 %208, %4
  %237 = sext i32 %236 to i64
  %gep = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %237
  %238 = load <4 x float>, ptr addrspace(1) %gep, align 16
  br label %239

239:                                              ; preds = %235, %216
  %240 = phi <4 x float> [ %238, %235 ], [ zeroinitializer, %216 ]
  %241 = load <1 x float>, ptr addrspace(3) %180, align 4
  %242 = extractelement <1 x float> %241, i64 0
  %243 = load <1 x float>, ptr addrspace(3) %181, align 4
  %244 = extractelement <1 x float> %243, i64 0
  %245 = load <1 x float>, ptr addrspace(3) %182, align 4
  %246 = extractelement <1 x float> %245, i64 0
  %247 = load <1 x float>, ptr addrspace(3) %183, align 4
  %248 = extractelement <1 x float> %247, i64 0
  %249 = load <1 x float>, ptr addrspace(3) %184, align 4
  %250 = extractelement <1 x float> %249, i64 0
  %251 = load <1 x float>, ptr addrspace(3) %185, align 4
  %252 = extractelement <1 x float> %251, i64 0
  %253 = load <1 x float>, ptr addrspace(3) %186, align 4
  %254 = extractelement <1 x float> %253, i64 0
  %255 = load <1 x float>, ptr addrspace(3) %187, align 4
  %256 = extractelement <1 x float> %255, i64 0
  %257 = insertelement <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float undef, float undef, float undef, float undef, float undef, float undef>, float %189, i64 0
  %258 = insertelement <16 x float> %257, float %190, i64 1
  %259 = insertelement <16 x float> %258, float %191, i64 2
  %260 = insertelement <16 x float> %259, float %192, i64 3
  %261 = insertelement <16 x float> %260, float %193, i64 4
  %262 = insertelement <16 x float> %261, float %194, i64 5
  %263 = insertelement <16 x float> %262, float %195, i64 6
  %264 = insertelement <16 x float> %263, float %196, i64 7
  %265 = insertelement <16 x float> %264, float %197, i64 8
  %266 = insertelement <16 x float> %265, float %198, i64 9
  %267 = insertelement <16 x float> %266, float %199, i64 10
  %268 = insertelement <16 x float> %267, float %200, i64 11
  %269 = insertelement <16 x float> %268, float %201, i64 12
  %270 = insertelement <16 x float> %269, float %202, i64 13
  %271 = insertelement <16 x float> %270, float %203, i64 14
  %272 = insertelement <16 x float> %271, float %204, i64 15
  %273 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %242, float %219, <16 x float> %272, i32 0, i32 0, i32 0)
  %274 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %244, float %223, <16 x float> %273, i32 0, i32 0, i32 0)
  %275 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %246, float %227, <16 x float> %274, i32 0, i32 0, i32 0)
  %276 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %248, float %231, <16 x float> %275, i32 0, i32 0, i32 0)
  %277 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %250, float %221, <16 x float> %276, i32 0, i32 0, i32 0)
  %278 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %252, float %225, <16 x float> %277, i32 0, i32 0, i32 0)
  %279 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %254, float %229, <16 x float> %278, i32 0, i32 0, i32 0)
  %280 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %256, float %233, <16 x float> %279, i32 0, i32 0, i32 0)
  %281 = extractelement <16 x float> %280, i64 0
  %282 = extractelement <16 x float> %280, i64 1
  %283 = extractelement <16 x float> %280, i64 2
  %284 = extractelement <16 x float> %280, i64 3
  %285 = extractelement <16 x float> %280, i64 4
  %286 = extractelement <16 x float> %280, i64 5
  %287 = extractelement <16 x float> %280, i64 6
  %288 = extractelement <16 x float> %280, i64 7
  %289 = extractelement <16 x float> %280, i64 8
  %290 = extractelement <16 x float> %280, i64 9
  %291 = extractelement <16 x float> %280, i64 10
  %292 = extractelement <16 x float> %280, i64 11
  %293 = extractelement <16 x float> %280, i64 12
  %294 = extractelement <16 x float> %280, i64 13
  %295 = extractelement <16 x float> %280, i64 14
  %296 = extractelement <16 x float> %280, i64 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %297 = shufflevector <4 x float> %217, <4 x float> poison, <1 x i32> zeroinitializer
  store <1 x float> %297, ptr addrspace(3) %61, align 4
  %298 = shufflevector <4 x float> %217, <4 x float> poison, <1 x i32> <i32 1>
  store <1 x float> %298, ptr addrspace(3) %64, align 4
  %299 = shufflevector <4 x float> %217, <4 x float> poison, <1 x i32> <i32 2>
  store <1 x float> %299, ptr addrspace(3) %67, align 4
  %300 = shufflevector <4 x float> %217, <4 x float> poison, <1 x i32> <i32 3>
  store <1 x float> %300, ptr addrspace(3) %70, align 4
  store <4 x float> %240, ptr addrspace(3) %72, align 16
  %301 = icmp slt i32 %206, %73
  br i1 %301, label %188, label %._crit_edge

._crit_edge:                                      ; preds = %239, %125, %55
  %302 = phi float [ 0.000000e+00, %55 ], [ %159, %125 ], [ %281, %239 ]
  %303 = phi float [ 0.000000e+00, %55 ], [ %160, %125 ], [ %282, %239 ]
  %304 = phi float [ 0.000000e+00, %55 ], [ %161, %125 ], [ %283, %239 ]
  %305 = phi float [ 0.000000e+00, %55 ], [ %162, %125 ], [ %284, %239 ]
  %306 = phi float [ 0.000000e+00, %55 ], [ %163, %125 ], [ %285, %239 ]
  %307 = phi float [ 0.000000e+00, %55 ], [ %164, %125 ], [ %286, %239 ]
  %308 = phi float [ 0.000000e+00, %55 ], [ %165, %125 ], [ %287, %239 ]
  %309 = phi float [ 0.000000e+00, %55 ], [ %166, %125 ], [ %288, %239 ]
  %310 = phi float [ 0.000000e+00, %55 ], [ %167, %125 ], [ %289, %239 ]
  %311 = phi float [ 0.000000e+00, %55 ], [ %168, %125 ], [ %290, %239 ]
  %312 = phi float [ 0.000000e+00, %55 ], [ %169, %125 ], [ %291, %239 ]
  %313 = phi float [ 0.000000e+00, %55 ], [ %170, %125 ], [ %292, %239 ]
  %314 = phi float [ 0.000000e+00, %55 ], [ %171, %125 ], [ %293, %239 ]
  %315 = phi float [ 0.000000e+00, %55 ], [ %172, %125 ], [ %294, %239 ]
  %316 = phi float [ 0.000000e+00, %55 ], [ %173, %125 ], [ %295, %239 ]
  %317 = phi float [ 0.000000e+00, %55 ], [ %174, %125 ], [ %296, %239 ]
  %318 = add i32 %5, 15
  %319 = icmp sgt i32 %318, 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %319, label %320, label %._crit_edge._crit_edge

320:                                              ; preds = %._crit_edge
  %321 = shl nuw nsw i32 %15, 2
  %322 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %321
  %323 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 1792
  %324 = load <1 x float>, ptr addrspace(3) %323, align 4
  %325 = extractelement <1 x float> %324, i64 0
  %326 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 1536
  %327 = load <1 x float>, ptr addrspace(3) %326, align 4
  %328 = extractelement <1 x float> %327, i64 0
  %329 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 1280
  %330 = load <1 x float>, ptr addrspace(3) %329, align 4
  %331 = extractelement <1 x float> %330, i64 0
  %332 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 1024
  %333 = load <1 x float>, ptr addrspace(3) %332, align 4
  %334 = extractelement <1 x float> %333, i64 0
  %335 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 768
  %336 = load <1 x float>, ptr addrspace(3) %335, align 4
  %337 = extractelement <1 x float> %336, i64 0
  %338 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 512
  %339 = load <1 x float>, ptr addrspace(3) %338, align 4
  %340 = extractelement <1 x float> %339, i64 0
  %341 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 256
  %342 = load <1 x float>, ptr addrspace(3) %341, align 4
  %343 = extractelement <1 x float> %342, i64 0
  %344 = load <1 x float>, ptr addrspace(3) %322, align 4
  %345 = extractelement <1 x float> %344, i64 0
  %346 = shl nuw nsw i32 %23, 6
  %347 = shl nuw nsw i32 %9, 1
  %348 = and i32 %347, 28
  %349 = xor i32 %348, %20
  %350 = or disjoint i32 %349, %346
  %351 = xor i32 %350, 24
  %352 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %351
  %353 = getelementptr inbounds nuw i8, ptr addrspace(3) %352, i32 32
  %354 = load <1 x float>, ptr addrspace(3) %353, align 4
  %355 = extractelement <1 x float> %354, i64 0
  %356 = load <1 x float>, ptr addrspace(3) %352, align 4
  %357 = extractelement <1 x float> %356, i64 0
  %358 = xor i32 %350, 16
  %359 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %358
  %360 = getelementptr inbounds nuw i8, ptr addrspace(3) %359, i32 32
  %361 = load <1 x float>, ptr addrspace(3) %360, align 4
  %362 = extractelement <1 x float> %361, i64 0
  %363 = load <1 x float>, ptr addrspace(3) %359, align 4
  %364 = extractelement <1 x float> %363, i64 0
  %365 = xor i32 %350, 8
  %366 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %365
  %367 = getelementptr inbounds nuw i8, ptr addrspace(3) %366, i32 32
  %368 = load <1 x float>, ptr addrspace(3) %367, align 4
  %369 = extractelement <1 x float> %368, i64 0
  %370 = load <1 x float>, ptr addrspace(3) %366, align 4
  %371 = extractelement <1 x float> %370, i64 0
  %372 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %350
  %373 = getelementptr inbounds nuw i8, ptr addrspace(3) %372, i32 32
  %374 = load <1 x float>, ptr addrspace(3) %373, align 4
  %375 = extractelement <1 x float> %374, i64 0
  %376 = load <1 x float>, ptr addrspace(3) %372, align 4
  %377 = extractelement <1 x float> %376, i64 0
  %378 = insertelement <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float undef, float undef, float undef, float undef, float undef, float undef>, float %302, i64 0
  %379 = insertelement <16 x float> %378, float %303, i64 1
  %380 = insertelement <16 x float> %379, float %304, i64 2
  %381 = insertelement <16 x float> %380, float %305, i64 3
  %382 = insertelement <16 x float> %381, float %306, i64 4
  %383 = insertelement <16 x float> %382, float %307, i64 5
  %384 = insertelement <16 x float> %383, float %308, i64 6
  %385 = insertelement <16 x float> %384, float %309, i64 7
  %386 = insertelement <16 x float> %385, float %310, i64 8
  %387 = insertelement <16 x float> %386, float %311, i64 9
  %388 = insertelement <16 x float> %387, float %312, i64 10
  %389 = insertelement <16 x float> %388, float %313, i64 11
  %390 = insertelement <16 x float> %389, float %314, i64 12
  %391 = insertelement <16 x float> %390, float %315, i64 13
  %392 = insertelement <16 x float> %391, float %316, i64 14
  %393 = insertelement <16 x float> %392, float %317, i64 15
  %394 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %345, float %377, <16 x float> %393, i32 0, i32 0, i32 0)
  %395 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %343, float %371, <16 x float> %394, i32 0, i32 0, i32 0)
  %396 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %340, float %364, <16 x float> %395, i32 0, i32 0, i32 0)
  %397 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %337, float %357, <16 x float> %396, i32 0, i32 0, i32 0)
  %398 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %334, float %375, <16 x float> %397, i32 0, i32 0, i32 0)
  %399 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %331, float %369, <16 x float> %398, i32 0, i32 0, i32 0)
  %400 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %328, float %362, <16 x float> %399, i32 0, i32 0, i32 0)
  %401 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float %325, float %355, <16 x float> %400, i32 0, i32 0, i32 0)
  %402 = extractelement <16 x float> %401, i64 0
  %403 = extractelement <16 x float> %401, i64 1
  %404 = extractelement <16 x float> %401, i64 2
  %405 = extractelement <16 x float> %401, i64 3
  %406 = extractelement <16 x float> %401, i64 4
  %407 = extractelement <16 x float> %401, i64 5
  %408 = extractelement <16 x float> %401, i64 6
  %409 = extractelement <16 x float> %401, i64 7
  %410 = extractelement <16 x float> %401, i64 8
  %411 = extractelement <16 x float> %401, i64 9
  %412 = extractelement <16 x float> %401, i64 10
  %413 = extractelement <16 x float> %401, i64 11
  %414 = extractelement <16 x float> %401, i64 12
  %415 = extractelement <16 x float> %401, i64 13
  %416 = extractelement <16 x float> %401, i64 14
  %417 = extractelement <16 x float> %401, i64 15
  br label %._crit_edge._crit_edge

._crit_edge._crit_edge:                           ; preds = %._crit_edge, %320
  %418 = phi float [ %406, %320 ], [ %306, %._crit_edge ]
  %419 = phi float [ %402, %320 ], [ %302, %._crit_edge ]
  %420 = phi float [ %403, %320 ], [ %303, %._crit_edge ]
  %421 = phi float [ %404, %320 ], [ %304, %._crit_edge ]
  %422 = phi float [ %405, %320 ], [ %305, %._crit_edge ]
  %423 = phi float [ %407, %320 ], [ %307, %._crit_edge ]
  %424 = phi float [ %408, %320 ], [ %308, %._crit_edge ]
  %425 = phi float [ %409, %320 ], [ %309, %._crit_edge ]
  %426 = phi float [ %410, %320 ], [ %310, %._crit_edge ]
  %427 = phi float [ %411, %320 ], [ %311, %._crit_edge ]
  %428 = phi float [ %412, %320 ], [ %312, %._crit_edge ]
  %429 = phi float [ %413, %320 ], [ %313, %._crit_edge ]
  %430 = phi float [ %414, %320 ], [ %314, %._crit_edge ]
  %431 = phi float [ %415, %320 ], [ %315, %._crit_edge ]
  %432 = phi float [ %416, %320 ], [ %316, %._crit_edge ]
  %433 = phi float [ %417, %320 ], [ %317, %._crit_edge ]
  %434 = mul i32 %4, %25
  %435 = sext i32 %434 to i64
  %436 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %435
  %437 = sext i32 %29 to i64
  %438 = getelementptr [4 x i8], ptr addrspace(1) %436, i64 %437
  %439 = sext i32 %28 to i64
  %440 = getelementptr [4 x i8], ptr addrspace(1) %436, i64 %439
  %441 = getelementptr i8, ptr addrspace(1) %440, i64 96
  %442 = icmp slt i32 %25, %3
  %443 = icmp slt i32 %28, %4
  %444 = icmp slt i32 %29, %4
  %445 = and i1 %442, %443
  %446 = and i1 %442, %444
  %447 = icmp eq i32 %12, 0
  %448 = and i1 %445, %447
  br i1 %448, label %449, label %.critedge

449:                                              ; preds = %._crit_edge._crit_edge
  %450 = insertelement <4 x float> poison, float %419, i64 0
  %451 = insertelement <4 x float> %450, float %420, i64 1
  %452 = insertelement <4 x float> %451, float %421, i64 2
  %453 = insertelement <4 x float> %452, float %422, i64 3
  %454 = getelementptr i8, ptr addrspace(1) %440, i64 32
  store <4 x float> %453, ptr addrspace(1) %440, align 16
  %455 = insertelement <4 x float> poison, float %418, i64 0
  %456 = insertelement <4 x float> %455, float %423, i64 1
  %457 = insertelement <4 x float> %456, float %424, i64 2
  %458 = insertelement <4 x float> %457, float %425, i64 3
  store <4 x float> %458, ptr addrspace(1) %454, align 16
  br label %.critedge

.critedge:                                        ; preds = %._crit_edge._crit_edge, %449
  %459 = and i1 %446, %447
  br i1 %459, label %460, label %.critedge2

460:                                              ; preds = %.critedge
  %461 = insertelement <4 x float> poison, float %430, i64 0
  %462 = insertelement <4 x float> %461, float %431, i64 1
  %463 = insertelement <4 x float> %462, float %432, i64 2
  %464 = insertelement <4 x float> %463, float %433, i64 3
  %465 = insertelement <4 x float> poison, float %426, i64 0
  %466 = insertelement <4 x float> %465, float %427, i64 1
  %467 = insertelement <4 x float> %466, float %428, i64 2
  %468 = insertelement <4 x float> %467, float %429, i64 3
  store <4 x float> %468, ptr addrspace(1) %438, align 16
  store <4 x float> %464, ptr addrspace(1) %441, align 16
  br label %.critedge2

.critedge2:                                       ; preds = %.critedge, %460
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #2

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

declare noundef i32 @llvm.amdgcn.workgroup.id.y() #1

declare void @llvm.amdgcn.s.barrier() #3

declare <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(float, float, <16 x float>, i32 immarg, i32 immarg, i32 immarg) #4

attributes #0 = { norecurse nounwind "amdgpu-agpr-alloc"="0" "amdgpu-cluster-dims"="1,1,1" "amdgpu-flat-work-group-size"="1,128" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "denormal-fp-math-f32"="ieee" "uniform-work-group-size" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }
attributes #4 = { convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
