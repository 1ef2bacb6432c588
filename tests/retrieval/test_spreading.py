"""`retrieve` on small indexes: energy, votes, exclusion, the honest outputs, and what must never happen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import Bridge
from gossamer import Document, RetrievalConfig, Settings, TraceConfig, build_index, load_traces, open_index
from gossamer.errors import ArgumentTypeError, SettingsError, UsageError

NAMES = {
    "passages",
    "confidence",
    "contradictions",
    "dedup_mode",
    "profile",
    "ledger",
    "gaps",
    "paths",
    "clusters",
    "refusal",
}


@pytest.fixture(scope="module")
def chain_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A question touches a; b is linked to a by a name, c to b by another; d is far away."""
    docs = [
        Document("a", "The festival hymn was written by Mara Lindqvist."),
        Document("b", "In her youth Mara Lindqvist studied at Torvik Academy."),
        Document("c", "Torvik Academy stands beside the harbour of Ostby."),
        Document("d", "Bread is sold at the market on Fridays."),
    ]
    folder = tmp_path_factory.mktemp("chain")
    build_index(docs, folder, Settings(embedder="none"))
    return folder


def ids(answer: Any) -> list[str]:
    return [passage.document for passage in answer.passages]


@pytest.mark.parametrize("engine", ["flow", "wave"])
@pytest.mark.parametrize("order", ["set", "blend", "energy"])
def test_energy_reaches_what_shares_no_word_with_the_question(chain_index: Path, engine: str, order: str) -> None:
    with open_index(chain_index) as index:
        answer = index.retrieve("Who wrote the festival hymn?", engine=engine, order=order)
    assert ids(answer)[0] == "a" and set(ids(answer)) == {"a", "b", "c"}
    far = next(passage for passage in answer.passages if passage.document == "c")
    assert far.hop == 2
    path = answer.path(far.id)
    assert [step.passage for step in path.steps] == ["a#0", "b#0", "c#0"]
    assert path.steps[1].through == ("mara lindqvist",) and path.steps[2].through == ("torvik academy",)
    assert far.why.edges[0].source == "b#0"
    assert answer.ledger.balance == pytest.approx(0.0, abs=1e-9)
    assert answer.confidence.raw[1:] == (3, 2) and answer.confidence.probability is None


def test_energies_are_those_of_the_engine_on_the_flow_matrix(chain_index: Path) -> None:
    """One seed on a path a–b–c, the wave: b gets d·10, c gets d·d·10."""
    with open_index(chain_index) as index:
        answer = index.retrieve("festival hymn", engine="wave", damping=0.5, order="energy")
    assert [(p.document, round(p.energy, 9)) for p in answer.passages] == [("a", 10.0), ("b", 5.0), ("c", 2.5)]


def test_flow_conserves_energy(chain_index: Path) -> None:
    with open_index(chain_index) as index:
        answer = index.retrieve("Who wrote the festival hymn at the market?")
    total = sum(passage.energy for passage in answer.passages)
    assert total + answer.ledger.dissipated == pytest.approx(10.0, abs=1e-9)


def test_the_flow_default_and_its_switches(chain_index: Path) -> None:
    with open_index(chain_index) as index:
        answer = index.retrieve("festival hymn")
        assert (answer.config.engine, answer.config.graph, answer.profile.name) == ("flow", "flow", "standard")
        assert index.retrieve("festival hymn", max_hops=1).confidence.depth <= 1
        assert ids(index.retrieve("festival hymn", max_nodes=1)) == ["a"]
        assert ids(index.retrieve("festival hymn", graph="fused"))[0] == "a"
        config = RetrievalConfig(engine="wave", profile="precise")
        assert index.retrieve("festival hymn", config, damping=0.5).profile.damping == 0.5


def test_no_contact_is_no_passage_and_a_refusal(chain_index: Path) -> None:
    with open_index(chain_index) as index:
        for question in ("xylophone quux", ""):
            answer = index.retrieve(question)
            assert answer.passages == () and answer.paths() == () and answer.clusters() == ()
            assert "No passage touches this question" in str(answer.refusal())
            json.dumps(answer.to_dict(), allow_nan=False)


def test_gaps_name_what_nothing_covers(chain_index: Path) -> None:
    with open_index(chain_index) as index:
        answer = index.retrieve("Who wrote the festival hymn of the Antarctic colonists?")
        first = answer.gaps()[0]
        assert (first.text, first.known) == ("Antarctic colonists", False)
        assert "Antarctic colonists" in str(answer.refusal())
        fine = index.retrieve("Who wrote the festival hymn?")
        assert fine.refusal() is None


