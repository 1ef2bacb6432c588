from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gossamer import Document, build_index, sync_index
from gossamer.embedders.function import CallableEmbedder
from gossamer.embedders.nothing import NoEmbedder
from gossamer.errors import EmbedderMismatchError, EmbeddingError
from gossamer.index.embeddings import EmbeddingCache
from gossamer.index.local import LocalStore
from gossamer.ingestion.embed import Embedding, embed_texts

TEXTS = ["one", "three", "one", "fifteen", "two"]
NEW = np.full(5, -1)
NONE = np.zeros((0, 0), dtype=np.float32)


def lengths(texts: list[str]) -> np.ndarray:
    return np.array([[len(text), 1.0, ord(text[0])] for text in texts])


class Counting(CallableEmbedder):
    def __init__(self, fn: Callable[[list[str]], Any] = lengths) -> None:
        self.asked: list[str] = []
        super().__init__(lambda texts: [self.asked.extend(texts), fn(texts)][1])


def unit(texts: list[str]) -> np.ndarray:
    rows = lengths(texts)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_equal_texts_are_embedded_once_in_batches_of_similar_length() -> None:
    embedder = Counting()
    told: list[tuple[int, int]] = []
    embedding = Embedding(embedder, batch_size=2, progress=lambda *done: told.append(done))
    vectors, fresh = embed_texts(TEXTS, embedding, rows=NEW, stored=NONE)
    np.testing.assert_allclose(vectors, unit(TEXTS), atol=1e-6)
    assert embedder.asked == ["one", "one", "two", "three", "fifteen"]  # the first call asks for the dimension
    assert fresh.all()
    assert told == [(2, 4), (4, 4)]


def test_known_rows_and_cached_texts_are_not_embedded(tmp_path: Path) -> None:
    embedder = Counting()
    cache = EmbeddingCache(tmp_path, embedder.identity, keep=True)
    embed_texts(["three"], Embedding(embedder, cache), rows=NEW[:1], stored=NONE)
    embedder.asked.clear()
    rows = np.array([1, -1, 1, -1, 0])
    again = EmbeddingCache(tmp_path, embedder.identity, keep=True)
    vectors, fresh = embed_texts(TEXTS, Embedding(embedder, again), rows=rows, stored=unit(["two", "one"]))
    np.testing.assert_allclose(vectors, unit(TEXTS), atol=1e-6)
    # One known and one cached text are asked for again: is it still the same model?
    assert embedder.asked == ["one", "three", "fifteen"]
    assert fresh.tolist() == [False, False, False, True, False]


def test_a_cache_that_another_model_filled_is_not_used(tmp_path: Path) -> None:
    for sign in (1, -1):
        embedder = Counting(lambda texts, sign=sign: sign * lengths(texts))
        cache = EmbeddingCache(tmp_path, embedder.identity, keep=True)
        vectors, fresh = embed_texts(TEXTS, Embedding(embedder, cache), rows=NEW, stored=NONE)
        np.testing.assert_allclose(vectors, sign * unit(TEXTS), atol=1e-6)
        assert fresh.all()


def test_another_dimension_is_refused() -> None:
    with pytest.raises(EmbedderMismatchError, match=r"3 dimensions.*holds 8"):
        embedder = CallableEmbedder(lengths, dimension=3)
        embed_texts(TEXTS, Embedding(embedder), rows=np.array([0, -1, -1, -1, -1]), stored=np.ones((1, 8), np.float32))


def test_no_texts_and_no_vectors() -> None:
    assert embed_texts([], Embedding(Counting()), rows=NEW[:0], stored=NONE)[0].shape == (0, 0)
    assert embed_texts(TEXTS, Embedding(NoEmbedder()), rows=NEW, stored=NONE)[0].shape == (5, 0)


def test_what_was_finished_before_an_error_is_kept(tmp_path: Path) -> None:
    def failing(texts: list[str]) -> np.ndarray:
        return lengths(texts) if "fifteen" not in texts else np.full((len(texts), 3), np.nan)

    embedder = Counting(failing)
    with pytest.raises(EmbeddingError, match="NaN"):
        cache = EmbeddingCache(tmp_path, embedder.identity, keep=True)
        embed_texts(TEXTS, Embedding(embedder, cache, batch_size=3), rows=NEW, stored=NONE)
    mended = Counting()
    cache = EmbeddingCache(tmp_path, mended.identity, keep=True)
    _, fresh = embed_texts(TEXTS, Embedding(mended, cache), rows=NEW, stored=NONE)
    assert fresh.tolist() == [False, False, False, True, False]


def test_indexes_share_a_cache(tmp_path: Path, good_trio: list[Document]) -> None:
    cache = tmp_path / "cache"
    build_index(good_trio, tmp_path / "one", embed_fn=lengths, cache=cache)
    report = build_index(good_trio[1:], tmp_path / "two", embed_fn=lengths, cache=cache)
    assert report.changes["chunks"]["embedded"] == 0
    assert report.snapshot == build_index(good_trio[1:], tmp_path / "three", embed_fn=lengths).snapshot
    report = sync_index(good_trio, tmp_path / "two", embed_fn=lengths, cache=cache)
    assert report.changes["chunks"] == {"same": 2, "added": 1, "removed": 0, "embedded": 0}
    assert not (tmp_path / "one" / "next.embeddings").exists()
    assert LocalStore(tmp_path / "one").leftovers() == []
