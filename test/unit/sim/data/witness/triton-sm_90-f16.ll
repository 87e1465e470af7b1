; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_90, element f16, sum f32, tile [64, 32, 32], threads 128, dynamic_bytes 18432, stages 3
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 6
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = lshr i32 %11, 2
  %13 = and i32 %12, 31
  %14 = or disjoint i32 %13, 32
  %15 = or disjoint i32 %13, %10
  %16 = or disjoint i32 %14, %10
  %17 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %18 = shl nuw nsw i32 %17, 5
  %19 = shl nuw nsw i32 %11, 3
  %20 = and i32 %19, 24
  %21 = or disjoint i32 %20, %18
  %22 = mul i32 %5, %15
  %23 = mul i32 %5, %16
  %24 = sext i32 %22 to i64
  %25 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %24
  %26 = sext i32 %23 to i64
  %27 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %26
  %28 = icmp slt i32 %15, %3
  %29 = icmp slt i32 %16, %3
  %30 = icmp slt i32 %21, %4
  %31 = icmp slt i32 %20, %5
  %32 = icmp slt i32 %13, %5
  %33 = zext nneg i32 %20 to i64
  %34 = getelementptr [2 x i8], ptr addrspace(1) %25, i64 %33
  %35 = getelementptr [2 x i8], ptr addrspace(1) %27, i64 %33
  %36 = and i1 %28, %31
  %37 = and i1 %29, %31
  %38 = shl nuw nsw i32 %11, 4
  %39 = and i32 %38, 2032
  %40 = shl nuw nsw i32 %11, 1
  %41 = and i32 %40, 48
  %42 = xor i32 %39, %41
  %43 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %42
  %44 = select i1 %36, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %43, ptr addrspace(1) %34, i32 %44) #2
  %45 = or disjoint i32 %42, 2048
  %46 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %45
  %47 = select i1 %37, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %46, ptr addrspace(1) %35, i32 %47) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %48 = mul i32 %4, %13
  %49 = sext i32 %48 to i64
  %50 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %49
  %51 = zext nneg i32 %21 to i64
  %52 = getelementptr [2 x i8], ptr addrspace(1) %50, i64 %51
  %53 = and i1 %30, %32
  %54 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 12288), i32 %42
  %55 = select i1 %53, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %54, ptr addrspace(1) %52, i32 %55) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %56 = icmp sgt i32 %5, 32
  %57 = or disjoint i32 %20, 32
  %58 = icmp slt i32 %57, %5
  %59 = icmp slt i32 %14, %5
  %60 = zext nneg i32 %57 to i64
  %61 = getelementptr [2 x i8], ptr addrspace(1) %25, i64 %60
  %62 = getelementptr [2 x i8], ptr addrspace(1) %27, i64 %60
  %63 = and i1 %28, %58
  %64 = and i1 %29, %58
  %65 = and i1 %56, %63
  %66 = and i1 %56, %64
  %67 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %42
  %68 = select i1 %65, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %67, ptr addrspace(1) %61, i32 %68) #2
  %69 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %45
  %70 = select i1 %66, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %69, ptr addrspace(1) %62, i32 %70) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %71 = mul i32 %4, %14
  %72 = sext i32 %71 to i64
  %73 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %72
  %74 = getelementptr [2 x i8], ptr addrspace(1) %73, i64 %51
  %75 = and i1 %30, %59
  %76 = and i1 %56, %75
  %77 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 14336), i32 %42
  %78 = select i1 %76, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %77, ptr addrspace(1) %74, i32 %78) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %invariant.gep = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %51
  %79 = icmp sgt i32 %5, 0
  br i1 %79, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %8
  %80 = add nsw i32 %5, -64
  br label %81

