# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divided reductions whose parts are joined in the same kernel, by the block of each tile that ends last."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from test_split_reduction import DEVICE, DIVIDED, expression_of, hand_plan, inputs_of, read_last, unnamed

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.fuzz.plans.divided import joined_inside
from roller_mlir.hal import find_device
from roller_mlir.lowering.linalg.reader import read_structured
from roller_mlir.lowering.linalg.rewrite.split_reduction import split_reduction
from roller_mlir.lowering.targets.stage import BUFFERS
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.cost.performance import predict
from roller_mlir.model.cost.task.join import GAIN
from roller_mlir.model.search.plan_legality import choice_problem
from roller_mlir.passes.rtile.normalize import RTileNormalize
from roller_mlir.plan import Plan, SplitK, TensorExpression
from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.plan import SYNCHRONOUS, TENSOR
from roller_mlir.plan.records.codec import to_json
from roller_mlir.plan.rewrite.split import tile_expression
from roller_mlir.runtime import SanitizedRunError
from roller_mlir.sim import SimulatedKernels
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module


def joined(expression: TensorExpression, plan: Plan, device: str = "h200") -> Plan | None:
    """Return a plan whose reduction is divided as one whose parts blocks of the first stage join, where they can."""
    return joined_inside(expression, plan, find_device(device))


def joined_plan(
    expression: TensorExpression,
    division: tuple[int, int, int],
    device: str = "h200",
    families: tuple[str, ...] = (),
    fits: Callable[[Plan], bool] = lambda plan: True,
) -> Plan:
    """Return a plan of a product in parts of so many points, each as the whole is planned."""
    loop, parts, extent = division
    options = ConstructOptions(top_k=64, split=False, instructions=families)
    for one in construct(expression, find_device(device), options):
        split = SplitK(loop=loop, parts=as_extent(parts), extent=as_extent(extent), join=one)
        if extent % one.axes[loop].block == 0 and fits(one):
            found = joined(expression, replace(one, raster=(), persistent=False, split=split), device)
            if found is not None:
                return found
    raise AssertionError("no plan can be joined so")


def compiled(text: str, folder: Path, plans: dict[str, Plan], device: str = "h200", **options: Any) -> Artifact:
    (folder / "plan.json").write_text(json.dumps(to_json(plans)))
    given = {"binaries": False, **options}
    return roller_mlir.compile(text, target=device, plan_file=folder / "plan.json", **given)


