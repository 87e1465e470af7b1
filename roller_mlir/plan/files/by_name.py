# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plan files: a JSON object of plans by program name, as `roller compile --emit plan --json` writes them."""

from os import PathLike, fspath

from roller_mlir.plan.plan import Plan
from roller_mlir.plan.records.codec import from_json
from roller_mlir.support.foreign.bounded import read_bytes, read_json
from roller_mlir.support.foreign.reasons import reason_of

MOST_BYTES = 64 << 20
"""Largest plan file that is read, in bytes."""


def read_plan_file(path: str | PathLike[str]) -> dict[str, Plan]:
    """Read a plan file.

    Every value has its declared type afterwards; whether a plan fits its program is for `validate_plan` to say.

    Args:
        path: The file.

    Returns:
        Plans by program name, in the order of the file.

    Raises:
        ValueError: The file cannot be read or does not hold plans; the message names the file and the key.
    """
    where = f"plan-file {fspath(path)}"
    try:
        return from_json(dict[str, Plan], read_json(read_bytes(path, MOST_BYTES)))
    except OSError as error:
        raise ValueError(f"{where}: {reason_of(error)}") from error
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
