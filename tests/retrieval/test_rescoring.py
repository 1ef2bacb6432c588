"""Blends: the corpus counts, not only the candidates; the gate has its corners."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from gossamer.retrieval.rescoring import anchored, flow_gate, guided_score, log_flow, shared_neighbours


def test_unreached_passages_count_in_the_scale_of_flow() -> None:
    mass = np.array([0.5, 0.25])
    everywhere = log_flow(np.concatenate([mass, np.zeros(98)]), passages=100)
    assert np.allclose(log_flow(mass, passages=100), everywhere[:2])


def test_without_flow_weight_the_order_is_that_of_relevance() -> None:
    relevance = np.array([3.0, 1.0, 2.0])
    score = guided_score(relevance, np.array([0, 1.0, 0]), passages=9, mean=0.0, spread=1.0, flow_weight=0.0)
    assert score.tolist() == relevance.tolist()


def test_anchoring_does_not_depend_on_the_tail() -> None:
    scores = np.array([5.0, 4, 3, 2])
    assert np.allclose(anchored(scores, rank=3), anchored(np.append(scores, -40.0), rank=3)[:4])
    assert anchored(np.array([2.0, 2.0])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("shared", "phi"), [(0.0, 1.0), (0.25, 0.5), (0.5, 0.0), (1.0, 0.0)])
def test_gate(shared: float, phi: float) -> None:
    assert flow_gate(shared) == pytest.approx(phi)


def test_shared_neighbours() -> None:
    graph = csr_array(np.array([[0, 0, 1, 1.0], [0, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]))
    assert shared_neighbours(graph, np.array([0, 1])) == 0.5
    assert shared_neighbours(graph, np.zeros(0, dtype=np.int64)) == 0.0
