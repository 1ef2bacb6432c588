"""The opened index behind the server: read again when a writer has swapped its snapshot, with what views share."""

from __future__ import annotations

import os
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.local import LocalStore
from gossamer.retrieval.pipeline import SpectRAGRetrieval
from gossamer.server.reply import UnknownPassageError

if TYPE_CHECKING:
    from gossamer.index.manifest import Manifest
    from gossamer.index.snapshot import Snapshot


class Opened:
    """One snapshot and what is computed from it once, when first needed."""

    def __init__(self, folder: str | os.PathLike[str], name: str, manifest: Manifest) -> None:
        self.name = name
        self.manifest = manifest
        self.retrieval = SpectRAGRetrieval(folder)
        self._lock = threading.Lock()
        self._reviews: dict[int, dict[str, Any]] = {}

    @property
    def snapshot(self) -> Snapshot:
        """Chunks, signals and graphs."""
        return self.retrieval.snapshot

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Chunk id -> chunk number."""
        return {name: number for number, name in enumerate(self.snapshot.chunk_ids)}

    def number(self, passage: str) -> int:
        """The number of a chunk; UnknownPassageError where there is none."""
        try:
            return self.numbers[passage]
        except KeyError:
            raise UnknownPassageError(passage) from None

    def places(self) -> NDArray[np.float32]:
        """(n, 2) places on the plane."""
        with self._lock:
            return self._places

    @cached_property
    def _places(self) -> NDArray[np.float32]:
        from gossamer.graph.layout import plane_layout

        snapshot = self.snapshot
        return plane_layout(snapshot.matrix("graph"), snapshot.coordinates, snapshot.components)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """(n,) edges of each chunk in W."""
        return np.diff(self.snapshot.matrix("graph").indptr).astype(np.int64)

    def review(self, examples: int) -> dict[str, Any]:
        """Lint of the snapshot, made once."""
        from gossamer.insight.lint import lint_index

        with self._lock:
            if examples not in self._reviews:
                self._reviews = {examples: lint_index(self.snapshot, examples=examples).to_dict()}
            return self._reviews[examples]


class Served:
    """The index that a server shows; requests in flight keep the snapshot they began with."""

    def __init__(self, folder: str | os.PathLike[str], *, allow_ingest: bool = False) -> None:
        self.folder = folder
        self.allow_ingest = allow_ingest
        self.store = LocalStore(folder)
        self._lock = threading.Lock()
        self._opened = self._open()

    def current(self) -> Opened:
        """The current snapshot, opened."""
        with self._lock:
            if self.store.current().name != self._opened.name:
                self._opened = self._open()
            return self._opened

    def _open(self) -> Opened:
        return Opened(self.folder, self.store.current().name, self.store.manifest())
