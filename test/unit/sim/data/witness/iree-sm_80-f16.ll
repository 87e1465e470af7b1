; Made by bench/peers/witness.py with IREE 3.13.0 of our own source, do not edit.
; kernel f_dispatch_0_matmul_32x64x64_f16xf16xf32, target sm_80, element f16, sum f32, extents [32, 64, 64], threads 128, blocks 2
@__dynamic_shared_memory__ = external local_unnamed_addr addrspace(3) global [0 x i8], align 16

define ptx_kernel void @f_dispatch_0_matmul_32x64x64_f16xf16xf32(ptr addrspace(1) noalias noundef nonnull readonly align 16 captures(none) %0, ptr addrspace(1) noalias noundef nonnull readonly align 16 captures(none) %1, ptr addrspace(1) noalias nofree noundef nonnull writeonly align 16 captures(none) %2) local_unnamed_addr #0 {
  %4 = tail call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %0, i64 64) ]
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %1, i64 64) ]
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %2, i64 64) ]
  %5 = lshr i32 %4, 3
  %6 = zext nneg i32 %5 to i64
  %7 = shl nuw nsw i32 %4, 3
  %8 = and i32 %7, 56
  %9 = zext nneg i32 %8 to i64
  %10 = or disjoint i32 %4, 128
  %11 = lshr i32 %10, 3
  %12 = zext nneg i32 %11 to i64
  %13 = lshr i32 %4, 2
  %14 = zext nneg i32 %13 to i64
  %15 = and i32 %7, 24
  %16 = zext nneg i32 %15 to i64
  %17 = lshr i32 %10, 2
  %18 = zext nneg i32 %17 to i64
  %19 = and i32 %13, 7
  %20 = shl nuw nsw i32 %4, 1
  %21 = and i32 %20, 6
  %22 = zext nneg i32 %21 to i64
  %23 = tail call range(i32 0, 2) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %.idx = shl nuw nsw i64 %6, 7
  %24 = getelementptr i8, ptr addrspace(1) %0, i64 %.idx
  %25 = getelementptr [2 x i8], ptr addrspace(1) %24, i64 %9
  %26 = load <8 x half>, ptr addrspace(1) %25, align 16
  %.idx1 = mul nuw nsw i64 %6, 136
  %27 = getelementptr i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 %.idx1
  %28 = getelementptr [2 x i8], ptr addrspace(3) %27, i64 %9
  store <8 x half> %26, ptr addrspace(3) %28, align 8
  %.idx2 = shl nuw nsw i64 %12, 7
  %29 = getelementptr i8, ptr addrspace(1) %0, i64 %.idx2
  %30 = getelementptr [2 x i8], ptr addrspace(1) %29, i64 %9
  %31 = load <8 x half>, ptr addrspace(1) %30, align 16
  %.idx3 = mul nuw nsw i64 %12, 136
  %32 = getelementptr i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 %.idx3
  %33 = getelementptr [2 x i8], ptr addrspace(3) %32, i64 %9
  store <8 x half> %31, ptr addrspace(3) %33, align 8
  %34 = shl nuw nsw i32 %23, 5
  %35 = or disjoint i32 %15, %34
  %36 = zext nneg i32 %35 to i64
  %.idx4 = shl nuw nsw i64 %14, 7
  %37 = getelementptr i8, ptr addrspace(1) %1, i64 %.idx4
  %38 = getelementptr [2 x i8], ptr addrspace(1) %37, i64 %36
  %39 = load <8 x half>, ptr addrspace(1) %38, align 16
  %.idx5 = mul nuw nsw i64 %14, 72
  %40 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx5
  %41 = getelementptr [2 x i8], ptr addrspace(3) %40, i64 %16
  store <8 x half> %39, ptr addrspace(3) %41, align 8
  %.idx6 = shl nuw nsw i64 %18, 7
  %42 = getelementptr i8, ptr addrspace(1) %1, i64 %.idx6
  %43 = getelementptr [2 x i8], ptr addrspace(1) %42, i64 %36
  %44 = load <8 x half>, ptr addrspace(1) %43, align 16
  %.idx7 = mul nuw nsw i64 %18, 72
  %45 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx7
  %46 = getelementptr [2 x i8], ptr addrspace(3) %45, i64 %16
  store <8 x half> %44, ptr addrspace(3) %46, align 8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %47 = and i32 %13, 23
  %48 = zext nneg i32 %47 to i64
  %.idx15 = mul nuw nsw i64 %48, 136
  %49 = getelementptr i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 %.idx15
  %50 = getelementptr [2 x i8], ptr addrspace(3) %49, i64 %22
  %51 = load <2 x half>, ptr addrspace(3) %50, align 4
  %52 = or disjoint i32 %21, 8
  %53 = zext nneg i32 %52 to i64
  %54 = getelementptr [2 x i8], ptr addrspace(3) %49, i64 %53
  %55 = load <2 x half>, ptr addrspace(3) %54, align 4
  %56 = or disjoint i32 %21, 16
  %57 = zext nneg i32 %56 to i64
  %58 = getelementptr [2 x i8], ptr addrspace(3) %49, i64 %57
  %59 = load <2 x half>, ptr addrspace(3) %58, align 4
  %60 = or disjoint i32 %21, 24
  %61 = zext nneg i32 %60 to i64
  %62 = getelementptr [2 x i8], ptr addrspace(3) %49, i64 %61
  %63 = load <2 x half>, ptr addrspace(3) %62, align 4
  %64 = or disjoint i32 %21, 32
  %65 = zext nneg i32 %64 to i64
  %66 = getelementptr [2 x i8], ptr addrspace(3) %49, i64 %65
  %67 = load <2 x half>, ptr addrspace(3) %66, align 4
  %68 = or disjoint i32 %21, 40
  %69 = zext nneg i32 %68 to i64
  %70 = getelementptr [2 x i8], ptr addrspace(3) %49, i64 %69
  %71 = load <2 x half>, ptr addrspace(3) %70, align 4
  %72 = or disjoint i32 %21, 48
  %73 = zext nneg i32 %72 to i64
  %74 = getelementptr [2 x i8], ptr addrspace(3) %49, i64 %73
  %75 = load <2 x half>, ptr addrspace(3) %74, align 4
  %76 = or disjoint i32 %21, 56
  %77 = zext nneg i32 %76 to i64
  %78 = getelementptr [2 x i8], ptr addrspace(3) %49, i64 %77
  %79 = load <2 x half>, ptr addrspace(3) %78, align 4
  %80 = or i32 %13, 8
  %81 = zext nneg i32 %80 to i64
  %.idx16 = mul nuw nsw i64 %81, 136
  %82 = getelementptr i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 %.idx16
  %83 = getelementptr [2 x i8], ptr addrspace(3) %82, i64 %22
  %84 = load <2 x half>, ptr addrspace(3) %83, align 4
  %85 = getelementptr [2 x i8], ptr addrspace(3) %82, i64 %53
  %86 = load <2 x half>, ptr addrspace(3) %85, align 4
  %87 = getelementptr [2 x i8], ptr addrspace(3) %82, i64 %57
  %88 = load <2 x half>, ptr addrspace(3) %87, align 4
  %89 = getelementptr [2 x i8], ptr addrspace(3) %82, i64 %61
  %90 = load <2 x half>, ptr addrspace(3) %89, align 4
  %91 = getelementptr [2 x i8], ptr addrspace(3) %82, i64 %65
  %92 = load <2 x half>, ptr addrspace(3) %91, align 4
  %93 = getelementptr [2 x i8], ptr addrspace(3) %82, i64 %69
  %94 = load <2 x half>, ptr addrspace(3) %93, align 4
  %95 = getelementptr [2 x i8], ptr addrspace(3) %82, i64 %73
  %96 = load <2 x half>, ptr addrspace(3) %95, align 4
  %97 = getelementptr [2 x i8], ptr addrspace(3) %82, i64 %77
  %98 = load <2 x half>, ptr addrspace(3) %97, align 4
  %99 = lshr i32 %4, 1
  %100 = and i32 %99, 16
  %101 = or disjoint i32 %100, %19
  %102 = zext nneg i32 %101 to i64
  %.idx17 = mul nuw nsw i64 %22, 72
  %103 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx17
  %104 = getelementptr [2 x i8], ptr addrspace(3) %103, i64 %102
  %105 = load <1 x half>, ptr addrspace(3) %104, align 2
  %106 = or disjoint i32 %101, 8
  %107 = zext nneg i32 %106 to i64
  %108 = getelementptr [2 x i8], ptr addrspace(3) %103, i64 %107
  %109 = load <1 x half>, ptr addrspace(3) %108, align 2
  %110 = mul nuw nsw i32 %21, 36
  %111 = zext nneg i32 %110 to i64
  %112 = getelementptr [2 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %111
  %113 = getelementptr i8, ptr addrspace(3) %112, i64 72
  %114 = getelementptr [2 x i8], ptr addrspace(3) %113, i64 %102
  %115 = load <1 x half>, ptr addrspace(3) %114, align 2
  %116 = getelementptr [2 x i8], ptr addrspace(3) %113, i64 %107
  %117 = load <1 x half>, ptr addrspace(3) %116, align 2
  %.idx18 = mul nuw nsw i64 %53, 72
  %118 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx18
  %119 = getelementptr [2 x i8], ptr addrspace(3) %118, i64 %102
  %120 = load <1 x half>, ptr addrspace(3) %119, align 2
  %121 = getelementptr [2 x i8], ptr addrspace(3) %118, i64 %107
  %122 = load <1 x half>, ptr addrspace(3) %121, align 2
  %123 = getelementptr i8, ptr addrspace(3) %112, i64 648
  %124 = getelementptr [2 x i8], ptr addrspace(3) %123, i64 %102
  %125 = load <1 x half>, ptr addrspace(3) %124, align 2
  %126 = getelementptr [2 x i8], ptr addrspace(3) %123, i64 %107
  %127 = load <1 x half>, ptr addrspace(3) %126, align 2
  %.idx19 = mul nuw nsw i64 %57, 72
  %128 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx19
  %129 = getelementptr [2 x i8], ptr addrspace(3) %128, i64 %102
  %130 = load <1 x half>, ptr addrspace(3) %129, align 2
  %131 = getelementptr [2 x i8], ptr addrspace(3) %128, i64 %107
  %132 = load <1 x half>, ptr addrspace(3) %131, align 2
  %133 = getelementptr i8, ptr addrspace(3) %112, i64 1224
  %134 = getelementptr [2 x i8], ptr addrspace(3) %133, i64 %102
  %135 = load <1 x half>, ptr addrspace(3) %134, align 2
  %136 = getelementptr [2 x i8], ptr addrspace(3) %133, i64 %107
  %137 = load <1 x half>, ptr addrspace(3) %136, align 2
  %.idx20 = mul nuw nsw i64 %61, 72
  %138 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx20
  %139 = getelementptr [2 x i8], ptr addrspace(3) %138, i64 %102
  %140 = load <1 x half>, ptr addrspace(3) %139, align 2
  %141 = getelementptr [2 x i8], ptr addrspace(3) %138, i64 %107
  %142 = load <1 x half>, ptr addrspace(3) %141, align 2
  %143 = getelementptr i8, ptr addrspace(3) %112, i64 1800
  %144 = getelementptr [2 x i8], ptr addrspace(3) %143, i64 %102
  %145 = load <1 x half>, ptr addrspace(3) %144, align 2
  %146 = getelementptr [2 x i8], ptr addrspace(3) %143, i64 %107
  %147 = load <1 x half>, ptr addrspace(3) %146, align 2
  %.idx21 = mul nuw nsw i64 %65, 72
  %148 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx21
  %149 = getelementptr [2 x i8], ptr addrspace(3) %148, i64 %102
  %150 = load <1 x half>, ptr addrspace(3) %149, align 2
  %151 = getelementptr [2 x i8], ptr addrspace(3) %148, i64 %107
  %152 = load <1 x half>, ptr addrspace(3) %151, align 2
  %153 = getelementptr i8, ptr addrspace(3) %112, i64 2376
  %154 = getelementptr [2 x i8], ptr addrspace(3) %153, i64 %102
  %155 = load <1 x half>, ptr addrspace(3) %154, align 2
  %156 = getelementptr [2 x i8], ptr addrspace(3) %153, i64 %107
  %157 = load <1 x half>, ptr addrspace(3) %156, align 2
  %.idx22 = mul nuw nsw i64 %69, 72
  %158 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx22
  %159 = getelementptr [2 x i8], ptr addrspace(3) %158, i64 %102
  %160 = load <1 x half>, ptr addrspace(3) %159, align 2
  %161 = getelementptr [2 x i8], ptr addrspace(3) %158, i64 %107
  %162 = load <1 x half>, ptr addrspace(3) %161, align 2
  %163 = getelementptr i8, ptr addrspace(3) %112, i64 2952
  %164 = getelementptr [2 x i8], ptr addrspace(3) %163, i64 %102
  %165 = load <1 x half>, ptr addrspace(3) %164, align 2
  %166 = getelementptr [2 x i8], ptr addrspace(3) %163, i64 %107
  %167 = load <1 x half>, ptr addrspace(3) %166, align 2
  %.idx23 = mul nuw nsw i64 %73, 72
  %168 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx23
  %169 = getelementptr [2 x i8], ptr addrspace(3) %168, i64 %102
  %170 = load <1 x half>, ptr addrspace(3) %169, align 2
  %171 = getelementptr [2 x i8], ptr addrspace(3) %168, i64 %107
  %172 = load <1 x half>, ptr addrspace(3) %171, align 2
  %173 = getelementptr i8, ptr addrspace(3) %112, i64 3528
  %174 = getelementptr [2 x i8], ptr addrspace(3) %173, i64 %102
  %175 = load <1 x half>, ptr addrspace(3) %174, align 2
  %176 = getelementptr [2 x i8], ptr addrspace(3) %173, i64 %107
  %177 = load <1 x half>, ptr addrspace(3) %176, align 2
  %.idx24 = mul nuw nsw i64 %77, 72
  %178 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @__dynamic_shared_memory__, i64 4352), i64 %.idx24
  %179 = getelementptr [2 x i8], ptr addrspace(3) %178, i64 %102
  %180 = load <1 x half>, ptr addrspace(3) %179, align 2
  %181 = getelementptr [2 x i8], ptr addrspace(3) %178, i64 %107
  %182 = load <1 x half>, ptr addrspace(3) %181, align 2
  %183 = getelementptr i8, ptr addrspace(3) %112, i64 4104
  %184 = getelementptr [2 x i8], ptr addrspace(3) %183, i64 %102
  %185 = load <1 x half>, ptr addrspace(3) %184, align 2
  %186 = getelementptr [2 x i8], ptr addrspace(3) %183, i64 %107
  %187 = load <1 x half>, ptr addrspace(3) %186, align 2
  %188 = shufflevector <1 x half> %105, <1 x half> %115, <2 x i32> <i32 0, i32 1>
  %189 = shufflevector <1 x half> %120, <1 x half> %125, <2 x i32> <i32 0, i32 1>
  %190 = shufflevector <1 x half> %109, <1 x half> %117, <2 x i32> <i32 0, i32 1>
  %191 = shufflevector <1 x half> %122, <1 x half> %127, <2 x i32> <i32 0, i32 1>
  %192 = shufflevector <1 x half> %130, <1 x half> %135, <2 x i32> <i32 0, i32 1>
  %193 = shufflevector <1 x half> %140, <1 x half> %145, <2 x i32> <i32 0, i32 1>
  %194 = shufflevector <1 x half> %132, <1 x half> %137, <2 x i32> <i32 0, i32 1>
  %195 = shufflevector <1 x half> %142, <1 x half> %147, <2 x i32> <i32 0, i32 1>
  %196 = shufflevector <1 x half> %150, <1 x half> %155, <2 x i32> <i32 0, i32 1>
  %197 = shufflevector <1 x half> %160, <1 x half> %165, <2 x i32> <i32 0, i32 1>
  %198 = shufflevector <1 x half> %152, <1 x half> %157, <2 x i32> <i32 0, i32 1>
  %199 = shufflevector <1 x half> %162, <1 x half> %167, <2 x i32> <i32 0, i32 1>
  %200 = shufflevector <1 x half> %170, <1 x half> %175, <2 x i32> <i32 0, i32 1>
  %201 = shufflevector <1 x half> %180, <1 x half> %185, <2 x i32> <i32 0, i32 1>
  %202 = shufflevector <1 x half> %172, <1 x half> %177, <2 x i32> <i32 0, i32 1>
  %203 = shufflevector <1 x half> %182, <1 x half> %187, <2 x i32> <i32 0, i32 1>
  %204 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %51, <2 x half> %84, <2 x half> %55, <2 x half> %86, <2 x half> %188, <2 x half> %189, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00)
  %205 = extractvalue { float, float, float, float } %204, 0
  %206 = extractvalue { float, float, float, float } %204, 1
  %207 = extractvalue { float, float, float, float } %204, 2
  %208 = extractvalue { float, float, float, float } %204, 3
  %209 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %51, <2 x half> %84, <2 x half> %55, <2 x half> %86, <2 x half> %190, <2 x half> %191, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00, float 0.000000e+00)
  %210 = extractvalue { float, float, float, float } %209, 0
  %211 = extractvalue { float, float, float, float } %209, 1
  %212 = extractvalue { float, float, float, float } %209, 2
  %213 = extractvalue { float, float, float, float } %209, 3
  %214 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %59, <2 x half> %88, <2 x half> %63, <2 x half> %90, <2 x half> %192, <2 x half> %193, float %205, float %206, float %207, float %208)
  %215 = extractvalue { float, float, float, float } %214, 0
  %216 = extractvalue { float, float, float, float } %214, 1
  %217 = extractvalue { float, float, float, float } %214, 2
  %218 = extractvalue { float, float, float, float } %214, 3
  %219 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %59, <2 x half> %88, <2 x half> %63, <2 x half> %90, <2 x half> %194, <2 x half> %195, float %210, float %211, float %212, float %213)
  %220 = extractvalue { float, float, float, float } %219, 0
  %221 = extractvalue { float, float, float, float } %219, 1
  %222 = extractvalue { float, float, float, float } %219, 2
  %223 = extractvalue { float, float, float, float } %219, 3
  %224 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %67, <2 x half> %92, <2 x half> %71, <2 x half> %94, <2 x half> %196, <2 x half> %197, float %215, float %216, float %217, float %218)
  %225 = extractvalue { float, float, float, float } %224, 0
  %226 = extractvalue { float, float, float, float } %224, 1
  %227 = extractvalue { float, float, float, float } %224, 2
  %228 = extractvalue { float, float, float, float } %224, 3
  %229 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %67, <2 x half> %92, <2 x half> %71, <2 x half> %94, <2 x half> %198, <2 x half> %199, float %220, float %221, float %222, float %223)
  %230 = extractvalue { float, float, float, float } %229, 0
  %231 = extractvalue { float, float, float, float } %229, 1
  %232 = extractvalue { float, float, float, float } %229, 2
  %233 = extractvalue { float, float, float, float } %229, 3
  %234 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %75, <2 x half> %96, <2 x half> %79, <2 x half> %98, <2 x half> %200, <2 x half> %201, float %225, float %226, float %227, float %228)
  %235 = extractvalue { float, float, float, float } %234, 0
  %236 = extractvalue { float, float, float, float } %234, 1
  %237 = insertelement <2 x float> poison, float %235, i64 0
  %238 = insertelement <2 x float> %237, float %236, i64 1
  %239 = extractvalue { float, float, float, float } %234, 2
  %240 = extractvalue { float, float, float, float } %234, 3
  %241 = insertelement <2 x float> poison, float %239, i64 0
  %242 = insertelement <2 x float> %241, float %240, i64 1
  %243 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %75, <2 x half> %96, <2 x half> %79, <2 x half> %98, <2 x half> %202, <2 x half> %203, float %230, float %231, float %232, float %233)
  %244 = extractvalue { float, float, float, float } %243, 0
  %245 = extractvalue { float, float, float, float } %243, 1
  %246 = insertelement <2 x float> poison, float %244, i64 0
  %247 = insertelement <2 x float> %246, float %245, i64 1
  %248 = extractvalue { float, float, float, float } %243, 2
  %249 = extractvalue { float, float, float, float } %243, 3
  %250 = insertelement <2 x float> poison, float %248, i64 0
  %251 = insertelement <2 x float> %250, float %249, i64 1
  %252 = or disjoint i32 %100, %34
  %253 = or disjoint i32 %252, %21
  %254 = zext nneg i32 %253 to i64
  %.idx25 = shl nuw nsw i64 %48, 8
  %255 = getelementptr i8, ptr addrspace(1) %2, i64 %.idx25
  %256 = getelementptr [4 x i8], ptr addrspace(1) %255, i64 %254
  store <2 x float> %238, ptr addrspace(1) %256, align 8
  %257 = or disjoint i32 %253, 8
  %258 = zext nneg i32 %257 to i64
  %259 = getelementptr [4 x i8], ptr addrspace(1) %255, i64 %258
  store <2 x float> %247, ptr addrspace(1) %259, align 8
  %.idx26 = shl nuw nsw i64 %81, 8
  %260 = getelementptr i8, ptr addrspace(1) %2, i64 %.idx26
  %261 = getelementptr [4 x i8], ptr addrspace(1) %260, i64 %254
  store <2 x float> %242, ptr addrspace(1) %261, align 8
  %262 = getelementptr [4 x i8], ptr addrspace(1) %260, i64 %258
  store <2 x float> %251, ptr addrspace(1) %262, align 8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare void @llvm.assume(i1 noundef) #2

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float) #4

attributes #0 = { alwaysinline norecurse nounwind "nvvm.maxntid"="128,1,1" }
attributes #1 = { alwaysinline mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { alwaysinline mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #3 = { alwaysinline convergent nocallback nounwind }
attributes #4 = { alwaysinline nocallback nofree nosync nounwind memory(none) }
