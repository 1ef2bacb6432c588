from __future__ import annotations

import pytest

from gossamer.ingestion.chunk import chunk_document
from gossamer.ingestion.references import find_references, resolve_references
from gossamer.model import Document


def linked(*documents: Document, tokens: int = 30) -> set[tuple[str, str]]:
    chunks = [
        chunk
        for document in documents
        for chunk in chunk_document(
            document, count=lambda text: len(text.split()), chunk_tokens=tokens, overlap_tokens=0, min_tokens=0
        )[0]
    ]
    pairs = resolve_references(chunks, documents)
    assert pairs == sorted(set(pairs))
    assert all(first != second for first, second in pairs)
    return {(chunks[first].id, chunks[second].id) for first, second in pairs}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see Section 2.1, 3 and 4.2", [("section", "2.1"), ("section", "3"), ("section", "4.2")]),
        ("§4 und Abschnitt 7", [("section", "4"), ("section", "7")]),
        ("参见第3节", [("section", "3")]),
        ("intersection 5", []),
        ("(notes.md) and a/b.py", [("file", "notes.md"), ("file", "a/b.py")]),
        ("version 1.2, e.g. this", []),
        ("[x](a.md#b) [y](c_(d).md)", [("link", "a.md#b"), ("link", "c_(d).md")]),
        ("`t <a.rst>`_ and <a href='q.html'>q</a>", [("link", "a.rst"), ("link", "q.html")]),
        ("[Text][The Lens] and [lens][]", [("label", "the lens"), ("label", "lens")]),
        ("[[Pune#Staff|people]]", [("wiki", "Pune#Staff")]),
        ("http://example.org/page.html", []),
        ("Section 2.1 of the file `lens.md`, Section 3", [("part", "lens.md#2.1"), ("section", "3")]),
        ("see a/lens.md (section 4) and §5", [("part", "a/lens.md#4"), ("section", "5")]),
    ],
)
def test_find_references(text: str, found: list[tuple[str, str]]) -> None:
    assert find_references(text) == found


def test_section_numbers_within_one_document() -> None:
    text = "# 1 Start\nSee Section 2.1 for data.\n# 2 Middle\nWords.\n## 2.1 Data\nForty rows."
    assert linked(Document("a.md", text), Document("b.md", "Section 2.1 is elsewhere.")) == {("a.md#0", "a.md#2")}


def test_files_links_and_anchors() -> None:
    lens = Document("parts/lens.md", "# Lens\n\nRound.\n\n## Old glass\n\nNew.\n\n## Mount {#the-mount}\n\nSteel.")
    index = Document("index.md", "[all](parts/lens.md), [glass](parts/lens.md#old-glass), [m](/parts/lens#the-mount).")
    beside = Document("parts/other.md", "See lens.md or [top](../index.md) or [gone](missing.md).")
    assert linked(lens, index, beside) == {
        ("index.md#0", "parts/lens.md#0"),
        ("index.md#0", "parts/lens.md#1"),
        ("index.md#0", "parts/lens.md#2"),
        ("parts/other.md#0", "parts/lens.md#0"),
        ("parts/other.md#0", "index.md#0"),
    }


def test_labels_wiki_pages_and_ids_that_are_addresses() -> None:
    first = Document("a", "# A\nSee [the page][].\n\n# B\nOther.\n\n[the page]: https://example.org/x")
    second = Document("https://example.org/x", "[[Pune#Staff]] and [[orion]].")
    third = Document("places/pune.md", "# Office\nText.\n# Staff\nForty.", title="Pune")
    fourth = Document("Orion.md", "Text.")
    assert linked(first, second, third, fourth) == {
        ("a#0", "https://example.org/x#0"),
        ("https://example.org/x#0", "places/pune.md#1"),
        ("https://example.org/x#0", "Orion.md#0"),
    }


def test_ambiguous_names_give_nothing_but_the_nearer_file_wins() -> None:
    documents = [Document(f"{folder}/readme.md", "Text.") for folder in "ab"]
    asks = [Document("a/x.md", "See readme.md."), Document("x.md", "See readme.md.")]
    assert linked(*documents, *asks) == {("a/x.md#0", "a/readme.md#0")}


def test_anchor_of_another_document_by_label() -> None:
    lens = Document("lens.rst", "# Lens {#the-lens}\n\nGlass.")
    assert linked(lens, Document("a.rst", "See [it](#the-lens).")) == {("a.rst#0", "lens.rst#0")}


def test_repeated_headings_have_numbered_anchors() -> None:
    text = "[one](#notes) [two](#notes-1)\n# Notes\nA.\n# Notes\nB."
    assert linked(Document("a.md", text)) == {("a.md#0", "a.md#1"), ("a.md#0", "a.md#2")}


def test_hostile_texts() -> None:
    for text in ["a." * 100_000, "](x" * 50_000, "[" * 100_000, "§1," * 50_000, "a/" * 100_000, "`<" * 50_000]:
        find_references(text)


def test_a_numbered_section_of_another_file() -> None:
    lens = Document("lens.md", "# 1 Start\nWords.\n# 2 Glass\nNew.")
    here = Document(
        "a.md", "# 2 Here\nSee Section 2 of lens.md for the glass.\n# 3 More\nlens.md, section 9 says more."
    )
    assert linked(lens, here) == {("a.md#0", "lens.md#1"), ("a.md#1", "lens.md#0")}
    assert linked(here) == set()
