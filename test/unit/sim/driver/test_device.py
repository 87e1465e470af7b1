# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain programs on simulated drivers: what they give, and each way not to launch a kernel as its artifact does."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from simulated_programs import COUNT, run_cases, save_artifact

from roller_mlir.runtime.errors import BackendError
from roller_mlir.sim.driver import build, simulated_device

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler, which makes the driver library"),
    pytest.mark.usefixtures("forked_servers"),
]
TWICE = [2.0 * value for value in range(COUNT)]
START = "0x2[0-9a-f]{11}"


class Running:
    """A server with an artifact for each library."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.environment, self.log = folder, {**os.environ, **environment}, folder / "log"

    def artifact(self, library: str) -> Path:
        return self.folder / f"{library}.roller"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, forked_servers: None) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("device")
    artifacts = [save_artifact(folder, library) for library in ("cuda", "hip")]
    with simulated_device(
        artifacts, libraries=folder / "drivers", memory_bytes=1 << 20, log=folder / "log"
    ) as environment:
        yield Running(folder, environment)


@pytest.mark.parametrize("library", ["cuda", "hip"])
def test_a_kernel_runs_and_each_difference_is_an_error_of_the_launch(running: Running, library: str) -> None:
    wrong: list[tuple[dict[str, object], int, str]] = [
        ({"grid": (3, 1, 1)}, 1, r"grid is \(3, 1, 1\), not \(2, 1, 1\)"),
        ({"block": (64, 1, 1)}, 1, r"block is \(64, 1, 1\), not \(32, 1, 1\)"),
        ({"shared": 128}, 1, "dynamic workgroup bytes is 128, not 0"),
        ({"cooperative": True}, 1, "cooperative is True, not False"),
        ({"shift": 4, "sizes": (512, 256)}, 1, f"argument 0 is at {START}, which is no multiple of 16 B"),
        ({"sizes": (256, 128)}, 1, f"argument 1: 256 B at {START} go beyond the 128 B that are allocated at {START}"),
        (
            {"freed": True},
            1,
            f"argument 1: 256 B at {START} (are not in memory that is|go beyond the 256 B that are) allocated",
        ),
        ({"image": "another"}, 200, r"no artifact holds this image of 7 B \(SHA-256 [0-9a-f]{16}...\)"),
        ({"kernel": "thrice"}, 500, "the image has no kernel 'thrice', but twice, endless"),
    ]
    cases = [{}, *(case for case, _, _ in wrong), {}]
    found = run_cases(running.artifact(library), library, running.environment, *cases)
    assert found[0] == found[-1] == {"status": 0, "text": "no error", "result": TWICE}
    for one, (case, status, text) in zip(found[1:-1], wrong, strict=True):
        assert one["status"] == status, (case, one)
        with pytest.raises(AssertionError, match=text):
            raise AssertionError(one["text"])


def test_the_log_has_a_line_for_each_launch(running: Running) -> None:
    before = running.log.read_text().count("\n") if running.log.exists() else 0
    run_cases(running.artifact("cuda"), "cuda", running.environment, {}, {"grid": (4, 1, 1)})
    good, bad = map(json.loads, running.log.read_text().splitlines()[before:])
    assert (good["kernel"], good["grid"], good["block"]) == ("twice", [2, 1, 1], [32, 1, 1]) and good["seconds"] >= 0
    assert "grid is (4, 1, 1), not (2, 1, 1)" in bad["error"] and "seconds" not in bad


def test_a_log_that_cannot_be_written_is_an_error_of_the_launch(tmp_path: Path, running: Running) -> None:
    log = tmp_path / "nothing" / "log"
    with simulated_device([running.artifact("cuda")], libraries=running.folder / "drivers", log=log) as environment:
        (found,) = run_cases(running.artifact("cuda"), "cuda", {**os.environ, **environment}, {})
    assert found["status"] == 719 and f"{log} cannot be written: no such file or directory" in found["text"]


def test_memory_that_the_device_does_not_have_is_an_error(running: Running) -> None:
    with pytest.raises(AssertionError, match=r"status 2: 2097152 B do not fit: .* has 1048576 B in all"):
        run_cases(running.artifact("cuda"), "cuda", running.environment, {"sizes": (2 << 20, 256)})


def test_without_a_server_there_is_no_device(running: Running) -> None:
    bare = {name: value for name, value in running.environment.items() if name != "ROLLER_SIM_DRIVER"}
    with pytest.raises(AssertionError, match="status 100"):
        run_cases(running.artifact("cuda"), "cuda", bare, {})


def test_a_device_of_a_library_without_artifacts_is_not_there(tmp_path: Path, running: Running) -> None:
    artifact = save_artifact(tmp_path, "hip")
    with (
        simulated_device([artifact], libraries=running.folder / "drivers") as environment,
        pytest.raises(AssertionError, match=r"no artifact is for a device of this driver library \(cuda\)"),
    ):
        run_cases(artifact, "cuda", {**os.environ, **environment}, {})


def test_what_cannot_be_simulated_is_named(tmp_path: Path, running: Running) -> None:
    libraries = running.folder / "drivers"
    with pytest.raises(BackendError, match="nothing'"), simulated_device([tmp_path / "nothing"], libraries=libraries):
        pass
    artifact = save_artifact(tmp_path, "cuda")
    (artifact / "k.bin").write_bytes(b"other")
    with pytest.raises(BackendError, match="k.bin"), simulated_device([artifact], libraries=libraries):
        pass


def test_the_libraries_are_built_once_and_a_missing_compiler_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendError, match=r"built at its first use, which needs a C compiler \('cc'\); install one"):
        build.library_folder(tmp_path / "drivers")
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\necho "no room for $0" >&2\nexit 1\n')
    compiler.chmod(0o755)
    with pytest.raises(BackendError, match=r"cc' cannot build libcuda.so.1: no room for .*cc"):
        build.library_folder(tmp_path / "drivers")
    assert not list((tmp_path / "drivers").iterdir())
    compiler.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho library > "$2"\n')
    folder = build.library_folder(tmp_path / "drivers")
    assert {path.name for path in folder.iterdir()} == {name for names in build.LIBRARIES.values() for name in names}
    compiler.unlink()
    assert build.library_folder(tmp_path / "drivers") == folder
