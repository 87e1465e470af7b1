; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target gfx942, element i8, sum i32, tile [32, 32, 32], threads 128, dynamic_bytes 2048, stages 2
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
  %56 = lshr i32 %9, 1
  %57 = and i32 %56, 24
  %58 = xor i32 %55, %57
  %59 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %58
  store <8 x i8> %44, ptr addrspace(3) %59, align 8
  %60 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %55
  store <8 x i8> %54, ptr addrspace(3) %60, align 8
  %61 = add i32 %5, -32
  %62 = icmp sgt i32 %61, 0
  br i1 %62, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %53
  %63 = shl nuw nsw i32 %19, 5
  %64 = shl nuw nsw i32 %9, 1
  %65 = and i32 %64, 24
  %66 = lshr exact i32 %22, 2
  %67 = xor i32 %65, %66
  %68 = or disjoint i32 %67, %63
  %69 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %68
  %70 = xor i32 %68, 16
  %71 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %70
  %72 = sext i32 %28 to i64
  %invariant.gep = getelementptr i8, ptr addrspace(1) %1, i64 %72
  %73 = shl nuw nsw i32 %22, 3
  %74 = or disjoint i32 %21, 32
  %75 = or disjoint i32 %18, 32
  %76 = icmp slt i32 %74, %5
  %77 = icmp slt i32 %75, %5
  %78 = and i1 %34, %76
  br i1 %78, label %79, label %83

79:                                               ; preds = %.lr.ph
  %80 = zext nneg i32 %74 to i64
  %81 = getelementptr i8, ptr addrspace(1) %33, i64 %80
  %82 = load <8 x i8>, ptr addrspace(1) %81, align 8
  br label %83

