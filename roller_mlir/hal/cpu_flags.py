# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a core must have for code that LLVM makes for an architecture."""

_V3 = ("avx2", "fma", "bmi2", "f16c")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd")
_ZEN4 = (*_V4, "avx512_bf16", "avx512_vnni", "avx512_vbmi2", "avx512_bitalg", "avx512_vpopcntdq", "gfni")
_RAPIDS = (*_ZEN4, "avx_vnni", "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8")
NEEDED: dict[str, tuple[str, ...]] = {
    "x86-64": (),
    "x86-64-v3": _V3,
    "haswell": (*_V3, "invpcid"),
    "x86-64-v4": _V4,
    "znver4": _ZEN4,
    "znver5": (*_ZEN4, "avx_vnni", "movdiri"),
    **dict.fromkeys(("sapphirerapids", "emeraldrapids"), _RAPIDS),
}
"""Flags of x86 that LLVM may use for an architecture beside those of all x86-64, as Linux spells them."""
