"""Embeddings by the fastembed package (extra of that name)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gossamer.embedders.identity import model_label
from gossamer.embedders.options import EmbedderOptions, known_prefixes
from gossamer.embedders.protocol import Kind, Vectors, check_vectors
from gossamer.errors import EmbeddingError, MissingExtraError


class FastEmbedEmbedder:
    """A model that fastembed supports, fetched by it once or read from a local `folder`.

    Raises MissingExtraError without the package, EmbeddingError when the model is not supported or cannot be loaded.
    """

    reproducible = False
    semantic = True
    max_tokens: int | None = None

    def __init__(self, model: str, folder: str, options: EmbedderOptions) -> None:
        try:
            from fastembed import TextEmbedding
        except ImportError as problem:
            raise MissingExtraError("fastembed", "fastembed", "A fastembed: embedder") from problem
        self.name = f"fastembed:{model}@{folder}" if folder else f"fastembed:{model}"
        place = {"specific_model_path": folder} if folder else {}
        try:
            if folder and not Path(folder).is_dir():
                raise FileNotFoundError("the folder does not exist")
            self._encoder = TextEmbedding(model_name=model, **place)
        except (OSError, ValueError, RuntimeError) as problem:
            raise EmbeddingError(
                f"Cannot load {self.name!r}: {str(problem).rstrip('.')}. "
                f"Give a model of TextEmbedding.list_supported_models(), and be "
                "online once, or MODEL@DIR with its files."
            ) from problem
        self._model = model
        self._hash = model_label(folder)[1] if folder else None
        self._prefixes = options.prefixes(known_prefixes(model))
        self._batch_size = options.batch_size
        self.dimension: int | None = getattr(self._encoder, "embedding_size", None)

    @property
    def identity(self) -> dict[str, Any]:
        """Kind, model, hash of a local folder, dimension and prefixes, as JSON values."""
        return {
            "kind": "fastembed",
            "model": self._model,
            "hash": self._hash,
            "dimension": self.dimension,
            "query_prefix": self._prefixes.query,
            "passage_prefix": self._prefixes.passage,
        }

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Unit vectors of `texts`, shape (n, dimension)."""
        method = self._encoder.query_embed if kind == "query" else self._encoder.passage_embed
        raw = list(method(self._prefixes.apply(texts, kind), batch_size=self._batch_size)) if texts else []
        where = f"A batch of {len(texts)} texts for {self.name!r}"
        vectors = check_vectors(raw, expected_rows=len(texts), dimension=self.dimension, where=where)
        if len(texts):
            self.dimension = vectors.shape[1]
        return vectors

    def __repr__(self) -> str:
        return f"FastEmbedEmbedder({self._model!r}, dimension={self.dimension})"


def build(rest: str, options: EmbedderOptions) -> FastEmbedEmbedder:
    """The embedder of `fastembed:NAME`, or of `fastembed:NAME@DIR` with its files in a local folder."""
    model, _, folder = rest.partition("@")
    return FastEmbedEmbedder(model, folder, options)
