# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a construction gave what it gave: makes the record of `explanation` for an operator.

Paper: ROLLER sections 3.1 (alignment), 3.2 (Figure 8, enlargement), 3.3 (micro-performance model).
"""

from collections.abc import Sequence
from dataclasses import replace

from roller_mlir.hal import Device
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.model.block_limits import machine_for
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.performance import context_of as context_of_plan
from roller_mlir.model.cost.performance import l2_resident
from roller_mlir.model.cost.roofline import compulsory_bytes, moved_bytes, roofline
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.explain.explanation import (
    Alignment,
    DeviceLimits,
    Explanation,
    LayerTime,
    LoopFacts,
    OperatorFacts,
    Path,
    Row,
    SplitFacts,
    StreamScore,
    TensorFacts,
    TileBox,
)
from roller_mlir.model.explain.trace import Origin, find_origin, trace
from roller_mlir.model.instructions.choice import Atom, atoms
from roller_mlir.model.machine import Machine
from roller_mlir.model.options import ConstructOptions, ResidualOptions
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.axis_limits import axis_limits, bank_layouts
from roller_mlir.model.search.construct import construction
from roller_mlir.model.search.correct import residual_note
from roller_mlir.model.search.programs.direct import direct_candidates
from roller_mlir.model.tile import reuse_score
from roller_mlir.plan import Access, LinearIndex, Plan, TensorExpression
from roller_mlir.plan.plan import CONSTANT
from roller_mlir.plan.rewrite.split import first_expression, first_plan, join_expression


def explain(
    expression: TensorExpression,
    device: Device,
    options: ConstructOptions | None = None,
    *,
    name: str = "op",
    families: Sequence[str] = (),
    source_extents: Sequence[int] | None = None,
) -> Explanation:
    """Construct the programs of an operator, and return how and why.

    Args:
        expression: The operator.
        device: The device.
        options: Those of the construction; no forced tiles.
        name: Name of the program.
        families: Families of instructions that code generation can emit; empty for none.
        source_extents: Extents of the loops before axis fusion, where they are known.

    Raises:
        ConstructionError: No program fits the device.
        ValueError: The options force tiles.
    """
    options = options or ConstructOptions()
    if options.tile_sizes or options.thread_tile:
        raise ValueError("explain needs options without forced tiles, but got tile_sizes or thread_tile")
    made = construction(expression, device, options)
    plan = made.plans[0]
    prediction = plan.prediction
    assert prediction is not None
    machine = machine_for(device, options)
    candidate = Candidate.of_plan(plan)
    usable = atoms(expression, device, options.instructions, allow_tf32=options.allow_tf32)
    tried = [one for one in usable if _of(one, plan)]
    contexts = [ProblemContext(expression, machine, atom) for atom in tried] or [ProblemContext(expression, machine)]
    searched = [(context, options) for context in contexts]
    if options.staged_stores:  # programs of the construction's second search have no such stores
        searched += [(context.unstaged(), replace(options, staged_stores=False)) for context in contexts]
    found = (find_origin(context, plan, asked) for context, asked in searched)
    origin = next((one for one in found if one is not None), None)
    whole = origin.context if origin is not None else contexts[0]
    tiled = whole.reductions and any(candidate.staged) and device.vector_bytes is None
    assert origin is not None or not tiled, f"a program with reuse comes from a search, but not {candidate}"
    context, first = _first_stage(whole, plan)
    moved = _moved(context, first, plan, expression, machine)
    rows = tuple(_row(rank, one, families) for rank, one in enumerate(made.plans, 1))
    rank, note = _compiled(expression, device, made.plans, families, options)
    return Explanation(
        name=name,
        operator=_operator(whole, plan, source_extents),
        limits=_device_limits(machine),
        alignment=Alignment(
            epsilon=origin.epsilon if origin is not None else made.epsilon,
            disabled=options.disabled_rules,
            axes=axis_limits(whole, plan, options, origin.epsilon if origin is not None else made.epsilon, origin),
            banks=bank_layouts(context, first) if device.vector_bytes is None else (),
        ),
        path=_path(whole, candidate, origin),
        split=_split(plan),
        weighed=made.programs,
        candidates=rows,
        why=" ".join([_why(rows), *_packed(expression, plan)]),
        residual="" if device.vector_bytes is not None else residual_note(made.plans, device, options),
        layers=tuple(
            LayerTime(
                layer=layer,
                seconds=seconds,
                share=seconds / prediction.seconds,
                runner_up_seconds=rows[1].seconds_by_layer.get(layer, 0.0) if len(rows) > 1 else None,
            )
            for layer, seconds in prediction.seconds_by_layer.items()
        ),
        prediction=prediction,
        tail=1 - prediction.waves / -(-prediction.waves // 1) if prediction.waves else 0.0,
        roofline=roofline(expression, context, prediction, *moved),
        families=tuple(families),
        compiled_rank=rank,
        compiled_note=note,
    )


def _of(atom: Atom, plan: Plan) -> bool:
    """Return whether a plan is of an instruction on its loops."""
    if plan.atom is None or not atom.is_matrix:
        return plan.atom is None and not atom.is_matrix and atom.instruction.family == plan.instruction
    rows, columns, length = plan.atom.shape
    m, n, k = atom.instruction.shape
    return (
        atom.instruction.family == plan.instruction
        and atom.loops == (plan.atom.row, plan.atom.column, plan.atom.depth)
        and (rows, length) == (m, k)
        and columns % n == 0
        and (atom.extra_axis < 0 or plan.thread_order[0] == atom.extra_axis)
    )


def _first_stage(whole: ProblemContext, plan: Plan) -> tuple[ProblemContext, Plan]:
    """Return the facts and the plan of what the tasks of the first kernel compute."""
    if plan.split is None:
        return whole, plan
    split = plan.split
    expression = first_expression(whole.expression, split.loop, split.parts, split.extent)
    first = first_plan(plan)
    return context_of_plan(expression, whole.machine, first), first


def _moved(
    context: ProblemContext, first: Plan, plan: Plan, expression: TensorExpression, machine: Machine
) -> tuple[float, float]:
    assert plan.prediction is not None
    global_bytes, cache_bytes = moved_bytes(context, first, plan.prediction)
    if plan.split is not None and plan.split.join.prediction is not None:
        join = join_expression(expression, plan.split.parts, joined=plan.split.joined)
        warmed = l2_resident(machine, join)
        more = moved_bytes(ProblemContext(join, warmed), plan.split.join, plan.split.join.prediction)
        # What the last cache still holds of the parts does not come from global memory.
        global_bytes, cache_bytes = global_bytes + (more[0] if warmed is machine else 0.0), cache_bytes + more[1]
    return global_bytes, cache_bytes


def _operator(context: ProblemContext, plan: Plan, source: Sequence[int] | None) -> OperatorFacts:
    expression = context.expression
    loops = tuple(
        LoopFacts(name=f"d{i}", extent=loop.extent.bound, reduction=loop.reduction, reused=i in context.reused)
        for i, loop in enumerate(expression.loops)
    )
    staged = [operand.layer == "workgroup" for operand in plan.operands]
    tensors = [
        _tensor(expression, access, "input", pad, there, plan)
        for access, pad, there in zip(expression.inputs, expression.pad_values, staged, strict=True)
    ]
    tensors += [_tensor(expression, access, "epilogue", None, False, plan) for access in expression.epilogue]
    tensors.append(_tensor(expression, expression.output, "output", None, False, plan))
    return OperatorFacts(
        loops=loops,
        source_extents=tuple(source) if source is not None else None,
        tensors=tuple(tensors),
        points=expression.points,
        flops=expression.flops,
        tensor_bytes=compulsory_bytes(expression),
        intensity=expression.flops / compulsory_bytes(expression),
        combiner=expression.combiner,
        fused_multiply_add=expression.fused_multiply_add,
    )


def _tensor(
    expression: TensorExpression, access: Access, role: str, pad: float | None, staged: bool, plan: Plan
) -> TensorFacts:
    blocks = [axis.block for axis in plan.axes]
    whole = [
        loop.extent.bound if loop.reduction else block for loop, block in zip(expression.loops, blocks, strict=True)
    ]
    if plan.split is not None:
        whole[plan.split.loop] = plan.split.extent.bound
    steps = [(d.extent - 1) * d.step + 1 for d in tile_dimensions(access, whole)]
    box = tile_dimensions(access, blocks)
    own = tile_dimensions(access, [axis.registers for axis in plan.axes])
    return TensorFacts(
        name=access.name,
        role=role,
        shape=access.bounds,
        element_type=access.element_type,
        index_map=f"({', '.join(_index(index) for index in access.indices)})",
        size_bytes=access.size_bytes,
        pad_value=pad,
        tile=TileBox(
            block=tuple(dimension.extent for dimension in box),
            task=tuple(min(extent, size) for extent, size in zip(steps, access.bounds, strict=True)),
            thread=tuple(dimension.extent for dimension in own),
            halo=_halo(expression, access, blocks, blocks),
            task_halo=_halo(expression, access, blocks, whole),
            step=tuple(dimension.step for dimension in box),
            staged=staged,
        ),
    )


def _halo(expression: TensorExpression, access: Access, blocks: Sequence[int], box: Sequence[int]) -> tuple[int, ...]:
    """Return the elements per dimension that the data tile of a box shares with that of the next task.

    The next task starts coefficient * block elements further, along the loop of several tasks that moves least.
    """
    found: list[int] = []
    for index, dimension in zip(access.indices, tile_dimensions(access, box), strict=True):
        moves = [
            abs(k) * blocks[loop]
            for loop, k in index.terms().items()
            if not expression.loops[loop].reduction and blocks[loop] < expression.bounds[loop]
        ]
        span = (dimension.extent - 1) * dimension.step + 1
        found.append(max(0, span - min(moves)) if moves else 0)
    return tuple(found)


def _index(index: LinearIndex) -> str:
    """Return an index as people write it.

    >>> _index(LinearIndex((2, 0, 1), -1))
    '2*d0 + d2 - 1'
    """
    terms = [f"d{loop}" if k == 1 else f"{k}*d{loop}" for loop, k in index.terms().items()]
    text = " + ".join(terms)
    if index.constant and text:
        return f"{text} {'-' if index.constant < 0 else '+'} {abs(index.constant)}"
    return text or str(index.constant)


def _device_limits(machine: Machine) -> DeviceLimits:
    device = machine.device
    return DeviceLimits(
        device=device.name,
        description=device.description,
        units=machine.units,
        device_units=device.units,
        clock_hz=device.clock_hz,
        subgroup_size=device.subgroup_size,
        schedulers_per_unit=device.schedulers_per_unit,
        max_threads_per_block=device.max_threads_per_block,
        max_threads_per_unit=device.max_threads_per_unit,
        registers_per_unit=device.registers_per_unit,
        max_registers_per_thread=device.max_registers_per_thread,
        max_workgroup_bytes_per_block=device.max_workgroup_bytes_per_block,
        max_workgroup_bytes_per_unit=device.max_workgroup_bytes_per_unit,
        banks=machine.banks.count,
        bank_bytes=machine.banks.bank_bytes,
        transaction_bytes=machine.sector_bytes,
        cache_bytes=machine.cache_bytes,
        cache_bytes_per_s=machine.last_cache_bytes_per_s,
        global_bytes_per_s=machine.global_bytes_per_s,
        launch_s=machine.launch_s,
    )


def _path(context: ProblemContext, candidate: Candidate, origin: Origin | None) -> Path:
    if origin is not None:
        walks, shrinks, descent = trace(origin)
        return Path(kind="tiled", searched=origin.programs, walks=walks, shrinks=shrinks, descent=descent)
    inputs, blocks = context.inputs, candidate.blocks

    def traffic(tile: Sequence[int]) -> int:
        tiles = 1
        for extent, size in zip(context.bounds, tile, strict=True):
            tiles *= -(-extent // size)
        return sum(a.traffic(tile) for a in inputs) * tiles

    def footprint(tile: Sequence[int]) -> int:
        return sum(a.tile(tile)[0] * a.element_bytes for a in inputs)

    scores: list[StreamScore] = []
    for loop, extent in enumerate(context.bounds):
        if 2 * blocks[loop] <= extent:
            larger = (*blocks[:loop], 2 * blocks[loop], *blocks[loop + 1 :])
            saved, added = traffic(blocks) - traffic(larger), footprint(larger) - footprint(blocks)
            scores.append(StreamScore(axis=loop, score=reuse_score(saved, added)))
    spread = ", ".join(f"{candidate.threads[loop]} along d{loop}" for loop in candidate.order) or "1"
    chunk = f"{candidate.chunks[candidate.lane]} along d{candidate.lane}" if candidate.lane is not None else "1"
    held = ", ".join(f"{own} of d{loop}" for loop, own in enumerate(candidate.registers) if own > 1) or "1"
    chosen = {"threads": spread, "vector": chunk, "points of a thread and step": held}
    if any(candidate.staged):
        through = ", ".join(a.access.name for a, there in zip(inputs, candidate.staged, strict=True) if there)
        chosen["transposed through workgroup memory"] = through
    return Path(
        kind="streaming", searched=sum(1 for _ in direct_candidates(context)), scores=tuple(scores), chosen=chosen
    )


def _split(plan: Plan) -> SplitFacts | None:
    if plan.split is None:
        return None
    join = plan.split.join
    return SplitFacts(
        axis=plan.split.loop,
        parts=plan.split.parts.bound,
        extent=plan.split.extent.bound,
        join_seconds=0.0 if plan.prediction is None else plan.prediction.seconds_by_layer.get("join", 0.0),
        join_block=tuple(axis.block for axis in join.axes),
        join_threads=join.threads,
        joined=plan.split.joined,
    )


def _row(rank: int, plan: Plan, families: Sequence[str]) -> Row:
    one = plan.prediction
    assert one is not None
    return Row(
        rank=rank,
        block=tuple(axis.block for axis in plan.axes),
        thread=tuple(axis.registers for axis in plan.axes),
        threads=plan.threads,
        stages=plan.stages,
        instruction=plan.instruction,
        store=plan.store,
        split=plan.split.parts.bound if plan.split is not None else 1,
        registers=one.registers,
        workgroup_bytes=one.shared_bytes,
        tasks=one.tasks,
        tasks_per_unit=one.tasks_per_unit,
        occupancy=one.occupancy,
        waves=one.waves,
        load_bytes=one.global_load_bytes,
        store_bytes=one.global_store_bytes,
        seconds=one.seconds,
        saturated=one.saturated,
        seconds_by_layer=one.seconds_by_layer,
        emitted=plan.instruction in families,
    )


def _packed(expression: TensorExpression, plan: Plan) -> list[str]:
    """Return which inputs are packed when the program is compiled, and what is left out, in sentences."""
    found: list[str] = []
    for access, operand in zip(expression.inputs, plan.operands, strict=True):
        if operand.layer == CONSTANT:
            rows = f", its rows interleaved by {operand.interleave}" if operand.interleave else ""
            found.append(f"The constant {access.name} is packed for its tiles when the program is compiled{rows}.")
    for number in plan.skips:
        found.append(f"Points that read padding of {expression.inputs[number].name} alone are left out.")
    return found


def _why(rows: Sequence[Row]) -> str:
    """Return why the first program is before the second: which terms of the prediction differ."""
    if len(rows) < 2:
        return "It is the only program."
    first, second = rows[:2]
    gap = second.seconds - first.seconds
    keys = dict.fromkeys((*first.seconds_by_layer, *second.seconds_by_layer))
    terms = {key: (first.seconds_by_layer.get(key, 0.0), second.seconds_by_layer.get(key, 0.0)) for key in keys}
    if gap < 0:
        return f"#1 is predicted {-gap / second.seconds:.2%} above #2, but goes first by its residual."
    if gap <= 1e-4 * first.seconds:
        return "#1 and #2 are predicted alike; less traffic and fewer threads go first."
    shown = f"#1 is predicted {gap / second.seconds:.2%} below #2"
    one, two = terms[first.saturated], terms[second.saturated]
    text = f"{shown}. #1 is limited by {first.saturated}, #2 by {second.saturated}"
    if first.saturated == second.saturated and two[1] > one[0]:
        change = two[1] / one[0] - 1
        return f"{shown}: both are limited by {first.saturated}, where #2 takes {change:.2%} longer."
    if first.saturated == second.saturated:
        text = f"{shown}. Both are limited by {first.saturated} alike"
    widest = max(terms, key=lambda key: terms[key][1] - terms[key][0])
    if terms[widest][0] > 0:
        text += f"; #2 takes {terms[widest][1] / terms[widest][0] - 1:.1%} longer in {widest}"
    elif terms[widest][1] > 0:
        text += f"; #2 has {widest} besides"
    return text + "."


def _compiled(
    expression: TensorExpression,
    device: Device,
    plans: Sequence[Plan],
    families: Sequence[str],
    options: ConstructOptions,
) -> tuple[int | None, str]:
    """Return which of the plans a compilation takes, and what that means."""
    if not device.compiles:
        return None, f"'{device.name}' is for the construction and its model only: there is no code for it"
    if not families:
        return None, "no code is generated"
    try:
        learned = ResidualOptions.values_of(options)
        usual = ConstructOptions(top_k=1, instructions=tuple(families), **learned)
        (taken,) = construction(expression, device, usual).plans
    except ConstructionError as error:
        return None, f"'roller compile' has no program: the operator {error}"
    bare = replace(taken, max_units=None)
    ranks = [rank for rank, plan in enumerate(plans, 1) if replace(plan, max_units=None) == bare]
    best = plans[0].instruction
    emits = "" if best in families else f"code generation does not emit {best} yet (it emits {', '.join(families)}); "
    if ranks:
        return ranks[0], f"{emits}'roller compile' takes #{ranks[0]}"
    size = "x".join(str(axis.block) for axis in taken.axes)
    expected = taken.prediction.seconds if taken.prediction is not None else 0.0
    return None, (
        f"{emits}'roller compile' takes a program that is not listed: {taken.instruction}, block {size}, "
        f"predicted {expected * 1e6:.4g} us"
    )
