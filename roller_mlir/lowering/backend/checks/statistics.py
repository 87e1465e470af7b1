# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the vendors' compilers say about a kernel: registers, spills, workgroup memory, instructions. Never a speed."""

import re
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from roller_mlir.lowering.backend.checks.accesses import shared_load_bytes
from roller_mlir.lowering.backend.checks.assembly import Listing, fma_count, main_loop, read_gcn
from roller_mlir.lowering.backend.checks.code_object import kernel_metadata
from roller_mlir.lowering.backend.checks.matrix_instructions import matrix_count

_REGISTER_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class KernelStatistics:
    """What is known about a compiled kernel; None where the tool that knows it did not run.

    Attributes:
        registers: 32-bit registers per thread (AMD: vector registers, of both kinds).
        scalar_registers: per subgroup; AMD only.
        spill_bytes: per thread, bytes stored to and loaded from memory for want of registers (AMD: 4 B per spilled
            vector register, unless all went to accumulation registers).
        stack_bytes: memory per thread for arrays, calls and spills.
        shared_bytes: workgroup memory per block, static and dynamic.
        dynamic_shared_bytes: the part of it that is given at launch.
        fma_count: fused multiply-adds in the text of the kernel, per thread.
        matrix_count: matrix instructions in it, per subgroup; None without any.
        instructions: how often each stands in the kernel. Empty before disassembly.
        main_loop: the same for the innermost loop with the most matrix instructions, or multiply-adds.
    """

    registers: int | None = None
    scalar_registers: int | None = None
    spill_bytes: int | None = None
    stack_bytes: int | None = None
    shared_bytes: int | None = None
    dynamic_shared_bytes: int = 0
    fma_count: int | None = None
    matrix_count: int | None = None
    instructions: dict[str, int] = field(default_factory=dict[str, int])
    main_loop: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def fma_share(self) -> float | None:
        """Multiply-add instructions as a part of the main loop's instructions; None where there is no main loop."""
        total = sum(self.main_loop.values())
        return sum(count for name, count in self.main_loop.items() if fma_count([name])) / total if total else None

    @property
    def matrix_share(self) -> float | None:
        """Matrix instructions as a part of the main loop's instructions; None where it has none."""
        total = sum(self.main_loop.values())
        count = matrix_count(Counter(self.main_loop).elements())
        return count / total if count else None

    @property
    def fma_per_shared_byte(self) -> float | None:
        """Multiply-adds of the main loop per byte that it loads from workgroup memory; None where it loads none."""
        loaded = shared_load_bytes(Counter(self.main_loop).elements())
        return fma_count(Counter(self.main_loop).elements()) / loaded if loaded else None

    def with_listing(self, listing: Listing) -> "KernelStatistics":
        """Return the statistics with what the disassembly tells."""
        return replace(
            self,
            fma_count=fma_count(listing.instructions),
            matrix_count=matrix_count(listing.instructions) or None,
            instructions=dict(Counter(listing.instructions).most_common()),
            main_loop=dict(main_loop(listing).most_common()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics for JSON, with the ratios."""
        ratios = {key: getattr(self, key) for key in ("fma_share", "matrix_share", "fma_per_shared_byte")}
        return {**asdict(self), **ratios}


def from_ptxas(log: str, kernel: str, dynamic_shared_bytes: int) -> KernelStatistics:
    """Read what `ptxas -v` prints about a kernel.

    Raises:
        ValueError: it says nothing about that kernel.
    """
    _, found, rest = log.partition(f"entry function '{kernel}'")
    if not found:
        raise ValueError(f"ptxas must report on '{kernel}', but said: {log.strip()[:200]}")
    text = rest.split("Compiling entry function", 1)[0]
    stack = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", text)
    registers = re.search(r"Used (\d+) registers", text)
    shared = re.search(r"(\d+) bytes smem", text)
    if stack is None or registers is None:
        raise ValueError(f"ptxas must report registers and spills of '{kernel}', but said: {text.strip()[:200]}")
    return KernelStatistics(
        registers=int(registers[1]),
        spill_bytes=int(stack[2]) + int(stack[3]),
        stack_bytes=int(stack[1]),
        shared_bytes=(int(shared[1]) if shared else 0) + dynamic_shared_bytes,
        dynamic_shared_bytes=dynamic_shared_bytes,
    )


def from_code_object(data: bytes, assembly: str, kernel: str, dynamic_shared_bytes: int) -> KernelStatistics:
    """Read an AMD code object's metadata and its assembly.

    Raises:
        ValueError: the object says nothing about that kernel.
    """
    kernels = kernel_metadata(data)
    if kernel not in kernels:
        raise ValueError(f"the code object must hold '{kernel}', but holds {', '.join(kernels) or 'no kernel'}")
    known = kernels[kernel]
    return KernelStatistics(
        registers=known[
            "vgpr_count"
        ],  # on devices with one register file for both kinds this counts accumulation registers too
        scalar_registers=known["sgpr_count"],
        spill_bytes=known["vgpr_spill_count"] * _REGISTER_BYTES if known["private_segment_fixed_size"] else 0,
        stack_bytes=known["private_segment_fixed_size"],
        shared_bytes=known["group_segment_fixed_size"] + dynamic_shared_bytes,
        dynamic_shared_bytes=dynamic_shared_bytes,
    ).with_listing(read_gcn(assembly, kernel))
