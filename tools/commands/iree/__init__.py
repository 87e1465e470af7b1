# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller iree`: a module for each of its commands."""
