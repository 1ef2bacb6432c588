from __future__ import annotations

import numpy as np
import pytest

from gossamer.errors import UsageError
from gossamer.graph.neighbours import nearest_neighbours
from gossamer.signals.utility import utility_signal


def test_the_closest_questions_of_two_chunks_decide() -> None:
    owners = [0, 0, 3, 3]
    questions = np.array([[1.0, 0], [0, 1.0], [1.0, 0.1], [1.0, 1.0]])
    signal = utility_signal(owners, *nearest_neighbours(questions, 3), 4).toarray()
    assert signal[0, 3] == pytest.approx(1 / np.sqrt(1.01), abs=1e-6)
    assert np.array_equal(signal, signal.T)
    assert np.count_nonzero(signal) == 2


def test_no_questions_no_edges() -> None:
    signal = utility_signal([], np.zeros((0, 10), np.int32), np.zeros((0, 10), np.float32), 5)
    assert (signal.shape, signal.nnz) == ((5, 5), 0)


def test_every_question_needs_an_owner() -> None:
    with pytest.raises(UsageError, match="owners"):
        utility_signal([0], [[1], [0]], [[0.5], [0.5]], 2)
