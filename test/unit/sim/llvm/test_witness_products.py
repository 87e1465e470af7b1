# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplications that Triton and IREE compiled run at the LLVM level as they should.

The simulator and our code generator come from the same hands, and could share a misunderstanding of an instruction;
these compilers' kernels do not: ldmatrix, mma.sync and cp.async of NVIDIA, MFMA of AMD. `bench/peers/witness.py` made
them.
"""

import itertools
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from roller_mlir.lowering.backend.translate import to_llvm_22
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.sim import SimulatedKernels, SimulationError
from roller_mlir.sim.llvm.level import lower_llvm

DATA = Path(__file__).parents[1] / "data" / "witness"
INDEX: dict[str, dict[str, Any]] = json.loads((DATA / "index.json").read_text())
KERNELS = [name for name, entry in INDEX.items() if not name.endswith(("descriptors", "made"))]
DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "i8": np.int8,
    "i32": np.int32,
}


def text_of(name: str) -> str:
    """LLVM IR as LLVM 22 spells it."""
    return to_llvm_22((DATA / f"{name}.ll").read_text())


def subgroup_size(name: str) -> int:
    return 64 if INDEX[name]["target"].startswith("gfx") else 32


def simulated(name: str, text: str) -> SimulatedKernels:
    lowered = lower_llvm(INDEX[name]["kernel"], text, subgroup_size=subgroup_size(name))
    assert lowered.refusal((INDEX[name]["threads"], 1, 1)) == ""
    return SimulatedKernels(lowered, subgroup_size(name))


@cache
def kernel_of(name: str) -> SimulatedKernels:
    return simulated(name, text_of(name))


def extents(name: str) -> tuple[int, int, int]:
    """Sizes that the kernel promises: of Triton's, multiples of 16; here they end within tiles."""
    entry = INDEX[name]
    if "extents" in entry:
        m, n, k = entry["extents"]
        return m, n, k
    rows, columns, depth = entry["tile"]
    return 2 * rows - 16, 2 * columns - 16, 3 * depth + 16 * (depth > 16)


