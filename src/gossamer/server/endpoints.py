"""Every address of the API: its fields, what it answers, and the function that answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from gossamer.graph.profiles import PROFILES
from gossamer.server import ask, play, review, web
from gossamer.server.fields import Field
from gossamer.server.settings_view import settings_view
from gossamer.server.walk import BUDGET

if TYPE_CHECKING:
    from gossamer.server.served import Served
    from gossamer.server.walk import Walk

Values = Mapping[str, Any]
Answer = tuple[str, dict[str, Any]]

MOST_BUDGET = 1_000_000
MOST_DRAWN = 3000
_QUESTION = Field("question", "text", "The question.", required=True)
_TOKENS = Field("budget", "whole", "Tokens of the context.", default=4000, low=0, high=MOST_BUDGET)
_WHERE = Field("where", "values", 'Only documents that fulfil this, such as {"path": "reports/*"}.')
_SETTINGS = Field("settings", "values", 'Settings by dotted name, such as {"selection.pool": 80}.')
_LIMIT = Field("limit", "whole", "Most chunks to draw.", default=1500, low=1, high=MOST_DRAWN)
_SPREADING = (
    Field("profile", "text", "Named numbers of the run.", choices=("standard", *PROFILES)),
    Field("damping", "number", "Share of energy that moves on.", low=0, high=1),
    Field("threshold", "number", "Share of energy below which it dies.", low=0, high=1),
    Field("width", "whole", "Number of seed ideas.", low=1, high=10_000),
    Field("without", "texts", "Leave out passages that name one of these."),
    Field("parts", "texts", "Parts of the question, spread apart."),
    Field("warm", "texts", "Questions asked before."),
    Field("accept", "texts", "Ids of passages that were useful; they teach the index (needs --allow-ingest)."),
    Field("spread", "values", "Any other spreading option by name."),
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address; GET reads its fields from the query string, POST from a JSON object."""

    path: str
    method: Literal["GET", "POST"]
    about: str
    kinds: tuple[str, ...]
    fields: tuple[Field, ...]
    answer: Callable[[Served, Walk, Values], Answer]


def _info(served: Served, _walk: Walk, _values: Values) -> Answer:
    opened = served.current()
    info = {"index": str(served.folder), "size_bytes": served.store.size_bytes(), **opened.manifest.info}
    counts = {"chunks": len(opened.snapshot), "documents": len(opened.snapshot.document_ids)}
    return "info", {**info, **counts, "allow_ingest": served.allow_ingest}


def _settings(served: Served, _walk: Walk, _values: Values) -> Answer:
    return "settings", settings_view(served.current().retrieval.settings)


def _query(served: Served, _walk: Walk, values: Values) -> Answer:
    return ask.query(served.current(), values)


def _retrieve(served: Served, _walk: Walk, values: Values) -> Answer:
    return "retrieve", ask.retrieve(served.current(), values, may_learn=served.allow_ingest)


def _compare(served: Served, _walk: Walk, values: Values) -> Answer:
    return "compare", ask.compare(served.current(), values)


def _play(served: Served, _walk: Walk, values: Values) -> Answer:
    return "play", play.play(served.current(), {**values, "accept": None})


def _web(served: Served, _walk: Walk, values: Values) -> Answer:
    return "web", web.overview(served.current(), values["limit"])


def _around(served: Served, _walk: Walk, values: Values) -> Answer:
    return "web", web.around(served.current(), values["ids"], values["hops"], values["limit"])


def _chunk(served: Served, _walk: Walk, values: Values) -> Answer:
    return "chunk", web.chunk_view(served.current(), values["id"])


def _edge(served: Served, _walk: Walk, values: Values) -> Answer:
    return "edge", web.edge_view(served.current(), values["source"], values["target"])


def _find(served: Served, _walk: Walk, values: Values) -> Answer:
    return "find", web.find(served.current(), values["text"], values["limit"])


def _lint(served: Served, _walk: Walk, values: Values) -> Answer:
    return "lint", review.lint(served.current(), str(served.folder), values["examples"])


def _gaps(served: Served, _walk: Walk, _values: Values) -> Answer:
    return "gaps", review.gaps(served.current())


