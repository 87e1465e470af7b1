; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target gfx90a, element i8, sum i32, tile [32, 32, 32], threads 128, dynamic_bytes 2048, stages 2
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
  %19 = and i32 %9, 31
  %20 = shl nuw nsw i32 %9, 3
  %21 = and i32 %20, 24
  %22 = and i32 %9, 32
  %23 = lshr exact i32 %22, 3
  %24 = or disjoint i32 %18, %14
  %25 = or disjoint i32 %14, %19
  %26 = tail call i32 @llvm.amdgcn.workgroup.id.y()
  %27 = shl i32 %26, 5
  %28 = or disjoint i32 %21, %27
  %29 = or disjoint i32 %23, %27
  %30 = or disjoint i32 %29, 16
  %31 = mul i32 %24, %5
  %32 = sext i32 %31 to i64
  %33 = getelementptr i8, ptr addrspace(1) %0, i64 %32
  %34 = icmp slt i32 %24, %3
  %35 = icmp slt i32 %28, %4
  %36 = icmp slt i32 %21, %5
  %37 = icmp slt i32 %18, %5
  %38 = and i1 %36, %34
  br i1 %38, label %39, label %43

39:                                               ; preds = %8
  %40 = zext nneg i32 %21 to i64
  %41 = getelementptr i8, ptr addrspace(1) %33, i64 %40
  %42 = load <8 x i8>, ptr addrspace(1) %41, align 8
  br label %43

43:                                               ; preds = %39, %8
  %44 = phi <8 x i8> [ %42, %39 ], [ zeroinitializer, %8 ]
  %45 = and i1 %35, %37
  br i1 %45, label %46, label %53

46:                                               ; preds = %43
  %47 = mul i32 %18, %4
  %48 = sext i32 %47 to i64
  %49 = getelementptr i8, ptr addrspace(1) %1, i64 %48
  %50 = sext i32 %28 to i64
  %51 = getelementptr i8, ptr addrspace(1) %49, i64 %50
  %52 = load <8 x i8>, ptr addrspace(1) %51, align 8
  br label %53

53:                                               ; preds = %46, %43
  %54 = phi <8 x i8> [ %52, %46 ], [ zeroinitializer, %43 ]
  %55 = shl nuw nsw i32 %17, 3
  %56 = lshr i32 %9, 2
  %57 = and i32 %56, 12
  %58 = xor i32 %55, %57
  %59 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %58
  %60 = shufflevector <8 x i8> %44, <8 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x i8> %60, ptr addrspace(3) %59, align 4
  %61 = xor i32 %58, 4
  %62 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %61
  %63 = shufflevector <8 x i8> %44, <8 x i8> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  store <4 x i8> %63, ptr addrspace(3) %62, align 4
  %64 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %55
  store <8 x i8> %54, ptr addrspace(3) %64, align 8
  %65 = add i32 %5, -32
  %66 = icmp sgt i32 %65, 0
  br i1 %66, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %53
  %67 = shl nuw nsw i32 %19, 5
  %68 = and i32 %9, 12
  %69 = xor i32 %23, %68
  %70 = or disjoint i32 %69, %67
  %71 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %70
  %72 = getelementptr inbounds nuw i8, ptr addrspace(3) %71, i32 16
  %73 = xor i32 %70, 8
  %74 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %73
  %75 = getelementptr inbounds nuw i8, ptr addrspace(3) %74, i32 16
  %76 = sext i32 %28 to i64
  %invariant.gep = getelementptr i8, ptr addrspace(1) %1, i64 %76
  %77 = shl nuw nsw i32 %22, 2
  %78 = or disjoint i32 %21, 32
  %79 = or disjoint i32 %18, 32
  %80 = icmp slt i32 %78, %5
  %81 = icmp slt i32 %79, %5
  %82 = and i1 %34, %80
  br i1 %82, label %83, label %87

83:                                               ; preds = %.lr.ph
  %84 = zext nneg i32 %78 to i64
  %85 = getelementptr i8, ptr addrspace(1) %33, i64 %84
  %86 = load <8 x i8>, ptr addrspace(1) %85, align 8
  br label %87

