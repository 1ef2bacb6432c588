"""From loaded documents to the content of a snapshot: every offline step in order, each timed.

Work on one chunk (names, references, questions, terms, vector) depends on its title, headings and text alone: where an
earlier snapshot has such a chunk, its work is taken from there. What depends on the whole corpus always runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from gossamer.index.lexical import LexicalIndex
from gossamer.index.store import SnapshotData
from gossamer.ingestion.annotate import (
    Note,
    Questions,
    TextsHook,
    annotate_chunk,
    corpus_entities,
    corpus_propositions,
    corpus_questions,
)
from gossamer.ingestion.changes import count_changes
from gossamer.ingestion.chunk import chunk_document, chunk_warnings
from gossamer.ingestion.clock import Clock
from gossamer.ingestion.embed import Embedding, embed_texts
from gossamer.ingestion.extractors import make_extractor
from gossamer.ingestion.load import Loaded, LoadedDocument
from gossamer.ingestion.model_steps import ModelSteps, add_model_notes
from gossamer.ingestion.pack import snapshot_data, snapshot_info
from gossamer.ingestion.previous import Key, Previous, chunk_keys
from gossamer.ingestion.relate import relate
from gossamer.model import Chunk
from gossamer.reports import Report
from gossamer.settings import Settings
from gossamer.text.tokens import make_counter
from gossamer.text.words import Words, detect_language

if TYPE_CHECKING:
    from gossamer.embedders.protocol import Embedder


Topics = Literal["long", "all", "off"]


@dataclass(frozen=True, slots=True)
class Hooks:
    """A user's callables; None means the built-in way."""

    entity_fn: TextsHook | None = None
    question_fn: TextsHook | None = None
    count_tokens: Callable[[str], int] | None = None
    steps: ModelSteps = field(default_factory=ModelSteps)

    @property
    def names(self) -> list[str]:
        """Names of those that are given, and of the steps that use a language model."""
        given = [name for name in ("count_tokens", "entity_fn", "question_fn") if getattr(self, name) is not None]
        return [*given, *self.steps.names]


@dataclass(slots=True)
class Built:
    """The content of a snapshot and what the report says about it."""

    data: SnapshotData
    counts: dict[str, Any]
    loaded: Loaded
    warnings: list[str] = field(default_factory=list)

    def report(self, index: str, snapshot: str, size_bytes: int, seconds: dict[str, float]) -> Report:
        """The report of this build."""
        info = self.data.info
        return Report(
            index=index,
            snapshot=snapshot,
            seconds=dict(seconds),
            embedder=info["embedder"],
            language=info["language"],
            settings=info["settings_summary"],
            size_bytes=size_bytes,
            skipped=tuple(self.loaded.skipped),
            warnings=tuple(dict.fromkeys([*self.loaded.warnings, *self.warnings])),
            **self.counts,
        )


def build_snapshot(
    loaded: Loaded, settings: Settings, embedding: Embedding, hooks: Hooks, clock: Clock, previous: Previous
) -> Built:
    """Run the offline steps on loaded documents, reusing what `previous` holds."""
    from gossamer.insight.twins import with_twins

    warnings: list[str] = []
    documents, embedder = loaded.documents, embedding.embedder
    with clock.step("chunk", len(documents)):
        chunks, owners = _chunk(documents, settings, embedder, hooks, clock, previous, warnings)
    titles = [documents[owner].document.title for owner in owners]
    keys = chunk_keys(chunks, titles)
    rows = previous.rows(keys)
    with clock.step("annotate", len(chunks)):
        notes, known = _annotate(keys, rows, settings, hooks, clock, previous)
    notes, spent, said = add_model_notes(hooks.steps, keys, notes, known, clock)
    warnings += said
    with clock.step("annotate"):
        facts = corpus_propositions(notes)
        entities, questions = corpus_entities(notes), corpus_questions(notes)
    with clock.step("lexical"):
        language = detect_language([chunk.text for chunk in chunks])
        lexical = _lexical(keys, rows, language, previous)
    with clock.step("embed", len(chunks)):
        vectors, question_vectors, fresh = _embed(embedding, chunks, keys, rows, questions, clock, previous, warnings)
        fact_vectors = _embed_facts(embedding, facts, previous)
    references = [note.references for note in notes]
    relations = relate(
        documents, chunks, owners, vectors, question_vectors, entities, questions, references, settings, clock
    )
    warnings += relations.warnings
    counts = {
        "documents": len(documents),
        "chunks": len(chunks),
        "tokens": sum(chunk.tokens for chunk in chunks),
        "entities": len(entities.names),
    }
    info = snapshot_info(
        settings, embedder, hooks.names, language, relations, vectors.shape[1], counts, hooks.steps.info
    )
    data = snapshot_data(
        documents, chunks, owners, notes, lexical, entities, questions, vectors, question_vectors, facts, fact_vectors,
        relations, info=info,
    )  # fmt: skip
    with clock.step("duplicates"):
        data = with_twins(data)
    changes = count_changes(previous, documents, keys, owners, fresh)
    layers = {"questions": len(questions.texts), "propositions": len(facts.texts), "llm": spent}
    return Built(data, {**counts, **layers, **relations.counts, "changes": changes}, loaded, warnings)


