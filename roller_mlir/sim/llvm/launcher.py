# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of an artifact at the LLVM level, for the simulator's back end."""

from collections.abc import Mapping
from functools import lru_cache

from roller_mlir.plan.manifest import Launch, Manifest
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.runtime.errors import BackendError
from roller_mlir.sim.launch import SimulatedKernels
from roller_mlir.sim.llvm.level import LlvmKernel, lower_llvm
from roller_mlir.support.foreign.bounded import BoundsError, decode


def text_of(content: bytes, file: str) -> str:
    """Return the text of a file of an artifact.

    Raises:
        BackendError: It is none.
    """
    try:
        return decode(content)
    except BoundsError as error:
        raise BackendError(f"simulator: {file}: {error}") from None


_Maps = tuple[TensorMap, ...]


@lru_cache(maxsize=16)
def _compiled(
    name: str, file: str, text: str, subgroup_size: int, maps: tuple[_Maps, _Maps]
) -> tuple[LlvmKernel, SimulatedKernels]:
    given, made = maps
    lowered = lower_llvm(name, text, subgroup_size=subgroup_size, file=file, tensor_maps=given, made_maps=made)
    return lowered, SimulatedKernels(lowered, subgroup_size)


class LlvmKernels:
    """The kernels of an artifact, each compiled when it is first launched."""

    def __init__(self, manifest: Manifest, files: Mapping[str, bytes]) -> None:
        """Take the LLVM IR of an artifact.

        Raises:
            BackendError: It holds none.
        """
        self._subgroup_size = manifest.device.subgroup_size
        self._texts: dict[str, tuple[str, str, tuple[_Maps, _Maps]]] = {}
        for kernel in manifest.kernels:
            file = kernel.files.get("llvm")
            if file is None:
                raise BackendError(
                    f"'{manifest.function}' cannot be simulated at level llvm: its artifact holds no LLVM IR of kernel "
                    f"'{kernel.name}'; compile it with llvm=True, or with binaries"
                )
            maps = kernel.tensor_maps, kernel.made_maps
            self._texts[kernel.name] = file, text_of(files[file], file), maps

    def find(self, launch: Launch) -> SimulatedKernels:
        """Return what runs a launch.

        Raises:
            BackendError: The device would not launch blocks of this size.
            DiagnosedError: The kernel holds what the simulator does not know.
        """
        file, text, maps = self._texts[launch.kernel]
        lowered, simulated = _compiled(launch.kernel, file, text, self._subgroup_size, maps)
        if refusal := lowered.refusal(launch.block):
            raise BackendError(f"simulator: kernel '{launch.kernel}' cannot be launched: {refusal}")
        return simulated