87:                                               ; preds = %83, %.lr.ph
  %88 = phi <8 x i8> [ %86, %83 ], [ zeroinitializer, %.lr.ph ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %89 = load i32, ptr addrspace(3) %71, align 4
  %90 = load i32, ptr addrspace(3) %72, align 4
  %91 = load i32, ptr addrspace(3) %74, align 4
  %92 = load i32, ptr addrspace(3) %75, align 4
  %93 = and i1 %35, %81
  br i1 %93, label %94, label %98

94:                                               ; preds = %87
  %95 = mul i32 %79, %4
  %96 = sext i32 %95 to i64
  %gep.peel = getelementptr i8, ptr addrspace(1) %invariant.gep, i64 %96
  %97 = load <8 x i8>, ptr addrspace(1) %gep.peel, align 8
  br label %98

98:                                               ; preds = %94, %87
  %99 = phi <8 x i8> [ %97, %94 ], [ zeroinitializer, %87 ]
  %100 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %77
  %101 = getelementptr inbounds nuw i8, ptr addrspace(3) %100, i32 %19
  %102 = load <1 x i8>, ptr addrspace(3) %101, align 1
  %103 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 32
  %104 = load <1 x i8>, ptr addrspace(3) %103, align 1
  %105 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 64
  %106 = load <1 x i8>, ptr addrspace(3) %105, align 1
  %107 = shufflevector <1 x i8> %106, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %108 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 96
  %109 = load <1 x i8>, ptr addrspace(3) %108, align 1
  %110 = shufflevector <1 x i8> %109, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %111 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 256
  %112 = load <1 x i8>, ptr addrspace(3) %111, align 1
  %113 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 288
  %114 = load <1 x i8>, ptr addrspace(3) %113, align 1
  %115 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 320
  %116 = load <1 x i8>, ptr addrspace(3) %115, align 1
  %117 = shufflevector <1 x i8> %116, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %118 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 352
  %119 = load <1 x i8>, ptr addrspace(3) %118, align 1
  %120 = shufflevector <1 x i8> %119, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %121 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 512
  %122 = load <1 x i8>, ptr addrspace(3) %121, align 1
  %123 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 544
  %124 = load <1 x i8>, ptr addrspace(3) %123, align 1
  %125 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 576
  %126 = load <1 x i8>, ptr addrspace(3) %125, align 1
  %127 = shufflevector <1 x i8> %126, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %128 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 608
  %129 = load <1 x i8>, ptr addrspace(3) %128, align 1
  %130 = shufflevector <1 x i8> %129, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %131 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 768
  %132 = load <1 x i8>, ptr addrspace(3) %131, align 1
  %133 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 800
  %134 = load <1 x i8>, ptr addrspace(3) %133, align 1
  %135 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 832
  %136 = load <1 x i8>, ptr addrspace(3) %135, align 1
  %137 = shufflevector <1 x i8> %136, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %138 = getelementptr inbounds nuw i8, ptr addrspace(3) %101, i32 864
  %139 = load <1 x i8>, ptr addrspace(3) %138, align 1
  %140 = shufflevector <1 x i8> %139, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %141 = shufflevector <1 x i8> %102, <1 x i8> %104, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %142 = shufflevector <4 x i8> %141, <4 x i8> %107, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %143 = shufflevector <4 x i8> %142, <4 x i8> %110, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %144 = bitcast <4 x i8> %143 to i32
  %145 = shufflevector <1 x i8> %112, <1 x i8> %114, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %146 = shufflevector <4 x i8> %145, <4 x i8> %117, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %147 = shufflevector <4 x i8> %146, <4 x i8> %120, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %148 = bitcast <4 x i8> %147 to i32
  %149 = shufflevector <1 x i8> %122, <1 x i8> %124, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %150 = shufflevector <4 x i8> %149, <4 x i8> %127, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %151 = shufflevector <4 x i8> %150, <4 x i8> %130, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %152 = bitcast <4 x i8> %151 to i32
  %153 = shufflevector <1 x i8> %132, <1 x i8> %134, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %154 = shufflevector <4 x i8> %153, <4 x i8> %137, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %155 = shufflevector <4 x i8> %154, <4 x i8> %140, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %156 = bitcast <4 x i8> %155 to i32
  %157 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %144, i32 %89, <16 x i32> zeroinitializer, i32 0, i32 0, i32 0)
  %158 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %148, i32 %91, <16 x i32> %157, i32 0, i32 0, i32 0)
  %159 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %152, i32 %90, <16 x i32> %158, i32 0, i32 0, i32 0)
  %160 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %156, i32 %92, <16 x i32> %159, i32 0, i32 0, i32 0)
  %161 = extractelement <16 x i32> %160, i64 0
  %162 = extractelement <16 x i32> %160, i64 1
  %163 = extractelement <16 x i32> %160, i64 2
  %164 = extractelement <16 x i32> %160, i64 3
  %165 = extractelement <16 x i32> %160, i64 4
  %166 = extractelement <16 x i32> %160, i64 5
  %167 = extractelement <16 x i32> %160, i64 6
  %168 = extractelement <16 x i32> %160, i64 7
  %169 = extractelement <16 x i32> %160, i64 8
  %170 = extractelement <16 x i32> %160, i64 9
  %171 = extractelement <16 x i32> %160, i64 10
  %172 = extractelement <16 x i32> %160, i64 11
  %173 = extractelement <16 x i32> %160, i64 12
  %174 = extractelement <16 x i32> %160, i64 13
  %175 = extractelement <16 x i32> %160, i64 14
  %176 = extractelement <16 x i32> %160, i64 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %177 = shufflevector <8 x i8> %88, <8 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x i8> %177, ptr addrspace(3) %59, align 4
  %178 = shufflevector <8 x i8> %88, <8 x i8> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  store <4 x i8> %178, ptr addrspace(3) %62, align 4
  store <8 x i8> %99, ptr addrspace(3) %64, align 8
  %179 = icmp samesign ugt i32 %65, 32
  br i1 %179, label %.peel.next, label %._crit_edge

