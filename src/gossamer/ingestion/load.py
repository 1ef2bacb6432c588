"""Sources to documents: every file, row or given Document ends as a document or is named with the reason it did not."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from gossamer.errors import ArgumentTypeError, DocumentError, NoDocumentsError
from gossamer.ingestion.decode import UnreadableFileError
from gossamer.ingestion.loaders import Parsed, parse_file
from gossamer.ingestion.rows import has_documents, is_rows_file, read_rows
from gossamer.ingestion.walk import FoundFile, walk_folder
from gossamer.model import Document
from gossamer.reports import Skipped
from gossamer.text.clean import clean_text, is_blank, join_surrogates, one_line

MAX_FILE_BYTES = 64 * 1024 * 1024

_NAMED_DUPLICATES = 5
_WORD = re.compile(r"[^\W\d_]{2,}")
_PLAIN_NAME_LIST = (
    "readme index license licence changelog contributing authors notice notes todo untitled document default main "
    "test data content contents home about summary news security copying install history"
)
_PLAIN_NAMES = frozenset(_PLAIN_NAME_LIST.split())

Source = str | os.PathLike[str] | Document


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """A document with normalised text, and the offsets at which its pages begin where its source has pages."""

    document: Document
    pages: tuple[int, ...] | None = None


@dataclass(slots=True)
class Loaded:
    """Documents sorted by id, what was skipped, and what should be known about the rest."""

    documents: list[LoadedDocument] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def load_sources(
    sources: Source | Iterable[Source],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    max_file_bytes: int = MAX_FILE_BYTES,
    kept: Iterable[LoadedDocument] = (),
) -> Loaded:
    """Load a path, several paths, or an iterable of Document, beside documents that are `kept` as they are.

    A file is one document, its id the path relative to the folder given (its name where the file itself was given).
    A .jsonl or .jsonl.gz file of objects with id, title and text gives one document a row: under the rows' own ids
    where the file itself was given, as `path#id` where it lies in a folder. Documents of the same id and text are taken
    once.

    Raises NoDocumentsError where a path does not exist, DocumentError where one id has two texts, ArgumentTypeError for
    anything that is neither path nor Document. A folder without documents gives none, with a warning.

    >>> loaded = load_sources([Document("b", "Helix Labs\\r\\nis in Pune."), Document("a", " ")])
    >>> [each.document.text for each in loaded.documents], loaded.skipped
    (['Helix Labs\\nis in Pune.'], [Skipped(source='a', reason='no text')])
    """
    gathered = _Gathered(kept)
    if isinstance(sources, str | os.PathLike | Document):
        sources = [sources]
    elif not isinstance(sources, Iterable):
        raise ArgumentTypeError(f"The sources are a {type(sources).__name__}. Pass a path, paths, or Documents.")
    for source in sources:
        if isinstance(source, Document):
            gathered.add(source)
        elif isinstance(source, str | os.PathLike):
            _load_path(Path(source), gathered, include, exclude, max_file_bytes)
        else:
            raise ArgumentTypeError(f"A source is a {type(source).__name__}. Pass paths or Documents.")
    return gathered.finish()


class _Gathered:
    """Collects documents and refuses two texts under one id."""

    def __init__(self, kept: Iterable[LoadedDocument] = ()) -> None:
        self._by_id = {loaded.document.id: loaded for loaded in kept}
        self.skipped: list[Skipped] = []
        self.warnings: list[str] = []

    def add(self, document: Document, pages: tuple[int, ...] | None = None) -> None:
        document = _normalised(document)
        known = self._by_id.get(document.id)
        if is_blank(document.text):
            self.skipped.append(Skipped(document.id, "no text"))
        elif known is None:
            self._by_id[document.id] = LoadedDocument(document, pages)
        elif known.document.text == document.text:
            self.skipped.append(Skipped(document.id, "the same id and text as a document before it"))
        else:
            raise DocumentError(
                f"Two documents have the id {document.id!r} and different texts. Give each its own id; for several "
                "folders, load the folder above them."
            )

    def finish(self) -> Loaded:
        documents = [self._by_id[identity] for identity in sorted(self._by_id)]
        if not documents:
            reasons = f": {self.skipped[0].source} ({self.skipped[0].reason})" if self.skipped else ""
            self.warnings.append(f"There is nothing to index; {len(self.skipped)} sources were skipped{reasons}.")
        self.warnings += _duplicate_warnings(documents)
        return Loaded(documents, self.skipped, self.warnings)


def _normalised(document: Document) -> Document:
    return replace(
        document,
        id=join_surrogates(document.id),
        text=clean_text(document.text),
        title=one_line(document.title),
        metadata=_valid(document.metadata),
        path=None if document.path is None else join_surrogates(document.path),
    )


def _valid(value: Any) -> Any:
    """Metadata whose strings can be written as UTF-8."""
    if isinstance(value, str):
        return join_surrogates(value)
    if isinstance(value, Mapping):
        return {_valid(key): _valid(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_valid(inner) for inner in value]
    return value


def _duplicate_warnings(documents: Sequence[LoadedDocument]) -> Iterator[str]:
    """One warning that names documents with equal texts."""
    first: dict[bytes, str] = {}
    pairs: list[str] = []
    for loaded in documents:
        document = loaded.document
        key = hashlib.sha256(document.text.strip().encode()).digest()
        if key in first:
            pairs.append(f"{document.id} = {first[key]}")
        first.setdefault(key, document.id)
    if pairs:
        more = f" and {len(pairs) - _NAMED_DUPLICATES} more" if len(pairs) > _NAMED_DUPLICATES else ""
        yield f"{len(pairs)} documents repeat the text of another: {', '.join(pairs[:_NAMED_DUPLICATES])}{more}."


def _load_path(
    path: Path, gathered: _Gathered, include: Sequence[str], exclude: Sequence[str], max_file_bytes: int
) -> None:
    if path.is_dir():
        files, skipped = walk_folder(path, include=include, exclude=exclude)
        gathered.skipped += skipped
        for file in files:
            _load_file(file, gathered, max_file_bytes, in_folder=True)
    elif path.exists():
        _load_file(FoundFile(path, join_surrogates(path.name)), gathered, max_file_bytes, in_folder=False)
    else:
        raise NoDocumentsError(f"There is no file or folder {join_surrogates(str(path))!r}. Check the path.")


def _load_file(file: FoundFile, gathered: _Gathered, max_file_bytes: int, *, in_folder: bool) -> None:
    """Add the documents of one file, or say why it has none."""
    try:
        if not file.path.is_file():
            raise UnreadableFileError("not a regular file")
        if is_rows_file(file.name) and has_documents(file.path):
            for row in read_rows(file.path, file.name, prefix=f"{file.name}#" if in_folder else ""):
                if isinstance(row, Document):
                    gathered.add(row)
                else:
                    gathered.skipped.append(row)
            return
        size = file.path.stat().st_size
        if size > max_file_bytes:
            raise UnreadableFileError(f"{size:,} bytes, more than the limit of {max_file_bytes:,}")
        data = file.path.read_bytes()
        if is_blank(data.decode("latin-1")):
            raise UnreadableFileError("empty file")
        parsed = parse_file(data, file.name)
    except UnreadableFileError as error:
        gathered.skipped.append(Skipped(file.name, str(error)))
        return
    except OSError as error:
        gathered.skipped.append(Skipped(file.name, f"cannot be read ({error.strerror})"))
        return
    gathered.warnings += [f"{file.name}: {warning}." for warning in parsed.warnings]
    title = parsed.title or (name_title(file.name) if parsed.named else "")
    gathered.add(_document(file.name, title, parsed), parsed.pages or None)


def _document(name: str, title: str, parsed: Parsed) -> Document:
    return Document(name, parsed.text, title, parsed.metadata, path=name)


def name_title(name: str) -> str:
    """What a file's name says as a title: several words, or one capitalised word that names something.

    Titles link the documents that mention them, so a name that is an everyday word gives none.

    >>> name_title("a/orion-project.txt"), name_title("Pune.md"), name_title("notes.txt"), name_title("README.md")
    ('orion project', 'Pune', '', '')
    """
    stem = PurePosixPath(name).stem
    words = [word for word in re.split(r"[\s_.-]+", stem) if word]
    telling = [word for word in words if _WORD.search(word) and word.lower() not in _PLAIN_NAMES]
    if len(telling) >= 2:
        return " ".join(words)
    if len(words) == 1 and telling:
        word = words[0]
        is_name = word.isalpha() and len(word) >= 4 and word.istitle()
        return word if is_name or not (word.isascii() or word[0].islower()) else ""
    return ""
