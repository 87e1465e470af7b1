# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a command of `roller` may ask of the construction: the same options everywhere.

--no-split               divide no reduction over tasks
--disable-rule RULE      leave out an alignment rule, to see what it is worth; may be repeated
--max-units N            plan for N units of the device
--instruction FAMILY,... families of instructions that may be used
--allow-tf32             factors of type f32 may be rounded to tf32, for a matrix instruction
--tuning FILE            where a command compiles or explains: take measured plans from a tuning data base
"""

import argparse
from typing import Any


def add_construction_arguments(parser: Any) -> None:
    """Declare --no-split, --disable-rule, --max-units, --instruction and --allow-tf32.

    Args:
        parser: An `argparse.ArgumentParser` or a group of one.
    """
    from roller_mlir.model.search.alignment import RULES

    parser.add_argument("--no-split", action="store_true", help="divide no reduction over tasks")
    parser.add_argument(
        "--disable-rule",
        action="append",
        default=[],
        choices=RULES,
        metavar="RULE",
        help=f"leave out an alignment rule ({', '.join(RULES)}), to see what it is worth; may be repeated",
    )
    parser.add_argument("--max-units", type=positive, metavar="N", help="units that a program may use; all by default")
    parser.add_argument(
        "--instruction",
        type=_families,
        default=(),
        metavar="FAMILY,...",
        help="families of instructions that may be used, such as fma; by default all that the command can use",
    )
    parser.add_argument(
        "--allow-tf32", action="store_true", help="factors of type f32 may be rounded to tf32, for a matrix instruction"
    )


def add_tuning_argument(parser: Any) -> None:
    """Declare --tuning; `parser` as above."""
    parser.add_argument(
        "--tuning",
        metavar="FILE",
        help="tuning data base, as `roller tune` writes: ops that were measured take the fastest plan",
    )


def construction_arguments(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what was asked as fields of `ConstructOptions`, which `CompileOptions` has too."""
    return {
        "split": not arguments.no_split,
        "disabled_rules": tuple(dict.fromkeys(arguments.disable_rule)),
        "max_units": arguments.max_units,
        "instructions": arguments.instruction,
        "allow_tf32": arguments.allow_tf32,
    }


def given_construction_arguments(arguments: argparse.Namespace) -> set[str]:
    """Return the names of those of the options that were given."""
    given = {
        "--no-split": arguments.no_split,
        "--disable-rule": arguments.disable_rule,
        "--max-units": arguments.max_units,
        "--instruction": arguments.instruction,
        "--allow-tf32": arguments.allow_tf32,
    }
    return {name for name, value in given.items() if value}


def patterns(text: str) -> tuple[str, ...]:
    """Read what picks operators of a suite or a file: ids, patterns or classes, parted by commas.

    >>> patterns("C0, M*,")
    ('C0', 'M*')
    """
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"must name operators as in C0,M*,relu, but got '{text}'")
    return found


def positive(text: str) -> int:
    """Parse a number of things, at least 1."""
    if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, but got '{text}'")
    return int(text)


def _families(text: str) -> tuple[str, ...]:
    from roller_mlir.hal.instructions import FAMILIES

    found = tuple(part.strip() for part in text.split(",") if part.strip())
    unknown = next((one for one in found if one not in FAMILIES), None if found else text)
    if unknown is not None:
        raise argparse.ArgumentTypeError(f"must be some of {', '.join(FAMILIES)}, but got '{unknown}'")
    return found