.peel.next:                                       ; preds = %98
  %180 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %77
  %181 = getelementptr inbounds nuw i8, ptr addrspace(3) %180, i32 %19
  %182 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 32
  %183 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 64
  %184 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 96
  %185 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 256
  %186 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 288
  %187 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 320
  %188 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 352
  %189 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 512
  %190 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 544
  %191 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 576
  %192 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 608
  %193 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 768
  %194 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 800
  %195 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 832
  %196 = getelementptr inbounds nuw i8, ptr addrspace(3) %181, i32 864
  br label %197

197:                                              ; preds = %.peel.next, %236
  %198 = phi i32 [ %161, %.peel.next ], [ %298, %236 ]
  %199 = phi i32 [ %162, %.peel.next ], [ %299, %236 ]
  %200 = phi i32 [ %163, %.peel.next ], [ %300, %236 ]
  %201 = phi i32 [ %164, %.peel.next ], [ %301, %236 ]
  %202 = phi i32 [ %165, %.peel.next ], [ %302, %236 ]
  %203 = phi i32 [ %166, %.peel.next ], [ %303, %236 ]
  %204 = phi i32 [ %167, %.peel.next ], [ %304, %236 ]
  %205 = phi i32 [ %168, %.peel.next ], [ %305, %236 ]
  %206 = phi i32 [ %169, %.peel.next ], [ %306, %236 ]
  %207 = phi i32 [ %170, %.peel.next ], [ %307, %236 ]
  %208 = phi i32 [ %171, %.peel.next ], [ %308, %236 ]
  %209 = phi i32 [ %172, %.peel.next ], [ %309, %236 ]
  %210 = phi i32 [ %173, %.peel.next ], [ %310, %236 ]
  %211 = phi i32 [ %174, %.peel.next ], [ %311, %236 ]
  %212 = phi i32 [ %175, %.peel.next ], [ %312, %236 ]
  %213 = phi i32 [ %176, %.peel.next ], [ %313, %236 ]
  %214 = phi i32 [ 32, %.peel.next ], [ %215, %236 ]
  %215 = add i32 %214, 32
  %216 = or disjoint i32 %215, %21
  %217 = or disjoint i32 %215, %18
  %218 = icmp slt i32 %216, %5
  %219 = icmp slt i32 %217, %5
  %220 = and i1 %34, %218
  br i1 %220, label %221, label %225

