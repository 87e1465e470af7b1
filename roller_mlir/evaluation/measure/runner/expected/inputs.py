# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random inputs of an artifact, the same for every way to compute it.

Floats are uniform in [-1, 1): of either sign, so that sums of n products stay near sqrt(n)/3 (f16 holds 65504, which
random products of 10^10 points do not reach), and bounded, so that no element hides the others. Their products have a
variance of 1/9, so that what one product lacks or adds is some 0.25, far above the rounding of a right sum.
Integers of 8 bits have their whole range; wider ones are in -64 to 63, so that no sum of products of two leaves i32
below 2^19 points. i1 is true or false. Where a kit says so, floats are normal, of a deviation and a mean: weights of
deep models that keep what flows through them in range.
"""

from collections.abc import Sequence
from math import inf, isfinite, nan
from typing import Any, TypeAlias

import numpy as np

from roller_mlir.evaluation.measure.runner.expected.element_arrays import import_torch, is_float, torch_type
from roller_mlir.plan.manifest import Buffer, Manifest
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES, bf16_bits

SEED = 0
INPUTS = f"uniform (models: normal): floats in [-1, 1), i8 in -128 to 127, wider integers in -64 to 63; seed {SEED}"
"""How they are made, for the record: power, and with it the clock, depends on the data."""
Spread: TypeAlias = tuple[float, float]
"""Standard deviation and mean of normal floats."""
_RANGES = {"i1": (0, 2), "i8": (-128, 128), "i16": (-64, 64), "i32": (-64, 64), "i64": (-64, 64)}


def make_inputs(manifest: Manifest, device: str, seed: int = SEED, fill: Sequence[str] = ()) -> list[Any]:
    """Return an array for each input of an artifact, in the manifest's order.

    Args:
        manifest: Of the artifact.
        device: "cuda" (torch's word, also on AMD): tensors that are made there, where torch is installed and sees the
            device; otherwise numpy arrays, bf16 as its bits (uint16).
        seed: Equal seeds give equal arrays on one kind of device; each input has numbers of its own.
        fill: Words for each input, as of `records.Item`; none: all are uniform.

    Raises:
        ValueError: These words are not one for each input, or of no known kind.
    """
    buffers = [manifest.buffer(name) for name in manifest.inputs]
    spreads = _spreads(fill, len(buffers))
    torch = import_torch() if device not in ("sim", "cpu") else None
    if torch is None or not torch.cuda.is_available():
        pairs = enumerate(zip(buffers, spreads, strict=True))
        return [on_host(buffer, [seed, number], spread) for number, (buffer, spread) in pairs]
    return make_tensors(torch, buffers, "cuda", seed, spreads)


def make_tensors(
    torch: Any, buffers: Sequence[Buffer], device: str, seed: int = SEED, spreads: Sequence[Spread | None] = ()
) -> list[Any]:
    """Return a tensor for each buffer, made where it stays: a large one would take minutes over the host.

    Args:
        torch: The library.
        buffers: What to make tensors for.
        device: In torch's words.
        seed: See `make_inputs`.
        spreads: Of each, None for a uniform one; none: all are uniform.
    """
    tensors: list[Any] = []
    for number, (buffer, spread) in enumerate(zip(buffers, spreads or [None] * len(buffers), strict=True)):
        generator = torch.Generator(device=device).manual_seed((seed << 16) + number)
        tensor = torch.empty(buffer.static_shape, dtype=torch_type(torch, buffer.element_type), device=device)
        if spread is not None and is_float(buffer.element_type):
            tensor.normal_(spread[1], spread[0], generator=generator)
        elif is_float(buffer.element_type):
            tensor.uniform_(-1.0, 1.0, generator=generator)
        else:
            tensor.random_(*_RANGES[buffer.element_type], generator=generator)
        tensors.append(tensor)
    return tensors


def on_host(buffer: Buffer, seed: Sequence[int], spread: Spread | None = None) -> np.ndarray[Any, Any]:
    """Return an array for a buffer; see `make_inputs`."""
    generator = np.random.default_rng(seed)
    kind, dtype = buffer.element_type, NUMPY_TYPES[buffer.element_type]
    if not is_float(kind):
        return generator.integers(*_RANGES[kind], buffer.static_shape).astype(dtype).reshape(buffer.static_shape)
    wide = np.float64 if kind == "f64" else np.float32
    if spread is None:
        values = generator.random(buffer.static_shape, dtype=wide) * 2 - 1
    else:
        values = generator.standard_normal(buffer.static_shape, dtype=wide) * wide(spread[0]) + wide(spread[1])
    values = np.asarray(values, wide)
    return (bf16_bits(values) if kind == "bf16" else values.astype(dtype)).reshape(buffer.static_shape)


def _spreads(fill: Sequence[str], count: int) -> list[Spread | None]:
    """Return what words say of each input."""
    if fill and len(fill) != count:
        raise ValueError(f"a kit has a word for each input, but got {len(fill)} for {count}")
    return [_spread(word) for word in fill or [""] * count]


def _spread(word: str) -> Spread | None:
    """Return what a word says of an input.

    >>> _spread("normal 0.5 1"), _spread("")
    ((0.5, 1.0), None)
    """
    if not word:
        return None
    kind, *numbers = word.split()
    try:
        deviation, mean = map(float, numbers)
    except ValueError:
        deviation = mean = nan
    if kind != "normal" or not 0 <= deviation < inf or not isfinite(mean):
        raise ValueError(f"an input is made by 'normal DEVIATION MEAN', but got {word!r}")
    return deviation, mean
