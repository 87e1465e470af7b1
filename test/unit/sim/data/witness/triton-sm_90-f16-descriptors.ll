; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product_of_descriptors, target sm_90, element f16, sum f16, tile [64, 32, 64], threads 128, dynamic_bytes 36888, stages 3
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product_of_descriptors(ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %0, i32 %1, i32 %2, i64 %3, i64 %4, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %5, i32 %6, i32 %7, i64 %8, i64 %9, ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %10, i32 %11, i32 %12, i64 %13, i64 %14, i32 %15, ptr addrspace(1) nofree readnone captures(none) %16, ptr addrspace(1) nofree readnone captures(none) %17) local_unnamed_addr #0 {
  %19 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %20 = shl i32 %19, 6
  %21 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %22 = shl nuw nsw i32 %21, 5
  %23 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %24 = icmp samesign ult i32 %23, 32
  %25 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %26 = extractvalue { i32, i1 } %25, 1
  %27 = and i1 %24, %26
  tail call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r"(i1 %27, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36864)) #6
  %28 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %29 = extractvalue { i32, i1 } %28, 1
  %30 = and i1 %24, %29
  tail call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r"(i1 %30, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36872)) #6
  %31 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %32 = extractvalue { i32, i1 } %31, 1
  %33 = and i1 %24, %32
  tail call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r"(i1 %33, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36880)) #6
  %34 = icmp sgt i32 %15, 0
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %35 = and i32 %23, 127
  %36 = icmp eq i32 %35, 0
  %37 = and i1 %36, %34
  tail call void asm sideeffect "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 12288;", "b,r"(i1 %37, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36864)) #6
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %38 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %39 = extractvalue { i32, i1 } %38, 1
  %40 = and i1 %34, %39
  %41 = icmp samesign ult i32 %35, 32
  %42 = and i1 %41, %40
  call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %42, ptr addrspace(3) @global_smem, ptr nonnull %0, i32 0, i32 %20, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36864)) #6
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %43 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %44 = extractvalue { i32, i1 } %43, 1
  %45 = and i1 %34, %44
  %46 = and i1 %41, %45
  call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %46, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576), ptr nonnull %5, i32 %22, i32 0, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36864)) #6
  %47 = icmp sgt i32 %15, 64
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %48 = and i1 %36, %47
  call void asm sideeffect "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 12288;", "b,r"(i1 %48, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36872)) #6
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %49 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %50 = extractvalue { i32, i1 } %49, 1
  %51 = and i1 %47, %50
  %52 = and i1 %41, %51
  call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %52, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 8192), ptr nonnull %0, i32 64, i32 %20, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36872)) #6
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %53 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %54 = extractvalue { i32, i1 } %53, 1
  %55 = and i1 %47, %54
  %56 = and i1 %41, %55
  call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %56, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 28672), ptr nonnull %5, i32 %22, i32 64, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36872)) #6
  br i1 %34, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %18
  %57 = add nsw i32 %15, -128
  br label %58

