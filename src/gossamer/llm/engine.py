"""Sends calls to one server until each has a reply or an error: blocking, async, whole or in pieces."""

from __future__ import annotations

import asyncio
import copy
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from gossamer.errors import LLMError, LLMServerError
from gossamer.llm.cache import ReplyCache
from gossamer.llm.call import Call, Judge, Wait
from gossamer.llm.patience import Pace, wait
from gossamer.llm.reply import Meter, Reply
from gossamer.llm.transport import Transport
from gossamer.llm.wire import Raw, StreamReader, finished
from gossamer.web import hide, read_key

if TYPE_CHECKING:
    import httpx

OnEnd = Callable[[Reply], None]


class Engine:
    """What a client is made of: transport, judge, pace, meter, cache."""

    def __init__(
        self,
        transport: Transport,
        judge: Judge,
        pace: Pace,
        meter: Meter,
        cache: ReplyCache | None,
        key_env: str | None,
    ) -> None:
        self.transport = transport
        self.judge = judge
        self.pace = pace
        self.meter = meter
        self.cache = cache
        self._key_env = key_env

    def key(self) -> str | None:
        """The key as it is now; SettingsError where the named variable holds none."""
        return read_key(self._key_env, self.judge.url, "key_env")

    def check(self) -> None:
        """Raise SettingsError where the key is missing."""
        self.key()

    def with_cache(self, cache: ReplyCache) -> Self:
        """The same engine with a cache."""
        other = copy.copy(self)
        other.cache = cache
        return other

    def close(self) -> None:
        """Close the connections."""
        self.transport.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop too."""
        await self.transport.aclose()

    def kept(self, call: Call) -> Reply | None:
        """The reply in the cache."""
        reply = self.cache.get(call.key) if self.cache is not None else None
        return None if reply is None else self.meter.add(reply)

    def send(self, call: Call, stop: threading.Event | None = None) -> Reply:
        """The reply of a call; `stop` ends waiting between tries."""
        import httpx

        if (kept := self.kept(call)) is not None:
            return kept
        with self.meter.failures():
            for attempt in itertools.count():
                wait(self.pace.turn(), stop)
                key, body = self.key(), self.judge.dialect.body(call.request, stream=False)
                raw: Raw | Exception
                try:
                    raw = self.transport.post(body, _headers(key))
                except httpx.RequestError as problem:
                    raw = problem
                verdict = self.judge.judge(call, body, raw, attempt, key)
                if isinstance(verdict, Reply):
                    return self.keep(call, verdict)
                self._told(verdict)
                wait(verdict.seconds, stop)
                if stop is not None and stop.is_set():
                    break
        raise LLMServerError("The call was given up while it waited for its next try. Run again.")

    async def asend(self, call: Call) -> Reply:
        """The async twin of `send`."""
        import httpx

        if (kept := self.kept(call)) is not None:
            return kept
        with self.meter.failures():
            for attempt in itertools.count():
                await asyncio.sleep(self.pace.turn())
                key, body = self.key(), self.judge.dialect.body(call.request, stream=False)
                raw: Raw | Exception
                try:
                    raw = await self.transport.apost(body, _headers(key))
                except httpx.RequestError as problem:
                    raw = problem
                verdict = self.judge.judge(call, body, raw, attempt, key)
                if isinstance(verdict, Reply):
                    return self.keep(call, verdict)
                self._told(verdict)
                await asyncio.sleep(verdict.seconds)
        raise AssertionError("unreachable")

    def stream(self, call: Call, on_end: OnEnd | None = None) -> Iterator[str]:
        """The reply of a call in pieces; `on_end` gets it whole."""
        import httpx

        if (kept := self.kept(call)) is not None:
            yield kept.text
            _told_end(on_end, kept)
            return
        for attempt in itertools.count():
            wait(self.pace.turn())
            piped = Piped(self, call, self.key())
            try:
                with self.transport.stream(piped.body, _headers(piped.key)) as response:
                    if piped.accepts(response):
                        for line in self.transport.lines(response):
                            if piece := piped.feed(line):
                                yield piece
                        if rest := piped.end():
                            yield rest
                        _told_end(on_end, piped.kept)
                        return
                    piped.trouble = self.transport.read(response)
            except (httpx.RequestError, LLMServerError) as problem:
                piped.failed(problem)
            finally:
                piped.count()
            verdict = piped.verdict(attempt)
            if isinstance(verdict, Reply):
                yield verdict.text
                _told_end(on_end, verdict)
                return
            wait(verdict.seconds)

    async def astream(self, call: Call, on_end: OnEnd | None = None) -> AsyncIterator[str]:
        """The async twin of `stream`."""
        import httpx

        if (kept := self.kept(call)) is not None:
            yield kept.text
            _told_end(on_end, kept)
            return
        for attempt in itertools.count():
            await asyncio.sleep(self.pace.turn())
            piped = Piped(self, call, self.key())
            try:
                async with self.transport.astream(piped.body, _headers(piped.key)) as response:
                    if piped.accepts(response):
                        async for line in self.transport.alines(response):
                            if piece := piped.feed(line):
                                yield piece
                        if rest := piped.end():
                            yield rest
                        _told_end(on_end, piped.kept)
                        return
                    piped.trouble = await self.transport.aread(response)
            except (httpx.RequestError, LLMServerError) as problem:
                piped.failed(problem)
            finally:
                piped.count()
            verdict = piped.verdict(attempt)
            if isinstance(verdict, Reply):
                yield verdict.text
                _told_end(on_end, verdict)
                return
            await asyncio.sleep(verdict.seconds)

    def keep(self, call: Call, reply: Reply) -> Reply:
        """Count a reply and put it into the cache; nothing said and nothing whole is not worth keeping."""
        self.meter.add(reply)
        if self.cache is not None and reply.text.strip() and reply.finish != "content_filter":
            self.cache.put(call.key, reply)
        return reply

    def _told(self, verdict: Wait) -> None:
        if verdict.everyone:
            self.pace.hold(verdict.seconds)


class Piped:
    """One try of a streamed call: what has arrived, and what to do when it breaks."""

    def __init__(self, engine: Engine, call: Call, key: str | None) -> None:
        self.key = key
        self.body: dict[str, Any] = engine.judge.dialect.body(call.request, stream=True)
        self.trouble: Raw | Exception | None = None
        self._engine = engine
        self._call = call
        self._reader = StreamReader()
        self.kept: Reply | None = None

    def accepts(self, response: httpx.Response) -> bool:
        """Whether a response is an event stream; some servers answer whole, and errors are plain JSON."""
        return response.status_code == 200 and "event-stream" in response.headers.get("content-type", "")

    def feed(self, line: str) -> str:
        """The text of a line."""
        return self._reader.feed(hide(line, self.key))

    def end(self) -> str:
        """Text held back at the end of a stream. LLMServerError where the stream ended before its time."""
        rest = self._reader.flush()
        if not (self._reader.done or self._reader.finish):
            raise LLMServerError(f"{self._engine.judge.url} closed the stream before its end")
        self.kept = self._engine.keep(self._call, self._reply())
        return rest

    def failed(self, problem: Exception) -> None:
        """Take a broken stream as trouble; LLMServerError where text was handed out already."""
        if self._reader.text:
            self._engine.meter.fail()
            raise LLMServerError(
                f"{self._engine.judge.url} broke off after {len(self._reader.text)} characters "
                f"({hide(str(problem), self.key) or type(problem).__name__}). Ask again."
            ) from problem
        self.trouble = problem

    def count(self) -> None:
        """Count a stream that was not read to its end."""
        if self._reader.text and self.kept is None:
            self._engine.meter.add(self._reply())

    def verdict(self, attempt: int) -> Reply | Wait:
        """What the trouble means."""
        trouble = self.trouble if self.trouble is not None else LLMServerError("nothing was sent")
        try:
            verdict = self._engine.judge.judge(self._call, self.body, trouble, attempt, self.key)
        except LLMError:
            self._engine.meter.fail()
            raise
        return self._engine.keep(self._call, verdict) if isinstance(verdict, Reply) else verdict

    def _reply(self) -> Reply:
        reader = self._reader
        return finished(reader.text, reader.usage, reader.finish, self._engine.judge.fallback(self._call))


def _told_end(on_end: OnEnd | None, reply: Reply | None) -> None:
    if on_end is not None and reply is not None:
        on_end(reply)


def _headers(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}
