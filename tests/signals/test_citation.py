from __future__ import annotations

import numpy as np
import pytest

from gossamer.errors import UsageError
from gossamer.signals.citation import citation_signal


def test_a_reference_links_both_ways_once() -> None:
    signal = citation_signal([(3, 1), (1, 3), (3, 1), (2, 2)], 4)
    assert signal.toarray()[[1, 3], [3, 1]].tolist() == [1, 1]
    assert signal.nnz == 2
    assert signal.dtype == np.float32


def test_no_references() -> None:
    assert citation_signal([], 3).toarray().tolist() == [[0] * 3] * 3


def test_a_reference_to_nowhere_is_refused() -> None:
    with pytest.raises(UsageError, match="outside"):
        citation_signal([(0, 3)], 3)