58:                                               ; preds = %.lr.ph, %58
  %59 = phi i32 [ 0, %.lr.ph ], [ %84, %58 ]
  %60 = phi i32 [ -1, %.lr.ph ], [ %82, %58 ]
  %61 = phi i32 [ 1, %.lr.ph ], [ %203, %58 ]
  %62 = phi float [ 0.000000e+00, %.lr.ph ], [ %185, %58 ]
  %63 = phi float [ 0.000000e+00, %.lr.ph ], [ %186, %58 ]
  %64 = phi float [ 0.000000e+00, %.lr.ph ], [ %187, %58 ]
  %65 = phi float [ 0.000000e+00, %.lr.ph ], [ %188, %58 ]
  %66 = phi float [ 0.000000e+00, %.lr.ph ], [ %189, %58 ]
  %67 = phi float [ 0.000000e+00, %.lr.ph ], [ %190, %58 ]
  %68 = phi float [ 0.000000e+00, %.lr.ph ], [ %191, %58 ]
  %69 = phi float [ 0.000000e+00, %.lr.ph ], [ %192, %58 ]
  %70 = phi float [ 0.000000e+00, %.lr.ph ], [ %193, %58 ]
  %71 = phi float [ 0.000000e+00, %.lr.ph ], [ %194, %58 ]
  %72 = phi float [ 0.000000e+00, %.lr.ph ], [ %195, %58 ]
  %73 = phi float [ 0.000000e+00, %.lr.ph ], [ %196, %58 ]
  %74 = phi float [ 0.000000e+00, %.lr.ph ], [ %197, %58 ]
  %75 = phi float [ 0.000000e+00, %.lr.ph ], [ %198, %58 ]
  %76 = phi float [ 0.000000e+00, %.lr.ph ], [ %199, %58 ]
  %77 = phi float [ 0.000000e+00, %.lr.ph ], [ %200, %58 ]
  %78 = phi i32 [ 0, %.lr.ph ], [ %217, %58 ]
  %79 = icmp slt i32 %78, %57
  %80 = add i32 %60, 1
  %81 = icmp sgt i32 %80, 2
  %82 = select i1 %81, i32 0, i32 %80
  %83 = zext i1 %81 to i32
  %84 = xor i32 %59, %83
  %85 = getelementptr [8 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36864), i32 %82
  call void asm sideeffect "\0A{\0A\09.reg .pred complete;\0A\09waitLoop:\0A\09mbarrier.try_wait.parity.shared::cta.b64 complete, [$0], $1;\0A\09@!complete bra.uni waitLoop;\0A}\0A", "r,r"(ptr addrspace(3) %85, i32 %84) #6
  %.idx = shl i32 %82, 12
  %86 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576), i32 %.idx
  %.idx2 = shl i32 %82, 13
  %87 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx2
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %88 = ptrtoint ptr addrspace(3) %87 to i32
  %89 = lshr exact i32 %88, 4
  %90 = and i32 %89, 32767
  %91 = ptrtoint ptr addrspace(3) %86 to i32
  %92 = lshr exact i32 %91, 4
  %93 = and i32 %92, 32767
  call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %94 = insertelement <2 x i32> <i32 poison, i32 1073741888>, i32 %90, i64 0
  %95 = bitcast <2 x i32> %94 to i64
  %96 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %93, i64 0
  %97 = bitcast <2 x i32> %96 to i64
  %98 = call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %62, float %63, float %64, float %65, float %66, float %67, float %68, float %69, float %70, float %71, float %72, float %73, float %74, float %75, float %76, float %77, i64 %95, i64 %97, i1 true) #6
  %99 = add nuw nsw i32 %90, 2
  %100 = insertelement <2 x i32> <i32 poison, i32 1073741888>, i32 %99, i64 0
  %101 = bitcast <2 x i32> %100 to i64
  %102 = add nuw nsw i32 %93, 64
  %103 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %102, i64 0
  %104 = bitcast <2 x i32> %103 to i64
  %105 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 0
  %106 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 1
  %107 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 2
  %108 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 3
  %109 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 4
  %110 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 5
  %111 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 6
  %112 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 7
  %113 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 8
  %114 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 9
  %115 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 10
  %116 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 11
  %117 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 12
  %118 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 13
  %119 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 14
  %120 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %98, 15
  %121 = call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %105, float %106, float %107, float %108, float %109, float %110, float %111, float %112, float %113, float %114, float %115, float %116, float %117, float %118, float %119, float %120, i64 %101, i64 %104, i1 true) #6
  %122 = add nuw nsw i32 %90, 4
  %123 = insertelement <2 x i32> <i32 poison, i32 1073741888>, i32 %122, i64 0
  %124 = bitcast <2 x i32> %123 to i64
  %125 = add nuw nsw i32 %93, 128
  %126 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %125, i64 0
  %127 = bitcast <2 x i32> %126 to i64
  %128 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 0
  %129 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 1
  %130 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 2
  %131 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 3
  %132 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 4
  %133 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 5
  %134 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 6
  %135 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 7
  %136 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 8
  %137 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 9
  %138 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 10
  %139 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 11
  %140 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 12
  %141 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 13
  %142 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 14
  %143 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %121, 15
  %144 = call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %128, float %129, float %130, float %131, float %132, float %133, float %134, float %135, float %136, float %137, float %138, float %139, float %140, float %141, float %142, float %143, i64 %124, i64 %127, i1 true) #6
  %145 = add nuw nsw i32 %90, 6
  %146 = insertelement <2 x i32> <i32 poison, i32 1073741888>, i32 %145, i64 0
  %147 = bitcast <2 x i32> %146 to i64
  %148 = add nuw nsw i32 %93, 192
  %149 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %148, i64 0
  %150 = bitcast <2 x i32> %149 to i64
  %151 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 0
  %152 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 1
  %153 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 2
  %154 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 3
  %155 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 4
  %156 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 5
  %157 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 6
  %158 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 7
  %159 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 8
  %160 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 9
  %161 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 10
  %162 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 11
  %163 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 12
  %164 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 13
  %165 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 14
  %166 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %144, 15
  %167 = call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %151, float %152, float %153, float %154, float %155, float %156, float %157, float %158, float %159, float %160, float %161, float %162, float %163, float %164, float %165, float %166, i64 %147, i64 %150, i1 true) #6
  %168 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 0
  %169 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 1
  %170 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 2
  %171 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 3
  %172 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 4
  %173 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 5
  %174 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 6
  %175 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 7
  %176 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 8
  %177 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 9
  %178 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 10
  %179 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 11
  %180 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 12
  %181 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 13
  %182 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 14
  %183 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %167, 15
  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %184 = call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21\0A\09wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=l,=r,=r,=l,=r,=r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21"(float %168, float %169, float %170, float %171, float %172, float %173, float %174, float %175, float %176, float %177, float %178, float %179, float %180, float %181, float %182, float %183, ptr addrspace(3) %87, i32 0, i32 0, ptr addrspace(3) %86, i32 0, i32 0) #6
  %185 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 0
  %186 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 1
  %187 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 2
  %188 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 3
  %189 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 4
  %190 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 5
  %191 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 6
  %192 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 7
  %193 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 8
  %194 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 9
  %195 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 10
  %196 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 11
  %197 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 12
  %198 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 13
  %199 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 14
  %200 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %184, 15
  %201 = add i32 %61, 1
  %202 = icmp sgt i32 %201, 2
  %203 = select i1 %202, i32 0, i32 %201
  %204 = getelementptr [8 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36864), i32 %203
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %205 = and i1 %36, %79
  call void asm sideeffect "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 12288;", "b,r"(i1 %205, ptr addrspace(3) %204) #6
  %.idx3 = shl i32 %203, 13
  %206 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx3
  %207 = add i32 %78, 128
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %208 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %209 = extractvalue { i32, i1 } %208, 1
  %210 = and i1 %79, %209
  %211 = and i1 %41, %210
  call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %211, ptr addrspace(3) %206, ptr nonnull %0, i32 %207, i32 %20, ptr addrspace(3) %204) #6
  %.idx4 = shl i32 %203, 12
  %212 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576), i32 %.idx4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %213 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %214 = extractvalue { i32, i1 } %213, 1
  %215 = and i1 %79, %214
  %216 = and i1 %41, %215
  call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %216, ptr addrspace(3) %212, ptr nonnull %5, i32 %22, i32 %207, ptr addrspace(3) %204) #6
  %217 = add i32 %78, 64
  %218 = icmp slt i32 %217, %15
  br i1 %218, label %58, label %._crit_edge

