# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of decoding with a small transformer: one token for each sequence, keys and values of those before it kept.

Not of RAMMER. Layers have the form of LLaMA (arXiv 2302.13971): normalization by the root mean square in front of
attention and of a gated feed-forward part, no biases. The embedding of the token, with its position, is an argument.
"""

from dataclasses import dataclass

from roller_mlir.evaluation.suites.models.network import Network, V


@dataclass(frozen=True)
class Decoder:
    """One step of a decoder.

    Attributes:
        layers: How many.
        heads: Of attention.
        width: Of a head.
        hidden: Of the feed-forward part.
        length: Tokens that are kept; the step writes the last one.
        classes: Size of the vocabulary.
    """

    layers: int = 4
    heads: int = 8
    width: int = 64
    hidden: int = 1536
    length: int = 256
    classes: int = 4096

    def scaled(self, scale: int) -> "Decoder":
        """Return a smaller one."""
        sizes = (max(2, self.heads // scale), max(4, self.width // scale), max(8, self.hidden // scale))
        return Decoder(
            max(2, self.layers // scale), *sizes, max(8, self.length // scale), max(16, self.classes // scale)
        )

    def build(self, net: Network[V], batch: int) -> list[V]:
        """Write the step; it returns scores of the next token, then keys and values of each layer, with the new."""
        model, rows = self.heads * self.width, batch * self.heads
        x = net.argument("x", (batch, model))
        kept: list[V] = []
        for layer in range(self.layers):
            name = f"layer{layer}"
            y = self._normalized(net, x, f"{name}_attention")
            query, *new = (
                net.reshaped(
                    net.reshaped(
                        self._projected(net, y, f"{name}_{which}", model),
                        ((0,), (1, 2)),
                        (batch, self.heads, self.width),
                    ),
                    ((0, 1), (2,)),
                    (rows, self.width),
                )
                for which in ("query", "key", "value")
            )
            caches: list[V] = []
            for which, rest in zip(("keys", "values"), new, strict=True):
                cache = net.argument(f"{which}{layer}", (rows, self.length, self.width))
                caches.append(net.inserted(rest, cache, (0, self.length - 1, 0), (rows, 1, self.width)))
            kept += caches
            scores = net.pointwise("times", net.rows_times(query, caches[0], turned=True), number=self.width**-0.5)
            found = net.rows_times(net.softmax(scores), caches[1], turned=False)
            found = net.reshaped(found, ((0, 1), (2,)), (batch, self.heads, self.width))
            found = net.reshaped(found, ((0,), (1, 2)), (batch, model))
            x = net.pointwise("add", x, self._projected(net, found, f"{name}_out", model))
            y = self._normalized(net, x, f"{name}_feed")
            gate, up = (self._projected(net, y, f"{name}_{which}", self.hidden) for which in ("gate", "up"))
            x = net.pointwise("add", x, self._projected(net, net.pointwise("gated", gate, up), f"{name}_down", model))
        return [self._projected(net, self._normalized(net, x, "last"), "classes", self.classes), *kept]

    def _projected(self, net: Network[V], x: V, name: str, columns: int) -> V:
        inner = net.shape(x)[1]
        return net.product(x, net.weight(name, (inner, columns), inner**-0.5))

    def _normalized(self, net: Network[V], x: V, name: str) -> V:
        columns = net.shape(x)[1]
        gain = net.weight(f"{name}_gain", (columns,), 0.1, 1)
        squares = net.sums(x, 1, squared=True)
        return net.pointwise("root_mean_square", x, (squares, (0,)), (gain, (1,)), number=1 / columns)
