; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_80, element bf16, sum f32, tile [32, 32, 16], threads 64, dynamic_bytes 4096, stages 3
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 5
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = lshr i32 %11, 1
  %13 = and i32 %12, 31
  %14 = shl nuw nsw i32 %11, 3
  %15 = and i32 %14, 24
  %16 = or disjoint i32 %13, %10
  %17 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %18 = shl nuw nsw i32 %17, 5
  %19 = or disjoint i32 %15, %18
  %20 = and i32 %11, 1
  %21 = shl nuw nsw i32 %20, 3
  %22 = lshr i32 %11, 2
  %23 = and i32 %22, 15
  %24 = mul i32 %5, %16
  %25 = sext i32 %24 to i64
  %26 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %25
  %27 = icmp slt i32 %16, %3
  %28 = icmp slt i32 %19, %4
  %29 = icmp sgt i32 %5, 0
  %30 = icmp slt i32 %21, %5
  %31 = icmp slt i32 %23, %5
  %32 = zext nneg i32 %21 to i64
  %33 = getelementptr [2 x i8], ptr addrspace(1) %26, i64 %32
  %34 = and i1 %30, %29
  %35 = and i1 %27, %34
  %36 = shl nuw nsw i32 %11, 4
  %37 = and i32 %36, 880
  %38 = and i32 %11, 8
  %39 = icmp eq i32 %38, 0
  %40 = select i1 %39, i32 0, i32 144
  %41 = xor i32 %40, %37
  %42 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %41
  %43 = select i1 %35, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %42, ptr addrspace(1) %33, i32 %43) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %44 = mul i32 %4, %23
  %45 = sext i32 %44 to i64
  %46 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %45
  %47 = zext nneg i32 %19 to i64
  %48 = getelementptr [2 x i8], ptr addrspace(1) %46, i64 %47
  %49 = and i1 %28, %31
  %50 = and i32 %36, 1008
  %51 = and i32 %11, 24
  %52 = shl nuw nsw i32 %51, 1
  %53 = xor i32 %50, %52
  %54 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %53
  %55 = select i1 %49, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %54, ptr addrspace(1) %48, i32 %55) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %56 = icmp sgt i32 %5, 16
  %57 = or disjoint i32 %21, 16
  %58 = or disjoint i32 %23, 16
  %59 = icmp slt i32 %57, %5
  %60 = icmp slt i32 %58, %5
  %61 = zext nneg i32 %57 to i64
  %62 = getelementptr [2 x i8], ptr addrspace(1) %26, i64 %61
  %63 = and i1 %27, %59
  %64 = and i1 %56, %63
  %65 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %41
  %66 = select i1 %64, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %65, ptr addrspace(1) %62, i32 %66) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %67 = mul i32 %4, %58
  %68 = sext i32 %67 to i64
  %69 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %68
  %70 = getelementptr [2 x i8], ptr addrspace(1) %69, i64 %47
  %71 = and i1 %28, %60
  %72 = and i1 %56, %71
  %73 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 3072), i32 %53
  %74 = select i1 %72, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %73, ptr addrspace(1) %70, i32 %74) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %75 = shl nuw nsw i32 %11, 5
  %76 = and i32 %75, 352
  %77 = and i32 %11, 4
  %78 = icmp eq i32 %77, 0
  %79 = select i1 %78, i32 0, i32 144
  %80 = and i32 %11, 16
  %81 = or disjoint i32 %79, %76
  %82 = xor i32 %81, %80
  %83 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %82
  %84 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %83)
  %85 = or disjoint i32 %82, 512
  %86 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %85
  %87 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %86)
  %88 = shl nuw nsw i32 %11, 6
  %89 = and i32 %88, 960
  %90 = and i32 %14, 48
  %91 = shl nuw nsw i32 %80, 1
  %92 = and i32 %11, 32
  %93 = lshr exact i32 %92, 1
  %94 = xor i32 %90, %91
  %95 = xor i32 %94, %93
  %96 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %95
  %97 = getelementptr i8, ptr addrspace(3) %96, i32 %89
  %98 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %97)
  %invariant.gep79 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %47
  br i1 %29, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %8
  %99 = extractvalue { i32, i32, i32, i32 } %98, 3
  %100 = bitcast i32 %99 to <2 x bfloat>
  %101 = extractelement <2 x bfloat> %100, i64 1
  %102 = extractelement <2 x bfloat> %100, i64 0
  %103 = extractvalue { i32, i32, i32, i32 } %98, 2
  %104 = bitcast i32 %103 to <2 x bfloat>
  %105 = extractelement <2 x bfloat> %104, i64 1
  %106 = extractelement <2 x bfloat> %104, i64 0
  %107 = extractvalue { i32, i32, i32, i32 } %98, 1
  %108 = bitcast i32 %107 to <2 x bfloat>
  %109 = extractelement <2 x bfloat> %108, i64 1
  %110 = extractelement <2 x bfloat> %108, i64 0
  %111 = extractvalue { i32, i32, i32, i32 } %98, 0
  %112 = bitcast i32 %111 to <2 x bfloat>
  %113 = extractelement <2 x bfloat> %112, i64 1
  %114 = extractelement <2 x bfloat> %112, i64 0
  %115 = extractvalue { i32, i32, i32, i32 } %87, 3
  %116 = bitcast i32 %115 to <2 x bfloat>
  %117 = extractelement <2 x bfloat> %116, i64 1
  %118 = extractelement <2 x bfloat> %116, i64 0
  %119 = extractvalue { i32, i32, i32, i32 } %87, 2
  %120 = bitcast i32 %119 to <2 x bfloat>
  %121 = extractelement <2 x bfloat> %120, i64 1
  %122 = extractelement <2 x bfloat> %120, i64 0
  %123 = extractvalue { i32, i32, i32, i32 } %87, 1
  %124 = bitcast i32 %123 to <2 x bfloat>
  %125 = extractelement <2 x bfloat> %124, i64 1
  %126 = extractelement <2 x bfloat> %124, i64 0
  %127 = extractvalue { i32, i32, i32, i32 } %87, 0
  %128 = bitcast i32 %127 to <2 x bfloat>
  %129 = extractelement <2 x bfloat> %128, i64 1
  %130 = extractelement <2 x bfloat> %128, i64 0
  %131 = extractvalue { i32, i32, i32, i32 } %84, 3
  %132 = bitcast i32 %131 to <2 x bfloat>
  %133 = extractelement <2 x bfloat> %132, i64 1
  %134 = extractelement <2 x bfloat> %132, i64 0
  %135 = extractvalue { i32, i32, i32, i32 } %84, 2
  %136 = bitcast i32 %135 to <2 x bfloat>
  %137 = extractelement <2 x bfloat> %136, i64 1
  %138 = extractelement <2 x bfloat> %136, i64 0
  %139 = extractvalue { i32, i32, i32, i32 } %84, 1
  %140 = bitcast i32 %139 to <2 x bfloat>
  %141 = extractelement <2 x bfloat> %140, i64 1
  %142 = extractelement <2 x bfloat> %140, i64 0
  %143 = extractvalue { i32, i32, i32, i32 } %84, 0
  %144 = bitcast i32 %143 to <2 x bfloat>
  %145 = extractelement <2 x bfloat> %144, i64 1
  %146 = extractelement <2 x bfloat> %144, i64 0
  %147 = add nsw i32 %5, -32
  br label %148

