# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command-line tools: `roller-opt` over IR, `roller` over artifacts, and the generator of the reference pages."""
