# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps, tensor copies and matrix descriptors of wgmma kernels: one planted mistake each is found and named."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from unittest.mock import patch

import pytest

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.stages import run_stages
from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.checks.hopper.codegen import hopper_mismatches
from roller_mlir.lowering.backend.checks.quality import Mismatch
from roller_mlir.lowering.backend.kernels.plans import kernel_plans
from roller_mlir.lowering.codegen.hopper import operands as hopper_operands
from roller_mlir.lowering.targets import compile_kernels
from roller_mlir.mapping.checks.expected_copies import ExpectedProducts
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

DESCRIPTOR = re.compile(r"(?<=[ \t])46116862\d{11}(?=;)")
"""A number with the bits of a descriptor: a swizzle of 128 B, and distances."""

H200 = find_device("h200")


def product(m: int, n: int, k: int, factor: str = "f16", result: str = "f16", lines: str = "n, k") -> str:
    """A product of an m x k matrix with one whose lines run along n or k."""
    b = f"{n}x{k}" if lines == "n, k" else f"{k}x{n}"
    zero = "0" if result == "i32" else "0.0"
    return f"""
func.func @f(%a: tensor<{m}x{k}x{factor}>, %b: tensor<{b}x{factor}>) -> tensor<{m}x{n}x{result}> {{
  %zero = arith.constant {zero} : {result}
  %empty = tensor.empty() : tensor<{m}x{n}x{result}>
  %init = linalg.fill ins(%zero : {result}) outs(%empty : tensor<{m}x{n}x{result}>) -> tensor<{m}x{n}x{result}>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ({lines})>,
                                      affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<{m}x{k}x{factor}>, tensor<{b}x{factor}>)
      outs(%init : tensor<{m}x{n}x{result}>) -> tensor<{m}x{n}x{result}>
  return %r : tensor<{m}x{n}x{result}>
}}"""


@dataclass(frozen=True)
class Kernel:
    """What the gate reads of one."""

    ptx: str
    maps: tuple[TensorMap, ...]
    products: ExpectedProducts | None
    mismatches: tuple[Mismatch, ...]

    def found(self) -> tuple[Mismatch, ...]:
        return hopper_mismatches(self.ptx, self.maps, self.products)


@cache
def kernel(text: str) -> Kernel:
    return compiled(text)


def compiled(text: str) -> Kernel:
    options = CompileOptions(instructions=("wgmma",), allow_tf32=True)
    with make_context() as context:
        module = parse_module(text, context)
        run_stages(module, "h200", options)
        from roller_mlir.lowering.backend.kernels.tensor_maps import tensor_maps_of

        maps = tensor_maps_of(module)
        expected = {name: one.expected_code(H200) for name, one in kernel_plans(module, H200).items()}
        binary = compile_kernels(module, "h200", emit="ptx", expected_code=expected)[0]
    planned = expected[binary.name]
    assert "ptx" in binary.files and planned is not None
    return Kernel(binary.text("ptx"), maps[binary.name], planned.products, binary.mismatches)


# The first factor's lines run along the reduction, the second one's along the columns; three tensor maps.
MIXED = product(1024, 1536, 512, lines="k, n")

RIGHT = {
    "both K-major": product(1024, 1536, 512),
    "mixed": MIXED,
    "bf16": product(512, 512, 256, "bf16", "bf16"),
    "i8": product(512, 512, 512, "i8", "i32"),
    "tf32": product(512, 512, 256, "f32", "f32"),
    "two warpgroups": product(4096, 4096, 512, lines="k, n"),
    "edges": product(1000, 1016, 520, lines="k, n"),
}


@pytest.mark.full(every=7)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_kernel_is_right(name: str) -> None:
    one = kernel(RIGHT[name])
    assert one.ptx.count("wgmma.mma_async") > 1 and one.products is not None
    assert one.mismatches == ()
    assert one.found() == ()
    assert replace(one, products=None).found() == (), "without a plan"


# Mistakes -----------------------------------------------------------------------------------------------------------


def descriptors(change: Callable[[int], int], *, second: bool = False) -> Callable[[Kernel], Kernel]:
    """Changes the descriptors of one factor; a leading byte offset is only there where it is no dummy of 16 B."""

    def mutate(one: Kernel) -> Kernel:
        def changed(found: re.Match[str]) -> str:
            bits = int(found[0])
            return str(change(bits) if (bits >> 16 & 0x3FFF != 1) == second else bits)

        return replace(one, ptx=DESCRIPTOR.sub(changed, one.ptx))

    return mutate


def text(pattern: str, put: str | Callable[[re.Match[str]], str], count: int = 0) -> Callable[[Kernel], Kernel]:
    return lambda one: replace(one, ptx=re.sub(pattern, put, one.ptx, count=count))


