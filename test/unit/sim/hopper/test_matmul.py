# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A warp-specialised matmul, copied by tensor maps and multiplied by warpgroups, against numpy; then with mistakes."""

import functools
import random
import re

import numpy as np
import pytest
from hopper_kernels import Matmul

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

TYPES = {"f16": np.float16, "tf32": np.float32, "s8": np.int8}
SUMS = {"f32": np.float32, "f16": np.float16, "s32": np.int32}


def as_element(values, element):
    values = np.ascontiguousarray(values)
    if element == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(TYPES[element])


@functools.lru_cache(maxsize=64)
def compiled(text, sanitize):
    return SimulatedKernels(text, sanitize=sanitize)


def run(matmul, text=None, *, sanitize=False, seed=0, **how):
    """Whether the result is exact; the operands are small integers."""
    generator = np.random.default_rng(1)
    a = generator.integers(-2, 3, (matmul.m, matmul.k))
    b = generator.integers(-2, 3, (matmul.k, matmul.n))
    c = np.full((matmul.m, matmul.n), -99, SUMS[matmul.sums])
    given = [
        as_element(a.T if matmul.inner_m else a, matmul.element),
        as_element(b if matmul.inner_n else b.T, matmul.element),
        c,
    ]
    kernels = compiled(text or matmul.text(), sanitize)
    kernels.launch("matmul", matmul.grid, matmul.threads, 0, given, seed=seed, **how)
    return np.array_equal(c.astype(np.float64), (a @ b).astype(np.float64))


FORMS = [
    {},
    {"inner_n": False},
    {"inner_m": True},
    {"inner_m": True, "inner_n": False},
    {"element": "bf16", "tile_n": 64, "swizzle": 64},
    {"swizzle": 32, "tile_n": 64},
    {"swizzle": 32, "tile_n": 32, "inner_n": False},
    {"swizzle": 64, "tile_n": 64, "tile_k": 32, "inner_n": False, "inner_m": True},
    {"element": "tf32", "inner_n": False, "tile_k": 32},
    {"element": "s8", "sums": "s32", "inner_n": False, "tile_k": 128},
    {"sums": "f16", "k": 64},
    {"m": 200, "n": 136, "k": 200},
    {"tile_n": 8, "n": 24, "inner_n": False, "consumers": 1},
    {"tile_n": 256, "n": 256, "k": 128, "stages": 4},
    {"k": 64, "stages": 2, "consumers": 1},
]


@pytest.mark.full(every=15)
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_against_numpy(form):
    assert run(Matmul(**form))


@pytest.mark.full(each=["form", "sanitize", "seed"])
@pytest.mark.parametrize("form", [{}, {"inner_n": False, "inner_m": True, "k": 320}], ids=str)
@pytest.mark.parametrize("sanitize", [False, True])
@pytest.mark.parametrize("seed", [1, 2, None])
def test_any_order_of_threads(form, sanitize, seed):
    assert run(Matmul(n=192, tile_n=64, **{"k": 448, **form}), sanitize=sanitize, seed=seed)


def test_blocks_that_run_together():
    assert run(Matmul(m=256, n=256), resident_blocks=None, sweep=True)


@pytest.mark.full
def test_random_extents():
    """Extents of which the innermost are multiples of 8, as tensor maps need it."""
    choose = random.Random(7)
    for _ in range(6):
        m, n, k = choose.randint(1, 200), 8 * choose.randint(1, 20), 8 * choose.randint(1, 30)
        assert run(Matmul(m=m, n=n, k=k, tile_n=choose.choice((64, 128)), stages=choose.randint(2, 4))), (m, n, k)


BASE = Matmul(m=128, n=64, k=512, stages=3, tile_n=64)
TEXT = BASE.text()
LINES = TEXT.split("\n")


def line(containing, number=0):
    return [one for one in LINES if containing in one][number]


def without(text):
    assert text in TEXT
    return TEXT.replace(text, "", 1)


def changed(old, new):
    assert old in TEXT
    return TEXT.replace(old, new)


def constant(value):
    return line(f"= arith.constant {value} : i32").split(" ")[0]


def start_of_phase(loop, value):
    """The loop with another parity to begin with."""
    text = line(loop)
    return changed(text, re.sub(r"%ph = %c\d+", f"%ph = {constant(value)}", text))


def expected_bytes(value):
    text = line("arrive.expect_tx")
    other = text.replace(constant(BASE.stage_bytes), "%other")
    return (
        changed(text, other)
        .replace("workgroup(", "workgroup(", 1)
        .replace(
            line("arith.constant 0 : i32"),
            line("arith.constant 0 : i32") + f"\n%other = arith.constant {value} : i32",
            1,
        )
    )


def descriptors(add):
    """The kernel with something added to all its matrix descriptors."""
    return re.sub(
        r"(arith\.constant )(4\d{18})( : i64)", lambda found: f"{found[1]}{int(found[2]) + add}{found[3]}", TEXT
    )


