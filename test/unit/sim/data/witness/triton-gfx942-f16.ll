; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target gfx942, element f16, sum f32, tile [32, 32, 16], threads 128, dynamic_bytes 2048, stages 2
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
  %19 = and i32 %9, 32
  %20 = lshr exact i32 %19, 3
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
  %35 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %34
  %36 = icmp slt i32 %24, %3
  %37 = icmp slt i32 %30, %4
  %38 = icmp slt i32 %31, %5
  %39 = icmp slt i32 %32, %5
  %40 = and i1 %38, %36
  br i1 %40, label %41, label %45

41:                                               ; preds = %8
  %42 = zext nneg i32 %31 to i64
  %43 = getelementptr [2 x i8], ptr addrspace(1) %35, i64 %42
  %44 = load <4 x half>, ptr addrspace(1) %43, align 8
  br label %45

45:                                               ; preds = %41, %8
  %46 = phi <4 x half> [ %44, %41 ], [ zeroinitializer, %8 ]
  %47 = and i1 %37, %39
  br i1 %47, label %48, label %55

48:                                               ; preds = %45
  %49 = mul i32 %32, %4
  %50 = sext i32 %49 to i64
  %51 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %50
  %52 = sext i32 %30 to i64
  %53 = getelementptr [2 x i8], ptr addrspace(1) %51, i64 %52
  %54 = load <4 x half>, ptr addrspace(1) %53, align 8
  br label %55

55:                                               ; preds = %48, %45
  %56 = phi <4 x half> [ %54, %48 ], [ zeroinitializer, %45 ]
  %57 = shl nuw nsw i32 %17, 3
  %58 = lshr i32 %9, 1
  %59 = and i32 %58, 24
  %60 = xor i32 %57, %59
  %61 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %60
  store <4 x half> %46, ptr addrspace(3) %61, align 8
  %62 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %57
  store <4 x half> %56, ptr addrspace(3) %62, align 8
  %63 = add i32 %5, -16
  %64 = icmp sgt i32 %63, 0
  br i1 %64, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %55
  %65 = shl nuw nsw i32 %23, 5
  %66 = shl nuw nsw i32 %9, 1
  %67 = and i32 %66, 24
  %68 = lshr exact i32 %19, 2
  %69 = xor i32 %67, %68
  %70 = or disjoint i32 %69, %65
  %71 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %70
  %72 = xor i32 %70, 16
  %73 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %72
  %74 = sext i32 %30 to i64
  %invariant.gep = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %74
  %75 = shl nuw nsw i32 %23, 1
  %76 = shl nuw nsw i32 %19, 3
  %77 = or disjoint i32 %31, 16
  %78 = or disjoint i32 %32, 16
  %79 = icmp slt i32 %77, %5
  %80 = icmp slt i32 %78, %5
  %81 = and i1 %36, %79
  br i1 %81, label %82, label %86

82:                                               ; preds = %.lr.ph
  %83 = zext nneg i32 %77 to i64
  %84 = getelementptr [2 x i8], ptr addrspace(1) %35, i64 %83
  %85 = load <4 x half>, ptr addrspace(1) %84, align 8
  br label %86

