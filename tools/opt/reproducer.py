# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reproducers as mlir-opt reads and writes them, and other resources at the end of a file that MLIR drops on the way.

A reproducer is the input with its pipeline in the resource `mlir_reproducer`. The bindings parse and print external
resources without anybody's seeing them, so they are taken from the text and put back.
"""

import json
import re
from pathlib import Path

from roller_mlir.support.foreign.bounded import read_json
from roller_mlir.support.source import FileError

_METADATA = re.compile(r"^\{-#.*?#-\}\s*\Z", re.MULTILINE | re.DOTALL)
_EXTERNAL = re.compile(r"\bexternal_resources:\s*\{")
_PIPELINE = re.compile(r'\bmlir_reproducer:\s*\{[^{}]*?\bpipeline:\s*("(?:[^"\\\n]|\\.)*")', re.DOTALL)
_FLAG = {
    name: re.compile(rf"\bmlir_reproducer:\s*\{{[^{{}}]*?\b{name}:\s*(true|false)", re.DOTALL)
    for name in ("verify_each", "disable_threading")
}


def external_resources(text: str) -> str:
    """Return the text of a file's external resources, braces included; "" where it has none."""
    metadata = _METADATA.search(text)
    found = _EXTERNAL.search(metadata[0]) if metadata else None
    if metadata is None or found is None:
        return ""
    body, depth, at, quoted = metadata[0], 1, found.end(), False
    while at < len(body) and depth:
        one = body[at]
        if quoted:
            at += one == "\\"
            quoted = one != '"'
        else:
            quoted = one == '"'
            depth += (one == "{") - (one == "}")
        at += 1
    return "" if depth else body[found.start() : at]


def with_resources(printed: str, external: str) -> str:
    r"""Put external resources to the end of printed IR, into its metadata where it has some.

    >>> with_resources("module {}\n", "external_resources: {}")
    'module {}\n{-#\n  external_resources: {}\n#-}\n'
    """
    if not external:
        return printed
    metadata = _METADATA.search(printed)
    if metadata is None:
        return f"{printed}{{-#\n  {external}\n#-}}\n"
    body = metadata[0].rstrip().removesuffix("#-}").rstrip()
    return f"{printed[: metadata.start()]}{body},\n  {external}\n#-}}\n"


def pipeline_of(text: str) -> tuple[str, dict[str, bool]] | None:
    """Return the pipeline of a reproducer and its flags; None where the text is none."""
    found = _PIPELINE.search(text)
    if found is None:
        return None
    flags = {name: match[1] == "true" for name, one in _FLAG.items() if (match := one.search(text))}
    return read_json(found[1]), flags


def write_crash_reproducer(path: str, text: str, pipeline: str, *, verify_each: bool) -> None:
    """Write the input with its pipeline.

    Raises:
      FileError: The file cannot be written.
    """
    flags = f"disable_threading: true,\n      verify_each: {'true' if verify_each else 'false'}"
    resource = (
        f"external_resources: {{\n    mlir_reproducer: {{\n      pipeline: {json.dumps(pipeline)},\n      {flags}\n"
        "    }\n  }"
    )
    bare = _METADATA.sub("", text) if external_resources(text) else text
    try:
        Path(path).write_text(with_resources(bare.rstrip("\n") + "\n", resource), encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot write reproducer '{path}': {error.strerror}") from None
