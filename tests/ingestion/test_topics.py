from __future__ import annotations

import numpy as np

from gossamer.ingestion.topics import topic_breaks


def test_break_where_the_distance_is_above_its_percentile() -> None:
    vectors = {"a": [1.0, 0.0], "b": [0.9, 0.1], "c": [0.0, 2.0], "d": [0.1, 1.9]}
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> np.ndarray:
        asked.append(texts)
        return np.array([vectors[text] for text in texts])

    assert topic_breaks(list("abcd"), embed) == [2]
    assert asked == [list("abcd")]


def test_short_texts_are_not_embedded() -> None:
    def embed(texts: list[str]) -> np.ndarray:
        raise AssertionError

    assert topic_breaks(["a", "b"], embed) == []


def test_equal_and_zero_vectors_give_no_break() -> None:
    assert topic_breaks(list("abcdef"), lambda texts: np.ones((len(texts), 3), dtype=np.float32)) == []
    assert topic_breaks(list("abcdef"), lambda texts: np.zeros((len(texts), 3))) == []


def test_blocks_do_not_change_the_result() -> None:
    vectors = np.random.default_rng(0).normal(size=(1300, 8))
    names = [str(number) for number in range(1300)]
    breaks = topic_breaks(names, lambda texts: vectors[[int(text) for text in texts]])
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    distances = np.round(1 - (unit[:-1] * unit[1:]).sum(axis=1), 6)
    assert breaks == (np.flatnonzero(distances > np.percentile(distances, 90)) + 1).tolist()
    assert len(breaks) == 130