86:                                               ; preds = %82, %.lr.ph
  %87 = phi <4 x half> [ %85, %82 ], [ zeroinitializer, %.lr.ph ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %88 = load <4 x half>, ptr addrspace(3) %71, align 8
  %89 = load <4 x half>, ptr addrspace(3) %73, align 8
  %90 = and i1 %37, %80
  br i1 %90, label %91, label %95

91:                                               ; preds = %86
  %92 = mul i32 %78, %4
  %93 = sext i32 %92 to i64
  %gep.peel = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %93
  %94 = load <4 x half>, ptr addrspace(1) %gep.peel, align 8
  br label %95

95:                                               ; preds = %91, %86
  %96 = phi <4 x half> [ %94, %91 ], [ zeroinitializer, %86 ]
  %97 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %76
  %98 = getelementptr inbounds nuw i8, ptr addrspace(3) %97, i32 %75
  %99 = load <1 x half>, ptr addrspace(3) %98, align 2
  %100 = getelementptr inbounds nuw i8, ptr addrspace(3) %98, i32 64
  %101 = load <1 x half>, ptr addrspace(3) %100, align 2
  %102 = getelementptr inbounds nuw i8, ptr addrspace(3) %98, i32 128
  %103 = load <1 x half>, ptr addrspace(3) %102, align 2
  %104 = shufflevector <1 x half> %103, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %105 = getelementptr inbounds nuw i8, ptr addrspace(3) %98, i32 192
  %106 = load <1 x half>, ptr addrspace(3) %105, align 2
  %107 = shufflevector <1 x half> %106, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %108 = getelementptr inbounds nuw i8, ptr addrspace(3) %98, i32 512
  %109 = load <1 x half>, ptr addrspace(3) %108, align 2
  %110 = getelementptr inbounds nuw i8, ptr addrspace(3) %98, i32 576
  %111 = load <1 x half>, ptr addrspace(3) %110, align 2
  %112 = getelementptr inbounds nuw i8, ptr addrspace(3) %98, i32 640
  %113 = load <1 x half>, ptr addrspace(3) %112, align 2
  %114 = shufflevector <1 x half> %113, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %115 = getelementptr inbounds nuw i8, ptr addrspace(3) %98, i32 704
  %116 = load <1 x half>, ptr addrspace(3) %115, align 2
  %117 = shufflevector <1 x half> %116, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %118 = shufflevector <1 x half> %99, <1 x half> %101, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %119 = shufflevector <4 x half> %118, <4 x half> %104, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %120 = shufflevector <4 x half> %119, <4 x half> %107, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %121 = shufflevector <1 x half> %109, <1 x half> %111, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %122 = shufflevector <4 x half> %121, <4 x half> %114, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %123 = shufflevector <4 x half> %122, <4 x half> %117, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %124 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %120, <4 x half> %88, <16 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %125 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %123, <4 x half> %89, <16 x float> %124, i32 0, i32 0, i32 0)
  %126 = extractelement <16 x float> %125, i64 0
  %127 = extractelement <16 x float> %125, i64 1
  %128 = extractelement <16 x float> %125, i64 2
  %129 = extractelement <16 x float> %125, i64 3
  %130 = extractelement <16 x float> %125, i64 4
  %131 = extractelement <16 x float> %125, i64 5
  %132 = extractelement <16 x float> %125, i64 6
  %133 = extractelement <16 x float> %125, i64 7
  %134 = extractelement <16 x float> %125, i64 8
  %135 = extractelement <16 x float> %125, i64 9
  %136 = extractelement <16 x float> %125, i64 10
  %137 = extractelement <16 x float> %125, i64 11
  %138 = extractelement <16 x float> %125, i64 12
  %139 = extractelement <16 x float> %125, i64 13
  %140 = extractelement <16 x float> %125, i64 14
  %141 = extractelement <16 x float> %125, i64 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store <4 x half> %87, ptr addrspace(3) %61, align 8
  store <4 x half> %96, ptr addrspace(3) %62, align 8
  %142 = icmp samesign ugt i32 %63, 16
  br i1 %142, label %.peel.next, label %._crit_edge

.peel.next:                                       ; preds = %95
  %143 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %76
  %144 = getelementptr inbounds nuw i8, ptr addrspace(3) %143, i32 %75
  %145 = getelementptr inbounds nuw i8, ptr addrspace(3) %144, i32 64
  %146 = getelementptr inbounds nuw i8, ptr addrspace(3) %144, i32 128
  %147 = getelementptr inbounds nuw i8, ptr addrspace(3) %144, i32 192
  %148 = getelementptr inbounds nuw i8, ptr addrspace(3) %144, i32 512
  %149 = getelementptr inbounds nuw i8, ptr addrspace(3) %144, i32 576
  %150 = getelementptr inbounds nuw i8, ptr addrspace(3) %144, i32 640
  %151 = getelementptr inbounds nuw i8, ptr addrspace(3) %144, i32 704
  br label %152

