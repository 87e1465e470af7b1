# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this machine's instruction set lacks of that of an architecture, read from /proc/cpuinfo.

An instruction that a core does not know ends the process; so an artifact says what it needs, and this is asked before.
"""

import platform
from functools import cache

from roller_mlir.support.foreign.cpuinfo import ARM_CORES, CPUINFO, lacking_flags, parse_cpuinfo


@cache
def host_flags() -> frozenset[str]:
    """Return the flags of this machine's first core; empty where the system does not tell."""
    try:
        return parse_cpuinfo(CPUINFO.read_text()).flags
    except OSError:
        return frozenset()


def missing_feature(architecture: str) -> str:
    """Return what this machine lacks to run code for an architecture, or an empty string.

    An architecture of which nothing is known was that of the machine that compiled: it is taken as it is.
    """
    machine = platform.machine()
    arm = architecture.startswith(ARM_CORES)
    if arm != (machine in ("aarch64", "arm64")):
        return f"its code is for {'AArch64' if arm else 'x86-64'}, but this machine is {machine}"
    if lacking := lacking_flags(architecture, host_flags()):
        return f"its code for {architecture} needs {', '.join(lacking)}, which this machine does not have"
    return ""
