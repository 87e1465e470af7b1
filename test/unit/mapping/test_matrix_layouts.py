# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of tiles that matrix instructions read: which way rows run, and what the banks make of them."""

from dataclasses import replace
from itertools import product

import pytest

from roller_mlir.hal import find_device
from roller_mlir.hal.atoms import atom_family
from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW, result_shares
from roller_mlir.mapping.layout.bank_phases import phases
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.layout.layout import buffer_shape
from roller_mlir.mapping.layout.matrix import matrix_operand
from roller_mlir.mapping.layout.matrix_phases import matrix_cost, swizzled
from roller_mlir.model.cost.traffic.layouts import matrix_memory
from roller_mlir.model.machine import machine_of
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, OperandPlan
from roller_mlir.plan.plan import AtomPlan

M, N, K = 4096, 4096, 4096
BLOCKS = (128, 128, 64)
SHAPES = {"mma": (16, 8, 16), "mfma": (32, 32, 8), "wmma": (16, 16, 16), "wgmma": (64, 128, 16)}
OF = {"a100": "mma", "2080ti": "mma", "mi300x": "mfma", "v100": "wmma", "h200": "wgmma"}


def first(*, transposed: bool = False, kind: str = "f16", row: int = K) -> Access:
    """Return the first factor, A[m, k], or A[k, m]."""
    shape, loops = ((row, M), (2, 0)) if transposed else ((M, row), (0, 2))
    return Access("A", shape, kind, tuple(LinearIndex(tuple(int(i == loop) for i in range(3))) for loop in loops))


def placed(name: str, shape: tuple[int, int, int] | None = None, blocks: tuple[int, int, int] = BLOCKS) -> AtomPlan:
    return AtomPlan(shape=shape or SHAPES[OF[name]], row=0, column=1, depth=2, lane_order=(1, 0))


