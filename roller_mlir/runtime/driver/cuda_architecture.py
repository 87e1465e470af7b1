# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which binaries for one NVIDIA architecture run on a device of another.

NVIDIA, CUDA C++ Programming Guide 13, "Binary Compatibility" and "Family-Specific Features": a cubin runs where the
major number is its own and the minor number not below; PTX, which the driver compiles, on anything not below; with the
suffix "a" on exactly that architecture; with "f" within the family, whose major number they share.
"""

import re

_NAME = re.compile(r"sm_(\d+)(\d)([af]?)")


def image_kinds(architecture: str, device: str) -> tuple[str, ...]:
    """Return the kinds of binaries for `architecture` that run on `device`, the best first.

    >>> image_kinds("sm_80", "sm_86"), image_kinds("sm_80", "sm_90"), image_kinds("sm_90a", "sm_100")
    (('cubin', 'ptx'), ('ptx',), ())
    """
    wanted, given = _NAME.fullmatch(architecture), _NAME.fullmatch(device)
    if wanted is None or given is None:
        return ()
    major, minor, suffix = int(wanted[1]), int(wanted[2]), wanted[3]
    here = int(given[1]), int(given[2])
    same_family = here[0] == major and here[1] >= minor
    if suffix == "a":
        return ("cubin", "ptx") if here == (major, minor) else ()
    if same_family:
        return ("cubin", "ptx")
    return ("ptx",) if not suffix and here >= (major, minor) else ()


def compute_capability(architecture: str) -> tuple[int, int]:
    """Return the numbers of an architecture, as the driver says them.

    Raises:
        ValueError: It is none of NVIDIA's.

    >>> compute_capability("sm_90a")
    (9, 0)
    """
    found = _NAME.fullmatch(architecture)
    if found is None:
        raise ValueError(f"an architecture must be one of NVIDIA's, such as sm_90a, but got {architecture!r}")
    return int(found[1]), int(found[2])
