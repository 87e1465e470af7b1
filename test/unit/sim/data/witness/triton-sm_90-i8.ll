; Made by bench/peers/witness.py with Triton 3.9.0 of our own source, do not edit.
; kernel product, target sm_90, element i8, sum i32, tile [64, 16, 32], threads 128, dynamic_bytes 4608, stages 2
@global_smem = external addrspace(3) global [0 x i8], align 16

define ptx_kernel void @product(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %10 = shl i32 %9, 6
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %12 = shl nuw nsw i32 %11, 4
  %13 = icmp sgt i32 %5, 0
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %15 = lshr i32 %14, 1
  %16 = and i32 %15, 63
  %17 = lshr i32 %14, 2
  %18 = and i32 %17, 31
  %19 = or disjoint i32 %16, %10
  %20 = shl nuw nsw i32 %14, 2
  %21 = and i32 %20, 12
  %22 = or disjoint i32 %21, %12
  %23 = and i32 %14, 1
  %24 = shl nuw nsw i32 %23, 4
  %25 = mul i32 %5, %19
  %26 = sext i32 %25 to i64
  %27 = getelementptr i8, ptr addrspace(1) %0, i64 %26
  %28 = icmp slt i32 %19, %3
  %29 = icmp slt i32 %22, %4
  %30 = icmp slt i32 %24, %5
  %31 = zext nneg i32 %24 to i64
  %32 = getelementptr i8, ptr addrspace(1) %27, i64 %31
  %33 = and i1 %30, %13
  %34 = and i1 %28, %33
  %35 = shl nuw nsw i32 %14, 4
  %36 = and i32 %35, 1904
  %37 = and i32 %14, 8
  %38 = icmp eq i32 %37, 0
  %39 = select i1 %38, i32 0, i32 144
  %40 = xor i32 %39, %36
  %41 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %40
  %42 = select i1 %34, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %41, ptr addrspace(1) %32, i32 %42) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  br i1 %13, label %.lr.ph, label %.._crit_edge_crit_edge

.._crit_edge_crit_edge:                           ; preds = %8
  %.pre = zext nneg i32 %22 to i64
  br label %._crit_edge

.lr.ph:                                           ; preds = %8
  %43 = add nsw i32 %5, -32
  %44 = zext nneg i32 %22 to i64
  %invariant.gep9 = getelementptr i8, ptr addrspace(1) %1, i64 %44
  %45 = icmp eq i32 %23, 0
  %46 = select i1 %45, i32 0, i32 144
  %47 = shl nuw nsw i32 %14, 7
  %48 = and i32 %47, 256
  %49 = xor i32 %46, %18
  %50 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %48
  %51 = getelementptr inbounds nuw i8, ptr addrspace(3) %50, i32 %49
  %52 = getelementptr inbounds nuw i8, ptr addrspace(3) %51, i32 32
  %53 = getelementptr inbounds nuw i8, ptr addrspace(3) %51, i32 64
  %54 = getelementptr inbounds nuw i8, ptr addrspace(3) %51, i32 96
  %55 = lshr exact i32 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096) to i32), 4
  %56 = and i32 %55, 32767
  %57 = insertelement <2 x i32> <i32 poison, i32 -1073741808>, i32 %56, i64 0
  %58 = bitcast <2 x i32> %57 to i64
  br label %59

