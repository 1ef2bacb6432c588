"""The passages that "without X" keeps out of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.insight.exclusion import naming_passages, near_passages
from gossamer.text.clean import clean_text

if TYPE_CHECKING:
    from gossamer.retrieval.pipeline import SpectRAGRetrieval


def excluded_passages(retrieval: SpectRAGRetrieval, without: Sequence[str], *, cosine: float) -> NDArray[np.bool_]:
    """(n) passages that name one of `without`, by words or entity, or by cosine where the embedder knows meaning."""
    snapshot = retrieval.snapshot
    mask = np.zeros(len(snapshot), dtype=bool)
    for name in without:
        text = clean_text(name)
        mask |= naming_passages(snapshot, text)
        if snapshot.info["semantic"]:
            vector = retrieval.embed_query(text)
            if vector is not None:
                mask |= near_passages(snapshot.vectors, vector, cosine)
    return mask
