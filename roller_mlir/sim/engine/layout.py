# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records that the compiled runtime and its Python side share: slot numbers, thread states, faults.

A launch and each resident block own one record, an array of 64-bit slots. `runtime_ir` reads and writes the slots in
compiled code, `launch` fills them through numpy.
"""

from enum import IntEnum, IntFlag


class LaunchRecord(IntEnum):
    """Slots of the record of one launch."""

    ENTRY = 0  # address of the kernel's entry: void (block record, thread)
    ARGUMENTS = 1  # address of the kernel's arguments, 8 bytes each
    THREADS = 2  # threads of a block
    SUBGROUP = 3  # threads of a subgroup
    GRID_X = 4
    GRID_Y = 5
    GRID_Z = 6
    BLOCK_X = 7
    BLOCK_Y = 8
    BLOCK_Z = 9
    ARENA_BYTES = 10  # workgroup memory of a block
    DYNAMIC_BYTES = 11  # its dynamic part, at the end
    DEADLINE_NS = 12  # on the monotonic clock
    RANDOM = 13  # state of the generator that shuffles; 0: ascending order
    RESIDENT = 14  # block records
    BLOCKS = 15  # blocks of the grid
    NEXT = 16  # blocks started so far
    BLOCK_ORDER = 17  # address of int64[BLOCKS]
    CONTEXTS = 18  # address of the block records
    CONTEXT_ORDER = 19  # address of int64[RESIDENT]
    SWEEP = 20  # 1: subgroups and blocks take turns after each wait; 0: they run ahead as far as they can
    IDLE_LIMIT = 21  # rounds in which every thread only spins before the launch is given up
    FAULT = 22  # a Fault, 0: none
    FAULT_SITE = 23
    FAULT_THREAD = 24
    FAULT_CONTEXT = 25
    FAULT_VALUES = 26  # address of int64[FAULT_VALUE_COUNT]
    STACK_BYTES = 27
    LOG_CAPACITY = 28  # records per thread; 0: accesses are not counted
    SITE_SPECS = 29  # address of int64[sites][SiteSpec]
    COUNTERS = 30  # address of int64[sites][COUNTER_COUNT]
    BANKS = 31
    BANK_BYTES = 32
    TABLE = 33  # address of int64[2 * TABLE_SIZE], the counter's set of keys
    GENERATION = 34  # of the entries of TABLE
    BANK_TABLE = 35  # address of int64[2 * BANKS]
    RANGES = 36  # address of int64[RANGE_COUNT][2]: begin, end of every argument
    RANGE_COUNT = 37
    SUBGROUPS = 38  # subgroups of a block, the last one maybe not full
    TIME = 39  # grows at whatever orders accesses: starts of blocks, barriers, waits of subgroups, releases
    REGION = 40  # sanitized: address of the memory that holds all array arguments
    REGION_BYTES = 41
    CELLS = 42  # sanitized: address of int64[REGION_BYTES >> GRANULE][CELL_WORDS]; 0: not sanitized
    GRANULE = 43  # log2 of the bytes that one cell stands for
    KNOWN = 44  # address of uint8[REGION_BYTES >> PAGE_BITS]: 1 where memory holds what the caller gave
    REPORTS = 45  # address of int64[MOST_REPORTS][len(Report)]
    REPORT_COUNT = 46
    REPORTS_LOST = 47  # 1: there were more pairs of sites than reports
    PLACE_CLOCKS = 48  # address of int64[CLOCK_PLACES][BLOCKS][CLOCK_WORDS]; 0: blocks never order each other
    COPY_CAPACITY = 49  # asynchronous copies that a thread may have under way
    SITE_GROUPS = 50  # sanitized: address of int64[sites]: the first site with the same label, whose reports are one
    RECORDS = 51  # with PLACE_CLOCKS: address of int64[BLOCKS]: the record that runs, or ran, a block
    MACHINE_START = 52  # address of a function (launch, block), called when a block starts; 0: none
    MACHINE_BARRIER = 53  # ... when all threads of a block have reached a barrier
    MACHINE_ADVANCE = 54  # ... when nothing in a block can go on: 1 where it made something go on, 2 at a fault
    MACHINE_TOUCHED = 55  # ... of the access (block, site, address, bytes, touch) in sanitized launches
    SIZE = 56


class Block(IntEnum):
    """Slots of the record of one resident block."""

    LAUNCH = 0  # address of the launch's record
    NUMBER = 1  # the block's place in the grid; -1: none
    X = 2
    Y = 3
    Z = 4
    STATE = 5  # address of uint8[threads]: State
    SITE = 6  # address of int32[threads]: where the thread stopped last
    WIDTH = 7  # address of int32[threads]: lanes that the thread's shuffle needs
    STACK_POINTER = 8  # address of int64[threads]; 0: not started
    STACKS = 9  # address of the stacks
    ORDER = 10  # address of int64[threads]: the threads of each subgroup in turn, as its lanes run
    EXCHANGE = 11  # address of int64[2][threads]: what shuffles pass on
    PARITY = 12  # address of uint8[threads]: the half of EXCHANGE in use
    ARENA = 13  # address of the workgroup memory
    CURRENT = 14  # the running thread
    SCHEDULER = 15  # the scheduler's stack pointer
    TICKS = 16  # loop iterations until the clock is read
    PROGRESS = 17  # 1: a spin loop was left or a shuffle was released in this pass
    DONE = 18  # threads that had ended after the last pass
    LOG = 19  # address of int64[threads][LOG_CAPACITY]: site << 48 | address
    LOG_LENGTH = 20  # address of int64[threads]
    ARRIVED = 21  # threads at a barrier
    ARRIVAL_SITE = 22  # the barrier that the first of them reached
    MIXED = 23  # 1: another one reached another barrier
    SUBGROUP_ORDER = 24  # address of int64[SUBGROUPS]: the first thread of each subgroup, as the subgroups run
    WATCHED = 25  # address that the running atomic operation may change
    WATCHED_BITS = 26  # what was there before
    COPIES = 27  # address of int64[threads][COPY_CAPACITY][len(Copy)], oldest first
    COPY_COUNT = 28  # address of int64[threads]
    BARRIER_TIME = 29  # of the last barrier, or of the start
    STARTED = 30  # time of the start
    FIRST = 31  # first thread of the subgroup that runs
    SYNCED = 32  # address of int64[threads]: at a subgroup's first thread, when all its lanes waited for each other
    PARTIAL = 33  # address of int64[threads][2]: when some lanes did, and which (one bit a lane)
    CELLS = 34  # address of int64[ARENA_BYTES >> GRANULE][CELL_WORDS]; 0: not sanitized
    CLOCK = 35  # address of int64[BLOCKS][CLOCK_WORDS]: what of each block happened before the last barrier
    LEARNT = 36  # the same, with what threads acquired since then
    LEARNT_NEW = 37  # 1: LEARNT is ahead of CLOCK
    ACQUIRED = 38  # address of int64[threads]: when the thread last acquired
    FENCED = 39  # address of int64[threads]: when it last passed a fence
    RELEASED = 40  # address of int64[threads]: until when its accesses have been released
    JOBS = 41  # address of int64[threads][len(Job)]: what the threads of a subgroup do together where they wait
    MACHINE = 42  # address of the record of what goes on beside the threads (`hopper_layout`); 0: nothing does
    SIZE = 43


class State(IntEnum):
    """What a thread does."""

    READY = 0
    BARRIER = 1
    SUBGROUP = 2
    SPIN = 3
    DONE = 4
    FAULT = 5
    PREEMPTED = 6
    LOG_FULL = 7
    MBARRIER = 8
    NAMED_BARRIER = 9
    WARPGROUP = 10


class LaunchFault(IntEnum):
    """Why a launch stopped."""

    ACCESS = 1  # an index outside its memref, or an address that is not aligned as promised
    VIEW = 2  # a view outside its memory
    POINTER = 3  # a bare pointer outside every buffer
    DIVERGENT_BARRIER = 4
    DIVERGENT_SUBGROUP = 5
    SPINS = 6
    TIMEOUT = 7
    COPIES = 8  # more asynchronous copies under way than there is room for
    INCOMPLETE_SUBGROUP = 9  # an operation of a whole subgroup, in one that the end of the block cuts off
    MIXED_OPERANDS = 10  # lanes that differ in what an operation takes from all of them alike
    SPAN = 20  # of the LLVM level: an access outside the argument or variable that its address comes from
    ALIGNMENT = 21  # ... an address that is not aligned as promised
    PROMISE = 22  # ... what `llvm.assume` or `unreachable` promised does not hold
    DIVISION = 23  # ... an integer divided by 0
    # Of what goes on beside the threads: see `hopper_faults`.
    MBARRIER = 40  # no mbarrier has been initialised there
    MBARRIER_COUNT = 41  # more arrivals than a phase takes, or a count out of its range
    MBARRIER_DEADLOCK = 42  # a phase that can not complete any more
    TRANSACTIONS = 43  # a phase completes before a copy that counts on it
    WARPGROUP = 44  # not all threads of a warpgroup take part
    NAMED_BARRIER = 45  # a named barrier with an id or a count that does not fit
    OVERWRITES_READ = 46  # a copy overwrites what products may still read
    OVERWRITES_COPY = 47  # a copy overwrites what another one may still write
    READS_COPY = 48  # products read what a copy may still write
    DESCRIPTOR = 49  # a matrix descriptor that is not known, or leads outside the workgroup memory
    DESCRIPTORS_DIFFER = 50  # threads of a warpgroup give different operands
    ACCUMULATORS = 51  # a use of accumulators in flight
    FENCE = 52  # products without a fence of the registers before them
    TENSOR_MAP = 53  # no tensor map, or one that does not fit
    REGISTERS = 54  # counts of registers that do not fit
    BULK_COPY = 55  # an address or a size of a bulk copy that is not aligned, or outside its memory
    CLUSTER = 56  # what the simulator does not do with clusters
    MBARRIER_START = 57  # an mbarrier is used by a warp that its initialisation is not ordered before
    PROXY = 58  # a copy or a product reads what a thread wrote, without a proxy fence in between
    OVERWRITES_STORE = 59  # a thread or a copy overwrites what a bulk store may still read


class PassOutcome(IntEnum):
    """What one pass over a block's threads gave."""

    FINISHED = 0
    PROGRESS = 1
    SPINNING = 2
    FAULT = 3


