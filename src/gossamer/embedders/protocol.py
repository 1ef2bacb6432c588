"""What an embedder is, and the checks that every vector passes before it is stored or compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ArgumentTypeError, EmbeddingError, UsageError

Kind = Literal["passage", "query"]
Vectors = NDArray[np.float32]

REPRODUCIBLE_COSINE = 0.9999
_UNIT_TOLERANCE = 1e-6
_BLOCK_ROWS = 4096


class Embedder(Protocol):
    """Turns texts into unit vectors.

    `name` is the name as given and may hold a machine path; `identity` is what an index stores: JSON values with kind,
    model label, dimension and prefixes, and a hash where local files decide, never a path. `dimension` is None until
    known, 0 for an embedder without vectors. `max_tokens` is the number of tokens a text is read up to, None where
    unknown or unlimited. `reproducible` promises the same bytes for a text whatever its batch; `semantic` says that
    the vectors know meaning and not only spelling.
    """

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> dict[str, Any]: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def max_tokens(self) -> int | None: ...
    @property
    def reproducible(self) -> bool: ...
    @property
    def semantic(self) -> bool: ...

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Unit vectors, shape (len(texts), dimension); a text without content may have a zero vector."""


class IdEmbedder(Embedder, Protocol):
    """An embedder that looks vectors up by id instead of reading texts; see `is_by_id`."""

    @property
    def by_id(self) -> bool: ...

    def embed_ids(self, chunk_ids: Sequence[str], document_ids: Sequence[str]) -> Vectors:
        """Vector of each chunk id or, where there is none, of its document id."""

    def embed_query(self, question: str) -> Vectors | None:
        """Vector of a question given by its id or text, shape (dimension,), or None where there is none."""


def is_by_id(embedder: Embedder) -> TypeGuard[IdEmbedder]:
    """True when the vectors of passages come from ids (`embed_ids`), not from texts."""
    return bool(getattr(embedder, "by_id", False))


