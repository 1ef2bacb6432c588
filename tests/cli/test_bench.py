from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from gossamer.cli.main import app
from gossamer.errors import GossamerError, UsageError
from gossamer.settings import Settings

PASSAGES = {
    "orion": ("Orion", "Orion is a telescope that was built by Helix Labs near the coast."),
    "helix": ("Helix Labs", "Helix Labs is a company in Pune. Its founder is Mara Lind."),
    "mara": ("Mara Lind", "Mara Lind was born in Oslo and studied optics."),
    "pune": ("Pune", "Pune is a city in India with many colleges."),
    "vega": ("Vega", "Vega is a satellite that was built by Corvus Works."),
    "corvus": ("Corvus Works", "Corvus Works is a company in Bergen. Its founder is Tor Dahl."),
    "tor": ("Tor Dahl", "Tor Dahl was born in Turku and studied metals."),
    "sea": ("Sea", "The coast is cold in winter and the harbour closes."),
}
QUESTIONS: list[dict[str, Any]] = [
    {
        "question": "Who founded the builder of Orion?",
        "gold": ["orion", "helix"],
        "answer": "Mara Lind",
        "type": "bridge",
    },
    {
        "question": "Where was the founder of Helix Labs born?",
        "gold": ["helix", "mara"],
        "answer": "Oslo",
        "type": "bridge",
    },
    {
        "question": "Who founded the builder of Vega?",
        "gold": ["vega", "corvus"],
        "answer": "Tor Dahl",
        "type": "bridge",
    },
    {"question": "Where was Tor Dahl born?", "gold": ["tor"], "answer": "Turku", "type": "single"},
    {"question": "What is in Pune?", "gold": ["pune"], "answer": "colleges", "type": "single"},
    {"question": "Who painted the ceiling?", "gold": [], "answer": "", "type": "null_query"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    corpus = [{"id": one, "title": title, "text": text, "group": "g"} for one, (title, text) in PASSAGES.items()]
    asked = [{"id": f"q{number}", "group": "g", **row} for number, row in enumerate(QUESTIONS)]
    for name, rows in (("corpus.jsonl", corpus), ("questions.jsonl", asked)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def invoke(*arguments: object) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def quick(data: Path, *arguments: object) -> Result:
    return invoke("bench", "retrieval", data, "--resamples", 200, "-q", *arguments)


def test_every_system_is_measured_and_written(data: Path, tmp_path: Path) -> None:
    out, marks = tmp_path / "run.json", tmp_path / "run.md"
    shown = quick(data, "--json", out, "--markdown", marks).output
    report = json.loads(out.read_text(encoding="utf-8"))
    found = report["datasets"][0]
    names = ["hybrid-rrf", "bm25", "dense", "hybrid-z", "mmr", "multi-query", "paper", "gossamer"]
    assert [system["name"] for system in found["systems"]] == names
    assert found["null_questions"] == 1
    assert found["unit"] == "document"
    for system in found["systems"]:
        assert system["name"] in shown
        assert f"| {system['name']} |" in marks.read_text(encoding="utf-8")
        assert len(system["questions"]) == len(QUESTIONS)
        assert all(row["contexts"]["500"]["tokens"] <= 500 for row in system["questions"])
        assert all(len(row["ranked"]) == len(set(row["ranked"])) <= 20 for row in system["questions"])
        assert set(system["questions"][0]["ranked"]) <= set(PASSAGES)
        assert system["metrics"]["R@20"]["mean"] >= system["metrics"]["R@2"]["mean"]
        assert system["index"]["bytes"] > 0
    dense = next(system for system in found["systems"] if system["name"] == "dense")
    assert dense["metrics"]["Novelty@5"]["mean"] == 0.0
    assert "hash channel" in dense["description"]
    assert "hash channel" in shown


def test_a_run_repeats_itself_and_compares(data: Path, tmp_path: Path) -> None:
    quick(data, "--systems", "bm25,gossamer", "--json", tmp_path / "a.json", "--k", "2,5", "--budgets", "100")
    quick(data, "--systems", "bm25,gossamer", "--json", tmp_path / "b.json", "--k", "2,5", "--budgets", "100")
    first, second = (json.loads((tmp_path / name).read_text(encoding="utf-8")) for name in ("a.json", "b.json"))
    for one, two in zip(first["datasets"][0]["systems"], second["datasets"][0]["systems"], strict=True):
        assert [row["ranked"] for row in one["questions"]] == [row["ranked"] for row in two["questions"]]
        assert one["metrics"] == two["metrics"]
        assert one["delta"] == two["delta"]
    shown = invoke("bench", "compare", tmp_path / "a.json", tmp_path / "b.json", "--resamples", 200, "--metrics", "R@5")
    assert "gossamer, 6 questions" in shown.output
    told = invoke("bench", "compare", tmp_path / "a.json", tmp_path / "b.json", "--resamples", 200, "--json")
    assert json.loads(told.output)["pairs"][0]["delta"]["R@5"]["mean"] == 0.0


def test_given_vectors_are_used(data: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    passages = rng.normal(size=(len(PASSAGES), 8)).astype(np.float32)
    targets = [next(iter(row["gold"]), "sea") for row in QUESTIONS]
    order = list(PASSAGES)
    np.savez(data / "first.npz", ids=np.array(order[:4]), vectors=passages[:4])
    np.savez(
        data / "second.npz",
        ids=np.array(order[4:]),
        vectors=passages[4:],
        question_ids=np.array([f"q{number}" for number in range(len(QUESTIONS))]),
        question_vectors=np.stack([passages[order.index(target)] for target in targets]),
    )
    out = tmp_path / "run.json"
    given = ["--vectors", "first.npz", "--vectors", "second.npz"]
    quick(data, *given, "--systems", "dense,multi-query,paper,gossamer", "--json", out, "--budgets", "200")
    found = json.loads(out.read_text(encoding="utf-8"))["datasets"][0]
    assert found["embedder"] == "given vectors"
    dense = next(system for system in found["systems"] if system["name"] == "dense")
    assert [row["ranked"][0] for row in dense["questions"]] == targets
    assert "hash" not in dense["description"]


def test_groups_and_titles(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    quick(data, "--within-group", "--title-free", "--systems", "bm25", "--json", out, "--limit", 3, "--budgets", "")
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["options"]["within_group"]
    assert report["options"]["title_free"]
    assert report["datasets"][0]["questions"] == 3
    assert not any(name.endswith("t") for name in report["datasets"][0]["systems"][0]["metrics"])


def test_a_users_system_runs_beside_the_others(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def ranker(bench):\n    return lambda query, k: sorted(bench.documents)[:k]\n"
    (tmp_path / "own_system_of_tests.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    out = tmp_path / "run.json"
    quick(data, "--systems", "own_system_of_tests:ranker", "--json", out)
    own = json.loads(out.read_text(encoding="utf-8"))["datasets"][0]["systems"][1]
    assert own["questions"][0]["ranked"] == sorted(PASSAGES)
    assert own["metrics"]["gold@500t"]["mean"] > 0
    assert own["index"] is None


def test_gold_may_name_chunks(data: Path, tmp_path: Path) -> None:
    asked = [{"id": "q", "question": "Where was Tor Dahl born?", "gold": ["tor#0"]}]
    (data / "chunks.jsonl").write_text(json.dumps(asked[0]) + "\n", encoding="utf-8")
    out = tmp_path / "run.json"
    quick(data, "--questions", "chunks.jsonl", "--systems", "bm25", "--json", out)
    found = json.loads(out.read_text(encoding="utf-8"))["datasets"][0]
    assert found["unit"] == "chunk"
    assert found["systems"][1]["questions"][0]["ranked"][0] == "tor#0"


def test_an_ablation_is_a_report_against_the_full_settings(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "ablation.json"
    arguments = ["--only", "term coverage", "--only", "signal semantic", "--resamples", 200, "-q", "--json", out]
    shown = invoke("bench", "ablation", data, *arguments).output
    assert "no term coverage" in shown
    report = json.loads(out.read_text(encoding="utf-8"))
    systems = report["datasets"][0]["systems"]
    assert [system["name"] for system in systems] == ["full", "no signal semantic", "no term coverage"]
    assert systems[2]["description"] == "utility.coverage = 0.0"
    assert report["options"]["variants"]["no signal semantic"] == {"signals.semantic": 0.0}
    with pytest.raises(UsageError, match="No variant is called so"):
        invoke("bench", "ablation", data, "--only", "nonsense")


def test_tuning_writes_settings_and_shows_both_halves(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "tuned.toml"
    arguments = ["--search", "utility.coverage=0,2", "--search", "retrieval.flow_weight=0.3", "--out", out, "-q"]
    shown = invoke("tune", data, *arguments, "--set", "selection.pool=40").output
    assert "tune" in shown and "test" in shown
    found = Settings.from_toml(out)
    assert found.selection.pool == 40
    assert found.utility.coverage in (0.0, 2.0, Settings().utility.coverage)
    told = json.loads(invoke("tune", data, *arguments, "--trials", 1, "--json").output)
    assert len(told["trials"]) == 1
    assert {(side["dataset"], side["side"]) for side in told["sides"]} == {("small", "tune"), ("small", "test")}
    assert told["sides"][0]["change"]["n"] + told["sides"][1]["change"]["n"] == 5


@pytest.mark.parametrize(
    "arguments",
    [
        ["--systems", "bm26"],
        ["--baseline", "none"],
        ["--k", "2,x"],
        ["--k", "0"],
        ["--budgets", "-5"],
        ["--also", "gone.jsonl"],
        ["--vectors", "gone.npz"],
        ["--set", "retrieval.nothing=1"],
    ],
)
def test_wrong_use_is_named(data: Path, arguments: list[str]) -> None:
    with pytest.raises(GossamerError):
        quick(data, *arguments)


def test_wrong_tuning_is_named(data: Path, tmp_path: Path) -> None:
    for arguments in (["--metric", "R5"], ["--search", "utility.coverage"], ["--search", "utility.coverage=-1"]):
        with pytest.raises(GossamerError):
            invoke("tune", data, "-q", "--out", tmp_path / "no.toml", *arguments)
    assert not (tmp_path / "no.toml").exists()
