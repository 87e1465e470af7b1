; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_80, element f16, sum f16, tile [32, 32, 16], threads 64, dynamic_bytes 2048, stages 2
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 5
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = lshr i32 %11, 1
  %13 = and i32 %12, 31
  %14 = shl nuw nsw i32 %11, 3
  %15 = and i32 %14, 24
  %16 = lshr i32 %11, 2
  %17 = and i32 %16, 15
  %18 = or disjoint i32 %13, %10
  %19 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %20 = shl nuw nsw i32 %19, 5
  %21 = or disjoint i32 %15, %20
  %22 = and i32 %11, 1
  %23 = shl nuw nsw i32 %22, 3
  %24 = mul i32 %5, %18
  %25 = sext i32 %24 to i64
  %26 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %25
  %27 = icmp slt i32 %18, %3
  %28 = icmp slt i32 %21, %4
  %29 = icmp sgt i32 %5, 0
  %30 = icmp slt i32 %23, %5
  %31 = icmp slt i32 %17, %5
  %32 = zext nneg i32 %23 to i64
  %33 = getelementptr [2 x i8], ptr addrspace(1) %26, i64 %32
  %34 = and i1 %30, %29
  %35 = and i1 %27, %34
  %36 = shl nuw nsw i32 %11, 4
  %37 = and i32 %36, 880
  %38 = and i32 %11, 8
  %39 = icmp eq i32 %38, 0
  %40 = select i1 %39, i32 0, i32 144
  %41 = xor i32 %40, %37
  %42 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %41
  %43 = select i1 %35, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %42, ptr addrspace(1) %33, i32 %43) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %44 = mul i32 %4, %17
  %45 = sext i32 %44 to i64
  %46 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %45
  %47 = zext nneg i32 %21 to i64
  %48 = getelementptr [2 x i8], ptr addrspace(1) %46, i64 %47
  %49 = and i1 %28, %31
  %50 = and i32 %36, 1008
  %51 = shl nuw nsw i32 %11, 1
  %52 = and i32 %51, 48
  %53 = xor i32 %50, %52
  %54 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %53
  %55 = select i1 %49, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %54, ptr addrspace(1) %48, i32 %55) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %56 = shl nuw nsw i32 %11, 5
  %57 = and i32 %56, 352
  %58 = and i32 %11, 4
  %59 = icmp eq i32 %58, 0
  %60 = select i1 %59, i32 0, i32 144
  %61 = and i32 %11, 16
  %62 = or disjoint i32 %60, %57
  %63 = xor i32 %62, %61
  %64 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %63
  %65 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %64)
  %66 = or disjoint i32 %63, 512
  %67 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %66
  %68 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %67)
  %69 = shl nuw nsw i32 %11, 6
  %70 = and i32 %69, 960
  %71 = and i32 %14, 48
  %72 = shl nuw nsw i32 %61, 1
  %73 = and i32 %11, 32
  %74 = lshr exact i32 %73, 1
  %75 = xor i32 %71, %72
  %76 = xor i32 %75, %74
  %77 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 1024), i32 %76
  %78 = getelementptr i8, ptr addrspace(3) %77, i32 %70
  %79 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %78)
  %invariant.gep = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %47
  br i1 %29, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %8
  %80 = extractvalue { i32, i32, i32, i32 } %79, 3
  %81 = bitcast i32 %80 to <2 x half>
  %82 = extractelement <2 x half> %81, i64 1
  %83 = extractelement <2 x half> %81, i64 0
  %84 = extractvalue { i32, i32, i32, i32 } %79, 2
  %85 = bitcast i32 %84 to <2 x half>
  %86 = extractelement <2 x half> %85, i64 1
  %87 = extractelement <2 x half> %85, i64 0
  %88 = extractvalue { i32, i32, i32, i32 } %79, 1
  %89 = bitcast i32 %88 to <2 x half>
  %90 = extractelement <2 x half> %89, i64 1
  %91 = extractelement <2 x half> %89, i64 0
  %92 = extractvalue { i32, i32, i32, i32 } %79, 0
  %93 = bitcast i32 %92 to <2 x half>
  %94 = extractelement <2 x half> %93, i64 1
  %95 = extractelement <2 x half> %93, i64 0
  %96 = extractvalue { i32, i32, i32, i32 } %68, 3
  %97 = bitcast i32 %96 to <2 x half>
  %98 = extractelement <2 x half> %97, i64 1
  %99 = extractelement <2 x half> %97, i64 0
  %100 = extractvalue { i32, i32, i32, i32 } %68, 2
  %101 = bitcast i32 %100 to <2 x half>
  %102 = extractelement <2 x half> %101, i64 1
  %103 = extractelement <2 x half> %101, i64 0
  %104 = extractvalue { i32, i32, i32, i32 } %68, 1
  %105 = bitcast i32 %104 to <2 x half>
  %106 = extractelement <2 x half> %105, i64 1
  %107 = extractelement <2 x half> %105, i64 0
  %108 = extractvalue { i32, i32, i32, i32 } %68, 0
  %109 = bitcast i32 %108 to <2 x half>
  %110 = extractelement <2 x half> %109, i64 1
  %111 = extractelement <2 x half> %109, i64 0
  %112 = extractvalue { i32, i32, i32, i32 } %65, 3
  %113 = bitcast i32 %112 to <2 x half>
  %114 = extractelement <2 x half> %113, i64 1
  %115 = extractelement <2 x half> %113, i64 0
  %116 = extractvalue { i32, i32, i32, i32 } %65, 2
  %117 = bitcast i32 %116 to <2 x half>
  %118 = extractelement <2 x half> %117, i64 1
  %119 = extractelement <2 x half> %117, i64 0
  %120 = extractvalue { i32, i32, i32, i32 } %65, 1
  %121 = bitcast i32 %120 to <2 x half>
  %122 = extractelement <2 x half> %121, i64 1
  %123 = extractelement <2 x half> %121, i64 0
  %124 = extractvalue { i32, i32, i32, i32 } %65, 0
  %125 = bitcast i32 %124 to <2 x half>
  %126 = extractelement <2 x half> %125, i64 1
  %127 = extractelement <2 x half> %125, i64 0
  %128 = add nsw i32 %5, -16
  %129 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %63
  %130 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %66
  br label %131

