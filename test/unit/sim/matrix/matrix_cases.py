# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of one matrix instruction, and where lanes have the elements: once more, by hand, from the manuals."""

import ml_dtypes
import numpy as np

NUMPY = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "tf32": np.float32,
    "i8": np.int8,
    "i32": np.int32,
    "f64": np.float64,
}


def spelled(element):
    return "f32" if element == "tf32" else element


def kernel(instruction, shapes, elements):
    """Each lane loads its fragments from its row of the arguments, and stores D there."""
    lines, types = [], []
    for name, shape, element in zip("abc", shapes, elements, strict=True):
        points = int(np.prod(shape))
        kind = spelled(element)
        flat, whole = f"vector<{points}x{kind}>", f"vector<{'x'.join(map(str, shape))}x{kind}>" if shape else kind
        types.append((whole, flat, kind, points))
        lines.append(f"%{name}0 = vector.load %{name}[%l, %zero] : memref<{{lanes}}x{points}x{kind}>, {flat}")
        cast = f"vector.extract %{name}0[0] : {kind} from {flat}" if not shape else ""
        lines.append(f"%{name}1 = " + (cast or f"vector.shape_cast %{name}0 : {flat} to {whole}"))
    lanes = 64 if "mfma" in instruction else 32
    whole, flat, kind, points = types[2]
    body = "\n".join(lines).format(lanes=lanes)
    operation = instruction.format(*(kind[0] for kind in types))
    arguments = ", ".join(f"%{name}: memref<{lanes}x{t[3]}x{t[2]}>" for name, t in zip("abc", types, strict=True))
    return f"""gpu.module @kernels {{ gpu.func @k({arguments}) kernel {{
      %l = gpu.lane_id
      %zero = arith.constant 0 : index
      {body}
      %d1 = {operation}
      %d0 = vector.shape_cast %d1 : {whole} to {flat}
      vector.store %d0, %c[%l, %zero] : memref<{lanes}x{points}x{kind}>, {flat}
      gpu.return }} }}"""


def mma(m, n, k, tf32=False):
    extra = ", tf32Enabled" if tf32 else ""
    return f"nvgpu.mma.sync(%a1, %b1, %c1) {{{{mmaShape = [{m}, {n}, {k}]{extra}}}}} : ({{0}}, {{1}}, {{2}}) -> {{2}}"


def mfma(m, k):
    return f"amdgpu.mfma {m}x{m}x{k} %a1 * %b1 + %c1 blgp = none : {{0}}, {{1}}, {{2}}"


def rows_of_16(n, i):  # of C and D, m16n8
    return n // 4 + 8 * (i // 2), 2 * (n % 4) + i % 2


