"""Words, text hygiene and token counting: what both pipelines need to know about text."""
