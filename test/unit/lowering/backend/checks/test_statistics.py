# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is read from the vendors' outputs, on texts of which the answer is known."""

from __future__ import annotations

import pytest

from roller_mlir.lowering.backend.checks.accesses import shared_load_bytes
from roller_mlir.lowering.backend.checks.assembly import main_loop, read_gcn, read_sass
from roller_mlir.lowering.backend.checks.code_object import kernel_metadata, undefined_symbols
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics, from_ptxas

SASS = """
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_2:
        /*0010*/                   LDG.E.128.CONSTANT R4, desc[UR8][R4.64] ;
.L_x_0:
        /*0020*/                   LDS.128 R4, [R2] ;
        /*0030*/                   LDS R4, [R2] ;
        /*0040*/                   FFMA R46, R43.reuse, R46, R101 ;
        /*0050*/                   FFMA R44, R43, R47, R106 ;
        /*0060*/               @!P0 BRA `(.L_x_0) ;
.L_x_3:
        /*0070*/                   IADD3 R1, R1, 1, RZ ;
        /*0080*/                   IADD3 R1, R1, 1, RZ ;
        /*0090*/                   IADD3 R1, R1, 1, RZ ;
        /*00a0*/              @P1 BRA `(.L_x_3) ;
        /*00b0*/              @P1 BRA `(.L_x_2) ;
        /*00c0*/                   FFMA R44, R43, R47, R106 ;
        /*00d0*/                   EXIT ;
.L_x_1:
        /*00e0*/                   BRA `(.L_x_1);
        /*00f0*/                   NOP;
"""

GCN = """
other:
.LBB0_1:
\tv_fma_f32 v0, v1, v2, v3
\ts_cbranch_scc1 .LBB0_1
.Lfunc_end0:
k:
\ts_load_dwordx4 s[0:3], s[4:5], 0x0
.LBB1_1:                                ; %loop
\tds_read_b128 v[0:3], v4
\tds_read2_b32 v[0:1], v4 offset0:1
\tv_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]
\tv_fmac_f32_e32 v0, v1, v2
\ts_cbranch_vccnz .LBB1_1
\ts_endpgm
.Lfunc_end1:
"""

LOG = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'j' for 'sm_90a'
ptxas info    : Function properties for j
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
    24 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 128 registers, used 1 barriers, 24 bytes cumulative stack size, 16640 bytes smem
ptxas info    : Compile time = 106.537 ms
"""


def test_the_main_loop_is_the_innermost_with_the_most_multiply_adds() -> None:
    """Not the loop around it, not the longer one without multiply-adds, not the trap behind the exit."""
    loop = main_loop(read_sass(SASS))
    assert loop == {"FFMA": 2, "LDS.128": 1, "LDS": 1, "BRA": 1}
    statistics = KernelStatistics().with_listing(read_sass(SASS))
    assert (statistics.fma_count, statistics.fma_share, statistics.fma_per_shared_byte) == (3, 2 / 5, 2 / 20)
    assert statistics.instructions["IADD3"] == 3


def test_amd_loops_are_of_the_kernel_asked_for() -> None:
    """A packed multiply-add is one instruction and two multiply-adds; encodings are no part of a name."""
    loop = main_loop(read_gcn(GCN, "k"))
    assert loop == {"ds_read_b128": 1, "ds_read2_b32": 1, "v_pk_fma_f32": 1, "v_fmac_f32": 1, "s_cbranch_vccnz": 1}
    statistics = KernelStatistics().with_listing(read_gcn(GCN, "k"))
    assert (statistics.fma_count, statistics.fma_share, statistics.fma_per_shared_byte) == (3, 2 / 5, 3 / 24)


def test_without_loops_there_is_no_main_loop() -> None:
    """Ratios of nothing are None, not 0."""
    statistics = KernelStatistics().with_listing(read_sass("        /*0000*/                   EXIT ;\n"))
    assert (statistics.main_loop, statistics.fma_share, statistics.fma_per_shared_byte) == ({}, None, None)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("LDS", 4),
        ("LDS.64", 8),
        ("LDS.128", 16),
        ("LDS.U8", 1),
        ("LDG.E.128", 0),
        ("ds_read_b64", 8),
        ("ds_read2st64_b64", 16),
        ("ds_read_u16", 2),
        ("ds_write_b32", 0),
    ],
)
def test_bytes_from_workgroup_memory(name: str, size: int) -> None:
    """By the width in the name."""
    assert shared_load_bytes([name]) == size


def test_ptxas_log_is_read_by_kernel() -> None:
    """Spills are stores and loads; workgroup memory is static and dynamic; none named is none used."""
    k = from_ptxas(LOG, "k", 1024)
    assert (k.registers, k.spill_bytes, k.stack_bytes, k.shared_bytes, k.dynamic_shared_bytes) == (
        128,
        28,
        24,
        17664,
        1024,
    )
    j = from_ptxas(LOG, "j", 0)
    assert (j.registers, j.spill_bytes, j.shared_bytes) == (10, 0, 0)


@pytest.mark.parametrize(
    ("log", "message"),
    [("", "ptxas must report on 'k'"), (LOG.replace("Used", "Has"), "ptxas must report registers and spills of 'k'")],
)
def test_a_log_that_says_nothing_is_an_error(log: str, message: str) -> None:
    """Better than zeros."""
    with pytest.raises(ValueError, match=message):
        from_ptxas(log, "k", 0)


def test_code_objects_must_be_what_they_are_said_to_be() -> None:
    """No ELF, no metadata."""
    with pytest.raises(ValueError, match="a code object must be little-endian ELF-64"):
        undefined_symbols(b"MZ" + bytes(100))
    with pytest.raises(ValueError, match="the code object must have AMDGPU metadata, but has none"):
        kernel_metadata(b"\x7fELF\x02\x01" + bytes(100))