221:                                              ; preds = %197
  %222 = sext i32 %216 to i64
  %223 = getelementptr i8, ptr addrspace(1) %33, i64 %222
  %224 = load <8 x i8>, ptr addrspace(1) %223, align 8
  br label %225

225:                                              ; preds = %221, %197
  %226 = phi <8 x i8> [ %224, %221 ], [ zeroinitializer, %197 ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %227 = load i32, ptr addrspace(3) %71, align 4
  %228 = load i32, ptr addrspace(3) %72, align 4
  %229 = load i32, ptr addrspace(3) %74, align 4
  %230 = load i32, ptr addrspace(3) %75, align 4
  %231 = and i1 %35, %219
  br i1 %231, label %232, label %236

232:                                              ; preds = %225
  %233 = mul i32 %217, %4
  %234 = sext i32 %233 to i64
  %gep = getelementptr i8, ptr addrspace(1) %invariant.gep, i64 %234
  %235 = load <8 x i8>, ptr addrspace(1) %gep, align 8
  br label %236

236:                                              ; preds = %232, %225
  %237 = phi <8 x i8> [ %235, %232 ], [ zeroinitializer, %225 ]
  %238 = load <1 x i8>, ptr addrspace(3) %181, align 1
  %239 = load <1 x i8>, ptr addrspace(3) %182, align 1
  %240 = load <1 x i8>, ptr addrspace(3) %183, align 1
  %241 = shufflevector <1 x i8> %240, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %242 = load <1 x i8>, ptr addrspace(3) %184, align 1
  %243 = shufflevector <1 x i8> %242, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %244 = load <1 x i8>, ptr addrspace(3) %185, align 1
  %245 = load <1 x i8>, ptr addrspace(3) %186, align 1
  %246 = load <1 x i8>, ptr addrspace(3) %187, align 1
  %247 = shufflevector <1 x i8> %246, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %248 = load <1 x i8>, ptr addrspace(3) %188, align 1
  %249 = shufflevector <1 x i8> %248, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %250 = load <1 x i8>, ptr addrspace(3) %189, align 1
  %251 = load <1 x i8>, ptr addrspace(3) %190, align 1
  %252 = load <1 x i8>, ptr addrspace(3) %191, align 1
  %253 = shufflevector <1 x i8> %252, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %254 = load <1 x i8>, ptr addrspace(3) %192, align 1
  %255 = shufflevector <1 x i8> %254, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %256 = load <1 x i8>, ptr addrspace(3) %193, align 1
  %257 = load <1 x i8>, ptr addrspace(3) %194, align 1
  %258 = load <1 x i8>, ptr addrspace(3) %195, align 1
  %259 = shufflevector <1 x i8> %258, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %260 = load <1 x i8>, ptr addrspace(3) %196, align 1
  %261 = shufflevector <1 x i8> %260, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %262 = shufflevector <1 x i8> %238, <1 x i8> %239, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %263 = shufflevector <4 x i8> %262, <4 x i8> %241, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %264 = shufflevector <4 x i8> %263, <4 x i8> %243, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %265 = bitcast <4 x i8> %264 to i32
  %266 = shufflevector <1 x i8> %244, <1 x i8> %245, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %267 = shufflevector <4 x i8> %266, <4 x i8> %247, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %268 = shufflevector <4 x i8> %267, <4 x i8> %249, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %269 = bitcast <4 x i8> %268 to i32
  %270 = shufflevector <1 x i8> %250, <1 x i8> %251, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %271 = shufflevector <4 x i8> %270, <4 x i8> %253, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %272 = shufflevector <4 x i8> %271, <4 x i8> %255, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %273 = bitcast <4 x i8> %272 to i32
  %274 = shufflevector <1 x i8> %256, <1 x i8> %257, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %275 = shufflevector <4 x i8> %274, <4 x i8> %259, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %276 = shufflevector <4 x i8> %275, <4 x i8> %261, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %277 = bitcast <4 x i8> %276 to i32
  %278 = insertelement <16 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef>, i32 %198, i64 0
  %279 = insertelement <16 x i32> %278, i32 %199, i64 1
  %280 = insertelement <16 x i32> %279, i32 %200, i64 2
  %281 = insertelement <16 x i32> %280, i32 %201, i64 3
  %282 = insertelement <16 x i32> %281, i32 %202, i64 4
  %283 = insertelement <16 x i32> %282, i32 %203, i64 5
  %284 = insertelement <16 x i32> %283, i32 %204, i64 6
  %285 = insertelement <16 x i32> %284, i32 %205, i64 7
  %286 = insertelement <16 x i32> %285, i32 %206, i64 8
  %287 = insertelement <16 x i32> %286, i32 %207, i64 9
  %288 = insertelement <16 x i32> %287, i32 %208, i64 10
  %289 = insertelement <16 x i32> %288, i32 %209, i64 11
  %290 = insertelement <16 x i32> %289, i32 %210, i64 12
  %291 = insertelement <16 x i32> %290, i32 %211, i64 13
  %292 = insertelement <16 x i32> %291, i32 %212, i64 14
  %293 = insertelement <16 x i32> %292, i32 %213, i64 15
  %294 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %265, i32 %227, <16 x i32> %293, i32 0, i32 0, i32 0)
  %295 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %269, i32 %229, <16 x i32> %294, i32 0, i32 0, i32 0)
  %296 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %273, i32 %228, <16 x i32> %295, i32 0, i32 0, i32 0)
  %297 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %277, i32 %230, <16 x i32> %296, i32 0, i32 0, i32 0)
  %298 = extractelement <16 x i32> %297, i64 0
  %299 = extractelement <16 x i32> %297, i64 1
  %300 = extractelement <16 x i32> %297, i64 2
  %301 = extractelement <16 x i32> %297, i64 3
  %302 = extractelement <16 x i32> %297, i64 4
  %303 = extractelement <16 x i32> %297, i64 5
  %304 = extractelement <16 x i32> %297, i64 6
  %305 = extractelement <16 x i32> %297, i64 7
  %306 = extractelement <16 x i32> %297, i64 8
  %307 = extractelement <16 x i32> %297, i64 9
  %308 = extractelement <16 x i32> %297, i64 10
  %309 = extractelement <16 x i32> %297, i64 11
  %310 = extractelement <16 x i32> %297, i64 12
  %311 = extractelement <16 x i32> %297, i64 13
  %312 = extractelement <16 x i32> %297, i64 14
  %313 = extractelement <16 x i32> %297, i64 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %314 = shufflevector <8 x i8> %226, <8 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x i8> %314, ptr addrspace(3) %59, align 4
  %315 = shufflevector <8 x i8> %226, <8 x i8> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  store <4 x i8> %315, ptr addrspace(3) %62, align 4
  store <8 x i8> %237, ptr addrspace(3) %64, align 8
  %316 = icmp slt i32 %215, %65
  br i1 %316, label %197, label %._crit_edge

