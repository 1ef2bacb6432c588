"""The `none` embedder: no vectors at all, so that search is lexical and the graph has no semantic signal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gossamer.embedders.options import EmbedderOptions
from gossamer.embedders.protocol import Kind, Vectors
from gossamer.errors import SettingsError


class NoEmbedder:
    """An embedder of dimension 0."""

    name = "none"
    dimension = 0
    max_tokens: int | None = None
    reproducible = True
    semantic = False

    @property
    def identity(self) -> dict[str, Any]:
        """Kind and dimension, as JSON values."""
        return {"kind": "none", "dimension": 0}

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """An array of shape (len(texts), 0).

        >>> NoEmbedder().embed(["one", "two"], kind="passage").shape
        (2, 0)
        """
        return np.zeros((len(texts), 0), dtype=np.float32)

    def __repr__(self) -> str:
        return "NoEmbedder()"


def build(rest: str, options: EmbedderOptions) -> NoEmbedder:
    """The embedder of `none`."""
    if rest:
        raise SettingsError(f"none:{rest} is not possible. Give 'none' alone.")
    options.refuse_prefixes("none")
    return NoEmbedder()
