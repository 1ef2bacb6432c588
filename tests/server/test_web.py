"""What the page draws: nodes with places, edges with six signals, chunks, search, review."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gossamer.server.evidence import pieces
from gossamer.server.web import landmarks


def test_the_whole_web_of_a_small_index(client: Any) -> None:
    web = client.get("/api/web")
    nodes, edges = web["nodes"], web["edges"]
    assert web["whole"] and web["chunks"] == len(nodes["id"]) == len(set(nodes["id"])) == 9
    assert {len(nodes[name]) for name in ("label", "x", "y", "cluster", "document", "degree")} == {9}
    assert web["signals"] == ["semantic", "section", "entity", "adjacency", "utility", "citation", "flow"]
    assert edges["source"] and all(a < b for a, b in zip(edges["source"], edges["target"], strict=True))
    for weight, values, signal in zip(edges["weight"], edges["values"], edges["signal"], strict=True):
        assert weight > 0 and len(values) == 7 and values[signal] > 0
    assert client.get("/api/web") == web


def test_an_edge_holds_what_the_index_holds(client: Any) -> None:
    web = client.get("/api/web")
    names = web["nodes"]["id"]
    for place in range(len(web["edges"]["source"])):
        source, target = names[web["edges"]["source"][place]], names[web["edges"]["target"][place]]
        edge = client.get("/api/edge", source=source, target=target)
        values = dict(zip(web["signals"], web["edges"]["values"][place], strict=True))
        for name, value in edge["signals"].items():
            assert value == pytest.approx(values[name], abs=1e-3)
        if edge["weight"]:
            parts = sum(edge["weights"].get(name, 0) * value for name, value in edge["signals"].items())
            assert (
                edge["weight"]
                == pytest.approx(parts, abs=1e-5)
                == pytest.approx(web["edges"]["weight"][place], abs=1e-3)
            )


def test_a_neighbourhood_comes_first_where_the_web_is_large(client: Any) -> None:
    part = client.get("/api/web", limit=4)
    assert not part["whole"] and len(part["nodes"]["id"]) == 4 and part["chunks"] == 9
    near = client.post("/api/web/around", ids=["mara.md#0"], hops=1, limit=3)
    assert len(near["nodes"]["id"]) == 3 and "mara.md#0" in near["nodes"]["id"]
    alone = client.post("/api/web/around", ids=["mara.md#0"], hops=0)
    assert alone["nodes"]["id"] == ["mara.md#0"] and alone["edges"]["source"] == []
    whole = client.get("/api/web")
    place = {name: (x, y) for name, x, y in zip(*(whole["nodes"][key] for key in ("id", "x", "y")), strict=True)}
    assert all(
        place[name] == (x, y) for name, x, y in zip(*(near["nodes"][key] for key in ("id", "x", "y")), strict=True)
    )


def test_a_chunk_in_full(client: Any) -> None:
    chunk = client.get("/api/chunk", id="mara.md#0")
    assert "mara lindqvist" in [each["name"] for each in chunk["entities"]]
    assert {edge["source"] for edge in chunk["edges"]} >= {"hymn.md#0"}
    assert [edge["weight"] for edge in chunk["edges"]] == sorted((e["weight"] for e in chunk["edges"]), reverse=True)


@pytest.mark.parametrize("name", ["", "nothing#0", "../../etc/passwd", "mara.md#0\x00", "mara.md#99", "#", "é" * 5000])
def test_an_unknown_id_is_not_found(client: Any, name: str) -> None:
    for path, values in (("/api/chunk", {"id": name}), ("/api/edge", {"source": name, "target": "mara.md#0"})):
        response = client.http.get(path, params=values)
        assert response.status_code == 404 and "no passage" in response.json()["message"]
    assert "no passage" in client.refused("/api/web/around", 404, ids=[name])


def test_find_by_words_title_and_id(client: Any) -> None:
    assert client.get("/api/find", text="composed hymn")["passages"][0]["id"] == "hymn.md#0"
    assert client.get("/api/find", text="FESTIVAL HYMN")["passages"][0]["id"] == "hymn.md#0"
    assert client.get("/api/find", text="mara.md#0")["passages"][0]["id"] == "mara.md#0"
    assert client.get("/api/find", text="学习")["passages"][0]["id"] == "zh.txt#0"
    assert client.get("/api/find", text="zzzz")["passages"] == []
    assert client.get("/api/find", text="  ")["passages"] == []


def test_review_leads_into_the_web(client: Any) -> None:
    ids = set(client.get("/api/web")["nodes"]["id"])
    lint = client.get("/api/lint")
    kinds = {finding["kind"]: finding for finding in lint["findings"]}
    assert kinds["contradictions"]["passages"] == [["lock one.md#0", "lock two.md#0"]]
    assert all(set(named) <= ids for finding in lint["findings"] for named in finding["passages"])
    (pair,) = client.get("/api/contradictions")["pairs"]
    assert (pair["first"], pair["second"]) == ("lock one.md#0", "lock two.md#0")
    assert pair["question"].startswith("Which") and "1931" in pair["texts"][0]
    client.post("/api/retrieve", question="Who sailed to Jupiter from Ostby?")
    gaps = client.get("/api/gaps")
    assert gaps["questions"][0]["question"] == "Who sailed to Jupiter from Ostby?"
    assert any("Jupiter" in gap["text"] and not gap["known"] for gap in gaps["questions"][0]["gaps"])


def test_evidence_is_the_text_in_pieces(client: Any) -> None:
    found = client.post("/api/query", question="Where did the composer of the festival hymn study?")
    for passage in found["passages"]:
        assert "".join(part for part, _ in found["evidence"][passage["id"]]) == passage["text"]
    kinds = {kind for parts in found["evidence"].values() for _, kind in parts}
    assert kinds == {"", "question", "link"}


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=8))
def test_pieces_lose_no_letter(text: str, marks: list[tuple[int, int]]) -> None:
    spans = [(start, min(start + length, len(text)), "link") for start, length in marks if start < len(text)]
    found = pieces(text, spans)
    assert "".join(part for part, _ in found) == text and all(part for part, _ in found)


@given(
    arrays.arrays(np.int32, st.integers(1, 40), elements=st.integers(-1, 5)),
    st.integers(1, 50),
    st.randoms(use_true_random=False),
)
def test_landmarks_take_the_best_linked_of_every_cluster(clusters: Any, limit: int, random: Any) -> None:
    degrees = np.array([random.randrange(6) for _ in clusters])
    kept = landmarks(clusters, degrees, limit)
    assert len(kept) == min(limit, len(clusters)) and (np.diff(kept) > 0).all()
    for cluster in np.unique(clusters):
        members = np.flatnonzero(clusters == cluster)
        inside = np.intersect1d(members, kept)
        share = len(members) * len(kept) / len(clusters)
        assert abs(len(inside) - share) <= 1.0 + 1e-9 or len(np.unique(clusters)) > 1
        if 0 < len(inside) < len(members):
            assert degrees[inside].min() >= degrees[np.setdiff1d(members, inside)].max()
