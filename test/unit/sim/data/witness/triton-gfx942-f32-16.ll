; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target gfx942, element f32, sum f32, tile [32, 32, 16], threads 128, dynamic_bytes 4096, stages 2
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
  %32 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %31
  %33 = icmp slt i32 %21, %3
  %34 = icmp slt i32 %27, %4
  %35 = icmp slt i32 %28, %5
  %36 = icmp slt i32 %29, %5
  %37 = and i1 %35, %33
  br i1 %37, label %38, label %42

38:                                               ; preds = %8
  %39 = zext nneg i32 %28 to i64
  %40 = getelementptr [4 x i8], ptr addrspace(1) %32, i64 %39
  %41 = load <4 x float>, ptr addrspace(1) %40, align 16
  br label %42

42:                                               ; preds = %38, %8
  %43 = phi <4 x float> [ %41, %38 ], [ zeroinitializer, %8 ]
  %44 = and i1 %34, %36
  br i1 %44, label %45, label %52

45:                                               ; preds = %42
  %46 = mul i32 %29, %4
  %47 = sext i32 %46 to i64
  %48 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %47
  %49 = sext i32 %27 to i64
  %50 = getelementptr [4 x i8], ptr addrspace(1) %48, i64 %49
  %51 = load <4 x float>, ptr addrspace(1) %50, align 16
  br label %52

52:                                               ; preds = %45, %42
  %53 = phi <4 x float> [ %51, %45 ], [ zeroinitializer, %42 ]
  %54 = shl nuw nsw i32 %15, 4
  %55 = lshr i32 %9, 1
  %56 = and i32 %55, 28
  %57 = xor i32 %54, %56
  %58 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %57
  %59 = shufflevector <4 x float> %43, <4 x float> poison, <1 x i32> zeroinitializer
  store <1 x float> %59, ptr addrspace(3) %58, align 4
  %60 = xor i32 %57, 4
  %61 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %60
  %62 = shufflevector <4 x float> %43, <4 x float> poison, <1 x i32> <i32 1>
  store <1 x float> %62, ptr addrspace(3) %61, align 4
  %63 = xor i32 %57, 8
  %64 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %63
  %65 = shufflevector <4 x float> %43, <4 x float> poison, <1 x i32> <i32 2>
  store <1 x float> %65, ptr addrspace(3) %64, align 4
  %66 = xor i32 %57, 12
  %67 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %66
  %68 = shufflevector <4 x float> %43, <4 x float> poison, <1 x i32> <i32 3>
  store <1 x float> %68, ptr addrspace(3) %67, align 4
  %69 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %54
  store <4 x float> %53, ptr addrspace(3) %69, align 16
  %70 = add i32 %5, -16
  %71 = icmp sgt i32 %70, 0
  br i1 %71, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %52
  %72 = shl nuw nsw i32 %20, 6
  %73 = shl nuw nsw i32 %9, 1
  %74 = and i32 %73, 28
  %75 = and i32 %9, 48
  %76 = lshr exact i32 %75, 2
  %77 = or disjoint i32 %72, %74
  %78 = xor i32 %77, %76
  %79 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %78
  %80 = getelementptr inbounds nuw i8, ptr addrspace(3) %79, i32 32
  %81 = getelementptr inbounds nuw i8, ptr addrspace(3) %79, i32 1024
  %82 = getelementptr inbounds nuw i8, ptr addrspace(3) %79, i32 1056
  %83 = xor i32 %78, 16
  %84 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %83
  %85 = getelementptr inbounds nuw i8, ptr addrspace(3) %84, i32 32
  %86 = getelementptr inbounds nuw i8, ptr addrspace(3) %84, i32 1024
  %87 = getelementptr inbounds nuw i8, ptr addrspace(3) %84, i32 1056
  %88 = sext i32 %27 to i64
  %invariant.gep = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %88
  %89 = shl nuw nsw i32 %75, 3
  %90 = shl nuw nsw i32 %20, 2
  %91 = or disjoint i32 %28, 16
  %92 = or disjoint i32 %29, 16
  %93 = icmp slt i32 %91, %5
  %94 = icmp slt i32 %92, %5
  %95 = and i1 %33, %93
  br i1 %95, label %96, label %100

