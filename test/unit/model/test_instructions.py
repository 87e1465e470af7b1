# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which instruction computes an operator: from its element types, the form of its body and the device's list."""

import re
from dataclasses import replace

import pytest
from model_expressions import CASES, conv2d, expression, matmul, typed

from roller_mlir.hal import Device, Instruction, device_names, find_device, parse_device, template
from roller_mlir.model import ConstructionError, ConstructOptions, construct, predict
from roller_mlir.model.instructions.choice import atoms, roles, scalar_atom
from roller_mlir.plan import Plan

TYPES = (("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("i8", "i32"), ("f64", "f64"), ("f32", "f32"))
DEVICES = ("v100", "a100", "h200", "mi300x", "mi210", "2080ti", "b200", "k80", "mi50")
MATRIX = ("wmma", "mma", "wgmma", "mfma")


def fitting(device: Device, operand: str, result: str) -> list[Instruction]:
    """Return the device's instructions of these types, fastest first: matrices sum in f32, and none takes f64 or i8.

    (Of a product whose second factor is not contiguous along the reduction, `wgmma` takes 16-bit types only.)
    """
    total = "f32" if result == "f16" else result
    found = [
        one
        for one in device.instructions
        if one.operand_type == operand
        and one.result_type == (total if one.is_matrix else result)
        and not (one.is_matrix and operand == "f64")
        and not (one.family == "wgmma" and operand == "i8")
    ]
    return sorted(found, key=lambda one: -one.flops_per_cycle_per_unit)


def check_whole_instructions(plan: Plan, instruction: Instruction, loops: tuple[int, int, int]) -> None:
    """Check that blocks are multiples of the shape, rows and columns in either order, and threads of its group."""
    rows, columns, depth = (plan.axes[loop].block for loop in loops)
    m, n, k = instruction.shape
    assert depth % k == 0
    assert (rows % m == 0 and columns % n == 0) or (rows % n == 0 and columns % m == 0)
    assert plan.threads % instruction.threads == 0


@pytest.mark.full(each=["name", "operand", "result"])
@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize(("operand", "result"), TYPES)
def test_a_product_takes_the_fastest_instruction_of_its_types(name: str, operand: str, result: str) -> None:
    device, expr = find_device(name), typed(matmul(1024, 1024, 1024), operand, result)
    listed = fitting(device, operand, result)
    plans = construct(expr, device, ConstructOptions(top_k=4, split=False))
    assert plans
    if not listed:
        assert all(plan.instruction == "fma" for plan in plans), "converted, and counted as f32"
        return
    peak = listed[0].flops_per_cycle_per_unit
    families = {one.family for one in listed if one.flops_per_cycle_per_unit == peak}
    for plan in plans:
        assert plan.instruction in families
        if plan.instruction in MATRIX:
            shapes = [one for one in listed if one.family == plan.instruction and one.flops_per_cycle_per_unit == peak]
            least = min(shapes, key=lambda one: one.shape[0] * one.shape[1])
            check_whole_instructions(plan, least, (0, 1, 2))


@pytest.mark.parametrize(
    ("name", "operand", "result", "family"),
    [
        ("v100", "f16", "f32", "wmma"),
        ("v100", "bf16", "f32", "fma"),
        ("v100", "i8", "i32", "fma"),
        ("a100", "f16", "f16", "mma"),
        ("a100", "bf16", "f32", "mma"),
        ("a100", "f64", "f64", "fma"),
        ("a100", "f32", "f32", "fma"),
        ("h200", "f16", "f32", "wgmma"),
        ("h200", "i8", "i32", "mma"),
        ("h200", "f64", "f64", "fma"),
        ("h200", "f32", "f32", "fma"),
        ("mi300x", "bf16", "f32", "mfma"),
        ("mi300x", "f16", "f16", "mfma"),
        ("mi300x", "f32", "f32", "mfma"),
        ("mi210", "f64", "f64", "fma"),
        ("2080ti", "i8", "i32", "mma"),
        ("k80", "f16", "f32", "fma"),
        ("mi50", "f16", "f16", "packed_fma"),
    ],
)
def test_instructions_by_hand(name: str, operand: str, result: str, family: str) -> None:
    """F32 is f32: products are not rounded to tf32 or xf32 unless their elements are."""
    expr = typed(matmul(2048, 2048, 1024), operand, result)
    assert construct(expr, find_device(name), ConstructOptions(top_k=1))[0].instruction == family


NOT_PRODUCTS = {
    "element_wise": CASES["element_wise"],
    "bias": CASES["bias"],
    "transpose": CASES["transpose"],
    "row_sum": CASES["row_sum"],
    "matrix_vector": CASES["matrix_vector"],
    "pooling": expression(
        [2, 30, 30, 64],
        [3, 3],
        [("x", (2, 32, 32, 64), (0, {1: 1, 4: 1}, {2: 1, 5: 1}, 3))],
        ("y", (2, 30, 30, 64), (0, 1, 2, 3)),
        product=False,
    ),
    "depthwise": expression(
        [2, 30, 30, 64],
        [3, 3],
        [("x", (2, 32, 32, 64), (0, {1: 1, 4: 1}, {2: 1, 5: 1}, 3)), ("w", (3, 3, 64), (4, 5, 3))],
        ("y", (2, 30, 30, 64), (0, 1, 2, 3)),
    ),
}


@pytest.mark.full(each=["name", "operator", "operand"])
@pytest.mark.parametrize("name", ["v100", "a100", "h200", "mi300x"])
@pytest.mark.parametrize("operator", list(NOT_PRODUCTS))
@pytest.mark.parametrize(("operand", "result"), [("f16", "f32"), ("f16", "f16"), ("f32", "f32")])
def test_what_is_no_product_takes_no_matrix_instruction(name: str, operator: str, operand: str, result: str) -> None:
    expr = typed(NOT_PRODUCTS[operator], operand, result)
    assert roles(expr) is None
    for plan in construct(expr, find_device(name), ConstructOptions(top_k=3)):
        assert plan.instruction not in MATRIX


def test_the_form_of_the_body_decides() -> None:
    """A sum of products of two factors; a maximum of them, three factors, or any other body are none."""
    product = typed(matmul(512, 512, 512), "f16", "f32")
    h200 = find_device("h200")
    assert atoms(product, h200)[0].is_matrix
    for other in (
        replace(product, fused_multiply_add=False),
        replace(product, combiner="arith.maximumf"),
        replace(product, inputs=(*product.inputs, product.inputs[0]), pad_values=(0.0, 0.0, 0.0)),
        replace(product, inputs=(product.inputs[0], replace(product.inputs[1], element_type="bf16"))),
        replace(product, inputs=(product.inputs[0], product.inputs[0])),
    ):
        assert not any(atom.is_matrix for atom in atoms(other, h200))
        assert construct(other, h200, ConstructOptions(top_k=1))[0].instruction not in MATRIX


def test_a_convolution_and_a_batched_product_are_products() -> None:
    """On H200 mma's smaller tiles fill the device where wgmma's do not."""
    for name, families in (("v100", ["wmma"]), ("a100", ["mma"]), ("h200", ["wgmma", "mma"]), ("mi300x", ["mfma"])):
        device = find_device(name)
        for expr in (typed(conv2d(8, 28, 64, 128, 3), "f16", "f32"), typed(CASES["batch"], "f16", "f32")):
            plan = construct(expr, device, ConstructOptions(top_k=1, split=False))[0]
            assert plan.instruction in families
            for loop in expr.reductions():
                extent = expr.bounds[loop]
                if extent == 3:
                    assert plan.axes[loop].block in (1, 3), "window loops are walked in divisors"


@pytest.mark.parametrize("sizes", [(4, 512, 512), (7, 7, 512), (512, 3, 512), (512, 512, 2), (1, 4096, 4096)])
def test_loops_much_shorter_than_the_shape_take_another_instruction(sizes: tuple[int, int, int]) -> None:
    """Less than half of 16x16x16 or of 16x8x16; 4 are half of the 8 columns of the latter, which may be transposed."""
    expr = typed(matmul(*sizes), "f16", "f32")
    for name in ("v100",) if sizes == (4, 512, 512) else ("v100", "a100"):
        assert not any(atom.is_matrix for atom in atoms(expr, find_device(name)))
        assert construct(expr, find_device(name), ConstructOptions(top_k=1))[0].instruction == "fma"


@pytest.mark.full(each=["operand", "result", "name"])
@pytest.mark.parametrize("name", ["v100", "h200", "mi300x", "mi50"])
@pytest.mark.parametrize(("operand", "result"), TYPES)
def test_fma_alone(name: str, operand: str, result: str) -> None:
    expr = typed(matmul(512, 512, 512), operand, result)
    for plan in construct(expr, find_device(name), ConstructOptions(top_k=3, instructions=("fma",))):
        assert plan.instruction == "fma"


def test_a_restriction_is_no_faster() -> None:
    expr, device = typed(matmul(4096, 4096, 4096), "f16", "f32"), find_device("h200")
    fast, slow = (construct(expr, device, ConstructOptions(top_k=1, instructions=one))[0] for one in ((), ("fma",)))
    assert fast.prediction and slow.prediction
    assert slow.prediction.seconds > 5 * fast.prediction.seconds
    assert fast.prediction == predict(expr, fast, device)


@pytest.mark.parametrize(
    ("name", "operand", "result", "families"),
    [
        ("h200", "f32", "f32", ("mfma",)),
        ("k80", "f16", "f32", ("wmma", "mma", "wgmma")),
        ("mi300x", "f16", "f32", ("wgmma",)),
        ("v100", "i8", "i32", ("wmma",)),
        ("h200", "f64", "f64", ("wgmma",)),
    ],
)
def test_an_impossible_restriction_names_types_and_families(
    name: str, operand: str, result: str, families: tuple[str, ...]
) -> None:
    expr = typed(matmul(256, 256, 256), operand, result)
    with pytest.raises(ConstructionError) as caught:
        construct(expr, find_device(name), ConstructOptions(instructions=families))
    message = str(caught.value)
    assert f"no instruction for {operand} to {result}" in message
    assert f"'{name}'" in message
    assert ", ".join(families) in message


def test_no_matrix_family_for_an_element_wise_operator() -> None:
    with pytest.raises(ConstructionError, match="in the families wgmma"):
        construct(CASES["element_wise"], find_device("h200"), ConstructOptions(instructions=("wgmma",)))


def test_unknown_families_are_refused() -> None:
    with pytest.raises(ValueError, match="instructions must be some of fma, packed_fma, .* but got 'tensor'"):
        ConstructOptions(instructions=("tensor",))


def described_without_instructions_but_f32() -> Device:
    """Return a device from a text of its own, whose only instruction is the f32 FMA that every device has."""
    tables = re.compile(r"^\[\[instructions\]\]\n(?:\w.*\n)+", re.MULTILINE)

    def keep(table: re.Match[str]) -> str:
        return table[0] if 'family = "fma"' in table[0] and 'operand_type = "f32"' in table[0] else ""

    return parse_device(tables.sub(keep, template(find_device("h200"))), file="mine.toml")


def test_a_device_without_instructions_of_the_types_counts_f32() -> None:
    plain = described_without_instructions_but_f32()
    assert [(one.family, one.operand_type) for one in plain.instructions] == [("fma", "f32")]
    for operand, result in TYPES:
        expr = typed(matmul(300, 200, 100), operand, result)
        assert scalar_atom(expr, plain).instruction == plain.instructions[0]
        for plan in construct(expr, plain, ConstructOptions(top_k=2)):
            assert plan.instruction == "fma"
            assert plan.prediction is not None and plan.prediction.seconds > 0
    with pytest.raises(ConstructionError, match="f16 to f32 on 'mine' in the families wgmma"):
        construct(typed(matmul(64, 64, 64), "f16", "f32"), plain, ConstructOptions(instructions=("wgmma",)))


def test_atoms_come_fastest_first() -> None:
    for name in device_names():
        device = find_device(name)
        for operand, result in TYPES:
            found = atoms(typed(matmul(512, 512, 512), operand, result), device)
            peaks = [atom.instruction.flops_per_cycle_per_unit for atom in found]
            assert found and peaks == sorted(peaks, reverse=True)
            for atom in found:
                if atom.is_matrix:
                    m, n, k = atom.instruction.shape
                    n = max([n, *(size for loop, size in atom.multiples if loop == atom.column)])
                    assert (atom.lanes[0] * atom.per_thread[0], atom.lanes[1] * atom.per_thread[1], atom.length) == (
                        m,
                        n,
                        k,
                    )
                    assert atom.lanes[0] * atom.lanes[1] == atom.instruction.threads
