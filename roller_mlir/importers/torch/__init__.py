# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of PyTorch to linalg on tensors: `import_model`; needs the package torch."""

from roller_mlir.importers.torch.model import import_model

__all__ = ["import_model"]