152:                                              ; preds = %.peel.next, %189
  %153 = phi float [ %126, %.peel.next ], [ %227, %189 ]
  %154 = phi float [ %127, %.peel.next ], [ %228, %189 ]
  %155 = phi float [ %128, %.peel.next ], [ %229, %189 ]
  %156 = phi float [ %129, %.peel.next ], [ %230, %189 ]
  %157 = phi float [ %130, %.peel.next ], [ %231, %189 ]
  %158 = phi float [ %131, %.peel.next ], [ %232, %189 ]
  %159 = phi float [ %132, %.peel.next ], [ %233, %189 ]
  %160 = phi float [ %133, %.peel.next ], [ %234, %189 ]
  %161 = phi float [ %134, %.peel.next ], [ %235, %189 ]
  %162 = phi float [ %135, %.peel.next ], [ %236, %189 ]
  %163 = phi float [ %136, %.peel.next ], [ %237, %189 ]
  %164 = phi float [ %137, %.peel.next ], [ %238, %189 ]
  %165 = phi float [ %138, %.peel.next ], [ %239, %189 ]
  %166 = phi float [ %139, %.peel.next ], [ %240, %189 ]
  %167 = phi float [ %140, %.peel.next ], [ %241, %189 ]
  %168 = phi float [ %141, %.peel.next ], [ %242, %189 ]
  %169 = phi i32 [ 16, %.peel.next ], [ %170, %189 ]
  %170 = add i32 %169, 16
  %171 = or disjoint i32 %170, %31
  %172 = or disjoint i32 %170, %32
  %173 = icmp slt i32 %171, %5
  %174 = icmp slt i32 %172, %5
  %175 = and i1 %36, %173
  br i1 %175, label %176, label %180

176:                                              ; preds = %152
  %177 = sext i32 %171 to i64
  %178 = getelementptr [2 x i8], ptr addrspace(1) %35, i64 %177
  %179 = load <4 x half>, ptr addrspace(1) %178, align 8
  br label %180

180:                                              ; preds = %176, %152
  %181 = phi <4 x half> [ %179, %176 ], [ zeroinitializer, %152 ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %182 = load <4 x half>, ptr addrspace(3) %71, align 8
  %183 = load <4 x half>, ptr addrspace(3) %73, align 8
  %184 = and i1 %37, %174
  br i1 %184, label %185, label %189

185:                                              ; preds = %180
  %186 = mul i32 %172, %4
  %187 = sext i32 %186 to i64
  %gep = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %187
  %188 = load <4 x half>, ptr addrspace(1) %gep, align 8
  br label %189

189:                                              ; preds = %185, %180
  %190 = phi <4 x half> [ %188, %185 ], [ zeroinitializer, %180 ]
  %191 = load <1 x half>, ptr addrspace(3) %144, align 2
  %192 = load <1 x half>, ptr addrspace(3) %145, align 2
  %193 = load <1 x half>, ptr addrspace(3) %146, align 2
  %194 = shufflevector <1 x half> %193, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %195 = load <1 x half>, ptr addrspace(3) %147, align 2
  %196 = shufflevector <1 x half> %195, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %197 = load <1 x half>, ptr addrspace(3) %148, align 2
  %198 = load <1 x half>, ptr addrspace(3) %149, align 2
  %199 = load <1 x half>, ptr addrspace(3) %150, align 2
  %200 = shufflevector <1 x half> %199, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %201 = load <1 x half>, ptr addrspace(3) %151, align 2
  %202 = shufflevector <1 x half> %201, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %203 = shufflevector <1 x half> %191, <1 x half> %192, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %204 = shufflevector <4 x half> %203, <4 x half> %194, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %205 = shufflevector <4 x half> %204, <4 x half> %196, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %206 = shufflevector <1 x half> %197, <1 x half> %198, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %207 = shufflevector <4 x half> %206, <4 x half> %200, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %208 = shufflevector <4 x half> %207, <4 x half> %202, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %209 = insertelement <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float undef, float undef, float undef, float undef, float undef, float undef>, float %153, i64 0
  %210 = insertelement <16 x float> %209, float %154, i64 1
  %211 = insertelement <16 x float> %210, float %155, i64 2
  %212 = insertelement <16 x float> %211, float %156, i64 3
  %213 = insertelement <16 x float> %212, float %157, i64 4
  %214 = insertelement <16 x float> %213, float %158, i64 5
  %215 = insertelement <16 x float> %214, float %159, i64 6
  %216 = insertelement <16 x float> %215, float %160, i64 7
  %217 = insertelement <16 x float> %216, float %161, i64 8
  %218 = insertelement <16 x float> %217, float %162, i64 9
  %219 = insertelement <16 x float> %218, float %163, i64 10
  %220 = insertelement <16 x float> %219, float %164, i64 11
  %221 = insertelement <16 x float> %220, float %165, i64 12
  %222 = insertelement <16 x float> %221, float %166, i64 13
  %223 = insertelement <16 x float> %222, float %167, i64 14
  %224 = insertelement <16 x float> %223, float %168, i64 15
  %225 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %205, <4 x half> %182, <16 x float> %224, i32 0, i32 0, i32 0)
  %226 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %208, <4 x half> %183, <16 x float> %225, i32 0, i32 0, i32 0)
  %227 = extractelement <16 x float> %226, i64 0
  %228 = extractelement <16 x float> %226, i64 1
  %229 = extractelement <16 x float> %226, i64 2
  %230 = extractelement <16 x float> %226, i64 3
  %231 = extractelement <16 x float> %226, i64 4
  %232 = extractelement <16 x float> %226, i64 5
  %233 = extractelement <16 x float> %226, i64 6
  %234 = extractelement <16 x float> %226, i64 7
  %235 = extractelement <16 x float> %226, i64 8
  %236 = extractelement <16 x float> %226, i64 9
  %237 = extractelement <16 x float> %226, i64 10
  %238 = extractelement <16 x float> %226, i64 11
  %239 = extractelement <16 x float> %226, i64 12
  %240 = extractelement <16 x float> %226, i64 13
  %241 = extractelement <16 x float> %226, i64 14
  %242 = extractelement <16 x float> %226, i64 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store <4 x half> %181, ptr addrspace(3) %61, align 8
  store <4 x half> %190, ptr addrspace(3) %62, align 8
  %243 = icmp slt i32 %170, %63
  br i1 %243, label %152, label %._crit_edge

