# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every command shares: arguments, errors, colour, signals, output."""
