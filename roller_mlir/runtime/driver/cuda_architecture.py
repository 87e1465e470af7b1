# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which binaries for one NVIDIA architecture run on a device of another.

NVIDIA, CUDA C++ Programming Guide 13, "Binary Compatibility" and "Family-Specific Features": a cubin runs where the
major number is its own and the minor number not below; PTX, which the driver compiles, on anything not below; with the
suffix "a" on exactly that architecture; with "f" within the family, whose major number they share.
"""

from roller_mlir.plan.sm_architecture import sm_number


def image_kinds(architecture: str, device: str) -> tuple[str, ...]:
    """Return the kinds of binaries for `architecture` that run on `device`, the best first.

    >>> image_kinds("sm_80", "sm_86"), image_kinds("sm_80", "sm_90"), image_kinds("sm_90a", "sm_100")
    (('cubin', 'ptx'), ('ptx',), ())
    """
    wanted, given = sm_number(architecture), sm_number(device)
    if not wanted or not given:
        return ()
    suffix = architecture[-1]
    if suffix == "a":
        return ("cubin", "ptx") if given == wanted else ()
    if given // 10 == wanted // 10 and given >= wanted:
        return ("cubin", "ptx")
    return ("ptx",) if suffix != "f" and given >= wanted else ()
