"""Near-duplicates of an index: found at build time, stored, and what they do to a search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gossamer import Document, Settings, build_index, open_index
from gossamer.insight.twins import groups_of, twin_matrix, twins_of

CLAIM = "The committee of Ostby approved the new harbour plan for the old bridge in May."


def built(tmp_path: Path, texts: list[str], embedder: str = "hash") -> Path:
    build_index([Document(f"d{n}", text) for n, text in enumerate(texts)], tmp_path, Settings(embedder=embedder))
    return tmp_path


@pytest.mark.parametrize("embedder", ["hash", "none"])
@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("In May the committee of Ostby approved the new harbour plan for the old bridge.", True),
        ("The committee of Ostby rejected the new harbour plan for the old bridge in May.", False),
        ("The committee of Ostby has not approved the new harbour plan for the old bridge in May.", False),
        ("The committee of Ostby hasn't approved the new harbour plan for the old bridge in May.", False),
        ("The committee of Ulvik approved the new harbour plan for the old bridge in May.", False),
    ],
)
def test_what_states_the_same(tmp_path: Path, embedder: str, other: str, same: bool) -> None:
    with open_index(built(tmp_path, [CLAIM, other, "Bread is sold at the market."], embedder)) as index:
        assert index.snapshot.duplicate_groups.tolist() == ([0, 0, 2] if same else [0, 1, 2])


def test_stored_pairs_are_the_ones_found_and_symmetric(tmp_path: Path) -> None:
    texts = [CLAIM, CLAIM, "Bread is sold at the market on Fridays.", CLAIM]
    with open_index(built(tmp_path, texts)) as index:
        stored, found = twins_of(index.snapshot), twin_matrix(index.snapshot)
        assert (stored != found).nnz == 0 and (stored != stored.T).nnz == 0 and stored.nnz == 6
        assert groups_of(index.snapshot).tolist() == index.snapshot.duplicate_groups.tolist() == [0, 0, 2, 0]


def test_a_copy_costs_no_place_in_a_search_and_its_vote_is_named(tmp_path: Path) -> None:
    texts = [*[CLAIM] * 8, "The harbour plan of Ostby costs nine crowns.", "Ostby is a town with a harbour."]
    with open_index(built(tmp_path, texts)) as index:
        question = "Who approved the harbour plan of Ostby?"
        result = index.search(question, token_budget=120)
        assert len(result.passages) == 3
        idea = next(passage for passage in result.passages if passage.text == CLAIM)
        assert idea.votes == 8 and idea.sources == ("d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7")
        assert result.to_dict()["passages"][0].keys() >= {"votes", "sources"}
        assert sorted(p.document for p in index.rank(question, k=10).passages) == ["d0", "d8", "d9"]
        loose = index.with_settings(index.settings.replace(**{"retrieval.duplicates": False}))
        assert len(loose.rank(question, k=10).passages) == 10


def test_a_filter_keeps_the_copy_it_allows_and_only_its_votes(tmp_path: Path) -> None:
    with open_index(built(tmp_path, [CLAIM, CLAIM, CLAIM, "Bread is sold at the market."])) as index:
        (passage,) = index.search("Who approved the harbour plan?", where={"document": "d2"}).passages
        assert (passage.document, passage.votes, passage.sources) == ("d2", 1, ("d2",))
        (spread,) = index.retrieve("Who approved the harbour plan?", where={"document": "d2"}).passages
        assert (spread.document, spread.sources) == ("d2", ("d2",))


def test_copies_hold_one_seed(tmp_path: Path) -> None:
    """With two seeds and eight copies of the best passage the second seed is another idea."""
    texts = [*[CLAIM] * 8, "The harbour plan costs nine crowns."]
    settings = Settings().replace(**{"retrieval.seed_count": 2})
    with open_index(built(tmp_path, texts)) as index:
        ranked = index.with_settings(settings).rank("approved harbour plan", k=2)
        assert [passage.why.hop for passage in ranked.passages] == [0, 0]


def test_the_index_is_the_same_twice_and_without_copies(tmp_path: Path) -> None:
    with open_index(built(tmp_path, ["Bread is sold.", "Orion flies."])) as index:
        assert index.snapshot.duplicate_groups.tolist() == [0, 1] and twins_of(index.snapshot).nnz == 0
    build_index([], tmp_path / "empty")
    with open_index(tmp_path / "empty") as index:
        assert np.array_equal(index.snapshot.duplicate_groups, np.zeros(0))
