# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements at computed positions against numpy: embeddings, gathers as importers lower them, positions outside."""

# ruff: noqa: E501 - MLIR as users write it

from typing import Any

import numpy as np
import pytest

from ..foreign_programs import assert_gives, counting

EMBEDDING = """func.func @f(%t: tensor<50x8xf32>, %i: tensor<5xi64>) -> tensor<5x8xf32> {
  %o = tensor.empty() : tensor<5x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<5xi64>) outs(%o : tensor<5x8xf32>) {
  ^bb0(%x: i64, %y: f32):
    %0 = arith.index_cast %x : i64 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %t[%0, %1] : tensor<50x8xf32>
    linalg.yield %2 : f32
  } -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}"""


@pytest.mark.parametrize(("device", "level"), [("h200", "gpu"), ("h200", "llvm"), ("mi300x", "gpu")])
def test_an_embedding_whose_positions_outside_are_clamped(device: str, level: str) -> None:
    table, numbers = counting(50, 8), np.array([3, 49, 0, -7, 1 << 40])
    assert_gives(EMBEDDING, [table, numbers], table[np.clip(numbers, 0, 49)], device=device, level=level)


def test_a_gather_along_a_dimension_at_positions_of_each_point() -> None:
    """torch.gather: the sign of a position is looked at by the body."""
    text = """func.func @f(%t: tensor<6x9x4xf16>, %i: tensor<6x5x4xi32>) -> tensor<6x5x4xf16> {
  %c0 = arith.constant 0 : i32
  %c9 = arith.constant 9 : i32
  %o = tensor.empty() : tensor<6x5x4xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%i : tensor<6x5x4xi32>) outs(%o : tensor<6x5x4xf16>) {
  ^bb0(%x: i32, %y: f16):
    %n = arith.cmpi slt, %x, %c0 : i32
    %p = arith.addi %x, %c9 : i32
    %s = arith.select %n, %p, %x : i32
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %s : i32 to index
    %2 = linalg.index 2 : index
    %3 = tensor.extract %t[%0, %1, %2] : tensor<6x9x4xf16>
    linalg.yield %3 : f16
  } -> tensor<6x5x4xf16>
  return %r : tensor<6x5x4xf16>
}"""
    table = counting(6, 9, 4, kind=np.float16)
    numbers = np.random.default_rng(0).integers(-9, 9, (6, 5, 4)).astype(np.int32)
    assert_gives(text, [table, numbers], np.take_along_axis(table, numbers % 9, 1))


def test_a_sum_of_gathered_rows() -> None:
    """An embedding bag: what is gathered is reduced, and scaled by an operand."""
    text = """func.func @f(%t: tensor<33x20xf32>, %i: tensor<7x11xi32>, %w: tensor<11xf32>) -> tensor<7x20xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x20xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<7x20xf32>) -> tensor<7x20xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%i, %w : tensor<7x11xi32>, tensor<11xf32>) outs(%o : tensor<7x20xf32>) {
  ^bb0(%x: i32, %v: f32, %y: f32):
    %0 = arith.index_cast %x : i32 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %t[%0, %1] : tensor<33x20xf32>
    %3 = arith.mulf %2, %v : f32
    %4 = arith.addf %y, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<7x20xf32>
  return %r : tensor<7x20xf32>
}"""
    table = counting(33, 20) % 13
    numbers = np.random.default_rng(0).integers(0, 33, (7, 11)).astype(np.int32)
    weights = counting(11) % 3
    assert_gives(text, [table, numbers, weights], np.einsum("ikj,k->ij", table[numbers], weights))


def pointwise(body: str, table: str, result: str, inputs: str = "", operands: str = "") -> str:
    rank = result.count("x")
    space = ", ".join(f"d{d}" for d in range(rank))
    identity = f"affine_map<({space}) -> ({space})>"
    kinds = ", ".join(['"parallel"'] * rank)
    maps = ", ".join([*([identity] if operands else []), identity])
    element = result[:-1].split("x")[-1]
    return f"""func.func @f(%t: {table}{inputs}) -> {result} {{
  %o = tensor.empty() : {result}
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {operands} outs(%o : {result}) {{
  ^bb0({"%x: f32, " if operands else ""}%y: {element}):
    {body}
    linalg.yield %v : {element}
  }} -> {result}
  return %r : {result}
}}"""


