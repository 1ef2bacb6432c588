"""Optional steps that use a language model."""
