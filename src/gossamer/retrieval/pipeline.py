"""The online pipeline: seeds, expansion, proximity, selection under a token budget, context and answer."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from gossamer.embedders.choose import EmbedFunction
from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.index.local import LocalStore
from gossamer.index.snapshot import Snapshot
from gossamer.insight.trace import TraceConfig, Traces
from gossamer.model import Answer, Ranking, Result
from gossamer.retrieval import context
from gossamer.retrieval.budgeted import budgeted_result
from gossamer.retrieval.channels import Channels, search_channels, unit_query
from gossamer.retrieval.choose import Choice, Rerank, best_hits, choose
from gossamer.retrieval.explain import passages_of
from gossamer.retrieval.filters import Filters, Where
from gossamer.retrieval.marks import Marks
from gossamer.retrieval.questioner import Questioner
from gossamer.retrieval.scoring import Scored, score_chunks
from gossamer.retrieval.seeds import best
from gossamer.retrieval.selection import Pick
from gossamer.settings import Settings
from gossamer.text.clean import clean_text
from gossamer.text.tokens import make_counter
from gossamer.validation import whole_number

if TYPE_CHECKING:
    from gossamer.llm.function import LLMLike
    from gossamer.retrieval.answer import AnswerStream
    from gossamer.retrieval.session import Session
    from gossamer.retrieval.spread_answer import SpreadAnswer
    from gossamer.retrieval.spread_config import RetrievalConfig
    from gossamer.retrieval.spread_index import SpreadIndex
    from gossamer.retrieval.spread_seeds import Asked


class SpectRAGRetrieval:
    """Searches one index; a context manager. Safe to share between threads: a search changes nothing.

    Hooks: `embed_fn(texts) -> array (n, d)` where the index was built with one, `count_tokens(text) -> int`,
    `rerank_fn(question, texts) -> scores` for the selector `anchor_expand_ce`. `settings` replaces the retrieval,
    proximity, selection and utility groups the index was built with; the rest is fixed in the index.

    >>> import tempfile
    >>> from gossamer import Document, build_index
    >>> docs = [Document("a", "Orion is built by Helix Labs."), Document("b", "Helix Labs is in Pune.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = build_index(docs, folder)
    ...     with SpectRAGRetrieval(folder) as retrieval:
    ...         result = retrieval.search("Where is the builder of Orion?", token_budget=60)
    >>> [passage.id for passage in result.passages], result.tokens <= 60
    (['a#0', 'b#0'], True)
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        embed_fn: EmbedFunction | None = None,
        count_tokens: Callable[[str], int] | None = None,
        rerank_fn: Rerank | None = None,
        trace: TraceConfig | None = None,
    ) -> None:
        self.folder = folder
        self.traces = Traces(trace)
        self.snapshot = Snapshot(LocalStore(folder).load())
        stored = Settings.from_dict(self.snapshot.info["settings"])
        self.settings = stored if settings is None else _searching(stored, settings)
        self._questioner = Questioner(self.snapshot, self.settings, embed_fn)
        self._rerank_fn = rerank_fn
        self.count_tokens = count_tokens or make_counter(self.settings.chunking.counter)
        # The index holds the token count of every text; a hook may count otherwise.
        self._counted = count_tokens is None and self.snapshot.info["counter"] == self.settings.chunking.counter

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the embedder; the memory maps go with the last reference to the snapshot."""
        self._questioner.close()

    def with_settings(self, settings: Settings) -> SpectRAGRetrieval:
        """The same opened index searched with other settings."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.settings = settings
        return other

    def search(
        self, question: str, token_budget: int = 4000, *, where: Where | None = None, query_vector: Any = None
    ) -> Result:
        """The set of passages that together answer a question, in at most `token_budget` tokens of context.

        `where` keeps to documents that fulfil it (`filters`); with `query_vector` nothing is embedded. Raises UsageError
        for a negative budget and for a filter that no document knows; 0 gives an empty result.
        """
        budget = whole_number("token_budget", token_budget)
        marks = Marks()
        text, scored, warnings = self.score(question, query_vector, marks, where)
        return budgeted_result(self, text, scored, budget, marks, warnings=warnings)

    def rank(self, question: str, k: int = 20, *, where: Where | None = None, query_vector: Any = None) -> Ranking:
        """The k best passages in the order the selector picks them without a budget and with ρ = 0, then by score."""
        wanted = whole_number("k", k)
        marks = Marks()
        text, scored, warnings = self.score(question, query_vector, marks, where)
        choice = self.choose(text, scored, count=wanted)
        marks("select")
        picks = choice.picks[:wanted]
        taken = {pick.place for pick in picks}
        by_score = (chunk for chunk in best_hits(scored, wanted + len(taken)).tolist() if chunk not in taken)
        rest = [Pick(chunk, "rest", float(scored.score[chunk])) for chunk in by_score]
        passages = passages_of(self.snapshot, (picks + rest)[:wanted], scored)
        marks("explain")
        return Ranking(text, tuple(passages), marks.seconds, tuple(warnings))

    def answer(self, question: str, llm: LLMLike, token_budget: int = 4000, **options: Any) -> Answer:
        """Search, ask a model (`llm(prompt) -> text` or a Client), and resolve the citations of its reply to passages.

        `options`: `instruction`, `order` ("document", or "ends": the best at both ends), `min_confidence`, `where`.
        """
        from gossamer.retrieval.answering import answer_question

        return answer_question(self, question, llm, token_budget, **options)

    def stream_answer(self, question: str, llm: LLMLike, token_budget: int = 4000, **options: Any) -> AnswerStream:
        """`answer` in pieces: iterate, then read `.answer`."""
        from gossamer.retrieval.answering import stream_answer

        return stream_answer(self, question, llm, token_budget, **options)

    def retrieve(
        self,
        question: str,
        config: RetrievalConfig | None = None,
        *,
        without: str | Sequence[str] = (),
        where: Where | None = None,
        query_vector: Any = None,
        **options: Any,
    ) -> SpreadAnswer:
        """The passages that the question's energy reaches, with no k: spreading activation on the flow matrix.

        `options` are fields of `RetrievalConfig` (`engine`, `profile`, `damping`, …) on top of `config`. Passages that
        name one of `without` never appear. Raises SettingsError for impossible options.
        """
        from gossamer.retrieval.spread_config import make_config
        from gossamer.retrieval.spreading import only_strings, retrieve

        chosen = make_config(config, options)
        return retrieve(
            self, self.asked(question, query_vector, where), chosen, without=only_strings("without", without)
        )

    def retrieve_colored(
        self,
        parts: Sequence[str],
        question: str,
        config: RetrievalConfig | None = None,
        *,
        without: str | Sequence[str] = (),
        where: Where | None = None,
        query_vector: Any = None,
        part_vectors: Sequence[Any] | None = None,
        **options: Any,
    ) -> SpreadAnswer:
        """Parts of a question spread apart; `bridges` are the passages that several of them reach. See `retrieve`."""
        from gossamer.retrieval.coloured import retrieve_coloured
        from gossamer.retrieval.spread_config import make_config
        from gossamer.retrieval.spreading import only_strings

        texts = only_strings("parts", parts)
        vectors = [None] * len(texts) if part_vectors is None else list(part_vectors)
        if len(vectors) != len(texts):
            raise UsageError(f"part_vectors has {len(vectors)} vectors for {len(texts)} parts. Pass one for each part.")
        asked = [self.asked(text, vector, where) for text, vector in zip(texts, vectors, strict=True)]
        whole, chosen = self.asked(question, query_vector, where), make_config(config, options)
        return retrieve_coloured(self, asked, whole, chosen, without=only_strings("without", without))

    def session(
        self, config: RetrievalConfig | None = None, *, reset_on_topic_change: bool = False, **options: Any
    ) -> Session:
        """A conversation: follow-up questions start warm, and accepted passages teach the learned layer."""
        from gossamer.retrieval.session import Session

        return Session(self, config, reset_on_topic_change=reset_on_topic_change, **options)

    @cached_property
    def _filters(self) -> Filters:
        return Filters(self.snapshot)

    @cached_property
    def spread_index(self) -> SpreadIndex:
        """What spreading reads of this index, with its learned layer."""
        from gossamer.retrieval.spread_index import SpreadIndex
        from gossamer.retrieval.spread_learned import LearnedLayer

        return SpreadIndex(self.snapshot, LearnedLayer(self.folder, self.snapshot))

    def asked(self, question: str, query_vector: Any = None, where: Where | None = None) -> Asked:
        """A question as text with its channel scores, ready to spread."""
        return self._asked(question, query_vector, where, Marks())

    def channels(self, question: str, query_vector: Any = None) -> Channels:
        """Raw scores of every channel over all chunks, for baselines and studies."""
        return search_channels(self.snapshot, clean_text(question), self._vector(question, query_vector)[0])

    def embed_query(self, question: str) -> NDArray[np.float32] | None:
        """Unit vector of a question by the embedder of the index, None where it has none."""
        return self._questioner.vector(clean_text(question))[0]

    def context_for(self, chunks: Sequence[int], token_budget: int) -> tuple[str, int, list[int]]:
        """Context, tokens and kept chunks of a plain ranking: in order, every chunk that still fits."""
        budget = whole_number("token_budget", token_budget)
        ordered, body, tokens = context.fill(self.snapshot, list(chunks), budget, self.count_tokens)
        return body, tokens, ordered

    def plain_top_k(self, question: str, token_budget: int) -> list[str]:
        """Ids of what plain top-k by relevance puts into the budget: for comparison."""
        _, scored, _ = self.score(question, None, Marks())
        ranked = best(scored.relevance, self.settings.selection.pool).tolist()
        ordered, _, _ = context.fill(self.snapshot, ranked, token_budget, self.count_tokens)
        return [self.snapshot.chunk_id(chunk) for chunk in ordered]

    def score(
        self, question: str, query_vector: Any, marks: Marks, where: Where | None = None
    ) -> tuple[str, Scored, list[str]]:
        """The cleaned question, the scores of all chunks, and warnings."""
        asked = self._asked(question, query_vector, where, marks)
        scored = score_chunks(self.snapshot, asked.channels, self.settings, semantic=self.snapshot.info["semantic"])
        marks("score")
        return asked.text, scored, list(asked.warnings)

    def _asked(self, question: str, query_vector: Any, where: Where | None, marks: Marks) -> Asked:
        from gossamer.retrieval.spread_seeds import Asked

        if not isinstance(question, str):
            raise ArgumentTypeError(f"question is a {type(question).__name__}. Pass a string.")
        text = clean_text(question)
        vector, warning = self._vector(text, query_vector)
        marks("embed")
        allowed = self._filters.chunks(where)
        channels = search_channels(self.snapshot, text, vector).among(allowed)
        marks("channels")
        nothing = "" if allowed is None or allowed.any() else f"No document fulfils where={dict(where or {})}."
        return Asked(text, channels, vector, tuple(note for note in (warning, nothing) if note))

    def _vector(self, question: str, query_vector: Any) -> tuple[NDArray[np.float32] | None, str | None]:
        if query_vector is not None:
            return unit_query(query_vector, int(self.snapshot.vectors.shape[1])), None
        return self._questioner.vector(question)

    def choose(self, question: str, scored: Scored, **limits: Any) -> Choice:
        """Picks from scored chunks by the settings; `limits` as in `choose.choose`."""
        return choose(self.snapshot, question, scored, self.settings, rerank_fn=self._rerank_fn, **limits)

    def costs(self, chunks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Tokens of each chunk in a context."""
        costs = context.passage_costs(self.snapshot, chunks.tolist(), self.count_tokens, counted=self._counted)
        return np.asarray(costs, dtype=np.int64)


def open_index(folder: str | os.PathLike[str], **options: Any) -> SpectRAGRetrieval:
    """`SpectRAGRetrieval(folder, **options)`: open an index for searching."""
    return SpectRAGRetrieval(folder, **options)


def _searching(stored: Settings, asked: Settings) -> Settings:
    """The asked settings with the index's own embedder and chunking, unless another embedder is named."""
    kept = dataclasses.replace(asked, chunking=stored.chunking, signals=stored.signals, graph=stored.graph)
    if asked.embedder != Settings().embedder:
        return kept
    return dataclasses.replace(kept, embedder=stored.embedder, embedding=stored.embedding)
