; Made by bench/peers/witness.py with IREE 3.13.0 of our own source, do not edit.
; kernel f_dispatch_0_matmul_32x32x64_f32, target gfx942, element f32, sum f32, extents [32, 32, 64], threads 256, blocks 1
@__shared_memory___0 = private unnamed_addr addrspace(3) global [64 x [34 x float]] undef, align 16
@__shared_memory__ = private unnamed_addr addrspace(3) global [32 x [66 x float]] undef, align 16

define amdgpu_kernel void @f_dispatch_0_matmul_32x32x64_f32(ptr addrspace(1) inreg noalias noundef nonnull readonly align 16 captures(none) %0, ptr addrspace(1) inreg noalias noundef nonnull readonly align 16 captures(none) %1, ptr addrspace(1) inreg noalias nofree noundef nonnull writeonly align 16 captures(none) %2) local_unnamed_addr #0 !reqd_work_group_size !1 {
  %4 = tail call range(i32 0, 256) i32 @llvm.amdgcn.workitem.id.x()
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %0, i64 64) ]
  %5 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %0, i16 0, i32 8192, i32 159744)
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %1, i64 64) ]
  %6 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %1, i16 0, i32 8192, i32 159744)
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %2, i64 64) ]
  %7 = tail call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) nonnull %2, i16 0, i32 4096, i32 159744)
  %8 = lshr i32 %4, 4
  %9 = shl nuw nsw i32 %4, 2
  %10 = and i32 %9, 60
  %11 = or disjoint i32 %4, 256
  %12 = lshr i32 %11, 4
  %13 = lshr i32 %4, 3
  %14 = and i32 %9, 28
  %15 = lshr i32 %11, 3
  %16 = and i32 %8, 3
  %17 = and i32 %4, 15
  %18 = and i32 %13, 16
  %19 = lshr i32 %4, 2
  %20 = and i32 %19, 16
  %21 = or disjoint i32 %20, %17
  %.idx = shl nuw nsw i32 %8, 8
  %22 = getelementptr i8, ptr addrspace(7) %5, i32 %.idx
  %23 = getelementptr [4 x i8], ptr addrspace(7) %22, i32 %10
  %24 = load <4 x float>, ptr addrspace(7) %23, align 4
  %.idx1 = shl nuw nsw i32 %12, 8
  %25 = getelementptr i8, ptr addrspace(7) %5, i32 %.idx1
  %26 = getelementptr [4 x i8], ptr addrspace(7) %25, i32 %10
  %27 = load <4 x float>, ptr addrspace(7) %26, align 4
  %.idx2 = shl nuw nsw i32 %13, 7
  %28 = getelementptr i8, ptr addrspace(7) %6, i32 %.idx2
  %29 = getelementptr [4 x i8], ptr addrspace(7) %28, i32 %14
  %30 = load <4 x float>, ptr addrspace(7) %29, align 4
  %.idx3 = shl nuw nsw i32 %15, 7
  %31 = getelementptr i8, ptr addrspace(7) %6, i32 %.idx3
  %32 = getelementptr [4 x i8], ptr addrspace(7) %31, i32 %14
  %33 = load <4 x float>, ptr addrspace(7) %32, align 4
  %.idx5 = mul nuw nsw i32 %8, 264
  %34 = getelementptr i8, ptr addrspace(3) @__shared_memory__, i32 %.idx5
  %35 = getelementptr [4 x i8], ptr addrspace(3) %34, i32 %10
  store <4 x float> %24, ptr addrspace(3) %35, align 8
  %.idx7 = mul nuw nsw i32 %12, 264
  %36 = getelementptr i8, ptr addrspace(3) @__shared_memory__, i32 %.idx7
  %37 = getelementptr [4 x i8], ptr addrspace(3) %36, i32 %10
  store <4 x float> %27, ptr addrspace(3) %37, align 8
  %.idx9 = mul nuw nsw i32 %13, 136
  %38 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx9
  %39 = getelementptr [4 x i8], ptr addrspace(3) %38, i32 %14
  store <4 x float> %30, ptr addrspace(3) %39, align 8
  %.idx11 = mul nuw nsw i32 %15, 136
  %40 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx11
  %41 = getelementptr [4 x i8], ptr addrspace(3) %40, i32 %14
  store <4 x float> %33, ptr addrspace(3) %41, align 8
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %42 = or disjoint i32 %18, %17
  %.idx65 = mul nuw nsw i32 %42, 264
  %43 = getelementptr i8, ptr addrspace(3) @__shared_memory__, i32 %.idx65
  %44 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %16
  %45 = load <1 x float>, ptr addrspace(3) %44, align 4
  %46 = or disjoint i32 %16, 4
  %47 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %46
  %48 = load <1 x float>, ptr addrspace(3) %47, align 4
  %49 = or disjoint i32 %16, 8
  %50 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %49
  %51 = load <1 x float>, ptr addrspace(3) %50, align 4
  %52 = or i32 %8, 12
  %53 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %52
  %54 = load <1 x float>, ptr addrspace(3) %53, align 4
  %55 = or disjoint i32 %16, 16
  %56 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %55
  %57 = load <1 x float>, ptr addrspace(3) %56, align 4
  %58 = or disjoint i32 %16, 20
  %59 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %58
  %60 = load <1 x float>, ptr addrspace(3) %59, align 4
  %61 = or disjoint i32 %16, 24
  %62 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %61
  %63 = load <1 x float>, ptr addrspace(3) %62, align 4
  %64 = or i32 %8, 28
  %65 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %64
  %66 = load <1 x float>, ptr addrspace(3) %65, align 4
  %67 = or disjoint i32 %16, 32
  %68 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %67
  %69 = load <1 x float>, ptr addrspace(3) %68, align 4
  %70 = or disjoint i32 %16, 36
  %71 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %70
  %72 = load <1 x float>, ptr addrspace(3) %71, align 4
  %73 = or disjoint i32 %16, 40
  %74 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %73
  %75 = load <1 x float>, ptr addrspace(3) %74, align 4
  %76 = or i32 %8, 44
  %77 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %76
  %78 = load <1 x float>, ptr addrspace(3) %77, align 4
  %79 = or disjoint i32 %16, 48
  %80 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %79
  %81 = load <1 x float>, ptr addrspace(3) %80, align 4
  %82 = or disjoint i32 %16, 52
  %83 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %82
  %84 = load <1 x float>, ptr addrspace(3) %83, align 4
  %85 = or disjoint i32 %16, 56
  %86 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %85
  %87 = load <1 x float>, ptr addrspace(3) %86, align 4
  %88 = or i32 %8, 60
  %89 = getelementptr [4 x i8], ptr addrspace(3) %43, i32 %88
  %90 = load <1 x float>, ptr addrspace(3) %89, align 4
  %.idx15 = mul nuw nsw i32 %16, 136
  %91 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx15
  %92 = getelementptr [4 x i8], ptr addrspace(3) %91, i32 %21
  %93 = load <1 x float>, ptr addrspace(3) %92, align 4
  %.idx18 = mul nuw nsw i32 %46, 136
  %94 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx18
  %95 = getelementptr [4 x i8], ptr addrspace(3) %94, i32 %21
  %96 = load <1 x float>, ptr addrspace(3) %95, align 4
  %.idx21 = mul nuw nsw i32 %49, 136
  %97 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx21
  %98 = getelementptr [4 x i8], ptr addrspace(3) %97, i32 %21
  %99 = load <1 x float>, ptr addrspace(3) %98, align 4
  %.idx24 = mul nuw nsw i32 %52, 136
  %100 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx24
  %101 = getelementptr [4 x i8], ptr addrspace(3) %100, i32 %21
  %102 = load <1 x float>, ptr addrspace(3) %101, align 4
  %.idx27 = mul nuw nsw i32 %55, 136
  %103 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx27
  %104 = getelementptr [4 x i8], ptr addrspace(3) %103, i32 %21
  %105 = load <1 x float>, ptr addrspace(3) %104, align 4
  %.idx30 = mul nuw nsw i32 %58, 136
  %106 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx30
  %107 = getelementptr [4 x i8], ptr addrspace(3) %106, i32 %21
  %108 = load <1 x float>, ptr addrspace(3) %107, align 4
  %.idx33 = mul nuw nsw i32 %61, 136
  %109 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx33
  %110 = getelementptr [4 x i8], ptr addrspace(3) %109, i32 %21
  %111 = load <1 x float>, ptr addrspace(3) %110, align 4
  %.idx36 = mul nuw nsw i32 %64, 136
  %112 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx36
  %113 = getelementptr [4 x i8], ptr addrspace(3) %112, i32 %21
  %114 = load <1 x float>, ptr addrspace(3) %113, align 4
  %.idx39 = mul nuw nsw i32 %67, 136
  %115 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx39
  %116 = getelementptr [4 x i8], ptr addrspace(3) %115, i32 %21
  %117 = load <1 x float>, ptr addrspace(3) %116, align 4
  %.idx42 = mul nuw nsw i32 %70, 136
  %118 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx42
  %119 = getelementptr [4 x i8], ptr addrspace(3) %118, i32 %21
  %120 = load <1 x float>, ptr addrspace(3) %119, align 4
  %.idx45 = mul nuw nsw i32 %73, 136
  %121 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx45
  %122 = getelementptr [4 x i8], ptr addrspace(3) %121, i32 %21
  %123 = load <1 x float>, ptr addrspace(3) %122, align 4
  %.idx48 = mul nuw nsw i32 %76, 136
  %124 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx48
  %125 = getelementptr [4 x i8], ptr addrspace(3) %124, i32 %21
  %126 = load <1 x float>, ptr addrspace(3) %125, align 4
  %.idx51 = mul nuw nsw i32 %79, 136
  %127 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx51
  %128 = getelementptr [4 x i8], ptr addrspace(3) %127, i32 %21
  %129 = load <1 x float>, ptr addrspace(3) %128, align 4
  %.idx54 = mul nuw nsw i32 %82, 136
  %130 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx54
  %131 = getelementptr [4 x i8], ptr addrspace(3) %130, i32 %21
  %132 = load <1 x float>, ptr addrspace(3) %131, align 4
  %.idx57 = mul nuw nsw i32 %85, 136
  %133 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx57
  %134 = getelementptr [4 x i8], ptr addrspace(3) %133, i32 %21
  %135 = load <1 x float>, ptr addrspace(3) %134, align 4
  %.idx60 = mul nuw nsw i32 %88, 136
  %136 = getelementptr i8, ptr addrspace(3) @__shared_memory___0, i32 %.idx60
  %137 = getelementptr [4 x i8], ptr addrspace(3) %136, i32 %21
  %138 = load <1 x float>, ptr addrspace(3) %137, align 4
  %139 = extractelement <1 x float> %45, i64 0
  %140 = extractelement <1 x float> %93, i64 0
  %141 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %139, float %140, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %142 = extractelement <1 x float> %48, i64 0
  %143 = extractelement <1 x float> %96, i64 0
  %144 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %142, float %143, <4 x float> %141, i32 0, i32 0, i32 0)
  %145 = extractelement <1 x float> %51, i64 0
  %146 = extractelement <1 x float> %99, i64 0
  %147 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %145, float %146, <4 x float> %144, i32 0, i32 0, i32 0)
  %148 = extractelement <1 x float> %54, i64 0
  %149 = extractelement <1 x float> %102, i64 0
  %150 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %148, float %149, <4 x float> %147, i32 0, i32 0, i32 0)
  %151 = extractelement <1 x float> %57, i64 0
  %152 = extractelement <1 x float> %105, i64 0
  %153 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %151, float %152, <4 x float> %150, i32 0, i32 0, i32 0)
  %154 = extractelement <1 x float> %60, i64 0
  %155 = extractelement <1 x float> %108, i64 0
  %156 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %154, float %155, <4 x float> %153, i32 0, i32 0, i32 0)
  %157 = extractelement <1 x float> %63, i64 0
  %158 = extractelement <1 x float> %111, i64 0
  %159 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %157, float %158, <4 x float> %156, i32 0, i32 0, i32 0)
  %160 = extractelement <1 x float> %66, i64 0
  %161 = extractelement <1 x float> %114, i64 0
  %162 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %160, float %161, <4 x float> %159, i32 0, i32 0, i32 0)
  %163 = extractelement <1 x float> %69, i64 0
  %164 = extractelement <1 x float> %117, i64 0
  %165 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %163, float %164, <4 x float> %162, i32 0, i32 0, i32 0)
  %166 = extractelement <1 x float> %72, i64 0
  %167 = extractelement <1 x float> %120, i64 0
  %168 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %166, float %167, <4 x float> %165, i32 0, i32 0, i32 0)
  %169 = extractelement <1 x float> %75, i64 0
  %170 = extractelement <1 x float> %123, i64 0
  %171 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %169, float %170, <4 x float> %168, i32 0, i32 0, i32 0)
  %172 = extractelement <1 x float> %78, i64 0
  %173 = extractelement <1 x float> %126, i64 0
  %174 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %172, float %173, <4 x float> %171, i32 0, i32 0, i32 0)
  %175 = extractelement <1 x float> %81, i64 0
  %176 = extractelement <1 x float> %129, i64 0
  %177 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %175, float %176, <4 x float> %174, i32 0, i32 0, i32 0)
  %178 = extractelement <1 x float> %84, i64 0
  %179 = extractelement <1 x float> %132, i64 0
  %180 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %178, float %179, <4 x float> %177, i32 0, i32 0, i32 0)
  %181 = extractelement <1 x float> %87, i64 0
  %182 = extractelement <1 x float> %135, i64 0
  %183 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %181, float %182, <4 x float> %180, i32 0, i32 0, i32 0)
  %184 = extractelement <1 x float> %90, i64 0
  %185 = extractelement <1 x float> %138, i64 0
  %186 = tail call <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float %184, float %185, <4 x float> %183, i32 0, i32 0, i32 0)
  %187 = shufflevector <4 x float> %186, <4 x float> poison, <1 x i32> zeroinitializer
  %188 = shufflevector <4 x float> %186, <4 x float> poison, <1 x i32> <i32 1>
  %189 = shufflevector <4 x float> %186, <4 x float> poison, <1 x i32> <i32 2>
  %190 = shufflevector <4 x float> %186, <4 x float> poison, <1 x i32> <i32 3>
  %191 = shl nuw nsw i32 %16, 9
  %192 = shl nuw nsw i32 %18, 7
  %193 = getelementptr i8, ptr addrspace(7) %7, i32 %191
  %194 = getelementptr i8, ptr addrspace(7) %193, i32 %192
  %195 = getelementptr [4 x i8], ptr addrspace(7) %194, i32 %21
  %196 = getelementptr i8, ptr addrspace(7) %195, i32 128
  %197 = getelementptr i8, ptr addrspace(7) %195, i32 256
  %198 = getelementptr i8, ptr addrspace(7) %195, i32 384
  store <1 x float> %187, ptr addrspace(7) %195, align 4
  store <1 x float> %188, ptr addrspace(7) %196, align 4
  store <1 x float> %189, ptr addrspace(7) %197, align 4
  store <1 x float> %190, ptr addrspace(7) %198, align 4
  fence syncscope("workgroup") release
  tail call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare void @llvm.assume(i1 noundef) #2

declare ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr addrspace(1) readnone, i16, i32, i32) #3

declare void @llvm.amdgcn.s.barrier() #4

declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x4f32(float, float, <4 x float>, i32 immarg, i32 immarg, i32 immarg) #5

attributes #0 = { alwaysinline mustprogress norecurse nounwind willreturn "amdgpu-agpr-alloc"="0" "amdgpu-flat-work-group-size"="256,256" "amdgpu-no-cluster-id-x" "amdgpu-no-cluster-id-y" "amdgpu-no-cluster-id-z" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-no-wwm" "uniform-work-group-size" }
attributes #1 = { alwaysinline mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { alwaysinline mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #3 = { alwaysinline mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { alwaysinline convergent mustprogress nocallback nofree nounwind willreturn }
attributes #5 = { alwaysinline convergent mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
!1 = !{i32 256, i32 1, i32 1}
