# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that a program's text only names: in a file of numpy (.npz) or of IREE's parameters (.irpa) beside it.

module attributes {roller.weights = "mlp.irpa"} {
  ... arith.constant dense_resource<w1> : tensor<64x32xf32>
"""

import hashlib
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.importers.imported import refuse
from roller_mlir.support.bindings import ir
from roller_mlir.support.constants.resources import resource_name
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.support.values import operations_inside

SUFFIXES = (".npz", ".irpa")
_ATTRIBUTE = "roller.weights"
_NAMED = re.compile(rf'^module[^\n]* attributes \{{[^\n]*\b{re.escape(_ATTRIBUTE)} = "([^"\n]*)"', re.MULTILINE)

if TYPE_CHECKING:
    import numpy as np

    Weights = Mapping[str, np.ndarray[Any, Any]]


def attach_weights(module: "ir.Module", weights: "Weights") -> None:
    """Give the resources of a module their data; the module holds on to the arrays, and copies only unaligned ones."""
    if not weights:
        return
    import numpy as np

    for operation, name in _naming(module, weights):
        array: Any = np.require(weights[name], requirements=("C", "ALIGNED"))
        kind = operation.attributes["value"].type
        attribute = ir.DenseResourceElementsAttr.get_from_buffer(array, name, kind, context=module.context)
        operation.attributes["value"] = attribute


def used_weights(module: "ir.Module", weights: "Weights") -> "Weights":
    """Return the weights that a module uses, and erase its constants of others."""
    used: dict[str, Any] = {}
    for operation, name in _naming(module, weights) if weights else ():
        if any(True for _ in operation.results[0].uses):
            used[name] = weights[name]
        else:
            operation.erase()
    return used


def digest_weights(weights: "Weights") -> str:
    """Return names and SHA-256 of weights, one a line."""
    from roller_mlir.support.constants.array_bytes import byte_pieces

    lines: list[str] = []
    for name, array in weights.items():
        digest = hashlib.sha256()
        for piece in byte_pieces(array):
            digest.update(piece)
        lines.append(f"{digest.hexdigest()} {name}\n")
    return "".join(lines)


def _naming(module: "ir.Module", weights: "Weights") -> "list[tuple[ir.Operation, str]]":
    """Return the constants of a module that name weights, each with the name."""
    constants = [one for one in operations_inside(module.operation) if one.name == "arith.constant"]
    named = [(one, resource_name(one.attributes["value"])) for one in constants]
    return [(one, name) for one, name in named if name is not None and name in weights]


def naming_weights(text: str, file: str) -> str:
    """Return the text of a module that names the file of its weights."""
    return re.sub(
        r"^module\b(?: attributes \{)?", lambda found: _named(found[0], file), text, count=1, flags=re.MULTILINE
    )


def weights_beside(text: str, folder: Path, name: str) -> "Weights":
    """Return the weights that a module's text names, which lie in its folder; none where it names no file.

    Raises:
        DiagnosedError: The file is not there, or holds no weights.
    """
    found = _NAMED.search(text)
    if found is None:
        return {}
    file = found[1]
    if Path(file).name != file or Path(file).suffix not in SUFFIXES:
        refuse(name, f"names the weights '{file}'; they are a file beside it that ends in {' or '.join(SUFFIXES)}")
    return read_weights(folder / file, name)


def write_weights(path: Path, weights: "Weights") -> None:
    """Write weights into a file, of the format that its name says.

    Raises:
        OSError: It cannot be written.
    """
    import numpy as np

    if path.suffix == ".npz":
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in weights.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
        return
    from roller_mlir.importers.irpa import write_archive

    write_archive(path, weights)


def read_weights(path: Path, name: str) -> "Weights":
    """Read weights; they stay in the file until they are read, but for those that an .npz has compressed.

    Raises:
        DiagnosedError: The file cannot be read.
    """
    from roller_mlir.importers.irpa import read_archive
    from roller_mlir.importers.npz import read_npz

    try:
        if path.suffix == ".npz":
            return read_npz(path)
        return read_archive(path)
    except OSError as error:
        refuse(name, f"needs the weights of '{path}', which cannot be read: {reason_of(error)}")
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        refuse(name, f"needs the weights of '{path}', which holds none that can be read: {str(error).splitlines()[0]}")


def _named(head: str, file: str) -> str:
    attribute = f'{_ATTRIBUTE} = "{file}"'
    return f"{head}{attribute}, " if head.endswith("{") else f"{head} attributes {{{attribute}}}"
