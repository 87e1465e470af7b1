# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs a kit on the machine with the device. It imports the runtime and the records only, never the compiler."""
