from __future__ import annotations

import asyncio
import itertools
import json
import logging
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import chat_server
from chat_server import MODEL, ChatServer, answers, cut, hang, says, status
from gossamer.errors import (
    ArgumentTypeError,
    LLMError,
    LLMOutputError,
    LLMRefusedError,
    LLMServerError,
    SettingsError,
)
from gossamer.llm import patience
from gossamer.llm.client import Client
from gossamer.llm.reply import Reply

KEY = "sk-very-secret-0123456789"


def client(chat: ChatServer, **options: Any) -> Client:
    return Client(chat.address, MODEL, **{"timeout": 5.0, "retries": 3, **options})


def test_a_reply_with_its_counts(chat: ChatServer) -> None:
    with client(chat, max_tokens=50) as llm:
        assert llm.complete("Where is Pune?") == Reply("You said: Where is Pune?", 3, 5)
    path, body, _ = chat.requests[0]
    assert path == "/v1/chat/completions"
    assert body == {
        "model": MODEL,
        "messages": [{"role": "user", "content": "Where is Pune?"}],
        "max_tokens": 50,
        "temperature": 0.0,
    }


def test_messages_schema_and_extra_go_to_the_server(chat: ChatServer) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Žižkov 🙂"}]
    with client(chat, extra={"top_p": 0.5}, seed=7, temperature=None) as llm:
        assert llm.complete(messages, schema={"type": "object"}, max_tokens=9).text == "You said: Žižkov 🙂"
    body = chat.requests[0][1]
    assert body["messages"] == messages
    assert (body["top_p"], body["seed"], body["max_tokens"]) == (0.5, 7, 9)
    assert "temperature" not in body
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_a_reply_at_its_limit_says_so(chat: ChatServer) -> None:
    chat.answer = lambda prompt: "one two three four"
    with client(chat) as llm:
        assert llm.complete("Count.", max_tokens=2).cut
        assert not llm.complete("Count.", max_tokens=9).cut


@pytest.mark.parametrize("prompt", ["", 7, [], [{"role": "user"}], [{"role": "user", "content": 3}], None])
def test_a_prompt_is_text_or_messages(chat: ChatServer, prompt: Any) -> None:
    with client(chat) as llm:
        if prompt == "":
            assert llm.complete(prompt).text == "You said: "
            return
        with pytest.raises(ArgumentTypeError, match="neither a string nor a list of messages"):
            llm.complete(prompt)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 0.0}, "llm.timeout"),
        ({"retries": -1}, "llm.retries"),
        ({"concurrency": 0}, "llm.concurrency"),
        ({"rate": -3.0}, "llm.rate"),
        ({"max_tokens": 0}, "llm.max_tokens"),
        ({"temperature": 9.0}, "llm.temperature"),
        ({"prices": (1.0,)}, "prices"),
        ({"prices": (1.0, -1.0)}, "prices"),
        ({"extra": {"messages": []}}, "llm.extra"),
    ],
)
def test_impossible_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Client("http://127.0.0.1:1/v1", MODEL, **options)


@pytest.mark.parametrize("url", ["", "localhost:80", "ftp://a/v1", "http://me:secret@a/v1", "http://a/v1?key=secret"])
def test_an_address_that_cannot_be_used(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Client(url, MODEL)
    assert "secret" not in str(caught.value)


def test_the_whole_path_is_taken_as_address_too(chat: ChatServer) -> None:
    with Client(f"{chat.address}/chat/completions", MODEL) as llm:
        assert llm.complete("Hello").text == "You said: Hello"


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 529])
def test_passing_trouble_is_tried_again(chat: ChatServer, code: int) -> None:
    chat.script.extend([status(code), status(code)])
    with client(chat) as llm:
        assert llm.complete("Hello").text == "You said: Hello"
        assert (llm.spent.calls, llm.spent.failed) == (1, 0)
    assert len(chat.requests) == 3


@pytest.mark.parametrize("trouble", [cut, answers(b"<html>proxy</html>"), answers({"choices": []}), answers([1])])
def test_a_broken_answer_is_tried_again(chat: ChatServer, trouble: chat_server.Misbehaviour) -> None:
    chat.script.append(trouble)
    with client(chat) as llm:
        assert llm.complete("Hello").text == "You said: Hello"


def test_a_silent_server_is_tried_again(chat: ChatServer) -> None:
    chat.script.append(hang)
    with client(chat, timeout=0.2) as llm:
        assert llm.complete("Hello").text == "You said: Hello"