def test_answer_is_plain_json(chain_index: Path) -> None:
    with open_index(chain_index) as index:
        data = json.loads(json.dumps(index.retrieve("festival hymn").to_dict(limit=2), allow_nan=False))
    assert data.keys() >= NAMES
    assert len(data["passages"]) == 2 and data["reached"] == 3
    assert data["passages"][0].keys() >= {"energy", "votes", "sources", "hop"}
    assert data["ledger"]["injected"] == pytest.approx(10.0)


@pytest.mark.parametrize("preset", [Settings(), Settings.paper(), Settings.questions_heavy()], ids=lambda s: s.preset)
@pytest.mark.parametrize("engine", ["flow", "wave"])
def test_every_preset_spreads(tmp_path: Path, bridge: Bridge, preset: Settings, engine: str) -> None:
    build_index(bridge.documents(), tmp_path, preset)
    with open_index(tmp_path) as index:
        answer = index.retrieve(bridge.question, engine=engine)
    assert {"c03", "c04"} <= set(ids(answer))
    assert all(np.isfinite(passage.score) for passage in answer.passages)


# ---- duplicates become votes


def copies(extra: list[Document]) -> list[Document]:
    return [
        Document("m", "The harbour bridge of Ostby was opened in 1931 by the mayor."),
        Document("n", "By the mayor the harbour bridge of Ostby was opened in 1931."),
        Document("o", "The toll on the harbour bridge is two crowns for a cart."),
        *extra,
    ]


@pytest.mark.parametrize("embedder", ["none", "hash"])
def test_copies_become_votes_that_name_their_sources(tmp_path: Path, embedder: str) -> None:
    build_index(copies([Document("p", "Bread is sold at the market.")]), tmp_path, Settings(embedder=embedder))
    with open_index(tmp_path) as index:
        answer = index.retrieve("When was the harbour bridge opened?")
        idea = next(passage for passage in answer.passages if passage.votes > 1)
        assert (idea.votes, sorted(idea.sources)) == (2, ["m", "n"])
        assert len({"m", "n"} & set(ids(answer))) == 1
        assert answer.dedup_mode == ("words" if embedder == "none" else "vectors")
        loose = index.retrieve("When was the harbour bridge opened?", duplicates=False)
        assert {"m", "n"} <= set(ids(loose)) and loose.dedup_mode == "off"


def test_duplicate_seeds_never_hold_two_slots(tmp_path: Path) -> None:
    many = [Document(f"x{n}", "The harbour bridge of Ostby was opened in 1931 by the mayor.") for n in range(20)]
    build_index(copies(many), tmp_path)
    with open_index(tmp_path) as index:
        answer = index.retrieve("When was the harbour bridge opened?", width=2, max_hops=0)
    assert len(answer.passages) == 2 and "o" in ids(answer)
    assert max(passage.votes for passage in answer.passages) == 22


@pytest.mark.parametrize(
    "other",
    [
        Document("q", "The harbour bridge of Ostby was opened in 1932 by the mayor."),
        Document("q", "The harbour bridge of Ulvik was opened in 1931 by the mayor."),
    ],
    ids=["number", "name"],
)
def test_another_number_or_name_is_another_claim(tmp_path: Path, other: Document) -> None:
    build_index([copies([])[0], other], tmp_path)
    with open_index(tmp_path) as index:
        answer = index.retrieve("When was the harbour bridge opened?")
    assert sorted(ids(answer)) == ["m", "q"]
    assert [passage.votes for passage in answer.passages] == [1, 1]


def test_the_same_words_under_two_titles_are_two_claims(tmp_path: Path) -> None:
    docs = [
        Document("a", "It was opened in 1931.", title="Ostby"),
        Document("b", "It was opened in 1931.", title="Ulvik"),
    ]
    build_index(docs, tmp_path)
    with open_index(tmp_path) as index:
        assert len(index.retrieve("What was opened in 1931?").passages) == 2


def test_pieces_with_one_given_vector_are_no_duplicates(tmp_path: Path) -> None:
    kinds = ["oak", "iron", "stone", "rope"] * 6
    long = " ".join(f"Sentence {n} tells of the {kind} bridge." for n, kind in enumerate(kinds))
    np.savez(tmp_path / "v.npz", ids=["long"], vectors=np.ones((1, 4)))
    pieces = {"chunking.chunk_tokens": 32, "chunking.overlap_tokens": 0}
    chosen = Settings(embedder=f"vectors:{tmp_path / 'v.npz'}").replace(**pieces)
    build_index([Document("long", long)], tmp_path / "index", chosen)
    with open_index(tmp_path / "index") as index:
        answer = index.retrieve("oak bridge")
        assert len(index.snapshot) > 3
        assert all(passage.votes == 1 for passage in answer.passages)


