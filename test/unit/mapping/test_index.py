# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Index arithmetic: ranges and divisors hold for every value that the symbols can take."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from roller_mlir.mapping.index import Linear, Symbol, power_of_two_divisor


@st.composite
def symbols(draw: st.DrawFn) -> Symbol:
    divisor = draw(st.integers(1, 4))
    low = draw(st.integers(-3, 3)) * divisor
    return Symbol("x", low, low + divisor * draw(st.integers(0, 4)), divisor)


@given(st.lists(st.tuples(symbols(), st.integers(-5, 5)), max_size=3), st.integers(-20, 20))
def test_range_and_divisor_against_every_value(terms: list[tuple[Symbol, int]], constant: int) -> None:
    linear = Linear(dict(terms), constant)
    domains = [range(s.low, s.high + 1, s.divisor) for s, _ in terms]
    values = [constant + sum(k * v for (_, k), v in zip(terms, at, strict=True)) for at in product(*domains)]
    low, high = linear.range()
    assert (low, high) == (min(values), max(values))
    assert all(value % linear.divisor() == 0 for value in values)
    assert all((value - constant) % linear.divisor(with_constant=False) == 0 for value in values)


@given(st.lists(st.tuples(symbols(), st.integers(-5, 5)), max_size=3), st.integers(-9, 9), st.integers(-3, 3))
def test_sums_and_multiples(terms: list[tuple[Symbol, int]], constant: int, factor: int) -> None:
    linear = Linear(dict(terms), constant)
    assert linear + linear * -1 == Linear()
    assert linear * factor + linear == linear * (factor + 1)


def test_a_symbol_of_one_value_is_a_constant() -> None:
    assert Linear.of(Symbol("x", 7, 7), 3) == Linear(None, 21)


@given(st.integers(0, 1000), st.sampled_from([1, 2, 4, 8]))
def test_power_of_two_divisor(value: int, limit: int) -> None:
    width = power_of_two_divisor(value, limit)
    assert value % width == 0
    assert width == limit or value % (2 * width)
