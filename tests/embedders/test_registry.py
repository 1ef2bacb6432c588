from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gossamer.embedders.registry import embedder_forms, make_embedder
from gossamer.errors import ArgumentTypeError, MissingExtraError, SettingsError


@pytest.mark.parametrize(
    "name", ["hash", "hash:64", "none", "ollama:nomic-embed-text", "openai:text-embedding-3-small"]
)
def test_names_come_back_as_given(name: str) -> None:
    embedder = make_embedder(name)
    assert embedder.name == name
    json.dumps(embedder.identity)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("word2vec", "There is no embedder 'word2vec'. Give one of: hash or hash:DIM, none, ollama:MODEL"),
        ("", "There is no embedder ''"),
        ("ollama", "Give ollama:MODEL"),
        ("ollama:", "Give ollama:MODEL"),
        ("hash:", "Give hash or hash:DIM"),
        ("hash:many", "whole number"),
        ("hash:-5", "whole number"),
        ("none:1", "'none' alone"),
        ("vectors:", "Give vectors:FILE.npz"),
        ("onnx", "Give onnx:DIR"),
    ],
)
def test_wrong_names(name: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_embedder(name)


def test_wrong_type() -> None:
    with pytest.raises(ArgumentTypeError, match="CallableEmbedder"):
        make_embedder(lambda texts: [])  # type: ignore[arg-type]


def test_every_form_is_listed() -> None:
    assert len(embedder_forms()) == 9


@pytest.mark.parametrize("name", ["none", "vectors:x.npz"])
def test_prefixes_where_no_text_is_read(name: str) -> None:
    with pytest.raises(SettingsError, match="takes no prefix"):
        make_embedder(name, query_prefix="query: ")


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("sentence-transformers:x", "sentence_transformers"),
        ("fastembed:x", "fastembed"),
        ("model2vec:x", "model2vec"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'gossamer\[" + name.split(":")[0]):
        make_embedder(name)


def test_no_identity_holds_a_path(tmp_path: Path) -> None:
    np.savez(tmp_path / "v.npz", ids=np.array(["a"]), vectors=np.ones((1, 2)))
    assert str(tmp_path) not in json.dumps(make_embedder(f"vectors:{tmp_path / 'v.npz'}").identity)


def test_importing_the_registry_imports_nothing_heavy() -> None:
    heavy = ["scipy", "httpx", "onnxruntime", "tokenizers", "sentence_transformers", "fastembed", "model2vec"]
    code = f"import sys, gossamer.embedders.registry; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
