"""What a named embedder can be told, and the prefixes that known models were trained with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gossamer.embedders.protocol import Kind
from gossamer.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What is put before a question and before a passage."""

    query: str = ""
    passage: str = ""

    def apply(self, texts: Sequence[str], kind: Kind) -> list[str]:
        """`texts` with the prefix of their kind, lone surrogates replaced.

        >>> Prefixes("query: ", "passage: ").apply(["Where is Pune?"], "query")
        ['query: Where is Pune?']
        """
        prefix = self.query if kind == "query" else self.passage
        return [prefix + encodable(text) for text in texts]


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """Options of `make_embedder`; a prefix of None is the model's own. Times in seconds."""

    query_prefix: str | None = None
    passage_prefix: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    batch_size: int = 32
    timeout: float = 60.0
    retries: int = 4

    def prefixes(self, default: Prefixes) -> Prefixes:
        """The given prefixes, `default` where none is given."""
        return Prefixes(
            query=default.query if self.query_prefix is None else self.query_prefix,
            passage=default.passage if self.passage_prefix is None else self.passage_prefix,
        )

    def refuse_prefixes(self, name: str) -> None:
        """Raise SettingsError when a prefix is given to an embedder that reads no text."""
        if self.query_prefix or self.passage_prefix:
            raise SettingsError(f"Embedder {name!r} reads no text, so it takes no prefix. Remove the prefix.")


def known_prefixes(model: str) -> Prefixes:
    """Prefixes that the named model was trained with, empty for an unknown model.

    Knows nomic-embed-text and the e5 family (not its instruct models, whose query prefix states a task).

    >>> known_prefixes("nomic-embed-text:v1.5").passage, known_prefixes("intfloat/e5-small-v2").query
    ('search_document: ', 'query: ')
    """
    label = model.lower()
    if "nomic-embed-text" in label:
        return Prefixes(query="search_query: ", passage="search_document: ")
    if re.search(r"(?:^|[/_-])e5-", label) and "instruct" not in label:
        return Prefixes(query="query: ", passage="passage: ")
    return Prefixes()


def encodable(text: str) -> str:
    """`text` with lone surrogates replaced, which neither JSON nor a tokenizer carries."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
