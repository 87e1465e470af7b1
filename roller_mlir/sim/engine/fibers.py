# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fibers: a simulated thread is a stack and a stack pointer, switched in about ten instructions.

The switch saves the callee-saved registers of the System V x86-64 convention. It leaves through `pop; jmp` instead of
`ret`: a `ret` to an address that was not pushed by a `call` defeats the processor's return predictor and costs twice
the time. Stacks come from one anonymous mapping, so that only pages that are touched take memory.
"""

import mmap
import platform

SWITCH = """
.text
.globl roller_sim_switch
roller_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.globl roller_sim_begin
roller_sim_begin:
  movq %r12, %rdi
  movq %r13, %rsi
  pushq $0
  jmpq *%r14
"""
"""`switch(where to save the stack pointer, stack pointer to go to)` and the first instructions of a new fiber."""

FIRST_FRAME_BYTES = 56
"""Bytes below the top of a fresh stack: r15, r14 (entry), r13 (thread), r12 (block record), rbx, rbp, return."""

PAGE_BYTES = 4096
SAFETY_BYTES = 11264
"""Below the kernel's own frame: runtime and libm calls, and signal handlers, which save the vector registers."""

_MOST_HUGE_BYTES = 1 << 26
_MAP_NORESERVE = 0x4000  # Linux; Python's mmap names it from 3.13 on


def check_host() -> None:
    """Raise RuntimeError where the switch above does not fit the machine."""
    machine = platform.machine()
    if machine not in ("x86_64", "AMD64") or platform.system() != "Linux":
        raise RuntimeError(f"the simulator runs on Linux x86-64, but this is {platform.system()} {machine}")


def stack_bytes(frame_bytes: int) -> int:
    """Return the size of a stack for a kernel whose frame takes `frame_bytes`.

    An odd number of pages, so that the tops of the stacks do not all fall into one set of the processor's caches.

    >>> stack_bytes(0), stack_bytes(4096), stack_bytes(10000)
    (12288, 20480, 28672)
    """
    pages = -(-(frame_bytes + SAFETY_BYTES) // PAGE_BYTES)
    return (pages | 1) * PAGE_BYTES


def map_stacks(size_bytes: int) -> mmap.mmap:
    """Map memory for stacks; pages are taken when they are first touched.

    A block's stacks get huge pages where the system has them: the switches of 1024 threads would otherwise miss the
    address translation buffer each time. The stacks of many blocks would take too much memory that way.
    """
    stacks = mmap.mmap(-1, size_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE)
    if size_bytes <= _MOST_HUGE_BYTES:
        stacks.madvise(mmap.MADV_HUGEPAGE)
    return stacks


def frame_bytes(code: bytes) -> int:
    """Return the stack frame that a function's first instructions reserve (`sub rsp, constant`).

    >>> frame_bytes(bytes.fromhex("5541574883ec18"))
    24
    >>> frame_bytes(bytes.fromhex("554889e54881ec00100000"))
    4096
    """
    for position in range(len(code) - 3):
        if code[position : position + 3] == b"\x48\x83\xec":
            return code[position + 3]
        if code[position : position + 3] == b"\x48\x81\xec" and position + 7 <= len(code):
            return int.from_bytes(code[position + 3 : position + 7], "little")
    return 0