83:                                               ; preds = %79, %.lr.ph
  %84 = phi <8 x i8> [ %82, %79 ], [ zeroinitializer, %.lr.ph ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %85 = load i64, ptr addrspace(3) %69, align 8
  %86 = load i64, ptr addrspace(3) %71, align 8
  %87 = and i1 %35, %77
  br i1 %87, label %88, label %92

88:                                               ; preds = %83
  %89 = mul i32 %75, %4
  %90 = sext i32 %89 to i64
  %gep.peel = getelementptr i8, ptr addrspace(1) %invariant.gep, i64 %90
  %91 = load <8 x i8>, ptr addrspace(1) %gep.peel, align 8
  br label %92

92:                                               ; preds = %88, %83
  %93 = phi <8 x i8> [ %91, %88 ], [ zeroinitializer, %83 ]
  %94 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %73
  %95 = getelementptr inbounds nuw i8, ptr addrspace(3) %94, i32 %19
  %96 = load <1 x i8>, ptr addrspace(3) %95, align 1
  %97 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 32
  %98 = load <1 x i8>, ptr addrspace(3) %97, align 1
  %99 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 64
  %100 = load <1 x i8>, ptr addrspace(3) %99, align 1
  %101 = shufflevector <1 x i8> %100, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %102 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 96
  %103 = load <1 x i8>, ptr addrspace(3) %102, align 1
  %104 = shufflevector <1 x i8> %103, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %105 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 128
  %106 = load <1 x i8>, ptr addrspace(3) %105, align 1
  %107 = shufflevector <1 x i8> %106, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %108 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 160
  %109 = load <1 x i8>, ptr addrspace(3) %108, align 1
  %110 = shufflevector <1 x i8> %109, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %111 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 192
  %112 = load <1 x i8>, ptr addrspace(3) %111, align 1
  %113 = shufflevector <1 x i8> %112, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %114 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 224
  %115 = load <1 x i8>, ptr addrspace(3) %114, align 1
  %116 = shufflevector <1 x i8> %115, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %117 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 512
  %118 = load <1 x i8>, ptr addrspace(3) %117, align 1
  %119 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 544
  %120 = load <1 x i8>, ptr addrspace(3) %119, align 1
  %121 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 576
  %122 = load <1 x i8>, ptr addrspace(3) %121, align 1
  %123 = shufflevector <1 x i8> %122, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %124 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 608
  %125 = load <1 x i8>, ptr addrspace(3) %124, align 1
  %126 = shufflevector <1 x i8> %125, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %127 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 640
  %128 = load <1 x i8>, ptr addrspace(3) %127, align 1
  %129 = shufflevector <1 x i8> %128, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %130 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 672
  %131 = load <1 x i8>, ptr addrspace(3) %130, align 1
  %132 = shufflevector <1 x i8> %131, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %133 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 704
  %134 = load <1 x i8>, ptr addrspace(3) %133, align 1
  %135 = shufflevector <1 x i8> %134, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %136 = getelementptr inbounds nuw i8, ptr addrspace(3) %95, i32 736
  %137 = load <1 x i8>, ptr addrspace(3) %136, align 1
  %138 = shufflevector <1 x i8> %137, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %139 = shufflevector <1 x i8> %96, <1 x i8> %98, <8 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %140 = shufflevector <8 x i8> %139, <8 x i8> %101, <8 x i32> <i32 0, i32 1, i32 8, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %141 = shufflevector <8 x i8> %140, <8 x i8> %104, <8 x i32> <i32 0, i32 1, i32 2, i32 8, i32 poison, i32 poison, i32 poison, i32 poison>
  %142 = shufflevector <8 x i8> %141, <8 x i8> %107, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 poison, i32 poison, i32 poison>
  %143 = shufflevector <8 x i8> %142, <8 x i8> %110, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 poison, i32 poison>
  %144 = shufflevector <8 x i8> %143, <8 x i8> %113, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 8, i32 poison>
  %145 = shufflevector <8 x i8> %144, <8 x i8> %116, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 8>
  %146 = bitcast <8 x i8> %145 to i64
  %147 = shufflevector <1 x i8> %118, <1 x i8> %120, <8 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %148 = shufflevector <8 x i8> %147, <8 x i8> %123, <8 x i32> <i32 0, i32 1, i32 8, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %149 = shufflevector <8 x i8> %148, <8 x i8> %126, <8 x i32> <i32 0, i32 1, i32 2, i32 8, i32 poison, i32 poison, i32 poison, i32 poison>
  %150 = shufflevector <8 x i8> %149, <8 x i8> %129, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 poison, i32 poison, i32 poison>
  %151 = shufflevector <8 x i8> %150, <8 x i8> %132, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 poison, i32 poison>
  %152 = shufflevector <8 x i8> %151, <8 x i8> %135, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 8, i32 poison>
  %153 = shufflevector <8 x i8> %152, <8 x i8> %138, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 8>
  %154 = bitcast <8 x i8> %153 to i64
  %155 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64 %146, i64 %85, <16 x i32> zeroinitializer, i32 0, i32 0, i32 0)
  %156 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64 %154, i64 %86, <16 x i32> %155, i32 0, i32 0, i32 0)
  %157 = extractelement <16 x i32> %156, i64 0
  %158 = extractelement <16 x i32> %156, i64 1
  %159 = extractelement <16 x i32> %156, i64 2
  %160 = extractelement <16 x i32> %156, i64 3
  %161 = extractelement <16 x i32> %156, i64 4
  %162 = extractelement <16 x i32> %156, i64 5
  %163 = extractelement <16 x i32> %156, i64 6
  %164 = extractelement <16 x i32> %156, i64 7
  %165 = extractelement <16 x i32> %156, i64 8
  %166 = extractelement <16 x i32> %156, i64 9
  %167 = extractelement <16 x i32> %156, i64 10
  %168 = extractelement <16 x i32> %156, i64 11
  %169 = extractelement <16 x i32> %156, i64 12
  %170 = extractelement <16 x i32> %156, i64 13
  %171 = extractelement <16 x i32> %156, i64 14
  %172 = extractelement <16 x i32> %156, i64 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store <8 x i8> %84, ptr addrspace(3) %59, align 8
  store <8 x i8> %93, ptr addrspace(3) %60, align 8
  %173 = icmp samesign ugt i32 %61, 32
  br i1 %173, label %.peel.next, label %._crit_edge

