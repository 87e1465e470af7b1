# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one table of the inline assembly that kernels hold: each string once, with all that LLVM must know of it.

Assembly is for what NVVM has no operation for, or has one that says too little to LLVM: a wait that loops, and a wait
through which the accumulators pass, so that nothing reads them before it. The simulator has a function for each name of
the table and refuses every other string.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roller_mlir.support.bindings import ir

MEMORY_CLOBBER = "~{memory}"
_CLASSES = {"f32": "f", "f64": "d", "i64": "l", "i32": "r", "i16": "h", "f16": "h", "bf16": "h"}
"""The class of registers of a type: what PTX's inline assembly calls f, d, l, r, h."""


@dataclass(frozen=True, kw_only=True)
class InlineAssembly:
    """One string of assembly.

    Attributes:
        name: What the program calls it.
        template: The string, in LLVM's spelling: `$0` is the first result or operand.
        constraints: Of results, then operands, comma separated; empty where `tied`.
        memory_clobber: Whether it reads or writes memory, so that no access passes it.
        side_effects: Whether it stays where nobody uses its results.
        tied: Whether it takes any number of values and gives them back in the same registers.
    """

    name: str
    template: str
    constraints: str = ""
    memory_clobber: bool
    side_effects: bool = True
    tied: bool = False

    def __post_init__(self) -> None:
        if self.tied == bool(self.constraints):
            raise ValueError(
                f"inline assembly '{self.name}' must have constraints or be tied, but got {self.constraints!r}"
            )

    def constraints_of(self, types: Sequence[str]) -> str:
        """Return all constraints.

        Args:
            types: MLIR's names of the operands' types.
        """
        parts = [self.constraints] if self.constraints else []
        if self.tied:
            parts += [f"={_register_class(kind)}" for kind in types] + [str(number) for number in range(len(types))]
        return ",".join(parts + [MEMORY_CLOBBER] * self.memory_clobber)


_MAP_FIELDS = {
    "global_address": ("b64", "r,l"),
    "global_stride": ("b64", "r,n,l"),
    **dict.fromkeys(("global_dim", "box_dim", "element_stride"), ("b32", "r,n,r")),
    "rank": ("b32", "r,r"),
    **dict.fromkeys(("elemtype", "interleave_layout", "swizzle_mode", "fill_mode"), ("b32", "r,n")),
}
"""Of the fields of tensor maps: type of the value, constraints of address, dimension where there is one, and value."""


def _written_field(field: str, kind: str, constraints: str) -> InlineAssembly:
    places = ", ".join(f"${number}" for number in range(1, len(constraints.split(","))))
    return InlineAssembly(
        name=f"tensormap_{field}",
        template=f"tensormap.replace.tile.{field}.shared::cta.b1024.{kind} [$0], {places};",
        constraints=constraints,
        memory_clobber=True,
    )


TABLE: tuple[InlineAssembly, ...] = (
    # Waits until the phase of that parity has completed. Operands: address of the mbarrier in workgroup memory, parity.
    InlineAssembly(
        name="mbarrier_try_wait_parity",
        template=(
            "{\n.reg .pred P1;\nW${:uid}:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 P1, [$0], $1;\n"
            "@!P1 bra W${:uid};\n}"
        ),
        constraints="r,r",
        memory_clobber=True,
    ),
    # Waits for all groups of asynchronous products; the accumulators pass through it.
    InlineAssembly(
        name="wgmma_wait_all",
        template="wgmma.wait_group.sync.aligned 0;",
        memory_clobber=True,
        tied=True,
    ),
    # Writes a field of a tensor map in workgroup memory; dimensions are counted innermost first.
    *(_written_field(field, *rest) for field, rest in _MAP_FIELDS.items()),
    # Copies a tensor map by all lanes of a warp. Operands: addresses in global and in workgroup memory.
    InlineAssembly(
        name="tensormap_publish",
        template=(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;"
        ),
        constraints="l,r",
        memory_clobber=True,
    ),
)

BY_NAME = {entry.name: entry for entry in TABLE}
_BY_TEMPLATE = {entry.template: entry for entry in TABLE}


def find_assembly(template: str) -> str | None:
    """Return the name of a string of assembly; None: the table does not have it."""
    entry = _BY_TEMPLATE.get(template)
    return None if entry is None else entry.name


def emit_assembly(name: str, operands: Sequence[ir.Value]) -> list[ir.Value]:
    """Emit assembly of the table at the insertion point.

    Args:
        name: Its name.
        operands: Scalars and pointers.

    Returns:
        The results: of a tied one as many as operands, else none.

    Raises:
        ValueError: The table has no such name, or the operands do not fit it.
    """
    entry = BY_NAME.get(name)
    if entry is None:
        raise ValueError(f"inline assembly must be one of {', '.join(BY_NAME)}, but got {name!r}")
    results = [value.type for value in operands] if entry.tied else []
    constraints = entry.constraints_of([str(value.type) for value in operands])
    expected = len(results) + len(operands) + entry.memory_clobber
    if len(constraints.split(",")) != expected:
        raise ValueError(
            f"inline assembly '{name}' must have the constraints {constraints}, "
            f"but got {len(results)} results and {len(operands)} operands"
        )
    attributes: dict[str, Any] = {
        "asm_string": ir.StringAttr.get(entry.template),
        "constraints": ir.StringAttr.get(constraints),
        "asm_dialect": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0),  # AT&T's, as NVPTX has it
    }
    if entry.side_effects:
        attributes["has_side_effects"] = ir.UnitAttr.get()
    whole = results
    if len(results) > 1:
        whole = [ir.Type.parse(f"!llvm.struct<({', '.join(str(kind) for kind in results)})>")]
    created = ir.Operation.create(
        "llvm.inline_asm", results=whole, operands=list(operands), attributes=attributes
    ).results
    if len(results) < 2:
        return list(created)
    return [
        ir.Operation.create(
            "llvm.extractvalue",
            results=[kind],
            operands=[created[0]],
            attributes={"position": ir.DenseI64ArrayAttr.get([number])},
        ).results[0]
        for number, kind in enumerate(results)
    ]


def _register_class(kind: str) -> str:
    if kind not in _CLASSES:
        raise ValueError(f"values of inline assembly must be of {', '.join(_CLASSES)}, but got {kind}")
    return _CLASSES[kind]