96:                                               ; preds = %.lr.ph
  %97 = zext nneg i32 %91 to i64
  %98 = getelementptr [4 x i8], ptr addrspace(1) %32, i64 %97
  %99 = load <4 x float>, ptr addrspace(1) %98, align 16
  br label %100

100:                                              ; preds = %96, %.lr.ph
  %101 = phi <4 x float> [ %99, %96 ], [ zeroinitializer, %.lr.ph ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %102 = load <1 x float>, ptr addrspace(3) %79, align 4
  %103 = extractelement <1 x float> %102, i64 0
  %104 = load <1 x float>, ptr addrspace(3) %80, align 4
  %105 = extractelement <1 x float> %104, i64 0
  %106 = load <1 x float>, ptr addrspace(3) %81, align 4
  %107 = extractelement <1 x float> %106, i64 0
  %108 = load <1 x float>, ptr addrspace(3) %82, align 4
  %109 = extractelement <1 x float> %108, i64 0
  %110 = load <1 x float>, ptr addrspace(3) %84, align 4
  %111 = extractelement <1 x float> %110, i64 0
  %112 = load <1 x float>, ptr addrspace(3) %85, align 4
  %113 = extractelement <1 x float> %112, i64 0
  %114 = load <1 x float>, ptr addrspace(3) %86, align 4
  %115 = extractelement <1 x float> %114, i64 0
  %116 = load <1 x float>, ptr addrspace(3) %87, align 4
  %117 = extractelement <1 x float> %116, i64 0
  %118 = and i1 %34, %94
  br i1 %118, label %119, label %123

119:                                              ; preds = %100
  %120 = mul i32 %92, %4
  %121 = sext i32 %120 to i64
  %gep.peel = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %121
  %122 = load <4 x float>, ptr addrspace(1) %gep.peel, align 16
  br label %123

123:                                              ; preds = %119, %100
  %124 = phi <4 x float> [ %122, %119 ], [ zeroinitializer, %100 ]
  %125 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %90
  %126 = getelementptr inbounds nuw i8, ptr addrspace(3) %125, i32 %89
  %127 = getelementptr inbounds nuw i8, ptr addrspace(3) %126, i32 %11
  %128 = load <1 x float>, ptr addrspace(3) %127, align 4
  %129 = extractelement <1 x float> %128, i64 0
  %130 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 512
  %131 = load <1 x float>, ptr addrspace(3) %130, align 4
  %132 = extractelement <1 x float> %131, i64 0
  %133 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 1024
  %134 = load <1 x float>, ptr addrspace(3) %133, align 4
  %135 = extractelement <1 x float> %134, i64 0
  %136 = getelementptr inbounds nuw i8, ptr addrspace(3) %127, i32 1536
  %137 = load <1 x float>, ptr addrspace(3) %136, align 4
  %138 = extractelement <1 x float> %137, i64 0
  %139 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %129, float %103, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %140 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %132, float %111, <4 x float> %139, i32 0, i32 0, i32 0)
  %141 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %135, float %105, <4 x float> %140, i32 0, i32 0, i32 0)
  %142 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %138, float %113, <4 x float> %141, i32 0, i32 0, i32 0)
  %143 = extractelement <4 x float> %142, i64 0
  %144 = extractelement <4 x float> %142, i64 1
  %145 = extractelement <4 x float> %142, i64 2
  %146 = extractelement <4 x float> %142, i64 3
  %147 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %129, float %107, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %148 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %132, float %115, <4 x float> %147, i32 0, i32 0, i32 0)
  %149 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %135, float %109, <4 x float> %148, i32 0, i32 0, i32 0)
  %150 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %138, float %117, <4 x float> %149, i32 0, i32 0, i32 0)
  %151 = extractelement <4 x float> %150, i64 0
  %152 = extractelement <4 x float> %150, i64 1
  %153 = extractelement <4 x float> %150, i64 2
  %154 = extractelement <4 x float> %150, i64 3
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %155 = shufflevector <4 x float> %101, <4 x float> poison, <1 x i32> zeroinitializer
  store <1 x float> %155, ptr addrspace(3) %58, align 4
  %156 = shufflevector <4 x float> %101, <4 x float> poison, <1 x i32> <i32 1>
  store <1 x float> %156, ptr addrspace(3) %61, align 4
  %157 = shufflevector <4 x float> %101, <4 x float> poison, <1 x i32> <i32 2>
  store <1 x float> %157, ptr addrspace(3) %64, align 4
  %158 = shufflevector <4 x float> %101, <4 x float> poison, <1 x i32> <i32 3>
  store <1 x float> %158, ptr addrspace(3) %67, align 4
  store <4 x float> %124, ptr addrspace(3) %69, align 16
  %159 = icmp samesign ugt i32 %70, 16
  br i1 %159, label %.peel.next, label %._crit_edge