81:                                               ; preds = %.lr.ph, %81
  %82 = phi i32 [ -1, %.lr.ph ], [ %104, %81 ]
  %83 = phi i32 [ 1, %.lr.ph ], [ %176, %81 ]
  %84 = phi float [ 0.000000e+00, %.lr.ph ], [ %158, %81 ]
  %85 = phi float [ 0.000000e+00, %.lr.ph ], [ %159, %81 ]
  %86 = phi float [ 0.000000e+00, %.lr.ph ], [ %160, %81 ]
  %87 = phi float [ 0.000000e+00, %.lr.ph ], [ %161, %81 ]
  %88 = phi float [ 0.000000e+00, %.lr.ph ], [ %162, %81 ]
  %89 = phi float [ 0.000000e+00, %.lr.ph ], [ %163, %81 ]
  %90 = phi float [ 0.000000e+00, %.lr.ph ], [ %164, %81 ]
  %91 = phi float [ 0.000000e+00, %.lr.ph ], [ %165, %81 ]
  %92 = phi float [ 0.000000e+00, %.lr.ph ], [ %166, %81 ]
  %93 = phi float [ 0.000000e+00, %.lr.ph ], [ %167, %81 ]
  %94 = phi float [ 0.000000e+00, %.lr.ph ], [ %168, %81 ]
  %95 = phi float [ 0.000000e+00, %.lr.ph ], [ %169, %81 ]
  %96 = phi float [ 0.000000e+00, %.lr.ph ], [ %170, %81 ]
  %97 = phi float [ 0.000000e+00, %.lr.ph ], [ %171, %81 ]
  %98 = phi float [ 0.000000e+00, %.lr.ph ], [ %172, %81 ]
  %99 = phi float [ 0.000000e+00, %.lr.ph ], [ %173, %81 ]
  %100 = phi i32 [ 0, %.lr.ph ], [ %199, %81 ]
  %101 = icmp slt i32 %100, %80
  %102 = add i32 %82, 1
  %103 = icmp sgt i32 %102, 2
  %104 = select i1 %103, i32 0, i32 %102
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %.idx = shl i32 %104, 12
  %105 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx
  %.idx32 = shl i32 %104, 11
  %106 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 12288), i32 %.idx32
  tail call void @llvm.nvvm.fence.proxy.async.shared_cta()
  %107 = ptrtoint ptr addrspace(3) %105 to i32
  %108 = lshr exact i32 %107, 4
  %109 = and i32 %108, 32767
  %110 = ptrtoint ptr addrspace(3) %106 to i32
  %111 = lshr exact i32 %110, 4
  %112 = and i32 %111, 32767
  tail call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %113 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %109, i64 0
  %114 = bitcast <2 x i32> %113 to i64
  %115 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %112, i64 0
  %116 = bitcast <2 x i32> %115 to i64
  %117 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %84, float %85, float %86, float %87, float %88, float %89, float %90, float %91, float %92, float %93, float %94, float %95, float %96, float %97, float %98, float %99, i64 %114, i64 %116, i1 true) #2
  %118 = add nuw nsw i32 %109, 2
  %119 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %118, i64 0
  %120 = bitcast <2 x i32> %119 to i64
  %121 = add nuw nsw i32 %112, 64
  %122 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %121, i64 0
  %123 = bitcast <2 x i32> %122 to i64
  %124 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 0
  %125 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 1
  %126 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 2
  %127 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 3
  %128 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 4
  %129 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 5
  %130 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 6
  %131 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 7
  %132 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 8
  %133 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 9
  %134 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 10
  %135 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 11
  %136 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 12
  %137 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 13
  %138 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 14
  %139 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %117, 15
  %140 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %124, float %125, float %126, float %127, float %128, float %129, float %130, float %131, float %132, float %133, float %134, float %135, float %136, float %137, float %138, float %139, i64 %120, i64 %123, i1 true) #2
  %141 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 0
  %142 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 1
  %143 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 2
  %144 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 3
  %145 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 4
  %146 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 5
  %147 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 6
  %148 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 7
  %149 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 8
  %150 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 9
  %151 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 10
  %152 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 11
  %153 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 12
  %154 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 13
  %155 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 14
  %156 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %140, 15
  tail call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %157 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21\0A\09wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=l,=r,=r,=l,=r,=r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21"(float %141, float %142, float %143, float %144, float %145, float %146, float %147, float %148, float %149, float %150, float %151, float %152, float %153, float %154, float %155, float %156, ptr addrspace(3) %105, i32 0, i32 0, ptr addrspace(3) %106, i32 0, i32 0) #2
  %158 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 0
  %159 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 1
  %160 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 2
  %161 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 3
  %162 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 4
  %163 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 5
  %164 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 6
  %165 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 7
  %166 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 8
  %167 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 9
  %168 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 10
  %169 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 11
  %170 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 12
  %171 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 13
  %172 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 14
  %173 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %157, 15
  %174 = add i32 %83, 1
  %175 = icmp sgt i32 %174, 2
  %176 = select i1 %175, i32 0, i32 %174
  %177 = add i32 %100, 64
  %178 = or disjoint i32 %177, %20
  %179 = or disjoint i32 %177, %13
  %180 = icmp slt i32 %178, %5
  %181 = icmp slt i32 %179, %5
  %182 = sext i32 %178 to i64
  %183 = getelementptr [2 x i8], ptr addrspace(1) %25, i64 %182
  %184 = getelementptr [2 x i8], ptr addrspace(1) %27, i64 %182
  %185 = and i1 %28, %180
  %186 = and i1 %29, %180
  %.idx33 = shl i32 %176, 12
  %187 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx33
  %188 = and i1 %101, %185
  %189 = and i1 %101, %186
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %190 = getelementptr inbounds nuw i8, ptr addrspace(3) %187, i32 %42
  %191 = select i1 %188, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %190, ptr addrspace(1) %183, i32 %191) #2
  %192 = getelementptr inbounds nuw i8, ptr addrspace(3) %187, i32 %45
  %193 = select i1 %189, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %192, ptr addrspace(1) %184, i32 %193) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %194 = mul i32 %179, %4
  %195 = sext i32 %194 to i64
  %gep = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep, i64 %195
  %196 = and i1 %30, %181
  %.idx34 = shl i32 %176, 11
  %197 = and i1 %101, %196
  %gep36 = getelementptr i8, ptr addrspace(3) %54, i32 %.idx34
  %198 = select i1 %197, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %gep36, ptr addrspace(1) %gep, i32 %198) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %199 = add i32 %100, 32
  %200 = icmp slt i32 %199, %5
  br i1 %200, label %81, label %._crit_edge

