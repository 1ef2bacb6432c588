"""A whole answer: question, bars beside the map, the ledger, and at the end the passages and what is to be said of them."""

from __future__ import annotations

from rich.text import Text

from gossamer.graph.ledger import Ledger
from gossamer.insight.ledger import ledger_line
from gossamer.monitor.frames.bars import bars
from gossamer.monitor.frames.cells import Lines, beside, clean, fit, lead, wrap
from gossamer.monitor.frames.look import ACCENT, BAD, BRIDGE, FAINT, MUTED, STRONG, WARN, glyphs, plain
from gossamer.monitor.frames.rings import rings
from gossamer.monitor.record import Record, Shown

_LISTED = 10
_EXCERPT = 2
_SIDE_BY_SIDE = 76
_MEASURE = 110
_BRIDGES = 5


def answer(record: Record, hop: int, width: int, height: int, *, ascii_only: bool = False) -> Lines:
    """The record after `hop` hops on a screen of `width` × `height`; from the last hop on, with its passages."""
    done = hop >= record.hops
    lines = [*_question(record, width), *_state(record, min(hop, record.hops), width, ascii_only=ascii_only)]
    lines += _web(record, hop, width, max(height - 8, 4), ascii_only=ascii_only)
    if record.nodes:
        lines.append(_ledger(record, width, ascii_only=ascii_only))
    if done:
        lines += [Text(), *passages(record, width, ascii_only=ascii_only), *notes(record, width, ascii_only=ascii_only)]
    return lines


def _question(record: Record, width: int) -> Lines:
    lines = wrap(record.question, width, indent=2, style=STRONG)
    shown = lines[:3] + ([Text(f"  and {len(lines) - 3} more lines", style=FAINT)] if len(lines) > 3 else [])
    shown[0] = lead("> ", ACCENT) + shown[0][2:]
    return shown


def _state(record: Record, hop: int, width: int, *, ascii_only: bool) -> Lines:
    reached = sum(node.energies[hop] > 0.0 for node in record.nodes)
    if not record.nodes:
        return [Text(fit("  no passage reached", width, ascii_only=ascii_only), style=MUTED, no_wrap=True)]
    end = f"stopped: {record.stop_reason}" if hop >= record.hops else "spreading"
    words = [f"hop {hop} of {record.hops}", f"{reached} passages reached", end]
    words += [f"asked in {record.origin}"] if record.origin else []
    words += [f"{record.seconds * 1000:.0f} ms"] if hop >= record.hops else []
    return [
        Text(
            fit("  " + plain(" · ".join(words), ascii_only=ascii_only), width, ascii_only=ascii_only),
            style=MUTED,
            no_wrap=True,
        )
    ]


