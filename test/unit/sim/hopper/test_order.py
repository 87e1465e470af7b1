# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What orders blocks through named barriers and mbarriers: knowledge of other blocks goes along with them."""

import numpy as np
import pytest
from hopper_kernels import WORKGROUP

from roller_mlir.sim import SanitizerError, SimulatedKernels

ARENA = f"memref<1024xi8, {WORKGROUP}>"
KERNEL = """
gpu.module @kernels { gpu.func @k(%data: memref<64xi32>, %flag: memref<1xi32>, %y: memref<64xi32>)
    workgroup(%w: ARENA) kernel {
  %index = memref.extract_aligned_pointer_as_index %w : ARENA -> index
  %address = arith.index_cast %index : index to i64
  %filled = llvm.inttoptr %address : i64 to !llvm.ptr<3>
  %ready = llvm.getelementptr %filled[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %where = memref.extract_aligned_pointer_as_index %flag : memref<1xi32> -> index
  %raw = arith.index_cast %where : index to i64
  %p = llvm.inttoptr %raw : i64 to !llvm.ptr<1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %c96 = arith.constant 96 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %i = arith.index_cast %tid : i32 to index
  %first = arith.cmpi eq, %tid, %c0 : i32
  %works = arith.cmpi slt, %tid, %c64 : i32
  %leads = arith.cmpi eq, %tid, %c64 : i32
  %b = gpu.block_id x
  %i0 = arith.constant 0 : index
  %i63 = arith.constant 63 : index
  %writes = arith.cmpi eq, %b, %i0 : index
  scf.if %first {
    nvvm.mbarrier.init %filled, %c64 : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %ready, %c1 : !llvm.ptr<3>, i32
  }
  nvvm.barrier
  scf.if %writes {
    scf.if %works {
      memref.store %tid, %data[%i] : memref<64xi32>
      GIVE
    } else {
      TAKE
      scf.if %leads {
        llvm.fence syncscope("device") acq_rel
        %old = llvm.atomicrmw add %p, %c1 syncscope("device") monotonic : !llvm.ptr<1>, i32
      }
    }
  } else {
    scf.if %works {
      AWAIT
      %j = arith.subi %i63, %i : index
      %v = memref.load %data[%j] : memref<64xi32>
      memref.store %v, %y[%i] : memref<64xi32>
    } else {
      scf.if %leads {
        scf.while : () -> () {
          %now = llvm.load %p atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
          %more = arith.cmpi eq, %now, %c0 : i32
          scf.condition(%more)
        } do {
          scf.yield
        }
        llvm.fence syncscope("device") acq_rel
        LEAD
      }
      PASS
    }
  }
  gpu.return
} }""".replace("ARENA", ARENA)

ARRIVE = "nvvm.mbarrier.arrive %{} : !llvm.ptr<3> -> i64"
WAIT = "nvvm.mbarrier.try_wait.parity %{}, %c0, %c1 : !llvm.ptr<3>, i32, i32"
NAMED = {
    "GIVE": "nvvm.barrier.arrive id = %c1 number_of_threads = %c96",
    "TAKE": "nvvm.barrier id = %c1 number_of_threads = %c96",
    "AWAIT": "nvvm.barrier id = %c2 number_of_threads = %c96",
    "PASS": "nvvm.barrier.arrive id = %c2 number_of_threads = %c96",
    "LEAD": "",
}
MBARRIERS = {
    "GIVE": f"%t1 = {ARRIVE.format('filled')}",
    "TAKE": f"scf.if %leads {{ {WAIT.format('filled')} }}",
    "AWAIT": WAIT.format("ready"),
    "PASS": "",
    "LEAD": f"%t2 = {ARRIVE.format('ready')}",
}
FENCE = 'llvm.fence syncscope("device") acq_rel'


def program(parts, **changed):
    text = KERNEL
    for name, part in {**parts, **changed}.items():
        text = text.replace(name, part)
    return text


def without_fence(text, number):
    head, *rest = text.split(FENCE)
    return head + "".join(("" if at == number else FENCE) + part for at, part in enumerate(rest))


def relaxed(parts, name):
    return {name: parts[name].replace(" :", " {relaxed = true} :", 1)}


def run(text, **how):
    y = np.full(64, -1, np.int32)
    kernels = SimulatedKernels(text, sanitize=True)
    kernels.launch("k", 2, 96, 0, [np.zeros(64, np.int32), np.zeros(1, np.int32), y], resident_blocks=None, **how)
    return y


