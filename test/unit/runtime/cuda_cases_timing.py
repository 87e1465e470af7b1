# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of test_runtime_cuda.py: prepared calls, and what is timed how, by a clock that only work moves."""

import gc
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cuda_helpers import FILES, buffer, device, manifest, ptx, record, view

from roller_mlir.plan.manifest import File, Kernel, Launch, Manifest
from roller_mlir.runtime import ArgumentError, Artifact, BackendError, find_backend
from roller_mlir.runtime.dependences import launch_dependences
from roller_mlir.runtime.driver.backend import DriverBackend
from roller_mlir.runtime.store import sha256
from roller_mlir.runtime.timing import Samples, time_interleaved
from roller_mlir.tools.roller import main

FLUSH = 1 << 18


@pytest.fixture
def backend() -> DriverBackend:
    made = find_backend("cuda")
    assert isinstance(made, DriverBackend)
    record()
    return made


def one_kernel(name: str) -> tuple[Manifest, dict[str, bytes]]:
    changed = manifest(
        outputs=("y",),
        buffers=(buffer("x", "input"), buffer("y", "output")),
        workspace_bytes=0,
        launches=(Launch(kernel=name, grid=(2, 1, 1), block=(32, 1, 1), arguments=(view("x"), view("y"))),),
        kernels=(Kernel(name=name, files={"ptx": "k.ptx"}),),
        files=manifest().files[:1],
    )
    return changed, {"k.ptx": ptx(**{name: 2})}


def calls(backend: DriverBackend, *names: str) -> dict[str, Any]:
    x, made = device(), {}
    for name in names:
        program = backend.load(*one_kernel(name))
        made[name] = program.prepare(x, outputs=[device()])
    record()
    return made


def queued() -> list[str]:
    """Return what was queued, in a word each."""
    words = [line.split(" grid")[0].replace("launch ", "") for line in record()]
    return [re.sub(" (bytes|stream|with).*", "", word) for word in words]


def test_a_prepared_call_asks_for_its_launches_only(backend: DriverBackend) -> None:
    program = backend.load(manifest(), FILES)
    x, y, z = device(), device(), device()
    x.host[:] = np.arange(64)
    again = program.prepare(x, outputs=[y, z], stream=0x55)
    assert [line for line in record() if "twice" in line and "function" not in line and "attribute" not in line] == []
    for _ in range(2):
        y.host[:] = 0
        again()
        assert np.array_equal(y.host, 4 * np.arange(64)) and np.array_equal(z.host[:32], 2 * np.arange(32, 64))
        first, second, third = record()
        assert first.startswith("launch twice_a grid 2,1,1") and "stream 0x55 context 0xc0" in first
        assert second.startswith("cooperative twice_b") and third == "copy 128 bytes stream 0x55"


def branching() -> tuple[Manifest, dict[str, bytes]]:
    """Return y = 4 x and z = 8 x by four kernels: one feeds two branches."""
    views = {"a": view("w"), "b": view("w", 64, 256), "y": view("y"), "x": view("x"), "z": view("z")}
    names = (("twice_0", "x", "a"), ("twice_1", "a", "y"), ("twice_2", "a", "b"), ("twice_3", "b", "z"))
    shape: dict[str, Any] = {"grid": (2, 1, 1), "block": (32, 1, 1)}
    made = manifest(
        buffers=(buffer("x", "input"), buffer("y", "output"), buffer("z", "output"), buffer("w", "workspace", 128)),
        launches=tuple(
            Launch(kernel=name, arguments=(views[a], views[b]), written=(1,), cooperative=name[-1] == "3", **shape)
            for name, a, b in names
        ),
        kernels=tuple(Kernel(name=name, files={"ptx": "k.ptx"}) for name, _, _ in names),
        files=manifest().files[:1],
    )
    return made, {"k.ptx": ptx(**{name: 2 for name, _, _ in names})}


