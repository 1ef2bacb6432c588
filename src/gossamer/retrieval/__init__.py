"""Online: from a question to a set of passages, one file a step."""
