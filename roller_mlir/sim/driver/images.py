# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernels an image has, and what they take, as the image itself says: PTX, cubin or code object."""

import re
from collections.abc import Iterator

from roller_mlir.lowering.backend.checks.code_object import kernel_metadata, section_names

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?")
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)\b[^,\[]*(?:\[(\d+)\])?")
_CODE = ".text."


class ImageError(Exception):
    """An image cannot be read."""


def kernels_of(image: bytes) -> dict[str, tuple[int, ...] | None]:
    """Return the bytes of each parameter of each kernel; None where an image does not say it, as cubins.

    Raises:
        ImageError: It is no PTX, cubin or code object.
    """
    try:
        if not image.startswith(b"\x7fELF"):
            return dict(_read_ptx(image.rstrip(b"\0").decode()))
        try:
            return {name: _explicit_bytes(one["args"]) for name, one in kernel_metadata(image).items()}
        except ValueError:
            names = section_names(image)
            return {name.removeprefix(_CODE): None for name in names if name.startswith(_CODE)}
    except (ValueError, KeyError, IndexError) as error:
        raise ImageError(f"it cannot be read: {error}") from None


def _explicit_bytes(arguments: list[dict[str, int | str]]) -> tuple[int, ...]:
    return tuple(int(one[".size"]) for one in arguments if not str(one[".value_kind"]).startswith("hidden"))


def _read_ptx(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    for name, parameters in _ENTRY.findall(re.sub(r"//.*", "", text)):
        yield name, tuple(int(bits) // 8 * int(count or 1) for bits, count in _PARAMETER.findall(parameters))
