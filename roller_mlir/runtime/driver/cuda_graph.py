# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A CUDA graph of the launches of a function: its nodes run in parallel where no dependence orders them.

An edge between kernels of which the second waits for the first itself is programmatic: the second may start as soon as
all blocks of the first have said so. All other edges are full ones: what they lead to starts when all before has ended.
"""

from collections.abc import Callable, Sequence
from typing import Any

from roller_mlir.runtime.driver.interface import Setup
from roller_mlir.runtime.errors import BackendError


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
        self._kernels: set[int] = set()

    def add_kernel(self, setup: Setup, parameters: int, after: Sequence[Any]) -> Any:
        """Add the launch of a kernel."""
        node = self._api.CUDA_KERNEL_NODE_PARAMS()
        node.func, node.kernelParams, node.sharedMemBytes = setup.function, parameters, setup.shared_bytes
        node.gridDimX, node.gridDimY, node.gridDimZ = setup.grid
        node.blockDimX, node.blockDimY, node.blockDimZ = setup.block
        early = [one for one in after if setup.dependent and int(one) in self._kernels]
        full = [one for one in after if not setup.dependent or int(one) not in self._kernels]
        added = self._call("GraphAddKernelNode", self._graph, full, len(full), node)
        self._kernels.add(int(added))
        if setup.cooperative:
            value = self._api.CUkernelNodeAttrValue()
            value.cooperative = 1
            self._set(added, "COOPERATIVE", value)
        if setup.cluster != (1, 1, 1):
            value = self._api.CUkernelNodeAttrValue()
            extents = value.clusterDim
            extents.x, extents.y, extents.z = setup.cluster
            self._set(added, "CLUSTER_DIMENSION", value)
        if early:
            self._add_programmatic(early, added)
        return added

    def _add_programmatic(self, before: Sequence[Any], node: Any) -> None:
        """Add edges from nodes to one that may start before their kernels have ended."""
        api = self._api
        # Bindings of CUDA 12 have the function with data of edges beside one without.
        name = "GraphAddDependencies_v2" if hasattr(api, "cuGraphAddDependencies_v2") else "GraphAddDependencies"
        edge = api.CUgraphEdgeData()
        edge.type = int(api.CUgraphDependencyType.CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)
        edge.from_port = int(api.CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC)
        count = len(before)
        try:
            self._call(name, self._graph, list(before), [node] * count, [edge] * count, count)
        except RuntimeError as error:  # the bindings' own, where the driver has no such function
            needed = "programmatic edges of graphs need a driver of CUDA 12.3 or later"
            raise BackendError(f"CUDA: {needed} ({error})") from error

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
