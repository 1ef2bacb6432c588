"""Step 3: what each chunk mentions: entities, references to other chunks, titles of other documents, questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ArgumentTypeError
from gossamer.ingestion.entities import extract_entities, resolve_entities
from gossamer.text.names import name_key

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Extractor = Callable[[str, str], list[str]]
TextsHook = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Entities:
    """Names of the corpus, sorted, and the chunks × entities matrix of ones."""

    names: list[str]
    matrix: csr_array


@dataclass(frozen=True, slots=True)
class Questions:
    """Utility questions with the chunk each belongs to."""

    texts: list[str]
    owner: NDArray[np.int32]


def annotate_entities(texts: Sequence[str], titles: Sequence[str], extractor: Extractor | None) -> Entities:
    """Entities of every chunk; `extractor` None finds none.

    >>> found = annotate_entities(["We met Lionel Messi in Pune."], [""], rule_entities)
    >>> found.names, found.matrix.toarray().tolist()
    (['lionel messi', 'pune'], [[1.0, 1.0]])
    """
    from scipy.sparse import csr_array

    per_chunk = [extractor(text, title) if extractor else [] for text, title in zip(texts, titles, strict=True)]
    names, (indptr, indices) = resolve_entities(per_chunk)
    ones = np.ones(len(indices), dtype=np.float32)
    return Entities(names, csr_array((ones, indices, indptr), shape=(len(texts), len(names))))


def rule_entities(text: str, title: str) -> list[str]:
    """The extractor that needs no model."""
    return extract_entities(text, title)


def hooked_entities(entity_fn: TextsHook) -> Extractor:
    """An extractor from a user's `entity_fn(text) -> names`; names are compared by their normal form.

    >>> hooked_entities(lambda text: ["Helix Labs", "HELIX labs"])("x", "")
    ['helix labs']
    """

    def extract(text: str, title: str) -> list[str]:
        names = _strings(entity_fn(text), "entity_fn")
        return list(dict.fromkeys(key for name in names if (key := name_key(name))))

    return extract


def annotate_questions(texts: Sequence[str], question_fn: TextsHook | None) -> Questions:
    """Utility questions that each chunk answers, by a user's `question_fn(text) -> questions`."""
    found: list[str] = []
    owner: list[int] = []
    if question_fn is not None:
        for chunk, text in enumerate(texts):
            asked = [question.strip() for question in _strings(question_fn(text), "question_fn") if question.strip()]
            found += asked
            owner += [chunk] * len(asked)
    return Questions(found, np.asarray(owner, dtype=np.int32))


def _strings(value: Any, hook: str) -> list[str]:
    value = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ArgumentTypeError(f"{hook} returned {value!r:.80}. Return a list of strings, [] for none.")
    return value