131:                                              ; preds = %.lr.ph, %131
  %.pn34103 = phi half [ %82, %.lr.ph ], [ %215, %131 ]
  %.pn36102 = phi half [ %83, %.lr.ph ], [ %214, %131 ]
  %.pn38101 = phi half [ %86, %.lr.ph ], [ %212, %131 ]
  %.pn40100 = phi half [ %87, %.lr.ph ], [ %211, %131 ]
  %.pn4299 = phi half [ %90, %.lr.ph ], [ %209, %131 ]
  %.pn4498 = phi half [ %91, %.lr.ph ], [ %208, %131 ]
  %.pn4697 = phi half [ %94, %.lr.ph ], [ %206, %131 ]
  %.pn4896 = phi half [ %95, %.lr.ph ], [ %205, %131 ]
  %.pn295 = phi half [ %98, %.lr.ph ], [ %198, %131 ]
  %.pn494 = phi half [ %99, %.lr.ph ], [ %197, %131 ]
  %.pn693 = phi half [ %102, %.lr.ph ], [ %195, %131 ]
  %.pn892 = phi half [ %103, %.lr.ph ], [ %194, %131 ]
  %.pn1091 = phi half [ %106, %.lr.ph ], [ %192, %131 ]
  %.pn1290 = phi half [ %107, %.lr.ph ], [ %191, %131 ]
  %.pn1489 = phi half [ %110, %.lr.ph ], [ %189, %131 ]
  %.pn1688 = phi half [ %111, %.lr.ph ], [ %188, %131 ]
  %.pn1887 = phi half [ %114, %.lr.ph ], [ %181, %131 ]
  %.pn2086 = phi half [ %115, %.lr.ph ], [ %180, %131 ]
  %.pn2285 = phi half [ %118, %.lr.ph ], [ %178, %131 ]
  %.pn2484 = phi half [ %119, %.lr.ph ], [ %177, %131 ]
  %.pn2683 = phi half [ %122, %.lr.ph ], [ %175, %131 ]
  %.pn2882 = phi half [ %123, %.lr.ph ], [ %174, %131 ]
  %.pn3081 = phi half [ %126, %.lr.ph ], [ %172, %131 ]
  %.pn3280 = phi half [ %127, %.lr.ph ], [ %171, %131 ]
  %132 = phi half [ 0.000000e+00, %.lr.ph ], [ %280, %131 ]
  %133 = phi half [ 0.000000e+00, %.lr.ph ], [ %281, %131 ]
  %134 = phi half [ 0.000000e+00, %.lr.ph ], [ %282, %131 ]
  %135 = phi half [ 0.000000e+00, %.lr.ph ], [ %283, %131 ]
  %136 = phi half [ 0.000000e+00, %.lr.ph ], [ %284, %131 ]
  %137 = phi half [ 0.000000e+00, %.lr.ph ], [ %285, %131 ]
  %138 = phi half [ 0.000000e+00, %.lr.ph ], [ %286, %131 ]
  %139 = phi half [ 0.000000e+00, %.lr.ph ], [ %287, %131 ]
  %140 = phi half [ 0.000000e+00, %.lr.ph ], [ %288, %131 ]
  %141 = phi half [ 0.000000e+00, %.lr.ph ], [ %289, %131 ]
  %142 = phi half [ 0.000000e+00, %.lr.ph ], [ %290, %131 ]
  %143 = phi half [ 0.000000e+00, %.lr.ph ], [ %291, %131 ]
  %144 = phi half [ 0.000000e+00, %.lr.ph ], [ %292, %131 ]
  %145 = phi half [ 0.000000e+00, %.lr.ph ], [ %293, %131 ]
  %146 = phi half [ 0.000000e+00, %.lr.ph ], [ %294, %131 ]
  %147 = phi half [ 0.000000e+00, %.lr.ph ], [ %295, %131 ]
  %148 = phi i32 [ 0, %.lr.ph ], [ %150, %131 ]
  %149 = icmp slt i32 %148, %128
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %150 = add i32 %148, 16
  %151 = or disjoint i32 %150, %23
  %152 = or disjoint i32 %150, %17
  %153 = icmp slt i32 %151, %5
  %154 = icmp slt i32 %152, %5
  %155 = sext i32 %151 to i64
  %156 = getelementptr [2 x i8], ptr addrspace(1) %26, i64 %155
  %157 = and i1 %27, %153
  %158 = and i1 %149, %157
  %159 = select i1 %158, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %42, ptr addrspace(1) %156, i32 %159) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %160 = mul i32 %152, %4
  %161 = sext i32 %160 to i64
  %gep = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %161
  %162 = and i1 %28, %154
  %163 = and i1 %149, %162
  %164 = select i1 %163, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %54, ptr addrspace(1) %gep, i32 %164) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %165 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %129)
  %166 = extractvalue { i32, i32, i32, i32 } %165, 0
  %167 = extractvalue { i32, i32, i32, i32 } %165, 1
  %168 = extractvalue { i32, i32, i32, i32 } %165, 2
  %169 = extractvalue { i32, i32, i32, i32 } %165, 3
  %170 = bitcast i32 %166 to <2 x half>
  %171 = extractelement <2 x half> %170, i64 0
  %172 = extractelement <2 x half> %170, i64 1
  %173 = bitcast i32 %167 to <2 x half>
  %174 = extractelement <2 x half> %173, i64 0
  %175 = extractelement <2 x half> %173, i64 1
  %176 = bitcast i32 %168 to <2 x half>
  %177 = extractelement <2 x half> %176, i64 0
  %178 = extractelement <2 x half> %176, i64 1
  %179 = bitcast i32 %169 to <2 x half>
  %180 = extractelement <2 x half> %179, i64 0
  %181 = extractelement <2 x half> %179, i64 1
  %182 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %130)
  %183 = extractvalue { i32, i32, i32, i32 } %182, 0
  %184 = extractvalue { i32, i32, i32, i32 } %182, 1
  %185 = extractvalue { i32, i32, i32, i32 } %182, 2
  %186 = extractvalue { i32, i32, i32, i32 } %182, 3
  %187 = bitcast i32 %183 to <2 x half>
  %188 = extractelement <2 x half> %187, i64 0
  %189 = extractelement <2 x half> %187, i64 1
  %190 = bitcast i32 %184 to <2 x half>
  %191 = extractelement <2 x half> %190, i64 0
  %192 = extractelement <2 x half> %190, i64 1
  %193 = bitcast i32 %185 to <2 x half>
  %194 = extractelement <2 x half> %193, i64 0
  %195 = extractelement <2 x half> %193, i64 1
  %196 = bitcast i32 %186 to <2 x half>
  %197 = extractelement <2 x half> %196, i64 0
  %198 = extractelement <2 x half> %196, i64 1
  %199 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %78)
  %200 = extractvalue { i32, i32, i32, i32 } %199, 0
  %201 = extractvalue { i32, i32, i32, i32 } %199, 1
  %202 = extractvalue { i32, i32, i32, i32 } %199, 2
  %203 = extractvalue { i32, i32, i32, i32 } %199, 3
  %204 = bitcast i32 %200 to <2 x half>
  %205 = extractelement <2 x half> %204, i64 0
  %206 = extractelement <2 x half> %204, i64 1
  %207 = bitcast i32 %201 to <2 x half>
  %208 = extractelement <2 x half> %207, i64 0
  %209 = extractelement <2 x half> %207, i64 1
  %210 = bitcast i32 %202 to <2 x half>
  %211 = extractelement <2 x half> %210, i64 0
  %212 = extractelement <2 x half> %210, i64 1
  %213 = bitcast i32 %203 to <2 x half>
  %214 = extractelement <2 x half> %213, i64 0
  %215 = extractelement <2 x half> %213, i64 1
  %216 = insertelement <2 x half> poison, half %132, i64 0
  %217 = insertelement <2 x half> %216, half %133, i64 1
  %218 = insertelement <2 x half> poison, half %134, i64 0
  %219 = insertelement <2 x half> %218, half %135, i64 1
  %220 = insertelement <2 x half> poison, half %136, i64 0
  %221 = insertelement <2 x half> %220, half %137, i64 1
  %222 = insertelement <2 x half> poison, half %138, i64 0
  %223 = insertelement <2 x half> %222, half %139, i64 1
  %224 = insertelement <2 x half> poison, half %140, i64 0
  %225 = insertelement <2 x half> %224, half %141, i64 1
  %226 = insertelement <2 x half> poison, half %142, i64 0
  %227 = insertelement <2 x half> %226, half %143, i64 1
  %228 = insertelement <2 x half> poison, half %144, i64 0
  %229 = insertelement <2 x half> %228, half %145, i64 1
  %230 = insertelement <2 x half> poison, half %146, i64 0
  %231 = insertelement <2 x half> %230, half %147, i64 1
  %232 = insertelement <2 x half> poison, half %.pn3280, i64 0
  %233 = insertelement <2 x half> %232, half %.pn3081, i64 1
  %234 = bitcast <2 x half> %233 to i32
  %235 = insertelement <2 x half> poison, half %.pn2882, i64 0
  %236 = insertelement <2 x half> %235, half %.pn2683, i64 1
  %237 = bitcast <2 x half> %236 to i32
  %238 = insertelement <2 x half> poison, half %.pn2484, i64 0
  %239 = insertelement <2 x half> %238, half %.pn2285, i64 1
  %240 = bitcast <2 x half> %239 to i32
  %241 = insertelement <2 x half> poison, half %.pn2086, i64 0
  %242 = insertelement <2 x half> %241, half %.pn1887, i64 1
  %243 = bitcast <2 x half> %242 to i32
  %244 = insertelement <2 x half> poison, half %.pn1688, i64 0
  %245 = insertelement <2 x half> %244, half %.pn1489, i64 1
  %246 = bitcast <2 x half> %245 to i32
  %247 = insertelement <2 x half> poison, half %.pn1290, i64 0
  %248 = insertelement <2 x half> %247, half %.pn1091, i64 1
  %249 = bitcast <2 x half> %248 to i32
  %250 = insertelement <2 x half> poison, half %.pn892, i64 0
  %251 = insertelement <2 x half> %250, half %.pn693, i64 1
  %252 = bitcast <2 x half> %251 to i32
  %253 = insertelement <2 x half> poison, half %.pn494, i64 0
  %254 = insertelement <2 x half> %253, half %.pn295, i64 1
  %255 = bitcast <2 x half> %254 to i32
  %256 = insertelement <2 x half> poison, half %.pn4896, i64 0
  %257 = insertelement <2 x half> %256, half %.pn4697, i64 1
  %258 = bitcast <2 x half> %257 to i32
  %259 = insertelement <2 x half> poison, half %.pn4498, i64 0
  %260 = insertelement <2 x half> %259, half %.pn4299, i64 1
  %261 = bitcast <2 x half> %260 to i32
  %262 = insertelement <2 x half> poison, half %.pn40100, i64 0
  %263 = insertelement <2 x half> %262, half %.pn38101, i64 1
  %264 = bitcast <2 x half> %263 to i32
  %265 = insertelement <2 x half> poison, half %.pn36102, i64 0
  %266 = insertelement <2 x half> %265, half %.pn34103, i64 1
  %267 = bitcast <2 x half> %266 to i32
  %268 = tail call { <2 x half>, <2 x half> } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 { $0, $1 }, { $4, $5, $6, $7 }, { $8, $9 }, { $2, $3 };", "=r,=r,0,1,r,r,r,r,r,r"(<2 x half> %217, <2 x half> %219, i32 %234, i32 %237, i32 %240, i32 %243, i32 %258, i32 %261) #2
  %269 = extractvalue { <2 x half>, <2 x half> } %268, 0
  %270 = extractvalue { <2 x half>, <2 x half> } %268, 1
  %271 = tail call { <2 x half>, <2 x half> } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 { $0, $1 }, { $4, $5, $6, $7 }, { $8, $9 }, { $2, $3 };", "=r,=r,0,1,r,r,r,r,r,r"(<2 x half> %221, <2 x half> %223, i32 %234, i32 %237, i32 %240, i32 %243, i32 %264, i32 %267) #2
  %272 = extractvalue { <2 x half>, <2 x half> } %271, 0
  %273 = extractvalue { <2 x half>, <2 x half> } %271, 1
  %274 = tail call { <2 x half>, <2 x half> } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 { $0, $1 }, { $4, $5, $6, $7 }, { $8, $9 }, { $2, $3 };", "=r,=r,0,1,r,r,r,r,r,r"(<2 x half> %225, <2 x half> %227, i32 %246, i32 %249, i32 %252, i32 %255, i32 %258, i32 %261) #2
  %275 = extractvalue { <2 x half>, <2 x half> } %274, 0
  %276 = extractvalue { <2 x half>, <2 x half> } %274, 1
  %277 = tail call { <2 x half>, <2 x half> } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 { $0, $1 }, { $4, $5, $6, $7 }, { $8, $9 }, { $2, $3 };", "=r,=r,0,1,r,r,r,r,r,r"(<2 x half> %229, <2 x half> %231, i32 %246, i32 %249, i32 %252, i32 %255, i32 %264, i32 %267) #2
  %278 = extractvalue { <2 x half>, <2 x half> } %277, 0
  %279 = extractvalue { <2 x half>, <2 x half> } %277, 1
  %280 = extractelement <2 x half> %269, i64 0
  %281 = extractelement <2 x half> %269, i64 1
  %282 = extractelement <2 x half> %270, i64 0
  %283 = extractelement <2 x half> %270, i64 1
  %284 = extractelement <2 x half> %272, i64 0
  %285 = extractelement <2 x half> %272, i64 1
  %286 = extractelement <2 x half> %273, i64 0
  %287 = extractelement <2 x half> %273, i64 1
  %288 = extractelement <2 x half> %275, i64 0
  %289 = extractelement <2 x half> %275, i64 1
  %290 = extractelement <2 x half> %276, i64 0
  %291 = extractelement <2 x half> %276, i64 1
  %292 = extractelement <2 x half> %278, i64 0
  %293 = extractelement <2 x half> %278, i64 1
  %294 = extractelement <2 x half> %279, i64 0
  %295 = extractelement <2 x half> %279, i64 1
  %296 = icmp slt i32 %150, %5
  br i1 %296, label %131, label %._crit_edge

