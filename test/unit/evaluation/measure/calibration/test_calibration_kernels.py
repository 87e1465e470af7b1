# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Micro-benchmark kernels compile for both vendors, compute what they must, and hold the loops that they are about."""

import re
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import Any

import pytest
from microbenchmarks.bandwidth import BLOCKS_PER_UNIT, CHUNK_BYTES
from microbenchmarks.experiment import Experiment
from microbenchmarks.probes import experiments, left_out, probes_for

from roller_mlir.compiler.driver import compile_kernel_module
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.records import Probe
from roller_mlir.evaluation.measure.runner.expected.probe_values import ProbeError
from roller_mlir.evaluation.measure.runner.probes import FLUSHED, WARM, run_probe
from roller_mlir.evaluation.measure.runner.sim_bench import SimBench
from roller_mlir.hal import DeviceError, device_names, find_device
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.timing import Samples

DEVICES = tuple(
    name for name in device_names() if find_device(name).compiles and find_device(name).vector_bytes is None
)

SIMULATED = {
    "h200": (
        *("clock", "read/1GiB", "copy/1GiB", "write/1GiB", "read/64MiB", "copy/4MiB", "read/workgroup"),
        *("read/l1", "launch", "cooperative-launch", "chase/256MiB", "chase/workgroup", "barrier"),
        *("peak/fma/f32", "peak/fma.rn.f16x2/f16", "peak/wgmma.mma_async.m64k16/f16/f32"),
        *("atomics/f32/own-addresses", "atomics/i32/one-address"),
    ),
    "a100-80": (
        *("peak/mma.sync.m16n8k16/f16/f32", "peak/mma.sync.m16n8k16/f16", "peak/mma.sync.m16n8k16/bf16/f32"),
        *("peak/mma.sync.m16n8k8/tf32/f32", "peak/mma.sync.m16n8k32/i8/i32", "peak/mma.sync.m8n8k4/f64"),
    ),
    "mi300x": (
        *("clock", "read/1GiB", "read/workgroup", "chase/workgroup", "barrier", "atomics/f32/own-addresses"),
        *("peak/v_pk_fma_f32/f32", "peak/fma/f64", "peak/v_mfma_f32_32x32x8_f16/f16/f32"),
        *("peak/v_mfma_f32_16x16x4_f32/f32", "peak/v_mfma_i32_16x16x32_i8/i8/i32", "peak/v_mfma_f64_16x16x4_f64/f64"),
    ),
    "v100": ("peak/wmma.mma.sync.m16n16k16/f16/f32", "peak/wmma.mma.sync.m16n16k16/f16"),
}

LOOPS = [
    ("h200", "peak/fma/f32", "FFMA", 64),
    ("h200", "peak/fma.rn.f16x2/f16", "HFMA2", 56),
    ("h200", "peak/wgmma.mma_async.m64k16/f16/f32", "HGMMA.64x256x16.F32", 4),
    ("h200", "read/1GiB", "LDG.E.128.CONSTANT", 8),
    ("h200", "write/1GiB", "STG.E.128", 4),
    ("h200", "read/workgroup", "LDS.128", 32),
    ("h200", "chase/256MiB", "LDG.E.CONSTANT", 32),
    ("h200", "atomics/f32/own-addresses", "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", 4),
    ("a100-80", "peak/mma.sync.m16n8k32/i8/i32", "IMMA.16832.S8.S8", 32),
    ("2080ti", "read/workgroup", "LDS.U.128", 32),
    ("mi300x", "peak/v_pk_fma_f32/f32", "v_pk_fma_f32", 64),
    ("mi300x", "peak/v_mfma_f32_32x32x8_f16/f16/f32", "v_mfma_f32_32x32x8_f16", 16),
    ("mi300x", "atomics/f32/own-addresses", "global_atomic_add_f32", 1),
]
"""Device, experiment, instruction of its loop, and how many of it there are at least."""


def covers(blocks: int, chunks: int, steps: int, stride: int) -> bool:
    """Return whether blocks that read chunk after chunk touch every chunk."""
    starts = sorted({step * stride % chunks for step in range(min(steps, chunks))})
    return all(after - start <= blocks for start, after in zip(starts, [*starts[1:], starts[0] + chunks], strict=True))


