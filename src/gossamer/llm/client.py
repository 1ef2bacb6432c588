"""The client of any OpenAI-compatible server: OpenAI, Ollama, vLLM, llama.cpp, LM Studio and the like."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Self

from gossamer.errors import SettingsError
from gossamer.llm.base import LLM
from gossamer.llm.cache import ReplyCache, open_cache
from gossamer.llm.call import Judge
from gossamer.llm.engine import Engine
from gossamer.llm.patience import Pace
from gossamer.llm.reply import Meter, Prices
from gossamer.llm.settings import LLMSettings
from gossamer.llm.transport import Transport
from gossamer.llm.wire import PATH
from gossamer.text.tokens import make_counter
from gossamer.web import checked_url


class Client(LLM):
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
        address = checked_url(url, "url", "key_env").removesuffix(PATH)
        count = count_tokens or make_counter("approx")
        meter, kept = Meter(prices), open_cache(cache)
        judge = Judge(address, key_env=key_env, retries=retries, timeout=timeout, count=count)
        transport = Transport(address, timeout=timeout, concurrency=concurrency)
        super().__init__(
            Engine(transport, judge, Pace(rate), meter, kept, key_env), meter, kept,
            url=address, model=model, concurrency=concurrency, max_tokens=max_tokens,
            options={"temperature": temperature, "seed": seed, **(extra or {})}, count=count,
        )  # fmt: skip
        self.key_env = key_env

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

    def __repr__(self) -> str:
        return f"Client({self.url!r}, {self.model!r}, key_env={self.key_env!r})"
