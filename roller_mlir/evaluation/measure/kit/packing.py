# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes into a kit while it is compiled: candidates in the order of their ranks, while there is time and room."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.evaluation.measure.kit.contents import PackRequest
from roller_mlir.evaluation.measure.kit.files import KitError
from roller_mlir.evaluation.measure.kit.pack_work import Answer, CompiledVariant, PackJob, Refused, Variant, Variants
from roller_mlir.evaluation.measure.kit.writer import KitWriter, index_bytes, stripped
from roller_mlir.evaluation.measure.records import Item, ItemCandidate, Kit, Probe, Skipped
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.support.jobs.jobs import Jobs, in_order
from roller_mlir.support.progress import progress


@dataclass(frozen=True, kw_only=True)
class PackOptions:
    """How to pack.

    Attributes:
        jobs: Jobs at a time; None for as many as a Ray cluster has processors.
        ray: Address of a Ray cluster, see `support.jobs.jobs`; None for processes of this machine.
        simulator: Whether it is a kit for dry runs: kernels' IR instead of binaries, and the functions' MLIR.
        binaries: Whether a kit for dry runs has the binaries too, for runs in which a driver refuses them.
        time_limit_s: When to stop adding candidates, the first of each function apart; None for no limit.
        max_bytes: What the kit may have; None for no limit.
        command: How it was packed, for the index.
    """

    jobs: int | None = 2
    ray: str | None = None
    simulator: bool = False
    binaries: bool = False
    time_limit_s: float | None = None
    max_bytes: int | None = None
    command: str = ""

    def __post_init__(self) -> None:
        """Check each value by itself."""
        for name, value in (("jobs", self.jobs), ("time_limit_s", self.time_limit_s), ("max_bytes", self.max_bytes)):
            if value is not None and value <= 0:
                raise ValueError(f"{name} must be above 0, but got {value}")


@dataclass
class _PackedFunction:
    """A function while its candidates come in."""

    request: PackRequest
    variants: Variants
    same_as: list[str]
    candidates: list[ItemCandidate]
    refusals: list[Skipped]
    least_bytes: int = 0
    flops: int = 0

    def stands_for(self, rank: int) -> list[int]:
        """Return the variants, by rank, that are compiled as this one is: itself, and others ways to launch it."""
        one = self.variants.variants[rank]
        return [
            other
            for other, its in enumerate(self.variants.variants)
            if other == rank or (one.way and its.options == one.options)
        ]


class Packing:
    """What goes into a kit, while it is compiled."""

    def __init__(
        self, writer: KitWriter, target: str, options: PackOptions, *, started_s: float, more_bytes: int
    ) -> None:
        """Begin.

        Args:
            writer: Of the kit.
            target: A device's name, or the path of its description.
            options: How to pack.
            started_s: When the packing began, by `time.monotonic`.
            more_bytes: Of the files that lie beside archive and index.
        """
        self._writer, self._target, self._options = writer, target, options
        self._started_s, self._index_bytes = started_s, more_bytes
        self._probes: list[Probe] = []
        self._skipped: list[Skipped] = []
        self._stopped, self._full = "", False

    def add_probes(self, probes: Iterable[tuple[Probe, Artifact]]) -> None:
        """Add micro-benchmarks; those that share an artifact's name share the artifact."""
        added: set[str] = set()
        for probe, artifact in probes:
            if probe.artifact not in added:
                self._writer.add(probe.artifact, stripped(artifact, simulator=self._options.simulator))
                added.add(probe.artifact)
            self._probes.append(probe)
            self._index_bytes += json_bytes(probe)

    def pack(self, kit: Kit, request: Sequence[PackRequest], workers: Jobs[Answer]) -> Kit:
        """Compile and add what is wanted; return the index.

        Raises:
            KitError: There is no room for any candidate.
        """
        self._index_bytes += len(index_bytes(kit))
        limit = self._options.max_bytes
        if limit is not None and self._size_bytes > limit:
            raise KitError(
                f"cannot pack: a kit may have {limit} B, but without any candidate this one comes to "
                f"{self._size_bytes} B; allow more"
            )
        functions = self._functions(request, workers)
        order = sorted(
            ((rank, number) for number, function in enumerate(functions) for rank in _compiled_ranks(function)),
            key=lambda one: (_worth(functions[one[1]], one[0]), one[1], one[0]),
        )
        with progress(len(order), "compile") as step:
            for (rank, number), answer in zip(order, in_order(workers.run(self._jobs(order, functions))), strict=False):
                step(failed=isinstance(answer, Refused))
                if not self._full:
                    self._take(functions[number], rank, answer)
        items: list[Item] = []
        for function in functions:
            if function.candidates:
                self._skipped += function.refusals
                items.append(_item(function))
            else:
                reason = function.refusals[0].reason if function.refusals else "no candidate"
                self._skipped.append(Skipped(id=function.request.id, reason=reason))
        if self._stopped:
            self._skipped.append(Skipped(id="candidates", reason=self._stopped))
        skipped = (*kit.skipped, *self._skipped)
        return replace(kit, items=tuple(items), probes=tuple(self._probes), skipped=skipped)

    def _functions(self, request: Sequence[PackRequest], workers: Jobs[Answer]) -> list[_PackedFunction]:
        """Return the functions and their ways; those that are the same kernel as an earlier one stand with it."""
        jobs = [self._job(one, None) for one in request]
        found: list[_PackedFunction] = []
        known: dict[tuple[str, str], _PackedFunction] = {}
        with progress(len(request), "plan") as step:
            for one, answer in zip(request, in_order(workers.run(enumerate(jobs))), strict=True):
                step(failed=isinstance(answer, Refused))
                if not isinstance(answer, Variants):
                    assert isinstance(answer, Refused)
                    self._skipped.append(Skipped(id=one.id, reason=answer.reason))
                    continue
                kernel = answer.key, _computed(one)
                same = known.get(kernel) if answer.key else None
                if same is not None:
                    same.same_as += [_row(one) if one.suite == same.request.suite else one.id, *one.same_as]
                    continue
                function = _PackedFunction(one, answer, list(one.same_as), [], [])
                found.append(function)
                known[kernel] = function
                if self._options.simulator:
                    self._writer.add_source(one.id, one.text)
        return found

    def _jobs(
        self, order: Sequence[tuple[int, int]], functions: Sequence[_PackedFunction]
    ) -> Iterator[tuple[int, PackJob]]:
        """Yield what is to be compiled, until there is no time or no room; first candidates in any case."""
        for key, (rank, number) in enumerate(order):
            function = functions[number]
            limit, spent = self._options.time_limit_s, time.monotonic() - self._started_s
            if _worth(function, rank) and limit is not None and spent > limit:
                self._stop(rank, function, f"the time limit of {limit:g} s")
            if self._stopped:
                return  # what is being compiled is still taken
            yield key, self._job(function.request, function.variants.variants[rank])

    def _job(self, request: PackRequest, variant: Variant | None) -> PackJob:
        return PackJob(
            request=request,
            target=self._target,
            simulator=self._options.simulator,
            binaries=self._options.binaries,
            variant=variant,
        )

    def _stop(self, rank: int, function: _PackedFunction, reason: str) -> None:
        self._stopped = f"those of rank {rank} from {function.request.id} on, and all of higher rank, for {reason}"

    def _take(self, function: _PackedFunction, rank: int, answer: Answer) -> None:
        """Add a candidate, if there is room."""
        one = function.request.id
        ranks = function.stands_for(rank)
        if not isinstance(answer, CompiledVariant):
            assert isinstance(answer, Refused)
            function.refusals += [Skipped(id=f"{one}/{same}", reason=answer.reason) for same in ranks]
            return
        candidates = [_candidate(function, answer, rank, same) for same in ranks]
        grown = sum(map(json_bytes, candidates)) + (0 if function.candidates else json_bytes(_item(function)))
        limit = self._options.max_bytes
        if limit is not None and self._size_bytes + grown + artifact_bytes(answer.artifact) > limit:
            if _worth(function, rank):
                self._stop(rank, function, f"the size limit of {limit} B")
                self._full = True
            else:
                reason = f"the kit may have {limit} B, and has no room for it"
                function.refusals += [Skipped(id=f"{one}/{same}", reason=reason) for same in ranks]
            return
        if not function.candidates:
            function.least_bytes = _least_bytes(answer.artifact)
        function.flops = max(function.flops, answer.flops)
        self._writer.add(candidates[0].artifact, answer.artifact)
        self._index_bytes += grown
        function.candidates += candidates

    @property
    def _size_bytes(self) -> int:
        """Bytes of the kit so far."""
        return self._writer.size_bytes + self._index_bytes


