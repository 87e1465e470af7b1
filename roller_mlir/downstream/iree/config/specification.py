# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our tiles as a file that plain `iree-compile` takes: a matcher for each contraction, and the configuration it gets.

IREE's compilers read such a file by different flags. That for AMD reads `--iree-codegen-tuning-spec-path`, which that
for NVIDIA ignores without a word; it reads `--iree-codegen-transform-dialect-library`. The file is the same.
"""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.downstream.iree.compiler import F64_TO_F32
from roller_mlir.downstream.iree.config.configure import (
    CUT,
    DUMP_FLAG,
    ConfiguredDispatch,
    check_used,
    configure,
    forget,
)
from roller_mlir.downstream.iree.model import Mode, compile_model
from roller_mlir.downstream.iree.parts import Part, PartCompiler
from roller_mlir.downstream.iree.program import driver_of
from roller_mlir.downstream.iree.report import Line
from roller_mlir.downstream.iree.targets import DRIVERS
from roller_mlir.downstream.iree.tools import LIMIT_S, IreeError
from roller_mlir.hal import find_device
from roller_mlir.model.options import ConstructOptions
from roller_mlir.support.bindings import ir

_OP, _PARAM, _SIZES = "!transform.any_op", "!transform.any_param", "!transform.param<i64>"
_GROUPS = ("batch", "m", "n", "k")


@dataclass(frozen=True, kw_only=True)
class Specification:
    """A specification, which IREE has followed.

    Attributes:
        text: The file.
        flag: By which `iree-compile` reads it, up to the file's name.
        dispatches: Those of the model; a reason says why one is not in it.
    """

    text: str
    flag: str
    dispatches: tuple[ConfiguredDispatch, ...]


def specify(
    source: Source, target: str, options: CompileOptions, *, flags: Sequence[str] = (), timeout_s: float = LIMIT_S
) -> Specification:
    """Return a specification of our tiles for a model, after IREE has compiled the model by it.

    Args:
        source: The model, as linalg on tensors.
        target: A device.
        options: What plans may be.
        flags: Of `iree-compile`; what forms other dispatches asks for another specification.
        timeout_s: What each run of IREE's compiler may take.

    Raises:
        DiagnosedError: The model is not valid.
        IreeError: IREE's compiler is not there, or refuses the program; it does not follow the specification; or no
            dispatch of the model has one.
    """
    device = find_device(target)
    driver = driver_of(device)
    flag = DRIVERS[driver].specification_flag
    found: list[ConfiguredDispatch] = []
    # What plain iree-compile does.
    types = () if any(flag.startswith(F64_TO_F32) for flag in flags) else (F64_TO_F32,)
    with tempfile.TemporaryDirectory(prefix="roller-") as folder:
        file, dumps = Path(folder, "spec.mlir"), Path(folder, "dumps")

        def take(module: ir.Module, _: PartCompiler) -> tuple[list[Part], list[Line]]:
            dispatches = configure(module, device, driver, ConstructOptions(instructions=options.instructions))
            found.extend(_without_others(one) for one in dispatches)
            file.write_text(specification_text(found), encoding="utf-8")
            forget(module)
            return [], []

        compile_model(
            source,
            target,
            options,
            mode=Mode(cut=CUT, take=take),
            flags=(*flags, *types, f"{DUMP_FLAG}{dumps}", f"{flag}{file}"),
            timeout_s=timeout_s,
        )
        check_used(found, dumps)
        text = file.read_text(encoding="utf-8")
    return Specification(text=text, flag=flag, dispatches=tuple(found))


def specification_text(dispatches: Sequence[ConfiguredDispatch]) -> str:
    """Return the file for dispatches that have our tiles; equal ones share a matcher.

    Args:
        dispatches: Each with a configuration is a contraction.

    Raises:
        IreeError: None has a configuration.
    """
    matchers = {_body(one): one for one in dispatches if one.configuration is not None}
    if not matchers:
        reasons = "; ".join(dict.fromkeys(f"{one.name}: {one.reason}" for one in dispatches)) or "it has none"
        raise IreeError(f"no dispatch of the model has a specification ({reasons})")
    sequences = [
        f"transform.named_sequence @match_{number}(%op: {_OP} {{transform.readonly}}) -> ({_OP}, {_PARAM}) {{\n{body}}}"
        for number, body in enumerate(matchers)
    ]
    cases = ",\n      ".join(f"@match_{number} -> @apply" for number in range(len(matchers)))
    inside = "\n".join(sequences).replace("\n", "\n  ")
    return f"""module attributes {{iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence}} {{
  transform.named_sequence @apply(%op: {_OP} {{transform.readonly}}, %config: {_PARAM} {{transform.readonly}}) {{
    transform.annotate %op "compilation_info" = %config : {_OP}, {_PARAM}
    transform.yield
  }}
  {inside}
  transform.named_sequence @__kernel_config(%module: {_OP} {{transform.consumed}}) -> {_OP}
      attributes {{iree_codegen.tuning_spec_entrypoint}} {{
    %result = transform.foreach_match in %module
      {cases}
      : ({_OP}) -> {_OP}
    transform.yield %result : {_OP}
  }}
}}
"""


def _body(dispatch: ConfiguredDispatch) -> str:
    """Return what a matcher does: it asks for the maps, element types and extents of a contraction."""
    groups, configuration = _groups(dispatch), dispatch.configuration
    assert groups is not None and configuration is not None
    maps = ", ".join(f"affine_map<{one}>" for one in dispatch.maps)
    types = ", ".join(
        f"{name}_type = {kind}" for name, kind in zip(("lhs", "rhs", "output"), dispatch.elements, strict=True)
    )
    sizes = "\n".join(
        f"  transform.iree.match.dims_equal %{name}, {[dispatch.extents[loop] for loop in loops]} : {_SIZES}"
        for name, loops in zip(_GROUPS, groups, strict=True)
    )
    return f"""  %batch, %m, %n, %k = transform.iree.match.contraction %op, {types},
    indexing_maps = [{maps}] : {_OP} -> {_SIZES}
{sizes}
  %config = transform.param.constant {configuration.compilation_info} -> {_PARAM}
  transform.yield %op, %config : {_OP}, {_PARAM}
"""


def _groups(dispatch: ConfiguredDispatch) -> tuple[list[int], ...] | None:
    """Return the loops of a contraction by kind, in the order of `_GROUPS`; None: it is none."""
    operands = [_loops(one) for one in dispatch.maps]
    if len(operands) != 3 or any(one is None for one in operands):
        return None
    left, right, result = (one or set[int]() for one in operands)
    groups = (left & right & result, (left & result) - right, (right & result) - left, (left & right) - result)
    whole = sum(map(len, groups)) == len(dispatch.extents)
    return tuple(sorted(one) for one in groups) if whole and groups[3] else None


def _loops(text: str) -> set[int] | None:
    """Return the loops by which an operand is indexed, None where an index is more than a loop."""
    indices = text.partition(" -> ")[2].strip("()").split(", ")
    return {int(one[1:]) for one in indices} if all(re.fullmatch(r"d\d+", one) for one in indices) else None


def _without_others(dispatch: ConfiguredDispatch) -> ConfiguredDispatch:
    """Return a dispatch, IREE's where no matcher can name its root."""
    if dispatch.configuration is None or _groups(dispatch) is not None:
        return dispatch
    return replace(dispatch, configuration=None, reason="specifications have matchers for contractions alone")