@lru_cache(maxsize=8)
def named(device: str, *, small: bool) -> dict[str, Experiment]:
    return {one.name: one for one in experiments(find_device(device), small=small)}


def compiled(device: str, text: str, **options: bool) -> Artifact:
    return compile_kernel_module(Source("probe.mlir", text), device, CompileOptions(cache=None, **options))


@pytest.mark.full(every=12)
@pytest.mark.parametrize(("device", "name"), [(device, name) for device, names in SIMULATED.items() for name in names])
def test_result_in_the_simulator(device: str, name: str) -> None:
    one = named(device, small=True)[name]
    artifacts = {key: compiled(device, text) for key, text in one.sources().items()}
    for probe in one.probes():
        timing = run_probe(probe, artifacts[probe.artifact], SimBench(), 1)
        assert (timing.item, timing.who, timing.samples) == (probe.name, "probe", 1) and timing.median_s > 0
        assert timing.note == (FLUSHED if probe.subject == "global" else WARM)


@pytest.mark.full(every=12)
@pytest.mark.parametrize(("device", "name", "instruction", "count"), LOOPS)
def test_loop_of_the_machine_code(device: str, name: str, instruction: str, count: int) -> None:
    (text,) = named(device, small=False)[name].sources().values()
    kernel = compiled(device, text, disassemble=True).kernels[-1]
    assert kernel.statistics.spill_bytes == 0
    assert kernel.statistics.main_loop.get(instruction, 0) >= count, kernel.statistics.main_loop


WRONG = [
    ("read/1GiB", "%p1 = arith.addi %begin, %row1", "%p1 = arith.addi %begin, %row2"),
    ("read/64MiB", "%next = arith.addi %at, %stride", "%next = arith.addi %at, %c0"),
    ("copy/1GiB", "vector.store %v3, %target[%p3]", "vector.store %v2, %target[%p3]"),
    ("write/1GiB", "dense<[0, 1, 2, 3]>", "dense<[0, 1, 3, 2]>"),
    ("read/workgroup", "%begin = arith.addi %at, %inside", "%begin = arith.addi %c0, %inside"),
    ("chase/256MiB", "scf.yield %next : i32", "scf.yield %at : i32"),
    ("peak/fma/f32", "%r0 = math.fma %t7_0, %x, %y", "%r0 = math.fma %t6_0, %x, %y"),
    ("atomics/i32/one-address", "llvm.atomicrmw add", "llvm.atomicrmw max"),
    ("barrier", "%mark = arith.addi %own, %one", "%mark = arith.addi %own, %own"),
    ("launch", "%one = arith.constant 1 : i32", "%one = arith.constant 2 : i32"),
]
"""Experiment, and a change that makes its kernel wrong."""


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("name", "right", "wrong"), WRONG)
def test_wrong_kernel_is_found(name: str, right: str, wrong: str) -> None:
    one = named("h200", small=True)[name]
    text = one.sources()[f"probes/{name}"]
    assert right in text
    artifact = compiled("h200", text.replace(right, wrong))
    with pytest.raises(ProbeError, match="the kernel is wrong: "):
        run_probe(one.probes()[1], artifact, SimBench(), 1)


def test_probe_that_does_not_fit_its_kernel() -> None:
    one = named("h200", small=True)["chase/256MiB"]
    (text,) = one.sources().values()
    probe = one.probes()[1]
    with pytest.raises(ProbeError, match="names 1 inputs and 1 outputs, but its kernel has 2 and 1"):
        run_probe(replace(probe, fill=probe.fill[:1]), compiled("h200", text), SimBench(), 1)
    with pytest.raises(ProbeError, match="cannot be filled with 'chase'"):
        run_probe(replace(probe, fill=(probe.fill[0], "chase")), compiled("h200", text), SimBench(), 1)


