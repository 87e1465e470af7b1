# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a construction came to a program: the walk of ROLLER Figure 8 from the smallest tile, step by step.

The search is run again, with the same rules and budgets, and watched; nothing is derived from the program alone. A
program is found where the construction found it first: with the smallest epsilon whose search yields it.

Paper: ROLLER section 3.2 and Figure 8; section 3.1 (reuse score).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import prod

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimates import Estimate
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.construct import search_tiled
from roller_mlir.model.search.enlarge import Layer, Watch
from roller_mlir.model.search.neighbours import neighbours
from roller_mlir.model.search.programs.splitting import Divider, without_part
from roller_mlir.model.search.programs.tiled import TiledSearch
from roller_mlir.model.tile import Tile, reuse_score
from roller_mlir.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """A limit that a tile exceeds.

    Attributes:
        what: What is short.
        need: What the tile needs.
        limit: What there is.
        unit: Of both figures; empty for a number of things.
    """

    what: str
    need: float
    limit: float
    unit: str = ""

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.what}: needs {self.need:g}{unit}, limit {self.limit:g}{unit}"


@dataclass(frozen=True, kw_only=True)
class Score:
    """An enlargement that was possible, and its reuse score.

    Attributes:
        axis: Loop that is enlarged.
        size: Its new size.
        score: Saved traffic over added footprint; infinite where no memory is added.
        fits: Whether the layer holds the larger tile.
    """

    axis: int
    size: int
    score: float
    fits: bool