def expected_bytes(more: int) -> Callable[[Kernel], Kernel]:
    def mutate(one: Kernel) -> Kernel:
        register = re.search(r"expect_tx\.shared\.b64 %rd\d+, \[.*?\], (%r\d+);", one.ptx)
        assert register is not None
        constant = rf"(mov\.b32 \t{register[1]}, )(\d+);"
        return replace(one, ptx=re.sub(constant, lambda found: f"{found[1]}{int(found[2]) + more};", one.ptx))

    return mutate


def tensor_map(number: int, **changes: Any) -> Callable[[Kernel], Kernel]:
    return lambda one: replace(
        one, maps=tuple(replace(m, **changes) if at == number else m for at, m in enumerate(one.maps))
    )


def without_a_product(one: Kernel) -> Kernel:
    block = r"\t// begin inline asm\n\t\{\n\.reg \.pred p;\n[^}]*?wgmma[^}]*?\}[^}]*?\}\n\n\t// end inline asm\n"
    return replace(one, ptx=re.sub(block, "", one.ptx, count=1))


def twice(field: int) -> Callable[[int], int]:
    """Doubles a distance of a descriptor."""
    mask = 0x3FFF << field
    return lambda bits: bits & ~mask | (bits & mask) << 1 & mask


PLANTED: dict[str, tuple[Callable[[Kernel], Kernel], str, str]] = {
    "swizzle of 64 B": (
        descriptors(lambda bits: bits ^ 3 << 62),
        "descriptor",
        "the descriptor of input 0, the first factor, says a swizzle of 64 B, its tile has one of 128 B",
    ),
    "no swizzle": (
        descriptors(lambda bits: bits & ~(3 << 62), second=True),
        "descriptor",
        "the descriptor of input 1, the second factor, says a swizzle of 0 B, its tile has one of 128 B",
    ),
    "no swizzle anywhere": (
        lambda one: tensor_map(0, swizzle=0)(descriptors(lambda bits: bits & ~(3 << 62))(one)),
        "descriptor",
        "input 0, the first factor, lies without a swizzle, the plan has one of 128 B",
    ),
    "stride twice as long": (
        descriptors(twice(32)),
        "descriptor",
        "the descriptor of input 0, the first factor, has a stride byte offset of 2048 B, its tile one of 1024 B",
    ),
    "stride twice as long, second factor": (
        descriptors(twice(32), second=True),
        "descriptor",
        "the descriptor of input 1, the second factor, has a stride byte offset of 2048 B, its tile one of 1024 B",
    ),
    "leading byte offset twice as long": (
        descriptors(twice(16), second=True),
        "descriptor",
        "input 1, the second factor, has a leading byte offset of 16384 B, its tile one of 8192 B",
    ),
    "reserved bit": (
        descriptors(lambda bits: bits | 1 << 53),
        "descriptor",
        "the first descriptor of a product has 0x20000000000000 in bits that must be 0",
    ),
    "base offset": (
        descriptors(lambda bits: bits | 1 << 49),
        "descriptor",
        "has base offset 1, its pattern begins at multiples of 1024 B, which is 0",
    ),
    "first factor transposed": (
        text(r", 1,  1, 0,  1;", ", 1,  1, 1,  1;"),
        "descriptor",
        "a product has tnspA 1, the lines of input 0, the first factor, want 0",
    ),
    "second factor not transposed": (
        text(r", 1,  1, 0,  1;", ", 1,  1, 0,  0;"),
        "descriptor",
        "a product has tnspB 0, the lines of input 1, the second factor, want 1",
    ),
    "negated": (text(r", 1,  1, 0,  1;", ", -1,  1, 0,  1;"), "descriptor", "a product has signs [-1, 1]"),
    "another type": (
        text(r"\.f16\.f16 \{", ".bf16.bf16 {"),
        "descriptor",
        "a product takes input 0, the first factor, for bf16, the plan for f16",
    ),
    "fewer columns": (text(r"m64n\d+k16", "m64n64k16"), "descriptor", "the plan's is of 64 x 128 x 16"),
    "the same part again": (
        descriptors(lambda bits: bits & ~0xF | (2 if bits & 0xF else 0)),
        "descriptor",
        "multiplies the parts of the tiles from [0, 16] and [32, 0] on, the plan those from",
    ),
    "a product left out": (without_a_product, "descriptor", "warpgroup 0 has 7 products in a step, the plan has 8"),
    "more bytes expected": (
        expected_bytes(16),
        "copies",
        "a step's barrier expects 32784 B (expect_tx), its 3 boxes bring 32768 B",
    ),
    "copies that arrive elsewhere": (
        text(
            r"(cp\.async\.bulk\.tensor.*\[%r\d+)\+(\d+)\];", lambda found: f"{found[1]}+{int(found[2]) + 8}];", count=1
        ),
        "copies",
        "1 of a step's 3 boxes arrive at another barrier than that which expects them",
    ),
    "buffers that overlap": (
        text(r"(shl\.b32 \t%r\d+, %r\d+, )15;", r"\g<1>14;", count=1),
        "copies",
        "the buffers of two steps overlap in workgroup memory",
    ),
    "a ring of twice the buffers": (
        text(r"(setp\.eq\.b32 \t%p\d+, %r\d+, )6;", r"\g<1>12;", count=1),
        "descriptor",
        "warpgroup 0 waits for a step at another barrier than the one of its copies",
    ),
    "nobody copies": (
        text(r"(setp\.ne\.b32 \t%p\d+, %r\d+, )4;", r"\g<1>8;", count=1),
        "copies",
        "no copies of a step can be followed",
    ),
    "a box half a pattern further": (
        text(r"(add\.s32 \t%r\d+, %r\d+, )16384;", r"\g<1>16896;", count=1),
        "copies",
        "begins 512 B behind a multiple of 1024 B in workgroup memory",
    ),
    "workgroup memory less aligned": (
        text(r"\.align 1024", ".align 16"),
        "copies",
        "begins 16 B behind a multiple of 1024 B in workgroup memory, its swizzle of 128 B begins at such",
    ),
    "a box of 257": (
        tensor_map(0, box=(257, 64)),
        "tensor_map",
        "tensor map 0 (argument 0) has a box extent of 257, which must be 1 to 256",
    ),
    "a box too small": (tensor_map(0, box=(64, 64)), "copies", "its 3 boxes bring 24576 B"),
    "lines longer than the swizzle": (
        tensor_map(0, swizzle=64),
        "tensor_map",
        "has an innermost box extent of bytes of 128, which must be 64 at most, the span of its swizzle",
    ),
    "stride twice as long, of a map": (
        tensor_map(1, strides=(6144,)),
        "tensor_map",
        "tensor map 1 of input 1 has strides of bytes [6144], the plan wants [3072]",
    ),
    "stride of 8 B": (tensor_map(0, strides=(1032,)), "tensor_map", "a stride of bytes of 1032, which must be a multi"),
    "element stride of 9": (
        tensor_map(0, steps=(9, 1), box=(252, 64)),
        "tensor_map",
        "has an element stride of 9, which must be 1 to 8",
    ),
    "element stride of 2": (
        tensor_map(0, steps=(2, 1), box=(256, 64)),
        "tensor_map",
        "tensor map 0 of input 0 has element strides [2, 1], the plan wants [1, 1]",
    ),
    "another array": (
        tensor_map(0, extents=(1000, 512)),
        "tensor_map",
        "tensor map 0 of input 0 has extents [1000, 512], the plan wants [1024, 512]",
    ),
    "elements of another type": (
        tensor_map(1, element="bf16"),
        "tensor_map",
        "tensor map 1 of input 1 has elements of type bf16, the plan wants f16",
    ),
    "results elsewhere": (
        tensor_map(2, strides=(6144,)),
        "tensor_map",
        "tensor map 2 of the results has extents [1024, 1536] and strides [6144] of bytes, the plan's are",
    ),
    "results with another swizzle": (
        tensor_map(2, swizzle=0),
        "tensor_map",
        "tensor map 2 of the results has a swizzle of 0 B, lines of 128 B have one of 128 B",
    ),
}


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake_is_found(name: str) -> None:
    mutate, kind, message = PLANTED[name]
    mutant = mutate(kernel(MIXED))
    assert mutant != kernel(MIXED)
    found = [(one.kind, one.message) for one in mutant.found()]
    assert [text for what, text in found if what == kind and message in text], found


