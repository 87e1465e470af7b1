# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine that this process runs on, as the device `host`: from /proc/cpuinfo, /sys and LLVM's name of its cores.

Cores are those that the process may use. What no file tells, such as ports and bandwidths of caches, is that of our
device with the same cores, where LLVM's name of them is known or they show tile registers, else left out (of other
vectors than its own, only the caches are that device's); a calibration that `roller devices host --calibrate` wrote for
this machine, or `host+FILE`, has it. It lies in the folder `roller` of XDG_CONFIG_HOME, or of ~/.config, as
`host-ID.toml`, where ID stands for the processor, its caches and the number of its cores, so that machines which share
a home keep theirs apart. Vector units of cores that are not known by name are taken to begin two multiply-adds and two
loads a cycle.

`host-avx2` is the same machine, whatever wider vectors it has, as one without AVX-512.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from roller_mlir.hal.errors import DeviceError
from roller_mlir.hal.files.calibration import calibrated
from roller_mlir.hal.files.loader import load_device, without_threads
from roller_mlir.hal.instructions import Instruction
from roller_mlir.hal.layers import MemoryLayer
from roller_mlir.hal.spec import Device
from roller_mlir.hal.vector_constants import DEFAULT_VECTORS
from roller_mlir.support.foreign.cpuinfo import CPUINFO, NEEDED, CpuInfo, lacking_flags, parse_cpuinfo

NAME = "host"
NARROW = "host-avx2"
NAMES = (NAME, NARROW)
_DEVICES = Path(__file__).parent / "devices"
_CORE = Path("/sys/devices/system/cpu/cpu0")
_SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_CORES = {
    "znver4": "zen4",
    "znver5": "zen5",
    "sapphirerapids": "spr",
    "emeraldrapids": "spr",
    "haswell": "haswell",
    "neoverse-v1": "neoverse-v1",
}
"""The device that describes a core, by LLVM's name of it: ports, instructions, what its caches give it in a cycle."""
_TILES = "sapphirerapids"
"""The first cores with tile registers (AMX), which later ones of that vendor have with all else that these have."""
_VECTORS = (("x86-64-v4", 64, 32), ("x86-64-v3", 32, 16))
"""Levels of x86 that code is generated for, the bytes of a vector and how many there are, widest first."""
_L1_LATENCY_CYCLES = 5


