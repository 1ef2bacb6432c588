"""BM25 over our own terms: known values, and the cases that upset the engine below."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index.lexical import LexicalIndex, top
from gossamer.text.words import Words


def build(texts: list[str], titles: list[str] | None = None, language: str | None = None) -> LexicalIndex:
    return LexicalIndex.build(texts, titles or [""] * len(texts), Words(language))


def test_scores_follow_the_formula() -> None:
    index = build(["alpha beta", "alpha gamma gamma delta"])
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 / (2 + 1.5 * (1 - 0.75 + 0.75 * 4 / 3))
    assert index.scores("gamma").tolist() == pytest.approx([0.0, expected], rel=1e-5)


@pytest.mark.parametrize("question", ["", "unheard", "...", "\u0000"])
def test_no_known_word_is_no_hit(question: str) -> None:
    index = build(["alpha beta", "gamma"])
    assert not index.scores(question).any()
    assert len(top(index.scores(question), 10)) == 0


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_empty_corpora(texts: list[str]) -> None:
    index = build(texts)
    assert index.scores("alpha").shape == (len(texts),)
    assert not index.scores("alpha").any()


def test_titles_count_as_text() -> None:
    index = build(["it began in may", "nothing"], ["Orion", ""])
    assert top(index.scores("orion"), 5).tolist() == [0]


def test_a_question_of_stop_words_still_finds_its_passage() -> None:
    index = build(["The Who are a band", "A band of others"], language="english")
    assert top(index.scores("The Who"), 1).tolist() == [0]


@pytest.mark.parametrize(
    ("texts", "question"),
    [
        (["望远镜安装在智利", "螺旋实验室位于浦那", "猎户座项目研究火星"], "智利"),
        (["Лаборатория в Пуне", "Бюджет утверждён", "Телескоп в Чили"], "Пуне"),
        (["プネーの研究所", "チリの望遠鏡", "火星の研究"], "プネー"),
        (["ห้องปฏิบัติการในปูเน", "งบประมาณได้รับอนุมัติ", "ดาวอังคาร"], "ปูเน"),
    ],
)
def test_every_script_finds_its_passage(texts: list[str], question: str) -> None:
    assert top(build(texts).scores(question), 10)[0] == 0


def test_arrays_round_trip() -> None:
    index = build(["alpha beta", "gamma"], ["one", "two"])
    twin = LexicalIndex.from_arrays(index.vocabulary, index.to_arrays(), Words(None))
    assert np.array_equal(twin.scores("alpha two"), index.scores("alpha two"))


def test_sequence_leaves_out_stop_words_and_names_rows() -> None:
    index = build(["the office of Helix", "Pune"], language="english")
    terms, rows = index.sequence(np.array([1, 0]))
    assert [index.vocabulary[t] for t in terms] == ["pune", "offic", "helix"]
    assert rows.tolist() == [0, 1, 1]


def test_unknown_terms_are_marked() -> None:
    assert build(["alpha"]).question_terms("alpha omega").tolist() == [0, -1]


@given(st.lists(st.text("abc ", max_size=12), max_size=6), st.text("abcd ", max_size=8), st.integers(0, 9))
def test_top_never_returns_a_zero_score(texts: list[str], question: str, k: int) -> None:
    scores = build(texts).scores(question)
    hits = top(scores, k)
    assert len(hits) <= k
    assert (scores[hits] > 0).all()
    assert (np.diff(scores[hits]) <= 0).all()
