"""A plain `prompt -> text` function as a language model, with the same cache, counts and batches as a server."""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Self

from gossamer.errors import ArgumentTypeError, SettingsError
from gossamer.llm.base import LLM, OnEnd
from gossamer.llm.cache import ReplyCache, open_cache
from gossamer.llm.call import Call
from gossamer.llm.reply import Meter, Prices, Reply
from gossamer.llm.wire import without_thoughts
from gossamer.text.clean import join_surrogates
from gossamer.text.tokens import make_counter

LLMLike = LLM | Callable[[str], str]


class FunctionLLM(LLM):
    """A function behind the face of `Client`; messages reach it as one text. What it raises goes through unchanged.

    `cache` needs a `name`: replies are kept under it, so give another name when the function answers otherwise.
    `concurrency` above 1 calls it from several threads.

    >>> llm = FunctionLLM(lambda prompt: prompt.upper(), name="shout")
    >>> llm.complete("Hi").text, [reply.text for reply in llm.complete_many(["a", "b"])], llm.spent.calls
    ('HI', ['A', 'B'], 3)
    """

    def __init__(
        self,
        function: Callable[[str], str],
        *,
        name: str | None = None,
        cache: ReplyCache | str | os.PathLike[str] | None = None,
        concurrency: int = 1,
        prices: Prices | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> None:
        if cache is not None and not name:
            raise SettingsError("A cache of a function's replies needs a name for it. Give name='...' too.")
        if concurrency < 1:
            raise SettingsError(f"concurrency = {concurrency!r} is not possible. Give a whole number from 1.")
        count = count_tokens or make_counter("approx")
        meter, kept = Meter(prices), open_cache(cache)
        self._named = bool(name)
        super().__init__(
            _Function(function, meter, kept, count), meter, kept,
            url="function:", model=name or "function", concurrency=concurrency, max_tokens=1024, options={}, count=count,
        )  # fmt: skip

    def with_default_cache(self, path: str | os.PathLike[str]) -> Self:
        """This model, keeping replies in a file where it has a name and no cache yet."""
        return super().with_default_cache(path) if self._named else self

    def __repr__(self) -> str:
        return f"FunctionLLM({self.model!r})"


class _Function:
    def __init__(
        self, function: Callable[[str], str], meter: Meter, cache: ReplyCache | None, count: Callable[[str], int]
    ) -> None:
        self._function = function
        self._meter = meter
        self._cache = cache
        self._count = count

    def check(self) -> None:
        """A function can always be called."""

    def send(self, call: Call, stop: Any = None) -> Reply:
        kept = self._cache.get(call.key) if self._cache is not None else None
        if kept is not None:
            return self._meter.add(kept)
        prompt = "\n\n".join(message["content"] for message in call.request["messages"])
        said = self._function(prompt)
        if not isinstance(said, str):
            raise ArgumentTypeError(
                f"llm returned a {type(said).__name__}. Pass a callable that returns the answer's text."
            )
        text = without_thoughts(join_surrogates(said))
        reply = Reply(text, self._count(prompt), self._count(text), counted=False)
        if self._cache is not None and text.strip():
            self._cache.put(call.key, reply)
        return self._meter.add(reply)

    async def asend(self, call: Call) -> Reply:
        return await asyncio.to_thread(self.send, call)

    def stream(self, call: Call, on_end: OnEnd | None = None) -> Iterator[str]:
        reply = self.send(call)
        yield reply.text
        if on_end is not None:
            on_end(reply)

    async def astream(self, call: Call, on_end: OnEnd | None = None) -> AsyncIterator[str]:
        reply = await self.asend(call)
        yield reply.text
        if on_end is not None:
            on_end(reply)

    def with_cache(self, cache: ReplyCache) -> Self:
        other = copy.copy(self)
        other._cache = cache
        return other

    def close(self) -> None:
        """Nothing is open."""

    async def aclose(self) -> None:
        """Nothing is open."""


def as_llm(llm: object) -> LLM:
    """A Client as it is, a plain function as FunctionLLM; ArgumentTypeError for anything else."""
    if isinstance(llm, LLM):
        return llm
    if not callable(llm):
        raise ArgumentTypeError(
            "llm is not callable. Pass a function that takes a prompt and returns text, or a gossamer.llm.client.Client."
        )
    return FunctionLLM(llm)
