; Made by bench/peers/witness.py with IREE 3.13.0 of our own source, do not edit.
; kernel f_dispatch_0_matmul_32x64x64_i8xi8xi32, target gfx942, element i8, sum i32, extents [32, 64, 64], threads 256, blocks 1
@__shared_memory___0 = private unnamed_addr addrspace(3) global [64 x [72 x i8]] undef, align 16
@__shared_memory__ = private unnamed_addr addrspace(3) global [32 x [72 x i8]] undef, align 16

define amdgpu_kernel void @f_dispatch_0_matmul_32x64x64_i8xi8xi32(ptr addrspace(1) inreg noalias noundef nonnull readonly align 16 captures(none) %0, ptr addrspace(1) inreg noalias noundef nonnull readonly align 16 captures(none) %1, ptr addrspace(1) inreg noalias nofree noundef nonnull writeonly align 16 captures(none) %2) local_unnamed_addr #0 !reqd_work_group_size !1 {
  %4 = tail call range(i32 0, 256) i32 @llvm.amdgcn.workitem.id.x()
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %0, i64 64) ]
  %5 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %0, i16 0, i32 2048, i32 159744)
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %1, i64 64) ]
  %6 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %1, i16 0, i32 4096, i32 159744)
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %2, i64 64) ]
  %7 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %2, i16 0, i32 8192, i32 159744)
  %8 = lshr i32 %4, 3
  %9 = lshr i32 %4, 2
  %10 = shl nuw nsw i32 %4, 3
  %11 = and i32 %10, 56
  %12 = shl nuw nsw i32 %4, 4
  %13 = and i32 %12, 48
  %14 = lshr i32 %4, 4
  %15 = and i32 %14, 3
  %16 = and i32 %4, 15
  %17 = shl nuw nsw i32 %15, 3
  %18 = shl nuw nsw i32 %8, 6
  %19 = getelementptr i8, ptr addrspace(7) %5, i32 %18
  %20 = getelementptr i8, ptr addrspace(7) %19, i32 %11
  %21 = load <8 x i8>, ptr addrspace(7) %20, align 1
  %22 = shl nuw nsw i32 %9, 6
  %23 = getelementptr i8, ptr addrspace(7) %6, i32 %22
  %24 = getelementptr i8, ptr addrspace(7) %23, i32 %13
  %25 = load <16 x i8>, ptr addrspace(7) %24, align 1
  %narrow = mul nuw nsw i32 %8, 72
  %26 = getelementptr i8, ptr addrspace(3) @__shared_memory__, i32 %narrow
  %27 = getelementptr i8, ptr addrspace(3) %26, i32 %11
  store <8 x i8> %21, ptr addrspace(3) %27, align 8
  %narrow2 = mul nuw nsw i32 %9, 72
  %28 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %narrow2
  %29 = getelementptr i8, ptr addrspace(3) %28, i32 %13
  store <16 x i8> %25, ptr addrspace(3) %29, align 8
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %narrow4 = mul nuw nsw i32 %16, 72
  %30 = getelementptr i8, ptr addrspace(3) @__shared_memory__, i32 %narrow4
  %31 = getelementptr i8, ptr addrspace(3) %30, i32 %17
  %32 = load i64, ptr addrspace(3) %31, align 8
  %33 = or disjoint i32 %17, 32
  %34 = getelementptr i8, ptr addrspace(3) %30, i32 %33
  %35 = load i64, ptr addrspace(3) %34, align 8
  %36 = getelementptr i8, ptr addrspace(3) %30, i32 1152
  %37 = getelementptr i8, ptr addrspace(3) %36, i32 %17
  %38 = load i64, ptr addrspace(3) %37, align 8
  %39 = getelementptr i8, ptr addrspace(3) %36, i32 %33
  %40 = load i64, ptr addrspace(3) %39, align 8
  %41 = and i32 %9, 48
  %42 = or disjoint i32 %41, %16
  %narrow8 = mul nuw nsw i32 %15, 576
  %43 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %narrow8
  %44 = getelementptr i8, ptr addrspace(3) %43, i32 %42
  %45 = load <1 x i8>, ptr addrspace(3) %44, align 1
  %46 = getelementptr i8, ptr addrspace(3) %43, i32 72
  %47 = getelementptr i8, ptr addrspace(3) %46, i32 %42
  %48 = load <1 x i8>, ptr addrspace(3) %47, align 1
  %49 = getelementptr i8, ptr addrspace(3) %43, i32 144
  %50 = getelementptr i8, ptr addrspace(3) %49, i32 %42
  %51 = load <1 x i8>, ptr addrspace(3) %50, align 1
  %52 = shufflevector <1 x i8> %51, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %53 = getelementptr i8, ptr addrspace(3) %43, i32 216
  %54 = getelementptr i8, ptr addrspace(3) %53, i32 %42
  %55 = load <1 x i8>, ptr addrspace(3) %54, align 1
  %56 = shufflevector <1 x i8> %55, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %57 = getelementptr i8, ptr addrspace(3) %43, i32 288
  %58 = getelementptr i8, ptr addrspace(3) %57, i32 %42
  %59 = load <1 x i8>, ptr addrspace(3) %58, align 1
  %60 = shufflevector <1 x i8> %59, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %61 = getelementptr i8, ptr addrspace(3) %43, i32 360
  %62 = getelementptr i8, ptr addrspace(3) %61, i32 %42
  %63 = load <1 x i8>, ptr addrspace(3) %62, align 1
  %64 = shufflevector <1 x i8> %63, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %65 = getelementptr i8, ptr addrspace(3) %43, i32 432
  %66 = getelementptr i8, ptr addrspace(3) %65, i32 %42
  %67 = load <1 x i8>, ptr addrspace(3) %66, align 1
  %68 = shufflevector <1 x i8> %67, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %69 = getelementptr i8, ptr addrspace(3) %43, i32 504
  %70 = getelementptr i8, ptr addrspace(3) %69, i32 %42
  %71 = load <1 x i8>, ptr addrspace(3) %70, align 1
  %72 = shufflevector <1 x i8> %71, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %narrow23 = mul nuw nsw i32 %33, 72
  %73 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %narrow23
  %74 = getelementptr i8, ptr addrspace(3) %73, i32 %42
  %75 = load <1 x i8>, ptr addrspace(3) %74, align 1
  %76 = getelementptr i8, ptr addrspace(3) %43, i32 2376
  %77 = getelementptr i8, ptr addrspace(3) %76, i32 %42
  %78 = load <1 x i8>, ptr addrspace(3) %77, align 1
  %79 = getelementptr i8, ptr addrspace(3) %43, i32 2448
  %80 = getelementptr i8, ptr addrspace(3) %79, i32 %42
  %81 = load <1 x i8>, ptr addrspace(3) %80, align 1
  %82 = shufflevector <1 x i8> %81, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %83 = getelementptr i8, ptr addrspace(3) %43, i32 2520
  %84 = getelementptr i8, ptr addrspace(3) %83, i32 %42
  %85 = load <1 x i8>, ptr addrspace(3) %84, align 1
  %86 = shufflevector <1 x i8> %85, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %87 = getelementptr i8, ptr addrspace(3) %43, i32 2592
  %88 = getelementptr i8, ptr addrspace(3) %87, i32 %42
  %89 = load <1 x i8>, ptr addrspace(3) %88, align 1
  %90 = shufflevector <1 x i8> %89, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %91 = getelementptr i8, ptr addrspace(3) %43, i32 2664
  %92 = getelementptr i8, ptr addrspace(3) %91, i32 %42
  %93 = load <1 x i8>, ptr addrspace(3) %92, align 1
  %94 = shufflevector <1 x i8> %93, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %95 = getelementptr i8, ptr addrspace(3) %43, i32 2736
  %96 = getelementptr i8, ptr addrspace(3) %95, i32 %42
  %97 = load <1 x i8>, ptr addrspace(3) %96, align 1
  %98 = shufflevector <1 x i8> %97, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %99 = getelementptr i8, ptr addrspace(3) %43, i32 2808
  %100 = getelementptr i8, ptr addrspace(3) %99, i32 %42
  %101 = load <1 x i8>, ptr addrspace(3) %100, align 1
  %102 = shufflevector <1 x i8> %101, <1 x i8> poison, <8 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %103 = shufflevector <1 x i8> %45, <1 x i8> %48, <8 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %104 = shufflevector <8 x i8> %103, <8 x i8> %52, <8 x i32> <i32 0, i32 1, i32 8, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %105 = shufflevector <8 x i8> %104, <8 x i8> %56, <8 x i32> <i32 0, i32 1, i32 2, i32 8, i32 poison, i32 poison, i32 poison, i32 poison>
  %106 = shufflevector <8 x i8> %105, <8 x i8> %60, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 poison, i32 poison, i32 poison>
  %107 = shufflevector <8 x i8> %106, <8 x i8> %64, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 poison, i32 poison>
  %108 = shufflevector <8 x i8> %107, <8 x i8> %68, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 8, i32 poison>
  %109 = shufflevector <8 x i8> %108, <8 x i8> %72, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 8>
  %110 = shufflevector <1 x i8> %75, <1 x i8> %78, <8 x i32> <i32 0, i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %111 = shufflevector <8 x i8> %110, <8 x i8> %82, <8 x i32> <i32 0, i32 1, i32 8, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %112 = shufflevector <8 x i8> %111, <8 x i8> %86, <8 x i32> <i32 0, i32 1, i32 2, i32 8, i32 poison, i32 poison, i32 poison, i32 poison>
  %113 = shufflevector <8 x i8> %112, <8 x i8> %90, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 poison, i32 poison, i32 poison>
  %114 = shufflevector <8 x i8> %113, <8 x i8> %94, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 poison, i32 poison>
  %115 = shufflevector <8 x i8> %114, <8 x i8> %98, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 8, i32 poison>
  %116 = shufflevector <8 x i8> %115, <8 x i8> %102, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 8>
  %117 = bitcast <8 x i8> %109 to i64
  %118 = tail call <4 x i32> @llvm.amdgcn.mfma.i32.16x16x32.i8(i64 %32, i64 %117, <4 x i32> zeroinitializer, i32 0, i32 0, i32 0)
  %119 = tail call <4 x i32> @llvm.amdgcn.mfma.i32.16x16x32.i8(i64 %38, i64 %117, <4 x i32> zeroinitializer, i32 0, i32 0, i32 0)
  %120 = bitcast <8 x i8> %116 to i64
  %121 = tail call <4 x i32> @llvm.amdgcn.mfma.i32.16x16x32.i8(i64 %35, i64 %120, <4 x i32> %118, i32 0, i32 0, i32 0)
  %122 = tail call <4 x i32> @llvm.amdgcn.mfma.i32.16x16x32.i8(i64 %40, i64 %120, <4 x i32> %119, i32 0, i32 0, i32 0)
  %123 = shufflevector <4 x i32> %121, <4 x i32> poison, <1 x i32> zeroinitializer
  %124 = shufflevector <4 x i32> %121, <4 x i32> poison, <1 x i32> <i32 1>
  %125 = shufflevector <4 x i32> %121, <4 x i32> poison, <1 x i32> <i32 2>
  %126 = shufflevector <4 x i32> %121, <4 x i32> poison, <1 x i32> <i32 3>
  %127 = shufflevector <4 x i32> %122, <4 x i32> poison, <1 x i32> zeroinitializer
  %128 = shufflevector <4 x i32> %122, <4 x i32> poison, <1 x i32> <i32 1>
  %129 = shufflevector <4 x i32> %122, <4 x i32> poison, <1 x i32> <i32 2>
  %130 = shufflevector <4 x i32> %122, <4 x i32> poison, <1 x i32> <i32 3>
  %.idx = shl nuw nsw i32 %15, 10
  %131 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx
  %132 = getelementptr [4 x i8], ptr addrspace(7) %131, i32 %42
  store <1 x i32> %123, ptr addrspace(7) %132, align 4
  %133 = getelementptr i8, ptr addrspace(7) %132, i32 256
  store <1 x i32> %124, ptr addrspace(7) %133, align 4
  %134 = getelementptr i8, ptr addrspace(7) %132, i32 512
  store <1 x i32> %125, ptr addrspace(7) %134, align 4
  %135 = getelementptr i8, ptr addrspace(7) %132, i32 768
  store <1 x i32> %126, ptr addrspace(7) %135, align 4
  %136 = getelementptr i8, ptr addrspace(7) %132, i32 4096
  store <1 x i32> %127, ptr addrspace(7) %136, align 4
  %137 = getelementptr i8, ptr addrspace(7) %132, i32 4352
  store <1 x i32> %128, ptr addrspace(7) %137, align 4
  %138 = getelementptr i8, ptr addrspace(7) %132, i32 4608
  store <1 x i32> %129, ptr addrspace(7) %138, align 4
  %139 = getelementptr i8, ptr addrspace(7) %132, i32 4864
  store <1 x i32> %130, ptr addrspace(7) %139, align 4
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare void @llvm.assume(i1 noundef) #2

declare ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) readnone, i16, i32, i32) #3

declare void @llvm.amdgcn.s.barrier() #4

declare <4 x i32> @llvm.amdgcn.mfma.i32.16x16x32.i8(i64, i64, <4 x i32>, i32 immarg, i32 immarg, i32 immarg) #5

attributes #0 = { alwaysinline mustprogress norecurse nounwind willreturn "amdgpu-agpr-alloc"="0" "amdgpu-flat-work-group-size"="256,256" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "uniform-work-group-size" }
attributes #1 = { alwaysinline mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { alwaysinline mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #3 = { alwaysinline mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { alwaysinline convergent mustprogress nocallback nofree nounwind willreturn }
attributes #5 = { alwaysinline convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
!1 = !{i32 256, i32 1, i32 1}
