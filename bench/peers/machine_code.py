# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX of anybody to figures: the same assembler, disassembler and counting for our kernels and for those of others."""

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.checks.assembly import Listing, main_loop, read_sass
from roller_mlir.lowering.backend.checks.statistics import from_ptxas
from roller_mlir.lowering.backend.vendor_tools.run import run_tool
from roller_mlir.lowering.backend.vendor_tools.toolchain import NVDISASM_REMEDY, PTXAS_REMEDY, find_toolchain
from roller_mlir.mapping.resources import tasks_per_unit

TIMEOUT_S = 120.0
_TARGET = re.compile(r"^\.target\s+(sm_\d+)(\w*)", re.MULTILINE)
_WIDTHS = {"128": 16, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}


class ToolError(RuntimeError):
    """A tool of NVIDIA's is missing or refuses the text."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the machine code of one kernel says.

    Attributes:
        name: Of the kernel.
        threads: Of a task.
        tasks: Of the launch.
        tasks_per_unit: Tasks that a unit holds at a time, from registers, threads and workgroup memory.
        registers: Per thread.
        spill_bytes: Per thread, stored and loaded.
        shared_bytes: Workgroup memory of a task.
        main_loop: Instructions of the innermost loop with the most multiply-adds, most frequent first.
        fma_share: FMA instructions as a part of the main loop's; None without a loop.
        fma_per_shared_byte: FMAs of the main loop per byte that a thread loads from workgroup memory; None if none.
        loads: Global loads by width in bytes, in the text.
        async_loads: The same of copies from global to workgroup memory.
        read_bytes: Bytes that a task reads outside of loops.
        reading_loops: Loops that hold global loads.
    """

    name: str
    threads: int
    tasks: int
    tasks_per_unit: int
    registers: int
    spill_bytes: int
    shared_bytes: int
    main_loop: dict[str, int]
    fma_share: float | None
    fma_per_shared_byte: float | None
    loads: dict[int, int]
    async_loads: dict[int, int]
    read_bytes: int
    reading_loops: int

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON, whose keys are text."""
        widths = {"loads": self.loads, "async_loads": self.async_loads}
        return {**asdict(self), **{key: {str(w): count for w, count in one.items()} for key, one in widths.items()}}


def measure(ptx: str, name: str, *, threads: int, tasks: int, dynamic_shared_bytes: int, device: Device) -> Measured:
    """Assemble a kernel for an NVIDIA device, disassemble it and count.

    Args:
        ptx: Text with that kernel; it may hold others, and be for an older architecture.
        name: The kernel.
        threads: Of a task.
        tasks: Of the launch.
        dynamic_shared_bytes: Workgroup memory that is given at launch.
        device: What to assemble for.

    Raises:
        ToolError: A tool is missing or refuses the text.
    """
    options = ("-v", f"-arch={architecture(ptx, device.architecture)}", "-o", "output")
    built = run_tool(name, _tool("ptxas"), options, ptx.encode(), suffix=".ptx", timeout_s=TIMEOUT_S)
    if built.code or not built.output:
        raise ToolError(f"ptxas refuses '{name}': {built.complaint}")
    shown = run_tool(name, _tool("nvdisasm"), ("-c",), built.output, suffix=".cubin", timeout_s=TIMEOUT_S)
    if shown.code:
        raise ToolError(f"nvdisasm refuses '{name}': {shown.complaint}")
    listing = read_sass(section(shown.text, name))
    found = from_ptxas(built.log, name, dynamic_shared_bytes).with_listing(listing)
    assert found.registers is not None and found.spill_bytes is not None and found.shared_bytes is not None
    loops = outermost([loop for loop in listing.loops if loop[1] > loop[0]])
    outside, reading = reads(listing, loops)
    return Measured(
        name=name,
        threads=threads,
        tasks=tasks,
        tasks_per_unit=tasks_per_unit(device, threads, found.registers, found.shared_bytes),
        registers=found.registers,
        spill_bytes=found.spill_bytes,
        shared_bytes=found.shared_bytes,
        main_loop=dict(main_loop(listing).most_common()),
        fma_share=found.fma_share,
        fma_per_shared_byte=found.fma_per_shared_byte,
        loads=access_widths(listing.instructions),
        async_loads=access_widths(listing.instructions, "LDGSTS"),
        read_bytes=outside * threads,
        reading_loops=reading,
    )


def assembler_version() -> str:
    """Return the version of the assembler."""
    with_version = run_tool("version", _tool("ptxas"), ("--version",), b"", suffix=".ptx", timeout_s=TIMEOUT_S)
    found = re.search(r"release [\d.]+, V([\d.]+)", with_version.text)
    if found is None:
        raise ToolError(f"ptxas must say its release, but said: {with_version.complaint}")
    return found[1]


def cuda_to_ptx(source: str, name: str, nvcc: Path | None, device: Device) -> str:
    """Compile CUDA C++ with nvcc.

    Args:
        source: The text.
        name: The kernel, for the error.
        nvcc: The compiler; None for the one beside ptxas.
        device: What to compile for.
    """
    tool = nvcc or _tool("ptxas").with_name("nvcc")
    if not tool.is_file():
        raise ToolError(f"no {tool} was found; give --nvcc")
    options = ("-ptx", f"-arch={device.architecture}", "-O3", "-o", "output")
    done = run_tool(name, tool, options, source.encode(), suffix=".cu", timeout_s=TIMEOUT_S)
    if done.code or not done.output:
        raise ToolError(f"nvcc refuses '{name}': {done.complaint}")
    return done.output.decode()


def architecture(ptx: str, wanted: str) -> str:
    """Return the architecture to assemble for: the device's, which takes older PTX too.

    >>> architecture(".target sm_80", "sm_90a"), architecture(".target sm_90a", "sm_90a")
    ('sm_90a', 'sm_90a')
    """
    found = _TARGET.search(ptx)
    if found is None:
        raise ToolError("PTX must have a line .target, but this text has none")
    if found[2].startswith("a") and found[1] + found[2] != wanted:
        raise ToolError(f"PTX for {found[1]}{found[2]} runs nowhere else, but the device is {wanted}")
    return wanted


def section(text: str, name: str) -> str:
    """Return what nvdisasm prints of one kernel."""
    _, found, rest = f"\n{text}".partition(f"\n.text.{name}:\n")
    if not found:
        raise ToolError(f"nvdisasm must show '{name}', but shows {re.findall(r'(?m)^.text.(.+):$', text)}")
    return re.split(r"(?m)^\s*\.section", rest, maxsplit=1)[0]


def outermost(loops: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the loops that no other one holds.

    >>> outermost([(3, 5), (2, 9), (12, 20)])
    [(2, 9), (12, 20)]
    """
    return [one for one in loops if not any(o != one and o[0] <= one[0] and one[1] <= o[1] for o in loops)]


