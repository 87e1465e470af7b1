# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline assembly at the LLVM level: registers, predicates, accesses, and what is refused."""

from typing import Any

import numpy as np
import pytest
from llvm_kernels import NVIDIA, lanes, launch

from roller_mlir.sim import SimulationError
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError

THREADS = np.arange(64)
ODD = "%low = and i32 %3, 1\n  %odd = icmp eq i32 %low, 1\n  "

BODIES = {
    "mov of a constant": ('%r = call i32 asm "mov.u32 $0, 0x2A;", "=r"()', np.full(64, 42)),
    "mov of a register": ('%r = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %6)', 100 + THREADS),
    "two statements, and a comment": (
        '%r = call i32 asm sideeffect "// first\\0A\\09mov.u32 $0, 1;\\0A\\09mov.u32 $0, $1;", "=r,r"(i32 %6)',
        100 + THREADS,
    ),
    "a predicate": (
        f'{ODD}%r = call i32 asm "mov.u32 $0, 7; @$2 mov.u32 $0, $1;", "=r,r,b"(i32 %6, i1 %odd)',
        np.where(THREADS % 2, 100 + THREADS, 7),
    ),
    "a negated predicate": (
        f'{ODD}%r = call i32 asm "mov.u32 $0, 7; @!$2 mov.u32 $0, $1;", "=r,r,b"(i32 %6, i1 %odd)',
        np.where(THREADS % 2, 7, 100 + THREADS),
    ),
    "a register that is tied": (
        f'{ODD}%r = call i32 asm "@$3 mov.u32 $0, $2;", "=r,0,r,b"(i32 5, i32 %6, i1 %odd)',
        np.where(THREADS % 2, 100 + THREADS, 5),
    ),
    "a register of its own": (
        '%r = call i32 asm "{ .reg .b32 t; mov.b32 t, $1; mov.b32 $0, t; }", "=r,r"(i32 %6)',
        100 + THREADS,
    ),
    "a load": (
        '%r = call i32 asm sideeffect "ld.global.b32 $0, [ $1 + 0 ];", "=r,l"(ptr %5)',
        100 + THREADS,
    ),
    "a load behind its address": (
        """%back = getelementptr i8, ptr %5, i64 -16
      %r = call i32 asm sideeffect "ld.global.L1::evict_last.b32 $0, [ $1 + 0x10 ];", "=r,l"(ptr %back)""",
        100 + THREADS,
    ),
    "a load of two words, as Triton masks it": (
        f"""{ODD}%even = and i64 %4, -2
      %p = getelementptr i32, ptr %0, i64 %even
      %w = call {{ i32, i32 }} asm sideeffect "mov.u32 $0, $3;\\0A\\09mov.u32 $1, $4;\\0A\\09@$5 ld.global.v2.b32 """
        """{ $0, $1 }, [ $2 + 0 ];", "=r,=r,l,r,r,b"(ptr %p, i32 3, i32 4, i1 %odd)
      %a = extractvalue { i32, i32 } %w, 0
      %b = extractvalue { i32, i32 } %w, 1
      %r = add i32 %a, %b""",
        np.where(THREADS % 2, 200 + 2 * THREADS - 1, 7),
    ),
    "to the nearest tf32": (
        """%bits = add i32 %6, 1065353216
      %x = bitcast i32 %bits to float
      %y = call i32 asm "cvt.rna.tf32.f32 $0, $1;", "=r,f"(float %x)
      %r = sub i32 %y, 1065353216""",
        np.zeros(64),
    ),
}


@pytest.mark.parametrize("what", BODIES)
def test_values(what: str) -> None:
    body, expected = BODIES[what]
    assert lanes(NVIDIA.replace("{body}", body).replace("{{", "{").replace("}}", "}")).tolist() == expected.tolist()


