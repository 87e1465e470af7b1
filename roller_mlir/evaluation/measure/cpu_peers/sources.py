# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers that this package knows, and ours."""

from dataclasses import replace

from roller_mlir.evaluation.measure.cpu_peers.interface import PeerSource
from roller_mlir.evaluation.measure.cpu_peers.texts import CONSTANT, LAST, UNFUSED

_HERE = "roller_mlir.evaluation.measure.cpu_peers.libraries"

PEERS: dict[str, PeerSource] = {
    one.name: one
    for one in (
        PeerSource(
            name="onednn", factory=f"{_HERE}.onednn:OneDnnPeer", variants=("plain", "packed B", "any", "nhwc", "nchw")
        ),
        PeerSource(name="mkl", factory=f"{_HERE}.blas:mkl"),
        PeerSource(name="openblas", factory=f"{_HERE}.blas:openblas"),
        PeerSource(name="iree", factory=f"{_HERE}.iree:IreePeer", variants=("", LAST)),
    )
}
"""By name, in the order of the tables."""


AVX2: dict[str, PeerSource] = {
    name: replace(PEERS[name], environment=environment)
    for name, environment in (
        ("onednn", {"ONEDNN_MAX_CPU_ISA": "AVX2"}),
        ("mkl", {"MKL_ENABLE_INSTRUCTIONS": "AVX2"}),
        ("openblas", {"OPENBLAS_CORETYPE": "Haswell"}),
    )
}
"""Those that can be told to use vectors of 256 bits alone, told so; the tables say what they took."""


def openblas_of(core: str) -> PeerSource:
    """Return OpenBLAS with the kernels of another core type than the one it takes by itself ("Haswell")."""
    known = PEERS["openblas"]
    return replace(known, name=f"openblas {core}", environment={"OPENBLAS_CORETYPE": core})


def ours(target: str, on: str) -> PeerSource:
    """Return this compiler as a peer.

    Args:
        target: The device to compile for.
        on: The back end to run on.
    """
    options = {"target": target, "on": on}
    variants = ("", LAST, CONSTANT, f"{LAST} {CONSTANT}", UNFUSED, f"{LAST} {UNFUSED}")
    return PeerSource(name="ours", factory=f"{_HERE}.own:OwnPeer", variants=variants, options=options)


def handed_in(spec: str) -> PeerSource:
    """Return a peer that somebody brings.

    Args:
        spec: "NAME=MODULE:FUNCTION" or "NAME=FILE.py:FUNCTION".

    Raises:
        ValueError: It is no such text.
    """
    name, equals, factory = spec.partition("=")
    if not (name and equals and ":" in factory):
        raise ValueError(f"a peer is NAME=MODULE:FUNCTION or NAME=FILE.py:FUNCTION, but got '{spec}'")
    return PeerSource(name=name, factory=factory)
