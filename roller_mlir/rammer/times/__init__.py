# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted times of a schedule: walked task by task, what memory alone takes, and what it is compared with."""
