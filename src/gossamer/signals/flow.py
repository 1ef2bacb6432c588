"""The flow matrix F: along which edges relevance flows from passage to passage.

    F_ij = Σ_e 1/df(e)  over the entities e that i and j share, 2 ≤ df(e) ≤ max_df
         + mention_weight · (m_ij + m_ji),   m_ij = 1/passages under the title that i names and j bears

No nearest-neighbour edges: they blur the flow (measured; see docs/research.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_DF = 50
MENTION_WEIGHT = 1.0


def entity_flow(entities: csr_array, *, max_df: int = MAX_DF) -> csr_array:
    """Edges between passages that share entities, Σ_e 1/df(e); symmetric, no diagonal.

    Args:
        entities: passages × entities, a stored value where a passage holds the entity.
        max_df: entities of more passages are hubs and left out; this bounds the edges by `max_df` per held entity.

    >>> from scipy.sparse import csr_array
    >>> held = csr_array(np.array([[1, 1], [1, 0], [0, 1]], dtype=np.float32))
    >>> entity_flow(held).toarray().tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]
    """
    from scipy.sparse import coo_array, csr_array

    n = entities.shape[0]
    df = np.bincount(entities.indices, minlength=entities.shape[1])
    keep = np.flatnonzero((df >= 2) & (df <= max_df))
    if not len(keep):
        return csr_array(coo_array((n, n), dtype=np.float32))
    held = csr_array(entities[:, keep])
    held.data = np.ones(held.nnz, dtype=np.float32)
    weighted = held.copy()
    weighted.data = (1 / df[keep]).astype(np.float32)[held.indices]
    edges = csr_array(weighted @ held.T)
    edges.setdiag(0)
    edges.eliminate_zeros()
    edges.sort_indices()
    return edges


def flow_matrix(
    entities: csr_array,
    mentions: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]] | None = None,
    *,
    max_df: int = MAX_DF,
    mention_weight: float = MENTION_WEIGHT,
) -> csr_array:
    """Entity edges plus weighted title mentions (rows, cols, weights), symmetric, no diagonal, float32.

    >>> from scipy.sparse import csr_array
    >>> none = csr_array((2, 0), dtype=np.float32)
    >>> flow_matrix(none, (np.array([0]), np.array([1]), np.array([1.0]))).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    from scipy.sparse import csr_array

    n = entities.shape[0]
    flow = entity_flow(entities, max_df=max_df)
    if mentions is not None and len(mentions[0]) and mention_weight > 0:
        rows, cols, weights = mentions
        values = (mention_weight * np.asarray(weights)).astype(np.float32)
        named = csr_array((values, (rows, cols)), shape=(n, n))
        flow = csr_array(flow + named + named.T)
    flow.setdiag(0)
    flow.eliminate_zeros()
    flow.sort_indices()
    return flow
