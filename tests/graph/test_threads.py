from __future__ import annotations

import sys

import pytest

from gossamer.graph.threads import single_thread


def test_one_thread_inside_and_the_old_number_after() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def threads() -> list[int]:
        return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    with single_thread():
        assert set(threads()) <= {1}
    assert threads() == before


def test_without_threadpoolctl_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with single_thread():
        pass
