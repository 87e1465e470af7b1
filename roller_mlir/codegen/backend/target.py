# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM must be told about a device."""

from __future__ import annotations

from dataclasses import dataclass

from roller_mlir.hal import Device

_TRIPLES = {"nvidia": "nvptx64-nvidia-cuda", "amd": "amdgcn-amd-amdhsa"}


@dataclass(frozen=True, kw_only=True)
class Target:
    """LLVM's description of a device.

    Attributes:
        vendor: "nvidia" or "amd".
        triple: such as "nvptx64-nvidia-cuda".
        architecture: such as "sm_90a".
        features: such as "+ptx80".
        subgroup_size: threads that execute together.
    """

    vendor: str
    triple: str
    architecture: str
    features: str
    subgroup_size: int

    @staticmethod
    def of(device: Device) -> Target:
        """Gives the target of a device, with the oldest PTX version that knows it, so that old drivers take it."""
        features = "" if device.ptx_version is None else "+ptx" + device.ptx_version.replace(".", "")
        return Target(
            vendor=device.vendor,
            triple=_TRIPLES[device.vendor],
            architecture=device.architecture,
            features=features,
            subgroup_size=device.subgroup_size,
        )
