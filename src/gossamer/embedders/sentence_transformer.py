"""Embeddings by the sentence-transformers package (extra of that name), from a hub name or a local folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gossamer.embedders.identity import model_label
from gossamer.embedders.options import EmbedderOptions, Prefixes, known_prefixes
from gossamer.embedders.protocol import Kind, Vectors, check_vectors
from gossamer.errors import EmbeddingError, MissingExtraError

_QUERY_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


class SentenceTransformerEmbedder:
    """A SentenceTransformer model. Prefixes not given are the model's own prompts, else those known for its name.

    Raises MissingExtraError without the package, EmbeddingError when the model cannot be loaded.
    """

    reproducible = False
    semantic = True

    def __init__(self, name: str, options: EmbedderOptions) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as problem:
            raise MissingExtraError(
                "sentence-transformers", "sentence-transformers", "A sentence-transformers: embedder"
            ) from problem
        self.name = f"sentence-transformers:{name}"
        try:
            self._model = SentenceTransformer(name)
        except (OSError, ValueError, RuntimeError) as problem:
            raise EmbeddingError(
                f"Cannot load {self.name!r}: {str(problem).rstrip('.')}. "
                f"Give a model name of the hub, and be online once, or a folder."
            ) from problem
        self._label, self._hash = model_label(name)
        known = known_prefixes(self._label)
        prompts = getattr(self._model, "prompts", None) or {}
        self._prefixes = options.prefixes(
            Prefixes(
                query=_first_prompt(prompts, _QUERY_PROMPTS) or known.query,
                passage=_first_prompt(prompts, _PASSAGE_PROMPTS) or known.passage,
            )
        )
        self._batch_size = options.batch_size
        self.max_tokens: int | None = getattr(self._model, "max_seq_length", None)
        measure = getattr(self._model, "get_embedding_dimension", None)  # the name since version 5.3
        self.dimension: int | None = (measure or self._model.get_sentence_embedding_dimension)()

    @property
    def identity(self) -> dict[str, Any]:
        """Kind, model, hash of a local folder, dimension, limit and prefixes, as JSON values."""
        return {
            "kind": "sentence-transformers",
            "model": self._label,
            "hash": self._hash,
            "dimension": self.dimension,
            "max_tokens": self.max_tokens,
            "query_prefix": self._prefixes.query,
            "passage_prefix": self._prefixes.passage,
        }

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Unit vectors of `texts`, shape (n, dimension)."""
        if not texts:
            return np.zeros((0, self.dimension or 0), dtype=np.float32)
        # encode_query and encode_document (version 5) choose the half of a two-tower model, encode (3, 4) has none.
        method = getattr(self._model, "encode_query" if kind == "query" else "encode_document", None)
        raw = (method or self._model.encode)(
            Prefixes().apply(texts, kind),
            prompt=self._prefixes.query if kind == "query" else self._prefixes.passage,
            batch_size=self._batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        where = f"A batch of {len(texts)} texts for {self.name!r}"
        return check_vectors(raw, expected_rows=len(texts), dimension=self.dimension, where=where)

    def __repr__(self) -> str:
        return f"SentenceTransformerEmbedder({self._label!r}, dimension={self.dimension})"


def _first_prompt(prompts: dict[str, str], names: Sequence[str]) -> str:
    return next((prompts[name] for name in names if prompts.get(name)), "")


def build(rest: str, options: EmbedderOptions) -> SentenceTransformerEmbedder:
    """The embedder of `sentence-transformers:NAME`."""
    return SentenceTransformerEmbedder(rest, options)
