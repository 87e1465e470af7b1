# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of a report: of one item, against one peer, of predictions, of a group.

A ratio is a peer's time over ours: 2 means that ours takes half as long. "Within 10 %" means a ratio of at least 1/1.1.
Every figure stands beside the number of kernels that it is of. None stands for a figure of nothing.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

WITHIN = 1 / 1.1
"""The least ratio that is within 10 %: ours takes at most 1.1 times as long as the peer."""

VENDOR = "torch"
"""The peer that calls the vendor's library: cuBLAS and cuDNN, or rocBLAS and MIOpen."""

State: TypeAlias = Literal["right", "wrong", "failed", "unchecked", "missing"]


@dataclass(frozen=True, kw_only=True)
class ItemFigures:
    """One item.

    Attributes:
        id: Of the item.
        suite: Where it is from.
        title: What a reader knows it by.
        dtype: Element type of the inputs, "" where none is known.
        kind: Its class, "other" where none is known.
        rows: Rows of suites that it stands for, itself included.
        same_as: The others: "C41" in its own suite, an id elsewhere.
        top1_rank: Rank of its first candidate, "top-1": 0 unless that could not be packed.
        state: Of the first candidate: "right", "wrong" (compared, and not equal), "failed" (no result), "unchecked",
            "missing" (neither checked nor timed).
        predicted_s: The model's word on the first candidate.
        saturated: What limits it, as the model sees it.
        top1_s: Median time of the first candidate; None unless timed and not wrong.
        warm_s: Median time of it right after itself: what it reads may be in the caches, and nothing is written back
            for the clearing of them. With cleared caches both are part of `top1_s`, on short kernels much of it.
        warm_ratio: By peer, its time with warm caches over that of the first candidate.
        p10_s: Tenth percentile of it.
        p90_s: Ninetieth percentile.
        candidates: How many there are.
        timed: How many were timed and are not wrong.
        refused: How many were tried and gave no right result.
        best_rank: The fastest of them.
        gain: Time of the first candidate over that of the fastest, both of the same rounds: of those after it was
            chosen, in which it may turn out below 1, where there are such.
        best_s: Time of the fastest: `top1_s` over `gain`, or its own median where the first one has no time.
        within: Spearman's correlation of prediction and time over its candidates.
        peers: Median time by peer, of those that were right.
        top1_ratio: By peer, its time over that of the first candidate.
        best_ratio: By peer, its time over that of the fastest candidate.
        flops_per_s: Arithmetic of the first candidate.
        bytes_per_s: Bytes of inputs and outputs, each once, over the time of the first candidate.
        published_s: Published times by system.
    """

    id: str
    suite: str
    title: str
    dtype: str
    kind: str
    rows: int
    same_as: tuple[str, ...]
    top1_rank: int
    state: State
    predicted_s: float | None
    saturated: str
    top1_s: float | None
    warm_s: float | None
    warm_ratio: dict[str, float] = field(default_factory=dict[str, float])
    p10_s: float | None
    p90_s: float | None
    candidates: int
    timed: int
    refused: int
    best_rank: int | None
    gain: float | None
    best_s: float | None
    within: float | None
    peers: dict[str, float] = field(default_factory=dict[str, float])
    top1_ratio: dict[str, float] = field(default_factory=dict[str, float])
    best_ratio: dict[str, float] = field(default_factory=dict[str, float])
    flops_per_s: float | None
    bytes_per_s: float | None
    published_s: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, kw_only=True)
class NamedFigure:
    """A figure of one item."""

    id: str
    value: float


@dataclass(frozen=True, kw_only=True)
class PeerFigures:
    """Ours against one peer, over the items that the peer has a right time of and that ours was tried at.

    Attributes:
        peer: Its name.
        choice: "top-1" (the first candidate, nothing measured) or "best" (the fastest candidate).
        n: How many items, each once.
        rows: How many rows of suites they stand for.
        failed: Of the n, those of which ours has no right time. They are not within, and in no mean.
        within: Of the n, those within 10 % of the peer or faster.
        share: `within` over n.
        rows_share: The same over rows.
        geometric_mean: Of the ratio.
        median: Of the ratio.
        worst: The five smallest ratios.
    """

    peer: str
    choice: str
    n: int
    rows: int
    failed: int
    within: int
    share: float | None
    rows_share: float | None
    geometric_mean: float | None
    median: float | None
    worst: tuple[NamedFigure, ...]


@dataclass(frozen=True, kw_only=True)
class PredictionFigures:
    """Predictions beside times.

    Attributes:
        n: Items whose first candidate has a prediction and a right time.
        spearman: Rank correlation over them.
        error_p10: Tenth percentile of measured over predicted.
        error_median: Median of it.
        error_p90: Ninetieth percentile.
        within_quarter: Share of times between 1/1.25 and 1.25 of the prediction.
        within_twice: Share of times between half and twice the prediction.
        worst: The five whose time is furthest from the prediction: measured over predicted.
        within_n: Items with at least three candidates that have both, not all equal.
        within_candidates: Candidates of those items.
        within_median: Median over those items of the rank correlation among their candidates.
        gain_n: Items with a gain: the first candidate and another one were timed in one round.
        gain: Geometric mean of the gain.
        won: How often each rank was the fastest: pairs of rank and number.
    """

    n: int
    spearman: float | None
    error_p10: float | None
    error_median: float | None
    error_p90: float | None
    within_quarter: float | None
    within_twice: float | None
    worst: tuple[NamedFigure, ...]
    within_n: int
    within_candidates: int
    within_median: float | None
    gain_n: int
    gain: float | None
    won: tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True)
class PublishedFigures:
    """Times that others published, over ours of top-1. Their machine is not this one.

    Attributes:
        system: Whose.
        n: Items with both times.
        geometric_mean: Of the published time over ours.
    """

    system: str
    n: int
    geometric_mean: float | None


@dataclass(frozen=True, kw_only=True)
class GroupFigures:
    """The items of one suite, element type and class; the class "all" sums up the classes.

    Attributes:
        suite: Where they are from.
        dtype: Element type of their inputs.
        kind: Their class.
        items: How many.
        rows: Rows of the suite that they stand for.
        states: How many first candidates are in each state.
        timed: How many first candidates have a right time.
        peers: Per peer and choice.
        prediction: Predictions beside times.
    """

    suite: str
    dtype: str
    kind: str
    items: int
    rows: int
    states: dict[str, int]
    timed: int
    peers: tuple[PeerFigures, ...]
    prediction: PredictionFigures