def is_right(name: str, kernels: SimulatedKernels, seed: int | None, size: tuple[int, int, int] | None = None) -> bool:
    """Whether the kernel gives the product of integers to the bit."""
    entry = INDEX[name]
    m, n, k = size or extents(name)
    generator = np.random.default_rng(7)
    a = generator.integers(-4, 5, (m, k)).astype(DTYPES[entry["element"]])
    b = generator.integers(-4, 5, (k, n)).astype(DTYPES[entry["element"]])
    expected = (a.astype(np.int64) @ b.astype(np.int64)).astype(DTYPES[entry["sum"]])
    c = np.full_like(expected, 99)
    if entry["compiler"] == "Triton":
        rows, columns, _ = entry["tile"]
        grid: tuple[int, ...] = (-(-m // rows), -(-n // columns))
        scratch = np.zeros(16, np.uint8)
        arguments, dynamic = [a, b, c, m, n, k, scratch, scratch], entry["dynamic_bytes"]
    else:
        grid, arguments, dynamic = (entry["blocks"],), [a, b, c], 65536
    kernels.launch(entry["kernel"], grid, entry["threads"], dynamic, arguments, seed=seed)
    return np.array_equal(c, expected)


@pytest.mark.full(every=20)
@pytest.mark.parametrize("name", KERNELS)
def test_products(name: str) -> None:
    for seed in (None, 0, 1):
        assert is_right(name, kernel_of(name), seed)


@pytest.mark.parametrize("name", ["triton-sm_80-f16", "triton-gfx942-f16"])
def test_sizes(name: str) -> None:
    for size in itertools.product((16, 48), (16, 48), (16, 32, 80)):
        assert is_right(name, kernel_of(name), 0, size)


TENSORS = "triton-sm_90-f16-descriptors"


def tensor_maps() -> list[TensorMap]:
    """What Triton's launcher makes of the descriptors of A, B and C; a row of a box fills its swizzle."""
    m, n, k = extents(TENSORS)
    rows, columns, depth = INDEX[TENSORS]["tile"]
    return [
        TensorMap(
            argument=18 + number,
            element="f16",
            extents=shape,
            strides=(2 * shape[1],),
            box=box,
            steps=(1, 1),
            swizzle=2 * box[1],
        )
        for number, (shape, box) in enumerate(
            [((m, k), (rows, depth)), ((k, n), (depth, columns)), ((m, n), (rows, columns))]
        )
    ]


def runs_with_descriptors(text: str, seed: int | None) -> bool:
    """Whether the kernel that takes descriptors gives the product."""
    # A descriptor is passed with the address in it; here the arrays are parameters behind the others.
    text = re.sub(r"(define .*) %17\)", r"\1 %17, ptr %a, ptr %b, ptr %c)", text)
    entry = INDEX[TENSORS]
    kernels = SimulatedKernels(lower_llvm(entry["kernel"], text, subgroup_size=32, tensor_maps=tensor_maps()), 32)
    m, n, k = extents(TENSORS)
    generator = np.random.default_rng(7)
    a, b = (generator.integers(-4, 5, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c, scratch = np.full((m, n), 99, np.float16), np.zeros(16, np.uint8)
    sizes = [size for rows, columns in ((m, k), (k, n), (m, n)) for size in (rows, columns, columns, 1)]
    rows, columns, _ = entry["tile"]
    grid = (-(-m // rows), -(-n // columns))
    arguments = [*sizes, k, scratch, scratch, a, b, c]
    kernels.launch(entry["kernel"], grid, entry["threads"], entry["dynamic_bytes"], arguments, seed=seed)
    return np.array_equal(c, (a.astype(np.int64) @ b.astype(np.int64)).astype(np.float16))


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_products_with_descriptors(seed: int | None) -> None:
    assert runs_with_descriptors(text_of(TENSORS), seed)


MADE = "triton-sm_90-bf16-made"


def runs_with_made_descriptors(text: str, seed: int | None) -> bool:
    """Whether the kernel that makes its descriptors itself, in memory that it is given, gives the product."""
    entry = INDEX[MADE]
    kernels = SimulatedKernels(lower_llvm(entry["kernel"], text, subgroup_size=32), 32)
    m, n, k = extents(MADE)
    generator = np.random.default_rng(7)
    a, b = (generator.integers(-4, 5, shape).astype(ml_dtypes.bfloat16) for shape in ((m, k), (k, n)))
    expected = (a.astype(np.int64) @ b.astype(np.int64)).astype(ml_dtypes.bfloat16)
    c, rest = np.full_like(expected, 99), np.zeros(16, np.uint8)
    rows, columns, _ = entry["tile"]
    grid = (-(-m // rows), -(-n // columns))
    scratch = np.zeros(grid[0] * grid[1] * entry["scratch_bytes"], np.uint8)
    arguments = [a, b, c, m, n, k, scratch, rest]
    kernels.launch(entry["kernel"], grid, entry["threads"], entry["dynamic_bytes"], arguments, seed=seed)
    return np.array_equal(c, expected)


@pytest.mark.parametrize("seed", [None, pytest.param(0, marks=pytest.mark.full)])
def test_products_with_descriptors_that_the_kernel_makes(seed: int | None) -> None:
    assert runs_with_made_descriptors(text_of(MADE), seed)


@pytest.mark.parametrize(
    ("pattern", "new", "message"),
    [
        (
            r"@\$1 fence\.proxy\.tensormap::generic\.acquire\.gpu \[ \$0 \+ 0 \], 0x80;",
            "",
            "is used without 'fence.proxy.",
        ),
        (r"(elemtype\S+ \[ \$0 \+ 0 \]), 0xa;", r"\1, 0x9;", "has elemtype = 9, which must be one of 0, 6, 7, 10, 11"),
        (r"(shl nsw i64 %\d+), 1", r"\1, 2", "which lies in no argument"),
    ],
)
def test_mistakes_of_made_descriptors_are_named(pattern: str, new: str, message: str) -> None:
    text = text_of(MADE)
    wrong = re.sub(pattern, new, text)
    assert wrong != text
    with pytest.raises(SimulationError) as caught:
        runs_with_made_descriptors(wrong, 0)
    assert message in str(caught.value)


FAULTS = {
    "a wait for too few groups": ("triton-sm_80-f16", r"(wait\.group\(i32) \d", r"\1 7"),
    "no wait": ("triton-sm_80-bf16", r".*@llvm\.nvvm\.cp\.async\.wait\.group\(i32 \d\)\n", ""),
    "a load that is not transposed": ("triton-sm_80-f16", r"m8n8\.x4\.trans\.b16", "m8n8.x4.b16"),
    "fragments of A in another order": ("triton-sm_80-i8", r"\{ \$8, \$9, \$10, \$11 \}", "{ $8, $10, $9, $11 }"),
    "operands that change places": (
        "triton-gfx942-f16",
        r"(mfma\S*\(<4 x half>) (%\d+), <4 x half> (%\d+)",
        r"\1 \3, <4 x half> \2",
    ),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_show(fault: str) -> None:
    name, pattern, replacement = FAULTS[fault]
    text = text_of(name)
    wrong = re.sub(pattern, replacement, text)
    if "trans" in pattern:
        wrong = re.sub(r"declare .*ldmatrix.*\n", "", wrong, count=1)
    assert wrong != text
    assert not is_right(name, simulated(name, wrong), 0)


# What is changed, and what is said of it; "": the result is wrong.
HOPPER_FAULTS = {
    "no wait for an mbarrier": (r".*mbarrier\.try_wait.*\n", "", "is read, which a copy may still write"),
    "the other phase": (
        r'(try_wait.*"r,r"\(ptr addrspace\(3\) %\d+, i32) %\d+\)',
        r"\1 1)",
        "is read, which a copy may still write",
    ),
    "fewer bytes than arrive": (r"12288;", "8192;", "fewer bytes are expected than are copied"),
    "no wait for products": (
        r"wgmma\.wait_group\.sync\.aligned \d;",
        "",
        "which products of warpgroup 0 may still read",
    ),
    "no commit of a group": (
        r".*call void @llvm\.nvvm\.wgmma\.commit_group.*\n",
        "",
        "which products of warpgroup 0 may still read",
    ),
    "another swizzle of B": (r"-2147483616", "1073741856", "is read, which a copy may still write"),
    "another stride of A": (r"i32 1073741888", "i32 1073741856", ""),
    "another coordinate": (r"(ptr nonnull %0, i32) \d+, i32 %20", r"\1 8, i32 %20", ""),
    "no wait for the store": (r".*call void @llvm\.nvvm\.cp\.async\.bulk\.wait\.group\(i32 0\)\n", "", ""),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("fault", HOPPER_FAULTS)
def test_hopper_faults_show(fault: str) -> None:
    pattern, replacement, message = HOPPER_FAULTS[fault]
    text = text_of(TENSORS)
    wrong = re.sub(pattern, replacement, text)
    assert wrong != text
    if not message:
        assert not runs_with_descriptors(wrong, 0)
        return
    with pytest.raises(SimulationError) as caught:
        runs_with_descriptors(wrong, 0)
    assert message in str(caught.value)
    assert "product_of_descriptors.ll:" in str(caught.value)