def test_descriptors_by_subgroup_are_found() -> None:
    """The number of the subgroup in place of the warpgroup's: right for subgroup 0."""
    one = kernel(RIGHT["two warpgroups"])
    subgroup = re.search(r"shfl\.sync\.idx\.b32 \t(%r\d+),", one.ptx)
    assert subgroup is not None
    group = re.search(rf"shr\.u32 \t(%r\d+), {subgroup[1]}, 2;", one.ptx)
    assert group is not None
    mutant = replace(one, ptx=re.sub(rf"(shl\.b32 \t%r\d+), {group[1]}, 13;", rf"\1, {subgroup[1]}, 13;", one.ptx))
    assert mutant != one
    for products in (one.products, None):
        found = [mismatch.message for mismatch in replace(mutant, products=products).found()]
        assert "the descriptors of a product differ from subgroup to subgroup of warpgroup 0" in found


def test_what_breaks_the_hardware_is_found_without_a_plan() -> None:
    for name in ("reserved bit", "more bytes expected", "workgroup memory less aligned", "a box of 257"):
        mutate, kind, message = PLANTED[name]
        found = replace(mutate(kernel(MIXED)), products=None).found()
        assert any(one.kind == kind and message in one.message for one in found), name


def test_the_gate_is_asked() -> None:
    """A code generator with a wrong bit, as `roller compile` sees it."""
    with patch.object(hopper_operands, "_SWIZZLE_128", -1 << 63):
        found = compiled(MIXED).mismatches
    assert {one.kind for one in found} == {"descriptor"}
    assert "says a swizzle of 64 B, its tile has one of 128 B" in found[0].message
