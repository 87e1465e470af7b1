# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records of what a Hopper block does beside its threads: mbarriers, bulk copies, products of warpgroups.

Happens-before is kept as clocks: one a warp says up to where it knows of every other warp's memory accesses and bulk
stores, of each warpgroup's finished groups of products, and of each mbarrier's finished phases. An arrival adds the
warp's clock to the phase, a wait adds the phase's to the warp's. What a thread knows of other blocks goes along.
"""

from enum import IntEnum, IntFlag

from roller_mlir.plan.tensor_maps.fields import ELEMENT_CODES, SWIZZLE_CODES, MapField

WARP = 32
WARPGROUP = 128
MOST_WARPS = 32
MOST_GROUPS = MOST_WARPS * WARP // WARPGROUP
MOST_MBARRIERS = 64
MOST_BULK_COPIES = 256
MOST_WEBS = 64
MOST_MADE_MAPS = 64
NAMED_BARRIERS = 16
GRANULE_BYTES = 16

CLOCK_GROUPS = MOST_WARPS  # where the entries of warpgroups start in a clock
CLOCK_MBARRIERS = CLOCK_GROUPS + MOST_GROUPS
CLOCK_STORES = CLOCK_MBARRIERS + MOST_MBARRIERS  # of each warp, how many of its bulk stores have finished
CLOCK_PROXIED = CLOCK_STORES + MOST_WARPS  # of each warp, up to when a proxy fence stands behind what is known of it
CLOCK_PROXIED_GLOBAL = CLOCK_PROXIED + MOST_WARPS  # the same of proxy fences for global memory
CLOCK_GRID = CLOCK_PROXIED_GLOBAL + MOST_WARPS  # a clock of the sanitizer: what is known of other blocks; 0: nothing
CLOCK_WORDS = CLOCK_GRID + 1

WINDOW_BYTES = 1 << 18
"""Addresses of workgroup memory take 18 bits in matrix descriptors; each block's arena lies in a window of its own."""

RESERVED_BYTES = 1024
"""Workgroup memory that the hardware keeps at the start of the window for itself."""

MOST_TRANSACTIONS = (1 << 20) - 1
MOST_ARRIVALS = (1 << 20) - 1
REGISTERS = 1 << 16
MOST_RANK = 5
MBARRIER_MARK = 0x6D62_6172  # the upper half of an mbarrier's word in memory; the lower one is its number


class ProxySpace(IntFlag):
    """Memory that a proxy fence is for."""

    WORKGROUP = 1
    GLOBAL = 2


class AsyncUnits(IntEnum):
    """Slots of the record of one resident block."""

    KNOWN = 0  # address of int64[warps][CLOCK_WORDS]
    WAITS = 1  # address of int64[threads][2]: number of the mbarrier or barrier that the thread waits for, parity
    MBARRIERS = 2  # address of int64[MOST_MBARRIERS][MBARRIER_WORDS]
    MBARRIER_COUNT = 3
    COPIES = 4  # address of int64[MOST_BULK_COPIES][len(BulkCopy)], oldest first
    COPY_COUNT = 5
    GRANULES = 6  # address of int64[granules of the arena][Granule.READERS + GROUP_COUNT]
    NAMED = 7  # address of int64[NAMED_BARRIERS + 1][NAMED_WORDS], the last one for the clock of the cluster's barrier
    GROUPS = 8  # address of int64[GROUP_COUNT][GROUP_WORDS]
    GROUP_COUNT = 9
    OPERANDS = 10  # address of int64[threads]: where the thread's accumulators are
    SCRATCH = 11  # address of the memory in which products are made
    WARPS = 12
    CLUSTER_PHASE = 13  # address of int64[threads]: arrivals of the thread at the barrier of the cluster
    CLUSTER_ARRIVED = 14
    CLUSTER_DONE = 15  # phases of the barrier of the cluster that are complete
    MAPS = 16  # address of int64[MAP_COUNT]: addresses of the tensor maps
    MAP_COUNT = 17
    PROXY_FENCES = 18  # address of int64[2][threads]: when it last passed a proxy fence for workgroup, global memory
    STORES = 19  # address of int64[warps]: bulk stores that threads of the warp have issued
    MADE_MAPS = 20  # address of int64[MOST_MADE_MAPS][MadeMap.SIZE]: tensor maps in device memory that were acquired
    MADE_COUNT = 21
    MAP_FENCES = 22  # address of int64[MOST_MADE_MAPS][threads]: when the thread acquired it; 0: never
    DESCRIBED = 23  # address of DescribedMaps, of the launch; 0: no kernel says what it makes
    SIZE = 24