def test_a_graph_keeps_the_order_that_memory_asks_for_and_no_other(backend: DriverBackend) -> None:
    made, files = branching()
    launches = [replace(one, cluster=(2, 1, 1)) if one.kernel == "twice_1" else one for one in made.launches]
    program = backend.load(replace(made, launches=tuple(launches)), files)
    x, y, z = device(), device(), device()
    x.host[:] = np.arange(64)
    again = program.prepare(x, outputs=[y, z], stream=0x55, graph=True)
    assert "graph of 4 nodes" in record()
    for _ in range(2):
        y.host[:] = z.host[:] = 0
        again()
        assert np.array_equal(y.host, 4 * np.arange(64)) and np.array_equal(z.host, 8 * np.arange(64))
        # The fake driver runs what is last in the list first, where the graph lets it.
        found = [line.split(" grid")[0] for line in record()]
        assert found == ["node twice_0", "node twice_2", "node cooperative twice_3", "node cluster 2,1,1 twice_1"]
    del again
    gc.collect()
    assert record() == ["free a graph"]


def test_kernels_that_wait_themselves_have_programmatic_edges(backend: DriverBackend) -> None:
    made, files = branching()
    kernels = [replace(one, dependent=not one.cooperative) for one in made.launches]
    copy = Launch(kernel="", arguments=(view("w", 64, 256), view("y")))
    behind = replace(kernels[1], arguments=(view("y"), view("w", 64, 256)))
    program = backend.load(replace(made, launches=(*kernels, copy, behind)), files)
    x, y, z = device(), device(), device()
    x.host[:] = np.arange(64)
    again = program.prepare(x, outputs=[y, z], stream=0x55, graph=True)
    record()
    again()
    # To kernels that wait, from kernels: the last one is behind twice_3, and behind a copy, which no kernel waits for.
    found = [re.sub(" (grid|[0-9]+ bytes).*", "", line) for line in record()]
    ahead, others = ["node ahead twice_1"] * 2 + ["node ahead twice_2"], ["node cooperative twice_3", "node copy"]
    assert sorted(found) == [*ahead, *others, "node twice_0"]
    assert np.array_equal(y.host, 4 * np.arange(64)) and np.array_equal(z.host, 8 * np.arange(64))