148:                                              ; preds = %.lr.ph, %148
  %.pn34108 = phi bfloat [ %101, %.lr.ph ], [ %248, %148 ]
  %.pn36107 = phi bfloat [ %102, %.lr.ph ], [ %247, %148 ]
  %.pn38106 = phi bfloat [ %105, %.lr.ph ], [ %245, %148 ]
  %.pn40105 = phi bfloat [ %106, %.lr.ph ], [ %244, %148 ]
  %.pn42104 = phi bfloat [ %109, %.lr.ph ], [ %242, %148 ]
  %.pn44103 = phi bfloat [ %110, %.lr.ph ], [ %241, %148 ]
  %.pn46102 = phi bfloat [ %113, %.lr.ph ], [ %239, %148 ]
  %.pn48101 = phi bfloat [ %114, %.lr.ph ], [ %238, %148 ]
  %.pn2100 = phi bfloat [ %117, %.lr.ph ], [ %231, %148 ]
  %.pn499 = phi bfloat [ %118, %.lr.ph ], [ %230, %148 ]
  %.pn698 = phi bfloat [ %121, %.lr.ph ], [ %228, %148 ]
  %.pn897 = phi bfloat [ %122, %.lr.ph ], [ %227, %148 ]
  %.pn1096 = phi bfloat [ %125, %.lr.ph ], [ %225, %148 ]
  %.pn1295 = phi bfloat [ %126, %.lr.ph ], [ %224, %148 ]
  %.pn1494 = phi bfloat [ %129, %.lr.ph ], [ %222, %148 ]
  %.pn1693 = phi bfloat [ %130, %.lr.ph ], [ %221, %148 ]
  %.pn1892 = phi bfloat [ %133, %.lr.ph ], [ %213, %148 ]
  %.pn2091 = phi bfloat [ %134, %.lr.ph ], [ %212, %148 ]
  %.pn2290 = phi bfloat [ %137, %.lr.ph ], [ %210, %148 ]
  %.pn2489 = phi bfloat [ %138, %.lr.ph ], [ %209, %148 ]
  %.pn2688 = phi bfloat [ %141, %.lr.ph ], [ %207, %148 ]
  %.pn2887 = phi bfloat [ %142, %.lr.ph ], [ %206, %148 ]
  %.pn3086 = phi bfloat [ %145, %.lr.ph ], [ %204, %148 ]
  %.pn3285 = phi bfloat [ %146, %.lr.ph ], [ %203, %148 ]
  %149 = phi i32 [ -1, %.lr.ph ], [ %171, %148 ]
  %150 = phi i32 [ 1, %.lr.ph ], [ %174, %148 ]
  %151 = phi float [ 0.000000e+00, %.lr.ph ], [ %286, %148 ]
  %152 = phi float [ 0.000000e+00, %.lr.ph ], [ %287, %148 ]
  %153 = phi float [ 0.000000e+00, %.lr.ph ], [ %288, %148 ]
  %154 = phi float [ 0.000000e+00, %.lr.ph ], [ %289, %148 ]
  %155 = phi float [ 0.000000e+00, %.lr.ph ], [ %291, %148 ]
  %156 = phi float [ 0.000000e+00, %.lr.ph ], [ %292, %148 ]
  %157 = phi float [ 0.000000e+00, %.lr.ph ], [ %293, %148 ]
  %158 = phi float [ 0.000000e+00, %.lr.ph ], [ %294, %148 ]
  %159 = phi float [ 0.000000e+00, %.lr.ph ], [ %296, %148 ]
  %160 = phi float [ 0.000000e+00, %.lr.ph ], [ %297, %148 ]
  %161 = phi float [ 0.000000e+00, %.lr.ph ], [ %298, %148 ]
  %162 = phi float [ 0.000000e+00, %.lr.ph ], [ %299, %148 ]
  %163 = phi float [ 0.000000e+00, %.lr.ph ], [ %301, %148 ]
  %164 = phi float [ 0.000000e+00, %.lr.ph ], [ %302, %148 ]
  %165 = phi float [ 0.000000e+00, %.lr.ph ], [ %303, %148 ]
  %166 = phi float [ 0.000000e+00, %.lr.ph ], [ %304, %148 ]
  %167 = phi i32 [ 0, %.lr.ph ], [ %305, %148 ]
  %168 = icmp slt i32 %167, %147
  %169 = add i32 %149, 1
  %170 = icmp sgt i32 %169, 1
  %171 = select i1 %170, i32 0, i32 %169
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %172 = add i32 %150, 1
  %173 = icmp sgt i32 %172, 1
  %174 = select i1 %173, i32 0, i32 %172
  %175 = add i32 %167, 32
  %176 = or disjoint i32 %175, %21
  %177 = or disjoint i32 %175, %23
  %178 = icmp slt i32 %176, %5
  %179 = icmp slt i32 %177, %5
  %180 = sext i32 %176 to i64
  %181 = getelementptr [2 x i8], ptr addrspace(1) %26, i64 %180
  %182 = and i1 %27, %178
  %183 = shl i32 %174, 9
  %184 = and i1 %168, %182
  %gep = getelementptr [2 x i8], ptr addrspace(3) %42, i32 %183
  %185 = select i1 %184, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %gep, ptr addrspace(1) %181, i32 %185) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %186 = mul i32 %177, %4
  %187 = sext i32 %186 to i64
  %gep80 = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep79, i64 %187
  %188 = and i1 %28, %179
  %189 = and i1 %168, %188
  %gep82 = getelementptr [2 x i8], ptr addrspace(3) %54, i32 %183
  %190 = select i1 %189, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %gep82, ptr addrspace(1) %gep80, i32 %190) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %191 = add i32 %171, 1
  %192 = icmp sgt i32 %191, 1
  %193 = shl i32 %191, 9
  %194 = select i1 %192, i32 0, i32 %193
  %195 = getelementptr [2 x i8], ptr addrspace(3) @global_smem, i32 %194
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %196 = getelementptr inbounds nuw i8, ptr addrspace(3) %195, i32 %82
  %197 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %196)
  %198 = extractvalue { i32, i32, i32, i32 } %197, 0
  %199 = extractvalue { i32, i32, i32, i32 } %197, 1
  %200 = extractvalue { i32, i32, i32, i32 } %197, 2
  %201 = extractvalue { i32, i32, i32, i32 } %197, 3
  %202 = bitcast i32 %198 to <2 x bfloat>
  %203 = extractelement <2 x bfloat> %202, i64 0
  %204 = extractelement <2 x bfloat> %202, i64 1
  %205 = bitcast i32 %199 to <2 x bfloat>
  %206 = extractelement <2 x bfloat> %205, i64 0
  %207 = extractelement <2 x bfloat> %205, i64 1
  %208 = bitcast i32 %200 to <2 x bfloat>
  %209 = extractelement <2 x bfloat> %208, i64 0
  %210 = extractelement <2 x bfloat> %208, i64 1
  %211 = bitcast i32 %201 to <2 x bfloat>
  %212 = extractelement <2 x bfloat> %211, i64 0
  %213 = extractelement <2 x bfloat> %211, i64 1
  %214 = getelementptr inbounds nuw i8, ptr addrspace(3) %195, i32 %85
  %215 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %214)
  %216 = extractvalue { i32, i32, i32, i32 } %215, 0
  %217 = extractvalue { i32, i32, i32, i32 } %215, 1
  %218 = extractvalue { i32, i32, i32, i32 } %215, 2
  %219 = extractvalue { i32, i32, i32, i32 } %215, 3
  %220 = bitcast i32 %216 to <2 x bfloat>
  %221 = extractelement <2 x bfloat> %220, i64 0
  %222 = extractelement <2 x bfloat> %220, i64 1
  %223 = bitcast i32 %217 to <2 x bfloat>
  %224 = extractelement <2 x bfloat> %223, i64 0
  %225 = extractelement <2 x bfloat> %223, i64 1
  %226 = bitcast i32 %218 to <2 x bfloat>
  %227 = extractelement <2 x bfloat> %226, i64 0
  %228 = extractelement <2 x bfloat> %226, i64 1
  %229 = bitcast i32 %219 to <2 x bfloat>
  %230 = extractelement <2 x bfloat> %229, i64 0
  %231 = extractelement <2 x bfloat> %229, i64 1
  %gep84 = getelementptr [2 x i8], ptr addrspace(3) %97, i32 %194
  %232 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %gep84)
  %233 = extractvalue { i32, i32, i32, i32 } %232, 0
  %234 = extractvalue { i32, i32, i32, i32 } %232, 1
  %235 = extractvalue { i32, i32, i32, i32 } %232, 2
  %236 = extractvalue { i32, i32, i32, i32 } %232, 3
  %237 = bitcast i32 %233 to <2 x bfloat>
  %238 = extractelement <2 x bfloat> %237, i64 0
  %239 = extractelement <2 x bfloat> %237, i64 1
  %240 = bitcast i32 %234 to <2 x bfloat>
  %241 = extractelement <2 x bfloat> %240, i64 0
  %242 = extractelement <2 x bfloat> %240, i64 1
  %243 = bitcast i32 %235 to <2 x bfloat>
  %244 = extractelement <2 x bfloat> %243, i64 0
  %245 = extractelement <2 x bfloat> %243, i64 1
  %246 = bitcast i32 %236 to <2 x bfloat>
  %247 = extractelement <2 x bfloat> %246, i64 0
  %248 = extractelement <2 x bfloat> %246, i64 1
  %249 = insertelement <2 x bfloat> poison, bfloat %.pn3285, i64 0
  %250 = insertelement <2 x bfloat> %249, bfloat %.pn3086, i64 1
  %251 = bitcast <2 x bfloat> %250 to i32
  %252 = insertelement <2 x bfloat> poison, bfloat %.pn2887, i64 0
  %253 = insertelement <2 x bfloat> %252, bfloat %.pn2688, i64 1
  %254 = bitcast <2 x bfloat> %253 to i32
  %255 = insertelement <2 x bfloat> poison, bfloat %.pn2489, i64 0
  %256 = insertelement <2 x bfloat> %255, bfloat %.pn2290, i64 1
  %257 = bitcast <2 x bfloat> %256 to i32
  %258 = insertelement <2 x bfloat> poison, bfloat %.pn2091, i64 0
  %259 = insertelement <2 x bfloat> %258, bfloat %.pn1892, i64 1
  %260 = bitcast <2 x bfloat> %259 to i32
  %261 = insertelement <2 x bfloat> poison, bfloat %.pn1693, i64 0
  %262 = insertelement <2 x bfloat> %261, bfloat %.pn1494, i64 1
  %263 = bitcast <2 x bfloat> %262 to i32
  %264 = insertelement <2 x bfloat> poison, bfloat %.pn1295, i64 0
  %265 = insertelement <2 x bfloat> %264, bfloat %.pn1096, i64 1
  %266 = bitcast <2 x bfloat> %265 to i32
  %267 = insertelement <2 x bfloat> poison, bfloat %.pn897, i64 0
  %268 = insertelement <2 x bfloat> %267, bfloat %.pn698, i64 1
  %269 = bitcast <2 x bfloat> %268 to i32
  %270 = insertelement <2 x bfloat> poison, bfloat %.pn499, i64 0
  %271 = insertelement <2 x bfloat> %270, bfloat %.pn2100, i64 1
  %272 = bitcast <2 x bfloat> %271 to i32
  %273 = insertelement <2 x bfloat> poison, bfloat %.pn48101, i64 0
  %274 = insertelement <2 x bfloat> %273, bfloat %.pn46102, i64 1
  %275 = bitcast <2 x bfloat> %274 to i32
  %276 = insertelement <2 x bfloat> poison, bfloat %.pn44103, i64 0
  %277 = insertelement <2 x bfloat> %276, bfloat %.pn42104, i64 1
  %278 = bitcast <2 x bfloat> %277 to i32
  %279 = insertelement <2 x bfloat> poison, bfloat %.pn40105, i64 0
  %280 = insertelement <2 x bfloat> %279, bfloat %.pn38106, i64 1
  %281 = bitcast <2 x bfloat> %280 to i32
  %282 = insertelement <2 x bfloat> poison, bfloat %.pn36107, i64 0
  %283 = insertelement <2 x bfloat> %282, bfloat %.pn34108, i64 1
  %284 = bitcast <2 x bfloat> %283 to i32
  %285 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %151, float %152, float %153, float %154, i32 %251, i32 %254, i32 %257, i32 %260, i32 %275, i32 %278) #2
  %286 = extractvalue { float, float, float, float } %285, 0
  %287 = extractvalue { float, float, float, float } %285, 1
  %288 = extractvalue { float, float, float, float } %285, 2
  %289 = extractvalue { float, float, float, float } %285, 3
  %290 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %155, float %156, float %157, float %158, i32 %251, i32 %254, i32 %257, i32 %260, i32 %281, i32 %284) #2
  %291 = extractvalue { float, float, float, float } %290, 0
  %292 = extractvalue { float, float, float, float } %290, 1
  %293 = extractvalue { float, float, float, float } %290, 2
  %294 = extractvalue { float, float, float, float } %290, 3
  %295 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %159, float %160, float %161, float %162, i32 %263, i32 %266, i32 %269, i32 %272, i32 %275, i32 %278) #2
  %296 = extractvalue { float, float, float, float } %295, 0
  %297 = extractvalue { float, float, float, float } %295, 1
  %298 = extractvalue { float, float, float, float } %295, 2
  %299 = extractvalue { float, float, float, float } %295, 3
  %300 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %163, float %164, float %165, float %166, i32 %263, i32 %266, i32 %269, i32 %272, i32 %281, i32 %284) #2
  %301 = extractvalue { float, float, float, float } %300, 0
  %302 = extractvalue { float, float, float, float } %300, 1
  %303 = extractvalue { float, float, float, float } %300, 2
  %304 = extractvalue { float, float, float, float } %300, 3
  %305 = add i32 %167, 16
  %306 = icmp slt i32 %305, %5
  br i1 %306, label %148, label %._crit_edge

