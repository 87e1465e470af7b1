# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of a module by what needs what: waves of those that need nothing of each other, and who reads what again.

Paper: RAMMER, Algorithm 1, line 3; tensors that several ops read are of no interest to it.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.linalg.group.dispatches import (
    LinalgDispatch,
    named_dispatches,
    producers_of,
    read_again,
    unmade_inputs,
)
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.rewrite.least_starts import with_least_starts
from roller_mlir.rammer.chains import waves_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.analyses import analysis


@dataclass(frozen=True, kw_only=True)
class DispatchWaves:
    """The ops of a module, read once for all numbers of threads that they are planned for.

    Attributes:
        dispatches: The ops, in order.
        kinds: Of each the number of its kind: ops of one kind have one plan.
        waves: Their numbers, by waves.
        weights: By the number of a kind, the inputs that come of no op in any of its ops.
        again: By the number of a kind, those of them that other ops read, too.
        again_bytes: The bytes of all that is read again.
        found_share: What of these readings could find them, if workgroup memory held all.
        families: Kinds that read some tensors alike, through loops of the same bounds; the most frequent one first.
    """

    dispatches: tuple[LinalgDispatch, ...]
    kinds: tuple[int, ...]
    waves: tuple[tuple[int, ...], ...]
    weights: tuple[frozenset[int], ...]
    again: tuple[frozenset[int], ...]
    again_bytes: int
    found_share: float
    families: tuple[tuple[int, ...], ...]


def waves_in(module: ir.Module) -> DispatchWaves:
    """Read the ops of a module: an analysis.

    Raises:
        DiagnosedError: One cannot be read.
    """
    dispatches = tuple(analysis(named_dispatches, module).values())
    numbers: dict[tuple[TensorExpression, bool], int] = {}
    kinds = [
        numbers.setdefault((with_least_starts(dispatch.expression), dispatch.joined), len(numbers))
        for dispatch in dispatches
    ]
    waves = waves_of(producers_of(module, dispatches))
    unmade = unmade_inputs(module, dispatches)
    shared = read_again(dispatches, unmade)
    weights, again = dict[int, frozenset[int]](), dict[int, frozenset[int]]()
    for kind, own, common in zip(kinds, unmade, shared.tensors, strict=True):
        weights[kind] = weights.get(kind, own) & own
        again[kind] = again.get(kind, own) & {*common}
    return DispatchWaves(
        dispatches=dispatches,
        kinds=tuple(kinds),
        waves=tuple(map(tuple, waves)),
        weights=tuple(weights[kind] for kind in range(len(numbers))),
        again=tuple(again[kind] for kind in range(len(numbers))),
        again_bytes=sum(shared.sizes),
        found_share=shared.found_share,
        families=_families(dispatches, kinds, shared.tensors, again),
    )


def _families(
    dispatches: Sequence[LinalgDispatch],
    kinds: Sequence[int],
    tensors: Sequence[Mapping[int, int]],
    again: Mapping[int, Collection[int]],
) -> tuple[tuple[int, ...], ...]:
    """Return kinds that read some tensors alike: a slice that tasks of one bring, tasks of the others find."""
    family = {kind: {kind} for kind, common in again.items() if common}
    first: dict[Hashable, int] = {}
    for dispatch, kind, read in zip(dispatches, kinds, tensors, strict=True):
        for number in again[kind]:
            other = first.setdefault((read[number], dispatch.expression.bounds), kind)
            if family[other] is not family[kind]:
                family[other] |= family[kind]
                family.update(dict.fromkeys(family[other], family[other]))
    often = Counter(kinds)
    found = {id(each): tuple(sorted(each, key=lambda kind: (-often[kind], kind))) for each in family.values()}
    return tuple(found.values())
