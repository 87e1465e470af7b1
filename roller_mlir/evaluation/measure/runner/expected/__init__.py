# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an item must give, and on which inputs."""