def cut_passages(loaded: Loaded, settings: Settings, embedder: Embedder, hooks: Hooks, clock: Clock) -> list[Key]:
    """The keys of the chunks that a build from scratch would make."""
    chunks, owners = _chunk(loaded.documents, settings, embedder, hooks, clock, Previous(), [])
    return chunk_keys(chunks, [loaded.documents[owner].document.title for owner in owners])


def _chunk(
    documents: Sequence[LoadedDocument],
    settings: Settings,
    embedder: Embedder,
    hooks: Hooks,
    clock: Clock,
    previous: Previous,
    warnings: list[str],
) -> tuple[list[Chunk], list[int]]:
    """Chunks of all documents in order, and the number of the document each belongs to."""
    options = settings.chunking
    count = hooks.count_tokens or make_counter(options.counter)
    chunks: list[Chunk] = []
    owners: list[int] = []
    for number, loaded in enumerate(documents):
        cut = previous.chunks(loaded)
        if cut is None:
            cut, notes = chunk_document(
                loaded.document,
                count=count,
                chunk_tokens=options.chunk_tokens,
                overlap_tokens=options.overlap_tokens,
                min_tokens=options.min_tokens,
                topics=cast("Topics", options.topics),
                embed=_sentence_embedding(embedder),
                pages=loaded.pages,
            )
        else:
            notes = chunk_warnings(loaded.document.id, cut, options.chunk_tokens)
        chunks += cut
        owners += [number] * len(cut)
        warnings += notes
        if number % 100 == 0:
            clock.tell("chunk", number, len(documents))
    return chunks, owners


def _sentence_embedding(embedder: Embedder) -> Callable[[list[str]], NDArray[np.float32]]:
    """Vectors of sentences for topic changes; where vectors are given by id, the hash embedder stands in."""
    from gossamer.embedders.protocol import is_by_id
    from gossamer.embedders.registry import make_embedder

    able = make_embedder("hash") if is_by_id(embedder) or embedder.dimension == 0 else embedder
    return lambda sentences: able.embed(sentences, kind="passage")


def _annotate(
    keys: Sequence[Key], rows: NDArray[np.int64], settings: Settings, hooks: Hooks, clock: Clock, previous: Previous
) -> tuple[list[Note], list[bool]]:
    """The note of each chunk, and whether it was there before."""
    known = rows if previous.has_notes(settings) else np.full_like(rows, -1)
    extractor = make_extractor(settings.signals.entities, hooks.entity_fn)
    notes = []
    for number, ((title, _, text), row) in enumerate(zip(keys, known.tolist(), strict=True)):
        notes.append(previous.note(row) if row >= 0 else annotate_chunk(text, title, extractor, hooks.question_fn))
        if number % 100 == 0:
            clock.tell("annotate", number, len(keys))
    return notes, (known >= 0).tolist()


def _lexical(keys: Sequence[Key], rows: NDArray[np.int64], language: str | None, previous: Previous) -> LexicalIndex:
    """The lexical index; in another language than before every word has another stem."""
    words = Words(language)
    known = rows if language == previous.language else np.full_like(rows, -1)
    terms = [
        previous.terms(row) if row >= 0 else (words.terms(text), words.terms(name))
        for (_, name, text), row in zip(keys, known.tolist(), strict=True)
    ]
    return LexicalIndex.from_terms([body for body, _ in terms], [title for _, title in terms], words)


def _embed(
    embedding: Embedding,
    chunks: Sequence[Chunk],
    keys: Sequence[Key],
    rows: NDArray[np.int64],
    questions: Questions,
    clock: Clock,
    previous: Previous,
    warnings: list[str],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Vectors of chunks (title and headings before the text) and of questions; which chunks were embedded now."""
    from gossamer.embedders.protocol import cut_warning, is_by_id, probe_reproducibility

    embedder = embedding.embedder
    if is_by_id(embedder):
        vectors = embedder.embed_ids([chunk.id for chunk in chunks], [chunk.document for chunk in chunks])
        return vectors, np.zeros((0, vectors.shape[1]), dtype=np.float32), rows < 0
    passages = [f"{name}\n{text}" if name else text for _, name, text in keys]
    missing = np.flatnonzero(rows < 0)[:64].tolist()
    notes = (
        probe_reproducibility(embedder, [passages[place] for place in missing]),
        cut_warning(embedder, np.asarray([chunk.tokens for chunk in chunks])),
    )
    warnings += [note for note in notes if note]
    telling = replace(embedding, progress=lambda done, total: clock.tell("embed", done, total))
    vectors, fresh = embed_texts(passages, telling, rows=rows, stored=previous.vectors)
    if not questions.texts:
        return vectors, np.zeros((0, vectors.shape[1]), dtype=np.float32), fresh
    asked = previous.question_rows(questions.texts)
    question_vectors, _ = embed_texts(
        questions.texts, embedding, rows=asked, stored=previous.question_vectors, name="question_vectors"
    )
    return vectors, question_vectors, fresh


def _embed_facts(embedding: Embedding, facts: Questions, previous: Previous) -> NDArray[np.float32]:
    """Vectors of propositions; no row where there are none, or where the embedder only knows given ids."""
    from gossamer.embedders.protocol import is_by_id

    if not facts.texts or is_by_id(embedding.embedder):
        return np.zeros((0, embedding.embedder.dimension or 0), dtype=np.float32)
    rows = previous.proposition_rows(facts.texts)
    stored = previous.snapshot.proposition_vectors
    return embed_texts(facts.texts, embedding, rows=rows, stored=stored, name="proposition_vectors")[0]
