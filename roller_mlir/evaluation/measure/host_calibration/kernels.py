# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of the probes, as LLVM IR: each is `i64 @probe(ptr %a, ptr %b, i64 %n, i64 %m)`.

What they compute with comes from memory or an argument, and what they compute is returned or stored, so that no
compiler can shorten them.
"""

from collections.abc import Sequence

LINE = 64
BLOCK = 1024
"""Bytes that `reads` adds up in one turn."""
CHAIN = 16
"""Operations of one turn of `integer_chain`, one after the other."""
PANELS = (64, 256)
"""Bytes of a row that `packing` copies: a line, and several."""
_SUMS = 8
_HEAD = "define i64 @probe(ptr %a, ptr %b, i64 %n, i64 %m) {"


def integer_chain() -> str:
    """Return n turns of `CHAIN` operations of one cycle, each of which needs the one before."""
    lines = [_HEAD, "entry:", "  br label %loop", "loop:"]
    lines += ["  %i = phi i64 [0, %entry], [%next, %loop]", f"  %x0 = phi i64 [%m, %entry], [%x{CHAIN}, %loop]"]
    for place in range(CHAIN):
        lines.append(f"  %x{place + 1} = {'xor' if place % 2 else 'add'} i64 %x{place}, %i")
    lines += _turn("loop", "exit")
    lines += ["exit:", f"  ret i64 %x{CHAIN}", "}"]
    return "\n".join(lines)


def multiply_adds(kind: str, lanes: int, chains: int) -> str:
    """Return n turns of one multiply-add of each chain, in registers; a holds two numbers, b a vector of the sum."""
    vector, short = f"<{lanes} x {kind}>", {"float": "f32", "double": "f64"}[kind]
    lines = [_HEAD, "entry:", f"  %factor.at = getelementptr {kind}, ptr %a, i64 1"]
    lines += [*_broadcast("term", kind, lanes, "%a"), *_broadcast("factor", kind, lanes, "%factor.at")]
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [0, %entry], [%next, %loop]"]
    lines += [f"  %s{c} = phi {vector} [%term, %entry], [%t{c}, %loop]" for c in range(chains)]
    call = f"call {vector} @llvm.fma.v{lanes}{short}"
    lines += [f"  %t{c} = {call}({vector} %s{c}, {vector} %factor, {vector} %term)" for c in range(chains)]
    lines += [*_turn("loop", "exit"), "exit:", *_stored_sum([f"%t{c}" for c in range(chains)], kind, lanes), "}"]
    lines.append(f"declare {vector} @llvm.fma.v{lanes}{short}({vector}, {vector}, {vector})")
    return "\n".join(lines)


def chase() -> str:
    """Return n loads, each of the address that the one before gave; returns the last address."""
    lines = [_HEAD, "entry:", "  br label %loop", "loop:", "  %i = phi i64 [0, %entry], [%next, %loop]"]
    lines += ["  %p = phi ptr [%a, %entry], [%q, %loop]", "  %q = load ptr, ptr %p", *_turn("loop", "exit")]
    lines += ["exit:", "  %r = ptrtoint ptr %q to i64", "  ret i64 %r", "}"]
    return "\n".join(lines)


def reads(lanes: int) -> str:
    """Return m times n blocks of `BLOCK` bytes from a on, added up in vectors; b takes the sum."""
    vector = f"<{lanes} x float>"
    lines = [_HEAD, "entry:", "  br label %again", "again:", "  %j = phi i64 [0, %entry], [%j.next, %over]"]
    lines += [f"  %r{v} = phi {vector} [zeroinitializer, %entry], [%t{v}.last, %over]" for v in range(_SUMS)]
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [0, %again], [%next, %loop]"]
    lines += ["  %p = phi ptr [%a, %again], [%q, %loop]"]
    lines += [f"  %s{v} = phi {vector} [%r{v}, %again], [%t{v}.last, %loop]" for v in range(_SUMS)]
    pieces = BLOCK // (4 * lanes)
    last = {v: f"%s{v}" for v in range(_SUMS)}
    for piece in range(pieces):
        v = piece % _SUMS
        name = f"%t{v}.last" if piece + _SUMS >= pieces else f"%t{v}.{piece}"
        lines += [
            f"  %a{piece} = getelementptr float, ptr %p, i64 {piece * lanes}",
            f"  %v{piece} = load {vector}, ptr %a{piece}, align 4",
            f"  {name} = fadd {vector} {last[v]}, %v{piece}",
        ]
        last[v] = name
    lines += [f"  %q = getelementptr i8, ptr %p, i64 {BLOCK}", *_turn("loop", "over"), "over:"]
    lines += _pass()
    lines += [*_stored_sum([f"%t{v}.last" for v in range(_SUMS)], "float", lanes), "}"]
    return "\n".join(lines)


def packing(lanes: int, panel: int) -> str:
    """Return n rows of `panel` bytes, m bytes apart from a on, copied one behind the other to b."""
    vector = f"<{lanes} x float>"
    lines = [_HEAD, "entry:", "  br label %loop", "loop:", "  %i = phi i64 [0, %entry], [%next, %loop]"]
    lines += ["  %p = phi ptr [%a, %entry], [%p.next, %loop]", "  %q = phi ptr [%b, %entry], [%q.next, %loop]"]
    for piece in range(panel // (4 * lanes)):
        lines += [f"  %{x}{piece} = getelementptr float, ptr %{x}, i64 {piece * lanes}" for x in "pq"]
        lines.append(f"  %v{piece} = load {vector}, ptr %p{piece}, align 4")
        lines.append(f"  store {vector} %v{piece}, ptr %q{piece}, align 4")
    lines += ["  %p.next = getelementptr i8, ptr %p, i64 %m", f"  %q.next = getelementptr i8, ptr %q, i64 {panel}"]
    lines += [*_turn("loop", "exit"), "exit:", "  ret i64 0", "}"]
    return "\n".join(lines)


def micro_kernel(rows: int, vectors: int, lanes: int, pitch: int, window: int) -> str:
    """Return m times n points of a sum: of rows from b on, times vectors that follow each other from a on.

    Each of the m passes reads the rows from their beginning, and goes on with the vectors, behind the last of the
    window again with the first. Sums are stored to the memory in front of b.

    Args:
        rows: Rows of sums.
        vectors: Vectors of each.
        lanes: Their elements.
        pitch: Bytes from a row to the next.
        window: Bytes of vectors, a power of two and a multiple of those of a pass.
    """
    vector = f"<{lanes} x float>"
    sums = [(r, v) for r in range(rows) for v in range(vectors)]
    lines = [_HEAD, "entry:", "  br label %again", "again:", "  %j = phi i64 [0, %entry], [%j.next, %over]"]
    lines += [f"  %r{r}.{v} = phi {vector} [zeroinitializer, %entry], [%t{r}.{v}, %over]" for r, v in sums]
    lines += [f"  %passed = mul i64 %n, {4 * vectors * lanes}", "  %far = mul i64 %j, %passed"]
    lines += [f"  %off = and i64 %far, {window - 1}", "  %p.first = getelementptr i8, ptr %a, i64 %off"]
    lines += ["  br label %loop", "loop:", "  %i = phi i64 [0, %again], [%next, %loop]"]
    lines += ["  %p = phi ptr [%p.first, %again], [%p.next, %loop]", "  %q = phi ptr [%b, %again], [%q.next, %loop]"]
    lines += [f"  %s{r}.{v} = phi {vector} [%r{r}.{v}, %again], [%t{r}.{v}, %loop]" for r, v in sums]
    for v in range(vectors):
        lines.append(f"  %y.at{v} = getelementptr float, ptr %p, i64 {v * lanes}")
        lines.append(f"  %y{v} = load {vector}, ptr %y.at{v}, align 4")
    for r in range(rows):
        lines.append(f"  %q.at{r} = getelementptr i8, ptr %q, i64 {r * pitch}")
        lines += _broadcast(f"x{r}", "float", lanes, f"%q.at{r}")
        call = f"call {vector} @llvm.fma.v{lanes}f32"
        for v in range(vectors):
            lines.append(f"  %t{r}.{v} = {call}({vector} %x{r}, {vector} %y{v}, {vector} %s{r}.{v})")
    lines.append(f"  %p.next = getelementptr float, ptr %p, i64 {vectors * lanes}")
    lines.append("  %q.next = getelementptr float, ptr %q, i64 1")
    lines += [*_turn("loop", "over"), "over:", *_pass(), f"  %room = getelementptr {vector}, ptr %b, i64 -1"]
    lines += [*_stored_sum([f"%t{r}.{v}" for r, v in sums], "float", lanes, "%room"), "}"]
    lines.append(f"declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})")
    return "\n".join(lines)


def _pass() -> list[str]:
    return [
        "  %j.next = add i64 %j, 1",
        "  %j.more = icmp ult i64 %j.next, %m",
        "  br i1 %j.more, label %again, label %exit",
        "exit:",
    ]


def _turn(loop: str, exit_: str) -> list[str]:
    return [
        "  %next = add i64 %i, 1",
        "  %more = icmp ult i64 %next, %n",
        f"  br i1 %more, label %{loop}, label %{exit_}",
    ]


def _broadcast(name: str, kind: str, lanes: int, place: str) -> list[str]:
    vector = f"<{lanes} x {kind}>"
    return [
        f"  %{name}.one = load {kind}, ptr {place}",
        f"  %{name}.in = insertelement {vector} poison, {kind} %{name}.one, i64 0",
        f"  %{name} = shufflevector {vector} %{name}.in, {vector} poison, <{lanes} x i32> zeroinitializer",
    ]


def _stored_sum(values: Sequence[str], kind: str, lanes: int, place: str = "%b") -> list[str]:
    vector, total = f"<{lanes} x {kind}>", values[0]
    lines: list[str] = []
    for number, value in enumerate(values[1:]):
        lines.append(f"  %sum{number} = fadd {vector} {total}, {value}")
        total = f"%sum{number}"
    return [*lines, f"  store {vector} {total}, ptr {place}, align 4", "  ret i64 0"]