59:                                               ; preds = %.lr.ph, %59
  %60 = phi i32 [ -1, %.lr.ph ], [ %74, %59 ]
  %61 = phi i32 [ 0, %.lr.ph ], [ %113, %59 ]
  %62 = phi i32 [ 0, %.lr.ph ], [ %103, %59 ]
  %63 = phi i32 [ 0, %.lr.ph ], [ %104, %59 ]
  %64 = phi i32 [ 0, %.lr.ph ], [ %105, %59 ]
  %65 = phi i32 [ 0, %.lr.ph ], [ %106, %59 ]
  %66 = phi i32 [ 0, %.lr.ph ], [ %107, %59 ]
  %67 = phi i32 [ 0, %.lr.ph ], [ %108, %59 ]
  %68 = phi i32 [ 0, %.lr.ph ], [ %109, %59 ]
  %69 = phi i32 [ 0, %.lr.ph ], [ %110, %59 ]
  %70 = phi i32 [ 0, %.lr.ph ], [ %114, %59 ]
  %71 = icmp slt i32 %70, %43
  %72 = add i32 %60, 1
  %73 = icmp sgt i32 %72, 1
  %74 = select i1 %73, i32 0, i32 %72
  %75 = or disjoint i32 %70, %18
  %76 = icmp slt i32 %75, %5
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %77 = shl i32 %74, 11
  %78 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %77
  %79 = mul i32 %75, %4
  %80 = sext i32 %79 to i64
  %gep10 = getelementptr i8, ptr addrspace(1) %invariant.gep9, i64 %80
  %81 = and i1 %29, %76
  %82 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %gep10, i1 %81) #2
  %83 = bitcast i32 %82 to <4 x i8>
  %84 = shufflevector <4 x i8> %83, <4 x i8> poison, <1 x i32> zeroinitializer
  store <1 x i8> %84, ptr addrspace(3) %51, align 1
  %85 = shufflevector <4 x i8> %83, <4 x i8> poison, <1 x i32> <i32 1>
  store <1 x i8> %85, ptr addrspace(3) %52, align 1
  %86 = shufflevector <4 x i8> %83, <4 x i8> poison, <1 x i32> <i32 2>
  store <1 x i8> %86, ptr addrspace(3) %53, align 1
  %87 = shufflevector <4 x i8> %83, <4 x i8> poison, <1 x i32> <i32 3>
  store <1 x i8> %87, ptr addrspace(3) %54, align 1
  tail call void @llvm.nvvm.fence.proxy.async.shared_cta()
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %88 = ptrtoint ptr addrspace(3) %78 to i32
  %89 = lshr exact i32 %88, 4
  %90 = and i32 %89, 32767
  tail call void @llvm.nvvm.wgmma.fence.sync.aligned()
  %91 = insertelement <2 x i32> <i32 poison, i32 -1073741808>, i32 %90, i64 0
  %92 = bitcast <2 x i32> %91 to i64
  %93 = tail call { i32, i32, i32, i32, i32, i32, i32, i32 } asm sideeffect "wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 {$0,$1,$2,$3,$4,$5,$6,$7}, $16, $17, $18;", "=r,=r,=r,=r,=r,=r,=r,=r,0,1,2,3,4,5,6,7,l,l,b"(i32 %62, i32 %63, i32 %64, i32 %65, i32 %66, i32 %67, i32 %68, i32 %69, i64 %92, i64 %58, i1 true) #2
  %94 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %93, 0
  %95 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %93, 1
  %96 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %93, 2
  %97 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %93, 3
  %98 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %93, 4
  %99 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %93, 5
  %100 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %93, 6
  %101 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32 } %93, 7
  tail call void @llvm.nvvm.wgmma.commit_group.sync.aligned()
  %102 = tail call { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } asm sideeffect "// wait for regs: $0,$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13\0A\09wgmma.wait_group.sync.aligned 0;", "=r,=r,=r,=r,=r,=r,=r,=r,=l,=r,=r,=l,=r,=r,0,1,2,3,4,5,6,7,8,9,10,11,12,13"(i32 %94, i32 %95, i32 %96, i32 %97, i32 %98, i32 %99, i32 %100, i32 %101, ptr addrspace(3) %78, i32 0, i32 0, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 0, i32 0) #2
  %103 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %102, 0
  %104 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %102, 1
  %105 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %102, 2
  %106 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %102, 3
  %107 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %102, 4
  %108 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %102, 5
  %109 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %102, 6
  %110 = extractvalue { i32, i32, i32, i32, i32, i32, i32, i32, ptr addrspace(3), i32, i32, ptr addrspace(3), i32, i32 } %102, 7
  %111 = add i32 %61, 1
  %112 = icmp sgt i32 %111, 1
  %113 = select i1 %112, i32 0, i32 %111
  %114 = add i32 %70, 32
  %115 = or disjoint i32 %114, %24
  %116 = icmp slt i32 %115, %5
  %117 = sext i32 %115 to i64
  %118 = getelementptr i8, ptr addrspace(1) %27, i64 %117
  %119 = shl i32 %113, 11
  %120 = and i1 %71, %116
  %121 = and i1 %28, %120
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %gep = getelementptr i8, ptr addrspace(3) %41, i32 %119
  %122 = select i1 %121, i32 16, i32 0
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %gep, ptr addrspace(1) %118, i32 %122) #2
  tail call void @llvm.nvvm.cp.async.commit.group()
  %123 = icmp slt i32 %114, %5
  br i1 %123, label %59, label %._crit_edge

