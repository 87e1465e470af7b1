# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled counter: turns the threads' logs of accesses into accesses of subgroups, sectors and bank phases.

Threads log (site, address) in the order in which they run. When a subgroup's lanes wait, their logs are merged as
hardware would issue them: of the lanes' next records the smallest site goes first, for all lanes that are at it. Sites
are numbered in program order, so that lanes that skip an access, leave a loop early or take another branch come
together again behind it. In a loop with branches each iteration ends with a record of its own, at which lanes that
skipped the rest wait for the others: as on hardware, no lane is an iteration ahead. Merging stops at a lane that is
out of records but was stopped only by its full log or by the clock: what it would have logged next may come first.
"""

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import Block, Counter, LaunchRecord, SiteSpec, Space
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.structured import I8, I64, VOID, Value, function

_LANES = layout.MAXIMUM_SUBGROUP
_NO_SITE = 1 << 17
_HASH = 0x9E3779B97F4A7C15 - (1 << 64)


def _insert(runtime: Runtime) -> Value:
    """Emit insert(launch, key) -> 1 where the key is new in this generation. Open addressing; 16 bytes an entry."""
    code, launch, key = function(runtime.module, PREFIX + "insert", 2, inline=True)
    table, generation = launch[LaunchRecord.TABLE, LaunchRecord.GENERATION]
    place = code.variable((key * _HASH) >> (65 - layout.TABLE_SIZE.bit_length()))
    known = code.variable(0)

    def taken() -> Value:
        entry = place.get() * 2
        used = table[entry] == generation
        same = table[entry + 1] == key
        known.set(code.wide(used & same))
        return used & ~same

    with code.loop(taken):
        place.set((place.get() + 1) & (layout.TABLE_SIZE - 1))
    entry = place.get() * 2
    table[entry] = generation
    code.write(table, entry + 1, key)
    return code.end(known.get() ^ 1)


def _renew(launch: Value) -> Value:
    """Empty the set of keys, by a new generation."""
    generation = launch[LaunchRecord.GENERATION] + 1
    launch[LaunchRecord.GENERATION] = generation
    return generation


def _count_sectors(runtime: Runtime, insert: Value) -> Value:
    """Emit sectors(launch, counters, addresses, width): sectors touched, and how few could hold the distinct bytes."""
    code, launch, counters, addresses, width = function(runtime.module, PREFIX + "sectors", 4, VOID, internal=True)
    shift = code.value(layout.SECTOR_BYTES.bit_length() - 1)
    sectors, distinct = code.variable(0), code.variable(0)
    for key_of_bytes in (False, True):
        _renew(launch)
        with code.count(0, _LANES) as lane:
            address = addresses[lane]
            with code.when(address >= 0):
                if key_of_bytes:
                    distinct.add(code.call(insert, launch, address))
                else:
                    with code.count(address >> shift, ((address + width - 1) >> shift) + 1) as sector:
                        sectors.add(code.call(insert, launch, sector))
    full = distinct.get() * width + (layout.SECTOR_BYTES - 1)
    counters[Counter.SECTORS] += sectors.get()
    counters[Counter.IDEAL] += full >> shift
    return code.end()


def _count_phases(runtime: Runtime, insert: Value) -> Value:
    """Emit phases(launch, counters, addresses, width, groups): of each group of lanes the most words of a bank."""
    code, launch, counters, addresses, width, groups = function(
        runtime.module, PREFIX + "phases", 5, VOID, internal=True
    )
    banks, bank_bytes, bank_table = launch[LaunchRecord.BANKS, LaunchRecord.BANK_BYTES, LaunchRecord.BANK_TABLE]
    phases, ideal, group = code.variable(0), code.variable(0), code.variable(0)
    most = code.variable(0)
    with code.loop(lambda: groups[group.get()] > 0):
        generation = _renew(launch)
        most.set(0)
        first = group.get() + 1
        end_of_group = first + groups[group.get()]
        with code.count(first, end_of_group) as place:
            address = addresses[groups[place]]
            with code.when(address >= 0):
                end = (address + width - 1) // bank_bytes + 1
                with code.count(address // bank_bytes, end) as word, code.when(code.call(insert, launch, word) != 0):
                    entry = word % banks * 2
                    count = entry + 1
                    words = code.select(bank_table[entry] != generation, 0, bank_table[count]) + 1
                    bank_table[entry] = generation
                    bank_table[count] = words
                    with code.when(words > most.get()):
                        most.set(words)
        phases.add(most.get())
        ideal.add(code.wide(most.get() > 0))
        group.set(end_of_group)
    counters[Counter.PHASES] += phases.get()
    counters[Counter.IDEAL] += ideal.get()
    return code.end()


def emit_counter(runtime: Runtime) -> Value:
    """Emit flush(launch, block, first, end): count the logs of one subgroup as far as they are complete."""
    insert = _insert(runtime)
    sectors, phases = _count_sectors(runtime, insert), _count_phases(runtime, insert)
    code, launch, block, first, end = function(runtime.module, PREFIX + "flush", 4, VOID, internal=True)
    capacity, specs, all_counters = launch[LaunchRecord.LOG_CAPACITY, LaunchRecord.SITE_SPECS, LaunchRecord.COUNTERS]
    log, lengths, states = block[Block.LOG, Block.LOG_LENGTH, Block.STATE]
    cursors, addresses, unfinished = (code.address(code.builder.alloca(I64, size=_LANES)) for _ in range(3))
    lanes = end - first
    shift, one = code.value(layout.ADDRESS_BITS), code.value(1)
    with code.count(0, _LANES) as lane:
        cursors[lane] = 0
        addresses[lane] = -1
    with code.count(0, lanes) as lane:
        unfinished[lane] = code.wide(code.is_stopped(code.read(states, first + lane, I8)))

    def record(lane: Value) -> tuple[Value, Value]:
        """Return whether the lane has a record left, and the place of that record."""
        thread = first + lane
        return cursors[lane] < lengths[thread], thread * capacity + cursors[lane]

    site = code.variable(0)

    def next_site() -> Value:
        site.set(_NO_SITE)
        blocked = code.variable(0)
        with code.count(0, lanes) as lane:
            left, place = record(lane)
            with code.if_else(left) as (some, none):
                with some:
                    found = log[place] >> shift
                    with code.when(found < site.get()):
                        site.set(found)
                with none:
                    blocked.set(blocked.get() | unfinished[lane])
        return (site.get() < _NO_SITE) & (blocked.get() == 0)

    with code.loop(next_site):
        active = code.variable(0)
        with code.count(0, lanes) as lane:
            addresses[lane] = -1
            left, place = record(lane)
            with code.when(left):
                entry = log[place]
                with code.when((entry >> shift) == site.get()):
                    addresses[lane] = entry & ((1 << layout.ADDRESS_BITS) - 1)
                    cursors[lane] += one
                    active.add(1)
        counters = all_counters + site.get() * (8 * layout.COUNTER_COUNT)
        counters[Counter.ACCESSES] += one
        counters[Counter.LANES] += active.get()
        spec = specs + site.get() * (8 * len(SiteSpec))
        space, width, groups = spec[SiteSpec.SPACE, SiteSpec.WIDTH, SiteSpec.GROUPS]
        with code.when(space == Space.GLOBAL):
            code.call(sectors, launch, counters, addresses, width)
        with code.when(space == Space.WORKGROUP):
            code.call(phases, launch, counters, addresses, width, groups)
    with code.count(0, lanes) as lane:
        thread, used = first + lane, cursors[lane]
        kept = lengths[thread] - used
        start = thread * capacity
        with code.count(0, kept) as number:
            place = start + number
            log[place] = log[place + used]
        lengths[thread] = kept
    return code.end()
