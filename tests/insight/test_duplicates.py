from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.embedders.hashing import HashEmbedder
from gossamer.index.lexical import LexicalIndex
from gossamer.insight.duplicates import DUPLICATE_COSINE, duplicate_groups, same_words, stating_documents, weaker_copies
from gossamer.text.words import Words


def test_word_order_with_the_hash_embedder() -> None:
    texts = [
        "Helix Labs has its head office in Pune.",
        "In Pune Helix Labs has its head office.",
        "The canteen of the agency serves lunch from noon.",
    ]
    vectors = HashEmbedder().embed(texts, kind="passage")
    index = LexicalIndex.build(texts, [""] * 3, Words("english"))
    same = same_words(index.body, index.body_offsets, skip=index.is_stop)
    assert same.tolist() == [0, 0, 2]
    assert vectors[0] @ vectors[1] >= DUPLICATE_COSINE > vectors[0] @ vectors[2]


def test_same_words_counts_repeats_and_leaves_short_ones_alone() -> None:
    terms = np.array([1, 2, 2, 2, 1, 2, 1, 2, 1, 7, 7])
    offsets = np.array([0, 3, 6, 9, 9, 10, 11])
    assert same_words(terms, offsets).tolist() == [0, 0, 2, 3, 4, 5]
    assert same_words(np.zeros(0, dtype=np.int32), np.array([0, 0])).tolist() == [0]
    skip = np.zeros(8, dtype=bool)
    skip[2] = True
    assert same_words(terms, offsets, skip=skip).tolist() == [0, 1, 2, 3, 4, 5]


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=12))
def test_same_words_against_sorting(rows: list[list[int]]) -> None:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    terms = np.asarray([term for row in rows for term in row], dtype=np.int32)
    first: dict[tuple[int, ...], int] = {}
    expected = [first.setdefault(tuple(sorted(row)), n) if len(row) >= 3 else n for n, row in enumerate(rows)]
    assert same_words(terms, offsets).tolist() == expected


def matrix_of(pairs: list[tuple[int, int]], size: int) -> csr_array:
    ends = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))


def test_a_document_votes_once_and_its_own_comes_first() -> None:
    labels, documents = np.array([0, 0, 0, 0, 4]), np.array([2, 2, 0, 1, 1])
    assert stating_documents(labels, documents, [0, 3, 4]) == [[2, 0, 1], [1, 0, 2], [1]]
    assert stating_documents(labels, documents, []) == []


def test_of_equal_scores_the_lowest_stays() -> None:
    assert weaker_copies(np.array([0, 0, 0, 3]), np.array([1.0, 1.0, 0.5, 0.1])).tolist() == [False, True, True, False]
    assert weaker_copies(np.zeros(0, dtype=np.int32), np.zeros(0)).tolist() == []


PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1]), max_size=15)


@settings(deadline=None)
@given(PAIRS)
def test_labels_are_the_lowest_of_their_group(pairs: list[tuple[int, int]]) -> None:
    labels = duplicate_groups(matrix_of(pairs, 10))
    assert (labels <= np.arange(10)).all()
    assert (labels[labels] == labels).all()
    assert all(labels[i] == labels[j] for i, j in pairs)


@settings(deadline=None)
@given(PAIRS, st.lists(st.integers(0, 3), min_size=10, max_size=10))
def test_one_of_each_group_stays_and_it_is_the_best(pairs: list[tuple[int, int]], values: list[int]) -> None:
    labels, scores = duplicate_groups(matrix_of(pairs, 10)), np.array(values, dtype=float)
    stays = ~weaker_copies(labels, scores)
    for label in set(labels.tolist()):
        group = np.flatnonzero(labels == label)
        assert stays[group].sum() == 1
        assert scores[group[stays[group]]] == scores[group].max()
