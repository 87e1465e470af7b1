# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The libraries that compute problems on the host, and this compiler, each as a peer."""
