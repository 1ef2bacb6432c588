from __future__ import annotations

import socket
import time
from email.utils import formatdate
from itertools import pairwise

import pytest

from gossamer.embedders import http
from gossamer.embedders.http import JsonServer
from gossamer.errors import EmbeddingError, SettingsError

from .conftest import EmbeddingServer, answer, cut, hang, status

BODY = {"model": "plain-model", "input": ["a"]}
KEY = "sk-very-secret-0123456789"


def client(address: str, *, retries: int = 3, timeout: float = 5.0, key_env: str | None = None) -> JsonServer:
    return JsonServer(address, api_key_env=key_env, timeout=timeout, retries=retries, hint="Start the server.")


def embed(server: EmbeddingServer, **options: float) -> object:
    return client(server.address, **options).post("/api/embed", BODY)["embeddings"]  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 529])
def test_passing_trouble_is_tried_again(server: EmbeddingServer, code: int) -> None:
    server.script.extend([status(code), status(code)])
    assert embed(server) == [[1.0, 1.0, 1.0, 0.5]]
    assert len(server.requests) == 3


def test_a_cut_answer_is_tried_again(server: EmbeddingServer) -> None:
    server.script.append(cut)
    assert embed(server) == [[1.0, 1.0, 1.0, 0.5]]


def test_a_silent_server_is_tried_again(server: EmbeddingServer) -> None:
    server.script.append(hang)
    assert embed(server, timeout=0.2) == [[1.0, 1.0, 1.0, 0.5]]


def test_lasting_trouble_ends_in_a_clear_error(server: EmbeddingServer) -> None:
    server.script.extend([status(503, {"error": "loading model"})] * 9)
    with pytest.raises(
        EmbeddingError, match=r"/api/embed failed 4 times, last with status 503: .*loading model.* Start"
    ):
        embed(server)
    assert len(server.requests) == 4


def test_a_server_that_never_answers(server: EmbeddingServer) -> None:
    server.script.extend([hang] * 2)
    with pytest.raises(EmbeddingError, match="failed 2 times, last with ReadTimeout"):
        embed(server, timeout=0.1, retries=1)


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.001)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EmbeddingError, match=r"failed 3 times, last with ConnectError.* Start the server"):
        client(address, retries=2).post("/api/embed", BODY)


def test_a_refusal_is_not_tried_again(server: EmbeddingServer) -> None:
    server.script.append(status(400, {"error": "input too long"}))
    with pytest.raises(EmbeddingError, match=r"refused the request with status 400: .*input too long"):
        embed(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("code", "advice"), [(401, "named by api_key_env"), (413, "smaller batch_size"), (307, "as base URL")]
)
def test_advice_for_a_refusal(server: EmbeddingServer, code: int, advice: str) -> None:
    server.script.append(status(code))
    with pytest.raises(EmbeddingError, match=advice):
        embed(server)


def test_malformed_json(server: EmbeddingServer) -> None:
    server.script.append(answer(b"<html>proxy</html>"))
    with pytest.raises(EmbeddingError, match=r"not JSON: <html>proxy</html>. Check the base URL"):
        embed(server)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seen: list[float] = []
    monkeypatch.setattr(http.time, "sleep", seen.append)
    return seen


def test_pauses_grow_with_jitter_and_have_a_limit(server: EmbeddingServer, pauses: list[float]) -> None:
    http.FIRST_PAUSE = 0.5  # put back by the fixture `server`
    server.script.extend([status(500)] * 9)
    embed(server, retries=9)
    steps = [min(30.0, 0.5 * 2**i) for i in range(9)]
    assert all(step / 2 <= pause <= step for pause, step in zip(pauses, steps, strict=True))
    assert all(later > earlier for earlier, later in pairwise(pauses[:6:2]))


def test_retry_after_is_honoured(server: EmbeddingServer, pauses: list[float]) -> None:
    server.script.extend([status(429, Retry_After="7"), status(503, Retry_After="0"), status(429, Retry_After="soon")])
    embed(server)
    assert pauses[:2] == [7.0, 0.0]
    assert pauses[2] < 1


def test_retry_after_may_be_a_date(server: EmbeddingServer, pauses: list[float]) -> None:
    server.script.append(status(429, Retry_After=formatdate(time.time() + 20, usegmt=True)))
    embed(server)
    assert 15 < pauses[0] <= 20


def test_a_long_wait_is_not_sat_out(server: EmbeddingServer, pauses: list[float]) -> None:
    server.script.append(status(429, Retry_After="3600"))
    with pytest.raises(EmbeddingError, match="asks to wait 3600 seconds"):
        embed(server)
    assert pauses == []


def test_the_key_is_sent_and_shown_nowhere(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    server.script.append(status(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    caller = client(server.address, key_env="MY_KEY")
    with pytest.raises(EmbeddingError) as caught:
        caller.post("/api/embed", BODY)
    assert server.requests[0][2]["authorization"] == f"Bearer {KEY}"
    shown = f"{caught.value} {caught.value!r} {caller!r} {vars(caller)}"
    assert KEY not in shown
    assert "***" in str(caught.value)
    assert "MY_KEY" in str(caught.value)


def test_no_key_is_sent_unasked(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    embed(server)
    assert "authorization" not in server.requests[0][2]


def test_a_missing_key(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(SettingsError, match="MY_KEY holds no key"):
        client(server.address, key_env="MY_KEY").post("/api/embed", BODY)
    assert server.requests == []


def test_a_key_no_header_can_carry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-ключ")
    with pytest.raises(SettingsError, match="no HTTP header can carry") as caught:
        client("http://127.0.0.1:9", key_env="MY_KEY").post("/api/embed", BODY)
    assert "ключ" not in str(caught.value)


@pytest.mark.parametrize("url", ["127.0.0.1:11434", "ftp://host", "http://", "", "http://host:port", "file:///etc"])
def test_no_web_address(url: str) -> None:
    with pytest.raises(SettingsError, match="no web address"):
        client(url)


@pytest.mark.parametrize("url", ["http://user:pw@host/v1", "https://host/v1?key=pw", "http://pw@host"])
def test_secrets_in_the_address_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(SettingsError, match="api_key_env") as caught:
        client(url)
    assert "pw" not in str(caught.value)


def test_closing_slashes_do_not_matter(server: EmbeddingServer) -> None:
    assert client(f"{server.address}/ ").base_url == server.address


def test_the_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    assert embed(server, retries=0) == [[1.0, 1.0, 1.0, 0.5]]
