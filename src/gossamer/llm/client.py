"""The client of any OpenAI-compatible server: OpenAI, Ollama, vLLM, llama.cpp, LM Studio and the like."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Self

from gossamer.errors import LLMError, SettingsError
from gossamer.llm.batch import OnReply, answer_all, answer_all_async
from gossamer.llm.cache import ReplyCache, open_cache
from gossamer.llm.call import Call, Judge
from gossamer.llm.engine import Engine
from gossamer.llm.patience import Pace
from gossamer.llm.reply import Estimate, Meter, Prices, Prompt, Reply, Spent
from gossamer.llm.settings import LLMSettings
from gossamer.llm.transport import Transport
from gossamer.llm.wire import PATH
from gossamer.text.tokens import make_counter
from gossamer.web import checked_url

Schema = Mapping[str, Any]


class Client:
    """One model of one server.

    The key is read from the environment variable `key_env` at each call, sent to `url` alone, and masked in everything
    kept or shown. `timeout` seconds a read; `retries` repeats a call on 408, 429, 5xx, a broken connection and a
    timeout, waiting as `patience.pause_after` says; `concurrency` calls of `complete_many` run at once; `rate` calls a
    minute at most. `max_tokens` bounds a reply. `cache` (a path or ReplyCache) keeps replies by the hash of what was
    asked. `prices` per million tokens sent and received give costs. `extra` goes with each request as it is, such as
    {"reasoning_effort": "low"}.

    Safe to share between threads. Raises SettingsError for impossible options, LLMError when a call fails.

    >>> client = Client("http://127.0.0.1:8080/v1", "local", "MY_KEY", concurrency=2)
    >>> client
    Client('http://127.0.0.1:8080/v1', 'local', key_env='MY_KEY')
    >>> client.estimate(["Where is Pune?", "Where is Oslo?"], max_tokens=20)
    Estimate(calls=2, cached=0, prompt_tokens=16, completion_tokens=40, cost=None)
    """

    def __init__(
        self,
        url: str,
        model: str,
        key_env: str | None = None,
        *,
        timeout: float = 120.0,
        retries: int = 8,
        concurrency: int = 4,
        rate: float | None = None,
        max_tokens: int = 1024,
        temperature: float | None = 0.0,
        seed: int | None = None,
        cache: ReplyCache | str | os.PathLike[str] | None = None,
        prices: Prices | None = None,
        count_tokens: Callable[[str], int] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        heat = 0.0 if temperature is None else float(temperature)
        checked = LLMSettings(
            url, model, key_env, float(timeout), retries, concurrency, float(rate or 0.0), max_tokens, heat,
            extra=extra or {},
        )  # fmt: skip
        if not checked.model:
            raise SettingsError("model = '' is not possible. Give the name of a model that the server has.")
        self.url = checked_url(url, "url", "key_env").removesuffix(PATH)
        self.model = model
        self.key_env = key_env
        self.cache = open_cache(cache)
        self.concurrency = concurrency
        self.max_tokens = max_tokens
        self._options = {"temperature": temperature, "seed": seed}
        self._extra = dict(extra or {})
        self._count = count_tokens or make_counter("approx")
        self._meter = Meter(prices)
        judge = Judge(self.url, key_env=key_env, retries=retries, timeout=timeout, count=self._count)
        transport = Transport(self.url, timeout=timeout, concurrency=concurrency)
        self._engine = Engine(transport, judge, Pace(rate), self._meter, self.cache, key_env)

    @classmethod
    def from_settings(cls, settings: LLMSettings, *, cache: ReplyCache | str | os.PathLike[str] | None = None) -> Self:
        """The client that settings describe; `cache` stands in where they name none.

        Raises SettingsError where no server or model is named.
        """
        if not settings.named:
            missing = "address" if not settings.url else "model"
            raise SettingsError(
                f"No {missing} of a language model is given. Pass --llm-url and --llm-model, or set GOSSAMER_LLM_URL and "
                "GOSSAMER_LLM_MODEL."
            )
        return cls(
            settings.url,
            settings.model,
            settings.key_env,
            timeout=settings.timeout,
            retries=settings.retries,
            concurrency=settings.concurrency,
            rate=settings.rate,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            cache=settings.cache or cache,
            prices=settings.prices,
            extra=settings.extra,
        )

    @property
    def spent(self) -> Spent:
        """Calls, tokens and cost so far, over all threads."""
        return self._meter.spent

    def complete(self, prompt: Prompt, *, schema: Schema | None = None, max_tokens: int | None = None) -> Reply:
        """The reply to a string or to messages; `schema` asks the server for JSON of that form.

        The server may not keep to the schema: read the text with `llm.parsing.parse_json`.
        """
        return self._engine.send(self._call(prompt, schema, max_tokens))

    async def acomplete(self, prompt: Prompt, *, schema: Schema | None = None, max_tokens: int | None = None) -> Reply:
        """The async twin of `complete`; cancelling the task closes the connection."""
        return await self._engine.asend(self._call(prompt, schema, max_tokens))

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
        return answer_all(calls, self._engine.send, concurrency=self.concurrency, on_reply=on_reply)

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
        return await answer_all_async(calls, self._engine.asend, concurrency=self.concurrency, on_reply=on_reply)

    def stream(self, prompt: Prompt, *, max_tokens: int | None = None) -> Iterator[str]:
        """The reply in pieces as they arrive; closing the iterator closes the connection, so the server stops.

        Tried again only until the first piece. Raises LLMServerError where the stream breaks off before its end.
        """
        return self._engine.stream(self._call(prompt, None, max_tokens))

    def astream(self, prompt: Prompt, *, max_tokens: int | None = None) -> AsyncIterator[str]:
        """The async twin of `stream`."""
        return self._engine.astream(self._call(prompt, None, max_tokens))

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

    def close(self) -> None:
        """Close connections and cache; a later call opens them again."""
        self._engine.transport.close()
        if self.cache is not None:
            self.cache.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop too."""
        await self._engine.transport.aclose()
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"Client({self.url!r}, {self.model!r}, key_env={self.key_env!r})"

    def _call(self, prompt: Prompt, schema: Schema | None, max_tokens: int | None) -> Call:
        options = {"max_tokens": self.max_tokens if max_tokens is None else max_tokens, **self._options}
        return Call.of(prompt, url=self.url, model=self.model, schema=schema, options=options, extra=self._extra)

    def _calls(self, prompts: Sequence[Prompt], schema: Schema | None, max_tokens: int | None) -> list[Call]:
        self._engine.key()  # a missing key is an error of the run, not of each prompt
        return [self._call(prompt, schema, max_tokens) for prompt in prompts]