# ---- exclusion


@pytest.mark.parametrize("without", ["Torvik Academy", "torvik academies", ["Mara", "academy of Torvik", "Torvik"]])
@pytest.mark.parametrize("engine", ["flow", "wave"])
def test_what_names_x_never_appears(chain_index: Path, without: Any, engine: str) -> None:
    with open_index(chain_index) as index:
        answer = index.retrieve("Who wrote the festival hymn at Torvik Academy?", engine=engine, without=without)
    assert "c" not in ids(answer) and "b" not in ids(answer)
    assert all(passage.energy > 0 for passage in answer.passages)
    for path in answer.paths():
        assert not {"b#0", "c#0"} & {step.passage for step in path.steps}
    assert answer.ledger.balance == pytest.approx(0.0, abs=1e-9)


def test_exclusion_by_title_and_by_surname(tmp_path: Path) -> None:
    docs = [
        Document("a", "The hymn has four verses.", title="Mara Lindqvist"),
        Document("b", "The hymn was praised. Mara Lindqvist wrote it. Lindqvist was glad."),
        Document("c", "The hymn is sung in May."),
    ]
    build_index(docs, tmp_path)
    with open_index(tmp_path) as index:
        assert ids(index.retrieve("hymn", without="Lindqvist")) == ["c"]
        with pytest.raises(UsageError, match="no word"):
            index.retrieve("hymn", without="!?")
        with pytest.raises(ArgumentTypeError, match="without"):
            index.retrieve("hymn", without=[3])  # type: ignore[list-item]


VECTORS = {"ship": [1.0, 0.0, 0.0], "vessel": [1.0, 0.5, 0.1], "crane": [0.0, 0.1, 1.0]}


def test_exclusion_by_meaning_needs_a_model(tmp_path: Path) -> None:
    def meaning(texts: list[str]) -> np.ndarray:
        return np.array([VECTORS[next((w for w in VECTORS if w in t), "crane")] for t in texts])

    docs = [Document("a", "The vessel left the harbour."), Document("b", "The harbour has a crane.")]
    build_index(docs, tmp_path, embed_fn=meaning)
    with open_index(tmp_path, embed_fn=meaning) as index:
        assert ids(index.retrieve("harbour", without="ship")) == ["b"]
        assert set(ids(index.retrieve("harbour", without="ship", exclusion_cosine=0.95))) == {"a", "b"}


WORD = st.sampled_from(["orion", "helix", "pune", "budget", "lens", "Marsh", "Ferry"])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_exclusion_and_books_hold_on_any_corpus(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.lists(WORD, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=8))
    folder = tmp_path_factory.mktemp("any")
    build_index([Document(f"d{n}", text) for n, text in enumerate(texts)], folder, Settings(embedder="none"))
    banned = data.draw(WORD)
    with open_index(folder) as index:
        answer = index.retrieve(
            "orion helix ferry", engine=data.draw(st.sampled_from(["flow", "wave"])), without=banned
        )
    assert all(banned.casefold() not in passage.text.casefold().split() for passage in answer.passages)
    assert all(passage.energy > 0 for passage in answer.passages)
    assert abs(answer.ledger.balance) < 1e-9
    assert len(ids(answer)) == len(set(ids(answer)))


# ---- negative knowledge, contradictions


def test_negative_knowledge_absorbs_and_warns(tmp_path: Path) -> None:
    docs = [
        Document("a", "The tower of Ostby leans to the west."),
        Document("b", "It is not true that the tower of Ostby leans.", metadata={"polarity": -1}),
    ]
    build_index(docs, tmp_path)
    with open_index(tmp_path) as index:
        answer = index.retrieve("Does the tower of Ostby lean?")
        assert ids(answer) == ["a"] and answer.ledger.polarity > 0
        assert any("disputes" in warning and "b#0" in warning for warning in answer.warnings)
        assert set(ids(index.retrieve("Does the tower of Ostby lean?", negative=False))) == {"a", "b"}