._crit_edge:                                      ; preds = %189, %95, %55
  %244 = phi float [ 0.000000e+00, %55 ], [ %126, %95 ], [ %227, %189 ]
  %245 = phi float [ 0.000000e+00, %55 ], [ %127, %95 ], [ %228, %189 ]
  %246 = phi float [ 0.000000e+00, %55 ], [ %128, %95 ], [ %229, %189 ]
  %247 = phi float [ 0.000000e+00, %55 ], [ %129, %95 ], [ %230, %189 ]
  %248 = phi float [ 0.000000e+00, %55 ], [ %130, %95 ], [ %231, %189 ]
  %249 = phi float [ 0.000000e+00, %55 ], [ %131, %95 ], [ %232, %189 ]
  %250 = phi float [ 0.000000e+00, %55 ], [ %132, %95 ], [ %233, %189 ]
  %251 = phi float [ 0.000000e+00, %55 ], [ %133, %95 ], [ %234, %189 ]
  %252 = phi float [ 0.000000e+00, %55 ], [ %134, %95 ], [ %235, %189 ]
  %253 = phi float [ 0.000000e+00, %55 ], [ %135, %95 ], [ %236, %189 ]
  %254 = phi float [ 0.000000e+00, %55 ], [ %136, %95 ], [ %237, %189 ]
  %255 = phi float [ 0.000000e+00, %55 ], [ %137, %95 ], [ %238, %189 ]
  %256 = phi float [ 0.000000e+00, %55 ], [ %138, %95 ], [ %239, %189 ]
  %257 = phi float [ 0.000000e+00, %55 ], [ %139, %95 ], [ %240, %189 ]
  %258 = phi float [ 0.000000e+00, %55 ], [ %140, %95 ], [ %241, %189 ]
  %259 = phi float [ 0.000000e+00, %55 ], [ %141, %95 ], [ %242, %189 ]
  %260 = add i32 %5, 15
  %261 = icmp sgt i32 %260, 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %261, label %262, label %._crit_edge._crit_edge

