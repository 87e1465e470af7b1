# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bandwidths: global memory and the caches by the size of what is read, written or copied, and workgroup memory."""

from collections.abc import Iterator

from microbenchmarks.experiment import Experiment, Run, control
from microbenchmarks.kernel_text import Array, CalibrationKernel, lines, listed, output, summed
from microbenchmarks.scale import MIB, Scale, size_name

THREADS = 256
ROWS = 4
"""Vectors of a thread in a chunk."""

VECTOR = 4
ROW = THREADS * VECTOR
CHUNK = ROW * ROWS
CHUNK_BYTES = CHUNK * 4
BLOCKS_PER_UNIT = 4
MIXED = "caches and global"

_SIZES = (MIB, 4 * MIB, 16 * MIB, 32 * MIB, 64 * MIB, 256 * MIB)
_STREAMED = (512 * MIB, 1024 * MIB)
_CACHE_TRAFFIC = 4096 * MIB
_GOLDEN = 0.382
_WORKGROUP_THREADS, _WORKGROUP_READS, _RING = 512, 8, 1024


def bandwidths(scale: Scale) -> Iterator[Experiment]:
    """Yield the experiments of a device, the most valuable first."""
    largest = _STREAMED[-1]
    for kind in ("read", "copy", "write"):
        yield _streamed(scale, kind, largest)
    for size in reversed(_SIZES):
        yield _cached(scale, "read", size)
    yield workgroup_read(scale)
    yield first_cache(scale)
    for kind in ("copy", "write"):
        for size in (size for size in _SIZES if holder(scale, size) != MIXED):
            yield _cached(scale, kind, size)
    yield _streamed(scale, "read", _STREAMED[0])


def holder(scale: Scale, size_bytes: int) -> str:
    """Return the cache that holds a working set that every unit reads wholly, with room to spare, or `MIXED`.

    Half of one instance is what it may be: units see their own instance only.
    """
    for layer in scale.device.layers:
        if layer.kind == "cached" and layer.name in ("l2", "l3") and 2 * size_bytes <= layer.capacity_bytes:
            return layer.name
    return MIXED


def _streamed(scale: Scale, kind: str, size_bytes: int) -> Experiment:
    """Every chunk once: from memory, as caches are flushed before."""
    blocks = scale.units * BLOCKS_PER_UNIT
    steps = scale.steps(size_bytes / CHUNK_BYTES / blocks)
    return _experiment(kind, size_bytes, "global", blocks, blocks * steps, steps, blocks)