._crit_edge:                                      ; preds = %58, %18
  %219 = phi float [ 0.000000e+00, %18 ], [ %185, %58 ]
  %220 = phi float [ 0.000000e+00, %18 ], [ %186, %58 ]
  %221 = phi float [ 0.000000e+00, %18 ], [ %187, %58 ]
  %222 = phi float [ 0.000000e+00, %18 ], [ %188, %58 ]
  %223 = phi float [ 0.000000e+00, %18 ], [ %189, %58 ]
  %224 = phi float [ 0.000000e+00, %18 ], [ %190, %58 ]
  %225 = phi float [ 0.000000e+00, %18 ], [ %191, %58 ]
  %226 = phi float [ 0.000000e+00, %18 ], [ %192, %58 ]
  %227 = phi float [ 0.000000e+00, %18 ], [ %193, %58 ]
  %228 = phi float [ 0.000000e+00, %18 ], [ %194, %58 ]
  %229 = phi float [ 0.000000e+00, %18 ], [ %195, %58 ]
  %230 = phi float [ 0.000000e+00, %18 ], [ %196, %58 ]
  %231 = phi float [ 0.000000e+00, %18 ], [ %197, %58 ]
  %232 = phi float [ 0.000000e+00, %18 ], [ %198, %58 ]
  %233 = phi float [ 0.000000e+00, %18 ], [ %199, %58 ]
  %234 = phi float [ 0.000000e+00, %18 ], [ %200, %58 ]
  %235 = call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15\0A\09wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"(float %219, float %220, float %221, float %222, float %223, float %224, float %225, float %226, float %227, float %228, float %229, float %230, float %231, float %232, float %233, float %234) #6
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %236 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %237 = extractvalue { i32, i1 } %236, 1
  %238 = and i1 %24, %237
  call void asm sideeffect "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r"(i1 %238, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36864)) #6
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %239 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %240 = extractvalue { i32, i1 } %239, 1
  %241 = and i1 %24, %240
  call void asm sideeffect "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r"(i1 %241, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36872)) #6
  %242 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %243 = extractvalue { i32, i1 } %242, 1
  %244 = and i1 %24, %243
  call void asm sideeffect "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r"(i1 %244, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 36880)) #6
  %245 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 0
  %246 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 1
  %247 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 2
  %248 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 3
  %249 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 4
  %250 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 5
  %251 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 6
  %252 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 7
  %253 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 8
  %254 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 9
  %255 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 10
  %256 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 11
  %257 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 12
  %258 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 13
  %259 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 14
  %260 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %235, 15
  %261 = insertelement <2 x float> poison, float %245, i64 0
  %262 = insertelement <2 x float> %261, float %246, i64 1
  %263 = fptrunc <2 x float> %262 to <2 x half>
  %264 = insertelement <2 x float> poison, float %247, i64 0
  %265 = insertelement <2 x float> %264, float %248, i64 1
  %266 = fptrunc <2 x float> %265 to <2 x half>
  %267 = insertelement <2 x float> poison, float %249, i64 0
  %268 = insertelement <2 x float> %267, float %250, i64 1
  %269 = fptrunc <2 x float> %268 to <2 x half>
  %270 = insertelement <2 x float> poison, float %251, i64 0
  %271 = insertelement <2 x float> %270, float %252, i64 1
  %272 = fptrunc <2 x float> %271 to <2 x half>
  %273 = insertelement <2 x float> poison, float %253, i64 0
  %274 = insertelement <2 x float> %273, float %254, i64 1
  %275 = fptrunc <2 x float> %274 to <2 x half>
  %276 = insertelement <2 x float> poison, float %255, i64 0
  %277 = insertelement <2 x float> %276, float %256, i64 1
  %278 = fptrunc <2 x float> %277 to <2 x half>
  %279 = insertelement <2 x float> poison, float %257, i64 0
  %280 = insertelement <2 x float> %279, float %258, i64 1
  %281 = fptrunc <2 x float> %280 to <2 x half>
  %282 = insertelement <2 x float> poison, float %259, i64 0
  %283 = insertelement <2 x float> %282, float %260, i64 1
  %284 = fptrunc <2 x float> %283 to <2 x half>
  %285 = shl nuw nsw i32 %23, 6
  %286 = and i32 %285, 960
  %287 = shl nuw nsw i32 %23, 5
  %288 = and i32 %287, 3072
  %289 = shl nuw nsw i32 %23, 3
  %290 = and i32 %289, 48
  %291 = and i32 %23, 16
  %292 = or disjoint i32 %286, %288
  %293 = xor i32 %290, %291
  %294 = or disjoint i32 %292, %293
  %295 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %294
  %296 = bitcast <2 x half> %263 to i32
  %297 = bitcast <2 x half> %266 to i32
  %298 = bitcast <2 x half> %269 to i32
  %299 = bitcast <2 x half> %272 to i32
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %295, i32 %296, i32 %297, i32 %298, i32 %299)
  %300 = xor i32 %294, 32
  %301 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %300
  %302 = bitcast <2 x half> %275 to i32
  %303 = bitcast <2 x half> %278 to i32
  %304 = bitcast <2 x half> %281 to i32
  %305 = bitcast <2 x half> %284 to i32
  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %301, i32 %302, i32 %303, i32 %304, i32 %305)
  call void @llvm.nvvm.fence.proxy.async.shared_cta()
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %306 = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %307 = extractvalue { i32, i1 } %306, 1
  %308 = and i1 %41, %307
  call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r"(i1 %308, ptr nonnull %10, i32 %22, i32 %20, ptr addrspace(3) @global_smem) #6
  call void @llvm.nvvm.cp.async.bulk.commit.group()
  call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare { i32, i1 } @llvm.nvvm.elect.sync(i32) #2

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) writeonly captures(none), i32, i32, i32, i32) #4

declare void @llvm.nvvm.fence.proxy.async.shared_cta() #5

declare void @llvm.nvvm.cp.async.bulk.commit.group() #6

declare void @llvm.nvvm.cp.async.bulk.wait.group(i32 immarg) #6

declare void @llvm.nvvm.wgmma.fence.sync.aligned() #7

declare void @llvm.nvvm.wgmma.commit_group.sync.aligned() #7

attributes #0 = { nounwind "nvvm.reqntid"="128" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { convergent nocallback nounwind memory(argmem: write) }
attributes #5 = { nocallback nounwind }
attributes #6 = { nounwind }
attributes #7 = { convergent nounwind }
