from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import SettingsError
from gossamer.settings import ChunkingSettings, EmbeddingSettings, Settings, SignalSettings, setting_names


def test_default_is_hash() -> None:
    assert Settings() == Settings(embedder="hash")
    assert Settings().differences() == {}
    assert repr(Settings()) == "Settings()"


@pytest.mark.parametrize("name", ["paper", "paper_fine", "questions_heavy", "learned"])
def test_presets_survive_toml(name: str) -> None:
    preset = getattr(Settings, name)()
    assert preset.preset == name
    assert preset.differences() == {}
    assert Settings.from_toml(preset.to_toml()) == preset


def test_paper_holds_the_published_values() -> None:
    paper = Settings.paper()
    assert (paper.chunking.chunk_tokens, paper.chunking.overlap_tokens) == (1200, 100)
    assert paper.chunking.topics == "all"
    assert paper.signals.alphas == {
        "semantic": 0.3, "section": 0.25, "entity": 0.2, "adjacency": 0.084, "utility": 0.083, "citation": 0.083,
    }  # fmt: skip
    assert (paper.retrieval.seed_count, paper.retrieval.rrf_k, paper.retrieval.bm25_weight) == (20, 60, 0.5)
    assert (paper.retrieval.hops, paper.retrieval.max_candidates, paper.retrieval.alpha) == (2, 200, 0.3)
    assert (paper.proximity.beta, paper.retrieval.proximity) == (0.15, "hybrid")
    assert (paper.selection.core_size, paper.selection.length_power) == (3, 0.5)
    assert paper.graph.dimensions == 32
    assert (paper.utility.coverage, paper.utility.link, paper.utility.named_by_chosen) == (0, 0, 0)
    fine = Settings.paper_fine()
    assert (fine.chunking.chunk_tokens, fine.chunking.overlap_tokens) == (256, 64)
    heavy = Settings.questions_heavy().signals
    assert (heavy.semantic, heavy.section, heavy.entity) == (0.15, 0.2, 0.25)
    assert (heavy.adjacency, heavy.utility, heavy.citation) == (0.1, 0.28, 0.02)


def test_learned_changes_the_selector_and_its_tie_alone() -> None:
    learned = Settings.learned("vectors:v.npz")
    back = {"selection.selector": "token_budget", "utility.tie": 1.0}
    assert learned.replace(preset="default", **back) == Settings("vectors:v.npz")


def test_toml_keeps_every_changed_value() -> None:
    changed = Settings.paper().replace(
        **{"embedder": 'odd "name" \\ \n', "embedding.base_url": "http://127.0.0.1:1", "selection.backfill": False}
    )
    again = Settings.from_toml(changed.to_toml())
    assert again == changed
    assert again.differences()["embedder"] == 'odd "name" \\ \n'


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chunking.chunk_tokens": 0}, ["chunking.chunk_tokens", "0", "16"]),
        ({"chunking.chunk_tokens": 1.5}, ["chunking.chunk_tokens", "1.5", "whole number"]),
        ({"chunking.chunk_tokens": True}, ["chunking.chunk_tokens", "True"]),
        ({"chunking.overlap_tokens": 1000}, ["overlap_tokens", "1000", "600"]),
        ({"retrieval.alpha": 1.5}, ["retrieval.alpha", "1.5", "0.0 to 1.0"]),
        ({"retrieval.alpha": float("nan")}, ["retrieval.alpha", "nan"]),
        ({"retrieval.alpha": "0.3"}, ["retrieval.alpha", "'0.3'"]),
        ({"retrieval.proximity": "magic"}, ["retrieval.proximity", "'magic'", "'guided'"]),
        ({"selection.backfill": 1}, ["selection.backfill", "true or false"]),
        ({"signals.entities": "spacy:"}, ["signals.entities", "spacy:NAME"]),
        ({"embedder": ""}, ["embedder", "hash"]),
        ({"embedder": None}, ["embedder", "None"]),
        ({"no.such": 1}, ["no.such"]),
        ({"retrieval": 1}, ["retrieval"]),
        ({"retrieval.nope": 1}, ["retrieval.nope", "retrieval.alpha"]),
    ],
)
def test_impossible_values_name_key_value_and_range(change: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings().replace(**change)
    assert isinstance(caught.value, ValueError)
    for word in words:
        assert word in str(caught.value)


def test_unknown_keys_are_errors_everywhere() -> None:
    with pytest.raises(SettingsError, match="retreival"):
        Settings.from_dict({"retreival": {}})
    with pytest.raises(SettingsError, match=r"chunking\.chunk_size"):
        Settings.from_toml("[chunking]\nchunk_size = 3\n")
    with pytest.raises(SettingsError, match="TOML"):
        Settings.from_toml("[chunking\n")
    with pytest.raises(SettingsError, match="no_such_file"):
        Settings.from_toml("no_such_file.toml")
    with pytest.raises(SettingsError, match="all six"):
        SignalSettings(semantic=0, section=0, entity=0, adjacency=0, utility=0, citation=0)


def test_groups_are_frozen_and_small() -> None:
    settings = Settings()
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.embedder = "x"  # type: ignore[misc]
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if dataclasses.is_dataclass(value):
            assert len(dataclasses.fields(value)) <= 12, field.name


def test_repr_shows_only_what_differs() -> None:
    assert repr(ChunkingSettings(chunk_tokens=256)) == "ChunkingSettings(chunk_tokens=256)"
    assert repr(Settings.paper().replace(**{"retrieval.hops": 1})) == "Settings.paper(retrieval.hops=1)"
    assert "KEY_NAME" in repr(EmbeddingSettings(api_key_env="KEY_NAME"))


@given(st.sampled_from(setting_names()), st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()))
def test_any_value_is_kept_or_refused_by_name(name: str, value: Any) -> None:
    try:
        changed = Settings().replace(**{name: value})
    except SettingsError as problem:
        assert name.rsplit(".", 1)[-1].split("_")[0] in str(problem)
    else:
        again = Settings.from_dict(changed.to_dict())
        assert again == changed