@pytest.mark.parametrize(("name", "flushed"), [("read/1GiB", True), ("chase/256MiB", True), ("read/16MiB", False)])
def test_caches_are_cleared_where_memory_is_the_subject(name: str, flushed: bool) -> None:
    asked: list[bool] = []

    class Bench(SimBench):
        def time(self, calls: Any, *, samples: int, limit_s: float | None, flush: bool = True) -> dict[str, Samples]:
            asked.append(flush)
            return {key: Samples((1e-3,)) for key in calls}

    one = named("h200", small=True)[name]
    (text,) = one.sources().values()
    run_probe(one.probes()[0], compiled("h200", text), Bench(), 1)
    assert asked == [flushed]


def numbers(probe: Probe) -> list[float]:
    return [float(word) for word in probe.fill[0].split()[1:]]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("small", [False, True])
def test_sizes_fit_the_device(device: str, small: bool) -> None:
    found, limits = named(device, small=small), find_device(device)
    for one in found.values():
        short, long = one.probes()
        assert 0 < short.work < long.work and long.baseline == short.name and not short.baseline
        assert len(numbers(long)) == 4 and max(numbers(long)) < 1 << 31
        for kernel in (*one.kernels, *one.base_kernels):
            kept = 0 if kernel.kept is None else 4 * prod(kernel.kept.shape)
            assert kept <= limits.static_workgroup_bytes and kernel.threads <= limits.max_threads_per_block
            assert all(prod(array.shape) < 1 << 31 for array in kernel.arrays)
            assert not kernel.cooperative or kernel.blocks <= limits.units
        for probe in (short, long):
            for word in (probe.name, probe.artifact):
                assert re.fullmatch(r"[A-Za-z0-9_.+-]+(/[A-Za-z0-9_.+-]+)*", word)


@pytest.mark.parametrize("device", DEVICES)
def test_both_runs_touch_what_they_are_checked_for(device: str) -> None:
    for one in named(device, small=False).values():
        for probe in one.probes():
            if probe.expect[0].startswith(("copy", "index")) and probe.subject != "global":
                blocks, chunks = one.kernels[0].blocks, one.size_bytes // CHUNK_BYTES
                assert covers(blocks, chunks, int(numbers(probe)[0]), int(numbers(probe)[1]))


@pytest.mark.parametrize("device", ["h200", "mi300x", "v100"])
def test_small_runs_are_small(device: str) -> None:
    assert all(one.size_bytes <= 1 << 20 for one in named(device, small=True).values())
    assert named(device, small=True).keys() == named(device, small=False).keys()


def test_streams_are_large_enough_to_miss_every_cache() -> None:
    for device in DEVICES:
        caches = sum(one.total_capacity_bytes for one in find_device(device).layers if one.kind == "cached")
        assert named(device, small=False)["read/1GiB"].size_bytes > 3 * caches
        steps = numbers(named(device, small=False)["read/1GiB"].probes()[1])[0]
        assert steps * find_device(device).units * BLOCKS_PER_UNIT * CHUNK_BYTES > 0.9 * (1 << 30)


def test_what_is_left_out_is_said() -> None:
    assert {one.id for one in left_out(find_device("h200"))} == {
        *("peak/wgmma.mma_async.m64k16/f16", "peak/wgmma.mma_async.m64k32/f8E4M3FN/f32"),
        "peak/wgmma.mma_async.m64k32/f8E5M2/f32",
    }
    assert {one.id for one in left_out(find_device("k80"))} == {"cooperative-launch", "barrier"}
    assert not [one for one in experiments(find_device("k80")) if one.kernels[-1].cooperative]


def test_devices_of_the_model_only_are_refused() -> None:
    with pytest.raises(DeviceError, match="for the construction and its model only"):
        probes_for(find_device("ipu-gc2"))


def test_probes_of_one_experiment_share_a_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [named("v100", small=True)[name] for name in ("chase/workgroup", "launch")]
    monkeypatch.setattr("microbenchmarks.probes.experiments", lambda *_, **__: chosen)
    monkeypatch.setattr("microbenchmarks.probes.tasks", lambda *_: [])
    found = probes_for(find_device("v100"), small=True, options=CompileOptions(cache=None))
    assert [probe.name for probe, _ in found] == ["chase/workgroup/base", "chase/workgroup", "launch/base", "launch"]
    (_, first), (_, second), (_, third), (_, fourth) = found
    assert first is second and third is not fourth
    assert len(fourth.manifest.launches) > len(third.manifest.launches)
