"""Frames: pure functions from a record and a size to lines of text. No terminal, no clock, no state."""