.peel.next:                                       ; preds = %92
  %174 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %73
  %175 = getelementptr inbounds nuw i8, ptr addrspace(3) %174, i32 %19
  %176 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 32
  %177 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 64
  %178 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 96
  %179 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 128
  %180 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 160
  %181 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 192
  %182 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 224
  %183 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 512
  %184 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 544
  %185 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 576
  %186 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 608
  %187 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 640
  %188 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 672
  %189 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 704
  %190 = getelementptr inbounds nuw i8, ptr addrspace(3) %175, i32 736
  br label %191

191:                                              ; preds = %.peel.next, %228
  %192 = phi i32 [ %157, %.peel.next ], [ %292, %228 ]
  %193 = phi i32 [ %158, %.peel.next ], [ %293, %228 ]
  %194 = phi i32 [ %159, %.peel.next ], [ %294, %228 ]
  %195 = phi i32 [ %160, %.peel.next ], [ %295, %228 ]
  %196 = phi i32 [ %161, %.peel.next ], [ %296, %228 ]
  %197 = phi i32 [ %162, %.peel.next ], [ %297, %228 ]
  %198 = phi i32 [ %163, %.peel.next ], [ %298, %228 ]
  %199 = phi i32 [ %164, %.peel.next ], [ %299, %228 ]
  %200 = phi i32 [ %165, %.peel.next ], [ %300, %228 ]
  %201 = phi i32 [ %166, %.peel.next ], [ %301, %228 ]
  %202 = phi i32 [ %167, %.peel.next ], [ %302, %228 ]
  %203 = phi i32 [ %168, %.peel.next ], [ %303, %228 ]
  %204 = phi i32 [ %169, %.peel.next ], [ %304, %228 ]
  %205 = phi i32 [ %170, %.peel.next ], [ %305, %228 ]
  %206 = phi i32 [ %171, %.peel.next ], [ %306, %228 ]
  %207 = phi i32 [ %172, %.peel.next ], [ %307, %228 ]
  %208 = phi i32 [ 32, %.peel.next ], [ %209, %228 ]
  %209 = add i32 %208, 32
  %210 = or disjoint i32 %209, %21
  %211 = or disjoint i32 %209, %18
  %212 = icmp slt i32 %210, %5
  %213 = icmp slt i32 %211, %5
  %214 = and i1 %34, %212
  br i1 %214, label %215, label %219

215:                                              ; preds = %191
  %216 = sext i32 %210 to i64
  %217 = getelementptr i8, ptr addrspace(1) %33, i64 %216
  %218 = load <8 x i8>, ptr addrspace(1) %217, align 8
  br label %219

219:                                              ; preds = %215, %191
  %220 = phi <8 x i8> [ %218, %215 ], [ zeroinitializer, %191 ]
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %221 = load i64, ptr addrspace(3) %69, align 8
  %222 = load i64, ptr addrspace(3) %71, align 8
  %223 = and i1 %35, %213
  br i1 %223, label %224, label %228

224:                                              ; preds = %219
  %225 = mul i32 %211, %4
  %226 = sext i32 %225 to i64
  %gep = getelementptr i8, ptr addrspace(1) %invariant.gep, i64 %226
  %227 = load <8 x i8>, ptr addrspace(1) %gep, align 8
  br label %228

