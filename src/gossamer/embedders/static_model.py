"""Static embeddings by the model2vec package (extra of that name), from a hub name or a local folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gossamer.embedders.identity import model_label
from gossamer.embedders.options import EmbedderOptions, Prefixes
from gossamer.embedders.protocol import Kind, Vectors, check_vectors
from gossamer.errors import EmbeddingError, MissingExtraError


class StaticEmbedder:
    """A model2vec StaticModel: the mean of one vector a token, over the whole text.

    Raises MissingExtraError without the package, EmbeddingError when the model cannot be loaded.
    """

    reproducible = False
    semantic = True
    max_tokens: int | None = None

    def __init__(self, name: str, options: EmbedderOptions) -> None:
        try:
            from model2vec import StaticModel
        except ImportError as problem:
            raise MissingExtraError("model2vec", "model2vec", "A model2vec: embedder") from problem
        self.name = f"model2vec:{name}"
        try:
            self._model = StaticModel.from_pretrained(name)
        except (OSError, ValueError, RuntimeError) as problem:
            raise EmbeddingError(
                f"Cannot load {self.name!r}: {str(problem).rstrip('.')}. "
                f"Give a model name of the hub, and be online once, or a folder."
            ) from problem
        self._label, self._hash = model_label(name)
        self._prefixes = options.prefixes(Prefixes())
        self._batch_size = options.batch_size
        self.dimension: int | None = int(self._model.dim)

    @property
    def identity(self) -> dict[str, Any]:
        """Kind, model, hash of a local folder, dimension and prefixes, as JSON values."""
        return {
            "kind": "model2vec",
            "model": self._label,
            "hash": self._hash,
            "dimension": self.dimension,
            "query_prefix": self._prefixes.query,
            "passage_prefix": self._prefixes.passage,
        }

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Unit vectors of `texts`, shape (n, dimension)."""
        if not texts:
            return np.zeros((0, self.dimension or 0), dtype=np.float32)
        raw = self._model.encode(
            self._prefixes.apply(texts, kind),
            max_length=None,
            batch_size=self._batch_size,
            show_progress_bar=False,
        )
        where = f"A batch of {len(texts)} texts for {self.name!r}"
        return check_vectors(raw, expected_rows=len(texts), dimension=self.dimension, where=where)

    def __repr__(self) -> str:
        return f"StaticEmbedder({self._label!r}, dimension={self.dimension})"


def build(rest: str, options: EmbedderOptions) -> StaticEmbedder:
    """The embedder of `model2vec:NAME`."""
    return StaticEmbedder(rest, options)
