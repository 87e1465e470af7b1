# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes into a kit: rows of suites, plain matrix products, functions of files, dispatches of tuning.

Each is a `PackRequest`.

Rows of a suite that are the same kernel as an earlier row are packed once; the item says for which rows it stands.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.kit.example_sizes import LARGE, at_size
from roller_mlir.evaluation.measure.records import Reference
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch
from roller_mlir.evaluation.suites.kinds import KINDS
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.evaluation.suites.records import published_record
from roller_mlir.model.options import CandidateOptions

HALF_KINDS = ("matmul", "conv2d")
"""Classes that are wanted in half precision: products and convolutions, which have matrix instructions."""
GEMMS = "gemm"
GEMM_EXTENTS = (1024, 2048, 4096, 8192)
JOB_LIMIT_S = 300.0


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way to compile and launch a function, beside others.

    Attributes:
        name: What readers call it.
        options: How it is compiled.
        graph: Whether its launches are queued as one graph.
        in_line: Whether each launch of that graph waits for the one before it, and not for what it needs alone.
    """

    name: str
    options: CompileOptions
    graph: bool = False
    in_line: bool = False


@dataclass(frozen=True, kw_only=True)
class PackRequest:
    """A function to pack; what becomes an `Item`.

    Attributes:
        id: Unique in the kit, words of letters, digits and _.+- parted by slashes.
        suite: Where it is from.
        title: What a reader knows it by.
        text: Its MLIR.
        reference: What it computes.
        published_s: Published times on the kit's target, by system, in seconds.
        same_as: Ids of rows of the suite that are the same kernel.
        options: How it is compiled.
        top_k: Candidates at most.
        unfused: Whether it is packed as it is compiled without fusion too, after the other candidates, where that
            makes a difference.
        ways: In the place of all that: what to compare, the first of them first.
        base: Name of the way whose results the others are compared with, where nobody else computes the function.
        fill: How its inputs are made, as of an `Item`.
        family: What its kernels' families are called after; "" where they share those of other functions.
        limit_s: Seconds in which each candidate must be compiled.
    """

    id: str
    suite: str
    title: str
    text: str
    reference: Reference = field(default_factory=Reference)
    published_s: dict[str, float] = field(default_factory=dict[str, float])
    same_as: tuple[str, ...] = ()
    options: CompileOptions = field(default_factory=CompileOptions)
    top_k: int = CandidateOptions.top_k
    unfused: bool = False
    ways: tuple[Way, ...] = ()
    base: str = ""
    fill: tuple[str, ...] = ()
    family: str = ""
    limit_s: float = JOB_LIMIT_S

    @property
    def source(self) -> Source:
        """The function as the compiler takes it."""
        return Source("-", self.text)


def of_suite(
    suite: str,
    operators: Iterable[Operator],
    target: str,
    dtype: str | None = None,
    *,
    top_k: int = CandidateOptions.top_k,
    options: CompileOptions | None = None,
) -> list[PackRequest]:
    """Return the rows of a suite, those that are another's duplicate standing in `same_as` of that one.

    Args:
        suite: Its name.
        operators: Its rows, some or all.
        target: The device's name, whose published times are kept.
        dtype: Element type of the inputs; that of each row by default. Classes that have it not are left out.
        top_k: Candidates at most.
        options: How they are compiled.

    Raises:
        SuiteError: A row's own file cannot be used.
    """
    rows = list(operators)
    first = {row.duplicate_of or row.id: row for row in reversed(rows)}
    found: list[PackRequest] = []
    for row in rows:
        kept = first[row.duplicate_of or row.id]
        given = dtype or row.dtype
        if kept is not row or (KINDS[row.kind].dtypes and given not in KINDS[row.kind].dtypes):
            continue
        same = tuple(one.id for one in rows if one is not row and first[one.duplicate_of or one.id] is row)
        typed = replace(row, dtype=given)
        found.append(
            PackRequest(
                id=f"{suite}/{row.id}/{given}",
                suite=suite,
                title=title_of(typed),
                text=function_text(row, dtype),
                reference=reference_of(typed),
                published_s=published_record(row, target) if given == row.dtype else {},
                same_as=same,
                options=options or CompileOptions(),
                top_k=top_k,
            )
        )
    return found


def of_gemms(
    extents: Sequence[int] = GEMM_EXTENTS, dtype: str = "f16", *, top_k: int = CandidateOptions.top_k
) -> list[PackRequest]:
    """Return plain products of square matrices.

    Args:
        extents: Of each product all three.
        dtype: Element type of the factors.
        top_k: Candidates at most.
    """
    rows = [Operator(f"{n}x{n}x{n}", "matmul", dtype, {"M": n, "N": n, "K": n}) for n in extents]
    return of_suite(GEMMS, rows, "", top_k=top_k)


def of_example(path: Path, *, large: bool = False, top_k: int = 1) -> PackRequest:
    """Return the function of an example, which the runner knows by the file's name.

    Args:
        path: The file.
        large: Whether it is made as large as in a real model; it must be one of `example_sizes.LARGE`.
        top_k: Candidates at most; without fusion is one more.

    Raises:
        OSError: It cannot be read.
        UnicodeDecodeError: It is no text.
        KeyError: It has no large size.
    """
    name, text = path.stem, path.read_text(encoding="utf-8")
    size = LARGE[name] if large else None
    return PackRequest(
        id=f"examples/{name}/large" if size else f"examples/{name}",
        suite="examples",
        title=f"{name.replace('_', ' ')}{', large' if size else ''}",
        text=at_size(text, size) if size else text,
        reference=Reference(kind="example", name=name, sizes=dict(size.sizes) if size else {}),
        top_k=top_k,
        unfused=True,
    )


def of_dispatch(dispatch: Dispatch, suite: str, *, top_k: int = CandidateOptions.top_k) -> PackRequest:
    """Return a dispatch of tuning; where no other library knows what it computes, its own candidates are compared.

    Args:
        dispatch: From `dispatches_of`.
        suite: What it is from, a file's name.
        top_k: Candidates at most.
    """
    return PackRequest(
        id="/".join(filter(None, (suite, dispatch.names[0], dispatch.kernel))),
        suite=suite,
        title=dispatch.title,
        text=dispatch.text,
        reference=dispatch.reference,
        options=replace(dispatch.options, entry=None),
        top_k=top_k,
    )


def reference_of(row: Operator) -> Reference:
    """Return what a row computes, in the runner's words; nothing for a file of its own, which says it in MLIR."""
    if row.kind == "file":
        return Reference(dtype=row.dtype)
    return Reference(
        kind=row.kind,
        dtype=row.dtype,
        sizes=dict(row.sizes),
        shape=tuple(row.shape),
        axes=tuple(row.axes),
        indices=row.indices,
        combiner=row.combiner,
    )