def check_vectors(
    raw: object, *, expected_rows: int, dimension: int | None, where: str, members: Sequence[int] | None = None
) -> Vectors:
    """`raw` as float32 unit vectors, shape (expected_rows, dimension); any finite scale and number type will do.

    Row i becomes x_i / ||x_i||; a zero row stays zero, so that it scores 0. Unit rows keep their bytes: checking twice
    changes nothing. `where` opens the message, `members` are the numbers of the texts behind the rows. Raises
    EmbeddingError naming the row for NaN, infinity, a non-number or a row of another length, and for a wrong shape.

    >>> check_vectors([[3, 4], [0, 0]], expected_rows=2, dimension=2, where="Batch 1")
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    array = _as_array(raw, where, members)
    if expected_rows == 0 and array.size == 0:
        return np.zeros((0, dimension or 0), dtype=np.float32)
    if array.ndim != 2:
        raise EmbeddingError(
            f"{where}: the embedder returned an array of shape {array.shape}. Return one row a text, in 2 dimensions."
        )
    rows, columns = array.shape
    if rows != expected_rows:
        raise EmbeddingError(
            f"{where}: the embedder returned {rows} vectors for {expected_rows} texts. Return one vector a text."
        )
    if columns == 0 or (dimension is not None and columns != dimension):
        raise EmbeddingError(
            f"{where}: row 0{_text_of(0, members)} has {columns} columns where "
            f"{dimension or 'at least 1'} were expected. Use one model for all texts of an index."
        )
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        row = int(bad[0])
        raise EmbeddingError(
            f"{where}: row {row}{_text_of(row, members)} holds NaN or infinity ({bad.size} such rows). "
            "Repair the embedder, or leave out the texts it fails on."
        )
    unit = np.empty(array.shape, dtype=np.float32)
    for start in range(0, rows, _BLOCK_ROWS):
        unit[start : start + _BLOCK_ROWS] = _normalised(array[start : start + _BLOCK_ROWS])
    return unit


def embed_in_batches(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    kind: Kind,
    batch_size: int = 32,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """Checked unit vectors of all `texts`, shape (n, d), in their order.

    Batches hold texts of similar length, so that a model pads little. `progress(done, total)` is called after each.
    Raises EmbeddingError naming batch, row and text for unusable vectors.

    >>> from gossamer.embedders.registry import make_embedder
    >>> embed_in_batches(make_embedder("hash:64"), ["one", "two"], kind="passage").shape
    (2, 64)
    """
    if isinstance(texts, str):
        raise ArgumentTypeError("texts is a single string. Pass a list of strings.")
    if batch_size < 1:
        raise UsageError(f"batch_size = {batch_size} is not possible. Give 1 or more.")
    dimension = embedder.dimension
    result = np.zeros((len(texts), dimension or 0), dtype=np.float32)
    if dimension == 0 or not len(texts):
        return result
    done = 0
    for number, members in enumerate(length_sorted_batches(texts, batch_size), start=1):
        raw = embedder.embed([texts[i] for i in members], kind=kind)
        where = f"Batch {number} of embedder {embedder.name!r}"
        block = check_vectors(raw, expected_rows=len(members), dimension=dimension, where=where, members=members)
        if dimension is None:
            dimension = block.shape[1]
            result = np.zeros((len(texts), dimension), dtype=np.float32)
        result[members] = block
        done += len(members)
        if progress is not None:
            progress(done, len(texts))
    return result


def embed_query(embedder: Embedder, question: str) -> Vectors | None:
    """Unit vector of a question, shape (d,), or None when this embedder has none for it (use the lexical channel).

    >>> from gossamer.embedders.registry import make_embedder
    >>> embed_query(make_embedder("none"), "Where is Helix Labs?") is None
    True
    """
    if is_by_id(embedder):
        return embedder.embed_query(question)
    if embedder.dimension == 0:
        return None
    vector: Vectors = embed_in_batches(embedder, [question], kind="query", batch_size=1)[0]
    return vector


def probe_reproducibility(embedder: Embedder, texts: Sequence[str]) -> str | None:
    """A warning sentence when vectors of the same text differ by their batch (cosine below .9999), else None.

    Embeds up to 8 of `texts`, of different lengths: in one batch, in the reversed order, and three of them alone.
    """
    if embedder.reproducible or embedder.dimension == 0 or is_by_id(embedder):
        return None
    distinct = sorted(set(texts), key=lambda text: (len(text), text))
    if not distinct:
        return None
    spread = np.unique(np.linspace(0, len(distinct) - 1, min(8, len(distinct))).astype(int))
    sample = [distinct[i] for i in spread]
    together = _embed_once(embedder, sample)
    reverse = _embed_once(embedder, sample[::-1])[::-1]
    picks = sorted({0, len(sample) // 2, len(sample) - 1})
    alone = np.concatenate([_embed_once(embedder, [sample[i]]) for i in picks])
    lowest = min(_lowest_cosine(together, reverse), _lowest_cosine(together[picks], alone))
    if lowest >= REPRODUCIBLE_COSINE:
        return None
    return (
        f"Embedder {embedder.name!r} is not reproducible: the same text embedded alone and in a batch has cosine "
        f"{lowest:.4f}, below {REPRODUCIBLE_COSINE}; an updated index can differ from a fresh one. "
        "Use a model with float arithmetic, or batch_size 1."
    )


def cut_warning(embedder: Embedder, tokens: NDArray[np.integer[Any]]) -> str | None:
    """A warning sentence when passages (token counts, shape (n,)) are longer than the embedder reads, else None."""
    limit = embedder.max_tokens
    over = 0 if limit is None else int(np.count_nonzero(np.asarray(tokens) > limit))
    if not over:
        return None
    return (
        f"{over} of {len(tokens)} passages are longer than the {limit} tokens that embedder {embedder.name!r} reads; "
        f"their ends have no part in the vectors. Set chunk_tokens to at most {limit}."
    )


def length_sorted_batches(texts: Sequence[str], batch_size: int) -> list[list[int]]:
    """Positions of `texts` in batches of similar length, shortest first, ties by position.

    >>> length_sorted_batches(["ccc", "a", "bb"], 2)
    [[1, 2], [0]]
    """
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def _embed_once(embedder: Embedder, texts: list[str]) -> Vectors:
    raw = embedder.embed(texts, kind="passage")
    where = f"Reproducibility probe of embedder {embedder.name!r}"
    return check_vectors(raw, expected_rows=len(texts), dimension=embedder.dimension, where=where)


def _lowest_cosine(first: Vectors, second: Vectors) -> float:
    """Smallest cosine of matching rows; two zero rows agree."""
    if first.shape != second.shape:
        return 0.0
    cosines = np.einsum("ij,ij->i", first, second)
    cosines[~first.any(axis=1) & ~second.any(axis=1)] = 1.0
    return float(cosines.min())


def _as_array(raw: object, where: str, members: Sequence[int] | None) -> NDArray[Any]:
    try:
        array = np.asarray(raw)
    except (TypeError, ValueError, RuntimeError) as problem:
        row = _uneven_row(raw)
        detail = str(problem) if row is None else f"row {row}{_text_of(row, members)} has another length than row 0"
        raise EmbeddingError(
            f"{where}: the embedder returned no matrix of numbers: {detail}. Return one row of numbers a text."
        ) from problem
    if array.dtype.kind in "fiu":
        return array
    row = next((i for i, values in enumerate(array) if not _all_numbers(values)), 0) if array.ndim == 2 else 0
    raise EmbeddingError(
        f"{where}: row {row}{_text_of(row, members)} holds values that are not numbers (dtype {array.dtype}). "
        "Return one row of numbers a text."
    )


def _uneven_row(raw: object) -> int | None:
    """First row of a nested list whose length differs from that of row 0."""
    if not isinstance(raw, (list, tuple)):
        return None
    lengths = [len(row) if hasattr(row, "__len__") else -1 for row in raw]
    return next((i for i, length in enumerate(lengths) if length != lengths[0]), None)


def _all_numbers(values: NDArray[Any]) -> bool:
    return all(isinstance(value, (int, float, np.number)) for value in values)


def _text_of(row: int, members: Sequence[int] | None) -> str:
    return "" if members is None else f" (text {members[row]})"


def _normalised(rows: NDArray[Any]) -> Vectors:
    """Rows divided by their length in float64, first by their largest entry so that no square overflows."""
    exact = rows.astype(np.float64)
    peak = np.abs(exact).max(axis=1, keepdims=True)
    peak[peak == 0] = 1.0
    exact /= peak
    norm = np.sqrt(np.einsum("ij,ij->i", exact, exact))[:, None]
    norm[norm == 0] = 1.0
    unit: Vectors = (exact / norm).astype(np.float32)
    already = (np.abs(peak * norm - 1.0) <= _UNIT_TOLERANCE)[:, 0]
    unit[already] = rows[already]
    return unit
