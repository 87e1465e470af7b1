; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_90, element bf16, sum f32, tile [64, 16, 32], threads 128, dynamic_bytes 10240, stages 2
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 6
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %12 = shl nuw nsw i32 %11, 4
  %13 = icmp sgt i32 %5, 0
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %15 = lshr i32 %14, 2
  %16 = and i32 %15, 31
  %17 = or disjoint i32 %16, %10
  %18 = or disjoint i32 %17, 32
  %19 = and i32 %14, 3
  %20 = shl nuw nsw i32 %19, 2
  %21 = or disjoint i32 %20, %12
  %22 = shl nuw nsw i32 %19, 3
  %23 = mul i32 %5, %17
  %24 = mul i32 %5, %18
  %25 = sext i32 %23 to i64
  %26 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %25
  %27 = sext i32 %24 to i64
  %28 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %27
  %29 = icmp slt i32 %17, %3
  %30 = icmp slt i32 %18, %3
  %31 = icmp slt i32 %21, %4
  %32 = icmp slt i32 %22, %5
  %33 = icmp slt i32 %16, %5
  %34 = zext nneg i32 %22 to i64
  %35 = getelementptr [2 x i8], ptr addrspace(1) %26, i64 %34
  %36 = getelementptr [2 x i8], ptr addrspace(1) %28, i64 %34
  %37 = and i1 %29, %32
  %38 = and i1 %30, %32
  %39 = and i1 %13, %37
  %40 = and i1 %13, %38
  %41 = shl nuw nsw i32 %14, 4
  %42 = and i32 %41, 2032
  %43 = shl nuw nsw i32 %14, 1
  %44 = and i32 %43, 48
  %45 = xor i32 %42, %44
  %46 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %45
  %47 = select i1 %39, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %46, ptr addrspace(1) %35, i32 %47) #2
  %48 = or disjoint i32 %45, 2048
  %49 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %48
  %50 = select i1 %40, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %49, ptr addrspace(1) %36, i32 %50) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %51 = mul i32 %4, %16
  %52 = sext i32 %51 to i64
  %53 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %52
  %54 = zext nneg i32 %21 to i64
  %55 = getelementptr [2 x i8], ptr addrspace(1) %53, i64 %54
  %56 = and i1 %31, %33
  %57 = shl nuw nsw i32 %14, 3
  %58 = and i32 %57, 888
  %59 = and i32 %14, 16
  %60 = icmp eq i32 %59, 0
  %61 = select i1 %60, i32 0, i32 144
  %62 = xor i32 %61, %58
  %63 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 8192), i32 %62
  %64 = select i1 %56, i32 8, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, $2;", "r,l,r"(ptr addrspace(3) %63, ptr addrspace(1) %55, i32 %64) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %invariant.gep = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %54
  br i1 %13, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %8
  %65 = add nsw i32 %5, -32
  br label %66