._crit_edge:                                      ; preds = %236, %98, %53
  %317 = phi i32 [ 0, %53 ], [ %161, %98 ], [ %298, %236 ]
  %318 = phi i32 [ 0, %53 ], [ %162, %98 ], [ %299, %236 ]
  %319 = phi i32 [ 0, %53 ], [ %163, %98 ], [ %300, %236 ]
  %320 = phi i32 [ 0, %53 ], [ %164, %98 ], [ %301, %236 ]
  %321 = phi i32 [ 0, %53 ], [ %165, %98 ], [ %302, %236 ]
  %322 = phi i32 [ 0, %53 ], [ %166, %98 ], [ %303, %236 ]
  %323 = phi i32 [ 0, %53 ], [ %167, %98 ], [ %304, %236 ]
  %324 = phi i32 [ 0, %53 ], [ %168, %98 ], [ %305, %236 ]
  %325 = phi i32 [ 0, %53 ], [ %169, %98 ], [ %306, %236 ]
  %326 = phi i32 [ 0, %53 ], [ %170, %98 ], [ %307, %236 ]
  %327 = phi i32 [ 0, %53 ], [ %171, %98 ], [ %308, %236 ]
  %328 = phi i32 [ 0, %53 ], [ %172, %98 ], [ %309, %236 ]
  %329 = phi i32 [ 0, %53 ], [ %173, %98 ], [ %310, %236 ]
  %330 = phi i32 [ 0, %53 ], [ %174, %98 ], [ %311, %236 ]
  %331 = phi i32 [ 0, %53 ], [ %175, %98 ], [ %312, %236 ]
  %332 = phi i32 [ 0, %53 ], [ %176, %98 ], [ %313, %236 ]
  %333 = add i32 %5, 31
  %334 = icmp sgt i32 %333, 31
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %334, label %335, label %._crit_edge._crit_edge

