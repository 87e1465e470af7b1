# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boosted regression trees as numbers: evaluated with numpy alone, whoever trained them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, TypeAlias

from roller_mlir.plan.records.codec import Range

if TYPE_CHECKING:  # imported where trees are evaluated: whoever has no residual needs no numpy
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.intp]
    Terms: TypeAlias = NDArray[np.float32]
    Sums: TypeAlias = NDArray[np.float64]

MOST_NODES = 1 << 18
_ROWS_AT_A_TIME = 4096

Node: TypeAlias = Annotated[int, Range(0, MOST_NODES)]
Term: TypeAlias = Annotated[int, Range(-1, 4096)]


@dataclass(frozen=True, kw_only=True)
class Trees:
    """The nodes of all trees, one after the other; of a split, both children come behind it.

    Attributes:
        constant: What the sum over the trees begins with.
        roots: First node of each tree.
        term: Of a split the number of the term that decides; -1 of a leaf.
        threshold: Of a split: rows whose term is at most this go left, both as f32. 0 of a leaf.
        left: Of a split: the child of these rows; 0 of a leaf.
        right: Of a split: the child of the others; 0 of a leaf.
        value: Of a leaf what it adds; 0 of a split.

    Raises:
        ValueError: They are no trees.
    """

    constant: float
    roots: tuple[Node, ...]
    term: tuple[Term, ...]
    threshold: tuple[float, ...]
    left: tuple[Node, ...]
    right: tuple[Node, ...]
    value: tuple[float, ...]

    def __post_init__(self) -> None:
        count = len(self.term)
        if count > MOST_NODES:
            raise ValueError(f"trees may have {MOST_NODES} nodes, but have {count}")
        for name in ("threshold", "left", "right", "value"):
            if (given := len(getattr(self, name))) != count:
                raise ValueError(f"{name} must have a value for each of {count} nodes, but has {given}")
        if not all(0 <= root < count for root in self.roots):
            raise ValueError(f"roots must be nodes, which are 0 to {count - 1}, but got {max(self.roots)}")
        for node, (term, left, right) in enumerate(zip(self.term, self.left, self.right, strict=True)):
            if term >= 0 and not node < min(left, right) <= max(left, right) < count:
                raise ValueError(f"node {node} must have children behind it, below {count}, but got {left} and {right}")

    @cached_property
    def depth(self) -> int:
        """Splits on the longest way from a root to a leaf."""
        below = [0] * len(self.term)
        for node in range(len(self.term) - 1, -1, -1):
            if self.term[node] >= 0:
                below[node] = 1 + max(below[self.left[node]], below[self.right[node]])
        return max((below[root] for root in self.roots), default=0)

    @cached_property
    def _walked(self) -> "tuple[Numbers, Numbers, Terms, Numbers, Sums]":
        """Nodes as arrays in which a leaf is its own child: roots, term, threshold, children (right, left), value."""
        import numpy as np

        own = np.arange(len(self.term))
        term = np.array(self.term, dtype=np.intp)
        leaf = term < 0
        children = [np.where(leaf, own, np.array(side, dtype=np.intp)) for side in (self.right, self.left)]
        threshold = np.array(self.threshold, dtype=np.float32)
        roots, value = np.array(self.roots, dtype=np.intp), np.array(self.value, dtype=np.float64)
        return roots, np.where(leaf, 0, term), threshold, np.stack(children, axis=1).ravel(), value

    def evaluate(self, rows: "Terms") -> "Sums":
        """Return the sum over the trees for each row.

        Args:
            rows: One value of each term a row, [rows, terms], as f32 whatever they were computed in.

        >>> import numpy as np
        >>> one = Trees(constant=1, roots=(0,), term=(0, -1, -1), threshold=(2.5, 0, 0), left=(1, 0, 0),
        ...             right=(2, 0, 0), value=(0, 10, 20))
        >>> one.evaluate(np.array([[2.0], [3.0]], dtype=np.float32)).tolist()
        [11.0, 21.0]
        """
        import numpy as np

        pieces = [self._sums(rows[at : at + _ROWS_AT_A_TIME]) for at in range(0, len(rows), _ROWS_AT_A_TIME)]
        return np.concatenate(pieces) if pieces else np.zeros(0)

    def _sums(self, rows: "Terms") -> "Sums":
        import numpy as np

        roots, term, threshold, children, value = self._walked
        flat, first = rows.ravel(), (np.arange(len(rows)) * rows.shape[1])[:, None]
        at = np.broadcast_to(roots, (len(rows), len(roots)))
        for _ in range(self.depth):
            goes_left = flat[first + term[at]] <= threshold[at]
            at = children[2 * at + goes_left]
        sums: Sums = value[at].sum(axis=1)
        return sums + self.constant
