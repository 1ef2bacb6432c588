"""Data sets, baselines, metrics and reports."""