def _compiled_ranks(function: _PackedFunction) -> list[int]:
    """Return the ranks that are compiled: of those that differ in how they are launched alone the first."""
    ranks = range(len(function.variants.variants))
    return [rank for rank in ranks if function.stands_for(rank)[0] == rank]


def _worth(function: _PackedFunction, rank: int) -> int:
    """Return which candidates come first, and are in any case: those of worth 0, first ones and all ways to launch."""
    return 0 if function.variants.variants[rank].way else rank


def _candidate(function: _PackedFunction, answer: CompiledVariant, compiled: int, rank: int) -> ItemCandidate:
    """Return the candidate of a rank, which is launched from what was compiled for itself or for one before."""
    variant = function.variants.variants[rank]
    return ItemCandidate(
        rank=rank,
        artifact=f"{function.request.id}/{compiled}",
        predicted_s=answer.predicted_s,
        saturated=answer.saturated,
        plans=answer.plans if rank == compiled else {},
        family=answer.family,
        way=variant.way,
        graph=variant.graph,
        in_line=variant.in_line,
    )


def json_bytes(record: Any) -> int:
    """Return how many bytes a record takes in an index."""
    return len(json.dumps(to_json(record), separators=(",", ":"))) + 2


def artifact_bytes(artifact: Artifact) -> int:
    """Return how many bytes an artifact takes in an archive at most."""
    return sum(map(len, artifact.files.values())) + json_bytes(artifact.manifest) + 512 * (len(artifact.files) + 1)


def _least_bytes(artifact: Artifact) -> int:
    return sum(buffer.size_bytes for buffer in artifact.manifest.buffers if buffer.role in ("input", "output"))


def _computed(request: PackRequest) -> str:
    """Return what tells functions of one key apart, for which planning is the same: a sine and a square root, say."""
    return " ".join((request.reference.kind, request.reference.name)) if request.reference.kind else request.text


def _row(request: PackRequest) -> str:
    """Return the id of a row in its suite ("C41" of "roller119/C41/f32")."""
    return request.id.removeprefix(f"{request.suite}/").rpartition("/")[0] or request.id


def _item(function: _PackedFunction) -> Item:
    request, ways = function.request, function.variants.variants
    return Item(
        id=request.id,
        suite=request.suite,
        title=request.title,
        key=function.variants.key,
        reference=request.reference,
        flops=function.variants.flops or function.flops,
        least_bytes=function.least_bytes,
        published_s=request.published_s,
        same_as=tuple(function.same_as),
        fill=request.fill,
        base=next((rank for rank, one in enumerate(ways) if one.way and one.way == request.base), None),
        candidates=tuple(sorted(function.candidates, key=lambda one: one.rank)),
    )