class Granule(IntEnum):
    """Columns of a granule of workgroup memory."""

    COPY = 0  # the copy that writes it: number of its mbarrier << 32 | complete phases once it has landed; 0: none
    WRITE = 1  # sanitized: the last write by a thread: time << 10 | thread; 0: none since the copy
    STORE = 2  # the bulk store that reads it: warp << 32 | its number among the warp's; 0: none
    READERS = 3  # of each warpgroup the last group of products that reads it


class Mbarrier(IntEnum):
    """Columns of an mbarrier; behind them the clock that arrivals collect, and the last complete phase's."""

    ADDRESS = 0  # 0: none any more
    EXPECTED = 1  # arrivals of a phase
    PENDING = 2  # arrivals that are missing
    TRANSACTIONS = 3  # bytes that are missing
    PHASE = 4  # phases that are complete
    TESTED = 5  # 1: somebody found the phase incomplete, and goes on asking
    OWNER = 6  # the warp that initialised it
    STARTED = 7  # when it did
    SIZE = 8


class BulkCopy(IntEnum):
    """Columns of a bulk copy under way."""

    SITE = 0
    THREAD = 1
    KIND = 2  # a CopyKind
    MBARRIER = 3  # number of the mbarrier that it completes on; -1: none
    GROUP = 4  # of a store: 0: in no group yet, else its own and those that were made after it
    MAP = 5  # address of the tensor map, or of the global memory
    SHARED = 6  # address in workgroup memory
    BYTES = 7
    X = 8  # coordinates, innermost first
    OFFSETS = 13  # im2col offsets, innermost first
    NUMBER = 16  # of a store: among those of its warp
    SIZE = 17


class CopyKind(IntEnum):
    """What a bulk copy does."""

    TENSOR_LOAD = 0
    LOAD = 1
    TENSOR_STORE = 2
    STORE = 3


class TensorMapRecord(IntEnum):
    """Columns of a tensor map; dimensions are innermost first."""

    BASE = 0  # address
    RANK = 1
    ELEMENT_BYTES = 2
    SWIZZLE = 3  # bits 4..6 of an address that change with bits 7..9
    BYTES = 4  # of a box in workgroup memory
    ROUNDS = 5  # 1: f32 are rounded to tf32 on the way to workgroup memory
    PIXELS = 6  # im2col: pixels of a column; 0: tile mode
    EXTENT = 7
    STRIDE = 12  # bytes
    BOX = 17  # elements of a box, those that the steps leave out not counted
    STEP = 22
    LOWER = 27  # im2col: corners of the box of pixels
    UPPER = 30
    SIZE = 33


class MadeMap(IntEnum):
    """Columns of a tensor map in device memory, as it was when it was last acquired."""

    ADDRESS = 0
    PUBLISHED = 1  # the time that stood in it
    RECORD = 2  # TensorMapRecord
    SIZE = 2 + TensorMapRecord.SIZE


class DescribedMaps(IntEnum):
    """What a kernel says of the tensor maps that it makes."""

    FIRST = 0  # address of the buffer
    END = 1
    COUNT = 2  # maps of a block
    FIELDS = 3  # int64[COUNT][MAP_FIELDS]; UNSAID where nothing is said


UNSAID = -1
MAP_WORDS = 32
"""Of 32 bits, of a tensor map in memory, which has a layout of the simulator's own: fields of 64 bits, the others, and
then:"""
MAP_SET_WORD, MAP_TIME_WORD = 30, 31
"""Which fields have been written, a bit each; when it was published, 0: never."""


class MapFault(IntEnum):
    """What is wrong with a tensor map that a kernel makes."""

    ALIGNMENT = 0  # an address is no multiple of 128
    NOT_ZERO = 1  # the memory was not zeroed before
    UNPUBLISHED = 2  # nobody has copied a map there
    MISSING = 3  # a field that its rank needs was not written
    VALUE = 4  # a field has a value that the hardware does not take, or the simulator does not know
    OUTSIDE = 5  # the array is not in one argument
    DIFFERS = 6  # a field is not as the kernel says it
    UNFENCED = 7  # it is used by a thread that no acquire is ordered before
    COUNT = 8  # more than there is room for