.peel.next:                                       ; preds = %123
  %160 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %90
  %161 = getelementptr inbounds nuw i8, ptr addrspace(3) %160, i32 %89
  %162 = getelementptr inbounds nuw i8, ptr addrspace(3) %161, i32 %11
  %163 = getelementptr inbounds nuw i8, ptr addrspace(3) %162, i32 512
  %164 = getelementptr inbounds nuw i8, ptr addrspace(3) %162, i32 1024
  %165 = getelementptr inbounds nuw i8, ptr addrspace(3) %162, i32 1536
  br label %166

166:                                              ; preds = %.peel.next, %209
  %167 = phi float [ %143, %.peel.next ], [ %227, %209 ]
  %168 = phi float [ %144, %.peel.next ], [ %228, %209 ]
  %169 = phi float [ %145, %.peel.next ], [ %229, %209 ]
  %170 = phi float [ %146, %.peel.next ], [ %230, %209 ]
  %171 = phi float [ %151, %.peel.next ], [ %239, %209 ]
  %172 = phi float [ %152, %.peel.next ], [ %240, %209 ]
  %173 = phi float [ %153, %.peel.next ], [ %241, %209 ]
  %174 = phi float [ %154, %.peel.next ], [ %242, %209 ]
  %175 = phi i32 [ 16, %.peel.next ], [ %176, %209 ]
  %176 = add i32 %175, 16
  %177 = or disjoint i32 %176, %28
  %178 = or disjoint i32 %176, %29
  %179 = icmp slt i32 %177, %5
  %180 = icmp slt i32 %178, %5
  %181 = and i1 %33, %179
  br i1 %181, label %182, label %186

182:                                              ; preds = %166
  %183 = sext i32 %177 to i64
  %184 = getelementptr [4 x i8], ptr addrspace(1) %32, i64 %183
  %185 = load <4 x float>, ptr addrspace(1) %184, align 16
  br label %186

