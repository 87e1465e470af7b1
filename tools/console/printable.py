# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A console of `rich` that prints no control characters but its own colours."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from roller_mlir.support.foreign.printable import printable


class PrintableConsole(Console):
    """Spells control characters of what it prints."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as `Console` does."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))