262:                                              ; preds = %._crit_edge
  %263 = shl nuw nsw i32 %19, 3
  %264 = shl nuw nsw i32 %23, 1
  %265 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %263
  %266 = getelementptr inbounds nuw i8, ptr addrspace(3) %265, i32 %264
  %267 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 704
  %268 = load <1 x half>, ptr addrspace(3) %267, align 2
  %269 = shufflevector <1 x half> %268, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %270 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 640
  %271 = load <1 x half>, ptr addrspace(3) %270, align 2
  %272 = shufflevector <1 x half> %271, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %273 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 576
  %274 = load <1 x half>, ptr addrspace(3) %273, align 2
  %275 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 512
  %276 = load <1 x half>, ptr addrspace(3) %275, align 2
  %277 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 192
  %278 = load <1 x half>, ptr addrspace(3) %277, align 2
  %279 = shufflevector <1 x half> %278, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %280 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 128
  %281 = load <1 x half>, ptr addrspace(3) %280, align 2
  %282 = shufflevector <1 x half> %281, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %283 = getelementptr inbounds nuw i8, ptr addrspace(3) %266, i32 64
  %284 = load <1 x half>, ptr addrspace(3) %283, align 2
  %285 = load <1 x half>, ptr addrspace(3) %266, align 2
  %286 = shl nuw nsw i32 %23, 5
  %287 = shl nuw nsw i32 %9, 1
  %288 = and i32 %287, 24
  %289 = lshr exact i32 %19, 2
  %290 = xor i32 %288, %289
  %291 = or disjoint i32 %290, %286
  %292 = xor i32 %291, 16
  %293 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %292
  %294 = load <4 x half>, ptr addrspace(3) %293, align 8
  %295 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %291
  %296 = load <4 x half>, ptr addrspace(3) %295, align 8
  %297 = shufflevector <1 x half> %285, <1 x half> %284, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %298 = shufflevector <4 x half> %297, <4 x half> %282, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %299 = shufflevector <4 x half> %298, <4 x half> %279, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %300 = shufflevector <1 x half> %276, <1 x half> %274, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %301 = shufflevector <4 x half> %300, <4 x half> %272, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %302 = shufflevector <4 x half> %301, <4 x half> %269, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %303 = insertelement <16 x float> <float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float poison, float undef, float undef, float undef, float undef, float undef, float undef>, float %244, i64 0
  %304 = insertelement <16 x float> %303, float %245, i64 1
  %305 = insertelement <16 x float> %304, float %246, i64 2
  %306 = insertelement <16 x float> %305, float %247, i64 3
  %307 = insertelement <16 x float> %306, float %248, i64 4
  %308 = insertelement <16 x float> %307, float %249, i64 5
  %309 = insertelement <16 x float> %308, float %250, i64 6
  %310 = insertelement <16 x float> %309, float %251, i64 7
  %311 = insertelement <16 x float> %310, float %252, i64 8
  %312 = insertelement <16 x float> %311, float %253, i64 9
  %313 = insertelement <16 x float> %312, float %254, i64 10
  %314 = insertelement <16 x float> %313, float %255, i64 11
  %315 = insertelement <16 x float> %314, float %256, i64 12
  %316 = insertelement <16 x float> %315, float %257, i64 13
  %317 = insertelement <16 x float> %316, float %258, i64 14
  %318 = insertelement <16 x float> %317, float %259, i64 15
  %319 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %299, <4 x half> %296, <16 x float> %318, i32 0, i32 0, i32 0)
  %320 = tail call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %302, <4 x half> %294, <16 x float> %319, i32 0, i32 0, i32 0)
  %321 = extractelement <16 x float> %320, i64 0
  %322 = extractelement <16 x float> %320, i64 1
  %323 = extractelement <16 x float> %320, i64 2
  %324 = extractelement <16 x float> %320, i64 3
  %325 = extractelement <16 x float> %320, i64 4
  %326 = extractelement <16 x float> %320, i64 5
  %327 = extractelement <16 x float> %320, i64 6
  %328 = extractelement <16 x float> %320, i64 7
  %329 = extractelement <16 x float> %320, i64 8
  %330 = extractelement <16 x float> %320, i64 9
  %331 = extractelement <16 x float> %320, i64 10
  %332 = extractelement <16 x float> %320, i64 11
  %333 = extractelement <16 x float> %320, i64 12
  %334 = extractelement <16 x float> %320, i64 13
  %335 = extractelement <16 x float> %320, i64 14
  %336 = extractelement <16 x float> %320, i64 15
  br label %._crit_edge._crit_edge