@pytest.mark.full(each=["parts", "seed", "sweep"])
@pytest.mark.parametrize("sweep", [False, True])
@pytest.mark.parametrize("parts", [NAMED, MBARRIERS], ids=["named", "mbarrier"])
@pytest.mark.parametrize("seed", [0, 1])
def test_knowledge_goes_along_with_barriers(parts, seed, sweep):
    assert run(program(parts), seed=seed, sweep=sweep).tolist() == list(range(64))[::-1]


WRONG = {
    "named: nobody waits for the writers": program(NAMED, TAKE="", GIVE=""),
    "named: nobody waits for the poller": program(NAMED, AWAIT="", PASS=""),
    "named: no release": without_fence(program(NAMED), 0),
    "named: no acquire": without_fence(program(NAMED), 1),
    "named: fenced too early": without_fence(program(NAMED, TAKE=FENCE + "\n" + NAMED["TAKE"]), 1),
    "mbarrier: no wait for the writers": program(MBARRIERS, TAKE=""),
    "mbarrier: no wait for the poller": program(MBARRIERS, AWAIT=""),
    "mbarrier: writers arrive relaxed": program(MBARRIERS, **relaxed(MBARRIERS, "GIVE")),
    "mbarrier: the poller arrives relaxed": program(MBARRIERS, **relaxed(MBARRIERS, "LEAD")),
    "mbarrier: no release": without_fence(program(MBARRIERS), 0),
    "mbarrier: no acquire": without_fence(program(MBARRIERS), 1),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", WRONG)
def test_what_is_missing_races(name):
    with pytest.raises(SanitizerError) as caught:
        run(WRONG[name])
    assert {one.kind for one in caught.value.findings} <= {"read-after-write", "write-after-read"}


PROXY = """
gpu.module @kernels { gpu.func @k(%data: memref<64xi32>, %flag: memref<1xi32>, %y: memref<64xi32>,
    %map: !llvm.ptr {rtile.tensor_map = {argument = 0 : i64, element = "f32", extents = [64], strides = [],
      box = [64], steps = [1], swizzle = 0 : i64, fill = 0 : i64}}) workgroup(%w: ARENA) kernel {
  %index = memref.extract_aligned_pointer_as_index %w : ARENA -> index
  %address = arith.index_cast %index : index to i64
  %shared = llvm.inttoptr %address : i64 to !llvm.ptr<3>
  %near = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
  %bar = llvm.getelementptr %shared[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %where = memref.extract_aligned_pointer_as_index %flag : memref<1xi32> -> index
  %raw = arith.index_cast %where : index to i64
  %p = llvm.inttoptr %raw : i64 to !llvm.ptr<1>
  %from = memref.extract_aligned_pointer_as_index %data : memref<64xi32> -> index
  %bits = arith.index_cast %from : index to i64
  %far = llvm.inttoptr %bits : i64 to !llvm.ptr<1>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bytes = arith.constant 256 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %i = arith.index_cast %tid : i32 to index
  %first = arith.cmpi eq, %tid, %c0 : i32
  %b = gpu.block_id x
  %i0 = arith.constant 0 : index
  %writes = arith.cmpi eq, %b, %i0 : index
  scf.if %first {
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
  }
  nvvm.barrier
  scf.if %writes {
    memref.store %tid, %data[%i] : memref<64xi32>
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>} // writer
    nvvm.barrier
    scf.if %first {
      // signaller
      llvm.fence syncscope("device") acq_rel
      %old = llvm.atomicrmw add %p, %c1 syncscope("device") monotonic : !llvm.ptr<1>, i32
    }
  } else {
    scf.if %first {
      scf.while : () -> () {
        %now = llvm.load %p atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
        %more = arith.cmpi eq, %now, %c0 : i32
        scf.condition(%more)
      } do {
        scf.yield
      }
      llvm.fence syncscope("device") acq_rel // reader
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>} // reader
    }
    nvvm.barrier  // told
    scf.if %first {
      // issuer
      %token = nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32 -> i64
      COPY
    }
    nvvm.mbarrier.try_wait.parity %bar, %c0, %c1 : !llvm.ptr<3>, i32, i32
    %words = memref.view %w[%i0][] : ARENA to memref<64xi32, SPACE>
    %v = memref.load %words[%i] : memref<64xi32, SPACE>
    memref.store %v, %y[%i] : memref<64xi32>
  }
  gpu.return
} }""".replace("ARENA", ARENA).replace("SPACE", WORKGROUP)
COPIES = {
    "plain": "nvvm.cp.async.bulk.shared.cluster.global %near, %far, %bar, %bytes : !llvm.ptr<7>, !llvm.ptr<1>",
    "tensor": "nvvm.cp.async.bulk.tensor.shared.cluster.global %near, %map, %bar, box[%c0] : !llvm.ptr<7>, !llvm.ptr",
}
PROXY_FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}"
SHARED_FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"
WRITER, READER, SIGNALLER, ISSUER = f"{PROXY_FENCE} // writer", f"{PROXY_FENCE} // reader", "// signaller", "// issuer"
ACQUIRE = f"{FENCE} // reader"


