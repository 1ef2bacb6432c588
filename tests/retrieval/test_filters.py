"""Conditions on documents: a filtered search behaves as if only the matching ones were there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gossamer import Document, build_index, open_index
from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.retrieval.filters import parse_where
from gossamer.retrieval.pipeline import SpectRAGRetrieval

QUESTION = "Where does the Helix laboratory work?"
DOCUMENTS = [
    Document(
        "north/2023/a.md", "The Helix laboratory works in Oslo.", title="Helix North", metadata={"date": "2023-03-01"}
    ),
    Document(
        "north/2024/b.md",
        "The Helix laboratory works in Bergen now.",
        metadata={"date": "2024-06-01", "tags": ["move", "lab"]},
    ),
    Document("south/c.md", "The Helix laboratory works in Pune too.", metadata={"source": "Field notes", "level": 3}),
    Document("d.md", "A Helix laboratory works on every continent."),
    *[Document(f"noise/{i}.md", f"Helix laboratory memo {i} says where the laboratory works.") for i in range(30)],
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SpectRAGRetrieval:
    folder: Path = tmp_path_factory.mktemp("where") / "index"
    build_index(DOCUMENTS, folder)
    return open_index(folder)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ({"namespace": "north"}, {"north/2023/a.md", "north/2024/b.md"}),
        ({"namespace": ""}, {"d.md"}),
        ({"namespace": ["south", ""]}, {"south/c.md", "d.md"}),
        ({"path": "north/*/b.md"}, {"north/2024/b.md"}),
        ({"document": "south/c.md"}, {"south/c.md"}),
        ({"title": "Helix*"}, {"north/2023/a.md"}),
        ({"source": "Field*"}, {"south/c.md"}),
        ({"source": "d.md"}, {"d.md"}),
        ({"after": "2024"}, {"north/2024/b.md"}),
        ({"before": "2023-12-31"}, {"north/2023/a.md"}),
        ({"after": "2023-03-01", "before": "2024-12"}, {"north/2023/a.md", "north/2024/b.md"}),
        ({"tags": "lab"}, {"north/2024/b.md"}),
        ({"level": 3}, {"south/c.md"}),
        ({"level": 4}, set()),
        ({"namespace": "north", "level": 3}, set()),
    ],
)
def test_every_way_of_asking_keeps_to_the_matching_documents(
    index: SpectRAGRetrieval, where: dict[str, Any], found: set[str]
) -> None:
    assert {p.document for p in index.search(QUESTION, 1000, where=where).passages} == found
    assert {p.document for p in index.rank(QUESTION, 20, where=where).passages} == found
    assert {p.document for p in index.retrieve(QUESTION, where=where).passages} == found
    coloured = index.retrieve_colored(["Helix", "laboratory"], QUESTION, where=where)
    assert {p.document for p in coloured.passages} <= found


@pytest.mark.parametrize("where", [None, {}])
def test_no_condition_changes_nothing(index: SpectRAGRetrieval, where: dict[str, Any] | None) -> None:
    plain, asked = index.search(QUESTION, 500), index.search(QUESTION, 500, where=where)
    assert [p.id for p in plain.passages] == [p.id for p in asked.passages]


def test_a_filter_gives_the_passages_of_an_index_of_the_matching_documents(
    index: SpectRAGRetrieval, tmp_path: Path
) -> None:
    part = [document for document in DOCUMENTS if document.id.startswith("noise/1")]
    build_index(part, tmp_path / "part")
    with open_index(tmp_path / "part") as alone:
        wanted = {p.id for p in alone.search("memo 12 and memo 14", 1000).passages}
    assert {p.id for p in index.search("memo 12 and memo 14", 1000, where={"path": "noise/1*"}).passages} == wanted


def test_wrong_conditions_say_what_to_do(index: SpectRAGRetrieval) -> None:
    with pytest.raises(UsageError, match=r"'colour'.*Filter by one of: after.*tags"):
        index.search(QUESTION, where={"colour": "red"})
    with pytest.raises(UsageError, match="is no date"):
        index.search(QUESTION, where={"after": "soon"})
    with pytest.raises(UsageError, match="one date"):
        index.search(QUESTION, where={"after": ["2020", "2021"]})
    with pytest.raises(ArgumentTypeError, match="Pass a mapping"):
        index.search(QUESTION, where=["path"])  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no key and value"):
        parse_where(["reports"])


def test_a_condition_that_nothing_fulfils_is_said(index: SpectRAGRetrieval) -> None:
    for found in (index.search(QUESTION, where={"path": "lost/*"}), index.retrieve(QUESTION, where={"path": "lost/*"})):
        assert found.passages == ()
        assert "No document fulfils where={'path': 'lost/*'}." in found.warnings


def test_a_glob_with_brackets_is_text_not_a_pattern_error(index: SpectRAGRetrieval) -> None:
    assert index.search(QUESTION, where={"path": "[north"}).passages == ()