def edited(artifact: Artifact, change: Callable[[str], str]) -> Artifact:
    """Return the artifact with other kernel IR."""
    text = artifact.text("kernels")
    content = change(text).encode()
    assert content.decode() != text
    sums = {"size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    records = tuple(replace(one, **sums) if one.role == "kernels" else one for one in artifact.manifest.files)
    files = dict(artifact.files) | {"kernels.mlir": content}
    return replace(artifact, manifest=replace(artifact.manifest, files=records), files=files)


@pytest.mark.parametrize("name", DIVIDED)
def test_the_second_op_keeps_the_loops_of_the_output(name: str) -> None:
    op, loop, parts, extent = DIVIDED[name]
    with make_context() as context, ir.Location.unknown():
        module = parse_module(op.text(), context)
        RTileNormalize().run(module)
        root = read_last(module)
        expected = tile_expression(root.expression, parts)
        placeholder: Any = None
        split = SplitK(loop=loop, parts=as_extent(parts), extent=as_extent(extent), joined=True, join=placeholder)
        _, join = split_reduction(root, split, tiles=True)
        assert module.operation.verify()
        assert unnamed(read_structured(join).expression) == unnamed(expected)
        assert not [op for op in module.body.operations if "shape" in op.operation.name]


@pytest.mark.full(every=16)
@pytest.mark.parametrize("name", DIVIDED)
def test_one_kernel_computes_what_the_op_does(name: str, tmp_path: Path) -> None:
    op, loop, parts, extent = DIVIDED[name]
    expression = expression_of(op.text())
    plan = joined(expression, hand_plan(expression, loop, parts, extent))
    assert plan is not None
    artifact = compiled(op.text(), tmp_path, {"generic_0": plan})
    (kernel,), (launch,) = artifact.kernels, artifact.manifest.launches
    assert list(kernel.plans()) == ["generic_0", "generic_0_join"]
    (state,) = [one for one in artifact.manifest.buffers if one.role == "state"]
    assert state.shape[0].static * parts == launch.static_grid[0]
    inputs = inputs_of(op)
    (found,) = artifact.run(*inputs, on="sim", sanitize=True)
    np.testing.assert_array_equal(found, np.asarray(op.reference(*inputs), np.float32))


FAMILIES = {
    "wmma": ("v100", "wmma"), "mma": ("a100", "mma"), "wgmma": ("h200", "wgmma"), "mfma": ("mi300x", "mfma"),
    "mfma on gfx90a": ("mi210", "mfma"), "plain on wave64": ("mi300x", "fma"),
}  # fmt: skip
HALVES = """func.func @main(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>) -> tensor<{m}x{n}x{out}> {{
  %z = arith.constant 0.0 : {out}
  %e = tensor.empty() : tensor<{m}x{n}x{out}>
  %s = linalg.fill ins(%z : {out}) outs(%e : tensor<{m}x{n}x{out}>) -> tensor<{m}x{n}x{out}>
  %p = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>)
      outs(%s : tensor<{m}x{n}x{out}>) -> tensor<{m}x{n}x{out}>
  return %p : tensor<{m}x{n}x{out}>
}}"""


def factors(m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return tuple(rng.integers(-3, 4, shape).astype(np.float16) for shape in ((m, k), (k, n)))  # type: ignore[return-value]


@cache
def halves(m: int, n: int, k: int, how: str, max_units: int | None = None, store: str = "", **options: Any) -> Artifact:
    """Compile a product of f16 whose reduction is divided, for a family of instructions."""
    device, family = FAMILIES[how]
    text, parts = HALVES.format(m=m, n=n, k=k, out="f16" if store == TENSOR else "f32"), 3

    plan = joined_plan(
        expression_of(text),
        (2, parts, -(-k // parts // 64) * 64),
        device,
        (family,),
        lambda one: one.instruction == family,
    )
    assert plan.split is not None
    split = replace(plan.split, join=replace(plan.split.join, max_units=max_units))
    whole = replace(plan, max_units=max_units, tasks_per_unit=1, store=store or plan.store, split=split)
    with TemporaryDirectory() as folder:
        return compiled(text, Path(folder), {"matmul_0": whole}, device, **options)


@pytest.mark.full(every=9)
@pytest.mark.parametrize("level", ["gpu", "llvm"])
@pytest.mark.parametrize("how", FAMILIES)
def test_instructions_of_every_family(how: str, level: str) -> None:
    m, n, k = 72, 48, 320
    artifact = halves(m, n, k, how, llvm=True)
    assert len(artifact.kernels) == 1
    a, b = factors(m, n, k)
    (found,) = artifact.run(a, b, on="sim", level=level, sanitize=level == "gpu")
    np.testing.assert_array_equal(found, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("how", "store"), [("wgmma", TENSOR), ("wgmma", SYNCHRONOUS), ("mma", SYNCHRONOUS)])
def test_blocks_that_walk_several_tasks(how: str, store: str) -> None:
    """Parts that tensor copies write have arrived before a block counts; the ring of its copies goes on behind it."""
    m, n, k = 72, 64, 320
    artifact = halves(m, n, k, how, max_units=1, store=store)
    (kernel,), (launch,) = artifact.kernels, artifact.manifest.launches
    assert kernel.plan is not None and kernel.plan.prediction is not None
    assert launch.static_grid[0] < kernel.plan.prediction.tasks
    a, b = factors(m, n, k)
    (found,) = artifact.run(a, b, on="sim", sanitize=True)
    np.testing.assert_array_equal(found, a.astype(np.float32) @ b.astype(np.float32))  # of which f16 holds each


MISTAKES: dict[str, Callable[[str], str]] = {
    "nobody releases": lambda text: text.replace('llvm.fence syncscope("device") release\n', "\n"),
    "nobody acquires": lambda text: text.replace('llvm.fence syncscope("device") acquire\n', "\n"),
    "the barrier in front is missing": lambda text: text.replace(
        "gpu.barrier\n", "\n", text.count("gpu.barrier\n") - 1
    ),
    "the barrier behind is missing": lambda text: "\n".join(text.rsplit("gpu.barrier\n", 1)),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("what", MISTAKES)
def test_the_sanitizer_finds_what_is_not_ordered(what: str) -> None:
    artifact = halves(40, 24, 192, "plain on wave64")
    inputs = factors(40, 24, 192)
    artifact.run(*inputs, on="sim", sanitize=True)
    with pytest.raises(SanitizedRunError) as caught:
        edited(artifact, MISTAKES[what]).run(*inputs, on="sim", sanitize=True)
    assert {one.kind for one in caught.value.findings} & {"read-after-write", "write-after-read", "uninitialised-read"}


def test_the_sanitizer_finds_copies_that_have_not_arrived() -> None:
    artifact = halves(72, 64, 320, "wgmma", store=TENSOR)
    inputs = factors(72, 64, 320)
    artifact.run(*inputs, on="sim", sanitize=True)
    with pytest.raises(SanitizedRunError):
        edited(artifact, lambda text: text.replace("nvvm.cp.async.bulk.wait_group 0\n", "\n")).run(
            *inputs, on="sim", sanitize=True
        )


def test_a_block_that_does_not_count_leaves_tiles_undone() -> None:
    artifact = halves(40, 24, 192, "plain on wave64")
    inputs = factors(40, 24, 192)
    wrong = edited(artifact, lambda text: text.replace("llvm.atomicrmw add", "llvm.atomicrmw _and"))
    with pytest.raises(SanitizedRunError):
        wrong.run(*inputs, on="sim", sanitize=True)


def launched(artifact: Artifact, inputs: tuple[np.ndarray, ...], times: int, device: str) -> list[np.ndarray]:
    """Launch the one kernel of an artifact several times on the same state, with all blocks at the same time."""
    (launch,), manifest = artifact.manifest.launches, artifact.manifest
    kernels = SimulatedKernels(artifact.text("kernels"), find_device(device).subgroup_size, sanitize=True)
    given = dict(zip(manifest.inputs, inputs, strict=True))
    state, found = np.zeros(0, np.int32), list[np.ndarray]()
    for number in range(times):
        arrays, written = list[Any](), list[Any]()
        for view in launch.arguments:
            role, shape = manifest.buffer(view.buffer).role, view.static_shape
            written.append(None if role in ("input", "state") else np.zeros(view.size_bytes, np.uint8))
            if role == "state":
                state = state if number else np.zeros(shape, np.int32)
            arrays.append(
                given[view.buffer] if role == "input" else state if role == "state" else np.full(shape, np.nan, "f4")
            )
            if role == "output":
                found.append(arrays[-1])
        kernels.launch(
            launch.kernel, launch.static_grid, launch.block, launch.dynamic_workgroup_bytes, arrays,
            seed=number, resident_blocks=None, written=written,
        )  # fmt: skip
        assert not state.any()
    return found


@pytest.mark.parametrize("how", [pytest.param("plain on wave64", marks=pytest.mark.full), "mma"])
def test_counters_are_zero_again_and_sums_are_the_same_in_every_order(how: str) -> None:
    m, n, k = 40, 24, 320
    artifact = halves(m, n, k, how)
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)
    first, *others = launched(artifact, (a, b), 3, FAMILIES[how][0])
    np.testing.assert_allclose(first, a.astype(np.float64) @ b.astype(np.float64), rtol=0, atol=1e-3)
    for one in others:  # of other orders of blocks
        np.testing.assert_array_equal(one, first)


CHAIN = """func.func @main(%a: tensor<32x320xf32>, %b: tensor<320x320xf32>) -> tensor<32x320xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x320xf32>
  %s = linalg.fill ins(%z : f32) outs(%e : tensor<32x320xf32>) -> tensor<32x320xf32>
  %p = linalg.matmul ins(%a, %b : tensor<32x320xf32>, tensor<320x320xf32>) outs(%s : tensor<32x320xf32>)
      -> tensor<32x320xf32>
  %q = linalg.matmul ins(%p, %b : tensor<32x320xf32>, tensor<320x320xf32>) outs(%s : tensor<32x320xf32>)
      -> tensor<32x320xf32>
  %r = linalg.matmul ins(%q, %b : tensor<32x320xf32>, tensor<320x320xf32>) outs(%s : tensor<32x320xf32>)
      -> tensor<32x320xf32>
  return %r : tensor<32x320xf32>
}"""


def chain(folder: Path, **options: Any) -> Artifact:
    plan = joined_plan(expression_of(CHAIN), (2, 5, 64))
    return compiled(CHAIN, folder, {f"matmul_{number}": plan for number in range(3)}, **options)


def shift(n: int) -> np.ndarray:
    return np.roll(np.eye(n, dtype=np.float32), 3, axis=1)


@pytest.mark.parametrize("options", [pytest.param({}, marks=pytest.mark.full), {"dependent_launch": True}])
def test_equal_programs_share_a_kernel_and_no_counters(options: dict[str, Any], tmp_path: Path) -> None:
    """A result in the middle has no bytes of what the same kernel reads: blocks of its first stage may still run."""
    artifact = chain(tmp_path, **options)
    (_,), launches = artifact.kernels, artifact.manifest.launches
    assert [one.dependent for one in launches] == [bool(options)] * 3
    states = [view.buffer for one in launches for view in one.arguments if view.buffer.startswith("state")]
    assert states == ["state0", "state1", "state2"]
    a = np.arange(32 * 320, dtype=np.float32).reshape(32, 320) % 17
    (found,) = artifact.run(a, shift(320), on="sim", sanitize=True)
    np.testing.assert_array_equal(found, np.roll(a, 9, axis=1))


@cache
def on_buffers() -> str:
    """Return the two programs of a sum of rows on buffers."""
    op = DIVIDED["row sum"][0]
    expression = expression_of(op.text())
    plan = joined(expression, hand_plan(expression, 1, 4, 256))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps(to_json({"generic_0": plan})))
        options = CompileOptions(plan_file=file, binaries=False)
        return lower_until(Source("-", op.text()), "h200", options, BUFFERS)[0]


def second(text: str, change: Callable[[str], str]) -> str:
    """Change the second program of a text."""
    at = text.rindex('"rtile.program"')
    return text[:at] + change(text[at:])


ROWS = "memref<7x1001xf32>"


def with_view(text: str, kind: str) -> str:
    """Let the workspace have one more view, %other, at its beginning."""
    line = f"%other = memref.view %arg2[%c0][] : memref<256xi8> to {kind}"
    return text.replace("%view = memref.view", f"{line}\n    %view = memref.view", 1)


WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "nothing in front": (
        lambda text: text.replace("{pipeline", "{joined, pipeline", 1),
        "'rtile.program' 'generic_0' is joined, but no program stands in front of it",
    ),
    "parts of another": (
        lambda text: second(with_view(text, "memref<4x7xf32>"), lambda one: one.replace("(%view, ", "(%other, ", 1)),
        "is joined, but does not read what the program before it makes",
    ),
    "other threads": (
        lambda text: second(text, lambda one: one.replace("[[1, 1], [32, 1]]", "[[1, 1], [16, 1]]", 1)),
        "is joined and has 7 tasks of 16 threads, but the program before it 28 of 32; there must be as many tasks for",
    ),
    "a staged tile": (
        lambda text: second(
            text,
            lambda one: one.replace(
                '"register", [1, 1]>}', '"workgroup", [1, 1]>, layout = #rtile.layout<{order = [0, 1]}>}', 1
            ),
        ),
        "is joined, but loads a tile into workgroup memory; read it directly",
    ),
    "over what is read": (
        lambda text: second(
            with_view(text, "memref<7xf32>")
            .replace("256xi8", "65536xi8")
            .replace(
                "%view = memref.view",
                f"%read = memref.view %arg2[%c0][] : memref<65536xi8> to {ROWS}\n %view = memref.view",
            )
            .replace("(%arg0, %view)", "(%read, %view)"),
            lambda one: one.replace("(%view, %arg1)", "(%view, %other)", 1),
        ),
        "is joined, but writes what blocks of the program before it may still read; give it a buffer of its own",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_programs_that_cannot_be_joined(what: str) -> None:
    change, message = WRONG[what]
    text = on_buffers()
    changed = change(text)
    assert changed != text
    with pytest.raises(DiagnosedError) as caught:
        roller_mlir.compile(changed, target=DEVICE, binaries=False)
    assert message in str(caught.value)


def test_a_graph_of_tasks_joins_parts_by_itself() -> None:
    text = on_buffers()
    with pytest.raises(DiagnosedError, match=r"is joined by blocks of the program before it, but a graph joins parts"):
        roller_mlir.compile(text, target=DEVICE, options=CompileOptions(persistent=True, binaries=False))


def changed_axis(data: Any, **values: int) -> None:
    data["split"]["join"]["axes"][0].update(values)


PLANS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "loops": (
        lambda data: data["split"]["join"]["axes"].pop(),
        "joins parts in the same kernel by 2 loops",
    ),
    "tiles": (
        lambda data: changed_axis(data, block=data["split"]["join"]["axes"][0]["block"] * 2),
        "has a plan that joins parts by tiles of",
    ),
    "threads": (
        lambda data: data["split"]["join"]["axes"][2].update(block=64, threads=64),
        "has a plan that joins parts by",
    ),
    "order": (
        lambda data: data["split"]["join"].update(unit_order=[1, 0]),
        "joins parts in unit_order",
    ),
    "staged": (
        lambda data: data["split"]["join"]["operands"][0].update(layer="workgroup"),
        "has a plan that joins parts through workgroup memory",
    ),
}


@pytest.mark.parametrize("what", PLANS)
def test_plans_that_cannot_be_joined(what: str, tmp_path: Path) -> None:
    change, message = PLANS[what]
    op, loop, parts, extent = DIVIDED["matmul"]
    expression = expression_of(op.text())
    data: Any = to_json(joined(expression, hand_plan(expression, loop, parts, extent)))
    change(data)
    (tmp_path / "plan.json").write_text(json.dumps({"generic_0": data}))
    with pytest.raises(DiagnosedError) as caught:
        roller_mlir.compile(op.text(), target=DEVICE, plan_file=tmp_path / "plan.json", binaries=False)
    assert message in str(caught.value)


def test_a_plan_that_may_not_be() -> None:
    """A data base's plan keeps what is asked; a plan file gives it whatever is asked."""
    op, loop, parts, extent = DIVIDED["matmul"]
    expression = expression_of(op.text())
    plan = joined(expression, hand_plan(expression, loop, parts, extent))
    assert plan is not None
    device = find_device(DEVICE)
    assert not choice_problem(expression, plan, device, ConstructOptions())
    problem = choice_problem(expression, plan, device, ConstructOptions(join=False))
    assert problem == "has a plan that joins the parts of its reduction in the same kernel, which must not be done here"


def test_the_model_joins_where_a_launch_costs_more() -> None:
    """Few parts of small tiles are joined where they are made; many of large ones by all units of a second kernel."""
    device = find_device(DEVICE)
    small, large = (
        expression_of(HALVES.format(m=m, n=n, k=k, out="f32")) for m, n, k in ((64, 64, 4096), (512, 512, 4096))
    )
    for expression, inside in ((small, True), (large, False)):
        asked = ConstructOptions(top_k=1, instructions=("mma",))
        (plan,), (apart,) = (
            construct(expression, device, asked),
            construct(expression, device, replace(asked, join=False)),
        )
        assert plan.split is not None and apart.split is not None
        assert (plan.split.joined, apart.split.joined) == (inside, False)
        assert plan.prediction is not None and apart.prediction is not None
        assert plan.prediction.seconds < GAIN * apart.prediction.seconds if inside else plan == apart
        assert plan.prediction.seconds == predict(expression, plan, device).seconds
