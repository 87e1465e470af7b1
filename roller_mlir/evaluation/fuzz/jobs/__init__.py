# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What worker processes are sent, do and send back."""