def axes_of(name: str, atom: AtomPlan, size: int = 2, blocks: tuple[int, int, int] = BLOCKS) -> tuple[AxisPlan, ...]:
    """Return the axes of a block of four subgroups, two along the rows (all four for `wgmma`)."""
    family = OF[name]
    shares = result_shares(atom_family(family).fragments(atom.shape, size).result)
    down = 4 if family == "wgmma" else 2
    spread = zip(blocks, (shares[ROW], shares[COLUMN]), (down, 4 // down), strict=False)
    spanned = [
        AxisPlan(block=block, threads=share.lanes * count, chunk=share.chunk, lanes=share.lanes, tile=share.tile)
        for block, share, count in spread
    ]
    return (*spanned, AxisPlan(block=blocks[2]))


def layout(name: str, access: Access, shape: tuple[int, int, int] | None = None, **options: bool) -> OperandPlan:
    memory, atom = matrix_memory(machine_of(find_device(name))), placed(name, shape)
    axes = axes_of(name, atom, access.element_bytes)
    loops = (Loop(M), Loop(N), Loop(access.shape[1] if access.name == "A" else K, True))
    return matrix_operand(access, loops, axes, atom, atom_family(OF[name]), memory, pad_value=0.0, **options)


def seen(one: OperandPlan) -> tuple[tuple[int, ...], int, int, int, str | None, str]:
    return one.order, one.vector, one.store_vector, one.fragment_vector, one.swizzle, one.copy


@pytest.mark.parametrize("pieces", [2, 4, 8, 16, 32])
def test_permuted_rows_are_read_eight_at_a_time_without_conflicts(pieces: int) -> None:
    """Pieces of a row stay in it; eight rows' pieces at one place lie in all groups of four banks."""
    row = 16 * pieces
    for number in range(32):
        assert sorted(swizzled(number * row + 16 * p, row) for p in range(pieces)) == [
            number * row + 16 * p for p in range(pieces)
        ]
    for start, piece in product(range(0, 64, 8), range(pieces)):
        banks = {swizzled(number * row + 16 * piece, row) // 16 % 8 for number in range(start, start + 8)}
        assert len(banks) == 8
    assert swizzled(5 * row + 3, row) % 16 == 3, "bytes stay in their piece"


def test_layouts_by_hand() -> None:
    assert seen(layout("a100", first())) == ((0, 1), 8, 8, 8, "xor", "asynchronous")
    assert seen(layout("a100", first(transposed=True))) == ((0, 1), 8, 8, 8, "xor", "asynchronous"), "ldmatrix.trans"
    assert seen(layout("2080ti", first(), (16, 8, 8))) == ((0, 1), 8, 8, 8, "xor", "synchronous")
    assert seen(layout("a100", first(row=4095))) == ((0, 1), 1, 1, 8, "xor", "synchronous"), "2 bytes at a time"
    assert seen(layout("a100", first(row=4094))) == ((0, 1), 2, 2, 8, "xor", "asynchronous"), "4 bytes at a time"
    assert seen(layout("a100", first(), prologue=True)) == ((0, 1), 8, 8, 8, "xor", "synchronous")
    assert seen(layout("h200", first())) == ((0, 1), 8, 8, 8, "tma128", "tensor")
    wide = layout("a100", first(transposed=True, kind="f32"), (16, 8, 8))
    assert seen(wide) == ((0, 1), 4, 4, 1, None, "asynchronous"), "each element fills a register"
    bytes_ = layout("a100", first(transposed=True, kind="i8"), (16, 8, 32))
    assert (bytes_.order, bytes_.store_vector, bytes_.fragment_vector) == ((1, 0), 16, 16), "transposed on the way"
    assert bytes_.copy == "synchronous"
    assert seen(layout("mi300x", first())) == ((0, 1), 8, 8, 8, "xor", "synchronous"), "two instructions' neighbours"
    short = layout("mi300x", first(), (16, 16, 16))
    assert (short.fragment_vector, short.swizzle) == (8, "xor")
    assert layout("mi300x", first(transposed=True)).fragment_vector == 1, "gathered"
    assert layout("v100", first()).pad == 8


def test_without_the_rule_of_banks_rows_lie_as_they_are() -> None:
    for name in ("a100", "mi300x", "v100"):
        plain = layout(name, first(), spread=False)
        assert (plain.pad, plain.swizzle) == (0, None)


def addresses(access: Access, operand: OperandPlan, atom: AtomPlan, blocks: tuple[int, int, int]) -> list[int]:
    """Return where the lanes' first read of the first factor's first fragment begins, from the fragments' digits."""
    dimensions = tile_dimensions(access, blocks)
    shape = buffer_shape(dimensions, operand)
    strides: dict[int, int] = {}
    size = at = access.element_bytes
    for d, extent in zip(reversed(operand.order), reversed(shape), strict=True):
        strides[d] = at
        at *= extent
    held = atom_family("mfma").fragments(atom.shape, size).first
    pack = atom_family("mfma").depth_pack(atom.shape, size, blocks[2])
    found: list[int] = []
    for lane in range(64):
        place = held.place(lane)
        loops = {0: place.get(ROW, 0), 2: pack * place.get(DEPTH, 0)}
        start = sum(
            strides[d] * k * loops.get(loop, 0)
            for d, dimension in enumerate(dimensions)
            for loop, k in dimension.coefficients.items()
        )
        found.append(swizzled(start, shape[-1] * size) if operand.swizzle else start)
    return found


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("kind", "shape"), [("f16", (32, 32, 8)), ("f16", (16, 16, 16)), ("f32", (32, 32, 2))])
@pytest.mark.parametrize("depth", [16, 32, 64])
def test_reads_of_mfma_have_the_fewest_phases_of_any_padding(
    kind: str, shape: tuple[int, int, int], depth: int, transposed: bool
) -> None:
    """Against every padding of rows that lie as they are."""
    machine, access = machine_of(find_device("mi300x")), first(transposed=transposed, kind=kind)
    atom, blocks = placed("mi300x", shape), (128, 128, depth)
    axes = axes_of("mi300x", atom, access.element_bytes, blocks)
    loops = (Loop(M), Loop(N), Loop(K, True))
    memory = matrix_memory(machine)
    chosen = matrix_operand(access, loops, axes, atom, atom_family("mfma"), memory)
    width = chosen.fragment_vector * access.element_bytes

    def read(one: OperandPlan) -> int:
        return phases(addresses(access, one, atom, blocks), width, machine.banks, load=True)

    plain = [replace(chosen, swizzle=None, pad=pad) for pad in range(0, 64, chosen.fragment_vector)]
    assert read(chosen) <= min(map(read, plain))
    cost = matrix_cost(access, chosen, axes, atom, atom_family("mfma"), memory)
    assert cost.load_phases == cost.load_accesses * read(chosen)
    elements = 4 * (128 // 2) * depth  # four subgroups, each half of the rows
    assert cost.load_accesses == elements // 64 // chosen.fragment_vector


def test_phases_of_loads_of_matrices() -> None:
    """128x64 of f16 in rows of 128 bytes: plain rows take eight phases for eight rows, permuted ones one."""
    memory = matrix_memory(machine_of(find_device("a100")))
    atom = placed("a100")
    axes, access = axes_of("a100", atom), first()
    good = layout("a100", access)
    plain = OperandPlan(layer="workgroup", order=(0, 1), vector=8, store_vector=8, fragment_vector=8)
    padded = OperandPlan(layer="workgroup", order=(0, 1), pad=8, vector=8, store_vector=8, fragment_vector=8)
    costs = [matrix_cost(access, one, axes, atom, atom_family("mma"), memory) for one in (good, plain, padded)]
    matrices = 4 * (64 * 64) // 64  # four warps of 64 rows and 64 points, in matrices of 8x8
    assert [cost.load_phases for cost in costs] == [matrices, 8 * matrices, matrices]
    assert costs[0].load_accesses == matrices // 4
    assert costs[0].store_phases == 128 * 64 * 2 // 128


def window(stride: int) -> tuple[Access, tuple[Loop, ...], tuple[AxisPlan, ...], AtomPlan]:
    """Return the input of a convolution NHWC whose rows run along the lines of an image, with three taps in a step."""
    indices = (LinearIndex((stride, 0, 0, 1)), LinearIndex((0, 0, 1, 0)))
    access = Access("x", (64 * stride + 2, 64), "f16", indices)
    atom = AtomPlan(shape=(16, 8, 16), row=0, column=1, depth=2, lane_order=(1, 0))
    axes = (*axes_of("a100", atom, 2, (64, 64, 32)), AxisPlan(block=3))
    return access, (Loop(64), Loop(64), Loop(64, True), Loop(3, True)), axes, atom


@pytest.mark.parametrize("stride", [1, 2])
def test_windows_are_padded(stride: int) -> None:
    """Rows that begin at any point of a window cannot be permuted by their number in one instruction's addresses."""
    access, loops, axes, atom = window(stride)
    memory = matrix_memory(machine_of(find_device("a100")))
    found = matrix_operand(access, loops, axes, atom, atom_family("mma"), memory)
    assert found.swizzle is None and found.pad > 0
    cost = matrix_cost(access, found, axes, atom, atom_family("mma"), memory)
    # Three taps, each read by itself. Rows of whole pieces that are read in steps of two lie in half of the banks.
    assert cost.load_phases == stride * 4 * 3 * (32 * 32) // 64


def test_rows_of_wmma_begin_where_a_matrix_may() -> None:
    access, loops, axes, atom = window(1)
    atom = AtomPlan(shape=(16, 16, 16), row=0, column=1, depth=2, lane_order=(1, 0))
    axes = (*axes_of("v100", atom, 2, (64, 64, 32)), AxisPlan(block=3))
    found = matrix_operand(
        access, loops, axes, atom, atom_family("wmma"), matrix_memory(machine_of(find_device("v100")))
    )
    dimensions = tile_dimensions(access, [axis.block for axis in axes])
    assert buffer_shape(dimensions, found)[-1] * 2 % 32 == 0