._crit_edge:                                      ; preds = %131, %8
  %297 = phi half [ 0.000000e+00, %8 ], [ %280, %131 ]
  %298 = phi half [ 0.000000e+00, %8 ], [ %281, %131 ]
  %299 = phi half [ 0.000000e+00, %8 ], [ %282, %131 ]
  %300 = phi half [ 0.000000e+00, %8 ], [ %283, %131 ]
  %301 = phi half [ 0.000000e+00, %8 ], [ %284, %131 ]
  %302 = phi half [ 0.000000e+00, %8 ], [ %285, %131 ]
  %303 = phi half [ 0.000000e+00, %8 ], [ %286, %131 ]
  %304 = phi half [ 0.000000e+00, %8 ], [ %287, %131 ]
  %305 = phi half [ 0.000000e+00, %8 ], [ %288, %131 ]
  %306 = phi half [ 0.000000e+00, %8 ], [ %289, %131 ]
  %307 = phi half [ 0.000000e+00, %8 ], [ %290, %131 ]
  %308 = phi half [ 0.000000e+00, %8 ], [ %291, %131 ]
  %309 = phi half [ 0.000000e+00, %8 ], [ %292, %131 ]
  %310 = phi half [ 0.000000e+00, %8 ], [ %293, %131 ]
  %311 = phi half [ 0.000000e+00, %8 ], [ %294, %131 ]
  %312 = phi half [ 0.000000e+00, %8 ], [ %295, %131 ]
  %313 = or disjoint i32 %17, %10
  %314 = or disjoint i32 %313, 16
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %315 = mul i32 %4, %313
  %316 = mul i32 %4, %314
  %317 = sext i32 %315 to i64
  %318 = getelementptr [2 x i8], ptr addrspace(1) %2, i64 %317
  %319 = sext i32 %316 to i64
  %320 = getelementptr [2 x i8], ptr addrspace(1) %2, i64 %319
  %321 = getelementptr [2 x i8], ptr addrspace(1) %318, i64 %47
  %322 = getelementptr [2 x i8], ptr addrspace(1) %320, i64 %47
  %323 = icmp slt i32 %313, %3
  %324 = icmp slt i32 %314, %3
  %325 = and i1 %323, %28
  %326 = and i1 %324, %28
  %327 = shl nuw nsw i32 %11, 2
  %328 = and i32 %327, 48
  %329 = icmp eq i32 %22, 0
  %330 = select i1 %329, i32 0, i32 576
  %331 = and i32 %11, 2
  %332 = icmp eq i32 %331, 0
  %333 = select i1 %332, i32 0, i32 1032
  %334 = shl nuw nsw i32 %61, 3
  %335 = shl nuw nsw i32 %73, 1
  %336 = or disjoint i32 %333, %334
  %337 = or disjoint i32 %330, %328
  %338 = xor i32 %337, %335
  %339 = or disjoint i32 %338, %336
  %340 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %339
  %341 = insertelement <4 x half> poison, half %297, i64 0
  %342 = insertelement <4 x half> %341, half %298, i64 1
  %343 = insertelement <4 x half> %342, half %305, i64 2
  %344 = insertelement <4 x half> %343, half %306, i64 3
  store <4 x half> %344, ptr addrspace(3) %340, align 8
  %345 = getelementptr inbounds nuw i8, ptr addrspace(3) %340, i32 256
  %346 = insertelement <4 x half> poison, half %299, i64 0
  %347 = insertelement <4 x half> %346, half %300, i64 1
  %348 = insertelement <4 x half> %347, half %307, i64 2
  %349 = insertelement <4 x half> %348, half %308, i64 3
  store <4 x half> %349, ptr addrspace(3) %345, align 8
  %350 = xor i32 %339, 8
  %351 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %350
  %352 = insertelement <4 x half> poison, half %301, i64 0
  %353 = insertelement <4 x half> %352, half %302, i64 1
  %354 = insertelement <4 x half> %353, half %309, i64 2
  %355 = insertelement <4 x half> %354, half %310, i64 3
  store <4 x half> %355, ptr addrspace(3) %351, align 8
  %356 = getelementptr inbounds nuw i8, ptr addrspace(3) %351, i32 256
  %357 = insertelement <4 x half> poison, half %303, i64 0
  %358 = insertelement <4 x half> %357, half %304, i64 1
  %359 = insertelement <4 x half> %358, half %311, i64 2
  %360 = insertelement <4 x half> %359, half %312, i64 3
  store <4 x half> %360, ptr addrspace(3) %356, align 8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %361 = and i32 %14, 384
  %362 = and i32 %327, 56
  %363 = shl nuw nsw i32 %22, 6
  %364 = or disjoint i32 %361, %363
  %365 = or disjoint i32 %364, %362
  %366 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %365
  %367 = load <2 x i32>, ptr addrspace(3) %366, align 8
  %368 = xor i32 %365, 576
  %369 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %368
  %370 = load <2 x i32>, ptr addrspace(3) %369, align 8
  %371 = xor i32 %365, 1032
  %372 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %371
  %373 = load <2 x i32>, ptr addrspace(3) %372, align 8
  %374 = xor i32 %365, 1608
  %375 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %374
  %376 = load <2 x i32>, ptr addrspace(3) %375, align 8
  %.uncasted.extract = extractelement <2 x i32> %367, i64 0
  %.uncasted.extract65 = extractelement <2 x i32> %370, i64 0
  %.uncasted.extract67 = extractelement <2 x i32> %373, i64 0
  %.uncasted.extract69 = extractelement <2 x i32> %376, i64 0
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.uncasted.extract, i32 %.uncasted.extract65, i32 %.uncasted.extract67, i32 %.uncasted.extract69, ptr addrspace(1) %321, i1 %325) #2
  %.uncasted.extract71 = extractelement <2 x i32> %367, i64 1
  %.uncasted.extract73 = extractelement <2 x i32> %370, i64 1
  %.uncasted.extract75 = extractelement <2 x i32> %373, i64 1
  %.uncasted.extract77 = extractelement <2 x i32> %376, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.uncasted.extract71, i32 %.uncasted.extract73, i32 %.uncasted.extract75, i32 %.uncasted.extract77, ptr addrspace(1) %322, i1 %326) #2
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
