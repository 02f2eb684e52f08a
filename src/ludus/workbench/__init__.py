"""What a command and a function of Python both do, once: each result is a record (`core.records`)."""
