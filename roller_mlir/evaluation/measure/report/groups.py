# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures over several items: ours against each peer, predictions beside times, and the groups of a suite."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from roller_mlir.evaluation.measure.report.figures import (
    VENDOR,
    WITHIN,
    GroupFigures,
    ItemFigures,
    NamedFigure,
    PeerFigures,
    PredictionFigures,
    PublishedFigures,
)
from roller_mlir.evaluation.measure.report.items import in_order
from roller_mlir.evaluation.measure.report.statistics import geometric_mean, median, quantile, spearman

TOP1, BEST = "top-1", "best"
ALL_KINDS = "all"
_WORST = 5
_FAILED = ("wrong", "failed")


def peer_names(items: Iterable[ItemFigures]) -> list[str]:
    """Return the peers that any of the items was timed with."""
    return in_order({name for item in items for name in item.peers})


def ratio_of(item: ItemFigures, peer: str, choice: str) -> float | None:
    """Return the ratio of an item to a peer, None where it has none."""
    return (item.top1_ratio if choice == TOP1 else item.best_ratio).get(peer)


def lost(item: ItemFigures, peer: str, choice: str) -> bool:
    """Return whether an item counts against us without a ratio: ours gave no right result.

    What the vendor's library computes counts so even where the library was not timed, which a runner may leave out.
    """
    if ratio_of(item, peer, choice) is not None or not (peer in item.peers or peer == VENDOR):
        return False
    return item.state in _FAILED if choice == TOP1 else item.refused == item.candidates


def peer_figures(items: Sequence[ItemFigures], peer: str, choice: str) -> PeerFigures:
    """Return the figures against a peer.

    Args:
        items: Over which.
        peer: Its name.
        choice: `TOP1` or `BEST`.
    """
    ratios = [(item, ratio) for item in items if (ratio := ratio_of(item, peer, choice)) is not None]
    losses = [item for item in items if lost(item, peer, choice)]
    within = [item for item, ratio in ratios if ratio >= WITHIN]
    n, rows = len(ratios) + len(losses), sum(item.rows for item, _ in ratios) + sum(item.rows for item in losses)
    worst = sorted(ratios, key=lambda pair: (pair[1], pair[0].id))[:_WORST]
    values = [ratio for _, ratio in ratios]
    return PeerFigures(
        peer=peer,
        choice=choice,
        n=n,
        rows=rows,
        failed=len(losses),
        within=len(within),
        share=len(within) / n if n else None,
        rows_share=sum(item.rows for item in within) / rows if rows else None,
        geometric_mean=geometric_mean(values),
        median=median(values),
        worst=tuple(NamedFigure(id=item.id, value=ratio) for item, ratio in worst),
    )


def prediction_figures(items: Sequence[ItemFigures]) -> PredictionFigures:
    """Return the figures of predictions beside times."""
    both = [(i, i.predicted_s, i.top1_s) for i in items if i.predicted_s is not None and i.top1_s is not None]
    errors = [(item, measured / predicted) for item, predicted, measured in both]
    values = [error for _, error in errors]
    ranked = [item for item in items if item.within is not None]
    gains = [item.gain for item in items if item.gain is not None and item.timed > 1]
    won = Counter(i.best_rank for i in items if i.best_rank is not None and i.gain is not None and i.timed > 1)
    worst = sorted(errors, key=lambda pair: (-abs(log(pair[1])), pair[0].id))[:_WORST]
    return PredictionFigures(
        n=len(both),
        spearman=spearman([predicted for _, predicted, _ in both], [measured for _, _, measured in both]),
        error_p10=quantile(values, 0.1),
        error_median=median(values),
        error_p90=quantile(values, 0.9),
        within_quarter=_share(values, 1.25),
        within_twice=_share(values, 2.0),
        worst=tuple(NamedFigure(id=item.id, value=error) for item, error in worst),
        within_n=len(ranked),
        within_candidates=sum(item.timed for item in ranked),
        within_median=median([item.within for item in ranked if item.within is not None]),
        gain_n=len(gains),
        gain=geometric_mean(gains),
        won=tuple(sorted(won.items())),
    )


def _share(values: Sequence[float], factor: float) -> float | None:
    return sum(1 / factor <= value <= factor for value in values) / len(values) if values else None


def published_figures(items: Sequence[ItemFigures]) -> tuple[PublishedFigures, ...]:
    """Return published times over ours of top-1, by system."""
    names = sorted({name for item in items for name in item.published_s})
    found: list[PublishedFigures] = []
    for name in names:
        ratios = [i.published_s[name] / i.top1_s for i in items if name in i.published_s and i.top1_s is not None]
        found.append(PublishedFigures(system=name, n=len(ratios), geometric_mean=geometric_mean(ratios)))
    return tuple(found)


def group_figures(items: Sequence[ItemFigures]) -> tuple[GroupFigures, ...]:
    """Return the figures of each suite and element type, and of each class in it, in the order of the kit."""
    by_suite: dict[tuple[str, str], list[ItemFigures]] = {}
    for item in items:
        by_suite.setdefault((item.suite, item.dtype), []).append(item)
    found: list[GroupFigures] = []
    for members in by_suite.values():
        kinds: dict[str, list[ItemFigures]] = {}
        for item in members:
            kinds.setdefault(item.kind, []).append(item)
        found.append(_group(members, ALL_KINDS if len(kinds) > 1 else members[0].kind))
        if len(kinds) > 1:
            found.extend(_group(of_kind, kind) for kind, of_kind in kinds.items())
    return tuple(found)


def _group(items: Sequence[ItemFigures], kind: str) -> GroupFigures:
    states = Counter(item.state for item in items)
    peers = peer_names(items)
    return GroupFigures(
        suite=items[0].suite,
        dtype=items[0].dtype,
        kind=kind,
        items=len(items),
        rows=sum(item.rows for item in items),
        states={state: states[state] for state in ("right", "wrong", "failed", "unchecked", "missing")},
        timed=sum(item.top1_s is not None for item in items),
        peers=tuple(peer_figures(items, peer, choice) for peer in peers for choice in (TOP1, BEST)),
        prediction=prediction_figures(items),
    )
