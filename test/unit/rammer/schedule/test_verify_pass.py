# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rammer-verify, on IR with mistakes, says what an oracle says that knows the bytes of each task and packs blocks.

The oracle shares nothing with the pass: it knows what bytes tasks touch, as it wrote the operators, walks every
interleaving, and puts blocks on a unit one by one.
"""

import random
from collections import Counter
from dataclasses import replace

import pytest
from small_graphs import is_right, mutations

from roller_mlir.dialects import rammer
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.codegen.graph.schedules import schedule_of, set_schedule
from roller_mlir.lowering.codegen.graph.task_graph import read_graph
from roller_mlir.passes.rammer.reduce_waits import RammerReduceWaits
from roller_mlir.passes.rammer.schedule import RammerSchedule
from roller_mlir.passes.rammer.verify import RammerVerify
from roller_mlir.rammer.schedule import VirtualDevice
from roller_mlir.support.bindings import arith, func, ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

TASKS, PIECE = 2, 128  # tasks of an operator, and the bytes that each of them writes: 32 f32
FROM = {"add": (0, 1), "turn": (1, 0), "move": (0, 1)}  # the piece that each task of an operator reads

Application = tuple[str, int, tuple[str, int], tuple[str, int]]
"""An operator and its start in bytes, and buffer and first byte of what it reads and of what it writes."""


def operator(name: str) -> str:
    """Return an operator that adds one, two tasks, each of which reads a piece of 32 numbers and writes one.

    What "move" reads begins so many numbers behind the piece, and ends with the buffer.
    """
    read = {"add": "d0 * 32 + d1 * 0", "turn": "d0 * -32 + 32 + d1 * 0", "move": "d0 * 32 + d1"}[name]
    marked = "{rammer.start} " if name == "move" else ""
    memref, tile = "memref<64xf32>", "tensor<32xf32>"
    return f"""
