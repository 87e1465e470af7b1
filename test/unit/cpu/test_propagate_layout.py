# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks whose channels are brought last give what they give as they are, and nothing is copied inside of them."""

import re
from collections.abc import Callable
from math import inf

import pytest
from cpu_programs import differences, targets

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.lowering.linalg.rewrite.layout import propagate_layout
from roller_mlir.lowering.targets.stage import FUSED, NORMALISED

IMAGE = "affine_map<(n, c, h, w) -> (n, c, h, w)>"
CHANNEL = "affine_map<(n, c, h, w) -> (c)>"


class Text:
    """A function that grows op by op; images have channels first."""

    def __init__(self, channels: int, height: int, width: int, *, element: str = "f32", batch: int = 1) -> None:
        self.element, self.shape, self.lines, self.arguments, self.count = (
            element,
            (batch, channels, height, width),
            [],
            [],
            0,
        )
        self.value = self.argument(*self.shape)

    def tensor(self, *shape: int) -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{self.element}>"

    def argument(self, *shape: int) -> str:
        self.arguments.append(f"%arg{len(self.arguments)}: {self.tensor(*shape)}")
        return f"%arg{len(self.arguments) - 1}"

    def add(self, line: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {line}")
        return f"%v{self.count}"

    def empty(self, *shape: int) -> str:
        return self.add(f"tensor.empty() : {self.tensor(*shape)}")

    def filled(self, *shape: int) -> str:
        kind = self.tensor(*shape)
        return self.add(f"linalg.fill ins(%zero : {self.element}) outs({self.empty(*shape)} : {kind}) -> {kind}")

    def padded(self, size: int) -> str:
        n, c, h, w = self.shape
        inside = f"0, 0, {size}, {size}"
        found = self.add(
            f"""tensor.pad {self.value} low[{inside}] high[{inside}] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %zero : {self.element}
      }} : {self.tensor(*self.shape)} to {self.tensor(n, c, h + 2 * size, w + 2 * size)}"""
        )
        self.value, self.shape = found, (n, c, h + 2 * size, w + 2 * size)
        return found

    def window(self, name: str, filters: int, size: int, *, stride: int = 1, pad: int = 0) -> "Text":
        """Add a convolution (of each channel, if it is called so) or a pooling."""
        if pad:
            self.padded(pad)
        n, c, h, w = self.shape
        made = (n, filters, (h - size) // stride + 1, (w - size) // stride + 1)
        if "pooling" in name:
            other, kind = self.empty(size, size), self.tensor(size, size)
        else:
            form = (c, size, size) if "depthwise" in name else (filters, c, size, size)
            other, kind = self.argument(*form), self.tensor(*form)
        self.value = self.add(
            f"linalg.{name} {{dilations = dense<1> : tensor<2xi64>, strides = dense<{stride}> : tensor<2xi64>}} "
            f"ins({self.value}, {other} : {self.tensor(*self.shape)}, {kind}) "
            f"outs({self.filled(*made)} : {self.tensor(*made)}) -> {self.tensor(*made)}"
        )
        self.shape = made
        return self

    def each(self, body: str, *others: tuple[str, str, str], result: str = "%m") -> "Text":
        """Add an element-wise op, which reads others, each a value, its type, and a map."""
        kind, own = self.tensor(*self.shape), [self.value, *(one for one, _, _ in others)]
        kinds, maps = [kind, *(one for _, one, _ in others)], [IMAGE, *(one for _, _, one in others), IMAGE]
        names = ", ".join(f"%x{n}: {self.element}" for n in range(len(own) + 1))
        self.value = self.add(
            f"""linalg.generic {{indexing_maps = [{", ".join(maps)}],
          iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
          ins({", ".join(own)} : {", ".join(kinds)}) outs({self.empty(*self.shape)} : {kind}) {{
      ^bb0({names}):
        {body}
        linalg.yield {result} : {self.element}
      }} -> {kind}"""
        )
        return self

    def scaled(self) -> "Text":
        """Add a factor of each channel."""
        channels = self.shape[1]
        factor = self.argument(channels), self.tensor(channels), CHANNEL
        return self.each(f"%m = arith.mulf %x0, %x1 : {self.element}", factor)

    def with_image(self, value: str) -> "Text":
        """Add another image."""
        other = value, self.tensor(*self.shape), IMAGE
        return self.each(f"%m = arith.addf %x0, %x1 : {self.element}", other)

    def relu(self) -> "Text":
        """Add what is positive."""
        return self.each(f"%m = arith.maximumf %x0, %zero : {self.element}")

    def joined(self, *others: tuple[str, int]) -> "Text":
        """Put channels of images together: its own, and of each other one a value and its channels."""
        n, c, h, w = self.shape
        counts = [c, *(count for _, count in others)]
        values = ", ".join([self.value, *(value for value, _ in others)])
        kinds = ", ".join(self.tensor(n, count, h, w) for count in counts)
        self.shape = (n, sum(counts), h, w)
        self.value = self.add(f"tensor.concat dim(1) {values} : ({kinds}) -> {self.tensor(*self.shape)}")
        return self

    def text(self, *more: tuple[str, str]) -> str:
        """Return the function, whose results are the last value and others."""
        results = [(self.value, self.tensor(*self.shape)), *more]
        names, kinds = (", ".join(each) for each in zip(*results, strict=True))
        body = "\n      ".join(self.lines)
        return f"""func.func @f({", ".join(self.arguments)}) -> ({kinds}) {{
      %zero = arith.constant 0.0 : {self.element}
      {body}
      return {names} : {kinds}
    }}"""


def block() -> str:
    one = Text(6, 9, 11).window("conv_2d_nchw_fchw", 8, 3, pad=1).scaled().relu()
    kept = one.value
    one.window("conv_2d_nchw_fchw", 8, 3, pad=1).scaled().with_image(kept).relu()
    return one.window("depthwise_conv_2d_nchw_chw", 8, 3, stride=2, pad=1).scaled().text()


def pooled() -> str:
    one = Text(5, 13, 7, batch=2).window("pooling_nchw_max", 5, 3, stride=2, pad=1).window("conv_2d_nchw_fchw", 7, 1)
    return one.window("pooling_nchw_sum", 7, 2).relu().text()


def several_readers() -> str:
    one = Text(4, 8, 8).window("conv_2d_nchw_fchw", 6, 3)
    first, kind = one.value, one.tensor(*one.shape)
    one.relu().with_image(one.argument(*one.shape))
    return one.window("conv_2d_nchw_fchw", 3, 2, stride=2).text((first, kind))


def squeezed() -> str:
    """Each channel has a factor that is made of all of its pixels, an image of one pixel."""
    one = Text(4, 5, 6).window("conv_2d_nchw_fchw", 6, 2)
    image, shape = one.value, one.shape
    one.window("depthwise_conv_2d_nchw_chw", 6, 4)
    one.shape = (*one.shape[:2], 1, 2)
    pixel = "affine_map<(n, c, h, w) -> (n, c, 0, 1)>"
    factor = one.value, one.tensor(*one.shape), pixel
    one.value, one.shape = image, shape
    return one.each("%m = arith.mulf %x0, %x1 : f32", factor).window("conv_2d_nchw_fchw", 3, 2).text()


def accumulated() -> str:
    """A bias of each channel is where sums begin."""
    one = Text(4, 6, 6).window("conv_2d_nchw_fchw", 6, 3)
    begun = Text(1, 1, 1)
    begun.lines, begun.arguments, begun.count, begun.shape = [], one.arguments, 100, one.shape
    bias = one.argument(6), one.tensor(6), CHANNEL
    begun.value = one.argument(*one.shape)
    begun.each("%m = arith.addf %x0, %x1 : f32", bias)
    return (
        one.text()
        .replace("      %v1 = ", "      " + "\n      ".join(begun.lines) + "\n      %v1 = ", 1)
        .replace("outs(%v2", f"outs({begun.value}", 1)
    )


def summed() -> str:
    """The sums of one convolution begin with another one's results."""
    one = Text(4, 6, 6).window("conv_2d_nchw_fchw", 6, 3)
    first, shape = one.value, one.shape
    one.value, one.shape = "%arg0", (1, 4, 6, 6)
    text = one.window("conv_2d_nchw_fchw", 6, 3).relu().text()
    assert one.shape == shape
    *_, filled = re.findall(r"(%v\d+) = linalg.fill", text)
    return text.replace(f"outs({filled}", f"outs({first}")


def joined() -> str:
    """Two convolutions of one image, and an image that is given; some of what is joined is read by others, too."""
    one = Text(3, 6, 5, batch=2).window("conv_2d_nchw_fchw", 4, 3)
    first, shape = one.value, one.shape
    one.window("conv_2d_nchw_fchw", 5, 3, pad=1).relu()
    kept, kind = one.value, one.tensor(*one.shape)
    one.joined((first, shape[1]), (one.argument(2, 2, *shape[2:]), 2))
    one.window("pooling_nchw_max", 11, 3, pad=1)
    whole, wide = one.value, one.shape[1]
    one.window("conv_2d_nchw_fchw", 3, 1).joined((whole, wide))
    return one.window("conv_2d_nchw_fchw", 2, 2).text((kept, kind), (whole, one.tensor(2, wide, *shape[2:])))


def many_joined() -> str:
    """More images than one op puts together."""
    one = Text(2, 4, 4)
    parts = [one.window("conv_2d_nchw_fchw", 2, 1).value for _ in range(40)]
    return one.joined(*((part, 2) for part in parts[:-1])).window("conv_2d_nchw_fchw", 3, 3).text()


def positions() -> str:
    """As means of windows divide by how many of their points are pixels."""
    one = Text(3, 5, 6).window("conv_2d_nchw_fchw", 4, 3)
    body = "\n        ".join(
        f"""%i{d} = linalg.index {d} : index
        %n{d} = arith.index_cast %i{d} : index to i32
        %f{d} = arith.sitofp %n{d} : i32 to f32
        %s{d} = arith.mulf %f{d}, %{"x0" if d == 0 else f"t{d - 1}"} : f32
        %t{d} = arith.addf %s{d}, %f{d} : f32"""
        for d in range(4)
    )
    return one.each(body, result="%t3").window("conv_2d_nchw_fchw", 2, 2).text()


def padded() -> str:
    """An element-wise op, too, may read what lies around an image."""
    one = Text(3, 5, 4).window("conv_2d_nchw_fchw", 4, 2)
    one.padded(1)
    return one.relu().window("pooling_nchw_max", 4, 3, stride=2).text()


NETWORKS: dict[str, Callable[[], str]] = {
    "block": block,
    "pooled": pooled,
    "several readers": several_readers,
    "squeezed": squeezed,
    "accumulated": accumulated,
    "summed": summed,
    "joined": joined,
    "many joined": many_joined,
    "positions": positions,
    "padded": padded,
    "f64": lambda: Text(3, 5, 5, element="f64").window("conv_2d_nchw_fchw", 4, 2).relu().text(),
    "one pixel": lambda: (
        Text(3, 1, 1).window("conv_2d_nchw_fchw", 1, 1).relu().window("conv_2d_nchw_fchw", 5, 1).text()
    ),
}


def fused(text: str) -> str:
    """Return a function behind `rtile-fuse`."""
    return lower_until(Source("-", text), "haswell", CompileOptions(binaries=False, fusion=False), FUSED)[0]


@pytest.mark.parametrize("name", NETWORKS)
def test_they_give_what_they_give_as_they_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propagate_layout, "WORTH", inf)
    text = NETWORKS[name]()
    changed = fused(text)
    assert "nchw" not in changed
    for target in targets():
        artifact = roller_mlir.compile(text, target, options=CompileOptions(cache=False))
        assert differences(text, artifact) == []


def test_nothing_is_copied_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propagate_layout, "WORTH", inf)
    turned = re.findall(r"\(d0, d[123], d[123], d[123]\)>", fused(block()))
    assert fused(block()).count("linalg.yield %in : f32") == 2, turned  # of the argument, and of the result


