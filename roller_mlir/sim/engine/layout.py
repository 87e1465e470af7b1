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
    POOL = 48  # sanitized: 1 where blocks can order each other, so that there are clocks (`clock_pool_ir`)
    COPY_CAPACITY = 49  # asynchronous copies that a thread may have under way
    SITE_GROUPS = 50  # sanitized: address of int64[sites]: the first site with the same label, whose reports are one
    RECORDS = 51  # with POOL: address of int64[BLOCKS]: the record that runs, or ran, a block
    MACHINE_START = 52  # address of a function (launch, block), called when a block starts; 0: none
    MACHINE_BARRIER = 53  # ... when all threads of a block have reached a barrier
    MACHINE_ADVANCE = 54  # ... when nothing in a block can go on: 1 where it made something go on, 2 at a fault
    MACHINE_TOUCHED = 55  # ... of the access (block, site, address, bytes, touch) in sanitized launches
    CLOCK_BYTES = 56  # of a clock with its head
    POOL_NEXT = 57  # address of the first clock that nobody has used
    POOL_LEFT = 58  # how many of those there are
    POOL_FREE = 59  # address of a clock that nobody uses any more; 0: none
    POOL_SPARE = 60  # address of the clock that is given where there is no other; the launch ends then
    PLACES = 61  # address of int64[a power of two][len(Place)]: what was released at each address
    PLACE_BITS = 62  # log2 of their number
    JOINED = 63  # address of int64[3]: two clocks and the last one that was made of both
    PROMOTED = 64  # address of int64[2]: a clock and the last one that was made of it by a proxy fence
    NARROW = 65  # 1: some operation orders the threads of its block alone
    SITE_PROXIES = 66  # address of int64[sites]: 1 where the site moves bytes by the asynchronous proxy
    POLL_BYTES = 67  # of the POLLS of a block; 0: nothing is noted
    BEFORE = 68  # sanitized: address of uint8[REGION_BYTES >> GRANULE]: Before; 0: the launches before have ended
    SIZE = 69


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
    CLOCK = 35  # a clock: what all threads of the block know since the last barrier; 0: nothing
    CLOCKS = 36  # address of int64[threads][len(ThreadClock)]: what single threads know beyond that
    LEARNT_NEW = 37  # 1: some thread does
    SNAPSHOTS = 38  # address of int64[2 * threads + 1][snapshot_words]: what each knew at its last two kinds of fence
    GATHERED = 39  # a clock that is being joined
    RELEASED = 40  # address of int64[threads]: until when its accesses have been released
    JOBS = 41  # address of int64[threads][len(Job)]: what the threads of a subgroup do together where they wait
    MACHINE = 42  # address of the record of what goes on beside the threads (`hopper.layout`); 0: nothing does
    POLLS = 43  # address of int64[threads][len(Poll)]: what the thread's last turn of a spin loop looked at
    LAST = 44  # the block that the record ran last
    WAITED = 45  # address of int64[threads]: when the thread waited for the launches before
    SIZE = 46


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
    CLOCKS = 11  # the sanitizer has no room for more clocks
    SPAN = 20  # of the LLVM level: an access outside the argument or variable that its address comes from
    ALIGNMENT = 21  # ... an address that is not aligned as promised
    PROMISE = 22  # ... what `llvm.assume` or `unreachable` promised does not hold
    DIVISION = 23  # ... an integer divided by 0
    # Of what goes on beside the threads: see `hopper.faults`.
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
    MADE_MAP = 60  # a tensor map that a kernel makes itself: see `MapFault`


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
    ASYNC = 128  # a read beside the threads, of which `hopper.layout` keeps what later writes must know
    BLOCK_SCOPE = 256  # of an atomic operation or fence: it orders the threads of its block alone
    PROBE = 512  # of a copy by the asynchronous proxy, where it is issued: checked, not noted
    BLIND = 1024  # an atomic operation whose result nobody uses: it learns nothing, as a `red` of PTX


UNUSED_SHIFT, ELEMENT_SHIFT = 15, 11
"""Above a Touch: log2 of the bytes of an element, and a bit for each element whose content nobody uses."""


def shadow_access_word(access: ShadowAccess, element_bytes: int, unused: int) -> int:
    """Return an access as the sanitizer takes it.

    >>> hex(shadow_access_word(ShadowAccess.READ, 4, 0b1010))
    '0x51004'
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
    MISSING_PROXY_FENCE = 6
    BEFORE_WAIT = 7


class Before(IntFlag):
    """What launches that may still run do to the bytes of a cell."""

    WRITTEN = 1
    READ = 2


class ClockHead(IntEnum):
    """Words before the entries of a clock; clocks are shared, and changed in place only where one slot has them."""

    REFERENCES = 0  # slots that hold the clock
    NEXT = 1  # of a clock that nobody uses: the next such one


class ClockEntry(IntEnum):
    """Words of what is known of a subgroup of the grid: each orders accesses up to a time."""

    ALL = 0  # all accesses before this time
    SOME = 1  # those that a thread had released up to this time
    FENCED = 2  # behind accesses before this time a proxy fence stands in the block that made them
    SEEN = 3  # behind what is known of those before this time stands one where it became known


class Place(IntEnum):
    """Words of an address at which something was released."""

    ADDRESS = 0  # 0: none
    CLOCK = 1  # what whoever acquires there learns; 0: nothing
    BLOCK_CLOCK = 2  # what the threads of one block learn
    OWNER = 3  # that block


class ThreadClock(IntEnum):
    """Words of what a thread knows beyond its block: clocks, 0: nothing."""

    OWN = 0
    PENDING = 1  # read by relaxed operations: known after a fence
    BLOCK_PENDING = 2  # the same of its own block: known after any fence


class KnownThen(IntEnum):
    """Words of what a thread knew at a time; behind them of each subgroup of its block ALL, then of each FENCED."""

    TIME = 0  # 0: none
    BLOCK_CLOCK = 1
    OWN = 2
    SIZE = 3


class Poll(IntEnum):
    """Words of what a turn of a spin loop looked at."""

    SITE = 0  # of the loop, plus 1; 0: no turn was noted
    ADDRESS = 1
    WIDTH = 2  # bytes
    VALUE = 3
    WANTED = 4
    RELATION = 5  # number of arith's predicate by which VALUE and WANTED keep the loop going
    GIVEN = 6  # a bit for each of WATCHED that has been given
    WATCHED = 7  # values that the kernel has marked, one each


MOST_WATCHED = 8
POLL_WORDS = Poll.WATCHED + MOST_WATCHED
SWAPPED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
NEGATED = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
"""By arith's predicates: with the operands exchanged, and the opposite."""


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
MOST_CLOCK_BYTES = 1 << 30  # memory for clocks; only what is used is taken
CLOCK_VECTOR = 8  # words of a clock that are joined at once; its size is a multiple
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
