# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ground that everything over MLIR stands on: bindings, diagnostics, the pass base and the pipeline parser."""
