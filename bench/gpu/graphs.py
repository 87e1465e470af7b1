# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of many operators, each as one persistent kernel and in other ways to launch the same work."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import linalg_models

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.evaluation.measure.kit.contents import PackRequest, Way
from roller_mlir.evaluation.measure.records import Reference, Skipped
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.models import RAMMER6, make_model
from roller_mlir.hal import Device
from roller_mlir.lowering.targets.family import family_of
from roller_mlir.tools.console.arguments import patterns, positive

SUITE, MODELS = "persistent", "models"
VENDOR_OF_GRAPHS = "nvidia"
AHEAD = ("ahead", "bounded-ahead")
"""Graphs whose kernels may start before those that they need have ended: as planned alone, and for their shares."""
BASE = "launches"
"""The way whose results the others must have, where nobody else computes a function: one operator after the other."""
MODEL_LIMIT_S = 3600.0
"""Seconds for each way to compile a model: thousands of operators take minutes."""


def of_graphs(device: Device, *, small: bool = False) -> list[PackRequest]:
    """Return four branches with a join, an LSTM of 4 steps and 3 layers, and an attention block.

    There are none where blocks cannot wait for each other.

    Args:
        device: What the kit is for.
        small: Whether they are so small that the simulator runs each in a moment.
    """
    if not family_of(device).has_grid_barrier(device):
        return []
    models = {
        "branches": linalg_models.branches(8, 16, (8, 16, 24, 40), 8)
        if small
        else linalg_models.branches(64, 256, (64, 128, 192, 320), 256),
        "lstm": linalg_models.lstm(2, 2, 1, 8) if small else linalg_models.lstm(4, 3, 4, 256),
        "attention": linalg_models.attention(8, 16) if small else linalg_models.attention(128, 256),
    }
    return [
        PackRequest(
            id=f"{SUITE}/{name}",
            suite=SUITE,
            title=f"{name} of small operators, f32",
            text=text,
            reference=Reference(kind="example", name=name, dtype="f32"),
            ways=ways(device),
            base=BASE,
        )
        for name, text in models.items()
    ]


def of_models(device: Device, wanted: Sequence[str], scale: int = 1) -> list[PackRequest]:
    """Return whole models at batch 1, whose weights are arguments that the runner makes.

    Their kernels are of families of their own, so that a fault in one model does not cost another. There are none where
    blocks cannot wait for each other.

    Args:
        device: What the kit is for.
        wanted: Their names, or patterns of these; none for none.
        scale: What their sizes are divided by; 1 for what is published.

    Raises:
        SuiteError: A pattern names none.
    """
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in RAMMER6):
            raise SuiteError(f"no model is '{pattern}'; give names, or patterns of them: {', '.join(RAMMER6)}")
    if not family_of(device).has_grid_barrier(device):
        return []
    names = [name for name in RAMMER6 if any(fnmatchcase(name, one) for one in wanted)]
    models = [make_model(name, scale=scale) for name in names]
    return [
        PackRequest(
            id=f"{MODELS}/{model.name}",
            suite=MODELS,
            title=f"{model.name}, batch 1, f32" + (f", scaled by 1/{scale}" if scale > 1 else ""),
            text=model.text(None),
            reference=Reference(dtype="f32"),
            ways=ways(device),
            base=BASE,
            fill=tuple(f"normal {deviation!r} {mean!r}" for deviation, mean in model.spreads),
            family=model.name,
            limit_s=MODEL_LIMIT_S,
        )
        for model in models
    ]


def add_model_options(parser: argparse.ArgumentParser, models: tuple[str, ...], scale: int) -> None:
    """Add the options that say which models there are, and how large, with these defaults."""
    known, default = ", ".join(RAMMER6), ", ".join(models) or "none"
    parser.add_argument(
        "--models", type=patterns, default=models, metavar="NAME,...", help=f"of {known}, or patterns ({default})"
    )
    parser.add_argument(
        "--scale", type=positive, default=scale, metavar="K", help=f"divide the sizes of models ({scale})"
    )


def ways(device: Device) -> tuple[Way, ...]:
    """Return how a function is compiled and launched, the persistent kernel first."""
    apart = CompileOptions(reuse=False)
    front = CompileOptions(persistent=True, sink_waits=False)
    barriers = replace(front, policy="wavefront", hand_over="barrier")
    usual = CompileOptions(persistent=True)
    found = (
        Way(name="persistent", options=usual),
        Way(name="fastest", options=replace(usual, select_kernels=False)),
        Way(name="none-kept", options=replace(usual, keep_weights=False)),
        Way(name="front", options=front),
        Way(name="barriers", options=barriers),
        Way(name=BASE, options=apart),
    )
    if device.vendor != VENDOR_OF_GRAPHS:
        return found
    bounded = replace(apart, bounded=True)
    graphs = (
        Way(name="line", options=apart, graph=True, in_line=True),
        Way(name="graph", options=apart, graph=True),
        Way(name="bounded", options=bounded, graph=True),
    )
    if "dependent_launch" not in device.features:
        return found + graphs
    ahead = (
        Way(name=name, options=replace(options, dependent_launch=True), graph=True)
        for name, options in zip(AHEAD, (apart, bounded), strict=True)
    )
    return (*found, *graphs, *ahead)


def missing_ways(device: Device, functions: Sequence[PackRequest]) -> tuple[Skipped, ...]:
    """Return the ways that functions have on other devices and not on this one, and why.

    Args:
        device: What the kit is for.
        functions: What it holds.
    """
    missing: dict[str, str] = {}
    if device.vendor != VENDOR_OF_GRAPHS:
        missing = dict.fromkeys(("line", "graph", "bounded", *AHEAD), "graphs of launches are made of CUDA's only")
    elif "dependent_launch" not in device.features:
        missing = dict.fromkeys(AHEAD, f"{device.name} has no programmatic dependent launches")
    asked = [one for one in functions if one.suite in (SUITE, MODELS)]
    return tuple(Skipped(id=f"{one.id}/{way}", reason=reason) for one in asked for way, reason in missing.items())