def reads(listing: Listing, loops: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the bytes that a thread loads from global memory outside of loops, and how many loops hold such loads.

    >>> reads(Listing(("LDG.E.128", "LDG.E", "FADD", "BRA"), ()), [(1, 3)])
    (16, 1)
    """

    def inside(at: int) -> bool:
        return any(first <= at <= last for first, last in loops)

    outside = [name for at, name in enumerate(listing.instructions) if not inside(at)]
    reading = [loop for loop in loops if access_widths(listing.instructions[loop[0] : loop[1] + 1])]
    return sum(width * count for width, count in access_widths(outside).items()), len(reading)


def access_widths(instructions: tuple[str, ...] | list[str], operation: str = "LDG") -> dict[int, int]:
    """Return how many accesses of each width in bytes there are, the widest first.

    >>> access_widths(["LDG.E", "LDG.E.128.CONSTANT", "LDG.E.128", "LDS.128"])
    {16: 2, 4: 1}
    """
    found: dict[int, int] = {}
    for name in instructions:
        parts = name.split(".")
        if parts[0] == operation:
            width = next((_WIDTHS[part] for part in parts[1:] if part in _WIDTHS), 4)
            found[width] = found.get(width, 0) + 1
    return dict(sorted(found.items(), reverse=True))


def _tool(name: str) -> Path:
    """Return a tool: pip's before the system's, so that two machines with the same wheels agree."""
    tools = find_toolchain()
    if name == "nvdisasm" and tools.nvdisasm is not None:
        return tools.nvdisasm
    if name == "ptxas" and tools.ptxas:
        return next((one for one in tools.ptxas if "site-packages" in one.parts), tools.ptxas[0])
    raise ToolError(f"no {name} was found; {PTXAS_REMEDY if name == 'ptxas' else NVDISASM_REMEDY}")
