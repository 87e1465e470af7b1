# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarriers, named barriers and the cluster's barrier; lanes, registers and stmatrix of Hopper's NVVM operations."""

import numpy as np
import pytest
from hopper_kernels import WORKGROUP

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

ARENA = f"memref<1024xi8, {WORKGROUP}>"


def kernel(body, threads, output="i32", count=2):
    return f"""
gpu.module @kernels {{ gpu.func @k(%y: memref<{threads}x{output}>) workgroup(%w: {ARENA}) kernel {{
  %index = memref.extract_aligned_pointer_as_index %w : {ARENA} -> index
  %address = arith.index_cast %index : index to i64
  %shared = llvm.inttoptr %address : i64 to !llvm.ptr<3>
  %bar = llvm.getelementptr %shared[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %all = arith.constant -1 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %i0 = arith.constant 0 : index
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %i = arith.index_cast %tid : i32 to index
  %words = memref.view %w[%i0][] : {ARENA} to memref<128xi32, {WORKGROUP}>
  %first = arith.cmpi eq, %tid, %c0 : i32
  %count = arith.constant {count} : i32
  scf.if %first {{
    nvvm.mbarrier.init %bar, %count : !llvm.ptr<3>, i32
  }}
  nvvm.barrier
  {body}
  gpu.return
}} }}"""


def run(text, threads, dtype=np.int32, sanitize=True, **how):
    y = np.full(threads, -7, dtype)
    SimulatedKernels(text, sanitize=sanitize).launch("k", 1, threads, 0, [y], **how)
    return y


HAND_OVER = """
  %low = arith.cmpi slt, %tid, %c32 : i32
  scf.if %low {
    memref.store %tid, %words[%i] : memref<128xi32, SPACE>
    %token = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
  } else {
    nvvm.mbarrier.try_wait.parity %bar, %c0, %c1 : !llvm.ptr<3>, i32, i32
    %other = arith.subi %tid, %c32 : i32
    %j = arith.index_cast %other : i32 to index
    %v = memref.load %words[%j] : memref<128xi32, SPACE>
    memref.store %v, %y[%i] : memref<64xi32>
  }
""".replace("SPACE", WORKGROUP)


@pytest.mark.parametrize("seed", [0, 1, None])
def test_one_warp_hands_over_to_another(seed):
    assert run(kernel(HAND_OVER, 64, count=32), 64, seed=seed)[32:].tolist() == list(range(32))


def test_a_hand_over_without_a_wait_races():
    text = kernel(
        HAND_OVER.replace("nvvm.mbarrier.try_wait.parity %bar, %c0, %c1 : !llvm.ptr<3>, i32, i32", ""), 64, count=32
    )
    with pytest.raises(SanitizerError) as caught:
        run(text, 64)
    assert {one.kind for one in caught.value.findings} & {"read-after-write", "write-after-read", "uninitialised-read"}


def test_a_hand_over_that_orders_nothing_races():
    text = kernel(
        HAND_OVER.replace("nvvm.mbarrier.arrive %bar :", "nvvm.mbarrier.arrive %bar {relaxed = true} :"), 64, count=32
    )
    with pytest.raises(SanitizerError) as caught:
        run(text, 64)
    assert caught.value.findings[0].kind == "read-after-write"


def test_arrivals_that_are_missing():
    with pytest.raises(SimulationError, match="of its phase 0 1 of 33 arrivals are missing") as caught:
        run(kernel(HAND_OVER, 64, count=33), 64, sanitize=False)
    assert caught.value.kind == "deadlock" and "waiting for the mbarrier at" in str(caught.value)


def test_arrivals_that_are_too_many():
    twice = HAND_OVER.replace("%token =", "%more = nvvm.mbarrier.arrive %bar, %c32 : !llvm.ptr<3> -> i64\n%token =")
    with pytest.raises(SimulationError, match="32 arrivals at the mbarrier at byte 512") as caught:
        run(kernel(twice, 64, count=40), 64, sanitize=False)
    assert caught.value.kind == "mbarrier-count"


