# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a program launches a kernel, and in what that may not be as it should."""

from dataclasses import dataclass

from roller_mlir.plan.manifest import Launch


class MismatchError(Exception):
    """A program does not launch a kernel as its artifact says; the message names each difference."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How a program launches a kernel; see `plan.manifest.Launch`."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_workgroup_bytes: int
    cooperative: bool
    cluster: tuple[int, ...]

    @staticmethod
    def of(launch: Launch) -> "Shape":
        """Return how an artifact launches a kernel."""
        return Shape(
            grid=launch.static_grid,
            block=launch.block,
            dynamic_workgroup_bytes=launch.dynamic_workgroup_bytes,
            cooperative=launch.cooperative,
            cluster=launch.cluster,
        )

    def differences(self, planned: "Shape") -> list[str]:
        """Say in what this one is not as it was planned."""
        return [
            f"{name.replace('_', ' ')} is {given}, not {wanted}"
            for name, given in vars(self).items()
            if given != (wanted := getattr(planned, name))
        ]
