# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The key under which the measured plan of an operator is found again: operator, device, and what a plan may do.

Planning sees the tensor expression and nothing else of an operator, so operators with equal expressions share a key: a
`linalg.matmul` and the `linalg.generic` that says the same, or two element-wise ops with as many operations. Their
plans are interchangeable, since a plan may use nothing that the expression does not say.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any, cast

from roller_mlir.plan.expression import Access, TensorExpression
from roller_mlir.plan.extent import Extent
from roller_mlir.plan.records.codec import JsonValue, to_json

DIGITS = 32
"""Hexadecimal digits of a key: half a SHA-256, which no two operators share by chance."""


def tuning_key(expression: TensorExpression, device: str, choices: Mapping[str, JsonValue] | None = None) -> str:
    """Return the key of an operator on a device.

    Args:
        expression: What is computed. The names of its tensors are of no account; fields with their default value are
            left out, so that a field which later versions add leaves the keys of operators without it as they are.
        device: The device's name.
        choices: What narrows or widens the plans that may be taken, such as `allow_tf32`: plans found under other
            choices must not be taken, and have another key. Empty, as None, for the defaults.

    Returns:
        `DIGITS` hexadecimal digits.

    >>> from roller_mlir.plan.expression import LinearIndex, Loop
    >>> index = (LinearIndex((1,)),)
    >>> a, b, c = (Access(name, (64,), "f32", index) for name in ("a", "b", "c"))
    >>> one, two = (TensorExpression((Loop(64),), (x,), c, None, 1, (None,)) for x in (a, b))
    >>> tuning_key(one, "h200") == tuning_key(two, "h200") != tuning_key(one, "h100")
    True
    """
    record: dict[str, JsonValue] = {"expression": compact(expression.with_accesses(_unnamed)), "device": device}
    if choices:
        record["choices"] = to_json(choices)
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def compact(value: Any) -> JsonValue:
    """Return a value as JSON, of records only the fields that differ from their default; `codec.from_json` reads it."""
    if is_dataclass(value) and not isinstance(value, (type, Extent)):
        found: dict[str, JsonValue] = {}
        for field in fields(value):
            own: Any = getattr(value, field.name)
            if own != _default_of(field):
                found[field.name] = compact(own)
        return found
    if isinstance(value, Mapping):
        return {str(key): compact(item) for key, item in cast(Mapping[str, Any], value).items()}
    if isinstance(value, (tuple, list)):
        return [compact(item) for item in cast(Sequence[Any], value)]
    return to_json(value)


def _default_of(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _unnamed(access: Access) -> Access:
    return replace(access, name="")
