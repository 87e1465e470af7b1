# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans that cases force in the place of the best one."""
