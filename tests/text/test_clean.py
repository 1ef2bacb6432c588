from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.text.clean import clean_text, is_blank, join_surrogates, one_line

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("tail \ud83d end", "tail � end"),
        ("\ud83d\ude00", "😀"),
        ("\ufeff# Office\r\n\r\nPune.\r", "# Office\n\nPune.\n"),
        ("a\x00b\x07c", "abc"),
        ("a\x0cb\u2028c\x85d", "a\nb\nc\nd"),
        ("soft\u00adhyphen", "softhyphen"),
        ("Cafe\u0301", "Café"),
        ("tab\tstays\n", "tab\tstays\n"),
        ("zero\u200bwidth", "zero\u200bwidth"),
    ],
)
def test_clean_text_known_values(given_text: str, expected: str) -> None:
    assert clean_text(given_text) == expected


@given(ANY_TEXT)
def test_clean_text_is_idempotent_utf8_and_free_of_controls(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert not any(unicodedata.category(each) == "Cc" and each not in "\n\t" for each in cleaned)
    assert unicodedata.is_normalized("NFC", cleaned)


def test_long_runs_of_combining_marks_are_composed_in_pieces() -> None:
    cleaned = clean_text("a" + "\u0316\u0301" * 50_000)
    longest, run = 0, 0
    for each in unicodedata.normalize("NFD", cleaned):
        run = run + 1 if unicodedata.combining(each) else 0
        longest = max(longest, run)
    assert longest <= 31


@pytest.mark.parametrize("text", ["", " \n\t\u00a0\u200b", "\x00\ufeff", "\u2060\u00ad"])
def test_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", ".", " 螺 ", "\u200b-"])
def test_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_one_line_and_surrogates() -> None:
    assert one_line("\ufeff Helix \r\n  Labs\t") == "Helix Labs"
    assert join_surrogates("caf\udce9.txt") == "caf�.txt"
