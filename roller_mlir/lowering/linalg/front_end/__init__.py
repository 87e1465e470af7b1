# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What importers write around linalg ops becomes linalg ops on tensors: one rewrite a file, run by `rtile-normalize`.

A rewrite takes a module and changes it in place. It leaves what it does not know, so that the checks behind it name it;
what it knows and cannot rewrite is a located error. Each is run once, in the order of its list:

- `BEFORE_SIMPLIFYING`: on the module as it was given, before its signatures are checked and upstream folds anything;
- `AFTER_SIMPLIFYING`: on functions whose constants are folded and whose signatures are accepted.
"""

from collections.abc import Callable
from typing import TypeAlias

from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.lowering.linalg.front_end.allocations import forget_allocations
from roller_mlir.lowering.linalg.front_end.computed_pads import choose_paddings
from roller_mlir.lowering.linalg.front_end.constant_ops import fold_constant_ops
from roller_mlir.lowering.linalg.front_end.control.asserts import strip_asserts
from roller_mlir.lowering.linalg.front_end.control.calls import inline_calls
from roller_mlir.lowering.linalg.front_end.control.conditions import decide_conditions
from roller_mlir.lowering.linalg.front_end.control.globals import fold_globals
from roller_mlir.lowering.linalg.front_end.control.scalar_arguments import wrap_scalars
from roller_mlir.lowering.linalg.front_end.control.scalars import sink_scalars
from roller_mlir.lowering.linalg.front_end.control.unroll import check_steps
from roller_mlir.lowering.linalg.front_end.elements import fill_elements
from roller_mlir.lowering.linalg.front_end.empty_tensors import forget_empty_tensors
from roller_mlir.lowering.linalg.front_end.extreme_places import share_places
from roller_mlir.lowering.linalg.front_end.indexed.elements_at_run_time import take_elements
from roller_mlir.lowering.linalg.front_end.indexed.gather import read_at_positions
from roller_mlir.lowering.linalg.front_end.indexed.gather_and_scatter import read_and_write_at_positions
from roller_mlir.lowering.linalg.front_end.indexed.moving_slices import move_slices
from roller_mlir.lowering.linalg.front_end.result_loops import split_result_loops
from roller_mlir.lowering.linalg.front_end.result_sums import expand_result_sums
from roller_mlir.lowering.linalg.front_end.spellings.affine_operations import compute_affine
from roller_mlir.lowering.linalg.front_end.spellings.classes import ask_by_comparing
from roller_mlir.lowering.linalg.front_end.spellings.same_elements import read_as_others
from roller_mlir.lowering.linalg.front_end.spellings.two_results import give_one_result
from roller_mlir.lowering.linalg.front_end.strided_insertions import copy_strided_paddings
from roller_mlir.lowering.linalg.front_end.wide_integers import narrow_integers
from roller_mlir.lowering.linalg.front_end.winograd import contract_transforms
from roller_mlir.lowering.linalg.rewrite.decompose import decompose
from roller_mlir.support.bindings import ir

Rewrite: TypeAlias = Callable[[ir.Module], None]


def _decompose(module: ir.Module) -> None:
    for function in compiled_functions(module):
        decompose(function)


BEFORE_SIMPLIFYING: tuple[Rewrite, ...] = (
    strip_asserts,
    inline_calls,
    fold_globals,
    check_steps,
    forget_allocations,
    compute_affine,
    ask_by_comparing,
    read_as_others,
    give_one_result,
    decide_conditions,
    forget_empty_tensors,
    copy_strided_paddings,
    wrap_scalars,
)
AFTER_SIMPLIFYING: tuple[Rewrite, ...] = (
    fill_elements,
    read_and_write_at_positions,
    contract_transforms,
    move_slices,
    choose_paddings,
    take_elements,
    read_at_positions,  # before scalars are sunk: tensors that bodies take elements of are no scalars then
    sink_scalars,
    expand_result_sums,
    split_result_loops,
    share_places,  # of what is read
    _decompose,
    narrow_integers,
    fold_constant_ops,
)


def rewrite(module: ir.Module, rewrites: tuple[Rewrite, ...]) -> None:
    """Run rewrites in order, in place."""
    for each in rewrites:
        each(module)