def _rules() -> dict[int, tuple[int, int, int]]:
    found = {
        int(MapField.global_address): (16, (1 << 57) - 16, 16),
        **{MapField.global_stride + axis: (16, (1 << 40) - 16, 16) for axis in range(MOST_RANK - 1)},
        **{MapField.global_dim + axis: (1, (1 << 32) - 1, 1) for axis in range(MOST_RANK)},
        **{MapField.box_dim + axis: (1, 256, 1) for axis in range(MOST_RANK)},
        **{MapField.element_stride + axis: (1, 8 if axis else 1, 1) for axis in range(MOST_RANK)},
    }
    last = (MOST_RANK - 1, max(ELEMENT_CODES.values()), 0, max(SWIZZLE_CODES.values()), 0)
    return found | {MapField.rank + number: (0, high, 1) for number, high in enumerate(last)}


VALUE_RULES = _rules()
"""Least and greatest value of each element of a tensor map, and what it is a multiple of."""


class NamedBarrier(IntEnum):
    """Columns of a named barrier; behind them its clock."""

    ARRIVED = 0
    EXPECTED = 1
    SITE = 2
    SIZE = 3


class WarpgroupRecord(IntEnum):
    """Columns of a warpgroup."""

    ARRIVED = 0
    SITE = 1
    DESCRIPTOR_A = 2
    DESCRIPTOR_B = 3
    COMMITTED = 4  # groups of products
    COMPLETED = 5
    FENCED = 6
    REGISTERS = 7  # of a thread; 0: as the launch gave them
    WEBS = 8  # int64[MOST_WEBS]: the last group of products on each web of accumulators
    SIZE = 8 + MOST_WEBS


class OperandElement(IntEnum):
    """Types of the elements of operands of products."""

    F16 = 0
    BF16 = 1
    TF32 = 2
    S8 = 3
    U8 = 4


ELEMENT_BYTES = {
    OperandElement.F16: 2,
    OperandElement.BF16: 2,
    OperandElement.TF32: 4,
    OperandElement.S8: 1,
    OperandElement.U8: 1,
}


class Sum(IntEnum):
    """Types of accumulators."""

    F32 = 0
    F16 = 1
    S32 = 2


ELEMENTS = {
    "f16": OperandElement.F16,
    "bf16": OperandElement.BF16,
    "tf32": OperandElement.TF32,
    "s8": OperandElement.S8,
    "u8": OperandElement.U8,
}
SUMS = {"f32": Sum.F32, "f16": Sum.F16, "s32": Sum.S32}
"""By their names in PTX."""

K_BYTES = 32
"""Of one product."""


def multiplies(left: str, right: str, total: str) -> bool:
    """Return whether there are products of two such elements with such sums, named as in PTX.

    >>> multiplies("s8", "u8", "s32"), multiplies("f16", "f16", "f16")
    (True, True)
    >>> multiplies("f16", "bf16", "f32"), multiplies("bf16", "bf16", "f16"), multiplies("e4m3", "e4m3", "f32")
    (False, False, False)
    """
    if {left, right} <= {"s8", "u8"}:
        return total == "s32"
    return left == right and left in ELEMENTS and (total == "f32" or (left, total) == ("f16", "f16"))


class ProductField(IntEnum):
    """Places of the fields in the word that describes a product."""

    N = 0  # 12 bits
    A = 12  # an OperandElement, 4 bits
    B = 16
    SUM = 20
    A_TRANSPOSED = 24  # M is the inner axis
    B_TRANSPOSED = 25  # N is the inner axis
    NEGATIVE = 26  # the product is subtracted
    WEB = 32  # 16 bits
    K = 48  # 8 bits


MBARRIER_WORDS = Mbarrier.SIZE + 2 * CLOCK_WORDS
NAMED_WORDS = NamedBarrier.SIZE + CLOCK_WORDS
SCRATCH_WORDS = 64 * 32 + 32 * 256 + 64 * 256
