# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps of kernels: what they are given, and what they make themselves.

Those that are given are arguments of lowered kernels: records of 128 bytes by value, in the grid's constant memory.

Upstream's lowering of kernels drops `llvm.byval`, and a pointer to anything else would make ptxas copy the record; so
the attributes are given to the lowered kernel's arguments.
"""

from collections.abc import Callable, Mapping
from typing import Any

from roller_mlir.dialects.rtile.fields import from_attribute
from roller_mlir.lowering.backend.kernels.module import (
    WORKGROUP_ADDRESS_SPACE,
    gpu_modules,
    kernel_functions,
    symbol_name,
)
from roller_mlir.lowering.loops.attributes import MADE_MAPS, TENSOR_MAP, WORKGROUP_ALIGNMENT
from roller_mlir.plan.records.codec import from_json
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES, TensorMap
from roller_mlir.support.bindings import ir

MAP_ALIGNMENT_BYTES = 64
"""What the driver aligns tensor maps to."""


def tensor_maps_of(module: ir.Module) -> dict[str, tuple[TensorMap, ...]]:
    """Return the tensor maps that each kernel takes, in the order of its arguments, by the kernel's name."""
    return _by_kernel(module, lambda kernel: [one for _, one in _marked(kernel, TENSOR_MAP)])


def made_maps_of(module: ir.Module) -> dict[str, tuple[TensorMap, ...]]:
    """Return the tensor maps that each kernel makes in its last buffer, in their order there, by the kernel's name."""
    return _by_kernel(
        module, lambda kernel: [one for _, all_ in _marked(kernel, MADE_MAPS) for one in ir.ArrayAttr(all_)]
    )


def _by_kernel(module: ir.Module, described: Callable[[Any], list[Any]]) -> dict[str, tuple[TensorMap, ...]]:
    found: dict[str, tuple[TensorMap, ...]] = {}
    for kernel in kernel_functions(module):
        maps = [from_json(TensorMap, from_attribute(one)) for one in described(kernel)]
        if maps:
            found[symbol_name(kernel)] = tuple(maps)
    return found


def map_arguments(module: ir.Module) -> dict[str, tuple[int, ...]]:
    """Return which arguments of each kernel are tensor maps, by the kernel's name."""
    places = {
        symbol_name(kernel): tuple(number for number, _ in _marked(kernel, TENSOR_MAP))
        for kernel in kernel_functions(module)
    }
    return {name: numbers for name, numbers in places.items() if numbers}


def workgroup_alignment(module: ir.Module) -> int:
    """Return what the dynamic workgroup memory of a module's kernels is aligned to, in bytes; 0 where none says it."""
    said = [kernel.attributes[WORKGROUP_ALIGNMENT] for kernel in kernel_functions(module) if _says(kernel)]
    return max((ir.IntegerAttr(one).value for one in said), default=0)


def pass_by_value(module: ir.Module, arguments: Mapping[str, tuple[int, ...]]) -> None:
    """Make arguments of lowered kernels grid constants, in place.

    Args:
        module: with lowered gpu.module ops.
        arguments: what `map_arguments` gave before.
    """
    i64 = ir.IntegerType.get_signless(64, module.context)
    record = ir.Type.parse(f"!llvm.array<{MAP_BYTES} x i8>", module.context)
    known: dict[str, Any] = {
        "llvm.byval": ir.TypeAttr.get(record),
        "llvm.align": ir.IntegerAttr.get(i64, MAP_ALIGNMENT_BYTES),
        "nvvm.grid_constant": ir.UnitAttr.get(module.context),
    }
    for op in _lowered(module):
        numbers = arguments.get(symbol_name(op), ()) if op.name == "llvm.func" else ()
        if not numbers:
            continue
        count = len(op.regions[0].blocks[0].arguments)
        given: list[Any] = list(ir.ArrayAttr(op.attributes["arg_attrs"])) if "arg_attrs" in op.attributes else []
        empty = ir.DictAttr.get({}, module.context)
        given += [empty] * (count - len(given))
        for number in numbers:
            given[number] = ir.DictAttr.get(known, module.context)
        op.attributes["arg_attrs"] = ir.ArrayAttr.get(given, module.context)


def align_workgroup_memory(module: ir.Module, alignment: int) -> None:
    """Raise the alignment of workgroup memory that kernels are given at launch, in place; 0 leaves it."""
    if not alignment:
        return
    for op in _lowered(module):
        attributes = op.attributes
        if op.name != "llvm.mlir.global" or not str(attributes["global_type"]).startswith("!llvm.array<0 x"):
            continue
        if "addr_space" in attributes and ir.IntegerAttr(attributes["addr_space"]).value == WORKGROUP_ADDRESS_SPACE:
            i64 = ir.IntegerType.get_signless(64, module.context)
            attributes["alignment"] = ir.IntegerAttr.get(i64, alignment)


def _lowered(module: ir.Module) -> list[Any]:
    return [op.operation for one in gpu_modules(module) for op in one.regions[0].blocks[0].operations]


def _says(kernel: Any) -> bool:
    return WORKGROUP_ALIGNMENT in kernel.attributes


def _marked(kernel: Any, attribute: str) -> list[tuple[int, Any]]:
    """Return the number and the value of an attribute of each argument that has it."""
    if "arg_attrs" not in kernel.attributes:
        return []
    given: list[Any] = [ir.DictAttr(one) for one in ir.ArrayAttr(kernel.attributes["arg_attrs"])]
    return [(number, one[attribute]) for number, one in enumerate(given) if attribute in one]
