"""The index folder on disk."""
