# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that other tools wrote, as linalg on tensors: a file a format, each with `import_model`."""
