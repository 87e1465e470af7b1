# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory accesses in assembly: what each instruction moves, and how many bytes of one thread at once.

SASS by its width suffix. GCN by its name: `ds_read2_b64` moves two neighbouring or distant words of 8 B, 16 B in all,
for which AMD's compiler takes it in place of `ds_read_b128`; `global_load_dwordx3` moves 12 B. PTX by its vector and
type: `ld.shared.v4.b32` moves 16 B.

A load of 8 x 8 matrices (`ldmatrix`, LDSM) gives each lane 4 B of each of them. An asynchronous copy (`cp.async`,
LDGSTS) goes from global to workgroup memory; PTX says its width in an operand, which the reader appends to the name:
`cp.async.cg.shared.global.16`. A tensor copy of the TMA moves a whole tile, of which no thread has a part.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roller_mlir.mapping.checks.expected_code import (
    ASYNCHRONOUS_COPY,
    GLOBAL_LOAD,
    MATRIX_LOAD,
    TENSOR_COPY,
    WORKGROUP_LOAD,
    WORKGROUP_STORE,
)

GLOBAL_STORE, LOCAL, SCALAR_LOAD = "global store", "local", "scalar load"

_SASS = {
    "LDG": GLOBAL_LOAD,
    "STG": GLOBAL_STORE,
    "LDS": WORKGROUP_LOAD,
    "STS": WORKGROUP_STORE,
    "LDL": LOCAL,
    "STL": LOCAL,
    "LDGSTS": ASYNCHRONOUS_COPY,
}
_SASS_BYTES = {"128": 16, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}
_DS = re.compile(r"ds_(read|write|load|store)(2(?:st64)?)?(?:_addtid)?_[bui](\d+)")
_GCN = re.compile(r"(global|flat|scratch|buffer)_(load|store)_(dword(?:x(\d))?|[us]?byte|[us]?short|[bui](\d+))")
_SCALAR = re.compile(r"s_load_(?:dword(?:x(\d+))?|b(\d+))")
_PTX = re.compile(r"(ld|st)(?:\.volatile|\.relaxed)?\.(global|shared|local)(?:\.nc|::cta)*(?:\.v(\d))?\.[a-z]+(\d+)")
_PTX_ASYNCHRONOUS = re.compile(r"cp\.async\.c[ag]\.shared\.global\S*\.(\d+)")
_MATRIX = re.compile(r"(?:ldmatrix\S*\.x|LDSM\.16\.MT?88\.?)(\d?)(?:\.|$)")


@dataclass(frozen=True)
class MemoryAccess:
    """What one instruction moves.

    Attributes:
        kind: "global load", "global store", "workgroup load", "workgroup store", "matrix load", "asynchronous copy",
            "tensor copy", "local", or "scalar load" (AMD: of a whole subgroup).
        width_bytes: bytes of one thread; of a tensor copy 0.
    """

    kind: str
    width_bytes: int


def accesses_of(instructions: Iterable[str]) -> Iterator[MemoryAccess]:
    """Return the memory accesses among instructions."""
    for name in instructions:
        found = memory_access(name)
        if found is not None:
            yield found


def shared_load_bytes(instructions: Iterable[str]) -> int:
    """Count the bytes that one thread loads from workgroup memory."""
    return sum(one.width_bytes for one in accesses_of(instructions) if one.kind in (WORKGROUP_LOAD, MATRIX_LOAD))


def memory_access(name: str) -> MemoryAccess | None:
    """Return what an instruction moves, None where it is no memory access.

    >>> memory_access("LDS.U.128"), memory_access("ds_read2_b64")
    (MemoryAccess(kind='workgroup load', width_bytes=16), MemoryAccess(kind='workgroup load', width_bytes=16))
    >>> memory_access("global_load_dwordx2"), memory_access("ld.global.nc.v4.b32")
    (MemoryAccess(kind='global load', width_bytes=8), MemoryAccess(kind='global load', width_bytes=16))
    >>> memory_access("LDSM.16.MT88.4"), memory_access("LDGSTS.E.BYPASS.128")
    (MemoryAccess(kind='matrix load', width_bytes=16), MemoryAccess(kind='asynchronous copy', width_bytes=16))
    """
    head, *rest = name.split(".")
    if head in _SASS:
        return MemoryAccess(_SASS[head], next((_SASS_BYTES[part] for part in rest if part in _SASS_BYTES), 4))
    if found := _MATRIX.match(name):
        return MemoryAccess(MATRIX_LOAD, 4 * int(found[1] or 1))
    if name.startswith(("UTMALDG", "cp.async.bulk.tensor")):
        return MemoryAccess(TENSOR_COPY, 0)
    if found := _PTX_ASYNCHRONOUS.match(name):
        return MemoryAccess(ASYNCHRONOUS_COPY, int(found[1]))
    if found := _DS.match(name):
        kind = WORKGROUP_LOAD if found[1] in ("read", "load") else WORKGROUP_STORE
        return MemoryAccess(kind, (2 if found[2] else 1) * int(found[3]) // 8)
    if found := _GCN.match(name):
        # Kernels address buffers by pointers, so what goes through a buffer resource is scratch.
        kind = LOCAL if found[1] in ("scratch", "buffer") else GLOBAL_LOAD if found[2] == "load" else GLOBAL_STORE
        return MemoryAccess(kind, _gcn_bytes(found[3], found[4], found[5]))
    if found := _SCALAR.match(name):
        return MemoryAccess(SCALAR_LOAD, int(found[2]) // 8 if found[2] else 4 * int(found[1] or 1))
    if found := _PTX.match(name):
        width = int(found[3] or 1) * int(found[4]) // 8
        if found[2] == "local":
            return MemoryAccess(LOCAL, width)
        loads = found[1] == "ld"
        if found[2] == "global":
            return MemoryAccess(GLOBAL_LOAD if loads else GLOBAL_STORE, width)
        return MemoryAccess(WORKGROUP_LOAD if loads else WORKGROUP_STORE, width)
    return None


def _gcn_bytes(kind: str, words: str | None, bits: str | None) -> int:
    if bits:
        return int(bits) // 8
    if kind.startswith("dword"):
        return 4 * int(words or 1)
    return 1 if kind.endswith("byte") else 2
