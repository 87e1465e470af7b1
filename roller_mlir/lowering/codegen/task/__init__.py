# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The task body of kernels whose threads all do the same: copies, the pipeline, arithmetic, joins, stores."""
