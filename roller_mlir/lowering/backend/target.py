# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM must be told about a device."""

from dataclasses import dataclass, replace

from roller_mlir.hal import Device

CODE_OBJECTS = (5, 6)
"""Versions of AMD's code objects that are made. Loaders know the sixth from ROCm 6.3 on; older ones say that the code
object is invalid ("User Guide for AMDGPU Backend", Code Object V5 and V6)."""
CODE_OBJECT = CODE_OBJECTS[0]

DEFAULT_TIMEOUT_S = 60.0
"""Seconds that one phase of LLVM or of a vendor's tool may take for one kernel."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """LLVM's description of a device.

    Attributes:
        vendor: whose device it is.
        triple: such as "nvptx64-nvidia-cuda".
        architecture: such as "sm_90a".
        features: such as "+ptx80".
        subgroup_size: threads that execute together.
        code_object: version of AMD's code objects, one of `CODE_OBJECTS`.
    """

    vendor: str
    triple: str
    architecture: str
    features: str
    subgroup_size: int
    code_object: int = CODE_OBJECT

    def with_ptx(self, version: str) -> "Target":
        """Return the target with at least a version of PTX."""
        known = self.features.removeprefix("+ptx")
        needed = version.replace(".", "")
        return replace(self, features=f"+ptx{max(known, needed, key=int)}")

    @staticmethod
    def of(device: Device, triple: str, code_object: int = CODE_OBJECT) -> "Target":
        """Return the target of a device, with the oldest PTX version that knows it, so that old drivers take it."""
        features = "" if device.ptx_version is None else "+ptx" + device.ptx_version.replace(".", "")
        return Target(
            vendor=device.vendor,
            triple=triple,
            architecture=device.architecture,
            features=features,
            subgroup_size=device.subgroup_size,
            code_object=code_object,
        )
