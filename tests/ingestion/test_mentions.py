"""Title mentions: longest match, capitals, parentheses, other scripts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.ingestion.mentions import title_mentions


def edges(texts: list[str], titles: list[str]) -> list[tuple[int, int, float]]:
    rows, cols, weights = title_mentions(texts, titles)
    return list(zip(rows.tolist(), cols.tolist(), weights.tolist(), strict=True))


def test_longest_title_wins() -> None:
    assert edges(["In New York City today.", "", ""], ["", "New York", "New York City"]) == [(0, 2, 1.0)]


def test_passages_under_one_title_share_the_weight() -> None:
    assert edges(["See Pune.", "a", "b"], ["", "Pune", "Pune"]) == [(0, 1, 0.5), (0, 2, 0.5)]


def test_nothing_names_its_own_title() -> None:
    assert edges(["Pune is big.", "In Pune."], ["Pune", "Pune"]) == []


def test_a_title_with_capitals_needs_a_capital() -> None:
    assert edges(["covered in dust", ""], ["", "Dust"]) == []
    assert edges(["the film Dust", ""], ["", "Dust (film)"]) == [(0, 1, 1.0)]
    assert edges(["read the changelog first", ""], ["", "changelog"]) == [(0, 1, 1.0)]


def test_possessives_and_diacritics() -> None:
    assert edges(["Émile Zola's house", ""], ["", "Emile Zola"]) == [(0, 1, 1.0)]


def test_titles_without_spaces() -> None:
    assert edges(["望远镜安装在智利北部", "国家"], ["", "智利"]) == [(0, 1, 1.0)]


def test_stop_words_and_numbers_name_nothing() -> None:
    assert edges(["It was The Who in 1984", "", ""], ["", "It", "1984"]) == []


@given(st.lists(st.tuples(st.text("Aab .", max_size=20), st.text("Aab ", max_size=6)), max_size=5))
def test_edges_stay_inside_the_corpus(passages: list[tuple[str, str]]) -> None:
    texts, titles = [text for text, _ in passages], [title for _, title in passages]
    for row, col, weight in edges(texts, titles):
        assert row != col
        assert 0 <= col < len(texts)
        assert 0 < weight <= 1