def test_phases_tokens_and_counts():
    """One thread: phase after phase, tested without waiting."""
    body = """
  scf.if %first {
    %c2 = arith.constant 2 : i32
    %t0 = nvvm.mbarrier.arrive.nocomplete %bar, %c1 : !llvm.ptr<3>, i32 -> i64
    %before = nvvm.mbarrier.test.wait %bar, %t0 : !llvm.ptr<3>, i64 -> i1
    %t1 = nvvm.mbarrier.arrive.expect_tx %bar, %c32 : !llvm.ptr<3>, i32 -> i64
    %pending = nvvm.mbarrier.test.wait %bar, %t1 : !llvm.ptr<3>, i64 -> i1
    nvvm.mbarrier.complete_tx %bar, %c31 : !llvm.ptr<3>, i32
    %short = nvvm.mbarrier.test.wait %bar, %c0 : !llvm.ptr<3>, i32 -> i1
    nvvm.mbarrier.complete_tx %bar, %c1 : !llvm.ptr<3>, i32
    %done = nvvm.mbarrier.test.wait %bar, %t1 : !llvm.ptr<3>, i64 -> i1
    %old = nvvm.mbarrier.test.wait %bar, %c1 : !llvm.ptr<3>, i32 -> i1
    nvvm.mbarrier.expect_tx %bar, %c1 : !llvm.ptr<3>, i32
    %t2 = nvvm.mbarrier.arrive %bar, %c2 : !llvm.ptr<3> -> i64
    nvvm.mbarrier.complete_tx %bar, %c1 : !llvm.ptr<3>, i32
    %next = nvvm.mbarrier.try_wait %bar, %t2 : !llvm.ptr<3>, i64 -> i1
    %zero = nvvm.mbarrier.test.wait %bar, %c0 : !llvm.ptr<3>, i32 -> i1
"""
    for place, name in enumerate(("before", "pending", "short", "done", "old", "next", "zero")):
        body += f"    %k{place} = arith.constant {place} : index\n    %e{place} = arith.extui %{name} : i1 to i32\n"
        body += f"    memref.store %e{place}, %y[%k{place}] : memref<32xi32>\n"
    assert run(kernel(body + "  }\n", 32), 32)[:7].tolist() == [0, 0, 0, 1, 0, 1, 0]


def test_an_arrival_that_may_not_complete_does():
    body = "scf.if %first { %t = nvvm.mbarrier.arrive.nocomplete %bar, %count : !llvm.ptr<3>, i32 -> i64 }"
    with pytest.raises(SimulationError, match="2 arrivals at the mbarrier at byte 512 of workgroup memory, of whose"):
        run(kernel(body, 32), 32)


def test_asking_again_and_again():
    """A loop around a test that does not wait goes on when the others have arrived."""
    body = HAND_OVER.replace(
        "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1 : !llvm.ptr<3>, i32, i32",
        """scf.while : () -> () {
      %done = nvvm.mbarrier.test.wait %bar, %c0 : !llvm.ptr<3>, i32 -> i1
      %true = arith.constant true
      %more = arith.xori %done, %true : i1
      scf.condition(%more)
    } do {
      scf.yield
    }""",
    )
    assert run(kernel(body, 64, count=32), 64)[32:].tolist() == list(range(32))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("%t = nvvm.mbarrier.arrive %shared : !llvm.ptr<3> -> i64", "no-mbarrier"),
        ("nvvm.mbarrier.inval %bar : !llvm.ptr<3>\n"
         "%t = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64", "no-mbarrier"),
        ("nvvm.mbarrier.init %bar, %c0 : !llvm.ptr<3>, i32", "mbarrier-count"),
        ("%odd = llvm.getelementptr %bar[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n"
         "nvvm.mbarrier.init %odd, %c1 : !llvm.ptr<3>, i32", "no-mbarrier"),
    ],
)  # fmt: skip
def test_what_is_no_mbarrier(body, kind):
    with pytest.raises(SimulationError) as caught:
        run(kernel(f"scf.if %first {{ {body} }}", 32), 32, sanitize=False)
    assert caught.value.kind == kind


def test_an_mbarrier_that_is_overwritten():
    body = "%k = arith.constant 128 : index\n%v = memref.view %w[%i0][] : " + ARENA
    body += f" to memref<256xi32, {WORKGROUP}>\nmemref.store %c1, %v[%k] : memref<256xi32, {WORKGROUP}>\nnvvm.barrier\n"
    body += "%t = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64"
    with pytest.raises(SimulationError, match="no mbarrier has been initialised at byte 512"):
        run(kernel(f"scf.if %first {{ {body} }}".replace("nvvm.barrier\n", ""), 32), 32, sanitize=False)


def test_an_mbarrier_used_again_after_its_end():
    body = """scf.if %first {
    %t0 = nvvm.mbarrier.arrive %bar, %count : !llvm.ptr<3> -> i64
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    %t1 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    %done = nvvm.mbarrier.test.wait %bar, %c0 : !llvm.ptr<3>, i32 -> i1
    %e = arith.extui %done : i1 to i32
    memref.store %e, %y[%i0] : memref<32xi32>
  }"""
    assert run(kernel(body, 32), 32)[0] == 1


