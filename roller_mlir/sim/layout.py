# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records that the compiled runtime and its Python side share: slot numbers, thread states, faults.

A launch and each resident block own one record, an array of 64-bit slots. `runtime_ir` reads and writes the slots in
compiled code, `launch` fills them through numpy.
"""

from enum import IntEnum


class Launch(IntEnum):
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
    SIZE = 40


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
    SIZE = 25


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


class Fault(IntEnum):
    """Why a launch stopped."""

    ACCESS = 1  # an index outside its memref, or an address that is not aligned as promised
    VIEW = 2  # a view outside its memory
    POINTER = 3  # a bare pointer outside every buffer
    DIVERGENT_BARRIER = 4
    DIVERGENT_SUBGROUP = 5
    SPINS = 6
    TIMEOUT = 7


class Outcome(IntEnum):
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


COUNTER_COUNT = len(Counter)
FAULT_VALUE_COUNT = 16
SECTOR_BYTES = 32
TABLE_SIZE = 1024  # a power of two, twice the keys of the widest access: 64 lanes x (16 bytes: up to 8 words)
TICKS_PER_CLOCK = 1 << 16
ADDRESS_BITS = 48
MAXIMUM_SUBGROUP = 64
