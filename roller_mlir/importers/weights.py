# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that a program's text only names: in a file of numpy (.npz) or of IREE's parameters (.irpa) beside it.

module attributes {roller.weights = "mlp.irpa"} {
  ... arith.constant dense_resource<w1> : tensor<64x32xf32>
"""

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.importers.imported import refuse
from roller_mlir.support.bindings import ir
from roller_mlir.support.resources import resource_name
from roller_mlir.support.values import operations_inside

SUFFIXES = (".npz", ".irpa")
_ATTRIBUTE = "roller.weights"
_NAMED = re.compile(rf'^module[^\n]* attributes \{{[^\n]*\b{re.escape(_ATTRIBUTE)} = "([^"\n]*)"', re.MULTILINE)

if TYPE_CHECKING:
    import numpy as np

    Weights = Mapping[str, np.ndarray[Any, Any]]


def attach_weights(module: "ir.Module", weights: "Weights") -> None:
    """Give the resources of a module their data; the module holds on to the arrays, and copies none."""
    if not weights:
        return
    import numpy as np

    for operation in operations_inside(module.operation):
        if operation.name != "arith.constant":
            continue
        value = operation.attributes["value"]
        name = resource_name(value)
        if name is not None and name in weights:
            array: Any = np.ascontiguousarray(weights[name])
            attribute = ir.DenseResourceElementsAttr.get_from_buffer(array, name, value.type, context=module.context)
            operation.attributes["value"] = attribute


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
    from iree.runtime import ParameterIndex

    index = ParameterIndex()
    for name, array in weights.items():
        index.add_buffer(name, np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    index.create_archive_file(str(path))


def read_weights(path: Path, name: str) -> "Weights":
    """Read weights; those of an .irpa stay in the file until they are read.

    Raises:
        DiagnosedError: The file cannot be read.
    """
    import numpy as np

    from roller_mlir.importers.irpa import read_archive

    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as found:
                return {key: found[key] for key in found.files}
        return read_archive(path)
    except OSError as error:
        refuse(name, f"needs the weights of '{path}', which cannot be read: {(error.strerror or str(error)).lower()}")
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        refuse(name, f"needs the weights of '{path}', which holds none that can be read: {str(error).splitlines()[0]}")


def _named(head: str, file: str) -> str:
    attribute = f'{_ATTRIBUTE} = "{file}"'
    return f"{head}{attribute}, " if head.endswith("{") else f"{head} attributes {{{attribute}}}"
