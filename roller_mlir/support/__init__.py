# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ground of all: bindings, diagnostics, the pass base, the pipeline parser, and `foreign`, which needs no MLIR."""
