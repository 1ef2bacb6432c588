from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import DocumentError, UsageError
from gossamer.evaluation.datasets import Question, load_dataset

CORPUS = [
    {"id": "a", "title": "Orion", "text": "Orion was led by Mara Lind.", "group": "g1", "doc_type": "correct"},
    {"id": "b", "text": "Mara Lind was born in Oslo.", "group": "g1"},
    {"id": "c", "title": None, "text": "Pune has a lab.", "group": "g2"},
]
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "question": "Where was the leader of Orion born?",
        "gold": ["a", "b"],
        "answer": "Oslo",
        "group": "g1",
    },
    {"id": 2, "question": "Where is the lab?", "gold": ["c"], "answer": ["Pune"], "hops": 1, "group": "g2"},
    {"id": "q3", "question": "Who knows?", "gold": [], "type": "null_query", "group": "g2"},
]


def write(path: Path, rows: list[Any]) -> None:
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n"
    if path.suffix == ".gz":
        with gzip.open(path, "wt", encoding="utf-8") as handle:
            handle.write(text)
    else:
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "small"
    made.mkdir()
    write(made / "corpus.jsonl", CORPUS)
    write(made / "questions.jsonl.gz", QUESTIONS)
    return made


def test_a_folder_is_read_whether_gzipped_or_not(folder: Path) -> None:
    data = load_dataset(folder)
    assert data.name == "small"
    assert [(d.id, d.title) for d in data.documents] == [("a", "Orion"), ("b", ""), ("c", "")]
    assert data.groups == {"a": "g1", "b": "g1", "c": "g2"}
    first, second, third = data.questions
    assert first.gold == (("a",), ("b",))
    assert first.answers == (("Oslo",),)
    assert first.hops == 2
    assert (second.id, second.hops, second.answers) == ("2", 1, (("Pune",),))
    assert third.null
    assert not first.null
    assert data.notices == ()


def test_labels_of_the_corpus_are_not_handed_on(folder: Path) -> None:
    assert all(not document.metadata for document in load_dataset(folder).documents)


def test_gold_groups_and_spellings(folder: Path) -> None:
    rows = [
        {
            "id": "q",
            "question": "w?",
            "gold": ["a"],
            "gold_groups": [["a", "b", "a"], ["c"], []],
            "answer": [["x", "y"], "z"],
        },
        {"id": "r", "question": "w?", "gold": ["a", "a"], "answer": "x", "answer_aliases": ["y"]},
    ]
    write(folder / "other.jsonl", rows)
    first, second = load_dataset(folder, questions="other.jsonl").questions
    assert first.gold == (("a", "b"), ("c",))
    assert first.answers == (("x", "y"), ("z",))
    assert second.gold == (("a",),)
    assert second.answers == (("x", "y"),)


def test_shuffling_is_seeded_and_changes_nothing_else(folder: Path) -> None:
    data = load_dataset(folder)
    assert data.shuffled(1).documents == data.shuffled(1).documents
    assert any(data.shuffled(seed).documents != data.documents for seed in range(5))
    assert data.shuffled(1).fingerprint == data.fingerprint
    assert data.without_titles().fingerprint != data.fingerprint
    assert {d.title for d in data.without_titles().documents} == {""}
    assert len(data.limited(1).questions) == 1
    assert data.limited(None) == data


def test_groups_become_data_sets_of_their_own(folder: Path) -> None:
    parts = load_dataset(folder).by_group()
    assert [[d.id for d in part.documents] for part in parts] == [["a", "b"], ["c"]]
    assert [[q.id for q in part.questions] for part in parts] == [["q1"], ["2", "q3"]]


def test_a_question_without_a_group_cannot_be_grouped(folder: Path) -> None:
    write(folder / "other.jsonl", [{"id": "q", "question": "w?", "gold": ["a"]}])
    with pytest.raises(UsageError, match="'q' of small names no group"):
        load_dataset(folder, questions="other.jsonl").by_group()


def test_more_passages_can_be_added(folder: Path) -> None:
    write(folder / "more.jsonl.gz", [CORPUS[0], {"id": "d", "text": "More."}])
    data = load_dataset(folder, also=["more.jsonl"])
    assert [d.id for d in data.documents] == ["a", "b", "c", "d"]
    assert [(n.name, n.count) for n in data.notices] == [("passages-given-twice", 1)]
    write(folder / "more.jsonl.gz", [{"id": "a", "text": "Another text."}])
    with pytest.raises(DocumentError, match=r"more.jsonl.gz, line 1: id 'a' was given before"):
        load_dataset(folder, also=["more.jsonl"])


