"""The bundled example corpus: fourteen short documents of an invented group of islands."""

from __future__ import annotations

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

QUESTIONS = (
    ("Who founded the maker of the turbine of Project Lantern?", 130),
    ("Who is the captain of the ferry that serves Gull Point?", 200),
    ("Who measured currents for the ship that laid the sea cable of Project Lantern?", 130),
)
"""Questions whose answer is spread over several documents, each with a token budget."""