335:                                              ; preds = %._crit_edge
  %336 = shl nuw nsw i32 %22, 2
  %337 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %336
  %338 = getelementptr inbounds nuw i8, ptr addrspace(3) %337, i32 %19
  %339 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 864
  %340 = load <1 x i8>, ptr addrspace(3) %339, align 1
  %341 = shufflevector <1 x i8> %340, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %342 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 832
  %343 = load <1 x i8>, ptr addrspace(3) %342, align 1
  %344 = shufflevector <1 x i8> %343, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %345 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 800
  %346 = load <1 x i8>, ptr addrspace(3) %345, align 1
  %347 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 768
  %348 = load <1 x i8>, ptr addrspace(3) %347, align 1
  %349 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 608
  %350 = load <1 x i8>, ptr addrspace(3) %349, align 1
  %351 = shufflevector <1 x i8> %350, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %352 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 576
  %353 = load <1 x i8>, ptr addrspace(3) %352, align 1
  %354 = shufflevector <1 x i8> %353, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %355 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 544
  %356 = load <1 x i8>, ptr addrspace(3) %355, align 1
  %357 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 512
  %358 = load <1 x i8>, ptr addrspace(3) %357, align 1
  %359 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 352
  %360 = load <1 x i8>, ptr addrspace(3) %359, align 1
  %361 = shufflevector <1 x i8> %360, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %362 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 320
  %363 = load <1 x i8>, ptr addrspace(3) %362, align 1
  %364 = shufflevector <1 x i8> %363, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %365 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 288
  %366 = load <1 x i8>, ptr addrspace(3) %365, align 1
  %367 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 256
  %368 = load <1 x i8>, ptr addrspace(3) %367, align 1
  %369 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 96
  %370 = load <1 x i8>, ptr addrspace(3) %369, align 1
  %371 = shufflevector <1 x i8> %370, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %372 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 64
  %373 = load <1 x i8>, ptr addrspace(3) %372, align 1
  %374 = shufflevector <1 x i8> %373, <1 x i8> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %375 = getelementptr inbounds nuw i8, ptr addrspace(3) %338, i32 32
  %376 = load <1 x i8>, ptr addrspace(3) %375, align 1
  %377 = load <1 x i8>, ptr addrspace(3) %338, align 1
  %378 = shl nuw nsw i32 %19, 5
  %379 = and i32 %9, 12
  %380 = xor i32 %23, %379
  %381 = or disjoint i32 %380, %378
  %382 = xor i32 %381, 8
  %383 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %382
  %384 = getelementptr inbounds nuw i8, ptr addrspace(3) %383, i32 16
  %385 = load i32, ptr addrspace(3) %384, align 4
  %386 = load i32, ptr addrspace(3) %383, align 4
  %387 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %381
  %388 = getelementptr inbounds nuw i8, ptr addrspace(3) %387, i32 16
  %389 = load i32, ptr addrspace(3) %388, align 4
  %390 = load i32, ptr addrspace(3) %387, align 4
  %391 = shufflevector <1 x i8> %377, <1 x i8> %376, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %392 = shufflevector <4 x i8> %391, <4 x i8> %374, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %393 = shufflevector <4 x i8> %392, <4 x i8> %371, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %394 = bitcast <4 x i8> %393 to i32
  %395 = shufflevector <1 x i8> %368, <1 x i8> %366, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %396 = shufflevector <4 x i8> %395, <4 x i8> %364, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %397 = shufflevector <4 x i8> %396, <4 x i8> %361, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %398 = bitcast <4 x i8> %397 to i32
  %399 = shufflevector <1 x i8> %358, <1 x i8> %356, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %400 = shufflevector <4 x i8> %399, <4 x i8> %354, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %401 = shufflevector <4 x i8> %400, <4 x i8> %351, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %402 = bitcast <4 x i8> %401 to i32
  %403 = shufflevector <1 x i8> %348, <1 x i8> %346, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %404 = shufflevector <4 x i8> %403, <4 x i8> %344, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %405 = shufflevector <4 x i8> %404, <4 x i8> %341, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %406 = bitcast <4 x i8> %405 to i32
  %407 = insertelement <16 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef>, i32 %317, i64 0
  %408 = insertelement <16 x i32> %407, i32 %318, i64 1
  %409 = insertelement <16 x i32> %408, i32 %319, i64 2
  %410 = insertelement <16 x i32> %409, i32 %320, i64 3
  %411 = insertelement <16 x i32> %410, i32 %321, i64 4
  %412 = insertelement <16 x i32> %411, i32 %322, i64 5
  %413 = insertelement <16 x i32> %412, i32 %323, i64 6
  %414 = insertelement <16 x i32> %413, i32 %324, i64 7
  %415 = insertelement <16 x i32> %414, i32 %325, i64 8
  %416 = insertelement <16 x i32> %415, i32 %326, i64 9
  %417 = insertelement <16 x i32> %416, i32 %327, i64 10
  %418 = insertelement <16 x i32> %417, i32 %328, i64 11
  %419 = insertelement <16 x i32> %418, i32 %329, i64 12
  %420 = insertelement <16 x i32> %419, i32 %330, i64 13
  %421 = insertelement <16 x i32> %420, i32 %331, i64 14
  %422 = insertelement <16 x i32> %421, i32 %332, i64 15
  %423 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %394, i32 %390, <16 x i32> %422, i32 0, i32 0, i32 0)
  %424 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %398, i32 %386, <16 x i32> %423, i32 0, i32 0, i32 0)
  %425 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %402, i32 %389, <16 x i32> %424, i32 0, i32 0, i32 0)
  %426 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32 %406, i32 %385, <16 x i32> %425, i32 0, i32 0, i32 0)
  %427 = extractelement <16 x i32> %426, i64 0
  %428 = extractelement <16 x i32> %426, i64 1
  %429 = extractelement <16 x i32> %426, i64 2
  %430 = extractelement <16 x i32> %426, i64 3
  %431 = extractelement <16 x i32> %426, i64 4
  %432 = extractelement <16 x i32> %426, i64 5
  %433 = extractelement <16 x i32> %426, i64 6
  %434 = extractelement <16 x i32> %426, i64 7
  %435 = extractelement <16 x i32> %426, i64 8
  %436 = extractelement <16 x i32> %426, i64 9
  %437 = extractelement <16 x i32> %426, i64 10
  %438 = extractelement <16 x i32> %426, i64 11
  %439 = extractelement <16 x i32> %426, i64 12
  %440 = extractelement <16 x i32> %426, i64 13
  %441 = extractelement <16 x i32> %426, i64 14
  %442 = extractelement <16 x i32> %426, i64 15
  br label %._crit_edge._crit_edge

