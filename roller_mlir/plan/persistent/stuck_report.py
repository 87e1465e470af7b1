# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a persistent kernel writes at the end of its state where it gives up a wait, and how that reads."""

from collections.abc import Sequence

REPORT_CELLS = ("given up", "block", "position", "body", "task", "event", "has", "wants")
"""The cells of a report, i32 each; all are 0 where no wait was given up."""

REPORT_BYTES = 4 * len(REPORT_CELLS)


def stuck_report(kernel: str, cells: Sequence[int]) -> str | None:
    """Return what a report says, None where no wait was given up.

    Args:
        kernel: The kernel's name.
        cells: The report.

    >>> stuck_report("mlp", (1, 3, 0, 1, 5, 2, 4, 8)).partition(": ")[2]
    'block 3 at position 0 of its schedule (body 1, task 5) waits for event 2, which has 4 signals and wants 8'
    """
    given_up, block, position, body, task, event, has, wants = (int(one) for one in cells)
    if not given_up:
        return None
    return (
        f"kernel '{kernel}' gave up a wait, and its results are not valid: block {block} at position {position} of its "
        f"schedule (body {body}, task {task}) waits for event {event}, which has {has} signals and wants {wants}"
    )