@pytest.mark.full(each=["copy", "moved"])
@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize(
    "moved",
    [
        {},
        {PROXY_FENCE: "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}"},
        {WRITER: "", SIGNALLER: PROXY_FENCE},
        {READER: "", ISSUER: PROXY_FENCE},
    ],
    ids=["both sides", "of all memory", "the signaller's", "the issuer's"],
)
def test_a_copy_of_what_another_block_wrote(copy, moved):
    text = PROXY
    for old, new in moved.items():
        assert old in text
        text = text.replace(old, new)
    for sweep in (False, True):
        assert proxy_run(text.replace("COPY", COPIES[copy]), sweep=sweep).tolist() == list(range(64))


def proxy_run(text, grid=2, **how):
    y = np.full(64, -1, np.int32)
    kernels = SimulatedKernels(text, sanitize=True)
    kernels.launch("k", grid, 64, 0, [np.zeros(64, np.int32), np.zeros(1, np.int32), y], resident_blocks=None, **how)
    return y


@pytest.mark.full(each=["copy", "moved", "kind"])
@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize(
    ("moved", "kind"),
    [
        ({WRITER: ""}, "missing-fence"),
        ({READER: ""}, "missing-fence"),
        ({WRITER: "", READER: ""}, "missing-fence"),
        ({WRITER: SHARED_FENCE}, "missing-fence"),
        ({READER: SHARED_FENCE}, "missing-fence"),
        ({READER: "", ACQUIRE: f"{PROXY_FENCE}\n{FENCE}"}, "missing-fence"),
        ({WRITER: "", "memref.store %tid, %data": f"{PROXY_FENCE}\nmemref.store %tid, %data"}, "missing-fence"),
        ({ACQUIRE: ""}, "read-after-write"),
        ({"nvvm.barrier  // told": "", ISSUER: ""}, ""),
    ],
)
def test_a_copy_of_what_another_block_wrote_without_a_fence(copy, moved, kind):
    text = PROXY
    for old, new in moved.items():
        assert old in text
        text = text.replace(old, new)
    if not kind:  # one thread polls and issues: it needs no barrier
        assert proxy_run(text.replace("COPY", COPIES[copy])).tolist() == list(range(64))
        return
    with pytest.raises(SanitizerError) as caught:
        proxy_run(text.replace("COPY", COPIES[copy]))
    assert {one.kind for one in caught.value.findings} == {kind}
    assert caught.value.findings[0].memory == "argument 0"


@pytest.mark.parametrize("fence", [WRITER, READER, ""])
def test_a_copy_of_what_its_own_block_wrote(fence):
    """In one block one fence is enough, wherever it stands on the way."""
    text = PROXY.replace("    nvvm.barrier\n    scf.if %first {\n      // signaller", "    scf.if %first {", 1)
    meet = "  }\n  %all = arith.cmpi eq, %c0, %c0 : i32\n  nvvm.barrier\n  scf.if %all {\n"
    text = text.replace(
        "  } else {\n    scf.if %first {\n      scf.while", f"{meet}    scf.if %first {{\n      scf.while"
    )
    for one in (WRITER, READER):
        if one != fence:
            assert one in text
            text = text.replace(one, "")
    text = text.replace("COPY", COPIES["plain"])
    if fence:
        assert proxy_run(text, grid=1).tolist() == list(range(64))
        return
    with pytest.raises(SanitizerError, match=r"wrote at .* without 'fence.proxy.async' in between") as caught:
        proxy_run(text, grid=1)
    assert {one.kind for one in caught.value.findings} == {"missing-fence"}
