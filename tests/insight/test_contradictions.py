from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import MissingExtraError, UsageError
from gossamer.insight.contradictions import Conflict, find_conflicts
from gossamer.insight.entailment import CrossEncoderEntailment

BASE = "Helix Labs opened its second telescope in Pune on 4 May 2019 with a budget of $2.4 million and forty engineers."


def only(texts: list[str], **options: object) -> Conflict:
    (found,) = find_conflicts(texts, **options)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Pune", "Oslo", "name"),
        ("$2.4 million", "$24 million", "number"),
        ("4 May 2019", "9 June 2020", "date"),
        ("forty", "thirty", "number"),
        ("opened", "never opened", "negation"),
        ("Helix Labs", "Corvid Institute", "name"),
    ],
)
def test_one_changed_value_in_a_copy(old: str, new: str, kind: str) -> None:
    found = only([BASE, BASE.replace(old, new)])
    assert (found.i, found.j, found.kind) == (0, 1, kind)
    assert old.split()[0] in found.left
    assert new.split()[0] in found.right
    assert found.left in found.question and found.right in found.question
    mirrored = only([BASE.replace(old, new), BASE])
    assert (mirrored.kind, mirrored.left, mirrored.right) == (kind, found.right, found.left)


@pytest.mark.parametrize(
    "copy",
    [
        BASE,
        BASE.upper().capitalize(),
        BASE.replace("4 May 2019", "May 4, 2019"),
        BASE.replace("4 May 2019", "2019"),
        BASE.replace("$2.4 million", "$2,400,000"),
        BASE.replace("Helix Labs", "Helix"),
        "With a budget of $2.4 million and forty engineers, Helix Labs opened its second telescope in Pune on 4 May 2019.",
        BASE.replace(" and forty engineers", ""),
        f"Breaking news: {BASE}",
        BASE.replace("opened", "inaugurated"),
    ],
)
def test_copies_that_agree(copy: str) -> None:
    assert find_conflicts([BASE, copy]) == []


def test_paraphrases_that_oppose() -> None:
    found = only(["Helix Labs has its head office in Pune.", "In Oslo stands the head office of Helix Labs. It rains."])
    assert (found.kind, found.left, found.right, found.subject) == ("name", "Pune", "Oslo", "Helix Labs")
    found = only(["Dogs are allowed in Helix Park on Sundays.", "No dogs are allowed in Helix Park on Sundays."])
    assert found.kind == "negation"


def test_opposite_words() -> None:
    assert (
        only(["The board of Helix Labs approved the plan.", "The board of Helix Labs rejected the plan."]).kind
        == "negation"
    )


def test_different_years_are_different_events() -> None:
    texts = [
        "In 2018 the final in Pune was won by Ann Rao after two sets.",
        "In 2019 Bo Lind won a final held in Pune.",
    ]
    assert find_conflicts(texts) == []


def test_unrelated_texts() -> None:
    assert find_conflicts(["Pune lies on the Deccan plateau.", "The canteen opens at 12.", "", "…"]) == []


def test_a_question_finds_differing_answers() -> None:
    texts = [
        "Orion: the project was founded in 1998 by two friends.",
        "People say that Orion was founded back in 2003.",
    ]
    question = "When was Orion founded?"
    assert find_conflicts(texts) == []
    found = only(texts, question=question)
    assert (found.kind, found.left, found.right) == ("date", "1998", "2003")
    assert found.question.startswith(question)
    assert find_conflicts([texts[0], "Orion was founded around 1998, others say 2003."], question=question) == []


def test_less_sure_answers_on_request() -> None:
    texts = ["Its tower dates from 1998, they say.", "Others are certain: the tower stood long before, in 1903."]
    question = "When was Orion built?"
    assert find_conflicts(texts, question=question) == []
    assert only(texts, question=question, answer_strength=0.0).left == "1998"
    with pytest.raises(UsageError, match="answer_strength"):
        find_conflicts(texts, answer_strength=2)


def test_a_year_in_the_question_must_be_in_both() -> None:
    texts = ["The 2018 final was won by Ann Rao of Pune.", "The 2019 final was won by Bo Lind of Oslo."]
    assert find_conflicts(texts, question="Who won the 2019 final?", answer_strength=0.0) == []


def test_an_open_question_lets_words_oppose() -> None:
    texts = ["The Lost Harbour is a novel about two sisters.", "The Lost Harbour is a musical about two sisters."]
    assert find_conflicts(texts) == []
    assert only(texts, question="What kind of work is it?").kind == "term"


