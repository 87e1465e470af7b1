; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_90, element tf32, sum f32, tile [64, 16, 16], threads 128, dynamic_bytes 10240, stages 2
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
  %21 = and i32 %14, 120
  %22 = lshr exact i32 %21, 3
  %23 = and i32 %14, 7
  %24 = shl nuw nsw i32 %23, 1
  %25 = or disjoint i32 %24, %12
  %26 = or disjoint i32 %25, 1
  %27 = mul i32 %5, %17
  %28 = mul i32 %5, %18
  %29 = sext i32 %27 to i64
  %30 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %29
  %31 = sext i32 %28 to i64
  %32 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %31
  %33 = icmp slt i32 %17, %3
  %34 = icmp slt i32 %18, %3
  %35 = icmp slt i32 %25, %4
  %36 = icmp slt i32 %20, %5
  %37 = icmp slt i32 %22, %5
  %38 = zext nneg i32 %20 to i64
  %39 = getelementptr [4 x i8], ptr addrspace(1) %30, i64 %38
  %40 = getelementptr [4 x i8], ptr addrspace(1) %32, i64 %38
  %41 = and i1 %33, %36
  %42 = and i1 %34, %36
  %43 = and i1 %13, %41
  %44 = and i1 %13, %42
  %45 = shl nuw nsw i32 %14, 4
  %46 = and i32 %45, 2032
  %47 = shl nuw nsw i32 %14, 1
  %48 = and i32 %47, 48
  %49 = xor i32 %46, %48
  %50 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %49
  %51 = select i1 %43, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %50, ptr addrspace(1) %39, i32 %51) #2
  %52 = or disjoint i32 %49, 2048
  %53 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %52
  %54 = select i1 %44, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %53, ptr addrspace(1) %40, i32 %54) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %55 = mul i32 %4, %22
  %56 = sext i32 %55 to i64
  %57 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %56
  %58 = zext nneg i32 %25 to i64
  %59 = getelementptr [4 x i8], ptr addrspace(1) %57, i64 %58
  %60 = zext nneg i32 %26 to i64
  %61 = getelementptr [4 x i8], ptr addrspace(1) %57, i64 %60
  %62 = and i1 %35, %37
  %63 = shl nuw nsw i32 %23, 7
  %64 = shl nuw nsw i32 %19, 4
  %65 = lshr exact i32 %21, 1
  %66 = xor i32 %64, %65
  %67 = or disjoint i32 %66, %63
  %68 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 8192), i32 %67
  %69 = select i1 %62, i32 4, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x4, $2;", "r,l,r"(ptr addrspace(3) %68, ptr addrspace(1) %59, i32 %69) #2
  %70 = or disjoint i32 %67, 64
  %71 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 8192), i32 %70
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x4, $2;", "r,l,r"(ptr addrspace(3) nonnull %71, ptr addrspace(1) %61, i32 %69) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  br i1 %13, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %8
  %72 = add nsw i32 %5, -16
  br label %73

