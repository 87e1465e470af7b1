# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A family of targets: devices that are compiled for in the same stages, by the same tools; and the known families.

A family of one's own needs no change here: a module makes its `TargetFamily` and calls `register_target`; a device file
whose vendor is the family's name is then compiled through its stages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from roller_mlir.hal import Device, DeviceError
from roller_mlir.hal.vendors import register_vendor
from roller_mlir.lowering.targets.stage import (
    COMMON,
    FUSED,
    KERNELS,
    NORMALISED,
    PERSISTENT,
    PLANNED,
    SELECT_KERNELS,
    Stage,
)
from roller_mlir.support.passes.passes import NamedPipeline, Pass, register_pipeline

if TYPE_CHECKING:
    from roller_mlir.lowering.backend.job import BuildRequest, KernelBinary
    from roller_mlir.plan.manifest import Manifest

PRESETS = {NORMALISED.made_by: {"fuse-axes": "false"}}
"""Options that pipelines set themselves: axes are fused when it is known which operations are one program."""

_RECORDS = {"records": "true"}


@dataclass(frozen=True, kw_only=True)
class Architectures:
    """Architectures of one triple.

    Attributes:
        names: Regular expression that their names match.
        triple: LLVM's name of the machine.
    """

    names: str
    triple: str


@dataclass(frozen=True, kw_only=True)
class TargetFamily:
    """One family.

    Attributes:
        name: What devices name as their vendor.
        dialect: What its pipeline ends in, for the pipeline's name and summary: "nvvm" makes `roller-to-nvvm`.
        summary: What the pipeline does, in one line.
        stages: From linalg to binaries, in order; they begin with `COMMON`.
        architectures: Those that its devices may have, of which the first that match count; empty: any, for which LLVM
            generates no code.
        tools: The fields of `Toolchain` that its stages call; `build` is given no others.
        runtime_package: The Python package that runs its binaries.
        build: Makes the binaries of a module that is at the last stage made by a pass; None: there are none to make.
        package: Makes files of the whole function, by name, each with its role, of its manifest and the binaries of its
            kernels; None: there are none.
        has_grid_barrier: Whether all blocks of a grid can wait for each other on a device.
    """

    name: str
    dialect: str
    summary: str
    stages: tuple[Stage, ...]
    architectures: tuple[Architectures, ...] = ()
    tools: tuple[str, ...] = ()
    runtime_package: str = ""
    build: Callable[[Any, Device, BuildRequest], list[KernelBinary]] | None = None
    package: Callable[[Manifest, Device, Sequence[KernelBinary]], Mapping[str, tuple[str, bytes]]] | None = None
    has_grid_barrier: Callable[[Device], bool] = lambda device: True

    def __post_init__(self) -> None:
        """Check the order of the stages: the common ones, modules, and then files."""
        names = [stage.name for stage in self.stages]
        if len(set(names)) != len(names):
            raise ValueError(f"stages must have distinct names, but '{self.name}' has {', '.join(names)}")
        kinds = [bool(stage.role) for stage in self.stages]
        if self.stages[: len(COMMON)] != COMMON or kinds != sorted(kinds):
            common = ", ".join(stage.name for stage in COMMON)
            raise ValueError(f"stages must be {common}, modules, and then files, but '{self.name}' has {names}")

    @property
    def pipeline(self) -> NamedPipeline:
        """The pipeline of `roller-opt` that runs all of its passes."""
        passes = tuple(stage.made_by for stage in self.stages if stage.made_by)
        return NamedPipeline(name=f"roller-to-{self.dialect}", summary=self.summary, passes=passes, presets=PRESETS)

    @property
    def persistent_pipeline(self) -> NamedPipeline:
        """The same with one persistent kernel for all programs of a function."""
        bounded = self.bounded_pipeline
        passes = [one for name in bounded.passes for one in (PERSISTENT if name == KERNELS.made_by else (name,))]
        return replace(
            bounded,
            name=f"{self.pipeline.name}-persistent",
            summary=f"{self.pipeline.summary}, all programs in one persistent kernel",
            passes=tuple(passes),
            presets={**bounded.presets, SELECT_KERNELS: _RECORDS, "rtile-assign-buffers": {"reuse": "false"}},
        )

    @property
    def bounded_pipeline(self) -> NamedPipeline:
        """The same with kernels as one persistent kernel has them, each for its share of the device."""
        usual = self.pipeline
        passes = [
            one for name in usual.passes for one in ((SELECT_KERNELS, name) if name == PLANNED.made_by else (name,))
        ]
        return replace(
            usual,
            name=f"{usual.name}-bounded",
            summary=f"{usual.summary}, each planned for its share of the device",
            passes=tuple(passes),
            presets={
                NORMALISED.made_by: {**PRESETS[NORMALISED.made_by], "point-loops": "true"},
                FUSED.made_by: {"horizontal-fusion": "false"},  # what is alike runs side by side
                SELECT_KERNELS: {**_RECORDS, "keep-weights": "false"},  # from launch to launch nothing stays
                PLANNED.made_by: _RECORDS,
            },
        )

    @property
    def lowering(self) -> tuple[Stage, ...]:
        """The stages behind kernels that passes make."""
        return tuple(stage for stage in self.stages[len(COMMON) :] if stage.made_by)

    @property
    def files(self) -> tuple[Stage, ...]:
        """The stages that are files of each kernel."""
        return tuple(stage for stage in self.stages if stage.role)

    def triple(self, device: Device) -> str:
        """Return LLVM's name of the machine of a device; "" where LLVM generates no code.

        Raises:
            DeviceError: Its architecture is none of the family's.
        """
        found = (one.triple for one in self.architectures if re.fullmatch(one.names, device.architecture))
        triple = next(found, None if self.architectures else "")
        if triple is None:
            known = " or ".join(f"'{one.names}'" for one in self.architectures)
            reason = f"must match {known} for vendor '{device.vendor}', but got '{device.architecture}'"
            raise DeviceError(f"device '{device.name}': its architecture {reason}")
        return triple

    def stage(self, name: str) -> Stage | None:
        """Return the stage of that name; None where it has none."""
        return next((stage for stage in self.stages if stage.name == name), None)


