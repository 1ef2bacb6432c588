from __future__ import annotations

from pathlib import Path

import pytest

from gossamer import Document, build_index, open_index
from gossamer.errors import SettingsError
from gossamer.insight.wording import left_out_by


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who makes steel without Krupp or the Thyssen works?", ["Krupp", "Thyssen"]),
        ("Which projects, not Orion, use tungsten?", ["Orion"]),
        ("Which projects but not Orion use tungsten?", ["Orion"]),
        ("Reports except for the Bank of England", ["Bank of England"]),
        ("Which artists except Kenny G's band?", ["Kenny G"]),
        ("Which countries other than the Czech Republic border Poland?", ["Czech Republic"]),
        ("Without Helix Labs, who builds Orion?", ["Helix Labs"]),
        ('steel excluding "low carbon"', ["low carbon"]),
        ("steel without any mention of Krupp", ["Krupp"]),
        ("steel without “Krupp AG”, “Thyssen” and Voest", ["Krupp AG", "Thyssen", "Voest"]),
        ("steel without Krupp and without krupp and without Krupp", ["Krupp"]),
    ],
)
def test_names_after_words_of_exclusion(question: str, names: list[str]) -> None:
    assert [found.name for found in left_out_by(question)] == names


@pytest.mark.parametrize(
    "question",
    [
        'Who is the artist of "Without You I\'m Nothing"?',
        'Who is the author of "Why I Am Not Orion"?',
        "Which film came first, I'M Not Angry! or Orion?",
        "Is Andrew the founder of a not-for-profit outlet?",
        "How do I check for a keypress without blocking?",
        "Which town, not only Pune, has a canteen?",
        "Which articles other than those of May 2023 report it?",
        "Which articles except November 18, 2023 report it?",
        'In "Life without Krupp", who works without Krupp?',
        "Does Orion not fly?",
        "without",
        "",
        "without " * 200,
        "other than " + "A" * 5000,
    ],
)
def test_what_excludes_nothing(question: str) -> None:
    assert [found.name for found in left_out_by(question) if len(found.name) < 1000] == []


def test_plain_words_on_request() -> None:
    assert [f.name for f in left_out_by("recipes without garlic or cream", plain=True)] == ["garlic", "cream"]
    assert [f.name for f in left_out_by("recipes without fresh garlic?", plain=True)] == ["fresh garlic"]
    assert left_out_by("a party without an invitation", plain=True)[0].words == "without invitation"
    assert left_out_by("a rule without which it fails", plain=True) == ()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = [
        Document("a", "Krupp made steel in the valley."),
        Document("b", "Steel was made in the harbour works of Ostby."),
        Document("c", "Steel from the works of Krupp went to Ostby."),
    ]
    made = tmp_path_factory.mktemp("wording")
    build_index(docs, made)
    return made


def test_the_default_says_how_and_excludes_nothing(folder: Path) -> None:
    with open_index(folder) as index:
        answer = index.retrieve("Who made steel without Krupp?")
        assert {p.document for p in answer.passages} == {"a", "b", "c"} and answer.left_out == ()
        assert any('"without Krupp"' in note and '--without "Krupp"' in note for note in answer.warnings)
        assert not index.retrieve("Who made steel without Krupp?", wording="off").warnings
        given = index.retrieve("Who made steel without Krupp?", without="Krupp")
        assert not given.warnings and [(x.name, x.passages, x.words) for x in given.left_out] == [("Krupp", 2, "")]


@pytest.mark.parametrize("engine", ["flow", "wave"])
def test_names_are_left_out_on_request_and_the_answer_says_so(folder: Path, engine: str) -> None:
    with open_index(folder) as index:
        answer = index.retrieve("Who made steel without Krupp?", wording="names", engine=engine)
        assert [p.document for p in answer.passages] == ["b"]
        assert answer.to_dict()["left_out"] == [{"name": "Krupp", "passages": 2, "words": "without Krupp"}]
        assert any("--wording off" in note for note in answer.warnings)
        plain = index.retrieve("steel not from the valley, without harbour", wording="words")
        assert "b" not in {p.document for p in plain.passages}
        coloured = index.retrieve_colored(["steel", "valley"], "steel without Krupp", wording="names")
        assert [p.document for p in coloured.passages] == ["b"]
        with pytest.raises(SettingsError, match="wording"):
            index.retrieve("steel", wording="guess")
