"""What use has taught an index: a layer of its own beside the index, keyed by content, that can be taken away again.

    w'_ij = w_ij · (1 + .1 · min(uses_ij, 10))          edges that led to an accepted passage
    w'_ij = 0                                           pruned: both ends were visited often and the edge was never used

The layer never makes an edge, and a passage is known by the hash of its title and text: what is re-indexed unchanged keeps
what was learned, what was changed or deleted loses it, and nothing else moves.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gossamer.errors import IndexDamagedError, IndexVersionError, UsageError
from gossamer.graph.spread_arrays import Matrix

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot

_VERSION = 1
_NAME = "learned.json"
_RATE = 0.1
_MOST_USES = 10


class LearnedLayer:
    """The learned layer of the index in `folder`; a missing file is an empty layer.

    Changes are read, merged and written under a lock, so several readers of one index may teach it.
    """

    def __init__(self, folder: str | os.PathLike[str], snapshot: Snapshot) -> None:
        self._path = Path(folder) / _NAME
        self._snapshot = snapshot
        self._cache: dict[str, Matrix] = {}
        self._state = self._read()

    @property
    def edges(self) -> int:
        """Number of edges that were ever used."""
        return len(self._state["uses"])

    @property
    def pruned(self) -> int:
        """Number of passages between which unused edges are switched off."""
        return len(self._state["pruned"])

    def accept(self, steps: Iterable[tuple[int, int]], visited: NDArray[np.int64]) -> None:
        """Count the edges (chunk, chunk) that led to an accepted passage, and a visit of every chunk that was active."""
        edges = ["|".join(sorted((self._keys[a], self._keys[b]))) for a, b in steps]
        nodes = [self._keys[chunk] for chunk in visited.tolist()]

        def count(state: dict[str, Any]) -> None:
            for table, keys in (("uses", edges), ("visits", nodes)):
                for key in keys:
                    state[table][key] = state[table].get(key, 0) + 1

        self._change(count)

    def prune(self, min_visits: int = 3) -> int:
        """Switch off the edges without use between passages visited at least `min_visits` times; returns how many."""
        if isinstance(min_visits, bool) or not isinstance(min_visits, int) or min_visits < 1:
            raise UsageError(f"min_visits is {min_visits!r}. Choose a whole number of at least 1.")

        def mark(state: dict[str, Any]) -> None:
            state["pruned"] = sorted(key for key, count in state["visits"].items() if count >= min_visits)

        self._change(mark)
        return self.pruned

    def unprune(self) -> None:
        """Bring every pruned edge back."""
        self._change(lambda state: state.update(pruned=[]))

    def clear(self) -> None:
        """Forget everything: the index is again what was built."""
        self._change(lambda state: state.update(_empty()))

    def applied(self, name: str, matrix: Matrix) -> Matrix:
        """`matrix` with the layer on top; the matrix itself where nothing was learned."""
        if not (self._state["uses"] or self._state["pruned"]):
            return matrix
        if name not in self._cache:
            self._cache[name] = self._apply(matrix)
        return self._cache[name]

    def _apply(self, matrix: Matrix) -> Matrix:
        size = matrix.shape[0]
        pairs = [(key.split("|"), count) for key, count in sorted(self._state["uses"].items())]
        known = [(self._places[a], self._places[b], count) for (a, b), count in pairs if {a, b} <= self._places.keys()]
        table = np.array(known, dtype=np.int64).reshape(-1, 3)
        both = (np.concatenate([table[:, 0], table[:, 1]]), np.concatenate([table[:, 1], table[:, 0]]))
        uses = csr_array((np.tile(np.minimum(table[:, 2], _MOST_USES), 2).astype(float), both), shape=(size, size))
        used = csr_array(matrix.multiply(uses))
        result = csr_array(matrix + _RATE * used)
        pruned = np.zeros(size)
        pruned[[self._places[key] for key in self._state["pruned"] if key in self._places]] = 1.0
        if pruned.any():
            rows = np.repeat(np.arange(size), np.diff(result.indptr))
            kept = np.asarray(csr_array(used > 0)[rows, result.indices]).ravel() if used.nnz else np.zeros(result.nnz)
            result.data[(pruned[rows] * pruned[result.indices] > 0) & ~kept.astype(bool)] = 0.0
            result.eliminate_zeros()
        return result

    @cached_property
    def _keys(self) -> list[str]:
        snapshot = self._snapshot
        titles = [snapshot.document_titles[document] for document in snapshot.chunk_document.tolist()]
        return [content_key(title, snapshot.text(chunk)) for chunk, title in enumerate(titles)]

    @cached_property
    def _places(self) -> dict[str, int]:
        """Key -> chunk; of equal passages the first."""
        return {key: chunk for chunk, key in reversed(list(enumerate(self._keys)))}

    def _change(self, change: Any) -> None:
        from filelock import FileLock

        with FileLock(self._path.with_suffix(".lock")):
            state = self._read()
            change(state)
            partial = self._path.with_suffix(".partial")
            partial.write_text(json.dumps({"version": _VERSION, **state}, sort_keys=True), encoding="utf-8")
            partial.replace(self._path)
        self._state = state
        self._cache = {}

    def _read(self) -> dict[str, Any]:
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return _empty()
        except (OSError, ValueError) as problem:
            raise IndexDamagedError(
                f"{self._path} cannot be read ({problem}). Delete it; the index works without."
            ) from problem
        if not isinstance(stored, dict) or stored.get("version") != _VERSION:
            raise IndexVersionError(f"{self._path} is not of version {_VERSION}. Delete it, or update gossamer.")
        return {name: stored.get(name, value) for name, value in _empty().items()}


def content_key(title: str, text: str) -> str:
    """Sixteen hex digits that name a passage by its content.

    >>> content_key("", "Helix Labs is in Pune.") == content_key("", "Helix Labs is in Pune.")
    True
    """
    return hashlib.blake2b(f"{title}\n{text}".encode(), digest_size=8).hexdigest()


def _empty() -> dict[str, Any]:
    return {"uses": {}, "visits": {}, "pruned": []}
