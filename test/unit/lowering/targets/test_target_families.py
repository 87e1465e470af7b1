# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Target families: their stages, and a new one that needs no change of the package."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import preloaded
import pytest

from roller_mlir.hal import Device, DeviceError, find_device
from roller_mlir.lowering.backend import BuildRequest, KernelBinary, Toolchain
from roller_mlir.lowering.targets import compile_kernels, family_of, register_target
from roller_mlir.lowering.targets import family as family_module
from roller_mlir.lowering.targets.amd import AMD
from roller_mlir.lowering.targets.family import image_roles, load_passes
from roller_mlir.lowering.targets.nvidia import NVIDIA
from roller_mlir.lowering.targets.simulator import SIMULATOR
from roller_mlir.lowering.targets.stage import COMMON, LLVM, LOOPS, Stage
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.passes.passes import find_pass, registered_pipelines

ROOT = Path(__file__).parents[4]
FOLDER = Path(__file__).parent


def test_a_family_of_ones_own_compiles_a_matmul(tmp_path: Path) -> None:
    """In a process of its own: what is registered stays."""
    command = preloaded.python(str(FOLDER / "toy_target.py"), str(ROOT / "examples" / "matmul.mlir"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    listing, files = done.stdout.rstrip().rsplit("\n", 1)
    assert listing.startswith("toy1 matmul_0\n") and "gpu.thread_id" in listing and "gpu.barrier" in listing
    assert files == "toy ['input.mlir', 'kernels.mlir', 'matmul_0.txt']"


def test_without_its_family_its_device_is_refused() -> None:
    with pytest.raises(DeviceError, match="must be one of .*, but got 'toy'"):
        find_device(str(FOLDER / "toy.toml"))


@pytest.mark.parametrize("device", ["h200", "v100", "mi300x"])
def test_the_stages_of_a_device_are_made_by_known_passes(device: str) -> None:
    load_passes()
    family = family_of(find_device(device))
    assert [stage.name for stage in family.stages if stage.made_by and find_pass(stage.made_by) is None] == []
    assert family.pipeline in registered_pipelines()
    assert family.name == find_device(device).vendor and family.build is not None


def test_a_device_without_code_has_the_stages_of_the_simulator() -> None:
    assert family_of(find_device("ipu-gc2")) == SIMULATOR


@pytest.mark.parametrize(
    ("name", "triple"),
    [
        ("h200", "nvptx64-nvidia-cuda"),
        ("mi50", "amdgcn-amd-amdhsa"),
        ("spr", "x86_64-unknown-linux-gnu"),
        ("neoverse-v1", "aarch64-unknown-linux-gnu"),
        ("ipu-gc2", ""),
    ],
)
def test_the_triple_is_that_of_the_architecture(name: str, triple: str) -> None:
    device = find_device(name)
    assert family_of(device).triple(device) == triple


@pytest.mark.parametrize(
    ("name", "architecture", "known"), [("h200", "gfx942", r"'sm_\d+[af]?'"), ("mi300x", "cdna3", "'gfx[0-9a-f]+'")]
)
def test_an_architecture_of_no_family_is_refused(name: str, architecture: str, known: str) -> None:
    device = replace(find_device(name), architecture=architecture)
    message = (
        f"device '{name}': its architecture must match {known} for vendor '{device.vendor}', but got '{architecture}'"
    )
    with pytest.raises(DeviceError, match=re.escape(message)):
        family_of(device)


def test_a_build_is_given_the_tools_of_its_family_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Toolchain | None] = []

    def build(module: Any, device: Device, request: BuildRequest) -> list[KernelBinary]:
        given.append(request.toolchain)
        return []

    monkeypatch.setitem(family_module._families, AMD.name, replace(AMD, build=build, tools=("lld",)))
    every = Toolchain(ptxas=(tmp_path,), nvdisasm=tmp_path, libdevice=tmp_path, lld=tmp_path, ocml=tmp_path)
    with make_context(), ir.Location.unknown():
        assert compile_kernels(ir.Module.parse(""), "mi300x", toolchain=every) == []
    assert given == [Toolchain(lld=tmp_path)]


def test_what_drivers_load(monkeypatch: pytest.MonkeyPatch) -> None:
    assert image_roles() == ("ptx", "cubin", "hsaco")
    other = replace(SIMULATOR, stages=(*COMMON, Stage(name="image", gives="code", role="image", image=True)))
    monkeypatch.setitem(family_module._families, "other", other)
    assert image_roles()[-1] == "image"


def test_names_of_families_are_unique() -> None:
    assert register_target(NVIDIA) is NVIDIA
    with pytest.raises(ValueError, match="target families have unique names, but 'nvidia' is registered already"):
        register_target(replace(NVIDIA, summary="other"))
    assert family_of(find_device("h200")) is NVIDIA


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        (COMMON[1:], f"stages must be {', '.join(stage.name for stage in COMMON)}, modules, and then files"),
        ((*COMMON, LLVM, replace(LOOPS, name="late")), "modules, and then files"),
        ((*COMMON, LOOPS), "stages must have distinct names"),
    ],
)
def test_stages_out_of_order_are_refused(stages: tuple[Stage, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(NVIDIA, stages=stages)


def test_a_stage_is_a_module_or_files() -> None:
    with pytest.raises(ValueError, match="a stage must have either a pass or a role, but 'x' has both or none"):
        Stage(name="x", gives="")