228:                                              ; preds = %224, %219
  %229 = phi <8 x i8> [ %227, %224 ], [ zeroinitializer, %219 ]
  %230 = load <1 x i8>, ptr addrspace(3) %175, align 1
  %231 = load <1 x i8>, ptr addrspace(3) %176, align 1
  %232 = load <1 x i8>, ptr addrspace(3) %177, align 1
  %233 = shufflevector <1 x i8> %232, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %234 = load <1 x i8>, ptr addrspace(3) %178, align 1
  %235 = shufflevector <1 x i8> %234, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %236 = load <1 x i8>, ptr addrspace(3) %179, align 1
  %237 = shufflevector <1 x i8> %236, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %238 = load <1 x i8>, ptr addrspace(3) %180, align 1
  %239 = shufflevector <1 x i8> %238, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %240 = load <1 x i8>, ptr addrspace(3) %181, align 1
  %241 = shufflevector <1 x i8> %240, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %242 = load <1 x i8>, ptr addrspace(3) %182, align 1
  %243 = shufflevector <1 x i8> %242, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %244 = load <1 x i8>, ptr addrspace(3) %183, align 1
  %245 = load <1 x i8>, ptr addrspace(3) %184, align 1
  %246 = load <1 x i8>, ptr addrspace(3) %185, align 1
  %247 = shufflevector <1 x i8> %246, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %248 = load <1 x i8>, ptr addrspace(3) %186, align 1
  %249 = shufflevector <1 x i8> %248, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %250 = load <1 x i8>, ptr addrspace(3) %187, align 1
  %251 = shufflevector <1 x i8> %250, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %252 = load <1 x i8>, ptr addrspace(3) %188, align 1
  %253 = shufflevector <1 x i8> %252, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %254 = load <1 x i8>, ptr addrspace(3) %189, align 1
  %255 = shufflevector <1 x i8> %254, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %256 = load <1 x i8>, ptr addrspace(3) %190, align 1
  %257 = shufflevector <1 x i8> %256, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %258 = shufflevector <1 x i8> %230, <1 x i8> %231, <8 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %259 = shufflevector <8 x i8> %258, <8 x i8> %233, <8 x i32> <i32 0, i32 1, i32 8, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %260 = shufflevector <8 x i8> %259, <8 x i8> %235, <8 x i32> <i32 0, i32 1, i32 2, i32 8, i32 poison, i32 poison, i32 poison, i32 poison>
  %261 = shufflevector <8 x i8> %260, <8 x i8> %237, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 poison, i32 poison, i32 poison>
  %262 = shufflevector <8 x i8> %261, <8 x i8> %239, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 poison, i32 poison>
  %263 = shufflevector <8 x i8> %262, <8 x i8> %241, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 8, i32 poison>
  %264 = shufflevector <8 x i8> %263, <8 x i8> %243, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 8>
  %265 = bitcast <8 x i8> %264 to i64
  %266 = shufflevector <1 x i8> %244, <1 x i8> %245, <8 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %267 = shufflevector <8 x i8> %266, <8 x i8> %247, <8 x i32> <i32 0, i32 1, i32 8, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %268 = shufflevector <8 x i8> %267, <8 x i8> %249, <8 x i32> <i32 0, i32 1, i32 2, i32 8, i32 poison, i32 poison, i32 poison, i32 poison>
  %269 = shufflevector <8 x i8> %268, <8 x i8> %251, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 poison, i32 poison, i32 poison>
  %270 = shufflevector <8 x i8> %269, <8 x i8> %253, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 poison, i32 poison>
  %271 = shufflevector <8 x i8> %270, <8 x i8> %255, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 8, i32 poison>
  %272 = shufflevector <8 x i8> %271, <8 x i8> %257, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 8>
  %273 = bitcast <8 x i8> %272 to i64
  %274 = insertelement <16 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef>, i32 %192, i64 0
  %275 = insertelement <16 x i32> %274, i32 %193, i64 1
  %276 = insertelement <16 x i32> %275, i32 %194, i64 2
  %277 = insertelement <16 x i32> %276, i32 %195, i64 3
  %278 = insertelement <16 x i32> %277, i32 %196, i64 4
  %279 = insertelement <16 x i32> %278, i32 %197, i64 5
  %280 = insertelement <16 x i32> %279, i32 %198, i64 6
  %281 = insertelement <16 x i32> %280, i32 %199, i64 7
  %282 = insertelement <16 x i32> %281, i32 %200, i64 8
  %283 = insertelement <16 x i32> %282, i32 %201, i64 9
  %284 = insertelement <16 x i32> %283, i32 %202, i64 10
  %285 = insertelement <16 x i32> %284, i32 %203, i64 11
  %286 = insertelement <16 x i32> %285, i32 %204, i64 12
  %287 = insertelement <16 x i32> %286, i32 %205, i64 13
  %288 = insertelement <16 x i32> %287, i32 %206, i64 14
  %289 = insertelement <16 x i32> %288, i32 %207, i64 15
  %290 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64 %265, i64 %221, <16 x i32> %289, i32 0, i32 0, i32 0)
  %291 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64 %273, i64 %222, <16 x i32> %290, i32 0, i32 0, i32 0)
  %292 = extractelement <16 x i32> %291, i64 0
  %293 = extractelement <16 x i32> %291, i64 1
  %294 = extractelement <16 x i32> %291, i64 2
  %295 = extractelement <16 x i32> %291, i64 3
  %296 = extractelement <16 x i32> %291, i64 4
  %297 = extractelement <16 x i32> %291, i64 5
  %298 = extractelement <16 x i32> %291, i64 6
  %299 = extractelement <16 x i32> %291, i64 7
  %300 = extractelement <16 x i32> %291, i64 8
  %301 = extractelement <16 x i32> %291, i64 9
  %302 = extractelement <16 x i32> %291, i64 10
  %303 = extractelement <16 x i32> %291, i64 11
  %304 = extractelement <16 x i32> %291, i64 12
  %305 = extractelement <16 x i32> %291, i64 13
  %306 = extractelement <16 x i32> %291, i64 14
  %307 = extractelement <16 x i32> %291, i64 15
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store <8 x i8> %220, ptr addrspace(3) %59, align 8
  store <8 x i8> %229, ptr addrspace(3) %60, align 8
  %308 = icmp slt i32 %209, %61
  br i1 %308, label %191, label %._crit_edge

