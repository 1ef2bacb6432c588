"""One linear-algebra thread, where more of them reorder sums or lose time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any


def single_thread() -> AbstractContextManager[Any]:
    """Context in which BLAS and LAPACK use one thread.

    Many small eigenproblems on two busy cores took 8.6 s with two threads and 0.3 s with one.

    >>> with single_thread():
    ...     pass
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return threadpool_limits(limits=1)  # type: ignore[no-any-return]