def test_a_server_that_trickles_is_not_waited_for_for_ever(chat: ChatServer) -> None:
    def trickle(server: ChatServer, handler: Any, body: dict[str, Any]) -> None:
        chat_server.stream(server, handler, body, "word " * 60, pause=0.02)

    chat.always = trickle
    with client(chat, timeout=0.05, retries=0) as llm, pytest.raises(LLMServerError, match=r"after 0\.5 seconds"):
        list(llm.stream("Hello"))


def test_lasting_trouble_ends_in_a_clear_error(chat: ChatServer) -> None:
    chat.always = status(503, "loading model")
    with client(chat) as llm:
        with pytest.raises(LLMServerError, match=r"failed 4 times, last with status 503: loading model\. Check"):
            llm.complete("Hello")
        assert (llm.spent.calls, llm.spent.failed) == (0, 1)


def test_nonsense_ends_in_a_clear_error_after_three_tries(chat: ChatServer) -> None:
    chat.always = answers(b"<html>proxy</html>")
    with client(chat, retries=8) as llm, pytest.raises(LLMOutputError, match="no chat completion: <html>proxy"):
        llm.complete("Hello")
    assert len(chat.requests) == 3


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.001)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with Client(address, MODEL, retries=2) as llm, pytest.raises(LLMServerError, match=r"failed 3 times.*ConnectError"):
        llm.complete("Hello")


@pytest.mark.parametrize(
    ("code", "message", "advice"),
    [
        (400, "bad request", "parameters"),
        (401, "no", "variable that key_env names"),
        (403, "no", "variable that key_env names"),
        (402, "pay", "no credit left"),
        (404, "no such model", "ends in /v1"),
        (400, "maximum context length is 2048", "smaller budget"),
        (413, "large", "smaller budget"),
        (307, "moved", "address that it leads to"),
        (501, "not implemented", "parameters"),
    ],
)
def test_a_refusal_is_not_tried_again(chat: ChatServer, code: int, message: str, advice: str) -> None:
    chat.always = status(code, message)
    with client(chat) as llm, pytest.raises(LLMRefusedError, match=f"status {code}: {message}.*{advice}") as caught:
        llm.complete("Hello")
    assert caught.value.status == code
    assert len(chat.requests) == 1


def test_a_used_up_quota_is_no_passing_trouble(chat: ChatServer) -> None:
    chat.always = status(429, b'{"error": {"message": "Quota exceeded", "code": "insufficient_quota"}}')
    with client(chat) as llm, pytest.raises(LLMRefusedError, match="no credit left"):
        llm.complete("Hello")
    assert len(chat.requests) == 1


def test_parameters_that_a_server_does_not_take_are_left_out_or_renamed(chat: ChatServer) -> None:
    chat.refused = {"max_tokens", "temperature", "response_format", "seed"}
    with client(chat, retries=8, seed=1) as llm:
        assert llm.complete("Hello", schema={"type": "object"}, max_tokens=7).text == "You said: Hello"
        first = len(chat.requests)
        assert llm.complete("Again", schema={"type": "object"}, max_tokens=7).text == "You said: Again"
    assert len(chat.requests) == first + 1
    assert set(chat.requests[-1][1]) == {"model", "messages", "max_completion_tokens"}


def test_a_wrong_value_of_a_limit_is_reported_not_dropped(chat: ChatServer) -> None:
    chat.always = status(400, "max_tokens is too large: 99999")
    with client(chat) as llm, pytest.raises(LLMRefusedError, match="max_tokens is too large"):
        llm.complete("Hello")
    assert len(chat.requests) == 1


