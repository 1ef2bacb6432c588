from __future__ import annotations

import pytest

from gossamer.embedders.options import EmbedderOptions, Prefixes, encodable, known_prefixes
from gossamer.errors import SettingsError


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("nomic-ai/nomic-embed-text-v1.5-Q", "search_query: ", "search_document: "),
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "", ""),
        ("BAAI/bge-small-en-v1.5", "", ""),
        ("all-MiniLM-L6-v2", "", ""),
    ],
)
def test_known_prefixes(model: str, query: str, passage: str) -> None:
    assert known_prefixes(model) == Prefixes(query, passage)


def test_a_given_prefix_replaces_the_known_one_and_none_does_not() -> None:
    known = Prefixes("query: ", "passage: ")
    assert EmbedderOptions().prefixes(known) == known
    assert EmbedderOptions(query_prefix="").prefixes(known) == Prefixes("", "passage: ")


def test_refused_prefix() -> None:
    EmbedderOptions(query_prefix="").refuse_prefixes("none")
    with pytest.raises(SettingsError, match="'none' reads no text"):
        EmbedderOptions(passage_prefix="x").refuse_prefixes("none")


def test_lone_surrogates_become_encodable() -> None:
    assert encodable("tail \ud83d end").encode("utf-8") == b"tail ? end"
    assert encodable("naïve 智利") == "naïve 智利"