186:                                              ; preds = %182, %166
  %187 = phi <4 x float> [ %185, %182 ], [ zeroinitializer, %166 ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %188 = load <1 x float>, ptr addrspace(3) %79, align 4
  %189 = extractelement <1 x float> %188, i64 0
  %190 = load <1 x float>, ptr addrspace(3) %80, align 4
  %191 = extractelement <1 x float> %190, i64 0
  %192 = load <1 x float>, ptr addrspace(3) %81, align 4
  %193 = extractelement <1 x float> %192, i64 0
  %194 = load <1 x float>, ptr addrspace(3) %82, align 4
  %195 = extractelement <1 x float> %194, i64 0
  %196 = load <1 x float>, ptr addrspace(3) %84, align 4
  %197 = extractelement <1 x float> %196, i64 0
  %198 = load <1 x float>, ptr addrspace(3) %85, align 4
  %199 = extractelement <1 x float> %198, i64 0
  %200 = load <1 x float>, ptr addrspace(3) %86, align 4
  %201 = extractelement <1 x float> %200, i64 0
  %202 = load <1 x float>, ptr addrspace(3) %87, align 4
  %203 = extractelement <1 x float> %202, i64 0
  %204 = and i1 %34, %180
  br i1 %204, label %205, label %209

205:                                              ; preds = %186
  %206 = mul i32 %178, %4
  %207 = sext i32 %206 to i64
  %gep = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %207
  %208 = load <4 x float>, ptr addrspace(1) %gep, align 16
  br label %209

209:                                              ; preds = %205, %186
  %210 = phi <4 x float> [ %208, %205 ], [ zeroinitializer, %186 ]
  %211 = load <1 x float>, ptr addrspace(3) %162, align 4
  %212 = extractelement <1 x float> %211, i64 0
  %213 = load <1 x float>, ptr addrspace(3) %163, align 4
  %214 = extractelement <1 x float> %213, i64 0
  %215 = load <1 x float>, ptr addrspace(3) %164, align 4
  %216 = extractelement <1 x float> %215, i64 0
  %217 = load <1 x float>, ptr addrspace(3) %165, align 4
  %218 = extractelement <1 x float> %217, i64 0
  %219 = insertelement <4 x float> poison, float %167, i64 0
  %220 = insertelement <4 x float> %219, float %168, i64 1
  %221 = insertelement <4 x float> %220, float %169, i64 2
  %222 = insertelement <4 x float> %221, float %170, i64 3
  %223 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %212, float %189, <4 x float> %222, i32 0, i32 0, i32 0)
  %224 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %214, float %197, <4 x float> %223, i32 0, i32 0, i32 0)
  %225 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %216, float %191, <4 x float> %224, i32 0, i32 0, i32 0)
  %226 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %218, float %199, <4 x float> %225, i32 0, i32 0, i32 0)
  %227 = extractelement <4 x float> %226, i64 0
  %228 = extractelement <4 x float> %226, i64 1
  %229 = extractelement <4 x float> %226, i64 2
  %230 = extractelement <4 x float> %226, i64 3
  %231 = insertelement <4 x float> poison, float %171, i64 0
  %232 = insertelement <4 x float> %231, float %172, i64 1
  %233 = insertelement <4 x float> %232, float %173, i64 2
  %234 = insertelement <4 x float> %233, float %174, i64 3
  %235 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %212, float %193, <4 x float> %234, i32 0, i32 0, i32 0)
  %236 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %214, float %201, <4 x float> %235, i32 0, i32 0, i32 0)
  %237 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %216, float %195, <4 x float> %236, i32 0, i32 0, i32 0)
  %238 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %218, float %203, <4 x float> %237, i32 0, i32 0, i32 0)
  %239 = extractelement <4 x float> %238, i64 0
  %240 = extractelement <4 x float> %238, i64 1
  %241 = extractelement <4 x float> %238, i64 2
  %242 = extractelement <4 x float> %238, i64 3
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %243 = shufflevector <4 x float> %187, <4 x float> poison, <1 x i32> zeroinitializer
  store <1 x float> %243, ptr addrspace(3) %58, align 4
  %244 = shufflevector <4 x float> %187, <4 x float> poison, <1 x i32> <i32 1>
  store <1 x float> %244, ptr addrspace(3) %61, align 4
  %245 = shufflevector <4 x float> %187, <4 x float> poison, <1 x i32> <i32 2>
  store <1 x float> %245, ptr addrspace(3) %64, align 4
  %246 = shufflevector <4 x float> %187, <4 x float> poison, <1 x i32> <i32 3>
  store <1 x float> %246, ptr addrspace(3) %67, align 4
  store <4 x float> %210, ptr addrspace(3) %69, align 16
  %247 = icmp slt i32 %176, %70
  br i1 %247, label %166, label %._crit_edge

._crit_edge:                                      ; preds = %209, %123, %52
  %248 = phi float [ 0.000000e+00, %52 ], [ %143, %123 ], [ %227, %209 ]
  %249 = phi float [ 0.000000e+00, %52 ], [ %144, %123 ], [ %228, %209 ]
  %250 = phi float [ 0.000000e+00, %52 ], [ %145, %123 ], [ %229, %209 ]
  %251 = phi float [ 0.000000e+00, %52 ], [ %146, %123 ], [ %230, %209 ]
  %252 = phi float [ 0.000000e+00, %52 ], [ %151, %123 ], [ %239, %209 ]
  %253 = phi float [ 0.000000e+00, %52 ], [ %152, %123 ], [ %240, %209 ]
  %254 = phi float [ 0.000000e+00, %52 ], [ %153, %123 ], [ %241, %209 ]
  %255 = phi float [ 0.000000e+00, %52 ], [ %154, %123 ], [ %242, %209 ]
  %256 = add i32 %5, 15
  %257 = icmp sgt i32 %256, 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %257, label %258, label %._crit_edge._crit_edge

