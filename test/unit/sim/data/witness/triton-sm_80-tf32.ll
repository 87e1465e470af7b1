; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_80, element tf32, sum f32, tile [32, 32, 16], threads 64, dynamic_bytes 4096, stages 2
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 5
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = and i32 %11, 60
  %13 = lshr exact i32 %12, 2
  %14 = and i32 %11, 7
  %15 = shl nuw nsw i32 %14, 2
  %16 = lshr i32 %11, 3
  %17 = and i32 %16, 7
  %18 = or disjoint i32 %17, 8
  %19 = or disjoint i32 %13, %10
  %20 = or disjoint i32 %19, 16
  %21 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %22 = shl nuw nsw i32 %21, 5
  %23 = or disjoint i32 %15, %22
  %24 = and i32 %11, 3
  %25 = shl nuw nsw i32 %24, 2
  %26 = mul i32 %5, %19
  %27 = mul i32 %5, %20
  %28 = sext i32 %26 to i64
  %29 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %28
  %30 = sext i32 %27 to i64
  %31 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %30
  %32 = icmp slt i32 %19, %3
  %33 = icmp slt i32 %20, %3
  %34 = icmp slt i32 %23, %4
  %35 = icmp sgt i32 %5, 0
  %36 = icmp slt i32 %25, %5
  %37 = icmp slt i32 %17, %5
  %38 = zext nneg i32 %25 to i64
  %39 = getelementptr [4 x i8], ptr addrspace(1) %29, i64 %38
  %40 = getelementptr [4 x i8], ptr addrspace(1) %31, i64 %38
  %41 = and i1 %32, %36
  %42 = and i1 %33, %36
  %43 = and i1 %35, %41
  %44 = and i1 %35, %42
  %45 = shl nuw nsw i32 %11, 4
  %46 = and i32 %45, 1008
  %47 = and i32 %11, 24
  %48 = shl nuw nsw i32 %47, 1
  %49 = xor i32 %46, %48
  %50 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %49
  %51 = select i1 %43, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %50, ptr addrspace(1) %39, i32 %51) #2
  %52 = getelementptr inbounds nuw i8, ptr addrspace(3) %50, i32 1024
  %53 = select i1 %44, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %52, ptr addrspace(1) %40, i32 %53) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %54 = mul i32 %4, %17
  %55 = mul i32 %4, %18
  %56 = sext i32 %54 to i64
  %57 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %56
  %58 = sext i32 %55 to i64
  %59 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %58
  %60 = zext nneg i32 %23 to i64
  %61 = getelementptr [4 x i8], ptr addrspace(1) %57, i64 %60
  %62 = getelementptr [4 x i8], ptr addrspace(1) %59, i64 %60
  %63 = and i1 %34, %37
  %64 = shl nuw nsw i32 %47, 2
  %65 = xor i32 %46, %64
  %66 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %65
  %67 = select i1 %63, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %66, ptr addrspace(1) %61, i32 %67) #2
  %68 = getelementptr inbounds nuw i8, ptr addrspace(3) %66, i32 1024
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %68, ptr addrspace(1) %62, i32 %67) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %69 = shl nuw nsw i32 %11, 6
  %70 = and i32 %69, 960
  %71 = shl nuw nsw i32 %11, 3
  %72 = and i32 %71, 48
  %73 = and i32 %11, 16
  %74 = or disjoint i32 %70, %72
  %75 = xor i32 %74, %73
  %76 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %75
  %77 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %76)
  %78 = or disjoint i32 %75, 1024
  %79 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %78
  %80 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %79)
  %invariant.gep = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %60
  br i1 %35, label %.lr.ph, label %._crit_edge

