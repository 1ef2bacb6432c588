"""Settings: frozen groups, validated on construction, with presets and TOML in and out.

`Settings()` is the measured default, `Settings.paper()` the values as published. Every choice the paper leaves open
is listed with its reason in docs/decisions.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from gossamer import toml
from gossamer.errors import SettingsError
from gossamer.setting_groups import (
    GROUP_NAMES,
    SIGNAL_NAMES,
    ChunkingSettings,
    EmbeddingSettings,
    GraphSettings,
    ProximitySettings,
    RetrievalSettings,
    SelectionSettings,
    SignalSettings,
    UtilitySettings,
)
from gossamer.validation import check_fields, choice, differing_fields, string

__all__ = [
    "PRESETS",
    "SIGNAL_NAMES",
    "ChunkingSettings",
    "EmbeddingSettings",
    "GraphSettings",
    "ProximitySettings",
    "RetrievalSettings",
    "SelectionSettings",
    "Settings",
    "SignalSettings",
    "UtilitySettings",
    "setting_names",
]


PRESETS = ("default", "paper", "paper_fine", "questions_heavy", "learned")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of an index and of the searches on it.

    >>> Settings(chunking=ChunkingSettings(chunk_tokens=256, overlap_tokens=64)).differences()
    {'chunking.chunk_tokens': 256, 'chunking.overlap_tokens': 64}
    >>> Settings().replace(**{"utility.redundancy": 0.2}).utility.redundancy
    0.2
    """

    embedder: str = string("hash")
    chunking: ChunkingSettings = ChunkingSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    signals: SignalSettings = SignalSettings()
    graph: GraphSettings = GraphSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    proximity: ProximitySettings = ProximitySettings()
    selection: SelectionSettings = SelectionSettings()
    utility: UtilitySettings = UtilitySettings()
    preset: str = choice("default", *PRESETS)

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.embedder:
            raise SettingsError("embedder = '' is not possible. Give a name such as 'hash' or 'onnx:DIR'.")
        for kind, name in GROUP_NAMES.items():
            value = getattr(self, name)
            if isinstance(value, Mapping):
                object.__setattr__(self, name, _build_group(kind, name, value))
            elif not isinstance(value, kind):
                raise SettingsError(f"{name} = {value!r} is not possible. Give a {kind.__name__} or a mapping.")

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={value!r}" for key, value in self.differences().items())
        return f"Settings.{self.preset}({values})" if self.preset != "default" else f"Settings({values})"

    @classmethod
    def paper(cls, embedder: str = "hash") -> Self:
        """The values published for SpectRAG, chunks of 1200 tokens with 100 overlap.

        The paper embeds with `ollama:nomic-embed-text`; name it here where that server runs.
        """
        return cls(
            embedder=embedder,
            chunking=ChunkingSettings(topics="all"),
            graph=GraphSettings(mention_weight=0.0),
            retrieval=RetrievalSettings(
                fusion="rrf",
                seed_count=20,
                max_candidates=200,
                proximity="hybrid",
                flow_weight=0.0,
                flow_gate=False,
                duplicates=False,
            ),
            selection=SelectionSettings(core_size=3, pool=200, exchange=0, greedy_steps=100_000),
            utility=UtilitySettings(
                score=1.0,
                proximity=0.3,
                cluster_gain=0.1,
                document_gain=0.1,
                redundancy=0.3,
                coverage=0.0,
                tie=0.0,
                link=0.0,
                new_link=0.0,
                named_by_chosen=0.0,
                named_by_question=0.0,
            ),
            preset="paper",
        )

    @classmethod
    def paper_fine(cls, embedder: str = "hash") -> Self:
        """The paper's second chunking: 256 tokens with 64 overlap."""
        fine = ChunkingSettings(chunk_tokens=256, overlap_tokens=64, topics="all")
        return dataclasses.replace(cls.paper(embedder), chunking=fine, preset="paper_fine")

    @classmethod
    def questions_heavy(cls, embedder: str = "hash") -> Self:
        """The paper's configuration 2, for indexes with utility questions."""
        heavy = SignalSettings(
            semantic=0.150, section=0.200, entity=0.250, adjacency=0.100, utility=0.280, citation=0.020
        )
        return dataclasses.replace(cls.paper(embedder), signals=heavy, preset="questions_heavy")

    @classmethod
    def learned(cls, embedder: str = "hash") -> Self:
        """The default with the learned selector (benchmarks/train_selector.py)."""
        return cls(
            embedder=embedder,
            selection=SelectionSettings(selector="learned"),
            utility=UtilitySettings(tie=0.0),
            preset="learned",
        )

    def differences(self) -> dict[str, Any]:
        """Dotted name -> value of everything that differs from the preset this started from."""
        reference = Settings() if self.preset == "default" else getattr(Settings, self.preset)()
        return differing_fields(self, reference)

    def replace(self, **changes: Any) -> Settings:
        """A copy with dotted names changed; unknown names and impossible values raise SettingsError."""
        data = self.to_dict()
        for dotted, value in changes.items():
            *groups, last = dotted.split(".")
            target = data
            for group in groups:
                target = target.get(group, None) if isinstance(target, dict) else None  # type: ignore[assignment]
            if not isinstance(target, dict) or last not in target or isinstance(target[last], dict):
                raise SettingsError(f"There is no setting {dotted!r}. Known: {', '.join(setting_names())}.")
            target[last] = value
        return Settings.from_dict(data)

    def to_dict(self) -> dict[str, Any]:
        """Nested plain dictionaries."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Settings:
        """Settings from nested mappings; what is missing keeps its default, what is unknown is an error."""
        names = {field.name for field in dataclasses.fields(cls)}
        _refuse_unknown(data, names, "")
        return cls(**dict(data))

    def to_toml(self) -> str:
        """TOML text that `from_toml` turns back into equal settings."""
        return toml.dump({"preset": self.preset, **self.to_dict()})

    @classmethod
    def from_toml(cls, source: str | Path) -> Settings:
        """Settings from a TOML file, or from TOML text where `source` is a string with a line break or '='.

        >>> Settings.from_toml(Settings.paper().to_toml()) == Settings.paper()
        True
        """
        # How a language model is reached stands in the same file: `llm.settings` reads it, no index keeps it.
        data = {key: value for key, value in toml.load(source).items() if key != "llm"}
        preset = data.get("preset", "default")
        if preset not in PRESETS:
            return cls.from_dict(data)
        base = Settings() if preset == "default" else getattr(Settings, preset)()
        return cls.from_dict(toml.merge(base.to_dict(), data))


def setting_names() -> list[str]:
    """Dotted names of all settings, in order."""
    names = ["embedder"]
    for kind, name in GROUP_NAMES.items():
        names += [f"{name}.{field.name}" for field in dataclasses.fields(kind)]
    return names


def _build_group(kind: type, name: str, data: Mapping[str, Any]) -> Any:
    _refuse_unknown(data, {field.name for field in dataclasses.fields(kind)}, f"{name}.")
    return kind(**data)


def _refuse_unknown(data: Mapping[str, Any], known: set[str], prefix: str) -> None:
    for key in data:
        if key not in known:
            raise SettingsError(f"There is no setting {prefix}{key}. Known here: {', '.join(sorted(known))}.")