NAMED = """
  %id = arith.constant 3 : i32
  %both = arith.constant 64 : i32
  %low = arith.cmpi slt, %tid, %c32 : i32
  %third = arith.constant 64 : i32
  %works = arith.cmpi slt, %tid, %third : i32
  scf.if %works {
    scf.if %low {
      memref.store %tid, %words[%i] : memref<128xi32, SPACE>
      nvvm.barrier.arrive id = %id number_of_threads = %both
    } else {
      nvvm.barrier id = %id number_of_threads = %both
      %other = arith.subi %tid, %c32 : i32
      %j = arith.index_cast %other : i32 to index
      %v = memref.load %words[%j] : memref<128xi32, SPACE>
      memref.store %v, %y[%i] : memref<96xi32>
    }
  }
""".replace("SPACE", WORKGROUP)


@pytest.mark.parametrize("seed", [0, 1, None])
def test_named_barriers(seed):
    assert run(kernel(NAMED, 96), 96, seed=seed)[32:64].tolist() == list(range(32))


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("arrive id = %id number_of_threads = %both", "arrive id = %c1 number_of_threads = %both", "deadlock"),
        ("%both = arith.constant 64", "%both = arith.constant 96", "deadlock"),
        ("%both = arith.constant 64", "%both = arith.constant 50", "named-barrier"),
        ("%id = arith.constant 3", "%id = arith.constant 16", "named-barrier"),
        ("arrive id = %id number_of_threads = %both", "arrive id = %id number_of_threads = %c32", "any"),
    ],
)
def test_named_barriers_that_do_not_fit(old, new, kind):
    assert old in NAMED
    with pytest.raises(SimulationError) as caught:
        run(kernel(NAMED.replace(old, new), 96), 96, sanitize=False)
    assert caught.value.kind in (("named-barrier", "deadlock") if kind == "any" else (kind,))


def test_a_named_barrier_that_is_missing_races():
    text = NAMED.replace("nvvm.barrier id = %id number_of_threads = %both\n", "")
    with pytest.raises(SanitizerError) as caught:
        run(kernel(text, 96), 96)
    assert {one.kind for one in caught.value.findings} & {"read-after-write", "write-after-read", "uninitialised-read"}


def test_the_barrier_of_a_cluster_of_one_block():
    body = f"""
  memref.store %tid, %words[%i] : memref<128xi32, {WORKGROUP}>
  nvvm.cluster.arrive {{aligned}}
  nvvm.cluster.wait {{aligned}}
  %flip = arith.xori %tid, %c31 : i32
  %j = arith.index_cast %flip : i32 to index
  %v = memref.load %words[%j] : memref<128xi32, {WORKGROUP}>
  memref.store %v, %y[%i] : memref<64xi32>
  nvvm.cluster.arrive {{aligned}}
  nvvm.cluster.wait {{aligned}}
"""
    assert run(kernel(body, 64), 64).tolist() == [number ^ 31 for number in range(64)]
    with pytest.raises(SimulationError, match="at which it has not arrived"):
        run(kernel(body.replace("nvvm.cluster.arrive {aligned}", ""), 64), 64, sanitize=False)


LANES = {
    "%v = nvvm.shfl.sync bfly %all, %tid, %c1, %c31 : i32 -> i32": lambda t: t ^ 1,
    "%v = nvvm.shfl.sync idx %all, %tid, %c31, %c31 : i32 -> i32": lambda t: t | 31,
    "%v = nvvm.shfl.sync up %all, %tid, %c1, %c0 : i32 -> i32": lambda t: t - 1 if t % 32 else t,
    "%v = nvvm.shfl.sync down %all, %tid, %c1, %c31 : i32 -> i32": lambda t: t + 1 if t % 32 < 31 else t,
    "%v = nvvm.read.ptx.sreg.laneid : i32": lambda t: t % 32,
    "%v = nvvm.read.ptx.sreg.ntid.x : i32": lambda _: 64,
    "%v = nvvm.read.ptx.sreg.cluster.ctarank : i32": lambda _: 0,
    "%e = nvvm.elect.sync -> i1\n  %v = arith.extui %e : i1 to i32": lambda t: int(t % 32 == 0),
}


@pytest.mark.parametrize("text", LANES)
def test_lanes_and_places(text):
    body = f"{text}\n  memref.store %v, %y[%i] : memref<64xi32>"
    assert run(kernel(body, 64), 64).tolist() == [LANES[text](thread) for thread in range(64)]


