"""One self-contained page of a result: no script, no network, every text escaped; the same result, the same bytes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.components import connected_components
from gossamer.graph.layout import plane_layout
from gossamer.model import Passage, Result, heading_path
from gossamer.retrieval.candidates import subgraph
from gossamer.server.evidence import Piece, evidence

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.retrieval.pipeline import SpectRAGRetrieval

_STYLE = Path(__file__).parent / "export.css"
_WIDTH, _HEIGHT, _RIM = 820, 380, 60
_LABEL = 34


def export_page(retrieval: SpectRAGRetrieval, result: Result, *, compare: bool = True) -> str:
    """The page of a result found by `retrieval.search`, as HTML; with `compare` it says what plain top-k misses.

    Documents' texts are data: they stand escaped in a page whose policy forbids scripts, frames and requests.
    """
    style = _STYLE.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    question = escape(result.question)
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{question}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<p class="muted">Question</p>\n<h1 dir="auto">{question}</h1>\n'
        f'<p class="muted">{len(result.passages)} passages, {result.tokens} of {result.token_budget} tokens</p>\n'
        f"{_warnings(result.warnings)}{_passages(retrieval, result, compare)}{_picture(retrieval.snapshot, result.passages)}"
        f'<h2>Context</h2>\n<pre dir="auto">{escape(result.context)}</pre>\n'
        f"<footer>Made with Gossamer {escape(metadata.version('gossamer'))}. Yellow marks words of the question, green "
        "the names that link a passage to the others.</footer>\n</body>\n</html>\n"
    )


def _warnings(warnings: Sequence[str]) -> str:
    return "".join(f'<p class="missed">{escape(text)}</p>\n' for text in warnings)


def _passages(retrieval: SpectRAGRetrieval, result: Result, compare: bool) -> str:
    if not result.passages:
        return "<p>No passage speaks to this question inside this budget.</p>\n"
    plain = set(retrieval.plain_top_k(result.question, result.token_budget)) if compare else None
    pieces = evidence(retrieval.snapshot.lexical, result.question, result.passages)
    cards = [
        _card(number, passage, pieces[passage.id], missed=plain is not None and passage.id not in plain)
        for number, passage in enumerate(result.passages, start=1)
    ]
    return f"<h2>The chosen set</h2>\n{''.join(cards)}"


def _card(number: int, passage: Passage, pieces: Sequence[Piece], *, missed: bool) -> str:
    why = passage.why
    title = " › ".join(heading_path(passage.title, passage.section)) or passage.document
    where = "seed" if why.hop == 0 else f"hop {why.hop}" if why.hop is not None else ""
    ranks = [f"{name} {rank}" for name, rank in why.ranks.items()]
    chips = [f"picked {passage.order + 1}.", where, *ranks, f"{passage.tokens} tokens"]
    if passage.page is not None:
        chips.append(f"page {passage.page}")
    edges = [
        f'<li dir="auto">from <code>{escape(edge.source)}</code>'
        + (f" through {escape(', '.join(edge.entities))}" if edge.entities else "")
        + f" ({', '.join(f'{escape(name)} {value:.2f}' for name, value in edge.signals.items())})</li>"
        for edge in why.edges
    ]
    return (
        f'<article>\n<header class="row"><span class="number">{number}</span><h3 dir="auto">{escape(title)}</h3></header>\n'
        f'<p class="text" dir="auto">{"".join(_marked(piece) for piece in pieces)}</p>\n'
        f"<p><strong>Why:</strong> {escape(why.reason)}.</p>\n"
        f'<ul class="chips">{"".join(f"<li>{escape(chip)}</li>" for chip in chips if chip)}</ul>\n'
        + (f'<ul class="edges">{"".join(edges)}</ul>\n' if edges else "")
        + ('<p class="missed">Plain top-k does not find it in this budget.</p>\n' if missed else "")
        + f'<p class="muted"><code>{escape(passage.id)}</code></p>\n</article>\n'
    )


def _marked(piece: Piece) -> str:
    text, kind = piece
    return f'<mark class="{kind}">{escape(text)}</mark>' if kind else escape(text)


def _picture(snapshot: Snapshot, passages: Sequence[Passage]) -> str:
    """The chosen passages and the edges of W and F among them, as a drawing."""
    if len(passages) < 2:
        return ""
    numbers = {name: chunk for chunk, name in enumerate(snapshot.chunk_ids)}
    chunks = np.asarray([numbers[passage.id] for passage in passages], dtype=np.int64)
    graph = (subgraph(snapshot.matrix("graph"), chunks) + subgraph(snapshot.matrix("flow"), chunks)).tocsr()
    places = plane_layout(graph, snapshot.coordinates[chunks], connected_components(graph)).astype(np.float64)
    spots = _on_canvas(places)
    rows, columns = np.nonzero(np.triu(graph.toarray(), k=1))
    lines = [
        f'<line x1="{spots[a, 0]:.1f}" y1="{spots[a, 1]:.1f}" x2="{spots[b, 0]:.1f}" y2="{spots[b, 1]:.1f}"/>'
        for a, b in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    dots = [_dot(number, passage, spots[number - 1]) for number, passage in enumerate(passages, start=1)]
    return (
        "<h2>How they hang together</h2>\n<figure>\n"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="The chosen passages and the edges among them">\n'
        f"{''.join(lines)}{''.join(dots)}</svg>\n"
        "<figcaption>Numbers as above; a rim marks a seed, a line an edge of the index.</figcaption>\n</figure>\n"
    )


def _on_canvas(places: NDArray[np.float64]) -> NDArray[np.float64]:
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    room = np.array([_WIDTH - 4 * _RIM, _HEIGHT - 2 * _RIM])
    return np.asarray(np.where(span > 0, (places - low) / np.where(span > 0, span, 1), 0.5) * room + _RIM)


def _dot(number: int, passage: Passage, spot: NDArray[np.float64]) -> str:
    title = (heading_path(passage.title, passage.section) or (passage.document,))[-1]
    label = title if len(title) <= _LABEL else f"{title[: _LABEL - 1]}…"
    x, y = spot.tolist()
    seed = ' class="seed"' if passage.why.hop == 0 else ""
    return (
        f'<circle{seed} cx="{x:.1f}" cy="{y:.1f}" r="13"/><text class="in" x="{x:.1f}" y="{y + 4:.1f}">{number}</text>'
        f'<text class="label" x="{x + 20:.1f}" y="{y + 4:.1f}">{escape(label)}</text>'
    )
