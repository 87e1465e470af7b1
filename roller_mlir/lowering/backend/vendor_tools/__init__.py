# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vendors' tools: where they are, and how one is run."""