def rows_of_32(n, i):  # of C and D, 32x32
    return 8 * (i // 4) + 4 * (n // 32) + i % 4, n % 32


def columns_of_16(n, i):  # of C and D, 16x16
    return 4 * (n // 16) + i, n % 16


# Where lane n has element i of A, B and C, as the manuals write it, for mma.sync one register after the other.
HALF_K16 = (
    lambda n, i: (n // 4 + (8 if i in (2, 3, 6, 7) else 0), 2 * (n % 4) + i % 2 + (8 if i >= 4 else 0)),
    lambda n, i: (2 * (n % 4) + i % 2 + (8 if i >= 2 else 0), n // 4),
    rows_of_16,
)
HALF_K8 = (
    lambda n, i: (n // 4 + (8 if i >= 2 else 0), 2 * (n % 4) + i % 2),
    lambda n, i: (2 * (n % 4) + i, n // 4),
    rows_of_16,
)
CASES = {
    "mma k16 f16": ((16, 8, 16, "f16", "f32", (4, 2), (2, 2), (2, 2)), *HALF_K16),
    "mma k16 f16 to f16": ((16, 8, 16, "f16", "f16", (4, 2), (2, 2), (2, 2)), *HALF_K16),
    "mma k16 bf16": ((16, 8, 16, "bf16", "f32", (4, 2), (2, 2), (2, 2)), *HALF_K16),
    "mma k8 f16": ((16, 8, 8, "f16", "f32", (2, 2), (1, 2), (2, 2)), *HALF_K8),
    "mma k8 f16 to f16": ((16, 8, 8, "f16", "f16", (2, 2), (1, 2), (2, 2)), *HALF_K8),
    "mma k8 bf16": ((16, 8, 8, "bf16", "f32", (2, 2), (1, 2), (2, 2)), *HALF_K8),
    "mma k8 tf32": (
        (16, 8, 8, "tf32", "f32", (4, 1), (2, 1), (2, 2)),
        lambda n, i: (n // 4 + (8 if i in (1, 3) else 0), n % 4 + (4 if i >= 2 else 0)),
        lambda n, i: (n % 4 + 4 * i, n // 4),
        rows_of_16,
    ),
    "mma k4 tf32": (
        (16, 8, 4, "tf32", "f32", (2, 1), (1, 1), (2, 2)),
        lambda n, i: (n // 4 + 8 * i, n % 4),
        lambda n, i: (n % 4, n // 4),
        rows_of_16,
    ),
    "mma k32 i8": (
        (16, 8, 32, "i8", "i32", (4, 4), (2, 4), (2, 2)),
        lambda n, i: (n // 4 + (8 if 4 <= i < 8 or i >= 12 else 0), 4 * (n % 4) + i % 4 + (16 if i >= 8 else 0)),
        lambda n, i: (4 * (n % 4) + i % 4 + (16 if i >= 4 else 0), n // 4),
        rows_of_16,
    ),
    "mma k16 i8": (
        (16, 8, 16, "i8", "i32", (2, 4), (1, 4), (2, 2)),
        lambda n, i: (n // 4 + (8 if i >= 4 else 0), 4 * (n % 4) + i % 4),
        lambda n, i: (4 * (n % 4) + i, n // 4),
        rows_of_16,
    ),
    "mma k4 f64": (
        (8, 8, 4, "f64", "f64", (1, 1), (1, 1), (1, 2)),
        lambda n, i: (n // 4, n % 4),
        lambda n, i: (n % 4, n // 4),
        lambda n, i: (n // 4, 2 * (n % 4) + i),
    ),
    **{
        f"mfma 32x32x8 {element}": (
            (32, 32, 8, element, sums, (4,), (4,), (16,)),
            lambda n, i: (n % 32, 4 * (n // 32) + i),
            lambda n, i: (4 * (n // 32) + i, n % 32),
            rows_of_32,
        )
        for element, sums in (("f16", "f32"), ("bf16", "f32"), ("i8", "i32"))
    },
    **{
        f"mfma 16x16x16 {element}": (
            (16, 16, 16, element, sums, (4,), (4,), (4,)),
            lambda n, i: (n % 16, 4 * (n // 16) + i),
            lambda n, i: (4 * (n // 16) + i, n % 16),
            columns_of_16,
        )
        for element, sums in (("f16", "f32"), ("bf16", "f32"), ("i8", "i32"))
    },
    "mfma 32x32x2 f32": (
        (32, 32, 2, "f32", "f32", (), (), (16,)),
        lambda n, i: (n % 32, n // 32),
        lambda n, i: (n // 32, n % 32),
        rows_of_32,
    ),
    "mfma 16x16x4 f32": (
        (16, 16, 4, "f32", "f32", (), (), (4,)),
        lambda n, i: (n % 16, n // 16),
        lambda n, i: (n // 16, n % 16),
        columns_of_16,
    ),
    "mfma 32x32x16 i8": (
        (32, 32, 16, "i8", "i32", (8,), (8,), (16,)),
        lambda n, i: (n % 32, 8 * (n // 32) + i),
        lambda n, i: (8 * (n // 32) + i, n % 32),
        rows_of_32,
    ),
    "mfma 16x16x32 i8": (
        (16, 16, 32, "i8", "i32", (8,), (8,), (4,)),
        lambda n, i: (n % 16, 8 * (n // 16) + i),
        lambda n, i: (8 * (n // 16) + i, n % 16),
        columns_of_16,
    ),
    "mfma 16x16x4 f64": (
        (16, 16, 4, "f64", "f64", (), (), (4,)),
        lambda n, i: (n % 16, n // 16),
        lambda n, i: (n // 16, n % 16),
        lambda n, i: (4 * i + n // 16, n % 16),
    ),
}
