"""The themes of a result: its passages by cluster, each with a label from the names or words they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot

_LABELS = 3


@dataclass(frozen=True, slots=True)
class Theme:
    """Passages of one spectral cluster, in the order of the result; `energy` is their sum."""

    label: str
    passages: tuple[str, ...]
    energy: float


def themes(snapshot: Snapshot, chunks: Sequence[int], energies: Sequence[float]) -> tuple[Theme, ...]:
    """Themes of the given chunks, most energy first."""
    groups: dict[int, list[int]] = {}
    for place, chunk in enumerate(chunks):
        cluster = int(snapshot.clusters[chunk])
        groups.setdefault(cluster if cluster >= 0 else -1 - chunk, []).append(place)
    found = [
        Theme(
            _label(snapshot, [chunks[place] for place in places]),
            tuple(snapshot.chunk_id(chunks[place]) for place in places),
            float(sum(energies[place] for place in places)),
        )
        for places in groups.values()
    ]
    return tuple(sorted(found, key=lambda theme: (-theme.energy, theme.passages)))


def _label(snapshot: Snapshot, chunks: Sequence[int]) -> str:
    """The three names that are commonest here and rarest elsewhere; words where there are no names."""
    matrix, n = snapshot.matrix("entities"), len(snapshot)
    names: Counter[int] = Counter()
    for chunk in chunks:
        names.update(matrix.indices[matrix.indptr[chunk] : matrix.indptr[chunk + 1]].tolist())
    rarity = {name: np.log1p(n / snapshot.entity_frequency[name]) for name in names}
    best = sorted(names, key=lambda name: (-names[name] * rarity[name], snapshot.entity_names[name]))[:_LABELS]
    if best:
        return ", ".join(snapshot.entity_names[name] for name in best)
    lexical = snapshot.lexical
    terms, rows = lexical.sequence(np.asarray(chunks, dtype=np.int64))
    pairs = np.unique(np.stack([rows, terms]), axis=1)[1]
    counts: Counter[int] = Counter(pairs.tolist())
    top = sorted(counts, key=lambda term: (-counts[term] * lexical.idf[term], term))[:_LABELS]
    return ", ".join(lexical.vocabulary[term] for term in top)