class Counter(IntEnum):
    """Columns of the counters of a site."""

    ACCESSES = 0
    LANES = 1
    SECTORS = 2
    PHASES = 3
    IDEAL = 4


class SiteSpec(IntEnum):
    """Columns of what the counter knows of a site."""

    SPACE = 0  # a Space
    WIDTH = 1  # bytes that a lane moves
    GROUPS = 2  # workgroup memory: address of the lanes that are served together, each group behind its size, then a 0


class Space(IntEnum):
    """Memory that a site touches."""

    OTHER = 0
    GLOBAL = 1
    WORKGROUP = 2


class ShadowAccess(IntFlag):
    """What an access does to a byte, as the sanitizer sees it."""

    ATOMIC = 1
    PENDING = 2  # an asynchronous copy that nobody has waited for
    READ = 4
    WRITE = 8
    ACQUIRE = 16
    RELEASE = 32
    COMPLETE = 64  # the end of an asynchronous copy
    ASYNC = 128  # a read beside the threads, of which `hopper_layout` keeps what later writes must know


UNUSED_SHIFT, ELEMENT_SHIFT = 12, 8
"""Above a Touch: log2 of the bytes of an element, and a bit for each element whose content nobody uses."""


def shadow_access_word(access: ShadowAccess, element_bytes: int, unused: int) -> int:
    """Return an access as the sanitizer takes it.

    >>> hex(shadow_access_word(ShadowAccess.READ, 4, 0b1010))
    '0xa204'
    """
    told = unused & ((1 << 63 - UNUSED_SHIFT) - 1)
    return int(access) | (element_bytes.bit_length() - 1) << ELEMENT_SHIFT | told << UNUSED_SHIFT


