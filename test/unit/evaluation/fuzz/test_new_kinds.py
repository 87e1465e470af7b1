# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random gathers, packed layouts, moving slices, scalars, loops and norms of importers give what numpy gives."""

import numpy as np
import pytest

from roller_mlir.evaluation.fuzz.campaign import Campaign, run_campaign
from roller_mlir.evaluation.fuzz.case import job_of
from roller_mlir.evaluation.fuzz.generate import KINDS
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

SPELLED = {
    "gather": ("tensor.extract %", "arith.maxsi", "linalg.index"),
    "curved": (" floordiv ", " mod ", " ceildiv "),
    "pack": ("linalg.pack %", "linalg.unpack %", "padding_value("),
    "moving slice": ("tensor.extract_slice %", "tensor.insert_slice %", ": index", "arith.index_cast"),
    "spread out": ("tensor.insert_slice %",),
    "scalars": ("tensor.splat %", "tensor.generate", ": f32,", "linalg.fill ins(%arg"),
    "loop": ("scf.for ", "scf.forall ", "tensor.parallel_insert_slice"),
    "equal operators": ('"reduction"',),
    "imported norm": ("tensor.collapse_shape", "tensor.expand_shape", ", d1) -> (d0, 0)>"),
    "matrix askew": (" + d2, d2)>", "d2 * -1"),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", SPELLED)
def test_what_a_kind_draws(kind: str) -> None:
    campaign = Campaign(seed=1, numbers=range(60), targets=("h200",), only=(kind,))
    texts = [job_of(campaign.case(number)).text for number in campaign.numbers]
    with make_context() as context:
        for text in texts[:15]:
            parse_module(text, context)
    assert not [word for word in SPELLED[kind] if not any(word in text for text in texts)]
    assert KINDS[kind] > 0


@pytest.mark.full
def test_cases_of_each_kind_give_what_numpy_gives() -> None:
    kinds = tuple(SPELLED)
    campaign = Campaign(seed=7, numbers=range(6), targets=("h200", "mi300x", "v100"), only=kinds, shrink_at_most=1)
    tally = run_campaign(campaign)
    assert not [(one.case.number, one.outcome.message) for one in tally.failures]
    assert tally.statuses["equal"] + tally.statuses["close"] >= 5


@pytest.mark.full
def test_scalars_and_positions_agree_with_iree() -> None:
    """Scalars are passed as tensors; of a position outside of a tensor, which is clamped here, IREE says nothing."""
    only = ("scalars", "moving slice", "gather")
    campaign = Campaign(seed=2, numbers=range(3), targets=("h200",), only=only, oracle="iree", kernels=False)
    tally = run_campaign(campaign).oracle
    assert tally is not None and tally.holds
    assert set(tally.unanswered) <= {
        "positions outside of a tensor are clamped, which IREE does not", "IREE refuses it", "IREE dies",
    }  # fmt: skip
    assert tally.statuses["equal"] + tally.statuses["close"] >= 1


def test_the_reference_rounds_divisions_up_and_generates_what_is_outside() -> None:
    text = """func.func @f(%a: tensor<4xf32>, %k: f32) -> tensor<6xf32> {
      %g = tensor.generate {
      ^bb0(%i: index):
        tensor.yield %k : f32
      } : tensor<6xf32>
      %e = tensor.empty() : tensor<6xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 ceildiv 2)>, affine_map<(d0) -> (d0)>,
                                            affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%a, %g : tensor<4xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %0 = arith.addf %x, %y : f32
        linalg.yield %0 : f32
      } -> tensor<6xf32>
      return %r : tensor<6xf32>
    }"""
    given = [np.array([1, 2, 3, 4], np.float32), np.array(10, np.float32)]
    with make_context() as context:
        found = evaluate_function(parse_module(text, context), "f", given)
    assert found.outputs[0].tolist() == [11, 12, 12, 13, 13, 14]