def title_of(row: Operator) -> str:
    """Return what a reader knows a row by.

    >>> title_of(Operator("M1", "matmul", "f32", {"M": 128, "N": 1000, "K": 4032}))
    'matmul 128x4032 4032x1000, f32'
    >>> title_of(Operator("R0", "reduce_sum", "f32", {"M": 65536, "K": 1024}, shape=(65536, 1024), axes=(1,)))
    'reduce_sum 65536x1024 over 1, f32'
    """
    s = row.sizes
    if row.kind == "matmul":
        words = [f"{s['M']}x{s['K']}", f"{s['K']}x{s['N']}"]
    elif row.kind == "generic":
        words = [row.indices, *(f"{name}={extent}" for name, extent in s.items())]
    elif row.kind == "file":
        words = [Path(row.file).stem]
    elif row.shape:
        words = ["x".join(map(str, row.shape)), *(["over", ",".join(map(str, row.axes))] if row.axes else [])]
    else:
        channels = f"{s['F']}x" if row.kind == "conv2d" else ""
        words = ["x".join(str(s[name]) for name in "NCHW"), f"{channels}{s['KH']}x{s['KW']}", *_window_words(row)]
    return f"{row.kind} {' '.join(words)}, {row.dtype}"


def _window_words(row: Operator) -> list[str]:
    s, words = row.sizes, list[str]()
    if s["stride"] != 1:
        words.append(f"stride {s['stride']}")
    if s.get("dilation", 1) != 1:
        words.append(f"dilation {s['dilation']}")
    if s.get("pad_h") or s.get("pad_w"):
        words.append(f"padding {s['pad_h']}x{s['pad_w']}")
    return words
