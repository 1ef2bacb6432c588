"""Many calls at once: bounded, in order, equal ones asked once, and stopped when going on makes no sense."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from gossamer.errors import LLMCacheError, LLMError, LLMRefusedError, LLMServerError
from gossamer.llm.call import Call
from gossamer.llm.reply import Reply

Outcome = Reply | LLMError
OnReply = Callable[[int, Outcome], None]

# Statuses that the next prompt would meet too: key, credit, rights, model, quota.
_HOPELESS = (401, 402, 403, 404, 429)
_FEWEST = 3


class Breaker:
    """Remembers the error after which no further call is made: a refusal of all, or failure after failure."""

    def __init__(self, concurrency: int) -> None:
        self.error: LLMError | None = None
        self._limit = max(_FEWEST, concurrency)
        self._row = 0

    def note(self, outcome: Outcome) -> Outcome:
        """Take note of how a call ended."""
        self._row = self._row + 1 if isinstance(outcome, LLMServerError) else 0
        refused = isinstance(outcome, LLMRefusedError) and outcome.status in _HOPELESS
        if isinstance(outcome, LLMError) and (
            refused or isinstance(outcome, LLMCacheError) or self._row >= self._limit
        ):
            self.error = self.error or outcome
        return outcome


def answer_all(
    calls: Sequence[Call],
    ask: Callable[[Call, threading.Event], Reply],
    *,
    concurrency: int,
    on_reply: OnReply | None,
) -> list[Outcome]:
    """Outcomes in the order of `calls`; `on_reply(number, outcome)` runs in this thread as they arrive.

    When this thread is interrupted, calls in flight are waited for (their replies are paid for), the rest is dropped.
    """
    breaker, lock, stop = Breaker(concurrency), threading.Lock(), threading.Event()

    def one(call: Call) -> Outcome:
        if breaker.error is not None:
            return breaker.error
        outcome: Outcome
        try:
            outcome = ask(call, stop)
        except LLMError as problem:
            outcome = problem
        with lock:
            return breaker.note(outcome)

    places = _places(calls)
    found: dict[int, Outcome] = {}
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="llm")
    try:
        futures = {pool.submit(one, calls[numbers[0]]): numbers for numbers in places}
        for future in as_completed(futures):
            _deliver(future.result(), futures[future], found, on_reply)
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
    return [found[number] for number in range(len(calls))]


async def answer_all_async(
    calls: Sequence[Call], ask: Callable[[Call], Awaitable[Reply]], *, concurrency: int, on_reply: OnReply | None
) -> list[Outcome]:
    """The async twin of `answer_all`; cancelling it cancels the calls in flight."""
    breaker, slots = Breaker(concurrency), asyncio.Semaphore(concurrency)
    found: dict[int, Outcome] = {}

    async def one(numbers: list[int]) -> None:
        async with slots:
            outcome: Outcome
            if breaker.error is not None:
                outcome = breaker.error
            else:
                try:
                    outcome = await ask(calls[numbers[0]])
                except LLMError as problem:
                    outcome = problem
                breaker.note(outcome)
            _deliver(outcome, numbers, found, on_reply)

    async with asyncio.TaskGroup() as group:
        for numbers in _places(calls):
            group.create_task(one(numbers))
    return [found[number] for number in range(len(calls))]


def _places(calls: Sequence[Call]) -> list[list[int]]:
    """Numbers of equal calls together, in order."""
    places: dict[str, list[int]] = {}
    for number, call in enumerate(calls):
        places.setdefault(call.key, []).append(number)
    return list(places.values())


def _deliver(outcome: Outcome, numbers: list[int], found: dict[int, Outcome], on_reply: OnReply | None) -> None:
    for number in numbers:
        found[number] = outcome
        if on_reply is not None:
            on_reply(number, outcome)
