# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counted bank phases on devices that serve wide loads in groups of lanes that are no neighbours."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.model.machine import machine_of
from roller_mlir.plan.manifest import DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.runtime.sequence import run_sequence
from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.launcher import SimulatorBackend

MI300X = machine_of(find_device("mi300x")).banks
UNEVEN = Banks(16, 8, ((0, 63), tuple(range(1, 60)), (62, 60, 61)))


def kernel(index: str, vector: int, parameters: str = "") -> str:
    """Thread t loads a vector from workgroup memory, at the %i that `index` computes, and stores it back."""
    w = "memref<4096xf32, #gpu.address_space<workgroup>>"
    value, aligned = f"vector<{vector}xf32>", f"alignment = {4 * vector} : i64"
    return f"""gpu.module @kernels {{ gpu.func @k({parameters}) workgroup(%w: {w}) kernel {{
      %thread = gpu.thread_id x
      {index}
      %v = vector.load %w[%i] {{rtile.site = "load W", {aligned}}} : {w}, {value}
      vector.store %v, %w[%i] {{rtile.site = "store W", {aligned}}} : {w}, {value}
      gpu.return }} }}"""


# Each 16 lanes use one place, a whole row of banks apart. Eight neighbours share a place: 1 phase for each of 8 groups.
# The group 0-3, 20-23 has two places in the same banks: 2 phases.
QUARTERS = """%c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %quarter = arith.divui %thread, %c16 : index
      %i = arith.muli %quarter, %c32 : index"""


@pytest.mark.parametrize(
    ("block", "banks", "load", "load_ideal", "store"),
    [
        (64, MI300X, 16, 8, 8),
        (64, Banks(), 8, 8, 8),
        (20, MI300X, 5, 4, 3),  # 0-3 | 4-7, 16-19 | 8-11 | 12-15
        (20, Banks(), 3, 3, 3),
        (84, MI300X, 16 + 5, 12, 8 + 3),  # a subgroup and a part of one
    ],
)
def test_only_loads_are_grouped(block: int, banks: Banks, load: int, load_ideal: int, store: int) -> None:
    kernels = SimulatedKernels(kernel(QUARTERS, 4), 64, count=True, banks=banks)
    counts = kernels.launch("k", 1, block, 0, []).counts
    assert counts is not None
    loads, stores = counts.total("workgroup", "load"), counts.total("workgroup", "store")
    assert (loads.phases, loads.ideal) == (load, load_ideal)
    assert (stores.phases, stores.ideal) == (store, store)


@pytest.mark.parametrize("vector", [1, 2, 4])
@pytest.mark.parametrize("banks", [MI300X, UNEVEN])
def test_random_places_against_the_model(vector: int, banks: Banks) -> None:
    places = vector * np.random.default_rng(vector).integers(0, 500, 128)
    text = kernel("%i = memref.load %map[%thread] : memref<128xindex>", vector, "%map: memref<128xindex>")
    result = SimulatedKernels(text, 64, count=True, banks=banks).launch("k", 1, 128, 0, [places.astype(np.int64)])
    assert result.counts is not None
    for kind in ("load", "store"):
        expected = sum(
            phases([4 * int(place) for place in part], 4 * vector, banks, load=kind == "load")
            for part in places.reshape(-1, 64)
        )
        assert result.counts.total("workgroup", kind).phases == expected


def test_banks_of_another_subgroup_are_refused() -> None:
    with pytest.raises(ValueError, match="banks must name all 32 lanes of a subgroup or none, but got 64"):
        SimulatedKernels(kernel(QUARTERS, 4), 32, banks=MI300X)


def counted_phases(device: DeviceRecord) -> tuple[int, ...]:
    """Phases of an artifact's only kernel, its loads and its stores, as the back end counts them."""
    manifest = Manifest(
        function="f", device=device, inputs=(), outputs=(), buffers=(),
        launches=(Launch(kernel="k", block=(64, 1, 1), arguments=()),),
        kernels=(Kernel(name="k"),), files=(File(name="kernels.mlir", role="kernels", size_bytes=0, sha256=""),),
    )  # fmt: skip
    files = {"kernels.mlir": kernel(QUARTERS, 4).encode()}
    (report,) = run_sequence(manifest, files, SimulatorBackend(count=True), []).launches
    assert report.counts is not None
    return tuple(one.phases for one in report.counts)


def test_the_back_end_counts_with_the_banks_of_the_artifact() -> None:
    def record(banks: Banks) -> DeviceRecord:
        return DeviceRecord(
            name="d", vendor="amd", architecture="gfx942", subgroup_size=64, workgroup_banks=banks.count,
            workgroup_bank_bytes=banks.bank_bytes, workgroup_wide_load_lanes=banks.wide_load_lanes,
        )  # fmt: skip

    assert counted_phases(record(MI300X)) == (16, 8)
    assert counted_phases(record(Banks())) == (8, 8)
    # A row is twice as long: groups of 16 neighbours, one place each.
    assert counted_phases(record(Banks(count=64))) == (4, 4)
    assert counted_phases(record(Banks(bank_bytes=8))) == (4, 4)


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_an_artifact_records_the_banks_of_its_device(device: str) -> None:
    text = """func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
      %e = tensor.empty() : tensor<64xf32>
      %r = linalg.map { math.absf } ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>)
      return %r : tensor<64xf32>
    }"""
    record = roller_mlir.compile(text, target=device, options=CompileOptions(binaries=False)).manifest.device
    banks = Banks(record.workgroup_banks, record.workgroup_bank_bytes, record.workgroup_wide_load_lanes)
    assert banks == machine_of(find_device(device)).banks