._crit_edge:                                      ; preds = %228, %92, %53
  %309 = phi i32 [ 0, %53 ], [ %157, %92 ], [ %292, %228 ]
  %310 = phi i32 [ 0, %53 ], [ %158, %92 ], [ %293, %228 ]
  %311 = phi i32 [ 0, %53 ], [ %159, %92 ], [ %294, %228 ]
  %312 = phi i32 [ 0, %53 ], [ %160, %92 ], [ %295, %228 ]
  %313 = phi i32 [ 0, %53 ], [ %161, %92 ], [ %296, %228 ]
  %314 = phi i32 [ 0, %53 ], [ %162, %92 ], [ %297, %228 ]
  %315 = phi i32 [ 0, %53 ], [ %163, %92 ], [ %298, %228 ]
  %316 = phi i32 [ 0, %53 ], [ %164, %92 ], [ %299, %228 ]
  %317 = phi i32 [ 0, %53 ], [ %165, %92 ], [ %300, %228 ]
  %318 = phi i32 [ 0, %53 ], [ %166, %92 ], [ %301, %228 ]
  %319 = phi i32 [ 0, %53 ], [ %167, %92 ], [ %302, %228 ]
  %320 = phi i32 [ 0, %53 ], [ %168, %92 ], [ %303, %228 ]
  %321 = phi i32 [ 0, %53 ], [ %169, %92 ], [ %304, %228 ]
  %322 = phi i32 [ 0, %53 ], [ %170, %92 ], [ %305, %228 ]
  %323 = phi i32 [ 0, %53 ], [ %171, %92 ], [ %306, %228 ]
  %324 = phi i32 [ 0, %53 ], [ %172, %92 ], [ %307, %228 ]
  %325 = add i32 %5, 31
  %326 = icmp sgt i32 %325, 31
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %326, label %327, label %._crit_edge._crit_edge

