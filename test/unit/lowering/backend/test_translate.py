# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM 24's text in LLVM 22's spelling."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roller_mlir.lowering.backend.translate import to_llvm_22
from roller_mlir.support.bindings import ir
from roller_mlir.support.bindings import llvm as llvm_dialect


def bits_of(module: Any) -> list[str]:
    """The initial values of a module's globals, as LLVM 22 spells them."""
    return [str(value).split("global ", 1)[1] for value in module.global_variables]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  %5 = select i1 %4, float -inf, float %3", "  %5 = select i1 %4, float 0xFFF0000000000000, float %3"),
        ("  %4 = fadd float %1, +inf", "  %4 = fadd float %1, 0x7FF0000000000000"),
        ("  %9 = phi half [ %6, %7 ], [ +qnan, %3 ]", "  %9 = phi half [ %6, %7 ], [ 0xH7E00, %3 ]"),
        ("  store <4 x bfloat> splat (bfloat -inf), ptr %0", "  store <4 x bfloat> splat (bfloat 0xRFF80), ptr %0"),
        ("  store float -nan(0x1), ptr %0", "  store float 0xFFF8000020000000, ptr %0"),
        ("  store float +snan(0x1), ptr %0", "  store float 0x7FF0000020000000, ptr %0"),
        ("  store float f0x7F7FFFFF, ptr %0", "  store float 0x47EFFFFFE0000000, ptr %0"),
        ("  store float 1.000000e-01, ptr %0", "  store float 0x3FB99999A0000000, ptr %0"),
        ("  store double 1.000000e-01, ptr %0", "  store double 0x3FB999999999999A, ptr %0"),
        ("  store half 5.960460e-08, ptr %0", "  store half 0xH0001, ptr %0"),
        ("  store float -0.000000e+00, ptr %0", "  store float 0x8000000000000000, ptr %0"),
        ("  store double 4.940660e-324, ptr %0", "  store double 0x0000000000000001, ptr %0"),
        ("  %x = call double @f(float 1.5, half 0.5)", "  %x = call double @f(float 0x3FF8000000000000, half 0xH3800)"),
        (
            "@g = constant [2 x float] [float +inf, float 2.0]",
            "@g = constant [2 x float] [float 0x7FF0000000000000, float 0x4000000000000000]",
        ),
        ('  call void asm "mul.f32 $0, 1.5", "=f"()', '  call void asm "mul.f32 $0, 1.5", "=f"()'),
        (
            "attributes #0 = { nounwind denormal_fpenv(preservesign|ieee, float: positivezero) }",
            'attributes #0 = { nounwind "denormal-fp-math"="preserve-sign,ieee" '
            '"denormal-fp-math-f32"="positive-zero,positive-zero" }',
        ),
        (
            "  %b = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1.i32(ptr %p, i16 0, i32 8, i32 0)",
            "  %b = call ptr addrspace(7) @amdgcn.make.buffer.rsrc.p7.p1.i32(ptr %p, i16 0, i32 8, i32 0)",
        ),
        ("  ret void ; 1.5 and -inf", "  ret void ; 1.5 and -inf"),
        ('attributes #0 = { "target"="1.5" }', 'attributes #0 = { "target"="1.5" }'),
        ("  %inf.1 = getelementptr i8, ptr %x.2.0, i64 -1", "  %inf.1 = getelementptr i8, ptr %x.2.0, i64 -1"),
        ("  %y = call float @llvm.fma.f32.1.5(float %a)", "  %y = call float @llvm.fma.f32.1.5(float %a)"),
    ],
)
def test_constants_are_rewritten_by_type_and_nothing_else(line: str, expected: str) -> None:
    """One line each."""
    assert to_llvm_22(line) == expected


def test_a_constant_without_a_type_is_an_error() -> None:
    """A guess would be a wrong number."""
    with pytest.raises(ValueError, match=r"a floating-point constant must follow its type, but got '1.5' in: ret 1.5"):
        to_llvm_22("  ret float 2.0\n  ret 1.5\n")


@settings(max_examples=20)
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=100))
def test_every_float_survives(bits: list[int]) -> None:
    """MLIR prints it, LLVM 22 reads it: the same bits, whatever they are."""
    check_round_trip("f32", bits, 32)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["f16", "bf16"])
@settings(max_examples=20)
@given(bits=st.lists(st.integers(0, 2**16 - 1), min_size=1, max_size=100))
def test_every_half_survives(kind: str, bits: list[int]) -> None:
    """As for float."""
    check_round_trip(kind, bits, 16)


@pytest.mark.full
@settings(max_examples=20)
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=100))
def test_every_double_survives(bits: list[int]) -> None:
    """As for float."""
    check_round_trip("f64", bits, 64)


def check_round_trip(kind: str, bits: Sequence[int], width: int) -> None:
    """Prints globals with LLVM 24 and lets LLVM 22 compute with their bits."""
    text = "\n".join(
        f"llvm.mlir.global external constant @g{number}(0x{one:0{width // 4}X} : {kind}) : {kind}"
        for number, one in enumerate(bits)
    )
    with ir.Context() as context, ir.Location.unknown():
        context.enable_multithreading(False)
        printed = llvm_dialect.translate_module_to_llvmir(ir.Module.parse(text).operation)
    module: Any = llvm.parse_assembly(to_llvm_22(printed), context=llvm.create_context())
    spelled = [str(one).split("constant ", 1)[1].split(" ", 1)[1].split(",")[0] for one in module.global_variables]
    assert [decode(kind, one) for one in spelled] == list(bits)


def decode(kind: str, spelled: str) -> int:
    """The bits of a constant as LLVM 22 prints it."""
    if spelled.startswith(("0xH", "0xR")):
        return int(spelled[3:], 16)
    double = int(spelled, 16) if spelled.startswith("0x") else struct.unpack("<Q", struct.pack("<d", float(spelled)))[0]
    if kind == "f64":
        return double
    exponent, fraction = (double >> 52) & 0x7FF, double & (2**52 - 1)
    if exponent == 0x7FF:
        return (double >> 63) << 31 | 0xFF << 23 | fraction >> 29
    return struct.unpack("<I", struct.pack("<f", struct.unpack("<d", struct.pack("<Q", double))[0]))[0]
