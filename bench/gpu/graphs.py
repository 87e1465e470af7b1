# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of many small operators, each as one persistent kernel and in other ways to launch the same work."""

import linalg_models

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.hal import Device
from roller_mlir.measure.kit.contents import PackRequest, Way
from roller_mlir.measure.records import Reference
from roller_mlir.targets.family import family_of

SUITE = "persistent"
VENDOR_OF_GRAPHS = "nvidia"


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
        )
        for name, text in models.items()
    ]


def ways(device: Device) -> tuple[Way, ...]:
    """Return how a function is compiled and launched, the persistent kernel first."""
    apart = CompileOptions(reuse=False)
    barriers = CompileOptions(persistent=True, policy="wavefront", hand_over="barrier")
    found = (
        Way(name="persistent", options=CompileOptions(persistent=True)),
        Way(name="barriers", options=barriers),
        Way(name="launches", options=apart),
    )
    if device.vendor != VENDOR_OF_GRAPHS:
        return found
    line = Way(name="line", options=apart, graph=True, in_line=True)
    return (*found, line, Way(name="graph", options=apart, graph=True))
