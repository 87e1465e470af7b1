; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product_of_made_descriptors, target sm_90, element bf16, sum bf16, tile [64, 32, 64], threads 128, dynamic_bytes 24592, stages 2, scratch_bytes 384
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product_of_made_descriptors(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 6
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %12 = shl nuw nsw i32 %11, 5
  %13 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %15 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %16 = zext nneg i32 %11 to i64
  %narrow = mul nuw i32 %13, %15
  %17 = zext i32 %narrow to i64
  %18 = add nuw nsw i64 %17, %16
  %19 = zext nneg i32 %9 to i64
  %20 = zext nneg i32 %14 to i64
  %21 = mul nuw nsw i64 %18, %20
  %22 = add nuw nsw i64 %21, %19
  %23 = mul i64 %22, 384
  %24 = getelementptr i8, ptr addrspace(1) %6, i64 %23
  %25 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %26 = and i32 %25, 127
  %27 = icmp samesign ult i32 %26, 32
  %28 = getelementptr [4 x i8], ptr addrspace(3) @global_smem, i32 %26
  tail call void asm sideeffect "@$2 st.shared::cta.b32 [ $0 + 0 ], $1;", "r,r,b"(ptr addrspace(3) %28, <1 x i32> zeroinitializer, i1 %27) #6
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %29 = icmp eq i32 %26, 0
  br i1 %29, label %30, label %33

30:                                               ; preds = %8
  %31 = sext i32 %5 to i64
  %32 = shl nsw i64 %31, 1
  tail call void asm sideeffect "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [ $0 + 0 ], $1;", "l,l"(ptr addrspace(3) @global_smem, ptr addrspace(1) %0) #6
  tail call void asm sideeffect "tensormap.replace.tile.rank.shared::cta.b1024.b32 [ $0 + 0 ], 0x1;", "l"(ptr addrspace(3) @global_smem) #6
  tail call void asm sideeffect "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 64) #6
  tail call void asm sideeffect "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 64) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 %5) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 %3) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [ $0 + 0 ], 0x0, $1;", "l,l"(ptr addrspace(3) @global_smem, i64 %32) #6
  tail call void asm sideeffect "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 1) #6
  tail call void asm sideeffect "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 1) #6
  tail call void asm sideeffect "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [ $0 + 0 ], 0xa;", "l"(ptr addrspace(3) @global_smem) #6
  tail call void asm sideeffect "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [ $0 + 0 ], 0x3;", "l"(ptr addrspace(3) @global_smem) #6
  br label %33

33:                                               ; preds = %30, %8
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  tail call void asm sideeffect "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [ $0 + 0 ], [ $1 + 0 ], 0x80;", "l,l,b"(ptr addrspace(1) %24, ptr addrspace(3) @global_smem, i1 %27) #6
  tail call void asm sideeffect "@$1 fence.proxy.tensormap::generic.acquire.gpu [ $0 + 0 ], 0x80;\0A\09@$2 cp.async.bulk.commit_group ;\0A\09@$3 cp.async.bulk.wait_group.read 0 ;", "l,b,b,b"(ptr addrspace(1) %24, i1 %27, i1 %27, i1 %27) #6
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %34 = addrspacecast ptr addrspace(1) %24 to ptr
  %35 = sext i32 %4 to i64
  %36 = getelementptr i8, ptr addrspace(1) %24, i64 128
  %37 = shl nsw i64 %35, 1
  tail call void asm sideeffect "@$2 st.shared::cta.b32 [ $0 + 0 ], $1;", "r,r,b"(ptr addrspace(3) %28, <1 x i32> zeroinitializer, i1 %27) #6
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br i1 %29, label %38, label %39

38:                                               ; preds = %33
  tail call void asm sideeffect "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [ $0 + 0 ], $1;", "l,l"(ptr addrspace(3) @global_smem, ptr addrspace(1) %1) #6
  tail call void asm sideeffect "tensormap.replace.tile.rank.shared::cta.b1024.b32 [ $0 + 0 ], 0x1;", "l"(ptr addrspace(3) @global_smem) #6
  tail call void asm sideeffect "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 32) #6
  tail call void asm sideeffect "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 64) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 %4) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 %5) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [ $0 + 0 ], 0x0, $1;", "l,l"(ptr addrspace(3) @global_smem, i64 %37) #6
  tail call void asm sideeffect "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 1) #6
  tail call void asm sideeffect "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 1) #6
  tail call void asm sideeffect "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [ $0 + 0 ], 0xa;", "l"(ptr addrspace(3) @global_smem) #6
  tail call void asm sideeffect "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [ $0 + 0 ], 0x2;", "l"(ptr addrspace(3) @global_smem) #6
  br label %39

39:                                               ; preds = %38, %33
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  tail call void asm sideeffect "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [ $0 + 0 ], [ $1 + 0 ], 0x80;", "l,l,b"(ptr addrspace(1) %36, ptr addrspace(3) @global_smem, i1 %27) #6
  tail call void asm sideeffect "@$1 fence.proxy.tensormap::generic.acquire.gpu [ $0 + 0 ], 0x80;\0A\09@$2 cp.async.bulk.commit_group ;\0A\09@$3 cp.async.bulk.wait_group.read 0 ;", "l,b,b,b"(ptr addrspace(1) %36, i1 %27, i1 %27, i1 %27) #6
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %40 = addrspacecast ptr addrspace(1) %36 to ptr
  %41 = getelementptr i8, ptr addrspace(1) %24, i64 256
  tail call void asm sideeffect "@$2 st.shared::cta.b32 [ $0 + 0 ], $1;", "r,r,b"(ptr addrspace(3) %28, <1 x i32> zeroinitializer, i1 %27) #6
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br i1 %29, label %42, label %43

42:                                               ; preds = %39
  tail call void asm sideeffect "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [ $0 + 0 ], $1;", "l,l"(ptr addrspace(3) @global_smem, ptr addrspace(1) %2) #6
  tail call void asm sideeffect "tensormap.replace.tile.rank.shared::cta.b1024.b32 [ $0 + 0 ], 0x1;", "l"(ptr addrspace(3) @global_smem) #6
  tail call void asm sideeffect "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 32) #6
  tail call void asm sideeffect "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 64) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 %4) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 %3) #6
  tail call void asm sideeffect "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [ $0 + 0 ], 0x0, $1;", "l,l"(ptr addrspace(3) @global_smem, i64 %37) #6
  tail call void asm sideeffect "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [ $0 + 0 ], 0x0, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 1) #6
  tail call void asm sideeffect "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [ $0 + 0 ], 0x1, $1;", "l,r"(ptr addrspace(3) @global_smem, i32 1) #6
  tail call void asm sideeffect "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [ $0 + 0 ], 0xa;", "l"(ptr addrspace(3) @global_smem) #6
  tail call void asm sideeffect "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [ $0 + 0 ], 0x2;", "l"(ptr addrspace(3) @global_smem) #6
  br label %43

43:                                               ; preds = %42, %39
  tail call void @llvm.nvvm.bar.warp.sync(i32 -1)
  tail call void asm sideeffect "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [ $0 + 0 ], [ $1 + 0 ], 0x80;", "l,l,b"(ptr addrspace(1) %41, ptr addrspace(3) @global_smem, i1 %27) #6
  tail call void asm sideeffect "@$1 fence.proxy.tensormap::generic.acquire.gpu [ $0 + 0 ], 0x80;\0A\09@$2 cp.async.bulk.commit_group ;\0A\09@$3 cp.async.bulk.wait_group.read 0 ;", "l,b,b,b"(ptr addrspace(1) %41, i1 %27, i1 %27, i1 %27) #6
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %44 = icmp samesign ult i32 %25, 32
  %45 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %46 = extractvalue { i32, i1 } %45, 1
  %47 = and i1 %44, %46
  tail call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r"(i1 %47, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576)) #6
  %48 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %49 = extractvalue { i32, i1 } %48, 1
  %50 = and i1 %44, %49
  tail call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 1;", "b,r"(i1 %50, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24584)) #6
  %51 = icmp sgt i32 %5, 0
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %52 = and i1 %29, %51
  tail call void asm sideeffect "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 12288;", "b,r"(i1 %52, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576)) #6
  tail call void @llvm.nvvm.fence.proxy.async.shared_cta()
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %53 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %54 = extractvalue { i32, i1 } %53, 1
  %55 = and i1 %51, %54
  %56 = and i1 %27, %55
  tail call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %56, ptr addrspace(3) @global_smem, ptr %34, i32 0, i32 %10, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576)) #6
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %57 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %58 = extractvalue { i32, i1 } %57, 1
  %59 = and i1 %51, %58
  %60 = and i1 %27, %59
  tail call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %60, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 16384), ptr %40, i32 %12, i32 0, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576)) #6
  br i1 %51, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %43
  %61 = add nsw i32 %5, -64
  br label %62