.lr.ph:                                           ; preds = %8
  %81 = mul nuw nsw i32 %24, 160
  %82 = xor i32 %81, %12
  %83 = xor i32 %82, 64
  %84 = or disjoint i32 %83, 512
  %85 = or disjoint i32 %82, 512
  %86 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %84
  %87 = load i32, ptr addrspace(3) %86, align 4
  %88 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %83
  %89 = load i32, ptr addrspace(3) %88, align 4
  %90 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %85
  %91 = load i32, ptr addrspace(3) %90, align 4
  %92 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %82
  %93 = load i32, ptr addrspace(3) %92, align 4
  %94 = add nsw i32 %5, -16
  %95 = xor i32 %75, 32
  %96 = xor i32 %82, 1088
  %97 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %95
  %98 = getelementptr inbounds nuw i8, ptr addrspace(3) %97, i32 1024
  %99 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %82
  %100 = getelementptr inbounds nuw i8, ptr addrspace(3) %99, i32 1024
  %101 = getelementptr inbounds nuw i8, ptr addrspace(3) %99, i32 1536
  %102 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %96
  %103 = getelementptr inbounds nuw i8, ptr addrspace(3) %102, i32 512
  %104 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %75
  %105 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %78
  %106 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %82
  %107 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %85
  %108 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %83
  %109 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %84
  br label %110

