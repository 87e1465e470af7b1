# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrices that subgroups hold together (`gpu.subgroup_mma_*`) against numpy; what is refused, what is found."""

import numpy as np
import pytest

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

WORKGROUP = "#gpu.address_space<workgroup>"


def kernel(sums="f32", *, a="", b="", d="", more="", result="%d", start="%zero", offset="%zero", before="gpu.barrier"):
    """D = A B + C; A goes through workgroup memory, whose rows have 24 elements, the others are in global memory.

    `a`, `b` and `d` are "transpose" where the matrix lies in memory by columns.
    """
    memory = f"memref<16x24xf16, {WORKGROUP}>"
    kinds = ("f16", "f16", sums)
    matrix = {name: f'!gpu.mma_matrix<16x16x{kind}, "{name}Op">' for name, kind in zip("ABC", kinds, strict=True)}
    transposed = ", ".join(f"{name}_transpose" for name, one in (("a", a), ("b", b)) if one)
    lead = {
        name: f"{{leadDimension = {n} : index{', ' + t if t else ''}}}"
        for name, n, t in (("a", 24, a), ("b", 32, b), ("c", 16, ""), ("d", 16, d))
    }
    return f"""gpu.module @kernels {{
      gpu.func @k(%x: memref<16x16xf16>, %y: memref<48x32xf16>, %z: memref<16x16x{sums}>)
          workgroup(%w: {memory}) kernel {{
        %l = gpu.thread_id x
        %zero = arith.constant 0 : index
        %two = arith.constant 2 : index
        %eight = arith.constant 8 : index
        %sixteen = arith.constant 16 : index
        %half = arith.remui %l, %two : index
        %row = arith.divui %l, %two : index
        %column = arith.muli %half, %eight : index
        %v = vector.load %x[%row, %column] : memref<16x16xf16>, vector<8xf16>
        vector.store %v, %w[%row, %column] : {memory}, vector<8xf16>
        {before}
        %a = gpu.subgroup_mma_load_matrix %w[%zero, {offset}] {lead["a"]} : {memory} -> {matrix["A"]}
        %b = gpu.subgroup_mma_load_matrix %y[%sixteen, %sixteen] {lead["b"]} : memref<48x32xf16> -> {matrix["B"]}
        %c = gpu.subgroup_mma_load_matrix %z[{start}, %zero] {lead["c"]} : memref<16x16x{sums}> -> {matrix["C"]}
        %d = gpu.subgroup_mma_compute %a, %b, %c {{{transposed}}} : {matrix["A"]}, {matrix["B"]} -> {matrix["C"]}
        {more.format(**matrix)}
        gpu.subgroup_mma_store_matrix {result}, %z[%zero, %zero] {lead["d"]} : {matrix["C"]}, memref<16x16x{sums}>
        gpu.return }} }}"""


def run(text, sums="f32", threads=32, **options):
    random = np.random.default_rng(5)
    x, y = (random.integers(-8, 9, shape).astype(np.float16) for shape in ((16, 16), (48, 32)))
    z = random.integers(-8, 9, (16, 16)).astype(np.float32 if sums == "f32" else np.float16)
    before = z.astype(np.float64)
    SimulatedKernels(text, **options).launch("k", 1, threads, 0, [x, y, z])
    return x.astype(np.float64), y[16:32, 16:].astype(np.float64), before, z


@pytest.mark.full(each=["sanitize", "layouts", "sums"])
@pytest.mark.parametrize("sums", ["f32", "f16"])
@pytest.mark.parametrize("layouts", [("", "", ""), ("transpose", "", ""), ("", "transpose", "transpose")])
@pytest.mark.parametrize("sanitize", [False, True])
def test_product(sums, layouts, sanitize):
    a, b, c, d = run(kernel(sums, a=layouts[0], b=layouts[1], d=layouts[2]), sums, sanitize=sanitize)
    x, y, z = (one.T if by_columns else one for one, by_columns in zip((a, b, d), layouts, strict=True))
    assert np.array_equal(z, x @ y + c)