@cache
def host_device(name: str = NAME) -> Device:
    """Return this machine.

    Args:
        name: One of `NAMES`.

    Raises:
        DeviceError: It is not Linux, or has no vectors that code is generated for.
    """
    info = parse_cpuinfo(_read(CPUINFO))
    machine = os.uname().machine
    if machine == "x86_64":
        architecture, vector_bytes, registers = _x86(info, _VECTORS[1:] if name == NARROW else _VECTORS)
    elif name == NARROW:
        raise DeviceError(f"device '{name}' is x86_64 with AVX2, but this machine is {machine}")
    elif machine == "aarch64":
        architecture, vector_bytes, registers = _llvm_name() or "generic", 16, 32
    else:
        raise DeviceError(f"device '{NAME}' is {machine}, for which no code is generated; x86_64 and aarch64 have code")
    described = _core(info)
    core = described if described is not None and described.vector_bytes == vector_bytes else None
    fma_ports, load_ports = (core.fma_ports, core.load_ports) if core is not None else (2, 2)
    assert fma_ports is not None and load_ports is not None
    clock_hz, units = _clock_hz(info, described), len(os.sched_getaffinity(0))
    layers = (
        MemoryLayer(name="register", kind="explicit", instances=units, capacity_bytes=vector_bytes * registers),
        *(_as_known(layer, described, clock_hz) for layer in _caches(units, clock_hz, load_ports * vector_bytes)),
        MemoryLayer(
            name="global",
            kind="explicit",
            instances=1,
            capacity_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            bandwidth_bytes_per_s=units * 8 * clock_hz,
            transaction_bytes=64,
        ),
    )
    size = vector_bytes // 4
    general = tuple(
        Instruction(
            name="fma",
            family="fma",
            operand_type=kind,
            result_type=kind,
            flops_per_cycle_per_unit=2 * fma_ports * lanes,
        )
        for kind, lanes in (("f32", size), ("f64", size // 2))
    )
    spared: dict[str, Any] = dict(without_threads(vector_bytes, registers))
    return Device(
        name=name,
        vendor="cpu",
        architecture=architecture,
        description=f"this machine: {info.name or machine}, {units} cores{', AVX2 alone' if name == NARROW else ''}",
        units=units,
        clock_hz=clock_hz,
        layers=layers,
        instructions=core.instructions if core is not None and architecture in _CORES else general,
        vector_bytes=vector_bytes,
        vector_registers=registers,
        fma_ports=fma_ports,
        load_ports=load_ports,
        max_access_bytes=vector_bytes,
        vectors=core.vectors if core is not None else DEFAULT_VECTORS,
        **spared,
    )


def calibration_file(device: Device, environment: Mapping[str, str]) -> Path:
    """Return where the calibration of a machine lies, whether it is there or not.

    Args:
        device: The machine, as `host_device` describes it.
        environment: XDG_CONFIG_HOME and HOME of it count; what is empty or no absolute path does not.
    """
    base = environment.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if os.path.isabs(base) else Path(environment.get("HOME") or "/nonexistent") / ".config"
    return folder / "roller" / f"{NAME}-{_identity(device)}.toml"


def measured_as(device: Device) -> str:
    """Return under which name measurements of a device are kept: this machine's are not those of another one."""
    return f"{device.name}-{_identity(host_device(device.name))}" if device.name in NAMES else device.name


def _identity(device: Device) -> str:
    """Return what tells a machine from others: 12 hexadecimal digits for its processor, its caches and its cores."""
    caches = [(layer.name, layer.capacity_bytes, layer.instances) for layer in device.caches]
    identity = repr((device.description, device.architecture, device.vector_bytes, caches))
    return hashlib.sha256(identity.encode()).hexdigest()[:12]


@cache
def calibrated_host(name: str = NAME) -> Device:
    """Return this machine, with its calibration where one was written.

    Args:
        name: One of `NAMES`.

    Raises:
        DeviceError: As for `host_device`; or its calibration cannot be read, which says how to get rid of it.
    """
    device = host_device(name)
    path = calibration_file(device, os.environ)
    if not os.path.exists(path):  # also where the folder may not be looked into
        return device
    try:
        return replace(calibrated(device, path), description=f"{device.description}, calibrated")
    except DeviceError as error:
        remedy = f"remove it, or write it anew: roller devices {name} --calibrate"
        raise DeviceError(f"{error.reason}; {remedy}", key=error.key, file=error.file) from error


def host_files(name: str = NAME) -> tuple[Path, ...]:
    """Return what this machine is described by: files of the system, the device with its cores, and its calibration.

    Args:
        name: One of `NAMES`.

    Raises:
        DeviceError: As for `host_device`.
    """
    core, calibration = _core(parse_cpuinfo(_read(CPUINFO))), calibration_file(host_device(name), os.environ)
    described = [] if core is None else [_DEVICES / f"{core.name}.toml"]
    return (CPUINFO, _CORE / "cache", *described, *([calibration] if os.path.exists(calibration) else []))


def _core(info: CpuInfo) -> Device | None:
    """Return the device that describes these cores; its vectors may be wider, which a hypervisor may hide."""
    name = _CORES.get(_core_name(info))
    return load_device(_DEVICES / f"{name}.toml") if name is not None else None


def _x86(info: CpuInfo, vectors: tuple[tuple[str, int, int], ...]) -> tuple[str, int, int]:
    """Return LLVM's name of the cores, if they show all that it stands for, else of their level; and their vectors."""
    for level, size, registers in vectors:
        if not lacking_flags(level, info.flags):
            own = _core_name(info)
            widest = level == _VECTORS[0][0]
            known = set(NEEDED.get(own, ())) > set(NEEDED[_VECTORS[0][0]]) and not lacking_flags(own, info.flags)
            return (own if known and widest else level), size, registers
    lacking = ", ".join(sorted(lacking_flags(_VECTORS[-1][0], info.flags)))
    raise DeviceError(f"device '{NAME}' lacks {lacking}: code is generated for AVX2 and AVX-512")


def _core_name(info: CpuInfo) -> str:
    """Return LLVM's name of the cores; what they show counts where it goes by a model that we do not describe.

    A hypervisor may give another model than the processor's, and those to come are not known yet.
    """
    own = _llvm_name()
    return own if own in _CORES or lacking_flags(_TILES, info.flags) else _TILES


def _llvm_name() -> str:
    import llvmlite.binding

    return str(llvmlite.binding.get_host_cpu_name())


def _clock_hz(info: CpuInfo, core: Device | None) -> float:
    """Return the highest clock that the system names; where it names none, as in most virtual machines, the cores'."""
    most = _read(_CORE / "cpufreq" / "cpuinfo_max_freq", "")
    if most.strip().isdigit():
        return float(most) * 1e3
    return max(info.clock_hz or 2e9, core.clock_hz if core is not None else 0.0)


def _caches(units: int, clock_hz: float, load_bytes: int) -> list[MemoryLayer]:
    """Return the caches of data, nearest first."""
    layers: list[MemoryLayer] = []
    for folder in sorted((_CORE / "cache").glob("index*")):
        if _read(folder / "type", "").strip() not in ("Data", "Unified"):
            continue
        level, size = _read(folder / "level").strip(), _read(folder / "size").strip()
        sharing = _count(_read(folder / "shared_cpu_list", "0").strip())
        line = int(_read(folder / "coherency_line_size", "64"))
        ways = _read(folder / "ways_of_associativity", "").strip()
        first = level == "1"
        instances = max(1, units // sharing)
        layers.append(
            MemoryLayer(
                name=f"l{level}",
                kind="cached",
                instances=instances,
                capacity_bytes=int(size[:-1]) * _SIZES[size[-1]],
                bandwidth_bytes_per_s=load_bytes * clock_hz * units if first else None,
                latency_s=_L1_LATENCY_CYCLES / clock_hz if first else None,
                transaction_bytes=line,
                line_bytes=line,
                ways=int(ways) if ways.isdigit() and int(ways) else None,
            )
        )
    if not layers:
        raise DeviceError(f"device '{NAME}': {_CORE / 'cache'} names no caches")
    return layers


def _as_known(layer: MemoryLayer, core: Device | None, clock_hz: float) -> MemoryLayer:
    """Return a cache of this machine with what the description of its cores says of it and the system does not.

    What a core's own cache gives follows the clock; of what cores share the figures are those of another machine.
    """
    known = next((one for one in core.caches if one.name == layer.name), None) if core is not None else None
    if core is None or known is None:
        return layer
    ways, latency_s = layer.ways or known.ways, layer.latency_s
    if known.instances != core.units:
        return replace(
            layer,
            ways=ways,
            latency_s=latency_s or known.latency_s,
            unit_bandwidth_bytes_per_s=known.unit_bandwidth_bytes_per_s,
        )
    faster = clock_hz / core.clock_hz
    bandwidth = known.bandwidth_bytes_per_s and known.bandwidth_bytes_per_s / known.instances * layer.instances * faster
    latency_s = latency_s or (known.latency_s and known.latency_s / faster)
    return replace(layer, ways=ways, latency_s=latency_s, bandwidth_bytes_per_s=bandwidth)


def _count(ranges: str) -> int:
    """Return how many cores a list names.

    >>> _count("0-3,8"), _count("2")
    (5, 1)
    """
    count = 0
    for part in ranges.split(","):
        low, _, high = part.partition("-")
        count += int(high or low) - int(low) + 1
    return count


def _read(path: Path, otherwise: str | None = None) -> str:
    try:
        return path.read_text()
    except OSError as error:
        if otherwise is not None:
            return otherwise
        raise DeviceError(f"device '{NAME}' cannot be described: {path}: {error.strerror}") from error