73:                                               ; preds = %.lr.ph, %73
  %74 = phi i32 [ -1, %.lr.ph ], [ %88, %73 ]
  %75 = phi i32 [ 0, %.lr.ph ], [ %136, %73 ]
  %76 = phi float [ 0.000000e+00, %.lr.ph ], [ %126, %73 ]
  %77 = phi float [ 0.000000e+00, %.lr.ph ], [ %127, %73 ]
  %78 = phi float [ 0.000000e+00, %.lr.ph ], [ %128, %73 ]
  %79 = phi float [ 0.000000e+00, %.lr.ph ], [ %129, %73 ]
  %80 = phi float [ 0.000000e+00, %.lr.ph ], [ %130, %73 ]
  %81 = phi float [ 0.000000e+00, %.lr.ph ], [ %131, %73 ]
  %82 = phi float [ 0.000000e+00, %.lr.ph ], [ %132, %73 ]
  %83 = phi float [ 0.000000e+00, %.lr.ph ], [ %133, %73 ]
  %84 = phi i32 [ 0, %.lr.ph ], [ %137, %73 ]
  %85 = icmp slt i32 %84, %72
  %86 = add i32 %74, 1
  %87 = icmp sgt i32 %86, 1
  %88 = select i1 %87, i32 0, i32 %86
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %.idx = shl i32 %88, 12
  %89 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx
  %.idx16 = shl i32 %88, 10
  %90 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 8192), i32 %.idx16
  tail call void @llvm.nvvm.fence.proxy.async.shared_cta()
  %91 = ptrtoint ptr addrspace(3) %89 to i32
  %92 = lshr exact i32 %91, 4
  %93 = and i32 %92, 32767
  %94 = ptrtoint ptr addrspace(3) %90 to i32
  %95 = lshr exact i32 %94, 4
  %96 = and i32 %95, 32767
  tail call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %97 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %93, i64 0
  %98 = bitcast <2 x i32> %97 to i64
  %99 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %96, i64 0
  %100 = bitcast <2 x i32> %99 to i64
  %101 = tail call { float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {$0,$1,$2,$3,$4,$5,$6,$7}, $16, $17, $18, 1, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,b"(float %76, float %77, float %78, float %79, float %80, float %81, float %82, float %83, i64 %98, i64 %100, i1 true) #2
  %102 = add nuw nsw i32 %93, 2
  %103 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %102, i64 0
  %104 = bitcast <2 x i32> %103 to i64
  %105 = add nuw nsw i32 %96, 2
  %106 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %105, i64 0
  %107 = bitcast <2 x i32> %106 to i64
  %108 = extractvalue { float, float, float, float, float, float, float, float } %101, 0
  %109 = extractvalue { float, float, float, float, float, float, float, float } %101, 1
  %110 = extractvalue { float, float, float, float, float, float, float, float } %101, 2
  %111 = extractvalue { float, float, float, float, float, float, float, float } %101, 3
  %112 = extractvalue { float, float, float, float, float, float, float, float } %101, 4
  %113 = extractvalue { float, float, float, float, float, float, float, float } %101, 5
  %114 = extractvalue { float, float, float, float, float, float, float, float } %101, 6
  %115 = extractvalue { float, float, float, float, float, float, float, float } %101, 7
  %116 = tail call { float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {$0,$1,$2,$3,$4,$5,$6,$7}, $16, $17, $18, 1, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l,b"(float %108, float %109, float %110, float %111, float %112, float %113, float %114, float %115, i64 %104, i64 %107, i1 true) #2
  %117 = extractvalue { float, float, float, float, float, float, float, float } %116, 0
  %118 = extractvalue { float, float, float, float, float, float, float, float } %116, 1
  %119 = extractvalue { float, float, float, float, float, float, float, float } %116, 2
  %120 = extractvalue { float, float, float, float, float, float, float, float } %116, 3
  %121 = extractvalue { float, float, float, float, float, float, float, float } %116, 4
  %122 = extractvalue { float, float, float, float, float, float, float, float } %116, 5
  %123 = extractvalue { float, float, float, float, float, float, float, float } %116, 6
  %124 = extractvalue { float, float, float, float, float, float, float, float } %116, 7
  tail call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %125 = tail call { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13\0A\09wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=l,=r,=r,=l,=r,=r,0,1,2,3,4,5,6,7,8,9,10,11,12,13"(float %117, float %118, float %119, float %120, float %121, float %122, float %123, float %124, ptr addrspace(3) %89, i32 0, i32 0, ptr addrspace(3) %90, i32 0, i32 0) #2
  %126 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %125, 0
  %127 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %125, 1
  %128 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %125, 2
  %129 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %125, 3
  %130 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %125, 4
  %131 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %125, 5
  %132 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %125, 6
  %133 = extractvalue { float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %125, 7
  %134 = add i32 %75, 1
  %135 = icmp sgt i32 %134, 1
  %136 = select i1 %135, i32 0, i32 %134
  %137 = add i32 %84, 16
  %138 = or disjoint i32 %137, %20
  %139 = or disjoint i32 %137, %22
  %140 = icmp slt i32 %138, %5
  %141 = icmp slt i32 %139, %5
  %142 = sext i32 %138 to i64
  %143 = getelementptr [4 x i8], ptr addrspace(1) %30, i64 %142
  %144 = getelementptr [4 x i8], ptr addrspace(1) %32, i64 %142
  %145 = and i1 %33, %140
  %146 = and i1 %34, %140
  %.idx17 = shl i32 %136, 12
  %147 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx17
  %148 = and i1 %85, %145
  %149 = and i1 %85, %146
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %150 = getelementptr inbounds nuw i8, ptr addrspace(3) %147, i32 %49
  %151 = select i1 %148, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %150, ptr addrspace(1) %143, i32 %151) #2
  %152 = getelementptr inbounds nuw i8, ptr addrspace(3) %147, i32 %52
  %153 = select i1 %149, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %152, ptr addrspace(1) %144, i32 %153) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %154 = mul i32 %139, %4
  %155 = sext i32 %154 to i64
  %156 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %155
  %157 = getelementptr [4 x i8], ptr addrspace(1) %156, i64 %58
  %158 = getelementptr [4 x i8], ptr addrspace(1) %156, i64 %60
  %159 = and i1 %35, %141
  %.idx18 = shl i32 %136, 10
  %160 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 8192), i32 %.idx18
  %161 = and i1 %85, %159
  %162 = getelementptr inbounds nuw i8, ptr addrspace(3) %160, i32 %67
  %163 = select i1 %161, i32 4, i32 0
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x4, $2;", "r,l,r"(ptr addrspace(3) %162, ptr addrspace(1) %157, i32 %163) #2
  %164 = getelementptr inbounds nuw i8, ptr addrspace(3) %160, i32 %70
  tail call void asm sideeffect "cp.async.ca.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x4, $2;", "r,l,r"(ptr addrspace(3) nonnull %164, ptr addrspace(1) %158, i32 %163) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %165 = icmp slt i32 %137, %5
  br i1 %165, label %73, label %._crit_edge

._crit_edge:                                      ; preds = %73, %8
  %166 = phi float [ 0.000000e+00, %8 ], [ %126, %73 ]
  %167 = phi float [ 0.000000e+00, %8 ], [ %127, %73 ]
  %168 = phi float [ 0.000000e+00, %8 ], [ %128, %73 ]
  %169 = phi float [ 0.000000e+00, %8 ], [ %129, %73 ]
  %170 = phi float [ 0.000000e+00, %8 ], [ %130, %73 ]
  %171 = phi float [ 0.000000e+00, %8 ], [ %131, %73 ]
  %172 = phi float [ 0.000000e+00, %8 ], [ %132, %73 ]
  %173 = phi float [ 0.000000e+00, %8 ], [ %133, %73 ]
  %174 = or disjoint i32 %20, %12
  %175 = tail call { float, float, float, float, float, float, float, float } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7\0A\09wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"(float %166, float %167, float %168, float %169, float %170, float %171, float %172, float %173) #2
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %176 = mul i32 %4, %17
  %177 = mul i32 %4, %18
  %178 = sext i32 %176 to i64
  %179 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %178
  %180 = sext i32 %177 to i64
  %181 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %180
  %182 = zext nneg i32 %174 to i64
  %183 = getelementptr [4 x i8], ptr addrspace(1) %179, i64 %182
  %184 = getelementptr [4 x i8], ptr addrspace(1) %181, i64 %182
  %185 = icmp slt i32 %174, %4
  %186 = and i1 %33, %185
  %187 = and i1 %34, %185
  %188 = extractvalue { float, float, float, float, float, float, float, float } %175, 0
  %189 = extractvalue { float, float, float, float, float, float, float, float } %175, 1
  %190 = extractvalue { float, float, float, float, float, float, float, float } %175, 2
  %191 = extractvalue { float, float, float, float, float, float, float, float } %175, 3
  %192 = extractvalue { float, float, float, float, float, float, float, float } %175, 4
  %193 = extractvalue { float, float, float, float, float, float, float, float } %175, 5
  %194 = extractvalue { float, float, float, float, float, float, float, float } %175, 6
  %195 = extractvalue { float, float, float, float, float, float, float, float } %175, 7
  %196 = and i32 %14, 1
  %197 = icmp eq i32 %196, 0
  %198 = select i1 %197, i32 0, i32 2056
  %199 = insertelement <4 x i32> poison, i32 %45, i64 0
  %200 = insertelement <4 x i32> %199, i32 %14, i64 1
  %201 = shufflevector <4 x i32> %200, <4 x i32> poison, <4 x i32> <i32 0, i32 1, i32 1, i32 1>
  %202 = shl nuw nsw <4 x i32> %201, <i32 0, i32 2, i32 5, i32 3>
  %203 = and <4 x i32> %202, <i32 1536, i32 48, i32 64, i32 128>
  %204 = tail call i32 @llvm.vector.reduce.or.v4i32(<4 x i32> %203)
  %op.rdx = or disjoint i32 %204, %198
  %205 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %op.rdx
  %206 = insertelement <2 x float> poison, float %188, i64 0
  %207 = insertelement <2 x float> %206, float %189, i64 1
  store <2 x float> %207, ptr addrspace(3) %205, align 8
  %208 = getelementptr inbounds nuw i8, ptr addrspace(3) %205, i32 256
  %209 = insertelement <2 x float> poison, float %190, i64 0
  %210 = insertelement <2 x float> %209, float %191, i64 1
  store <2 x float> %210, ptr addrspace(3) %208, align 8
  %211 = xor i32 %op.rdx, 8
  %212 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %211
  %213 = insertelement <2 x float> poison, float %192, i64 0
  %214 = insertelement <2 x float> %213, float %193, i64 1
  store <2 x float> %214, ptr addrspace(3) %212, align 8
  %215 = getelementptr inbounds nuw i8, ptr addrspace(3) %212, i32 256
  %216 = insertelement <2 x float> poison, float %194, i64 0
  %217 = insertelement <2 x float> %216, float %195, i64 1
  store <2 x float> %217, ptr addrspace(3) %215, align 8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %218 = extractelement <4 x i32> %202, i64 3
  %219 = and i32 %218, 896
  %220 = extractelement <4 x i32> %202, i64 1
  %221 = and i32 %220, 56
  %222 = shl nuw nsw i32 %196, 6
  %223 = or disjoint i32 %219, %222
  %224 = or disjoint i32 %223, %221
  %225 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %224
  %226 = getelementptr inbounds nuw i8, ptr addrspace(3) %225, i32 1024
  %227 = load <2 x i32>, ptr addrspace(3) %226, align 8
  %228 = xor i32 %224, 2056
  %229 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %228
  %230 = getelementptr inbounds nuw i8, ptr addrspace(3) %229, i32 1024
  %231 = load <2 x i32>, ptr addrspace(3) %230, align 8
  %.extract = load i32, ptr addrspace(3) %225, align 8
  %232 = getelementptr inbounds nuw i8, ptr addrspace(3) %225, i32 4
  %.extract9 = load i32, ptr addrspace(3) %232, align 4
  %.extract10 = load i32, ptr addrspace(3) %229, align 8
  %233 = getelementptr inbounds nuw i8, ptr addrspace(3) %229, i32 4
  %.extract11 = load i32, ptr addrspace(3) %233, align 4
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract9, i32 %.extract10, i32 %.extract11, ptr addrspace(1) %183, i1 %186) #2
  %.extract12 = extractelement <2 x i32> %227, i64 0
  %.extract13 = extractelement <2 x i32> %227, i64 1
  %.extract14 = extractelement <2 x i32> %231, i64 0
  %.extract15 = extractelement <2 x i32> %231, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract12, i32 %.extract13, i32 %.extract14, i32 %.extract15, ptr addrspace(1) %184, i1 %187) #2
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