def _contradictions(served: Served, _walk: Walk, values: Values) -> Answer:
    return "contradictions", review.contradictions(served.current(), values["limit"])


def _walkthrough(_served: Served, walk: Walk, values: Values) -> Answer:
    return "walkthrough", walk.stages(values["question"], values["budget"], values["settings"] or {})


ENDPOINTS = (
    Endpoint("/api/info", "GET", "What the index holds and how it was made.", ("info",), (), _info),
    Endpoint("/api/settings", "GET", "Every setting with its value and range.", ("settings",), (), _settings),
    Endpoint(
        "/api/query", "POST", "The set of passages for a question, or with k a ranking.", ("query", "rank"),
        (_QUESTION, _TOKENS, _WHERE, Field("k", "whole", "Rank k passages instead.", low=0, high=10_000), _SETTINGS), _query,
    ),
    Endpoint(
        "/api/retrieve", "POST", "What the question's energy reaches: spreading activation.", ("retrieve",),
        (
            _QUESTION, _TOKENS, _WHERE, _SETTINGS, Field("engine", "text", "How to spread.", choices=("flow", "wave")),
            Field("show", "whole", "Most passages to give.", default=50, low=0, high=1000), *_SPREADING,
        ),
        _retrieve,
    ),
    Endpoint(
        "/api/compare", "POST", "What plain top-k and the hybrid put into the same budget.", ("compare",),
        (_QUESTION, _TOKENS, _WHERE), _compare,
    ),
    Endpoint(
        "/api/play", "POST", "A question step by step, with the part of the web it touches.", ("play",),
        (
            _QUESTION, _TOKENS, _WHERE, _SETTINGS,
            Field("engine", "text", "How to search.", default="set", choices=("set", "flow", "wave")), *_SPREADING,
        ),
        _play,
    ),
    Endpoint("/api/web", "GET", "The chunk graph, or its best linked part.", ("web",), (_LIMIT,), _web),
    Endpoint(
        "/api/web/around", "POST", "The chunks near some chunks.", ("web",),
        (
            Field("ids", "texts", "Ids of chunks.", required=True),
            Field("hops", "whole", "Edges to go.", default=1, low=0, high=4),
            Field("limit", "whole", "Most chunks to draw.", default=150, low=1, high=MOST_DRAWN),
        ),
        _around,
    ),
    Endpoint(
        "/api/chunk", "GET", "One chunk with its entities and edges.", ("chunk",),
        (Field("id", "text", "Id of the chunk.", required=True),), _chunk,
    ),
    Endpoint(
        "/api/edge", "GET", "One edge with the value of every signal.", ("edge",),
        (
            Field("source", "text", "Id of one end.", required=True),
            Field("target", "text", "Id of the other end.", required=True),
        ),
        _edge,
    ),
    Endpoint(
        "/api/find", "GET", "Chunks by words, title or id.", ("find",),
        (
            Field("text", "text", "What to look for.", required=True),
            Field("limit", "whole", "Most chunks to give.", default=12, low=1, high=100),
        ),
        _find,
    ),
    Endpoint(
        "/api/lint", "GET", "What is wrong with the index, worst first.", ("lint",),
        (Field("examples", "whole", "Most examples of a finding.", default=50, low=0, high=500),), _lint,
    ),
    Endpoint("/api/gaps", "GET", "Weak places of the web, and gaps of the questions asked.", ("gaps",), (), _gaps),
    Endpoint(
        "/api/contradictions", "GET", "Pairs of passages that oppose each other.", ("contradictions",),
        (Field("limit", "whole", "Most pairs to give.", default=50, low=0, high=500),), _contradictions,
    ),
    Endpoint(
        "/api/walkthrough", "POST", "The ten stages of the pipeline on twelve chunks.", ("walkthrough",),
        (
            Field("question", "text", "The question; without one, the walkthrough's own."),
            Field("budget", "whole", "Tokens of the context.", default=BUDGET, low=0, high=10_000),
            Field("settings", "values", "Settings by dotted name."),
        ),
        _walkthrough,
    ),
)  # fmt: skip
