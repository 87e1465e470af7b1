# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Linux says of the processor of this machine, and the flags that code for an architecture needs."""

import os
import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
_V3 = ("avx2", "fma", "bmi2", "f16c")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd")
_ZEN4 = (*_V4, "avx512_bf16", "avx512_vnni", "avx512_vbmi2", "avx512_bitalg", "avx512_vpopcntdq", "gfni")
_RAPIDS = (*_ZEN4, "avx_vnni", "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8")
NEEDED: dict[str, tuple[str, ...]] = {
    "x86-64": (),
    "x86-64-v3": _V3,
    "haswell": (*_V3, "invpcid"),
    "x86-64-v4": _V4,
    "znver4": _ZEN4,
    "znver5": (*_ZEN4, "avx_vnni"),
    **dict.fromkeys(("sapphirerapids", "emeraldrapids"), _RAPIDS),
}
"""Flags of x86 that LLVM may use for an architecture beside those of all x86-64, as Linux spells them."""
ARM_CORES = ("neoverse", "cortex", "apple")
"""How LLVM's names of AArch64's cores begin."""


@dataclass(frozen=True, kw_only=True)
class CpuInfo:
    """What is said of the first core, and of the clocks of all.

    Attributes:
        name: Of the processor; "" where it is not said.
        family: Family and model of an x86, as they are written; None of others.
        flags: What it has; a hypervisor may hide some.
        clock_hz: The highest of the cores' clocks at the time; None where it is not said.
    """

    name: str
    family: tuple[str, str] | None
    flags: frozenset[str]
    clock_hz: float | None


def parse_cpuinfo(text: str) -> CpuInfo:
    r"""Return what /proc/cpuinfo says.

    >>> parse_cpuinfo("model name : A Core\nflags : fpu avx2\ncpu MHz : 2500.0\n").clock_hz
    2500000000.0
    """
    name = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    family = re.search(r"^cpu family\s*:\s*(\d+)$[\s\S]*?^model\s*:\s*(\d+)$", text, re.MULTILINE)
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", text, re.MULTILINE)
    clocks = re.findall(r"^cpu MHz\s*:\s*([\d.]+)$", text, re.MULTILINE)
    return CpuInfo(
        name=name[1].strip() if name else "",
        family=(family[1], family[2]) if family else None,
        flags=frozenset(flags[1].split()) if flags else frozenset(),
        clock_hz=max(map(float, clocks)) * 1e6 if clocks else None,
    )


def processor_name() -> str:
    """Return what the processor of this machine is called; that of its instruction set where it has no name."""
    try:
        said = parse_cpuinfo(CPUINFO.read_text(encoding="utf-8", errors="replace")).name
    except OSError:
        said = ""
    return said or os.uname().machine


def lacking_flags(architecture: str, flags: AbstractSet[str]) -> list[str]:
    """Return what a machine with these flags lacks to run code for an architecture; nothing of one unknown here."""
    return [flag for flag in NEEDED.get(architecture, ()) if flag not in flags]
