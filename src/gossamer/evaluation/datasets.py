"""Evaluation data: a corpus, questions with gold, and what was odd about them.

A data set is a folder with two files of JSON lines, plain or gzipped:

`corpus.jsonl` - `id`, `text`, and optionally `title` and `group`. Other fields are not indexed, not even as
metadata: evaluation corpora carry labels (which document is right, which is edited) that must not leak.

`questions.jsonl` - `id`, `question`, and `gold`: ids of the passages that together answer it, in hop order where there
is one; an empty list marks a question that the corpus does not answer. Optional: `gold_groups` (one list per piece of
evidence; any member counts as the piece), `answer`, `answer_aliases`, `type`, `hops`, `group`. `answer` is a string, or
a list of wanted answers of which each may be a list of spellings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gossamer.errors import DocumentError, UsageError
from gossamer.evaluation.jsonl import find_file, read_jsonl
from gossamer.model import Document

NULL_TYPES = frozenset({"null_query", "adversarial"})


@dataclass(frozen=True, slots=True)
class Notice:
    """Something odd that was not fatal: a short fixed name, how often, and a sentence for people."""

    name: str
    count: int
    message: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold.

    `gold` holds one tuple of ids per piece of evidence; finding any of them finds the piece. `answers` holds one tuple
    of spellings per wanted answer. `null` marks a question to refuse: no gold, or a type in `NULL_TYPES`.

    >>> Question("q1", "Who runs the lab?", gold=(("a",),), kind="null_query").null
    True
    """

    id: str
    text: str
    gold: tuple[tuple[str, ...], ...] = ()
    answers: tuple[tuple[str, ...], ...] = ()
    kind: str = ""
    hops: int = 0
    group: str | None = None

    @property
    def null(self) -> bool:
        """True where the right answer is to refuse."""
        return not self.gold or self.kind in NULL_TYPES


@dataclass(frozen=True, slots=True)
class Dataset:
    """Documents and questions; `groups` maps a document id to its group where the corpus names one."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    groups: Mapping[str, str]
    notices: tuple[Notice, ...] = ()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over ids, titles and texts in id order: two runs with equal values saw the same corpus."""
        digest = hashlib.sha256()
        for document in sorted(self.documents, key=lambda d: d.id):
            for part in (document.id, document.title, document.text):
                digest.update(part.encode("utf-8", "surrogatepass"))
                digest.update(b"\x00")
        return digest.hexdigest()

    def without_titles(self) -> Dataset:
        """The same data with every title emptied."""
        return replace(self, documents=tuple(replace(document, title="") for document in self.documents))

    def limited(self, count: int | None) -> Dataset:
        """The same corpus with at most the first `count` questions."""
        return self if count is None else replace(self, questions=self.questions[:count])

    def shuffled(self, seed: int) -> Dataset:
        """The same data with the documents in an order that says nothing about the questions.

        Pooled corpora lie question by question; a method that links neighbours in file order would gain from it.
        """
        import numpy as np

        order = np.random.default_rng(seed).permutation(len(self.documents))
        return replace(self, documents=tuple(self.documents[int(i)] for i in order))

    def by_group(self) -> tuple[Dataset, ...]:
        """One data set per group, with that group's documents and questions only.

        Raises:
            UsageError: a question, or the whole corpus, has no group.
        """
        members: dict[str, list[Document]] = {}
        for document in self.documents:
            if document.id in self.groups:
                members.setdefault(self.groups[document.id], []).append(document)
        wanted: dict[str, list[Question]] = {}
        for question in self.questions:
            if question.group is None or question.group not in members:
                raise UsageError(
                    f"Question {question.id!r} of {self.name} names no group of the corpus. "
                    "Add `group` to its line and to the corpus, or leave out --within-group."
                )
            wanted.setdefault(question.group, []).append(question)
        return tuple(
            replace(self, documents=tuple(members[group]), questions=tuple(wanted[group])) for group in sorted(wanted)
        )


