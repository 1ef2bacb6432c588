"""Embedders: the protocol and one file a backend."""
