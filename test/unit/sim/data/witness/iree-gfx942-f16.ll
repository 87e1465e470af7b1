; Made by bench/peers/witness.py with IREE 3.13.0 of our own source, do not edit.
; kernel f_dispatch_0_matmul_32x64x64_f16xf16xf32, target gfx942, element f16, sum f32, extents [32, 64, 64], threads 256, blocks 1
@__shared_memory___0 = private unnamed_addr addrspace(3) global [64 x [68 x half]] undef, align 16
@__shared_memory__ = private unnamed_addr addrspace(3) global [32 x [68 x half]] undef, align 16

define amdgpu_kernel void @f_dispatch_0_matmul_32x64x64_f16xf16xf32(ptr addrspace(1) inreg noalias noundef nonnull readonly align 16 captures(none) %0, ptr addrspace(1) inreg noalias noundef nonnull readonly align 16 captures(none) %1, ptr addrspace(1) inreg noalias nofree noundef nonnull writeonly align 16 captures(none) %2) local_unnamed_addr #0 !reqd_work_group_size !1 {
  %4 = tail call range(i32 0, 256) i32 @llvm.amdgcn.workitem.id.x()
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %0, i64 64) ]
  %5 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %0, i16 0, i32 4096, i32 159744)
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %1, i64 64) ]
  %6 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %1, i16 0, i32 8192, i32 159744)
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %2, i64 64) ]
  %7 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %2, i16 0, i32 8192, i32 159744)
  %8 = lshr i32 %4, 3
  %9 = shl nuw nsw i32 %4, 3
  %10 = and i32 %9, 56
  %11 = or disjoint i32 %8, 32
  %12 = and i32 %4, 15
  %13 = lshr i32 %4, 2
  %14 = and i32 %13, 12
  %15 = shl nuw nsw i32 %8, 6
  %16 = or disjoint i32 %15, %10
  %17 = getelementptr [2 x i8], ptr addrspace(7) %5, i32 %16
  %18 = load <8 x half>, ptr addrspace(7) %17, align 2
  %19 = getelementptr [2 x i8], ptr addrspace(7) %6, i32 %16
  %20 = load <8 x half>, ptr addrspace(7) %19, align 2
  %.idx = shl nuw nsw i32 %11, 7
  %21 = getelementptr i8, ptr addrspace(7) %6, i32 %.idx
  %22 = getelementptr [2 x i8], ptr addrspace(7) %21, i32 %10
  %23 = load <8 x half>, ptr addrspace(7) %22, align 2
  %narrow46 = mul nuw nsw i32 %8, 68
  %narrow47 = add nuw nsw i32 %narrow46, %10
  %24 = getelementptr [2 x i8], ptr addrspace(3) @__shared_memory__, i32 %narrow47
  store <8 x half> %18, ptr addrspace(3) %24, align 8
  %25 = getelementptr [2 x i8], ptr addrspace(3) @__shared_memory___0, i32 %narrow47
  store <8 x half> %20, ptr addrspace(3) %25, align 8
  %.idx2 = mul nuw nsw i32 %11, 136
  %26 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx2
  %27 = getelementptr [2 x i8], ptr addrspace(3) %26, i32 %10
  store <8 x half> %23, ptr addrspace(3) %27, align 8
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %.idx48 = mul nuw nsw i32 %12, 136
  %28 = getelementptr i8, ptr addrspace(3) @__shared_memory__, i32 %.idx48
  %29 = getelementptr [2 x i8], ptr addrspace(3) %28, i32 %14
  %30 = load <4 x half>, ptr addrspace(3) %29, align 8
  %31 = or disjoint i32 %14, 16
  %32 = getelementptr [2 x i8], ptr addrspace(3) %28, i32 %31
  %33 = load <4 x half>, ptr addrspace(3) %32, align 8
  %34 = or disjoint i32 %14, 32
  %35 = getelementptr [2 x i8], ptr addrspace(3) %28, i32 %34
  %36 = load <4 x half>, ptr addrspace(3) %35, align 8
  %37 = or disjoint i32 %14, 48
  %38 = getelementptr [2 x i8], ptr addrspace(3) %28, i32 %37
  %39 = load <4 x half>, ptr addrspace(3) %38, align 8
  %40 = getelementptr i8, ptr addrspace(3) %28, i32 2176
  %41 = getelementptr [2 x i8], ptr addrspace(3) %40, i32 %14
  %42 = load <4 x half>, ptr addrspace(3) %41, align 8
  %43 = getelementptr [2 x i8], ptr addrspace(3) %40, i32 %31
  %44 = load <4 x half>, ptr addrspace(3) %43, align 8
  %45 = getelementptr [2 x i8], ptr addrspace(3) %40, i32 %34
  %46 = load <4 x half>, ptr addrspace(3) %45, align 8
  %47 = getelementptr [2 x i8], ptr addrspace(3) %40, i32 %37
  %48 = load <4 x half>, ptr addrspace(3) %47, align 8
  %49 = and i32 %13, 48
  %50 = or disjoint i32 %49, %12
  %.idx6 = mul nuw nsw i32 %14, 136
  %51 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx6
  %52 = getelementptr [2 x i8], ptr addrspace(3) %51, i32 %50
  %53 = load <1 x half>, ptr addrspace(3) %52, align 2
  %54 = or disjoint i32 %14, 1
  %.idx7 = mul nuw nsw i32 %54, 136
  %55 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx7
  %56 = getelementptr [2 x i8], ptr addrspace(3) %55, i32 %50
  %57 = load <1 x half>, ptr addrspace(3) %56, align 2
  %58 = or disjoint i32 %14, 2
  %.idx8 = mul nuw nsw i32 %58, 136
  %59 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx8
  %60 = getelementptr [2 x i8], ptr addrspace(3) %59, i32 %50
  %61 = load <1 x half>, ptr addrspace(3) %60, align 2
  %62 = shufflevector <1 x half> %61, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %63 = or disjoint i32 %14, 3
  %.idx9 = mul nuw nsw i32 %63, 136
  %64 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx9
  %65 = getelementptr [2 x i8], ptr addrspace(3) %64, i32 %50
  %66 = load <1 x half>, ptr addrspace(3) %65, align 2
  %67 = shufflevector <1 x half> %66, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %.idx10 = mul nuw nsw i32 %31, 136
  %68 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx10
  %69 = getelementptr [2 x i8], ptr addrspace(3) %68, i32 %50
  %70 = load <1 x half>, ptr addrspace(3) %69, align 2
  %71 = or disjoint i32 %14, 17
  %.idx11 = mul nuw nsw i32 %71, 136
  %72 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx11
  %73 = getelementptr [2 x i8], ptr addrspace(3) %72, i32 %50
  %74 = load <1 x half>, ptr addrspace(3) %73, align 2
  %75 = or disjoint i32 %14, 18
  %.idx12 = mul nuw nsw i32 %75, 136
  %76 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx12
  %77 = getelementptr [2 x i8], ptr addrspace(3) %76, i32 %50
  %78 = load <1 x half>, ptr addrspace(3) %77, align 2
  %79 = shufflevector <1 x half> %78, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %80 = or disjoint i32 %14, 19
  %.idx13 = mul nuw nsw i32 %80, 136
  %81 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx13
  %82 = getelementptr [2 x i8], ptr addrspace(3) %81, i32 %50
  %83 = load <1 x half>, ptr addrspace(3) %82, align 2
  %84 = shufflevector <1 x half> %83, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %.idx16 = mul nuw nsw i32 %34, 136
  %85 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx16
  %86 = getelementptr [2 x i8], ptr addrspace(3) %85, i32 %50
  %87 = load <1 x half>, ptr addrspace(3) %86, align 2
  %88 = getelementptr i8, ptr addrspace(3) %51, i32 4488
  %89 = getelementptr [2 x i8], ptr addrspace(3) %88, i32 %50
  %90 = load <1 x half>, ptr addrspace(3) %89, align 2
  %91 = getelementptr i8, ptr addrspace(3) %51, i32 4624
  %92 = getelementptr [2 x i8], ptr addrspace(3) %91, i32 %50
  %93 = load <1 x half>, ptr addrspace(3) %92, align 2
  %94 = shufflevector <1 x half> %93, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %95 = getelementptr i8, ptr addrspace(3) %51, i32 4760
  %96 = getelementptr [2 x i8], ptr addrspace(3) %95, i32 %50
  %97 = load <1 x half>, ptr addrspace(3) %96, align 2
  %98 = shufflevector <1 x half> %97, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %.idx28 = mul nuw nsw i32 %37, 136
  %99 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx28
  %100 = getelementptr [2 x i8], ptr addrspace(3) %99, i32 %50
  %101 = load <1 x half>, ptr addrspace(3) %100, align 2
  %102 = getelementptr i8, ptr addrspace(3) %51, i32 6664
  %103 = getelementptr [2 x i8], ptr addrspace(3) %102, i32 %50
  %104 = load <1 x half>, ptr addrspace(3) %103, align 2
  %105 = getelementptr i8, ptr addrspace(3) %51, i32 6800
  %106 = getelementptr [2 x i8], ptr addrspace(3) %105, i32 %50
  %107 = load <1 x half>, ptr addrspace(3) %106, align 2
  %108 = shufflevector <1 x half> %107, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %109 = or i32 %13, 51
  %.idx37 = mul nuw nsw i32 %109, 136
  %110 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx37
  %111 = getelementptr [2 x i8], ptr addrspace(3) %110, i32 %50
  %112 = load <1 x half>, ptr addrspace(3) %111, align 2
  %113 = shufflevector <1 x half> %112, <1 x half> poison, <4 x i32> <i32 0, i32 poison, i32 poison, i32 poison>
  %114 = shufflevector <1 x half> %53, <1 x half> %57, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %115 = shufflevector <4 x half> %114, <4 x half> %62, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %116 = shufflevector <4 x half> %115, <4 x half> %67, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %117 = shufflevector <1 x half> %70, <1 x half> %74, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %118 = shufflevector <4 x half> %117, <4 x half> %79, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %119 = shufflevector <4 x half> %118, <4 x half> %84, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %120 = shufflevector <1 x half> %87, <1 x half> %90, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %121 = shufflevector <4 x half> %120, <4 x half> %94, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %122 = shufflevector <4 x half> %121, <4 x half> %98, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %123 = shufflevector <1 x half> %101, <1 x half> %104, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %124 = shufflevector <4 x half> %123, <4 x half> %108, <4 x i32> <i32 0, i32 1, i32 4, i32 poison>
  %125 = shufflevector <4 x half> %124, <4 x half> %113, <4 x i32> <i32 0, i32 1, i32 2, i32 4>
  %126 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %30, <4 x half> %116, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %127 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %42, <4 x half> %116, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %128 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %33, <4 x half> %119, <4 x float> %126, i32 0, i32 0, i32 0)
  %129 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %44, <4 x half> %119, <4 x float> %127, i32 0, i32 0, i32 0)
  %130 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %36, <4 x half> %122, <4 x float> %128, i32 0, i32 0, i32 0)
  %131 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %46, <4 x half> %122, <4 x float> %129, i32 0, i32 0, i32 0)
  %132 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %39, <4 x half> %125, <4 x float> %130, i32 0, i32 0, i32 0)
  %133 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %48, <4 x half> %125, <4 x float> %131, i32 0, i32 0, i32 0)
  %134 = shufflevector <4 x float> %132, <4 x float> poison, <1 x i32> zeroinitializer
  %135 = shufflevector <4 x float> %132, <4 x float> poison, <1 x i32> <i32 1>
  %136 = shufflevector <4 x float> %132, <4 x float> poison, <1 x i32> <i32 2>
  %137 = shufflevector <4 x float> %132, <4 x float> poison, <1 x i32> <i32 3>
  %138 = shufflevector <4 x float> %133, <4 x float> poison, <1 x i32> zeroinitializer
  %139 = shufflevector <4 x float> %133, <4 x float> poison, <1 x i32> <i32 1>
  %140 = shufflevector <4 x float> %133, <4 x float> poison, <1 x i32> <i32 2>
  %141 = shufflevector <4 x float> %133, <4 x float> poison, <1 x i32> <i32 3>
  %.idx38 = shl nuw nsw i32 %14, 8
  %142 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx38
  %143 = getelementptr [4 x i8], ptr addrspace(7) %142, i32 %50
  store <1 x float> %134, ptr addrspace(7) %143, align 4
  %.idx39 = shl nuw nsw i32 %54, 8
  %144 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx39
  %145 = getelementptr [4 x i8], ptr addrspace(7) %144, i32 %50
  store <1 x float> %135, ptr addrspace(7) %145, align 4
  %.idx40 = shl nuw nsw i32 %58, 8
  %146 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx40
  %147 = getelementptr [4 x i8], ptr addrspace(7) %146, i32 %50
  store <1 x float> %136, ptr addrspace(7) %147, align 4
  %.idx41 = shl nuw nsw i32 %63, 8
  %148 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx41
  %149 = getelementptr [4 x i8], ptr addrspace(7) %148, i32 %50
  store <1 x float> %137, ptr addrspace(7) %149, align 4
  %.idx42 = shl nuw nsw i32 %31, 8
  %150 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx42
  %151 = getelementptr [4 x i8], ptr addrspace(7) %150, i32 %50
  store <1 x float> %138, ptr addrspace(7) %151, align 4
  %.idx43 = shl nuw nsw i32 %71, 8
  %152 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx43
  %153 = getelementptr [4 x i8], ptr addrspace(7) %152, i32 %50
  store <1 x float> %139, ptr addrspace(7) %153, align 4
  %.idx44 = shl nuw nsw i32 %75, 8
  %154 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx44
  %155 = getelementptr [4 x i8], ptr addrspace(7) %154, i32 %50
  store <1 x float> %140, ptr addrspace(7) %155, align 4
  %.idx45 = shl nuw nsw i32 %80, 8
  %156 = getelementptr i8, ptr addrspace(7) %7, i32 %.idx45
  %157 = getelementptr [4 x i8], ptr addrspace(7) %156, i32 %50
  store <1 x float> %141, ptr addrspace(7) %157, align 4
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare void @llvm.assume(i1 noundef) #2

declare ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) readnone, i16, i32, i32) #3

declare void @llvm.amdgcn.s.barrier() #4

declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32 immarg, i32 immarg, i32 immarg) #5

attributes #0 = { alwaysinline mustprogress norecurse nounwind willreturn "amdgpu-agpr-alloc"="0" "amdgpu-flat-work-group-size"="256,256" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "uniform-work-group-size" }
attributes #1 = { alwaysinline mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { alwaysinline mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #3 = { alwaysinline mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { alwaysinline convergent mustprogress nocallback nofree nounwind willreturn }
attributes #5 = { alwaysinline convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
!1 = !{i32 256, i32 1, i32 1}
