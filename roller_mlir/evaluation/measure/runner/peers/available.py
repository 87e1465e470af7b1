# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Others who compute an item, to be checked and timed like ours: torch, torch.compile, Triton; numpy on dry runs.

Each is made ready before anything is timed: compiled, tuned, warmed up, its output allocated where it can be given. A
peer that is missing or fails is a trouble of its own and never the end of a run.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.records import Item, Trouble
from roller_mlir.evaluation.measure.runner.expected.element_arrays import import_torch, is_torch, to_torch
from roller_mlir.evaluation.measure.runner.peers import numpy_peer, torch_peer, triton_peer
from roller_mlir.evaluation.measure.runner.peers.peer import Peer, PeerError, one_line

PEERS = ("torch", "torch.compile", "triton", "numpy")
"""Names of the peers, in the order in which they are made."""


def peers_for(item: Item, inputs: Sequence[Any], wanted: Collection[str]) -> tuple[dict[str, Peer], list[Trouble]]:
    """Return an item's peers on its inputs.

    Args:
        item: The item.
        inputs: What ours runs on: tensors of torch, numpy arrays, or the runtime's.
        wanted: Names of `PEERS`. One that has no kernel for this class of operators (Triton: all but products, sums,
            softmax and layer norm) is left out without a word.

    Returns:
        Callables by name, which queue the work on the current stream and return the output; and what went wrong. A
        library that is missing is a trouble without an item: the same for all of them.

    Raises:
        ValueError: A name is unknown.
    """
    unknown = [name for name in wanted if name not in PEERS]
    if unknown:
        raise ValueError(f"peers are {', '.join(PEERS)}, but got '{unknown[0]}'")
    found: dict[str, Peer] = {}
    troubles: list[Trouble] = []
    if not item.reference.kind:
        return found, troubles  # a function that only its own text describes
    for name in PEERS:
        if name not in wanted:
            continue
        try:
            peer = _MAKERS[name](item, inputs)
        except PeerError as error:
            troubles.append(Trouble(item="" if error.library else item.id, who=name, message=str(error)))
        except Exception as error:  # noqa: BLE001 - somebody else's library failed, which must not end the measurement
            troubles.append(Trouble(item=item.id, who=name, message=one_line(error)))
        else:
            if peer is not None:
                found[name] = peer
    return found, troubles


def _tensors(inputs: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return torch and the inputs as its tensors, where they are."""
    torch = import_torch()
    if torch is None:
        raise PeerError("torch cannot be imported", library=True)
    if not torch.cuda.is_available() and any(not isinstance(one, np.ndarray) and not is_torch(one) for one in inputs):
        raise PeerError("torch does not see the device", library=True)
    return torch, [one if is_torch(one) else to_torch(torch, one) for one in inputs]


def _on_tensors(make: Callable[[Any, Item, list[Any]], Peer | None]) -> Callable[[Item, Sequence[Any]], Peer | None]:
    def maker(item: Item, inputs: Sequence[Any]) -> Peer | None:
        torch, tensors = _tensors(inputs)
        return make(torch, item, tensors)

    return maker


_MAKERS: dict[str, Callable[[Item, Sequence[Any]], Peer | None]] = {
    "torch": _on_tensors(torch_peer.eager),
    "torch.compile": _on_tensors(torch_peer.compiled),
    "triton": _on_tensors(triton_peer.build),
    "numpy": lambda item, inputs: numpy_peer.build(item, list(inputs)),
}
