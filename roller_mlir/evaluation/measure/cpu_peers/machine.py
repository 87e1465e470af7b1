# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host: what it is, and how many operations its cores do from registers alone, by a loop of multiply-adds."""

import ctypes
import os
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import llvmlite.binding as llvm

from roller_mlir.evaluation.measure.cpu_peers.clocks import Clock
from roller_mlir.evaluation.measure.cpu_peers.results import HostMachine
from roller_mlir.support.foreign.cpuinfo import CPUINFO, parse_cpuinfo

_VECTORS = ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "asimd", "sve")
_CACHE = Path("/sys/devices/system/cpu/cpu0/cache")
_CHAINS, _TURNS, _REPEATS = 12, 200_000, 40
_WIDTHS = {"zmm": (16, "avx512f"), "ymm": (8, "fma")}


def this_machine(threads: int, command: str) -> HostMachine:
    """Return the host, with its peak."""
    info = parse_cpuinfo(_read(CPUINFO))
    title = info.name or platform.machine()
    if info.family:
        title += f", family {info.family[0]} model {info.family[1]}"
    return HostMachine(
        processor=title,
        cores=len(os.sched_getaffinity(0)),
        vectors=tuple(one for one in _VECTORS if one in info.flags),
        caches={
            f"L{_read(place / 'level')}{_read(place / 'type')[0].lower()}": _read(place / "size")
            for place in sorted(_CACHE.glob("index*"))
        },
        peak_flops=peak_flops(info.flags),
        threads=threads,
        clock=Clock(threads).name,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        command=command,
        load=(os.getloadavg()[0],),
    )


def peak_flops(flags: frozenset[str]) -> dict[str, float]:
    """Return multiplications and additions of f32 a second, by width of the vectors; nothing where there are no x86's.

    The best of many short loops of twelve independent chains, in processor time of the thread.
    """
    found: dict[str, float] = {}
    for width, (lanes, flag) in _WIDTHS.items():
        if flag not in flags or sys.platform != "linux":
            continue
        loop = _Loop(width)
        best = float("inf")
        for _ in range(_REPEATS):
            start = time.thread_time_ns()
            loop(_TURNS)
            best = min(best, (time.thread_time_ns() - start) * 1e-9)
        found[width] = 2 * lanes * _CHAINS * _TURNS / best
    return found


class _Loop:
    """A function of machine code, with the engine that holds it."""

    def __init__(self, width: str) -> None:
        """Compile it: chains are registers 0 to 11, and what they add is nothing."""
        chains = [f"vfmadd231ps %{width}12, %{width}13, %{width}{i}" for i in range(_CHAINS)]
        zeros = [f"vxorps %xmm{i}, %xmm{i}, %xmm{i}" for i in range(_CHAINS + 2)]
        body = "\\0A".join([*zeros, "1:", *chains, "dec $0", "jnz 1b"])
        touched = ",".join(f"~{{xmm{i}}}" for i in range(_CHAINS + 2))
        constraints = f"=r,0,{touched},~{{flags}}"
        call = f'%left = call i64 asm sideeffect "{body}", "{constraints}"(i64 %turns)'
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()
        features = ",".join(f"+{name}" for name, has in llvm.get_host_cpu_features().items() if has)
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features)
        module = llvm.parse_assembly(f"define void @loop(i64 %turns) {{\n  {call}\n  ret void\n}}\n")
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._engine.get_function_address("loop"))

    def __call__(self, turns: int) -> None:
        """Run it."""
        self._function(turns)


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
