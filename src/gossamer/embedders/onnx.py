"""The `onnx:` embedder: a local sentence-embedding model, run by ONNX Runtime (extra `onnx`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.embedders.identity import file_hash
from gossamer.embedders.options import EmbedderOptions, Prefixes, known_prefixes
from gossamer.embedders.protocol import Kind, Vectors, check_vectors, length_sorted_batches
from gossamer.errors import EmbeddingError, MissingExtraError

DEFAULT_MAX_TOKENS = 256

_INTEGER_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxEmbedder:
    """A folder with `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`, pooled to one vector a text.

    Pooling is the mean over tokens, Σ m_t h_t / Σ m_t, or the first token where `1_Pooling/config.json` says so; a
    graph that gives one vector a text is used as it is. A text is read up to `max_tokens`: `max_seq_length` of
    `sentence_bert_config.json` where that file exists, else at most 256, and never past the model's positions.
    Special tokens in a text count as ordinary text. Raises EmbeddingError when the folder cannot be used and
    MissingExtraError without the packages.
    """

    reproducible = False
    semantic = True

    def __init__(self, folder: Path, *, prefixes: Prefixes | None = None, batch_size: int = 32) -> None:
        self.name = f"onnx:{folder}"
        self._label = folder.resolve().name
        self._batch_size = batch_size
        model = _existing(folder, "model.onnx", "onnx/model.onnx")
        tokenizer = _existing(folder, "tokenizer.json")
        self._first_token = _pools_first_token(folder)
        limit = _max_tokens(folder)
        self.max_tokens: int | None = limit
        self._tokenizer = _load_tokenizer(tokenizer, limit)
        self._session = _load_session(model)
        self._inputs = _checked_inputs(self._session, model)
        self._output = _chosen_output(self._session)
        self._prefixes = prefixes or known_prefixes(self._label)
        self._hash = file_hash([*sorted(model.parent.glob("model.onnx*")), tokenizer])
        self.dimension: int | None = self._run(["."]).shape[1]

    @property
    def identity(self) -> dict[str, Any]:
        """Kind, folder name, hash of model and tokenizer, dimension, limit and prefixes, as JSON values."""
        return {
            "kind": "onnx",
            "model": self._label,
            "hash": self._hash,
            "dimension": self.dimension,
            "max_tokens": self.max_tokens,
            "pooling": "first" if self._first_token else "mean",
            "query_prefix": self._prefixes.query,
            "passage_prefix": self._prefixes.passage,
        }

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Unit vectors of `texts`, shape (n, dimension), in batches of similar length."""
        prepared = self._prefixes.apply(texts, kind)
        result = np.zeros((len(prepared), self.dimension or 0), dtype=np.float32)
        for members in length_sorted_batches(prepared, self._batch_size):
            raw = self._run([prepared[i] for i in members])
            where = f"A batch of {len(members)} texts for {self.name!r}"
            result[members] = check_vectors(
                raw, expected_rows=len(members), dimension=self.dimension, where=where, members=members
            )
        return result

    def _run(self, texts: list[str]) -> NDArray[np.floating[Any]]:
        """Pooled output of the graph for one batch, not normalised."""
        encodings = self._tokenizer.encode_batch(texts)
        mask = np.array([row.attention_mask for row in encodings], dtype=np.int64)
        values = {
            "input_ids": np.array([row.ids for row in encodings], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([row.type_ids for row in encodings], dtype=np.int64),
            "position_ids": np.broadcast_to(np.arange(mask.shape[1]), mask.shape),
        }
        feed = {name: np.ascontiguousarray(values[name], dtype=kind) for name, kind in self._inputs.items()}
        output = np.asarray(self._session.run([self._output], feed)[0])
        if output.ndim == 2 and len(output) == len(texts):
            return output
        if output.ndim != 3 or output.shape[:2] != mask.shape:
            raise EmbeddingError(
                f"{self.name}: output {self._output!r} has shape {output.shape} for {mask.shape[0]} texts of "
                f"{mask.shape[1]} tokens. Export the model with a token or sentence embedding as output."
            )
        if self._first_token:
            return output[:, 0]
        weights = mask[:, :, None].astype(output.dtype)
        return np.asarray((output * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1))

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self._label!r}, dimension={self.dimension}, max_tokens={self.max_tokens})"