327:                                              ; preds = %._crit_edge
  %328 = shl nuw nsw i32 %22, 3
  %329 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %328
  %330 = getelementptr inbounds nuw i8, ptr addrspace(3) %329, i32 %19
  %331 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 736
  %332 = load <1 x i8>, ptr addrspace(3) %331, align 1
  %333 = shufflevector <1 x i8> %332, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %334 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 704
  %335 = load <1 x i8>, ptr addrspace(3) %334, align 1
  %336 = shufflevector <1 x i8> %335, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %337 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 672
  %338 = load <1 x i8>, ptr addrspace(3) %337, align 1
  %339 = shufflevector <1 x i8> %338, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %340 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 640
  %341 = load <1 x i8>, ptr addrspace(3) %340, align 1
  %342 = shufflevector <1 x i8> %341, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %343 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 608
  %344 = load <1 x i8>, ptr addrspace(3) %343, align 1
  %345 = shufflevector <1 x i8> %344, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %346 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 576
  %347 = load <1 x i8>, ptr addrspace(3) %346, align 1
  %348 = shufflevector <1 x i8> %347, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %349 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 544
  %350 = load <1 x i8>, ptr addrspace(3) %349, align 1
  %351 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 512
  %352 = load <1 x i8>, ptr addrspace(3) %351, align 1
  %353 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 224
  %354 = load <1 x i8>, ptr addrspace(3) %353, align 1
  %355 = shufflevector <1 x i8> %354, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %356 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 192
  %357 = load <1 x i8>, ptr addrspace(3) %356, align 1
  %358 = shufflevector <1 x i8> %357, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %359 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 160
  %360 = load <1 x i8>, ptr addrspace(3) %359, align 1
  %361 = shufflevector <1 x i8> %360, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %362 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 128
  %363 = load <1 x i8>, ptr addrspace(3) %362, align 1
  %364 = shufflevector <1 x i8> %363, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %365 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 96
  %366 = load <1 x i8>, ptr addrspace(3) %365, align 1
  %367 = shufflevector <1 x i8> %366, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %368 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 64
  %369 = load <1 x i8>, ptr addrspace(3) %368, align 1
  %370 = shufflevector <1 x i8> %369, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %371 = getelementptr inbounds nuw i8, ptr addrspace(3) %330, i32 32
  %372 = load <1 x i8>, ptr addrspace(3) %371, align 1
  %373 = load <1 x i8>, ptr addrspace(3) %330, align 1
  %374 = shl nuw nsw i32 %19, 5
  %375 = shl nuw nsw i32 %9, 1
  %376 = and i32 %375, 24
  %377 = lshr exact i32 %22, 2
  %378 = xor i32 %376, %377
  %379 = or disjoint i32 %378, %374
  %380 = xor i32 %379, 16
  %381 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %380
  %382 = load i64, ptr addrspace(3) %381, align 8
  %383 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %379
  %384 = load i64, ptr addrspace(3) %383, align 8
  %385 = shufflevector <1 x i8> %373, <1 x i8> %372, <8 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %386 = shufflevector <8 x i8> %385, <8 x i8> %370, <8 x i32> <i32 0, i32 1, i32 8, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %387 = shufflevector <8 x i8> %386, <8 x i8> %367, <8 x i32> <i32 0, i32 1, i32 2, i32 8, i32 poison, i32 poison, i32 poison, i32 poison>
  %388 = shufflevector <8 x i8> %387, <8 x i8> %364, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 poison, i32 poison, i32 poison>
  %389 = shufflevector <8 x i8> %388, <8 x i8> %361, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 poison, i32 poison>
  %390 = shufflevector <8 x i8> %389, <8 x i8> %358, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 8, i32 poison>
  %391 = shufflevector <8 x i8> %390, <8 x i8> %355, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 8>
  %392 = bitcast <8 x i8> %391 to i64
  %393 = shufflevector <1 x i8> %352, <1 x i8> %350, <8 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %394 = shufflevector <8 x i8> %393, <8 x i8> %348, <8 x i32> <i32 0, i32 1, i32 8, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %395 = shufflevector <8 x i8> %394, <8 x i8> %345, <8 x i32> <i32 0, i32 1, i32 2, i32 8, i32 poison, i32 poison, i32 poison, i32 poison>
  %396 = shufflevector <8 x i8> %395, <8 x i8> %342, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 poison, i32 poison, i32 poison>
  %397 = shufflevector <8 x i8> %396, <8 x i8> %339, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 poison, i32 poison>
  %398 = shufflevector <8 x i8> %397, <8 x i8> %336, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 8, i32 poison>
  %399 = shufflevector <8 x i8> %398, <8 x i8> %333, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 8>
  %400 = bitcast <8 x i8> %399 to i64
  %401 = insertelement <16 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef, i32 undef>, i32 %309, i64 0
  %402 = insertelement <16 x i32> %401, i32 %310, i64 1
  %403 = insertelement <16 x i32> %402, i32 %311, i64 2
  %404 = insertelement <16 x i32> %403, i32 %312, i64 3
  %405 = insertelement <16 x i32> %404, i32 %313, i64 4
  %406 = insertelement <16 x i32> %405, i32 %314, i64 5
  %407 = insertelement <16 x i32> %406, i32 %315, i64 6
  %408 = insertelement <16 x i32> %407, i32 %316, i64 7
  %409 = insertelement <16 x i32> %408, i32 %317, i64 8
  %410 = insertelement <16 x i32> %409, i32 %318, i64 9
  %411 = insertelement <16 x i32> %410, i32 %319, i64 10
  %412 = insertelement <16 x i32> %411, i32 %320, i64 11
  %413 = insertelement <16 x i32> %412, i32 %321, i64 12
  %414 = insertelement <16 x i32> %413, i32 %322, i64 13
  %415 = insertelement <16 x i32> %414, i32 %323, i64 14
  %416 = insertelement <16 x i32> %415, i32 %324, i64 15
  %417 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64 %392, i64 %384, <16 x i32> %416, i32 0, i32 0, i32 0)
  %418 = tail call <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64 %400, i64 %382, <16 x i32> %417, i32 0, i32 0, i32 0)
  %419 = extractelement <16 x i32> %418, i64 0
  %420 = extractelement <16 x i32> %418, i64 1
  %421 = extractelement <16 x i32> %418, i64 2
  %422 = extractelement <16 x i32> %418, i64 3
  %423 = extractelement <16 x i32> %418, i64 4
  %424 = extractelement <16 x i32> %418, i64 5
  %425 = extractelement <16 x i32> %418, i64 6
  %426 = extractelement <16 x i32> %418, i64 7
  %427 = extractelement <16 x i32> %418, i64 8
  %428 = extractelement <16 x i32> %418, i64 9
  %429 = extractelement <16 x i32> %418, i64 10
  %430 = extractelement <16 x i32> %418, i64 11
  %431 = extractelement <16 x i32> %418, i64 12
  %432 = extractelement <16 x i32> %418, i64 13
  %433 = extractelement <16 x i32> %418, i64 14
  %434 = extractelement <16 x i32> %418, i64 15
  br label %._crit_edge._crit_edge