._crit_edge._crit_edge:                           ; preds = %._crit_edge, %335
  %443 = phi i32 [ %431, %335 ], [ %321, %._crit_edge ]
  %444 = phi i32 [ %427, %335 ], [ %317, %._crit_edge ]
  %445 = phi i32 [ %428, %335 ], [ %318, %._crit_edge ]
  %446 = phi i32 [ %429, %335 ], [ %319, %._crit_edge ]
  %447 = phi i32 [ %430, %335 ], [ %320, %._crit_edge ]
  %448 = phi i32 [ %432, %335 ], [ %322, %._crit_edge ]
  %449 = phi i32 [ %433, %335 ], [ %323, %._crit_edge ]
  %450 = phi i32 [ %434, %335 ], [ %324, %._crit_edge ]
  %451 = phi i32 [ %435, %335 ], [ %325, %._crit_edge ]
  %452 = phi i32 [ %436, %335 ], [ %326, %._crit_edge ]
  %453 = phi i32 [ %437, %335 ], [ %327, %._crit_edge ]
  %454 = phi i32 [ %438, %335 ], [ %328, %._crit_edge ]
  %455 = phi i32 [ %439, %335 ], [ %329, %._crit_edge ]
  %456 = phi i32 [ %440, %335 ], [ %330, %._crit_edge ]
  %457 = phi i32 [ %441, %335 ], [ %331, %._crit_edge ]
  %458 = phi i32 [ %442, %335 ], [ %332, %._crit_edge ]
  %459 = mul i32 %4, %25
  %460 = sext i32 %459 to i64
  %461 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %460
  %462 = sext i32 %30 to i64
  %463 = getelementptr [4 x i8], ptr addrspace(1) %461, i64 %462
  %464 = sext i32 %29 to i64
  %465 = getelementptr [4 x i8], ptr addrspace(1) %461, i64 %464
  %466 = getelementptr i8, ptr addrspace(1) %465, i64 96
  %467 = icmp slt i32 %25, %3
  %468 = icmp slt i32 %29, %4
  %469 = icmp slt i32 %30, %4
  %470 = and i1 %467, %468
  %471 = and i1 %467, %469
  %472 = icmp eq i32 %12, 0
  %473 = and i1 %470, %472
  br i1 %473, label %474, label %.critedge

