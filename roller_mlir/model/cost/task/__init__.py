# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The work of a task: its steps, what follows the last one, and its stores."""
