"""Embeddings from any server that speaks OpenAI's embeddings call."""

from __future__ import annotations

from typing import Any

from gossamer.embedders.http import JsonServer
from gossamer.embedders.options import EmbedderOptions
from gossamer.embedders.served import ServedEmbedder
from gossamer.errors import EmbeddingError

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_KEY_ENV = "OPENAI_API_KEY"

_LARGEST_REQUEST = 2048
_KNOWN_LIMITS = {
    "text-embedding-3-small": 8191,
    "text-embedding-3-large": 8191,
    "text-embedding-ada-002": 8191,
}


class OpenAIEmbedder(ServedEmbedder):
    """One model of an OpenAI-compatible server (its POST /embeddings)."""

    protocol = "openai"

    def __init__(self, model: str, server: JsonServer, options: EmbedderOptions) -> None:
        super().__init__(model, server, options)
        self.max_tokens = _KNOWN_LIMITS.get(model)
        self._batch_size = min(self._batch_size, _LARGEST_REQUEST)

    def _request(self, batch: list[str]) -> object:
        body = {"model": self._model, "input": batch, "encoding_format": "float"}
        answer = self._server.post("/embeddings", body)
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(_is_embedding(item) for item in data):
            raise EmbeddingError(
                f"{self._server.base_url} answered without 'data' of 'embedding' lists. Check that it is an "
                "OpenAI-compatible server and that the model makes embeddings."
            )
        return self._in_text_order(data)

    def _in_text_order(self, data: list[dict[str, Any]]) -> list[Any]:
        """The embeddings by their `index`, which tells the text; by place where a server leaves it out."""
        by_index = {item.get("index", place): item["embedding"] for place, item in enumerate(data)}
        if set(by_index) != set(range(len(data))):
            raise EmbeddingError(
                f"{self._server.base_url} did not number its {len(data)} embeddings from 0 to {len(data) - 1}. "
                "Use a server that keeps to the protocol."
            )
        return [by_index[place] for place in range(len(data))]


def _is_embedding(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("embedding"), list) and isinstance(item.get("index", 0), int)


def build(rest: str, options: EmbedderOptions) -> OpenAIEmbedder:
    """The embedder of `openai:MODEL`. Only OpenAI's own address is sent the key of OPENAI_API_KEY unasked."""
    server = JsonServer(
        options.base_url or DEFAULT_URL,
        api_key_env=options.api_key_env or (None if options.base_url else DEFAULT_KEY_ENV),
        timeout=options.timeout,
        retries=options.retries,
        hint="Check the model name, that the server runs and that base_url is right, or raise timeout and retries.",
    )
    return OpenAIEmbedder(rest, server, options)