def rounded_to_tf32(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """To the nearest multiple of the last bit, ties away from 0."""
    step = np.exp2(np.floor(np.log2(np.abs(x))) - 10)
    return np.sign(x) * np.floor(np.abs(x) / step + 0.5) * step


def test_ties_of_tf32_go_away_from_0() -> None:
    text = """
    define ptx_kernel void @k(ptr %0) {
      %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %3 = getelementptr float, ptr %0, i32 %2
      %4 = load float, ptr %3, align 4
      %5 = call float asm "cvt.rna.tf32.f32 $0, $1;", "=f,f"(float %4)
      store float %5, ptr %3, align 4
      ret void
    }
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    """
    ties = [1 + 2**-11, -1 - 2**-11, 1 + 3 * 2**-11, 1 + 2**-11 - 2**-23, 2 - 2**-12]
    x = np.array([*ties, *np.random.default_rng(0).normal(size=57), np.inf, -np.inf], np.float32)
    expected = rounded_to_tf32(x[:62].astype(np.float64))
    launch(text, [x], 64)
    np.testing.assert_array_equal(x[:62], expected)
    assert np.isinf(x[62:]).all()


def test_stores_where_the_predicate_holds() -> None:
    store = f"""{ODD}%p = getelementptr i32, ptr %1, i64 %4
      call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], {{ $0 }};", "r,l,b"(i32 %6, ptr %p, i1 %odd)
      ret void
      """
    text = NVIDIA.replace("{{", "{").replace("}}", "}").replace("{body}", store + "other:\n  %r = add i32 0, 0")
    out = np.full(64, 7, np.int32)
    launch(text.replace("{{", "{").replace("}}", "}"), [np.arange(100, 164, dtype=np.int32), out])
    np.testing.assert_array_equal(out, np.where(THREADS % 2, 100 + THREADS, 7))


def test_accesses_outside_and_not_aligned() -> None:
    body = """%p = getelementptr i8, ptr %0, i64 PLACE
      %r = call i32 asm sideeffect "ld.global.b32 $0, [ $1 + 0 ];", "=r,l"(ptr %p)"""
    for place, kind in (("256", "out-of-bounds"), ("2", "misaligned")):
        with pytest.raises(SimulationError) as caught:
            lanes(NVIDIA.format(body=body.replace("PLACE", place)))
        assert caught.value.kind == kind
        assert "asm at k.ll:" in str(caught.value)


REFUSED = {
    "an instruction": (
        '%r = call i32 asm "clz.b32 $0, $1;", "=r,r"(i32 %6)',
        "'clz.b32' is not known to the simulator",
    ),
    "a special register": (
        '%r = call i32 asm "mov.u32 $0, %smid;", "=r"()',
        "'mov.u32' reads '%smid', which has no value",
    ),
    "a result without a value": ('%r = call i32 asm "", "=r"()', "reads '$0', which has no value"),
    "labels": (
        '%r = call i32 asm "again: mov.u32 $0, 1; bra again;", "=r"()',
        "inline assembly cannot be simulated: with labels",
    ),
    "what is no statement": ('%r = call i32 asm "123;", "=r"()', "'123' is no statement"),
    "registers that do not fit": (
        '%r = call i32 asm sideeffect "ld.global.v2.b32 $0, [ $1 + 0 ];", "=r,l"(ptr %5)',
        "'ld.global.v2.b32' with 1 registers",
    ),
    "too few operands": ('%r = call i32 asm "mov.u32 $0;", "=r"()', "'mov.u32' has 1 operands"),
    "another address": (
        '%r = call i32 asm "ld.global.b32 $0, [ $1, 4 ];", "=r,l"(ptr %5)',
        "'[ $1, 4 ]' is no address",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_is_refused(what: str) -> None:
    body, message = REFUSED[what]
    with pytest.raises(DiagnosedError) as caught:
        lower_llvm("k", NVIDIA.format(body="BODY").replace("BODY", body), subgroup_size=32)
    assert "k.ll:7:1: error: kernel 'k': inline assembly cannot be simulated: " in str(caught.value)
    assert message in str(caught.value)