._crit_edge:                                      ; preds = %59, %.._crit_edge_crit_edge
  %.pre-phi = phi i64 [ %.pre, %.._crit_edge_crit_edge ], [ %44, %59 ]
  %124 = phi i32 [ 0, %.._crit_edge_crit_edge ], [ %103, %59 ]
  %125 = phi i32 [ 0, %.._crit_edge_crit_edge ], [ %104, %59 ]
  %126 = phi i32 [ 0, %.._crit_edge_crit_edge ], [ %105, %59 ]
  %127 = phi i32 [ 0, %.._crit_edge_crit_edge ], [ %106, %59 ]
  %128 = phi i32 [ 0, %.._crit_edge_crit_edge ], [ %107, %59 ]
  %129 = phi i32 [ 0, %.._crit_edge_crit_edge ], [ %108, %59 ]
  %130 = phi i32 [ 0, %.._crit_edge_crit_edge ], [ %109, %59 ]
  %131 = phi i32 [ 0, %.._crit_edge_crit_edge ], [ %110, %59 ]
  %132 = or disjoint i32 %18, %10
  %133 = or disjoint i32 %132, 32
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %134 = mul i32 %4, %132
  %135 = mul i32 %4, %133
  %136 = sext i32 %134 to i64
  %137 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %136
  %138 = sext i32 %135 to i64
  %139 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %138
  %140 = getelementptr [4 x i8], ptr addrspace(1) %137, i64 %.pre-phi
  %141 = getelementptr [4 x i8], ptr addrspace(1) %139, i64 %.pre-phi
  %142 = icmp slt i32 %132, %3
  %143 = icmp slt i32 %133, %3
  %144 = and i1 %142, %29
  %145 = and i1 %143, %29
  %146 = icmp eq i32 %23, 0
  %147 = select i1 %146, i32 0, i32 2056
  %148 = shl nuw nsw i32 %14, 3
  %149 = insertelement <4 x i32> poison, i32 %35, i64 0
  %150 = insertelement <4 x i32> %149, i32 %20, i64 1
  %151 = insertelement <4 x i32> %150, i32 %14, i64 2
  %152 = shufflevector <4 x i32> %151, <4 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 2>
  %153 = shl nuw nsw <4 x i32> %152, <i32 0, i32 0, i32 5, i32 3>
  %154 = and <4 x i32> %153, <i32 1536, i32 48, i32 64, i32 128>
  %155 = tail call i32 @llvm.vector.reduce.or.v4i32(<4 x i32> %154)
  %op.rdx = or disjoint i32 %155, %147
  %156 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %op.rdx
  %157 = insertelement <2 x i32> poison, i32 %124, i64 0
  %158 = insertelement <2 x i32> %157, i32 %125, i64 1
  store <2 x i32> %158, ptr addrspace(3) %156, align 8
  %159 = getelementptr inbounds nuw i8, ptr addrspace(3) %156, i32 256
  %160 = insertelement <2 x i32> poison, i32 %126, i64 0
  %161 = insertelement <2 x i32> %160, i32 %127, i64 1
  store <2 x i32> %161, ptr addrspace(3) %159, align 8
  %162 = xor i32 %op.rdx, 8
  %163 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %162
  %164 = insertelement <2 x i32> poison, i32 %128, i64 0
  %165 = insertelement <2 x i32> %164, i32 %129, i64 1
  store <2 x i32> %165, ptr addrspace(3) %163, align 8
  %166 = getelementptr inbounds nuw i8, ptr addrspace(3) %163, i32 256
  %167 = insertelement <2 x i32> poison, i32 %130, i64 0
  %168 = insertelement <2 x i32> %167, i32 %131, i64 1
  store <2 x i32> %168, ptr addrspace(3) %166, align 8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %169 = and i32 %148, 896
  %170 = and i32 %20, 56
  %171 = shl nuw nsw i32 %23, 6
  %172 = or disjoint i32 %169, %171
  %173 = or disjoint i32 %172, %170
  %174 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %173
  %175 = getelementptr inbounds nuw i8, ptr addrspace(3) %174, i32 1024
  %176 = load <2 x i32>, ptr addrspace(3) %175, align 8
  %177 = xor i32 %173, 2056
  %178 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %177
  %179 = getelementptr inbounds nuw i8, ptr addrspace(3) %178, i32 1024
  %180 = load <2 x i32>, ptr addrspace(3) %179, align 8
  %.extract = load i32, ptr addrspace(3) %174, align 8
  %181 = getelementptr inbounds nuw i8, ptr addrspace(3) %174, i32 4
  %.extract2 = load i32, ptr addrspace(3) %181, align 4
  %.extract3 = load i32, ptr addrspace(3) %178, align 8
  %182 = getelementptr inbounds nuw i8, ptr addrspace(3) %178, i32 4
  %.extract4 = load i32, ptr addrspace(3) %182, align 4
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract2, i32 %.extract3, i32 %.extract4, ptr addrspace(1) %140, i1 %144) #2
  %.extract5 = extractelement <2 x i32> %176, i64 0
  %.extract6 = extractelement <2 x i32> %176, i64 1
  %.extract7 = extractelement <2 x i32> %180, i64 0
  %.extract8 = extractelement <2 x i32> %180, i64 1
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract5, i32 %.extract6, i32 %.extract7, i32 %.extract8, ptr addrspace(1) %141, i1 %145) #2
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
