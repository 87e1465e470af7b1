# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plan files: a JSON object of plans by program name, as `roller compile --emit plan --json` writes them."""

import json
from os import PathLike, fspath

from roller_mlir.plan.codec import from_json
from roller_mlir.plan.plan import Plan


def read_plan_file(path: str | PathLike[str]) -> dict[str, Plan]:
    """Read a plan file.

    Every value has its declared type afterwards; whether a plan fits its program is for `adopt` to say.

    Args:
        path: The file.

    Returns:
        Plans by program name, in the order of the file.

    Raises:
        ValueError: The file cannot be read or does not hold plans; the message names the file and the key.
    """
    where = f"plan-file {fspath(path)}"
    try:
        with open(path, encoding="utf-8") as stream:
            data = json.load(stream)
        return from_json(dict[str, Plan], data)
    except OSError as error:
        raise ValueError(f"{where}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise ValueError(f"{where}: nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
