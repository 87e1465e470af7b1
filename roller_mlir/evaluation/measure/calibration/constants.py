# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants of a device's description, from figures: which figure is which constant, and which are not believed.

Bandwidths are what a layer sustains, reading; of several sizes the largest that the layer holds counts. Rates of
instructions are stated in flops per cycle, at the clock that the description gives for the instruction, or else at the
device's, measured where it was.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from roller_mlir.evaluation.measure.calibration.figures import Figure
from roller_mlir.hal import Device, Instruction, MemoryLayer

_ABOVE_PEAK = 1.1
_FAR = 10.0
_ATOMIC_BYTES = 4
_DIGITS = 5


@dataclass(frozen=True, kw_only=True)
class CalibrationConstant:
    """One constant.

    Attributes:
        table: Where it stands in a calibration: (), ("layers", "l2"), ("model",), or the three names of an instruction
            behind "instructions".
        key: Its key.
        value: In the description's unit.
        documented: What the description says; None: nothing.
        figure: Where it comes from.
        how: How it was computed, where it is not the figure itself.
        problem: Why it is left out; "" where it is not.
    """

    table: tuple[str, ...]
    key: str
    value: float
    documented: float | None
    figure: Figure
    how: str = ""
    problem: str = ""

    @property
    def name(self) -> str:
        """The key with its table, for people: "layers.l2.latency_s"."""
        return ".".join((*self.table, self.key))


def subject_of(one: Instruction) -> str:
    """Return what probes call an instruction: "fma f32", "mma.sync.m16n8k16 f16 f32"."""
    types = one.operand_type if one.operand_type == one.result_type else f"{one.operand_type} {one.result_type}"
    return f"{one.name} {types}"


def constants(device: Device, found: Iterable[Figure]) -> list[CalibrationConstant]:
    """Return the constants of a device that figures give, those that are left out with the reason.

    Args:
        device: As it is described.
        found: The figures.
    """
    known = [figure for figure in found if figure.value is not None]
    clock = _clock(device, known)
    clock_hz = clock.value if clock is not None and not clock.problem else device.clock_hz
    result = [clock] if clock is not None else []
    result += _launches(device, known)
    for layer in device.layers:
        result += _layer(layer, known, clock_hz / device.clock_hz)
    for one in device.instructions:
        result += _instruction(device, one, known, clock_hz)
    return [*result, *_atomics(device, known, result)]


def _value(figure: Figure) -> float:
    """Return a figure's value with the digits that it is written with."""
    assert figure.value is not None
    return float(f"{figure.value:.{_DIGITS}g}")


def _of(known: Sequence[Figure], quantity: str, subject: str, prefix: str = "") -> Figure | None:
    """Return the figure of a subject with the largest working set."""
    fitting = [
        one
        for one in known
        if one.probe.quantity == quantity and one.probe.subject == subject and one.probe.name.startswith(prefix)
    ]
    return max(fitting, key=lambda one: one.probe.size_bytes, default=None)


def _far(value: float, documented: float | None, unit: str) -> str:
    """Return why a value cannot be meant, "" where it can."""
    if documented is None or documented / _FAR <= value <= documented * _FAR:
        return ""
    return f"{value:.4g} {unit} is more than {_FAR:.0f} times off the documented {documented:.4g} {unit}"


def _above(value: float, peak: float | None, unit: str) -> str:
    """Return why a rate cannot be, "" where it can."""
    if peak is None:
        return ""
    if value > peak * _ABOVE_PEAK:
        return f"{value:.4g} {unit} is {value / peak - 1:.0%} above the documented peak of {peak:.4g} {unit}"
    return _far(value, peak, unit)


def _clock(device: Device, known: Sequence[Figure]) -> CalibrationConstant | None:
    figure = _of(known, "clock", "clock")
    if figure is None:
        return None
    value, documented = _value(figure), device.clock_hz
    problem = _above(value, documented, "Hz")
    return CalibrationConstant(
        table=(), key="clock_hz", value=value, documented=documented, figure=figure, problem=problem
    )


