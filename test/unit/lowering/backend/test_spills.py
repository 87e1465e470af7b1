# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that spill are compiled again by what spills less, and a note says by what."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.amd import build as build_amd
from roller_mlir.lowering.backend.checks.residency import Residency
from roller_mlir.lowering.backend.vendor_tools.toolchain import Toolchain
from roller_mlir.lowering.targets import compile_kernels

# An assembler whose spills are those of the first line of a table that fits: option, whether the bound is there, bytes.
PTXAS = """#!/bin/sh
for last; do :; done
all="$*"
bound=free; grep -q minnctapersm "$last" && bound=bound
level=default; case "$*" in *--register-usage-level=*) level=${{all#*level=}}; level=${{level%% *}};; esac
echo "$level $bound" >> {calls}
spills=$(sed -n "s/^$level $bound //p" {table})
test "$spills" = refused && exit 1
echo "ptxas info    : Compiling entry function 'scale' for 'sm_90a'
    0 bytes stack frame, $spills bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers" >&2
echo "$level $bound" > output
"""


# An assembler that spills in fewer than 32 registers.
MAXNREG = """#!/bin/sh
for last; do :; done
registers=$(sed -n 's/^.maxnreg //p' "$last")
echo "$registers" >> {calls}
test "$registers" -lt 32 && spills=8 || spills=0
echo "ptxas info    : Compiling entry function 'scale' for 'sm_90a'
    0 bytes stack frame, $spills bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers" >&2
echo > output
"""


@pytest.mark.parametrize(
    ("table", "calls", "note"),
    [
        ({"default bound": "0"}, 1, ""),
        ({"default bound": "40", "0 bound": "8", "10 bound": "0"}, 3, "--register-usage-level=10: ptxas's defaults"),
        (
            {"default bound": "40", "0 bound": "40", "10 bound": "refused"}
            | {"0 free": "44", "10 free": "44", "5 free": "4"},
            6,
            "--register-usage-level=5 and without .minnctapersm: ptxas's defaults give 40 B of spills per thread, of "
            "which 4 B are left",
        ),
        ({f"{level} {bound}": "40" for level in ("default", 0, 10, 5) for bound in ("bound", "free")}, 6, ""),
    ],
)
def test_the_assembler_with_the_fewest_spills(
    table: dict[str, str],
    calls: int,
    note: str,
    tmp_path: Path,
    parse: Any,
    kernels: Any,
    h200: Device,
    toolchain: Toolchain,
) -> None:
    (tmp_path / "table").write_text("".join(f"{key} {spills}\n" for key, spills in table.items()))
    ptxas = tmp_path / "ptxas"
    ptxas.write_text(PTXAS.format(calls=tmp_path / "calls", table=tmp_path / "table"))
    ptxas.chmod(0o755)
    (binary,) = compile_kernels(parse(_bounded(kernels)), "h200", toolchain=replace(toolchain, ptxas=(ptxas,)))
    assert (tmp_path / "calls").read_text().count("\n") == calls
    assert len(binary.notes) == bool(note)
    assert all(f"kernel 'scale' was assembled with {note}" in one for one in binary.notes)
    least = min(int(spills) for spills in table.values() if spills != "refused")
    assert binary.statistics.spill_bytes == least
    assert "cubin" in binary.files
    assert table[binary.files["cubin"].decode().strip()] == str(least), (
        "the binary is the one that the statistics are of"
    )


def test_the_bound_of_blocks_that_run_at_once_is_raised_first(
    tmp_path: Path, parse: Any, kernels: Any, h200: Device, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound follows the largest body of a persistent kernel, and who walks its records needs registers, too."""
    asked = kernels.scale.replace("rtile.fma_count", "rtile.registers = 24 : i64, rtile.fma_count")
    monkeypatch.setattr(Residency, "of", lambda launches, device: Residency(device=device, blocks=1, threads=256))
    ptxas = tmp_path / "ptxas"
    ptxas.write_text(MAXNREG.format(calls=tmp_path / "calls"))
    ptxas.chmod(0o755)
    (binary,) = compile_kernels(parse(asked), "h200", toolchain=replace(toolchain, ptxas=(ptxas,)))
    assert (tmp_path / "calls").read_text() == "24\n32\n"
    assert binary.notes == (
        "kernel 'scale' was assembled with --register-usage-level=5 and .maxnreg 32: ptxas's defaults give 8 B of "
        "spills per thread, of which 0 B are left",
    )


# An assembler that spills unless no number of blocks bounds its registers.
HUNGRY = """#!/bin/sh
for last; do :; done
grep -q minnctapersm "$last" && spills=8 registers=56 || spills=0 registers=72
echo "ptxas info    : Compiling entry function 'scale' for 'sm_90a'
    0 bytes stack frame, $spills bytes spill stores, 0 bytes spill loads
ptxas info    : Used $registers registers" >&2
echo > output
"""


@pytest.mark.parametrize(("blocks", "registers"), [(3 * 132, 72), (3 * 132 + 1, 56)])
def test_launches_whose_blocks_all_run_at_once_take_more_registers(
    blocks: int,
    registers: int,
    tmp_path: Path,
    parse: Any,
    kernels: Any,
    h200: Device,
    toolchain: Toolchain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three blocks of 256 threads fit with 72 registers each; with a block more, fewer would run at a time."""
    ptxas = tmp_path / "ptxas"
    ptxas.write_text(HUNGRY)
    ptxas.chmod(0o755)
    launch = Residency(device=h200, blocks=blocks, threads=256, required=False)
    monkeypatch.setattr(Residency, "of", lambda launches, device: launch)
    (binary,) = compile_kernels(parse(_bounded(kernels)), "h200", toolchain=replace(toolchain, ptxas=(ptxas,)))
    assert (binary.statistics.registers, bool(binary.statistics.spill_bytes)) == (registers, registers == 56)


def test_subgroups_that_make_amds_kernels_spill(
    parse: Any, kernels: Any, mi300x: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = build_amd._generate
    spills = {3: 16, 2: 4, 1: 0}

    def spilling(source: Any, *more: Any) -> Any:
        answer, statistics = true(source, *more)
        return answer, replace(statistics, spill_bytes=spills[build_amd._bound(source)])

    monkeypatch.setattr(build_amd, "_generate", spilling)
    (binary,) = compile_kernels(parse(_bounded(kernels)), "mi300x")
    assert binary.notes == (
        "kernel 'scale' was compiled for 1 instead of 3 subgroups on a scheduler, which gave 16 B of spills per "
        "thread, of which 0 B are left",
    )
    assert '"amdgpu-waves-per-eu"="1"' in binary.text("llvm")
    spills[3] = 0
    (binary,) = compile_kernels(parse(_bounded(kernels)), "mi300x")
    assert binary.notes == ()
    assert '"amdgpu-waves-per-eu"="3"' in binary.text("llvm")


def _bounded(kernels: Any) -> str:
    """A kernel of which three tasks of 256 threads are to fit on a unit."""
    return kernels.scale.replace("rtile.fma_count", "rtile.tasks_per_unit = 3 : i64, rtile.fma_count")
