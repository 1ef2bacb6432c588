from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from chat_server import MODEL, ChatServer, slow
from gossamer.errors import LLMCacheError
from gossamer.llm.cache import ReplyCache, request_key
from gossamer.llm.client import Client
from gossamer.llm.reply import Reply

REPLY = Reply("In Pune.", 9, 3)


def test_a_reply_comes_back_as_cached(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies.sqlite"
    with ReplyCache(path) as cache:
        assert cache.get("k") is None
        cache.put("k", REPLY)
        cache.put("k", Reply("Žižkov 🙂", 1, 2, finish="length", counted=False))
    with ReplyCache(path) as cache:
        assert cache.get("k") == Reply("Žižkov 🙂", 1, 2, cached=True, finish="length", counted=False)
        assert len(cache) == 1


def test_what_makes_another_question(tmp_path: Path) -> None:
    def key(
        url: str = "http://127.0.0.1:1/v1", model: str = MODEL, temperature: float = 0.0, prompt: str = "Hi"
    ) -> str:
        client = Client(url, model, temperature=temperature)
        return client._call(prompt, None, None).key

    keys = [key(), key(url="http://127.0.0.1:2/v1"), key(model="other"), key(temperature=0.5), key(prompt="Ho")]
    assert len(set(keys)) == 5
    assert key() == key()
    assert request_key({"a": "ž"}) == request_key({"a": "\u017e"})


def test_a_file_that_is_no_cache(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_bytes(b"something else entirely, and long enough to be read as a page" * 100)
    with pytest.raises(LLMCacheError, match=r"replies\.sqlite cannot be used .* Delete the file"):
        ReplyCache(path).get("k")
    with pytest.raises(LLMCacheError):
        ReplyCache(tmp_path).get("k")
    with pytest.raises(LLMCacheError, match="cannot be made"):
        ReplyCache(path / "below" / "c.sqlite").get("k")


def test_threads_and_processes_share_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with ReplyCache(path) as one, ReplyCache(path) as two:

        def fill(cache: ReplyCache, name: str) -> None:
            for number in range(50):
                cache.put(f"{name}{number}", REPLY)

        work = [threading.Thread(target=fill, args=pair) for pair in ((one, "a"), (one, "b"), (two, "c"))]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        assert len(one) == len(two) == 150


_RUN = """
import sys
from gossamer.llm.client import Client
with Client(sys.argv[1], "test-model", cache=sys.argv[2], concurrency=4) as llm:
    llm.complete_many([f"Question {n}" for n in range(100)], lambda n, r: print(n, flush=True))
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_run_loses_at_most_the_calls_in_flight(chat: ChatServer, tmp_path: Path) -> None:
    cache = tmp_path / "replies.sqlite"
    run = subprocess.Popen([sys.executable, "-c", _RUN, chat.address, str(cache)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    with run.stdout:
        told = [run.stdout.readline() for _ in range(20)]
        run.send_signal(signal.SIGKILL)
        told += run.stdout.readlines()
    run.wait()
    time.sleep(0.1)
    asked = len(chat.requests)
    assert asked < 100
    with ReplyCache(cache) as kept:
        assert len(kept) >= len(told)
        assert asked - len(kept) <= 4
    with Client(chat.address, MODEL, cache=cache, concurrency=4) as llm:
        found = llm.complete_many([f"Question {n}" for n in range(100)])
    assert [reply.text for reply in found if isinstance(reply, Reply)] == [
        f"You said: Question {n}" for n in range(100)
    ]
    assert len(chat.requests) <= 100 + 4


def test_an_interrupted_run_keeps_what_was_in_flight(chat: ChatServer, tmp_path: Path) -> None:
    chat.always = slow(0.01)

    def interrupt(number: int, outcome: object) -> None:
        raise KeyboardInterrupt

    with Client(chat.address, MODEL, cache=tmp_path / "c.sqlite", concurrency=2) as llm:
        with pytest.raises(KeyboardInterrupt):
            llm.complete_many([f"Question {n}" for n in range(100)], interrupt)
        assert llm.cache is not None
        assert len(llm.cache) == len(chat.requests) < 10