62:                                               ; preds = %.lr.ph, %62
  %63 = phi i32 [ 0, %.lr.ph ], [ %88, %62 ]
  %64 = phi i32 [ -1, %.lr.ph ], [ %86, %62 ]
  %65 = phi i32 [ 0, %.lr.ph ], [ %207, %62 ]
  %66 = phi float [ 0.000000e+00, %.lr.ph ], [ %189, %62 ]
  %67 = phi float [ 0.000000e+00, %.lr.ph ], [ %190, %62 ]
  %68 = phi float [ 0.000000e+00, %.lr.ph ], [ %191, %62 ]
  %69 = phi float [ 0.000000e+00, %.lr.ph ], [ %192, %62 ]
  %70 = phi float [ 0.000000e+00, %.lr.ph ], [ %193, %62 ]
  %71 = phi float [ 0.000000e+00, %.lr.ph ], [ %194, %62 ]
  %72 = phi float [ 0.000000e+00, %.lr.ph ], [ %195, %62 ]
  %73 = phi float [ 0.000000e+00, %.lr.ph ], [ %196, %62 ]
  %74 = phi float [ 0.000000e+00, %.lr.ph ], [ %197, %62 ]
  %75 = phi float [ 0.000000e+00, %.lr.ph ], [ %198, %62 ]
  %76 = phi float [ 0.000000e+00, %.lr.ph ], [ %199, %62 ]
  %77 = phi float [ 0.000000e+00, %.lr.ph ], [ %200, %62 ]
  %78 = phi float [ 0.000000e+00, %.lr.ph ], [ %201, %62 ]
  %79 = phi float [ 0.000000e+00, %.lr.ph ], [ %202, %62 ]
  %80 = phi float [ 0.000000e+00, %.lr.ph ], [ %203, %62 ]
  %81 = phi float [ 0.000000e+00, %.lr.ph ], [ %204, %62 ]
  %82 = phi i32 [ 0, %.lr.ph ], [ %211, %62 ]
  %83 = icmp slt i32 %82, %61
  %84 = add i32 %64, 1
  %85 = icmp sgt i32 %84, 1
  %86 = select i1 %85, i32 0, i32 %84
  %87 = zext i1 %85 to i32
  %88 = xor i32 %63, %87
  %89 = getelementptr [8 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576), i32 %86
  tail call void asm sideeffect "\0A{\0A\09.reg .pred complete;\0A\09waitLoop:\0A\09mbarrier.try_wait.parity.shared::cta.b64 complete, [$0], $1;\0A\09@!complete bra.uni waitLoop;\0A}\0A", "r,r"(ptr addrspace(3) %89, i32 %88) #6
  %.idx = shl i32 %86, 12
  %90 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 16384), i32 %.idx
  %.idx2 = shl i32 %86, 13
  %91 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx2
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %92 = ptrtoint ptr addrspace(3) %91 to i32
  %93 = lshr exact i32 %92, 4
  %94 = and i32 %93, 32767
  %95 = ptrtoint ptr addrspace(3) %90 to i32
  %96 = lshr exact i32 %95, 4
  %97 = and i32 %96, 32767
  tail call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %98 = insertelement <2 x i32> <i32 poison, i32 1073741888>, i32 %94, i64 0
  %99 = bitcast <2 x i32> %98 to i64
  %100 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %97, i64 0
  %101 = bitcast <2 x i32> %100 to i64
  %102 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %66, float %67, float %68, float %69, float %70, float %71, float %72, float %73, float %74, float %75, float %76, float %77, float %78, float %79, float %80, float %81, i64 %99, i64 %101, i1 true) #6
  %103 = add nuw nsw i32 %94, 2
  %104 = insertelement <2 x i32> <i32 poison, i32 1073741888>, i32 %103, i64 0
  %105 = bitcast <2 x i32> %104 to i64
  %106 = add nuw nsw i32 %97, 64
  %107 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %106, i64 0
  %108 = bitcast <2 x i32> %107 to i64
  %109 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 0
  %110 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 1
  %111 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 2
  %112 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 3
  %113 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 4
  %114 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 5
  %115 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 6
  %116 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 7
  %117 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 8
  %118 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 9
  %119 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 10
  %120 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 11
  %121 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 12
  %122 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 13
  %123 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 14
  %124 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %102, 15
  %125 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %109, float %110, float %111, float %112, float %113, float %114, float %115, float %116, float %117, float %118, float %119, float %120, float %121, float %122, float %123, float %124, i64 %105, i64 %108, i1 true) #6
  %126 = add nuw nsw i32 %94, 4
  %127 = insertelement <2 x i32> <i32 poison, i32 1073741888>, i32 %126, i64 0
  %128 = bitcast <2 x i32> %127 to i64
  %129 = add nuw nsw i32 %97, 128
  %130 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %129, i64 0
  %131 = bitcast <2 x i32> %130 to i64
  %132 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 0
  %133 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 1
  %134 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 2
  %135 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 3
  %136 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 4
  %137 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 5
  %138 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 6
  %139 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 7
  %140 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 8
  %141 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 9
  %142 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 10
  %143 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 11
  %144 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 12
  %145 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 13
  %146 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 14
  %147 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %125, 15
  %148 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %132, float %133, float %134, float %135, float %136, float %137, float %138, float %139, float %140, float %141, float %142, float %143, float %144, float %145, float %146, float %147, i64 %128, i64 %131, i1 true) #6
  %149 = add nuw nsw i32 %94, 6
  %150 = insertelement <2 x i32> <i32 poison, i32 1073741888>, i32 %149, i64 0
  %151 = bitcast <2 x i32> %150 to i64
  %152 = add nuw nsw i32 %97, 192
  %153 = insertelement <2 x i32> <i32 poison, i32 -2147483616>, i32 %152, i64 0
  %154 = bitcast <2 x i32> %153 to i64
  %155 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 0
  %156 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 1
  %157 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 2
  %158 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 3
  %159 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 4
  %160 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 5
  %161 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 6
  %162 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 7
  %163 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 8
  %164 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 9
  %165 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 10
  %166 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 11
  %167 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 12
  %168 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 13
  %169 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 14
  %170 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %148, 15
  %171 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15}, $32, $33, $34, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,l,b"(float %155, float %156, float %157, float %158, float %159, float %160, float %161, float %162, float %163, float %164, float %165, float %166, float %167, float %168, float %169, float %170, i64 %151, i64 %154, i1 true) #6
  %172 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 0
  %173 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 1
  %174 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 2
  %175 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 3
  %176 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 4
  %177 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 5
  %178 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 6
  %179 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 7
  %180 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 8
  %181 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 9
  %182 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 10
  %183 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 11
  %184 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 12
  %185 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 13
  %186 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 14
  %187 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %171, 15
  tail call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %188 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21\0A\09wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=l,=r,=r,=l,=r,=r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21"(float %172, float %173, float %174, float %175, float %176, float %177, float %178, float %179, float %180, float %181, float %182, float %183, float %184, float %185, float %186, float %187, ptr addrspace(3) %91, i32 0, i32 0, ptr addrspace(3) %90, i32 0, i32 0) #6
  %189 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 0
  %190 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 1
  %191 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 2
  %192 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 3
  %193 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 4
  %194 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 5
  %195 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 6
  %196 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 7
  %197 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 8
  %198 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 9
  %199 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 10
  %200 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 11
  %201 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 12
  %202 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 13
  %203 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 14
  %204 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %188, 15
  %205 = add i32 %65, 1
  %206 = icmp sgt i32 %205, 1
  %207 = select i1 %206, i32 0, i32 %205
  %208 = getelementptr [8 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576), i32 %207
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %209 = and i1 %29, %83
  tail call void asm sideeffect "@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 12288;", "b,r"(i1 %209, ptr addrspace(3) %208) #6
  %.idx3 = shl i32 %207, 13
  %210 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %.idx3
  %211 = add i32 %82, 64
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %212 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %213 = extractvalue { i32, i1 } %212, 1
  %214 = and i1 %83, %213
  %215 = and i1 %27, %214
  tail call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %215, ptr addrspace(3) %210, ptr %34, i32 %211, i32 %10, ptr addrspace(3) %208) #6
  %.idx4 = shl i32 %207, 12
  %216 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 16384), i32 %.idx4
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %217 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %218 = extractvalue { i32, i1 } %217, 1
  %219 = and i1 %83, %218
  %220 = and i1 %27, %219
  tail call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$1], [$2, {$3, $4}], [$5];", "b,r,l,r,r,r"(i1 %220, ptr addrspace(3) %216, ptr %40, i32 %12, i32 %211, ptr addrspace(3) %208) #6
  %221 = icmp slt i32 %211, %5
  br i1 %221, label %62, label %._crit_edge