def _launches(device: Device, known: Sequence[Figure]) -> Iterator[CalibrationConstant]:
    figure = _of(known, "launch", "launch")
    if figure is None:
        return
    value, documented = _value(figure), device.launch_latency_s
    problem = _far(value, documented if documented is not None else device.model.assumed_launch_s, "s")
    yield CalibrationConstant(
        table=(), key="launch_latency_s", value=value, documented=documented, figure=figure, problem=problem
    )


def _layer(layer: MemoryLayer, known: Sequence[Figure], faster: float) -> Iterator[CalibrationConstant]:
    table = ("layers", layer.name)
    figure = _of(known, "bandwidth", layer.name, "read/")
    if figure is not None:
        value, peak = _value(figure), layer.bandwidth_bytes_per_s
        if peak is not None and "bandwidth_bytes_per_s" in layer.clocked:
            peak *= faster
        problem = _above(value, peak, "B/s")
        if peak is not None and not problem and value > peak:
            # A layer sustains no more than its peak, so that follows.
            key, how = "bandwidth_bytes_per_s", "above the documented peak"
            yield CalibrationConstant(table=table, key=key, value=value, documented=peak, figure=figure, how=how)
        key, documented = "sustained_bandwidth_bytes_per_s", layer.sustained_bandwidth_bytes_per_s
        yield CalibrationConstant(
            table=table, key=key, value=value, documented=documented or peak, figure=figure, problem=problem
        )
    figure = _of(known, "latency", layer.name)
    if figure is not None:
        documented = layer.latency_s
        if documented is not None and "latency_s" in layer.clocked:
            documented /= faster
        problem = _far(_value(figure), documented, "s")
        yield CalibrationConstant(
            table=table,
            key="latency_s",
            value=_value(figure),
            documented=documented,
            figure=figure,
            how="with the computation of an address",
            problem=problem,
        )


def _instruction(
    device: Device, one: Instruction, known: Sequence[Figure], clock_hz: float
) -> Iterator[CalibrationConstant]:
    figure = _of(known, "flops", subject_of(one))
    if figure is None:
        return
    clock = one.clock_hz or clock_hz
    value, documented = _value(figure) / device.units / clock, one.flops_per_cycle_per_unit
    problem = _above(value, _peak(device, one, clock_hz) / clock, "flop/cycle")
    rounded = max(1, round(value))
    if not problem and abs(rounded - value) > 0.05 * value:
        problem = f"{value:.3g} flop/cycle is not near a whole number, which it has to be"
    yield CalibrationConstant(
        table=("instructions", one.name, one.operand_type, one.result_type),
        key="flops_per_cycle_per_unit",
        value=rounded,
        documented=documented,
        figure=figure,
        how=f"{_value(figure):.4g} flop/s / {device.units} units / {clock / 1e9:.4g} GHz",
        problem=problem,
    )


def _peak(device: Device, one: Instruction, clock_hz: float) -> float:
    """Return flop/s of a unit that no instruction like this one can exceed.

    What a description says of one may be what somebody measured; matrix units have a peak for all that use them.
    """
    alike = [
        other
        for other in device.instructions
        if other is one or (one.is_matrix and other.is_matrix and other.operand_type == one.operand_type)
    ]
    return max(other.flops_per_cycle_per_unit * (other.clock_hz or clock_hz) for other in alike)


def _atomics(
    device: Device, known: Sequence[Figure], before: Sequence[CalibrationConstant]
) -> Iterator[CalibrationConstant]:
    """Yield how many bytes of plain traffic an atomically added byte is worth."""
    figure = _of(known, "atomics", "f32 own addresses")
    key = "sustained_bandwidth_bytes_per_s"
    cache = next((one for one in before if one.table == ("layers", "l2") and one.key == key and not one.problem), None)
    if figure is None or cache is None:
        return
    value = float(f"{cache.value / (_value(figure) * _ATOMIC_BYTES):.{_DIGITS}g}")
    how = f"{cache.value:.4g} B/s of '{cache.figure.probe.name}' / ({_value(figure):.4g} additions/s x 4 B)"
    documented = device.model.atomic_cost
    yield CalibrationConstant(
        table=("model",),
        key="atomic_cost",
        value=value,
        documented=documented,
        figure=figure,
        how=how,
        problem=_far(value, documented, "B/B"),
    )