66:                                               ; preds = %.lr.ph, %66
  %67 = phi i32 [ -1, %.lr.ph ], [ %81, %66 ]
  %68 = phi i32 [ 0, %.lr.ph ], [ %129, %66 ]
  %69 = phi float [ 0.000000e+00, %.lr.ph ], [ %119, %66 ]
  %70 = phi float [ 0.000000e+00, %.lr.ph ], [ %120, %66 ]
  %71 = phi float [ 0.000000e+00, %.lr.ph ], [ %121, %66 ]
  %72 = phi float [ 0.000000e+00, %.lr.ph ], [ %122, %66 ]
  %73 = phi float [ 0.000000e+00, %.lr.ph ], [ %123, %66 ]
  %74 = phi float [ 0.000000e+00, %.lr.ph ], [ %124, %66 ]
  %75 = phi float [ 0.000000e+00, %.lr.ph ], [ %125, %66 ]
  %76 = phi float [ 0.000000e+00, %.lr.ph ], [ %126, %66 ]
  %77 = phi i32 [ 0, %.lr.ph ], [ %130, %66 ]
  %78 = icmp slt i32 %77, %65
  %79 = add i32 %67, 1
  %80 = icmp sgt i32 %79, 1
  %81 = select i1 %80, i32 0, i32 %79
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %.idx = shl i32 %81, 12
  %82 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx
  %.idx16 = shl i32 %81, 10
  %83 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 8192), i32 %.idx16
  tail call void @llvm.nvvm.fence.proxy.async.shared_cta()
  %84 = ptrtoint ptr addrspace(3) %82 to i32
  %85 = lshr exact i32 %84, 4
  %86 = and i32 %85, 32767
  %87 = ptrtoint ptr addrspace(3) %83 to i32
  %88 = lshr exact i32 %87, 4
  %89 = and i32 %88, 32767
  tail call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %90 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %86, i64 0
  %91 = bitcast <2 x i32> %90 to i64
  %92 = insertelement <2 x i32> <i32 poison, i32 -1073741808>, i32 %89, i64 0
  %93 = bitcast <2 x i32> %92 to i64
  %94 = tail call { float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0,$1,$2,$3,$4,$5,$6,$7}, $16, $17, $18, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,b"(float %69, float %70, float %71, float %72, float %73, float %74, float %75, float %76, i64 %91, i64 %93, i1 true) #2
  %95 = add nuw nsw i32 %86, 2
  %96 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %95, i64 0
  %97 = bitcast <2 x i32> %96 to i64
  %98 = add nuw nsw i32 %89, 32
  %99 = insertelement <2 x i32> <i32 poison, i32 -1073741808>, i32 %98, i64 0
  %100 = bitcast <2 x i32> %99 to i64
  %101 = extractvalue { float, float, float, float, float, float, float, float } %94, 0
  %102 = extractvalue { float, float, float, float, float, float, float, float } %94, 1
  %103 = extractvalue { float, float, float, float, float, float, float, float } %94, 2
  %104 = extractvalue { float, float, float, float, float, float, float, float } %94, 3
  %105 = extractvalue { float, float, float, float, float, float, float, float } %94, 4
  %106 = extractvalue { float, float, float, float, float, float, float, float } %94, 5
  %107 = extractvalue { float, float, float, float, float, float, float, float } %94, 6
  %108 = extractvalue { float, float, float, float, float, float, float, float } %94, 7
  %109 = tail call { float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0,$1,$2,$3,$4,$5,$6,$7}, $16, $17, $18, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,b"(float %101, float %102, float %103, float %104, float %105, float %106, float %107, float %108, i64 %97, i64 %100, i1 true) #2
  %110 = extractvalue { float, float, float, float, float, float, float, float } %109, 0
  %111 = extractvalue { float, float, float, float, float, float, float, float } %109, 1
  %112 = extractvalue { float, float, float, float, float, float, float, float } %109, 2
  %113 = extractvalue { float, float, float, float, float, float, float, float } %109, 3
  %114 = extractvalue { float, float, float, float, float, float, float, float } %109, 4
  %115 = extractvalue { float, float, float, float, float, float, float, float } %109, 5
  %116 = extractvalue { float, float, float, float, float, float, float, float } %109, 6
  %117 = extractvalue { float, float, float, float, float, float, float, float } %109, 7
  tail call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %118 = tail call { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13\0A\09wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=l,=r,=r,=l,=r,=r,0,1,2,3,4,5,6,7,8,9,10,11,12,13"(float %110, float %111, float %112, float %113, float %114, float %115, float %116, float %117, ptr addrspace(3) %82, i32 0, i32 0, ptr addrspace(3) %83, i32 0, i32 0) #2
  %119 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %118, 0
  %120 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %118, 1
  %121 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %118, 2
  %122 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %118, 3
  %123 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %118, 4
  %124 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %118, 5
  %125 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %118, 6
  %126 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %118, 7
  %127 = add i32 %68, 1
  %128 = icmp sgt i32 %127, 1
  %129 = select i1 %128, i32 0, i32 %127
  %130 = add i32 %77, 32
  %131 = or disjoint i32 %130, %22
  %132 = or disjoint i32 %130, %16
  %133 = icmp slt i32 %131, %5
  %134 = icmp slt i32 %132, %5
  %135 = sext i32 %131 to i64
  %136 = getelementptr [2 x i8], ptr addrspace(1) %26, i64 %135
  %137 = getelementptr [2 x i8], ptr addrspace(1) %28, i64 %135
  %138 = and i1 %29, %133
  %139 = and i1 %30, %133
  %.idx17 = shl i32 %129, 12
  %140 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx17
  %141 = and i1 %78, %138
  %142 = and i1 %78, %139
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %143 = getelementptr inbounds nuw i8, ptr addrspace(3) %140, i32 %45
  %144 = select i1 %141, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %143, ptr addrspace(1) %136, i32 %144) #2
  %145 = getelementptr inbounds nuw i8, ptr addrspace(3) %140, i32 %48
  %146 = select i1 %142, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %145, ptr addrspace(1) %137, i32 %146) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %147 = mul i32 %132, %4
  %148 = sext i32 %147 to i64
  %gep = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %148
  %149 = and i1 %31, %134
  %.idx18 = shl i32 %129, 10
  %150 = and i1 %78, %149
  %gep20 = getelementptr i8, ptr addrspace(3) %63, i32 %.idx18
  %151 = select i1 %150, i32 8, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x8, $2;", "r,l,r"(ptr addrspace(3) %gep20, ptr addrspace(1) %gep, i32 %151) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %152 = icmp slt i32 %130, %5
  br i1 %152, label %66, label %._crit_edge

