# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was built, compared with what the plan says: instructions, resources, operands."""
