"""Names without a model, in one passage and over the corpus."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.ingestion.entities import extract_entities, name_key, resolve_entities


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("She met Jean-Luc Picard.", "jean luc picard"),
        ("Books by J. R. R. Tolkien sell.", "j r r tolkien"),
        ("The novel by Gabriel García Márquez won.", "gabriel garcia marquez"),
        ("It lies in the University of North Dakota.", "university of north dakota"),
        ("They visited Orion's office.", "orion"),
        ("We asked Ludwig van Beethoven.", "ludwig van beethoven"),
        ("Работы видел Лев Толстой там.", "лев толстой"),
        ("It was Ελένη Παπαδοπούλου there.", "ελενη παπαδοπουλου"),
        ("The work of NASA helps.", "NASA"),
        ("by Buechner & Orth in 1914", "buechner orth"),
        ("我读《红楼梦》。", "红楼梦"),
    ],
)
def test_names_are_found(text: str, key: str) -> None:
    assert key in extract_entities(text)


def test_years_are_names_of_a_kind() -> None:
    assert extract_entities("built in 1914 for 12 people") == ["1914"]


def test_contractions_and_calendar_words_are_no_names() -> None:
    assert extract_entities("I'm sure it is Monday, and I've seen it in May.") == []


def test_the_title_names_the_passage_without_its_parentheses() -> None:
    assert extract_entities("small text", "Mercury (planet)") == ["mercury"]


def test_one_key_for_spellings() -> None:
    assert name_key("The Émile  Zola") == name_key("Émile Zola's") == "emile zola"


def test_first_words_of_sentences_need_a_witness() -> None:
    names, _ = resolve_entities([extract_entities("However it rained."), extract_entities("Helix paid.")])
    assert names == []
    names, _ = resolve_entities([extract_entities("Helix paid."), extract_entities("We know that Helix paid.")])
    assert names == ["helix"]


def test_first_word_is_cut_from_a_known_name() -> None:
    names, _ = resolve_entities([extract_entities("Meanwhile Anna Berg left."), extract_entities("So did Anna Berg.")])
    assert names == ["anna berg"]


def test_surname_joins_its_full_name_in_the_passage() -> None:
    names, _ = resolve_entities([extract_entities("There Anna Berg spoke; then Berg left.")])
    assert names == ["anna berg"]


def test_acronym_joins_its_expansion_everywhere() -> None:
    names, (indptr, indices) = resolve_entities(
        [extract_entities("In the World Health Office (WHO) rules."), extract_entities("By the WHO.")]
    )
    assert names == ["world health office"]
    assert indptr.tolist() == [0, 1, 2]
    assert indices.tolist() == [0, 0]


def test_known_names_are_found_inside_longer_runs() -> None:
    names, (indptr, indices) = resolve_entities([["created by anna berg portrayed"], ["anna berg"]])
    inside = {names[i] for i in indices[indptr[0] : indptr[1]]}
    assert "anna berg" in inside


@given(st.lists(st.text(max_size=60), max_size=4))
def test_any_text_gives_a_valid_matrix(texts: list[str]) -> None:
    keys = [extract_entities(text) for text in texts]
    assert keys == [extract_entities(text) for text in texts]
    names, (indptr, indices) = resolve_entities(keys)
    assert names == sorted(set(names))
    assert len(indptr) == len(texts) + 1
    assert indptr[-1] == len(indices)
    for start, end in pairwise(indptr.tolist()):
        row = indices[start:end].tolist()
        assert row == sorted(set(row))
        assert all(number < len(names) for number in row)