110:                                              ; preds = %.lr.ph, %110
  %111 = phi i32 [ %87, %.lr.ph ], [ %202, %110 ]
  %112 = phi i32 [ %89, %.lr.ph ], [ %201, %110 ]
  %113 = phi i32 [ %91, %.lr.ph ], [ %200, %110 ]
  %114 = phi i32 [ %93, %.lr.ph ], [ %199, %110 ]
  %.pn = phi { i32, i32, i32, i32 } [ %80, %.lr.ph ], [ %198, %110 ]
  %.pn71 = phi { i32, i32, i32, i32 } [ %77, %.lr.ph ], [ %197, %110 ]
  %115 = phi float [ 0.000000e+00, %.lr.ph ], [ %204, %110 ]
  %116 = phi float [ 0.000000e+00, %.lr.ph ], [ %205, %110 ]
  %117 = phi float [ 0.000000e+00, %.lr.ph ], [ %206, %110 ]
  %118 = phi float [ 0.000000e+00, %.lr.ph ], [ %207, %110 ]
  %119 = phi float [ 0.000000e+00, %.lr.ph ], [ %209, %110 ]
  %120 = phi float [ 0.000000e+00, %.lr.ph ], [ %210, %110 ]
  %121 = phi float [ 0.000000e+00, %.lr.ph ], [ %211, %110 ]
  %122 = phi float [ 0.000000e+00, %.lr.ph ], [ %212, %110 ]
  %123 = phi float [ 0.000000e+00, %.lr.ph ], [ %214, %110 ]
  %124 = phi float [ 0.000000e+00, %.lr.ph ], [ %215, %110 ]
  %125 = phi float [ 0.000000e+00, %.lr.ph ], [ %216, %110 ]
  %126 = phi float [ 0.000000e+00, %.lr.ph ], [ %217, %110 ]
  %127 = phi float [ 0.000000e+00, %.lr.ph ], [ %219, %110 ]
  %128 = phi float [ 0.000000e+00, %.lr.ph ], [ %220, %110 ]
  %129 = phi float [ 0.000000e+00, %.lr.ph ], [ %221, %110 ]
  %130 = phi float [ 0.000000e+00, %.lr.ph ], [ %222, %110 ]
  %131 = phi i32 [ 0, %.lr.ph ], [ %175, %110 ]
  %132 = extractvalue { i32, i32, i32, i32 } %.pn71, 3
  %133 = extractvalue { i32, i32, i32, i32 } %.pn71, 2
  %134 = extractvalue { i32, i32, i32, i32 } %.pn71, 1
  %135 = extractvalue { i32, i32, i32, i32 } %.pn71, 0
  %136 = extractvalue { i32, i32, i32, i32 } %.pn, 3
  %137 = extractvalue { i32, i32, i32, i32 } %.pn, 2
  %138 = extractvalue { i32, i32, i32, i32 } %.pn, 1
  %139 = extractvalue { i32, i32, i32, i32 } %.pn, 0
  %140 = icmp slt i32 %131, %94
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %141 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %97)
  %142 = extractvalue { i32, i32, i32, i32 } %141, 0
  %143 = extractvalue { i32, i32, i32, i32 } %141, 1
  %144 = extractvalue { i32, i32, i32, i32 } %141, 2
  %145 = extractvalue { i32, i32, i32, i32 } %141, 3
  %146 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %98)
  %147 = extractvalue { i32, i32, i32, i32 } %146, 0
  %148 = extractvalue { i32, i32, i32, i32 } %146, 1
  %149 = extractvalue { i32, i32, i32, i32 } %146, 2
  %150 = extractvalue { i32, i32, i32, i32 } %146, 3
  %151 = load i32, ptr addrspace(3) %100, align 4
  %152 = load i32, ptr addrspace(3) %101, align 4
  %153 = load i32, ptr addrspace(3) %102, align 4
  %154 = load i32, ptr addrspace(3) %103, align 4
  %155 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %115, float %116, float %117, float %118, i32 %135, i32 %134, i32 %133, i32 %132, i32 %114, i32 %113) #2
  %156 = extractvalue { float, float, float, float } %155, 0
  %157 = extractvalue { float, float, float, float } %155, 1
  %158 = extractvalue { float, float, float, float } %155, 2
  %159 = extractvalue { float, float, float, float } %155, 3
  %160 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %119, float %120, float %121, float %122, i32 %135, i32 %134, i32 %133, i32 %132, i32 %112, i32 %111) #2
  %161 = extractvalue { float, float, float, float } %160, 0
  %162 = extractvalue { float, float, float, float } %160, 1
  %163 = extractvalue { float, float, float, float } %160, 2
  %164 = extractvalue { float, float, float, float } %160, 3
  %165 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %123, float %124, float %125, float %126, i32 %139, i32 %138, i32 %137, i32 %136, i32 %114, i32 %113) #2
  %166 = extractvalue { float, float, float, float } %165, 0
  %167 = extractvalue { float, float, float, float } %165, 1
  %168 = extractvalue { float, float, float, float } %165, 2
  %169 = extractvalue { float, float, float, float } %165, 3
  %170 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %127, float %128, float %129, float %130, i32 %139, i32 %138, i32 %137, i32 %136, i32 %112, i32 %111) #2
  %171 = extractvalue { float, float, float, float } %170, 0
  %172 = extractvalue { float, float, float, float } %170, 1
  %173 = extractvalue { float, float, float, float } %170, 2
  %174 = extractvalue { float, float, float, float } %170, 3
  %175 = add i32 %131, 16
  %176 = or disjoint i32 %175, %25
  %177 = or disjoint i32 %175, %17
  %178 = or disjoint i32 %175, %18
  %179 = icmp slt i32 %176, %5
  %180 = icmp slt i32 %177, %5
  %181 = sext i32 %176 to i64
  %182 = getelementptr [4 x i8], ptr addrspace(1) %29, i64 %181
  %183 = getelementptr [4 x i8], ptr addrspace(1) %31, i64 %181
  %184 = and i1 %32, %179
  %185 = and i1 %33, %179
  %186 = and i1 %140, %184
  %187 = and i1 %140, %185
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %188 = select i1 %186, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %50, ptr addrspace(1) %182, i32 %188) #2
  %189 = select i1 %187, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %52, ptr addrspace(1) %183, i32 %189) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %190 = mul i32 %177, %4
  %191 = mul i32 %178, %4
  %192 = sext i32 %190 to i64
  %193 = sext i32 %191 to i64
  %gep = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %192
  %gep63 = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %193
  %194 = and i1 %34, %180
  %195 = and i1 %140, %194
  %196 = select i1 %195, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %66, ptr addrspace(1) %gep, i32 %196) #2
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) nonnull %68, ptr addrspace(1) %gep63, i32 %196) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %197 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %104)
  %198 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) nonnull %105)
  %199 = load i32, ptr addrspace(3) %106, align 4
  %200 = load i32, ptr addrspace(3) %107, align 4
  %201 = load i32, ptr addrspace(3) %108, align 4
  %202 = load i32, ptr addrspace(3) %109, align 4
  %203 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %156, float %157, float %158, float %159, i32 %142, i32 %143, i32 %144, i32 %145, i32 %151, i32 %152) #2
  %204 = extractvalue { float, float, float, float } %203, 0
  %205 = extractvalue { float, float, float, float } %203, 1
  %206 = extractvalue { float, float, float, float } %203, 2
  %207 = extractvalue { float, float, float, float } %203, 3
  %208 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %161, float %162, float %163, float %164, i32 %142, i32 %143, i32 %144, i32 %145, i32 %153, i32 %154) #2
  %209 = extractvalue { float, float, float, float } %208, 0
  %210 = extractvalue { float, float, float, float } %208, 1
  %211 = extractvalue { float, float, float, float } %208, 2
  %212 = extractvalue { float, float, float, float } %208, 3
  %213 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %166, float %167, float %168, float %169, i32 %147, i32 %148, i32 %149, i32 %150, i32 %151, i32 %152) #2
  %214 = extractvalue { float, float, float, float } %213, 0
  %215 = extractvalue { float, float, float, float } %213, 1
  %216 = extractvalue { float, float, float, float } %213, 2
  %217 = extractvalue { float, float, float, float } %213, 3
  %218 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %171, float %172, float %173, float %174, i32 %147, i32 %148, i32 %149, i32 %150, i32 %153, i32 %154) #2
  %219 = extractvalue { float, float, float, float } %218, 0
  %220 = extractvalue { float, float, float, float } %218, 1
  %221 = extractvalue { float, float, float, float } %218, 2
  %222 = extractvalue { float, float, float, float } %218, 3
  %223 = icmp slt i32 %175, %5
  br i1 %223, label %110, label %._crit_edge

