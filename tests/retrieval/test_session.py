"""Warm follow-ups and the learned layer."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer import Document, Settings, build_index, open_index
from gossamer.errors import IndexDamagedError, IndexVersionError, UsageError

DOCS = [
    Document("a", "The festival hymn was written by Mara Lindqvist."),
    Document("b", "In her youth Mara Lindqvist studied at Torvik Academy."),
    Document("c", "Torvik Academy stands beside the harbour of Ostby."),
    Document("d", "Mara Lindqvist kept bees."),
    Document("e", "Bread is sold at the market on Fridays."),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build_index(DOCS, tmp_path, Settings(embedder="none"))
    return tmp_path


def energies(answer: object) -> dict[str, float]:
    return {passage.document: passage.energy for passage in answer.passages}  # type: ignore[attr-defined]


def test_a_quarter_of_the_last_energy_is_a_prior_on_seeds(folder: Path) -> None:
    with open_index(folder) as index:
        session = index.session(engine="wave", max_hops=1, damping=0.5)
        first = session.retrieve("festival hymn")
        warm = session.retrieve("Where did Lindqvist study?")
        cold = index.retrieve("Where did Lindqvist study?", engine="wave", max_hops=1, damping=0.5)
    seeds = [passage.document for passage in cold.passages if passage.hop == 0]
    assert {"a", "b", "d"} <= set(seeds)
    before = energies(first)
    assert warm.ledger.injected == pytest.approx(10.0 + 0.25 * sum(before.get(seed, 0.0) for seed in seeds))
    assert {passage.document for passage in warm.passages if passage.hop == 0} == set(seeds)


def test_nothing_is_active_before_the_question_touches_it(folder: Path) -> None:
    with open_index(folder) as index:
        session = index.session()
        session.retrieve("festival hymn")
        assert energies(session.retrieve("Who sells bread?")) == pytest.approx({"e": 10.0})


def test_reset_starts_cold(folder: Path) -> None:
    with open_index(folder) as index:
        session = index.session()
        first = session.retrieve("festival hymn")
        session.reset()
        assert energies(session.retrieve("festival hymn")) == energies(first)


def test_topic_change_resets_on_request(folder: Path) -> None:
    with open_index(folder) as index:
        session = index.session(reset_on_topic_change=True)
        session.retrieve("festival hymn")
        session.retrieve("Who sells bread at the market?")
        assert session.retrieve("Bread on Fridays").ledger.injected == pytest.approx(12.5)
        assert session.retrieve("festival hymn").ledger.injected == pytest.approx(10.0)


def test_accepted_passages_strengthen_their_path_in_a_layer_of_its_own(folder: Path) -> None:
    with open_index(folder) as index:
        plain = energies(index.retrieve("festival hymn"))
        session = index.session()
        answer = session.retrieve("festival hymn")
        for _ in range(5):
            session.accept(next(passage for passage in answer.passages if passage.document == "c"))
        assert session.learned.edges == 2
        taught = energies(index.retrieve("festival hymn"))
        assert taught["b"] > plain["b"] and taught["d"] < plain["d"]
        assert energies(index.retrieve("festival hymn", learned=False)) == plain
    with open_index(folder) as again:
        assert energies(again.retrieve("festival hymn")) == taught
        again.session().learned.clear()
        assert energies(again.retrieve("festival hymn")) == plain


def test_the_layer_survives_a_new_index_by_content(folder: Path) -> None:
    with open_index(folder) as index:
        session = index.session()
        answer = session.retrieve("festival hymn")
        session.accept("b#0")
        assert "b#0" in {passage.id for passage in answer.passages}
    renamed = [Document(f"0{doc.id}", doc.text) for doc in reversed(DOCS)] + [Document("0", "New at the front.")]
    build_index(renamed, folder, Settings(embedder="none"))
    with open_index(folder) as index:
        taught = energies(index.retrieve("festival hymn"))
        plain = energies(index.retrieve("festival hymn", learned=False))
        assert taught["0b"] > plain["0b"]
    build_index([Document("b", "All else is gone.")], folder, Settings(embedder="none"))
    with open_index(folder) as index:
        assert index.retrieve("else gone").passages


def test_pruning_is_reversible(folder: Path) -> None:
    with open_index(folder) as index:
        plain = energies(index.retrieve("festival hymn"))
        session = index.session()
        session.retrieve("festival hymn")
        for _ in range(3):
            session.accept("b#0")
        before = energies(index.retrieve("festival hymn"))
        assert session.learned.prune(min_visits=4) == 0
        assert session.learned.prune() == 4
        assert "d" not in energies(index.retrieve("festival hymn")) and "d" in plain
        session.learned.unprune()
        assert energies(index.retrieve("festival hymn")) == before
        with pytest.raises(UsageError, match="min_visits"):
            session.learned.prune(min_visits=0)


def test_only_passages_of_the_last_answer_are_accepted(folder: Path) -> None:
    with open_index(folder) as index:
        session = index.session()
        with pytest.raises(UsageError, match="last answer"):
            session.accept("a#0")
        session.retrieve("festival hymn")
        with pytest.raises(UsageError, match=r"e#0"):
            session.accept("e#0")


@pytest.mark.parametrize(("text", "error"), [("{", IndexDamagedError), ('{"version": 9}', IndexVersionError)])
def test_a_layer_that_cannot_be_read_says_what_to_do(folder: Path, text: str, error: type[Exception]) -> None:
    (folder / "learned.json").write_text(text, encoding="utf-8")
    with open_index(folder) as index, pytest.raises(error, match="Delete it"):
        index.retrieve("festival hymn")
