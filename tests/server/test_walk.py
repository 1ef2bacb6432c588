"""The walkthrough: ten stages, and which of them each setting moves."""

from __future__ import annotations

from typing import Any

import pytest

STAGES = (
    "chunk", "annotate", "embed", "signals", "graph", "spectral", "seeds", "expansion", "proximity", "selection",
)  # fmt: skip


def stages(client: Any, **values: Any) -> dict[str, Any]:
    found = client.post("/api/walkthrough", **values)
    assert [stage["name"] for stage in found["stages"]] == list(STAGES)
    return {stage["name"]: stage for stage in found["stages"]}


def test_twelve_chunks_and_six_live_signals(client: Any) -> None:
    all_of_them = stages(client)
    assert len(all_of_them["chunk"]["chunks"]) == 12
    assert all(count > 0 for count in all_of_them["signals"]["edges"].values())
    assert all(questions for questions in all_of_them["annotate"]["questions"])
    picked = [passage["id"] for passage in all_of_them["selection"]["passages"]]
    assert {"survey.md#1", "people.md#0"} <= set(picked)
    assert len(set(all_of_them["spectral"]["clusters"])) == 3


@pytest.mark.parametrize(
    ("name", "value", "first"),
    [
        ("graph.tau", 0.2, "graph"),
        ("graph.graph_k", 2, "graph"),
        ("retrieval.seed_count", 1, "seeds"),
        ("retrieval.hops", 2, "expansion"),
        ("retrieval.alpha", 0.8, "proximity"),
        ("proximity.beta", 0.6, "proximity"),
        ("utility.redundancy", 2.0, "selection"),
        ("selection.length_power", 2.0, "selection"),
    ],
)
def test_a_setting_moves_its_stage_and_none_before(client: Any, name: str, value: float, first: str) -> None:
    before, after = stages(client), stages(client, settings={name: value})
    changed = [stage for stage in STAGES if before[stage] != after[stage]]
    assert changed and changed[0] == first


def test_budget_and_question_move_the_end(client: Any) -> None:
    before, small = stages(client), stages(client, budget=60)
    assert small["selection"]["tokens"] <= 60 < before["selection"]["tokens"]
    assert [stage for stage in STAGES if before[stage] != small[stage]] == ["selection"]
    other = stages(client, question="Who is skipper of the Plover?")
    assert other["seeds"]["seeds"][0] == 3 and other["graph"] == before["graph"]


def test_dropped_edges_are_those_below_tau(client: Any) -> None:
    graph = stages(client, settings={"graph.tau": 0.2})["graph"]
    assert min(weight for *_, weight in graph["kept"]) >= 0.2 > max(weight for *_, weight in graph["dropped"])


@pytest.mark.parametrize("change", [{"graph.tau": 2}, {"graph.tau": "x"}, {"embedder": "openai:x"}, {"graph.seed": 1}])
def test_other_settings_do_not_move(client: Any, change: dict[str, Any]) -> None:
    response = client.http.post("/api/walkthrough", json={"settings": change})
    assert response.status_code == 400
