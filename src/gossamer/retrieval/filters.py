"""Which passages a search may use: conditions on their documents.

`where` maps a key to a value, or to a list of values of which one must hold; all keys must hold. Keys that every index has:

| key | holds for documents |
|---|---|
| `document` | whose id matches the glob |
| `path` | whose path (the id where there is none) matches the glob: `reports/*.md`, `*/2024/*` |
| `source` | whose metadata `source` matches the glob; the path where a document has none |
| `namespace` | in this top folder; `""` are the documents at the root |
| `title` | whose title matches the glob |
| `after`, `before` | whose metadata carry a date, and one not before / not after this one |

Any other key is a key of the documents' metadata and compares for equality; a list in the metadata holds any of its values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import translate
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.insight.dates import Interval, find_dates, metadata_date

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot

BoolArray = NDArray[np.bool_]
Where = Mapping[str, Any]

KEYS = ("after", "before", "document", "namespace", "path", "source", "title")
"""Keys that need no metadata."""


class Filters:
    """The documents of a snapshot, ready to be filtered.

    >>> import tempfile
    >>> from gossamer import Document, build_index, open_index
    >>> docs = [Document("a/x.md", "Helix is in Pune."), Document("b/y.md", "Helix is in Oslo.", metadata={"year": 2024})]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = build_index(docs, folder)
    ...     with open_index(folder) as index:
    ...         north = index.search("Where is Helix?", where={"namespace": "b"})
    ...         recent = index.search("Where is Helix?", where={"after": "2023", "path": "*.md"})
    >>> [p.id for p in north.passages], [p.id for p in recent.passages]
    (['b/y.md#0'], ['b/y.md#0'])
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def chunks(self, where: Where | None) -> BoolArray | None:
        """(n) chunks whose document fulfils `where`; None where nothing is asked.

        Raises ArgumentTypeError for anything but a mapping with string keys, UsageError for a key that no document has
        and for a date that is none.
        """
        if where is None:
            return None
        if not isinstance(where, Mapping) or not all(isinstance(key, str) for key in where):
            raise ArgumentTypeError(f"where is a {type(where).__name__}. Pass a mapping like {{'path': 'reports/*'}}.")
        if not where:
            return None
        fulfilled = np.ones(len(self._snapshot.document_ids), dtype=bool)
        for key, value in where.items():
            fulfilled &= self._documents(key, value)
        return fulfilled[self._snapshot.chunk_document]

    def _documents(self, key: str, value: Any) -> BoolArray:
        wanted = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
        if key in ("after", "before"):
            return self._dated(key, wanted)
        columns: dict[str, Callable[[], Sequence[str]]] = {
            "document": lambda: self._snapshot.document_ids,
            "title": lambda: self._snapshot.document_titles,
            "path": lambda: self._paths,
            "source": lambda: self._sources,
        }
        if key in columns:
            matches = re.compile("|".join(translate(str(pattern)) for pattern in wanted)).match
            return np.array([matches(text) is not None for text in columns[key]()], dtype=bool)
        if key == "namespace":
            folders = {str(name).strip("/") for name in wanted}
            return np.array([namespace(path) in folders for path in self._paths], dtype=bool)
        if key not in self._metadata_keys:
            raise UsageError(
                f"No document has {key!r} in its metadata. Filter by one of: "
                f"{', '.join(sorted({*KEYS, *self._metadata_keys}))}."
            )
        texts = {str(item) for item in wanted}
        return np.array([not texts.isdisjoint(_texts(found.get(key))) for found in self._metadata], dtype=bool)

    def _dated(self, key: str, wanted: list[Any]) -> BoolArray:
        if len(wanted) != 1:
            raise UsageError(f"where {key!r} takes one date. Give it like 2024-01-31.")
        first, last = _date(key, wanted[0])
        dates = [metadata_date(found) for found in self._metadata]
        if key == "after":
            return np.array([date is not None and date[1] >= first for date in dates], dtype=bool)
        return np.array([date is not None and date[0] <= last for date in dates], dtype=bool)

    @cached_property
    def _metadata(self) -> list[dict[str, Any]]:
        return [self._snapshot.metadata(document) for document in range(len(self._snapshot.document_ids))]

    @cached_property
    def _metadata_keys(self) -> set[str]:
        return {key for found in self._metadata for key in found}

    @cached_property
    def _paths(self) -> list[str]:
        snapshot = self._snapshot
        return [snapshot.path(place) or name for place, name in enumerate(snapshot.document_ids)]

    @cached_property
    def _sources(self) -> list[str]:
        pairs = zip(self._metadata, self._paths, strict=True)
        return [str(found["source"]) if found.get("source") else path for found, path in pairs]


def namespace(path: str) -> str:
    """The top folder of a path, "" at the root.

    >>> namespace("reports/2024/a.md"), namespace("a.md")
    ('reports', '')
    """
    folder, slash, _ = path.partition("/")
    return folder if slash else ""


def parse_where(conditions: Sequence[str]) -> dict[str, Any] | None:
    """`KEY=VALUE` texts as `where`; a repeated key holds for any of its values. UsageError for a text without `=`.

    >>> parse_where(["path=a/*", "path=b/*", "after=2024"])
    {'path': ['a/*', 'b/*'], 'after': '2024'}
    """
    where: dict[str, Any] = {}
    for condition in conditions:
        key, equals, value = condition.partition("=")
        if not equals or not key:
            raise UsageError(f"--where {condition!r} has no key and value. Write it like path=reports/*.")
        if key in where:
            before = where[key]
            where[key] = [*(before if isinstance(before, list) else [before]), value]
        else:
            where[key] = value
    return where or None


def _date(key: str, value: Any) -> Interval:
    month = re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", str(value))
    if month:
        first = int(month[1]) * 10000 + int(month[2]) * 100
        return first, first + 99
    found = next((days for _, _, days in find_dates(str(value))), None)
    if found is None:
        raise UsageError(f"where {key!r}: {value!r} is no date. Write it like 2024-01-31, 2024-01 or 2024.")
    return found


def _texts(value: Any) -> set[str]:
    return {str(item) for item in value} if isinstance(value, list) else {str(value)} if value is not None else set()
