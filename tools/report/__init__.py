# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users read: explanations and reports as text, Markdown, HTML and SVG."""
