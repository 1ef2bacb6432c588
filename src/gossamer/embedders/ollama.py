"""Embeddings from an Ollama server, by its /api/embed call."""

from __future__ import annotations

from gossamer.embedders.http import JsonServer
from gossamer.embedders.options import EmbedderOptions
from gossamer.embedders.served import ServedEmbedder
from gossamer.errors import EmbeddingError

DEFAULT_URL = "http://127.0.0.1:11434"


class OllamaEmbedder(ServedEmbedder):
    """One model of an Ollama server. The server cuts a text that is longer than `max_tokens`."""

    protocol = "ollama"

    def __init__(self, model: str, server: JsonServer, options: EmbedderOptions) -> None:
        super().__init__(model, server, options)
        self._limit: int | None = None
        self._limit_asked = False

    @property
    def max_tokens(self) -> int | None:  # type: ignore[override]
        """Context length of the model, asked from the server once; None when it does not say."""
        if not self._limit_asked:
            self._limit, self._limit_asked = self._ask_limit(), True
        return self._limit

    def _ask_limit(self) -> int | None:
        try:
            answer = self._server.post("/api/show", {"model": self._model}, retries=0)
        except EmbeddingError:
            return None  # a server that is down is reported by the first call of `embed`
        info = answer.get("model_info") if isinstance(answer, dict) else None
        for key, value in info.items() if isinstance(info, dict) else ():
            if key.endswith(".context_length") and isinstance(value, int):
                return value
        return None

    def _request(self, batch: list[str]) -> object:
        answer = self._server.post("/api/embed", {"model": self._model, "input": batch, "truncate": True})
        vectors = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(vectors, list):
            raise EmbeddingError(
                f"{self._server.base_url} answered without 'embeddings'. Check that it is an Ollama server."
            )
        return vectors


def build(rest: str, options: EmbedderOptions) -> OllamaEmbedder:
    """The embedder of `ollama:MODEL`."""
    server = JsonServer(
        options.base_url or DEFAULT_URL,
        api_key_env=options.api_key_env,
        timeout=options.timeout,
        retries=options.retries,
        hint=f"Start the server (ollama serve), fetch the model (ollama pull {rest}), or give base_url.",
    )
    return OllamaEmbedder(rest, server, options)
