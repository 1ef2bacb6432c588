"""Step 4: vectors of texts, on disk as they come; what an earlier snapshot or a cache holds is not embedded again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.embedders.protocol import check_vectors, embed_in_batches, length_sorted_batches
from gossamer.errors import EmbedderMismatchError

if TYPE_CHECKING:
    from gossamer.embedders.protocol import Embedder, Vectors
    from gossamer.index.embeddings import EmbeddingCache

Reserve = Callable[[str, tuple[int, ...]], "Vectors"]

_BLOCK_ROWS = 4096
# Vectors of two models are near right angles; those of one model differ at most by how batches are padded.
_SAME_MODEL = 0.9


def in_memory(name: str, shape: tuple[int, ...]) -> Vectors:
    """An array of zeros, where there is no index folder to keep it in."""
    return np.zeros(shape, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Embedding:
    """How texts become vectors: the embedder, a cache, room for the result, and whom to tell how far it is."""

    embedder: Embedder
    cache: EmbeddingCache | None = None
    batch_size: int = 32
    reserve: Reserve = in_memory
    progress: Callable[[int, int], None] | None = None


def embed_texts(
    texts: Sequence[str], embedding: Embedding, *, rows: NDArray[np.int64], stored: Vectors, name: str = "vectors"
) -> tuple[Vectors, NDArray[np.bool_]]:
    """Unit vectors of passages, shape (n, d), and which of them were embedded now, shape (n,).

    Text i is row `rows[i]` of `stored` where that is not −1, else it is looked up in the cache, else embedded; equal
    texts are embedded once. Raises EmbeddingError naming batch, row and text for unusable vectors,
    EmbedderMismatchError where this is another embedder than the one behind `stored`.

    >>> from gossamer.embedders.registry import make_embedder
    >>> stored = make_embedder("hash:8").embed(["one"], kind="passage")
    >>> vectors, fresh = embed_texts(
    ...     ["one", "two", "two"], Embedding(make_embedder("hash:8")), rows=np.array([0, -1, -1]), stored=stored
    ... )
    >>> vectors.shape, fresh.tolist(), bool((vectors[0] == stored[0]).all())
    ((3, 8), [False, True, True], True)
    """
    from gossamer.index.embeddings import text_key

    fresh = np.zeros(len(texts), dtype=bool)
    dimension = _dimension(embedding.embedder, texts, rows, stored)
    vectors = embedding.reserve(name, (len(texts), dimension))
    if 0 in vectors.shape:
        return vectors, fresh
    known = np.flatnonzero(rows >= 0)
    for start in range(0, len(known), _BLOCK_ROWS):
        part = known[start : start + _BLOCK_ROWS]
        vectors[part] = stored[rows[part]]
    wanted: dict[bytes, list[int]] = {}
    for place in np.flatnonzero(rows < 0).tolist():
        wanted.setdefault(text_key(texts[place]), []).append(place)
    if wanted and len(known) and not _made_by(embedding.embedder, texts[known[0]], vectors[known[0]]):
        raise EmbedderMismatchError(
            f"Embedder {embedding.embedder.name!r} gives a passage of the index another vector than the one stored. "
            "Pass the embedder the index was built with, or build it again (`gossamer index … --force`, build_index)."
        )
    _take_cached(wanted, texts, vectors, embedding)
    _embed(wanted, texts, vectors, fresh, embedding)
    return vectors, fresh


def _take_cached(wanted: dict[bytes, list[int]], texts: Sequence[str], vectors: Vectors, embedding: Embedding) -> None:
    """Fill in what the cache holds, unless another model of the same name made it."""
    if embedding.cache is None:
        return
    checked = False
    for key, vector in embedding.cache.find(wanted, vectors.shape[1]):
        if not checked and not _made_by(embedding.embedder, texts[wanted[key][0]], vector):
            return
        checked = True
        vectors[wanted.pop(key)] = vector


def _embed(
    wanted: dict[bytes, list[int]],
    texts: Sequence[str],
    vectors: Vectors,
    fresh: NDArray[np.bool_],
    embedding: Embedding,
) -> None:
    """Embed the rest in batches of similar length."""
    keys, places = list(wanted), list(wanted.values())
    embedder, cache, done = embedding.embedder, embedding.cache, 0
    batches = length_sorted_batches([texts[each[0]] for each in places], embedding.batch_size)
    try:
        for number, members in enumerate(batches, start=1):
            first = [places[member][0] for member in members]
            raw = embedder.embed([texts[place] for place in first], kind="passage")
            where = f"Batch {number} of embedder {embedder.name!r}"
            block = check_vectors(
                raw, expected_rows=len(members), dimension=vectors.shape[1], where=where, members=first
            )
            for member, vector in zip(members, block, strict=True):
                vectors[places[member]] = vector
                fresh[places[member]] = True
            if cache is not None:
                cache.add([keys[member] for member in members], block)
            done += len(members)
            if embedding.progress is not None:
                embedding.progress(done, len(keys))
    finally:
        if cache is not None:
            cache.flush()


def _dimension(embedder: Embedder, texts: Sequence[str], rows: NDArray[np.int64], stored: Vectors) -> int:
    """Columns of the result; an embedder that does not know its own is asked by its first text."""
    reused = bool((rows >= 0).any())
    if embedder.dimension is None and len(texts):
        return stored.shape[1] if reused else len(embed_in_batches(embedder, texts[:1], kind="passage")[0])
    dimension = embedder.dimension or 0
    if reused and dimension != stored.shape[1]:
        raise EmbedderMismatchError(
            f"Embedder {embedder.name!r} gives {dimension} dimensions, but the index holds {stored.shape[1]}. "
            "Pass the embedder the index was built with, or build it again (`gossamer index … --force`, build_index)."
        )
    return dimension


def _made_by(embedder: Embedder, text: str, vector: NDArray[Any]) -> bool:
    """Whether the embedder gives about this vector; taken for granted where its identity holds a hash of its files."""
    if embedder.reproducible or embedder.identity.get("hash") or not vector.any():
        return True
    again = embed_in_batches(embedder, [text], kind="passage", batch_size=1)[0]
    return again.shape == vector.shape and float(again @ vector) >= _SAME_MODEL