def test_in_a_loop():
    more = """
        %one = arith.constant 1 : index
        %three = arith.constant 3 : index
        %e = scf.for %i = %zero to %three step %one iter_args(%s = %d) -> ({C}) {{
          %n = gpu.subgroup_mma_compute %a, %b, %s : {A}, {B} -> {C}
          scf.yield %n : {C}
        }}"""
    a, b, c, d = run(kernel(more=more, result="%e"))
    assert np.array_equal(d, 4 * a @ b + c)


ELEMENTWISE = {
    "addf %d, %c": lambda d, c: d + c,
    "subf %d, %c": lambda d, c: d - c,
    "mulf %d, %c": lambda d, c: d * c,
    "maxf %d, %c": np.maximum,
    "minf %d, %c": np.minimum,
    "divf %d, %k": lambda d, c: d / 2,
    "negatef %d": lambda d, c: -d,
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("what", ELEMENTWISE)
def test_elementwise(what):
    kinds = "{C}, {C}" if "," in what else "{C}"
    more = f"""
        %k0 = arith.constant 2.0 : f32
        %k = gpu.subgroup_mma_constant_matrix %k0 : {{C}}
        %e = gpu.subgroup_mma_elementwise {what} : ({kinds}) -> {{C}}"""
    a, b, c, d = run(kernel(more=more, result="%e"))
    assert np.array_equal(d, ELEMENTWISE[what](a @ b + c, c))


def test_extension_of_elements():
    more = """
        %e0 = gpu.subgroup_mma_elementwise extf %a : ({A}) -> !gpu.mma_matrix<16x16xf32, "AOp">
        %k0 = arith.constant 1.0 : f32
        %k = gpu.subgroup_mma_constant_matrix %k0 : {C}
        %e = gpu.subgroup_mma_elementwise mulf %k, %k : ({C}, {C}) -> {C}"""
    *_, d = run(kernel(more=more, result="%e"))
    assert (d == 1).all()


REFUSED = {
    "a leadDimension that is a multiple of 16 bytes, but got 20 for memref<16x24xf16":
        kernel().replace("leadDimension = 24", "leadDimension = 20"),
    "must have a_transpose just where the matrix was loaded with transpose":
        kernel(a="transpose").replace("a_transpose", ""),
    "must be one of addf, subf, mulf, divf, maxf, minf, negatef, extf, but got addi": kernel(
        more="%e = gpu.subgroup_mma_elementwise addi %d, %d : ({C}, {C}) -> {C}"
    ),
    "'gpu.subgroup_mma_extract_thread_local' is not known to the simulator": kernel(
        more="%e = gpu.subgroup_mma_extract_thread_local %d[%zero] : {C} -> f32"
    ),
    "must be of 16x16 matrices of f16 or f32, but got !gpu.mma_matrix<16x8xf32": kernel(
        more="""%k0 = arith.constant 2.0 : f32
        %k = gpu.subgroup_mma_constant_matrix %k0 : !gpu.mma_matrix<16x8xf32, "AOp">"""
    ),
    "must not convert elements, but got !gpu.mma_matrix<16x16xf32": kernel(
        more="""%e = gpu.subgroup_mma_load_matrix %x[%zero, %zero] {{leadDimension = 16 : index}}
          : memref<16x16xf16> -> {C}"""
    ),
    "'gpu.subgroup_mma_compute' of !gpu.mma_matrix<16x16xf32, \"AOp\"> and": kernel(
        more="""%k0 = arith.constant 2.0 : f32
        %k = gpu.subgroup_mma_constant_matrix %k0 : !gpu.mma_matrix<16x16xf32, "AOp">
        %m = gpu.subgroup_mma_constant_matrix %k0 : !gpu.mma_matrix<16x16xf32, "BOp">
        %e = gpu.subgroup_mma_compute %k, %m, %d
          : !gpu.mma_matrix<16x16xf32, "AOp">, !gpu.mma_matrix<16x16xf32, "BOp"> -> {C}"""
    ),
    "must access memory of static extents here, but got memref<?x16xf16": kernel(
        more=f"""%arena = gpu.dynamic_shared_memory : memref<?xi8, {WORKGROUP}>
        %view = memref.view %arena[%zero][%two] : memref<?xi8, {WORKGROUP}> to memref<?x16xf16, {WORKGROUP}>
        %e = gpu.subgroup_mma_load_matrix %view[%zero, %zero] {{{{leadDimension = 8 : index}}}}
          : memref<?x16xf16, {WORKGROUP}> -> !gpu.mma_matrix<16x16xf16, "COp">"""
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message):
    with pytest.raises(DiagnosedError, match="error: ") as caught:
        SimulatedKernels(REFUSED[message])
    assert message in str(caught.value)


def test_other_subgroups():
    with pytest.raises(DiagnosedError, match="'gpu.subgroup_mma_load_matrix' needs subgroups of 32 lanes"):
        SimulatedKernels(kernel(), 64)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"start": "%l"}, "out-of-bounds"),
        ({"start": "%half"}, "out-of-bounds"),
        ({"offset": "%sixteen"}, "out-of-bounds"),
        ({"offset": "%eight"}, "misaligned"),
    ],
)
def test_matrices_outside_their_memory(changes, kind):
    with pytest.raises(SimulationError) as caught:
        run(kernel(**changes))
    assert caught.value.kind == kind


