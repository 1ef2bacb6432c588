"""What goes to a model and what comes back: messages, replies, and what they cost."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gossamer.errors import ArgumentTypeError, LLMError, SettingsError
from gossamer.text.clean import join_surrogates

Message = Mapping[str, str]
Prompt = str | Sequence[Message]
Prices = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply.

    `cached` says that it came from the cache and cost nothing now. `finish` is the server's reason for the end ("stop",
    "length", …). `counted` is False where the server gave no usable token counts and they are estimates.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    cached: bool = False
    finish: str = "stop"
    counted: bool = True

    @property
    def cut(self) -> bool:
        """Whether the reply ended because it reached `max_tokens`."""
        return self.finish == "length"


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent: calls answered by the server, replies from the cache, calls that failed, tokens, cost.

    `cost` is None without prices.

    >>> Spent(3, 1, 0, 100, 20, 0.5) - Spent(1, 1, 0, 40, 10, 0.25)
    Spent(calls=2, cached=0, failed=0, prompt_tokens=60, completion_tokens=10, cost=0.25)
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    def __sub__(self, earlier: Spent) -> Spent:
        cost = None if self.cost is None else self.cost - (earlier.cost or 0.0)
        return Spent(
            self.calls - earlier.calls,
            self.cached - earlier.cached,
            self.failed - earlier.failed,
            self.prompt_tokens - earlier.prompt_tokens,
            self.completion_tokens - earlier.completion_tokens,
            cost,
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would cost: calls to make, replies already cached, tokens to send, tokens to receive at most, cost at most.

    `prompt_tokens` are counted offline, within some 5 to 20 % of the model's own count. `cost` is None without prices.

    >>> Estimate(2, 0, 50, 200, 0.5) + Estimate(1, 1, 10, 20, 0.25)
    Estimate(calls=3, cached=1, prompt_tokens=60, completion_tokens=220, cost=0.75)
    """

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None = None

    def __add__(self, other: Estimate) -> Estimate:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Estimate(
            self.calls + other.calls,
            self.cached + other.cached,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            cost,
        )


class Meter:
    """Adds up what is spent, from any thread."""

    def __init__(self, prices: Prices | None) -> None:
        self._prices = checked_prices(prices)
        self._lock = threading.Lock()
        self._spent = Spent(cost=None if prices is None else 0.0)

    @property
    def spent(self) -> Spent:
        """The sum so far."""
        return self._spent

    def add(self, reply: Reply) -> Reply:
        """Count a reply; it is handed back."""
        with self._lock:
            old = self._spent
            if reply.cached:
                self._spent = Spent(old.calls, old.cached + 1, *_rest(old))
                return reply
            sent, received = reply.prompt_tokens, reply.completion_tokens
            cost = self.cost(sent, received)
            self._spent = Spent(
                old.calls + 1,
                old.cached,
                old.failed,
                old.prompt_tokens + sent,
                old.completion_tokens + received,
                None if cost is None else (old.cost or 0.0) + cost,
            )
        return reply

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Count the call of this block as failed when it raises an LLMError."""
        try:
            yield
        except LLMError:
            self.fail()
            raise

    def fail(self) -> None:
        """Count a call that failed for good."""
        with self._lock:
            old = self._spent
            self._spent = Spent(old.calls, old.cached, old.failed + 1, *_rest(old)[1:])

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Price of so many tokens, None without prices."""
        if self._prices is None:
            return None
        sent, received = self._prices
        return (prompt_tokens * sent + completion_tokens * received) / 1_000_000


def _rest(spent: Spent) -> tuple[int, int, int, float | None]:
    return spent.failed, spent.prompt_tokens, spent.completion_tokens, spent.cost


def checked_prices(prices: Prices | None) -> Prices | None:
    """Prices per million tokens sent and received; SettingsError for anything but two numbers from 0."""
    if prices is None:
        return None
    usable = isinstance(prices, Sequence) and len(prices) == 2 and all(
        isinstance(price, (int, float)) and 0 <= price < float("inf") for price in prices
    )  # fmt: skip
    if not usable:
        raise SettingsError(
            f"prices = {prices!r} is not possible. Give two numbers: per million tokens sent, and per million received."
        )
    return float(prices[0]), float(prices[1])


def as_messages(prompt: Prompt) -> list[dict[str, str]]:
    """The messages of a prompt; a string is one user message. ArgumentTypeError for anything else.

    >>> as_messages("Hello")
    [{'role': 'user', 'content': 'Hello'}]
    """
    if isinstance(prompt, str):
        return [{"role": "user", "content": join_surrogates(prompt)}]
    usable = isinstance(prompt, Sequence) and prompt and all(_is_message(message) for message in prompt)
    if not usable:
        raise ArgumentTypeError(
            "A prompt is neither a string nor a list of messages. Pass text, or dictionaries with 'role' and 'content'."
        )
    return [{"role": message["role"], "content": join_surrogates(message["content"])} for message in prompt]


def _is_message(message: Any) -> bool:
    return isinstance(message, Mapping) and all(isinstance(message.get(key), str) for key in ("role", "content"))
