# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cyclic garbage is collected again behind what puts it off, whatever happens there; constructions leave none."""

import gc

import pytest
from model_expressions import CASES, matmul

from roller_mlir.hal import find_device
from roller_mlir.model import construct
from roller_mlir.model.collection import collection_paused


def test_collection_goes_on_behind_a_pause() -> None:
    assert gc.isenabled()
    with collection_paused():
        assert not gc.isenabled()
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="inside"), collection_paused():
        raise ValueError("inside")
    assert gc.isenabled()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_constructions_leave_no_cycles(device: str) -> None:
    expressions, of = [*list(CASES.values())[::5], matmul(64, 64, 1 << 16)], find_device(device)
    for expression in expressions:
        construct(expression, of)  # modules that are imported meanwhile leave some
    gc.collect()
    gc.disable()
    try:
        for expression in expressions:
            construct(expression, of)
            assert gc.collect() == 0
    finally:
        gc.enable()