def test_lanes_that_name_different_matrices():
    text = kernel().replace("%y[%sixteen, %sixteen]", "%y[%place, %sixteen]")
    text = text.replace("%a = gpu", "%place = arith.muli %half, %sixteen : index\n%a = gpu", 1)
    with pytest.raises(
        SimulationError, match=r"thread \(1, 0, 0\) .* has operands of its own at gpu.subgroup_mma_load"
    ):
        run(text)


def test_a_missing_barrier():
    with pytest.raises(SanitizerError) as caught:
        run(kernel(before=""), sanitize=True)
    assert caught.value.findings[0].kind in ("read-after-write", "uninitialised-read", "write-after-read")


WINDOWS = """gpu.module @kernels {
  gpu.func @k(%x: memref<4x40xf16>, %y: memref<16x16xf16>, %at: memref<1xindex>) kernel {
    %zero = arith.constant 0 : index
    %row = memref.load %at[%zero] : memref<1xindex>
    %m = gpu.subgroup_mma_load_matrix %x[%row, %zero] {leadDimension = 8 : index, rtile.site = "windows"}
      : memref<4x40xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
    gpu.subgroup_mma_store_matrix %m, %y[%zero, %zero] {leadDimension = 16 : index}
      : !gpu.mma_matrix<16x16xf16, "COp">, memref<16x16xf16>
    gpu.return } }"""


@pytest.mark.parametrize("row", [0, 1])
def test_rows_that_overlap(row):
    x, y = np.arange(160, dtype=np.float16).reshape(4, 40), np.zeros((16, 16), np.float16)
    arguments = [x, y, np.array([2 * row])]
    kernels = SimulatedKernels(WINDOWS, sanitize=True)
    if row == 0:
        kernels.launch("k", 1, 32, 0, arguments)
        assert np.array_equal(y, x.reshape(-1)[8 * np.arange(16)[:, None] + np.arange(16)])
        counts = SimulatedKernels(WINDOWS, count=True).launch("k", 1, 32, 0, arguments).counts
        assert [(one.accesses, one.bytes) for one in counts.sites if one.site == "windows"] == [(1, 512)]
    else:
        with pytest.raises(SimulationError, match=r"is outside the 320 that are there: .* at 'windows'"):
            kernels.launch("k", 1, 32, 0, arguments)


def test_rows_along_an_outer_dimension():
    text = WINDOWS.replace("memref<4x40xf16>", "memref<17x1x16xf16>").replace("leadDimension = 8", "leadDimension = 16")
    text = text.replace("%x[%row, %zero]", "%x[%row, %zero, %zero]")
    x, y = np.arange(272, dtype=np.float16).reshape(17, 1, 16), np.zeros((16, 16), np.float16)
    SimulatedKernels(text, sanitize=True).launch("k", 1, 32, 0, [x, y, np.array([1])])
    assert np.array_equal(y, x[1:, 0])
