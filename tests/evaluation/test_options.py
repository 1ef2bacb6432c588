from __future__ import annotations

import pytest

from gossamer.errors import UsageError
from gossamer.evaluation.options import BenchOptions


def test_the_baseline_is_always_run() -> None:
    assert BenchOptions(systems=("bm25",)).all_systems == ("hybrid-rrf", "bm25")
    assert BenchOptions(systems=("bm25",), baseline="bm25").all_systems == ("bm25",)


def test_depth_covers_every_cut() -> None:
    assert BenchOptions(ks=(2,)).depth == 20
    assert BenchOptions(ks=(2, 50)).depth == 50


@pytest.mark.parametrize("bad", [{"ks": ()}, {"ks": (0,)}, {"ks": (2, 2)}, {"budgets": (-1,)}])
def test_impossible_cuts_are_refused(bad: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(UsageError):
        BenchOptions(**bad)  # type: ignore[arg-type]
