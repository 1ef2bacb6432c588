"""One client for any OpenAI-compatible language model server, its cache, its costs, and the parsing of what comes back."""
