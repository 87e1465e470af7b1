# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says of threads that spin which memory they poll, what it has and what they want."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from roller_mlir.runtime.findings import Triple
from roller_mlir.sim.diagnosis.errors import StuckWait
from roller_mlir.sim.engine.layout import Poll, State
from roller_mlir.sim.engine.sites import SiteTable
from roller_mlir.sim.gpu.kernel_ir import KernelParameter
from roller_mlir.sim.gpu.memory_types import element_bytes
from roller_mlir.sim.memory.buffers import UNTYPED

Array = np.ndarray[Any, Any]

_WANTS = (
    "anything but {}", "{}", "at least {}", "above {}", "at most {}", "below {}", "at least {}", "above {}",
    "at most {}", "below {}",
)  # fmt: skip
"""What ends a loop, by the number of arith's predicate that keeps it going."""


def triple(number: int, extent: Triple) -> Triple:
    """Return the x, y, z of a number.

    >>> triple(7, (2, 3, 4))
    (1, 0, 1)
    """
    return number % extent[0], number // extent[0] % extent[1], number // extent[0] // extent[1]


def element_index(offset: int, parameter: KernelParameter) -> str:
    """Return the index of an array's element, by its place in bytes."""
    number = offset // element_bytes(parameter.element_type)
    found: list[int] = []
    for size in reversed(parameter.shape or ()):
        found.append(number % size)
        number //= size
    return str(list(reversed(found)))


def _memory(
    address: int, ranges: Sequence[tuple[int, int]], parameters: Sequence[KernelParameter], arena: tuple[int, int]
) -> tuple[str, int | None, int]:
    """Return what lies at an address: its name, the array argument and the place in bytes."""
    for number, (first, last) in enumerate(ranges):
        if first <= address < last and parameters[number].element_type == UNTYPED:
            return f"byte {address - first} of argument {number}", number, address - first
        if first <= address < last:
            return (
                f"element {element_index(address - first, parameters[number])} of argument {number}",
                number,
                (address - first),
            )
    if arena[0] <= address < arena[1]:
        return f"byte {address - arena[0]} of workgroup memory", None, address - arena[0]
    return f"address {address:#x}", None, address


def _signed(value: int, width: int) -> int:
    bits = value & ((1 << 8 * width) - 1)
    return bits - (1 << 8 * width) if bits >> (8 * width - 1) else bits


def stuck_waits(
    table: SiteTable,
    kernel: str,
    extent: Triple,
    parameters: Sequence[KernelParameter],
    ranges: Sequence[tuple[int, int]],
    blocks: Iterable[tuple[Triple, Array, Array, Array, tuple[int, int]]],
) -> tuple[StuckWait, ...]:
    """Return the waits of all threads that spin, in the order of their blocks.

    Args:
        table: The module's sites.
        kernel: The kernel's name.
        extent: Threads of a block.
        parameters: Its array parameters.
        ranges: First address and end of each array argument.
        blocks: Of each running block its place, its threads' states, last sites and polls, and its workgroup memory.
    """
    found: list[StuckWait] = []
    names = table.watched.get(kernel, [])
    for place, states, sites, polls, arena in sorted(blocks, key=lambda one: one[0][::-1]):
        for thread, row in enumerate(polls):
            spins = int(states[thread]) in (State.READY, State.SPIN)
            if not spins or not row[Poll.SITE] or int(row[Poll.SITE]) - 1 != int(sites[thread]):
                continue
            width = int(row[Poll.WIDTH])
            value, wanted = (_signed(int(row[word]), width) for word in (Poll.VALUE, Poll.WANTED))
            memory, argument, offset = _memory(int(row[Poll.ADDRESS]), ranges, parameters, arena)
            found.append(
                StuckWait(
                    block=place,
                    thread=triple(thread, extent),
                    site=table[int(sites[thread])].name,
                    memory=memory,
                    argument=argument,
                    offset_bytes=offset,
                    has=value,
                    wants=_WANTS[int(row[Poll.RELATION])].format(wanted),
                    wanted=wanted,
                    watched={
                        name: int(row[Poll.WATCHED + number])
                        for number, name in enumerate(names)
                        if int(row[Poll.GIVEN]) >> number & 1
                    },
                )
            )
    return tuple(found)
