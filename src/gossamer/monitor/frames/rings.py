"""The web a question reached as a map: the question in the middle, each hop a ring."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

from rich.text import Text

from gossamer.monitor.frames.cells import Lines, fit
from gossamer.monitor.frames.look import ACCENT, BRIDGE, FAINT, MUTED, Glyphs, glyphs, hop_colour
from gossamer.monitor.record import Node, Record

_TURN = 2.0 * math.pi


@dataclass(slots=True)
class _Canvas:
    width: int
    height: int
    cells: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    taken: set[tuple[int, int]] = field(default_factory=set)

    def at(self, ring: float, angle: float) -> tuple[int, int]:
        """Row and column of a point; a cell is twice as high as wide."""
        row = self.height / 2 - 0.5 + ring * math.sin(angle)
        column = self.width / 2 - 0.5 + 2.0 * ring * math.cos(angle)
        return round(row), round(column)

    def put(self, cell: tuple[int, int], sign: str, style: str, *, firm: bool = True) -> bool:
        """Draw where there is room; False where something firm stands there already."""
        row, column = cell
        if not (0 <= row < self.height and column >= 0 and column + len(sign) <= self.width):
            return False
        places = [(row, column + offset) for offset in range(len(sign))]
        if any(place in self.taken for place in places):
            return False
        for place, char in zip(places, sign, strict=True):
            self.cells[place] = (char, style)
        if firm:
            self.taken.update(places)
        return True

    def lines(self) -> Lines:
        """Rows as text, without blanks at their ends."""
        found = []
        for row in range(self.height):
            last = max((column for r, column in self.cells if r == row), default=-1)
            cells = [self.cells.get((row, column), (" ", "")) for column in range(last + 1)]
            line = Text(no_wrap=True)
            for style, run in itertools.groupby(cells, key=lambda cell: cell[1]):
                line.append("".join(char for char, _ in run), style=style)
            found.append(line)
        return found


def rings(record: Record, hop: int, width: int, height: int, *, ascii_only: bool = False) -> Lines:
    """At most `height` lines with the rings of the first `hop` hops and, below, what the signs mean.

    Ring 0 holds the seeds. Outer hops share the last ring where the height is too small for one each. A passage stands
    near the passage that gave it most; where a ring is full the weakest are left out and counted.
    """
    signs = glyphs(ascii_only)
    rows = height - 2
    if rows < 7 or width < 16 or not record.nodes:
        return []
    reach = min((rows - 1) / 2.0, (width - 6) / 4.0)
    count = min(record.hops + 1, max(int(reach / 1.5), 1))
    canvas = _Canvas(width, rows)
    shown = [node for node in record.nodes if node.hop <= hop]
    radii = [reach * (ring + 1) / count for ring in range(count)]
    for ring, radius in enumerate(radii):
        if any(min(node.hop, count - 1) >= ring for node in shown):
            _circle(canvas, radius, signs)
    canvas.put(canvas.at(0, 0), signs.centre, ACCENT)
    angles = _angles(record, count)
    left_out = 0
    order = sorted(shown, key=lambda node: (node.number or math.inf, -node.energy, node.id))
    strongest = max((node.energy for node in record.nodes), default=1.0) or 1.0
    spots = {}
    for node in order:
        spot = _place(canvas, radii[min(node.hop, count - 1)], angles[node.id], *_sign(node, strongest, signs))
        left_out += spot is None
        if spot is not None:
            spots[node.id] = spot
    ghosts = sum(_ghosts(canvas, node, spots, signs) for node in order if node.ghosts)
    return [*canvas.lines(), *_legend(shown, record, left_out, ghosts, width, signs, ascii_only)]


def _circle(canvas: _Canvas, radius: float, signs: Glyphs) -> None:
    steps = max(int(radius * 9), 12)
    for step in range(steps):
        canvas.put(canvas.at(radius, _TURN * step / steps), signs.ring, FAINT, firm=False)


def _angles(record: Record, count: int) -> dict[str, float]:
    """An angle a passage: seeds evenly around, the others in the order of those that reached them."""
    angles: dict[str, float] = {}
    for ring in range(count):
        members = [node for node in record.nodes if min(node.hop, count - 1) == ring]
        if ring:
            members.sort(key=lambda node: (_angle_before(record, node, angles), -node.energy, node.id))
        start = -_TURN / 4
        if ring and members:
            start = _mean_shift(record, members, angles)
        for place, node in enumerate(members):
            angles[node.id] = (start + _TURN * place / len(members)) % _TURN
    return angles


def _angle_before(record: Record, node: Node, angles: dict[str, float]) -> float:
    before = record.nodes[node.parent].id if node.parent >= 0 else ""
    return angles.get(before, 0.0)


def _mean_shift(record: Record, members: list[Node], angles: dict[str, float]) -> float:
    """The turn that brings evenly spread passages nearest to those that reached them (a circular mean)."""
    apart = [_angle_before(record, node, angles) - _TURN * place / len(members) for place, node in enumerate(members)]
    return math.atan2(sum(map(math.sin, apart)), sum(map(math.cos, apart)))


def _sign(node: Node, strongest: float, signs: Glyphs) -> tuple[str, str]:
    if node.bridge > 0.0:
        return f"{signs.bridge}{node.number or ''}", BRIDGE
    if node.number:
        return str(node.number), f"bold {hop_colour(node.hop)}"
    return (signs.node if node.energy > 0.25 * strongest else signs.small), hop_colour(node.hop)


def _place(canvas: _Canvas, radius: float, angle: float, sign: str, style: str) -> tuple[int, int] | None:
    """Draw on the ring, or on the nearest free spot of it within an eighth of a turn."""
    step = 1.0 / max(radius * 2, 1.0)
    for shift in range(int(_TURN / 8 / step) + 2):
        for side in (1, -1) if shift else (1,):
            cell = canvas.at(radius, angle + side * shift * step)
            if canvas.put(cell, sign, style):
                return cell
    return None


def _ghosts(canvas: _Canvas, node: Node, spots: dict[str, tuple[int, int]], signs: Glyphs) -> int:
    """Near-copies as pale rings beside the passage that speaks for them."""
    if node.id not in spots:
        return 0
    row, column = spots[node.id]
    sides = [(row, column + 3), (row, column - 2), (row - 1, column), (row + 1, column)]
    for _ in node.ghosts:
        while sides and not canvas.put(sides.pop(0), signs.ghost, MUTED):
            pass
    return len(node.ghosts)


def _legend(
    shown: list[Node], record: Record, left_out: int, ghosts: int, width: int, signs: Glyphs, ascii_only: bool
) -> Lines:
    first = Text(no_wrap=True)
    room = width
    for ring in range(record.hops + 1):
        members = sum(node.hop == ring if ring < record.hops else node.hop >= ring for node in shown)
        word = f"{'seeds' if ring == 0 else f'hop {ring}'} {members}  "
        if members and len(word) <= room:
            first.append(word, style=hop_colour(ring))
            room -= len(word)
    second = Text(no_wrap=True)
    marks = [f"{signs.node} passage"]
    marks += [f"{signs.ghost} near-copy {ghosts}"] if ghosts else []
    bridges = sum(node.bridge > 0 for node in shown)
    marks += [f"{signs.bridge} bridge {bridges}"] if bridges else []
    marks += [f"{left_out} not drawn"] if left_out else []
    second.append(fit("  ".join(marks), width, ascii_only=ascii_only), style=MUTED)
    return [first, second]