def test_channels_are_the_innermost_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind those of the window, each of whose taps then has a loop over neighbours; images are n, h, w, c."""
    monkeypatch.setattr(propagate_layout, "WORTH", inf)
    loops = "d0, d1, d2, d3, d4, d5, d6"
    changed = fused(Text(4, 6, 6).window("conv_2d_nchw_fchw", 6, 3).text())
    maps = (
        f"({loops}) -> (d0, d1 + d4, d2 + d5, d6)",
        f"({loops}) -> (d3, d6, d4, d5)",
        f"({loops}) -> (d0, d1, d2, d3)",
    )
    assert all(f"affine_map<{one}>" in changed for one in maps)
    kinds = ["parallel"] * 4 + ["reduction"] * 3
    assert f"iterator_types = [{', '.join(f'{one!r}' for one in kinds)}]".replace("'", '"') in changed


def test_it_is_not_done_where_it_saves_nothing_or_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    text = Text(2, 6, 6).window("conv_2d_nchw_fchw", 2, 3).text()
    assert "nchw" in fused(text)
    monkeypatch.setattr(propagate_layout, "WORTH", inf)
    options = CompileOptions(binaries=False, fusion=False, propagate_layouts=False)
    assert "nchw" in lower_until(Source("-", text), "haswell", options, FUSED)[0]
    assert "nchw" in lower_until(Source("-", text), "h200", CompileOptions(binaries=False, fusion=False), FUSED)[0]


def test_what_reads_its_position_reads_that_of_its_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(propagate_layout, "WORTH", inf)
    one = Text(4, 6, 6).window("conv_2d_nchw_fchw", 6, 3)
    body = """%at = linalg.index 1 : index
        %i = arith.index_cast %at : index to i32
        %r = arith.sitofp %i : i32 to f32
        %m = arith.mulf %x0, %r : f32"""
    changed = fused(one.each(body).text())
    # Its loops are pixels and channels then.
    assert "nchw" not in changed and "linalg.index 1 : index" in changed and "tensor<16x6xf32>" in changed


def test_channels_are_joined_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies are of arguments and results alone: two of those, three of these."""
    monkeypatch.setattr(propagate_layout, "WORTH", inf)
    assert fused(joined()).count("linalg.yield %in : f32") == 2 + 3


@pytest.mark.parametrize(("place", "done"), [(36, True), (35, False), (9, False)])
def test_what_takes_other_elements_is_no_join(place: int, done: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The body of an op that looks like one decides: a point less, or a channel, is of the other image."""
    monkeypatch.setattr(propagate_layout, "WORTH", inf)
    one = Text(3, 5, 5).window("conv_2d_nchw_fchw", 4, 3)
    first = one.value, 4
    one.window("conv_2d_nchw_fchw", 4, 1).joined(first).window("conv_2d_nchw_fchw", 2, 2)
    text = lower_until(Source("-", one.text()), "haswell", CompileOptions(binaries=False), NORMALISED)[0]
    assert text.count("arith.constant 36 : index") == 1
    text = text.replace("arith.constant 36 : index", f"arith.constant {place} : index")
    # Its copies are of the argument, of the result, and where it is no join of both images in front and one behind.
    assert fused(text).count("linalg.yield %in : f32") == (2 if done else 5)
    for target in targets():
        assert differences(text, roller_mlir.compile(text, target, options=CompileOptions(cache=False))) == []
