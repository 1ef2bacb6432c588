"""What a build changed: documents by id, chunks by content."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.ingestion.load import LoadedDocument
from gossamer.model import to_plain

if TYPE_CHECKING:
    from gossamer.ingestion.previous import Key, Previous


def count_changes(
    previous: Previous,
    documents: Sequence[LoadedDocument],
    keys: Sequence[Key],
    owners: Sequence[int],
    fresh: NDArray[np.bool_],
) -> dict[str, dict[str, int]]:
    """Documents and chunks that are the same, added, changed, moved, removed, and how many were embedded now.

    A document is moved where its text was there under an id that is gone; it is then neither added nor removed. A
    chunk is the same where a chunk of that title, headings and text was there, whatever its document and place.
    """
    before = previous.documents
    after = {each.document.id: each for each in documents}
    kept = after.keys() & before.keys()
    same = sum(_identity(after[name]) == _identity(before[name]) for name in kept)
    gone = Counter(before[name].document.text for name in before.keys() - kept)
    new = Counter(after[name].document.text for name in after.keys() - kept)
    moved = (gone & new).total()
    chunks_before, chunks_after = Counter(previous.keys), Counter(keys)
    chunks_same = (chunks_before & chunks_after).total()
    return {
        "documents": {
            "same": same,
            "added": new.total() - moved,
            "changed": len(kept) - same,
            "moved": moved,
            "removed": gone.total() - moved,
            "embedded": len({owners[chunk] for chunk in np.flatnonzero(fresh).tolist()}),
        },
        "chunks": {
            "same": chunks_same,
            "added": len(keys) - chunks_same,
            "removed": chunks_before.total() - chunks_same,
            "embedded": int(np.count_nonzero(fresh)),
        },
    }


def metadata_json(metadata: Any) -> str:
    """Metadata as it is stored: canonical JSON."""
    return json.dumps(to_plain(metadata), ensure_ascii=False, sort_keys=True)


def _identity(loaded: LoadedDocument) -> tuple[Any, ...]:
    document = loaded.document
    return document.text, document.title, document.path, loaded.pages, metadata_json(document.metadata)
