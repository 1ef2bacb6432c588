"""One question as plain data: all that the screen shows of it, and nothing that needs the index."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from gossamer.errors import UsageError
from gossamer.model import to_plain

RECORD_VERSION = 1
LOW_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class Node:
    """A passage that energy reached.

    `energies` holds its energy after each hop of the record; `parent` is the place in the record of the passage before it
    on its path, -1 for a seed; `ghosts` are other sources of the same words; `bridge` is its strength as a bridge
    between parts of the question, 0 where it is none; `number` is its number among the passages, 0 where it has none.
    """

    id: str
    title: str
    hop: int
    energies: tuple[float, ...]
    parent: int = -1
    ghosts: tuple[str, ...] = ()
    bridge: float = 0.0
    number: int = 0

    @property
    def energy(self) -> float:
        """What it holds at the end."""
        return self.energies[-1] if self.energies else 0.0


@dataclass(frozen=True, slots=True)
class Shown:
    """A numbered passage: its text and why it is there; `path` says how energy came to it."""

    number: int
    id: str
    label: str
    text: str
    tokens: int
    score: float
    votes: int
    sources: tuple[str, ...]
    why: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class Clash:
    """Two passages that oppose each other, by number or id, and the question that would settle it."""

    first: str
    second: str
    question: str
    current: str | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """Words of the question that no passage speaks of; `known` says whether some passage of the index does."""

    text: str
    weight: float
    known: bool


@dataclass(frozen=True, slots=True)
class Record:
    """A question, hop by hop. `hops` is the last hop; `confidence` None where there is none; `origin` names another
    process where the question was asked there."""

    question: str
    index: str
    run: str
    hops: int
    nodes: tuple[Node, ...]
    passages: tuple[Shown, ...]
    tokens: int
    budget: int
    ledger: Mapping[str, float]
    stop_reason: str
    seconds: float
    clashes: tuple[Clash, ...] = ()
    gaps: tuple[Missing, ...] = ()
    confidence: float | None = None
    refusal: str | None = None
    warnings: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    origin: str = ""

    @property
    def doubtful(self) -> bool:
        """Whether there is a confidence and it is low."""
        return self.confidence is not None and self.confidence < LOW_CONFIDENCE

    def passage(self, name: str) -> Shown:
        """The passage of a number or id; UsageError names what there is."""
        for shown in self.passages:
            if name in {str(shown.number), shown.id}:
                return shown
        have = f"1 to {len(self.passages)}" if self.passages else "none, the last answer is empty"
        raise UsageError(f"There is no passage {name!r}. The last answer has {have}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, as `/save` writes them."""
        return {"gossamer": "record", "version": RECORD_VERSION, **to_plain(self)}


def write_record(record: Record, path: str | os.PathLike[str]) -> None:
    """Save a record as JSON, or as Markdown where the name ends with `.md`. UsageError where the file exists already."""
    target = Path(path)
    if target.suffix == ".md":
        text = _markdown(record)
    else:
        text = json.dumps(record.to_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    try:
        with target.open("x", encoding="utf-8") as handle:
            handle.write(text)
    except FileExistsError:
        raise UsageError(f"{target} exists already. Give another name.") from None
    except OSError as problem:
        raise UsageError(f"{target} cannot be written ({problem.strerror}). Give another name.") from problem


def read_record(path: str | os.PathLike[str]) -> Record:
    """A record that was saved. UsageError where the file is none."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise UsageError(f"{path} cannot be read ({problem.strerror}). Name a file that /save wrote.") from problem
    except ValueError:
        raise UsageError(f"{path} is no saved answer. Name a .json file that /save wrote.") from None
    try:
        return _record(data)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise UsageError(f"{path} is no saved answer. Name a .json file that /save wrote.") from None


def _record(data: Mapping[str, Any]) -> Record:
    if data["gossamer"] != "record" or data["version"] != RECORD_VERSION:
        raise ValueError("another kind or version")
    given = {field.name: data[field.name] for field in fields(Record)}
    given["nodes"] = tuple(Node(**_tuples(node)) for node in data["nodes"])
    given["passages"] = tuple(Shown(**_tuples(shown)) for shown in data["passages"])
    given["clashes"] = tuple(Clash(**clash) for clash in data["clashes"])
    given["gaps"] = tuple(Missing(**gap) for gap in data["gaps"])
    return Record(**_tuples(given))


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


def _markdown(record: Record) -> str:
    lines = [f"# {record.question}", "", f"{len(record.passages)} passages, {record.tokens} tokens, {record.run}", ""]
    for shown in record.passages:
        lines += [f"## [{shown.number}] {shown.label}", "", shown.text, "", *(f"- {why}" for why in shown.why), ""]
    lines += [f"- Not covered: {gap.text}" for gap in record.gaps]
    lines += [f"- Contradiction: {clash.question}" for clash in record.clashes]
    return "\n".join(lines).rstrip() + "\n"