def test_positions_that_are_sums_of_loops_are_an_input() -> None:
    body = """%i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.muli %i, %c2 : index
    %b = arith.addi %a, %j : index
    %v = tensor.extract %t[%b, %j] : tensor<20x6xf32>"""
    table = counting(20, 6)
    i, j = np.indices((7, 6))
    assert_gives(pointwise(body, "tensor<20x6xf32>", "tensor<7x6xf32>"), [table], table[2 * i + j, j])


def test_loops_that_walk_a_part_of_a_table() -> None:
    body = """%i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%j, %i] : tensor<20x9xf32>"""
    table = counting(20, 9)
    assert_gives(pointwise(body, "tensor<20x9xf32>", "tensor<7x6xf32>"), [table], table[:6, :7].T)


def test_positions_by_division() -> None:
    body = """%i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.divui %i, %c2 : index
    %b = arith.remui %j, %c3 : index
    %v = tensor.extract %t[%a, %b] : tensor<8x3xf32>"""
    table = counting(8, 3)
    i, j = np.indices((16, 10))
    assert_gives(pointwise(body, "tensor<8x3xf32>", "tensor<16x10xf32>"), [table], table[i // 2, j % 3])


def test_a_body_with_two_tables_and_an_input() -> None:
    """One of them is read twice: at the point itself, thus as an input, and at the positions that it gives."""
    body = """%i = linalg.index 0 : index
    %n = tensor.extract %t[%i] : tensor<40xi32>
    %p = arith.index_cast %n : i32 to index
    %m = tensor.extract %t[%p] : tensor<40xi32>
    %q = arith.index_cast %m : i32 to index
    %w = tensor.extract %u[%q, %c3] : tensor<40x5xf32>
    %v = arith.addf %w, %x : f32"""
    text = pointwise(
        body,
        "tensor<40xi32>",
        "tensor<40xf32>",
        ", %u: tensor<40x5xf32>, %a: tensor<40xf32>",
        "ins(%a : tensor<40xf32>)",
    )
    order = np.random.default_rng(1).permutation(40).astype(np.int32)
    table, added = counting(40, 5), counting(40)
    assert_gives(text, [order, table, added], table[order[order], 3] + added)


@pytest.mark.parametrize("shape", [(1,), (1, 1), (3, 1)])
def test_tables_of_extent_1(shape: tuple[int, ...]) -> None:
    kind = f"tensor<{'x'.join(map(str, shape))}xf32>"
    places = ", ".join(["%p"] * len(shape))
    body = f"""%p = arith.fptosi %x : f32 to i64
    %q = arith.index_cast %p : i64 to index
    %v = tensor.extract %t[{places.replace("%p", "%q")}] : {kind}"""
    text = pointwise(body, kind, "tensor<7xf32>", ", %a: tensor<7xf32>", "ins(%a : tensor<7xf32>)")
    table, numbers = counting(*shape), np.arange(7).astype(np.float32)
    at = np.arange(7)
    assert_gives(text, [table, numbers], table[tuple(np.minimum(at, n - 1) for n in shape)])


def chain(before: str, table: str, after: str = "") -> str:
    """An embedding whose table is made in the function."""
    return f"""func.func @f(%t: tensor<10x8xf32>, %i: tensor<5xi64>) -> tensor<5x8xf32> {{
  %e = tensor.empty() : tensor<10x8xf32>
  {before}
  %o = tensor.empty() : tensor<5x8xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}} ins(%i : tensor<5xi64>) outs(%o : tensor<5x8xf32>) {{
  ^bb0(%x: i64, %y: f32):
    %0 = arith.index_cast %x : i64 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %u[%0, %1] : {table}
    linalg.yield %2 : f32
  }} -> tensor<5x8xf32>
  %s = arith.addf %r, %r : tensor<5x8xf32>
  return {after or "%s"} : tensor<5x8xf32>
}}"""


Made = dict[str, tuple[str, str, Any]]
MADE: Made = {
    "by an element-wise op": (
        "%u = linalg.abs ins(%t : tensor<10x8xf32>) outs(%e : tensor<10x8xf32>) -> tensor<10x8xf32>",
        "tensor<10x8xf32>",
        np.abs,
    ),
    "by a slice": (
        "%u = tensor.extract_slice %t[2, 0] [6, 8] [1, 1] : tensor<10x8xf32> to tensor<6x8xf32>",
        "tensor<6x8xf32>",
        lambda t: t[2:8],
    ),
}


@pytest.mark.parametrize("case", MADE)
def test_a_table_that_is_made_before_lies_in_memory(case: str) -> None:
    before, kind, made = MADE[case]
    table, numbers = counting(10, 8) - 40, np.array([0, 5, 1, 3, 2])
    assert_gives(chain(before, kind), [table, numbers], 2 * made(table)[numbers])


def test_a_map_with_divisions() -> None:
    text = """func.func @f(%t: tensor<8x5xf32>) -> tensor<16x10xf32> {
  %o = tensor.empty() : tensor<16x10xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i floordiv 2, (j + 3) mod 5)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<8x5xf32>) outs(%o : tensor<16x10xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<16x10xf32>
  return %r : tensor<16x10xf32>
}"""
    table = counting(8, 5)
    i, j = np.indices((16, 10))
    assert_gives(text, [table], 2 * table[i // 2, (j + 3) % 5])


@pytest.mark.parametrize("position", ["j floordiv 2", "j mod 3", "j ceildiv 2"])
def test_a_map_with_divisions_of_a_tensor_of_one_element(position: str) -> None:
    """It is read at 0: its only dimension may be fused away, and no position is computed."""
    text = f"""func.func @f(%t: tensor<1xf32>) -> tensor<2x1x2xf32> {{
  %o = tensor.empty() : tensor<2x1x2xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> ({position})>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}} ins(%t : tensor<1xf32>) outs(%o : tensor<2x1x2xf32>) {{
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }} -> tensor<2x1x2xf32>
  return %r : tensor<2x1x2xf32>
}}"""
    assert_gives(text, [np.array([3], np.float32)], np.full((2, 1, 2), 6, np.float32), device="v100")


BENT = {
    "reduced": ("13x5", "(i) -> (i, i floordiv 3)", "(i) -> ()", '"reduction"', "f32"),
    "one element": (
        "1x5x7",
        "(i, j, k) -> (i, j mod 5, k)",
        "(i, j, k) -> (j)",
        '"reduction", "parallel", "reduction"',
        "5xf32",
    ),
}


@pytest.mark.parametrize("case", BENT)
def test_a_map_with_divisions_that_alone_says_the_extent_of_a_loop(case: str) -> None:
    """It becomes a table, whose map names no loop; without an operand in its place MLIR's canonicalization crashed."""
    shape, read, written, iterators, result = BENT[case]
    text = f"""func.func @f(%t: tensor<{shape}xf32>, %s: tensor<{result}>) -> tensor<{result}> {{
  %r = linalg.generic {{indexing_maps = [affine_map<{read}>, affine_map<{written}>], iterator_types = [{iterators}]}} ins(%t : tensor<{shape}xf32>) outs(%s : tensor<{result}>) {{
  ^bb0(%x: f32, %y: f32):
    %a = arith.addf %y, %x : f32
    linalg.yield %a : f32
  }} -> tensor<{result}>
  return %r : tensor<{result}>
}}"""
    table = counting(*map(int, shape.split("x")))
    if case == "reduced":
        rows = np.arange(13)
        assert_gives(text, [table, np.float32(2)], 2 + table[rows, rows // 3].sum(dtype=np.float32))
    else:
        start = counting(5)
        assert_gives(text, [table, start], start + table.sum(axis=(0, 2), dtype=np.float32), device="mi300x")
