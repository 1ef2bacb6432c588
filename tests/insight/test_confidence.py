from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import Document, build_index, open_index
from gossamer.index.lexical import LexicalIndex
from gossamer.insight.confidence import Confidence, Evidence, gather_evidence, sufficiency
from gossamer.retrieval.pipeline import SpectRAGRetrieval
from gossamer.text.words import Words

TEXTS = [
    "Helix Labs built the Orion telescope in Pune.",
    "The Orion telescope has a mirror of beryllium.",
    "The canteen opens at noon.",
    "Wages are paid on Friday.",
]
OTHERS = [f"Shelf {i} of the archive holds letters of year {1600 + i}." for i in range(250)]
NAMES = [item.name for item in fields(Evidence)]
evidences = st.builds(Evidence, **{name: st.floats(0, 4 if name == "peak" else 1) for name in NAMES})


@pytest.fixture(scope="module")
def lexical() -> LexicalIndex:
    return LexicalIndex.build(TEXTS, [""] * len(TEXTS), Words("english"))


@pytest.fixture(scope="module")
def retrieval(tmp_path_factory: pytest.TempPathFactory) -> SpectRAGRetrieval:
    folder: Path = tmp_path_factory.mktemp("sure") / "index"
    build_index([Document(f"d{i}", text) for i, text in enumerate(TEXTS + OTHERS)], folder)
    return open_index(folder)


def gathered(lexical: LexicalIndex, question: str, chosen: list[int]) -> Evidence:
    relevance = lexical.scores(question).astype(np.float64)
    return gather_evidence(lexical, question, chosen, relevance=relevance, mass=relevance)


@given(evidences, st.sampled_from(NAMES), st.floats(0, 1))
def test_more_evidence_never_lowers_the_probability(evidence: Evidence, name: str, more: float) -> None:
    stronger = replace(evidence, **{name: getattr(evidence, name) + more})
    assert 0.0 <= sufficiency(evidence) <= sufficiency(stronger) <= 1.0


def test_coverage_counts_words_by_their_idf(lexical: LexicalIndex) -> None:
    orion, beryllium = np.log1p(2.5 / 2.5), np.log1p(3.5 / 1.5)
    found = gathered(lexical, "Orion beryllium", [0])
    assert found.coverage == pytest.approx(orion / (orion + beryllium))
    assert gathered(lexical, "Orion beryllium", [0, 1]).coverage == pytest.approx(1.0)


def test_unknown_words_weigh_most_and_lower_the_probability(lexical: LexicalIndex) -> None:
    known = gathered(lexical, "Who built the Orion telescope?", [0, 1])
    unknown = gathered(lexical, "Who built the Zephyr telescope?", [0, 1])
    assert unknown.coverage < known.coverage
    assert sufficiency(unknown) < sufficiency(known)


def test_focus_is_the_share_of_the_five_heaviest(lexical: LexicalIndex) -> None:
    relevance = np.array([2.0, 1.0, 0.0, 0.0])
    for mass, focus in (([0, 0, 0, 0], 0.0), ([1, 1, 0, 0], 1.0), ([4, 1, 1, 1, 1, 1, 1], 0.8)):
        found = gather_evidence(lexical, "Orion", [0], relevance=relevance, mass=np.array(mass, dtype=float))
        assert found.focus == pytest.approx(focus)


def test_the_head_looks_at_three_passages_only(lexical: LexicalIndex) -> None:
    relevance = np.array([4.0, 3.0, 2.0, 1.0])
    found = gather_evidence(lexical, "Orion wages", [3, 2, 1, 0], relevance=relevance, mass=relevance)
    assert found.coverage == pytest.approx(1.0)
    assert found.head < found.coverage


@pytest.mark.parametrize("question", ["", "the of", "Zephyr Quux", "?!", "智利 Orion 7"])
def test_odd_questions_give_finite_measures_in_range(lexical: LexicalIndex, question: str) -> None:
    found = gathered(lexical, question, [2, 0])
    for name in NAMES:
        assert 0.0 <= getattr(found, name) <= (5.0 if name == "peak" else 1.0)


def test_a_search_says_how_sure_it_is(retrieval: SpectRAGRetrieval) -> None:
    known = retrieval.search("Who built the Orion telescope?", 200)
    unknown = retrieval.search("Who painted the Zephyr telescope?", 200)
    assert known.confidence is not None and unknown.confidence is not None
    assert 0.0 < unknown.confidence < known.confidence < 1.0
    assert retrieval.search("Who built the Orion telescope?", 200).confidence == known.confidence
    assert json.loads(json.dumps(known.to_dict()))["confidence"] == known.confidence


@pytest.mark.parametrize(("question", "budget"), [("Orion telescope", 0), ("Zephyr Quux", 200), ("", 200)])
def test_an_empty_result_has_no_confidence(retrieval: SpectRAGRetrieval, question: str, budget: int) -> None:
    result = retrieval.search(question, budget)
    assert result.passages == ()
    assert result.confidence == 0.0


def test_a_small_index_has_no_confidence(tmp_path: Path) -> None:
    build_index([Document(f"d{i}", text) for i, text in enumerate(TEXTS)], tmp_path / "small")
    with open_index(tmp_path / "small") as small:
        assert small.search("Who built the Orion telescope?", 200).confidence is None


def test_the_raw_triple_says_that_it_is_not_calibrated() -> None:
    assert Confidence(0.5, 3, 1).raw == (0.5, 3, 1)
    assert str(Confidence(0.5, 3, 1)) == "not calibrated (energy 0.500, nodes 3, depth 1)"
