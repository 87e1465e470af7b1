# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vendors are compared where targets and back ends are: everybody else asks data of the vendor, or the family."""

import ast
import re
from collections import Counter

import pytest
from package_sources import ROOT, sources
from statements import parsed

from roller_mlir.lowering.targets import families

ROOMS = tuple(ROOT / "roller_mlir" / room for room in ("lowering/targets", "lowering/backend"))
VENDORS = {family.name for family in families()}
_NAMED = re.compile(f"[\"'](?:{'|'.join(map(re.escape, sorted(VENDORS)))})[\"']")


def constants_of(module: ast.Module) -> dict[str, str]:
    """Return the constants of a module that are names of vendors."""
    return {
        target.id: str(node.value.value)
        for node in module.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Constant)
        and node.value.value in VENDORS
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def places_of(text: str) -> list[int]:
    """Return the lines that compare a vendor with something, or list vendors, also those that are constants.

    "cpu" and "simulator" are names of other things, too: they count beside a vendor, or where a vendor or a family is
    what is compared.
    """
    if not _NAMED.search(text):
        return []
    found: list[int] = []
    module = parsed(text)
    constants = constants_of(module)

    def named(node: ast.AST | None) -> str | None:
        said = constants.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)
        return said if isinstance(said, str) and said in VENDORS else None

    for node in ast.walk(module):
        match node:
            case ast.Compare():
                inner = list(ast.walk(node))
            case ast.Match():
                inner = [one for case in node.cases for one in ast.walk(case.pattern)]
            case ast.Tuple() | ast.List() | ast.Set() if all(map(named, node.elts)):
                inner = list[ast.AST](node.elts)
            case ast.Dict():
                inner = [key for key in node.keys if key is not None]
            case _:
                continue
        said = set(filter(None, map(named, inner)))
        compared = ast.unparse(node.subject if isinstance(node, ast.Match) else node)
        if said and ({"nvidia", "amd"} & said or re.search("vendor|family", compared, re.IGNORECASE)):
            found.append(node.lineno)
    return found


def test_vendors_are_compared_in_their_rooms_only() -> None:
    others = [path for path in sources().values() if not set(ROOMS) & set(path.parents)]
    counted = {str(path.relative_to(ROOT)): len(places_of(path.read_text(encoding="utf-8"))) for path in others}
    assert not +Counter(counted)


@pytest.mark.parametrize(
    "text",
    [
        "if device.vendor == 'nvidia': pass",
        "x = device.vendor in ('amd', 'cpu')",
        "y = device.vendor != 'cpu'",
        "KNOWN = {'nvidia': 1, 'amd': 2}",
        "match vendor:\n    case 'amd': pass",
        "match device.vendor:\n    case 'simulator' | 'cpu': pass",
        "if 'nvidia' != vendor: pass",
        "x = 1 if family_of(device).name == 'cpu' else 0",
        "if vendor in ('nvidia', 'graphcore'): pass",
        "VENDOR = 'cpu'\nif one != VENDOR: pass",
        "_MINE: Final = 'amd'\nx = one.maker == _MINE",
        "FIRST = 'nvidia'\nKNOWN = (FIRST, 'amd')",
    ],
)
def test_comparisons_are_found(text: str) -> None:
    assert places_of(text)


def test_other_things_that_are_called_alike_are_none() -> None:
    assert not places_of("if place == 'cpu': pass\nLEVELS = ('simulator', 'llvm')")
