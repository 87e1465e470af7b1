# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cyclic garbage is collected again behind what puts it off, whatever happens there."""

import gc

import pytest

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
