# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions as the manuals define them: which element of A, B and C each lane holds in which place.

The layouts are the simulator's own, written from the manuals; the code generator has others, so that an error in one
of them shows. Places are named as in the manuals: `group` and `part` of a lane, `i` of an element of its fragment.

NVIDIA: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type" and the sections around it.
AMD: CDNA 3 instruction set, "Matrix Arithmetic Instructions"; the same as AMD's matrix instruction calculator prints.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

Place = tuple[int, int]
"""Row and column in A (m x k), B (k x n) or C (m x n)."""
_Layout = Callable[[int, int], Place]

ELEMENT_BYTES = {"i8": 1, "f16": 2, "bf16": 2, "tf32": 4, "f32": 4, "i32": 4, "f64": 8}


@dataclass(frozen=True, kw_only=True)
class MatrixInstruction:
    """D = A B + C by a whole subgroup.

    Attributes:
        family: What it is called: mma, mfma or wmma.
        m: Rows of A, C and D.
        n: Columns of B, C and D.
        k: Columns of A, rows of B.
        lanes: Lanes of the subgroup.
        element: Type of A's and B's elements: f16, bf16, tf32 (of an f32 the upper 19 bits count), f32, f64 or i8.
        sum: Type of C's and D's elements: f32, f16, f64 or i32.
        saturates: Whether sums of integers stay at the ends of their range; otherwise they wrap.
        a: Place of each element, lane after lane.
        b: The same of B.
        c: The same of C and D.
    """

    family: str
    m: int
    n: int
    k: int
    lanes: int
    element: str
    sum: str
    saturates: bool = False
    a: tuple[Place, ...]
    b: tuple[Place, ...]
    c: tuple[Place, ...]

    @property
    def name(self) -> str:
        """A name that no other instruction has."""
        return f"{self.family}_m{self.m}n{self.n}k{self.k}_{self.element}_{self.sum}{'_saturating' * self.saturates}"

    @property
    def fragment_bytes(self) -> tuple[int, int, int]:
        """Bytes that a lane holds of A, B and C.

        >>> find_mma(16, 8, 16, "f16", "f32").fragment_bytes
        (16, 8, 16)
        """
        width, wide = ELEMENT_BYTES[self.element], ELEMENT_BYTES[self.sum]
        a, b, c = (len(places) // self.lanes for places in (self.a, self.b, self.c))
        return a * width, b * width, c * wide


def _spread(lanes: int, elements: int, layout: _Layout) -> tuple[Place, ...]:
    return tuple(layout(lane, i) for lane in range(lanes) for i in range(elements))


# Operands of mma.sync. A register holds 32 bits: `each` neighbours along k. Rows g and g + 8 alternate between the
# registers of A; the second half of them, and of B's, lies `each * 4` further along k.


def _mma_a(each: int, registers: int) -> _Layout:
    def layout(lane: int, i: int) -> Place:
        group, part = lane // 4, lane % 4
        register = i // each
        row = group + 8 * (register % 2) if registers > 1 else group
        return row, part * each + i % each + 4 * each * (register // 2)

    return layout


def _mma_b(each: int) -> _Layout:
    def layout(lane: int, i: int) -> Place:
        group, part = lane // 4, lane % 4
        return part * each + i % each + 4 * each * (i // each), group

    return layout


def _mma_c(lane: int, i: int) -> Place:
    group, part = lane // 4, lane % 4
    return group + 8 * (i // 2), part * 2 + i % 2


_MMA = {
    ("f16", "f32"): (8, 16),
    ("f16", "f16"): (8, 16),
    ("bf16", "f32"): (8, 16),
    ("tf32", "f32"): (4, 8),
    ("i8", "i32"): (16, 32),
    ("f64", "f64"): (4,),
}
"""Extents of k, by the types of element and sum."""


@cache
def find_mma(m: int, n: int, k: int, element: str, sum_type: str) -> MatrixInstruction | None:
    """Return NVIDIA's `mma.sync.aligned.m<m>n<n>k<k>.row.col`, or None where there is no such one.

    Integers wrap.
    """
    rows = 8 if element == "f64" or (element, m, k) == ("i8", 8, 16) else 16
    if k not in _MMA.get((element, sum_type), ()) or (m, n) != (rows, 8):
        return None
    each = max(1, 4 // ELEMENT_BYTES[element])
    registers = rows * k // 32 // each
    return MatrixInstruction(
        family="mma",
        m=m,
        n=n,
        k=k,
        lanes=32,
        element=element,
        sum=sum_type,
        a=_spread(32, registers * each, _mma_a(each, registers)),
        b=_spread(32, 8 * k // 32, _mma_b(each)),
        c=_spread(32, rows * 8 // 32, _mma_c),
    )


_MFMA = {
    ("f16", "f32"): {(32, 8), (16, 16)},
    ("bf16", "f32"): {(32, 8), (16, 16)},
    ("f32", "f32"): {(32, 2), (16, 4)},
    ("i8", "i32"): {(32, 8), (16, 16), (32, 16), (16, 32)},
    ("f64", "f64"): {(16, 4)},
}
"""Extents of m (and n) and k, by the types of element and sum."""


@cache
def find_mfma(m: int, n: int, k: int, element: str, sum_type: str) -> MatrixInstruction | None:
    """Return AMD's `v_mfma_<sum>_<m>x<n>x<k>_<element>` with one block, or None where there is no such one."""
    if m != n or (m, k) not in _MFMA.get((element, sum_type), ()):
        return None
    each = m * k // 64

    def operand(lane: int, i: int) -> Place:
        return lane % m, each * (lane // m) + i

    def result(lane: int, i: int) -> Place:
        if element == "f64":
            return 4 * i + lane // 16, lane % 16
        return 8 * (i // 4) + 4 * (lane // m) + i % 4, lane % m

    a = _spread(64, each, operand)
    return MatrixInstruction(
        family="mfma",
        m=m,
        n=n,
        k=k,
        lanes=64,
        element=element,
        sum=sum_type,
        a=a,
        b=_transposed(a),
        c=_spread(64, m * n // 64, result),
    )


WMMA_ROWS, WMMA_EACH = 16, 8
"""Rows and columns of wmma's matrices; elements that a lane holds."""


@cache
def find_wmma(element: str, sum_type: str) -> MatrixInstruction | None:
    """Return NVIDIA's `wmma.mma.sync.m16n16k16`, or None where there is no such one.

    Its fragments have no specified layout: of A, B and C a lane holds half a row.
    """
    if (element, sum_type) not in (("f16", "f32"), ("f16", "f16")):
        return None

    def layout(lane: int, i: int) -> Place:
        return lane // 2, lane % 2 * WMMA_EACH + i

    places = _spread(32, WMMA_EACH, layout)
    return MatrixInstruction(
        family="wmma",
        m=WMMA_ROWS,
        n=WMMA_ROWS,
        k=WMMA_ROWS,
        lanes=32,
        element=element,
        sum=sum_type,
        a=places,
        b=places,
        c=places,
    )


def _transposed(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple((column, row) for row, column in places)