._crit_edge:                                      ; preds = %148, %8
  %307 = phi float [ 0.000000e+00, %8 ], [ %286, %148 ]
  %308 = phi float [ 0.000000e+00, %8 ], [ %287, %148 ]
  %309 = phi float [ 0.000000e+00, %8 ], [ %288, %148 ]
  %310 = phi float [ 0.000000e+00, %8 ], [ %289, %148 ]
  %311 = phi float [ 0.000000e+00, %8 ], [ %291, %148 ]
  %312 = phi float [ 0.000000e+00, %8 ], [ %292, %148 ]
  %313 = phi float [ 0.000000e+00, %8 ], [ %293, %148 ]
  %314 = phi float [ 0.000000e+00, %8 ], [ %294, %148 ]
  %315 = phi float [ 0.000000e+00, %8 ], [ %296, %148 ]
  %316 = phi float [ 0.000000e+00, %8 ], [ %297, %148 ]
  %317 = phi float [ 0.000000e+00, %8 ], [ %298, %148 ]
  %318 = phi float [ 0.000000e+00, %8 ], [ %299, %148 ]
  %319 = phi float [ 0.000000e+00, %8 ], [ %301, %148 ]
  %320 = phi float [ 0.000000e+00, %8 ], [ %302, %148 ]
  %321 = phi float [ 0.000000e+00, %8 ], [ %303, %148 ]
  %322 = phi float [ 0.000000e+00, %8 ], [ %304, %148 ]
  %323 = and i32 %11, 7
  %324 = shl nuw nsw i32 %323, 2
  %325 = or disjoint i32 %324, %18
  %326 = lshr i32 %11, 3
  %327 = and i32 %326, 7
  %328 = or disjoint i32 %327, %10
  %329 = or disjoint i32 %328, 24
  %330 = or disjoint i32 %328, 16
  %331 = or disjoint i32 %328, 8
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %332 = mul i32 %4, %328
  %333 = mul i32 %4, %331
  %334 = mul i32 %4, %330
  %335 = mul i32 %4, %329
  %336 = sext i32 %332 to i64
  %337 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %336
  %338 = sext i32 %333 to i64
  %339 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %338
  %340 = sext i32 %334 to i64
  %341 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %340
  %342 = sext i32 %335 to i64
  %343 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %342
  %344 = zext nneg i32 %325 to i64
  %345 = getelementptr [4 x i8], ptr addrspace(1) %337, i64 %344
  %346 = getelementptr [4 x i8], ptr addrspace(1) %339, i64 %344
  %347 = getelementptr [4 x i8], ptr addrspace(1) %341, i64 %344
  %348 = getelementptr [4 x i8], ptr addrspace(1) %343, i64 %344
  %349 = icmp slt i32 %328, %3
  %350 = icmp slt i32 %330, %3
  %351 = icmp slt i32 %325, %4
  %352 = and i1 %349, %351
  %353 = and i1 %350, %351
  %354 = shl nuw nsw i32 %51, 4
  %355 = icmp eq i32 %20, 0
  %356 = select i1 %355, i32 0, i32 1088
  %357 = and i32 %14, 16
  %358 = select i1 %78, i32 0, i32 544
  %359 = or disjoint i32 %356, %357
  %360 = or disjoint i32 %358, %354
  %361 = xor i32 %360, %92
  %362 = or disjoint i32 %359, %361
  %363 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %362
  %364 = insertelement <4 x float> poison, float %307, i64 0
  %365 = insertelement <4 x float> %364, float %308, i64 1
  %366 = insertelement <4 x float> %365, float %309, i64 2
  %367 = insertelement <4 x float> %366, float %310, i64 3
  store <4 x float> %367, ptr addrspace(3) %363, align 16
  %368 = xor i32 %362, 64
  %369 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %368
  %370 = insertelement <4 x float> poison, float %311, i64 0
  %371 = insertelement <4 x float> %370, float %312, i64 1
  %372 = insertelement <4 x float> %371, float %313, i64 2
  %373 = insertelement <4 x float> %372, float %314, i64 3
  store <4 x float> %373, ptr addrspace(3) %369, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %374 = shl nuw nsw i32 %323, 4
  %375 = and i32 %14, 384
  %376 = select i1 %39, i32 0, i32 544
  %377 = or disjoint i32 %374, %375
  %378 = xor i32 %377, %376
  %379 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %378
  %380 = load <4 x i32>, ptr addrspace(3) %379, align 16
  %381 = xor i32 %378, 1088
  %382 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %381
  %383 = load <4 x i32>, ptr addrspace(3) %382, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %384 = insertelement <4 x float> poison, float %315, i64 0
  %385 = insertelement <4 x float> %384, float %316, i64 1
  %386 = insertelement <4 x float> %385, float %317, i64 2
  %387 = insertelement <4 x float> %386, float %318, i64 3
  store <4 x float> %387, ptr addrspace(3) %363, align 16
  %388 = insertelement <4 x float> poison, float %319, i64 0
  %389 = insertelement <4 x float> %388, float %320, i64 1
  %390 = insertelement <4 x float> %389, float %321, i64 2
  %391 = insertelement <4 x float> %390, float %322, i64 3
  store <4 x float> %391, ptr addrspace(3) %369, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %392 = load <4 x i32>, ptr addrspace(3) %379, align 16
  %393 = load <4 x i32>, ptr addrspace(3) %382, align 16
  %.extract = extractelement <4 x i32> %380, i64 0
  %.extract64 = extractelement <4 x i32> %380, i64 1
  %.extract65 = extractelement <4 x i32> %383, i64 0
  %.extract66 = extractelement <4 x i32> %383, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract64, i32 %.extract65, i32 %.extract66, ptr addrspace(1) %345, i1 %352) #2
  %.extract67 = extractelement <4 x i32> %380, i64 2
  %.extract68 = extractelement <4 x i32> %380, i64 3
  %.extract69 = extractelement <4 x i32> %383, i64 2
  %.extract70 = extractelement <4 x i32> %383, i64 3
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract67, i32 %.extract68, i32 %.extract69, i32 %.extract70, ptr addrspace(1) %346, i1 %352) #2
  %.extract71 = extractelement <4 x i32> %392, i64 0
  %.extract72 = extractelement <4 x i32> %392, i64 1
  %.extract73 = extractelement <4 x i32> %393, i64 0
  %.extract74 = extractelement <4 x i32> %393, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract71, i32 %.extract72, i32 %.extract73, i32 %.extract74, ptr addrspace(1) %347, i1 %353) #2
  %.extract75 = extractelement <4 x i32> %392, i64 2
  %.extract76 = extractelement <4 x i32> %392, i64 3
  %.extract77 = extractelement <4 x i32> %393, i64 2
  %.extract78 = extractelement <4 x i32> %393, i64 3
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract75, i32 %.extract76, i32 %.extract77, i32 %.extract78, ptr addrspace(1) %348, i1 %353) #2
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
