"""What the embedders behind a server have in common: batches, prefixes, checks and identity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from gossamer.embedders.http import JsonServer
from gossamer.embedders.options import EmbedderOptions, known_prefixes
from gossamer.embedders.protocol import Kind, Vectors, check_vectors


class ServedEmbedder(ABC):
    """One model of a server; a subclass says how one batch is asked for."""

    protocol: ClassVar[str]
    max_tokens: int | None
    reproducible = False
    semantic = True

    def __init__(self, model: str, server: JsonServer, options: EmbedderOptions) -> None:
        self.name = f"{self.protocol}:{model}"
        self.dimension: int | None = None
        self._model = model
        self._server = server
        self._prefixes = options.prefixes(known_prefixes(model))
        self._batch_size = options.batch_size

    @property
    def identity(self) -> dict[str, Any]:
        """Kind, model, dimension and prefixes, as JSON values."""
        return {
            "kind": self.protocol,
            "model": self._model,
            "dimension": self.dimension,
            "query_prefix": self._prefixes.query,
            "passage_prefix": self._prefixes.passage,
        }

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Unit vectors of `texts`, shape (n, dimension); raises EmbeddingError when the server fails."""
        # Servers refuse an empty string, so a blank text is sent as one space.
        prepared = [text if text.strip() else " " for text in self._prefixes.apply(texts, kind)]
        blocks = [np.zeros((0, self.dimension or 0), dtype=np.float32)] if not prepared else []
        for start in range(0, len(prepared), self._batch_size):
            batch = prepared[start : start + self._batch_size]
            where = f"Texts {start} to {start + len(batch) - 1} sent to {self.name!r}"
            block = check_vectors(self._request(batch), expected_rows=len(batch), dimension=self.dimension, where=where)
            self.dimension = block.shape[1]
            blocks.append(block)
        return np.concatenate(blocks)

    def close(self) -> None:
        """Close the connections to the server; a later call opens new ones."""
        self._server.close()

    @abstractmethod
    def _request(self, batch: list[str]) -> object:
        """One row of numbers a text, as the server sent them."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r}, {self._server!r})"