._crit_edge:                                      ; preds = %110, %8
  %224 = phi float [ 0.000000e+00, %8 ], [ %204, %110 ]
  %225 = phi float [ 0.000000e+00, %8 ], [ %205, %110 ]
  %226 = phi float [ 0.000000e+00, %8 ], [ %206, %110 ]
  %227 = phi float [ 0.000000e+00, %8 ], [ %207, %110 ]
  %228 = phi float [ 0.000000e+00, %8 ], [ %209, %110 ]
  %229 = phi float [ 0.000000e+00, %8 ], [ %210, %110 ]
  %230 = phi float [ 0.000000e+00, %8 ], [ %211, %110 ]
  %231 = phi float [ 0.000000e+00, %8 ], [ %212, %110 ]
  %232 = phi float [ 0.000000e+00, %8 ], [ %214, %110 ]
  %233 = phi float [ 0.000000e+00, %8 ], [ %215, %110 ]
  %234 = phi float [ 0.000000e+00, %8 ], [ %216, %110 ]
  %235 = phi float [ 0.000000e+00, %8 ], [ %217, %110 ]
  %236 = phi float [ 0.000000e+00, %8 ], [ %219, %110 ]
  %237 = phi float [ 0.000000e+00, %8 ], [ %220, %110 ]
  %238 = phi float [ 0.000000e+00, %8 ], [ %221, %110 ]
  %239 = phi float [ 0.000000e+00, %8 ], [ %222, %110 ]
  %240 = or disjoint i32 %17, %10
  %241 = or disjoint i32 %240, 24
  %242 = or disjoint i32 %240, 16
  %243 = or disjoint i32 %18, %10
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %244 = mul i32 %4, %240
  %245 = mul i32 %4, %243
  %246 = mul i32 %4, %242
  %247 = mul i32 %4, %241
  %248 = sext i32 %244 to i64
  %249 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %248
  %250 = sext i32 %245 to i64
  %251 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %250
  %252 = sext i32 %246 to i64
  %253 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %252
  %254 = sext i32 %247 to i64
  %255 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %254
  %256 = getelementptr [4 x i8], ptr addrspace(1) %249, i64 %60
  %257 = getelementptr [4 x i8], ptr addrspace(1) %251, i64 %60
  %258 = getelementptr [4 x i8], ptr addrspace(1) %253, i64 %60
  %259 = getelementptr [4 x i8], ptr addrspace(1) %255, i64 %60
  %260 = icmp slt i32 %240, %3
  %261 = icmp slt i32 %242, %3
  %262 = and i1 %260, %34
  %263 = and i1 %261, %34
  %264 = shl nuw nsw i32 %47, 4
  %265 = and i32 %11, 1
  %266 = icmp eq i32 %265, 0
  %267 = select i1 %266, i32 0, i32 1088
  %268 = and i32 %71, 16
  %269 = and i32 %11, 4
  %270 = icmp eq i32 %269, 0
  %271 = select i1 %270, i32 0, i32 544
  %272 = and i32 %11, 32
  %273 = or disjoint i32 %267, %268
  %274 = or disjoint i32 %271, %264
  %275 = xor i32 %274, %272
  %276 = or disjoint i32 %273, %275
  %277 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %276
  %278 = insertelement <4 x float> poison, float %224, i64 0
  %279 = insertelement <4 x float> %278, float %225, i64 1
  %280 = insertelement <4 x float> %279, float %226, i64 2
  %281 = insertelement <4 x float> %280, float %227, i64 3
  store <4 x float> %281, ptr addrspace(3) %277, align 16
  %282 = xor i32 %276, 64
  %283 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %282
  %284 = insertelement <4 x float> poison, float %228, i64 0
  %285 = insertelement <4 x float> %284, float %229, i64 1
  %286 = insertelement <4 x float> %285, float %230, i64 2
  %287 = insertelement <4 x float> %286, float %231, i64 3
  store <4 x float> %287, ptr addrspace(3) %283, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %288 = shl nuw nsw i32 %14, 4
  %289 = and i32 %71, 384
  %290 = and i32 %11, 8
  %291 = icmp eq i32 %290, 0
  %292 = select i1 %291, i32 0, i32 544
  %293 = or disjoint i32 %288, %289
  %294 = xor i32 %293, %292
  %295 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %294
  %296 = load <4 x i32>, ptr addrspace(3) %295, align 16
  %297 = xor i32 %294, 1088
  %298 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %297
  %299 = load <4 x i32>, ptr addrspace(3) %298, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %300 = insertelement <4 x float> poison, float %232, i64 0
  %301 = insertelement <4 x float> %300, float %233, i64 1
  %302 = insertelement <4 x float> %301, float %234, i64 2
  %303 = insertelement <4 x float> %302, float %235, i64 3
  store <4 x float> %303, ptr addrspace(3) %277, align 16
  %304 = insertelement <4 x float> poison, float %236, i64 0
  %305 = insertelement <4 x float> %304, float %237, i64 1
  %306 = insertelement <4 x float> %305, float %238, i64 2
  %307 = insertelement <4 x float> %306, float %239, i64 3
  store <4 x float> %307, ptr addrspace(3) %283, align 16
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %308 = load <4 x i32>, ptr addrspace(3) %295, align 16
  %309 = load <4 x i32>, ptr addrspace(3) %298, align 16
  %.extract = extractelement <4 x i32> %296, i64 0
  %.extract40 = extractelement <4 x i32> %296, i64 1
  %.extract41 = extractelement <4 x i32> %299, i64 0
  %.extract42 = extractelement <4 x i32> %299, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract40, i32 %.extract41, i32 %.extract42, ptr addrspace(1) %256, i1 %262) #2
  %.extract43 = extractelement <4 x i32> %296, i64 2
  %.extract44 = extractelement <4 x i32> %296, i64 3
  %.extract45 = extractelement <4 x i32> %299, i64 2
  %.extract46 = extractelement <4 x i32> %299, i64 3
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract43, i32 %.extract44, i32 %.extract45, i32 %.extract46, ptr addrspace(1) %257, i1 %262) #2
  %.extract47 = extractelement <4 x i32> %308, i64 0
  %.extract48 = extractelement <4 x i32> %308, i64 1
  %.extract49 = extractelement <4 x i32> %309, i64 0
  %.extract50 = extractelement <4 x i32> %309, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract47, i32 %.extract48, i32 %.extract49, i32 %.extract50, ptr addrspace(1) %258, i1 %263) #2
  %.extract51 = extractelement <4 x i32> %308, i64 2
  %.extract52 = extractelement <4 x i32> %308, i64 3
  %.extract53 = extractelement <4 x i32> %309, i64 2
  %.extract54 = extractelement <4 x i32> %309, i64 3
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract51, i32 %.extract52, i32 %.extract53, i32 %.extract54, ptr addrspace(1) %259, i1 %263) #2
  ret void
}

declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

declare void @llvm.nvvm.cp.async.commit.group() #2

declare void @llvm.nvvm.cp.async.wait.group(i32 immarg) #2

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) readonly captures(none)) #4

attributes #0 = { nounwind "nvvm.reqntid"="64" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { convergent nocallback nofree nounwind memory(argmem: read) }
