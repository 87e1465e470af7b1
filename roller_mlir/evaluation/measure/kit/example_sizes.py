# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples at the size of a real model: extents replaced in their text, and the constants that follow from them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_EXTENT = re.compile(r"(?<=[<x])\d+(?=x)")
_SHAPE = re.compile(r"output_shape \[([\d, ]+)\]")


@dataclass(frozen=True, kw_only=True)
class LargeSize:
    """What changes where an example is made large.

    Attributes:
        extents: New extents by old ones.
        constants: New constants by old ones, both spelled as in the text.
        sizes: What its inputs' shapes do not say, for a reference in torch ("heads").
    """

    extents: Mapping[int, int]
    constants: Mapping[str, str] = field(default_factory=dict[str, str])
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])


LARGE: Mapping[str, LargeSize] = MappingProxyType(
    {
        "softmax": LargeSize(extents={64: 16384, 512: 1024}),
        "layer_norm": LargeSize(extents={64: 16384}),
        "matmul_bias_gelu": LargeSize(extents={128: 16384, 256: 1024, 512: 4096}),
        "attention_scores": LargeSize(extents={8: 192, 64: 512, 32: 64}, constants={"0.17677669529663687": "0.125"}),
        "conv_bn_relu_residual": LargeSize(extents={4: 128, 32: 64, 14: 56, 16: 58}),
        "encoder_layer": LargeSize(
            extents={32: 512, 4: 12, 16: 64, 64: 768, 128: 3072},
            constants={"0.25": "0.125", "64.0": "768.0"},
            sizes={"heads": 12},
        ),
    }
)


def at_size(text: str, size: LargeSize) -> str:
    """Return the text of an example at another size.

    >>> at_size("%root = arith.constant 0.25 : f32  %x: tensor<4x16xf32>", LargeSize(extents={4: 12, 16: 64}))
    '%root = arith.constant 0.25 : f32  %x: tensor<12x64xf32>'
    """

    def changed(number: str) -> str:
        return str(size.extents.get(int(number), int(number)))

    text = _EXTENT.sub(lambda found: changed(found[0]), text)
    text = _SHAPE.sub(lambda found: f"output_shape [{', '.join(map(changed, found[1].split(', ')))}]", text)
    for old, new in size.constants.items():
        text = text.replace(f"arith.constant {old} :", f"arith.constant {new} :")
    return text