._crit_edge._crit_edge:                           ; preds = %._crit_edge, %262
  %337 = phi float [ %325, %262 ], [ %248, %._crit_edge ]
  %338 = phi float [ %321, %262 ], [ %244, %._crit_edge ]
  %339 = phi float [ %322, %262 ], [ %245, %._crit_edge ]
  %340 = phi float [ %323, %262 ], [ %246, %._crit_edge ]
  %341 = phi float [ %324, %262 ], [ %247, %._crit_edge ]
  %342 = phi float [ %326, %262 ], [ %249, %._crit_edge ]
  %343 = phi float [ %327, %262 ], [ %250, %._crit_edge ]
  %344 = phi float [ %328, %262 ], [ %251, %._crit_edge ]
  %345 = phi float [ %329, %262 ], [ %252, %._crit_edge ]
  %346 = phi float [ %330, %262 ], [ %253, %._crit_edge ]
  %347 = phi float [ %331, %262 ], [ %254, %._crit_edge ]
  %348 = phi float [ %332, %262 ], [ %255, %._crit_edge ]
  %349 = phi float [ %333, %262 ], [ %256, %._crit_edge ]
  %350 = phi float [ %334, %262 ], [ %257, %._crit_edge ]
  %351 = phi float [ %335, %262 ], [ %258, %._crit_edge ]
  %352 = phi float [ %336, %262 ], [ %259, %._crit_edge ]
  %353 = mul i32 %4, %25
  %354 = sext i32 %353 to i64
  %355 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %354
  %356 = sext i32 %29 to i64
  %357 = getelementptr [4 x i8], ptr addrspace(1) %355, i64 %356
  %358 = sext i32 %28 to i64
  %359 = getelementptr [4 x i8], ptr addrspace(1) %355, i64 %358
  %360 = getelementptr i8, ptr addrspace(1) %359, i64 96
  %361 = icmp slt i32 %25, %3
  %362 = icmp slt i32 %28, %4
  %363 = icmp slt i32 %29, %4
  %364 = and i1 %361, %362
  %365 = and i1 %361, %363
  %366 = icmp eq i32 %12, 0
  %367 = and i1 %364, %366
  br i1 %367, label %368, label %.critedge

368:                                              ; preds = %._crit_edge._crit_edge
  %369 = insertelement <4 x float> poison, float %338, i64 0
  %370 = insertelement <4 x float> %369, float %339, i64 1
  %371 = insertelement <4 x float> %370, float %340, i64 2
  %372 = insertelement <4 x float> %371, float %341, i64 3
  %373 = getelementptr i8, ptr addrspace(1) %359, i64 32
  store <4 x float> %372, ptr addrspace(1) %359, align 16
  %374 = insertelement <4 x float> poison, float %337, i64 0
  %375 = insertelement <4 x float> %374, float %342, i64 1
  %376 = insertelement <4 x float> %375, float %343, i64 2
  %377 = insertelement <4 x float> %376, float %344, i64 3
  store <4 x float> %377, ptr addrspace(1) %373, align 16
  br label %.critedge

.critedge:                                        ; preds = %._crit_edge._crit_edge, %368
  %378 = and i1 %365, %366
  br i1 %378, label %379, label %.critedge2

379:                                              ; preds = %.critedge
  %380 = insertelement <4 x float> poison, float %349, i64 0
  %381 = insertelement <4 x float> %380, float %350, i64 1
  %382 = insertelement <4 x float> %381, float %351, i64 2
  %383 = insertelement <4 x float> %382, float %352, i64 3
  %384 = insertelement <4 x float> poison, float %345, i64 0
  %385 = insertelement <4 x float> %384, float %346, i64 1
  %386 = insertelement <4 x float> %385, float %347, i64 2
  %387 = insertelement <4 x float> %386, float %348, i64 3
  store <4 x float> %387, ptr addrspace(1) %357, align 16
  store <4 x float> %383, ptr addrspace(1) %360, align 16
  br label %.critedge2

.critedge2:                                       ; preds = %.critedge, %379
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #2

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

declare noundef i32 @llvm.amdgcn.workgroup.id.y() #1

declare void @llvm.amdgcn.s.barrier() #3

declare <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half>, <4 x half>, <16 x float>, i32 immarg, i32 immarg, i32 immarg) #4

attributes #0 = { norecurse nounwind "amdgpu-agpr-alloc"="0" "amdgpu-cluster-dims"="1,1,1" "amdgpu-flat-work-group-size"="1,128" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "denormal-fp-math-f32"="ieee" "uniform-work-group-size" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }
attributes #4 = { convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