258:                                              ; preds = %._crit_edge
  %259 = shl nuw nsw i32 %20, 2
  %260 = and i32 %9, 48
  %261 = shl nuw nsw i32 %260, 3
  %262 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %259
  %263 = getelementptr inbounds nuw i8, ptr addrspace(3) %262, i32 %261
  %264 = getelementptr inbounds nuw i8, ptr addrspace(3) %263, i32 %11
  %265 = getelementptr inbounds nuw i8, ptr addrspace(3) %264, i32 1536
  %266 = load <1 x float>, ptr addrspace(3) %265, align 4
  %267 = extractelement <1 x float> %266, i64 0
  %268 = getelementptr inbounds nuw i8, ptr addrspace(3) %264, i32 1024
  %269 = load <1 x float>, ptr addrspace(3) %268, align 4
  %270 = extractelement <1 x float> %269, i64 0
  %271 = getelementptr inbounds nuw i8, ptr addrspace(3) %264, i32 512
  %272 = load <1 x float>, ptr addrspace(3) %271, align 4
  %273 = extractelement <1 x float> %272, i64 0
  %274 = load <1 x float>, ptr addrspace(3) %264, align 4
  %275 = extractelement <1 x float> %274, i64 0
  %276 = shl nuw nsw i32 %20, 6
  %277 = shl nuw nsw i32 %9, 1
  %278 = and i32 %277, 28
  %279 = or disjoint i32 %276, %278
  %280 = lshr exact i32 %260, 2
  %281 = xor i32 %279, %280
  %282 = xor i32 %281, 16
  %283 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %282
  %284 = getelementptr inbounds nuw i8, ptr addrspace(3) %283, i32 1056
  %285 = load <1 x float>, ptr addrspace(3) %284, align 4
  %286 = extractelement <1 x float> %285, i64 0
  %287 = getelementptr inbounds nuw i8, ptr addrspace(3) %283, i32 1024
  %288 = load <1 x float>, ptr addrspace(3) %287, align 4
  %289 = extractelement <1 x float> %288, i64 0
  %290 = getelementptr inbounds nuw i8, ptr addrspace(3) %283, i32 32
  %291 = load <1 x float>, ptr addrspace(3) %290, align 4
  %292 = extractelement <1 x float> %291, i64 0
  %293 = load <1 x float>, ptr addrspace(3) %283, align 4
  %294 = extractelement <1 x float> %293, i64 0
  %295 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %281
  %296 = getelementptr inbounds nuw i8, ptr addrspace(3) %295, i32 1056
  %297 = load <1 x float>, ptr addrspace(3) %296, align 4
  %298 = extractelement <1 x float> %297, i64 0
  %299 = getelementptr inbounds nuw i8, ptr addrspace(3) %295, i32 1024
  %300 = load <1 x float>, ptr addrspace(3) %299, align 4
  %301 = extractelement <1 x float> %300, i64 0
  %302 = getelementptr inbounds nuw i8, ptr addrspace(3) %295, i32 32
  %303 = load <1 x float>, ptr addrspace(3) %302, align 4
  %304 = extractelement <1 x float> %303, i64 0
  %305 = load <1 x float>, ptr addrspace(3) %295, align 4
  %306 = extractelement <1 x float> %305, i64 0
  %307 = insertelement <4 x float> poison, float %248, i64 0
  %308 = insertelement <4 x float> %307, float %249, i64 1
  %309 = insertelement <4 x float> %308, float %250, i64 2
  %310 = insertelement <4 x float> %309, float %251, i64 3
  %311 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %275, float %306, <4 x float> %310, i32 0, i32 0, i32 0)
  %312 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %273, float %294, <4 x float> %311, i32 0, i32 0, i32 0)
  %313 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %270, float %304, <4 x float> %312, i32 0, i32 0, i32 0)
  %314 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %267, float %292, <4 x float> %313, i32 0, i32 0, i32 0)
  %315 = extractelement <4 x float> %314, i64 0
  %316 = extractelement <4 x float> %314, i64 1
  %317 = extractelement <4 x float> %314, i64 2
  %318 = extractelement <4 x float> %314, i64 3
  %319 = insertelement <4 x float> poison, float %252, i64 0
  %320 = insertelement <4 x float> %319, float %253, i64 1
  %321 = insertelement <4 x float> %320, float %254, i64 2
  %322 = insertelement <4 x float> %321, float %255, i64 3
  %323 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %275, float %301, <4 x float> %322, i32 0, i32 0, i32 0)
  %324 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %273, float %289, <4 x float> %323, i32 0, i32 0, i32 0)
  %325 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %270, float %298, <4 x float> %324, i32 0, i32 0, i32 0)
  %326 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %267, float %286, <4 x float> %325, i32 0, i32 0, i32 0)
  %327 = extractelement <4 x float> %326, i64 0
  %328 = extractelement <4 x float> %326, i64 1
  %329 = extractelement <4 x float> %326, i64 2
  %330 = extractelement <4 x float> %326, i64 3
  br label %._crit_edge._crit_edge

