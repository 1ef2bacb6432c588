from __future__ import annotations

from threadpoolctl import threadpool_info

from gossamer.graph.threads import single_thread


def test_one_thread_inside_and_the_old_number_after() -> None:
    def threads() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    with single_thread():
        assert set(threads()) <= {1}
    assert threads() == before
