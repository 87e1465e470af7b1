# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fields of a tensor map as `tensormap.replace` writes them, dimensions innermost first.

Source: PTX ISA, "tensormap.replace", with its table of values. Types are not numbered as the driver numbers them
(`CUtensorMapDataType`): bf16 is 10 here and 9 there. A stride is in bytes: ptxas before CUDA 12.5 took sixteenths of it
(CUTLASS, `tma_descriptor_replace_dims_strides_in_shared_mem`), which is why PTX that writes one says `.version 8.6`.
"""

from enum import IntEnum
from itertools import pairwise

from roller_mlir.plan.tensor_maps.tensor_map import MapElement, TensorMap

PTX_VERSION = "8.6"
"""The oldest one whose assemblers all take strides in bytes."""

ELEMENT_CODES: dict[MapElement, int] = {"i8": 0, "f16": 6, "f32": 7, "bf16": 10, "tf32": 11}
SWIZZLE_CODES = {0: 0, 32: 1, 64: 2, 128: 3}
MOST_DIMENSIONS = 5


class MapField(IntEnum):
    """Fields, by the number of their first element."""

    global_address = 0
    global_stride = 1
    global_dim = 5
    box_dim = 10
    element_stride = 15
    rank = 20
    elemtype = 21
    interleave_layout = 22
    swizzle_mode = 23
    fill_mode = 24


MAP_FIELDS = 25
"""Elements of all fields."""

ELEMENTS = {field: after - field for field, after in pairwise((*MapField, MAP_FIELDS))}
"""Of each field: one for each dimension, strides for all but the innermost; 1 where a field has no dimensions."""


def field_of(number: int) -> MapField:
    """Return the field of an element."""
    return max(one for one in MapField if one <= number)


def field_name(number: int) -> str:
    """Return what an element of a field is called.

    >>> field_name(11), field_name(20)
    ('box_dim 1', 'rank')
    """
    field = field_of(number)
    return f"{field.name} {number - field}" if ELEMENTS[field] > 1 else field.name


def map_fields(described: TensorMap, address: int = 0) -> dict[int, int]:
    """Return the value of each element that a tensor map needs, by its number.

    Args:
        described: The tensor map.
        address: Of the array.

    >>> rows = TensorMap(argument=0, element="f16", extents=(9, 512), strides=(1024,), box=(8, 64), steps=(1, 1))
    >>> {field_name(number): value for number, value in map_fields(rows).items() if number in (1, 5, 6, 10, 20)}
    {'global_stride 0': 1024, 'global_dim 0': 512, 'global_dim 1': 9, 'box_dim 0': 64, 'rank': 1}
    """
    fields = {int(MapField.global_address): address}
    for field, values in (
        (MapField.global_stride, described.strides),
        (MapField.global_dim, described.static_extents),
        (MapField.box_dim, described.box),
        (MapField.element_stride, described.steps),
    ):
        fields |= dict(enumerate(reversed(values), start=field))
    return fields | {
        MapField.rank: len(described.extents) - 1,
        MapField.elemtype: ELEMENT_CODES[described.element],
        MapField.interleave_layout: 0,
        MapField.swizzle_mode: SWIZZLE_CODES[described.swizzle],
        MapField.fill_mode: described.fill,
    }