474:                                              ; preds = %._crit_edge._crit_edge
  %475 = insertelement <4 x i32> poison, i32 %444, i64 0
  %476 = insertelement <4 x i32> %475, i32 %445, i64 1
  %477 = insertelement <4 x i32> %476, i32 %446, i64 2
  %478 = insertelement <4 x i32> %477, i32 %447, i64 3
  %479 = getelementptr i8, ptr addrspace(1) %465, i64 32
  store <4 x i32> %478, ptr addrspace(1) %465, align 16
  %480 = insertelement <4 x i32> poison, i32 %443, i64 0
  %481 = insertelement <4 x i32> %480, i32 %448, i64 1
  %482 = insertelement <4 x i32> %481, i32 %449, i64 2
  %483 = insertelement <4 x i32> %482, i32 %450, i64 3
  store <4 x i32> %483, ptr addrspace(1) %479, align 16
  br label %.critedge

.critedge:                                        ; preds = %._crit_edge._crit_edge, %474
  %484 = and i1 %471, %472
  br i1 %484, label %485, label %.critedge2

485:                                              ; preds = %.critedge
  %486 = insertelement <4 x i32> poison, i32 %455, i64 0
  %487 = insertelement <4 x i32> %486, i32 %456, i64 1
  %488 = insertelement <4 x i32> %487, i32 %457, i64 2
  %489 = insertelement <4 x i32> %488, i32 %458, i64 3
  %490 = insertelement <4 x i32> poison, i32 %451, i64 0
  %491 = insertelement <4 x i32> %490, i32 %452, i64 1
  %492 = insertelement <4 x i32> %491, i32 %453, i64 2
  %493 = insertelement <4 x i32> %492, i32 %454, i64 3
  store <4 x i32> %493, ptr addrspace(1) %463, align 16
  store <4 x i32> %489, ptr addrspace(1) %466, align 16
  br label %.critedge2

.critedge2:                                       ; preds = %.critedge, %485
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #2

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

declare noundef i32 @llvm.amdgcn.workgroup.id.y() #1

declare void @llvm.amdgcn.s.barrier() #3

declare <16 x i32> @llvm.amdgcn.mfma.i32.32x32x8i8(i32, i32, <16 x i32>, i32 immarg, i32 immarg, i32 immarg) #4

attributes #0 = { norecurse nounwind "amdgpu-agpr-alloc"="0" "amdgpu-cluster-dims"="1,1,1" "amdgpu-flat-work-group-size"="1,128" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "denormal-fp-math-f32"="ieee" "uniform-work-group-size" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }
attributes #4 = { convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