._crit_edge._crit_edge:                           ; preds = %._crit_edge, %327
  %435 = phi i32 [ %423, %327 ], [ %313, %._crit_edge ]
  %436 = phi i32 [ %419, %327 ], [ %309, %._crit_edge ]
  %437 = phi i32 [ %420, %327 ], [ %310, %._crit_edge ]
  %438 = phi i32 [ %421, %327 ], [ %311, %._crit_edge ]
  %439 = phi i32 [ %422, %327 ], [ %312, %._crit_edge ]
  %440 = phi i32 [ %424, %327 ], [ %314, %._crit_edge ]
  %441 = phi i32 [ %425, %327 ], [ %315, %._crit_edge ]
  %442 = phi i32 [ %426, %327 ], [ %316, %._crit_edge ]
  %443 = phi i32 [ %427, %327 ], [ %317, %._crit_edge ]
  %444 = phi i32 [ %428, %327 ], [ %318, %._crit_edge ]
  %445 = phi i32 [ %429, %327 ], [ %319, %._crit_edge ]
  %446 = phi i32 [ %430, %327 ], [ %320, %._crit_edge ]
  %447 = phi i32 [ %431, %327 ], [ %321, %._crit_edge ]
  %448 = phi i32 [ %432, %327 ], [ %322, %._crit_edge ]
  %449 = phi i32 [ %433, %327 ], [ %323, %._crit_edge ]
  %450 = phi i32 [ %434, %327 ], [ %324, %._crit_edge ]
  %451 = mul i32 %4, %25
  %452 = sext i32 %451 to i64
  %453 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %452
  %454 = sext i32 %30 to i64
  %455 = getelementptr [4 x i8], ptr addrspace(1) %453, i64 %454
  %456 = sext i32 %29 to i64
  %457 = getelementptr [4 x i8], ptr addrspace(1) %453, i64 %456
  %458 = getelementptr i8, ptr addrspace(1) %457, i64 96
  %459 = icmp slt i32 %25, %3
  %460 = icmp slt i32 %29, %4
  %461 = icmp slt i32 %30, %4
  %462 = and i1 %459, %460
  %463 = and i1 %459, %461
  %464 = icmp eq i32 %12, 0
  %465 = and i1 %462, %464
  br i1 %465, label %466, label %.critedge

