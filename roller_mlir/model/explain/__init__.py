# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why the construction chose what it chose."""
