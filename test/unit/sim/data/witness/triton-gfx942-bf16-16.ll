; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target gfx942, element bf16, sum f32, tile [32, 32, 16], threads 128, dynamic_bytes 2048, stages 2
@global_smem = external addrspace(3) global [0 x i8], align 16

define amdgpu_kernel void @product(ptr addrspace(1) inreg nofree readonly captures(none) %0, ptr addrspace(1) inreg nofree readonly captures(none) %1, ptr addrspace(1) inreg nofree writeonly captures(none) %2, i32 inreg %3, i32 inreg %4, i32 inreg %5, ptr addrspace(1) inreg nofree readnone captures(none) %6, ptr addrspace(1) inreg nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.amdgcn.workitem.id.x()
  %10 = tail call i32 @llvm.amdgcn.readfirstlane.i32(i32 %9)
  %11 = and i32 %10, 64
  %12 = tail call i32 @llvm.amdgcn.workgroup.id.x()
  %13 = shl i32 %12, 5
  %14 = and i32 %9, 63
  %15 = or disjoint i32 %11, %14
  %16 = lshr i32 %15, 2
  %17 = and i32 %16, 28
  %18 = shl nuw nsw i32 %9, 2
  %19 = and i32 %18, 28
  %20 = and i32 %9, 15
  %21 = or disjoint i32 %16, %13
  %22 = or disjoint i32 %13, %20
  %23 = or disjoint i32 %22, 16
  %24 = tail call i32 @llvm.amdgcn.workgroup.id.y()
  %25 = shl i32 %24, 5
  %26 = or disjoint i32 %17, %25
  %27 = or disjoint i32 %19, %25
  %28 = and i32 %18, 12
  %29 = lshr i32 %15, 3
  %30 = mul i32 %21, %5
  %31 = sext i32 %30 to i64
  %32 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %31
  %33 = icmp slt i32 %21, %3
  %34 = icmp slt i32 %27, %4
  %35 = icmp slt i32 %28, %5
  %36 = icmp slt i32 %29, %5
  %37 = and i1 %35, %33
  br i1 %37, label %38, label %42

38:                                               ; preds = %8
  %39 = zext nneg i32 %28 to i64
  %40 = getelementptr [2 x i8], ptr addrspace(1) %32, i64 %39
  %41 = load <4 x bfloat>, ptr addrspace(1) %40, align 8
  br label %42

42:                                               ; preds = %38, %8
  %43 = phi <4 x bfloat> [ %41, %38 ], [ zeroinitializer, %8 ]
  %44 = and i1 %34, %36
  br i1 %44, label %45, label %52

45:                                               ; preds = %42
  %46 = mul i32 %29, %4
  %47 = sext i32 %46 to i64
  %48 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %47
  %49 = sext i32 %27 to i64
  %50 = getelementptr [2 x i8], ptr addrspace(1) %48, i64 %49
  %51 = load <4 x bfloat>, ptr addrspace(1) %50, align 8
  br label %52

52:                                               ; preds = %45, %42
  %53 = phi <4 x bfloat> [ %51, %45 ], [ zeroinitializer, %42 ]
  %54 = shl nuw nsw i32 %15, 3
  %55 = and i32 %9, 48
  %56 = lshr exact i32 %55, 1
  %57 = xor i32 %54, %56
  %58 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %57
  store <4 x bfloat> %43, ptr addrspace(3) %58, align 8
  %59 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %54
  store <4 x bfloat> %53, ptr addrspace(3) %59, align 8
  %60 = add i32 %5, -16
  %61 = icmp sgt i32 %60, 0
  br i1 %61, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %52
  %62 = shl nuw nsw i32 %20, 5
  %63 = shl nuw nsw i32 %9, 1
  %64 = and i32 %63, 24
  %65 = or disjoint i32 %62, %64
  %66 = xor i32 %65, %56
  %67 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %66
  %68 = getelementptr inbounds nuw i8, ptr addrspace(3) %67, i32 512
  %69 = sext i32 %27 to i64
  %invariant.gep = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %69
  %70 = shl nuw nsw i32 %55, 4
  %71 = shl nuw nsw i32 %20, 1
  %72 = lshr exact i32 %11, 1
  %73 = or disjoint i32 %28, 16
  %74 = or disjoint i32 %29, 16
  %75 = icmp slt i32 %73, %5
  %76 = icmp slt i32 %74, %5
  %77 = and i1 %33, %75
  br i1 %77, label %78, label %82

78:                                               ; preds = %.lr.ph
  %79 = zext nneg i32 %73 to i64
  %80 = getelementptr [2 x i8], ptr addrspace(1) %32, i64 %79
  %81 = load <4 x bfloat>, ptr addrspace(1) %80, align 8
  br label %82

82:                                               ; preds = %78, %.lr.ph
  %83 = phi <4 x bfloat> [ %81, %78 ], [ zeroinitializer, %.lr.ph ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %84 = load <4 x i16>, ptr addrspace(3) %67, align 8
  %85 = load <4 x i16>, ptr addrspace(3) %68, align 8
  %86 = and i1 %34, %76
  br i1 %86, label %87, label %91

87:                                               ; preds = %82
  %88 = mul i32 %74, %4
  %89 = sext i32 %88 to i64
  %gep.peel = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %89
  %90 = load <4 x bfloat>, ptr addrspace(1) %gep.peel, align 8
  br label %91

91:                                               ; preds = %87, %82
  %92 = phi <4 x bfloat> [ %90, %87 ], [ zeroinitializer, %82 ]
  %93 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %72
  %94 = getelementptr inbounds nuw i8, ptr addrspace(3) %93, i32 %70
  %95 = getelementptr inbounds nuw i8, ptr addrspace(3) %94, i32 %71
  %96 = load <1 x i16>, ptr addrspace(3) %95, align 2
  %97 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 64
  %98 = load <1 x i16>, ptr addrspace(3) %97, align 2
  %99 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 128
  %100 = load <1 x i16>, ptr addrspace(3) %99, align 2
  %101 = shufflevector <1 x i16> %100, <1 x i16> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %102 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 192
  %103 = load <1 x i16>, ptr addrspace(3) %102, align 2
  %104 = shufflevector <1 x i16> %103, <1 x i16> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %105 = shufflevector <1 x i16> %96, <1 x i16> %98, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %106 = shufflevector <4 x i16> %105, <4 x i16> %101, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %107 = shufflevector <4 x i16> %106, <4 x i16> %104, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %108 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %107, <4 x i16> %84, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %109 = extractelement <4 x float> %108, i64 0
  %110 = extractelement <4 x float> %108, i64 1
  %111 = extractelement <4 x float> %108, i64 2
  %112 = extractelement <4 x float> %108, i64 3
  %113 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %107, <4 x i16> %85, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %114 = extractelement <4 x float> %113, i64 0
  %115 = extractelement <4 x float> %113, i64 1
  %116 = extractelement <4 x float> %113, i64 2
  %117 = extractelement <4 x float> %113, i64 3
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store <4 x bfloat> %83, ptr addrspace(3) %58, align 8
  store <4 x bfloat> %92, ptr addrspace(3) %59, align 8
  %118 = icmp samesign ugt i32 %60, 16
  br i1 %118, label %.peel.next, label %._crit_edge

.peel.next:                                       ; preds = %91
  %119 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %72
  %120 = getelementptr inbounds nuw i8, ptr addrspace(3) %119, i32 %70
  %121 = getelementptr inbounds nuw i8, ptr addrspace(3) %120, i32 %71
  %122 = getelementptr inbounds nuw i8, ptr addrspace(3) %121, i32 64
  %123 = getelementptr inbounds nuw i8, ptr addrspace(3) %121, i32 128
  %124 = getelementptr inbounds nuw i8, ptr addrspace(3) %121, i32 192
  br label %125

125:                                              ; preds = %.peel.next, %154
  %126 = phi float [ %109, %.peel.next ], [ %170, %154 ]
  %127 = phi float [ %110, %.peel.next ], [ %171, %154 ]
  %128 = phi float [ %111, %.peel.next ], [ %172, %154 ]
  %129 = phi float [ %112, %.peel.next ], [ %173, %154 ]
  %130 = phi float [ %114, %.peel.next ], [ %179, %154 ]
  %131 = phi float [ %115, %.peel.next ], [ %180, %154 ]
  %132 = phi float [ %116, %.peel.next ], [ %181, %154 ]
  %133 = phi float [ %117, %.peel.next ], [ %182, %154 ]
  %134 = phi i32 [ 16, %.peel.next ], [ %135, %154 ]
  %135 = add i32 %134, 16
  %136 = or disjoint i32 %135, %28
  %137 = or disjoint i32 %135, %29
  %138 = icmp slt i32 %136, %5
  %139 = icmp slt i32 %137, %5
  %140 = and i1 %33, %138
  br i1 %140, label %141, label %145

141:                                              ; preds = %125
  %142 = sext i32 %136 to i64
  %143 = getelementptr [2 x i8], ptr addrspace(1) %32, i64 %142
  %144 = load <4 x bfloat>, ptr addrspace(1) %143, align 8
  br label %145

145:                                              ; preds = %141, %125
  %146 = phi <4 x bfloat> [ %144, %141 ], [ zeroinitializer, %125 ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %147 = load <4 x i16>, ptr addrspace(3) %67, align 8
  %148 = load <4 x i16>, ptr addrspace(3) %68, align 8
  %149 = and i1 %34, %139
  br i1 %149, label %150, label %154

150:                                              ; preds = %145
  %151 = mul i32 %137, %4
  %152 = sext i32 %151 to i64
  %gep = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %152
  %153 = load <4 x bfloat>, ptr addrspace(1) %gep, align 8
  br label %154

154:                                              ; preds = %150, %145
  %155 = phi <4 x bfloat> [ %153, %150 ], [ zeroinitializer, %145 ]
  %156 = load <1 x i16>, ptr addrspace(3) %121, align 2
  %157 = load <1 x i16>, ptr addrspace(3) %122, align 2
  %158 = load <1 x i16>, ptr addrspace(3) %123, align 2
  %159 = shufflevector <1 x i16> %158, <1 x i16> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %160 = load <1 x i16>, ptr addrspace(3) %124, align 2
  %161 = shufflevector <1 x i16> %160, <1 x i16> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %162 = shufflevector <1 x i16> %156, <1 x i16> %157, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %163 = shufflevector <4 x i16> %162, <4 x i16> %159, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %164 = shufflevector <4 x i16> %163, <4 x i16> %161, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %165 = insertelement <4 x float> poison, float %126, i64 0
  %166 = insertelement <4 x float> %165, float %127, i64 1
  %167 = insertelement <4 x float> %166, float %128, i64 2
  %168 = insertelement <4 x float> %167, float %129, i64 3
  %169 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %164, <4 x i16> %147, <4 x float> %168, i32 0, i32 0, i32 0)
  %170 = extractelement <4 x float> %169, i64 0
  %171 = extractelement <4 x float> %169, i64 1
  %172 = extractelement <4 x float> %169, i64 2
  %173 = extractelement <4 x float> %169, i64 3
  %174 = insertelement <4 x float> poison, float %130, i64 0
  %175 = insertelement <4 x float> %174, float %131, i64 1
  %176 = insertelement <4 x float> %175, float %132, i64 2
  %177 = insertelement <4 x float> %176, float %133, i64 3
  %178 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %164, <4 x i16> %148, <4 x float> %177, i32 0, i32 0, i32 0)
  %179 = extractelement <4 x float> %178, i64 0
  %180 = extractelement <4 x float> %178, i64 1
  %181 = extractelement <4 x float> %178, i64 2
  %182 = extractelement <4 x float> %178, i64 3
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store <4 x bfloat> %146, ptr addrspace(3) %58, align 8
  store <4 x bfloat> %155, ptr addrspace(3) %59, align 8
  %183 = icmp slt i32 %135, %60
  br i1 %183, label %125, label %._crit_edge

._crit_edge:                                      ; preds = %154, %91, %52
  %184 = phi float [ 0.000000e+00, %52 ], [ %109, %91 ], [ %170, %154 ]
  %185 = phi float [ 0.000000e+00, %52 ], [ %110, %91 ], [ %171, %154 ]
  %186 = phi float [ 0.000000e+00, %52 ], [ %111, %91 ], [ %172, %154 ]
  %187 = phi float [ 0.000000e+00, %52 ], [ %112, %91 ], [ %173, %154 ]
  %188 = phi float [ 0.000000e+00, %52 ], [ %114, %91 ], [ %179, %154 ]
  %189 = phi float [ 0.000000e+00, %52 ], [ %115, %91 ], [ %180, %154 ]
  %190 = phi float [ 0.000000e+00, %52 ], [ %116, %91 ], [ %181, %154 ]
  %191 = phi float [ 0.000000e+00, %52 ], [ %117, %91 ], [ %182, %154 ]
  %192 = add i32 %5, 15
  %193 = icmp sgt i32 %192, 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %193, label %194, label %._crit_edge._crit_edge

194:                                              ; preds = %._crit_edge
  %195 = lshr exact i32 %11, 1
  %196 = shl nuw nsw i32 %55, 4
  %197 = shl nuw nsw i32 %20, 1
  %198 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %195
  %199 = getelementptr inbounds nuw i8, ptr addrspace(3) %198, i32 %196
  %200 = getelementptr inbounds nuw i8, ptr addrspace(3) %199, i32 %197
  %201 = getelementptr inbounds nuw i8, ptr addrspace(3) %200, i32 192
  %202 = load <1 x i16>, ptr addrspace(3) %201, align 2
  %203 = shufflevector <1 x i16> %202, <1 x i16> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %204 = getelementptr inbounds nuw i8, ptr addrspace(3) %200, i32 128
  %205 = load <1 x i16>, ptr addrspace(3) %204, align 2
  %206 = shufflevector <1 x i16> %205, <1 x i16> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %207 = getelementptr inbounds nuw i8, ptr addrspace(3) %200, i32 64
  %208 = load <1 x i16>, ptr addrspace(3) %207, align 2
  %209 = load <1 x i16>, ptr addrspace(3) %200, align 2
  %210 = shl nuw nsw i32 %20, 5
  %211 = shl nuw nsw i32 %9, 1
  %212 = and i32 %211, 24
  %213 = or disjoint i32 %210, %212
  %214 = xor i32 %213, %56
  %215 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %214
  %216 = getelementptr inbounds nuw i8, ptr addrspace(3) %215, i32 512
  %217 = load <4 x i16>, ptr addrspace(3) %216, align 8
  %218 = load <4 x i16>, ptr addrspace(3) %215, align 8
  %219 = shufflevector <1 x i16> %209, <1 x i16> %208, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %220 = shufflevector <4 x i16> %219, <4 x i16> %206, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %221 = shufflevector <4 x i16> %220, <4 x i16> %203, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %222 = insertelement <4 x float> poison, float %184, i64 0
  %223 = insertelement <4 x float> %222, float %185, i64 1
  %224 = insertelement <4 x float> %223, float %186, i64 2
  %225 = insertelement <4 x float> %224, float %187, i64 3
  %226 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %221, <4 x i16> %218, <4 x float> %225, i32 0, i32 0, i32 0)
  %227 = extractelement <4 x float> %226, i64 0
  %228 = extractelement <4 x float> %226, i64 1
  %229 = extractelement <4 x float> %226, i64 2
  %230 = extractelement <4 x float> %226, i64 3
  %231 = insertelement <4 x float> poison, float %188, i64 0
  %232 = insertelement <4 x float> %231, float %189, i64 1
  %233 = insertelement <4 x float> %232, float %190, i64 2
  %234 = insertelement <4 x float> %233, float %191, i64 3
  %235 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16> %221, <4 x i16> %217, <4 x float> %234, i32 0, i32 0, i32 0)
  %236 = extractelement <4 x float> %235, i64 0
  %237 = extractelement <4 x float> %235, i64 1
  %238 = extractelement <4 x float> %235, i64 2
  %239 = extractelement <4 x float> %235, i64 3
  br label %._crit_edge._crit_edge

