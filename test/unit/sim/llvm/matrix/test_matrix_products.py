# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of whole subgroups at the LLVM level, one instruction at a time, against numpy."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from llvm_kernels import launch
from llvm_products import Array, kernel, mfma_a, mfma_b, mfma_c, mfma_c_back, mma_a, mma_b, mma_c, mma_c_back

from roller_mlir.sim import SimulationError
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "s8": np.int8,
    "i8": np.int8,
    "i32": np.int32,
}


def matrices(m: int, n: int, k: int, element: str, total: str) -> tuple[Array, Array, Array]:
    generator = np.random.default_rng(m + n + k)
    a, b = generator.integers(-4, 5, (m, k)), generator.integers(-4, 5, (k, n))
    c = generator.integers(-9, 10, (m, n))
    return a.astype(DTYPES[element]), b.astype(DTYPES[element]), c.astype(DTYPES[total])


def product(a: Array, b: Array, c: Array) -> Array:
    return (a.astype(np.int64) @ b.astype(np.int64) + c.astype(np.int64)).astype(c.dtype)


MMA = {
    "m16n8k16.row.col.f32.f32": (16, "f16", "f32"),
    "m16n8k16.row.col.f16.f16": (16, "f16", "f16"),
    "m16n8k8.row.col.f32.f32": (8, "f16", "f32"),
    "m16n8k8.row.col.f16.f16": (8, "f16", "f16"),
    "m16n8k16.row.col.bf16": (16, "bf16", "f32"),
    "m16n8k8.row.col.bf16": (8, "bf16", "f32"),
    "m16n8k8.row.col.tf32": (8, "tf32", "f32"),
    "m16n8k4.row.col.tf32": (4, "tf32", "f32"),
    "m16n8k32.row.col.s8": (32, "s8", "i32"),
    "m16n8k32.row.col.satfinite.s8": (32, "s8", "i32"),
    "m16n8k16.row.col.s8": (16, "s8", "i32"),
}
WORDS = {"f16": "<2 x half>", "f32": "float", "i32": "i32"}