@dataclass(frozen=True, kw_only=True)
class TraceStep:
    """One tile on the way.

    Attributes:
        axis: Loop that was enlarged to come here, None for the smallest tile.
        tile: Points per loop.
        traffic: Q(T) of the whole operator.
        footprint: F(T).
        score: Reuse score of the enlargement, None for the smallest tile.
        saturates: Whether the layer feeds the tile at least as fast as it is computed.
        others: The other enlargements of the tile before, best score first.
    """

    axis: int | None
    tile: Tile
    traffic: float
    footprint: float
    score: float | None
    saturates: bool
    others: tuple[Score, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Why a tile does not go on along one loop.

    Attributes:
        axis: The loop.
        size: Its next size, None where there is none.
        limits: What the larger tile exceeds; empty where it fits.
        why: The reason in words.
    """

    axis: int
    size: int | None
    limits: tuple[Capacity, ...]
    why: str


@dataclass(frozen=True, kw_only=True)
class Walk:
    """The way through one layer.

    Attributes:
        layer: "register" or "workgroup".
        unit: Of traffic and footprint: "elements" of one thread's tiles, or "bytes".
        steps: From the smallest tile to the program's.
        stops: Per loop, why it goes no further.
        looked_at: Tiles that the walk looked at.
        fitting: Those that fit.
        yielded: Those that the layer yields: fast enough, or with nothing larger that fits.
        reached: How the last tile came to be used.
    """

    layer: str
    unit: str
    steps: tuple[TraceStep, ...]
    stops: tuple[Stop, ...]
    looked_at: int
    fitting: int
    yielded: int
    reached: str


@dataclass(frozen=True, kw_only=True)
class Shrink:
    """One shrinking of a program with too few tasks.

    Attributes:
        axis: Loop that was halved.
        score: Its reuse score, the smallest or second smallest.
        registers: Register tile after it.
        blocks: Block tile after it.
        tasks: Tasks after it.
    """

    axis: int
    score: float
    registers: Tile
    blocks: Tile
    tasks: int


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """One step of the descent along the predicted time, from what the enlargement found to a program next to it.

    Attributes:
        registers: Register tile after it.
        blocks: Block tile after it.
        threads: Threads of a task after it.
        split: Parts into which the reduction was divided by then, 1 for none.
        seconds: Predicted time after it, before layouts are decided.
    """

    registers: Tile
    blocks: Tile
    threads: int
    split: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a tiled program comes from.

    Attributes:
        context: The expression with the instruction of the search.
        search: The search that yields it, or whose descent passes it.
        epsilon: Its epsilon.
        registers: Register tile of the program (reduction loops at their smallest).
        blocks: Its block tile.
        base: The search that yields the program before the descent; `search` without one.
        chain: Programs from that one to this one.
        seconds: What the model expects of each of them before layouts are decided, and in how many parts.
        programs: Programs that were evaluated.
    """

    context: ProblemContext
    search: TiledSearch
    epsilon: float
    registers: Tile
    blocks: Tile
    base: TiledSearch
    chain: tuple[Candidate, ...]
    seconds: tuple[tuple[float, int], ...]
    programs: int


def find_origin(context: ProblemContext, plan: Plan, options: ConstructOptions) -> Origin | None:
    """Return the search that yields a plan's program, None for one without reuse, which no search yields.

    Args:
        context: The expression with the plan's instruction.
        plan: The plan.
        options: Those of the construction.
    """
    if not (context.reductions and context.reused):
        return None
    candidate = Candidate.of_plan(plan)
    evaluated: dict[Candidate, Estimate] = {}
    searches = search_tiled(context, options, evaluated, {})
    divided = dict[Candidate, float]()
    refined = dict[Candidate, Candidate]()
    if plan.split is not None and evaluated:
        divider = Divider(context, lambda _: (), joins=options.join)
        near = partial(neighbours, searches[-1][1])
        for division, found in divider.tiled(list(evaluated.values()), options.stages, near):
            if (division.loop, division.parts) == (plan.split.loop, plan.split.parts):
                divided[without_part(found.candidate)] = found.seconds
        refined = divider.refined
    chain = [candidate]
    while chain[0] not in evaluated and chain[0] in refined:
        chain.insert(0, refined[chain[0]])
    yielded = [(epsilon, one, set(one.programs())) for epsilon, one in searches]
    for epsilon, search in searches:
        descent = list(chain)
        while descent[0] in search.refined:
            descent.insert(0, search.refined[descent[0]])
        base = next((one for _, one, candidates in yielded if descent[0] in candidates), None)
        if base is None or (base is not search and descent[0] == chain[0]):
            continue
        return Origin(
            context=context,
            search=search,
            epsilon=epsilon,
            registers=register_tile(search, candidate),
            blocks=candidate.blocks,
            base=base,
            chain=tuple(descent),
            seconds=tuple(
                (evaluated[one].seconds, 1)
                if plan.split is None or one not in chain
                else (divided[one], plan.split.parts.bound)
                for one in descent
            ),
            programs=len(evaluated),
        )
    return None


def register_tile(search: TiledSearch, candidate: Candidate) -> Tile:
    """Return a program's register tile as a search has it: reduction loops at their smallest."""
    pairs = zip(search.context.reduction, search.smallest, candidate.registers, strict=True)
    return tuple(small if reduces else own for reduces, small, own in pairs)


def trace(origin: Origin) -> tuple[tuple[Walk, ...], tuple[Shrink, ...], tuple[Refinement, ...]]:
    """Return the walks through the register and the workgroup layer, the shrinkings after them, and the descent."""
    search, shrinks = origin.base, list[Shrink]()
    key = register_tile(search, origin.chain[0]), origin.chain[0].blocks
    while key in search.shrunk:
        before, axis, score = search.shrunk[key]
        shrinks.insert(
            0, Shrink(axis=axis, score=score, registers=key[0], blocks=key[1], tasks=_tasks(origin.context, key[1]))
        )
        key = before
    registers, blocks = key
    start, layer = search.register_layer()
    first = _walk(search, "register", start, layer, registers, search.register_tiles, register_problems)
    start, layer = search.block_layer(registers)
    second = _walk(
        search,
        "workgroup",
        start,
        layer,
        blocks,
        lambda watch: (search.block_tiles(registers, watch), []),
        lambda one, tile: block_problems(one, registers, tile),
    )
    refinements = tuple(
        Refinement(
            registers=register_tile(search, one), blocks=one.blocks, threads=one.thread_count, split=parts, seconds=time
        )
        for one, (time, parts) in zip(origin.chain, origin.seconds, strict=True)
    )
    return (first, second), tuple(shrinks), refinements if len(refinements) > 1 else ()


def _tasks(context: ProblemContext, blocks: Tile) -> int:
    return prod(-(-context.bounds[loop] // blocks[loop]) for loop in context.parallel)


def register_problems(search: TiledSearch, tile: Tile) -> tuple[Capacity, ...]:
    """Return what a register tile exceeds; empty if it fits."""
    found: list[Capacity] = []
    used, limit = search.registers_used(tile), search.context.machine.device.max_registers_per_thread
    if used > limit:
        found.append(Capacity(what="registers of a thread", need=used, limit=limit))
    if prod(tile) * 4 > search.max_points:
        found.append(
            Capacity(what="unrolled points of 4 reduction points", need=prod(tile) * 4, limit=search.max_points)
        )
    return tuple(found)


def block_problems(search: TiledSearch, registers: Tile, tile: Tile) -> tuple[Capacity, ...]:
    """Return what a block tile of a register tile exceeds; empty if it fits."""
    context, found = search.context, list[Capacity]()
    device = context.machine.device
    threads, most = search.threads(registers, tile), search.most_threads(registers)
    if threads > most:
        what = "threads of a task" if most == device.max_threads_per_block else "threads whose registers a unit holds"
        found.append(Capacity(what=what, need=threads, limit=most))
    points = prod(tile[loop] for loop in context.reductions) * prod(registers)
    if points > search.max_points:
        found.append(Capacity(what="unrolled points of a step", need=points, limit=search.max_points))
    for loop in context.parallel:
        if not search.is_shapely(loop, tile[loop]):
            rest = context.bounds[loop] % tile[loop]
            share = (tile[loop] - rest) / context.bounds[loop]
            found.append(Capacity(what=f"padding of d{loop} (tensor shape)", need=share, limit=_epsilon(search)))
    buffers = 2 if search.steps(tile) > 1 else 1
    need = buffers * sum(a.tile(tile)[0] * a.element_bytes for a in context.inputs)
    limit = device.max_workgroup_bytes_per_block
    if need > limit:
        what = f"workgroup memory ({buffers} buffer{'s' if buffers > 1 else ''})"
        found.append(Capacity(what=what, need=need, limit=limit, unit="B"))
    return tuple(found)


def _epsilon(search: TiledSearch) -> float:
    return next((rule.epsilon for rule in search.shape_rules), 0.0)


def _walk(
    search: TiledSearch,
    name: str,
    start: Tile,
    layer: Layer,
    end: Tile,
    enlarged: Callable[[Watch], tuple[list[Tile], list[Tile]]],
    problems: Callable[[TiledSearch, Tile], tuple[Capacity, ...]],
) -> Walk:
    """Watch the walk through a layer, and keep the way to one of its tiles."""
    parents: dict[Tile, Tile] = {}
    fits: dict[Tile, bool] = {start: layer.fits(start)}

    def watch(tile: Tile, larger: Tile, fit: bool) -> None:
        parents[larger] = tile
        fits[larger] = fit

    yielded, _ = enlarged(watch)
    way = [end]
    while way[0] in parents:
        way.insert(0, parents[way[0]])
    steps = [_step(layer, None, way[0], fits)]
    steps += [_step(layer, before, tile, fits) for before, tile in pairwise(way)]
    if end not in yielded:
        reached = "fits; taken after the tiles that the layer yields"
    elif steps[-1].saturates:
        reached = "fast enough: the layer feeds it as fast as it is computed"
    else:
        reached = "nothing larger fits"
    return Walk(
        layer=name,
        unit="elements" if name == "register" else "bytes",
        steps=tuple(steps),
        stops=tuple(_stop(search, name, layer, end, loop, fits, problems) for loop in range(len(end))),
        looked_at=len(fits),
        fitting=sum(fits.values()),
        yielded=len(yielded),
        reached=reached,
    )


def _step(layer: Layer, before: Tile | None, tile: Tile, fits: dict[Tile, bool]) -> TraceStep:
    traffic, footprint = layer.cost(tile)
    axis, score, others = None, None, list[Score]()
    if before is not None:
        moved, held = layer.cost(before)
        for larger in layer.next_tiles(before):
            grown = next(loop for loop, size in enumerate(larger) if size != before[loop])
            less, more = layer.cost(larger)
            one = reuse_score(moved - less, more - held)
            if larger == tile:
                axis, score = grown, one
            else:
                fit = fits[larger] if larger in fits else layer.fits(larger)
                others.append(Score(axis=grown, size=larger[grown], score=one, fits=fit))
    others.sort(key=lambda one: -one.score)
    return TraceStep(
        axis=axis,
        tile=tile,
        traffic=traffic,
        footprint=footprint,
        score=score,
        saturates=layer.saturates(tile),
        others=tuple(others),
    )


def _stop(
    search: TiledSearch,
    name: str,
    layer: Layer,
    end: Tile,
    loop: int,
    fits: dict[Tile, bool],
    problems: Callable[[TiledSearch, Tile], tuple[Capacity, ...]],
) -> Stop:
    larger = next((tile for tile in layer.next_tiles(end) if tile[loop] != end[loop]), None)
    if larger is None:
        return Stop(axis=loop, size=None, limits=(), why=_exhausted(search, name, end, loop))
    limits = problems(search, larger)
    if limits:
        why = f"does not fit: {'; '.join(map(str, limits))}"
    elif larger in fits:
        why = "fits, and was looked at as well: the prediction decides"
    else:
        why = "fits, but the walk's budget of tiles was spent"
    return Stop(axis=loop, size=larger[loop], limits=limits, why=why)


def _exhausted(search: TiledSearch, name: str, end: Tile, loop: int) -> str:
    context = search.context
    if name == "register":
        if context.reduction[loop]:
            return "a reduction loop is walked in steps"
        if loop not in search.grown:
            return "no data is reused along it" if not context.atom.is_matrix else "no loop of the instruction's"
        if end[loop] * search.least_threads[loop] >= context.bounds[loop]:
            return f"covers the loop of {context.bounds[loop]}"
        return f"{search.max_extent} is the largest register tile of a loop"
    if end[loop] >= context.bounds[loop]:
        return f"covers the loop of {context.bounds[loop]}"
    return "the longest aligned step" if context.reduction[loop] else "no larger aligned size"