def test_a_driver_without_programmatic_edges_says_so(backend: DriverBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    made, files = branching()
    program = backend.load(replace(made, launches=tuple(replace(one, dependent=True) for one in made.launches)), files)

    def missing(*_: Any) -> None:
        raise RuntimeError('Function "cuGraphAddDependencies" not found')

    monkeypatch.setattr("cuda.bindings.driver.cuGraphAddDependencies", missing)
    with pytest.raises(BackendError, match=r"need a driver of CUDA 12\.3 or later"):
        program.prepare(device(), outputs=[device(), device()], graph=True)


def test_a_graph_in_line_keeps_the_order_of_the_launches(backend: DriverBackend) -> None:
    program = backend.load(*branching())
    x, y, z = device(), device(), device()
    x.host[:] = np.arange(64)
    again = program.prepare(x, outputs=[y, z], stream=0x55, graph=True, in_line=True)
    record()
    again()
    found = [line.split(" grid")[0].split()[-1] for line in record()]
    assert found == ["twice_0", "twice_1", "twice_2", "twice_3"]
    assert np.array_equal(y.host, 4 * np.arange(64)) and np.array_equal(z.host, 8 * np.arange(64))


def test_a_graph_of_unknown_kernels_keeps_every_order_but_of_reads(backend: DriverBackend) -> None:
    made, files = branching()
    assert launch_dependences(made) == ((), (0,), (0,), (2,))
    unknown = replace(made, launches=tuple(replace(one, written=None) for one in made.launches))
    assert launch_dependences(unknown) == ((), (0,), (1,), (2,))
    copied = replace(made, launches=(*made.launches, Launch(kernel="", arguments=(view("w", 64, 256), view("y")))))
    assert launch_dependences(copied)[-1] == (1, 2)
    program = backend.load(copied, files)
    x, y, z = device(), device(), device()
    x.host[:] = np.arange(64)
    program.prepare(x, outputs=[y, z], graph=True)()
    assert np.array_equal(y.host, 4 * np.arange(64)) and "node copy 256 bytes stream 0" in record()


def test_prepared_calls_are_checked_once(backend: DriverBackend) -> None:
    program = backend.load(*one_kernel("twice"))
    with pytest.raises(ArgumentError, match="'main': input 0 is a numpy array, which would have to be copied each"):
        program.prepare(np.zeros(64, np.float32), outputs=[device()])
    with pytest.raises(ArgumentError, match=r"must have shape \(64,\), but has \(63,\)"):
        program.prepare(device(63), outputs=[device()])
    x = device()
    with pytest.raises(ArgumentError, match="must have memory of its own, but shares some with input 0"):
        program.prepare(x, outputs=[x])
    with pytest.raises(ArgumentError, match="'main' has 1 outputs, but got 0"):
        program.prepare(x, outputs=[])


def test_a_round_clears_the_caches_before_each_call_and_is_read_at_its_end(backend: DriverBackend) -> None:
    found = time_interleaved(
        backend.driver, 0, calls(backend, "twice_us20", "twice_us30"), samples=3, flush_bytes=FLUSH
    )
    assert [round(one * 1e6) for one in found["twice_us20"].seconds] == [20, 20, 20]
    assert [round(one * 1e6) for one in found["twice_us30"].seconds] == [30, 30, 30]
    lines = queued()
    assert lines[0] == f"allocate {FLUSH}" and lines[-1] == f"free {FLUSH}"
    timed = " ".join(lines[len(lines) - 1 - lines[::-1].index("synchronize") + 1 : -1])
    flushes = f"(?:fill {FLUSH} ){{1,32}}"  # as many as outlast the host's part
    first, second = (f"{flushes}record {name} record ?" for name in ("twice_us20", "twice_us30"))
    assert re.fullmatch(first + second + second + first + first + second, timed), timed


def test_warm_calls_run_once_more_instead(backend: DriverBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roller_mlir.runtime.timing._FILLED_BYTES", FLUSH)
    found = time_interleaved(backend.driver, 0, calls(backend, "twice_us1"), samples=2, flush_bytes=0)
    assert [round(one * 1e6) for one in found["twice_us1"].seconds] == [1, 1]
    assert re.search(rf"(fill {FLUSH} )+twice_us1 record twice_us1 record", timed := " ".join(queued())), (
        timed
    )  # the host is slower than that
    found = time_interleaved(backend.driver, 0, calls(backend, "twice_us999000"), samples=2, flush_bytes=0)
    assert [round(one * 1e6) for one in found["twice_us999000"].seconds] == [999000, 999000]
    assert " ".join(queued()).count("fill") == 2  # which were timed themselves


def test_all_samples_are_kept_and_a_limit_ends_rounds(backend: DriverBackend) -> None:
    one = calls(backend, "twice_us100_slower")
    found = time_interleaved(backend.driver, 0, one, samples=5, flush_bytes=FLUSH)["twice_us100_slower"]
    us = [round(second * 1e6) for second in found.seconds]
    assert us == list(range(us[0], us[0] + 5)) and us[0] > 103  # what runs first is not among them
    assert round(found.median_s * 1e6) == us[2] and round(found.least_s * 1e6) == us[0]
    assert round(found.p10_s * 1e7) == 10 * us[0] + 4 and round(found.p90_s * 1e7) == 10 * us[0] + 36
    found = time_interleaved(backend.driver, 0, one, samples=10**9, flush_bytes=FLUSH, limit_s=0.05)
    assert 1 <= len(found["twice_us100_slower"].seconds) < 10**6
    found = time_interleaved(backend.driver, 0, one, samples=9, flush_bytes=FLUSH, limit_s=0)
    assert len(found["twice_us100_slower"].seconds) == 1


def test_a_limit_counts_rounds_and_long_calls_warm_up_once(
    backend: DriverBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[str] = []
    now = 0.0

    def counted(name: str, seconds: float) -> None:
        nonlocal now
        times.append(name)
        now += seconds

    monkeypatch.setattr("roller_mlir.runtime.timing.perf_counter", lambda: now)

    made = {"long": lambda: counted("long", 0.11), "short": lambda: counted("short", 0.0)}
    found = time_interleaved(backend.driver, 0, made, samples=2, flush_bytes=FLUSH, limit_s=0.1)
    assert {len(one.seconds) for one in found.values()} == {1}
    assert (times.count("long"), times.count("short")) == (3, 5)


def test_the_device_works_before_the_first_round(backend: DriverBackend) -> None:
    time_interleaved(backend.driver, 0, calls(backend, "twice_us20"), samples=1, flush_bytes=FLUSH)
    lines = queued()
    last = max(index for index, line in enumerate(lines) if line == "synchronize")
    before = lines[:last]
    woken = len(before) - 1 - next(i for i, line in enumerate(reversed(before)) if not line.startswith("fill"))
    assert last - woken > 200, lines[woken - 5 : last + 5]


def test_what_cannot_be_timed(backend: DriverBackend) -> None:
    one = calls(backend, "twice")
    with pytest.raises(BackendError, match="CUDA: device 0 has no 268435456 B left to clear its caches with"):
        time_interleaved(backend.driver, 0, one)
    with pytest.raises(ValueError, match="samples must be at least 1, but got 0"):
        time_interleaved(backend.driver, 0, one, samples=0)
    with pytest.raises(ValueError, match="flush_bytes must be at least 0, but got -1"):
        time_interleaved(backend.driver, 0, one, flush_bytes=-1)
    with pytest.raises(ValueError, match="samples must be at least one, but got none"):
        Samples(())
    assert time_interleaved(backend.driver, 0, {}, flush_bytes=FLUSH) == {}
    record()

    def fails() -> None:
        raise RuntimeError("a peer")

    with pytest.raises(RuntimeError, match="a peer"):
        time_interleaved(backend.driver, 0, {"fails": fails}, flush_bytes=FLUSH)
    assert queued()[-1] == f"free {FLUSH}"


def test_what_the_driver_says_of_the_device(backend: DriverBackend) -> None:
    said = backend.driver.describe()
    assert (said.name, said.driver, said.memory_bytes, said.l2_bytes) == ("Fake H200", "13.0", 1 << 20, 50 << 20)
    assert said.more == {"clock_khz": 1980000, "units": 132}  # what this driver does not know is left out


def test_roller_run_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("FAKE_CUDA_BYTES", str(1 << 30))
    changed, files = one_kernel("twice_us20")
    record_of_file = File(name="k.ptx", role="ptx", size_bytes=len(files["k.ptx"]), sha256=sha256(files["k.ptx"]))
    Artifact(replace(changed, files=(record_of_file,)), files).save(tmp_path / "a.roller")
    command = ["run", str(tmp_path / "a.roller"), "--on", "cuda", "--random", "--time", "3"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "median of 3 runs with cleared caches: 20 us (least 20 us, 10 % below 20 us, 10 % above 20 us)" in said
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["timed"]["median_s"] == pytest.approx(2e-5)


def test_a_fault_is_heard_of(backend: DriverBackend) -> None:  # the last case: nothing works any more
    (call,) = calls(backend, "twice_late_fault").values()
    call()
    with pytest.raises(BackendError, match="cuLaunchKernel failed"):
        call()
    with pytest.raises(BackendError, match="cuMemAlloc of 262144 B failed"):
        time_interleaved(backend.driver, 0, {"x": call}, flush_bytes=FLUSH)
