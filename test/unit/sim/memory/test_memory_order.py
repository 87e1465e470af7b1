# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What orders blocks: litmus programs of both vendors' memory models are clean, and each broken one races.

Every thread of block 0 writes an element and meets its block at a barrier; one thread publishes. One thread of block 1
polls, meets its block, and every thread reads what another one wrote.
"""

import numpy as np
import pytest

from roller_mlir.sim import SanitizerError, SimulatedKernels
from roller_mlir.sim.engine import layout
from roller_mlir.support.diagnostics import DiagnosedError

THREADS = 64

KERNEL = """gpu.module @kernels {{ gpu.func @k(%data: memref<64xf32>, %flag: memref<4xi32>,
    %out: memref<64xf32>) kernel {{
    %i = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %v = arith.constant 3.0 : f32
    %base = memref.extract_aligned_pointer_as_index %flag : memref<4xi32> -> index
    %raw = arith.index_cast %base : index to i64
    %p = llvm.inttoptr %raw : i64 to !llvm.ptr<1>
    %q = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %writes = arith.cmpi eq, %b, %c0 : index
    %leads = arith.cmpi eq, %i, %c0 : index
    scf.if %writes {{
      memref.store %v, %data[%i] {{rtile.site = "produce"}} : memref<64xf32>
      {before}
      {meet}
      scf.if %leads {{
        {publish}
      }}
    }} else {{
      scf.if %leads {{
        scf.while : () -> () {{
          {poll}
          %more = arith.cmpi eq, %now, %zero : i32
          scf.condition(%more)
        }} do {{
          scf.yield
        }}
        {after}
      }}
      {meet_again}
      {late}
      %j = arith.subi %c63, %i : index
      %r = memref.load %data[%j] {{rtile.site = "consume"}} : memref<64xf32>
      memref.store %r, %out[%i] : memref<64xf32>
    }}
    gpu.return }} }}"""

ATTRIBUTES = "{alignment = 4 : i64} : !llvm.ptr<1> -> i32"


def store(order, scope=""):
    named = f'syncscope("{scope}")' if scope else ""
    return f"llvm.store %one, %p atomic {named} {order} {{alignment = 4 : i64}} : i32, !llvm.ptr<1>"


def load(order, scope=""):
    named = f'syncscope("{scope}")' if scope else ""
    return f"%now = llvm.load %p atomic {named} {order} {ATTRIBUTES}"


def add(order, scope=""):
    named = f'syncscope("{scope}")' if scope else ""
    return f"%old = llvm.atomicrmw add %p, %one {named} {order} : !llvm.ptr<1>, i32"


def fence(order, scope=""):
    named = f'syncscope("{scope}")' if scope else ""
    return f"llvm.fence {named} {order}"


def swap(order):
    return f"""%pair = llvm.cmpxchg %p, %one, %one syncscope("device") {order} monotonic : !llvm.ptr<1>, i32
          %now = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>"""


def both(*parts):
    return "\n        ".join(parts)


def program(publish, poll, after="", **parts):
    given = {"before": "", "meet": "gpu.barrier", "meet_again": "gpu.barrier", "late": "", **parts}
    return KERNEL.format(publish=publish, poll=poll, after=after, **given)


RELAXED = load("monotonic", "device")
FENCED = both(fence("acq_rel", "device"), add("monotonic", "device"))
LATER = 'llvm.store %one, %p atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>'

RIGHT = {
    "release store, acquire load": program(store("release", "device"), load("acquire", "device")),
    "of the whole system": program(store("release"), load("acquire")),
    "sequentially consistent": program(store("seq_cst"), load("seq_cst")),
    "agent": program(store("release", "agent"), load("acquire", "agent")),
    "agent, one address space": program(store("release", "agent-one-as"), load("acquire", "agent-one-as")),
    "fence and relaxed store": program(
        both(fence("release", "device"), store("monotonic", "device")), RELAXED, fence("acquire", "device")
    ),
    "fence and relaxed counter": program(FENCED, RELAXED, fence("acq_rel", "device")),
    "AMD's counter releases": program(add("release", "agent"), load("monotonic", "agent"), fence("acquire", "agent")),
    "swap that acquires": program(store("release", "device"), swap("acquire")),
    "counter behind a release": program(
        both(store("release", "device"), add("monotonic", "device")), load("acquire", "device")
    ),
    "PTX's fences by their operation": program(
        both("nvvm.memory.barrier <gpu>", add("monotonic", "device")), RELAXED, "nvvm.memory.barrier <sys>"
    ),
    "volatile poll and a fence": program(
        FENCED, "%now = llvm.load volatile %p : !llvm.ptr<1> -> i32", fence("acq_rel", "device")
    ),
}  # fmt: skip

WRONG = {
    "relaxed store": program(store("monotonic", "device"), load("acquire", "device")),
    "relaxed load": program(store("release", "device"), RELAXED),
    "relaxed load, the barrier does not acquire": program(FENCED, RELAXED),
    "no fence before the counter": program(add("monotonic", "device"), RELAXED, fence("acq_rel", "device")),
    "NVPTX's counter does not release": program(add("release", "device"), RELAXED, fence("acq_rel", "device")),
    "nor without a scope": program(add("acq_rel"), load("acquire")),
    "no fence after the poll": program(FENCED, RELAXED),
    "fence that only releases": program(FENCED, RELAXED, fence("release", "device")),
    "fence that only acquires": program(
        both(fence("acquire", "device"), add("monotonic", "device")), RELAXED, fence("acquire", "device")
    ),
    "fence of the block": program(
        both(fence("acq_rel", "block"), add("monotonic", "device")), RELAXED, fence("acq_rel", "device")
    ),
    "PTX's fence of the block": program(
        both("nvvm.memory.barrier <cta>", add("monotonic", "device")), RELAXED, fence("acq_rel", "device")
    ),
    "poller's fence of the block": program(FENCED, RELAXED, fence("acq_rel", "block")),
    "release of the block": program(store("release", "block"), load("acquire", "device")),
    "acquire of the block": program(store("release", "device"), load("acquire", "block")),
    "release of the cluster": program(store("release", "cluster"), load("acquire", "device")),
    "release of the workgroup": program(add("release", "workgroup"), load("acquire", "agent")),
    "acquire of the workgroup": program(add("release", "agent"), load("acquire", "workgroup")),
    "fence of the wavefront": program(
        both(fence("release", "wavefront"), store("monotonic", "agent")), load("acquire", "agent")
    ),
    "fence before the barrier": program(
        add("monotonic", "device"), RELAXED, fence("acq_rel", "device"), before=fence("acq_rel", "device")
    ),
    "fence behind the readers' barrier": program(FENCED, RELAXED, late=fence("acq_rel", "device")),
    "writers do not meet": program(FENCED, RELAXED, fence("acq_rel", "device"), meet=""),
    "readers do not meet": program(FENCED, RELAXED, fence("acq_rel", "device"), meet_again=""),
    "a plain store ends what was released": program(both(store("release", "device"), LATER), load("acquire", "device")),
    "volatile poll": program(FENCED, "%now = llvm.load volatile %p : !llvm.ptr<1> -> i32"),
    "swap that is relaxed": program(store("release", "device"), swap("monotonic")),
    "released at a neighbour": program(
        both(store("release", "device").replace("%p", "%q"), store("monotonic", "device")), load("acquire", "device")
    ),
}  # fmt: skip


def run(text, **options):
    kernels = SimulatedKernels(text, sanitize=True)
    data, out = np.zeros(THREADS, np.float32), np.zeros(THREADS, np.float32)
    kernels.launch("k", 2, THREADS, 0, [data, np.zeros(4, np.int32), out], resident_blocks=None, **options)
    assert (out == 3).all()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_clean(name):
    for sweep in (False, True):
        run(RIGHT[name], sweep=sweep)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", WRONG)
def test_a_broken_program_races(name):
    with pytest.raises(SanitizerError) as caught:
        run(WRONG[name])
    assert {(one.kind, one.memory) for one in caught.value.findings} <= {
        ("read-after-write", "argument 0"), ("write-after-read", "argument 0")
    }  # fmt: skip
    assert caught.value.findings


def test_a_scope_that_no_vendor_has():
    with pytest.raises(DiagnosedError, match="has the scope 'planet', which no vendor has"):
        run(program(store("release", "planet"), load("acquire")))


@pytest.mark.parametrize("used", [True, False])
def test_a_counter_at_which_nobody_looks_orders_nothing(used):
    """Adding to it may come later than the release by chance; only who uses what was there can know."""
    early = 'llvm.store %one, %q atomic syncscope("device") monotonic {alignment = 4 : i64} : i32, !llvm.ptr<1>'
    look = "%there = arith.index_cast %old : i32 to index"
    text = program(
        both(early, FENCED),
        RELAXED.replace("%p", "%q"),
        both(add("monotonic", "device"), look if used else "", fence("acquire", "device")),
    )
    if used:
        run(text, seed=None)
    else:
        with pytest.raises(SanitizerError):
            run(text, seed=None)


MANY, WAITED = 200, 77

NEIGHBOURS = f"""gpu.module @kernels {{ gpu.func @k(%data: memref<{MANY}xi32>, %flag: memref<{MANY}xi32>,
    %out: memref<{MANY}xi32>) kernel {{
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %many = arith.constant {MANY} : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %base = memref.extract_aligned_pointer_as_index %flag : memref<{MANY}xi32> -> index
    %raw = arith.index_cast %base : index to i64
    %first = llvm.inttoptr %raw : i64 to !llvm.ptr<1>
    %number = arith.index_cast %b : index to i64
    %mine = llvm.getelementptr %first[%number] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %other = llvm.getelementptr %first[{WAITED}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %writes = arith.cmpi ult, %b, %many : index
    scf.if %writes {{
      memref.store %one, %data[%b] : memref<{MANY}xi32>
      llvm.store %one, %mine atomic syncscope("device") release {{alignment = 4 : i64}} : i32, !llvm.ptr<1>
    }} else {{
      scf.while : () -> () {{
        %now = llvm.load %other atomic syncscope("device") acquire {{alignment = 4 : i64}} : !llvm.ptr<1> -> i32
        %more = arith.cmpi eq, %now, %zero : i32
        scf.condition(%more)
      }} do {{
        scf.yield
      }}
      scf.for %j = %c0 to %many step %c1 {{
        %r = memref.load %data[%j] : memref<{MANY}xi32>
        memref.store %r, %out[%j] : memref<{MANY}xi32>
      }}
    }}
    gpu.return }} }}"""


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_counter_orders_only_what_was_released_at_it(seed):
    """One block waits for one of 200 and reads what all wrote: 199 races, whichever addresses a hash would confuse."""
    data, flag, out = (np.zeros(MANY, np.int32) for _ in range(3))
    with pytest.raises(SanitizerError) as caught:
        SimulatedKernels(NEIGHBOURS, sanitize=True).launch(
            "k", MANY + 1, 1, 0, [data, flag, out], resident_blocks=None, seed=seed
        )
    assert {one.memory for one in caught.value.findings} == {"argument 0"}
    assert sum(one.count for one in caught.value.findings) == MANY - 1


def test_more_clocks_than_there_is_room_for(monkeypatch):
    """The launch ends with a fault of its own, and no order is made up."""
    monkeypatch.setattr(layout, "MOST_CLOCK_BYTES", 70 * 6500)
    data, flag, out = (np.zeros(MANY, np.int32) for _ in range(3))
    kernels = SimulatedKernels(NEIGHBOURS, sanitize=True)
    with pytest.raises(SanitizerError) as caught:
        kernels.launch("k", MANY + 1, 1, 0, [data, flag, out], resident_blocks=None)
    assert caught.value.findings[-1].kind == "too-many-clocks"
    assert "synchronise through fewer addresses" in caught.value.findings[-1].message
    monkeypatch.setattr(layout, "MOST_CLOCK_BYTES", 10 * 6500)
    with pytest.raises(ValueError, match=r"clocks of at most \d+ B, but 201 blocks of 1 subgroups need \d+ B each"):
        kernels.launch("k", MANY + 1, 1, 0, [data, flag, out], resident_blocks=None)


def in_one_block(publish, poll, after="", together=""):
    """Thread 0 publishes what it wrote, thread 32 polls, and its subgroup reads."""
    text = program(publish, poll, after, meet="", meet_again="")
    text = text.replace(
        "%i = gpu.thread_id x",
        "%t = gpu.thread_id x\n    %c32 = arith.constant 32 : index\n    %i = arith.remui %t, %c32 : index",
    ).replace("%b = gpu.block_id x", "%b = arith.divui %t, %c32 : index")
    text = text.replace("memref.store %v, %data[%i]", "memref.store %v, %data[%c0]")
    text = text.replace("memref.load %data[%j]", "memref.load %data[%c0]").replace(
        '{rtile.site = "produce"}', ""
    )  # fmt: skip
    return text.replace("%j = arith.subi %c63, %i : index", together)


TOGETHER = "gpu.barrier scope <subgroup>"
WITHIN = {
    "release and acquire of the block": in_one_block(store("release", "block"), load("acquire", "block"), "", TOGETHER),
    "of the workgroup": in_one_block(add("release", "workgroup"), load("acquire", "workgroup"), "", TOGETHER),
    "fences of the block": in_one_block(
        both(fence("release", "block"), store("monotonic", "block")), load("monotonic", "block"),
        fence("acquire", "block"), TOGETHER,
    ),
    "wide release, narrow acquire": in_one_block(store("release", "device"), load("acquire", "block"), "", TOGETHER),
    "narrow release, wide acquire": in_one_block(store("release", "block"), load("acquire", "device"), "", TOGETHER),
}  # fmt: skip


def launch_one_block(text):
    out = np.zeros(64, np.float32)
    kernels = SimulatedKernels(text, sanitize=True)
    kernels.launch("k", 1, 64, 0, [np.zeros(64, np.float32), np.zeros(4, np.int32), out], seed=None)


@pytest.mark.parametrize("name", WITHIN)
def test_the_scope_of_a_block_orders_its_threads(name):
    text = WITHIN[name].replace("scf.if %writes {", "%only = arith.andi %writes, %leads : i1\n    scf.if %only {", 1)
    text = text.replace("} else {", "}\n    %reads = arith.cmpi ne, %b, %c0 : index\n    scf.if %reads {", 1)
    launch_one_block(text)
    for wrong in (
        text.replace(TOGETHER, ""),
        text.replace("acquire", "monotonic")
        if "fence" not in text
        else text.replace('llvm.fence syncscope("block") acquire', ""),
    ):
        with pytest.raises(SanitizerError):
            launch_one_block(wrong)