"rammer.operator"() ({{
^bb0(%a: {memref}, %b: {memref}):
  "rtile.program"(%a, %b) ({{
  ^bb0(%x: {memref}, %y: {memref}):
    %s0 = arith.constant {marked}0 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {{
      %init = tensor.empty() : {tile}
      %p = "rtile.load"(%x, %i, %s0) {{origin = affine_map<(d0, d1) -> ({read})>,
        tile = #rtile.tile<[32], "register", [1]>}} : ({memref}, index, index) -> {tile}
      %s = "rtile.compute"(%p, %init, %i) ({{
      ^bb0(%u: f32, %old: f32):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %u, %one : f32
        "rtile.yield"(%t) : (f32) -> ()
      }}) {{operandSegmentSizes = array<i32: 1, 1, 1>, box = array<i64: 32>, bounds = array<i64: 64>,
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * 32)>,
          threads = #rtile.threads<{{axes = [[32, 1]], order = [0], lane = -1, unroll = 1}}>}}
        : ({tile}, {tile}, index) -> {tile}
      "rtile.store"(%s, %y, %i) {{origin = affine_map<(d0) -> (d0 * 32)>, steps = array<i64: 1>}}
        : ({tile}, {memref}, index) -> ()
    }} {{rtile.mapping = "unit"}}
    "rtile.yield"() : () -> ()
  }}) {{sym_name = "{name}"}} : ({memref}, {memref}) -> ()
}}) {{sym_name = "{name}"}} : () -> ()"""


def random_program(rng: random.Random) -> tuple[str, list[Application]]:
    """Return a function of two to four applications, each on what one before it gave, and their buffers."""
    count = rng.randint(2, 4)
    places: list[tuple[str, int]] = [("a", 0), *(("w", 256 * i) for i in range(count - 1)), ("r", 0)]
    applications: list[Application] = []
    for number in range(count):
        source = rng.randrange(number + 1)
        kind = rng.choice(sorted(FROM))
        start = 4 * rng.choice([0, 1, 16, 31, 32, 33, 63, 64]) if kind == "move" else 0
        applications.append((kind, start, places[source], places[number + 1]))
    lines = list[str]()
    views = [f"%v{i} = memref.view %w[%z{i}][] : memref<2048xi8> to memref<64xf32>" for i in range(count - 1)]
    names = {("a", 0): "a", ("r", 0): "r", **{("w", 256 * i): f"v{i}" for i in range(count - 1)}}
    for i, view in enumerate(views):
        lines += [f"%z{i} = arith.constant {256 * i} : index", view]
    lines.append('"rammer.program"() ({')
    for kind, start, source, target in applications:
        starts = f", starts = array<i64: {start // 4}>" if kind == "move" else ""
        kinds = "(memref<64xf32>, memref<64xf32>) -> ()"
        lines.append(f'"rammer.apply"(%{names[source]}, %{names[target]}) {{callee = @{kind}{starts}}} : {kinds}')
    lines.append('}) {sym_name = "main"} : () -> ()')
    role = "rtile.role = "
    return (
        "".join(map(operator, FROM))
        + f'\nfunc.func @main(%a: memref<64xf32> {{{role}"input"}}, %r: memref<64xf32> {{{role}"output"}}, '
        f'%w: memref<2048xi8> {{{role}"workspace"}}) {{\n' + "\n".join(lines) + "\nreturn\n}",
        applications,
    )


def pairs_of(applications: list[Application]) -> set[tuple[int, int]] | None:
    """Return pairs of tasks that touch common bytes, one writing; None where both are of one operator."""
    found = set[tuple[int, int]]()
    touched = list[tuple[int, set[tuple[str, int]], set[tuple[str, int]]]]()
    for number, (kind, start, (read, source), (written, target)) in enumerate(applications):
        for task in range(TASKS):
            first = start + PIECE * FROM[kind][task]
            reads = {(read, source + byte) for byte in range(first, min(first + PIECE, TASKS * PIECE))}
            writes = {(written, target + PIECE * task + byte) for byte in range(PIECE)}
            for other, (its, their_reads, their_writes) in enumerate(touched):
                if writes & (their_reads | their_writes) or reads & their_writes:
                    if its == number:
                        return None
                    found.add((other, len(touched)))
            touched.append((number, reads, writes))
    return found


def blocks_fit(device: Device, virtual: VirtualDevice) -> bool:
    """Put blocks on a unit of a device without reserved memory for tasks, one by one."""
    if virtual.units > device.units or virtual.threads < 32:
        return False
    parts = [device.registers_per_unit // device.subgroup_allocation] * device.subgroup_allocation
    left_threads, left_bytes, turn = device.max_threads_per_unit, device.max_workgroup_bytes_per_unit, 0
    if virtual.threads > device.max_threads_per_block or virtual.registers > device.max_registers_per_thread:
        return False
    if virtual.workgroup_bytes > device.max_workgroup_bytes_per_block or virtual.per_unit > device.max_blocks_per_unit:
        return False
    for _ in range(virtual.per_unit):
        left_threads -= -(-virtual.threads // device.subgroup_size) * device.subgroup_size
        left_bytes -= -(-(virtual.workgroup_bytes + 1024) // 128) * 128
        for _ in range(-(-virtual.threads // device.subgroup_size)):  # subgroups go to the parts by turns
            parts[turn] -= -(-virtual.registers * device.subgroup_size // 256) * 256
            turn = (turn + 1) % len(parts)
    return left_threads >= 0 and left_bytes >= 0 and min(parts) >= 0


def moved(module: ir.Module, applications: list[Application], rng: random.Random) -> list[Application]:
    """Move one result in the workspace onto, or near, the bytes of another; return where all are now."""
    (function,) = (op for op in module.body.operations if isinstance(op, func.FuncOp))
    views = [op for op in function.entry_block.operations if op.operation.name == "memref.view"]
    which = rng.randrange(len(views))
    offset = max(0, 256 * rng.randrange(len(views) + 1) + rng.choice([-128, -64, 0, 0, 64, 112, 128]))
    with ir.InsertionPoint(views[which]), views[which].location:
        views[which].operation.operands[1] = arith.constant(ir.IndexType.get(), offset)
    old, new = ("w", 256 * which), ("w", offset)
    return [
        (kind, start, new if source == old else source, new if target == old else target)
        for kind, start, source, target in applications
    ]


def crowded(virtual: VirtualDevice, rng: random.Random) -> VirtualDevice:
    """Return a device with more, or larger, blocks than the one that was asked for."""
    return rng.choice(
        [
            replace(virtual, per_unit=virtual.per_unit * rng.choice([2, 8, 9, 16, 32, 33])),
            replace(virtual, per_unit=rng.randint(1, 8), threads=32 * rng.randint(0, 33)),
            replace(virtual, per_unit=rng.randint(1, 8), registers=rng.randint(32, 256)),
            replace(virtual, per_unit=rng.randint(1, 8), workgroup_bytes=rng.randrange(0, 240_000, 512)),
            replace(virtual, units=rng.choice([131, 132, 133]), per_unit=1),
        ]
    )


@pytest.mark.full(every=50)
@pytest.mark.parametrize("seed", range(50))
def test_the_pass_is_exact(seed: int) -> None:
    """20 mutants a seed."""
    rng, device, tried = random.Random(seed), find_device("h200"), Counter[bool]()
    verify = RammerVerify(device="h200")
    for _ in range(20):
        text, applications = random_program(rng)
        with make_context() as context:
            module = parse_module(text, context)
            policy = rng.choice(["list", "wavefront"])
            RammerSchedule(device="h200", policy=policy, blocks=rng.randint(1, 3)).run(module)
            if rng.random() < 0.5:
                RammerReduceWaits().run(module)
            verify.run(module)
            (function,) = (op for op in module.body.operations if isinstance(op, func.FuncOp))
            (program,) = (op for op in function.entry_block.operations if isinstance(op, rammer.GraphOp))
            virtual, schedule = schedule_of(program)
            kind = rng.choice(["overlap", "schedule", "residency"])
            if kind == "overlap":
                applications = moved(module, applications, rng)
            elif kind == "schedule":
                graph = read_graph(program, device).tasks
                schedule = next(
                    one for what, _, one in mutations(graph, schedule, rng, 99) if what not in ("overlap", "early")
                )
                set_schedule(program, virtual, schedule)
            else:
                virtual = crowded(virtual, rng)
                blocks = [
                    schedule.programs[i] if i < len(schedule.programs) else schedule.signals[:0]
                    for i in range(virtual.execution_units)
                ]
                schedule = replace(schedule, programs=tuple(blocks))
                set_schedule(program, virtual, schedule)
            pairs = pairs_of(applications)
            filled = replace(schedule, programs=tuple(one for one in schedule.programs if len(one)))
            right = blocks_fit(device, virtual) and is_right(filled, pairs)
            assert module.operation.verify()
            try:
                verify.run(module)
                accepted = True
            except DiagnosedError:
                accepted = False
            assert accepted == right, (kind, str(program.operation), virtual)
            tried[right] += 1
    assert tried[True] > 1
    assert tried[False] > 1
