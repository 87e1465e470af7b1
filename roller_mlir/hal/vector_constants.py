# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constants of the model of vectors that depend on a core, as data.

A device's description may state them in a table `[vectors]`, a calibration may replace them, and
`roller devices host --calibrate` measures those that it can; what neither does has the defaults below, which are
assumed where they name no source.

Paper: PolyDL section 4.2 (latencies and bandwidths of the cost model are those of the machine).
"""

from dataclasses import dataclass

from roller_mlir.hal.checks import require, require_constants


@dataclass(frozen=True, kw_only=True)
class VectorConstants:
    """What the model of vectors assumes of a core beyond its ports and caches; cycles are those of the device's clock.

    Attributes:
        fma_latency_cycles: From a vector multiply-add to one that needs its result. The default is that of each core
            described here (Intel 248966, AMD 58455, the V1 guide), but for Haswell's 5.
        issue_per_cycle: Vector and scalar operations that a core starts in a cycle, at least.
        in_flight: Operations that a core has begun and not ended: sums of a tile wait for each other beside those of
            the next ones that it holds, too. 0 where that is not known: then for nobody but their own tile's.
        task_cycles: What a tile takes beside its points: addresses, first loads of sums, a mispredicted end of a loop.
        jostle_share: Share of a point's other limits (ports, issue, latency) that the largest does not hide.
        gather_cycles: Of each lane that is loaded by itself and put into a vector.
        turned_cycles: Of an element that is turned on its way into a packed tile, as the lanes of that are not
            neighbours where it lies. Fitted as `mask_cycles`.
        mask_cycles: Of an access whose bounds are not proven. Fitted to measured plans of one core
            (docs/method/polydl.md).
        test_cycles: Of an element for all lanes of a padded tensor whose test the innermost loop does not move: a
            branch, nothing where elements are loaded under masks. Fitted as `mask_cycles`.
        broadcast_loads: What an element for all lanes costs, in loads of vectors: less where those are wider than
            what a port loads at once.
        unaligned_loads: What a vector of more than 32 bytes costs, in loads, whose address is no multiple of 32: it
            lies in two lines, or in two parts of what a port loads at once.
        pair_loads: What every other element of a row costs, in loads: two, and a shuffle.
        pack_row_cycles: Of a row that is packed, beside its lines: its page is looked up, and no line is there yet.
            0 where the cycles of lines hold it.
        pack_page_cycles: Of a row that is packed, beside these, where it has at most 256 bytes, and the next one lies
            in another page.
        pack_line_cycles: Of a cache line that is packed, from a place far from the line before.
        pack_next_cycles: Of a cache line that is packed behind its neighbour.
        resume_cycles: Of a vector of sums that a step loads from the result, where the step before has stored it.
        far_cycles: Of a point of a reduction whose vectors lie pages away from those of the point before, beside what
            it computes.
        far_point_cycles: Of such a point, at least, whatever it computes meanwhile.
        conflict_cycles: Of a load whose row shares its sets of the first cache with too many others.
        evicted_cycles: Of such a load for each row of so many that their sets hold them no longer, each access of which
            comes from the second cache. Fitted as `mask_cycles`.
        ways: Of a cache whose ways are not known, for rows that are so far apart that they share sets.
        ways_share: Share of them that such rows can have beside what else is read.
        far_factor: How much longer the lines of a tensor take whose next tile lies a page or more below; of rows of
            several pages in a tile, those of one; of rows shorter than a page of which a tile has one line, from half a
            page on; of rows pages apart that come from memory, as many as come of another tensor. Fitted as
            `mask_cycles`.
        short_row_factor: How much longer the lines of a tensor take that come from a cache of several cores, or from
            memory, and of which a tile has rows of at most 256 bytes, 1024 bytes or more apart.
        hidden_share: Share of the time of the layers other than the slowest that is hidden behind it.
        private_bytes_per_cycle: What a core draws from a cache of its own whose bandwidth is not known.
        shared_bytes_per_cycle: The same of what cores share.
    """

    fma_latency_cycles: float = 4.0
    issue_per_cycle: float = 4.0
    in_flight: float = 0.0
    task_cycles: float = 12.0
    jostle_share: float = 0.1
    gather_cycles: float = 1.5
    turned_cycles: float = 1.0
    mask_cycles: float = 1.0
    test_cycles: float = 1.0
    broadcast_loads: float = 1.0
    unaligned_loads: float = 1.5
    pair_loads: float = 3.0
    pack_row_cycles: float = 0.0
    pack_page_cycles: float = 0.0
    pack_line_cycles: float = 12.0
    pack_next_cycles: float = 4.0
    resume_cycles: float = 5.0
    far_cycles: float = 12.0
    far_point_cycles: float = 0.0
    conflict_cycles: float = 0.8
    evicted_cycles: float = 0.15
    ways: int = 8
    ways_share: float = 0.8
    far_factor: float = 3.0
    short_row_factor: float = 1.0
    hidden_share: float = 0.7
    private_bytes_per_cycle: float = 32.0
    shared_bytes_per_cycle: float = 6.0

    def __post_init__(self) -> None:
        """Check each field; raises DeviceError."""
        require_constants(vars(self))
        for key in (
            "issue_per_cycle",
            "far_factor",
            "short_row_factor",
            "ways",
            "private_bytes_per_cycle",
            "shared_bytes_per_cycle",
        ):
            require(getattr(self, key) > 0, key, f"must be above 0, but got {getattr(self, key)}")


DEFAULT_VECTORS = VectorConstants()
"""The constants of a device whose description states none."""
