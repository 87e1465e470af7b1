# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled counter: turns the threads' logs of accesses into accesses of subgroups, sectors and bank phases.

Threads log (site, address) in the order in which they run. When a subgroup's lanes wait, their logs are merged as
hardware would issue them: of the lanes' next records the smallest site goes first, for all lanes that are at it. Sites
are numbered in program order, so that lanes that skip an access, leave a loop early or take another branch come
together again behind it. Merging stops at a lane that is out of records but was stopped only by its full log or by the
clock: what it would have logged next may come first.
"""

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import Block, Counter, LaunchRecord, SiteSpec, Space
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.structured import I8, I64, VOID, Code, Value

_LANES = layout.MAXIMUM_SUBGROUP
_NO_SITE = 1 << 17
_HASH = 0x9E3779B97F4A7C15 - (1 << 64)


def _insert(runtime: Runtime) -> Value:
    """insert(launch, key) -> 1 where the key is new in this generation. Open addressing; 16 bytes an entry."""
    code = Code(runtime.module, PREFIX + "insert", 2, inline=True)
    builder = code.builder
    launch, key = code.parameters
    table, generation = code.slots(launch, LaunchRecord.TABLE, LaunchRecord.GENERATION)
    bits = layout.TABLE_SIZE.bit_length() - 1
    place = code.variable(builder.lshr(builder.mul(key, code.value(_HASH)), code.value(64 - bits)))
    known = code.variable(0)

    def taken() -> Value:
        entry = builder.mul(place.get(), code.value(2))
        used = code.compare("==", code.read(table, entry), generation)
        same = code.compare("==", code.read(table, builder.add(entry, code.value(1))), key)
        known.set(builder.zext(builder.and_(used, same), I64))
        return builder.and_(used, builder.not_(same))

    with code.loop(taken):
        place.set(builder.and_(builder.add(place.get(), code.value(1)), code.value(layout.TABLE_SIZE - 1)))
    entry = builder.mul(place.get(), code.value(2))
    code.write(table, entry, generation)
    code.write(table, builder.add(entry, code.value(1)), key)
    return code.end(builder.xor(known.get(), code.value(1)))


def _renew(code: Code, launch: Value) -> Value:
    """Empty the set of keys, by a new generation."""
    generation = code.builder.add(code.read(launch, LaunchRecord.GENERATION), code.value(1))
    code.write(launch, LaunchRecord.GENERATION, generation)
    return generation


def _count_sectors(runtime: Runtime, insert: Value) -> Value:
    """sectors(launch, counters, addresses, width): sectors touched, and how few could hold the distinct bytes."""
    code = Code(runtime.module, PREFIX + "sectors", 4, VOID, internal=True)
    builder = code.builder
    launch, counters, addresses, width = code.parameters
    shift = code.value(layout.SECTOR_BYTES.bit_length() - 1)
    sectors, distinct = code.variable(0), code.variable(0)
    for key_of_bytes in (False, True):
        _renew(code, launch)
        with code.count(0, code.value(_LANES)) as lane:
            address = code.read(addresses, lane)
            with code.when(code.compare(">=", address, 0)):
                if key_of_bytes:
                    distinct.add(code.call(insert, launch, address))
                else:
                    last = builder.lshr(builder.sub(builder.add(address, width), code.value(1)), shift)
                    end = builder.add(last, code.value(1))
                    with code.count(builder.lshr(address, shift), end) as sector:
                        sectors.add(code.call(insert, launch, sector))
    full = builder.add(builder.mul(distinct.get(), width), code.value(layout.SECTOR_BYTES - 1))
    for column, value in ((Counter.SECTORS, sectors.get()), (Counter.IDEAL, builder.lshr(full, shift))):
        code.write(counters, column, builder.add(code.read(counters, column), value))
    return code.end()


def _count_phases(runtime: Runtime, insert: Value) -> Value:
    """phases(launch, counters, addresses, width, groups): for each group of lanes the most distinct words of a bank."""
    code = Code(runtime.module, PREFIX + "phases", 5, VOID, internal=True)
    builder = code.builder
    launch, counters, addresses, width, groups = code.parameters
    banks, bank_bytes, bank_table = code.slots(
        launch, LaunchRecord.BANKS, LaunchRecord.BANK_BYTES, LaunchRecord.BANK_TABLE
    )
    phases, ideal, group = code.variable(0), code.variable(0), code.variable(0)
    most = code.variable(0)
    with code.loop(lambda: code.compare(">", code.read(groups, group.get()), 0)):
        generation = _renew(code, launch)
        most.set(0)
        first = builder.add(group.get(), code.value(1))
        end_of_group = builder.add(first, code.read(groups, group.get()))
        with code.count(first, end_of_group) as place:
            address = code.read(addresses, code.read(groups, place))
            with code.when(code.compare(">=", address, 0)):
                last = builder.sub(builder.add(address, width), code.value(1))
                end = builder.add(builder.udiv(last, bank_bytes), code.value(1))
                with code.count(builder.udiv(address, bank_bytes), end) as word:
                    new = code.call(insert, launch, word)
                    with code.when(code.compare("!=", new, 0)):
                        entry = builder.mul(builder.urem(word, banks), code.value(2))
                        count = builder.add(entry, code.value(1))
                        fresh = code.compare("!=", code.read(bank_table, entry), generation)
                        before = builder.select(fresh, code.value(0), code.read(bank_table, count))
                        words = builder.add(before, code.value(1))
                        code.write(bank_table, entry, generation)
                        code.write(bank_table, count, words)
                        with code.when(code.compare(">", words, most.get())):
                            most.set(words)
        phases.add(most.get())
        ideal.add(builder.zext(code.compare(">", most.get(), 0), I64))
        group.set(end_of_group)
    for column, value in ((Counter.PHASES, phases.get()), (Counter.IDEAL, ideal.get())):
        code.write(counters, column, builder.add(code.read(counters, column), value))
    return code.end()


def emit_counter(runtime: Runtime) -> Value:
    """Emit flush(launch, block, first, end): count the logs of one subgroup as far as they are complete."""
    insert = _insert(runtime)
    sectors, phases = _count_sectors(runtime, insert), _count_phases(runtime, insert)
    code = Code(runtime.module, PREFIX + "flush", 4, VOID, internal=True)
    builder = code.builder
    launch, block, first, end = code.parameters
    capacity, specs, all_counters = code.slots(
        launch, LaunchRecord.LOG_CAPACITY, LaunchRecord.SITE_SPECS, LaunchRecord.COUNTERS
    )
    log, lengths, states = code.slots(block, Block.LOG, Block.LOG_LENGTH, Block.STATE)
    cursors, addresses, unfinished = (builder.ptrtoint(builder.alloca(I64, size=_LANES), I64) for _ in range(3))
    lanes = builder.sub(end, first)
    shift, one = code.value(layout.ADDRESS_BITS), code.value(1)
    with code.count(0, code.value(_LANES)) as lane:
        code.write(cursors, lane, 0)
        code.write(addresses, lane, -1)
    with code.count(0, lanes) as lane:
        state = code.read(states, builder.add(first, lane), I8)
        code.write(unfinished, lane, builder.zext(code.is_stopped(state), I64))

    def record(lane: Value) -> tuple[Value, Value]:
        """Whether the lane has a record left, and the place of that record."""
        thread = builder.add(first, lane)
        left = code.compare("<", code.read(cursors, lane), code.read(lengths, thread))
        return left, builder.add(builder.mul(thread, capacity), code.read(cursors, lane))

    site = code.variable(0)

    def next_site() -> Value:
        site.set(_NO_SITE)
        blocked = code.variable(0)
        with code.count(0, lanes) as lane:
            left, place = record(lane)
            with builder.if_else(left) as (some, none):
                with some:
                    found = builder.lshr(code.read(log, place), shift)
                    with code.when(code.compare("<", found, site.get())):
                        site.set(found)
                with none:
                    blocked.set(builder.or_(blocked.get(), code.read(unfinished, lane)))
        return builder.and_(code.compare("<", site.get(), _NO_SITE), code.compare("==", blocked.get(), 0))

    with code.loop(next_site):
        active = code.variable(0)
        with code.count(0, lanes) as lane:
            code.write(addresses, lane, -1)
            left, place = record(lane)
            with code.when(left):
                entry = code.read(log, place)
                with code.when(code.compare("==", builder.lshr(entry, shift), site.get())):
                    mask = code.value((1 << layout.ADDRESS_BITS) - 1)
                    code.write(addresses, lane, builder.and_(entry, mask))
                    code.write(cursors, lane, builder.add(code.read(cursors, lane), one))
                    active.add(1)
        counters = builder.add(all_counters, builder.mul(site.get(), code.value(8 * layout.COUNTER_COUNT)))
        for column, value in ((Counter.ACCESSES, one), (Counter.LANES, active.get())):
            code.write(counters, column, builder.add(code.read(counters, column), value))
        spec = builder.add(specs, builder.mul(site.get(), code.value(8 * len(SiteSpec))))
        space, width, groups = code.slots(spec, SiteSpec.SPACE, SiteSpec.WIDTH, SiteSpec.GROUPS)
        with code.when(code.compare("==", space, Space.GLOBAL)):
            code.call(sectors, launch, counters, addresses, width)
        with code.when(code.compare("==", space, Space.WORKGROUP)):
            code.call(phases, launch, counters, addresses, width, groups)
    with code.count(0, lanes) as lane:
        thread, used = builder.add(first, lane), code.read(cursors, lane)
        kept = builder.sub(code.read(lengths, thread), used)
        start = builder.mul(thread, capacity)
        with code.count(0, kept) as number:
            place = builder.add(start, number)
            code.write(log, place, code.read(log, builder.add(place, used)))
        code.write(lengths, thread, kept)
    return code.end()