._crit_edge._crit_edge:                           ; preds = %._crit_edge, %258
  %331 = phi float [ %318, %258 ], [ %251, %._crit_edge ]
  %332 = phi float [ %315, %258 ], [ %248, %._crit_edge ]
  %333 = phi float [ %316, %258 ], [ %249, %._crit_edge ]
  %334 = phi float [ %317, %258 ], [ %250, %._crit_edge ]
  %335 = phi float [ %327, %258 ], [ %252, %._crit_edge ]
  %336 = phi float [ %328, %258 ], [ %253, %._crit_edge ]
  %337 = phi float [ %329, %258 ], [ %254, %._crit_edge ]
  %338 = phi float [ %330, %258 ], [ %255, %._crit_edge ]
  %339 = mul i32 %4, %23
  %340 = sext i32 %339 to i64
  %341 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %340
  %342 = sext i32 %26 to i64
  %343 = getelementptr [4 x i8], ptr addrspace(1) %341, i64 %342
  %344 = icmp slt i32 %22, %3
  %345 = icmp slt i32 %23, %3
  %346 = icmp slt i32 %26, %4
  %347 = and i1 %344, %346
  %348 = and i1 %345, %346
  br i1 %347, label %349, label %358

349:                                              ; preds = %._crit_edge._crit_edge
  %350 = insertelement <4 x float> poison, float %332, i64 0
  %351 = insertelement <4 x float> %350, float %333, i64 1
  %352 = insertelement <4 x float> %351, float %334, i64 2
  %353 = insertelement <4 x float> %352, float %331, i64 3
  %354 = mul i32 %4, %22
  %355 = sext i32 %354 to i64
  %356 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %355
  %357 = getelementptr [4 x i8], ptr addrspace(1) %356, i64 %342
  store <4 x float> %353, ptr addrspace(1) %357, align 16
  br label %358

358:                                              ; preds = %349, %._crit_edge._crit_edge
  br i1 %348, label %359, label %364

359:                                              ; preds = %358
  %360 = insertelement <4 x float> poison, float %335, i64 0
  %361 = insertelement <4 x float> %360, float %336, i64 1
  %362 = insertelement <4 x float> %361, float %337, i64 2
  %363 = insertelement <4 x float> %362, float %338, i64 3
  store <4 x float> %363, ptr addrspace(1) %343, align 16
  br label %364

364:                                              ; preds = %359, %358
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #2

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

declare noundef i32 @llvm.amdgcn.workgroup.id.y() #1

declare void @llvm.amdgcn.s.barrier() #3

declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float, float, <4 x float>, i32 immarg, i32 immarg, i32 immarg) #4

attributes #0 = { norecurse nounwind "amdgpu-agpr-alloc"="0" "amdgpu-cluster-dims"="1,1,1" "amdgpu-flat-work-group-size"="1,128" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "denormal-fp-math-f32"="ieee" "uniform-work-group-size" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }
attributes #4 = { convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
