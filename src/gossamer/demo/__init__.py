"""The bundled example corpus: fourteen short documents of an invented group of islands."""

from __future__ import annotations

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

QUESTIONS = (
    ("In which town was the turbine of Project Lantern made?", 160),
    ("From whom did the master of the ferry that serves Gull Point learn pilotage?", 200),
    ("Who enforces the rule that the inquiry into the flooding of Sill Lock wants to change?", 260),
)
"""Questions whose answer is spread over several documents, each with a token budget."""
