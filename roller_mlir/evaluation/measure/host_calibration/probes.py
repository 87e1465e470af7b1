# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured of the running machine, and what of it becomes which constant of the device `host`.

Times are the least processor time of many short samples of one thread: what others do on the machine adds to a sample,
or not. Rates of caches that cores share are also taken with all cores at once. What is not believed is left out, with
the reason. All of it takes about ten seconds of one core.

Paper: PolyDL section 4.2 (the cost model has the machine's latencies and bandwidths).
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.evaluation.measure.cpu_peers.clocks import available_bytes
from roller_mlir.evaluation.measure.host_calibration import kernels
from roller_mlir.evaluation.measure.host_calibration.native import LeastTime, NativeFunction, timed
from roller_mlir.hal import Device, MemoryLayer

_PAGE = 4096
_STEP = 128
"""Bytes between the places that a chase visits: two lines, since cores fetch lines in pairs."""
_TURNS = 20_000
_CHASED = 100_000
_READ_BYTES = 2 << 20
"""Bytes that one sample of a rate reads, at least."""
_BUDGET_S = 0.06
"""Processor seconds of the samples of a probe."""
_ROUNDS = 3
_POINTS = 256
"""Points of a pass of the micro kernel, whose rows then lie in the first cache."""
_OFF_WHOLE = 0.15
"""How far a count of ports may be from a whole number to be one."""
_MOST_SHARE = 0.25
"""Of the memory that is free, for arrays."""
_FAR = 8
"""Sizes of the cache before it that the working set of a shared cache has, where it is large."""


@dataclass(frozen=True, kw_only=True)
class HostFigure:
    """One constant as it was measured.

    Attributes:
        table: The tables of the description that hold it: (), ("layers", "l2"), ("instructions", "fma", "f32", "f32").
        key: Its key there.
        value: What was measured, in the key's unit; None where that gave nothing.
        spread: By how much the median sample is above the least, as a share.
        how: What was timed.
        problem: Why it is left out, or an empty string.
    """

    table: tuple[str, ...]
    key: str
    value: float | None
    spread: float
    how: str
    problem: str = ""

    @property
    def name(self) -> str:
        """The constant's name, as errors spell it."""
        return ".".join((*self.table, self.key))


class _ProbeArray:
    """Room for a kernel: an array of ones that begins at a page."""

    def __init__(self, size: int) -> None:
        raw = np.ones(size // 4 + _PAGE // 4, np.float32)
        self.array: NDArray[Any] = raw[-raw.ctypes.data % _PAGE // 4 :][: size // 4]
        self.address = int(self.array.ctypes.data)


class HostProbes:
    """The probes of one machine."""

    def __init__(self, device: Device, *, budget_s: float = _BUDGET_S, rounds: int = _ROUNDS) -> None:
        """Take the device as it is described.

        Args:
            device: `host`, without a calibration.
            budget_s: Processor seconds of a probe's samples in a round.
            rounds: How often all probes are taken; the least time of all rounds counts.
        """
        assert device.vector_bytes is not None and device.vector_registers is not None
        self._device, self._budget_s, self._rounds = device, budget_s, rounds
        self._lanes = device.vector_bytes // 4
        self._rows = min(14, (device.vector_registers - 4) // 2)
        self._room = _ProbeArray(1 << 20)
        self._times: dict[str, list[LeastTime]] = {}
        self._together: dict[str, float] = {}
        self._missing: dict[str, str] = {}
        self._points: dict[str, int] = {}
        self._read: dict[str, int] = {}
        self._packed_rows: dict[int, int] = {}

    def measure(self) -> list[HostFigure]:
        """Take all probes and return the constants."""
        for _ in range(self._rounds):
            self._cores()
            self._kernels()
        for layer, size in self._working_sets():
            self._layer(layer, size)
        self._packing()
        return [*self._figures()]

    # What is timed.

    def _time(self, name: str, run: Callable[[], object]) -> None:
        self._times.setdefault(name, []).append(timed(run, self._budget_s))

    def _cores(self) -> None:
        """Time chains in registers: the clock, multiply-adds one after the other, and as many as there are ports."""
        chain = NativeFunction(kernels.integer_chain())
        self._time("clock", lambda: chain(0, 0, _TURNS, 3))
        for kind, numbers, share in (("float", np.float32, 1), ("double", np.float64, 2)):
            given = np.array([1.0, 0.5], numbers)
            for count in (1, self._chains):
                add = NativeFunction(kernels.multiply_adds(kind, self._lanes // share, count))
                self._time(f"{kind} {count}", lambda f=add, a=given: f(a.ctypes.data, self._room.address, _TURNS))

    @property
    def _chains(self) -> int:
        return min(24, (self._device.vector_registers or 16) - 4)

    def _kernels(self) -> None:
        """Time a micro kernel whose vectors come from each cache, and one whose rows share sets of the first."""
        rows = self._room.address + _PAGE
        for layer, size in self._working_sets():
            if layer.name == "global":
                continue
            window = 1 << (size.bit_length() - 1)
            vectors = _ProbeArray(window + _PAGE)
            self._micro(f"kernel {layer.name}", self._rows, 2, _PAGE + 64, vectors, rows, window)
        ways = self._colliding
        vectors, window = _ProbeArray(1 << 14), 1 << 13
        pitch = max(_PAGE, self._device.caches[0].capacity_bytes // self._ways)
        for name, apart in (("kernel apart", pitch + 64), ("kernel colliding", pitch)):
            self._micro(name, ways, 1, apart, vectors, rows, window)

    @property
    def _ways(self) -> int:
        return self._device.caches[0].ways or self._device.vectors.ways

    @property
    def _colliding(self) -> int:
        """Rows that are more than the first cache has ways."""
        return min(self._ways + 2, (self._device.vector_registers or 16) - 3)

    def _micro(self, name: str, rows: int, vectors: int, pitch: int, memory: _ProbeArray, at: int, window: int) -> None:
        points = min(_POINTS, window // (4 * vectors * self._lanes))
        passes = max(1, _READ_BYTES // (points * 4 * vectors * self._lanes))
        function = NativeFunction(kernels.micro_kernel(rows, vectors, self._lanes, pitch, window))
        self._time(name, lambda: function(memory.address, at, points, passes))
        self._points[name] = points * passes

    def _working_sets(self) -> Iterator[tuple[MemoryLayer, int]]:
        """Yield each cache, and memory, with bytes that lie in it and not in one before."""
        before = 0
        for layer in self._device.caches:
            size = layer.capacity_bytes // 2
            yield layer, min(size, _FAR * before) if before and layer.instances < self._device.units else size
            before = layer.capacity_bytes
        yield self._device.layer("global"), 2 * max(one.total_capacity_bytes for one in self._device.caches)

    def _layer(self, layer: MemoryLayer, size: int) -> None:
        """Time dependent loads and reads of one cache or of memory, alone and with all cores at once."""
        if size > _MOST_SHARE * available_bytes():
            self._missing[layer.name] = f"needs {size >> 20} MB, more than a quarter of what is free"
            return
        chain = _chain(size)
        chase, start = NativeFunction(kernels.chase()), [int(chain.ctypes.data)]

        def follow() -> None:
            start[0] = chase(start[0], 0, _CHASED)

        for _ in range(self._rounds):
            self._time(f"chase {layer.name}", follow)
        del chain
        memory, reads = _ProbeArray(size), NativeFunction(kernels.reads(self._lanes))
        blocks = size // kernels.BLOCK
        times = max(1, _READ_BYTES // size)
        for _ in range(self._rounds):
            self._time(f"read {layer.name}", lambda: reads(memory.address, self._room.address, blocks, times))
        if layer.instances < self._device.units:
            self._together[layer.name] = max(
                self._at_once(reads, memory, blocks, whole=layer.kind == "cached") for _ in range(2 * self._rounds)
            )
        self._read[layer.name] = blocks * kernels.BLOCK * times

    def _at_once(self, reads: NativeFunction, memory: _ProbeArray, blocks: int, *, whole: bool) -> float:
        """Return the bytes a second that all cores draw at once, each from its part of an array, or from all of it.

        A part of what a shared cache holds would fit the caches of each core.
        """
        count = self._device.units
        each = blocks if whole else max(1, blocks // count)
        ready, rates = threading.Barrier(count), [0.0] * count
        times = max(1, _READ_BYTES // (each * kernels.BLOCK))

        def work(number: int) -> None:
            room = _ProbeArray(_PAGE)
            ready.wait()
            start = time.thread_time()
            first = 0 if whole else number * each % blocks
            reads(memory.address + first * kernels.BLOCK, room.address, each, times)
            rates[number] = each * times * kernels.BLOCK / (time.thread_time() - start)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        return sum(rates)

    def _packing(self) -> None:
        """Time the packing of panels of a matrix that lies in the cache behind a core's own."""
        rows, row = 1024, 8192
        matrix, packed = _ProbeArray(rows * row), _ProbeArray(rows * max(kernels.PANELS))
        copies = {panel: NativeFunction(kernels.packing(self._lanes, panel)) for panel in kernels.PANELS}

        def panels(panel: int) -> None:
            for place in range(0, row, panel):
                copies[panel](matrix.address + place, packed.address, rows, row)

        for _ in range(self._rounds):
            for panel in kernels.PANELS:
                self._time(f"packing {panel}", lambda panel=panel: panels(panel))
                self._packed_rows[panel] = rows * row // panel

    # What becomes of it.

    def _least(self, name: str) -> LeastTime:
        found = self._times[name]
        return LeastTime(min(one.least_s for one in found), median(one.spread for one in found))

    def _figures(self) -> Iterator[HostFigure]:
        clock = self._least("clock")
        clock_hz = _TURNS * kernels.CHAIN / clock.least_s
        yield HostFigure(
            table=(), key="clock_hz", value=clock_hz, spread=clock.spread, how="dependent additions, one a cycle"
        )
        yield from self._ports(clock_hz)
        for layer in (*self._device.caches, self._device.layer("global")):
            yield from self._rates(layer, clock_hz)
        yield from self._vectors(clock_hz)

    def _ports(self, clock_hz: float) -> Iterator[HostFigure]:
        for kind, short, lanes in (("float", "f32", self._lanes), ("double", "f64", self._lanes // 2)):
            found = self._least(f"{kind} {self._chains}")
            rate = 2 * lanes * self._chains * _TURNS / found.least_s / clock_hz
            how = f"{self._chains} chains of multiply-adds in registers"
            if kind == "float":
                yield _whole("fma_ports", rate / (2 * lanes), found.spread, how)
            table = ("instructions", "fma", short, short)
            value = float(round(rate))
            yield HostFigure(table=table, key="flops_per_cycle_per_unit", value=value, spread=found.spread, how=how)
        first = self._device.caches[0].name
        read = self._least(f"read {first}")
        rate = self._read[first] / read.least_s / clock_hz
        yield _whole("load_ports", rate / (4 * self._lanes), read.spread, "reads of half of the first cache")

    def _rates(self, layer: MemoryLayer, clock_hz: float) -> Iterator[HostFigure]:
        table = ("layers", layer.name)
        missing = self._missing.get(layer.name, "")
        if missing:
            yield HostFigure(table=table, key="latency_s", value=None, spread=0.0, how="", problem=missing)
            return
        chased, read = self._least(f"chase {layer.name}"), self._least(f"read {layer.name}")
        how = "dependent loads, lines of a page after each other"
        yield HostFigure(table=table, key="latency_s", value=chased.least_s / _CHASED, spread=chased.spread, how=how)
        alone = self._read[layer.name] / read.least_s
        how = "reads in order by one thread"
        if layer.instances == self._device.units:
            value = alone * layer.instances
            yield HostFigure(
                table=table, key="bandwidth_bytes_per_s", value=value, spread=read.spread, how=f"{how}, for each core"
            )
            return
        yield HostFigure(table=table, key="unit_bandwidth_bytes_per_s", value=alone, spread=read.spread, how=how)
        together = max(alone, self._together[layer.name])
        how = f"reads by {self._device.units} threads at once"
        yield HostFigure(table=table, key="bandwidth_bytes_per_s", value=together, spread=read.spread, how=how)

    def _vectors(self, clock_hz: float) -> Iterator[HostFigure]:
        table = ("vectors",)
        one = self._least("float 1")
        yield HostFigure(
            table=table,
            key="fma_latency_cycles",
            value=one.least_s / _TURNS * clock_hz,
            spread=one.spread,
            how="a chain of multiply-adds",
        )
        apart, colliding = self._least("kernel apart"), self._least("kernel colliding")
        loads = self._points["kernel apart"] * self._colliding
        value = max(0.0, (colliding.least_s - apart.least_s) / loads * clock_hz)
        how = f"a micro kernel of {self._colliding} rows, in the same sets and not"
        yield HostFigure(table=table, key="conflict_cycles", value=value, spread=colliding.spread, how=how)
        yield from self._packed(table, clock_hz)
        yield self._hidden(table)

    def _packed(self, table: tuple[str, ...], clock_hz: float) -> Iterator[HostFigure]:
        """Yield what a row and a line of it take that are packed, less reading the line in order."""
        layers = (*self._device.caches, self._device.layer("global"))
        behind = next(one for one in layers if one.capacity_bytes >= 8 << 20)
        read_s = 0.0
        if behind.name not in self._missing:
            read_s = kernels.LINE * self._least(f"read {behind.name}").least_s / self._read[behind.name]
        few, many = kernels.PANELS
        times = {panel: self._least(f"packing {panel}") for panel in kernels.PANELS}
        short_s, long_s = (times[panel].least_s / self._packed_rows[panel] for panel in kernels.PANELS)
        line_s = max(0.0, (long_s - short_s) / ((many - few) // kernels.LINE))
        row_s, spread = max(0.0, short_s - few // kernels.LINE * line_s), max(one.spread for one in times.values())
        how = f"panels of {few} and of {many} bytes a row copied: what a row takes beside its lines"
        yield HostFigure(table=table, key="pack_row_cycles", value=row_s * clock_hz, spread=spread, how=how)
        how = f"panels of {few} and of {many} bytes a row copied, less reading them in order"
        value = max(0.0, line_s - read_s) * clock_hz
        yield HostFigure(table=table, key="pack_line_cycles", value=value, spread=spread, how=how)

    def _hidden(self, table: tuple[str, ...]) -> HostFigure:
        """Return the share of the shorter of computing and reading that is hidden behind the longer."""
        first, *others = (one for one in self._device.caches if one.name not in self._missing)
        shares: list[float] = []
        spreads: list[float] = []
        near = self._least(f"kernel {first.name}").least_s / self._points[f"kernel {first.name}"]
        for layer in others:
            name = f"kernel {layer.name}"
            found, read = self._least(name), self._least(f"read {layer.name}")
            both = found.least_s / self._points[name]
            alone = read.least_s / self._read[layer.name] * 8 * self._lanes
            shares.append(1 - (both - max(near, alone)) / min(near, alone))
            spreads.append(found.spread)
        how = "a micro kernel whose vectors come from the first cache, and from each other"
        if not shares:
            return HostFigure(
                table=table, key="hidden_share", value=None, spread=0.0, how=how, problem="no second cache was measured"
            )
        value = min(1.0, max(0.0, sum(shares) / len(shares)))
        return HostFigure(table=table, key="hidden_share", value=value, spread=max(spreads), how=how)


def _whole(key: str, value: float, spread: float, how: str) -> HostFigure:
    """Return a count of ports: a whole number, or nothing to believe."""
    count = round(value)
    problem = "" if count and abs(value / count - 1) <= _OFF_WHOLE else f"{value:.2f} is no whole number of ports"
    return HostFigure(table=(), key=key, value=float(count), spread=spread, how=how, problem=problem)


def _chain(size: int) -> NDArray[Any]:
    """Return memory whose words at every `_STEP` bytes are addresses of the next of them.

    Those of a page follow each other, so that a page is looked up once for all of them; pages follow at random.
    """
    draw, each = np.random.default_rng(0), _PAGE // _STEP
    order = (draw.permutation(size // _PAGE)[:, None] * each + draw.permutation(each)[None, :]).ravel()
    raw = np.zeros((size + _PAGE) // 8, np.int64)
    memory: NDArray[Any] = raw[-raw.ctypes.data % _PAGE // 8 :]
    memory[order * (_STEP // 8)] = memory.ctypes.data + np.roll(order, -1) * _STEP
    return memory
