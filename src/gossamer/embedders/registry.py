"""From the name of an embedder to the embedder: a new backend is one new file and one line here."""

from __future__ import annotations

from collections.abc import Callable

from gossamer.embedders import (
    fast_embed,
    hashing,
    nothing,
    ollama,
    onnx,
    openai,
    sentence_transformer,
    static_model,
    vector_file,
)
from gossamer.embedders.options import EmbedderOptions
from gossamer.embedders.protocol import Embedder
from gossamer.errors import ArgumentTypeError, SettingsError

_BACKENDS: dict[str, tuple[str, Callable[[str, EmbedderOptions], Embedder]]] = {
    "hash": ("hash or hash:DIM", hashing.build),
    "none": ("none", nothing.build),
    "ollama": ("ollama:MODEL", ollama.build),
    "openai": ("openai:MODEL", openai.build),
    "sentence-transformers": ("sentence-transformers:NAME", sentence_transformer.build),
    "fastembed": ("fastembed:NAME", fast_embed.build),
    "model2vec": ("model2vec:NAME", static_model.build),
    "onnx": ("onnx:DIR", onnx.build),
    "vectors": ("vectors:FILE.npz", vector_file.build),
}
_WITHOUT_REST = frozenset({"hash", "none"})


def make_embedder(
    name: str,
    *,
    query_prefix: str | None = None,
    passage_prefix: str | None = None,
    base_url: str | None = None,
    api_key_env: str | None = None,
    batch_size: int = 32,
    timeout: float = 60.0,
    retries: int = 4,
) -> Embedder:
    """The embedder called `name`.

    `hash`, `hash:DIM`   offline vectors of spelling;  `none`   no vectors
    `ollama:MODEL`   an Ollama server;  `openai:MODEL`   any server with OpenAI's embeddings call
    `sentence-transformers:NAME`, `fastembed:NAME[@DIR]`, `model2vec:NAME`   a hub name or a local folder, by extra
    `onnx:DIR`   a folder with model.onnx and tokenizer.json, by extra
    `vectors:FILE.npz[,FILE.npz...]`   vectors computed elsewhere

    A prefix of None is the model's own. `base_url`, `api_key_env` (the name of an environment variable), `timeout` in
    seconds and `retries` are for servers. Raises SettingsError for an unknown name or an impossible part of it,
    MissingExtraError when a package is not installed, EmbeddingError when a model or file cannot be loaded.

    >>> make_embedder("hash:256").dimension
    256
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(
            f"An embedder name is a string, not a {type(name).__name__}. Wrap a function in CallableEmbedder."
        )
    kind, separator, rest = name.partition(":")
    entry = _BACKENDS.get(kind)
    if entry is None:
        raise SettingsError(f"There is no embedder {name!r}. Give one of: {', '.join(embedder_forms())}.")
    form, build = entry
    if not rest and (separator or kind not in _WITHOUT_REST):
        raise SettingsError(f"embedder = {name!r} is not complete. Give {form}.")
    options = EmbedderOptions(
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
        base_url=base_url,
        api_key_env=api_key_env,
        batch_size=batch_size,
        timeout=timeout,
        retries=retries,
    )
    return build(rest, options)


def embedder_forms() -> list[str]:
    """How each embedder is named.

    >>> embedder_forms()[:3]
    ['hash or hash:DIM', 'none', 'ollama:MODEL']
    """
    return [form for form, _ in _BACKENDS.values()]