def mma_kernel(name: str) -> str:
    """The kernel of an intrinsic `llvm.nvvm.mma.<name>`."""
    k, element, total = MMA[name]
    word = "<2 x half>" if element == "f16" else "i32"
    size = np.dtype(DTYPES[element]).itemsize
    operands = [[word] * (16 * k * size // 128), [word] * (8 * k * size // 128)]
    sums = [WORDS[total]] * (4 * np.dtype(DTYPES[total]).itemsize // 4)
    operands.append(sums)
    names = [f"{{{'abc'[part]}{place}}}" for part, kinds in enumerate(operands) for place in range(len(kinds))]
    whole, callee = f"{{{{ {', '.join(sums)} }}}}", f"llvm.nvvm.mma.{name}"
    kinds = ", ".join(kind for part in operands for kind in part)
    declared = f"declare {whole[1:-1]} @{callee}({kinds})\n"
    return kernel("ptx", operands, f"{{d}} = call {whole} @{callee}({', '.join(names)})", sums, declared)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", MMA)
def test_mma(name: str) -> None:
    k, element, total = MMA[name]
    a, b, c = matrices(16, 8, k, element, total)
    held = [mma_a(a), mma_b(b), mma_c(c)]
    out = np.zeros((2, 32, 4), DTYPES[total])
    twice = [np.concatenate([one, one]) for one in held]
    launch(mma_kernel(name), [*twice, out], 64, seed=1)
    for warp in out:
        np.testing.assert_array_equal(mma_c_back(warp), product(a, b, c))


PTX = {
    "m16n8k16.row.col.f32.f16.f16.f32": (16, "f16", "f32"),
    "m16n8k16.row.col.f16.f16.f16.f16": (16, "f16", "f16"),
    "m16n8k8.row.col.f32.f16.f16.f32": (8, "f16", "f32"),
    "m16n8k16.row.col.f32.bf16.bf16.f32": (16, "bf16", "f32"),
    "m16n8k8.row.col.f32.tf32.tf32.f32": (8, "tf32", "f32"),
    "m16n8k32.row.col.satfinite.s32.s8.s8.s32": (32, "s8", "i32"),
    "m16n8k32.row.col.s32.s8.s8.s32": (32, "s8", "i32"),
    "m16n8k16.row.col.s32.s8.s8.s32": (16, "s8", "i32"),
}


def ptx_kernel(name: str, extra: str = "") -> str:
    """The kernel of inline assembly, as Triton writes it: D's registers are those of C."""
    k, element, total = PTX[name]
    size = np.dtype(DTYPES[element]).itemsize
    counts = [4 * np.dtype(DTYPES[total]).itemsize // 4, 16 * k * size // 128, 8 * k * size // 128]
    sums, kind, letter = counts[0], "float" if total == "f32" else "i32", "f" if total == "f32" else "r"

    def registers(start: int, count: int) -> str:
        return "{{" + ", ".join(f"${start + number}" for number in range(count)) + "}}"

    d, c = registers(0, sums), registers(sums, sums)
    a, b = registers(2 * sums, counts[1]), registers(2 * sums + counts[1], counts[2])
    constraints = [f"={letter}"] * sums + [str(number) for number in range(sums)] + ["r"] * (counts[1] + counts[2])
    values = [f"{{c{place}}}" for place in range(sums)]
    values += [f"{{a{place}}}" for place in range(counts[1])] + [f"{{b{place}}}" for place in range(counts[2])]
    whole = f"{{{{ {', '.join([kind] * sums)} }}}}"
    call = f'{{d}} = call {whole} asm sideeffect "{extra}mma.sync.aligned.{name} {d}, {a}, {b}, {c};", '
    call += f'"{",".join(constraints)}"({", ".join(values)})'
    return kernel("ptx", [["i32"] * counts[1], ["i32"] * counts[2], [kind] * sums], call, [kind] * sums)


@pytest.mark.parametrize("name", PTX)
def test_mma_as_inline_assembly(name: str) -> None:
    k, element, total = PTX[name]
    a, b, c = matrices(16, 8, k, element, total)
    out = np.zeros((32, 4), DTYPES[total])
    launch(ptx_kernel(name), [mma_a(a), mma_b(b), mma_c(c), out], 32)
    np.testing.assert_array_equal(mma_c_back(out), product(a, b, c))


def test_mma_of_turing() -> None:
    """m8n8k16: a register of A and B holds four neighbours along k, C's two hold neighbours of a row."""
    a, b, c = matrices(8, 8, 16, "s8", "i32")
    callee, sums = "llvm.nvvm.mma.m8n8k16.row.col.s8", "{ i32, i32 }"
    call = f"{{d}} = call {{{sums}}} @{callee}({{a0}}, {{b0}}, {{c0}}, {{c1}})"
    declared = f"declare {sums} @{callee}(i32, i32, i32, i32)\n"
    out = np.zeros((8, 8), np.int32)
    text = kernel("ptx", [["i32"], ["i32"], ["i32", "i32"]], call, ["i32", "i32"], declared)
    launch(text, [a, np.ascontiguousarray(b.T), c, out], 32)
    np.testing.assert_array_equal(out, product(a, b, c))


@pytest.mark.parametrize("saturates", [False, True])
def test_integers_wrap_unless_they_shall_saturate(saturates: bool) -> None:
    name = f"m16n8k32.row.col{'.satfinite' * saturates}.s8"
    a, b = np.full((16, 32), 100, np.int8), np.full((32, 8), 100, np.int8)
    c, out = np.full((16, 8), 2**31 - 1000, np.int32), np.zeros((32, 4), np.int32)
    launch(mma_kernel(name), [mma_a(a), mma_b(b), mma_c(c), out], 32)
    expected = 2**31 - 1 if saturates else 320000 - 1000 - 2**31
    assert (out == expected).all()


def test_the_low_bits_of_tf32_count_for_nothing() -> None:
    a, b, c = matrices(16, 8, 8, "tf32", "f32")
    dirty = (a.view(np.uint32) | 0x1FFF).view(np.float32)
    out = np.zeros((32, 4), np.float32)
    launch(mma_kernel("m16n8k8.row.col.tf32"), [mma_a(dirty), mma_b(b), mma_c(c), out], 32)
    np.testing.assert_array_equal(mma_c_back(out), product(a, b, c))


MFMA = {
    "f32.32x32x8f16": (32, 8, "f16", "f32", "<4 x half>"),
    "f32.16x16x16f16": (16, 16, "f16", "f32", "<4 x half>"),
    "f32.32x32x8bf16.1k": (32, 8, "bf16", "f32", "<4 x i16>"),
    "f32.16x16x16bf16.1k": (16, 16, "bf16", "f32", "<4 x i16>"),
    "f32.32x32x2f32": (32, 2, "f32", "f32", "float"),
    "f32.16x16x4f32": (16, 4, "f32", "f32", "float"),
    "i32.32x32x16.i8": (32, 16, "i8", "i32", "i64"),
    "i32.16x16x32.i8": (16, 32, "i8", "i32", "i64"),
    "i32.32x32x8i8": (32, 8, "i8", "i32", "i32"),
    "i32.16x16x16i8": (16, 16, "i8", "i32", "i32"),
}


def mfma_kernel(name: str, last: str = "i32 0, i32 0, i32 0") -> str:
    rows, _, _, total, word = MFMA[name]
    sums = f"<{rows * rows // 64} x {'float' if total == 'f32' else 'i32'}>"
    declared = f"declare {sums} @llvm.amdgcn.mfma.{name}({word}, {word}, {sums}, i32 immarg, i32 immarg, i32 immarg)"
    call = f"{{d}} = call {sums} @llvm.amdgcn.mfma.{name}({{a0}}, {{b0}}, {{c0}}, {last})"
    return kernel("amdgpu", [[word], [word], [sums]], call, [sums], declared)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", MFMA)
def test_mfma(name: str) -> None:
    rows, k, element, total, _ = MFMA[name]
    a, b, c = matrices(rows, rows, k, element, total)
    held, out = mfma_c(c), np.zeros((64, rows * rows // 64), DTYPES[total])
    launch(mfma_kernel(name), [mfma_a(a), mfma_b(b), held, out], 64, 64)
    np.testing.assert_array_equal(mfma_c_back(out, rows), product(a, b, c))


def test_lanes_that_do_not_take_part() -> None:
    text = mma_kernel("m16n8k16.row.col.f32.f32")
    call = next(line for line in text.splitlines() if "call { float" in line)
    stores = text[text.index(call) + len(call) : text.index("  ret void")]
    odd = f"""  %some = icmp ult i32 %thread, 31
      br i1 %some, label %inside, label %end
    inside:
    {call}{stores}  br label %end
    end:
    """
    held = [np.zeros((32, size), np.int32) for size in (4, 2, 4, 4)]
    with pytest.raises(SimulationError) as caught:
        launch(text.replace(call + stores, odd), held, 32)
    assert caught.value.kind == "divergent-subgroup"
    assert "llvm.nvvm.mma.m16n8k16.row.col.f32.f32 at k.ll:" in str(caught.value)
    with pytest.raises(SimulationError) as caught:
        launch(text, held, 24)
    assert "llvm.nvvm.mma.m16n8k16.row.col.f32.f32 at k.ll:" in str(caught.value)


REFUSED = {
    "a shape": (
        mma_kernel("m16n8k32.row.col.s8").replace("m16n8k32.row.col.s8", "m16n8k64.row.col.s4"),
        32,
        "'llvm.nvvm.mma.m16n8k64.row.col.s4' is not known to the simulator",
    ),
    "unsigned integers": (
        ptx_kernel("m16n8k32.row.col.s32.s8.s8.s32").replace("s32.s8.s8.s32", "s32.u8.u8.s32"),
        32,
        "'mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32' is not known to the simulator",
    ),
    "two types": (
        ptx_kernel("m16n8k16.row.col.f32.f16.f16.f32").replace("f32.f16.f16.f32", "f32.f16.bf16.f32"),
        32,
        "'mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32' is not known to the simulator",
    ),
    "a predicate": (
        ptx_kernel("m16n8k16.row.col.f32.f16.f16.f32", "@$0 "),
        32,
        "'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32' with a predicate",
    ),
    "a permutation": (
        mfma_kernel("f32.32x32x8f16", "i32 0, i32 0, i32 1"),
        64,
        "'llvm.amdgcn.mfma.f32.32x32x8f16' whose operand 5 is 1",
    ),
    "an instruction of AMD": (
        mfma_kernel("f32.32x32x8f16").replace("32x32x8f16", "32x32x4.2b.f16"),
        64,
        "intrinsic 'llvm.amdgcn.mfma.f32.32x32x4.2b.f16' is not known to the simulator",
    ),
    "other subgroups": (mfma_kernel("f32.32x32x8f16"), 32, "'mfma_m32n32k8_f16_f32' in subgroups of 32 lanes"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_is_refused(what: str) -> None:
    text, subgroup_size, message = REFUSED[what]
    with pytest.raises(DiagnosedError) as caught:
        lower_llvm("k", text, subgroup_size=subgroup_size)
    assert message in str(caught.value)
    assert "k.ll:" in str(caught.value)
