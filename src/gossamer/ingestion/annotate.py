"""Step 3: what each chunk says by itself (names, references, questions), and what that makes in the whole corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ArgumentTypeError
from gossamer.ingestion.entities import extract_entities, resolve_entities
from gossamer.ingestion.references import find_references
from gossamer.text.names import name_key

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Extractor = Callable[[str, str], list[str]]
TextsHook = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Note:
    """What one chunk says, whatever the rest of the corpus: entity keys, (kind, target) of references, questions.

    `concepts` and `propositions` are what a language model or a function added.
    """

    entities: list[str]
    references: list[tuple[str, str]]
    questions: list[str]
    concepts: list[str] = field(default_factory=list)
    propositions: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Keys of all that the chunk names: its entities, its concepts, and the names in its propositions.

        A proposition names what the passage only points at ("It was founded …"): so facts join the graph.

        >>> Note(["pune"], [], [], ["Heat pump"], ["The lab of Helix Labs is in Pune."]).names
        ['pune', 'heat pump', 'helix labs']
        """
        found = [*self.entities, *filter(None, map(name_key, self.concepts))]
        for fact in self.propositions:
            found += extract_entities(fact, "")
        return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Entities:
    """Names of the corpus, sorted, and the chunks × entities matrix of ones."""

    names: list[str]
    matrix: csr_array


@dataclass(frozen=True, slots=True)
class Questions:
    """Utility questions, or propositions, with the chunk each belongs to."""

    texts: list[str]
    owner: NDArray[np.int32]


def annotate_chunk(text: str, title: str, extractor: Extractor | None, question_fn: TextsHook | None) -> Note:
    """The note of one chunk; `extractor` None finds no entities, `question_fn` None no questions.

    >>> note = annotate_chunk("We met Lionel Messi in b.md.", "", rule_entities, None)
    >>> note.entities, note.references, note.questions
    (['lionel messi'], [('file', 'b.md')], [])
    """
    return Note(
        list(extractor(text, title)) if extractor else [],
        find_references(text),
        [asked.strip() for asked in hook_strings(question_fn(text), "question_fn") if asked.strip()]
        if question_fn
        else [],
    )


def corpus_entities(notes: Sequence[Note]) -> Entities:
    """The names of all chunks, settled against each other.

    >>> found = corpus_entities([annotate_chunk("We met Lionel Messi in Pune.", "", rule_entities, None)])
    >>> found.names, found.matrix.toarray().tolist()
    (['lionel messi', 'pune'], [[1.0, 1.0]])
    """
    from scipy.sparse import csr_array

    names, (indptr, indices) = resolve_entities([note.names for note in notes])
    ones = np.ones(len(indices), dtype=np.float32)
    return Entities(names, csr_array((ones, indices, indptr), shape=(len(notes), len(names))))


def corpus_questions(notes: Sequence[Note]) -> Questions:
    """The utility questions of all chunks in order."""
    return _layer([note.questions for note in notes])


def corpus_propositions(notes: Sequence[Note]) -> Questions:
    """The propositions of all chunks in order: a layer of nodes like that of questions."""
    return _layer([note.propositions for note in notes])


def _layer(per_chunk: Sequence[Sequence[str]]) -> Questions:
    owner = np.repeat(np.arange(len(per_chunk), dtype=np.int32), [len(texts) for texts in per_chunk])
    return Questions([text for texts in per_chunk for text in texts], owner)


def rule_entities(text: str, title: str) -> list[str]:
    """The extractor that needs no model."""
    return extract_entities(text, title)


def hooked_entities(entity_fn: TextsHook) -> Extractor:
    """An extractor from a user's `entity_fn(text) -> names`; names are compared by their normal form.

    >>> hooked_entities(lambda text: ["Helix Labs", "HELIX labs"])("x", "")
    ['helix labs']
    """

    def extract(text: str, title: str) -> list[str]:
        names = hook_strings(entity_fn(text), "entity_fn")
        return list(dict.fromkeys(key for name in names if (key := name_key(name))))

    return extract


def hook_strings(value: Any, hook: str) -> list[str]:
    """What a hook returned as a list of strings; ArgumentTypeError for anything else."""
    value = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ArgumentTypeError(f"{hook} returned {value!r:.80}. Return a list of strings, [] for none.")
    return value
