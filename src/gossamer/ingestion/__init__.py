"""Offline: from documents to an index, one file a step."""
