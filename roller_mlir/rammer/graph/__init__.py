# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of operators as tasks: what each touches, and which must come before which."""
