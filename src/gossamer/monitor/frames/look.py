"""Glyphs and colours: one set for terminals that show Unicode, one in plain ASCII. Colour never carries a meaning alone."""

from __future__ import annotations

from dataclasses import dataclass

ACCENT = "bold #7dd3fc"
STRONG = "bold"
PLAIN = ""
MUTED = "#9aa5b8"
FAINT = "#7f8aa3"
SEED = "#fbbf24"
NEAR = "#7dd3fc"
FAR = "#a5b4fc"
GOOD = "#86efac"
WARN = "#fcd34d"
BAD = "#fca5a5"
BRIDGE = "bold #f0abfc"


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What the frames draw with."""

    full: str
    parts: str
    empty: str
    node: str
    small: str
    ghost: str
    bridge: str
    centre: str
    ring: str
    dot: str
    arrow: str
    tick: str
    cross: str
    warn: str
    rule: str


UNICODE = Glyphs("█", "▏▎▍▌▋▊▉", " ", "●", "•", "○", "◆", "?", "·", "·", "→", "✓", "✗", "!", "─")
ASCII = Glyphs("#", "", " ", "O", "o", "c", "B", "?", ".", "-", "->", "ok", "x", "!", "-")


def glyphs(ascii_only: bool) -> Glyphs:
    """The set of a terminal."""
    return ASCII if ascii_only else UNICODE


def plain(text: str, *, ascii_only: bool) -> str:
    """Our own words in ASCII where asked; a document's words are never changed.

    >>> plain("a → b · c …", ascii_only=True)
    'a -> b - c ...'
    """
    return text.translate(_PLAIN) if ascii_only else text


_PLAIN = str.maketrans({"→": "->", "·": "-", "…": "...", "—": "-", "–": "-", "×": "x", "│": "|", "‘": "'", "’": "'"})


def hop_colour(hop: int) -> str:
    """Seeds, their neighbours, and what lies beyond."""
    return (SEED, NEAR)[hop] if hop < 2 else FAR
