# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as a runner would bring them of a device that reaches given rates, without a device."""

from dataclasses import replace

from microbenchmarks.probes import experiments

from roller_mlir.evaluation.measure.records import Kit, MeasuredMachine, Probe, Results, Timing
from roller_mlir.hal import Device, find_device

FIXED_S = 3e-6
"""What every run costs beside its work."""

LATENCIES = {"global": 4e-7, "l2": 1.5e-7, "l1": 2e-8, "workgroup": 1.6e-8}


def rate_of(device: Device, probe: Probe) -> float:
    """Return how much work a second does: 90 % of what is documented, where it is."""
    if probe.quantity == "bandwidth":
        layers = {layer.name: layer.bandwidth_bytes_per_s for layer in device.layers}
        return 0.9 * (layers.get(probe.subject) or 6e12)
    if probe.quantity == "flops":
        for one in device.instructions:
            if probe.subject.startswith(f"{one.name} {one.operand_type}") and one.result_type in probe.subject:
                return 0.9 * device.peak_flops_per_s(one)
    rates = {"clock": device.clock_hz, "launch": 1 / 2e-6, "barrier": 1 / 1.5e-6, "atomics": 1e12}
    return 1 / LATENCIES[probe.subject] if probe.quantity == "latency" else rates[probe.quantity]


def timing_of(device: Device, probe: Probe, faster: float = 1.0) -> Timing:
    """Return the time of a probe."""
    seconds = FIXED_S + probe.work / rate_of(device, probe) / faster
    spread = 0.001 * seconds
    return Timing(
        item=probe.name,
        who="probe",
        median_s=seconds,
        least_s=seconds - spread,
        p10_s=seconds - spread,
        p90_s=seconds + spread,
        samples=9,
    )


def results_of(name: str = "h200", **machine: object) -> Results:
    """Return the results of a device; keywords replace what is said of the machine."""
    device = find_device(name)
    probes = tuple(probe for one in experiments(device) for probe in one.probes())
    kit = Kit(
        target=name,
        architecture=device.architecture,
        vendor=device.vendor,
        created="2026-11-21T12:00:00Z",
        compiler="0.1.0",
        probes=probes,
    )
    made = MeasuredMachine(
        back_end="cuda",
        device="NVIDIA H200",
        driver="580.95",
        started="2026-11-21T12:00:00Z",
        command="python kit/run.py",
        facts={"units": device.units},
    )
    timings = tuple(timing_of(device, probe) for probe in probes)
    return Results(kit=kit, machine=replace(made, **machine), timings=timings, complete=True)


def changed(results: Results, name: str, **values: object) -> Results:
    """Return results with other values in one timing."""
    timings = tuple(replace(one, **values) if one.item == name else one for one in results.timings)
    return replace(results, timings=timings)


def faster(results: Results, name: str, factor: float) -> Results:
    """Return results in which an experiment and its baseline took so much less time for their work."""
    device = find_device(results.kit.target)
    probes = {probe.name: probe for probe in results.kit.probes}
    timings = tuple(
        timing_of(device, probes[one.item], factor) if one.item in (name, f"{name}/base") else one
        for one in results.timings
    )
    return replace(results, timings=timings)