._crit_edge:                                      ; preds = %81, %8
  %201 = phi float [ 0.000000e+00, %8 ], [ %158, %81 ]
  %202 = phi float [ 0.000000e+00, %8 ], [ %159, %81 ]
  %203 = phi float [ 0.000000e+00, %8 ], [ %160, %81 ]
  %204 = phi float [ 0.000000e+00, %8 ], [ %161, %81 ]
  %205 = phi float [ 0.000000e+00, %8 ], [ %162, %81 ]
  %206 = phi float [ 0.000000e+00, %8 ], [ %163, %81 ]
  %207 = phi float [ 0.000000e+00, %8 ], [ %164, %81 ]
  %208 = phi float [ 0.000000e+00, %8 ], [ %165, %81 ]
  %209 = phi float [ 0.000000e+00, %8 ], [ %166, %81 ]
  %210 = phi float [ 0.000000e+00, %8 ], [ %167, %81 ]
  %211 = phi float [ 0.000000e+00, %8 ], [ %168, %81 ]
  %212 = phi float [ 0.000000e+00, %8 ], [ %169, %81 ]
  %213 = phi float [ 0.000000e+00, %8 ], [ %170, %81 ]
  %214 = phi float [ 0.000000e+00, %8 ], [ %171, %81 ]
  %215 = phi float [ 0.000000e+00, %8 ], [ %172, %81 ]
  %216 = phi float [ 0.000000e+00, %8 ], [ %173, %81 ]
  %217 = shl nuw nsw i32 %11, 2
  %218 = and i32 %217, 28
  %219 = or disjoint i32 %218, %18
  %220 = lshr i32 %11, 3
  %221 = and i32 %220, 15
  %222 = or disjoint i32 %10, %221
  %223 = or disjoint i32 %222, 48
  %224 = or disjoint i32 %222, 32
  %225 = or disjoint i32 %222, 16
  %226 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15\0A\09wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"(float %201, float %202, float %203, float %204, float %205, float %206, float %207, float %208, float %209, float %210, float %211, float %212, float %213, float %214, float %215, float %216) #2
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %227 = mul i32 %4, %222
  %228 = mul i32 %4, %225
  %229 = mul i32 %4, %224
  %230 = mul i32 %4, %223
  %231 = sext i32 %227 to i64
  %232 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %231
  %233 = sext i32 %228 to i64
  %234 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %233
  %235 = sext i32 %229 to i64
  %236 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %235
  %237 = sext i32 %230 to i64
  %238 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %237
  %239 = zext nneg i32 %219 to i64
  %240 = getelementptr [4 x i8], ptr addrspace(1) %232, i64 %239
  %241 = getelementptr [4 x i8], ptr addrspace(1) %234, i64 %239
  %242 = getelementptr [4 x i8], ptr addrspace(1) %236, i64 %239
  %243 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %239
  %244 = icmp slt i32 %222, %3
  %245 = icmp slt i32 %225, %3
  %246 = icmp slt i32 %224, %3
  %247 = icmp slt i32 %223, %3
  %248 = icmp slt i32 %219, %4
  %249 = and i1 %244, %248
  %250 = and i1 %245, %248
  %251 = and i1 %246, %248
  %252 = and i1 %247, %248
  %253 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 0
  %254 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 1
  %255 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 2
  %256 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 3
  %257 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 4
  %258 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 5
  %259 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 6
  %260 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 7
  %261 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 8
  %262 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 9
  %263 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 10
  %264 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 11
  %265 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 12
  %266 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 13
  %267 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 14
  %268 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %226, 15
  %269 = and i32 %38, 1536
  %270 = and i32 %19, 160
  %271 = and i32 %11, 1
  %272 = icmp eq i32 %271, 0
  %273 = select i1 %272, i32 0, i32 4112
  %274 = shl nuw nsw i32 %11, 5
  %275 = and i32 %274, 64
  %276 = and i32 %11, 8
  %277 = icmp eq i32 %276, 0
  %278 = select i1 %277, i32 0, i32 2056
  %279 = or disjoint i32 %269, %270
  %280 = or disjoint i32 %279, %275
  %281 = or disjoint i32 %280, %273
  %282 = or disjoint i32 %281, %278
  %283 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %282
  %284 = insertelement <2 x float> poison, float %253, i64 0
  %285 = insertelement <2 x float> %284, float %254, i64 1
  store <2 x float> %285, ptr addrspace(3) %283, align 8
  %286 = getelementptr inbounds nuw i8, ptr addrspace(3) %283, i32 256
  %287 = insertelement <2 x float> poison, float %255, i64 0
  %288 = insertelement <2 x float> %287, float %256, i64 1
  store <2 x float> %288, ptr addrspace(3) %286, align 8
  %289 = xor i32 %282, 8
  %290 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %289
  %291 = insertelement <2 x float> poison, float %257, i64 0
  %292 = insertelement <2 x float> %291, float %258, i64 1
  store <2 x float> %292, ptr addrspace(3) %290, align 8
  %293 = getelementptr inbounds nuw i8, ptr addrspace(3) %290, i32 256
  %294 = insertelement <2 x float> poison, float %259, i64 0
  %295 = insertelement <2 x float> %294, float %260, i64 1
  store <2 x float> %295, ptr addrspace(3) %293, align 8
  %296 = xor i32 %282, 16
  %297 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %296
  %298 = insertelement <2 x float> poison, float %261, i64 0
  %299 = insertelement <2 x float> %298, float %262, i64 1
  store <2 x float> %299, ptr addrspace(3) %297, align 8
  %300 = getelementptr inbounds nuw i8, ptr addrspace(3) %297, i32 256
  %301 = insertelement <2 x float> poison, float %263, i64 0
  %302 = insertelement <2 x float> %301, float %264, i64 1
  store <2 x float> %302, ptr addrspace(3) %300, align 8
  %303 = xor i32 %282, 24
  %304 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %303
  %305 = insertelement <2 x float> poison, float %265, i64 0
  %306 = insertelement <2 x float> %305, float %266, i64 1
  store <2 x float> %306, ptr addrspace(3) %304, align 8
  %307 = getelementptr inbounds nuw i8, ptr addrspace(3) %304, i32 256
  %308 = insertelement <2 x float> poison, float %267, i64 0
  %309 = insertelement <2 x float> %308, float %268, i64 1
  store <2 x float> %309, ptr addrspace(3) %307, align 8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %310 = and i32 %217, 440
  %311 = shl nuw nsw i32 %271, 6
  %312 = and i32 %11, 16
  %313 = icmp eq i32 %312, 0
  %314 = select i1 %313, i32 0, i32 2056
  %315 = xor i32 %314, %310
  %316 = or disjoint i32 %315, %311
  %317 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %316
  %318 = getelementptr inbounds nuw i8, ptr addrspace(3) %317, i32 512
  %319 = load <2 x i32>, ptr addrspace(3) %318, align 8
  %320 = getelementptr inbounds nuw i8, ptr addrspace(3) %317, i32 1024
  %321 = load <2 x i32>, ptr addrspace(3) %320, align 8
  %322 = getelementptr inbounds nuw i8, ptr addrspace(3) %317, i32 1536
  %323 = load <2 x i32>, ptr addrspace(3) %322, align 8
  %324 = xor i32 %316, 4112
  %325 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %324
  %326 = getelementptr inbounds nuw i8, ptr addrspace(3) %325, i32 512
  %327 = load <2 x i32>, ptr addrspace(3) %326, align 8
  %328 = getelementptr inbounds nuw i8, ptr addrspace(3) %325, i32 1024
  %329 = load <2 x i32>, ptr addrspace(3) %328, align 8
  %330 = getelementptr inbounds nuw i8, ptr addrspace(3) %325, i32 1536
  %331 = load <2 x i32>, ptr addrspace(3) %330, align 8
  %.extract = load i32, ptr addrspace(3) %317, align 8
  %332 = getelementptr inbounds nuw i8, ptr addrspace(3) %317, i32 4
  %.extract17 = load i32, ptr addrspace(3) %332, align 4
  %.extract18 = load i32, ptr addrspace(3) %325, align 8
  %333 = getelementptr inbounds nuw i8, ptr addrspace(3) %325, i32 4
  %.extract19 = load i32, ptr addrspace(3) %333, align 4
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract17, i32 %.extract18, i32 %.extract19, ptr addrspace(1) %240, i1 %249) #2
  %.extract20 = extractelement <2 x i32> %319, i64 0
  %.extract21 = extractelement <2 x i32> %319, i64 1
  %.extract22 = extractelement <2 x i32> %327, i64 0
  %.extract23 = extractelement <2 x i32> %327, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract20, i32 %.extract21, i32 %.extract22, i32 %.extract23, ptr addrspace(1) %241, i1 %250) #2
  %.extract24 = extractelement <2 x i32> %321, i64 0
  %.extract25 = extractelement <2 x i32> %321, i64 1
  %.extract26 = extractelement <2 x i32> %329, i64 0
  %.extract27 = extractelement <2 x i32> %329, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract24, i32 %.extract25, i32 %.extract26, i32 %.extract27, ptr addrspace(1) %242, i1 %251) #2
  %.extract28 = extractelement <2 x i32> %323, i64 0
  %.extract29 = extractelement <2 x i32> %323, i64 1
  %.extract30 = extractelement <2 x i32> %331, i64 0
  %.extract31 = extractelement <2 x i32> %331, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract28, i32 %.extract29, i32 %.extract30, i32 %.extract31, ptr addrspace(1) %243, i1 %252) #2
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

attributes #0 = { nounwind "nvvm.reqntid"="128" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { nocallback nounwind }
attributes #5 = { convergent nounwind }
