"""Hostile text of every kind, small: it is read, cut within the limits and nothing of it is lost. Large: benchmarks/."""

from __future__ import annotations

import pytest

from gossamer.ingestion.chunk import chunk_document
from gossamer.ingestion.load import load_sources
from gossamer.ingestion.loaders import UnreadableFileError, parse_file
from gossamer.model import Document
from gossamer.text.clean import clean_text, is_blank
from gossamer.text.tokens import make_counter
from hostile import KINDS

SIZE = 40_000
LIMIT = 64


@pytest.mark.parametrize("kind", KINDS)
def test_chunks_hold_all_of_it_within_the_limit(kind: str) -> None:
    make, _ = KINDS[kind]
    text = clean_text(make(SIZE))
    count = make_counter("approx")
    chunks, _ = chunk_document(Document("a", text), count=count, chunk_tokens=LIMIT, overlap_tokens=8)
    position = 0
    for chunk in chunks:
        assert chunk.tokens == count(chunk.text) <= LIMIT
        assert is_blank(text[position : chunk.start])
        assert chunk.end > position
        position = chunk.end
    assert is_blank(text[position:])


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_it_ends_as_text_or_with_a_reason(kind: str) -> None:
    make, ending = KINDS[kind]
    data = make(SIZE).encode("utf-8", "surrogatepass")
    try:
        text = parse_file(data, f"a.{ending}").text
    except UnreadableFileError as error:
        assert str(error) == "binary file"
        assert kind in {"NULs", "control characters"}
    else:
        assert text.encode("utf-8")


@pytest.mark.parametrize("kind", ["NULs", "control characters", "lone surrogates", "right-to-left marks"])
def test_a_document_of_it_keeps_its_words(kind: str) -> None:
    make, _ = KINDS[kind]
    (loaded,) = load_sources([Document("a", make(SIZE))]).documents
    text = loaded.document.text
    assert text.encode("utf-8")
    assert not any(character < " " and character not in "\n\t" for character in text)
    assert text.count("helix") > SIZE / 200
