"""An embedder from any function, for the `embed_fn` hook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gossamer.embedders.options import Prefixes
from gossamer.embedders.protocol import Kind, Vectors, check_vectors


class CallableEmbedder:
    """Wraps `fn(texts) -> one row of numbers a text` (list, NumPy array or CPU tensor, any scale and number type).

    `name` is stored in the index: give another name when the model behind the function changes. Prefixes are put
    before questions and passages. Raises EmbeddingError when the function returns unusable vectors; what the function
    itself raises passes through.

    >>> embedder = CallableEmbedder(lambda texts: [[len(text), 1.0] for text in texts], name="lengths")
    >>> embedder.embed(["", "one"], kind="query").shape
    (2, 2)
    """

    max_tokens: int | None = None
    reproducible = False
    semantic = True

    def __init__(
        self,
        fn: Callable[[list[str]], object],
        name: str = "callable",
        *,
        query_prefix: str = "",
        passage_prefix: str = "",
        dimension: int | None = None,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self._fn = fn
        self._prefixes = Prefixes(query_prefix, passage_prefix)

    @property
    def identity(self) -> dict[str, Any]:
        """Kind, name, dimension and prefixes, as JSON values."""
        return {
            "kind": "callable",
            "model": self.name,
            "dimension": self.dimension,
            "query_prefix": self._prefixes.query,
            "passage_prefix": self._prefixes.passage,
        }

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Unit vectors of `texts` in one call of the function, shape (n, dimension)."""
        raw = self._fn(self._prefixes.apply(texts, kind)) if texts else []
        where = f"A batch of {len(texts)} texts for embedder {self.name!r}"
        vectors = check_vectors(raw, expected_rows=len(texts), dimension=self.dimension, where=where)
        if len(texts):
            self.dimension = vectors.shape[1]
        return vectors

    def __repr__(self) -> str:
        return f"CallableEmbedder({self.name!r}, dimension={self.dimension})"
