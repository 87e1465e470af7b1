# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Config mode: IREE forms dispatches and compiles them, with our tiles.

At IREE's phase executable-sources each dispatch is a function of linalg on tensors, fused and folded. Its root, the
only reduction in it or else its last operation, is planned with its loops in their order, and gets the first plan that
IREE's code generator can follow as its `compilation_info`. Configurations get lost on the way without a word: IREE
rewrites operations, and drops what it does not know. So its dump of what it configured is read, and a configuration
that is not in there is an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roller_mlir.downstream.iree.config.configuration import Configuration, configuration_of
from roller_mlir.downstream.iree.tools import IreeError
from roller_mlir.hal import Device
from roller_mlir.hal.atoms import FAMILIES, atom_family
from roller_mlir.lowering.linalg.group.group import GroupError, read_group
from roller_mlir.lowering.linalg.reader import is_structured, read_structured
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.search.construct import construct
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.support.foreign.bounded import BoundsError, decode, read_bytes
from roller_mlir.support.values import indexing_maps, operations_inside

CUT = "executable-sources"
"""The phase of IREE's compiler at which dispatches are configured."""
DUMP_FLAG = "--iree-hal-dump-executable-configurations-to="
"""What makes `iree-compile` write what it configured, which `check_used` reads."""
_INFO = "compilation_info"
_PLANS = 64
_MOST_BYTES = 256 << 20
# What a dispatch may hold beside its root, that is not linalg, and leaves the tiles of the root as they are.
_BESIDE = ("arith.", "math.", "tensor.", "hal.interface.", "iree_tensor_ext.dispatch.", "util.", "func.return")


@dataclass(frozen=True, kw_only=True)
class ConfiguredDispatch:
    """A dispatch, and how it is tiled.

    Attributes:
        executable: Of IREE's program.
        name: Its function.
        root: Name of the operation whose tiles decide; "" where there is none.
        configuration: Ours; None: IREE's own.
        seconds: What our model predicts of the root with it; None likewise.
        reason: Why it is IREE's; "" where it is ours.
        maps: How the root reads and writes its operands, as IREE spells affine maps; where the tiles are ours.
        elements: Element types of its operands, likewise.
        extents: Points of its loops, likewise.
    """

    executable: str
    name: str
    root: str = ""
    configuration: Configuration | None = None
    seconds: float | None = None
    reason: str = ""
    maps: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    extents: tuple[int, ...] = ()


def configure(
    module: ir.Module, device: Device, driver: str, options: ConstructOptions | None = None
) -> list[ConfiguredDispatch]:
    """Give the dispatches of a program our tiles.

    Args:
        module: At the phase `CUT`, in a context that allows dialects it does not know; changed in place.
        device: What it is for.
        driver: IREE's driver of the device.
        options: What plans may be.

    Returns:
        All dispatches, in the order of the program.
    """
    found: list[ConfiguredDispatch] = []
    for executable in (one for one in operations_inside(module.operation) if one.name == "hal.executable"):
        for function in (one for one in operations_inside(executable) if one.name == "func.func"):
            if not function.regions[0].blocks:
                continue
            names = [ir.StringAttr(one.attributes["sym_name"]).value for one in (executable, function)]
            root = None
            try:
                root = _root(function)
                configuration, seconds = _configured(root, device, driver, options or ConstructOptions())
            except (IreeError, GroupError, ConstructionError, DiagnosedError) as error:
                reason = error.diagnostics[0].message if isinstance(error, DiagnosedError) else str(error)
                name = "" if root is None else root.name
                found.append(ConfiguredDispatch(executable=names[0], name=names[1], root=name, reason=reason))
                continue
            root.attributes[_INFO] = ir.Attribute.parse(configuration.compilation_info)
            found.append(
                ConfiguredDispatch(
                    executable=names[0],
                    name=names[1],
                    root=root.name,
                    configuration=configuration,
                    seconds=seconds,
                    maps=tuple(map(str, indexing_maps(root))),
                    elements=tuple(_element(one.type) for one in root.operands),
                    extents=tuple(loop.extent.static for loop in read_structured(root).expression.loops),
                )
            )
    return found


