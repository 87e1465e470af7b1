# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rtile dialect from Python: loading, builders, typed views, effects, and what its textual tests cannot reach."""

from io import BytesIO
from typing import Any

import pytest

from roller_mlir.dialects import rtile
from roller_mlir.dialects.rtile import attributes
from roller_mlir.dialects.rtile.slots import SLOTS
from roller_mlir.plan.plan import AxisPlan, OperandPlan, Plan
from roller_mlir.support.bindings import arith, func, ir, make_context, passmanager, tensor

PLAN = Plan(
    device="h200",
    axes=(AxisPlan(block=8, threads=4, chunk=2), AxisPlan(block=4)),
    thread_order=(0,),
    lane=None,
    unit_order=(0,),
    reduction_order=(1,),
    operands=(
        OperandPlan(layer="workgroup", order=(1, 0), pad=4, vector=4, pad_value=0.5),
        OperandPlan(layer="register", order=(0,)),
    ),
)


@pytest.fixture
def context() -> Any:
    with make_context() as context, ir.Location.unknown():
        yield context


def tensor_type(*shape: int) -> Any:
    return ir.RankedTensorType.get(shape, ir.F32Type.get())


def identity(rank: int) -> Any:
    return ir.AffineMap.get_identity(rank)


def build_scaling() -> tuple[Any, rtile.ProgramOp]:
    """A module with a program that doubles 64 x 8 elements, a tile of 16 x 8 at a time (one of the tiles)."""
    module = ir.Module.create()
    kind, tile_kind = tensor_type(64, 8), tensor_type(16, 8)
    with ir.InsertionPoint(module.body):
        function = func.FuncOp("double", ([kind], [kind]))
        entry = function.add_entry_block()
    with ir.InsertionPoint(entry):
        program = rtile.program([entry.arguments[0]], [kind], "double_0")
        func.ReturnOp([program.operation.results[0]])
    with ir.InsertionPoint(program.entry):
        position = arith.constant(ir.IndexType.get(), 2)
        origin = ir.AffineMap.get(1, 0, [ir.AffineDimExpr.get(0) * 16, ir.AffineConstantExpr.get(0)])
        loaded = rtile.load_tile(
            program.entry.arguments[0],
            [position],
            tile=rtile.TileAttr.of([16, 8], "workgroup"),
            origin=origin,
            layout=rtile.LayoutAttr.of(
                OperandPlan(layer="workgroup", order=(1, 0), pad=4, vector=4, fragment_vector=2)
            ),
            pad_value=1.5,
        )
        computed = rtile.compute(
            [loaded.operation.results[0]],
            [tensor.empty([16, 8], ir.F32Type.get())],
            [position],
            indexing_maps=[identity(2), identity(2)],
            iterator_types=["parallel", "parallel"],
            box=[16, 8],
            bounds=[64, 8],
            origin=origin,
            threads=rtile.ThreadsAttr.of([(16, 1), (4, 2)], order=[1, 0], lane=1),
        )
        with ir.InsertionPoint(computed.entry):
            element = computed.entry.arguments[0]
            rtile.yield_([arith.addf(element, element)])
        stored = rtile.store(
            computed.operation.results[0], tensor.empty([64, 8], ir.F32Type.get()), [position], origin=origin
        )
        rtile.yield_([stored.operation.results[0]])
    assert loaded.operation.results[0].type == tile_kind
    return module, program


def test_load_twice_and_in_two_contexts() -> None:
    texts: list[str] = []
    for _ in range(2):
        context = make_context()
        rtile.load(context)
        rtile.load(context)
        with context, ir.Location.unknown():
            module, _ = build_scaling()
            assert module.operation.verify()
            texts.append(str(module))
    assert texts[0] == texts[1]


def test_loading_switches_multithreading_off() -> None:
    """With threads on, verifying two isolated ops with Python hooks would wait for ever."""
    context = ir.Context()
    context.enable_multithreading(True)
    rtile.load(context)
    program = '"rtile.program"() ({ "rtile.yield"() : () -> () }) {sym_name = "empty"} : () -> ()'
    text = "\n".join(f"func.func @f{n}() {{ {program} return }}" for n in range(8))
    assert str(ir.Module.parse(text, context)).count("rtile.program") == 8


def test_views_return_plain_values(context: Any) -> None:
    module, program = build_scaling()
    assert module.operation.verify()
    assert program.program_name == "double_0"
    assert program.plan is None
    operations = {op.operation.name: op for op in program.entry.operations}
    load, compute, store = operations["rtile.load"], operations["rtile.compute"], operations["rtile.store"]
    assert isinstance(load, rtile.LoadOp)
    assert isinstance(compute, rtile.ComputeOp)
    assert isinstance(store, rtile.StoreOp)
    assert (load.tile.shape, load.tile.layer, load.tile.steps) == ((16, 8), "workgroup", (1, 1))
    assert load.layout is not None
    assert load.layout.read() == OperandPlan(layer="workgroup", order=(1, 0), pad=4, vector=4, fragment_vector=2)
    assert load.pad_value == 1.5
    assert load.source == program.entry.arguments[0]
    assert len(load.indices) == 1
    assert str(load.origin_map) == "(d0) -> (d0 * 16, 0)"
    assert (len(compute.inputs), len(compute.accumulators), len(compute.indices)) == (1, 1, 1)
    assert compute.inputs[0] == load.operation.results[0]
    assert compute.box_shape == (16, 8)
    assert compute.loop_bounds == (64, 8)
    assert compute.iterators == ("parallel", "parallel")
    assert compute.maps == (identity(2), identity(2))
    threads = compute.thread_map
    assert (threads.axes, threads.order, threads.lane, threads.unroll) == (((16, 1), (4, 2)), (1, 0), 1, 1)
    assert store.tile == compute.operation.results[0]
    assert store.tile_steps == (1, 1)
    assert store.destination.type == tensor_type(64, 8)
    assert program.terminator.values == tuple(store.operation.results)


