"""The API: shapes of `--json`, typed errors, hostile input."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gossamer import Document, build_index
from gossamer.server.endpoints import ENDPOINTS
from gossamer.server.openapi import openapi

QUESTION = "Where did the composer of the festival hymn study?"


def by_command(folder: Path, *arguments: str) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-m", "gossamer", *arguments, "--json"],
        cwd=folder.parent, capture_output=True, text=True, encoding="utf-8", env=os.environ, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_query_is_what_the_command_prints(client: Any, index: Path) -> None:
    found = client.post("/api/query", question=QUESTION, budget=80)
    printed = by_command(index, "query", index.name, QUESTION, "--budget", "80")
    assert found.pop("evidence").keys() == {passage["id"] for passage in found["passages"]}
    for each in (found, printed):
        each.pop("timings")
    assert found == printed
    assert found["tokens"] <= 80 and {"hymn.md#0", "mara.md#0"} <= {passage["id"] for passage in found["passages"]}


def test_rank_retrieve_lint_and_info_keep_the_shapes(client: Any, index: Path) -> None:
    ranked = client.post("/api/query", question=QUESTION, k=2)
    assert ranked["gossamer"] == "rank" and len(ranked["passages"]) == 2
    spread = client.post("/api/retrieve", question=QUESTION, engine="wave", profile="precise", show=3)
    printed = by_command(
        index, "query", index.name, QUESTION, "--engine", "wave", "--profile", "precise", "--show", "3"
    )
    assert printed.keys() <= spread.keys() and spread["passages"] == printed["passages"]
    lint = client.get("/api/lint")
    plain = by_command(index, "lint", index.name)
    assert plain.keys() == lint.keys() and [each["kind"] for each in lint["findings"]] == [
        each["kind"] for each in plain["findings"]
    ]
    info = client.get("/api/info")
    assert by_command(index, "info", index.name).keys() <= info.keys()


def test_settings_reach_the_search(client: Any) -> None:
    one = client.post("/api/query", question=QUESTION, settings={"selection.backfill": False, "selection.pool": 1})
    assert len(one["passages"]) == 1
    view = client.get("/api/settings")
    assert {"name": "utility.redundancy", "value": 0.3, "kind": "number", "low": 0.0, "high": 100.0} in view["settings"]
    assert client.refused("/api/query", 400, question="x", settings={"selection.pool": 0}).startswith("selection.pool")
    assert "no setting" in client.refused("/api/query", 400, question="x", settings={"a.b": 1})
    assert "no setting" in client.refused("/api/query", 400, question="x", settings={"": 1})


def test_spreading_options_reach_the_run(client: Any) -> None:
    without = client.post("/api/retrieve", question=QUESTION, without=["Torvik"])
    assert without["passages"] and not any("Torvik" in passage["text"] for passage in without["passages"])
    parts = client.post("/api/retrieve", question=QUESTION, parts=["festival hymn", "Torvik Academy"])
    assert parts["bridges"]
    warm = client.post("/api/retrieve", question="Lindqvist", warm=["festival hymn"])
    assert warm["ledger"]["injected"] > 10
    copies = client.post("/api/retrieve", question="harbour of Ostby", spread={"duplicates": False})
    assert copies["dedup_mode"] == "off"
    assert "tide" in client.refused("/api/retrieve", 400, question="x", spread={"tide": 1})
    assert "does not change" in client.refused("/api/retrieve", 400, question="hymn", accept=["mara.md#0"])
    assert "do not go together" in client.refused("/api/retrieve", 400, question="x", parts=["a"], warm=["b"])


def test_compare_holds_plain_rankings_beside_the_set(client: Any) -> None:
    found = client.post("/api/compare", question=QUESTION, budget=60)
    assert [system["name"] for system in found["systems"]] == ["bm25", "hybrid-rrf"]
    for system in found["systems"]:
        assert system["tokens"] <= 60
        ranks = [passage["rank"] for passage in system["passages"]]
        assert ranks == sorted(ranks) and ranks[0] == 1
    assert client.post("/api/compare", question=QUESTION, budget=0)["systems"][0]["passages"] == []


@pytest.mark.parametrize("engine", ["set", "flow", "wave"])
def test_play_goes_from_seeds_to_the_chosen(client: Any, engine: str) -> None:
    found = client.post("/api/play", question=QUESTION, engine=engine, budget=100)
    names = [frame["name"] for frame in found["frames"]]
    assert names[0] == "seeds" and names[-1] == "chosen" and ("flow" in names) == (engine == "set")
    drawn = set(found["web"]["nodes"]["id"])
    for frame in found["frames"]:
        assert {node["id"] for node in frame["nodes"]} <= drawn
        assert all(math.isfinite(node["value"]) for node in frame["nodes"])
    if engine == "set":
        chosen = client.post("/api/query", question=QUESTION, budget=100)["passages"]
        assert [node["id"] for node in found["frames"][-1]["nodes"]] == [
            passage["id"] for passage in sorted(chosen, key=lambda passage: passage["order"])
        ]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "no JSON"),
        (b"[1]", "no JSON object"),
        (b"\xff\xfe", "no JSON"),
        (b'{"question": NaN}', "no JSON"),
        (b'{"question": 3}', "question = 3"),
        (b'{"question": null}', "question is missing"),
        (b'{"question": "x", "budget": -1}', "whole number from 0"),
        (b'{"question": "x", "budget": true}', "budget = True"),
        (b'{"question": "x", "budget": 1e400}', "budget"),
        (b'{"question": "x", "settings": []}', "settings"),
        (b'{"question": "x", "__class__": 1}', "no field"),
        (b'{"question": "' + b"y" * 20_001 + b'"}', "at most 20000"),
        (b"[" * 100_000, "no JSON"),
    ],
)
def test_a_bad_body_is_one_clear_error(client: Any, body: bytes, words: str) -> None:
    response = client.http.post("/api/query", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 400 and words in response.json()["message"]


def test_only_json_is_read(client: Any) -> None:
    plain = client.http.post("/api/query", content=b'{"question": "x"}', headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    assert client.http.get("/api/query").status_code == 405
    assert client.http.post("/api/documents").status_code == 404


@given(question=st.text(max_size=60), budget=st.integers(0, 500))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_question_has_an_answer_inside_the_budget(client: Any, question: str, budget: int) -> None:
    body = json.dumps({"question": question, "budget": budget}).encode()
    response = client.http.post("/api/query", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 200, response.text
    assert response.json()["tokens"] <= budget
    engine = client.http.post(
        "/api/play", json={"question": question.encode("utf-8", "replace").decode(), "engine": "flow"}
    )
    assert engine.status_code == 200


def test_lone_surrogates_do_not_break_an_answer(client: Any) -> None:
    body = b'{"question": "hymn \\ud83d of the festival"}'
    response = client.http.post("/api/query", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 200 and response.json()["passages"]


def test_the_description_matches_the_addresses(client: Any) -> None:
    found = client.http.get("/api/openapi.json").json()
    assert found["openapi"].startswith("3.1") and set(found["paths"]) == {each.path for each in ENDPOINTS}
    text = json.dumps(found)
    for reference in {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}:
        assert reference in found["components"]["schemas"]
    assert {"id", "document", "text", "why"} <= set(found["components"]["schemas"]["Passage"]["required"])
    guarded = openapi(version="1", allow_ingest=True, needs_token=True)
    assert "/api/documents" in guarded["paths"] and guarded["security"]


def test_a_new_snapshot_is_seen(tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    from gossamer.server.app import create_app
    from gossamer.server.config import ServeConfig

    build_index([Document("a", "Helix Labs is in Pune.")], tmp_path / "i")
    with TestClient(create_app(ServeConfig(tmp_path / "i")), base_url="http://localhost") as client:
        assert client.get("/api/info").json()["chunks"] == 1
        build_index([Document("a", "Helix Labs is in Pune."), Document("b", "Pune is a city.")], tmp_path / "i")
        assert client.get("/api/info").json()["chunks"] == 2


def test_a_fault_of_ours_tells_nothing(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from starlette.testclient import TestClient

    from gossamer.server import review
    from gossamer.server.app import create_app
    from gossamer.server.config import ServeConfig

    def broken(*_: Any) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(review, "gaps", broken)
    with TestClient(
        create_app(ServeConfig(index)), base_url="http://localhost", raise_server_exceptions=False
    ) as client:
        response = client.get("/api/gaps")
    assert response.status_code == 500 and "secret" not in response.text and response.json()["gossamer"] == "error"


@pytest.mark.parametrize("documents", [[], [Document("a", "Alone.")]])
def test_an_index_of_nothing_or_one_chunk_is_served(tmp_path: Path, documents: list[Document]) -> None:
    from starlette.testclient import TestClient

    from gossamer.server.app import create_app
    from gossamer.server.config import ServeConfig

    build_index(documents, tmp_path / "i")
    with TestClient(create_app(ServeConfig(tmp_path / "i")), base_url="http://localhost") as client:
        for path in ("info", "settings", "web", "lint", "gaps", "contradictions"):
            assert client.get(f"/api/{path}").status_code == 200, path
        assert client.get("/api/find", params={"text": "alone"}).status_code == 200
        for path in ("query", "retrieve", "compare", "play"):
            assert client.post(f"/api/{path}", json={"question": "Who is alone?"}).status_code == 200, path
        assert client.post("/api/play", json={"question": "Who?", "engine": "wave"}).status_code == 200


def test_where_keeps_to_some_documents(client: Any) -> None:
    for path in ("/api/query", "/api/retrieve"):
        found = client.post(path, question="Torvik Academy", where={"document": ["torvik.md", "mara.md"]})
        assert {passage["document"] for passage in found["passages"]} == {"torvik.md", "mara.md"}
    beside = client.post("/api/compare", question="Torvik Academy", where={"document": "torvik.md"})
    assert all({each["document"] for each in system["passages"]} == {"torvik.md"} for system in beside["systems"])
    for engine in ("set", "wave"):
        frames = client.post("/api/play", question="Torvik", engine=engine, where={"document": "torvik.md"})["frames"]
        assert [node["id"] for node in frames[-1]["nodes"]] == ["torvik.md#0"]
    assert "No document has" in client.refused("/api/query", 400, question="x", where={"colour": "red"})
