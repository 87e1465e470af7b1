# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong between us and IREE."""


class IreeError(Exception):
    """No program of IREE can hold what was given, or IREE's compiler cannot be run or refuses; the message says why."""
