"""What a ranking hides: confidence, paths, gaps, contradictions, votes."""