class ShadowCell(IntEnum):
    """Words of a cell. An access is TIME << 28 | site << 12 | thread << 2 | (PENDING | ATOMIC)."""

    WRITER = 0  # the last write; 0: none
    READER = 1  # a read since then; 0: none
    OTHER_READER = 2  # another one, from as far away as there was one
    OWNERS = 3  # the blocks of the three, 21 bits each


class SanitizerReport(IntEnum):
    """Columns of what the sanitizer found."""

    KEY = 0  # Finding << 32 | group of the site << 16 | group of the other site
    COUNT = 1
    ACCESS = 2  # as in a cell
    OTHER = 3
    BLOCK = 4
    OTHER_BLOCK = 5
    OFFSET = 6  # bytes from the start of the arena or of the region
    SHARED = 7  # 1: of the arena


class Finding(IntEnum):
    """What the sanitizer finds without ending the launch."""

    READ_AFTER_WRITE = 1
    WRITE_AFTER_READ = 2
    WRITE_AFTER_WRITE = 3
    UNINITIALISED = 4
    UNFINISHED_COPY = 5


class Clock(IntEnum):
    """Words of what is known of a block: each orders accesses up to a time."""

    BARRIER = 0  # all accesses before this time
    RELEASE = 1  # those that a thread had released up to this time


class Copy(IntEnum):
    """Columns of an asynchronous copy."""

    SITE = 0
    TARGET = 1
    SOURCE = 2
    BYTES = 3
    SOURCE_BYTES = 4  # the rest of the target becomes 0
    GROUP = 5  # 0: in no group yet, else its own and those that were made after it


class SubgroupOp(IntEnum):
    """Words of what a subgroup does together: the scheduler calls it once when all lanes wait there."""

    FUNCTION = 0  # address of int64 (block record, first thread): 0, or 1 + a thread with other operands; 0: none
    X = 1  # operands of the lane, mostly addresses of its fragments
    Y = 2
    Z = 3


CELL_WORDS = len(ShadowCell)
CLOCK_WORDS = len(Clock)
CLOCK_PLACES = 64  # addresses of atomic operations are told apart modulo this
TIME_SHIFT, SITE_SHIFT, THREAD_SHIFT = 28, 12, 2
THREAD_MASK = 1023
OWNER_BITS = 21
FIRST_TIME = 2  # of a launch; what was there before has an earlier one
PAGE_BITS = 8  # arguments start at multiples of 256 bytes
MOST_REPORTS = 64
COUNTER_COUNT = len(Counter)
FAULT_VALUE_COUNT = 16
SECTOR_BYTES = 32
TABLE_SIZE = 1024  # a power of two, twice the keys of the widest access: 64 lanes x (16 bytes: up to 8 words)
TICKS_PER_CLOCK = 1 << 16
ADDRESS_BITS = 48
MAXIMUM_SUBGROUP = 64
