# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools are found where they are, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.backend.math.library import math_library
from roller_mlir.lowering.backend.target import Target
from roller_mlir.lowering.backend.vendor_tools import toolchain
from roller_mlir.lowering.backend.vendor_tools.run import run_tool
from roller_mlir.lowering.backend.vendor_tools.toolchain import Toolchain, find_toolchain
from roller_mlir.lowering.targets import family_of


def test_this_machine_has_what_the_extras_install() -> None:
    """Wheels of the extra `cuda`, and IREE's compiler."""
    found = find_toolchain()
    assert found.ptxas
    assert found.nvdisasm is not None
    assert found.libdevice is not None
    assert found.lld is not None
    assert found.ocml is not None
    for path in (*found.ptxas, found.nvdisasm, found.libdevice, found.lld, found.ocml):
        assert path.is_file()


def test_path_goes_before_wheels_and_newer_wheels_before_older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake of each."""
    site = tmp_path / "nvidia"
    for name in (
        "cu12/bin/ptxas",
        "cu13/bin/ptxas",
        "cuda_nvcc/bin/ptxas",
        "cuda_nvcc/nvvm/libdevice/libdevice.10.bc",
        "cu13/bin/nvdisasm",
    ):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()
    on_path = tmp_path / "bin" / "ptxas"
    on_path.parent.mkdir()
    on_path.touch(mode=0o755)
    monkeypatch.setattr(toolchain, "_package_folders", lambda name: (site,) if name == "nvidia" else ())
    monkeypatch.setattr(toolchain, "_CUDA_ROOT", tmp_path / "none")
    monkeypatch.setenv("PATH", str(on_path.parent))
    found = find_toolchain.__wrapped__()
    assert found == Toolchain(
        ptxas=(on_path, site / "cu13/bin/ptxas", site / "cu12/bin/ptxas", site / "cuda_nvcc/bin/ptxas"),
        nvdisasm=site / "cu13/bin/nvdisasm",
        libdevice=site / "cuda_nvcc/nvvm/libdevice/libdevice.10.bc",
    )


def test_nothing_installed_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only what needs a tool complains about it."""
    monkeypatch.setattr(toolchain, "_package_folders", lambda name: ())
    monkeypatch.setattr(toolchain, "_CUDA_ROOT", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_toolchain.__wrapped__() == Toolchain()


def test_a_tool_works_in_a_folder_of_its_own() -> None:
    """Input, options, output."""
    result = run_tool(
        "k",
        Path("/bin/sh"),
        ("-c", "cat input.txt > output; echo said; echo error: logged >&2; exit 3"),
        b"data",
        suffix=".txt",
        timeout_s=600,
    )
    assert (result.code, result.text, result.output, result.complaint) == (3, "said\n", b"data", "error: logged")


def test_a_tool_that_hangs_is_ended_with_what_it_started() -> None:
    """The time limit holds for scripts too; what the script started would keep its output open for hours."""
    with pytest.raises(CompileError, match=r"kernel 'k': /bin/sh took more than 0\.2 s and was ended"):
        run_tool("k", Path("/bin/sh"), ("-c", "sleep 10000; true"), b"", suffix=".ptx", timeout_s=0.2)


def test_a_tool_that_is_not_there_is_a_compile_error() -> None:
    """With its path."""
    with pytest.raises(CompileError, match="kernel 'k': /nowhere/ptxas could not be run: No such file or directory"):
        run_tool("k", Path("/nowhere/ptxas"), (), b"", suffix=".ptx", timeout_s=600)


@pytest.mark.parametrize(
    ("device", "triple", "features"), [("h200", "nvptx64-nvidia-cuda", "+ptx80"), ("mi300x", "amdgcn-amd-amdhsa", "")]
)
def test_targets(device: str, triple: str, features: str) -> None:
    """PTX is as old as the device allows."""
    target = Target.of(find_device(device), family_of(find_device(device)).triple(find_device(device)))
    assert (target.triple, target.features) == (triple, features)


def test_amd_library_is_told_the_instruction_set(tmp_path: Path) -> None:
    """gfx942 is 9402."""
    target = Target.of(find_device("mi300x"), "amdgcn-amd-amdhsa")
    library = math_library("k", "declare float @__ocml_tanh_f32(float)\n", target, Toolchain(ocml=tmp_path / "ocml.bc"))
    assert library.needed == ("__ocml_tanh_f32",)
    assert "@__oclc_ISA_version = linkonce_odr hidden addrspace(4) constant i32 9402" in library.constants
    assert math_library("k", "define void @k() { ret void }", target, Toolchain()).needed == ()
