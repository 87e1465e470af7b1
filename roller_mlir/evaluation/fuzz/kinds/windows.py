# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random convolutions and poolings in 1 to 3 dimensions: any stride, dilation and padding, groups, depthwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roller_mlir.evaluation.fuzz.kinds.contractions import multiply
from roller_mlir.evaluation.fuzz.kinds.elementwise import plain, source
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import Info
from roller_mlir.evaluation.fuzz.program.numbers import Whole, product
from roller_mlir.evaluation.fuzz.program.program import Index, NamedOpNode, PadNode, Ref, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import apply, cast, constant, is_float, x

# Name: letters of image, window and result. "hwd" slide; n is the batch, c and f channels, g groups, m a multiplier.
CONVOLUTIONS = {
    "conv_1d_nwc_wcf": ("nwc", "wcf", "nwf"),
    "conv_1d_ncw_fcw": ("ncw", "fcw", "nfw"),
    "conv_2d_nhwc_hwcf": ("nhwc", "hwcf", "nhwf"),
    "conv_2d_nhwc_fhwc": ("nhwc", "fhwc", "nhwf"),
    "conv_2d_nchw_fchw": ("nchw", "fchw", "nfhw"),
    "conv_2d_ngchw_fgchw": ("ngchw", "fgchw", "ngfhw"),
    "conv_2d_ngchw_gfchw": ("ngchw", "gfchw", "ngfhw"),
    "conv_2d_nhwgc_gfhwc": ("nhwgc", "gfhwc", "nhwgf"),
    "conv_3d_ndhwc_dhwcf": ("ndhwc", "dhwcf", "ndhwf"),
    "conv_3d_ncdhw_fcdhw": ("ncdhw", "fcdhw", "nfdhw"),
    "depthwise_conv_1d_nwc_wc": ("nwc", "wc", "nwc"),
    "depthwise_conv_1d_ncw_cw": ("ncw", "cw", "ncw"),
    "depthwise_conv_1d_nwc_wcm": ("nwc", "wcm", "nwcm"),
    "depthwise_conv_2d_nhwc_hwc": ("nhwc", "hwc", "nhwc"),
    "depthwise_conv_2d_nchw_chw": ("nchw", "chw", "nchw"),
    "depthwise_conv_2d_nhwc_hwcm": ("nhwc", "hwcm", "nhwcm"),
    "depthwise_conv_3d_ndhwc_dhwc": ("ndhwc", "dhwc", "ndhwc"),
}
POOLINGS = {
    **{f"pooling_nhwc_{kind}": ("nhwc", "hw", "nhwc") for kind in ("sum", "max", "min")},
    **{f"pooling_nchw_{kind}": ("nchw", "hw", "nchw") for kind in ("sum", "max")},
    **{f"pooling_nwc_{kind}": ("nwc", "w", "nwc") for kind in ("sum", "max", "min")},
    **{f"pooling_ncw_{kind}": ("ncw", "w", "ncw") for kind in ("sum", "max")},
    **{f"pooling_ndhwc_{kind}": ("ndhwc", "dhw", "ndhwc") for kind in ("sum", "max", "min")},
}
SPATIAL = "dhw"
NEUTRAL = {"sum": 0.0, "max": float("-inf"), "min": float("inf")}


@dataclass(frozen=True)
class _Window:
    """Extents of a window op, by letter; outer ones of sliding letters are the result's."""

    outer: Mapping[str, Whole]
    size: Mapping[str, Whole]
    stride: Mapping[str, Whole]
    dilation: Mapping[str, Whole]
    low: Mapping[str, Whole]
    high: Mapping[str, Whole]

    def image(self, letter: str) -> Whole:
        """Return an extent of the image before its padding."""
        if letter not in self.size:
            return self.outer[letter]
        reach = (self.outer[letter] - 1) * self.stride[letter] + (self.size[letter] - 1) * self.dilation[letter] + 1
        return reach - self.low[letter] - self.high[letter]