def test_candidates_limit_the_pairs() -> None:
    texts = [BASE, BASE.replace("Pune", "Oslo"), BASE.replace("Pune", "Rome")]
    assert [(c.i, c.j) for c in find_conflicts(texts)] == [(0, 1), (0, 2), (1, 2)]
    assert [(c.i, c.j) for c in find_conflicts(texts, candidates=[(2, 1), (1, 2)])] == [(1, 2)]
    for bad in ((0, 3), (1, 1), (-1, 0)):
        with pytest.raises(UsageError, match="candidates"):
            find_conflicts(texts, candidates=[bad])


def test_an_entailment_model_adds_and_takes_back() -> None:
    texts = ["The lift is out of order.", "Everyone took the lift today.", "It rains."]

    def judge(pairs: list[tuple[str, str]]) -> list[tuple[float, float, float]]:
        return [(0.0, 0.1, 0.9) if "lift" in a and "lift" in b else (0.1, 0.9, 0.0) for a, b in pairs]

    found = only(texts, nli=judge)
    assert (found.i, found.j, found.kind, found.strength) == (0, 1, "entailment", 0.9)

    question = "When was Orion founded?"
    doubtful = [
        "Orion: the project was founded in 1998 by two friends.",
        "People say that Orion was founded back in 2003.",
    ]
    assert find_conflicts(doubtful, question=question)
    assert find_conflicts(doubtful, question=question, nli=lambda pairs: [(0.0, 1.0, 0.0)] * len(pairs)) == []
    copies = [BASE, BASE.replace("Pune", "Oslo")]
    assert find_conflicts(copies, nli=lambda pairs: [(0.0, 1.0, 0.0)] * len(pairs))
    with pytest.raises(UsageError, match="verdicts"):
        find_conflicts(texts, nli=lambda pairs: [])


def test_the_adapter_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    model = CrossEncoderEntailment("no/such-model")
    assert model([]) == []
    with pytest.raises(MissingExtraError):
        model([("a", "b")])


def test_the_adapter_orders_the_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    import types

    class Model:
        def __init__(self, name: str) -> None:
            labels = {0: "CONTRADICTION", 1: "entailment", 2: "neutral"}
            self.model = types.SimpleNamespace(config=types.SimpleNamespace(id2label=labels))

        def predict(self, pairs: list[list[str]], **options: object) -> list[list[float]]:
            return [[5.0, 0.0, 0.0] for _ in pairs]

    package = types.ModuleType("sentence_transformers")
    package.CrossEncoder = Model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    ((entailed, neutral, opposed),) = CrossEncoderEntailment("x")([("a", "b")])
    assert opposed > 0.98 and entailed == neutral
    assert entailed + neutral + opposed == pytest.approx(1)


def test_plain_values() -> None:
    found = only([BASE, BASE.replace("Pune", "Oslo")])
    assert json.loads(json.dumps(found.to_dict()))["left"] == "Pune"


PIECES = st.sampled_from(
    ["Helix Labs", "Pune", "Oslo", "is", "not", "in", "2019", "2021", "40", "staff", ".", "the", "opened", "智利"]
)
TEXTS = st.lists(st.lists(PIECES, max_size=12).map(" ".join), max_size=5)


@settings(max_examples=60)
@given(TEXTS)
def test_any_texts(texts: list[str]) -> None:
    found = find_conflicts(texts, question="When was Helix Labs opened?")
    assert found == find_conflicts(texts, question="When was Helix Labs opened?")
    assert all(0 <= c.i < c.j < len(texts) and 0 < c.strength <= 1 and texts[c.i] != texts[c.j] for c in found)
    assert [c.strength for c in found] == sorted((c.strength for c in found), reverse=True)
    assert len({(c.i, c.j) for c in found}) == len(found)


@pytest.mark.parametrize(
    "pair",
    [
        ("Helix Pune is big. " * 400, "Helix Oslo is big. " * 400),
        ("May 1 " * 2000, "May 2 " * 2000),
        ("a b " * 500 + "2019", "b a " * 500 + "2020"),
        ("1" * 50_000, "1." * 50_000),
        ("don't" * 10_000, "A." * 10_000),
    ],
)
def test_hostile_texts_end(pair: tuple[str, str]) -> None:
    assert len(find_conflicts(list(pair), question="When was Helix built?", answer_strength=0.0)) <= 1


def test_the_ready_question_is_the_askers_only_where_it_is_about_the_dispute() -> None:
    texts = ["Helix Labs has its head office in Pune.", "The head office of Helix Labs is in Oslo."]
    (asked,) = find_conflicts(texts, question="Where is the head office of Helix Labs?")
    assert asked.question == 'Where is the head office of Helix Labs? One passage says "Pune", another "Oslo".'
    (beside,) = find_conflicts(texts, question="Who pays for Orion?")
    assert beside.question == 'Which is right about Helix Labs: "Pune" or "Oslo"?'