def forget(module: ir.Module) -> None:
    """Take from the operations of a program what `configure` has given them."""
    for one in operations_inside(module.operation):
        if _INFO in one.attributes:
            del one.attributes[_INFO]


def _element(kind: Any) -> str:
    return str(kind.element_type if isinstance(kind, ir.ShapedType) else kind)


def _root(function: ir.Operation) -> ir.Operation:
    """Return the operation of a dispatch whose tiles decide those of the others."""
    inside = [op.operation for op in function.regions[0].blocks[0].operations]
    for op in inside:
        if not is_structured(op) and not op.name.startswith(_BESIDE):
            raise IreeError(f"it holds '{op.name}'")
    computing = [op for op in inside if is_structured(op) and op.name != "linalg.fill"]
    if not computing:
        raise IreeError("it computes nothing")
    reducing = [op for op in computing if any(loop.reduction for loop in read_structured(op).expression.loops)]
    if len(reducing) > 1:
        raise IreeError(f"it holds {len(reducing)} reductions")
    return reducing[0] if reducing else computing[-1]


def _configured(
    root: ir.Operation, device: Device, driver: str, options: ConstructOptions
) -> tuple[Configuration, float | None]:
    """Return the first of the plans of an operation that IREE can follow, and its predicted time."""
    group = read_group([root], list(root.results))
    if group.expression.combiner and not group.expression.fused_multiply_add:
        raise IreeError("it reduces without a product, which IREE shares out over threads and TileAndFuse does not")
    inputs = [places[0][1] for places in group.inputs]
    # Those whose factors come from registers, as IREE's do.
    families = tuple(one for one in options.instructions or FAMILIES if not atom_family(one).reads_memory)
    if not families:
        raise IreeError(f"IREE has no configuration for instructions of {', '.join(options.instructions)}")
    fitting = replace(options, split=False, instructions=families, top_k=_PLANS)
    refusals: list[str] = []
    for plan in construct(group.expression, device, fitting):
        try:
            found = configuration_of(group.expression, plan, device, driver, inputs)
        except IreeError as error:
            refusals.append(str(error))
            continue
        return found, plan.prediction.seconds if plan.prediction else None
    raise IreeError(f"none of its {len(refusals)} best plans is one that IREE can follow: {refusals[0]}")


def check_used(dispatches: Sequence[ConfiguredDispatch], dumps: Path) -> None:
    """Check that IREE has used each configuration.

    Args:
        dispatches: Those of a program.
        dumps: What `iree-compile` wrote with `DUMP_FLAG`.

    Raises:
        IreeError: One is lost, or a file of the folder cannot be read.
    """
    configured = [(one, one.configuration) for one in dispatches if one.configuration is not None]
    lost = [(one.name, wanted) for one, wanted in configured if not _is_used(one, wanted, dumps)]
    if lost:
        first = lost[0][1]
        raise IreeError(
            f"IREE has lost the configuration of {', '.join(name for name, _ in lost)}: nothing that it compiled has "
            f"{first.lowering_config} and {first.threads} threads; compile in mode dispatch or graph"
        )


def _is_used(dispatch: ConfiguredDispatch, wanted: Configuration, folder: Path) -> bool:
    """Return whether the function of a dispatch has our threads, and an operation in it our tiles."""
    for file in sorted(folder.glob(f"configured_*_{dispatch.executable}.mlir")):
        try:
            text = decode(read_bytes(file, _MOST_BYTES))
        except (OSError, BoundsError) as error:
            raise IreeError(f"{file} cannot be read: {error}") from None
        _, _, function = _expanded(text).partition(f"func.func @{dispatch.name}(")
        head, _, body = function.partition("func.func @")[0].partition("\n")
        if f"translation_info = {wanted.translation_info}" in head and wanted.lowering_config in body:
            return True
    return False


def _expanded(text: str) -> str:
    """Return a module's text with each of its aliases written out where it is used."""
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", text, re.MULTILINE))
    return re.sub(r"#\w+\b", lambda one: aliases.get(one[0], one[0]), text)
