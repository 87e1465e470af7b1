# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bulk copies: boxes of tensors in both directions, swizzles, steps, elements outside, im2col, plain memory."""

import numpy as np
import pytest
from hopper_kernels import WORKGROUP

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

BARRIER_OFFSET = 32768


def kernel(body, arguments, arena_bytes=BARRIER_OFFSET + 64):
    arena = f"memref<{arena_bytes}xi8, {WORKGROUP}>"
    return f"""
gpu.module @kernels {{ gpu.func @k({arguments}) workgroup(%w: {arena}) kernel {{
  %index = memref.extract_aligned_pointer_as_index %w : {arena} -> index
  %address = arith.index_cast %index : index to i64
  %shared = llvm.inttoptr %address : i64 to !llvm.ptr<3>
  %near = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
  %bar = llvm.getelementptr %shared[{BARRIER_OFFSET}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %first = arith.cmpi eq, %tid, %c0 : i32
  scf.if %first {{
    nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
  }}
  nvvm.barrier
  {body}
  gpu.return
}} }}"""


def map_text(shape, box, element="f16", steps=None, swizzle=0, strides=None, argument=0, more=""):
    size = {"f16": 2, "f32": 4, "i8": 1}[element]
    if strides is None:
        strides = [int(np.prod(shape[axis + 1 :])) * size for axis in range(len(shape) - 1)]
    return (
        f'{{argument = {argument} : i64, element = "{element}", extents = {list(shape)}, strides = {list(strides)}, '
        f"box = {list(box)}, steps = {steps or [1] * len(shape)}, swizzle = {swizzle} : i64, "
        f"fill = 0 : i64{more}}}"
    )


def load_text(coordinates, width, offsets=(), mode=""):
    names = "".join(f"  %x{number} = arith.constant {value} : i32\n" for number, value in enumerate(coordinates))
    names += "".join(f"  %o{number} = arith.constant {value} : i16\n" for number, value in enumerate(offsets))
    box = ", ".join(f"%x{number}" for number in range(len(coordinates)))
    image = f"im2col[{', '.join(f'%o{number}' for number in range(len(offsets)))}]" if offsets else ""
    return f"""
{names}  scf.if %first {{
    %bytes = arith.constant {width} : i32
    %token = nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32 -> i64
    nvvm.cp.async.bulk.tensor.shared.cluster.global %near, %map, %bar, box[{box}] {image} {mode}
      : !llvm.ptr<7>, !llvm.ptr
  }}
  nvvm.mbarrier.try_wait.parity %bar, %c0, %c1 : !llvm.ptr<3>, i32, i32
"""


def dump_text(width):
    """Every thread writes its part of the box to %y, as it lies in memory."""
    return f"""
  %i0 = arith.constant 0 : index
  %words = arith.constant {width // 4} : index
  %step = arith.constant 32 : index
  %view = memref.view %w[%i0][] : memref<{BARRIER_OFFSET + 64}xi8, {WORKGROUP}> to memref<{width // 4}xi32, {WORKGROUP}>
  %start = arith.index_cast %tid : i32 to index
  scf.for %i = %start to %words step %step {{
    %v = memref.load %view[%i] : memref<{width // 4}xi32, {WORKGROUP}>
    memref.store %v, %y[%i] : memref<{width // 4}xi32>
  }}
"""


def memref(shape, element):
    return f"memref<{'x'.join(map(str, shape))}x{element}>"