466:                                              ; preds = %._crit_edge._crit_edge
  %467 = insertelement <4 x i32> poison, i32 %436, i64 0
  %468 = insertelement <4 x i32> %467, i32 %437, i64 1
  %469 = insertelement <4 x i32> %468, i32 %438, i64 2
  %470 = insertelement <4 x i32> %469, i32 %439, i64 3
  %471 = getelementptr i8, ptr addrspace(1) %457, i64 32
  store <4 x i32> %470, ptr addrspace(1) %457, align 16
  %472 = insertelement <4 x i32> poison, i32 %435, i64 0
  %473 = insertelement <4 x i32> %472, i32 %440, i64 1
  %474 = insertelement <4 x i32> %473, i32 %441, i64 2
  %475 = insertelement <4 x i32> %474, i32 %442, i64 3
  store <4 x i32> %475, ptr addrspace(1) %471, align 16
  br label %.critedge

.critedge:                                        ; preds = %._crit_edge._crit_edge, %466
  %476 = and i1 %463, %464
  br i1 %476, label %477, label %.critedge2

477:                                              ; preds = %.critedge
  %478 = insertelement <4 x i32> poison, i32 %447, i64 0
  %479 = insertelement <4 x i32> %478, i32 %448, i64 1
  %480 = insertelement <4 x i32> %479, i32 %449, i64 2
  %481 = insertelement <4 x i32> %480, i32 %450, i64 3
  %482 = insertelement <4 x i32> poison, i32 %443, i64 0
  %483 = insertelement <4 x i32> %482, i32 %444, i64 1
  %484 = insertelement <4 x i32> %483, i32 %445, i64 2
  %485 = insertelement <4 x i32> %484, i32 %446, i64 3
  store <4 x i32> %485, ptr addrspace(1) %455, align 16
  store <4 x i32> %481, ptr addrspace(1) %458, align 16
  br label %.critedge2

.critedge2:                                       ; preds = %.critedge, %477
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare i32 @llvm.amdgcn.readfirstlane.i32(i32) #2

declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

declare noundef i32 @llvm.amdgcn.workgroup.id.y() #1

declare void @llvm.amdgcn.s.barrier() #3

declare <16 x i32> @llvm.amdgcn.mfma.i32.32x32x16.i8(i64, i64, <16 x i32>, i32 immarg, i32 immarg, i32 immarg) #4

attributes #0 = { norecurse nounwind "amdgpu-agpr-alloc"="0" "amdgpu-cluster-dims"="1,1,1" "amdgpu-flat-work-group-size"="1,128" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "denormal-fp-math-f32"="ieee" "uniform-work-group-size" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nocreateundeforpoison nofree nounwind willreturn memory(none) }
attributes #3 = { convergent mustprogress nocallback nofree nounwind willreturn }
attributes #4 = { convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