def load_dataset(
    folder: Path, *, questions: Path | str | None = None, also: Sequence[Path | str] = (), name: str | None = None
) -> Dataset:
    """Read a data set folder.

    Args:
        folder: the folder with `corpus.jsonl(.gz)` and `questions.jsonl(.gz)`.
        questions: a questions file to use instead of the folder's own; a bare name is looked up in the folder first.
        also: more corpus files, looked up the same way; a passage that is already there is skipped with a notice.
        name: what to call it; the folder's name by default.

    Raises:
        UsageError: a file is missing, or a questions line lacks a field.
        DocumentError: a corpus line lacks a field, or one id names two different passages.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. Pass a folder with corpus.jsonl and questions.jsonl.")
    files = [find_file(folder, "corpus.jsonl")] + [find_file(folder, str(extra)) for extra in also]
    documents, groups, repeated = _documents(files)
    asked = tuple(_questions(find_file(folder, str(questions) if questions is not None else "questions.jsonl")))
    notices = []
    if repeated:
        notices.append(
            Notice("passages-given-twice", repeated, f"{repeated} passages of --also files were in the corpus already.")
        )
    if not asked:
        raise UsageError(f"{folder} has no questions. Pass a file with some: --questions FILE.")
    missing = gold_not_in({document.id for document in documents}, asked)
    if missing:
        notices.append(missing)
    return Dataset(name or folder.resolve().name, documents, asked, groups, tuple(notices))


def gold_not_in(ids: set[str], questions: Iterable[Question]) -> Notice | None:
    """A notice about gold ids that name neither a document nor a chunk of one; they count as never found."""
    wanted = sorted({one for question in questions for group in question.gold for one in group})
    lost = [one for one in wanted if one not in ids and one.rpartition("#")[0] not in ids]
    if not lost:
        return None
    shown = ", ".join(lost[:3]) + (", ..." if len(lost) > 3 else "")
    text = f"{len(lost)} gold ids are not in the corpus and count as never found: {shown}. Check --also and the ids."
    return Notice("gold-not-in-corpus", len(lost), text)


def _documents(files: Sequence[Path]) -> tuple[tuple[Document, ...], dict[str, str], int]:
    documents: dict[str, Document] = {}
    groups: dict[str, str] = {}
    repeated = 0
    for path in files:
        for line, row in read_jsonl(path, DocumentError):
            where = f"{path}, line {line}"
            document = Document(
                _identifier(row, where, DocumentError),
                _text(row, "text", where, DocumentError),
                title=_text(row, "title", where, DocumentError) if row.get("title") is not None else "",
            )
            known = documents.get(document.id)
            if known is None:
                documents[document.id] = document
            elif path is not files[0] and (known.title, known.text) == (document.title, document.text):
                repeated += 1
            else:
                raise DocumentError(f"{where}: id {document.id!r} was given before. Make the ids unique.")
            if row.get("group") is not None:
                groups[document.id] = str(row["group"])
    if not documents:
        raise DocumentError(f"{files[0]} holds no passages. Write one JSON object with id and text a line.")
    return tuple(documents.values()), groups, repeated


def _questions(path: Path) -> Iterator[Question]:
    seen: set[str] = set()
    for line, row in read_jsonl(path, UsageError):
        where = f"{path}, line {line}"
        identifier = _identifier(row, where, UsageError)
        if identifier in seen:
            raise UsageError(f"{where}: question id {identifier!r} was given before. Make the ids unique.")
        seen.add(identifier)
        gold = _gold(row, where)
        hops = row.get("hops")
        yield Question(
            identifier,
            _text(row, "question", where, UsageError),
            gold,
            _answers(row),
            str(row.get("type") or ""),
            hops if isinstance(hops, int) else len(gold),
            str(row["group"]) if row.get("group") is not None else None,
        )


def _gold(row: Mapping[str, Any], where: str) -> tuple[tuple[str, ...], ...]:
    groups = row.get("gold_groups")
    if groups is None and "gold" not in row:
        raise UsageError(f"{where}: the field 'gold' is missing. List the ids that answer it, or [] if none do.")
    if groups is None:
        if not isinstance(row["gold"], list):
            raise UsageError(f"{where}: 'gold' is not a list. Write a list of ids, [] if nothing answers it.")
        groups = [[one] for one in row["gold"]]
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise UsageError(f"{where}: 'gold_groups' is not a list of lists. Write one list of ids per piece of evidence.")
    # a piece of evidence named twice is one piece
    return tuple(dict.fromkeys(tuple(dict.fromkeys(str(one) for one in group)) for group in groups if group))


def _answers(row: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    answer = row.get("answer")
    if answer is None or answer == "":
        return ()
    if not isinstance(answer, list):
        aliases = row.get("answer_aliases") or []
        return (tuple(str(one) for one in [answer, *aliases]),)
    return tuple(tuple(str(s) for s in one) if isinstance(one, list) else (str(one),) for one in answer)


def _identifier(row: Mapping[str, Any], where: str, error: type[Exception]) -> str:
    value = row.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _text(row, "id", where, error)


def _text(row: Mapping[str, Any], field: str, where: str, error: type[Exception]) -> str:
    value = row.get(field)
    if field not in row:
        raise error(f"{where}: the field {field!r} is missing. Add it to the line.")
    if not isinstance(value, str) or (field in {"id", "question"} and not value.strip()):
        raise error(
            f"{where}: the field {field!r} is not a {'' if field == 'text' else 'non-empty '}string. Correct it."
        )
    return value
