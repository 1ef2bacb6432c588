"""Who may come in: host, origin, token, size; and what every answer carries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from gossamer.errors import UsageError
from gossamer.server.app import create_app
from gossamer.server.config import ServeConfig
from gossamer.server.guard import HEADERS

TOKEN = "a-token-of-some-length"


def opened(index: Path, base: str = "http://127.0.0.1:8734", **options: Any) -> TestClient:
    return TestClient(create_app(ServeConfig(index, **options)), base_url=base)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8734", 200),
        ("localhost", 200),
        ("LOCALHOST.:80", 200),
        ("[::1]:8734", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("192.0.2.7", 421),
        ("localhost@evil.example", 421),
        ("", 421),
    ],
)
def test_a_foreign_host_name_is_refused(index: Path, host: str, status: int) -> None:
    response = opened(index).get("/api/info", headers={"host": host})
    assert response.status_code == status
    assert opened(index).get("/", headers={"host": host}).status_code == status


def test_names_can_be_admitted(index: Path) -> None:
    client = opened(index, names=("box.example",), token=TOKEN, host="0.0.0.0")
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert client.get("/api/info", headers={"host": "box.example:80", **bearer}).status_code == 200
    assert client.get("/api/info", headers={"host": "192.0.2.7:80", **bearer}).status_code == 200
    assert client.get("/api/info", headers={"host": "other.example", **bearer}).status_code == 421
    assert client.get("/api/info", headers={"host": "localhost", **bearer}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
    ],
)
def test_another_site_cannot_ask(index: Path, headers: dict[str, str]) -> None:
    response = opened(index).post("/api/query", json={"question": "hymn"}, headers=headers)
    assert response.status_code == 403 and "another site" in response.json()["message"]


def test_the_page_itself_can_ask(index: Path) -> None:
    headers = {"origin": "http://127.0.0.1:8734", "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}
    assert opened(index).post("/api/query", json={"question": "hymn"}, headers=headers).status_code == 200
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert opened(index).get("/", headers=link).status_code == 200


@pytest.mark.parametrize(
    "given", [None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_without_the_token_nothing_is_told(index: Path, given: str | None) -> None:
    client = opened(index, token=TOKEN)
    headers = {} if given is None else {"authorization": given.encode("utf-8")}
    for path in ("/api/info", "/api/openapi.json", "/api/chunk?id=hymn.md%230", "/api/none"):
        response = client.get(path, headers=headers)
        assert response.status_code == 401 and "hymn" not in response.text


def test_the_token_opens_the_api_and_the_page_is_open(index: Path) -> None:
    client = opened(index, token=TOKEN)
    assert client.get("/api/info", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200
    page = client.get("/")
    assert page.status_code == 200 and TOKEN not in page.text and TOKEN not in repr(ServeConfig(index, token=TOKEN))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_bound_elsewhere_a_token_is_needed(host: str) -> None:
    with pytest.raises(UsageError, match="needs a token"):
        ServeConfig("index", host=host)
    assert ServeConfig("index", host=host, token=TOKEN).token == TOKEN


@pytest.mark.parametrize("options", [{"port": -1}, {"port": 70_000}, {"token": "short"}, {"max_upload": 0}])
def test_impossible_options_say_what_is_possible(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="Give"):
        ServeConfig("index", **options)


@pytest.mark.parametrize("path", ["/", "/app.js", "/app.css", "/icon.svg", "/api/info", "/api/none", "/nothing"])
def test_every_answer_carries_the_headers(index: Path, path: str) -> None:
    response = opened(index).get(path)
    for name, value in HEADERS.items():
        assert response.headers[name] == value
    assert "unsafe" not in response.headers["content-security-policy"]
    assert response.headers["cache-control"] == ("no-store" if path.startswith("/api") else "no-cache")


def test_a_request_has_a_largest_size(index: Path) -> None:
    client = opened(index, max_request=1000)
    assert client.post("/api/query", json={"question": "x" * 2000}).status_code == 413

    def pieces() -> Any:
        for _ in range(50):
            yield b'{"question": "' + b"x" * 100

    # Without a length in its head the body is counted while it is read.
    streamed = client.post("/api/query", content=pieces(), headers={"content-type": "application/json"})
    assert streamed.status_code == 413
    lying = client.post("/api/query", content=b"{}", headers={"content-length": "-5"})
    assert lying.status_code == 413


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/static/app.js", "/%2e%2e/cli/main.py", "//etc/passwd"])
def test_no_path_leads_out(index: Path, path: str) -> None:
    response = opened(index).get(path)
    assert response.status_code == 404 and response.json()["gossamer"] == "error"


def test_the_committed_assets_are_small_and_ask_nobody() -> None:
    from gossamer.server.app import ASSETS, STATIC

    files = {name: (STATIC / name).read_text(encoding="utf-8") for name in ASSETS.values()}
    assert sum(map(len, files.values())) < 400_000
    assert "<script>" not in files["index.html"] and "style=" not in files["index.html"]
    assert "http" not in files["index.html"] + files["app.css"]
    assert "eval(" not in files["app.js"] and "new Function" not in files["app.js"]
    page_own = files["app.js"].replace("http://www.w3.org/", "")
    assert "innerHTML" not in page_own and "http://" not in page_own and ".src=" not in page_own
