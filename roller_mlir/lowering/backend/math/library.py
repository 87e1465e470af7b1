# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which mathematical library a kernel needs: NVIDIA's libdevice (`__nv_*`), AMD's ocml (`__ocml_*`)."""

import re
from dataclasses import dataclass
from pathlib import Path

from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.backend.target import Target
from roller_mlir.lowering.backend.vendor_tools.toolchain import LIBDEVICE_REMEDY, LLD_REMEDY, Toolchain

_DECLARED = re.compile(r"^declare\b[^\n]*?@(__(?:nv|ocml)_\w+)\(", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class MathLibrary:
    """What is linked into a kernel.

    Attributes:
        path: the library; None where nothing is needed.
        needed: functions of it.
        constants: LLVM IR to append to the kernel's module.
    """

    path: Path | None = None
    needed: tuple[str, ...] = ()
    constants: str = ""


def math_library(kernel: str, llvm_ir: str, target: Target, toolchain: Toolchain) -> MathLibrary:
    """Find what a kernel needs.

    Args:
        kernel: for the error.
        llvm_ir: its module.
        target: what it is compiled for.
        toolchain: where the libraries are.

    Raises:
        CompileError: the library is needed, but was not found.
    """
    needed = tuple(sorted(set(_DECLARED.findall(llvm_ir))))
    if not needed:
        return MathLibrary()
    nvidia = target.vendor == "nvidia"
    path = toolchain.libdevice if nvidia else toolchain.ocml
    if path is None:
        library, remedy = ("libdevice.10.bc", LIBDEVICE_REMEDY) if nvidia else ("ocml.bc", LLD_REMEDY)
        raise CompileError(kernel, f"it needs {', '.join(needed)} of {library}, which was not found; {remedy}")
    return MathLibrary(path=path, needed=needed, constants="" if nvidia else _oclc_constants(target))


def _oclc_constants(target: Target) -> str:
    """Return the switches that ocml reads: instruction set, subgroup size, exact results, denormal numbers kept.

    gfx942 is version 9402, gfx90a is 9010: two last digits in hexadecimal, the rest in decimal, as clang computes it.
    """
    digits = target.architecture.removeprefix("gfx")
    version = int(digits[:-2]) * 1000 + int(digits[-2], 16) * 100 + int(digits[-1], 16)
    words = {"ISA_version": version, "ABI_version": 100 * target.code_object}
    bytes_ = {
        "wavefrontsize64": int(target.subgroup_size == 64),
        "wavefrontsize_log2": target.subgroup_size.bit_length() - 1,
        "finite_only_opt": 0,
        "unsafe_math_opt": 0,
        "daz_opt": 0,
        "correctly_rounded_sqrt32": 1,
    }
    lines = [f"@__oclc_{name} = linkonce_odr hidden addrspace(4) constant i32 {value}" for name, value in words.items()]
    lines += [
        f"@__oclc_{name} = linkonce_odr hidden addrspace(4) constant i8 {value}" for name, value in bytes_.items()
    ]
    return "\n".join(lines) + "\n"
