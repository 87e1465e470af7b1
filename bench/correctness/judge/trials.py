# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the judge says of right kernels and of mutants: counts, by kind, depth and mutant."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import programs
from kernels import FRAGMENT, KINDS, MUTANTS, ORDERS, Kind, run, text_of

from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.evaluation.reference.values import round_to, to_caller
from roller_mlir.plan.accuracy.accumulation import Accumulation
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

ROWS, COLUMNS = 16, 24
DEPTHS = (16, 64, 256, 1024, 4096)


@dataclass
class Tally:
    """Counts.

    Attributes:
        right: Right kernels that were tried.
        rejected: Those of them that the judge called wrong.
        worst: The largest error of a right kernel, in units of its bound.
        tried: Mutants, by kind, values, depth and mutant; not those that give the very same results.
        found: Those of them that the judge called wrong.
    """

    right: int = 0
    rejected: list[str] = field(default_factory=list)
    worst: dict[str, float] = field(default_factory=dict[str, float])
    tried: Counter[tuple[str, str, int, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str, int, str]] = field(default_factory=Counter)


def try_all(rounds: int, depths: tuple[int, ...] = DEPTHS, kinds: tuple[Kind, ...] = KINDS) -> Tally:
    """Try every kind, depth, order and mutant.

    Args:
        rounds: How often, each time on other numbers; depths beyond 1024 in each fourth round.
        depths: Terms of a sum.
        kinds: Of kernels.
    """
    tally = Tally()
    for number in range(rounds):
        for kind in kinds:
            for depth in depths:
                if depth <= 1024 or number % 4 == 0:
                    for values in ("random", "whole") if kind.factor != "i8" else ("whole",):
                        _try(tally, kind, depth, values, number)
    return tally


def try_programs(rounds: int) -> Tally:
    """Try functions of several operators: right in every order, and mutants.

    Args:
        rounds: How often, each time on other numbers.
    """
    tally = Tally()
    for number in range(rounds):
        for name, (emulate, _) in programs.PROGRAMS.items():
            generator = np.random.default_rng([number, len(name)])
            with make_context() as context:
                module = parse_module(programs.text_of(name), context)
                (function,) = (one.operation for one in module.body.operations)
                shapes = [ir.RankedTensorType(one.type).shape for one in function.regions[0].blocks[0].arguments]
                inputs = [(3 * generator.standard_normal(shape)).astype(np.float32) for shape in shapes]
                expected = evaluate_function(module, name, inputs, Accumulation(kernels=()))
            wide = [one.astype(np.float64) for one in inputs]
            for order_name, order in ORDERS.items():
                got = emulate(order, wide, "")
                (found,) = compare_all([got.astype(np.float32)], expected)
                tally.right += 1
                tally.worst[name] = max(tally.worst.get(name, 0.0), found.max_error)
                if not found.matches:
                    tally.rejected.append(f"{name}, {order_name}: {found}")
            got = emulate(ORDERS["in 32 lanes"], wide, "")
            changed = {one: emulate(ORDERS["in 32 lanes"], wide, one) for one in programs.MUTATIONS}
            changed["rows swapped"] = got[[1, 0, *range(2, len(got))]]
            changed["zeros"] = np.zeros_like(got)
            changed["one element, 20 bounds"] = got.copy()
            changed["one element, 20 bounds"][3, 5] += 20 * expected.bounded[0].errors()[3, 5]
            for mutant, array in changed.items():
                (found,) = compare_all([array.astype(np.float32)], expected)
                tally.tried[name, "random", 0, mutant] += 1
                tally.found[name, "random", 0, mutant] += not found.matches
    return tally


def _draw(kind: Kind, depth: int, values: str, generator: np.random.Generator) -> list[Any]:
    """Return factors and bias; whole numbers are such that no sum is rounded."""
    shapes = ((ROWS, depth), (depth, COLUMNS), (ROWS, COLUMNS))
    types = (kind.factor, kind.factor, kind.result)
    if values == "random":
        return [round_to(generator.standard_normal(one), t) for one, t in zip(shapes, types, strict=True)]
    most = {"i8": 127, "f32": 16, "f16": 4, "bf16": 4}[kind.factor]
    if kind.sums in ("f16", "bf16") or kind.parts > 1:
        most = 1
    drawn = [generator.integers(-most, most + 1, one).astype(np.float64) for one in shapes]
    if most == 1 and depth > 64:
        # Few factors that are not 0: magnitudes stay within what bf16 holds.
        drawn[0] *= generator.random(shapes[0]) < 64 / depth
    return [round_to(one, t) for one, t in zip(drawn, types, strict=True)]


def _try(tally: Tally, kind: Kind, depth: int, values: str, number: int) -> None:
    generator = np.random.default_rng([number, depth, KINDS.index(kind), values == "whole"])
    a, b, bias = _draw(kind, depth, values, generator)
    types = (kind.factor, kind.factor, kind.result)
    given = [to_caller(one, t) for one, t in zip((a, b, bias), types, strict=True)]
    with make_context() as context:
        module = parse_module(text_of(kind, ROWS, COLUMNS, depth), context)
        expected = evaluate_function(module, "f", given, kind.accumulation)
    wide = [one.astype(np.int32) for one in (a, b, bias)] if kind.factor == "i8" else [a, b, bias]
    names = list(ORDERS) if depth <= 1024 else ["in turn", "in 32 lanes", "in blocks of 16", "in pairs"]
    got: Any = None
    for name in names:
        for contracted in (True, False) if kind.sums == kind.factor != "f32" else (True,):
            got = run(kind, ORDERS[name], *wide, contracted=contracted)
            (found,) = compare_all([to_caller(got, kind.result)], expected)
            tally.right += 1
            tally.worst[kind.name] = max(tally.worst.get(kind.name, 0.0), found.max_error)
            if not found.matches:
                tally.rejected.append(f"{kind.name}, {values}, {depth}, {name}: {found}")
    bound = expected.bounded[0].errors()
    for name, mutant in MUTANTS.items():
        at = tuple(int(generator.integers(0, n // FRAGMENT)) * FRAGMENT for n in (ROWS, COLUMNS))
        k = int(generator.integers(0, depth))
        term = wide[0][:, k, None] * wide[1][None, k, :]
        changed = round_to(mutant(got, term, wide[2], bound, at), kind.result)
        if np.array_equal(changed, got):
            continue
        (found,) = compare_all([to_caller(changed, kind.result)], expected)
        key = kind.name, values, depth, name
        tally.tried[key] += 1
        tally.found[key] += not found.matches
