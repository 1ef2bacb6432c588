"""What a store must do: keep one immutable snapshot after another and hand out the current one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SnapshotData:
    """The content of one snapshot: named arrays, named lists of strings, and JSON information."""

    arrays: Mapping[str, NDArray[Any]]
    strings: Mapping[str, Sequence[str]]
    info: Mapping[str, Any] = field(default_factory=dict)


class Store(Protocol):
    """One writer, many readers; a reader's snapshot never changes under it."""

    def exists(self) -> bool:
        """Whether a complete snapshot can be loaded."""
        ...

    def save(self, data: SnapshotData) -> str:
        """Write a snapshot, make it the current one, and return its name; same content, same name."""
        ...

    def load(self) -> SnapshotData:
        """The current snapshot, checked; arrays may be memory-mapped."""
        ...

    def verify(self) -> list[str]:
        """Check every byte; one sentence for each fault found."""
        ...
