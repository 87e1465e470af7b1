# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each fence, order and scope of a persistent kernel is needed: without it, the sanitizer finds a race."""

import re
from typing import Any

import pytest
from graph_models import MODELS
from graph_runs import GraphRun
from role_models import layers

from roller_mlir.hal import find_device
from roller_mlir.sim.diagnosis.findings import SanitizerError

NARROW = {"nvidia": ("block", "cluster"), "amd": ("workgroup", "wavefront")}
"""By vendor, scopes that other blocks are not in. The simulator's clusters are of one block."""

LOAD, ADD = (
    r"(llvm\.load [^\n]*) atomic syncscope\(\"device\"\) monotonic",
    r"(llvm\.atomicrmw [^\n]*) syncscope\(\"device\"\)",
)


def mistakes(vendor: str) -> dict[str, tuple[str, str]]:
    """Return mistakes of memory order by their names, each as a pattern and what stands in its place.

    A kernel may lack what a pattern is for: those without wgmma have no proxy fences.
    """
    found: dict[str, tuple[str, str]] = {
        "the poll is no atomic load": (LOAD, r"\1"),
        "no proxy fence": (r"nvvm\.fence\.proxy[^\n]*", ""),
    }
    for order, other in (("acquire", "release"), ("release", "acquire")):
        # What each thread releases in front of a barrier is for devices only: `test_signals` looks at their code.
        fence = rf"llvm\.fence syncscope\(\"device\"\) {order}(?!\s*gpu\.barrier)"
        found[f"no {order} fence"] = (fence, "")
        found[f"the {order} fence is one of {other}"] = (fence, f'llvm.fence syncscope("device") {other}')
        for scope in NARROW[vendor]:
            found[f"the {order} fence is of a {scope}"] = (fence, f'llvm.fence syncscope("{scope}") {order}')
    scope = NARROW[vendor][0]
    found[f"the poll is of a {scope}"] = (LOAD, rf'\1 atomic syncscope("{scope}") monotonic')
    if vendor == "amd":  # NVPTX adds for the device, whatever the scope says
        found[f"the signal is of a {scope}"] = (ADD, rf'\1 syncscope("{scope}")')
    return found


def kernel(model: str, device: str) -> tuple[GraphRun, list[Any]]:
    """Return a model as a persistent kernel, and its inputs."""
    if model != "wgmma":
        text, inputs, _, _ = MODELS[model]()
        return GraphRun(text, device, **{"block-threads": "128", "instructions": "fma"}), inputs
    text, inputs, _ = layers(256, (128, 256, 128), lowered=(1,))
    return GraphRun(
        text, device, blocks=4, instructions="wgmma,fma", **{"task-threads": "128", "fusion": "false"}
    ), inputs


UNNEEDED = {
    "wgmma": [
        "no proxy fence",
        *(["no acquire fence"] * 2),
        *(["the acquire fence is one of release"] * 2),
        *(["the acquire fence is of a block"] * 2),
        *(["the acquire fence is of a cluster"] * 2),
        *(["the poll is of a block"] * 2),
    ]
}
"""The proxy fence of the first product, which copies inputs alone; no task writes them. And the acquires of who
waits beside those that read: the warp that copies, in front of a body without copies, and those that compute, whose
tiles are copied. What they order is read by tasks behind that have no wait of their own; this schedule has none."""


@pytest.mark.full
@pytest.mark.parametrize(
    ("model", "device"),
    [
        pytest.param(model, device, marks=[pytest.mark.full] * (model != "mlp" or device != "h200"))
        for model in (*MODELS, "wgmma")
        for device in ("a100", "h200", "mi300x")
        if model != "wgmma" or device == "h200"
    ],
)
def test_each_order_is_needed(model: str, device: str) -> None:
    """Each place of a kernel with each mistake that there may be made at it: 10 and more of them."""
    graph, inputs = kernel(model, device)
    graph.run(inputs)
    tried, missed = 0, list[str]()
    for mistake, (pattern, instead) in mistakes(find_device(device).vendor).items():
        for place in re.finditer(pattern, graph.text):
            graph.change(graph.text[: place.start()] + place.expand(instead) + graph.text[place.end() :])
            tried += 1
            try:
                graph.run(inputs, seed=tried)
            except SanitizerError as error:
                assert re.search("race|fence", str(error))
            else:
                missed.append(mistake)
    assert tried >= 10
    assert missed == UNNEEDED.get(model, [])
