"""The groups of settings: frozen dataclasses whose fields know their range; each group is one step's parameters."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.errors import SettingsError
from gossamer.validation import check_fields, choice, differing_fields, flag, number, string


@dataclass(frozen=True, slots=True)
class _Group:
    """A group of checked fields whose repr shows only what differs from the defaults."""

    def __post_init__(self) -> None:
        check_fields(self, f"{GROUP_NAMES.get(type(self), '')}.")

    def __repr__(self) -> str:
        changed = differing_fields(self, type(self)())
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in changed.items())})"


@dataclass(frozen=True, slots=True, repr=False)
class ChunkingSettings(_Group):
    """How documents are cut (paper section 3.1): limits in tokens of `counter`."""

    chunk_tokens: int = number(1200, 16, 1_000_000)
    overlap_tokens: int = number(100, 0, 1_000_000)
    min_tokens: int = number(32, 0, 1_000_000)
    topics: str = choice("long", "long", "all", "off")
    counter: str = choice("approx", "approx", "tokenizers:", "tiktoken:")

    def __post_init__(self) -> None:
        check_fields(self, "chunking.")
        if self.overlap_tokens * 2 > self.chunk_tokens:
            raise SettingsError(
                f"chunking.overlap_tokens = {self.overlap_tokens} is over half of chunk_tokens = {self.chunk_tokens}. "
                f"Give at most {self.chunk_tokens // 2}."
            )


@dataclass(frozen=True, slots=True, repr=False)
class EmbeddingSettings(_Group):
    """How the named embedder is called; a prefix of None is the backend's own. Times in seconds."""

    query_prefix: str | None = string(None, optional=True)
    passage_prefix: str | None = string(None, optional=True)
    base_url: str | None = string(None, optional=True)
    api_key_env: str | None = string(None, optional=True)
    batch_size: int = number(32, 1, 4096)
    timeout: float = number(60.0, 0.1, 3600.0)
    retries: int = number(4, 0, 20)


@dataclass(frozen=True, slots=True, repr=False)
class SignalSettings(_Group):
    """Weight α of each edge signal (paper section 3.2), and how entities are found."""

    semantic: float = number(0.300, 0.0, 1.0)
    section: float = number(0.250, 0.0, 1.0)
    entity: float = number(0.200, 0.0, 1.0)
    adjacency: float = number(0.084, 0.0, 1.0)
    utility: float = number(0.083, 0.0, 1.0)
    citation: float = number(0.083, 0.0, 1.0)
    weights: str = choice("prior", "prior", "calibrate", "fit")
    neighbours: int = number(10, 1, 1000)
    entities: str = choice("rules", "rules", "none", "spacy:", "gliner:")
    max_entity_frequency: int = number(100, 2, 100_000)

    def __post_init__(self) -> None:
        check_fields(self, "signals.")
        if sum(self.alphas.values()) <= 0:
            raise SettingsError("signals: all six weights are 0. Give at least one signal a positive weight.")

    @property
    def alphas(self) -> dict[str, float]:
        """Signal name -> weight α, in the fixed order of the signals."""
        return {name: getattr(self, name) for name in SIGNAL_NAMES}


SIGNAL_NAMES = ("semantic", "section", "entity", "adjacency", "utility", "citation")


@dataclass(frozen=True, slots=True, repr=False)
class GraphSettings(_Group):
    """The fused graph W, its spectral coordinates and clusters (paper sections 3.3 and 3.4)."""

    tau: float = number(0.05, 0.0, 1.0)
    graph_k: int = number(20, 1, 10_000)
    laplacian: str = choice("fused", "fused", "multiplex")
    dimensions: int = number(32, 1, 1024)
    clusters: int = number(0, 0, 1_000_000)
    seed: int = number(0, 0, 2**31 - 1)
    mention_weight: float = number(1.0, 0.0, 10.0)
    flow_max_frequency: int = number(50, 2, 100_000)


@dataclass(frozen=True, slots=True, repr=False)
class RetrievalSettings(_Group):
    """Seeds, expansion and rescoring (paper section 4); with `duplicates` near-copies become votes of the best one."""

    fusion: str = choice("zscore", "zscore", "rrf")
    bm25_weight: float = number(0.5, 0.0, 1.0)
    rrf_k: int = number(60, 1, 10_000)
    seed_count: int = number(10, 1, 10_000)
    hops: int = number(2, 0, 16)
    max_candidates: int = number(2000, 1, 1_000_000)
    proximity: str = choice("guided", "guided", "ppr", "spectral", "hybrid", "heat", "smooth", "none")
    alpha: float = number(0.3, 0.0, 1.0)
    flow_weight: float = number(1.0, 0.0, 10.0)
    flow_gate: bool = flag(True)
    duplicates: bool = flag(True)
    layer_weight: float = number(0.25, 0.0, 10.0)


@dataclass(frozen=True, slots=True, repr=False)
class ProximitySettings(_Group):
    """Parameters of the proximity modes."""

    beta: float = number(0.15, 0.0001, 1.0)
    heat_time: float = number(3.0, 0.0, 1000.0)
    chebyshev_degree: int = number(16, 1, 1000)
    smooth_steps: int = number(3, 1, 1000)
    aggregation: str = choice("weighted", "weighted", "max", "topk")
    flow_damping: float = number(0.4, 0.0, 0.999)
    flow_steps: int = number(10, 1, 10_000)


@dataclass(frozen=True, slots=True, repr=False)
class SelectionSettings(_Group):
    """How passages are chosen under the budget (paper section 4.4)."""

    selector: str = choice(
        "token_budget", "token_budget", "mmr", "protected_mmr", "anchor_expand_ce", "topk", "learned"
    )
    core_size: int = number(1, 0, 1000)
    length_power: float = number(0.5, 0.0, 4.0)
    pool: int = number(150, 1, 100_000)
    precision_floor: float = number(0.0, 0.0, 1.0)
    backfill: bool = flag(True)
    exchange: int = number(3, 0, 100)
    greedy_steps: int = number(12, 1, 100_000)
    mmr_lambda: float = number(0.7, 0.0, 1.0)
    gamma: float = number(0.5, 0.0, 100.0)
    eta: float = number(0.5, 0.0, 100.0)


@dataclass(frozen=True, slots=True, repr=False)
class UtilitySettings(_Group):
    """Weights of the selector's terms: the paper's a, b, c, d, λ, then the terms of question coverage.

    `tie` is the share of its two largest words that an untied passage loses where few passages fit.
    """

    score: float = number(1.0, 0.0, 100.0)
    proximity: float = number(0.0, 0.0, 100.0)
    cluster_gain: float = number(0.0, 0.0, 100.0)
    document_gain: float = number(0.0, 0.0, 100.0)
    redundancy: float = number(0.3, 0.0, 100.0)
    coverage: float = number(8.0, 0.0, 100.0)
    tie: float = number(1.0, 0.0, 1.0)
    link: float = number(0.5, 0.0, 100.0)
    new_link: float = number(0.5, 0.0, 100.0)
    named_by_chosen: float = number(0.5, 0.0, 100.0)
    named_by_question: float = number(0.3, 0.0, 100.0)


GROUP_NAMES: dict[type, str] = {
    ChunkingSettings: "chunking",
    EmbeddingSettings: "embedding",
    SignalSettings: "signals",
    GraphSettings: "graph",
    RetrievalSettings: "retrieval",
    ProximitySettings: "proximity",
    SelectionSettings: "selection",
    UtilitySettings: "utility",
}
