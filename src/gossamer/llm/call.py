"""One question to a server as a matter of judgement: what was asked, and what each response means. No network here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gossamer.errors import LLMError, LLMOutputError, LLMServerError
from gossamer.llm.cache import request_key
from gossamer.llm.patience import LONGEST_WAIT, pause_after
from gossamer.llm.reply import Prompt, Reply, as_messages
from gossamer.llm.wire import Dialect, Raw, error_of, is_passing, last_try, read_reply, refusal, response_format
from gossamer.web import hide, retry_after, shorten

Count = Callable[[str], int]
# What a message costs beside its text: role and separators.
_MESSAGE_TOKENS = 4


@dataclass(frozen=True, slots=True)
class Call:
    """A request in plain form and the hash under which its reply is kept."""

    request: Mapping[str, Any]
    key: str

    @classmethod
    def of(
        cls,
        prompt: Prompt,
        *,
        url: str,
        model: str,
        schema: Mapping[str, Any] | None,
        options: Mapping[str, Any],
    ) -> Call:
        """The call of a prompt; `options` that are None are not sent."""
        request: dict[str, Any] = {"model": model, "messages": as_messages(prompt)}
        request |= {name: value for name, value in options.items() if value is not None}
        if schema is not None:
            request["response_format"] = response_format(schema)
        return cls(request, request_key({"url": url, **request}))

    def prompt_tokens(self, count: Count) -> int:
        """Tokens of the messages by an offline count."""
        return sum(count(message["content"]) + _MESSAGE_TOKENS for message in self.request["messages"])


@dataclass(frozen=True, slots=True)
class Wait:
    """Try again after so many seconds; `everyone` where the server asked all callers to wait."""

    seconds: float
    everyone: bool = False


class Judge:
    """Decides what a response means for one server: a reply, another try, or an error."""

    def __init__(self, url: str, *, key_env: str | None, retries: int, timeout: float, count: Count) -> None:
        self.url = url
        self.dialect = Dialect()
        self._key_env = key_env
        self._retries = retries
        self._timeout = timeout
        self._count = count

    def judge(
        self, call: Call, sent: Mapping[str, Any], raw: Raw | Exception, attempt: int, key: str | None
    ) -> Reply | Wait:
        """The reply of a response to try `attempt` (from 0), or how long to wait before the next.

        `sent` is the body as it was sent; `key` is cut out of everything that is kept or shown. Raises LLMRefusedError,
        LLMServerError after the last try, LLMOutputError for a last reply that is no chat completion.
        """
        if isinstance(raw, Exception):
            return self._wait(
                attempt, LLMServerError(self._broken(f"{type(raw).__name__}: {hide(str(raw), key)}", attempt))
            )
        raw = Raw(raw.status, raw.headers, hide(raw.body, key))
        if 200 <= raw.status < 300:
            return self._read(call, raw, attempt)
        if self.dialect.learn(raw, sent):
            return Wait(0.0)
        shown = shorten(error_of(raw.body)[0]) or "no message"
        if not is_passing(raw):
            raise refusal(raw, self.url, self._key_env, shown)
        asked = retry_after(raw.headers.get("retry-after"))
        if asked is not None and asked > LONGEST_WAIT:
            raise LLMServerError(
                f"{self.url} asks to wait {asked:.0f} seconds (status {raw.status}: {shown}). Try again after that time."
            )
        return self._wait(attempt, LLMServerError(self._broken(f"status {raw.status}: {shown}", attempt)), asked)

    def fallback(self, call: Call) -> Callable[[str], tuple[int, int]]:
        """Token counts by estimate, for servers that give none."""
        return lambda text: (call.prompt_tokens(self._count), self._count(text))

    def _read(self, call: Call, raw: Raw, attempt: int) -> Reply | Wait:
        try:
            return read_reply(raw, self.url, self.fallback(call))
        except LLMOutputError as problem:
            return self._wait(attempt, problem)

    def _wait(self, attempt: int, failure: LLMError, asked: float | None = None) -> Wait:
        if last_try(attempt, self._retries, failure):
            raise failure
        return Wait(pause_after(attempt, asked), everyone=asked is not None)

    def _broken(self, failure: str, attempt: int) -> str:
        times = "once" if attempt == 0 else f"{attempt + 1} times"
        return (
            f"{self.url} failed {times}, last with {failure}. Check that the server runs and that the address is right; "
            f"a slow server may need more than timeout = {self._timeout:g} seconds."
        )
