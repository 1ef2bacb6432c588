"""A conversation with an index: what the last question found warms the next one, and what was used is learned."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import UsageError
from gossamer.retrieval.spread_config import RetrievalConfig, make_config
from gossamer.retrieval.spreading import contacts_of, only_strings, retrieve

if TYPE_CHECKING:
    from gossamer.retrieval.filters import Where
    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.retrieval.spread_answer import SpreadAnswer
    from gossamer.retrieval.spread_learned import LearnedLayer
    from gossamer.retrieval.spread_seeds import Asked

_SAME_TOPIC = 0.05


class Session:
    """Follow-up questions on one index; make it with `retrieval.session()`.

    A quarter of the last turn's energy (`warm_share`) is a prior on the seeds of the next question: a seed that held energy
    gets that much more; nothing is active before the question touches it. With `reset_on_topic_change` the prior is
    dropped where the contacts of two questions overlap by less than 5 %.

    >>> import tempfile
    >>> from gossamer import Document, build_index, open_index
    >>> docs = [Document("a", "Orion is built by Helix Labs."), Document("b", "Helix Labs is in Pune.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = build_index(docs, folder)
    ...     with open_index(folder) as index:
    ...         session = index.session()
    ...         first = session.retrieve("Who builds Orion?")
    ...         second = session.retrieve("Where is Helix Labs?")
    >>> round(first.ledger.injected, 3), round(second.ledger.injected, 3)
    (10.0, 12.5)
    """

    def __init__(
        self,
        retrieval: SpectRAGRetrieval,
        config: RetrievalConfig | None = None,
        *,
        reset_on_topic_change: bool = False,
        **options: Any,
    ) -> None:
        self.config = make_config(config, options)
        self.reset_on_topic_change = reset_on_topic_change
        self._retrieval = retrieval
        self._energy: NDArray[np.float64] | None = None
        self._contacts: NDArray[np.int64] | None = None
        self._answer: SpreadAnswer | None = None

    @property
    def learned(self) -> LearnedLayer:
        """The learned layer of the index: `prune`, `unprune`, `clear`."""
        return self._retrieval.spread_index.learned

    def retrieve(
        self, question: str, *, without: Any = (), where: Where | None = None, query_vector: Any = None, **options: Any
    ) -> SpreadAnswer:
        """`retrieve` of the index, warmed by the turn before; `options` change the session's config for this turn."""
        config = make_config(self.config, options)
        asked = self._retrieval.asked(question, query_vector, where)
        self._turn_topic(asked)
        prior = None if self._energy is None else config.warm_share * self._energy
        answer = retrieve(self._retrieval, asked, config, without=only_strings("without", without), prior=prior)
        self._energy = np.zeros(len(self._retrieval.snapshot))
        self._energy[answer.activity.nodes] = answer.activity.energies
        self._answer = answer
        return answer

    def accept(self, passage: Any) -> None:
        """Say that a passage of the last answer (or its id) was useful: the edges on its path grow stronger.

        Raises UsageError where the last answer does not hold it.
        """
        name = passage if isinstance(passage, str) else getattr(passage, "id", None)
        if self._answer is None or name not in {found.id for found in self._answer.passages}:
            raise UsageError(f"{name!r} is no passage of the last answer. Accept one of its passages, or their ids.")
        steps = self._answer.path_chunks(name)
        self.learned.accept(pairwise(steps), self._answer.activity.nodes)

    def reset(self) -> None:
        """Forget the last turn: the next question starts cold."""
        self._energy = self._contacts = self._answer = None

    def _turn_topic(self, asked: Asked) -> None:
        """Note the contacts of a question; on request drop the prior where they share next to nothing with the last."""
        if not self.reset_on_topic_change:
            return
        contacts = contacts_of(self._retrieval, asked).nearest()
        if self._contacts is not None and overlap(contacts, self._contacts) < _SAME_TOPIC:
            self.reset()
        self._contacts = contacts


def overlap(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Share of the smaller set that lies in the other; 0 where one is empty.

    >>> overlap(np.array([1, 2]), np.array([2, 3, 4]))
    0.5
    """
    smaller = min(one.size, other.size)
    return np.intersect1d(one, other).size / smaller if smaller else 0.0