def build(rest: str, options: EmbedderOptions) -> OnnxEmbedder:
    """The embedder of `onnx:DIR`."""
    folder = Path(rest)
    prefixes = options.prefixes(known_prefixes(folder.resolve().name))
    return OnnxEmbedder(folder, prefixes=prefixes, batch_size=options.batch_size)


def _existing(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise EmbeddingError(f"onnx:{folder} has no {names[0]}. Give a folder with model.onnx and tokenizer.json.")


def _settings_file(folder: Path, name: str) -> dict[str, Any]:
    """A JSON object next to the model, empty where there is no such file."""
    path = folder / name
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise EmbeddingError(f"Cannot read {str(path)!r}: {problem}. Repair or remove the file.") from problem
    return data if isinstance(data, dict) else {}


def _max_tokens(folder: Path) -> int:
    trained = _settings_file(folder, "sentence_bert_config.json").get("max_seq_length")
    limits = [
        trained if isinstance(trained, int) and trained > 0 else DEFAULT_MAX_TOKENS,
        _settings_file(folder, "tokenizer_config.json").get("model_max_length"),
        _settings_file(folder, "config.json").get("max_position_embeddings"),
    ]
    return int(min(limit for limit in limits if isinstance(limit, (int, float)) and limit > 0))


def _pools_first_token(folder: Path) -> bool:
    modes = {
        key
        for key, value in _settings_file(folder, "1_Pooling/config.json").items()
        if key.startswith("pooling_mode_") and value is True
    }
    if modes - {"pooling_mode_mean_tokens", "pooling_mode_cls_token"} or len(modes) > 1:
        raise EmbeddingError(
            f"onnx:{folder} is pooled by {', '.join(sorted(modes))}. Only mean and first-token pooling are built in; "
            "wrap the model in a function (CallableEmbedder)."
        )
    return modes == {"pooling_mode_cls_token"}


def _load_tokenizer(path: Path, max_tokens: int) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as problem:
        raise MissingExtraError("tokenizers", "onnx", "An onnx: embedder") from problem
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as problem:  # the package raises bare Exception for a bad file
        raise EmbeddingError(f"Cannot read {str(path)!r}: {problem}. Give a valid tokenizer.json.") from problem
    padding = tokenizer.padding or {}
    tokenizer.enable_truncation(max_tokens)
    tokenizer.enable_padding(
        direction=padding.get("direction", "right"),
        pad_id=padding.get("pad_id", 0),
        pad_type_id=padding.get("pad_type_id", 0),
        pad_token=padding.get("pad_token", "[PAD]"),
    )
    tokenizer.encode_special_tokens = True
    return tokenizer


def _load_session(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as problem:
        raise MissingExtraError("onnxruntime", "onnx", "An onnx: embedder") from problem
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as problem:  # the package's errors derive from Exception alone
        raise EmbeddingError(
            f"Cannot load {str(path)!r}: {problem}. Give a valid ONNX file, with its external data beside it."
        ) from problem


def _checked_inputs(session: Any, path: Path) -> dict[str, Any]:
    """Integer type of each input that the graph asks for."""
    known = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
    found = {item.name: _INTEGER_TYPES.get(item.type) for item in session.get_inputs()}
    odd = [name for name, kind in found.items() if name not in known or kind is None]
    if odd or "input_ids" not in found:
        raise EmbeddingError(
            f"The graph of {str(path)!r} asks for {', '.join(sorted(found))}. "
            f"Export a text encoder with integer inputs among {', '.join(known)}."
        )
    return found


def _chosen_output(session: Any) -> str:
    """The sentence embedding where the graph has one, else its token embeddings, else its first output."""
    names = [item.name for item in session.get_outputs()]
    preferred = ("sentence_embedding", "last_hidden_state", "token_embeddings")
    return str(next((name for name in preferred if name in names), names[0]))