STALE = "is read, which a copy may still write: nothing orders its mbarrier before"
EARLY = "which products of warpgroup [12] may still read"
MISTAKES = {
    "no wait for the copies": (without(line("try_wait", 1)), "unfinished-copy", STALE),
    "the wrong parity for the copies": (start_of_phase("%acc =", 1), "unfinished-copy", STALE),
    "no wait for a free slot": (without(line("try_wait", 0)), "mbarrier-count", "of whose phase only 0 are missing"),
    "the wrong parity for a free slot": (start_of_phase("%p:2", 0), "deadlock", "1 of 1 arrivals are missing"),
    "no wait for the products of the last step": (
        without("nvvm.wgmma.wait.group.sync.aligned 1  // all but one"),
        "early-release",
        EARLY,
    ),
    "a wait for too few products": (changed("aligned 1  // all", "aligned 2  // all"), "early-release", EARLY),
    "a slot released a step early": (
        re.sub(
            r"arith.andi %t\d+, (%t\d+) : i1",
            r"arith.andi \1, \1 : i1",
            changed("muli %before, ", "muli %s, "),
            count=1,
        ),
        "early-release",
        EARLY,
    ),
    "fewer bytes expected than come": (
        expected_bytes(BASE.a_bytes),
        "transaction-count",
        "fewer bytes are expected than are copied",
    ),
    "more bytes expected than come": (
        expected_bytes(BASE.stage_bytes + 16),
        "deadlock",
        "16 B of transactions are missing",
    ),
    "no barrier behind the initialisation": (
        without("nvvm.barrier\n"),
        "no-mbarrier",
        "mbarrier has been init|nothing orders the init",
    ),
    "no fence before the products": (without("nvvm.wgmma.fence.aligned"), "missing-fence", "without 'wgmma.fence'"),
    "no wait before the results": (
        without(line("wgmma.wait_group.sync.aligned 0;")).replace(
            f"llvm.extractvalue {re.findall(r'(%t[0-9]+) = llvm.inline_asm .*wait_group', TEXT)[0]}[",
            "llvm.extractvalue %r#0[",
        ),
        "unfinished-product",
        "accumulators are used while a product on them is under way",
    ),
    "a stride that leads outside": (descriptors(0x3000 << 32), "out-of-bounds", "which is outside of it"),
    "products in one thread's branch": (
        changed("nvvm.wgmma.commit.group", "scf.if %leads { nvvm.wgmma.commit.group")
        .replace("nvvm.wgmma.commit.group.sync.aligned", "nvvm.wgmma.commit.group.sync.aligned }")
        .replace("%leads", re.findall(r"arith.andi %t\d+, (%t\d+) : i1", TEXT)[0], 1),
        "divergent-warpgroup",
        "not all 128 threads of a warpgroup",
    ),
    "registers that there are not": (
        changed("increase 232", "increase 248"),
        "registers",
        "want 6[68][0-9]+ registers",
    ),
}


@pytest.mark.full(every=12)
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("seed", [0, None])
def test_mistakes_are_found(mistake, seed):
    text, kind, message = MISTAKES[mistake]
    assert text != TEXT
    with pytest.raises(SimulationError, match=message) as caught:
        run(BASE, text, seed=seed)
    assert caught.value.kind == kind and caught.value.site


def is_wrong(text):
    """Whether the result differs, or the launch ends with a fault of what the products read."""
    assert text != TEXT
    try:
        return not run(BASE, text)
    except SimulationError as error:
        return error.kind in ("unfinished-copy", "out-of-bounds")


def test_mistakes_that_give_wrong_numbers():
    assert run(BASE)
    assert is_wrong(TEXT.replace("swizzle = 128", "swizzle = 0", 1))  # one map copies as if there were no swizzle
    assert is_wrong(descriptors(1 << 62))  # the products take a swizzle of 64 bytes
    assert is_wrong(descriptors(64 << 32))  # 1024 B too many between groups of 8 rows
    assert is_wrong(descriptors(-(32 << 32)))  # 512 B too few
    assert is_wrong(descriptors(1))  # 16 B further
    assert is_wrong(TEXT.replace("scale_in<one>, <row>], B", "scale_in<neg>, <row>], B", 1))


def test_the_sanitizer_finds_nothing_and_the_same():
    assert run(BASE, sanitize=True)
    with pytest.raises(SanitizerError) as caught:
        run(BASE, without(line("try_wait", 1)), sanitize=True)
    assert caught.value.findings[0].kind == "unfinished-copy"


REFUSALS = {
    "wgmma.wait_group.sync.aligned 0;": ("wgmma.wait_group.sync.aligned 3;", "must be in the table"),
    "0,1,2,3,4,5,6,7,": ("0,1,2,3,4,5,7,6,", "must have the constraints"),
    "nvvm.fence.mbarrier.init": ("nvvm.breakpoint", "is not known to the simulator"),
    "shfl.sync idx %c2,": ("shfl.sync idx %c1,", "must be for all lanes, with the constant mask -1"),
}


@pytest.mark.parametrize("old", REFUSALS)
def test_refusals(old):
    new, message = REFUSALS[old]
    with pytest.raises(DiagnosedError, match=message):
        SimulatedKernels(changed(old, new))
