# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this machine's instruction set lacks of that of an architecture, read from /proc/cpuinfo.

An instruction that a core does not know ends the process; so an artifact says what it needs, and this is asked before.
"""

import platform
import re
from functools import cache
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
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
    "znver5": (*_ZEN4, "avx_vnni", "movdiri"),
    **dict.fromkeys(("sapphirerapids", "emeraldrapids"), _RAPIDS),
}
"""Flags of x86 that LLVM may use for an architecture beside those of all x86-64, as Linux spells them."""
_ARM = ("neoverse", "cortex", "apple")


@cache
def host_flags() -> frozenset[str]:
    """Return the flags of this machine's first core; empty where the system does not tell."""
    try:
        text = _CPUINFO.read_text()
    except OSError:
        return frozenset()
    found = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", text, re.MULTILINE)
    return frozenset(found[1].split()) if found else frozenset()


def missing_feature(architecture: str) -> str:
    """Return what this machine lacks to run code for an architecture, or an empty string.

    An architecture of which nothing is known here was that of the machine that compiled: it is taken as it is.
    """
    machine = platform.machine()
    arm = architecture.startswith(_ARM)
    if arm != (machine in ("aarch64", "arm64")):
        return f"its code is for {'AArch64' if arm else 'x86-64'}, but this machine is {machine}"
    lacking = [flag for flag in NEEDED.get(architecture, ()) if flag not in host_flags()]
    if lacking:
        return f"its code for {architecture} needs {', '.join(lacking)}, which this machine does not have"
    return ""
