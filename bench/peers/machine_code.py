# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX of anybody to figures: the same assembler, disassembler and counting as for our own kernels."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from roller_mlir.codegen.backend.assembly import Listing, main_loop, read_sass
from roller_mlir.codegen.backend.statistics import KernelStatistics, from_ptxas
from roller_mlir.codegen.backend.toolchain import NVDISASM_REMEDY, PTXAS_REMEDY, find_toolchain
from roller_mlir.codegen.backend.tools import run_tool
from roller_mlir.hal import Device
from roller_mlir.mapping.resources import tasks_per_unit

TIMEOUT_S = 120.0
_TARGET = re.compile(r"^\.target\s+sm_(\d+)(\w*)", re.MULTILINE)
_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_NEVER = re.compile(r"@!PT LDS(?:\.\w+)*")
_WIDTHS = {"128": 16, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}


class ToolError(RuntimeError):
    """A tool of NVIDIA's is missing or refuses the text."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the machine code of one kernel says.

    Attributes:
        statistics: Registers, spills, workgroup memory, instructions of the kernel and of its main loop.
        tasks_per_unit: Tasks that a unit holds at a time, from registers, threads and workgroup memory.
        loops: Loops in the text.
    """

    statistics: KernelStatistics
    tasks_per_unit: int
    loops: int


def tool_version() -> str:
    """Return the release of the assembler."""
    text = run_tool("version", _tool("ptxas"), ("--version",), b"", suffix=".ptx", timeout_s=TIMEOUT_S).text
    found = re.search(r"release [\d.]+, V([\d.]+)", text)
    if found is None:
        raise ToolError(f"ptxas must say its release, but said: {text.strip()[:200]}")
    return found[1]


def entries(ptx: str) -> list[str]:
    """Return the kernels of a text of PTX.

    >>> entries(".visible .entry first(\\n) { ret; }\\n.entry second() { ret; }")
    ['first', 'second']
    """
    return _ENTRY.findall(ptx)


def measure(ptx: str, name: str, threads: int, dynamic_shared_bytes: int, device: Device) -> Measured:
    """Assemble a kernel for a device, disassemble it and count.

    Args:
        ptx: Text with that kernel; it may hold others.
        name: The kernel.
        threads: Of a task.
        dynamic_shared_bytes: Workgroup memory that is given at launch.
        device: An NVIDIA device; PTX of an older architecture is assembled for it too.
    """
    architecture = _architecture(ptx, device.architecture)
    options = ("-v", f"-arch={architecture}", "-o", "output")
    built = run_tool(name, _tool("ptxas"), options, ptx.encode(), suffix=".ptx", timeout_s=TIMEOUT_S)
    if built.code or not built.output:
        raise ToolError(f"ptxas refuses '{name}': {built.complaint}")
    statistics = from_ptxas(built.log, name, dynamic_shared_bytes)
    shown = run_tool(
        name, _tool("nvdisasm"), ("-c", "-fun", name), built.output, suffix=".cubin", timeout_s=TIMEOUT_S
    )  # fmt: skip
    if shown.code or "/*0000*/" not in shown.text:
        shown = run_tool(name, _tool("nvdisasm"), ("-c",), built.output, suffix=".cubin", timeout_s=TIMEOUT_S)
    if shown.code:
        raise ToolError(f"nvdisasm refuses '{name}': {shown.complaint}")
    listing = read_sass(without_dead_loads(section(shown.text, name)))
    resident = tasks_per_unit(device, threads, statistics.registers or 0, statistics.shared_bytes or 0)
    return Measured(
        statistics=statistics.with_listing(listing), tasks_per_unit=resident, loops=len(real_loops(listing))
    )


def section(text: str, name: str) -> str:
    """Return what nvdisasm prints of one kernel.

    >>> section(".text.a:\\n A\\n.section .text.b\\n.text.b:\\n B\\n", "b").split()
    ['B']
    """
    _, found, rest = text.partition(f"\n.text.{name}:\n" if not text.startswith(f".text.{name}:") else f".text.{name}:")
    if not found:
        raise ToolError(f"nvdisasm must show '{name}', but shows {re.findall(r'^.text.(.+):$', text, re.MULTILINE)}")
    return re.split(r"^\s*\.section", rest, maxsplit=1, flags=re.MULTILINE)[0]


def without_dead_loads(text: str) -> str:
    """Rename loads that never happen: asynchronous copies wait with `@!PT LDS RZ, [RZ]`, which loads no byte.

    They stay instructions of the loop, since they are issued.

    >>> without_dead_loads("  @!PT LDS RZ, [RZ] ;")
    '  @!PT NOP RZ, [RZ] ;'
    """
    return _NEVER.sub("@!PT NOP", text)


def real_loops(listing: Listing) -> list[tuple[int, int]]:
    """Return the loops without those of one instruction, which only end a program."""
    return [loop for loop in listing.loops if loop[1] > loop[0]]


def main_loop_without_division(listing: Listing) -> dict[str, int]:
    """Return the main loop's instructions, most frequent first."""
    return dict(main_loop(listing).most_common())


def access_bytes(instructions: dict[str, int], operation: str) -> dict[int, int]:
    """Return how many accesses of each width, in bytes, an operation such as "LDG" has.

    >>> access_bytes({"LDG.E.128.CONSTANT": 2, "LDG.E": 1, "LDS.128": 4}, "LDG")
    {16: 2, 4: 1}
    """
    found: dict[int, int] = {}
    for name, count in instructions.items():
        parts = name.split(".")
        if parts[0] == operation:
            width = next((_WIDTHS[part] for part in parts[1:] if part in _WIDTHS), 4)
            found[width] = found.get(width, 0) + count
    return dict(sorted(found.items(), reverse=True))


def _architecture(ptx: str, wanted: str) -> str:
    """Return the architecture to assemble for: the device's, which older PTX without features of its own may take.

    >>> _architecture(".target sm_80", "sm_90a"), _architecture(".target sm_90a", "sm_90a")
    ('sm_90a', 'sm_90a')
    """
    found = _TARGET.search(ptx)
    if found is None:
        raise ToolError("the text must have a line .target, but has none")
    if found[2] and f"sm_{found[1]}{found[2]}" != wanted:
        raise ToolError(f"PTX for sm_{found[1]}{found[2]} must be assembled for that, but the device is {wanted}")
    return wanted


def _tool(name: str) -> Path:
    tools = find_toolchain()
    if name == "ptxas" and tools.ptxas:
        # The wheels' before the system's: what a user of pip has.
        return tools.ptxas[-1] if len(tools.ptxas) == 1 else next((p for p in tools.ptxas if "nvidia" in str(p)), tools.ptxas[0])
    if name == "nvdisasm" and tools.nvdisasm is not None:
        return tools.nvdisasm
    raise ToolError(f"no {name} was found; {PTXAS_REMEDY if name == 'ptxas' else NVDISASM_REMEDY}")
