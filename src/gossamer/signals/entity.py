"""Entity signal: chunks that mention the same entities."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from gossamer.graph.sparse import row_blocks, rows_of, strongest

_PRODUCTS = 4_000_000


def entity_signal(mentions: csr_array, *, max_df: int = 100, partners: int = 64) -> csr_array:
    """w_ij = |E_i ∩ E_j| / |E_i ∪ E_j|, the Jaccard similarity of the entity sets of two chunks.

    `mentions` is chunks × entities; any positive entry is a mention. Entities of more than `max_df` chunks are left
    out of the sets, since they link everything to everything. A pair stays if it is among the `partners` strongest
    of either chunk (lower number first on ties). Work and memory are bounded by Σ df² ≤ max_df · mentions, done in
    blocks. Source: SpectRAG section 3.2.

    >>> entity_signal(csr_array([[1, 1, 0], [1, 1, 1], [0, 0, 1]])).toarray().astype(float).round(3).tolist()
    [[0.0, 0.667, 0.0], [0.667, 0.0, 0.333], [0.0, 0.333, 0.0]]
    """
    member = csr_array(mentions, copy=True)
    member.sum_duplicates()
    frequency = np.bincount(member.indices[member.data > 0], minlength=member.shape[1])
    member.data = ((member.data > 0) & (frequency[member.indices] <= max_df)).astype(np.float32)
    member.eliminate_zeros()
    n = int(member.shape[0])
    size = np.diff(member.indptr)
    by_entity = csr_array(member.T)
    rows, columns, values = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
    for start, stop in row_blocks(member @ frequency, _PRODUCTS):
        shared = csr_array(member[start:stop] @ by_entity)
        row = rows_of(shared)
        union = size[row + start] + size[shared.indices] - shared.data
        shared.data = np.where(row + start == shared.indices, 0, shared.data / union).astype(np.float32)
        kept = strongest(shared, partners)
        rows.append(rows_of(kept) + start)
        columns.append(kept.indices.astype(np.int64))
        values.append(kept.data)
    places = (np.concatenate(rows), np.concatenate(columns))
    directed = csr_array((np.concatenate(values), places), shape=(n, n))
    signal = csr_array(directed.maximum(directed.T))
    signal.sort_indices()
    return signal
