"""Spreading activation on an index: energy enters at the question's contacts and spreads until it is too weak.

contacts → seed ideas (exclusion, duplicates refilled) → wave or flow on F or W → order → passages with energy and votes
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.guided import attraction
from gossamer.retrieval.spread_activity import Activity
from gossamer.retrieval.spread_conflicts import opposition_matrix
from gossamer.retrieval.spread_exclude import Exclusion, exclude
from gossamer.retrieval.spread_seeds import Asked, Contacts, find_contacts
from gossamer.retrieval.spread_view import make_answer

if TYPE_CHECKING:
    from gossamer.graph.spread_arrays import Matrix, Mechanisms, Spread
    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.retrieval.spread_answer import SpreadAnswer
    from gossamer.retrieval.spread_config import RetrievalConfig
    from gossamer.retrieval.spread_index import SpreadIndex

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

ENERGY = 10.0
_ABSORB_ALL = 1e12


@dataclass(frozen=True, eq=False)
class Ground:
    """What every run of one question shares: the index, the options, and what must stay out."""

    index: SpreadIndex
    config: RetrievalConfig
    exclusion: Exclusion

    @property
    def excluded(self) -> BoolArray:
        """(n) passages that must not appear."""
        return self.exclusion.mask

    def spread(
        self, question: str, contacts: Contacts, *, energy: float = ENERGY, prior: FloatArray | None = None
    ) -> Spread | None:
        """One run from the contacts that are not excluded; None where there are none.

        Where contradictions destroy energy, a first run finds the passages that oppose each other.
        """
        run = self._run(contacts, energy, prior, None)
        if run is None or self.config.contradictions != "destroy":
            return run
        opposed = opposition_matrix(self.index.snapshot, run, question, least=self.config.contradiction_strength)
        return self._run(contacts, energy, prior, opposed) if opposed.nnz else run

    def _run(
        self, contacts: Contacts, energy: float, prior: FloatArray | None, contradictions: Matrix | None
    ) -> Spread | None:
        from gossamer.graph.flow import flow
        from gossamer.graph.wave_arrays import wave

        profile, config = self.config.resolved, self.config
        seeds, weights = contacts.without(self.excluded).seeds(profile.width, self._twins)
        if not len(seeds):
            return None
        limits = {} if config.max_hops is None else {"max_hops": config.max_hops}
        engine = flow if config.engine == "flow" else wave
        likes = contacts.relevance
        return engine(
            self.index.graph(config.graph, learned=config.learned),
            seeds,
            weights,
            energy=energy,
            damping=profile.damping,
            threshold=profile.threshold,
            exponent=profile.exponent,
            max_nodes=config.max_nodes,
            prior=prior,
            guidance=attraction(likes, spread=float(likes.std())) if config.guidance else None,
            mechanisms=self._mechanisms(contradictions),
            **limits,
        )

    @cached_property
    def _twins(self) -> Matrix | None:
        return self.index.twins_among(~self.excluded) if self.config.duplicates else None

    def _mechanisms(self, contradictions: Matrix | None) -> Mechanisms:
        from gossamer.graph.spread_arrays import Mechanisms

        index, config = self.index, self.config
        apart = self.excluded.any()
        return Mechanisms(
            duplicates=self._twins,
            vectors=index.snapshot.vectors if config.duplicates and index.has_vectors else None,
            sources=index.sources,
            exclusion=np.where(self.excluded, _ABSORB_ALL, 0.0) if apart else None,
            contradictions=contradictions,
            destroy_contradictions=contradictions is not None,
            polarity=index.polarity if config.negative else None,
        )


def retrieve(
    retrieval: SpectRAGRetrieval,
    asked: Asked,
    config: RetrievalConfig,
    *,
    without: Sequence[str] = (),
    prior: FloatArray | None = None,
) -> SpreadAnswer:
    """Spread one question; see `SpectRAGRetrieval.retrieve`. `prior` (n) is energy left from an earlier turn."""
    started = time.perf_counter()
    ground, contacts = prepare(retrieval, asked, config, without)
    run = ground.spread(asked.text, contacts, prior=prior)
    activity = Activity(("",), (run,)) if run is not None else Activity((), ())
    return make_answer(retrieval, asked, ground, contacts, activity, started=started)


def prepare(
    retrieval: SpectRAGRetrieval, asked: Asked, config: RetrievalConfig, without: Sequence[str]
) -> tuple[Ground, Contacts]:
    """The ground of a question and its contacts."""
    exclusion = exclude(retrieval, asked.text, without, wording=config.wording, cosine=config.exclusion_cosine)
    if asked.channels.allowed is not None:
        exclusion = replace(exclusion, mask=exclusion.mask | ~asked.channels.allowed)
    return Ground(retrieval.spread_index, config, exclusion), contacts_of(retrieval, asked)


def contacts_of(retrieval: SpectRAGRetrieval, asked: Asked) -> Contacts:
    """Where a question touches the index."""
    semantic = bool(retrieval.snapshot.info["semantic"])
    return find_contacts(asked.channels, retrieval.settings, semantic=semantic)


def only_strings(name: str, values: Any) -> tuple[str, ...]:
    """`values` as a tuple of strings; a single string is one of them."""
    from gossamer.errors import ArgumentTypeError

    found = (values,) if isinstance(values, str) else tuple(values)
    for value in found:
        if not isinstance(value, str):
            raise ArgumentTypeError(f"{name} holds a {type(value).__name__}. Pass strings.")
    return found
