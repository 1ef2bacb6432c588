"""Gaps, refusal, themes, exclusion and the ledger in words, each by itself."""

from __future__ import annotations

import pytest

from gossamer import Document, Settings, build_index, open_index
from gossamer.graph.ledger import Ledger
from gossamer.index.lexical import LexicalIndex
from gossamer.index.snapshot import Snapshot
from gossamer.insight.confidence import Confidence
from gossamer.insight.exclusion import naming_passages
from gossamer.insight.gaps import Gap, question_gaps
from gossamer.insight.ledger import ledger_line, ledger_values
from gossamer.insight.refusal import refusal_text
from gossamer.insight.themes import themes
from gossamer.text.words import Words

TEXTS = [
    "The telescopes of Helix Labs stand in Pune.",
    "Pune has a canteen.",
    "A lab may help Helix the dog.",
    "智利的首都是圣地亚哥",
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("outputs")
    docs = [Document(f"d{n}", text, title="Orion Survey" if n == 1 else "") for n, text in enumerate(TEXTS)]
    build_index(docs, folder, Settings(embedder="none"))
    with open_index(folder) as index:
        return index.snapshot


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Helix Labs", [0]),
        ("the Helix lab", [0]),
        ("TELESCOPE", [0]),
        ("pune", [0, 1]),
        ("Orion", [1]),
        ("orion surveys", [1]),
        ("智利", [3]),
        ("Labs Helix", []),
        ("Mars", []),
        ("Helix Mars", []),
    ],
)
def test_what_names_x(snapshot: Snapshot, name: str, found: list[int]) -> None:
    assert naming_passages(snapshot, name).nonzero()[0].tolist() == found


def lexical() -> LexicalIndex:
    return LexicalIndex.build(TEXTS[:3], ["", "Orion Survey", ""], Words("english"))


def test_gaps_are_runs_of_words_without_support() -> None:
    gaps = question_gaps(lexical(), "Do telescopes of Helix Labs watch Proxima Centauri from Pune?", [0])
    assert [(gap.text, gap.known) for gap in gaps] == [("watch Proxima Centauri", False)]
    assert 0 < gaps[0].weight < 1
    assert question_gaps(lexical(), "Where is the Orion canteen?", [1]) == ()
    assert [gap.text for gap in question_gaps(lexical(), "the Orion canteen", [])] == ["Orion canteen"]
    assert question_gaps(lexical(), "the of and", []) == ()


def test_weights_of_gaps_never_exceed_the_question() -> None:
    gaps = question_gaps(lexical(), "Mars canteen Venus dog Jupiter", [0])
    assert sum(gap.weight for gap in gaps) == pytest.approx(1.0)


def test_refusal_speaks_up_when_there_is_reason() -> None:
    sure = Confidence(0.5, 3, 1)
    assert refusal_text(3, [], sure) is None
    assert "Mars" in str(refusal_text(3, [Gap("Mars", 0.6, False)], sure))
    assert refusal_text(3, [Gap("Mars", 0.4, False)], sure) is None
    assert refusal_text(0, [], Confidence(0.0, 0, 0)) == "No passage touches this question."
    assert refusal_text(3, [Gap("Mars", 0.1, True)], Confidence(0.5, 3, 1, probability=0.1)) is not None
    assert refusal_text(3, [], Confidence(0.5, 3, 1, probability=0.9)) is None


def test_themes_hold_every_passage_once(snapshot: Snapshot) -> None:
    found = themes(snapshot, [0, 1, 3], [4.0, 2.0, 1.0])
    assert sorted(name for theme in found for name in theme.passages) == ["d0#0", "d1#0", "d3#0"]
    assert sum(theme.energy for theme in found) == pytest.approx(7.0)
    assert all(theme.label for theme in found)
    assert themes(snapshot, [], []) == ()


def test_ledger_in_words() -> None:
    books = Ledger(injected=10.0, held=8.0, dissipated=1.0, exclusion=1.0)
    assert ledger_line(books) == "injected 10.000 = held 8.000 + dissipated 1.000 + exclusion 1.000"
    assert ledger_values(books)["destroyed"] == 1.0


def test_confidence_shows_the_triple() -> None:
    assert str(Confidence(0.5, 3, 2)) == "not calibrated (energy 0.500, nodes 3, depth 2)"
    assert str(Confidence(0.5, 3, 2, probability=0.75)).startswith("0.75")
