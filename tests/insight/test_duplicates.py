from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.embedders.hashing import HashEmbedder
from gossamer.errors import UsageError
from gossamer.graph.neighbours import near_duplicates, nearest_neighbours
from gossamer.index.lexical import LexicalIndex
from gossamer.insight.duplicates import (
    duplicate_groups,
    duplicate_matrix,
    duplicate_pairs,
    same_words,
    votes,
    without_pairs,
)
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
    by_vectors, _ = duplicate_pairs(*nearest_neighbours(vectors, 2))
    by_words, cosines = duplicate_pairs([[-1], [-1], [-1]], [[0.0]] * 3, same)
    assert by_vectors.tolist() == by_words.tolist() == [[0, 1]]
    assert cosines.tolist() == [1.0]


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


def test_pairs_agree_with_the_full_search() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(60, 8))
    vectors[40:50] = vectors[:10] + rng.normal(scale=0.05, size=(10, 8))
    pairs, cosines = duplicate_pairs(*nearest_neighbours(vectors, 10))
    assert pairs.tolist() == near_duplicates(vectors, 0.95).tolist()
    assert (cosines >= 0.95).all()


def test_more_copies_than_neighbours_stay_one_group() -> None:
    vectors = np.ones((50, 4))
    pairs, _ = duplicate_pairs(*nearest_neighbours(vectors, 3))
    assert set(duplicate_groups(pairs, 50).tolist()) == {0}


def test_groups_leave_contradicting_copies_apart() -> None:
    pairs = np.array([[0, 1], [2, 3]])
    assert duplicate_groups(pairs, 4, apart=np.array([[3, 2]])).tolist() == [0, 0, 2, 3]
    assert without_pairs(np.zeros((0, 2), dtype=int), np.array([[0, 1]])).tolist() == []
    assert duplicate_groups(np.zeros((0, 2), dtype=int), 2).tolist() == [0, 1]


def test_a_document_votes_once() -> None:
    labels = np.array([0, 0, 0, 0, 4])
    assert votes(labels, [1, 4], np.array([0, 0, 0, 1, 1])).tolist() == [2, 1]
    assert votes(labels, [], np.zeros(5, dtype=int)).tolist() == []


def test_the_matrix_is_symmetric() -> None:
    matrix = duplicate_matrix(np.array([[0, 2], [1, 2]]), np.array([0.96, 1.0]), 3)
    assert (matrix != matrix.T).nnz == 0
    assert matrix[2].toarray().ravel().tolist() == [0.96, 1.0, 0.0]


def test_threshold_is_checked() -> None:
    with pytest.raises(UsageError, match="threshold"):
        duplicate_pairs([[1], [0]], [[1.0], [1.0]], threshold=0)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1]), max_size=15))
def test_labels_are_the_lowest_of_their_group(pairs: list[tuple[int, int]]) -> None:
    labels = duplicate_groups(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), 10)
    assert (labels <= np.arange(10)).all()
    assert (labels[labels] == labels).all()
    assert all(labels[i] == labels[j] for i, j in pairs)
    documents = np.arange(10) % 3
    counted = votes(labels, np.arange(10), documents)
    assert all(counted[i] == len({int(documents[k]) for k in range(10) if labels[k] == labels[i]}) for i in range(10))