_families: dict[str, TargetFamily] = {}


def register_target(family: TargetFamily) -> TargetFamily:
    """Make a family, its pipeline and its devices known; return it.

    Raises:
        ValueError: The name is taken by another one.
    """
    if _families.get(family.name, family) != family:
        raise ValueError(f"target families have unique names, but '{family.name}' is registered already")
    _families[family.name] = family
    register_pipeline(family.pipeline)
    register_pipeline(family.persistent_pipeline)
    register_pipeline(family.bounded_pipeline)
    if family.build is not None:
        register_vendor(family.name)
    return family


def families() -> tuple[TargetFamily, ...]:
    """Return all families, in the order in which they were registered."""
    return tuple(_families.values())


def image_roles() -> tuple[str, ...]:
    """Return the roles of the files of kernels that drivers load."""
    return tuple(stage.role for family in families() for stage in family.files if stage.image)


def family_named(name: str) -> TargetFamily:
    """Return the family of that name, which must be known."""
    return _families[name]


def family_of(device: Device) -> TargetFamily:
    """Return the family of a device; of one for which there is no code, that of the simulator.

    Raises:
        DeviceError: The device's architecture is none of the family's.
    """
    family = _families[device.vendor if device.vendor in _families else "simulator"]
    family.triple(device)
    return family


def passes_to(
    last: Stage, options: Mapping[str, str | None], *, persistent: bool = False, bounded: bool = False
) -> list[Pass]:
    """Return the passes from linalg to one of the common stages, with the options that they have.

    Args:
        last: The stage.
        options: Texts by option; each goes to every pass that has it.
        persistent: Whether kernels are one for all programs; that stage has several passes then.
        bounded: Whether kernels are planned for their shares of the device.

    Raises:
        OptionError: No pass has one of the options, or refuses it.
    """
    from roller_mlir.support.passes.pipeline import expand_pipeline

    load_passes()
    family = family_named("simulator")
    pipeline = family.persistent_pipeline if persistent else family.bounded_pipeline if bounded else family.pipeline
    steps = expand_pipeline(pipeline.name, dict(options))
    wanted = [stage.made_by for stage in COMMON[: COMMON.index(last) + 1]]
    if (persistent or bounded) and PLANNED in COMMON[: COMMON.index(last) + 1]:
        wanted.append(SELECT_KERNELS)
    if persistent and last is KERNELS:
        wanted += PERSISTENT
    return [step for step in steps if isinstance(step, Pass) and step.name in wanted]


def load_passes() -> None:
    """Make the passes known by their names."""
    import_module("roller_mlir.passes")