@pytest.mark.parametrize(
    "counts",
    [None, {}, [], {"prompt_tokens": -5, "completion_tokens": 2}, {"prompt_tokens": "9", "completion_tokens": 1},
     {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": 10**30, "completion_tokens": 1},
     {"prompt_tokens": True, "completion_tokens": True}],
)  # fmt: skip
def test_wrong_counts_are_replaced_by_estimates(chat: ChatServer, counts: Any) -> None:
    chat.script.append(says("Pune lies in India.", usage=counts))
    with client(chat) as llm:
        reply = llm.complete("Where is Pune?")
    assert not reply.counted
    assert (reply.prompt_tokens, reply.completion_tokens) == (8, 5)


def test_empty_and_odd_content(chat: ChatServer, tmp_path: Path) -> None:
    parts = {
        "message": {"role": "assistant", "content": [{"type": "text", "text": "In "}, {"type": "text", "text": "Pune"}]}
    }
    lone = json.dumps({"choices": [{"message": {"content": "lone \ud83d half"}}]}).encode()
    thought = "<think>\nIt may be {1}.\n</think>\n\nIn Pune."
    chat.script.extend([says(None), says(""), answers({"choices": [parts]}), says(thought), answers(lone)])
    with client(chat, cache=tmp_path / "c.sqlite") as llm:
        texts = [llm.complete(f"Question {number}").text for number in range(5)]
        assert texts == ["", "", "In Pune", "In Pune.", "lone \ufffd half"]
        # What says nothing is asked again.
        assert llm.complete("Question 0").text == "You said: Question 0"
        assert llm.complete("Question 4").cached


def test_the_key_is_sent_and_masked_everywhere(
    chat: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    chat.key = KEY
    with client(chat, key_env="MY_KEY", cache=tmp_path / "c.sqlite") as llm:
        chat.script.append(says(f"Your key is {KEY}."))
        assert llm.complete("What is my key?").text == "Your key is ***."
        assert chat.requests[0][2]["authorization"] == f"Bearer {KEY}"
        chat.script.append(says(f"Again: {KEY} ."))
        assert "".join(llm.stream("And now?")) == "Again: *** ."
        chat.key = "another"
        with pytest.raises(LLMRefusedError) as caught:
            llm.complete("Hello")
        assert KEY not in repr(llm)
    assert "provided: Bearer ***" in str(caught.value)
    assert "environment variable MY_KEY" in str(caught.value)
    assert KEY not in caplog.text
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes()


def test_the_key_is_read_at_each_call(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with client(chat, key_env="MY_KEY") as llm:
        for act in (lambda: llm.complete("Hi"), lambda: llm.complete_many(["Hi"]), lambda: next(llm.stream("Hi"))):
            with pytest.raises(SettingsError, match=r"MY_KEY holds no key.*key_env"):
                act()
        chat.key = "first-key"
        monkeypatch.setenv("MY_KEY", "first-key")
        assert llm.complete("Hi").text
        chat.key = "second-key"
        monkeypatch.setenv("MY_KEY", "second-key")
        assert llm.complete("Hi").text


def test_many_in_order_bounded_and_equal_ones_once(chat: ChatServer) -> None:
    three = threading.Barrier(3)

    def together(server: ChatServer, handler: Any, body: dict[str, Any]) -> None:
        three.wait(5)
        server.behave(handler, body)

    chat.always = together
    prompts = [f"Question {number % 9}" for number in range(12)]
    seen: list[int] = []
    with client(chat, concurrency=3) as llm:
        found = llm.complete_many(prompts, lambda number, outcome: seen.append(number))
    assert [reply.text for reply in found if isinstance(reply, Reply)] == [f"You said: {prompt}" for prompt in prompts]
    assert sorted(seen) == list(range(12))
    assert (len(chat.requests), chat.peak) == (9, 3)


def test_many_with_one_that_fails(chat: ChatServer) -> None:
    def act(server: ChatServer, handler: Any, body: dict[str, Any]) -> None:
        if "bad" in body["messages"][-1]["content"]:
            chat_server.send(handler, 400, {"error": {"message": "cannot"}})
        else:
            server.behave(handler, body)

    chat.always = act
    with client(chat) as llm:
        found = llm.complete_many(["good", "bad", "fine"])
        assert [type(outcome) for outcome in found] == [Reply, LLMRefusedError, Reply]
        assert (llm.spent.calls, llm.spent.failed) == (2, 1)


@pytest.mark.parametrize("code", [401, 404])
def test_a_refused_key_is_not_asked_a_thousand_times(chat: ChatServer, code: int) -> None:
    chat.always = status(code)
    with client(chat, concurrency=2) as llm:
        found = llm.complete_many([f"Question {number}" for number in range(1000)])
    assert all(isinstance(outcome, LLMRefusedError) for outcome in found)
    assert len(chat.requests) <= 4


def test_a_dead_server_is_not_waited_for_a_thousand_times(chat: ChatServer) -> None:
    chat.always = status(503)
    with client(chat, concurrency=2, retries=1) as llm:
        found = llm.complete_many([f"Question {number}" for number in range(1000)])
    assert all(isinstance(outcome, LLMServerError) for outcome in found)
    assert len(chat.requests) <= 10


def test_a_server_that_is_down_for_a_while_costs_only_time(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    # The clock runs 200 times faster: the minute is .3 s.
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.5 / 200)
    monkeypatch.setattr(patience, "LONGEST_PAUSE", 30 / 200)
    back = time.monotonic() + 60 / 200

    def down(server: ChatServer, handler: Any, body: dict[str, Any]) -> None:
        if time.monotonic() < back:
            chat_server.send(handler, 503, {"error": {"message": "restarting"}})
        else:
            server.behave(handler, body)

    chat.always = down
    with Client(chat.address, MODEL) as llm:
        found = llm.complete_many([f"Question {number}" for number in range(40)])
        assert all(isinstance(outcome, Reply) for outcome in found)
        assert (llm.spent.calls, llm.spent.failed) == (40, 0)


def test_the_pauses_of_eight_retries_outlast_a_minute() -> None:
    shortest = sum(min(30.0, 0.5 * 2**attempt) * 0.75 for attempt in range(8))
    assert shortest > 60
    for attempt, asked in itertools.product(range(8), (None, 7.0)):
        pause = patience.pause_after(attempt, asked)
        step = min(30.0, 0.5 * 2**attempt)
        assert pause == 7.0 if asked else 0.75 * step <= pause <= step


def test_retry_after_is_honoured_by_all(chat: ChatServer) -> None:
    chat.script.append(status(429, Retry_After="0.3"))
    began = time.monotonic()
    with client(chat, concurrency=1) as llm:
        llm.complete_many(["one", "two"])
    assert time.monotonic() - began >= 0.3


def test_a_long_wait_is_not_sat_out(chat: ChatServer) -> None:
    chat.always = status(429, Retry_After="3600")
    with client(chat) as llm, pytest.raises(LLMServerError, match="asks to wait 3600 seconds"):
        llm.complete("Hello")


def test_a_rate_spaces_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(patience.time, "monotonic", lambda: now[0])
    pace = patience.Pace(30)
    assert [pace.turn() for _ in range(3)] == [0.0, 2.0, 4.0]
    now[0] += 100
    assert pace.turn() == 0.0
    pace.hold(9.0)
    assert pace.turn() == 9.0


def test_spending_and_estimates(chat: ChatServer, tmp_path: Path) -> None:
    with client(chat, prices=(2.0, 10.0), cache=tmp_path / "c.sqlite") as llm:
        prompts = ["Where is Pune?", "Where is Oslo?", "Where is Pune?"]
        before = llm.estimate(prompts, max_tokens=100)
        assert (before.calls, before.cached, before.completion_tokens) == (2, 0, 200)
        assert before.cost == pytest.approx((before.prompt_tokens * 2 + 200 * 10) / 1e6)
        assert not chat.requests
        llm.complete_many(prompts, max_tokens=100)
        assert (llm.spent.calls, llm.spent.prompt_tokens, llm.spent.completion_tokens) == (2, 6, 10)
        assert llm.spent.cost == pytest.approx((6 * 2 + 10 * 10) / 1e6)
        after = llm.estimate(prompts, max_tokens=100)
        assert (after.calls, after.cached, after.cost) == (0, 2, 0.0)
        llm.complete_many(prompts, max_tokens=100)
        assert (llm.spent.calls, llm.spent.cached) == (2, 2)


def test_a_stream(chat: ChatServer, tmp_path: Path) -> None:
    chat.answer = lambda prompt: "In Pune 🙂 — Žižkov"
    with client(chat, cache=tmp_path / "c.sqlite") as llm:
        parts = list(llm.stream("Where?"))
        assert len(parts) > 2
        assert "".join(parts) == "In Pune 🙂 — Žižkov"
        assert (llm.spent.calls, llm.spent.prompt_tokens, llm.spent.completion_tokens) == (1, 1, 5)
        assert list(llm.stream("Where?")) == ["In Pune 🙂 — Žižkov"]
        assert llm.complete("Where?").cached
    assert len(chat.requests) == 1


def test_a_stream_without_its_reasoning(chat: ChatServer) -> None:
    chat.answer = lambda prompt: "<think> It may be {1}. </think> In Pune."
    with client(chat) as llm:
        assert "".join(llm.stream("Where?")) == "In Pune."
        chat.answer = lambda prompt: "<think> never closed"
        assert "".join(llm.stream("Where?")) == ""
        chat.answer = lambda prompt: "<thin"
        assert "".join(llm.stream("Where?")) == "<thin"


def test_a_stream_is_tried_again_before_its_first_piece_only(chat: ChatServer) -> None:
    chat.script.extend([status(503), status(500)])
    with client(chat) as llm:
        assert "".join(llm.stream("Where?")) == "You said: Where?"
        chat.script.append(cut)
        taken: list[str] = []
        with pytest.raises(LLMServerError, match="broke off after 13 characters"):
            taken.extend(llm.stream("Where?"))
        assert "".join(taken) == "One two three"
        assert (llm.spent.calls, llm.spent.failed) == (2, 1)
    assert len(chat.requests) == 4


@pytest.mark.parametrize(
    ("last", "message"), [({"error": {"message": "out of memory"}}, "out of memory"), ("{not json", "not JSON")]
)
def test_trouble_within_a_stream(chat: ChatServer, last: Any, message: str) -> None:
    chat.always = lambda server, handler, body: chat_server.stream(server, handler, body, "One", finish=None, last=last)
    with client(chat) as llm, pytest.raises(LLMServerError, match=message):
        list(llm.stream("Where?"))


def test_a_server_that_cannot_stream(chat: ChatServer) -> None:
    chat.refused = {"stream_options"}
    with client(chat) as llm:
        assert "".join(llm.stream("Where?")) == "You said: Where?"
        chat.script.append(lambda server, handler, body: server.behave(handler, {**body, "stream": False}))
        assert list(llm.stream("Where?")) == ["You said: Where?"]


def test_closing_a_stream_stops_the_server(chat: ChatServer) -> None:
    long = "word " * 5000
    chat.always = lambda server, handler, body: chat_server.stream(server, handler, body, long, pause=0.002)
    with client(chat) as llm:
        stream = llm.stream("Go on")
        next(stream)
        stream.close()  # type: ignore[attr-defined]
        assert chat.gone.wait(5)
        assert llm.spent.calls == 1


def test_async_twins(chat: ChatServer) -> None:
    chat.script.append(status(503))

    async def run() -> tuple[Reply, str, list[Reply | LLMError]]:
        async with client(chat, concurrency=2) as llm:
            one = await llm.acomplete("One")
            text = "".join([piece async for piece in llm.astream("Two")])
            return one, text, await llm.acomplete_many(["a", "b", "a", "c"])

    one, text, many = asyncio.run(run())
    assert (one.text, text) == ("You said: One", "You said: Two")
    assert [reply.text for reply in many if isinstance(reply, Reply)] == [f"You said: {name}" for name in "abac"]
    assert chat.peak <= 2
    assert len(chat.requests) == 6


def test_cancelling_a_task_ends_its_call(chat: ChatServer) -> None:
    chat.always = hang

    async def run() -> None:
        async with client(chat) as llm:
            task = asyncio.create_task(llm.acomplete("Hello"))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    began = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - began < 4


def test_an_async_client_lives_through_two_loops(chat: ChatServer) -> None:
    llm = client(chat)

    async def run() -> str:
        async with llm:
            return (await llm.acomplete("Hello")).text

    assert asyncio.run(run()) == asyncio.run(run()) == "You said: Hello"


def test_as_function(chat: ChatServer) -> None:
    with client(chat) as llm:
        assert llm.as_function(max_tokens=2)("Hello there you") == "You said:"


def test_threads_share_a_client(chat: ChatServer, tmp_path: Path) -> None:
    with client(chat, cache=tmp_path / "c.sqlite") as llm:
        found: list[str] = []
        work = [threading.Thread(target=lambda n=n: found.append(llm.complete(f"{n}").text)) for n in range(16)]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        assert sorted(found) == sorted(f"You said: {n}" for n in range(16))
        assert llm.spent.calls == 16


def test_a_reply_too_large_for_sense(chat: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.llm.transport.LARGEST_REPLY", 1000)
    chat.always = says("x" * 5000)
    with client(chat, retries=1) as llm, pytest.raises(LLMServerError, match="for one reply"):
        llm.complete("Hello")


def test_deep_json_does_not_break_the_reader(chat: ChatServer) -> None:
    chat.always = answers(b"[" * 100_000)
    with client(chat) as llm, pytest.raises(LLMOutputError, match="no chat completion"):
        llm.complete("Hello")


def test_cache_files_hold_no_prompt(chat: ChatServer, tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with client(chat, cache=path) as llm:
        chat.script.append(says("yes"))
        llm.complete("A private question")
    assert b"private question" not in path.read_bytes()
    assert json.dumps(chat.prompts) == '["A private question"]'