def _web(record: Record, hop: int, width: int, height: int, *, ascii_only: bool) -> Lines:
    """Bars and map side by side, one above the other on a narrow screen."""
    if not record.nodes:
        return []
    if width >= _SIDE_BY_SIDE:
        rows = min(height, 24)
        map_width = min(max(width * 45 // 100, 30), rows * 4 + 6)
        left = bars(record, hop, width - map_width - 3, rows, ascii_only=ascii_only)
        return beside(
            left, rings(record, hop, map_width, rows, ascii_only=ascii_only), width=width - map_width - 3, gap=3
        )
    lines = bars(record, hop, width, min(height, 8), ascii_only=ascii_only)
    return lines + rings(record, hop, width, min(height, 14), ascii_only=ascii_only)


def _ledger(record: Record, width: int, *, ascii_only: bool) -> Text:
    values = {name: value for name, value in record.ledger.items() if name not in {"destroyed", "balance"}}
    line = lead("  energy  ", MUTED)
    line.append(fit(ledger_line(Ledger(**values)), width - 10, ascii_only=ascii_only))
    return line


def passages(record: Record, width: int, *, ascii_only: bool = False) -> Lines:
    """The first passages with a few lines of text each; what to type for the rest."""
    if not record.passages:
        return wrap(_empty(record), min(width, _MEASURE), indent=2, style=WARN)
    lines: Lines = []
    for shown in record.passages[:_LISTED]:
        lines += [_heading(shown, width, ascii_only=ascii_only), *_excerpt(shown, width, ascii_only=ascii_only)]
    count = f"{len(record.passages)} passage{'s' * (len(record.passages) != 1)}"
    size = f", {record.tokens} of {record.budget} tokens" if record.budget else ""
    left = len(record.passages) - _LISTED
    hint = f"{count}{size}; {left} not listed. /show 11 reads on." if left > 0 else f"{count}{size}"
    lines.append(Text(fit(f"  {hint}", width, ascii_only=ascii_only), style=MUTED, no_wrap=True))
    return lines


def _empty(record: Record) -> str:
    if record.nodes:
        return f"No passage fits into {record.budget} tokens. Give more: /budget 500"
    return "Nothing in this index touches the question. Ask with a word that the documents use."


def _heading(shown: Shown, width: int, *, ascii_only: bool) -> Text:
    line = lead(f"{shown.number:>3}  ", ACCENT)
    votes = f"  {shown.votes} sources" if shown.votes > 1 else ""
    label = clean(shown.label)
    line.append(fit(label, width - 5 - len(votes), ascii_only=ascii_only), style=STRONG)
    line.append(votes, style=BRIDGE)
    rest = width - line.cell_len - 2
    if shown.id != shown.label and rest > 12:
        line.append("  " + fit(clean(shown.id), rest, ascii_only=ascii_only), style=FAINT)
    return line


def _excerpt(shown: Shown, width: int, *, ascii_only: bool) -> Lines:
    if not shown.text:
        return []
    width = min(width, _MEASURE)
    lines = wrap(clean(_body(shown.text)), width, indent=5)
    if len(lines) > _EXCERPT:
        lines = lines[:_EXCERPT]
        last = lines[-1].plain
        lines[-1] = Text(fit(f"{last} {'...' if ascii_only else '…'}", width, ascii_only=ascii_only), no_wrap=True)
    return lines


def _body(text: str) -> str:
    """The text without the Markdown headings it starts with: they stand in the label."""
    lines = text.lstrip().splitlines()
    while len(lines) > 1 and (lines[0].startswith("#") or not lines[0].strip()):
        lines.pop(0)
    return "\n".join(lines)


def notes(record: Record, width: int, *, ascii_only: bool = False) -> Lines:
    """Contradictions, gaps, low confidence, bridges and warnings: only those that there are."""
    signs = glyphs(ascii_only)
    lines: Lines = []
    for clash in record.clashes:
        newer = f" {clash.current} is newer." if clash.current else ""
        lines += _note("contradiction", f"{clash.first} against {clash.second}: {clash.question}{newer}", width, BAD)
    for gap in record.gaps:
        where = "elsewhere in the index" if gap.known else "nowhere in the index"
        lines += _note("gap", f"{gap.text} ({gap.weight:.0%} of the question; {where})", width, WARN)
    bridges = sorted((node for node in record.nodes if node.bridge > 0.0), key=lambda node: (-node.bridge, node.id))
    for node in bridges[:_BRIDGES]:
        name = f"[{node.number}]" if node.number else node.id
        lines += _note("bridge", f"{signs.bridge} {name} {node.title}, strength {node.bridge:.3f}", width, BRIDGE)
    if len(bridges) > _BRIDGES:
        lines += _note("bridge", f"and {len(bridges) - _BRIDGES} weaker ones", width, BRIDGE)
    if record.confidence is not None and record.doubtful and record.nodes:
        odds = f"{record.confidence:.0%} likely to hold all that the question needs"
        lines += _note("low confidence", odds, width, WARN)
    if record.refusal and not record.gaps:
        lines += _note("refusal", record.refusal, width, WARN)
    for warning in record.warnings:
        lines += _note("warning", warning, width, WARN)
    return lines


def _note(name: str, text: str, width: int, style: str) -> Lines:
    column = 18
    width = min(width, _MEASURE)
    lines = wrap(text, width, indent=column)
    lines[0] = lead(f"  {name:<{column - 2}}", style) + lines[0][column:]
    return lines
