"""Runs systems over a data set, question by question, and keeps everything that a report needs."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.errors import EmbeddingError
from gossamer.evaluation.datasets import Dataset, Notice
from gossamer.evaluation.options import BenchOptions
from gossamer.evaluation.scoring import Progress, Row, Scorer
from gossamer.evaluation.systems import load_factory
from gossamer.evaluation.systems.base import System
from gossamer.evaluation.workbench import Workbench

if TYPE_CHECKING:
    from gossamer.evaluation.vectors import GivenVectors
    from gossamer.settings import Settings

Factory = Callable[[Workbench], System]

REFERENCE = "dense"
"""The system that Novelty@5 is measured against."""


@dataclass(slots=True)
class SystemRun:
    """All rows of one system on one data set, and what its index cost; bytes and seconds are None without one."""

    name: str
    rows: list[Row]
    index_seconds: float | None = None
    index_bytes: int | None = None


@dataclass(slots=True)
class DatasetRun:
    """All systems on one data set; documents and chunks count what the shared index held, over all groups."""

    dataset: Dataset
    unit: str
    embedder: str
    documents: int
    chunks: int
    systems: list[SystemRun]
    notices: tuple[Notice, ...]


def run_dataset(
    dataset: Dataset,
    options: BenchOptions,
    settings: Settings,
    *,
    vectors: GivenVectors | None = None,
    factories: Mapping[str, Factory] | None = None,
    progress: Progress | None = None,
) -> DatasetRun:
    """Index the data set once per settings, ask every system every question, and score the answers.

    Args:
        dataset: the data; it is shuffled here with the seed of the options.
        options: systems, baseline, cuts and budgets.
        settings: settings of the shared index and of `gossamer`.
        vectors: given vectors; a data set without any of them falls back to the settings' embedder, with a notice.
        factories: the systems by name instead of the named ones of the options; the baseline must be among them.
        progress: called with a stage, done and total.

    Raises:
        UsageError: a system is unknown, or the data does not fit the options.
        EmbeddingError: the given vectors cover the data only in part.
    """
    made = dict(factories) if factories is not None else {name: load_factory(name) for name in options.all_systems}
    given, notices = fitting_vectors(dataset, vectors)
    unit = gold_unit(dataset)
    runs = {name: SystemRun(name, []) for name in made}
    chunks = 0
    warnings: Counter[str] = Counter()
    parts = dataset.by_group() if options.within_group else (dataset,)
    per_question = progress if len(parts) == 1 else None
    for done, part in enumerate(parts, start=1):
        with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as folder:
            only = given.restricted(d.id for d in part.documents) if given else None
            with Workbench(part.shuffled(options.seed).documents, Path(folder), settings, only) as bench:
                scorer = Scorer(bench, part.questions, unit, options, given)
                scorer.set_reference(load_factory(REFERENCE)(bench))
                for name, factory in made.items():
                    system = factory(bench)
                    runs[name].rows += scorer.rows(system, f"{dataset.name} {name}", per_question)
                    _add_cost(runs[name], system)
                chunks += len(bench.chunk_numbers)
                warnings.update(bench.index().warnings)
        if progress and not per_question:
            progress(f"{dataset.name} groups", done, len(parts))
    kind, colon, name = settings.embedder.partition(":")
    # where a model lies on this machine says nothing about the run
    embedder = "given vectors" if given else kind + colon + Path(name).name
    notices += tuple(Notice("index-warning", count, text) for text, count in sorted(warnings.items()))
    documents = sum(len(part.documents) for part in parts)
    return DatasetRun(dataset, unit, embedder, documents, chunks, list(runs.values()), dataset.notices + notices)


def fitting_vectors(dataset: Dataset, vectors: GivenVectors | None) -> tuple[GivenVectors | None, tuple[Notice, ...]]:
    """The vectors of this data set, or None and a notice when not one passage has any.

    Raises:
        EmbeddingError: the vectors cover passages or questions only in part.
    """
    if vectors is None:
        return None, ()
    given = vectors.restricted(document.id for document in dataset.documents)
    if given is None:
        text = f"{dataset.name}: no passage has a vector in the --vectors files; the embedder is used instead."
        return None, (Notice("no-given-vectors", len(dataset.documents), text),)
    lost = [question.id for question in dataset.questions if question.id not in given.questions]
    if lost:
        raise EmbeddingError(
            f"{len(lost)} questions of {dataset.name} have no vector in the --vectors files, the first is {lost[0]!r}. "
            "Give a file with their question_ids and question_vectors, or leave --vectors out."
        )
    return given, ()


def gold_unit(dataset: Dataset) -> str:
    """`chunk` when gold ids name chunks only, else `document`: rankings are then folded to documents.

    >>> from gossamer.evaluation.datasets import Question
    >>> from gossamer.model import Document
    >>> gold_unit(Dataset("d", (Document("a", "text"),), (Question("q", "what?", (("a#0",),)),), {}))
    'chunk'
    """
    ids = {document.id for document in dataset.documents}
    gold = {one for question in dataset.questions for piece in question.gold for one in piece}
    return "chunk" if gold and ids.isdisjoint(gold) else "document"


def _add_cost(run: SystemRun, system: System) -> None:
    if system.indexed is not None:
        run.index_seconds = (run.index_seconds or 0.0) + system.indexed.seconds
        run.index_bytes = (run.index_bytes or 0) + system.indexed.size_bytes