def test_gold_that_is_not_there_is_counted(folder: Path) -> None:
    rows = [{"id": "q", "question": "w?", "gold": ["a", "a#0", "gone", "away#1"]}]
    write(folder / "other.jsonl", rows)
    data = load_dataset(folder, questions="other.jsonl")
    assert [(n.name, n.count) for n in data.notices] == [("gold-not-in-corpus", 2)]
    assert "away#1, gone" in data.notices[0].message


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (['{"id": "a", "text": "x"}', "nonsense"], r"corpus.jsonl, line 2 is not JSON"),
        (["", '{"id": "a"}'], r"line 2: the field 'text' is missing"),
        (['{"text": "x"}'], r"line 1: the field 'id' is missing"),
        (['{"id": "", "text": "x"}'], r"line 1: the field 'id' is not a non-empty string"),
        (['{"id": "a", "text": 3}'], r"line 1: the field 'text' is not a string"),
        (['{"id": "a", "text": "x", "title": 3}'], r"line 1: the field 'title' is not"),
        (["[1]"], r"line 1 holds a list, not an object"),
        (['{"id": "a", "text": "x"}', '{"id": "a", "text": "x"}'], r"line 2: id 'a' was given before"),
        ([""], r"holds no passages"),
    ],
)
def test_a_wrong_corpus_names_the_line(folder: Path, rows: list[str], message: str) -> None:
    write(folder / "corpus.jsonl", rows)
    with pytest.raises(DocumentError, match=message):
        load_dataset(folder)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (['{"id": "q", "gold": []}'], r"line 1: the field 'question' is missing"),
        (['{"id": "q", "question": " ", "gold": []}'], r"line 1: the field 'question' is not a non-empty string"),
        (['{"id": "q", "question": "w?"}'], r"line 1: the field 'gold' is missing.*\[\] if none"),
        (['{"id": "q", "question": "w?", "gold": "a"}'], r"line 1: 'gold' is not a list"),
        (['{"id": "q", "question": "w?", "gold_groups": ["a"]}'], r"line 1: 'gold_groups' is not a list of lists"),
        (['{"id": true, "question": "w?", "gold": []}'], r"line 1: the field 'id' is not"),
        (['{"id": "q", "question": "w?", "gold": []}'] * 2, r"line 2: question id 'q' was given before"),
        ([""], r"has no questions"),
    ],
)
def test_wrong_questions_name_the_line(folder: Path, rows: list[str], message: str) -> None:
    write(folder / "q.jsonl", rows)
    with pytest.raises(UsageError, match=message):
        load_dataset(folder, questions="q.jsonl")


def test_missing_files_are_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UsageError, match=r"is not a folder"):
        load_dataset(tmp_path / "none")
    with pytest.raises(UsageError, match=r"There is no corpus.jsonl \(or .gz\)"):
        load_dataset(tmp_path)
    with pytest.raises(UsageError, match=r"There is no gone.jsonl"):
        load_dataset(folder, questions="gone.jsonl")


def test_broken_bytes_are_an_error_of_ours(folder: Path) -> None:
    (folder / "questions.jsonl.gz").write_bytes(b"not gzip at all")
    with pytest.raises(UsageError, match="is not a whole gzip file"):
        load_dataset(folder)
    whole = gzip.compress(b'{"id": "q", "question": "w?", "gold": []}\n' * 200)
    (folder / "questions.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UsageError, match="is not a whole gzip file"):
        load_dataset(folder)
    (folder / "corpus.jsonl").write_bytes(b'{"id": "a", "text": "\xff"}\n')
    with pytest.raises(DocumentError, match="is not UTF-8"):
        load_dataset(folder)


def test_a_byte_order_mark_is_no_trouble(folder: Path) -> None:
    (folder / "corpus.jsonl").write_bytes(b"\xef\xbb\xbf" + json.dumps(CORPUS[0]).encode() + b"\n")
    assert [d.id for d in load_dataset(folder).documents] == ["a"]


def test_adversarial_questions_are_null_though_they_have_gold() -> None:
    assert Question("q", "w?", gold=(("a",),), kind="adversarial").null
