# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nobody compares names of instruction families: what a family is, its record in `hal.atoms` says."""

import ast
import re
from collections import Counter

import pytest
from package_sources import ROOT, sources
from statements import parsed

from roller_mlir.hal.atoms import ATOMS, FAMILIES
from roller_mlir.lowering.codegen.emitters import EMITTERS, VectorEmitter

ATOMS_ROOM = ROOT / "roller_mlir/hal/atoms"

LEFT = {
    "roller_mlir/lowering/codegen/emitters.py": (1, "the table from families to emitters"),
}
"""By file: how many comparisons and tables of names are left, and why; docs/architecture.md lists them, too."""


def named(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value in FAMILIES


def places_of(text: str) -> list[int]:
    """Return the lines that compare a name of a family with something, or list such names.

    "fma" is the name of an operation, too: it counts where it is compared with a family or an instruction.
    """
    found: list[int] = []
    if not any(name in text for name in FAMILIES):
        return found
    for node in ast.walk(parsed(text)):
        match node:
            case ast.Compare() if any(map(named, [node.left, *node.comparators])):
                said = ast.unparse(node)
                if "family" in said or "instruction" in said or "'fma'" not in said:
                    found.append(node.lineno)
            case ast.MatchValue() if named(node.value):
                found.append(node.lineno)
            case ast.Tuple() | ast.List() | ast.Set() if node.elts and all(map(named, node.elts)):
                found.append(node.lineno)
            case ast.Dict() if node.keys and all(map(named, node.keys)):
                found.append(node.lineno)
            case _:
                pass
    return found


def test_names_of_families_are_compared_in_the_room_of_atoms_only() -> None:
    counted = Counter({str(path.relative_to(ROOT)): len(places_of(path.read_text())) for path in sources().values()})
    here = {name: count for name, count in counted.items() if count and ATOMS_ROOM not in (ROOT / name).parents}
    assert here == {name: count for name, (count, _) in LEFT.items()}


@pytest.mark.parametrize(
    "text",
    [
        "if atom.instruction.family == 'wgmma': pass",
        "x = plan.instruction in ('mma', 'mfma')",
        "y = 'fma' != one.family",
        "KNOWN = {'mma': 1, 'wmma': 2}",
        "match family:\n    case 'wmma': pass",
    ],
)
def test_comparisons_are_found(text: str) -> None:
    assert places_of(text)


def test_operations_that_are_called_alike_are_none() -> None:
    assert not places_of("if op == 'fma': pass\nOPS = ('add', 'fma')")


def test_each_family_that_has_shapes_has_an_emitter() -> None:
    assert {name for name, one in ATOMS.items() if one.has_shape and not one.reads_memory} == set(EMITTERS)
    vectors = {name for name, one in ATOMS.items() if one.vectors}
    assert {name for name, one in EMITTERS.items() if isinstance(one, VectorEmitter)} == vectors


def test_the_list_of_what_a_new_family_touches_is_whole() -> None:
    section = (ROOT / "docs/architecture.md").read_text().partition("## Add an instruction\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`((?:roller_mlir|test)/[\w/.]+)`", section))
    assert {*LEFT, str(ATOMS_ROOM.relative_to(ROOT))} <= listed
    assert [name for name in sorted(listed) if not (ROOT / name).exists()] == []
