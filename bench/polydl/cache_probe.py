# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latency and bandwidth of this machine's caches and memory, as one thread sees them."""

import ctypes
import time
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

LINE, PAGE = 64, 4096

_CHASE = """
define ptr @probe(ptr %start, i64 %count) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %p = phi ptr [%start, %entry], [%q, %loop]
  %q = load ptr, ptr %p
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %exit
exit:
  ret ptr %q
}
"""


def caches() -> list[dict[str, Any]]:
    """Return the caches of data of the first processor, nearest first, and memory, with what was measured of them."""
    found: list[dict[str, Any]] = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if (folder / "type").read_text().strip() != "Instruction":
            size = (folder / "size").read_text().strip()
            scale = {"K": 1 << 10, "M": 1 << 20}[size[-1]]
            name = f"l{(folder / 'level').read_text().strip()}"
            found.append({"name": name, "capacity_bytes": int(size[:-1]) * scale})
    sizes = [one["capacity_bytes"] for one in found]
    # Half of a cache is beyond the one before, and leaves room for others.
    working = [*[size // 2 for size in sizes], 4 * sizes[-1]]
    for one, size in zip([*found, {"name": "global", "capacity_bytes": None}], working, strict=True):
        one["latency_s"] = float(f"{latency_s(size):.3g}")
        one["bandwidth_bytes_per_s"] = float(f"{bandwidth(size):.3g}")
        if one not in found:
            found.append(one)
    return found


def latency_s(size: int) -> float:
    """Return the seconds of a load whose address the one before gave, at random lines of so many bytes.

    Lines of a page follow each other, so that it is looked up once for all of them.
    """
    draw = np.random.default_rng(0)
    pages = size // PAGE
    order = np.concatenate([page * (PAGE // LINE) + draw.permutation(PAGE // LINE) for page in draw.permutation(pages)])
    memory = np.zeros(size // 8 + PAGE // 8, np.int64)
    memory = memory[-memory.ctypes.data % PAGE // 8 :]
    memory[order * (LINE // 8)] = memory.ctypes.data + np.roll(order, -1) * LINE
    _engine, function = _compiled(_CHASE, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    count = max(200_000, 2 * len(order))
    return min(_seconds(lambda: function(memory.ctypes.data, count)) for _ in range(5)) / count


def bandwidth(size: int) -> float:
    """Return the bytes a second that one thread reads of an array of so many bytes, in order, again and again."""
    memory = np.ones(size // 4, np.float32)
    _engine, function = _compiled(_reads(), ctypes.c_float, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    blocks = size // 1024
    times = max(1, (128 << 20) // size)
    least = min(_seconds(lambda: function(memory.ctypes.data, blocks, times)) for _ in range(5))
    return blocks * 1024 * times / least


def _reads() -> str:
    """Return a function that adds up blocks of 1,024 bytes in eight vectors."""
    lanes = 16 if llvm.get_host_cpu_features().get("avx512f") else 8
    vector = f"<{lanes} x float>"
    lines = ["define float @probe(ptr %start, i64 %count, i64 %times) {", "entry:", "  br label %again", "again:"]
    lines += ["  %j = phi i64 [0, %entry], [%j.next, %over]"]
    lines += [f"  %r{v} = phi {vector} [zeroinitializer, %entry], [%t{v}.last, %over]" for v in range(8)]
    lines += ["  br label %loop", "loop:"]
    lines += ["  %i = phi i64 [0, %again], [%next, %loop]", "  %p = phi ptr [%start, %again], [%q, %loop]"]
    lines += [f"  %s{v} = phi {vector} [%r{v}, %again], [%t{v}.last, %loop]" for v in range(8)]
    last = {v: f"%s{v}" for v in range(8)}
    for piece in range(1024 // (4 * lanes)):
        v = piece % 8
        name = f"%t{v}.last" if piece + 8 >= 1024 // (4 * lanes) else f"%t{v}.{piece}"
        lines += [
            f"  %a{piece} = getelementptr float, ptr %p, i64 {piece * lanes}",
            f"  %v{piece} = load {vector}, ptr %a{piece}, align 4",
            f"  {name} = fadd {vector} {last[v]}, %v{piece}",
        ]
        last[v] = name
    lines += ["  %q = getelementptr i8, ptr %p, i64 1024", "  %next = add i64 %i, 1"]
    lines += ["  %more = icmp ult i64 %next, %count", "  br i1 %more, label %loop, label %over", "over:"]
    lines += ["  %j.next = add i64 %j, 1", "  %j.more = icmp ult i64 %j.next, %times"]
    lines += ["  br i1 %j.more, label %again, label %exit", "exit:"]
    total = "%t0.last"
    for v in range(1, 8):
        lines.append(f"  %u{v} = fadd {vector} {total}, %t{v}.last")
        total = f"%u{v}"
    lines += [f"  %r = extractelement {vector} {total}, i64 0", "  ret float %r", "}"]
    return "\n".join(lines)


def _seconds(run: Any) -> float:
    start = time.thread_time()
    run()
    return time.thread_time() - start


def _compiled(text: str, result: Any, *arguments: Any) -> tuple[Any, Any]:
    """Return the function of a text, and before it what holds its code as long as it is called."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True)
    module = llvm.parse_assembly(text)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine, ctypes.CFUNCTYPE(result, *arguments)(engine.get_function_address("probe"))