def _draw(b: Builder, letters: Sequence[str]) -> _Window:
    slides = [letter for letter in letters if letter in SPATIAL]
    strided, dilated, padded = b.chance(0.4), b.chance(0.25), b.chance(0.35)
    size = {s: b.knob(b.random.choice((1, 2, 3, 3, 3, 4, 5, 7))) for s in slides}
    stride = {s: b.knob(b.random.choice((1, 2, 2, 3, 4)) if strided else 1) for s in slides}
    dilation = {s: b.knob(b.random.choice((1, 2, 3)) if dilated else 1) for s in slides}
    room = max(1, b.most_points // max(1, b.at(product(list(size.values())))))
    outer: dict[str, Whole] = {}
    for letter in sorted(letters, key=lambda one: one in SPATIAL):
        if letter in SPATIAL:
            share = int(room ** (1 / max(1, sum(one not in outer for one in slides))))
            outer[letter] = b.extent(min(share, 64))
        else:
            choices = (1, 1, 2, 3) if letter in "ng" else b.channels
            outer[letter] = b.knob(b.random.choice([n for n in choices if n * n <= room] or [1]))
        room //= max(1, b.at(outer[letter]))
    low: dict[str, Whole] = {}
    high: dict[str, Whole] = {}
    for s in slides:
        most = (b.at(size[s]) - 1) * b.at(dilation[s]) if padded else 0
        image = (b.at(outer[s]) - 1) * b.at(stride[s]) + (b.at(size[s]) - 1) * b.at(dilation[s]) + 1
        before = b.random.randint(0, most) if b.chance(0.3) else most // 2
        behind = b.random.randint(0, most) if b.chance(0.3) else before
        if image - before - behind < 1:
            before = behind = 0
        low[s], high[s] = b.knob(before, 0), b.knob(behind, 0)
    return _Window(outer, size, stride, dilation, low, high)


def _image(b: Builder, window: _Window, letters: str, element: str, pad: float) -> Ref:
    shape = [window.image(letter) for letter in letters]
    image = source(b, shape, element)
    low = [window.low.get(letter, 0) for letter in letters]
    high = [window.high.get(letter, 0) for letter in letters]
    if not any(b.at(n) for n in (*low, *high)):
        return image
    padded = tuple(n + a + c for n, a, c in zip(shape, low, high, strict=True))
    kind = Tensor(padded, element)
    return b.copy_info(PadNode(operands=(image,), types=(kind,), low=tuple(low), high=tuple(high), value=pad))


def named_convolution(b: Builder, given: str, element: str, names: Sequence[str] = tuple(CONVOLUTIONS)) -> list[Ref]:
    """Return a convolution as a named op, one of some."""
    name = b.random.choice(names)
    image, filters, result = CONVOLUTIONS[name]
    window = _draw(b, sorted({*image, *filters, *result}))
    source_image = _image(b, window, image, given, 0.0)
    weights = source(b, [window.size.get(letter, window.outer[letter]) for letter in filters], given)
    shape = tuple(window.outer[letter] for letter in result)
    node = NamedOpNode(
        operands=(source_image, weights, b.start(shape, element, 0.0)),
        types=(Tensor(shape, element),),
        name=name,
        attributes=_steps(window, image),
    )
    return [multiply(b, node, [*window.outer.values(), *window.size.values()], given, element)]


def _steps(window: _Window, image: str) -> tuple[tuple[str, tuple[Whole, ...]], ...]:
    slides = [letter for letter in image if letter in SPATIAL]
    return (
        ("dilations", tuple(window.dilation[s] for s in slides)),
        ("strides", tuple(window.stride[s] for s in slides)),
    )


def generic_convolution(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a convolution of any layout as a generic; sometimes grouped or depthwise, sometimes another reduction."""
    slides = "w" if b.chance(0.3) else "hw" if b.chance(0.8) else "dhw"
    grouped, deep = b.chance(0.2), b.chance(0.75)
    letters = [*slides, "n"] if b.chance(0.8) else [*slides]
    letters += ["g"] if grouped or not deep else []
    letters += ["c", "f"] if deep else []
    window = _draw(b, letters)
    image = [letter for letter in letters if letter != "f"]
    filters = [letter for letter in letters if letter != "n"]
    result = [letter for letter in letters if letter != "c"]
    for order in (image, filters, result):
        b.random.shuffle(order)
    names = [*letters, *(s.upper() for s in slides)]
    b.random.shuffle(names)
    loops = [window.size[name.lower()] if name.isupper() else window.outer[name] for name in names]

    def loop(name: str, step: Whole = 1) -> Index:
        return b.loop(names.index(name), len(names), step)

    def slide(letter: str) -> Index:
        coefficients: list[Whole] = [0] * len(names)
        coefficients[names.index(letter)] = window.stride[letter]
        coefficients[names.index(letter.upper())] = window.dilation[letter]
        return Index(tuple(coefficients))

    picture = _image(b, window, "".join(image), given, 0.0)
    weights = source(b, [window.size.get(letter, window.outer[letter]) for letter in filters], given)
    inputs = [
        (picture, [slide(letter) if letter in slides else loop(letter) for letter in image]),
        (weights, [loop(letter.upper() if letter in slides else letter) for letter in filters]),
    ]
    start = b.start([window.outer[letter] for letter in result], element, 0.0)
    point = apply("mul", cast(x(0), element), cast(x(1), element))
    outputs = [(start, [names.index(letter) for letter in result])]
    return [b.generic(loops, inputs, outputs, [point], ["add"])]


def pooling(b: Builder, element: str) -> list[Ref]:
    """Return a pooling as a named op; an average is one with a multiplication behind."""
    name = b.random.choice(list(POOLINGS))
    image, sizes, result = POOLINGS[name]
    kind = name.rsplit("_", 1)[1]
    window = _draw(b, sorted({*image}))
    neutral = NEUTRAL[kind]
    picture = _image(b, window, image, element, neutral if b.chance(0.85) else 0.0)
    shape = tuple(window.outer[letter] for letter in result)
    over = b.fill([window.size[letter] for letter in sizes], element)
    start = b.start(shape, element, neutral)
    node = NamedOpNode(
        operands=(picture, over, start), types=(Tensor(shape, element),), name=name, attributes=_steps(window, image)
    )
    reduced = b.at(product(list(window.size.values())))

    def point(known: list[Info]) -> Info:
        return known[0]

    ref = b.named(
        node, reduced * b.at(product(shape)), reduced, point, {"sum": "add", "max": "max", "min": "min"}[kind]
    )
    if kind == "sum" and is_float(element) and b.chance(0.4):
        body = apply("mul", x(0), constant(1.0 / reduced, element))
        ref = b.pointwise(shape, [(ref, plain(b, len(shape)))], element, body)
    return [ref]
