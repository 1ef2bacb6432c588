"""The vector of a question: embedded by the embedder of the index, or none with the reason."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.embedders.choose import EmbedFunction, embedder_for
from gossamer.embedders.identity import require_same_embedder
from gossamer.embedders.protocol import Embedder, embed_query
from gossamer.index.snapshot import Snapshot
from gossamer.settings import Settings

Vector = NDArray[np.float32]


class Questioner:
    """Embeds questions of one index; the embedder is made when the first question needs it."""

    def __init__(self, snapshot: Snapshot, settings: Settings, embed_fn: EmbedFunction | None) -> None:
        self._stored: dict[str, Any] = dict(snapshot.info["embedder"])
        self._dimension = int(snapshot.vectors.shape[1])
        self._settings = settings
        self._embed_fn = embed_fn
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None

    def vector(self, question: str) -> tuple[Vector | None, str | None]:
        """The unit vector, or None and a warning where the question must go by words alone."""
        kind = self._stored["kind"]
        if self._dimension == 0:
            return None, None
        if kind == "vectors" and self._settings.embedder == "vectors":
            return None, (
                "The index holds vectors computed elsewhere: without query_vector only the words of the question count."
            )
        if kind == "callable" and self._embed_fn is None:
            return None, (
                "The index was built with embed_fn: without embed_fn or query_vector only the words of the question count."
            )
        vector = embed_query(self._ready(), question)
        if vector is None:
            return None, "There is no vector for this question: only its words count. Pass query_vector."
        return vector, None

    def close(self) -> None:
        """Release the embedder's connections."""
        closing = getattr(self._embedder, "close", None)
        if closing is not None:
            closing()

    def _ready(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                embedder = embedder_for(self._settings, self._embed_fn)
                require_same_embedder(self._stored, embedder)
                self._embedder = embedder
            return self._embedder