def _cached(scale: Scale, kind: str, size_bytes: int) -> Experiment:
    """Again and again by changing units, from whichever cache holds the whole."""
    blocks = scale.units * BLOCKS_PER_UNIT
    chunks = scale.bytes(size_bytes) // CHUNK_BYTES
    stride = int(chunks * _GOLDEN) | 1
    # Both runs must touch every chunk; strides near the golden section spread evenly.
    steps = max(scale.steps(_CACHE_TRAFFIC / CHUNK_BYTES / blocks), 8 * -(-chunks // blocks))
    return _experiment(kind, size_bytes, holder(scale, size_bytes), blocks, chunks, steps, stride)


def first_cache(scale: Scale) -> Experiment:
    """Return the experiment of a unit's own cache: each block reads one chunk again and again."""
    large = (scale.device.unified_cache_bytes or 0) >= 4 * CHUNK_BYTES
    blocks = scale.units * (2 if large else 1)
    steps = scale.steps_for(CHUNK_BYTES * blocks / scale.units / 128)
    return _experiment("read", CHUNK_BYTES, "l1", blocks, blocks, steps, blocks)


def _experiment(
    kind: str, size_bytes: int, subject: str, blocks: int, chunks: int, steps: int, stride: int
) -> Experiment:
    n = chunks * CHUNK
    per_step = blocks * CHUNK_BYTES * (2 if kind == "copy" else 1)
    source = Array(name="source", element="i32", shape=(n,))
    numbers = {"chunks": chunks, "chunk": CHUNK, "n": n, "results": blocks * THREADS}
    places = [f"%p{i} = arith.addi %begin, %row{i} : index" for i in range(ROWS)]
    rows = [f"%row{i} = arith.constant {i * ROW} : index" for i in range(ROWS)]
    vector = f"memref<{n}xi32>, vector<4xi32>"
    where = '{rtile.site = "load source", alignment = 16 : i64}'
    loads = [f"%v{i} = vector.load %source[%p{i}] {where} : {vector}" for i in range(ROWS)]
    fills = ("random",) if kind != "write" else ()

    def run(count: int) -> Run:
        words = {
            "read": f"walk {blocks} {THREADS} {ROWS} {count} {stride}",
            "copy": f"copy 1 {min(count * blocks * CHUNK, n)}",
            "write": f"index {min(count * blocks * CHUNK, n)}",
        }
        return Run(work=float(count * per_step), fill=(control(count, stride), *fills), expect=(words[kind],))

    if kind == "read":
        values = reading(ROWS, "\n".join("  " + line for line in [*rows, *places, *loads]))
        arrays: tuple[Array, ...] = (source, output("sums", "i32", blocks * THREADS))
        kernel = CalibrationKernel(name="read", values=numbers | values, arrays=arrays, blocks=blocks, threads=THREADS)
    else:
        made = loads if kind == "copy" else [line for i in range(ROWS) for line in _indices(i)]
        stores = lines(ROWS, f"vector.store %v{{i}}, %target[%p{{i}}] {{{{alignment = 16 : i64}}}} : {vector}")
        values = {"values": "\n".join("  " + line for line in [*rows, *places, *made]), "stores": stores}
        arrays = (*([source] if kind == "copy" else []), output("target", "i32", n))
        kernel = CalibrationKernel(name="move", values=numbers | values, arrays=arrays, blocks=blocks, threads=THREADS)
    name = f"{kind}/l1" if subject == "l1" else f"{kind}/{size_name(size_bytes)}"
    return Experiment(
        name=name,
        quantity="bandwidth",
        subject=subject,
        kernels=(kernel,),
        long=run(steps),
        short=run(steps // 2),
        size_bytes=n * 4,
    )


def _indices(row: int) -> list[str]:
    return [
        f"%i{row} = arith.index_cast %p{row} : index to i32",
        f"%b{row} = vector.broadcast %i{row} : i32 to vector<4xi32>",
        f"%v{row} = arith.addi %b{row}, %lanes : vector<4xi32>",
    ]


def reading(count: int, loads: str) -> dict[str, int | str]:
    """Return the values of a body that sums `%v0`, `%v1`, ... in as many sums.

    Args:
        count: How many.
        loads: The lines that load them.
    """
    return {
        "loads": loads,
        "sums": lines(count, "%u{i} = arith.addi %t{i}, %v{i} : vector<4xi32>"),
        "totals": listed(count, "%s{i}"),
        "begins": listed(count, "%t{i} = %zero"),
        "types": listed(count, "vector<4xi32>"),
        "yields": listed(count, "%u{i}"),
        "total": summed(count, "s", "arith.addi {a}, {b} : vector<4xi32>", "total"),
    }


def workgroup_read(scale: Scale) -> Experiment:
    """Return the experiment of workgroup memory: one block a unit, no two lanes in one bank."""
    threads, reads = _WORKGROUP_THREADS, _WORKGROUP_READS
    if scale.small:
        threads = 2 * scale.device.subgroup_size
    row = threads * VECTOR
    n = _RING + (reads - 1) * _RING + row
    vector = f"memref<{n}xi32, #gpu.address_space<workgroup>>, vector<4xi32>"
    loads = [f"%p{i} = arith.addi %begin, %row{i} : index" for i in range(reads)]
    loads += [
        f'%v{i} = vector.load %kept[%p{i}] {{rtile.site = "workgroup load", alignment = 16 : i64}} : {vector}'
        for i in range(reads)
    ]
    rows = [f"%row{i} = arith.constant {i * _RING} : index" for i in range(reads)]
    values = reading(reads, "\n".join("  " + line for line in [*rows, *loads]))
    numbers: dict[str, int | str] = {"n": n, "ring": _RING, "reads": reads, "results": scale.units * threads}
    kernel = CalibrationKernel(
        name="read_workgroup",
        values=numbers | values,
        arrays=(Array(name="source", element="i32", shape=(n,)), output("sums", "i32", scale.units * threads)),
        blocks=scale.units,
        threads=threads,
        kept=Array(name="kept", element="i32", shape=(n,)),
    )
    steps, stride = scale.steps_for(threads * reads * 16 / 128), 36
    moved = threads * reads * 16 * scale.units

    def run(count: int) -> Run:
        words = f"rows {scale.units} {threads} {reads} {count} {stride} {_RING}"
        return Run(work=float(count * moved), fill=(control(count, stride), "random"), expect=(words,))

    return Experiment(
        name="read/workgroup",
        quantity="bandwidth",
        subject="workgroup",
        kernels=(kernel,),
        long=run(steps),
        short=run(steps // 2),
        size_bytes=n * 4,
    )