._crit_edge._crit_edge:                           ; preds = %._crit_edge, %194
  %240 = phi float [ %230, %194 ], [ %187, %._crit_edge ]
  %241 = phi float [ %227, %194 ], [ %184, %._crit_edge ]
  %242 = phi float [ %228, %194 ], [ %185, %._crit_edge ]
  %243 = phi float [ %229, %194 ], [ %186, %._crit_edge ]
  %244 = phi float [ %236, %194 ], [ %188, %._crit_edge ]
  %245 = phi float [ %237, %194 ], [ %189, %._crit_edge ]
  %246 = phi float [ %238, %194 ], [ %190, %._crit_edge ]
  %247 = phi float [ %239, %194 ], [ %191, %._crit_edge ]
  %248 = mul i32 %4, %23
  %249 = sext i32 %248 to i64
  %250 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %249
  %251 = sext i32 %26 to i64
  %252 = getelementptr [4 x i8], ptr addrspace(1) %250, i64 %251
  %253 = icmp slt i32 %22, %3
  %254 = icmp slt i32 %23, %3
  %255 = icmp slt i32 %26, %4
  %256 = and i1 %253, %255
  %257 = and i1 %254, %255
  br i1 %256, label %258, label %267

258:                                              ; preds = %._crit_edge._crit_edge
  %259 = insertelement <4 x float> poison, float %241, i64 0
  %260 = insertelement <4 x float> %259, float %242, i64 1
  %261 = insertelement <4 x float> %260, float %243, i64 2
  %262 = insertelement <4 x float> %261, float %240, i64 3
  %263 = mul i32 %4, %22
  %264 = sext i32 %263 to i64
  %265 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %264
  %266 = getelementptr [4 x i8], ptr addrspace(1) %265, i64 %251
  store <4 x float> %262, ptr addrspace(1) %266, align 16
  br label %267

267:                                              ; preds = %258, %._crit_edge._crit_edge
  br i1 %257, label %268, label %273

268:                                              ; preds = %267
  %269 = insertelement <4 x float> poison, float %244, i64 0
  %270 = insertelement <4 x float> %269, float %245, i64 1
  %271 = insertelement <4 x float> %270, float %246, i64 2
  %272 = insertelement <4 x float> %271, float %247, i64 3
  store <4 x float> %272, ptr addrspace(1) %252, align 16
  br label %273

273:                                              ; preds = %268, %267
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #2

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

declare noundef i32 @llvm.amdgcn.workgroup.id.y() #1

declare void @llvm.amdgcn.s.barrier() #3

declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16bf16.1k(<4 x i16>, <4 x i16>, <4 x float>, i32 immarg, i32 immarg, i32 immarg) #4

attributes #0 = { norecurse nounwind "amdgpu-agpr-alloc"="0" "amdgpu-cluster-dims"="1,1,1" "amdgpu-flat-work-group-size"="1,128" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "denormal-fp-math-f32"="ieee" "uniform-work-group-size" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }
attributes #4 = { convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
