"""Where the topic of a running text changes, seen by sentence embeddings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

_BLOCK = 512


def topic_breaks(
    sentences: Sequence[str], embed: Callable[[list[str]], NDArray[np.floating]], *, percentile: float = 90.0
) -> list[int]:
    """Indices of the sentences that begin a new topic.

    d_i = 1 − cos(v_{i−1}, v_i) for consecutive sentences; sentence i begins a topic where d_i lies above the given
    percentile of all d. Vectors are asked for in blocks and not kept. A zero vector has distance 1 to everything.

    >>> import numpy as np
    >>> embed = lambda texts: np.array([[1.0, 0.0] if "star" in text else [0.0, 1.0] for text in texts])
    >>> topic_breaks(["a star", "the star", "star light", "a budget", "the budget"], embed)
    [3]
    """
    if len(sentences) < 3:
        return []
    distances = np.empty(len(sentences) - 1)
    last: NDArray[np.float64] | None = None
    for start in range(0, len(sentences), _BLOCK):
        vectors = np.asarray(embed(list(sentences[start : start + _BLOCK])), dtype=np.float64)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
        joined = vectors if last is None else np.vstack([last, vectors])
        first = max(0, start - 1)
        distances[first : first + len(joined) - 1] = 1.0 - np.einsum("ij,ij->i", joined[:-1], joined[1:])
        last = vectors[-1:].copy()
    rounded = np.round(distances, 6)
    return (np.flatnonzero(rounded > np.percentile(rounded, percentile)) + 1).tolist()