def test_contradictions_are_flagged_and_destroy_only_on_request(tmp_path: Path) -> None:
    docs = [
        Document("a", "Helix Labs has its head office in Pune."),
        Document("b", "The head office of Helix Labs is in Oslo."),
    ]
    build_index(docs, tmp_path)
    question = "Where is the head office of Helix Labs?"
    with open_index(tmp_path) as index:
        flagged = index.retrieve(question)
        assert [{c.first, c.second} for c in flagged.contradictions] == [{"a#0", "b#0"}]
        assert "?" in flagged.contradictions[0].question
        assert flagged.ledger.contradiction == 0.0
        assert index.retrieve(question, contradictions="destroy").ledger.contradiction > 0.0
        assert index.retrieve(question, contradictions="off").contradictions == ()


# ---- coloured


def test_coloured_answers_carry_everything(chain_index: Path) -> None:
    parts = ["Who wrote the festival hymn?", "What stands beside the harbour?"]
    with open_index(chain_index) as index:
        answer = index.retrieve_colored(parts, question="festival hymn harbour", width=1)
        alone = index.retrieve_colored(["xylophone", *parts], question="festival hymn harbour", without="Ostby")
    assert answer.bridges and answer.bridges[0].parts == tuple(parts)
    assert all(0 < bridge.strength <= 0.5 for bridge in answer.bridges)
    strengths = [bridge.strength for bridge in answer.bridges]
    assert strengths == sorted(strengths, reverse=True)
    middle = next(passage for passage in answer.passages if passage.document == "b")
    assert middle.parts.keys() == set(parts) and middle.hop == 1
    assert answer.path(middle.id).steps[0].passage in {"a#0", "c#0"}
    assert answer.ledger.injected == pytest.approx(20.0) and answer.ledger.balance == pytest.approx(0.0, abs=1e-9)
    assert answer.confidence.nodes == 3 and json.dumps(answer.to_dict(), allow_nan=False)
    assert any("xylophone" in warning for warning in alone.warnings) and "c" not in ids(alone)


def test_wrong_parts_are_typed_errors(chain_index: Path) -> None:
    with open_index(chain_index) as index:
        with pytest.raises(UsageError, match="parts is empty"):
            index.retrieve_colored([], question="hymn")
        with pytest.raises(UsageError, match="twice"):
            index.retrieve_colored(["hymn", "hymn"], question="hymn")
        with pytest.raises(ArgumentTypeError, match="parts"):
            index.retrieve_colored([1], question="hymn")  # type: ignore[list-item]
        with pytest.raises(UsageError, match="part_vectors"):
            index.retrieve_colored(["hymn"], question="hymn", part_vectors=[])


# ---- config


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": "tide"}, "engine"),
        ({"profile": "loud"}, "profile"),
        ({"damping": 7}, "damping"),
        ({"width": 0}, "width"),
        ({"width": 2.5}, "width"),
        ({"threshold": 0.5, "profile": "explore"}, "cannot leave its seeds"),
        ({"guidance": 3}, "guidance"),
        ({"tide": 3}, "There is no spreading option 'tide'"),
    ],
)
def test_impossible_options_are_refused(chain_index: Path, options: dict[str, Any], words: str) -> None:
    with open_index(chain_index) as index, pytest.raises(SettingsError, match=words):
        index.retrieve("hymn", **options)


# ---- traces


def test_every_question_leaves_a_trace(tmp_path: Path, bridge: Bridge) -> None:
    build_index(bridge.documents(), tmp_path / "index")
    path = tmp_path / "traces.jsonl"
    with open_index(tmp_path / "index", trace=TraceConfig(path=path, size=2)) as index:
        for _ in range(3):
            answer = index.retrieve(bridge.question)
        assert len(index.traces) == 2
    traces = load_traces(path)
    assert len(traces) == 3
    nodes = traces[0]["nodes"]
    assert nodes["id"] == [passage.id for passage in answer.passages]
    assert nodes["energy"] == pytest.approx([passage.energy for passage in answer.passages], abs=1e-9)
    assert all(parent < len(nodes["id"]) for parent in nodes["parent"])
    assert traces[0]["question"] == bridge.question and traces[0]["ledger"]["injected"] == pytest.approx(10.0)


def test_a_trace_that_cannot_be_written_warns(tmp_path: Path, bridge: Bridge) -> None:
    build_index(bridge.documents(), tmp_path / "index")
    with open_index(tmp_path / "index", trace=TraceConfig(path=tmp_path / "none" / "t.jsonl")) as index:
        assert any("TraceConfig" in warning for warning in index.retrieve(bridge.question).warnings)


def test_same_question_same_answer(chain_index: Path) -> None:
    with open_index(chain_index) as index:
        one, two = (index.retrieve("Who wrote the festival hymn?").to_dict() for _ in range(2))
    assert {**one, "timings": 0} == {**two, "timings": 0}
