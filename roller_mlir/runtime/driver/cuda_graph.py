# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A CUDA graph of the launches of a function: its nodes run in parallel where no dependence orders them."""

from collections.abc import Callable, Sequence
from typing import Any

from roller_mlir.runtime.driver.interface import Setup


class CudaGraph:
    """Implements `interface.Graph`."""

    def __init__(self, api: Any, call: Callable[..., Any], context: Any) -> None:
        """Begin without nodes.

        Args:
            api: The bindings.
            call: Calls a function of the driver, or raises its error.
            context: Where copies run.
        """
        self._api, self._call, self._context = api, call, context
        self._graph, self._ready = call("GraphCreate", 0), None

    def add_kernel(self, setup: Setup, parameters: int, after: Sequence[Any]) -> Any:
        """Add the launch of a kernel."""
        node = self._api.CUDA_KERNEL_NODE_PARAMS()
        node.func, node.kernelParams, node.sharedMemBytes = setup.function, parameters, setup.shared_bytes
        node.gridDimX, node.gridDimY, node.gridDimZ = setup.grid
        node.blockDimX, node.blockDimY, node.blockDimZ = setup.block
        added = self._call("GraphAddKernelNode", self._graph, list(after), len(after), node)
        if setup.cooperative:
            value = self._api.CUkernelNodeAttrValue()
            value.cooperative = 1
            self._set(added, "COOPERATIVE", value)
        if setup.cluster != (1, 1, 1):
            value = self._api.CUkernelNodeAttrValue()
            extents = value.clusterDim
            extents.x, extents.y, extents.z = setup.cluster
            self._set(added, "CLUSTER_DIMENSION", value)
        return added

    def _set(self, node: Any, name: str, value: Any) -> None:
        attribute = getattr(self._api.CUkernelNodeAttrID, f"CU_LAUNCH_ATTRIBUTE_{name}")
        self._call("GraphKernelNodeSetAttribute", node, attribute, value)

    def add_copy(self, target: int, source: int, size_bytes: int, after: Sequence[Any]) -> Any:
        """Add a copy within the device."""
        copy, device = self._api.CUDA_MEMCPY3D(), self._api.CUmemorytype.CU_MEMORYTYPE_DEVICE
        copy.srcMemoryType = copy.dstMemoryType = device
        copy.srcDevice, copy.dstDevice = source, target
        copy.WidthInBytes, copy.Height, copy.Depth = size_bytes, 1, 1
        return self._call("GraphAddMemcpyNode", self._graph, list(after), len(after), copy, self._context)

    def finish(self) -> None:
        """Make it ready to be launched; no node can be added then."""
        self._ready = self._call("GraphInstantiate", self._graph, 0)

    def launch(self, stream: int) -> None:
        """Queue it."""
        self._call("GraphLaunch", self._ready, self._api.CUstream(stream))

    def free(self) -> None:
        """Give it back; what was queued of it still runs."""
        if self._ready is not None:
            self._call("GraphExecDestroy", self._ready)
        self._call("GraphDestroy", self._graph)