def test_a_float_is_passed_as_it_is():
    body = """
  %f = arith.sitofp %tid : i32 to f32
  %s = nvvm.shfl.sync bfly %all, %f, %c1, %c31 : f32 -> f32
  %v = arith.fptosi %s : f32 to i32
  memref.store %v, %y[%i] : memref<32xi32>"""
    assert run(kernel(body, 32), 32).tolist() == [thread ^ 1 for thread in range(32)]


def test_an_election_in_one_thread():
    with pytest.raises(SimulationError) as caught:
        run(kernel("scf.if %first { %e = nvvm.elect.sync -> i1 }", 32), 32)
    assert caught.value.kind == "divergent-subgroup"


@pytest.mark.parametrize("matrices", [1, 2, 4])
@pytest.mark.parametrize("layout", ["row", "col"])
def test_stmatrix(matrices, layout):
    """Each lane holds two 16-bit numbers of a matrix: 64 matrix + 2 lane, and the next."""
    lines = ["%double = arith.addi %tid, %tid : i32"]
    names = []
    for matrix in range(matrices):
        lines.append(f"%m{matrix} = arith.constant {64 * matrix + (64 * matrix + 1 << 16)} : i32")
        lines.append(f"%both{matrix} = arith.constant 65537 : i32")
        lines.append(f"%p{matrix} = arith.muli %double, %both{matrix} : i32")
        lines.append(f"%r{matrix} = arith.addi %p{matrix}, %m{matrix} : i32")
        names.append(f"%r{matrix}")
    kinds = ", ".join(["!llvm.ptr<3>"] + ["i32"] * matrices)
    lines += [
        "%c16 = arith.constant 16 : i32",
        "%last = arith.constant " + str(8 * matrices - 1) + " : i32",
        "%own = arith.minsi %tid, %last : i32",
        "%offset = arith.muli %own, %c16 : i32",
        "%row = llvm.getelementptr %shared[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8",
        f"nvvm.stmatrix %row, {', '.join(names)} {{layout = #nvvm.mma_layout<{layout}>, "
        f"shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}} : {kinds}",
        "nvvm.barrier",
        f"%halves = memref.view %w[%i0][] : {ARENA} to memref<256xi16, {WORKGROUP}>",
        "%i1 = arith.constant 1 : index",
        "%step = arith.constant 32 : index",
        f"%end = arith.constant {64 * matrices} : index",
        "scf.for %k = %i to %end step %step {",
        f"  %h = memref.load %halves[%k] : memref<256xi16, {WORKGROUP}>",
        f"  memref.store %h, %y[%k] : memref<{64 * matrices}xi16>",
        "}",
    ]
    text = kernel("\n".join(lines), 64 * matrices, "i16")
    y = np.full(64 * matrices, -7, np.int16)
    SimulatedKernels(text, sanitize=True).launch("k", 1, 32, 0, [y])
    tiles = np.arange(64 * matrices).reshape(matrices, 8, 8)
    assert np.array_equal(y.reshape(matrices, 8, 8), tiles if layout == "row" else tiles.transpose(0, 2, 1))


def test_stmatrix_outside():
    body = """%far = llvm.getelementptr %shared[1020] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  nvvm.stmatrix %far, %tid {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>,
    eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32"""
    with pytest.raises(SimulationError, match="are in no argument and no workgroup memory"):
        run(kernel(body, 32), 32)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%v = nvvm.shfl.sync bfly %c1, %tid, %c1, %c31 : i32 -> i32", "for all lanes"),
        ("%v = nvvm.shfl.sync bfly %all, %tid, %c1, %c1 : i32 -> i32", "must be for whole warps"),
        ("%v = nvvm.read.ptx.sreg.smid : i32", "is not known to the simulator"),
    ],
)
def test_refusals(body, message):
    with pytest.raises(DiagnosedError, match=message):
        SimulatedKernels(kernel(body, 32))


@pytest.mark.parametrize(
    "attribute", ["known_cluster_size = array<i32: 2, 1, 1>", "nvvm.cluster_dim = array<i32: 1, 4>"]
)
def test_clusters_are_refused(attribute):
    text = kernel("", 32).replace(" kernel {", f" kernel attributes {{{attribute}}} {{")
    with pytest.raises(DiagnosedError, match="the simulator runs clusters of one block only"):
        SimulatedKernels(text)
    SimulatedKernels(text.replace("2, 1, 1", "1, 1, 1").replace("1, 4", "1, 1"))


def test_other_blocks_of_a_cluster_are_refused():
    with pytest.raises(DiagnosedError, match="'nvvm.mapa' reaches into other blocks of a cluster"):
        SimulatedKernels(kernel("%far = nvvm.mapa %shared, %c1 : !llvm.ptr<3> -> !llvm.ptr<7>", 32))
