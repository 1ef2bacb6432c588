"""Where a question touches the index: how much it likes every chunk, and the chunks that energy may enter at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.retrieval.seeds import best, blended_relevance, choose_seeds, fused_relevance

if TYPE_CHECKING:
    from gossamer.graph.spread_arrays import Matrix
    from gossamer.retrieval.channels import Channels
    from gossamer.settings import Settings

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_DEPTH = 100
_CONTACTS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question as text with its channel scores and what was odd about it."""

    text: str
    channels: Channels
    vector: NDArray[np.float32] | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Contacts:
    """`relevance` H (n), `hits` (n) that some channel scores, and the `lists` (channel -> scores) they come from."""

    relevance: FloatArray
    hits: NDArray[np.bool_]
    lists: dict[str, NDArray[np.float32]]

    def without(self, mask: NDArray[np.bool_]) -> Contacts:
        """The contacts where masked chunks are no hits."""
        return replace(self, hits=self.hits & ~mask)

    def seeds(self, width: int, twins: Matrix | None = None) -> tuple[IntArray, FloatArray]:
        """The `width` best ideas with weights softmax(H / .5); a near-duplicate of a better seed is no idea of its own."""
        likes = np.where(self.hits, self.relevance, -np.inf)
        most = int(np.count_nonzero(self.hits))
        count = width
        while True:
            seeds, weights = choose_seeds(likes, count=min(count, most))
            ideas = np.ones(len(seeds), dtype=bool) if twins is None else _distinct(twins, seeds)
            if np.count_nonzero(ideas) >= width or count >= most:
                break
            count *= 4
        ideas &= weights > 0
        return seeds[ideas][:width], weights[ideas][:width]

    def nearest(self, count: int = _CONTACTS) -> IntArray:
        """The best hits, by which the topics of two questions are compared."""
        return best(np.where(self.hits, self.relevance, -np.inf), min(count, int(np.count_nonzero(self.hits))))


def _distinct(twins: Matrix, seeds: IntArray) -> NDArray[np.bool_]:
    """Which seeds, best first, are no near-duplicates of a better one that stays."""
    from gossamer.graph.array_order import keep_distinct

    pairs = twins[seeds][:, seeds].tocoo()
    upper = pairs.row < pairs.col
    return keep_distinct(np.arange(len(seeds)), pairs.row[upper].astype(np.int64), pairs.col[upper].astype(np.int64))


def find_contacts(channels: Channels, settings: Settings, *, semantic: bool) -> Contacts:
    """Contacts by the fusion that the settings name, as in `scoring.score_chunks`."""
    options = settings.retrieval
    use_dense = channels.has_dense and (semantic or options.fusion == "rrf" or options.bm25_weight == 0)
    lists = channels.lists(dense=use_dense)
    dense = channels.dense if use_dense else None
    if options.fusion == "zscore":
        layers = channels.layers(settings)
        relevance = fused_relevance(dense, channels.bm25, bm25_weight=options.bm25_weight, layers=layers)
        return Contacts(relevance, np.any([values > 0 for values in lists.values()], axis=0), lists)
    hits = np.zeros(len(channels.bm25), dtype=bool)
    for values in lists.values():
        nearest = best(values, _DEPTH)
        hits[nearest[values[nearest] > 0]] = True
    return Contacts(blended_relevance(dense, channels.bm25, bm25_weight=options.bm25_weight), hits, lists)