def test_builders_on_memrefs_have_no_results(context: Any) -> None:
    kind = ir.MemRefType.get([8], ir.F32Type.get())
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        function = func.FuncOp("copy", ([kind, kind], []))
        entry = function.add_entry_block()
    with ir.InsertionPoint(entry):
        program = rtile.program(list(entry.arguments), [], "copy_0")
        func.ReturnOp([])
    source, destination = program.entry.arguments
    with ir.InsertionPoint(program.entry):
        origin = ir.AffineMap.get(0, 0, [ir.AffineConstantExpr.get(0)])
        tile = rtile.load_tile(source, [], tile=rtile.TileAttr.of([8], "register"), origin=origin)
        store = rtile.store(tile.operation.results[0], destination, [], origin=origin)
        rtile.yield_()
    assert module.operation.verify()
    assert not list(store.operation.results)
    passmanager.PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
    assert "rtile.store" in str(module), "a store into a memref is an effect"
    assert tile.layout is None
    assert tile.pad_value is None


def test_unused_programs_and_repeated_loads_of_tensors_disappear(context: Any) -> None:
    module, program = build_scaling()
    load = next(op for op in program.entry.operations if op.operation.name == "rtile.load")
    load.operation.clone(ir.InsertionPoint(load))
    assert str(module).count('"rtile.load"') == 2
    passmanager.PassManager.parse("builtin.module(cse)").run(module.operation)
    assert str(module).count('"rtile.load"') == 1
    returned = program.operation.results[0]
    returned.replace_all_uses_with(module.body.operations[0].arguments[0])
    passmanager.PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    assert "rtile." not in str(module)


def test_bytecode_round_trip(context: Any) -> None:
    module, _ = build_scaling()
    stream = BytesIO()
    module.operation.write_bytecode(stream)
    assert str(ir.Module.parse(stream.getvalue())) == str(module)


def test_segment_sizes_do_not_show(context: Any) -> None:
    module, program = build_scaling()
    before = str(module)
    assert module.operation.verify()
    assert str(module) == before
    assert "operandSegmentSizes" not in program.operation.attributes
    assert before.count("SegmentSizes") == 1
    assert "operandSegmentSizes = array<i32: 1, 1, 1>" in before


def test_sizes_are_right_again_after_a_nested_error(context: Any) -> None:
    module, program = build_scaling()
    compute = next(op for op in program.entry.operations if op.operation.name == "rtile.compute")
    nested = compute.operation.regions[0].blocks[0].operations[1].operation
    text = str(module)
    nested.attributes["wrong"] = ir.UnitAttr.get()
    with pytest.raises(ir.MLIRError, match=r"'rtile\.yield' op has unknown attribute 'wrong'"):
        module.operation.verify()
    assert len(compute.operation.attributes["operandSegmentSizes"]) == SLOTS
    assert (len(compute.inputs), len(compute.accumulators), len(compute.indices)) == (1, 1, 1)
    del nested.attributes["wrong"]
    assert module.operation.verify()
    assert str(module) == text


@pytest.mark.parametrize("count", [SLOTS, SLOTS + 1])
def test_number_of_operands_is_limited(context: Any, count: int) -> None:
    kinds = [tensor_type(n + 1) for n in range(count)]
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        entry = func.FuncOp("many", (kinds, [])).add_entry_block()
    with ir.InsertionPoint(entry):
        program = rtile.program(list(entry.arguments), [], "many_0")
        func.ReturnOp([])
    with ir.InsertionPoint(program.entry):
        rtile.yield_()
    if count <= SLOTS:
        assert module.operation.verify()
    else:
        with pytest.raises(ir.MLIRError, match="has 65 operands, but at most 64 are possible; split the group"):
            module.operation.verify()


def test_what_escapes_from_a_hook_is_a_diagnostic(context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("lost")

    module, _ = build_scaling()
    monkeypatch.setattr(attributes.TileAttr, "check", broken)
    with pytest.raises(ir.MLIRError, match=r"'rtile.load' op cannot be verified: RuntimeError: lost"):
        module.operation.verify()


def test_plan_round_trip(context: Any) -> None:
    attribute = rtile.PlanAttr.of(PLAN)
    attribute.check()
    assert attribute.read() == PLAN
    parsed = ir.Attribute.parse(str(attribute))
    assert isinstance(parsed, rtile.PlanAttr)
    assert parsed.read() == PLAN


@pytest.mark.parametrize(
    "data", [True, 3, 2.5, float("inf"), "text", [1, [2, "x"]], {"a": {"b": [1.0, False]}, "c": 0}, [], {}]
)
def test_attributes_hold_plain_data(context: Any, data: Any) -> None:
    attribute = rtile.to_attribute(data)
    assert rtile.from_attribute(attribute) == data
    assert rtile.from_attribute(ir.Attribute.parse(str(attribute))) == data


def test_attributes_leave_none_out_and_refuse_objects(context: Any) -> None:
    assert rtile.from_attribute(rtile.to_attribute({"a": None, "b": 1})) == {"b": 1}
    with pytest.raises(ValueError, match="attributes hold booleans, numbers, strings, sequences and dictionaries"):
        rtile.to_attribute(object())
    with pytest.raises(
        ValueError, match="expected a boolean, number, string, array or dictionary attribute, but got f32"
    ):
        rtile.from_attribute(ir.TypeAttr.get(ir.F32Type.get()))
