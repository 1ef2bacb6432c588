from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.insight.facts import read, same_name, same_value, stem


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.term, token.kind) for token in read(text)]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("$1.65 billion", "$1650000000"),
        ("3,559", "3559"),
        ("12 %", "12%"),
        ("5th", "5th"),
        ("−4", "-4"),
        ("98 km", "98km"),
        ("seven", "7"),
        ("0,5", "0.5"),
    ],
)
def test_numbers(text: str, term: str) -> None:
    assert kinds(text) == [(term, "number")]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("1.65 billion", "1,650,000,000", True),
        ("1.65 billion", "10.65 billion", False),
        ("10,000", "9,870", True),
        ("3,559", "3,600", True),
        ("40", "44", False),
        ("5 km", "5", True),
        ("5 km", "5 kg", False),
        ("12 May 2020", "2020", True),
        ("12 May 2020", "13 May 2020", False),
        ("5", "5th", True),
    ],
)
def test_same_value(left: str, right: str, same: bool) -> None:
    assert same_value(read(left)[0], read(right)[0]) is same
    assert same_value(read(right)[0], read(left)[0]) is same


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("Messi", "Lionel Messi", True),
        ("Fla", "Florida", True),
        ("US", "United States", True),
        ("J Smith", "John Smith", True),
        ("Francisko", "Francisco", True),
        ("Pune", "Oslo", False),
        ("Ann Rao", "Ann Lind", False),
    ],
)
def test_same_name(left: str, right: str, same: bool) -> None:
    one, other = tuple(left.lower().split()), tuple(right.lower().split())
    assert same_name(one, other) is same
    assert same_name(other, one) is same


def test_negations_are_no_stop_words() -> None:
    assert [kind for _, kind in kinds("It is not open, isn't it")] == [
        "stop",
        "stop",
        "negation",
        "word",
        "negation",
        "stop",
    ]


def test_number_signs_are_no_negations() -> None:
    assert "negation" not in {kind for _, kind in kinds("Symphony No. 38 has no fewer than four parts")}


def test_citation_marks_are_left_out() -> None:
    assert kinds("Pune [ 12 ] grew [edit]") == [("pune", "name"), ("grew", "word")]


def test_scripts_without_spaces() -> None:
    assert [term for term, _ in kinds("成立于2019年")] == ["成", "立", "于", "20190000"]


def test_stems() -> None:
    assert stem("directed") == stem("director") == "direc"
    assert stem("bus") == "bus"


@given(st.text(max_size=200))
def test_tokens_stand_in_order(text: str) -> None:
    tokens = read(text)
    assert tokens == read(text)
    assert all(token.start < token.end and token.term for token in tokens)
    assert all(one.end <= other.start for one, other in pairwise(tokens))


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_same_value_is_symmetric(a: int, b: int) -> None:
    one, other = read(str(a))[0], read(str(b))[0]
    assert same_value(one, other) == same_value(other, one)
