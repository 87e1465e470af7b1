# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records that keep their hash: equal ones have the same, and other processes compute their own."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace

from roller_mlir.dialects.rtile.attributes import LayoutAttr
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, OperandPlan
from roller_mlir.support.bindings import make_context

ROW = Access("x", (8, 16), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1), 2)))


def test_equal_records_have_the_same_hash() -> None:
    for one in (ROW, Loop(8, True), AxisPlan(block=8, threads=4, chunk=2), LinearIndex((3, 1), 2)):
        before = hash(one)
        assert hash(replace(one)) == before == hash(one)
        assert replace(one) == one
    assert hash(ROW) != hash(replace(ROW, name="y"))


def test_a_layout_that_was_a_key_is_the_same_attribute() -> None:
    """What keeps the hash is no field of the record."""
    layout = OperandPlan(layer="workgroup", order=(0, 1), vector=4)
    with make_context():
        before = LayoutAttr.of(layout)
        hash(layout)
        assert LayoutAttr.of(layout) == before
        assert before.read() == layout


def test_another_process_computes_its_own() -> None:
    """Names hash otherwise there: a record that brought its hash along would not be found among equal ones."""
    hash(ROW)
    known = (
        "import pickle, sys; from roller_mlir.plan import *; "
        "one = pickle.loads(sys.stdin.buffer.read()); "
        "same = Access(one.name, one.shape, one.element_type, one.indices); "
        "assert one == same and {same: 1}[one] == 1"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", known], input=pickle.dumps(ROW), env=environment, check=True)