._crit_edge:                                      ; preds = %66, %8
  %153 = phi float [ 0.000000e+00, %8 ], [ %119, %66 ]
  %154 = phi float [ 0.000000e+00, %8 ], [ %120, %66 ]
  %155 = phi float [ 0.000000e+00, %8 ], [ %121, %66 ]
  %156 = phi float [ 0.000000e+00, %8 ], [ %122, %66 ]
  %157 = phi float [ 0.000000e+00, %8 ], [ %123, %66 ]
  %158 = phi float [ 0.000000e+00, %8 ], [ %124, %66 ]
  %159 = phi float [ 0.000000e+00, %8 ], [ %125, %66 ]
  %160 = phi float [ 0.000000e+00, %8 ], [ %126, %66 ]
  %161 = tail call { float, float, float, float, float, float, float, float } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7\0A\09wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"(float %153, float %154, float %155, float %156, float %157, float %158, float %159, float %160) #2
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %162 = mul i32 %4, %17
  %163 = mul i32 %4, %18
  %164 = sext i32 %162 to i64
  %165 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %164
  %166 = sext i32 %163 to i64
  %167 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %166
  %168 = getelementptr [4 x i8], ptr addrspace(1) %165, i64 %54
  %169 = getelementptr [4 x i8], ptr addrspace(1) %167, i64 %54
  %170 = and i1 %29, %31
  %171 = and i1 %30, %31
  %172 = extractvalue { float, float, float, float, float, float, float, float } %161, 0
  %173 = extractvalue { float, float, float, float, float, float, float, float } %161, 1
  %174 = extractvalue { float, float, float, float, float, float, float, float } %161, 2
  %175 = extractvalue { float, float, float, float, float, float, float, float } %161, 3
  %176 = extractvalue { float, float, float, float, float, float, float, float } %161, 4
  %177 = extractvalue { float, float, float, float, float, float, float, float } %161, 5
  %178 = extractvalue { float, float, float, float, float, float, float, float } %161, 6
  %179 = extractvalue { float, float, float, float, float, float, float, float } %161, 7
  %180 = and i32 %14, 1
  %181 = icmp eq i32 %180, 0
  %182 = select i1 %181, i32 0, i32 2056
  %183 = insertelement <4 x i32> poison, i32 %14, i64 0
  %184 = insertelement <4 x i32> %183, i32 %41, i64 1
  %185 = insertelement <4 x i32> %184, i32 %59, i64 3
  %186 = shufflevector <4 x i32> %185, <4 x i32> poison, <4 x i32> <i32 0, i32 1, i32 0, i32 3>
  %187 = shl nuw nsw <4 x i32> %186, <i32 5, i32 0, i32 2, i32 3>
  %188 = shl nuw nsw i32 %14, 2
  %189 = and <4 x i32> %187, <i32 64, i32 1536, i32 48, i32 -1>
  %190 = tail call i32 @llvm.vector.reduce.or.v4i32(<4 x i32> %189)
  %op.rdx = or disjoint i32 %190, %182
  %191 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %op.rdx
  %192 = insertelement <2 x float> poison, float %172, i64 0
  %193 = insertelement <2 x float> %192, float %173, i64 1
  store <2 x float> %193, ptr addrspace(3) %191, align 8
  %194 = getelementptr inbounds nuw i8, ptr addrspace(3) %191, i32 256
  %195 = insertelement <2 x float> poison, float %174, i64 0
  %196 = insertelement <2 x float> %195, float %175, i64 1
  store <2 x float> %196, ptr addrspace(3) %194, align 8
  %197 = xor i32 %op.rdx, 8
  %198 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %197
  %199 = insertelement <2 x float> poison, float %176, i64 0
  %200 = insertelement <2 x float> %199, float %177, i64 1
  store <2 x float> %200, ptr addrspace(3) %198, align 8
  %201 = getelementptr inbounds nuw i8, ptr addrspace(3) %198, i32 256
  %202 = insertelement <2 x float> poison, float %178, i64 0
  %203 = insertelement <2 x float> %202, float %179, i64 1
  store <2 x float> %203, ptr addrspace(3) %201, align 8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %204 = and i32 %57, 896
  %205 = and i32 %188, 56
  %206 = shl nuw nsw i32 %180, 6
  %207 = or disjoint i32 %204, %206
  %208 = or disjoint i32 %207, %205
  %209 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %208
  %210 = getelementptr inbounds nuw i8, ptr addrspace(3) %209, i32 1024
  %211 = load <2 x i32>, ptr addrspace(3) %210, align 8
  %212 = xor i32 %208, 2056
  %213 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %212
  %214 = getelementptr inbounds nuw i8, ptr addrspace(3) %213, i32 1024
  %215 = load <2 x i32>, ptr addrspace(3) %214, align 8
  %.extract = load i32, ptr addrspace(3) %209, align 8
  %216 = getelementptr inbounds nuw i8, ptr addrspace(3) %209, i32 4
  %.extract9 = load i32, ptr addrspace(3) %216, align 4
  %.extract10 = load i32, ptr addrspace(3) %213, align 8
  %217 = getelementptr inbounds nuw i8, ptr addrspace(3) %213, i32 4
  %.extract11 = load i32, ptr addrspace(3) %217, align 4
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract9, i32 %.extract10, i32 %.extract11, ptr addrspace(1) %168, i1 %170) #2
  %.extract12 = extractelement <2 x i32> %211, i64 0
  %.extract13 = extractelement <2 x i32> %211, i64 1
  %.extract14 = extractelement <2 x i32> %215, i64 0
  %.extract15 = extractelement <2 x i32> %215, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract12, i32 %.extract13, i32 %.extract14, i32 %.extract15, ptr addrspace(1) %169, i1 %171) #2
  ret void
}

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare void @llvm.nvvm.cp.async.commit.group() #2

declare void @llvm.nvvm.cp.async.wait.group(i32 immarg) #2

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

declare void @llvm.nvvm.fence.proxy.async.shared_cta() #4

declare void @llvm.nvvm.wgmma.fence.sync.aligned() #5

declare void @llvm.nvvm.wgmma.commit_group.sync.aligned() #5

declare i32 @llvm.vector.reduce.or.v4i32(<4 x i32>) #6

attributes #0 = { nounwind "nvvm.reqntid"="128" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { nocallback nounwind }
attributes #5 = { convergent nounwind }
attributes #6 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
