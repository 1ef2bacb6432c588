"""What every language model offers here, whether a server or a function stands behind it."""

from __future__ import annotations

import copy
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self

from gossamer.errors import LLMError
from gossamer.llm.batch import OnReply, answer_all, answer_all_async
from gossamer.llm.cache import ReplyCache
from gossamer.llm.call import Call
from gossamer.llm.reply import Estimate, Meter, Prompt, Reply, Spent

Schema = Mapping[str, Any]
OnEnd = Callable[[Reply], None]


class Backend(Protocol):
    """What answers calls."""

    def check(self) -> None:
        """Raise SettingsError where no call can be made."""

    def send(self, call: Call, stop: Any = None) -> Reply:
        """The reply of a call."""

    async def asend(self, call: Call) -> Reply:
        """The async twin of `send`."""

    def stream(self, call: Call, on_end: OnEnd | None = None) -> Iterator[str]:
        """The reply in pieces."""

    def astream(self, call: Call, on_end: OnEnd | None = None) -> AsyncIterator[str]:
        """The async twin of `stream`."""

    def with_cache(self, cache: ReplyCache) -> Self:
        """The same backend with a cache."""

    def close(self) -> None:
        """Close what is open."""

    async def aclose(self) -> None:
        """The async twin of `close`."""


class LLM:
    """A language model: prompts in, replies out, everything counted. See `Client` and `FunctionLLM`."""

    def __init__(
        self,
        backend: Backend,
        meter: Meter,
        cache: ReplyCache | None,
        *,
        url: str,
        model: str,
        concurrency: int,
        max_tokens: int,
        options: Mapping[str, Any],
        count: Callable[[str], int],
    ) -> None:
        self.url = url
        self.model = model
        self.concurrency = concurrency
        self.max_tokens = max_tokens
        self.cache = cache
        self._backend = backend
        self._meter = meter
        self._options = dict(options)
        self._count = count

    @property
    def spent(self) -> Spent:
        """Calls, tokens and cost so far, over all threads."""
        return self._meter.spent

    def complete(self, prompt: Prompt, *, schema: Schema | None = None, max_tokens: int | None = None) -> Reply:
        """The reply to a string or to messages; `schema` asks the server for JSON of that form.

        The server may not keep to the schema: read the text with `llm.parsing.parse_json`.
        """
        return self._backend.send(self._call(prompt, schema, max_tokens))

    async def acomplete(self, prompt: Prompt, *, schema: Schema | None = None, max_tokens: int | None = None) -> Reply:
        """The async twin of `complete`; cancelling the task closes the connection."""
        return await self._backend.asend(self._call(prompt, schema, max_tokens))

    def complete_many(
        self,
        prompts: Sequence[Prompt],
        on_reply: OnReply | None = None,
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
    ) -> list[Reply | LLMError]:
        """Replies in the order of the prompts, an LLMError in the place of each that failed; equal prompts are asked once.

        `on_reply(number, reply or error)` is called in the caller's thread as replies arrive. Calls stop, and the rest
        fails with the same error, when the server refuses the key or model, or when call after call gets no reply.
        """
        calls = self._calls(prompts, schema, max_tokens)
        return answer_all(calls, self._backend.send, concurrency=self.concurrency, on_reply=on_reply)

    async def acomplete_many(
        self,
        prompts: Sequence[Prompt],
        on_reply: OnReply | None = None,
        *,
        schema: Schema | None = None,
        max_tokens: int | None = None,
    ) -> list[Reply | LLMError]:
        """The async twin of `complete_many`."""
        calls = self._calls(prompts, schema, max_tokens)
        return await answer_all_async(calls, self._backend.asend, concurrency=self.concurrency, on_reply=on_reply)

    def stream(self, prompt: Prompt, *, max_tokens: int | None = None, on_end: OnEnd | None = None) -> Iterator[str]:
        """The reply in pieces as they arrive; closing the iterator closes the connection, so the server stops.

        `on_end(reply)` gets the whole reply with its counts when the last piece was taken.
        Tried again only until the first piece. Raises LLMServerError where the stream breaks off before its end.
        """
        return self._backend.stream(self._call(prompt, None, max_tokens), on_end)

    def astream(
        self, prompt: Prompt, *, max_tokens: int | None = None, on_end: OnEnd | None = None
    ) -> AsyncIterator[str]:
        """The async twin of `stream`."""
        return self._backend.astream(self._call(prompt, None, max_tokens), on_end)

    def estimate(
        self, prompts: Sequence[Prompt], *, schema: Schema | None = None, max_tokens: int | None = None
    ) -> Estimate:
        """What `complete_many` of the same arguments would cost at most; nothing is sent."""
        calls = {call.key: call for call in (self._call(prompt, schema, max_tokens) for prompt in prompts)}
        cached = {key for key in calls if self.cache is not None and self.cache.get(key) is not None}
        left = [call for key, call in calls.items() if key not in cached]
        sent = sum(call.prompt_tokens(self._count) for call in left)
        received = sum(int(call.request["max_tokens"]) for call in left)
        return Estimate(len(left), len(cached), sent, received, self._meter.cost(sent, received))

    def as_function(self, *, max_tokens: int | None = None) -> Callable[[str], str]:
        """A plain `prompt -> text` function of this client."""
        return lambda prompt: self.complete(prompt, max_tokens=max_tokens).text

    def with_default_cache(self, path: str | os.PathLike[str]) -> Self:
        """This model, keeping replies in a file where it has no cache yet; connections and counts are shared."""
        if self.cache is not None:
            return self
        other = copy.copy(self)
        other.cache = ReplyCache(path)
        other._backend = self._backend.with_cache(other.cache)
        return other

    def close(self) -> None:
        """Close connections and cache; a later call opens them again."""
        self._backend.close()
        if self.cache is not None:
            self.cache.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop too."""
        await self._backend.aclose()
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _call(self, prompt: Prompt, schema: Schema | None, max_tokens: int | None) -> Call:
        options = {"max_tokens": self.max_tokens if max_tokens is None else max_tokens, **self._options}
        return Call.of(prompt, url=self.url, model=self.model, schema=schema, options=options)

    def _calls(self, prompts: Sequence[Prompt], schema: Schema | None, max_tokens: int | None) -> list[Call]:
        self._backend.check()  # a missing key is an error of the run, not of each prompt
        return [self._call(prompt, schema, max_tokens) for prompt in prompts]