._crit_edge:                                      ; preds = %62, %43
  %222 = phi float [ 0.000000e+00, %43 ], [ %189, %62 ]
  %223 = phi float [ 0.000000e+00, %43 ], [ %190, %62 ]
  %224 = phi float [ 0.000000e+00, %43 ], [ %191, %62 ]
  %225 = phi float [ 0.000000e+00, %43 ], [ %192, %62 ]
  %226 = phi float [ 0.000000e+00, %43 ], [ %193, %62 ]
  %227 = phi float [ 0.000000e+00, %43 ], [ %194, %62 ]
  %228 = phi float [ 0.000000e+00, %43 ], [ %195, %62 ]
  %229 = phi float [ 0.000000e+00, %43 ], [ %196, %62 ]
  %230 = phi float [ 0.000000e+00, %43 ], [ %197, %62 ]
  %231 = phi float [ 0.000000e+00, %43 ], [ %198, %62 ]
  %232 = phi float [ 0.000000e+00, %43 ], [ %199, %62 ]
  %233 = phi float [ 0.000000e+00, %43 ], [ %200, %62 ]
  %234 = phi float [ 0.000000e+00, %43 ], [ %201, %62 ]
  %235 = phi float [ 0.000000e+00, %43 ], [ %202, %62 ]
  %236 = phi float [ 0.000000e+00, %43 ], [ %203, %62 ]
  %237 = phi float [ 0.000000e+00, %43 ], [ %204, %62 ]
  %238 = addrspacecast ptr addrspace(1) %41 to ptr
  %239 = tail call { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15\0A\09wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"(float %222, float %223, float %224, float %225, float %226, float %227, float %228, float %229, float %230, float %231, float %232, float %233, float %234, float %235, float %236, float %237) #6
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %240 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %241 = extractvalue { i32, i1 } %240, 1
  %242 = and i1 %44, %241
  tail call void asm sideeffect "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r"(i1 %242, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24576)) #6
  %243 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %244 = extractvalue { i32, i1 } %243, 1
  %245 = and i1 %44, %244
  tail call void asm sideeffect "@$0 mbarrier.inval.shared::cta.b64 [$1];", "b,r"(i1 %245, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 24584)) #6
  %246 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 0
  %247 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 1
  %248 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 2
  %249 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 3
  %250 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 4
  %251 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 5
  %252 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 6
  %253 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 7
  %254 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 8
  %255 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 9
  %256 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 10
  %257 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 11
  %258 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 12
  %259 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 13
  %260 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 14
  %261 = extractvalue { float, float, float, float, float, float, float, float, float, float, float, float, float, float, float, float } %239, 15
  %262 = insertelement <2 x float> poison, float %246, i64 0
  %263 = insertelement <2 x float> %262, float %247, i64 1
  %264 = fptrunc <2 x float> %263 to <2 x bfloat>
  %265 = insertelement <2 x float> poison, float %248, i64 0
  %266 = insertelement <2 x float> %265, float %249, i64 1
  %267 = fptrunc <2 x float> %266 to <2 x bfloat>
  %268 = insertelement <2 x float> poison, float %250, i64 0
  %269 = insertelement <2 x float> %268, float %251, i64 1
  %270 = fptrunc <2 x float> %269 to <2 x bfloat>
  %271 = insertelement <2 x float> poison, float %252, i64 0
  %272 = insertelement <2 x float> %271, float %253, i64 1
  %273 = fptrunc <2 x float> %272 to <2 x bfloat>
  %274 = insertelement <2 x float> poison, float %254, i64 0
  %275 = insertelement <2 x float> %274, float %255, i64 1
  %276 = fptrunc <2 x float> %275 to <2 x bfloat>
  %277 = insertelement <2 x float> poison, float %256, i64 0
  %278 = insertelement <2 x float> %277, float %257, i64 1
  %279 = fptrunc <2 x float> %278 to <2 x bfloat>
  %280 = insertelement <2 x float> poison, float %258, i64 0
  %281 = insertelement <2 x float> %280, float %259, i64 1
  %282 = fptrunc <2 x float> %281 to <2 x bfloat>
  %283 = insertelement <2 x float> poison, float %260, i64 0
  %284 = insertelement <2 x float> %283, float %261, i64 1
  %285 = fptrunc <2 x float> %284 to <2 x bfloat>
  %286 = shl nuw nsw i32 %25, 6
  %287 = and i32 %286, 960
  %288 = shl nuw nsw i32 %25, 5
  %289 = and i32 %288, 3072
  %290 = shl nuw nsw i32 %25, 3
  %291 = and i32 %290, 48
  %292 = and i32 %25, 16
  %293 = or disjoint i32 %287, %289
  %294 = xor i32 %291, %292
  %295 = or disjoint i32 %293, %294
  %296 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %295
  %297 = bitcast <2 x bfloat> %264 to i32
  %298 = bitcast <2 x bfloat> %267 to i32
  %299 = bitcast <2 x bfloat> %270 to i32
  %300 = bitcast <2 x bfloat> %273 to i32
  tail call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %296, i32 %297, i32 %298, i32 %299, i32 %300)
  %301 = xor i32 %295, 32
  %302 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %301
  %303 = bitcast <2 x bfloat> %276 to i32
  %304 = bitcast <2 x bfloat> %279 to i32
  %305 = bitcast <2 x bfloat> %282 to i32
  %306 = bitcast <2 x bfloat> %285 to i32
  tail call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %302, i32 %303, i32 %304, i32 %305, i32 %306)
  tail call void @llvm.nvvm.fence.proxy.async.shared_cta()
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %307 = tail call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)
  %308 = extractvalue { i32, i1 } %307, 1
  %309 = and i1 %27, %308
  tail call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r"(i1 %309, ptr %238, i32 %12, i32 %10, ptr addrspace(3) @global_smem) #6
  tail call void @llvm.nvvm.cp.async.bulk.commit.group()
  tail call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.z() #1

declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #1

declare noundef range(i32 1, 65536) i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #1

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare void @llvm.nvvm.bar.warp.sync(i32) #2

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

declare { i32, i1 } @llvm.nvvm.elect.sync(i32) #3

declare void @llvm.nvvm.fence.proxy.async.shared_cta() #4

declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) writeonly captures(none), i32, i32, i32, i32) #5

declare void @llvm.nvvm.cp.async.bulk.commit.group() #6

declare void @llvm.nvvm.cp.async.bulk.wait.group(i32 immarg) #6

declare void @llvm.nvvm.wgmma.fence.sync.aligned() #7

declare void @llvm.nvvm.wgmma.commit_group.sync.aligned() #7

attributes #0 = { nounwind "nvvm.reqntid"="128" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { convergent mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #4 = { nocallback nounwind }
attributes #5 = { convergent nocallback nounwind memory(argmem: write) }
attributes #6 = { nounwind }
attributes #7 = { convergent nounwind }
