# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of instruction families check themselves: lane maps are bijections, fields do not contradict each other."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from roller_mlir.hal import device_names, find_device
from roller_mlir.hal.atoms import ATOMS, Factors, Family, atom_family
from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, NOTHING, ROW, Fragment, Fragments
from roller_mlir.plan.expression import ELEMENT_BYTES


def covered(fragment: Fragment, lanes: int, sides: tuple[str, str]) -> list[tuple[int, int]]:
    """Return the points of a matrix that lanes hold, by walking all of them."""
    found: list[tuple[int, int]] = []
    for lane, element in product(range(lanes), range(fragment.count)):
        place, offset = fragment.place(lane), fragment.offset(element)
        first, second = (place.get(side, 0) + offset.get(side, 0) for side in sides)
        found.append((first, second))
    return found


def test_lane_maps_of_all_devices_hold_each_point_once() -> None:
    """What the records' arithmetic accepts is so point by point."""
    shapes = {
        (one.family, shape, ELEMENT_BYTES.get(one.operand_type, 4))
        for device in map(find_device, device_names())
        for one in device.instructions
        if one.is_matrix and one.operand_type in atom_family(one.family).factor_types
        for shape in (one.shape, one.max_shape)
    }
    assert {family for family, _, _ in shapes} == {name for name, one in ATOMS.items() if one.is_matrix}
    for family, (m, n, k), size in sorted(shapes):
        found = atom_family(family).fragments((m, n, k), size)
        extents: dict[str, int] = dict(zip((ROW, COLUMN, DEPTH), found.tile, strict=True))
        for fragment, sides in (
            (found.first, (ROW, DEPTH)),
            (found.second, (DEPTH, COLUMN)),
            (found.result, (ROW, COLUMN)),
        ):
            if fragment != NOTHING:
                points = product(*(range(extents[side]) for side in sides))
                assert sorted(covered(fragment, found.lanes, sides)) == list(points), (family, m, n, k, sides)


MMA = atom_family("mma").fragments((16, 8, 16), 2)


@pytest.mark.parametrize(
    ("planted", "message"),
    [
        (
            {"first": replace(MMA.first, elements=((DEPTH, 2, 1), (ROW, 2, 8)))},
            "the first factor .* 16 points of k once",
        ),
        (
            {"second": replace(MMA.second, lanes=((DEPTH, 4, 1), (COLUMN, 8, 1)))},
            "the second factor .* points of k once",
        ),
        ({"result": replace(MMA.result, lanes=((COLUMN, 4, 2), (ROW, 8, 2)))}, "the result .* 16 points of m once"),
        ({"result": replace(MMA.result, lanes=((COLUMN, 4, 2), (ROW, 4, 1)))}, "the result is of 16 lanes, .* has 32"),
        ({"first": MMA.second}, "the first factor moves along n"),
        ({"result": NOTHING}, "the result is of 1 lanes"),
    ],
)
def test_a_lane_map_that_is_no_bijection_is_refused(planted: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(MMA, **planted)


def test_a_family_with_a_wrong_lane_map_is_refused_with_its_first_shape() -> None:
    def wrong(shape: tuple[int, int, int], element_bytes: int) -> Fragments:
        return replace(MMA, tile=shape)

    def exists(shape: tuple[int, int, int], element_bytes: int) -> bool:
        return True

    family = Family(name="toy", lanes=32, factor_types=("f16",), exists=exists, lane_maps=wrong, machine_code="toy")
    assert family.fragments((16, 8, 16), 2) == MMA
    with pytest.raises(ValueError, match="the first factor does not hold each of 32 points of k once"):
        family.fragments((16, 8, 32), 2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lanes": 32}, "must have lane maps where it has lanes"),
        ({"lanes": 32, "lane_maps": ATOMS["mma"].lane_maps}, "must say which types of factors"),
        (
            {"lanes": 32, "lane_maps": ATOMS["mma"].lane_maps, "factor_types": ("f16",)},
            "must say how its instructions are told in machine code",
        ),
        ({"packed_bytes": 16, "factors": Factors.WHOLE}, "packed_bytes, which needs factors that each lane reads"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Family(name="toy", **fields)


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="families of instructions are fma, packed_fma, .*, but got 'sse'"):
        atom_family("sse")
    with pytest.raises(ValueError, match=r"'mma' has no instruction of shape \[16, 16, 16\]"):
        atom_family("mma").fragments((16, 16, 16), 2)
    with pytest.raises(ValueError, match="'fma' is an instruction of one thread"):
        atom_family("fma").fragments((1, 1, 1), 4)


def test_what_an_instruction_costs() -> None:
    """Of 32 lanes of a scheduler a subgroup's multiply-adds take 1 cycle, of 16 they take 2; `wgmma` takes 1/16."""
    for name, cycles in (("h200", 1.0), ("v100", 2.0)):
        device = find_device(name)
        assert device.cycles_per_point(device.multiply_add) == cycles
    device = find_device("h200")
    fast = next(one for one in device.instructions if (one.family, one.operand_type) == ("wgmma", "bf16"))
    as_fast = replace(fast, clock_hz=device.clock_hz)
    assert device.cycles_per_point(as_fast) == 1 / 16
    assert device.cycles_per_point(fast) == pytest.approx(1.98 / 1.83 / 16)
    assert {name: one.result_accesses for name, one in ATOMS.items() if one.result_accesses} == {"wmma": 2}
