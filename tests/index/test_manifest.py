from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gossamer.errors import IndexDamagedError, IndexVersionError
from gossamer.index.manifest import FileEntry, Manifest

WHOLE: dict[str, Any] = {
    "format": "gossamer",
    "version": 2,
    "info": {"n": 1},
    "files": {"a.npy": {"size": 3, "sha256": "ab", "edges": "cd"}},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def read(raw: bytes) -> Manifest | None:
    """The manifest, None where a typed error names the file and what to do."""
    try:
        return Manifest.from_bytes(raw, "here/manifest.json")
    except (IndexDamagedError, IndexVersionError) as problem:
        assert "here/manifest.json" in str(problem) and "--force" in str(problem)
        return None


def test_round_trip() -> None:
    manifest = Manifest({"words": ["ž"]}, {"a.npy": FileEntry(3, "ab", "cd")})
    assert read(manifest.to_bytes()) == manifest


@given(st.binary(max_size=200))
@example(b"[" * 200_000)
@example(b"1" * 10_000)
def test_any_bytes(raw: bytes) -> None:
    assert read(raw) is None


@settings(max_examples=200)
@given(st.sampled_from(["format", "version", "info", "files", "a.npy", "size", "sha256", "edges"]), JSON)
@example("size", float("inf"))
@example("size", float("nan"))
def test_any_value_in_any_place(place: str, value: Any) -> None:
    data = json.loads(json.dumps(WHOLE))
    holder = data if place in data else data["files"] if place == "a.npy" else data["files"]["a.npy"]
    holder[place] = value
    read(json.dumps(data).encode())


@pytest.mark.parametrize("name", ["../up.npy", "/etc/passwd", "a/b.npy", ".", "..", ""])
def test_names_stay_in_the_folder(name: str) -> None:
    assert read(json.dumps({**WHOLE, "files": {name: WHOLE["files"]["a.npy"]}}).encode()) is None
