# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bits of an array at a moment, to see later whether they are the same; on the device where torch is there."""

from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.runner.devices import Bench
from roller_mlir.evaluation.measure.runner.expected.element_arrays import import_torch, to_torch
from roller_mlir.runtime.driver.memory import DeviceArray


class Snapshot:
    """A copy of an array's bytes."""

    def __init__(self, bench: Bench, array: Any) -> None:
        """Copy them.

        Args:
            bench: Where the array is.
            array: Of torch, of numpy or of the runtime.
        """
        self._bench = bench
        self._copy: Any = _bytes(bench, array).clone() if _on_device(bench) else np.array(bench.host(array))

    def same(self, array: Any) -> bool:
        """Return whether an array has the same bits."""
        given = _bytes(self._bench, array)
        if isinstance(self._copy, np.ndarray):
            return np.array_equal(self._copy, given)
        torch = import_torch()
        assert torch is not None
        return bool(torch.equal(self._copy, given))


def readable(bench: Bench, array: Any) -> Any:
    """Return an array as others read it: on the device where torch is there, else on the host.

    Args:
        bench: Where it is.
        array: Of the runtime, of torch or of numpy.
    """
    return array.numpy() if isinstance(array, DeviceArray) and not _on_device(bench) else array


def _on_device(bench: Bench) -> bool:
    torch = import_torch() if bench.driver is not None else None
    return torch is not None and bool(torch.cuda.is_available())


def _bytes(bench: Bench, array: Any) -> Any:
    if not _on_device(bench):
        return bench.host(array)
    torch = import_torch()
    assert torch is not None
    tensor = to_torch(torch, array)
    return tensor.reshape(-1).view(torch.uint8)
