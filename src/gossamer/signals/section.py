"""Section signal: chunks in the same section, or in sections next to each other in the tree of headings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.sparse import symmetric_csr


def section_signal(
    documents: ArrayLike, positions: ArrayLike, paths: Sequence[tuple[str, ...]], *, window: int = 8
) -> csr_array:
    """w_ij = 1 in the same section; shared headings / longest path for sibling and parent–child sections; else 0.

    Per chunk: document number, position in it, and the headings above it, outermost first. Equal paths in one
    document are one section; chunks above the first heading or in documents without headings are in none. A section
    and its direct subsections form a family, in order of position, and a chunk is compared with the `window` chunks
    before and after it in the two families it belongs to: at most 2 · n · window pairs, however large a section is.
    Raises UsageError for a window below 1 and for inputs of different lengths. Source: SpectRAG section 3.2.

    >>> section_signal([0, 0, 0], [0, 1, 2], [("A",), ("A", "B"), ("A", "C")]).toarray().tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    document, position = np.asarray(documents, dtype=np.int64), np.asarray(positions, dtype=np.int64)
    n = len(paths)
    if window < 1 or document.shape != (n,) or position.shape != (n,):
        raise UsageError(f"window = {window!r}, {len(document)} documents, {n} paths. Pass one of each per chunk.")
    number: dict[tuple[int, tuple[str, ...]], int] = {}
    keys = list(zip(document.tolist(), map(tuple, paths), strict=True))
    section = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
    above = [number.setdefault((key[0], key[1][:-1]), len(number)) for key in keys]
    depth = np.array([len(path) for path in paths], dtype=np.int64)
    inside = np.flatnonzero(depth > 0)
    # Every chunk is in two families: that of its own section, and that of the section above.
    chunk = np.concatenate([inside, inside])
    family = np.concatenate([section[inside], np.asarray(above, dtype=np.int64)[inside]])
    shared = np.concatenate([depth[inside], depth[inside] - 1])
    order = np.lexsort((chunk, position[chunk], family))
    chunk, family, shared = chunk[order], family[order], shared[order]
    rows, columns, values = [], [], []
    for step in range(1, window + 1):
        near = np.flatnonzero(family[step:] == family[:-step])
        first, second = chunk[near], chunk[near + step]
        partial = shared[near] / np.maximum(np.maximum(depth[first], depth[second]), 1)
        rows.append(first)
        columns.append(second)
        values.append(np.where(section[first] == section[second], 1.0, partial))
    return symmetric_csr(np.concatenate(rows), np.concatenate(columns), np.concatenate(values), n)