def load(x, box, coordinates, element="f16", sanitize=True, **details):
    steps = details.get("steps") or [1] * len(box)
    counts = [-(-size // step) for size, step in zip(box, steps, strict=True)]
    width = int(np.prod(counts)) * x.itemsize
    arguments = f"%x: {memref(x.shape, element)}, %y: memref<{width // 4}xi32>, "
    arguments += f"%map: !llvm.ptr {{rtile.tensor_map = {map_text(x.shape, box, element, **details)}}}"
    text = kernel(load_text(coordinates[::-1], width) + dump_text(width), arguments)
    y = np.zeros(width // 4, np.int32)
    SimulatedKernels(text, sanitize=sanitize).launch("k", 1, 32, 0, [x, y])
    return y.view(x.dtype).reshape(counts)


def expected(x, box, coordinates, steps=None):
    ranges = [
        start + np.arange(0, size, step)
        for start, size, step in zip(coordinates, box, steps or [1] * len(box), strict=True)
    ]
    inside = [(places >= 0) & (places < extent) for places, extent in zip(ranges, x.shape, strict=True)]
    taken = x[np.ix_(*(np.clip(places, 0, extent - 1) for places, extent in zip(ranges, x.shape, strict=True)))]
    mask = np.ones(taken.shape, bool)
    for axis, one in enumerate(inside):
        mask &= one.reshape([-1 if other == axis else 1 for other in range(len(box))])
    return np.where(mask, taken, 0).astype(x.dtype)


def swizzled(tile, span):
    """The tile as it lies in memory that starts at a multiple of 1024 bytes."""
    rows = tile.view(np.uint8).reshape(-1, span // 16, 16)
    found = np.empty_like(rows)
    for row in range(rows.shape[0]):
        for chunk in range(span // 16):
            found[row, chunk ^ (row * span // 128 % (span // 16))] = rows[row, chunk]
    return found.reshape(-1).view(tile.dtype).reshape(tile.shape)


@pytest.mark.full(each=["shift", "rank"])
@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("shift", [0, -1, 2])
def test_boxes_of_every_rank(rank, shift):
    shape = (3, 4, 5, 6, 24)[-rank:]
    box = (2, 2, 3, 4, 16)[-rank:]
    x = np.arange(1, np.prod(shape) + 1, dtype=np.float16).reshape(shape)
    coordinates = [shift] * rank
    assert np.array_equal(load(x, box, coordinates), expected(x, box, coordinates))


@pytest.mark.parametrize("rows", [1, 3])
def test_an_array_inside_of_a_buffer(rows):
    x = np.arange(1, 16 * 32 + 1, dtype=np.float16).reshape(16, 32)
    inside = x[rows : rows + 8]
    box, width = (4, 16), 4 * 16 * 2
    described = map_text(inside.shape, box).replace("fill", f"offset_bytes = {rows * 64} : i64, fill")
    arguments = f"%x: {memref(x.shape, 'f16')}, %y: memref<{width // 4}xi32>, "
    text = kernel(
        load_text((24, 6), width) + dump_text(width), f"{arguments}%map: !llvm.ptr {{rtile.tensor_map = {described}}}"
    )
    y = np.zeros(width // 4, np.int32)
    SimulatedKernels(text, sanitize=True).launch("k", 1, 32, 0, [x, y])
    assert np.array_equal(y.view(np.float16).reshape(box), expected(inside, box, (6, 24)))
    late = text.replace(f"offset_bytes = {rows * 64}", "offset_bytes = 528")
    with pytest.raises(ValueError, match="must lie in array argument 0, but ends at byte 1040 of 1024"):
        SimulatedKernels(late).launch("k", 1, 32, 0, [x, y])


@pytest.mark.parametrize("coordinates", [(0, 0), (5, 30), (-3, -20), (100, 100), (60, -8), (9, 35)])
def test_elements_outside_become_zero(coordinates):
    x = np.arange(1, 64 * 40 + 1, dtype=np.float32).reshape(64, 40)
    found = load(x, (8, 16), coordinates, "f32")
    assert np.array_equal(found, expected(x, (8, 16), coordinates))


@pytest.mark.parametrize("span", [32, 64, 128])
def test_swizzles(span):
    x = np.arange(48 * 96, dtype=np.int32).astype(np.int16).view(np.float16).reshape(48, 96)
    box = (32, span // 2)
    found = load(x, box, (8, 16), swizzle=span)
    assert np.array_equal(found.view(np.int16), swizzled(x[8:40, 16 : 16 + span // 2].copy(), span).view(np.int16))


@pytest.mark.parametrize("steps", [(2, 1), (3, 1), (4, 1)])
def test_steps(steps):
    x = np.arange(1, 40 * 64 + 1, dtype=np.float16).reshape(40, 64)
    found = load(x, (12, 32), (3, -4), steps=list(steps))
    assert np.array_equal(found, expected(x, (12, 32), (3, -4), steps))


def test_im2col():
    """One 3 x 3 tap of an NHWC image with padding 1: 16 pixels from the middle of the second row on."""
    x = np.arange(1, 2 * 6 * 5 * 8 + 1, dtype=np.float16).reshape(2, 6, 5, 8)
    width = 16 * 8 * 2
    more = ", pixels = 16 : i64, lower = [-1, -1], upper = [-1, -1]"
    arguments = f"%x: {memref(x.shape, 'f16')}, %y: memref<{width // 4}xi32>, %map: !llvm.ptr {{rtile.tensor_map = "
    arguments += f"{map_text(x.shape, (1, 1, 1, 8), more=more)}}}"
    # Coordinates c, w, h, n of the box; offsets w, h of the tap.
    text = kernel(
        load_text((0, 1, 0, 0), width, (2, 1), "{mode = #nvvm.tma_load_mode<im2col>}") + dump_text(width), arguments
    )
    y = np.zeros(width // 4, np.int32)
    SimulatedKernels(text, sanitize=True).launch("k", 1, 32, 0, [x, y])
    rows = []
    w, h, n = 1, 0, 0
    for _ in range(16):
        at = (n, h + 1, w + 2)
        ok = at[0] < 2 and 0 <= at[1] < 6 and 0 <= at[2] < 5
        rows.append(x[at] if ok else np.zeros(8, np.float16))
        w += 1
        if w > 5 - 1 - 1:
            w, h = -1, h + 1
        if h > 6 - 1 - 1:
            h, n = -1, n + 1
    assert np.array_equal(y.view(np.float16).reshape(16, 8), np.array(rows))


STORE = """
  %i0 = arith.constant 0 : index
  %view = memref.view %w[%i0][] : memref<{arena}xi8, {space}> to memref<{rows}x16xf32, {space}>
  %row = arith.index_cast %tid : i32 to index
  %line = vector.load %x[%row, %i0] : memref<32x16xf32>, vector<16xf32>
  vector.store %line, %view[%row, %i0] : memref<{rows}x16xf32, {space}>, vector<16xf32>
  nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}
  nvvm.barrier  // written
  scf.if %first {{
    %r = arith.constant {r} : i32
    %c = arith.constant {c} : i32
    nvvm.cp.async.bulk.tensor.global.shared.cta %map, %shared, box[%c, %r] : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {{read}}
  }}
"""


def store_text(r=2, c=4):
    arguments = "%x: memref<32x16xf32>, %y: memref<40x24xf32>, %map: !llvm.ptr {rtile.tensor_map = "
    arguments += map_text((40, 24), (32, 16), "f32", argument=1) + "}"
    body = STORE.format(arena=BARRIER_OFFSET + 64, space=WORKGROUP, rows=32, r=r, c=c)
    return kernel(body, arguments)


def store(text, sanitize=False):
    x = np.arange(512, dtype=np.float32).reshape(32, 16)
    y = np.full((40, 24), -1, np.float32)
    SimulatedKernels(text, sanitize=sanitize).launch("k", 1, 32, 0, [x, y])
    return x, y


@pytest.mark.parametrize("sanitize", [False, True])
def test_a_store_leaves_out_what_is_outside(sanitize):
    x, y = store(store_text(), sanitize)
    assert np.array_equal(y[2:34, 4:20], x) and (y[:2] == -1).all() and (y[:, 20:] == -1).all()
    x, y = store(store_text(20, 16), sanitize)
    assert np.array_equal(y[20:, 16:], x[:20, :8]) and (y[:20] == -1).all()


def test_a_store_that_nobody_waits_for_never_lands():
    _, y = store(store_text().replace("nvvm.cp.async.bulk.wait_group 0 {read}", ""))
    assert (y == -1).all()


def test_memory_overwritten_before_the_store_has_read_it():
    late = "nvvm.cp.async.bulk.wait_group 0 {read}"
    again = "vector.store %line, %view[%i0, %i0] : memref<32x16xf32, #gpu.address_space<workgroup>>, vector<16xf32>"
    text = store_text().replace(f"    {late}", f"    {again}\n    {late}").replace("%line = ", "%line = ")
    text = text.replace("vector.store %line, %view[%i0, %i0]", "vector.store %zeros, %view[%i0, %i0]")
    text = text.replace("%i0 = arith", "%zeros = arith.constant dense<0.0> : vector<16xf32>\n  %i0 = arith", 1)
    x, y = store(text)
    assert (y[2, 4:20] == 0).all() and np.array_equal(y[3:34, 4:20], x[1:])


AGAIN = """nvvm.barrier
  vector.store %line, %view[%row, %i0] : memref<32x16xf32, {space}>, vector<16xf32>
  """.replace("{space}", WORKGROUP)


def test_memory_written_again_by_other_threads():
    """Behind the wait and a barrier it may be; without the wait the sanitizer says so, whatever ran first."""
    text = store_text()
    end = text.rindex("gpu.return")
    text = f"{text[:end]}{AGAIN}{text[end:]}"
    x, y = store(text, sanitize=True)
    assert np.array_equal(y[2:34, 4:20], x)
    for late in ("wait_group 1 {read}", "commit.group"):
        with pytest.raises(SanitizerError, match="which a bulk store of warp 0 may still read") as caught:
            store(text.replace("wait_group 0 {read}", late), sanitize=True)
        assert caught.value.findings[-1].kind == "early-release"


def test_a_store_without_a_proxy_fence():
    text = store_text()
    fence = text[text.index("nvvm.fence.proxy") : text.index("nvvm.barrier  // written")]
    with pytest.raises(SanitizerError, match="without 'fence.proxy.async'"):
        store(text.replace(fence, ""), sanitize=True)


def test_a_store_without_a_barrier():
    with pytest.raises(SanitizerError) as caught:
        store(store_text().replace("nvvm.barrier  // written", ""), sanitize=True)
    assert caught.value.findings[0].kind in ("read-after-write", "uninitialised-read")


PLAIN = """
  scf.if %first {
    %bytes = arith.constant 256 : i32
    %i = memref.extract_aligned_pointer_as_index %x : memref<64xf32> -> index
    %i64 = arith.index_cast %i : index to i64
    %far = llvm.inttoptr %i64 : i64 to !llvm.ptr<1>
    %j = memref.extract_aligned_pointer_as_index %y : memref<64xf32> -> index
    %j64 = arith.index_cast %j : index to i64
    %to = llvm.inttoptr %j64 : i64 to !llvm.ptr<1>
    %token = nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32 -> i64
    nvvm.cp.async.bulk.shared.cluster.global %near, %far, %bar, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
    nvvm.mbarrier.try_wait.parity %bar, %c0, %c1 : !llvm.ptr<3>, i32, i32
    nvvm.cp.async.bulk.global.shared.cta %to, %shared, %bytes : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
  }
"""


def plain(text, sanitize=True):
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    SimulatedKernels(text, sanitize=sanitize).launch("k", 1, 32, 0, [x, y])
    return np.array_equal(x, y)


def test_plain_memory():
    text = kernel(PLAIN, "%x: memref<64xf32>, %y: memref<64xf32>")
    assert plain(text)
    wait = "    nvvm.mbarrier.try_wait.parity %bar, %c0, %c1 : !llvm.ptr<3>, i32, i32\n"
    with pytest.raises(SimulationError, match="is read, which a copy may still write"):
        plain(text.replace(wait, ""), sanitize=False)
    with pytest.raises(SimulationError, match=r"are in no argument and no workgroup memory"):
        plain(text.replace("constant 256 : i32", "constant 272 : i32"), sanitize=False)
    with pytest.raises(SimulationError, match="not aligned to 16 B"):
        plain(text.replace("constant 256 : i32", "constant 200 : i32"), sanitize=False)


def test_threads_that_read_a_box_without_a_wait():
    x = np.ones((8, 16), np.float16)
    arguments = f"%x: {memref(x.shape, 'f16')}, %y: memref<64xi32>, %map: !llvm.ptr {{rtile.tensor_map = "
    arguments += f"{map_text(x.shape, (8, 16))}}}"
    body = load_text((0, 0), 256)
    body = body[: body.index("nvvm.mbarrier.try_wait")]
    text = kernel(body + dump_text(256), arguments)
    y = np.zeros(64, np.int32)
    with pytest.raises(SanitizerError) as caught:
        SimulatedKernels(text, sanitize=True).launch("k", 1, 32, 0, [x, y])
    assert {one.kind for one in caught.value.findings} & {"unfinished-copy"}
    SimulatedKernels(text).launch("k", 1, 32, 0, [x, y])
    assert (y == -1).all()  # the copy lands as late as it may


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"swizzle": 128}, "must fill the swizzle's 128 B, but has 32 B"),
        ({"swizzle": 16}, "swizzle"),
        ({"strides": [24]}, "strides must be multiples of 16 B"),
        ({"steps": [9, 1], "box": (9, 16)}, "steps must be 1 to 8"),
        ({"steps": [3, 1]}, "box must be whole steps"),
        ({"steps": [1, 2]}, "innermost step must be 1, which the driver takes for any other, but is 2"),
        ({"box": (300, 16)}, "box must have extents of 1 to 256"),
        ({"box": (8, 4)}, "must be a multiple of 16 B, but has 8 B"),
        ({"box": (8,)}, "box extents and steps"),
    ],
)
def test_maps_that_the_driver_refuses(details, message):
    x = np.ones((8, 16), np.float16)
    box = details.pop("box", (8, 16))
    text = kernel(
        "", f"%x: {memref(x.shape, 'f16')}, %map: !llvm.ptr {{rtile.tensor_map = {map_text((8, 16), box, **details)}}}"
    )
    with pytest.raises(DiagnosedError, match=message):
        SimulatedKernels(text)


def test_a_map_that_is_larger_than_its_buffer():
    text = kernel("", f"%x: memref<8x16xf16>, %map: !llvm.ptr {{rtile.tensor_map = {map_text((9, 16), (8, 16))}}}")
    with pytest.raises(ValueError, match="must lie in array argument 0, but ends at byte 288 of 256"):
        SimulatedKernels(text).launch("k", 1, 32, 0, [np.ones((8, 16), np.float16)])


def test_a_pointer_that_is_no_map():
    x = np.ones((8, 16), np.float16)
    arguments = f"%x: {memref(x.shape, 'f16')}, %y: memref<64xi32>, %map: !llvm.ptr {{rtile.tensor_map = "
    arguments += f"{map_text(x.shape, (8, 16))}}}"
    text = kernel(load_text((0, 0), 256).replace("%near, %map", "%near, %no"), arguments)
    text = text.replace(
        "%c0 = arith", "%no = llvm.getelementptr %map[8] : (!llvm.ptr) -> !llvm.ptr, i8\n%c0 = arith", 1
    )
    with pytest.raises(SimulationError, match="there is no tensor map at address"):
        SimulatedKernels(text).launch("k", 1, 32, 0, [x, np.zeros(64, np.int32)])
