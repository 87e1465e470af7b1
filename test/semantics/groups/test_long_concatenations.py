# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Concatenations of more tensors than an op reads are trees of ops, and give what numpy gives."""

import pytest

from ..agreement import assert_agrees


def joined(count: int, rank: int, along: int, *, equal: bool, computed: bool = False) -> str:
    """Return a function that joins tensors of one or of several extents, as they are or each doubled."""

    def kind(extent: int) -> str:
        sizes = [2, 3, 5][-rank:]
        sizes[along] = extent
        return f"tensor<{'x'.join(map(str, sizes))}xf32>"

    extents = [2 if equal else 1 + number % 3 for number in range(count)]
    kinds = [kind(extent) for extent in extents]
    whole = kind(sum(extents))
    arguments = ", ".join(f"%a{n}: {one}" for n, one in enumerate(kinds))
    sums = [f"%s{n} = arith.addf %a{n}, %a{n} : {one}" for n, one in enumerate(kinds) if computed]
    values = ", ".join(f"%{'s' if computed else 'a'}{n}" for n in range(count))
    lines = "\n".join([*sums, f"%r = tensor.concat dim({along}) {values} : ({', '.join(kinds)}) -> {whole}"])
    return f"func.func @f({arguments}) -> {whole} {{\n{lines}\nreturn %r : {whole}\n}}"


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("count", [64, 65, 70])
@pytest.mark.parametrize(("rank", "along"), [(1, 0), (2, 0), (2, 1), (3, 1)])
@pytest.mark.parametrize("equal", [True, False])
def test_long_concatenations(count: int, rank: int, along: int, equal: bool, device: str) -> None:
    assert_agrees(joined(count, rank, along, equal=equal), device)


def test_one_op_joins_what_it_can_read() -> None:
    assert_agrees(joined(60, 2, 1, equal=False), "h200", kernels=1)


@pytest.mark.full
def test_a_tree_of_trees() -> None:
    assert_agrees(joined(1000, 1, 0, equal=False), "h200")


@pytest.mark.full
def test_what_is_joined_is_computed() -> None:
    assert_agrees(joined(70, 2, 0, equal=False, computed=True), "h200")
