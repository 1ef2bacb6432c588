from __future__ import annotations

from threadpoolctl import threadpool_info

from gossamer.graph.threads import single_thread


def blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_one_thread_inside_and_the_old_number_after() -> None:
    before = blas_threads()
    with single_thread():
        assert set(blas_threads()) <= {1}
    assert blas_threads() == before


def test_the_last_one_out_restores() -> None:
    before = blas_threads()
    first, second = single_thread(), single_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(blas_threads()) <= {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before
